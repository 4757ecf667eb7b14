#!/bin/sh
# Usage: packaging/setup.sh LIST...
#
# Installs what is missing of the Debian/Ubuntu packages that the lists name,
# and does nothing where nothing is missing. Where there is no apt, or no right
# to use it, it says so and leaves the work to CMake, which then fetches and
# builds pinned sources. Without a C++ compiler it stops.
set -eu

say() { printf 'setup: %s\n' "$*" >&2; }

finish() {
  if ! command -v c++ >/dev/null 2>&1 && [ -z "${CXX:-}" ]; then
    say "there is no C++ compiler (c++). Install g++ 12 or newer, or clang 14" \
      "or newer, and run this again."
    exit 1
  fi
  exit 0
}

if ! command -v apt-get >/dev/null 2>&1; then
  say "no apt-get here: simdjson, RE2, Abseil, zlib, zstd and GoogleTest are taken from" \
    "where CMake finds them, else their pinned sources are fetched and built" \
    "(a few minutes, once). With Homebrew: brew install cmake ninja simdjson" \
    "re2 abseil zstd isa-l googletest google-benchmark."
  finish
fi

installed() {
  case $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) in
    *" installed") return 0 ;;
    *) return 1 ;;
  esac
}

missing=
for package in $(cat "$@"); do
  installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || finish

if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root=sudo
else
  say "not root and no sudo, so these packages stay missing:$missing." \
    "CMake fetches and builds pinned sources instead where it can. Better:" \
    "let an administrator run: apt-get install$missing"
  finish
fi

# shellcheck disable=SC2086 # both are lists of words
{
  $as_root apt-get update -qq
  # Ubuntu has no chromium but as a snap, and old releases lack some libraries.
  had=$missing missing=
  for package in $had; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      missing="$missing $package"
    else
      say "there is no package $package here; going on without it"
    fi
  done
  [ -n "$missing" ] || finish
  say "installing:$missing"
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends $missing >&2
}
finish
