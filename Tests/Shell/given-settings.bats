#!/usr/bin/env bats
# Info.plist settings and test policies: options, variables, status.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

vectors=$BATS_TEST_DIRNAME/../../vectors/plist

source_of() { jq -r --arg key "$1" '.settings[] | select(.key == $key) | "\(.value) \(.source)"'; }

@test "keys of an Info.plist count, and settings beside it override them" {
    mamctl authority create
    cp "$vectors/Info.binary.plist" Info.plist
    mamctl settings --json --info-plist Info.plist >told
    [ "$(source_of MAMPolicyRequired <told)" = "true infoPlist" ]
    [ "$(source_of SplashDuration <told)" = "2.5 infoPlist" ]
    [ "$(jq -r .app.group told)" = group.com.example ]
    mamctl settings --json --info-plist Info.plist --settings '{"MAMPolicyRequired":false}' >told
    [ "$(source_of MAMPolicyRequired <told)" = "false settings" ]
    [ "$(MAM_INFO_PLIST=$PWD/Info.plist mamctl settings --json | source_of MultiIdentity)" = "false infoPlist" ]
    mamctl settings --info-plist Info.plist | grep -E '^AutoEnrollOnLaunch +true +infoPlist +applies$'
}

@test "a program that mamctl runs finds the same session" {
    enrolled_with open
    cp "$vectors/Info.xml.plist" Info.plist
    # shellcheck disable=SC2016
    [ "$(mamctl run --group com.example.notes --info-plist Info.plist --identity "$ann" -- \
        sh -c 'mamctl settings --json' | source_of MAMPolicyRequired)" = "true infoPlist" ]
}

@test "every command reports a test policy" {
    mamctl authority create
    export MAM_SETTINGS='{"DebugSettingsEnabled":true}'
    mamctl status --test-policy "$policies/MAMDebugSettings.plist" >told || [ $? -eq 3 ]
    grep -q '^policy  *ann@contoso.example: Test policy' told
    grep -q 'ann@contoso.example: TEST POLICY: answers come from .*/MAMDebugSettings.plist, not from the organisation' told
    export MAM_TEST_POLICY=$policies/MAMDebugSettings.plist
    [ "$(mamctl status --json | jq -r '.testPolicy.inForce, .accounts[0].test, .problems[0].account')" = "true
true
$ann" ]
    run --separate-stderr mamctl check print --account "$ann"
    failed_with 3 'Test policy'
    unset MAM_TEST_POLICY
    mamctl status --json | jq -e '.testPolicy == null and (.accounts[0].managed | not)'
}

@test "a test policy without DebugSettingsEnabled is refused" {
    mamctl authority create
    run --separate-stderr mamctl status --test-policy "$policies/MAMDebugSettings.plist"
    failed_with 1 DebugSettingsEnabled
}
