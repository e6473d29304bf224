#!/usr/bin/env bats
# mamctl authority policy and config: import, reach, and what comes out again.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

@test "an exported policy equals the imported one" {
    mamctl authority create >/dev/null
    id=$(mamctl authority policy import "$policies/strict.json" --json | jq -r '.policies[0].id')
    mamctl authority policy export "$id" >exported.json
    diff <(jq -S . "$policies/strict.json") <(jq -S . exported.json)
    run --separate-stderr mamctl authority policy import exported.json
    failed_with 1 "here already, with the id \"$id\"; .*--replace"
    mamctl authority policy import - --replace <exported.json >/dev/null
    [ "$(mamctl authority policy list --json | jq '.policies | length')" -eq 1 ]
    mamctl authority policy export "$id" --json | jq -e .document >/dev/null
}

@test "import prints which users the policy reaches" {
    mamctl authority create >/dev/null
    mamctl authority group add Sales >/dev/null
    run mamctl authority policy import "$policies/strict.json" --assign-group Sales --app com.example.notes --json
    [ "$status" -eq 0 ]
    [ "$(jq -r '.policies[0] | (.groups + .apps) | join(" ")' <<<"$output")" = 'Sales com.example.notes' ]
    mamctl authority policy list >list
    head -n 1 list | grep -E '^ID +NAME +PLATFORM +ENFORCED +OTHER +USERS +APPS$'
    grep -E ' Sales +com.example.notes$' list
    mamctl authority app list | grep -E '^com.example.notes +1 +0 +0$'
}

@test "a document of another type than it states is refused, and nothing changes" {
    mamctl authority create >/dev/null
    jq '.["@odata.type"] = "#microsoft.graph.defaultManagedAppProtection"' "$policies/strict.json" | mamctl authority policy import - >/dev/null
    mamctl authority policy list >before
    echo '{"hello":"world","appGroupType":"allApps"}' >hello.json
    run --separate-stderr mamctl authority policy import hello.json --all-users --all-apps
    failed_with 1 '@odata.type.*@odata.context.*--type.*ios, android, windows, linux, default, config'
    echo '{"@odata.type":"#microsoft.graph.iosCompliancePolicy"}' >foreign.json
    run --separate-stderr mamctl authority policy import foreign.json --all-apps
    failed_with 1 iosCompliancePolicy
    run --separate-stderr mamctl authority policy import "$policies/open.json" --type android
    failed_with 1 'that is given with it is android'
    run --separate-stderr mamctl authority policy import hello.json --type mars
    [ "$status" -eq 64 ]
    jq -n '[{"@odata.type":"#microsoft.graph.iosManagedAppProtection"},{"@odata.type":"#microsoft.graph.x"}]' >mixed.json
    run --separate-stderr mamctl authority policy import mixed.json
    failed_with 1 'policy 2 '
    mamctl authority policy list | diff before -
    # A list of one type states it in @odata.context alone.
    jq -n '{"@odata.context":"https://graph.microsoft.com/v1.0/$metadata#deviceAppManagement/iosManagedAppProtections","value":[{id:"i"}]}' |
        mamctl authority policy import - >/dev/null
    [ "$(mamctl authority policy show i --json | jq -r .platform)" = ios ]
}

@test "a mixed export goes into both stores, for the same users and apps" {
    mamctl authority create >/dev/null
    jq -n '{"value":[{"@odata.type":"#microsoft.graph.iosManagedAppProtection",id:"p"},
        {"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration",id:"c",customSettings:[{name:"a",value:"b"}]}]}' |
        mamctl authority policy import - --all-users --all-apps >said
    [ "$(grep -c 'reaches all users in all apps' said)" -eq 2 ]
    [ "$(mamctl authority config show c --json | jq -r .values.a)" = b ]
}

