#!/usr/bin/env bats
# mamctl authority user import: CSV files, good and hostile.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016
load helpers

users() { mamctl authority user list --json | jq -c '[.users[] | {upn, displayName, enabled, groups}]'; }

@test "users and groups come from a file, once" {
    mamctl authority create >/dev/null
    cat >people.csv <<'CSV'
upn,accountId,displayName,enabled,licensed,groups
ann@contoso.example,ann-id,"Ann, ""the first""",TRUE,,Sales; Staff
ben@contoso.example,,,false,true,Staff
CSV
    run --separate-stderr mamctl authority user import people.csv
    [ "$status" -eq 0 ]
    [ "$output" = $'users: 2 added, 0 changed, 0 unchanged\ngroups: 2 added (Sales with 1 member, Staff with 2 members)' ]
    [ -z "$stderr" ]
    [ "$(users)" = '[{"upn":"ann@contoso.example","displayName":"Ann, \"the first\"","enabled":true,"groups":["Sales","Staff"]},{"upn":"ben@contoso.example","displayName":null,"enabled":false,"groups":["Staff"]}]' ]
    [ "$(mamctl authority user show ann-id --json | jq -r .upn)" = "$ann" ]
    run --separate-stderr mamctl authority user import - --json <people.csv
    [ "$output" = '{"added":0,"changed":0,"unchanged":2,"addedUsers":[],"changedUsers":[],"changes":{},"addedDisabled":[],"notes":[],"nearDomains":[],"unreached":null,"groups":[],"members":{},"nearGroups":[],"similarGroups":[],"absent":null,"keptGroups":null}' ]
    before=$(users)
    sed -i 's/^ben.*/ben@contoso.example,,Ben,true,true,Guests/' people.csv
    run --separate-stderr mamctl authority user import people.csv
    failed_with 1 'people.csv:3: displayName: .*--update'
    [ "$(users)" = "$before" ]
    run mamctl authority user import people.csv --update
    [ "$output" = $'users: 0 added, 1 changed, 1 unchanged\ngroups: 1 added (Guests with 1 member)\nchanged: ben@contoso.example (displayName of 1, enabled of 1, groups of 1)\nkept in groups that the file does not name: ben@contoso.example (Staff)' ]
    [ "$(users | jq -c '.[1]')" = '{"upn":"ben@contoso.example","displayName":"Ben","enabled":true,"groups":["Staff","Guests"]}' ]
}

@test "a dry run names who would be added and changed, and writes nothing" {
    mamctl authority create >/dev/null
    printf 'upn,accountId\nann@contoso.example,ann-id\nben@contoso.example,\n' >people.csv
    mamctl authority user import people.csv >/dev/null
    mamctl authority user remove ben@contoso.example >/dev/null
    { printf 'upn,displayName,groups\nann@contoso.example,Ann,Finnance\nben@contoso.example,,\n' &&
        printf 'person%s@contoso.example,,\n' {1..30}; } >people.csv
    before=$(sha256sum "$MAM_AUTHORITY")
    run --separate-stderr mamctl authority user import people.csv --update --dry-run
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = 'users: 31 added, 1 changed, 0 unchanged' ]
    [ "${lines[1]}" = 'groups: 1 added (Finnance with 1 member)' ]
    [[ ${lines[2]} == 'added: ben@contoso.example, person1@contoso.example, '*' person19@contoso.example and 11 more' ]]
    [ "${lines[3]}" = 'changed: ann@contoso.example (displayName of 1, groups of 1)' ]
    [ "${lines[4]}" = 'dry run: nothing was written' ]
    [ "$(sha256sum "$MAM_AUTHORITY")" = "$before" ]
    # It refuses as the import would.
    run --separate-stderr mamctl authority user import people.csv --dry-run
    failed_with 1 'people.csv:2: displayName: .* to change what is here give --update$'
    run --separate-stderr mamctl authority user import people.csv --update
    [ "${lines[0]}" = 'users: 31 added, 1 changed, 0 unchanged' ]
    [ "$(users | jq length)" -eq 32 ]
}

