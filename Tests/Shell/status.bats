#!/usr/bin/env bats
# mamctl status: the overview, and the JSON object for scripts.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016
load helpers

# Every key of the object with its types, one a line.
shape() {
    jq -rs '[.[] | [paths as $path | {
            key: ([$path[] | if type == "number" then "[]" else "." + . end] | join("")),
            type: (getpath($path) | type)}] | .[]]
        | group_by(.key)[] | "\(.[0].key): \(map(.type) | unique | join(" or "))"' "$@"
}

# Prints the status where something needs attention, or the authority cannot be asked, and expects its exit status.
troubled() {
    local ended=0
    mamctl status "${@:2}" || ended=$?
    [ "$ended" -eq "$1" ] || { echo "status $ended, not $1" >&2; return 1; }
}

# A state with everything that status reports: an account in order, one without licence, a failed one, an unreported wipe and
# unenrollment, and a process identity.
everything() {
    [ -e "$MAM_AUTHORITY" ] || authority_with strict
    mamctl authority user add bob@contoso.example --account-id bob-id >/dev/null
    many='{"MultiManagedIdentities":true}'
    mamctl enroll "$ann" --settings "$many" >/dev/null
    mamctl enroll bob@contoso.example --settings "$many" >/dev/null
    mamctl authority user add lee@contoso.example >/dev/null
    mamctl authority user set lee@contoso.example --no-licensed >/dev/null
    mamctl enroll lee@contoso.example --settings "$many" >/dev/null 2>&1 || true
    mamctl authority user add kim@contoso.example >/dev/null
    mamctl enroll kim@contoso.example --settings "$many" >/dev/null
    mamctl authority fault set network >/dev/null
    mamctl unenroll kim@contoso.example >/dev/null
    mamctl wipe bob-id >/dev/null 2>&1 || true
    mamctl enroll eve@contoso.example --settings "$many" >/dev/null 2>&1 || true
}

@test "the shape of --json is frozen: keys may be added to status-shape.txt, none removed or changed" {
    authority_with strict
    mamctl status --json >empty.json
    everything
    troubled 3 --json >full.json
    MAM_IDENTITY=$ann troubled 3 --json >acting.json
    shape empty.json full.json acting.json >now
    diff -u "$here/status-shape.txt" now
}

@test "--json is one object on one line, whether there are accounts or not" {
    authority_with strict
    run mamctl status --json
    [ "${#lines[@]}" -eq 1 ]
    [ "$(value '.managed, (.accounts | length)' | paste -sd' ')" = 'false 0' ]
    mamctl enroll "$ann" >/dev/null
    run mamctl status --json
    [ "${#lines[@]}" -eq 1 ]
    [ "$(value '.managed, .accounts[0].upn, .accounts[0].policies[0].name' | paste -sd,)" = "true,$ann,Example: strict" ]
}

@test "status prints app, authority, policy, check-ins and findings for people" {
    everything
    MAM_IDENTITY=$ann troubled 3 >shown
    grep -Ex 'app +com.example.notes' shown
    grep -Ex "authority +$MAM_AUTHORITY \(development\)" shown
    grep -Ex "policy +$ann: Example: strict \(36 settings\)" shown
    grep -Ex "acts for +$ann \(MAM_IDENTITY\)" shown
    grep -Ex "$ann +enrolled +yes +just now +in (29|30) minutes" shown
    sed -n '/^needs attention:$/,$p' shown >attention
    grep -E '^  eve@contoso.example: .*The authority could not be reached to enroll\. .* \(205\)$' attention
    grep -E '^  bob-id: a wipe is open' attention
    grep -E '^  kim@contoso.example: the authority has no report of an account that was unenrolled yet: the next attempt is at ' attention
    grep -Ex 'unreported +1 unenrolled' shown
    sed -n '/^notes:$/,$p' attention >notes
    grep -E '^  lee@contoso.example: The user has no licence .* \(200\)$' notes
    grep -E "^  the custody of the authority is development, because this user owns the file: " notes
    run ! grep -q "$ann" attention
}

@test "an authority that can only be read: a wipe is not acknowledged, and that is a note" {
    [ "$(id -u)" -eq 0 ] || skip 'needs root, to be another user'
    authority_with open
    chmod 711 "$BATS_RUN_TMPDIR" "$(dirname "$scratch")" "$scratch"
    chmod 644 "$MAM_AUTHORITY"
    mkdir -m 700 theirs && chown 65534 theirs
    export MAM_STATE=$scratch/theirs/state
    other=(setpriv --reuid 65534 --regid 65534 --clear-groups "$MAMCTL")
    "${other[@]}" version >/dev/null 2>&1 || skip 'the tests are in a folder that is closed to others'
    "${other[@]}" status >shown
    run ! grep -q 'can only be read here' shown
    "${other[@]}" enroll "$ann" >/dev/null
    "${other[@]}" status >shown
    grep -Ex "authority +$MAM_AUTHORITY \(administered\)" shown
    sed -n '/^notes:$/,$p' shown | grep -E "^  the authority can only be read here: a wipe .* never shown there as done; mamctl events has wipeDidComplete"
    mamctl authority wipe request "$ann" >/dev/null
    "${other[@]}" checkin >/dev/null
    [ "$(mamctl authority wipe list --json | jq -c '.wipes[0] | [.pending, .done]')" = '[0,0]' ]
    "${other[@]}" events --json | jq -se 'any(.event == "wipeDidComplete" and .reason == "administrator")'
}

