#!/usr/bin/env bats
# Files that are no authority, given as one.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

policy='Example: strict'

@test "a policy in the place of the authority is named as what it is" {
    enrolled_with strict
    mamctl authority policy export "$policy" >policy.json
    cp policy.json before.json
    export MAM_AUTHORITY=$PWD/policy.json
    while read -r words; do
        # shellcheck disable=SC2086
        run --separate-stderr mamctl $words
        failed_with 64 "policy.json is JSON, but not the settings of a service"
        [[ $stderr == *"give the authority with --authority FILE or MAM_AUTHORITY"* ]]
    done <<'COMMANDS'
authority show
authority user list
authority create
check print --account ann@contoso.example
enroll ann@contoso.example
check-in
COMMANDS
    run mamctl doctor --json
    [ "$status" -eq 1 ]
    [[ $(value '.findings[].message') == *"is JSON, but not the settings of a service"* ]]
    cmp policy.json before.json
}
