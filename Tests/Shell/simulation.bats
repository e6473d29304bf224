#!/usr/bin/env bats
# mamctl policy lint, diff, explain and simulate.

# shellcheck disable=SC2154 # set by bats and helpers.bash
load helpers

@test "policy lint names settings without effect, and ends with 3 for a warning" {
    echo '{"displayName":"Strict","printBlocked":true,"minimumPinLength":6}' >note.json
    run mamctl policy lint --type linux note.json
    [ "$status" -eq 0 ]
    [[ "$output" == *minimumPinLength*"pinRequired is not true"* ]]
    echo '{"displayName":"Odd","printBlocked":"yes"}' >warning.json
    run mamctl policy lint --json --type linux warning.json
    [ "$status" -eq 3 ]
    [ "$(jq -r '.policies[0].findings[0].kind' <<<"$output")" = value ]
    echo '{"printBlocked":true}' | mamctl policy lint --type ios - | grep -q "nothing is the matter"
}

@test "policy lint warns of unknown properties, and refuses a document without type" {
    echo '{"printBlock":true,"displayName":"P","#microsoft.graph.assign":{},"apps@odata.context":"x"}' >misspelt.json
    run mamctl policy lint --type ios --json misspelt.json
    [ "$status" -eq 3 ]
    [ "$(jq -r '.policies[0].findings | map(.setting + " " + .severity) | join(",")' <<<"$output")" = 'printBlock warning' ]
    [[ "$output" == *printBlocked* ]]
    for command in 'lint misspelt.json' 'diff misspelt.json misspelt.json'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl policy $command
        failed_with 1 '@odata.type.*@odata.context.*--type'
    done
    echo '{"@odata.type":"#microsoft.graph.iosCompliancePolicy"}' >foreign.json
    run --separate-stderr mamctl policy lint foreign.json
    failed_with 1 iosCompliancePolicy
}

@test "policy simulate replaces as the import does" {
    authority_with strict
    jq 'del(.printBlocked)' "$policies/strict.json" >looser.json
    run --separate-stderr mamctl policy simulate looser.json
    failed_with 1 '--replace'
    run mamctl policy simulate looser.json --replace --only-app com.example.notes
    [ "$status" -eq 3 ]
    [[ "$output" == *'1 change'* ]]
    # No app is known, so that nothing is compared.
    echo '{"id":"new","printBlocked":true}' >new.json
    run mamctl policy simulate new.json --type ios --all-users --all-apps
    [[ $status -eq 3 && $output == *'name one with --only-app'* ]]
    mamctl policy simulate new.json --type ios --all-users --all-apps --only-app com.example.notes
}

@test "policy diff distinguishes stricter from looser, and ends with 3 if a setting gets looser" {
    echo '{"printBlocked":false}' >relaxed.json
    echo '{"printBlocked":true}' >strict.json
    mamctl policy diff --type ios relaxed.json strict.json | grep -Eq '^stricter +printBlocked +false +true'
    run mamctl policy diff --type ios --json strict.json relaxed.json
    [ "$status" -eq 3 ]
    [ "$(jq -r .verdict <<<"$output")" = looser ]
    mamctl policy diff --type ios strict.json strict.json | grep -q "nothing changes"
}

@test "policy explain prints which documents reach a user, and why others do not" {
    authority_with open
    mamctl authority group add Law >/dev/null
    id=$(mamctl authority policy import "$policies/strict.json" --assign-group Law --all-apps --json | jq -rs '.[0].policies[0].id')
    run mamctl policy explain "$ann"
    [ "$status" -eq 0 ]
    [[ "$output" == *"Example: open "*yes*"assigned to all users, targets all apps"* ]]
    [[ "$output" == *"Example: strict "*no*"not assigned to the user, who is not in \"Law\""* ]]
    run ! grep -q '  *$' <<<"$output"
    mamctl authority group add-member Law "$ann" >/dev/null
    mamctl policy explain "$ann" | grep -Eq "^printBlocked +true +Example: strict +false \(Example: open\)$"
    mamctl policy explain --json "$ann" --app any.other | jq -e --arg id "$id" '.policies[1].id == $id and .policies[1].delivered and (.appKnown | not)' >/dev/null
    run --separate-stderr mamctl policy explain eve@else.example
    failed_with 1 "no user"
}

@test "policy explain --user-message prints the sentence for the user alone" {
    authority_with open
    mamctl authority user set "$ann" --no-licensed >/dev/null
    run --separate-stderr mamctl policy explain "$ann" --user-message --language en
    [ "$status" -eq 0 ] && [ -z "$stderr" ]
    [ "$output" = 'Your account does not have the licence that management needs. Contact your administrator.' ]
    run --separate-stderr env LC_ALL= LC_MESSAGES=de_DE LANGUAGE= "$MAMCTL" policy explain "$ann" --user-message
    [ "$output" = 'Ihr Konto hat nicht die Lizenz, die für die Verwaltung nötig ist. Wenden Sie sich an Ihre Administration.' ]
    german=$output
    run --separate-stderr env LC_ALL=C LANGUAGE=en "$MAMCTL" policy explain "$ann" --user-message --language fr:de_AT
    [ "$output" = "$german" ]
    for other in --html --json; do
        run --separate-stderr mamctl policy explain "$ann" --user-message "$other"
        [ "$status" -eq 64 ]
    done
}

