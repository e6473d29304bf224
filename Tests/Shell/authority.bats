#!/usr/bin/env bats
# mamctl authority: users, groups, policies, registrations, wipes, faults.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

@test "create makes the file once" {
    run --separate-stderr mamctl authority create --name Contoso --json
    [ "$status" -eq 0 ]
    [ "$(value .name)" = Contoso ]
    [ -f "$MAM_AUTHORITY" ]
    run --separate-stderr mamctl authority create
    failed_with 1 .
}

@test "show prints the settings for people, and set changes the named ones alone" {
    run mamctl authority create --name Contoso
    [ "$output" = "authority $MAM_AUTHORITY made (custody: development)" ]
    mamctl authority show >shown
    grep -Eq '^name +Contoso$' shown
    grep -Eq '^custody +development$' shown
    [ "$(mamctl authority set --name Fabrikam | wc -l)" -eq 1 ]
    mamctl authority set --name Contoso >/dev/null
    run mamctl authority set --check-in-interval PT15M --json
    [ "$(value .checkInInterval)" = PT15M ]
    [ "$(value .name)" = Contoso ]
    first=$(mamctl authority set --check-in-interval default --json)
    run mamctl authority show --json
    [ "$output" = "$first" ]
}

@test "a missing authority is named in the error, with the command that creates it" {
    run --separate-stderr mamctl authority show
    failed_with 1 'authority'
    run --separate-stderr mamctl authority show --json
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [ "$(jq -r .name <<<"$stderr")" = notFound ]
}

@test "a relative path counts from the current directory" {
    mkdir sub && cd sub
    mamctl authority create --authority other.db >/dev/null
    [ -f other.db ]
    # Without any, it is the usual one.
    MAM_AUTHORITY='' run --separate-stderr mamctl authority show
    [[ $output$stderr == */var/lib/mam/authority.db* ]]
}

@test "users are added, changed, listed and removed" {
    mamctl authority create >/dev/null
    mamctl authority user list | grep -x 'no users'
    run mamctl authority user add "$ann" --account-id ann-id --display-name Ann --json
    [ "$(value .accountId)" = ann-id ]
    [ "$(value '[.enabled, .licensed] | all')" = true ]
    run mamctl authority user set "$ann" --no-licensed --upn anna@contoso.example --json
    [ "$(value .licensed)" = false ]
    [ "$(value .enabled)" = true ]
    [ "$(value .displayName)" = Ann ]
    run mamctl authority user show ann-id --json
    [ "$(value .upn)" = anna@contoso.example ]
    mamctl authority user list >list
    head -n 1 list | grep -E '^UPN +ACCOUNT ID +ENABLED +LICENSED +GROUPS$'
    grep -E '^anna@contoso.example +ann-id +yes +no +-$' list
    mamctl authority user remove ann-id >/dev/null
    run --separate-stderr mamctl authority user show ann-id
    failed_with 1 .
}

@test "a command that changes something prints one line about it" {
    line() {
        run --separate-stderr mamctl authority "$@"
        [ "$status" -eq 0 ] && [ "${#lines[@]}" -eq 1 ] && [ -z "$stderr" ] || { echo "$*: $output $stderr" >&2; return 1; }
    }
    line create
    line user add "$ann" --account-id ann-id
    [ "$output" = "user $ann (account id ann-id) added" ]
    line user set "$ann" --no-licensed --no-enabled
    [ "$output" = "user $ann (account id ann-id, disabled, no licence) changed" ]
    line user set "$ann" --licensed --enabled
    line group add Sales --id sales-id
    [ "$output" = 'group Sales added (id sales-id)' ]
    line group add-member Sales "$ann"
    [ "$output" = "group Sales: $ann" ]
    line policy import "$policies/strict.json" --assign-group Sales --app com.example.notes
    [[ $output =~ ^policy\ ([^ ]+)\ \(Example:\ strict\)\ reaches\ Sales\ in\ com.example.notes:\ 39\ enforced,\ 0\ not\ applicable\ here,\ 0\ unknown$ ]]
    id=${BASH_REMATCH[1]}
    line policy assign "$id" --all-users
    line policy untarget "$id" --app com.example.notes
    [ "$output" = "policy $id (Example: strict) reaches all users in no app" ]
    line wipe request "$ann" --app com.example.notes
    [ "$output" = "wipe 1 of $ann in com.example.notes requested (0 pending)" ]
    line wipe cancel 1
    line device block 5f1c0d
    line device unblock 5f1c0d
    line policy remove "$id"
    line group remove-member Sales "$ann"
    [ "$output" = 'group Sales: nobody' ]
    line group remove Sales
    line user remove "$ann"
}

