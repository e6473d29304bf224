#!/usr/bin/env bash
# Formatting and linters; prints what they find.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
shopt -s nullglob
status=0
swift format lint --strict --recursive --parallel Sources Tests fuzz Package.swift Service/Sources Service/Package.swift || status=1
# All C and C++ but what has a layout of its own: the columns of mam.h, and an example of exactly ten lines.
sources=(Sources/C*/*.[ch] Sources/C*/include/*.h Tests/*/*.[ch] Tests/*/*.cpp Benchmarks/*.[ch] scripts/order/*.c examples/c/{complete,folders,folders_start,notes}.c examples/c/folders.h
    examples/cpp/*.cpp include/mam.hpp examples/integrate/c/before/*.c examples/integrate/loops/*.c*)
clang-format-14 --dry-run --Werror "${sources[@]}" || status=1
# Tests and benchmarks need headers that their Makefiles write, and run under sanitizers instead. The flags are in
# compile_flags.txt. Half a minute on two cores, so not again for sources that passed.
inputs=$(cat .clang-tidy compile_flags.txt include/mam.h Sources/C*/*.[ch] Sources/C*/include/*.h examples/c/*.c | sha256sum)
if [ "$inputs" != "$(cat "$logs/clang-tidy.passed" 2>/dev/null)" ]; then
    printf '%s\0' Sources/C*/*.c examples/c/*.c | xargs -0 -n 8 -P "${MAM_JOBS:-$(nproc)}" clang-tidy-14 --quiet \
        2> >(grep -vE 'warnings? generated|^Suppressed |^Use -header-filter' >&2) &&
        echo "$inputs" >"$logs/clang-tidy.passed" || status=1
fi
scripts=(.ci/run scripts/*.sh scripts/order/*.sh examples/shell/*.sh examples/integrate/*/*.sh bindings/shell/*.sh bindings/shell/*.bash Tests/Soak/*.sh Tests/Attack/*.sh Tests/Model/*.sh Tests/Shell/*.sh Tests/Shell/*.bash Tests/Shell/*.bats
    debian/*.postinst debian/*.postrm debian/tests/*[!l])
shellcheck -x -P SCRIPTDIR "${scripts[@]}" || status=1
pages=(docs/man/*.[1-9])
[ ${#pages[@]} -eq 0 ] || mandoc -T lint -W warning "${pages[@]}" || status=1
.venv/bin/ruff check --quiet --no-cache || status=1
.venv/bin/ruff format --check --quiet --no-cache || status=1
scripts/check-imports.sh || status=1
python3 scripts/messages.py --check || status=1
if git rev-parse --git-dir >/dev/null 2>&1; then
    python3 scripts/check-words.py || status=1
    python3 scripts/check-limits.py || status=1
else
    echo "not checked: replaced words, limits of the sources; this is no git repository"
fi
scripts/check-commits.sh || status=1
exit $status
