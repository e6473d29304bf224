#!/usr/bin/env bats
# mamctl events, settings and diagnose.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

@test "events prints the waiting events, one a line" {
    enrolled_with strict
    mamctl wipe "$ann" >/dev/null
    run mamctl events --json
    [ "$status" -eq 0 ]
    [ "$(jq -rs 'any(.event == "wipeDidComplete")' <<<"$output")" = true ]
}

@test "events are printed for people" {
    enrolled_with strict
    mamctl wipe "$ann" >/dev/null
    mamctl events | grep -E '^20.*  wipeDidComplete  '
}

@test "events: time, app, account, event and sentence in columns" {
    enrolled_with strict
    mamctl wipe "$ann" >/dev/null
    env LC_ALL= LANG=en_US.UTF-8 LANGUAGE= "$MAMCTL" events >lines
    line="^20[0-9-]+T[0-9:]+Z  com\.example\.notes  $ann {7}wipeDidComplete {11}Your organisation's data was removed from this app\. \(.*reason .*\)$"
    grep -Eq "$line" lines || { cat lines; return 1; }
    run ! grep -E 'userMessage|messageKey|message key|[{}]' lines
}

# Run events on a terminal of so many columns.
on_terminal() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))' sh -c 'stty cols "$0" && exec "$1" events' "$1" "$MAMCTL" </dev/null
}

@test "events on a terminal fit its width" {
    enrolled_with strict
    long=bartholomew.featherstonehaugh@contoso.example
    mamctl authority user add "$long" >/dev/null
    # shellcheck disable=SC2030 # for this test alone
    export TERM=dumb LC_ALL='' LANG=en_US.UTF-8 LANGUAGE=''
    for account in "$ann" "$long"; do
        for columns in 50 80 120; do
            mamctl enroll "$account" >/dev/null || true
            mamctl wipe "$account" >/dev/null
            on_terminal "$columns" | tr -d '\r' >seen
            [ "$(wc -L <seen)" -le "$columns" ] || { cat seen; return 1; }
            grep -Eq '^20[0-9-]+T[0-9:]+Z  wipeDidComplete' seen
            grep -Eq "^    Your organisation's data was removed from this( app\.)?$" seen
            grep -Eq "^(    |20.*  )$account$" seen
            run ! grep -F com.example.notes seen
        done
        grep -Eq "^20.*Z  wipeDidComplete {11}$account$" seen
    done
}

@test "events have colours on a terminal only, and never with NO_COLOR or a dumb terminal" {
    enrolled_with strict
    esc=$'\e['
    for variable in TERM=xterm 'TERM=xterm NO_COLOR=1' TERM=dumb; do
        mamctl enroll "$ann" >/dev/null || true
        mamctl wipe "$ann" >/dev/null
        # shellcheck disable=SC2031 # set here
        export TERM=xterm && unset NO_COLOR
        # shellcheck disable=SC2163,SC2086 # one or two variables
        export $variable
        on_terminal 80 >"seen $variable"
        grep -q wipeDidComplete "seen $variable"
    done
    grep -qF "$esc" 'seen TERM=xterm'
    run ! grep -qF "$esc" 'seen TERM=xterm NO_COLOR=1' 'seen TERM=dumb'
    unset NO_COLOR
    mamctl enroll "$ann" >/dev/null
    mamctl wipe "$ann" >/dev/null
    TERM=xterm mamctl events >piped
    grep -q wipeDidComplete piped
    run ! grep -qF "$esc" piped
}

@test "events --follow writes each line at once into a pipe, and ends with 0 for SIGINT" {
    enrolled_with strict
    mkfifo pipe
    # A program in the background ignores SIGINT, unless the default is restored.
    env --default-signal=INT "$MAMCTL" events --follow --timeout 60 >pipe 3>&- &
    follower=$!
    exec 7<pipe
    mamctl wipe "$ann" >/dev/null
    while read -r line <&7; do [[ $line != *wipeDidComplete* ]] || break; done
    [[ $line == *wipeDidComplete* ]]
    kill -INT "$follower"
    wait "$follower"
    follower=
    exec 7<&-
}

@test "events --follow ends with 141 when its reader closes the pipe, also without an event" {
    authority_with strict
    mkfifo pipe
    "$MAMCTL" events --follow --timeout 60 >pipe 3>&- &
    follower=$!
    exec 7<pipe
    exec 7<&-
    ended=0
    wait "$follower" || ended=$?
    follower=
    [ "$ended" -eq 141 ]
}

@test "events --timeout fails when none comes" {
    authority_with strict
    mamctl events >/dev/null
    run --separate-stderr mamctl events --timeout 1
    failed_with 1 'no event'
    run --separate-stderr mamctl events --timeout -1
    failed_with 64 .
}

@test "events --follow prints the events of another process, and ends with 0 at SIGTERM" {
    enrolled_with open
    "$MAMCTL" events --follow --json >seen 3>&- &
    follower=$!
    until_polling "$follower"
    id=$(mamctl authority policy list --json | jq -r '.policies[0].id')
    mamctl authority policy import "$policies/strict.json" --all-users --all-apps >/dev/null
    mamctl authority policy remove "$id" >/dev/null
    mamctl checkin >/dev/null
    for _ in $(seq 1200); do
        grep -q policyDidChange seen && break
        sleep 0.1
    done
    kill -TERM "$follower"
    wait "$follower"
    grep -q policyDidChange seen
}

@test "events --follow ends by itself when the time is over" {
    authority_with strict
    run mamctl events --follow --timeout 1
    [ "$status" -eq 0 ]
}

