#!/usr/bin/env bats
# mamctl checkin: every app for timers, and the wipes that it carries out.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers

@test "check-in --all-apps checks in every app of every group" {
    authority_with strict
    mamctl authority app list >/dev/null
    unset MAM_APP
    mamctl enroll "$ann" --app com.example.alone >/dev/null
    mamctl enroll "$ann" --app com.example.mail --group com.example.suite >/dev/null
    mamctl enroll "$ann" --app com.example.notes --group com.example.suite >/dev/null
    run --separate-stderr mamctl status --all-apps
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = 'com.example.alone: 1 of 1 accounts managed' ]
    [ "$(cut -d: -f1 <<<"$output" | paste -sd' ')" = 'com.example.alone com.example.mail com.example.notes' ]
    [ "$(mamctl status --all-apps --json | jq -r .app.id | paste -sd' ')" = 'com.example.alone com.example.mail com.example.notes' ]
    last() { mamctl status --json --app "$1" ${2:+--group "$2"} | jq -r '.accounts[0].lastCheckIn'; }
    before="$(last com.example.alone) $(last com.example.mail com.example.suite) $(last com.example.notes com.example.suite)"
    sleep 0.1
    run --separate-stderr mamctl check-in --all-apps
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(cut -d: -f1 <<<"$output" | sort | paste -sd' ')" = 'com.example.alone com.example.mail com.example.notes' ]
    after="$(last com.example.alone) $(last com.example.mail com.example.suite) $(last com.example.notes com.example.suite)"
    for place in 1 2 3; do
        [[ $(cut -d' ' -f$place <<<"$after") > $(cut -d' ' -f$place <<<"$before") ]]
    done
    run mamctl check-in --all-apps --json
    [ "$(jq -r .app <<<"$output" | sort | paste -sd' ')" = 'com.example.alone com.example.mail com.example.notes' ]
}

@test "one app that fails does not keep the others from checking in" {
    authority_with strict
    unset MAM_APP
    mamctl enroll "$ann" --app com.example.a >/dev/null
    mamctl enroll "$ann" --app com.example.b >/dev/null
    chmod 755 "$MAM_STATE/com.example.a"
    run --separate-stderr mamctl check-in --all-apps
    failed_with 1 'com.example.a: '
    [[ $output == com.example.b:* ]]
    chmod 700 "$MAM_STATE/com.example.a"
    mamctl authority fault set network >/dev/null
    run --separate-stderr mamctl check-in --all-apps
    [ "$status" -eq 1 ]
    [ "$(grep -c '^mamctl: com.example.[ab]: ' <<<"$stderr")" -eq 2 ]
}

@test "a wipe that was due when the state was opened is reported, and is no failure" {
    authority_with strict
    wiped="$ann: wiped: nothing of it can be opened any more (unenrollmentSuccess, 104)"
    again() { mamctl enroll "$ann" >/dev/null && mamctl authority wipe request "$ann" >/dev/null; }
    for command in 'checkin' "checkin $ann"; do
        again
        # shellcheck disable=SC2086 # words
        run --separate-stderr as_of 3600 mamctl $command
        [ "$status" -eq 0 ] || { echo "$command: $output $stderr"; return 1; }
        [ -z "$stderr" ]
        [ "$output" = "$wiped" ] || { echo "$command: $output"; return 1; }
    done
    again
    run --separate-stderr as_of 3600 mamctl checkin --json
    [ "$status" -eq 0 ]
    [ "$(value '"\(.accountId) \(.upn) \(.code) \(.didSucceed)"')" = "ann-id $ann 104 true" ]
    again
    run --separate-stderr as_of 3600 mamctl checkin --all-apps
    [ "$status" -eq 0 ]
    [ "$output" = "$MAM_APP: $wiped" ]
    again
    run --separate-stderr as_of 3600 mamctl checkin --all-apps --json
    [ "$(value '"\(.app) \(.code)"')" = "$MAM_APP 104" ]
    # One that the check-in itself brings is reported once.
    again
    run --separate-stderr mamctl checkin
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "$ann: The administrator has asked for a wipe"* ]]
    # One that a killed program began.
    mamctl enroll "$ann" >/dev/null
    share=$(find "$MAM_STATE/$MAM_APP/shares" -type f)
    { printf 'MAMWIPED\1' && head -c 23 /dev/zero; } >tombstone
    cat tombstone >"$share"
    run --separate-stderr mamctl checkin
    [ "$status" -eq 0 ] || { echo "$output $stderr"; return 1; }
    [[ $output == *'wiped: nothing of it can be opened any more (unenrollmentSuccess, 104)' ]]
    # Of two accounts one is wiped, and the other checks in.
    many='{"MultiManagedIdentities":true}'
    mamctl authority user add bob@contoso.example >/dev/null
    mamctl enroll bob@contoso.example --settings "$many" >/dev/null
    mamctl enroll "$ann" --settings "$many" >/dev/null
    mamctl authority wipe request "$ann" >/dev/null
    run --separate-stderr as_of 3600 mamctl checkin --settings "$many"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "$wiped" ]
    [[ ${lines[1]} == bob@contoso.example:*' (policiesHaveNotChanged, 101)' ]]
    # Nobody is enrolled: that fails as before.
    mamctl wipe bob@contoso.example >/dev/null
    run --separate-stderr mamctl checkin
    failed_with 1 'No account is enrolled'
}

@test "--all-apps names a state directory that it cannot use, and fails" {
    authority_with strict
    for app in com.example.mail com.example.notes; do mamctl enroll "$ann" --app "$app" >/dev/null; done
    unset MAM_APP
    said() { # PATTERN
        for command in check-in status; do
            run --separate-stderr mamctl "$command" --all-apps
            [ "$status" -eq 1 ] && grep -q "^com.example.mail: " <<<"$output" || { echo "$command: $status $output"; return 1; }
            [[ $stderr == "mamctl: com.example.notes: $MAM_STATE/com.example.notes: "*$1*'mamctl doctor --app com.example.notes'* ]] ||
                { echo "$command: $stderr"; return 1; }
            run --separate-stderr mamctl "$command" --all-apps --json
            [ "$status" -eq 1 ] && [[ $(jq -r .message <<<"$stderr") == *$1* ]]
        done
    }
    mv "$MAM_STATE/com.example.notes/state.db" kept.db
    said 'state.db is gone'
    mv kept.db "$MAM_STATE/com.example.notes/state.db"
    if [ "$UID" -eq 0 ]; then
        chown 65534 "$MAM_STATE/com.example.notes"
        said 'belongs to user 65534'
    else
        chmod 000 "$MAM_STATE/com.example.notes"
        said 'may not look into it'
        chmod 700 "$MAM_STATE/com.example.notes"
    fi
}

@test "--all-apps without a state says so, and excludes --app" {
    unset MAM_APP MAM_STATE
    export XDG_STATE_HOME=$scratch/none
    for command in check-in status; do
        run --separate-stderr mamctl "$command" --all-apps
        [ "$status" -eq 0 ]
        [ "$output$stderr" = "no app has an account in $XDG_STATE_HOME/libmam" ]
        [ -z "$(mamctl "$command" --all-apps --json)" ]
    done
    [ ! -e "$XDG_STATE_HOME" ]
    run --separate-stderr mamctl check-in --all-apps "$ann"
    failed_with 64 'all-apps'
    run --separate-stderr mamctl check-in --all-apps --app com.example.a
    failed_with 64 'all-apps'
}
