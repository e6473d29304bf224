#!/usr/bin/env bats
# mamctl status for monitors.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers

# The wipe stays open, because the authority cannot be told of it.
needs_attention() {
    mamctl authority fault set network >/dev/null
    mamctl wipe "$ann" >/dev/null 2>&1 || true
    mamctl authority fault clear >/dev/null
}

@test "the exit status is 0 for fine, 3 for attention, 1 for unknown" {
    enrolled_with strict
    run mamctl status
    [ "$status" -eq 0 ]
    [ "$(mamctl status --json | jq -r .health)" = fine ]
    needs_attention
    run --separate-stderr mamctl status --json
    [ "$status" -eq 3 ]
    [ -z "$stderr" ]
    [ "$(value '.health, .problems[0].severity' | paste -sd' ')" = 'attention warning' ]
    rm "$MAM_AUTHORITY"
    run --separate-stderr mamctl status --json
    [ "$status" -eq 1 ]
    [ "$(value '.health, .problems[0].severity' | paste -sd' ')" = 'unreachable critical' ]
    chmod 755 "$MAM_STATE/$MAM_APP"
    run --separate-stderr mamctl status
    failed_with 1 .
}

@test "--nagios is one line with performance data, and its four statuses" {
    enrolled_with strict
    plugin 0 OK
    perfdata=' \| accounts=1;;;0 managed=1;;;0 due=0;;;0 problems=0;;;0 open_wipes=0;;;0 unreported=0;;;0 oldest_check_in=[0-9]+s;;;0$'
    [[ $output =~ com.example.notes:\ 1\ of\ 1\ accounts\ managed$perfdata ]]
    needs_attention
    plugin 1 WARNING
    [[ $output == *'a wipe is open'*'open_wipes=1;;;0'* ]]
    rm "$MAM_AUTHORITY"
    plugin 2 CRITICAL
    [[ $output == *'no such file'* ]]
    plugin 3 UNKNOWN --nonsense
    plugin 3 UNKNOWN --app 'no id'
    # Another app was never run here, whatever was asked.
    plugin 2 CRITICAL --app com.example.other
    chmod 755 "$MAM_STATE/$MAM_APP"
    plugin 3 UNKNOWN
}

@test "no licence and no policy are no fault: fine, with a note" {
    authority_with strict
    mamctl authority user set "$ann" --no-licensed >/dev/null
    mamctl enroll "$ann" >/dev/null 2>&1 || true
    noted() { # CODE
        run --separate-stderr mamctl status --json
        [ "$status" -eq 0 ] && [ "$(value '.health, (.problems | length)' | paste -sd' ')" = 'fine 0' ] || return
        [ "$(value '.notes[] | select(.kind == "status") | "\(.account) \(.code)"')" = "$ann $1" ]
        mamctl status | sed -n '/^notes:$/,$p' | grep -E "^  $ann: .* \($1\)$"
        plugin 0 OK
        mamctl status --prometheus - | grep -Fx 'mam_problems{app="com.example.notes",uid="'$UID'",severity="warning"} 0'
    }
    noted 200
    mamctl authority user set "$ann" --licensed >/dev/null
    policy=$(mamctl authority policy list --json | jq -r '.policies[0].id')
    mamctl authority policy unassign "$policy" --all-users >/dev/null
    mamctl enroll "$ann" >/dev/null 2>&1 || true
    noted 225
    mamctl authority policy assign "$policy" --all-users >/dev/null
    mamctl enroll "$ann" >/dev/null
    mamctl authority policy unassign "$policy" --all-users >/dev/null
    mamctl checkin >/dev/null
    # The account is enrolled and unprotected.
    plugin 1 WARNING
    [[ $output == *"$ann: no policy reaches the user"* ]]
    mamctl status --json | jq -e '.health == "attention" and .problems[0].code == 103'
    # An account that is managed here and loses its licence needs attention: its check-ins fail, and it closes in the end.
    mamctl authority policy assign "$policy" --all-users >/dev/null
    mamctl checkin >/dev/null
    mamctl authority user set "$ann" --no-licensed >/dev/null
    mamctl checkin >/dev/null 2>&1 || true
    plugin 1 WARNING
    [[ $output == *'no licence'* ]]
}

