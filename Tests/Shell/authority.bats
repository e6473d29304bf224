#!/usr/bin/env bats
# The authority from a shell: users, groups, policies, registrations, wipes, faults.

# What helpers.bash sets, and mamctl reading no file that is written:
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

@test "show reads at a glance, and set changes what it names" {
    mamctl authority create --name Contoso >created
    grep -Eq '^name +Contoso$' created
    grep -Eq '^custody +development$' created
    run mamctl authority set --check-in-interval PT15M --json
    [ "$(value .checkInInterval)" = PT15M ]
    [ "$(value .name)" = Contoso ]
    first=$(mamctl authority set --check-in-interval default --json)
    run mamctl authority show --json
    [ "$output" = "$first" ]
}

@test "an authority that is not there is named, with what to do" {
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
    MAM_AUTHORITY='' run --separate-stderr mamctl authority show
    failed_with 64 'MAM_AUTHORITY'
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

@test "a policy comes out as it went in" {
    mamctl authority create >/dev/null
    id=$(mamctl authority policy import "$policies/strict.json" --json | jq -r '.policies[0].id')
    mamctl authority policy export "$id" >exported.json
    diff <(jq -S . "$policies/strict.json") <(jq -S . exported.json)
    mamctl authority policy import - <exported.json >/dev/null
    mamctl authority policy export "$id" --json | jq -e .document >/dev/null
}

@test "import says whom the policy reaches" {
    mamctl authority create >/dev/null
    mamctl authority group add Sales >/dev/null
    run mamctl authority policy import "$policies/strict.json" --assign-group Sales --app com.example.notes --json
    [ "$status" -eq 0 ]
    [ "$(jq -rs '.[-1] | (.groups + .apps) | join(" ")' <<<"$output")" = 'Sales com.example.notes' ]
    mamctl authority policy list >list
    head -n 1 list | grep -E '^ID +NAME +PLATFORM +ENFORCED +OTHER +USERS +APPS$'
    grep -E ' Sales +com.example.notes$' list
    mamctl authority app list | grep -E '^com.example.notes +1 +0$'
}

@test "import into a group that is not there imports nothing" {
    mamctl authority create >/dev/null
    run --separate-stderr mamctl authority policy import "$policies/strict.json" --assign-group Nobody
    failed_with 1 .
    mamctl authority policy list | grep -x 'no policies'
}

@test "a file that is no JSON is told with its line" {
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

@test "a byte order mark does no harm" {
    mamctl authority create >/dev/null
    { printf '\xef\xbb\xbf' && cat "$policies/open.json"; } >marked.json
    mamctl authority policy import marked.json >/dev/null
}

@test "assign, exclude, target, and take back" {
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

@test "show tells each setting's fate" {
    mamctl authority create >/dev/null
    id=$(mamctl authority policy import "$policies/strict.json" --json | jq -r '.policies[0].id')
    mamctl authority policy show "$id" >shown
    grep -E '^reaches +nobody$' shown
    grep -E '^saveAsBlocked +true +enforced' shown
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
