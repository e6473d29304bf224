#!/usr/bin/env bats
# enroll, status, checkin, unenroll and wipe.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

@test "enroll by UPN, and status shows it" {
    authority_with strict
    run --separate-stderr mamctl enroll "$ann"
    [ "$status" -eq 0 ]
    [[ $output == "$ann: "*100* ]]
    mamctl status >status
    grep -E '^app +com.example.notes$' status
    grep -E "^authority +$MAM_AUTHORITY \(development\)$" status
    grep -E "^$ann +enrolled +yes +just now +in 30 minutes$" status
}

@test "enroll by account id, with the UPN beside it" {
    authority_with strict
    run mamctl enroll ann-id --upn "$ann" --json
    [ "$status" -eq 0 ]
    [ "$(value '[.accountId, .code, .didSucceed] | join(" ")')" = 'ann-id 100 true' ]
}

@test "an option given twice is wrong usage" {
    run --separate-stderr mamctl enroll "$ann" --upn "$ann"
    failed_with 64 '--upn'
    run --separate-stderr mamctl enroll ann-id --account-id ann-id
    failed_with 64 '--account-id'
}

@test "an unknown user is refused with the code and the reason" {
    authority_with strict
    run --separate-stderr mamctl enroll nobody@contoso.example
    failed_with 1 'nobody@contoso\.example: .*[0-9]{3}'
    run --separate-stderr mamctl enroll nobody@contoso.example --json
    [ "$status" -eq 1 ]
    [ "$(value .didSucceed)" = false ]
    # At a file nobody signs in, and no token makes a user known or enabled.
    run --separate-stderr mamctl enroll nobody@contoso.example
    failed_with 1 "administrator's command: mamctl authority user add nobody@contoso.example"
    [[ $stderr != *--token-file* && $stderr != *--sign-in* ]]
    mamctl authority user set "$ann" --no-enabled >/dev/null
    run --separate-stderr mamctl enroll "$ann"
    failed_with 1 "administrator's command: mamctl authority user set $ann --enabled"
    [[ $stderr != *--token-file* && $stderr != *--sign-in* ]]
    mamctl authority user set "$ann" --enabled >/dev/null
    mamctl enroll "$ann" >/dev/null
}

@test "a token comes from a file only" {
    authority_with open
    printf 'open sesame\n' >token
    printf 'wrong' >wrong
    : >empty
    mamctl authority user set "$ann" --token-file token >/dev/null
    run --separate-stderr mamctl enroll "$ann"
    failed_with 1 '--token-file brings a token\. .*203'
    mamctl unenroll "$ann" >/dev/null || true
    run --separate-stderr mamctl enroll "$ann" --token-file wrong
    [ "$status" -eq 1 ]
    mamctl unenroll "$ann" >/dev/null || true
    run --separate-stderr mamctl enroll "$ann" --token-file empty
    failed_with 1 'empty: no token'
    run mamctl enroll "$ann" --token-file token
    [ "$status" -eq 0 ]
    run ! grep -rq sesame "$MAM_STATE" "$MAM_AUTHORITY"
    # A line end of Windows is no part of a token, on either side.
    mamctl unenroll "$ann" --token-file token >/dev/null
    printf 'open sesame\r\n' >crlf
    mamctl enroll "$ann" --token-file crlf >/dev/null
    mamctl authority user set "$ann" --token-file crlf >/dev/null
    mamctl checkin --token-file token
}

@test "check in for one account and for all" {
    enrolled_with strict
    run mamctl checkin "$ann" --json
    [ "$status" -eq 0 ]
    [ "$(value .code)" = 101 ]
    mamctl authority user set "$ann" --display-name Ann >/dev/null
    run mamctl check-in
    [ "$status" -eq 0 ]
}

@test "unenroll without a wipe leaves the data readable" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    run mamctl unenroll "$ann"
    [ "$status" -eq 0 ]
    [[ $output == *104* ]]
    [ "$(mamctl unprotect --strict <plan)" = plan ]
}

@test "unenroll with a wipe destroys the keys" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    mamctl unenroll "$ann" --wipe >/dev/null
    run --separate-stderr mamctl unprotect <plan
    failed_with 1 .
    [ -z "$output" ]
}

