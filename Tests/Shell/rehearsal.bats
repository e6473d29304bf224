#!/usr/bin/env bats
# Policies before anybody is under them.

# shellcheck disable=SC2154 # what bats and helpers.bash set
load helpers

@test "policy lint names what does nothing, and ends with 3 for a warning" {
    echo '{"displayName":"Strict","printBlocked":true,"minimumPinLength":6}' >note.json
    run mamctl policy lint note.json
    [ "$status" -eq 0 ]
    [[ "$output" == *minimumPinLength*"pinRequired is not true"* ]]
    echo '{"displayName":"Odd","printBlocked":"yes"}' >warning.json
    run mamctl policy lint --json warning.json
    [ "$status" -eq 3 ]
    [ "$(jq -r '.policies[0].findings[0].kind' <<<"$output")" = value ]
    echo '{"printBlocked":true}' | mamctl policy lint - | grep -q "nothing is the matter"
}

@test "policy diff tells stricter from looser, and ends with 3 for what gets looser" {
    echo '{"printBlocked":false}' >relaxed.json
    echo '{"printBlocked":true}' >strict.json
    mamctl policy diff relaxed.json strict.json | grep -Eq '^stricter +printBlocked +false +true'
    run mamctl policy diff --json strict.json relaxed.json
    [ "$status" -eq 3 ]
    [ "$(jq -r .verdict <<<"$output")" = looser ]
    mamctl policy diff strict.json strict.json | grep -q "nothing changes"
}
