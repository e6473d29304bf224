#!/usr/bin/env bats
# mamctl doctor: accounts, wipes and check-ins.

# helpers.bash sets variables, and commands of findings run in a shell of their own:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers
load doctor

@test "wipes and unenrollments that were not reported" {
    enrolled_with strict
    mamctl authority fault set network >/dev/null
    mamctl wipe "$ann" >/dev/null 2>&1 || true
    mamctl authority fault clear >/dev/null
    found 3 accounts 'a wipe is open'
    [ "$command" = 'mamctl checkin' ]
    mended 3 accounts 'a wipe is open'
}

@test "a wipe that a killed program began is named, not resumed" {
    enrolled_with strict
    share=$(find "$MAM_STATE/$MAM_APP/shares" -type f)
    [ "$(wc -l <<<"$share")" -eq 1 ]
    # As it is after a kill behind the first step: docs/formats.md.
    { printf 'MAMWIPED\1' && head -c 23 /dev/zero; } >tombstone
    [ "$(stat -c %s tombstone)" -eq "$(stat -c %s "$share")" ]
    cat tombstone >"$share"
    before=$(everything)
    found 3 wipes 'a wipe was interrupted'
    [ "$(everything)" = "$before" ]
    mended 3 wipes 'a wipe was interrupted'
    [ ! -e "$share" ]
}

@test "a check-in that failed" {
    enrolled_with strict
    mamctl authority fault set network >/dev/null
    mamctl checkin "$ann" >/dev/null 2>&1 || true
    doctor
    [ "$status" -eq 3 ]
    [ "$(value '.findings[].check' | paste -sd' ')" = 'authority accounts' ]
    [[ $(value '.findings[0].message') == 'faults are set, '*network ]]
    run_all "$(value '.findings[].command')"
    healthy
}

@test "a user that no policy reaches" {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" >/dev/null
    mamctl authority group add Sales >/dev/null
    mamctl authority group add-member Sales "$ann" >/dev/null
    mamctl authority policy import "$policies/strict.json" --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null 2>&1 || true
    # That is no fault: a note, here and in status.
    healthy
    command=$(value '.notes[] | select(.check == "accounts").command')
    [[ $command == "mamctl authority policy assign POLICY --group GROUP --authority $MAM_AUTHORITY  # "* ]]
    policy=$(mamctl authority policy list --json | jq -r '.policies[0].id')
    command=${command/POLICY/$policy}
    run_all "${command/GROUP/Sales}"
    [[ $command == *"then mamctl enroll $ann" ]]
    run_all "${command##*then }"
    healthy
    [ "$(value '[.notes[] | select(.check == "accounts")] | length')" -eq 0 ]
}

# Commands of findings about an account's latest code: the code, what makes it, and the number of findings.
@test "an account that is refused: the command is about the cause" {
    authority_with strict
    while IFS='|' read -r code cause; do
        mamctl unenroll --wipe "$ann" >/dev/null 2>&1 || true
        eval "$cause" >/dev/null 2>&1 || true
        mamctl enroll "$ann" >/dev/null 2>&1 || true
        [ "$(mamctl status --json | jq -r '(.problems + .notes)[] | select(.kind == "status").code')" = "$code" ] || { echo "$code: $cause"; mamctl status; return 1; }
        doctor
        run_all "$(value '(.findings + .notes)[] | select(.check == "accounts").command')"
        mamctl status --json | jq -e '.problems == [] and .managed' || { echo "$code: $output"; return 1; }
    done <<'CASES'
200|mamctl authority user set "$ann" --no-licensed
203|mamctl authority user set "$ann" --no-enabled
203|mamctl authority user remove --force "$ann"
222|mamctl authority user set "$ann" --migrating
226|mamctl authority device block "$(mamctl diagnose --json | jq -r .deviceTag)"
CASES
    printf secret >FILE
    mamctl unenroll --wipe "$ann" >/dev/null
    mamctl authority user set "$ann" --token-file FILE >/dev/null
    mamctl enroll "$ann" >/dev/null 2>&1 || true
    mended 3 accounts .
    # The authority's answer closes the account.
    printf '{"@odata.type":"#libmam.linuxManagedAppProtection","id":"o","appActionIfUnableToAuthenticateUser":"block"}' |
        mamctl authority policy import - --all-users --all-apps >/dev/null
    mamctl checkin >/dev/null
    mamctl authority user set "$ann" --no-enabled >/dev/null
    mamctl checkin >/dev/null || true
    mended 3 accounts disabled
}

@test "the administrator's decisions are taken back by the administrator alone" {
    open_to_others
    authority_with strict
    chmod 644 "$MAM_AUTHORITY"
    export MAM_STATE=$scratch/other/state
    mkdir "$scratch/other" && chown 65534 "$scratch/other"
    as_person() { "${other[@]}" "$(type -P "$MAMCTL")" "$@"; }
    while IFS='|' read -r code cause back; do
        as_person unenroll --wipe "$ann" >/dev/null 2>&1 || true
        as_person enroll "$ann" >/dev/null
        # shellcheck disable=SC2034 # for a cause
        tag=$(as_person diagnose --json | jq -r .deviceTag)
        as_person unenroll --wipe "$ann" >/dev/null
        eval "$cause" >/dev/null
        as_person enroll "$ann" >/dev/null 2>&1 || true
        [ "$(as_person status --json | jq -r '(.problems + .notes)[] | select(.kind == "status").code')" = "$code" ]
        run --separate-stderr as_person doctor --json
        command=$(value '(.findings + .notes)[] | select(.check == "accounts").command')
        [[ $command == "mamctl "*"  # ask the administrator first, who has decided this"* && $command != *authority* ]]
        eval "$back" >/dev/null
    done <<'CASES'
200|mamctl authority user set "$ann" --no-licensed|mamctl authority user set "$ann" --licensed
203|mamctl authority user set "$ann" --no-enabled|mamctl authority user set "$ann" --enabled
222|mamctl authority user set "$ann" --migrating|mamctl authority user set "$ann" --no-migrating
226|mamctl authority device block "$tag"|mamctl authority device unblock "$tag"
225|mamctl authority policy unassign "Example: strict" --all-users|mamctl authority policy assign "Example: strict" --all-users
203|mamctl authority user remove --force "$ann"|:
CASES
}

