# shellcheck shell=bash
# Sourced by the other scripts: the root, the staged tree, quiet commands, counted suites.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
scratch=${MAM_SCRATCH:-$root/.build} # SwiftPM's folder; another one lets two builds run side by side
logs=$scratch/logs
staged=$root/stage/usr/local
export SWIFT_BACKTRACE=enable=no # a crash report of the runtime can outlive its time limit
mkdir -p "$logs"

die() {
    echo "$*" >&2
    exit 1
}

# logged NAME COMMAND…: run quietly; the output is shown when it fails.
logged() {
    local name=$1 begin=$SECONDS
    shift
    "$@" >"$logs/$name.log" 2>&1 </dev/null || {
        cat "$logs/$name.log" >&2
        die "$name failed: $*"
    }
    echo "$name: $((SECONDS - begin)) s" >&2
}

# with_stage: let programs find the staged library, header and mamctl.
with_stage() {
    [ -e "$staged/lib/libmam.so.0" ] || die "there is no stage/: make stage"
    export PATH="$staged/bin:$PATH" MAMCTL="$staged/bin/mamctl" MAM_PREFIX="$staged"
    export LIBMAM_PATH="$staged/lib/libmam.so.0" LD_LIBRARY_PATH="$staged/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export PKG_CONFIG_PATH="$staged/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
}

# prototypes: the functions of mam.h, one a line.
prototypes() {
    awk '/^MAM_API /{on = 1} on{printf "%s ", $0} on && /;/{print ""; on = 0}' include/mam.h |
        sed -E 's/^MAM_API //; s/ *(MAM_CHECK_RESULT)? *; *$//'
}

passed=0 failed=0 skipped=0

# total PATTERN LOG: the numbers in all that matches PATTERN, which has one, added up.
total() { { grep -oE "$1" "$2" || true; } | { grep -oE '[0-9]+' || true; } | awk '{n += $1} END {print n + 0}'; }

# lines PATTERN LOG
lines() { grep -cE "$1" "$2" || true; }

# suite NAME KIND COMMAND…: run a test suite and count its tests as its KIND reports them. A command that fails is a
# failure whatever it printed, and so is a suite without a test.
suite() {
    local name=$1 kind=$2 begin=$SECONDS status=0 p=0 f=0 s=0 word=ok skips='^$'
    shift 2
    local log=$logs/test-$name.log
    timeout --kill-after=20 "${MAM_SUITE_SECONDS:-1800}" "$@" >"$log" 2>&1 </dev/null || status=$?
    case $kind in
    swift) # one line a test: symbol, Test, name, outcome; a line of the whole run looks much the same
        skips='^[^ ]+ +Test .* skipped'
        s=$(lines "$skips" "$log")
        p=$(($(lines '^[^ ]+ +Test .* passed after ' "$log") - $(lines '^[^ ]+ +Test (run|case) .* passed after ' "$log")))
        f=$(($(lines '^[^ ]+ +Test .* failed after ' "$log") - $(lines '^[^ ]+ +Test (run|case) .* failed after ' "$log"))) ;;
    cmocka)
        skips='\[ +SKIPPED +\] [^0-9]'
        p=$(total '\[ +PASSED +\] [0-9]+ test' "$log")
        f=$(total '\[ +FAILED +\] [0-9]+ test' "$log")
        s=$(total '\[ +SKIPPED +\] [0-9]+ test' "$log") ;;
    tap)
        skips='^ok .*# skip'
        s=$(lines "$skips" "$log")
        p=$(($(lines '^ok ' "$log") - s))
        f=$(lines '^not ok ' "$log") ;;
    pytest)
        skips='^SKIPPED'
        p=$(tail -n 1 "$log" | total '[0-9]+ passed' -)
        f=$(tail -n 1 "$log" | total '[0-9]+ (failed|error)' -)
        s=$(tail -n 1 "$log" | total '[0-9]+ skipped' -) ;;
    check) [ $status -ne 0 ] || p=1 ;;
    *) die "suite $name: no such kind: $kind" ;;
    esac
    if { [ $status -ne 0 ] && [ "$f" -eq 0 ]; } || [ $((p + f + s)) -eq 0 ]; then f=$((f + 1)); fi
    if [ "$f" -gt 0 ]; then
        word=FAILED
        printf -- '---- %s (exit status %s): %s\n' "$name" $status "$*"
        case $kind in
        swift) grep -E -A 4 '^✘|error:' "$log" | head -n 200 || true ;;
        tap) grep -E '^(not ok|#)' "$log" | head -n 200 || true ;;
        esac
        case $kind in swift | tap) tail -n 20 "$log" ;; *) tail -n 200 "$log" ;; esac
        printf -- '---- the whole of it: %s\n' "$log"
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    printf '%-10s %-6s %5d passed %4d failed %4d skipped %5d s\n' "$name" $word "$p" "$f" "$s" $((SECONDS - begin))
    [ "$s" -eq 0 ] || grep -E "$skips" "$log" | awk '!seen[$0]++' | head -n 20 | sed 's/^/           /' || true
}

# finish: the closing line, and the exit status.
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
