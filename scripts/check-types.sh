#!/usr/bin/env bash
# The binding, its tests, the model, the examples and the benchmarks under mypy --strict.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
export MYPYPATH=$root/bindings/python/src
mypy() { "$root/.venv/bin/python" -m mypy --strict --cache-dir "$scratch/mypy" "$@"; }
(cd bindings/python && mypy)
(cd Tests/Model && mypy --config-file ../../bindings/python/pyproject.toml ./*.py)
(cd Tests/Attack && mypy --config-file ../../bindings/python/pyproject.toml ./*.py)
for program in examples/python/*.py Benchmarks/*.py; do mypy --config-file bindings/python/pyproject.toml "$program"; done