@test "a user who was removed: the way back is the administrator's, with the same account id" {
    enrolled_with strict
    protected=$(printf secret | mamctl protect --account "$ann" | base64 -w0)
    removed() {
        mamctl authority registration remove "$(mamctl authority registration list --json | jq -r '.registrations[0].id')" >/dev/null
        mamctl authority user remove "$ann" >/dev/null # without enrollments
        mamctl checkin >/dev/null 2>&1 || true
    }
    removed
    for code in 220 221; do
        [ "$(mamctl status --json | jq -r '.problems[0].code')" = "$code" ]
        mamctl status | grep -E 'the same account id'
        found 3 accounts 'the same account id'
        [[ $command == *"mamctl authority user add $ann --account-id ann-id --authority $MAM_AUTHORITY && mamctl checkin  # after 'mamctl authority group add-member'"* ]]
        mamctl checkin >/dev/null 2>&1 || true
    done
    run_all "$command"
    healthy
    [ "$(base64 -d <<<"$protected" | mamctl unprotect)" = secret ]
}

@test "a second account where one may be managed" {
    enrolled_with strict
    mamctl authority user add bob@contoso.example >/dev/null
    mamctl enroll bob@contoso.example >/dev/null 2>&1 || true
    mended 3 accounts 'only one may be'
}

@test "an account whose key or rows do not open: the copy is restored, or the account enrolls again" {
    enrolled_with strict
    # shellcheck disable=SC2034 # for the faults
    database=$MAM_STATE/$MAM_APP/state.db
    while IFS='|' read -r fault what; do
        rm -rf kept && cp -pR "$MAM_STATE" kept
        share=$(find "$MAM_STATE/$MAM_APP/shares" -type f)
        eval "$fault"
        found 3 accounts "$what"
        [ "$(value '.findings[0].subject')" = "$ann" ]
        if [[ $command == 'cp -p '* ]]; then
            # A share that is damaged looks like a row that is: the one copy, else the other.
            first=${command%%#*} second=${command#*help: }
            bash -c "${first//\/PATH\/TO\/THE\/BACKUP/kept/$MAM_APP}"
            doctor
            second=${second%%;*}
            [ "$status" -eq 0 ] || bash -c "${second//\/PATH\/TO\/THE\/BACKUP/kept/$MAM_APP}"
            healthy
            eval "$fault"
            found 3 accounts "$what"
            command=${command##*opened: }
        fi
        run_all "$command"
        healthy
        mamctl status --json | jq -e .managed
    done <<'CASES'
rm "$share"|share is gone
truncate -s 0 "$share"|share is damaged
head -c 32 /dev/urandom >"$share"|row of table accounts
sqlite3 "$database" 'UPDATE accounts SET record = zeroblob(100)'|row of table accounts
sqlite3 "$database" 'DELETE FROM account_keys'|keys are missing
sqlite3 "$database" 'UPDATE account_keys SET wrapped = zeroblob(60)'|key of the account does not verify
sqlite3 "$database" 'UPDATE policies SET record = zeroblob(100)'|row of table policies
sqlite3 "$database" 'DELETE FROM policies'|policies are missing
CASES
}

@test "a last check-in that lies in the future" {
    authority_with strict
    # The clock was ahead by a week, and is right now.
    as_of 604800 mamctl enroll "$ann" >/dev/null
    found 3 clock 'its last check-in is 7 days in the future'
    [[ $command == *"timedatectl set-ntp true; mamctl checkin" ]]
    printf '#!/bin/sh\n' >timedatectl && chmod +x timedatectl
    PATH=$scratch:$PATH run_all "$command"
    healthy
}

@test "a check-in that is overdue" {
    enrolled_on_any_device
    as_of 345600 doctor
    [ "$status" -eq 3 ]
    [[ $(value '.findings[0].message') == 'its check-in was due 4 days ago'* ]]
    [ "$(value '.findings[0].command')" = 'mamctl checkin' ]
    as_of 345600 run_all 'mamctl checkin'
    as_of 345600 healthy
}

@test "a misspelt account beside a managed one is given up, not managed too" {
    enrolled_with strict
    mamctl authority user add anm@contoso.example >/dev/null
    mamctl enroll anm@contoso.example >/dev/null 2>&1 || true
    doctor
    [ "$status" -eq 3 ]
    command=$(value '.findings[] | select(.check == "accounts").command')
    [[ $command == "mamctl status  # did you mean $ann, which is managed here? Then: mamctl unenroll anm@contoso.example; for a second"* ]]
    mamctl unenroll anm@contoso.example >/dev/null
    healthy
    # A name that resembles none may be a second account.
    mamctl authority user add zoe@contoso.example >/dev/null
    mamctl enroll zoe@contoso.example >/dev/null 2>&1 || true
    doctor
    [[ $(value '.findings[] | select(.check == "accounts").command') == 'mamctl settings set MultiManagedIdentities true'* ]]
}
