#!/usr/bin/env bats
# Warnings to administrators: changes that leave people without a policy, and names that are probably misspelt.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

# Ann and Bob in Sales, and a policy for all users in all apps.
sales() {
    authority_with strict
    printf 'upn,groups\n%s,Sales\nbob@contoso.example,Sales\n' "$ann" | mamctl authority user import - --update >/dev/null
    policy='Example: strict'
}

@test "an exclusion names the users that it leaves without a policy, and their account is a warning for monitors" {
    sales
    mamctl enroll "$ann" >/dev/null
    run --separate-stderr mamctl authority policy assign "$policy" --group Sales --exclude
    [ "$status" -eq 0 ]
    [[ $stderr == "warning: this change leaves 2 users without any policy: $ann, bob@contoso.example, in com.example.notes and every other app"* ]]
    mamctl checkin >/dev/null
    run mamctl status --nagios
    [ "$status" -eq 1 ]
    [[ $output == "MAM WARNING - com.example.notes: $ann: no policy reaches the user"* ]]
    run mamctl status
    [ "$status" -eq 3 ]
    # Taking the exclusion back as if it were an assignment is refused, and names the option.
    run --separate-stderr mamctl authority policy unassign "$policy" --group Sales
    failed_with 1 '"Sales" is excluded, not assigned.*--exclude'
    run --separate-stderr mamctl authority policy unassign "$policy" --group Sales --exclude
    [ "$status" -eq 0 ] && [ -z "$stderr" ]
    mamctl checkin >/dev/null
    mamctl status --nagios | grep '^MAM OK'
}

@test "the warning comes with every command that takes a last policy away, and is in its JSON" {
    sales
    while IFS='|' read -r prepare change; do
        mamctl authority policy list --json | jq -r '.policies[].id' | while read -r id; do mamctl authority policy remove "$id" >/dev/null 2>&1; done
        mamctl authority group add Sales >/dev/null 2>&1 || true
        mamctl authority group add-member Sales "$ann" bob@contoso.example >/dev/null
        mamctl authority policy import "$policies/strict.json" --all-apps >/dev/null
        # shellcheck disable=SC2086 # words
        mamctl authority policy assign "$policy" $prepare >/dev/null
        cp "$MAM_AUTHORITY" before.db
        cp "$MAM_AUTHORITY.key" before.db.key
        eval "run --separate-stderr mamctl authority $change"
        [ "$status" -eq 0 ] && [[ $stderr == *'2 users without any policy'* ]] || { echo "$change: $status $output $stderr"; return 1; }
        eval "run --separate-stderr mamctl authority $change --authority before.db --json"
        [ -z "$stderr" ] && [ "$(value '.withoutPolicy.userCount')" -eq 2 ] || { echo "$change: $output $stderr"; return 1; }
    done <<'CASES'
--all-users|policy unassign "$policy" --all-users
--all-users|policy untarget "$policy" --all-apps
--all-users|policy remove "$policy"
--all-users|policy assign "$policy" --group Sales --exclude
--group Sales|policy unassign "$policy" --group Sales
--group Sales|group remove Sales
--group Sales|group remove-member Sales "$ann" bob@contoso.example
CASES
}

@test "an import of users into an excluded group warns, too" {
    sales
    mamctl authority group add Guests >/dev/null
    mamctl authority policy assign "$policy" --group Guests --exclude >/dev/null
    printf 'upn,groups\n%s,Guests\n' "$ann" >people.csv
    run --separate-stderr mamctl authority user import people.csv --update --dry-run
    [[ $stderr == *"leaves a user without any policy: $ann, in every app;"* ]]
}

@test "an update that disables a name that is not there says so, and which name is" {
    sales
    printf 'upn,enabled,displayName\nbbo@contoso.example,false,Bob\n%s,true,Ann\n' "$ann" >leavers.csv
    run --separate-stderr mamctl authority user import leavers.csv --update
    [ "$status" -eq 0 ]
    [ "$stderr" = 'warning: bbo@contoso.example was not here, and is added, disabled; did you mean bob@contoso.example?' ]
    grep -x 'added: bbo@contoso.example' <<<"$output"
    grep -x "changed: $ann (displayName of 1)" <<<"$output"
    printf 'upn,enabled\nsomebody@elsewhere.example,false\n' >leavers.csv
    run --separate-stderr mamctl authority user import leavers.csv --update
    [ "$stderr" = 'warning: somebody@elsewhere.example was not here, and is added, disabled; nobody was disabled by this row' ]
    # Without --update everybody in the file is expected to be new.
    printf 'upn,enabled\nbbb@contoso.example,false\n' >leavers.csv
    run --separate-stderr mamctl authority user import leavers.csv
    [ -z "$stderr" ]
}