@test "settings are set, shown with their source, and cleared" {
    authority_with strict
    mamctl settings | grep -E '^MultiManagedIdentities +false +default +applies$'
    mamctl settings | grep -E '^SplashDuration +1.5 +default +not applicable$'
    mamctl settings set MultiManagedIdentities true | grep -x 'MultiManagedIdentities is true (override)'
    mamctl settings show | grep -E '^MultiManagedIdentities +true +override +applies$'
    run mamctl settings clear MultiManagedIdentities --json
    [ "$(value .source)" = default ]
    mamctl settings --settings '{"MultiManagedIdentities":true}' | grep -E '^MultiManagedIdentities +true +settings +applies$'
    echo '{"MultiManagedIdentities":true}' >settings.json
    run mamctl settings --settings @settings.json --json
    [ "$(value '.settings[] | select(.key == "MultiManagedIdentities").source')" = settings ]
}

@test "the device's statement is set, shown and cleared for every app of the group" {
    enrolled_with strict
    mamctl settings device | grep -x 'device of         nobody'
    echo '{"managedAppConfig":{"IntuneMAMUPN":"bob@contoso.example","IntuneMAMAllowedAccountsOnly":"Enabled"}}' >device.json
    mamctl settings device @device.json | grep -x 'allowed accounts  bob@contoso.example'
    mamctl settings device --group "$MAM_APP" --app com.example.mail --json | jq -e '.allowedAccounts == ["bob@contoso.example"]'
    run --separate-stderr mamctl protect --account ann@contoso.example <<<text
    failed_with 1 'Only listed accounts'
    run --separate-stderr mamctl settings device '{"mdmAccount":1}'
    failed_with 1 'mdmAccount'
    run mamctl settings device --none '{}'
    [ "$status" -eq 64 ]
    mamctl settings device --none --json | jq -e '.allowedAccounts == null and .mdmAccount == null'
    mamctl protect --account ann@contoso.example <<<text >sealed
}

@test "an invalid key or value is reported" {
    authority_with strict
    run --separate-stderr mamctl settings set NoSuchKey true
    failed_with 1 'NoSuchKey'
    run --separate-stderr mamctl settings set MultiManagedIdentities '"yes"'
    failed_with 1 'MultiManagedIdentities'
    run --separate-stderr mamctl settings --settings '{"MultiManagedIdentities":'
    failed_with 1 '--settings: line 1'
}

@test "diagnose names app, authority and accounts" {
    enrolled_with strict
    mamctl diagnose >diagnosis
    grep -q com.example.notes diagnosis
    grep -q "$MAM_AUTHORITY" diagnosis
    mamctl diagnose --json | jq -e . >/dev/null
}

@test "purge after an older state says so, and an account that cannot check in is wiped" {
    enrolled_with strict
    cp -a "$MAM_STATE/com.example.notes" older
    printf secret | mamctl protect --account "$ann" >protected
    for _ in 1 2 3; do mamctl checkin >/dev/null; done
    mamctl authority user add bob@contoso.example >/dev/null
    mamctl settings set MultiManagedIdentities true >/dev/null
    mamctl enroll bob@contoso.example >/dev/null
    cp -a older/state.db* "$MAM_STATE/com.example.notes/"
    for words in purge 'purge --yes'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl $words
        failed_with 1 "older than one that was in use.*check in first.*$ann.*mamctl wipe"
    done
    mamctl wipe "$ann" >/dev/null 2>&1 || true
    run mamctl purge
    [ "$output" = '1 keys of no account; --yes removes them' ]
    run --separate-stderr mamctl purge --yes
    failed_with 1 'nobody can check in any more, end the programs and remove the directory'
    # Anybody who can check in opens the state again.
    mamctl enroll bob@contoso.example >/dev/null
    mamctl purge --yes | grep -x '[01] keys removed'
}

@test "purge counts keys of no account, and removes nothing else" {
    enrolled_with strict
    run mamctl purge
    [ "$output" = '0 keys of no account; --yes removes them' ]
    run mamctl purge --yes
    [ "$output" = '0 keys removed' ]
    [ "$(mamctl purge --yes --json)" = '{"shares":0}' ]
}

@test "docs/settings.md has every key with its default and effect" {
    authority_with strict
    mamctl settings --json | jq -r '.settings[] | [.key, .effect,
        (.value | if . == null or . == [] then "none" else tostring end)] | join(" ")' | sort >actual
    awk -F ' *[|] *' '/^\| `/ && $5 != "" { keys = split($2, key, ", "); for (i = 1; i <= keys; i++) {
        gsub(/`/, "", key[i]); gsub(/`/, "", $4); print key[i], $5, $4 } }' "$here/../../docs/settings.md" | sort >told
    diff -u actual told
}

@test "an extension works for the app that lists it" {
    mamctl authority create
    share=(--app com.example.notes.share --settings "{\"ContainingAppBundleId\":\"$MAM_APP\"}")
    run mamctl settings "${share[@]}"
    [ "$status" -ne 0 ]
    [[ $output == *"is not listed as an extension of $MAM_APP"* ]]
    [ -z "$(mamctl settings extensions)" ]
    [ "$(mamctl settings extensions com.example.notes.share com.example.notes.widget | wc -l)" -eq 2 ]
    mamctl settings "${share[@]}" --json >told
    [ "$(jq -r '.app.containingApp' told)" = "$MAM_APP" ]
    [ "$(mamctl settings extensions --json)" = '["com.example.notes.share","com.example.notes.widget"]' ]
    [ -z "$(mamctl settings extensions --none)" ]
    run mamctl settings "${share[@]}"
    [ "$status" -ne 0 ]
    run mamctl settings extensions --none com.example.notes.share
    [ "$status" -eq 64 ]
    run mamctl settings extensions "$MAM_APP"
    [ "$status" -ne 0 ]
}
