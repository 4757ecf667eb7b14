#!/usr/bin/env bash
# What action.yml runs: the gate, with annotations, a readable log, SARIF and a
# summary. All settings come as variables, so that none is read as shell.
#
#   PT2TRIAGE_PATHS       files, folders and globs, one on each line
#   PT2TRIAGE_BASELINE, PT2TRIAGE_FAIL_ON, PT2TRIAGE_MAX_GRAPH_BREAKS,
#   PT2TRIAGE_MAX_RECOMPILES, PT2TRIAGE_SARIF   as the inputs of the action
#   PYTHON                the Python that has pt2triage (default: python)
set -uo pipefail

python="${PYTHON:-python}"
paths=()
while IFS= read -r line; do
  line="${line%"${line##*[![:space:]]}"}" # YAML hides blanks at the end of a line
  [[ -z "${line//[[:space:]]/}" ]] || paths+=("$line")
done <<<"${PT2TRIAGE_PATHS:-}"
if [[ ${#paths[@]} -eq 0 ]]; then
  echo "::error title=pt2triage::the input 'paths' names nothing"
  exit 2
fi

gates=()
gate() { [[ -z "$2" ]] || gates+=("$1" "$2"); }
gate --baseline "${PT2TRIAGE_BASELINE:-}"
gate --fail-on "${PT2TRIAGE_FAIL_ON:-}"
gate --max-graph-breaks "${PT2TRIAGE_MAX_GRAPH_BREAKS:-}"
gate --max-recompiles "${PT2TRIAGE_MAX_RECOMPILES:-}"

check() { "$python" -m pt2triage check ${gates[@]+"${gates[@]}"} "$@" -- "${paths[@]}"; }

check --format github
status=$?

# From here to the token no line is a command, whatever a log holds.
token="pt2triage-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
echo "::stop-commands::$token"
check --quiet
echo "::$token::"

if [[ -n "${PT2TRIAGE_SARIF:-}" ]]; then
  check --quiet --format sarif -o "$PT2TRIAGE_SARIF"
fi
if [[ -n "${GITHUB_STEP_SUMMARY:-}" ]]; then
  "$python" -m pt2triage top --quiet --format markdown -- "${paths[@]}" \
    >>"$GITHUB_STEP_SUMMARY" 2>/dev/null
fi
exit "$status"
