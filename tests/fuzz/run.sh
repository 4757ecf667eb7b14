#!/bin/sh
# Usage: tests/fuzz/run.sh FOLDER SECONDS
#
# Runs each fuzz_* program of FOLDER for SECONDS, starting from the seeds and
# the smaller test data. What it finds is left in FOLDER/found, what it learns
# in FOLDER/corpus, what it said in FOLDER/fuzz_*.log.
set -eu

folder=$1
seconds=$2
here=$(dirname "$0")

targets=0
for target in "$folder"/fuzz_*; do
  [ -f "$target" ] && [ -x "$target" ] || continue
  targets=$((targets + 1))
  name=$(basename "$target")
  mkdir -p "$folder/corpus/$name" "$folder/found"
  seeds="$folder/corpus/$name"
  for seed in "$here/seeds" "$here/../data"; do
    [ -d "$seed" ] && seeds="$seeds $seed"
  done
  echo "fuzz: $name for $seconds s"
  # shellcheck disable=SC2086 # a list of folders
  "$target" $seeds -max_total_time="$seconds" -max_len=16384 -timeout=20 \
    -rss_limit_mb=2048 -print_final_stats=1 -dict="$here/words.dict" \
    -artifact_prefix="$folder/found/$name-" >"$folder/$name.log" 2>&1 || {
    tail -n 100 "$folder/$name.log"
    echo "fuzz: $name failed; the input is in $folder/found"
    exit 1
  }
  grep -E '^stat::(number_of|average|peak)' "$folder/$name.log"
done

if [ "$targets" = 0 ]; then
  echo "fuzz: there are no targets yet, nothing to do"
else
  echo "fuzz: $targets targets ran, nothing found"
fi
