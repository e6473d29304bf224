#!/usr/bin/env bats
# Mistakes of administrators that once had no word: each is refused or noted, and the right command is not.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

policy='Example: strict'

# noted NOTE WORDS…: a command of the authority that succeeds, with this on standard error.
noted() {
    local note=$1
    shift
    run --separate-stderr mamctl authority "$@"
    if [ "$status" -ne 0 ] || [ "$stderr" != "$note" ]; then
        echo "$*: $status $output $stderr"
        return 1
    fi
}

@test "each action refuses a misspelt name, and proposes the right one" {
    enrolled_with strict
    mamctl authority group add Sales >/dev/null
    echo '{"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration","id":"c","displayName":"Mail settings","customSettings":[]}' >config.json
    mamctl authority config import config.json >/dev/null
    before=$(sha256sum "$MAM_AUTHORITY")
    while IFS='|' read -r meant words; do
        # Every name in the words is misspelt.
        eval "run --separate-stderr mamctl authority $words"
        failed_with 1 "did you mean \"$meant\"\?" || { echo "$words"; return 1; }
    done <<'CASES'
ann@contoso.example|user show anm@contoso.example
ann@contoso.example|user set anm@contoso.example --no-enabled
ann@contoso.example|user remove anm@contoso.example
Sales|group show Slaes
Sales|group remove Slaes
Sales|group add-member Slaes ann@contoso.example
ann@contoso.example|group add-member Sales anm@contoso.example
Sales|group remove-member Slaes ann@contoso.example
ann@contoso.example|group remove-member Sales anm@contoso.example
Example: strict|policy show 'Example: stirct'
Example: strict|policy export 'Example: stirct'
Example: strict|policy remove 'Example: stirct'
Example: strict|policy assign 'Example: stirct' --all-users
Sales|policy assign "$policy" --group Slaes
Example: strict|policy unassign 'Example: stirct' --all-users
Sales|policy unassign "$policy" --group Slaes
Example: strict|policy target 'Example: stirct' --all-apps
Example: strict|policy untarget 'Example: stirct' --all-apps
com.example.notes|policy untarget "$policy" --app com.example.ntoes
Sales|policy import "$policies/open.json" --assign-group Slaes
Mail settings|config show 'Mail setings'
Mail settings|config export 'Mail setings'
Mail settings|config remove 'Mail setings'
Mail settings|config assign 'Mail setings' --all-users
Sales|config assign c --group Slaes
Mail settings|config unassign 'Mail setings' --all-users
Mail settings|config target 'Mail setings' --all-apps
Mail settings|config untarget 'Mail setings' --all-apps
ann@contoso.example|registration list --user anm@contoso.example
com.example.notes|registration list --app com.example.ntoes
com.example.notes|wipe request ann@contoso.example --app com.example.ntoes
CASES
    for words in 'registration remove 12' 'wipe cancel 12' 'device block 12' 'device unblock 12' "wipe request $ann --device-tag 12"; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl authority $words
        failed_with 1 'there is no (registration|wipe|device) "?12' || { echo "$words"; return 1; }
    done
    [ "$(sha256sum "$MAM_AUTHORITY")" = "$before" ]
}

@test "--replace that replaces nothing names the policy that was meant" {
    authority_with strict
    jq '.displayName = "Example: stirct"' "$policies/strict.json" >strict.json
    run --separate-stderr mamctl authority policy import strict.json --replace
    [ "$status" -eq 0 ]
    [[ $stderr == 'warning: policy '*' replaces none, and is added: no policy here has its id, or its name and type; did you mean "Example: strict"? That one stays in force as it was.' ]]
    mamctl authority policy remove 'Example: stirct' >/dev/null
    # Options that add users or apps keep the warning.
    run --separate-stderr mamctl authority policy import strict.json --replace --all-users
    [[ $stderr == *' replaces none, and is added: '* ]]
    mamctl authority policy remove 'Example: stirct' >/dev/null
    jq '."@odata.type" = "#microsoft.graph.iosManagedAppProtection"' "$policies/strict.json" >ios.json
    run --separate-stderr mamctl authority policy import ios.json --replace
    [[ $stderr == *' replaces none, and is added: the policy of this name has another type'* ]]
    # One that replaces, and the first of all, are as they should be.
    noted '' policy import "$policies/strict.json" --replace
    echo '{"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration","displayName":"Mail","customSettings":[]}' >config.json
    noted '' config import config.json --replace
    noted '' config import config.json --replace
    run --separate-stderr mamctl authority config import - --replace < <(jq '.displayName = "Mial"' config.json)
    [[ $stderr == 'warning: configuration '*'did you mean "Mail"?'* ]]
}

