#!/usr/bin/env bats
# mamctl authority: users, groups, registrations, wipes, faults.

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

@test "a change that changes nothing, or says two things, is wrong usage" {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" >/dev/null
    for wrong in "user set $ann" "user set $ann --enabled --no-enabled" "user add eve@contoso.example --no-licensed --licensed" \
        "user set $ann --migrating --no-migrating" set "wipe request $ann --app com.example.notes --app com.example.mail" \
        "user set $ann --display-name A --display-name=B"; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl authority $wrong
        failed_with 64 '' || { echo "$wrong"; return 1; }
    done
    [ "$(mamctl authority wipe list)" = 'no wipes' ]
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
        # Users who lose their last policy are warned about beside it.
        [ "$status" -eq 0 ] && [ "${#lines[@]}" -eq 1 ] && [[ -z $stderr || $stderr == *'without any policy'* ]] ||
            { echo "$*: $output $stderr" >&2; return 1; }
    }
    line create
    line user add "$ann" --account-id ann-id
    [ "$output" = "user $ann (account id ann-id) added" ]
    line user set "$ann" --no-licensed
    [ "$output" = "user $ann (account id ann-id, no licence) changed" ]
    run --separate-stderr mamctl authority user set "$ann" --no-enabled
    [ "$output" = "user $ann (account id ann-id, disabled, no licence) changed" ]
    [[ $stderr == *'appActionIfUnableToAuthenticateUser'*'request a wipe to remove it' ]]
    line user set "$ann" --licensed --enabled
    line group add Sales --id sales-id
    [ "$output" = 'group Sales added (id sales-id)' ]
    line group add-member Sales "$ann"
    [ "$output" = "group Sales: $ann" ]
    line policy import "$policies/strict.json" --group Sales --app com.example.notes
    [[ $output =~ ^policy\ ([^ ]+)\ \(Example:\ strict\)\ reaches\ Sales\ in\ com.example.notes:\ 39\ enforced,\ 0\ not\ applicable\ here,\ 0\ unknown$ ]]
    id=${BASH_REMATCH[1]}
    line policy assign "$id" --all-users
    line policy untarget "$id" --app com.example.notes
    [ "$output" = "policy $id (Example: strict) reaches nobody: it is assigned to all users and targets no app" ]
    # Nothing names the app any more, and nobody is enrolled.
    run --separate-stderr mamctl authority wipe request "$ann" --app com.example.notes
    failed_with 1 'there is no app "com.example.notes"'
    run mamctl authority wipe request "$ann" --app com.example.notes --force
    [ "${lines[0]}" = "wipe of $ann in com.example.notes requested (0 pending)" ]
    line wipe cancel "$(mamctl authority wipe list --json | jq '.wipes[0].id')"
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
    run mamctl authority user add eve@contoso.example --group sales --group Sales --json
    [ "$(value '.groups | join(" ")')" = Sales ]
    run --separate-stderr mamctl authority user add dan@contoso.example --group Sales --group Sale
    failed_with 1 'there is no group "Sale"; did you mean "Sales"?'
    run --separate-stderr mamctl authority user show dan@contoso.example
    failed_with 1 .
    mamctl authority group remove Sales >/dev/null
    mamctl authority group list | grep -x 'no groups'
}

@test "a wipe states for which apps its end cannot be shown" {
    enrolled_with open
    run mamctl authority wipe request "$ann" --json
    [ "$(value .note)" = null ]
    [ "$(mamctl authority wipe list | grep -c note)" -eq 0 ]
    # The file of an administrator whose users only read it.
    chmod 644 "$MAM_AUTHORITY"
    run mamctl authority wipe request "$ann"
    [[ ${lines[0]} =~ ^wipe\ of\  ]]
    [[ ${lines[1]} =~ ^note:\ other\ users\ can\ read.*cannot\ report.*checkin\ --all-apps.*mamctl\ events ]]
    run mamctl authority wipe list --json
    [[ $(value '.wipes[1].note') =~ 'do not count them' ]]
    run mamctl authority wipe list
    [[ ${lines[-1]} =~ ^note:\  ]]
}

