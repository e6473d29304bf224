# shellcheck shell=bash
# Sourced by scripts that run suites, instead of lib.sh: counted suites, one after the other or in parallel.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
results=$(mktemp -d) # counts, and the lines of running suites
trap 'rm -rf "$results"' EXIT

# watched LOG COMMAND…: run it within the time limit; a signal that ends this shell also ends it and its children.
watched() {
    local log=$1 child status=0
    shift
    # In the background, so that the trap runs at once; a shell ignores SIGINT there, which no test expects. Without the
    # terminal of the person who runs the tests: a program would ask them for a PIN.
    setsid --wait timeout --kill-after=20 "${MAM_SUITE_SECONDS:-1800}" env --default-signal=INT,QUIT "$@" >"$log" 2>&1 </dev/null &
    child=$!
    trap 'kill "$child"; wait "$child"; exit 1' HUP INT TERM
    wait "$child" || status=$?
    trap - HUP INT TERM
    return $status
}

# total PATTERN LOG: the sum of the numbers in all matches of PATTERN, which contains one.
total() { { grep -oE "$1" "$2" || true; } | { grep -oE '[0-9]+' || true; } | awk '{n += $1} END {print n + 0}'; }

# lines PATTERN LOG
lines() { grep -cE "$1" "$2" || true; }

# suite NAME KIND COMMAND…: run a test suite and count its tests as its KIND reports them. A failing command is a failure
# whatever it printed, and so is a suite without a test.
suite() {
    local name=$1 kind=$2 begin=$SECONDS status=0 p=0 f=0 s=0 word=ok skips='^$'
    shift 2
    local log=$logs/test-$name.log
    watched "$log" "$@" || status=$?
    case $kind in
    swift) # one line a test: symbol, Test, name, outcome; a line of the whole run looks similar
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
    echo "$p $f $s" >>"$results/counts"
    printf '%-10s %-6s %5d passed %4d failed %4d skipped %5d s\n' "$name" $word "$p" "$f" "$s" $((SECONDS - begin))
    [ "$s" -eq 0 ] || grep -E "$skips" "$log" | awk '!seen[$0]++' | head -n 20 | sed 's/^/           /' || true
}

declare -A names=() # of the running commands, by process

# begin COMMAND NAME: run it in parallel with the running ones, as soon as a core (of MAM_JOBS) is free. Its lines are
# printed when it ends.
begin() {
    trap 'stop 130' HUP INT TERM
    while [ ${#names[@]} -ge "${MAM_JOBS:-$(nproc)}" ]; do reap; done
    "$@" >"$results/lines-$2" 2>&1 &
    names[$!]=$2
}

# ended [NAME]: wait until that one has ended, or all.
ended() { while [[ " ${names[*]} " == *" ${1:-}"* && ${#names[@]} -gt 0 ]]; do reap; done; }

# reap: wait for the next one to end, and print its lines. A failing suite is counted; any other failure ends all.
reap() {
    local pid status=0
    wait -n -p pid "${!names[@]}" || status=$?
    cat "$results/lines-${names[$pid]}"
    unset "names[$pid]"
    [ $status -eq 0 ] || stop 1
}

# stop STATUS: end the running commands.
stop() {
    trap '' HUP INT TERM
    [ ${#names[@]} -eq 0 ] || kill "${!names[@]}" || true
    wait
    echo "stopped; had not ended: ${names[*]:-}" >&2
    exit "$1"
}

# finish: the closing line, and the exit status.
finish() {
    awk '{p += $1; f += $2; s += $3} END {print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped"; exit f > 0}' "$results/counts"
}