@test "groups that a first file makes are shown with their members, and those that resemble each other are questioned" {
    mamctl authority create >/dev/null
    printf 'upn,groups\n' >people.csv
    printf 'user%s@contoso.example,Sales;Team 1\n' {1..12} >>people.csv
    printf 'eve@contoso.example,Slaes;Team 2;HR\nbob@contoso.example,IT\n' >>people.csv
    run --separate-stderr mamctl authority user import people.csv
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = 'groups: 6 added (Sales with 12 members, Team 1 with 12 members, Slaes with 1 member, Team 2 with 1 member, HR with 1 member, IT with 1 member)' ]
    [ "$stderr" = 'warning: the groups Slaes and Sales are both new; is one of them misspelt?' ]
    noted 'mamctl: note: it is new, beside the group "Sales"' group add Sale
    noted '' group add 'Team 3'
}

@test "groups separated by a comma, and empty rows of a spreadsheet" {
    mamctl authority create >/dev/null
    printf '%s\r\n' 'upn,displayName,groups' 'bob@contoso.example,Bob,"Sales, Staff"' ',,' '' ',,' >people.csv
    run --separate-stderr mamctl authority user import people.csv
    [ "$status" -eq 0 ] && [ "${lines[0]}" = 'users: 1 added, 0 changed, 0 unchanged' ]
    [ "$stderr" = "warning: the group 'Sales, Staff' is new; a semicolon separates groups, not a comma" ]
    # A row that has something is none of those.
    printf '%s\n' 'upn,displayName,groups' ',Bob,' >people.csv
    run --separate-stderr mamctl authority user import people.csv
    failed_with 1 'people.csv:2: upn: there is none'
}

@test "a domain that resembles the others is questioned" {
    mamctl authority create >/dev/null
    { echo upn && printf 'user%s@contoso.example\n' {1..9} && echo bob@contso.example && echo eve@fabrikam.example && echo cat@contoso.at; } >people.csv
    noted 'warning: the domain contso.example is new; did you mean contoso.example?' user import people.csv
    noted '' user import people.csv
    noted 'mamctl: note: no other user has a name in the domain "contoso.exmaple"; did you mean "contoso.example"?' user add dan@contoso.exmaple
    noted 'mamctl: note: no other user has a name in the domain "contoso.examlpe"; did you mean "contoso.example"?' user set dan@contoso.exmaple --upn dan@contoso.examlpe
    noted '' user add dan@contoso.de
    noted '' user add dan@contoso.example
    noted 'mamctl: note: no user has a name in the domain "contoos.example"; did you mean "contoso.example"?' set --domain contoos.example
    noted '' set --domain contoso.example
}

@test "a person's name or login is no user, and the user who is meant is named" {
    authority_with strict
    mamctl authority user add bob@contoso.example --display-name 'Bob Miller' >/dev/null
    for name in bob 'bob miller'; do
        run --separate-stderr mamctl authority wipe request "$name"
        failed_with 1 'did you mean "bob@contoso.example"\?'
    done
    # Two of one name are not guessed at.
    mamctl authority user add bob@fabrikam.example --display-name 'Bob Miller' >/dev/null
    run --separate-stderr mamctl authority user show bob
    failed_with 1 'there is no user "bob"$'
    mamctl authority policy untarget "$policy" --all-apps >/dev/null
    mamctl authority policy target "$policy" --app com.example.mail >/dev/null
    for app in Mail COM.EXAMPLE.MAIL; do
        run --separate-stderr mamctl authority policy target "$policy" --app "$app"
        [[ $stderr == *'did you mean "com.example.mail"?' ]]
        mamctl authority policy untarget "$policy" --app "$app" >/dev/null
    done
}