@test "policy simulate prints the effects of an import, and changes nothing" {
    authority_with open
    mamctl authority user add bob@contoso.example >/dev/null
    before=$(sha256sum authority.db)
    run mamctl policy simulate "$policies/strict.json" --all-users --app com.example.notes --only-app com.example.notes
    [ "$status" -eq 0 ]
    [[ "$output" == *"(2 users in 1 app): 2 change"* ]]
    [[ "$output" == *"refused now: "*print* ]]
    [[ "$output" == *"required now: pinRequired"* ]]
    [ "$(wc -l <<<"$output")" -lt 24 ]
    [ "$before" = "$(sha256sum authority.db)" ]
}

@test "policy simulate warns of the policies as they are targeted, and of those that are looked at" {
    authority_with open
    jq -n '[{id: "a", appGroupType: "selectedPublicApps", apps: []}, {id: "b", apps: [{mobileAppIdentifier: {packageId: "com.example.other"}}]}
        | . + {"@odata.type": "#microsoft.graph.androidManagedAppProtection", printBlock: true}]' >odd.json
    warnings() { mamctl policy simulate odd.json --json "$@" | jq -r '.warnings[] | "\(.policyId) \(.setting)"'; }
    [ "$(warnings --only-app com.example.notes)" = $'a appGroupType\na printBlock' ]
    [ "$(warnings --app com.example.notes)" = $'a printBlock\nb printBlock' ]
    [ "$(warnings --app com.example.notes --only-app com.example.other)" = 'b printBlock' ]
}

@test "policy simulate refuses a file that the import refuses: a name and type twice without ids" {
    authority_with open
    jq '[del(.id) + {displayName: "Twice"}, del(.id) + {displayName: "twice"}]' "$policies/strict.json" >twice.json
    for command in 'policy simulate' 'authority policy import'; do
        # shellcheck disable=SC2086 # two or three words
        run --separate-stderr mamctl $command twice.json --all-users
        failed_with 1 'give each an id'
    done
}

@test "policy simulate ends with 3 if a setting gets looser, and names a change that fails" {
    authority_with strict
    id=$(mamctl authority policy list --json | jq -r '.policies[0].id')
    echo "[{\"action\":\"policy.remove\",\"policy\":\"$id\"}]" >changes.json
    run mamctl policy simulate --changes changes.json --only-app com.example.notes
    [ "$status" -eq 3 ]
    [[ "$output" == *"1 lose theirs"* ]]
    run mamctl policy simulate --json --changes changes.json --only-app com.example.notes --requests '[{"action":"print"}]'
    [ "$(jq -r '.changes[0].decisions | length' <<<"$output")" -eq 1 ]
    echo '[{"action":"group.add","name":"Law"},{"action":"policy.remove","policy":"none"}]' >changes.json
    run --separate-stderr mamctl policy simulate --changes changes.json
    failed_with 1 'changes\[1\]: policy.remove: .*no policy'
    run --separate-stderr mamctl policy simulate --all-users --changes changes.json
    [ "$status" -eq 64 ]
}

@test "policy properties lists every property" {
    mamctl policy properties printBlocked | grep -Eq "^printBlocked +enforced +false to true +decides print$"
    [ "$(mamctl policy properties --json | jq -r '.properties[] | select(.property == "connectToVpnOnLaunch") | .status')" = notApplicable ]
    run --separate-stderr mamctl policy properties noSuchSetting
    failed_with 1 'no property .*noSuchSetting'
}

@test "policy lint, diff and simulate name the settings that wipe at a launch" {
    cat >wiping.json <<'END'
{"@odata.type":"#libmam.linuxManagedAppProtection","id":"w","displayName":"W","deviceComplianceRequired":true,
 "appActionIfDeviceComplianceRequired":"wipe"}
END
    run mamctl policy lint wiping.json
    [ "$status" -eq 3 ]
    [[ "$output" == *LD_PRELOAD*device.health.ignore* ]]
    jq '.appActionIfDeviceComplianceRequired = "block"' wiping.json >blocking.json
    run mamctl policy diff blocking.json wiping.json
    [[ "${lines[0]}" == "launch: where a signal"*"wipe the account"* ]]
    authority_with open
    state='{"deviceHealth":{"signals":[{"signal":"injectedLibraries","state":"fail","detail":"x.so"}]}}'
    run mamctl policy simulate wiping.json --all-users --all-apps --only-app com.example.notes --launch "$state"
    [[ "$output" == *"launch: $ann in com.example.notes: wiped, before allowed"*"wipe deviceHealth: "*"x.so"* ]]
    [[ "$output" == *"would be asked: wipeData"* ]]
}