@test "a check-in that is overdue, or lies in the future, needs attention" {
    enrolled_on_any_device
    # The next one is due in half an hour, and overdue an hour later.
    as_of 5000 mamctl status | grep -E "^$ann +enrolled +yes +83 minutes ago +due now"
    while IFS='|' read -r seconds what; do
        run --separate-stderr as_of "$seconds" mamctl status
        [ "$status" -eq 3 ]
        grep -E "^  $ann: $what.*mamctl checkin" <<<"$output"
        run --separate-stderr as_of "$seconds" mamctl status --nagios
        [ "$status" -eq 1 ]
        [[ $output =~ ^MAM\ WARNING\ -\ com.example.notes:\ $ann:\ $what ]]
        as_of "$seconds" mamctl status --prometheus mam.prom || [ $? -eq 3 ]
        grep -Fx 'mam_problems{app="com.example.notes",uid="'$UID'",severity="warning"} 1' mam.prom
        [ "$(as_of "$seconds" mamctl status --json | jq '.accounts[0].due')" = true ]
    done <<'CASES'
7200|its check-in was due 90 minutes ago
345600|its check-in was due 4 days ago
-345600|its last check-in is 4 days in the future: this computer's clock went back
CASES
    as_of 345600 mamctl checkin >/dev/null
    as_of 345600 mamctl status >/dev/null
}

@test "an account whose data is closed is critical" {
    authority_with strict
    printf '{"@odata.type":"#libmam.linuxManagedAppProtection","id":"out","displayName":"Out","appActionIfUnableToAuthenticateUser":"block"}' >out.json
    mamctl authority policy import out.json --all-users --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null
    mamctl authority user set "$ann" --no-enabled >/dev/null
    mamctl check-in "$ann" >/dev/null || true
    plugin 2 CRITICAL
    [[ $output == *disabled* ]]
}

@test "--prometheus replaces a file that the collector can read, with metrics that name no person" {
    enrolled_with strict
    run --separate-stderr mamctl status --prometheus mam.prom
    [ "$status" -eq 0 ]
    [ -z "$output$stderr" ]
    [ "$(stat -c %a mam.prom)" = 644 ]
    grep -Fx 'mam_up{app="com.example.notes",uid="'$UID'"} 1' mam.prom
    grep -Fx 'mam_managed_accounts{app="com.example.notes",uid="'$UID'"} 1' mam.prom
    grep -Fx 'mam_problems{app="com.example.notes",uid="'$UID'",severity="critical"} 0' mam.prom
    now=$(date +%s)
    seen=$(sed -n 's/^mam_oldest_check_in_timestamp_seconds{.*} //p' mam.prom)
    [ "$((now - seen))" -ge 0 ] && [ "$((now - seen))" -lt 600 ]
    run ! grep -q "$ann" mam.prom
    # Every line is a comment or NAME{LABELS} NUMBER, and each metric has its type first.
    run ! grep -Evx '# (HELP|TYPE) mam_[a-z_]+ .+|mam_[a-z_]+\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\} [0-9]+' mam.prom
    [ "$(grep -c '^# TYPE' mam.prom)" -eq "$(sed -n 's/{.*//p' mam.prom | sort -u | wc -l)" ]
    before=$(stat -c %i mam.prom)
    rm "$MAM_AUTHORITY"
    run mamctl status --prometheus mam.prom
    [ "$status" -eq 1 ]
    grep -Fx 'mam_authority_up{app="com.example.notes",uid="'$UID'"} 0' mam.prom
    [ "$(stat -c %i mam.prom)" != "$before" ]
    chmod 755 "$MAM_STATE/$MAM_APP"
    run --separate-stderr mamctl status --prometheus mam.prom
    failed_with 1 .
    [ "$(grep -v '^#' mam.prom)" = 'mam_up{app="com.example.notes",uid="'$UID'"} 0' ]
    [ "$(find . -maxdepth 1 -name '.mamctl-*' | wc -l)" -eq 0 ]
}

@test "--prometheus - writes to standard output" {
    enrolled_with strict
    run --separate-stderr mamctl status --prometheus -
    [ "$status" -eq 0 ]
    grep -Fx 'mam_up{app="com.example.notes",uid="'$UID'"} 1' <<<"$output"
    [ ! -e ./- ]
}

@test "looking at an app that was never run here makes no state, and says so" {
    authority_with strict
    # Without a directory, and with an empty one.
    for _ in 1 2; do
        before=$(find . ! -name "separate-stderr*" | sort)
        plugin 3 UNKNOWN --app com.example.typo
        [[ $output == 'MAM UNKNOWN - com.example.typo: never run here | accounts=0'* ]]
        run --separate-stderr mamctl status --app com.example.typo
        [ "$status" -eq 0 ]
        grep -E '^no accounts' <<<"$output"
        grep -E '^  com.example.typo was never run here' <<<"$output"
        run --separate-stderr mamctl status --app com.example.typo --json
        [ "$(value '"\(.stateExists) \(.health) \(.notes[0].kind) \(.authority.custody)"')" = 'false fine neverRun development' ]
        run --separate-stderr mamctl status --app com.example.typo --prometheus -
        [ "$(grep -v '^#' <<<"$output")" = 'mam_up{app="com.example.typo",uid="'$UID'"} 0' ]
        run --separate-stderr mamctl doctor --app com.example.typo
        [ "$status" -eq 0 ]
        [ "$(find . ! -name "separate-stderr*" | sort)" = "$before" ] || { find . | sort | diff - <(echo "$before"); return 1; }
        mkdir -p "$MAM_STATE/com.example.typo" && chmod 700 "$MAM_STATE" "$MAM_STATE/com.example.typo"
    done
    # An app without accounts that was run is another thing.
    mamctl log paths >/dev/null
    plugin 0 OK
    [[ $output == *'0 of 0 accounts managed'* ]]
}

