#!/bin/sh
# Usage: tests/fuzz/run.sh FOLDER SECONDS [JOBS]
#
# Runs each fuzz_* program of FOLDER for SECONDS, JOBS of them at a time, starting
# from the seeds and the smaller test data. What it finds is left in FOLDER/found,
# what it learns in FOLDER/corpus, what it said in FOLDER/fuzz_*.log.
set -eu

here=$(dirname "$0")

# One target; run.sh calls itself with FUZZ_TARGET for each.
if [ -n "${FUZZ_TARGET:-}" ]; then
  folder=$1
  seconds=$2
  name=$(basename "$FUZZ_TARGET")
  mkdir -p "$folder/corpus/$name" "$folder/found"
  seeds="$folder/corpus/$name"
  for seed in "$here/seeds" "$here/../data"; do
    [ -d "$seed" ] && seeds="$seeds $seed"
  done
  echo "fuzz: $name for $seconds s"
  # shellcheck disable=SC2086 # a list of folders
  "$FUZZ_TARGET" $seeds -max_total_time="$seconds" -max_len=16384 -timeout=20 \
    -rss_limit_mb=2048 -print_final_stats=1 -dict="$here/words.dict" \
    -artifact_prefix="$folder/found/$name-" >"$folder/$name.log" 2>&1 || {
    tail -n 100 "$folder/$name.log"
    echo "fuzz: $name failed; the input is in $folder/found"
    exit 1
  }
  # In one go, so that the lines of two targets do not mix.
  echo "$(echo "fuzz: $name ended"
    grep -E '^stat::(number_of|average|peak)' "$folder/$name.log")"
  exit 0
fi

targets=$(find "$1" -maxdepth 1 -name 'fuzz_*' -type f -perm -u+x | sort)
if [ -z "$targets" ]; then
  echo "fuzz: there are no targets in $1"
  exit 1
fi
echo "$targets" |
  xargs -P "${3:-1}" -I '{}' env 'FUZZ_TARGET={}' "$0" "$1" "$2" || {
  echo "fuzz: failed"
  exit 1
}
echo "fuzz: $(echo "$targets" | wc -l) targets ran, nothing found"
