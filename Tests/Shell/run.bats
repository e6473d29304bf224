#!/usr/bin/env bats
# mamctl run: the identity of child processes, refusals, and the state of the executed program.

# helpers.bash sets variables, no command reads a file that it also writes, and scripts are for an inner shell:
# shellcheck disable=SC2154,SC2094,SC2016
load helpers

as_ann() { mamctl run --identity "$ann" -- "$@"; }

@test "mamctl run by it acts for the account" {
    enrolled_with strict
    run --separate-stderr as_ann "$MAMCTL" check print
    [ "$status" -eq 3 ]
    [[ $stderr == *'Example: strict'* ]]
    as_ann sh -c 'echo plan | "$0" protect' "$MAMCTL" >plan
    [ "$(mamctl info plan --json | jq -r .accountId)" = ann-id ]
    [ "$(as_ann sh -c 'echo note | "$0" protect --account ""' "$MAMCTL" | mamctl info --json | jq -r .encrypted)" = false ]
    [ "$(mamctl run --identity bob -- "$MAMCTL" run --identity "$ann" -- printenv MAM_IDENTITY)" = "$ann" ]
    run --separate-stderr mamctl check print
    failed_with 64 'MAM_IDENTITY'
}

@test "Python run by it acts for the account" {
    enrolled_with strict
    cat >acts.py <<'PY'
import os, mam
with mam.open(os.environ["MAM_APP"], os.environ["MAM_AUTHORITY"], state_directory=os.environ["MAM_STATE"]) as m:
    print(m.process_identity(), m.current_policy().effective().managed)
PY
    export PYTHONPATH=$here/../../bindings/python/src PYTHONDONTWRITEBYTECODE=1
    [ "$(as_ann python3 acts.py)" = 'ann-id True' ]
    [ "$(mamctl run --identity '' -- python3 acts.py)" = ' False' ]
    [ "$(python3 acts.py)" = 'ann-id True' ] # nobody said: the one account
}

@test "the program gets the session's options, relative paths included" {
    enrolled_with strict
    mkdir elsewhere
    env -u MAM_APP -u MAM_AUTHORITY -u MAM_STATE "$MAMCTL" run --identity "$ann" --app com.example.notes \
        --authority authority.db --state state --settings '{"SplashDuration":2}' -- \
        sh -c 'cd elsewhere && "$0" settings --json && "$0" status --json' "$MAMCTL" >said
    [ "$(jq -r 'select(.key == "SplashDuration").value' said 2>/dev/null)" = 2 ] ||
        [ "$(jq -rs '.. | select(.key? == "SplashDuration").value' said)" = 2 ]
    [ "$(tail -n 1 said | jq -r '.identity, .accounts[0].upn' | sort -u)" = "$ann" ]
}

@test "nothing starts where a required policy is absent" {
    authority_with strict
    required='{"MAMPolicyRequired":true}'
    run --separate-stderr mamctl run --identity "$ann" --settings "$required" -- touch started
    failed_with 3 'policy'
    run --separate-stderr mamctl run --identity "$ann" --settings "$required" -- touch started --json
    failed_with 3 'policy'
    [ ! -e started ]
    mamctl run --identity "$ann" -- touch not-required
    mamctl enroll "$ann" >/dev/null
    mamctl run --identity "$ann" --settings "$required" -- touch started
    [ -e started ] && [ -e not-required ]
    mamctl wipe "$ann" >/dev/null
    run --separate-stderr mamctl run --identity "$ann" --settings "$required" -- touch again
    failed_with 3 'policy'
}

@test "nothing starts where the policy is unknown" {
    enrolled_with strict
    chmod 755 "$MAM_STATE/$MAM_APP"
    run --separate-stderr as_ann touch started
    failed_with 1 .
    run --separate-stderr mamctl run -- touch started
    failed_with 64 'MAM_IDENTITY'
    run --separate-stderr mamctl run --identity "$ann" touch started
    failed_with 64 .
    run --separate-stderr mamctl run --identity "$ann" --
    failed_with 64 'which program'
    [ ! -e started ]
}

@test "an invalid or unknown account name is refused: spaces, control characters, 64 KiB" {
    enrolled_with strict
    for name in ' ann' $'ann\nbob' $'a\tb' "$(head -c 65536 /dev/zero | tr '\0' a)"; do
        run --separate-stderr mamctl run --identity "$name" -- touch started
        failed_with 1 .
        MAM_IDENTITY=$name run --separate-stderr mamctl check print
        failed_with 1 .
    done
    MAM_IDENTITY=$'\xff' run --separate-stderr mamctl check print
    failed_with 64 'UTF-8'
    run --separate-stderr mamctl run --identity eve --unknown-identities error -- touch started
    failed_with 1 .
    [ ! -e started ]
}

@test "the exit status is the program's" {
    enrolled_with strict
    for number in 0 1 3 42 255; do
        run as_ann sh -c "exit $number"
        [ "$status" -eq "$number" ]
    done
    run -127 --separate-stderr as_ann ./nothing-there
    failed_with 127 'nothing-there'
    : >no-program
    run --separate-stderr as_ann ./no-program
    failed_with 126 'no-program'
}

@test "signals reach the program" {
    enrolled_with strict
    run as_ann sh -c 'kill -TERM $$'
    [ "$status" -eq 143 ]
    "$MAMCTL" run --identity "$ann" -- sh -c 'trap "echo caught; exit 7" TERM; touch ready; while :; do sleep 0.1; done' >said 3>&- &
    while [ ! -e ready ]; do sleep 0.05; done
    kill -TERM $!
    wait $! || code=$?
    [ "$code" -eq 7 ]
    [ "$(cat said)" = caught ]
    # Default and ignored signals stay so, and none is blocked.
    as_ann grep -E '^Sig(Blk|Ign)' /proc/self/status >below
    bash -c "exec grep -E '^Sig(Blk|Ign)' /proc/self/status" >beside
    diff beside below
    [ "$(bash -c 'trap "" PIPE; exec "$@"' - "$MAMCTL" run --identity "$ann" -- grep SigIgn /proc/self/status)" != \
        "$(bash -c 'exec "$@"' - "$MAMCTL" run --identity "$ann" -- grep SigIgn /proc/self/status)" ]
}

@test "streams are the program's, and no descriptor of mamctl stays open" {
    enrolled_with strict
    [ "$(echo in | as_ann cat)" = in ]
    as_ann sh -c 'ls -l /proc/self/fd' >open 3>&-
    run ! grep -E 'state|authority' open
    run --separate-stderr as_ann sh -c 'echo x >&2; exit 5'
    [ "$status$stderr" = 5x ]
    as_ann sh -c '[ ! -e /proc/$$/fd/0 ]' <&-
    as_ann sh -c '[ ! -e /proc/$$/fd/1 ]' >&-
}

@test "arguments are passed as bytes" {
    enrolled_with strict
    as_ann printf '%s|' -- --json $'new\nline' '' $'\xff\xfe' ' ' -x >said
    printf '%s|' -- --json $'new\nline' '' $'\xff\xfe' ' ' -x >expected
    cmp said expected
}
