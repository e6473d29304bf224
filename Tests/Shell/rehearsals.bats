#!/usr/bin/env bats
# Changes that are rehearsed, and a policy that was mistyped.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

@test "--dry-run shows what a change would do, in the same words, and writes nothing" {
    authority_with strict
    printf 'upn,groups\n%s,Sales\nbob@contoso.example,Sales\n' "$ann" | mamctl authority user import - --update >/dev/null
    policy='Example: strict'
    sed 's/"P30D"/"30D"/' "$policies/strict.json" >typed.json
    echo '{"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration","id":"red","customSettings":[]}' >config.json
    mamctl authority group add Staff >/dev/null
    mamctl authority policy assign "$policy" --group Sales >/dev/null
    mamctl authority policy unassign "$policy" --all-users >/dev/null
    before=$(sha256sum "$MAM_AUTHORITY")
    while IFS= read -r change; do
        cp "$MAM_AUTHORITY" made.db
        cp "$MAM_AUTHORITY.key" made.db.key
        eval "run --separate-stderr mamctl authority $change --dry-run"
        [ "$status" -eq 0 ] || { echo "$change: $status $output $stderr"; return 1; }
        [ "${lines[-1]}" = 'dry run: nothing was written' ] || { echo "$change: $output"; return 1; }
        rehearsed="$stderr${output%$'\n'*}"
        [ "$before" = "$(sha256sum "$MAM_AUTHORITY")" ]
        eval "run --separate-stderr mamctl authority $change --authority made.db"
        [ "$rehearsed" = "$stderr$output" ] || { echo "$change: $rehearsed, and then $stderr$output"; return 1; }
    done <<'CASES'
policy import typed.json --replace --group Staff --all-users --app com.example.other
policy remove "$policy"
group remove Sales
config import config.json --all-apps
CASES
    run --separate-stderr mamctl authority policy import typed.json --replace --dry-run
    [[ $stderr == *'periodOfflineBeforeWipeIsEnforced is "30D"'* ]]
    run --separate-stderr mamctl authority policy import typed.json --replace --dry-run --json
    [ "$(value '.warnings | length')" -eq 1 ] && [ "$(jq -s length <<<"$output")" -eq 1 ]
    # A wrong name refuses the rehearsal as it refuses the import.
    run --separate-stderr mamctl authority policy import typed.json --replace --group Nobody --dry-run
    failed_with 1 Nobody
}

@test "a period that was mistyped closes an account, which the corrected policy opens again" {
    authority_with strict
    mamctl enroll "$ann" >/dev/null
    sed 's/"P30D"/"30D"/' "$policies/strict.json" >typed.json
    run --separate-stderr mamctl authority policy import typed.json --replace
    [[ $stderr == *'periodOfflineBeforeWipeIsEnforced is "30D"'* ]]
    mamctl checkin >/dev/null
    # The period is a second, so that a check-in after it comes too late.
    checked=$(date +%s)
    until [ "$(date +%s)" -gt "$((checked + 1))" ]; do sleep 0.1; done
    mamctl checkin >/dev/null
    run mamctl status
    [ "$status" -eq 3 ] && [[ $output == *'has to sign in'* ]]
    mamctl authority policy import "$policies/strict.json" --replace >/dev/null
    mamctl checkin >/dev/null
    run mamctl status
    [ "$status" -eq 0 ] && [[ $output != *'has to sign in'* ]]
}

@test "an import names what restricts less than before, and says that files are not encrypted" {
    authority_with strict
    jq '.printBlocked = false | .minimumPinLength = 2 | del(.appDataEncryptionType)' "$policies/strict.json" >laxer.json
    for reach in '--dry-run' ''; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl authority policy import laxer.json --replace $reach
        [ "$status" -eq 0 ]
        [[ $stderr == *'restricts less than before: '*'printBlocked (true, now false)'* ]] || { echo "$stderr"; return 1; }
        [[ $stderr == *'minimumPinLength ('[0-9]*', now 2)'* ]] || { echo "$stderr"; return 1; }
        [[ $output == *'; files are not encrypted'* ]] || { echo "$output"; return 1; }
    done
    run --separate-stderr mamctl authority policy import "$policies/strict.json" --replace
    [ -z "$stderr" ] && [[ $output != *encrypted* ]]
}