@test "import prints lint's warnings on standard error, but none about apps that the options name" {
    mamctl authority create >/dev/null
    echo '{"id":"a","printBlock":true,"appGroupType":"selectedPublicApps","apps":[]}' >odd.json
    run --separate-stderr mamctl authority policy import odd.json --type ios
    [ "$status" -eq 0 ]
    [[ "$stderr" == *'warning: policy a: printBlock: '*'printBlocked'* ]]
    [[ "$stderr" == *'appGroupType: selects apps'* ]]
    [ "$(wc -l <<<"$output")" -eq 1 ]
    run --separate-stderr mamctl authority policy import odd.json --type ios --all-apps
    [[ "$stderr" == *printBlocked* && "$stderr" != *appGroupType* ]]
    run --separate-stderr mamctl authority policy import odd.json --type ios --json
    [ -z "$stderr" ]
    [ "$(jq '.warnings | length' <<<"$output")" -eq 1 ]
}

@test "import into a missing group imports nothing" {
    mamctl authority create >/dev/null
    run --separate-stderr mamctl authority policy import "$policies/strict.json" --assign-group Nobody
    failed_with 1 .
    mamctl authority policy list | grep -x 'no policies'
}

@test "import for an invalid app id imports and replaces nothing" {
    mamctl authority create >/dev/null
    id=$(mamctl authority policy import "$policies/strict.json" --json | jq -r '.policies[0].id')
    mamctl authority policy export "$id" | jq --arg id "$id" '. + {id: $id, displayName: "New"}' >new.json
    echo '{"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration","customSettings":[]}' >config.json
    before=$(mamctl authority policy show "$id" --json)
    for app in 'bad app' '' .com.example "$(printf 'a%.0s' {1..200})"; do
        run --separate-stderr mamctl authority policy import new.json --app com.example.notes --app "$app"
        failed_with 1 'is no app id'
        run --separate-stderr mamctl authority config import config.json --app "$app" --json
        [ "$status" -eq 1 ]
        [ "$(jq -r .name <<<"$stderr")" = argument ]
    done
    [ "$(mamctl authority policy show "$id" --json)" = "$before" ]
    mamctl authority config list | grep -x 'no configurations'
    mamctl authority policy import new.json --app "$(printf 'a%.0s' {1..128})" >/dev/null
}

@test "a file that is not JSON is refused with the line number" {
    mamctl authority create >/dev/null
    printf '{"displayName": "x",\n "id" "y"}\n' >bad.json
    run --separate-stderr mamctl authority policy import bad.json
    failed_with 1 'bad\.json: line 2'
    printf '\xff\xfe{\0}\0' >wide.json
    run --separate-stderr mamctl authority policy import wide.json
    failed_with 1 'UTF-16'
    run --separate-stderr mamctl authority policy import absent.json
    failed_with 1 'absent\.json: No such file'
}

@test "a byte order mark is skipped" {
    mamctl authority create >/dev/null
    { printf '\xef\xbb\xbf' && cat "$policies/open.json"; } >marked.json
    mamctl authority policy import marked.json >/dev/null
}

@test "assign, exclude, target, and undo each" {
    mamctl authority create >/dev/null
    mamctl authority group add Sales >/dev/null
    mamctl authority group add Guests >/dev/null
    id=$(mamctl authority policy import "$policies/strict.json" --json | jq -r '.policies[0].id')
    mamctl authority policy assign "$id" --group Sales >/dev/null
    mamctl authority policy assign "$id" --group Guests --exclude | grep 'Sales but Guests'
    run mamctl authority policy assign "$id" --all-users --json
    [ "$(value .allUsers)" = true ]
    run mamctl authority policy unassign "$id" --all-users --group Sales --json
    [ "$(value '[.allUsers, .groups == []] | join(" ")')" = 'false true' ]
    run mamctl authority policy target "$id" --app com.example.a --app com.example.b --json
    [ "$(value '.apps | join(" ")')" = 'com.example.a com.example.b' ]
    mamctl authority policy untarget "$id" --app com.example.a | grep -E ' com.example.b$'
    mamctl authority policy remove "$id" >/dev/null
    mamctl authority policy list | grep -x 'no policies'
}