@test "a wipe of an app or computer that nobody has met is refused" {
    enrolled_with open
    run --separate-stderr mamctl authority wipe request "$ann" --app com.example.note
    failed_with 1 'there is no app "com.example.note": .*; did you mean "com.example.notes"'
    run --separate-stderr mamctl authority wipe request "$ann" --device-tag 5f1c0d
    failed_with 1 'there is no device "5f1c0d": .*; there is "[0-9a-f]*"$'
    mamctl authority wipe list | grep -x 'no wipes'
    # Asking again for one that is known is no mistake.
    for _ in 1 2; do [ "$(mamctl authority wipe request "$ann" --app com.example.notes | wc -l)" -eq 1 ]; done
    chmod 644 "$MAM_AUTHORITY"
    run --separate-stderr mamctl authority wipe request "$ann" --app com.example.note
    failed_with 1 'there is no app "com.example.note": .*--force'
    mamctl authority wipe request "$ann" --app com.example.note --force
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

@test "unknown devices, groups and names, and data that stays, are noted at once" {
    enrolled_with open
    tag=$(mamctl diagnose --json | jq -r .deviceTag)
    [ "$(mamctl authority device block "$tag")" = "device $tag blocked" ]
    [ "$(mamctl authority device unblock "$tag")" = "device $tag let in again" ]
    [[ $(mamctl authority device unblock "$tag") == *'note: it was not blocked' ]]
    for change in block unblock; do
        run --separate-stderr mamctl authority device "$change" "${tag}0"
        failed_with 1 "there is no device .*; did you mean \"$tag\"?"
    done
    chmod 644 "$MAM_AUTHORITY" # which then does not know them all
    [[ $(mamctl authority device block 5f1c0d) == 'device 5f1c0d blocked; note: apps that only read this authority do not report their devices'* ]]
    chmod 600 "$MAM_AUTHORITY"
    # The tag is of one group of apps; another one enrolls.
    mamctl authority device block "$tag" >/dev/null
    mamctl enroll "$ann" --app com.example.other >/dev/null
    run --separate-stderr mamctl authority user add newguy
    [ "$status" -eq 0 ]
    [[ $stderr == "warning: upn: 'newguy' has no @"* ]]
    printf 'upn\nold\n' >people.csv
    run --separate-stderr mamctl authority user import people.csv
    [ "$status" -eq 0 ]
    [[ $stderr == "warning: people.csv:2: upn: 'old' has no @"* ]]
    jq '. + {assignments: [{target: {"@odata.type": "#microsoft.graph.groupAssignmentTarget", groupId: "7e1f4c02"}}]}' \
        "$policies/open.json" >assigned.json
    run --separate-stderr mamctl authority policy import assigned.json --all-apps --replace
    [ "$status" -eq 0 ]
    [[ $stderr == *'there is no group 7e1f4c02 here'*'group add NAME --id 7e1f4c02'* ]]
    # Removing a user wipes nothing, and says how to.
    run --separate-stderr mamctl authority user remove "$ann"
    failed_with 1 "$ann has 2 enrollments, .*request the wipe, see it done .wipe list says where., then remove the user; force removes the user now"
    mamctl authority user show "$ann" >/dev/null
    run mamctl authority user remove "$ann" --force
    [[ $output == *'2 enrollments of the user may have data that is not wiped'*'account id ann-id'* ]]
    run mamctl authority user remove newguy
    [[ $output != *note* ]]
}

@test "the table of devices counts" {
    enrolled_with open
    mamctl authority wipe request "$ann" >/dev/null
    mamctl check-in >/dev/null
    run mamctl authority device list
    [[ ${lines[1]} =~ ^[0-9a-f]+\ +(no|false)\ +0\ +1$ ]] || { echo "$output"; return 1; }
}
