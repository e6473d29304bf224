#!/usr/bin/env bats
# mamctl login, launch and answer: answers on the command line, and through 'events --follow --control'.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

required='{"MAMPolicyRequired":true,"AutoEnrollOnLaunch":true}'
signed_in="signIn={\"upn\":\"$ann\"}"

# Run 'mamctl events' in the background with a socket at $scratch/mine/control; it prints to seen.
follow() {
    mkdir -m 700 mine
    export MAM_CONTROL=$scratch/mine/control
    "$MAMCTL" events --follow --json --control "$MAM_CONTROL" >seen 2>complaints 3>&- &
    follower=$!
    until_polling "$follower"
}

# Wait until a matching line was printed.
until_seen() {
    for _ in $(seq 1200); do
        grep -q "$1" seen && return
        sleep 0.1
    done
    cat seen complaints >&2
    return 1
}

# Require a token for Ann, and end her enrollment.
enroll_anew_with_token() {
    echo open-sesame >token
    mamctl authority user set "$ann" --token-file token >/dev/null
    id=$(mamctl authority registration list --json | jq -r '.registrations[0].id // .id')
    mamctl authority registration remove "$id" >/dev/null
    run ! mamctl checkin
}

@test "login enrolls the named person, or the one who signs in" {
    authority_with strict
    mamctl login "$ann" | grep 100
    run --separate-stderr mamctl login "$ann"
    failed_with 1 208
    mamctl unenroll "$ann" >/dev/null
    mamctl login --answer "$signed_in" | grep newPoliciesReceived
}

@test "a login without an answer leaves nothing" {
    authority_with strict
    run --separate-stderr mamctl login </dev/null
    failed_with 1 'loginCanceled, 219'
    [ "$(mamctl status --json | jq -c .accounts)" = "[]" ]
}

@test "launch prints its outcome and each finding, and fails if it is blocked" {
    authority_with open
    run --separate-stderr mamctl launch
    [ "$status" -eq 0 ]
    [ "$output" = allowed ]
    [ -z "$stderr" ]
    run --separate-stderr mamctl launch --settings '{"MAMPolicyWarnAbsent":true}'
    [ "$status" -eq 0 ]
    [ "$output" = warned ]
    [[ $stderr == *"No policy"* ]]
    run --separate-stderr mamctl launch --settings "$required" </dev/null
    failed_with 3 'No policy.*219'
    [ "$output" = blocked ]
    run --separate-stderr mamctl launch --settings "$required" --json </dev/null
    [ "$status" -eq 3 ]
    [ "$(value .findings[0].check)" = policyRequired ]
    run mamctl launch --settings "$required" --answer "$signed_in"
    [ "$status" -eq 0 ]
    [ "$output" = allowed ]
}

@test "a missing answer, and one that libmam refuses, are reported" {
    authority_with strict
    run --separate-stderr mamctl login --answer signIn
    failed_with 64 'QUESTION=JSON'
    run --separate-stderr mamctl login --answer 'accessToken="x"'
    failed_with 64 '--token-file'
    run --separate-stderr mamctl enroll ann@contoso.example --sign-in --invite code
    failed_with 64 '--sign-in exclude each other'
    run --separate-stderr mamctl login --answer 'signIn={"upn":'
    failed_with 1 '--answer'
    run --separate-stderr mamctl login --answer 'signIn={"name":"ann"}'
    [ "$status" -eq 1 ]
    [[ $stderr == *219* || $stderr == *name* ]]
}

@test "the question of a wipe is answered on the command line" {
    enrolled_with strict
    mamctl authority wipe request "$ann" >/dev/null
    mamctl checkin --answer 'wipeData={"removed":true}' >/dev/null || true
    mamctl events --json | jq -se 'any(.event == "wipeDidComplete" and .hostRemovedData)' >/dev/null
}

@test "a question of a follower is an event, and 'mamctl answer' answers it" {
    enrolled_with strict
    enroll_anew_with_token
    follow
    until_seen '"question":"accessToken"'
    id=$(jq -r 'select(.question == "accessToken").id' seen | head -n 1)
    run --separate-stderr mamctl answer 4711 '{}'
    failed_with 1 'no question 4711'
    run --separate-stderr mamctl answer "$id" '{"removed":true}'
    failed_with 1 'takes a secret'
    run mamctl answer "$id" --secret-file - <token
    [ "$status" -eq 0 ]
    until_seen '"code":100'
    run --separate-stderr mamctl answer "$id" --secret-file token --json
    [ "$status" -eq 1 ]
    [ "$(jq -r .name <<<"$stderr")" = gone ]
    run ! grep -q open-sesame seen
}

@test "the default of a follower's question can be taken at once" {
    enrolled_with strict
    enroll_anew_with_token
    follow
    until_seen '"question":"accessToken"'
    id=$(jq -r 'select(.question == "accessToken").id' seen | head -n 1)
    mamctl answer "$id" null
    until_seen '"code":203'
}

@test "a follower listens where no other user can connect, and leaves nothing" {
    enrolled_with strict
    follow
    [ "$(stat -c %a "$MAM_CONTROL")" = 700 ]
    run --separate-stderr mamctl events --follow --control "$MAM_CONTROL" --timeout 1
    failed_with 1 'another mamctl'
    kill "$follower"
    wait "$follower"
    [ ! -e "$MAM_CONTROL" ]
    run --separate-stderr mamctl answer 1 null
    failed_with 1 'no program listens'
    mkdir -m 755 open
    run --separate-stderr mamctl events --follow --control "$scratch/open/control" --timeout 1
    failed_with 1 'yours alone'
    run --separate-stderr mamctl events --control "$MAM_CONTROL"
    failed_with 64 '--follow'
    echo >mine/file
    run --separate-stderr mamctl events --follow --control "$scratch/mine/file" --timeout 1
    failed_with 1 'no socket'
}

@test "the socket of a killed follower is replaced" {
    enrolled_with strict
    follow
    kill -KILL "$follower"
    wait "$follower" || true
    [ -S "$MAM_CONTROL" ]
    run mamctl events --follow --control "$MAM_CONTROL" --timeout 1
    [ "$status" -eq 0 ]
}
