#!/usr/bin/env bash
# The binding, its tests, the examples and the benchmarks under mypy --strict.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
mypy=(.venv/bin/python -m mypy --strict --cache-dir "$scratch/mypy")
(cd bindings/python && "$root/.venv/bin/python" -m mypy --strict --cache-dir "$scratch/mypy")
export MYPYPATH=bindings/python/src
for program in examples/python/*.py Benchmarks/*.py; do "${mypy[@]}" "$program"; done
