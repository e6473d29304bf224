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

@test "a launch blocks, and conditional launch reports the same" {
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

@test "--user-message prints the sentences for the user alone, in the chosen language" {
    local english="The version of this device's operating system does not meet your organisation's requirements."
    local german='Die Version des Betriebssystems dieses Geräts erfüllt die Anforderungen Ihrer Organisation nicht.'
    enrolled_under '{"maximumRequiredOsVersion":"0.1"}'
    for command in launch "launch --account $ann" resume; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr env LC_ALL= LC_MESSAGES=en_US.UTF-8 LANGUAGE= "$MAMCTL" $command --user-message
        [ "$status" -eq 3 ] && [ "$output" = "$english" ] && [ -z "$stderr" ]
        # shellcheck disable=SC2086
        run --separate-stderr env LC_ALL= LC_MESSAGES=de_DE.UTF-8 LANGUAGE= "$MAMCTL" $command --user-message
        [ "$status" -eq 3 ] && [ "$output" = "$german" ] && [ -z "$stderr" ]
        # shellcheck disable=SC2086
        run --separate-stderr env LC_ALL=C LANGUAGE=en "$MAMCTL" $command --user-message --language de_AT:de
        [ "$output" = "$german" ]
    done
    # The administrator's message is unchanged, and what the policy allows has no sentence.
    run --separate-stderr mamctl launch --language de
    failed_with 3 'maximumRequiredOsVersion is 0.1'
    policy '{}'
    mamctl checkin >/dev/null
    run --separate-stderr mamctl launch --user-message
    [ "$status" -eq 0 ] && [ -z "$output$stderr" ]
}

@test "--user-message does not mention terminals where no person can be asked for a PIN" {
    enrolled_under '{"pinRequired":true}'
    run --separate-stderr env LC_ALL= LANG=en_US.UTF-8 LANGUAGE= setsid "$MAMCTL" launch --user-message </dev/null
    [ "$status" -eq 3 ] && [ -z "$stderr" ]
    [[ -n $output && $output != *terminal* && $output != *blocked* ]]
}

@test "a warning is printed once" {
    enrolled_under '{"maximumWarningOsVersion":"0.1"}'
    run --separate-stderr mamctl launch --account "$ann" --user-message --language en
    [ "$status" -eq 0 ] && [ -z "$stderr" ]
    [[ $output == *'operating system'* ]]
    run --separate-stderr mamctl launch
    [ "$status" -eq 0 ] && [ "$output" = warned ]
    [[ $stderr == *maximumWarningOsVersion* ]]
    run --separate-stderr mamctl launch
    [ "$output" = allowed ] && [ -z "$stderr" ]
    [ "$(mamctl launch --account "$ann" --json | jq -c '[.findings[].dismissed]')" = '[true]' ]
}

@test "a finding that wipes takes effect at a launch, not at a conditional launch query" {
    enrolled_under '{"maximumWipeOsVersion":"0.1"}'
    run ! mamctl launch --account "$ann"
    [ "$(mamctl status --json | jq '.accounts | length')" = 1 ]
    run --separate-stderr mamctl launch
    failed_with 3 'its data is removed from this app'
    [ "$(mamctl status --json | jq '[.accounts[] | select(.state == "enrolled")] | length')" = 0 ]
}

@test "credentials are requested, and stay valid over a pause" {
    enrolled_under '{"organizationalCredentialsRequired":true}'
    run --separate-stderr mamctl launch
    failed_with 3 organizationalCredentialsRequired
    [ "$(mamctl launch --answer 'authenticate={"authenticated":true,"method":"credentials"}')" = allowed ]
    mamctl pause
    [ "$(mamctl resume)" = allowed ]
}

@test "the outcome of a launch is printed where no person can be asked for a PIN" {
    enrolled_under '{"pinRequired":true}'
    run --separate-stderr setsid "$MAMCTL" launch </dev/null
    [ "$status" -eq 3 ] && [ "$output" = blocked ]
    [[ $stderr == *"A PIN has to be set"*"no terminal"* ]]
    run --separate-stderr setsid "$MAMCTL" resume --json </dev/null
    [ "$status" -eq 3 ]
    [ "$(jq -r .outcome <<<"$output")" = blocked ]
}