@test "wipe destroys the keys and removes the account" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    run mamctl wipe "$ann" --json
    [ "$(value .code)" = 104 ]
    run --separate-stderr mamctl unprotect --json <plan
    [ "$status" -eq 1 ]
    [ "$(jq -r .name <<<"$stderr")" = keyUnavailable ]
    mamctl enroll "$ann" >/dev/null
    [ "$(mamctl wipe "$ann")" = "$ann: wiped: nothing of it can be opened any more" ]
    run --separate-stderr mamctl wipe nobody@contoso.example
    failed_with 1 .
}

@test "the next check-in carries out the administrator's wipe" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    mamctl authority wipe request "$ann" >/dev/null
    run mamctl checkin --json
    [ "$(value .code)" = 102 ]
    run --separate-stderr mamctl unprotect <plan
    failed_with 1 .
    run mamctl authority wipe list --json
    [ "$(value '.wipes[0] | [.pending, .done] | join(" ")')" = '0 1' ]
}

@test "an unenrollment carries out a wipe that the administrator had ordered" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    mamctl authority wipe request "$ann" >/dev/null
    run mamctl unenroll "$ann" --json
    [ "$(value .code)" = 104 ]
    [[ $(value .message) = *'had ordered a wipe'* ]]
    run --separate-stderr mamctl unprotect <plan
    failed_with 1 .
    run mamctl authority wipe list --json
    [ "$(value '.wipes[0] | [.pending, .done] | join(" ")')" = '0 1' ]
    run mamctl events --json
    [ "$(jq -r 'select(.event == "wipeDidComplete").reason' <<<"$output")" = administrator ]
}

@test "a command that only reads carries out no due work" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    mamctl authority registration remove "$(mamctl authority registration list --json | jq -r '.registrations[0].id')" >/dev/null
    run --separate-stderr mamctl checkin
    failed_with 1 '220'
    # Enrolling again is due now. Commands that only show leave it; commands that ask the policy follow the schedule.
    for look in status 'status --json' diagnose settings events 'info plan' "policy show --account $ann"; do
        # shellcheck disable=SC2086 # several words
        mamctl $look >/dev/null || [ $? -eq 3 ]
    done
    mamctl authority registration list | grep -x 'no registrations'
    run --separate-stderr mamctl check print --account "$ann"
    failed_with 3 .
    [ "$(mamctl authority registration list --json | jq '.registrations | length')" -eq 1 ]
}

@test "a token answers for its own account only, and delays no other question" {
    authority_with strict
    printf 'open sesame' >token
    mamctl authority user set "$ann" --token-file token >/dev/null
    mamctl enroll ann-id --upn "$ann" --token-file token >/dev/null
    SECONDS=0
    mamctl unenroll "$ann" --wipe --token-file token >/dev/null
    [ "$SECONDS" -lt 10 ]
}

@test "another user who gets the name of one who has left here has it" {
    for leaving in 'user remove' 'user set --upn ann.b@contoso.example'; do
        rm -rf "$MAM_STATE" "$MAM_AUTHORITY"*
        authority_with no-pin
        mamctl enroll "$ann" >/dev/null
        echo old | mamctl protect --account "$ann" >old
        mamctl unenroll "$ann" >/dev/null
        # shellcheck disable=SC2086 # words
        mamctl authority $leaving "$ann" >/dev/null 2>&1
        mamctl authority user add "$ann" >/dev/null 2>&1
        # Enrolling the former one again does not enroll the other, and says how.
        run --separate-stderr mamctl enroll "$ann"
        [ "$status" -eq 1 ] && [[ $stderr == *"mamctl unenroll $ann, then mamctl login $ann"* ]] || { echo "$stderr"; return 1; }
        mamctl unenroll "$ann" >/dev/null
        mamctl login "$ann" >/dev/null
        echo new | mamctl protect --account "$ann" >new
        [ "$(mamctl unprotect <new)" = new ] && [ "$(mamctl unprotect <old)" = old ]
        mamctl check print --account "$ann" >/dev/null || [ $? -eq 3 ]
        mamctl account "$ann" --json | jq -e .managed
        mamctl unenroll "$ann" >/dev/null
        run mamctl protect --account "$ann" <new
        [ "$status" -ne 0 ]
    done
}