@test "all wrong lines are named at once, at most 20" {
    mamctl authority create >/dev/null
    before=$(mamctl authority show --json)
    cat >bad.csv <<'CSV'
upn,enabled
a@x,yes
b@x
c@x,true
c@x,true
d@x,
,true
CSV
    run --separate-stderr mamctl authority user import bad.csv
    [ "$status" -eq 1 ]
    [ "$(cut -d: -f2-4 <<<"$stderr")" = $' bad.csv:2: enabled\n bad.csv:3: the row has 1 values, the header 2\n bad.csv:5: upn\n bad.csv:7: upn' ] ||
        { echo "$stderr"; return 1; }
    [ "$(mamctl authority show --json)" = "$before" ]
    run --separate-stderr mamctl authority user import bad.csv --json
    [ "$(jq -rs 'map(.status) | "\(length) \(unique)"' <<<"$stderr")" = '4 [1]' ]
    { echo upn,enabled && printf 'p%s@x,no\n' {1..50}; } >bad.csv
    run --separate-stderr mamctl authority user import bad.csv
    [ "$(wc -l <<<"$stderr")" -eq 20 ]
    [[ ${stderr##*$'\n'} == *'there may be more' ]]
}

@test "the error of a full disk names no line" {
    unshare --map-root-user --mount mount -t tmpfs none /mnt 2>/dev/null || skip "no mount namespaces here"
    mamctl authority create >/dev/null
    { echo upn && printf 'person%s@contoso.example\n' {1..3000}; } >people.csv
    mkdir small
    run --separate-stderr unshare --map-root-user --mount bash -c 'mount -t tmpfs -o size=400k none small &&
        cp -p "$MAM_AUTHORITY" "$MAM_AUTHORITY.key" small && "$0" authority user import people.csv --authority small/authority.db' "$MAMCTL"
    failed_with 1 'no space is left'
    [[ $stderr != *people.csv* ]]
}

@test "an imported user enrolls and gets the policy of the group" {
    mamctl authority create >/dev/null
    printf 'upn,groups\n%s,Sales\n' "$ann" | mamctl authority user import - >/dev/null
    mamctl authority policy import "$policies/strict.json" --assign-group Sales --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null
    run --separate-stderr mamctl check print --account "$ann"
    failed_with 3 .
}

@test "line ends, a byte order mark, empty lines and quoted values are read" {
    mamctl authority create >/dev/null
    printf '\xef\xbb\xbfupn,displayName\r\n"a@x.example","A"\r\n\r\nb@x.example,B' | mamctl authority user import - >/dev/null
    printf '"upn"\n"c@x.example"\n\n' | mamctl authority user import - >/dev/null
    printf 'upn,groups\nzoë@x.example,"Vertrieb;Ärzte"\n' | mamctl authority user import - >/dev/null
    [ "$(users | jq -r '.[].upn' | paste -sd' ')" = 'a@x.example b@x.example c@x.example zoë@x.example' ]
    [ "$(users | jq -c '[.[].displayName]')" = '["A","B",null,null]' ]
    [ "$(users | jq -r '.[3].groups[1]')" = Ärzte ]
    [ "$(printf 'upn\n' | mamctl authority user import - --json | jq .added)" -eq 0 ]
}

# The content, with printf's escapes, and the line and the words of the error.
@test "an invalid file is refused with line and column, and nothing changes" {
    mamctl authority create >/dev/null
    before=$(mamctl authority show --json)
    while IFS='|' read -r content what; do
        # shellcheck disable=SC2059 # the content is a format
        printf "$content" >bad.csv
        run --separate-stderr mamctl authority user import bad.csv
        failed_with 1 "bad.csv:$what" || { echo "for: $content"; return 1; }
        [ "$(mamctl authority show --json)" = "$before" ]
    done <<'CASES'
|1: there is no header
displayName\nA\n|1: there is no column upn
upn,colour\na,b\n|1: unknown column 'colour'. Leave it out. The columns are upn, accountId, .*groups$
upn,display_name\na,b\n|1: unknown column 'display_name'. Did you mean 'displayName'
userPrincipalName,displayName\na,b\n|1: unknown column 'userPrincipalName'. Did you mean 'upn'
upn,mail\na,b\n|1: unknown column 'mail'. Leave it out
id,userPrincipalName,colour,accountEnabled\na,b,c,d\n|1: unknown columns 'id' .perhaps 'accountId'., 'userPrincipalName' .perhaps 'upn'., 'colour', 'accountEnabled' .perhaps 'enabled'.: rename
upn,\na,b\n|1: unknown column without a name
upn;displayName\na;b\n|1: the columns are separated by semicolons; save the file with commas
upn\tgroups\na\tb\n|1: the columns are separated by tabs
UPN\na\n|1: unknown column 'UPN'. Did you mean 'upn'
upn,upn\na,b\n|1: upn: the column is given twice
upn,displayName\na@x\n|2: the row has 1 values, the header 2
upn\na@x,b\n|2: the row has 2 values, the header 1
upn,displayName\n,Ann\n|2: upn: there is none
upn,displayName\na@x,"Ann\n\n|2: displayName: the quotation mark is never closed
upn,displayName\na@x,An"n\n|2: displayName: a quotation mark inside a value
upn,displayName\na@x,"An" n\n|2: displayName: text behind the closing
upn\na@x\rb@x\n|2: upn: a carriage return without a line feed
upn\ngood@x\na\000b@x\n|3: upn: a NUL character
upn\na\xff@x\n|2: upn: not UTF-8
upn,enabled\na@x,maybe\n|2: enabled: 'maybe' is neither true nor false
upn\nfirst@x\nA@x\n\na@X\n|5: upn: "a@X" is the user of an earlier row
upn,displayName\na@x,"two\nlines"\nb@x,\n|2: displayName: holds a control character
upn,groups\na@x,Sales; \n|2: groups.*is empty
\xff\xfeu|1: the file is UTF-16
CASES
    printf 'upn\n%0257d\n' 0 >bad.csv
    run --separate-stderr mamctl authority user import bad.csv
    failed_with 1 'bad.csv:2: upn: is 257 bytes long'
    { printf 'upn,displayName\n'; printf 'x@x,'; head -c 17000000 /dev/zero | tr '\0' x; } >bad.csv
    run --separate-stderr mamctl authority user import bad.csv
    failed_with 1 'bad.csv is longer than 16 MiB'
    { echo upn && seq -f '%.0f@x' 100001; } >bad.csv
    run --separate-stderr mamctl authority user import bad.csv
    failed_with 1 '100001 elements; at most 100000'
    run --separate-stderr mamctl authority user import none.csv --json
    [ "$(jq -r .name <<<"$stderr")" = notFound ]
    printf 'upn,displayName\na@x,"' | { run --separate-stderr mamctl authority user import - --json; [ "$(jq -r .message <<<"$stderr")" = 'standard input:2: displayName: the quotation mark is never closed' ]; }
    [ "$(mamctl authority show --json)" = "$before" ]
}

@test "a new user with the display name of a missing one is questioned" {
    mamctl authority create >/dev/null
    printf 'upn,displayName\nann@contoso.example,Ann Archer\nben@contoso.example,Ben\n' >people.csv
    mamctl authority user import people.csv >/dev/null
    # Ann has another UPN now, and Ben a namesake.
    printf 'upn,displayName\nann.baker@contoso.example,Ann Archer\nben@contoso.example,Ben\nben2@contoso.example,Ben\n' >people.csv
    run --separate-stderr mamctl authority user import people.csv --update --dry-run
    [ "$status" -eq 0 ]
    [[ $stderr == *'ann.baker@contoso.example is new, and has the display name of ann@contoso.example, who is not in the list'* ]]
    [[ $stderr != *ben2* ]]
    [[ $output == *$'\nnot in the file, and kept: ann@contoso.example\n'* ]]
}

@test "an update that disables a user says that the data stays" {
    mamctl authority create >/dev/null
    printf 'upn,enabled\nann@contoso.example,true\n' >people.csv
    mamctl authority user import people.csv >/dev/null
    sed -i 's/true/false/' people.csv
    run --separate-stderr mamctl authority user import people.csv --update
    [ "$status" -eq 0 ]
    [[ $stderr == *'where a policy does not say, the data stays open: request a wipe to remove it'* ]]
    run --separate-stderr mamctl authority user import people.csv --update
    [ -z "$stderr" ]
}
