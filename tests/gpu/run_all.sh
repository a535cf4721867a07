#!/usr/bin/env bash
# run_all.sh: everything that needs an NVIDIA GPU, in one call and without network: build, grade,
# test, measure. Prints a short table last; report.md in the report folder holds all tables, beside
# the full output of every step.
#
#   tests/gpu/run_all.sh [--wheels DIR] [--report DIR] [--python PYTHON] [--only REGEX]
#
# PYTHON (default python3) must have the packages of pyproject.toml, nanobind and scikit-build-core, or
# DIR their wheels. torch, CuPy and Triton are used where they are installed. --only runs just the
# steps after the build whose names match.
set -u -o pipefail
cd "$(dirname "$0")/../.."

wheels="" report=gpu-report python=python3 only=.
while [ $# -gt 0 ]; do
  case "$1" in
    --wheels) wheels=$2; shift 2 ;;
    --report) report=$2; shift 2 ;;
    --python) python=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
done
mkdir -p "$report"
rm -f "$report"/*.txt "$report"/summary
failed=0

# step NAME COMMAND...: runs it for at most $limit or 240 seconds, keeps its output, notes how it
# ended.
step() {
  local name=$1 start=$SECONDS code
  shift
  [[ $name =~ ^(device|wheels|install|build)$ || $name =~ $only ]] || return 0
  timeout "${limit:-240}" "$@" >"$report/$name.txt" 2>&1
  code=$?
  printf '%-28s %-7s %4d s  %s\n' "$name" "$([ $code -eq 0 ] && echo ok || echo "exit $code")" \
    $((SECONDS - start)) "$(grep -v '^ *$' "$report/$name.txt" | tail -n 1 | cut -c1-100)" \
    | tee -a "$report/summary"
  [ $code -eq 0 ] || { failed=1; tail -n 15 "$report/$name.txt"; }
  return $code
}

step device nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,temperature.gpu \
  --format=csv,noheader || exit 4
if [ -n "$wheels" ]; then
  step wheels "$python" -m pip install --quiet --no-index --no-deps --no-compile --upgrade \
    --target "$report/site" "$wheels"/*.whl || exit 4
  export PYTHONPATH="$PWD/$report/site${PYTHONPATH:+:$PYTHONPATH}"
fi
step install "$python" -m pip install --quiet --no-build-isolation --no-deps --no-index -e . || exit 4

camp=("$python" -m camp)
export CAMP_BACKEND=nvidia
ops=$(ls ops/*/op.toml | xargs -n1 dirname | xargs -n1 basename)
step doctor "${camp[@]}" doctor
step build "${camp[@]}" build
for op in $ops; do
  step "check-$op" "${camp[@]}" check "$op" --solution
done
limit=600 step gpu-tests "$python" -m pytest -q -m gpu tests
step conformance "$python" tests/simulator/conformance/record.py --output "$report/conformance"
step examples "${camp[@]}" test
command -v ncu >/dev/null && limit=600 step counters "$python" tests/gpu/counters.py --output "$report/counters.json"
step call-overhead "$python" tests/measure_call_overhead.py
for op in $ops; do
  step "bench-$op" "$python" tests/gpu/benchmarks.py "$op" --output "$report/benchmarks.json"
done
for op in $ops; do
  step "ladder-$op" "$python" tests/gpu/ladders.py "$op" --output "$report/ladders.json"
done

"$python" tests/gpu/report.py "$report"
printf '\n'
date -u +'%Y-%m-%d'
cat "$report/summary"
exit $failed
