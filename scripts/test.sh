#!/usr/bin/env bash
# Stage the library and run every suite; names as arguments run only those, on the staged tree. As many in parallel as there
# are cores, or MAM_JOBS. Prints one line a suite as each ends, then the sum of the tests.
set -euo pipefail
. "$(dirname "$0")/suites.sh"

# The same random steps every time; `make soak` takes new ones.
export MAM_SEED=${MAM_SEED:-1}

python=$root/.venv/bin/python
staged_run=(scripts/staged.sh)

stage() {
    watched "$logs/stage.log" make --no-print-directory stage || {
        cat "$logs/stage.log"
        die "make stage failed"
    }
    echo "stage      ok     $SECONDS s"
}

# workplace: a temporary folder for everything; in memory, if that supports all that the tests need of a file system, because
# syncing temporary data took most of their time.
workplace() {
    if workplace=$(mktemp -d -p /dev/shm mam-test.XXXXXX 2>/dev/null) && does_all "$workplace"; then
        export MAM_DISK=${TMPDIR:-/tmp}
    else
        [ -z "$workplace" ] || rm -r "$workplace"
        workplace=$(mktemp -d)
    fi
    trap 'rm -rf "$results" "$workplace"' EXIT
    chmod 711 "$workplace" # tests that act as another user pass through it
}

# does_all FOLDER: it has space, runs programs and supports user attributes.
does_all() {
    [ "$(df --output=avail "$1" | tail -n 1)" -gt 2000000 ] && install -m 700 /bin/true "$1/true" && "$1/true" &&
        "$python" -c 'import os, sys; os.setxattr(sys.argv[1], "user.mam", b"1")' "$1/true"
} 2>/dev/null

run() {
    # Each suite has its own folder: pytest removes folders that look abandoned, by clocks that tests change.
    mkdir -p "$workplace/$1"
    chmod 1777 "$workplace/$1"
    export TMPDIR=$workplace/$1
    case $1 in
    stage) stage ;;
    lint) suite lint check scripts/lint.sh ;;
    header) suite header check scripts/check-header.sh ;;
    abi) suite abi check scripts/check-abi.sh ;;
    docs) suite docs check "${staged_run[@]}" scripts/check-docs.sh ;;
    install) suite install check scripts/check-install.sh ;;
    static) suite static check scripts/check-static.sh ;;
    swift) suite swift swift scripts/swift-tests.sh ;;
    c) suite c cmocka "${staged_run[@]}" make -s -j2 -C Tests/ABI check PYTHON="$python" ;;
    attack) suite attack tap "${staged_run[@]}" make -s -C Tests/Attack check PYTHON="$python" ;;
    model) suite model pytest "${staged_run[@]}" Tests/Model/with-clock.sh "$python" -m pytest -q -rs -p no:cacheprovider Tests/Model ;;
    mypy) suite mypy check scripts/check-types.sh ;;
    python) suite python pytest "${staged_run[@]}" "$python" -m pytest -q -rs -p no:cacheprovider -o tmp_path_retention_policy=failed bindings/python ;;
    shell) suite shell tap "${staged_run[@]}" bats --tap --recursive Tests/Shell ;;
    examples) suite examples check "${staged_run[@]}" scripts/demo.sh ;;
    *) die "no such suite: $1" ;;
    esac
}

workplace
# The longest first, so that none runs alone at the end; lint is short, and fails often.
[ $# -gt 0 ] || {
    # Two parallel builds, of the library and of the tests, use the resolved packages.
    [ -e Package.resolved ] || logged resolve swift package resolve --scratch-path "$scratch"
    set -- stage swift lint c python attack shell model mypy install static examples docs abi header
}
for name in "$@"; do
    case $name in stage | swift | lint | mypy | header) ;; *) ended stage ;; esac
    begin run "$name"
done
ended
finish
