#!/usr/bin/env bats
# mamctl status for monitors: what the next launch would find, and damage that no request has met.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

@test "a value that nobody understands needs attention, before the launch that it blocks" {
    enrolled_on_any_device '.minimumWipeOsVersion = "twelve" | .saveAsBlocked = "perhaps"'
    run mamctl launch
    [ "$status" -eq 3 ]
    plugin 1 WARNING
    for setting in minimumWipeOsVersion saveAsBlocked; do
        run mamctl status
        [ "$status" -eq 3 ]
        grep "the value of $setting in the policy .* is none that libmam understands" <<<"$output"
        run mamctl doctor
        [ "$status" -eq 3 ]
        grep "the value of $setting" <<<"$output"
    done
    run mamctl status --json
    [ "$(value '[.problems[].kind] | unique | join(" ")')" = 'osVersion setting' ]
    jq '.minimumWipeOsVersion = null | .saveAsBlocked = true' any.json >good.json
    mamctl authority policy import good.json --replace >/dev/null
    mamctl checkin >/dev/null
    plugin 0 OK
}

@test "a sign-in that only a launch asks for needs attention" {
    enrolled_on_any_device '.pinRequired = false'
    plugin 0 OK
    # Away for longer than the wipe period; the check-in is good, and the person has to sign in.
    export CLOCK_BOOT_MOVED=$((100 * 86400))
    as_of $((100 * 86400)) mamctl checkin >/dev/null
    run as_of $((100 * 86400)) mamctl status --nagios
    [ "$status" -eq 1 ]
    [[ $output == *'has to sign in, where periodOfflineBeforeWipeIsEnforced'* ]]
    run as_of $((100 * 86400)) mamctl doctor
    [ "$status" -eq 3 ]
    grep 'run: mamctl launch' <<<"$output"
    run as_of $((100 * 86400)) mamctl launch --answer 'authenticate={"authenticated":true,"method":"credentials"}'
    [ "$status" -eq 0 ]
    run as_of $((100 * 86400)) mamctl status --nagios
    [ "$status" -eq 0 ]
}

@test "damage anywhere in the authority is critical, although check-ins still succeed" {
    enrolled_with open
    { echo upn,groups && printf 'user%s@contoso.example,Sales\n' {1..200}; } | mamctl authority user import - >/dev/null
    plugin 0 OK
    cp "$MAM_AUTHORITY" good.db
    # A table that no check-in here reads.
    page=$(sqlite3 good.db "SELECT rootpage FROM sqlite_schema WHERE name = 'wipes_done'")
    dd if=/dev/urandom of="$MAM_AUTHORITY" bs=4096 seek=$((page - 1)) count=1 conv=notrunc status=none
    mamctl checkin >/dev/null
    plugin 2 CRITICAL
    [[ $output == *"$MAM_AUTHORITY: is damaged"* ]]
    run mamctl doctor
    [ "$status" -eq 1 ]
    grep 'is damaged' <<<"$output"
    run --separate-stderr mamctl authority show
    failed_with 1 'is damaged'
    # Of an app that was never run here, too.
    run mamctl status --nagios --app com.example.mail
    [ "$status" -eq 2 ]
    cp good.db "$MAM_AUTHORITY"
    plugin 0 OK
}
