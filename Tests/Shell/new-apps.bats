#!/usr/bin/env bats
# Apps without a state: a misspelt id makes none, and is refused where it can be told from a first run.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

# made: the apps that have a state here.
made() { ls "$MAM_STATE" 2>/dev/null || true; }

@test "a misspelt app has no state afterwards, and every command names what is known" {
    enrolled_with strict
    while read -r words; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl $words --app com.example.ntoes
        failed_with 1 "com.example.ntoes was never run here: .* Did you mean 'com.example.notes'?" || { echo "$words"; return 1; }
        [ -z "$output" ]
        [ "$(made)" = com.example.notes ] || { echo "$words"; return 1; }
    done <<CASES
launch
launch --account $ann
resume
pause
check print --account $ann
check --batch
events
events --timeout 0
events --follow --timeout 0
purge
purge --yes
settings
settings set MultiManagedIdentities true
settings clear MultiManagedIdentities
settings extensions
settings device
diagnose
console
health
health screen locked
log paths
register
policy show --account $ann
config
apps
pin status $ann
rotate-keys $ann
unenroll $ann
wipe $ann
checkin
file info $here/new-apps.bats
CASES
    run --separate-stderr mamctl run --app com.example.ntoes --identity "$ann" -- touch started
    failed_with 1 'never run here'
    [ ! -e started ]
    # One that resembles none is refused, too: people have accounts here.
    run --separate-stderr mamctl launch --app org.elsewhere.editor
    failed_with 1 'Known here: com.example.notes. mamctl enroll makes an app known.*--new-app'
    run --separate-stderr mamctl status --app com.example.ntoes
    [ "$status" -eq 3 ]
    run mamctl status --nagios --app com.example.ntoes
    [ "$status" -eq 3 ]
    [[ $output == "MAM UNKNOWN - com.example.ntoes: com.example.ntoes was never run here"* ]]
    [ "$(made)" = com.example.notes ]
}

@test "a first run is one without accounts: by an option, where the authority names the app, and where nothing is known" {
    authority_with strict
    # Nothing is known here, so that whatever is meant has no account either.
    run --separate-stderr mamctl launch
    [ "$status" -eq 0 ] && [ "$output" = allowed ] && [ -z "$stderr" ]
    run --separate-stderr mamctl check print --account ''
    [ "$status" -eq 0 ] && [ "$output" = allowed ]
    [ "$(mamctl settings --json | jq -r .stateDirectory)" = "$MAM_STATE" ]
    [ -z "$(made)" ]
    mamctl enroll "$ann" >/dev/null
    run --separate-stderr mamctl launch --new-app --app com.example.mail
    [ "$status" -eq 0 ] && [ "$output" = allowed ] && [ -z "$stderr" ]
    run -1 mamctl launch --app com.example.mail
    mamctl authority policy target 'Example: strict' --app com.example.mail >/dev/null
    run --separate-stderr mamctl launch --app com.example.mail
    [ "$status" -eq 0 ] && [ "$output" = allowed ] && [ -z "$stderr" ]
    [ "$(made)" = com.example.notes ]
    # The settings of the app count.
    run --separate-stderr mamctl launch --app com.example.mail --settings '{"MAMPolicyRequired":true}'
    [ "$status" -eq 3 ] && [ "$output" = blocked ]
    # A command that stores something makes the state.
    mamctl health screen unknown --app com.example.mail
    [ "$(made)" = $'com.example.mail\ncom.example.notes' ]
}

@test "an app that only resembles one that the authority names is refused before anybody has enrolled" {
    authority_with strict
    mamctl authority policy target 'Example: strict' --app com.example.mail >/dev/null
    run --separate-stderr mamctl launch --app com.example.mial
    failed_with 1 "Did you mean 'com.example.mail'?"
    [ -z "$(made)" ]
}

@test "enrolling makes any app known, and questions one that resembles a known one" {
    enrolled_with strict
    run --separate-stderr mamctl enroll "$ann" --app com.example.note
    [ "$status" -eq 0 ]
    [[ $stderr == *"note: com.example.note was never run here"*"Did you mean 'com.example.notes'?" ]]
    run --separate-stderr mamctl register desk@contoso.example --app org.elsewhere.editor
    [ "$status" -eq 0 ] && [ -z "$stderr" ]
    [ "$(made)" = $'com.example.note\ncom.example.notes\norg.elsewhere.editor' ]
}

@test "a first launch that enrolls somebody keeps the account" {
    authority_with open
    run mamctl launch --settings '{"MAMPolicyRequired":true,"AutoEnrollOnLaunch":true}' --answer "signIn={\"upn\":\"$ann\"}"
    [ "$status" -eq 0 ]
    [ "$(made)" = com.example.notes ]
    mamctl status | grep "^$ann .* enrolled"
}

@test "a misspelt app of a group is refused, although the group has a state" {
    enrolled_with strict
    group=(--group "$MAM_APP")
    mamctl enroll "$ann" --app com.example.mail "${group[@]}" >/dev/null
    for words in launch "check print --account $ann" events checkin; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl $words --app com.example.mial "${group[@]}"
        failed_with 1 "com.example.mial was never run here in the group com.example.notes: .* Did you mean 'com.example.mail'?"
    done
    run mamctl status --nagios --app com.example.mial "${group[@]}"
    [ "$status" -eq 3 ]
    run -3 mamctl check print --account "$ann" --app com.example.mail "${group[@]}"
    # The logs may be removed at any time.
    rm -r "$MAM_STATE/$MAM_APP"/*.log
    run -3 mamctl check print --account "$ann" --app com.example.mail "${group[@]}"
    run --separate-stderr mamctl health screen unknown --app com.example.locker "${group[@]}"
    failed_with 1 'com.example.locker was never run here in the group com.example.notes.*--new-app'
    mamctl health screen unknown --app com.example.locker "${group[@]}" --new-app
}