@test "a wipe of an app or a computer where the user is not enrolled says that nothing receives it" {
    enrolled_with strict
    mamctl authority user add bob@contoso.example >/dev/null
    mamctl enroll bob@contoso.example --app com.example.mail >/dev/null
    run mamctl authority wipe request "$ann" --app com.example.mail
    [ "${lines[0]}" = "wipe of $ann in com.example.mail requested (0 pending)" ]
    [ "${lines[1]}" = "note: $ann is not registered there, so that nothing receives this wipe, and an enrollment that follows does not either; registered: \"com.example.notes\"" ]
    tag=$(mamctl authority device list --json | jq -r '.devices[] | select(.accounts[0].accountId != "ann-id").deviceTag')
    run mamctl authority wipe request "$ann" --device-tag "$tag"
    [[ ${lines[1]} == "note: $ann is not registered there, "*'registered: "com.example.notes" on "'* ]]
    [ "$(mamctl authority wipe request "$ann" --app com.example.notes | wc -l)" -eq 1 ]
}

@test "an app that a policy for all apps reaches is wiped without --force, unless it resembles another" {
    authority_with strict
    mamctl authority policy import "$policies/open.json" --app com.example.notes >/dev/null
    chmod 640 "$MAM_AUTHORITY"
    run --separate-stderr mamctl authority wipe request "$ann" --app org.elsewhere.editor
    [ "$status" -eq 0 ]
    [[ ${lines[1]} == 'note: there is no app "org.elsewhere.editor": no policy or configuration names it, '*'; check the name; other users can read this authority'* ]]
    run --separate-stderr mamctl authority wipe request "$ann" --app com.example.ntoes
    failed_with 1 'did you mean "com.example.notes"\?; check the name, or request the wipe all the same with --force'
    mamctl authority wipe request "$ann" --app com.example.ntoes --force >/dev/null
    mamctl authority policy untarget "$policy" --all-apps >/dev/null 2>&1
    run --separate-stderr mamctl authority wipe request "$ann" --app org.elsewhere.editor
    failed_with 1 'check the name, or request the wipe all the same with --force'
}

@test "a list of an app's registrations says why it is empty" {
    authority_with strict
    noted 'mamctl: note: there is no app "org.elsewhere.editor": no policy or configuration names it, and no account enrolled in it; check the name' \
        registration list --app org.elsewhere.editor
    chmod 640 "$MAM_AUTHORITY"
    noted 'mamctl: note: other users can read this authority: their apps do not register here' registration list
    mamctl authority policy untarget "$policy" --all-apps >/dev/null 2>&1
    chmod 600 "$MAM_AUTHORITY"
    run --separate-stderr mamctl authority registration list --app org.elsewhere.editor
    failed_with 1 'there is no app "org.elsewhere.editor"'
}

@test "an assignment or a target without effect is noted" {
    authority_with strict
    for group in Sales Staff; do mamctl authority group add "$group" >/dev/null; done
    noted 'mamctl: note: it reaches all users already, so that "Sales" changes nothing; to reach the group alone take all users away (unassign --all-users)' \
        policy assign "$policy" --group Sales
    noted 'mamctl: note: "Sales" is assigned as well, which has no effect while the group is excluded; unassign takes the assignment back' \
        policy assign "$policy" --group Sales --exclude
    noted '' policy assign "$policy" --group Staff --exclude
    noted 'mamctl: note: "Staff" is excluded, so that this assignment has no effect; unassign with --exclude ("exclude":true) takes the exclusion back' \
        policy assign "$policy" --group Staff
    noted 'mamctl: note: it targets all apps already, so that this app changes nothing' policy target "$policy" --app com.example.notes
    noted '' policy untarget "$policy" --app com.example.notes
    run --separate-stderr mamctl authority policy untarget "$policy" --app com.example.notes
    failed_with 1 'there is no app "com.example.notes"'
}

@test "a state directory that is named and not there is an error; the default one is made by the first program" {
    for command in checkin status; do
        run --separate-stderr mamctl "$command" --all-apps --state "$scratch/satte"
        failed_with 1 'satte: No such file or directory'
        run --separate-stderr mamctl "$command" --all-apps
        failed_with 1 "$MAM_STATE: No such file or directory"
        run --separate-stderr env -u MAM_STATE XDG_STATE_HOME="$scratch/none" "$MAMCTL" "$command" --all-apps
        [ "$status" -eq 0 ]
        [ "$output" = "no app has an account in $scratch/none/libmam" ]
    done
    [ ! -e "$MAM_STATE" ] && [ ! -e satte ]
}

