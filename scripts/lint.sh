#!/usr/bin/env bash
# Formatting and linters; prints what they find.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
shopt -s nullglob
status=0
swift format lint --strict --recursive --parallel Sources Tests Package.swift || status=1
scripts=(.ci/run scripts/*.sh examples/shell/*.sh bindings/shell/*.sh bindings/shell/*.bash Tests/Soak/*.sh Tests/Attack/*.sh Tests/Model/*.sh Tests/Shell/*.sh Tests/Shell/*.bash Tests/Shell/*.bats)
shellcheck -x -P SCRIPTDIR "${scripts[@]}" || status=1
pages=(docs/man/*.[1-9])
[ ${#pages[@]} -eq 0 ] || mandoc -T lint -W warning "${pages[@]}" || status=1
exit $status