@test "an app that is probably misspelt is noted wherever a policy or configuration names it" {
    sales
    mamctl enroll "$ann" >/dev/null
    echo '{"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration","id":"c","displayName":"C","customSettings":[]}' >config.json
    noted() {
        run --separate-stderr mamctl authority "$@"
        [ "$status" -eq 0 ] && [[ $stderr == "mamctl: note: no policy or configuration names the app "*'did you mean "com.example.notes"?' ]] ||
            { echo "$*: $status $stderr"; return 1; }
    }
    noted policy import "$policies/open.json" --app com.example.ntoes
    noted config import config.json --app com.example.noets
    noted policy target "$policy" --app com.example.onotes
    noted config target c --app com.example.note
    # One that resembles none may enroll later.
    run --separate-stderr mamctl authority policy target "$policy" --app org.elsewhere.editor
    [ "$status" -eq 0 ] && [[ $stderr == *'targets all apps already'* ]]
}

@test "a list of groups has a line for each, however many members it has" {
    mamctl authority create >/dev/null
    { echo upn,groups && printf 'user%s@contoso.example,Sales\n' {1..50}; } | mamctl authority user import - >/dev/null
    run mamctl authority group list
    [[ ${lines[1]} == *'user1@contoso.example, user2@contoso.example, user3@contoso.example and 47 more' ]]
    mamctl authority user add new@contoso.example >/dev/null
    run mamctl authority group add-member Sales new@contoso.example
    [ "$output" = 'group Sales: user1@contoso.example, user2@contoso.example, user3@contoso.example and 48 more' ]
}

@test "a user of an authority that apps only read is removed after a wipe was requested, or by force" {
    authority_with strict
    chmod 640 "$MAM_AUTHORITY"
    run --separate-stderr mamctl authority user remove "$ann"
    failed_with 1 'may have enrollments.*request the wipe'
    mamctl authority wipe request "$ann" --app com.example.notes --force >/dev/null
    run --separate-stderr mamctl authority user remove "$ann"
    failed_with 1 'may have enrollments'
    mamctl authority wipe request "$ann" >/dev/null
    mamctl authority user remove "$ann" >/dev/null
    # Added again under another id, nothing receives a wipe.
    mamctl authority user add "$ann" --account-id other-id >/dev/null
    run mamctl authority wipe request "$ann"
    [ "$status" -eq 0 ]
    [[ ${lines[1]} == "note: $ann was the UPN of the removed user \"ann-id\" before: "*'remove this user, and add one with that account id'* ]]
}

@test "a wipe that nothing receives says so" {
    authority_with strict
    run mamctl authority wipe request "$ann"
    [[ ${lines[1]} == "note: no app is registered for $ann (ann-id), so that nothing receives this wipe" ]]
    mamctl enroll "$ann" >/dev/null
    [ "$(mamctl authority wipe request "$ann" | wc -l)" -eq 1 ]
    # A user who was removed by force, whose name another account has now.
    mamctl authority user add eve@contoso.example --account-id eve-id >/dev/null
    chmod 640 "$MAM_AUTHORITY"
    mamctl authority user remove eve@contoso.example --force >/dev/null
    mamctl authority user add eve@contoso.example --account-id new-id >/dev/null
    run mamctl authority wipe request eve@contoso.example
    [[ ${lines[1]} == 'note: eve@contoso.example was the UPN of the removed user "eve-id" before: '* ]]
    # Nothing is said of a user who was there before anybody was removed.
    [[ $(mamctl authority wipe request "$ann") != *removed* ]]
}

@test "the name of a removed user is known as such, and no wipe proposes somebody else" {
    authority_with strict
    mamctl authority user add anne@contoso.example --account-id anne-id >/dev/null
    run --separate-stderr mamctl authority wipe request anna@contoso.example
    failed_with 1 'there is no user "anna@contoso.example"$'
    # A command that can be taken back still asks.
    run --separate-stderr mamctl authority user show anna@contoso.example
    failed_with 1 'did you mean "ann'
    mamctl authority wipe request "$ann" >/dev/null
    mamctl authority user remove "$ann" --force >/dev/null
    for name in "$ann" ann-id; do
        for command in 'wipe request' 'user show' 'user remove'; do
            # shellcheck disable=SC2086 # words
            run --separate-stderr mamctl authority $command "$name"
            failed_with 1 'the user was removed, and a wipe .*add a user with the account id "ann-id"'
            [[ $stderr != *anne* ]]
        done
    done
    # A user who has another name since is meant for sure.
    mamctl authority wipe request anne-id >/dev/null
    mamctl authority user set anne-id --upn anne.smith@contoso.example >/dev/null
    run --separate-stderr mamctl authority wipe request anne@contoso.example
    failed_with 1 'it is a former name; did you mean "anne.smith@contoso.example"'
}

@test "each app has its own number of users who lose the last policy there" {
    authority_with strict
    printf 'upn,groups\n' >people.csv
    for n in 1 2 3; do echo "user$n@contoso.example,Sales" >>people.csv; done
    mamctl authority user import people.csv --new-groups --update >/dev/null 2>&1 || mamctl authority user import people.csv --update >/dev/null
    mamctl authority policy import "$policies/open.json" --assign-group Sales --app com.example.notes >/dev/null
    run --separate-stderr mamctl authority policy unassign 'Example: strict' --all-users
    [ "$status" -eq 0 ]
    [[ $stderr == *'leaves 4 users without any policy: '*', in com.example.notes (1 of them) and every other app; '* ]]
}