@test "a check-in of a disabled user says so, and whether the data is closed" {
    enrolled_with strict
    mamctl authority user set "$ann" --no-enabled >/dev/null
    for code in 100 101; do
        run mamctl checkin --json
        [ "$status" -eq 0 ] && [ "$(value .code)" -eq "$code" ] && [ "$(value .messageKey)" = statusDisabledUser ]
        [ "$(value .message)" = 'The organisation has disabled the account: its data is closed until a check-in says that the user is enabled. The administrator enables users.' ]
    done
    [ "$(LANGUAGE=de LC_ALL=C.UTF-8 mamctl checkin --json | jq -r .userMessage)" = 'Ihre Organisation hat dieses Konto deaktiviert.' ]
    jq 'del(.appActionIfUnableToAuthenticateUser)' "$policies/strict.json" >open.json
    mamctl authority policy import open.json --replace >/dev/null 2>&1
    [[ $(mamctl checkin) == *'its data stays open, because the policy has no appActionIfUnableToAuthenticateUser.'*'(newPoliciesReceived, 100)' ]]
    jq '.appActionIfUnableToAuthenticateUser = "wipe"' "$policies/strict.json" >wipe.json
    mamctl authority policy import wipe.json --replace >/dev/null
    [[ $(mamctl checkin) == *'its data is closed, and the next launch removes it.'* ]]
    mamctl authority user set "$ann" --enabled >/dev/null
    [[ $(mamctl checkin) == *'is in force. Nothing to do. (newPoliciesReceived, 100)' ]]
}

@test "a forgotten group or a misspelt app is a warning of doctor; a new app is a note" {
    enrolled_with strict
    for words in '--group org.elsewhere' '--app com.example.ntoes'; do
        # shellcheck disable=SC2086 # words
        run mamctl doctor --json $words
        [ "$status" -eq 3 ] && [ "$(value '.findings[] | .check, .severity')" = $'state\nwarning' ] || { echo "$words: $status $output"; return 1; }
    done
    run mamctl doctor --json --app org.elsewhere.editor
    [ "$status" -eq 0 ] && [ "$(value '.notes[] | select(.check == "state").severity')" = note ]
    # So is one in which an enrollment has failed.
    mamctl authority policy untarget "$policy" --all-apps >/dev/null 2>&1
    mamctl authority policy target "$policy" --app com.example.notes >/dev/null
    run --separate-stderr mamctl enroll "$ann" --app com.example.ntoes
    [ "$status" -eq 1 ]
    [[ $stderr == *"'mamctl check', 'launch', 'protect' and their kin take an app without accounts with --new-app. (licensedNotTargeted, 225)" ]]
    run mamctl doctor --json --app com.example.ntoes
    [ "$status" -eq 3 ]
    [[ $(value '.findings[].message') == "no account was ever enrolled in com.example.ntoes here, "* ]]
    mamctl check print --account "$ann" --app com.example.ntoes --new-app
}

@test "the status sees a row that somebody else has changed, in any table, and doctor restores a copy" {
    enrolled_with strict
    mamctl authority group add Sales >/dev/null
    mamctl authority group add-member Sales "$ann" >/dev/null
    cp -p "$MAM_AUTHORITY" good.db
    while IFS='|' read -r table change; do
        sqlite3 "$MAM_AUTHORITY" "PRAGMA foreign_keys = OFF; $change"
        plugin 2 CRITICAL
        [[ $output == *"of table $table is not as the authority signed it"* ]] || { echo "$table: $output"; return 1; }
        run --separate-stderr mamctl authority show
        failed_with 1 "of table $table is not as the authority signed it"
        run mamctl doctor --json
        [ "$status" -eq 1 ]
        command=$(value '.findings[0].command')
        [[ $command == *'or, after looking at all of it: mamctl authority key sign'* ]]
        bash -c "${command//\/PATH\/TO\/THE\/BACKUP.db/good.db}"
        plugin 0 OK
        mamctl authority show >/dev/null
    done <<'CASES'
imports|UPDATE imports SET document = replace(document, 'strict', 'strikt')
policies|UPDATE policies SET document = replace(document, 'strict', 'strikt')
users|UPDATE users SET display_name = 'Eve'
users|DELETE FROM members
user_groups|UPDATE user_groups SET name = 'Slaes'
CASES
}
