#!/bin/sh
# Usage: packaging/wheel.sh PYTHON CASE
#
# Makes the source archive, a wheel out of nothing but that archive, and installs it
# in an environment that has nothing else; smoke.py then asks it for the answer to
# CASE. PYTHON has the build tools. What is made lies in dist/.
set -eu
python=$1
case=$2
work=build/wheel

# Of former runs: a file that is gone must not be found again.
rm -rf dist "$work"
mkdir -p "$work"
"$python" -m build --sdist --no-isolation --outdir dist . >"$work/sdist.log" ||
  { cat "$work/sdist.log"; exit 1; }
tar -xzf dist/*.tar.gz -C "$work"
source=$(echo "$PWD/$work"/pt2triage-*)

# The paths that the compiler sees are the same as in the checkout's own build, so
# that ccache has the objects of it.
CCACHE_BASEDIR="$source/cpp" "$python" -m build --wheel --no-isolation \
  --outdir dist "$source" >"$work/wheel.log" 2>&1 || { cat "$work/wheel.log"; exit 1; }

"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -qq --disable-pip-version-check dist/*.whl
(cd "$work" && venv/bin/python -P ../../packaging/smoke.py "../../$case")
ls -l dist