@test "groups have members" {
    authority_with strict
    mamctl authority user add bob@contoso.example >/dev/null
    mamctl authority group add Sales >/dev/null
    run mamctl authority group add-member Sales "$ann" bob@contoso.example --json
    [ "$(value '.members | length')" = 2 ]
    run mamctl authority group remove-member Sales "$ann" --json
    [ "$(value '.members | join(" ")')" = bob@contoso.example ]
    mamctl authority group list | grep -E '^Sales +'
    mamctl authority group remove Sales >/dev/null
    mamctl authority group list | grep -x 'no groups'
}

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
    [ "$(jq -rs '.[-1] | (.groups + .apps) | join(" ")' <<<"$output")" = 'Sales com.example.notes' ]
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

@test "a wipe states for which apps its end cannot be shown" {
    enrolled_with open
    run mamctl authority wipe request "$ann" --json
    [ "$(value .note)" = null ]
    [ "$(mamctl authority wipe list | grep -c note)" -eq 0 ]
    # The file of an administrator whose users only read it.
    chmod 644 "$MAM_AUTHORITY"
    run mamctl authority wipe request "$ann"
    [[ ${lines[0]} =~ ^wipe\ 2\ of\  ]]
    [[ ${lines[1]} =~ ^note:\ other\ users\ can\ read.*cannot\ report.*mamctl\ status ]]
    run mamctl authority wipe list --json
    [[ $(value '.wipes[1].note') =~ 'do not count them' ]]
    run mamctl authority wipe list
    [[ ${lines[-1]} =~ ^note:\  ]]
}

@test "registrations, wipes and devices" {
    enrolled_with open
    run mamctl authority registration list --user "$ann" --json
    registration=$(value '.registrations[0].id')
    tag=$(value '.registrations[0].deviceTag')
    mamctl authority registration list --app com.example.other | grep -x 'no registrations'
    run mamctl authority wipe request "$ann" --app com.example.notes --json
    wipe=$(value .id)
    mamctl authority wipe list | grep -E "^$wipe +$ann +com.example.notes"
    mamctl authority wipe cancel "$wipe" >/dev/null
    run mamctl authority device block "$tag" --json
    [ "$(value .blocked)" = true ]
    run mamctl authority device unblock "$tag" --json
    [ "$(value .blocked)" = false ]
    mamctl authority registration remove "$registration" >/dev/null
    run --separate-stderr mamctl checkin
    failed_with 1 '220'
    # The next check-in, which is due at once, enrolls again.
    mamctl checkin >/dev/null
    mamctl status | grep -E "^$ann +enrolled +yes"
    [ "$(mamctl authority registration list --json | jq '.registrations | length')" -eq 1 ]
}

@test "faults make requests fail until they are used up or cleared" {
    authority_with open
    mamctl authority fault list | grep -x 'no faults'
    mamctl authority fault set network --operation enroll --count 1 | grep -E '^network +enroll +1$'
    run --separate-stderr mamctl enroll "$ann"
    failed_with 1 .
    mamctl authority fault set parsing >/dev/null
    mamctl authority fault clear | grep -x 'no faults'
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
