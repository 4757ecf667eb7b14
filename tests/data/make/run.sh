#!/bin/sh
# Make logs and traces of every scenario with one PyTorch: run.sh PYTHON OUTDIR
set -u
PY=$1 OUT=$2 HERE=$(cd "$(dirname "$0")" && pwd)
for n in $(sed -n 's/^def \([a-z]\w*\)(.*/\1/p' "$HERE/cases.py" | grep -v multi_rank); do
  mkdir -p "$OUT/$n" && (cd "$OUT/$n" && TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 TORCH_TRACE=$PWD/trace \
    TORCH_LOGS="graph_breaks,recompiles" timeout 300 "$PY" "$HERE/cases.py" "$n" > log.txt 2>&1; echo $? > rc; rm -rf torch_compile_debug)
done
mkdir -p "$OUT/breaks" && cd "$OUT/breaks" && TORCH_TRACE=$PWD/trace \
  TORCH_LOGS="graph_breaks,recompiles,recompiles_verbose,guards" "$PY" "$HERE/breaks.py" > log.txt 2>&1