@test "a failure is shown with its original reason until a success replaces it" {
    mamctl authority create >/dev/null
    run --separate-stderr mamctl enroll "$ann"
    failed_with 1 'knows no such user'
    mamctl status | grep -E "^  $ann: The authority knows no such user.* \(203\)$"
    run mamctl status --json
    [[ $(value '.accounts[0].lastMessage') == 'The authority knows no such user'* ]]
    [ "$(value '.problems[0].message')" = "$(value '.accounts[0].lastMessage')" ]
    mamctl authority user add "$ann" >/dev/null
    mamctl authority policy import "$policies/strict.json" --all-users --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null
    run mamctl status --json
    [ "$(value '.accounts[0].lastMessage, (.problems | length)' | paste -sd' ')" = 'null 0' ]
}

@test "a missing or invalid authority is reported" {
    troubled 1 >shown
    grep -Ex "authority +$MAM_AUTHORITY \(cannot be asked\)" shown
    grep -Ex "  $MAM_AUTHORITY: there is no such file, so no authority; .*" shown
    [ ! -e "$MAM_AUTHORITY" ]
    echo junk >"$MAM_AUTHORITY"
    mamctl status | grep -Ex "  $MAM_AUTHORITY: is not a libmam authority, or is damaged"
    run mamctl status --json
    [ "$(value .authority.problem)" = "$(value '.problems[0].message')" ]
    [ "$(cat "$MAM_AUTHORITY")" = junk ]
    rm "$MAM_AUTHORITY"
    authority_with strict
    run mamctl status --json
    [ "$(value '.authority.problem, (.problems | length)' | paste -sd' ')" = 'null 0' ]
}

@test "a relative path is one of the current directory, the root too" {
    authority_with strict
    [ "$(mamctl settings show --state here --json | jq -r .stateDirectory)" = "$PWD/here" ]
    [ "$(env --chdir=/ "$MAMCTL" settings show --state "${PWD#/}/there" --json | jq -r .stateDirectory)" = "$PWD/there" ]
}

@test "an app without accounts or policy is shown as such" {
    authority_with strict
    mamctl status >shown
    grep -Ex 'policy +none in force' shown
    grep -E '^no accounts' shown
    run ! grep 'needs attention' shown
}

@test "colours are used on terminals that support them" {
    enrolled_with strict
    mamctl status >plain
    run ! grep $'\e' plain
    TERM=xterm script -qec "$(type -P "$MAMCTL") status" /dev/null </dev/null >coloured
    grep -q $'\e\[32m'"$ann" coloured
    TERM=xterm NO_COLOR=1 script -qec "$(type -P "$MAMCTL") status" /dev/null </dev/null >objected
    run ! grep -q $'\e' objected
}

@test "status is the same without HOME or standard input, and fails without standard output" {
    enrolled_with strict
    env -u HOME "$MAMCTL" status | grep -q "$ann"
    "$MAMCTL" status <&- | grep -q "$ann"
    run --separate-stderr bash -c '"$1" status >&-' - "$MAMCTL"
    failed_with 1 'standard output'
    run --separate-stderr bash -c '"$1" status >/dev/full' - "$MAMCTL"
    failed_with 1 'standard output'
    run --separate-stderr bash -c 'exec 3> >(:); wait $!; "$1" status >&3; echo "$?" >status' - "$MAMCTL"
    [ "$(cat status)" = 141 ]
}

@test "output for a closed stream reaches no other file" {
    enrolled_with strict
    echo plan >plan
    run --separate-stderr bash -c '"$1" protect --account "$2" plan >&-' - "$MAMCTL" "$ann"
    failed_with 1 'standard output'
    run --separate-stderr bash -c '"$1" events --json >&-' - "$MAMCTL"
    run --separate-stderr bash -c '"$1" protect --account "$2" <&- >never' - "$MAMCTL" "$ann"
    failed_with 1 'standard input'
    "$MAMCTL" check fly --account "$ann" 2>&- || [ $? -eq 64 ]
    mamctl status | grep -q "$ann"
    [ "$(mamctl protect --account "$ann" plan | mamctl unprotect)" = plan ]
}

@test "an account that is closed needs attention, with the reason" {
    authority_with strict
    printf '{"@odata.type":"#libmam.linuxManagedAppProtection","id":"out","displayName":"Out","appActionIfUnableToAuthenticateUser":"block"}' >out.json
    mamctl authority policy import out.json --all-users --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null
    [ "$(mamctl status --json | jq -r '.problems | length')" = 0 ]
    mamctl authority user set "$ann" --no-enabled >/dev/null
    mamctl check-in "$ann" >/dev/null
    run mamctl status --json
    [ "$(value '.problems[0].account')" = "$ann" ]
    [[ $(value '.problems[0].message') = *'disabled'* ]]
    mamctl status | grep 'disabled'
}

@test "an unknown value of the device's configuration is reported" {
    authority_with strict
    run --separate-stderr mamctl settings device '{"managedAppConfig":{"IntuneMAMAllowedAccountsOnly":"Enabeld","IntuneMAMUPN":"ann@contoso.example"}}'
    [ "$status" -eq 0 ]
    [[ $stderr = *IntuneMAMAllowedAccountsOnly* ]]
    run --separate-stderr mamctl settings set MultiManagedIdentities yes
    [ "$status" -eq 64 ]
    [[ $stderr = *'yes is not JSON'* ]]
}