@test "no command makes a state for an app that was never run here" {
    enrolled_with strict
    echo milk >plain
    before=$(find . ! -name "separate-stderr*" ! -name got | sort)
    for words in checkin "checkin $ann" "protect --account $ann plain --output got" 'protect --account eve@personal.example plain --output got'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl $words --app com.example.ntoes
        failed_with 1 "com.example.ntoes was never run here: no account is enrolled in it, or its id is another. Did you mean 'com.example.notes'"
    done
    run --separate-stderr mamctl unprotect plain --output got --app com.example.ntoes
    [ "$status" -eq 0 ] && [ "$(cat got)" = milk ]
    [[ $stderr == *'note: com.example.ntoes was never run here'* ]]
    run --separate-stderr mamctl unprotect --strict plain --app com.example.ntoes
    [ "$status" -eq 1 ]
    run --separate-stderr mamctl doctor --app com.example.ntoes --json
    [ "$status" -eq 3 ]
    [[ $(value '.findings[0] | .message, .command') == *"Did you mean 'com.example.notes'"*'mamctl enroll UPN --app com.example.ntoes'* ]]
    [ "$(find . ! -name "separate-stderr*" ! -name got | sort)" = "$before" ]
    plugin 3 UNKNOWN --app com.example.ntoes
}

@test "a state.db that is gone stays gone by looking" {
    enrolled_with strict
    rm "$MAM_STATE/$MAM_APP/state.db"
    before=$(find . ! -name "separate-stderr*" | sort)
    plugin 3 UNKNOWN
    [[ $output == *'state.db: is gone or empty, but shares of accounts are still there; mamctl doctor'* ]]
    run --separate-stderr mamctl status
    failed_with 1 'is gone or empty'
    run mamctl status --prometheus -
    [ "$status" -eq 1 ]
    run mamctl doctor
    [ "$status" -eq 1 ]
    [ "$(find . ! -name "separate-stderr*" | sort)" = "$before" ]
}

@test "a full disk is critical, though data can still be read" {
    unshare --map-root-user --mount mount -t tmpfs none /mnt 2>/dev/null || skip "no mount namespaces here"
    authority_with open
    cat >inside.sh <<'SH'
mount -t tmpfs -o size=24m none "$1" || exit 90
export MAM_STATE=$1/state
"$MAMCTL" enroll ann@contoso.example >/dev/null || exit 91
"$MAMCTL" status --nagios >fine || exit 92
head -c 12000000 /dev/zero >"$1/filler"
"$MAMCTL" status --nagios >low
[ $? -eq 1 ] || exit 93
cat /dev/zero >"$1/more" 2>/dev/null
"$MAMCTL" status --nagios >full
[ $? -eq 2 ] || exit 94
SH
    mkdir small
    MAMCTL=$MAMCTL run unshare --map-root-user --mount bash inside.sh "$scratch/small"
    [ "$status" -eq 0 ] || { cat fine low full; echo "status $status"; return 1; }
    grep -E "^MAM WARNING - $MAM_APP: the state's disk has [0-9]+ KiB left; libmam needs" low
    grep -E "^MAM CRITICAL - $MAM_APP: the state's disk has 0 KiB left: nothing can be stored" full
}

@test "only one output form may be chosen" {
    authority_with strict
    run --separate-stderr mamctl status --json --prometheus x
    [ "$status" -eq 64 ]
    [[ $(jq -r .message <<<"$stderr") == 'give one of '* ]]
    [ ! -e x ]
}

@test "status --all-apps names the app that needs attention" {
    enrolled_on_any_device
    mamctl enroll "$ann" --app com.example.mail --group "$MAM_APP" >/dev/null
    as_of 172800 mamctl checkin --app com.example.mail --group "$MAM_APP" >/dev/null
    unset MAM_APP
    run --separate-stderr as_of 172800 mamctl status --all-apps
    [ "$status" -eq 3 ]
    grep -x 'com.example.mail: 1 of 1 accounts managed' <<<"$output"
    grep -E "^com.example.notes: $ann: .+" <<<"$output"
    run --separate-stderr mamctl status --all-apps --prometheus -
    failed_with 64 'goes with none'
}
