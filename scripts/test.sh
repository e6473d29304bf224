#!/usr/bin/env bash
# Run every suite on the staged tree, which `make test` prepares; names as arguments run only those. One line a suite,
# then the sum of the tests.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# The same steps every time; `make soak` takes new ones.
export MAM_SEED=${MAM_SEED:-1}

python=$root/.venv/bin/python
staged_run=(scripts/staged.sh)

run() {
    case $1 in
    lint) suite lint check scripts/lint.sh ;;
    header) suite header check scripts/check-header.sh ;;
    abi) suite abi check scripts/check-abi.sh ;;
    docs) suite docs check "${staged_run[@]}" scripts/check-docs.sh ;;
    install) suite install check scripts/check-install.sh ;;
    swift) suite swift swift swift test --scratch-path "$scratch" --disable-xctest ;;
    c) suite c cmocka "${staged_run[@]}" make -s -j2 -C Tests/ABI check PYTHON="$python" ;;
    model) suite model pytest "${staged_run[@]}" Tests/Model/with-clock.sh "$python" -m pytest -q -rs -p no:cacheprovider Tests/Model ;;
    mypy) suite mypy check scripts/check-types.sh ;;
    python) suite python pytest "${staged_run[@]}" "$python" -m pytest -q -rs -p no:cacheprovider bindings/python ;;
    shell) suite shell tap "${staged_run[@]}" bats --tap --recursive Tests/Shell ;;
    examples) suite examples check "${staged_run[@]}" scripts/demo.sh ;;
    *) die "no such suite: $1" ;;
    esac
}

# What fails fastest comes first.
[ $# -gt 0 ] || set -- lint header abi docs install examples mypy model c shell python swift
for name in "$@"; do run "$name"; done
finish
