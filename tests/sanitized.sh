#!/bin/sh
# Usage: tests/sanitized.sh FOLDER [ARGUMENT...]
#
# Runs the Python tests with the module that was built with sanitizers in FOLDER;
# ARGUMENTs go to pytest. Python itself is not sanitized, so their libraries are
# loaded before it, and what it never frees is no leak of ours.
set -eu

folder=$1
shift
module=$(echo "$folder"/cpp/bindings/_core*.so)
site=$(cd "$folder" && pwd)/site
rm -rf "$site"
mkdir -p "$site"
cp -r python/pt2triage "$site"
cp "$module" "$site/pt2triage"

# Without the C++ library their interceptor of exceptions finds nothing.
libraries=$(ldd "$module" |
  awk '/lib(asan|tsan|ubsan|stdc\+\+)\./ { printf "%s ", $3 }')
[ -n "$libraries" ] || { echo "$module links no sanitizer"; exit 1; }

LD_PRELOAD="$libraries" PYTHONPATH="$site" PYTHONMALLOC=malloc \
  ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=4:allocator_may_return_null=1 \
  UBSAN_OPTIONS=print_stacktrace=1 \
  TSAN_OPTIONS="second_deadlock_stack=1 halt_on_error=1" \
  exec .venv/bin/python -m pytest -m "not torch and not slow" "$@"
