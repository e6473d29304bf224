#!/usr/bin/env bats
# mamctl launch, pause and resume.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

# An authority with Ann enrolled, and one policy with these properties.
enrolled_under() {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" --account-id ann-id >/dev/null
    policy "$1"
    mamctl enroll "$ann" >/dev/null
}

policy() {
    jq -n --argjson more "$1" '{"@odata.type":"#libmam.linuxManagedAppProtection",id:"one",displayName:"One"} + $more' >one.json
    mamctl authority policy import one.json --all-users --all-apps >/dev/null
}

@test "a launch blocks, and a look tells the same" {
    enrolled_under '{"maximumRequiredOsVersion":"0.1"}'
    run --separate-stderr mamctl launch --account "$ann"
    failed_with 3 'maximumRequiredOsVersion is 0.1'
    run --separate-stderr mamctl launch
    failed_with 3 'maximumRequiredOsVersion is 0.1'
    [ "$(mamctl launch --json 2>/dev/null | jq -r .outcome)" = blocked ]
    policy '{}'
    mamctl checkin >/dev/null
    [ "$(mamctl resume)" = allowed ]
    [ "$(mamctl launch)" = allowed ]
}

@test "a warning is told once" {
    enrolled_under '{"maximumWarningOsVersion":"0.1"}'
    run --separate-stderr mamctl launch
    [ "$status" -eq 0 ] && [ "$output" = warned ]
    [[ $stderr == *maximumWarningOsVersion* ]]
    run --separate-stderr mamctl launch
    [ "$output" = allowed ] && [ -z "$stderr" ]
    [ "$(mamctl launch --account "$ann" --json | jq -c '[.findings[].dismissed]')" = '[true]' ]
}

@test "a finding that wipes wipes at launch, not at a look" {
    enrolled_under '{"maximumWipeOsVersion":"0.1"}'
    run ! mamctl launch --account "$ann"
    [ "$(mamctl status --json | jq '.accounts | length')" = 1 ]
    run --separate-stderr mamctl launch
    failed_with 3 'its data is removed from this app'
    [ "$(mamctl status --json | jq '[.accounts[] | select(.state == "enrolled")] | length')" = 0 ]
}

@test "credentials are asked for, and hold over a pause" {
    enrolled_under '{"organizationalCredentialsRequired":true}'
    run --separate-stderr mamctl launch
    failed_with 3 organizationalCredentialsRequired
    [ "$(mamctl launch --answer 'authenticate={"authenticated":true,"method":"credentials"}')" = allowed ]
    mamctl pause
    [ "$(mamctl resume)" = allowed ]
}

@test "where nobody can be asked for a PIN it is told what the launch came to" {
    enrolled_under '{"pinRequired":true}'
    run --separate-stderr setsid "$MAMCTL" launch </dev/null
    [ "$status" -eq 3 ] && [ "$output" = blocked ]
    [[ $stderr == *"A PIN has to be set"*"no terminal"* ]]
    run --separate-stderr setsid "$MAMCTL" resume --json </dev/null
    [ "$status" -eq 3 ]
    [ "$(jq -r .outcome <<<"$output")" = blocked ]
}