@test "a policy is named by its id or by a unique name" {
    mamctl authority create >/dev/null
    mamctl authority policy import "$policies/open.json" >/dev/null
    id=$(mamctl authority policy import "$policies/strict.json" --json | jq -r '.policies[0].id')
    [ "$(mamctl authority policy show 'example: STRICT' --json | jq -r .id)" = "$id" ]
    mamctl authority policy target 'Example: strict' --all-apps >/dev/null
    jq '.id = "another"' "$policies/strict.json" | mamctl authority policy import - >/dev/null
    run --separate-stderr mamctl authority policy remove 'Example: strict'
    failed_with 1 '2 policies are called .*; name one by its id'
}

@test "show prints the effect of each setting" {
    mamctl authority create >/dev/null
    id=$(mamctl authority policy import "$policies/strict.json" --json | jq -r '.policies[0].id')
    mamctl authority policy show "$id" >shown
    grep -E '^reaches +nobody$' shown
    grep -E '^saveAsBlocked +true +enforced' shown
    run ! grep -E '^(displayName|@odata.type) .*not applicable here' shown
    jq '. + {noSuchProperty: 7, id: "other"}' "$policies/strict.json" | mamctl authority policy import - | grep ', 1 unknown$'
    id=$(mamctl authority policy list --json | jq -r '.policies[-1].id')
    mamctl authority policy show "$id" | grep -E '^noSuchProperty +7 +unknown'
    # 'show' lists every property except metadata, and the counts add up.
    mamctl authority policy show "$id" --json >shown
    diff <(jq -r '.properties[].property' shown | sort) <(mamctl authority policy export "$id" |
        jq -r 'keys[] | select(test("@|^#|^(id|displayName|description)$") | not)' | sort)
    jq -e '.counts as $c | [.properties[].status] | $c.enforced == (map(select(. == "enforced")) | length)
        and $c.notApplicable == (map(select(. == "notApplicable")) | length) and $c.unknown == 1' shown
}

@test "a whole Graph export includes its apps and assignments" {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" >/dev/null
    mamctl authority group add Field --id "$(jq -r '.value[0].assignments[0].target.groupId' "$policies/graph-export.json")" >/dev/null
    mamctl authority group add-member Field "$ann" >/dev/null
    mamctl authority policy import "$policies/graph-export.json" | grep 'reaches Field in com.example.notes, com.example.mail: .* 0 unknown$'
    mamctl enroll "$ann" >/dev/null
    mamctl check print --account "$ann" | grep -x allowed
    run --separate-stderr mamctl check saveTo --account "$ann" --location localDrive
    failed_with 3 '“Contoso: field staff”'
    mamctl authority policy export "$(jq -r '.value[0].id' "$policies/graph-export.json")" >exported.json
    diff <(jq -S . "$policies/graph-export.json") <(jq -S . exported.json)
}

@test "a policy that loses its only group with the group is named" {
    mamctl authority create >/dev/null
    mamctl authority group add Sales >/dev/null
    mamctl authority group add Staff >/dev/null
    id=$(mamctl authority policy import "$policies/strict.json" --assign-group Sales --all-apps --json | jq -r '.policies[0].id')
    mamctl authority policy import "$policies/open.json" --assign-group Sales --assign-group Staff --all-apps >/dev/null
    run --separate-stderr mamctl authority group remove Sales
    [ "${#lines[@]}" -eq 2 ] || { echo "$output"; return 1; }
    [ "${lines[1]}" = "note: policy Example: strict ($id) reaches nobody now" ]
}

@test "an app id that resembles a known one is questioned, and another is not" {
    authority_with strict
    id=$(mamctl authority policy list --json | jq -r '.policies[0].id')
    mamctl authority policy untarget "$id" --all-apps
    mamctl authority policy target "$id" --app com.example.mail
    run --separate-stderr mamctl authority policy target "$id" --app com.example.mial
    [ "$status" -eq 0 ]
    [[ $stderr == "mamctl: note: no policy or configuration names the app"*'did you mean "com.example.mail"?' ]]
    for app in com.example.calendar com.example.mial; do
        run --separate-stderr mamctl authority policy target "$id" --app "$app"
        [ "$status" -eq 0 ] && [ -z "$stderr" ] || { echo "$app: $stderr"; return 1; }
    done
}