@test "a group whose removal lifts an exclusion names the policy that reaches its members then" {
    sales
    mamctl authority policy assign "$policy" --group Sales --exclude >/dev/null 2>&1
    mamctl authority policy import "$policies/open.json" --assign-group Sales --all-apps >/dev/null
    run --separate-stderr mamctl authority group remove Sales
    [ "$status" -eq 0 ] && [ -z "$stderr" ]
    [[ ${lines[1]} == "note: policy $policy ("*') excluded its members, and reaches those now whom it is assigned to otherwise' ]]
    [[ ${lines[2]} == 'note: policy Example: open ('*') reaches nobody now' ]]
}

@test "taking back what was not there is noted" {
    sales
    mamctl authority group add Guests >/dev/null
    mamctl enroll "$ann" >/dev/null
    noted() {
        local note=$1
        shift
        run --separate-stderr mamctl authority "$@"
        [ "$status" -eq 0 ] && [ "$stderr" = "mamctl: note: $note" ] || { echo "$*: $status $stderr"; return 1; }
    }
    noted '"Guests" was not assigned to it, and it reaches all users' policy unassign "$policy" --group Guests
    noted '"Guests" was not excluded from it' policy unassign "$policy" --group Guests --exclude
    noted 'it did not target "com.example.notes", and it targets all apps' policy untarget "$policy" --app com.example.notes
    noted "$ann was not in it" group remove-member Guests "$ann"
    mamctl authority policy assign "$policy" --group Guests >/dev/null 2>&1
    mamctl authority policy target "$policy" --app com.example.notes >/dev/null 2>&1
    run --separate-stderr mamctl authority policy unassign "$policy" --all-users
    [[ $stderr != *note:* ]]
    noted 'it was not assigned to all users' policy unassign "$policy" --all-users
    run --separate-stderr mamctl authority policy untarget "$policy" --all-apps
    [ -z "$stderr" ]
    noted 'it did not target all apps' policy untarget "$policy" --all-apps
}

@test "an import of users questions a new group that resembles one, and names new users without a policy" {
    mamctl authority create >/dev/null
    mamctl authority group add Sales >/dev/null
    printf 'upn,groups\nbob@contoso.example,Sales\neve@contoso.example,Slaes\n' >people.csv
    # Before there is a policy, it reaches nobody.
    run --separate-stderr mamctl authority user import people.csv --dry-run
    [ "$stderr" = 'warning: the group Slaes is new; did you mean Sales?' ]
    mamctl authority policy import "$policies/strict.json" --assign-group Sales --all-apps >/dev/null
    run --separate-stderr mamctl authority user import people.csv
    [ "$status" -eq 0 ]
    [ "${stderr_lines[0]}" = 'warning: the group Slaes is new; did you mean Sales?' ]
    [[ ${stderr_lines[1]} == 'warning: no policy reaches a new user: eve@contoso.example; '* ]]
    run --separate-stderr mamctl authority user import people.csv
    [ -z "$stderr" ]
}

@test "an import that drops settings of what it replaces names them" {
    sales
    jq '{"@odata.type", displayName}' "$policies/strict.json" >empty.json
    for reach in '' '--all-apps'; do
        mamctl authority policy import "$policies/strict.json" --replace >/dev/null
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl authority policy import empty.json --replace $reach
        [ "$status" -eq 0 ]
        [[ $stderr == *'states no setting any more: '*' and '*' more'* ]] || { echo "$stderr"; return 1; }
    done
    jq 'del(.printBlocked)' "$policies/strict.json" >less.json
    mamctl authority policy import "$policies/strict.json" --replace >/dev/null
    run --separate-stderr mamctl authority policy import less.json --replace --json
    [ "$(value '.warnings[] | select(.kind == "dropped") | .setting')" = printBlocked ]
    run --separate-stderr mamctl authority policy import less.json --replace
    [ -z "$stderr" ]
}

@test "a wipe of an app or a computer that nobody knows is refused without --force" {
    authority_with strict
    mamctl enroll "$ann" >/dev/null
    for mode in 600 640; do
        chmod "$mode" "$MAM_AUTHORITY"
        run --separate-stderr mamctl authority wipe request "$ann" --app com.example.ntoes
        failed_with 1 'did you mean "com.example.notes"'
        run --separate-stderr mamctl authority wipe request "$ann" --device-tag ABCDEFGH
        failed_with 1 .
        [ "$(mamctl authority wipe list --json | jq '.wipes | length')" -eq 0 ]
    done
    run mamctl authority wipe request "$ann" --app com.example.ntoes --force
    [ "$status" -eq 0 ]
}
