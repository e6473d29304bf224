#!/usr/bin/env bats
# Apps without a state: a misspelt id makes none, and is refused where it can be told from a first run.

# helpers.bash sets variables:
# shellcheck disable=SC2154,SC2030,SC2031
load helpers

# made: the apps that have a state here.
made() { ls "$MAM_STATE" 2>/dev/null || true; }

@test "a misspelt app has no state afterwards, and every command names what is known" {
    enrolled_with strict
    while read -r words; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl $words --app com.example.ntoes
        failed_with 1 "com.example.ntoes was never run here: .* Did you mean 'com.example.notes'?" || { echo "$words"; return 1; }
        [ -z "$output" ]
        [ "$(made)" = com.example.notes ] || { echo "$words"; return 1; }
    done <<CASES
launch
launch --account $ann
resume
pause
check print --account $ann
check --batch
events
events --timeout 0
events --follow --timeout 0
purge
purge --yes
settings
settings set MultiManagedIdentities true
settings clear MultiManagedIdentities
settings extensions
settings device
diagnose
console
health
health screen locked
log paths
register
policy show --account $ann
config
apps
pin status $ann
rotate-keys $ann
unenroll $ann
wipe $ann
checkin
file info $here/new-apps.bats
CASES
    run --separate-stderr mamctl run --app com.example.ntoes --identity "$ann" -- touch started
    failed_with 1 'never run here'
    [ ! -e started ]
    # One that resembles none is refused, too: people have accounts here.
    run --separate-stderr mamctl launch --app org.elsewhere.editor
    failed_with 1 'Known here: com.example.notes. mamctl enroll makes an app known.*--new-app'
    run --separate-stderr mamctl status --app com.example.ntoes
    [ "$status" -eq 3 ]
    run mamctl status --nagios --app com.example.ntoes
    [ "$status" -eq 3 ]
    [[ $output == "MAM UNKNOWN - com.example.ntoes: com.example.ntoes was never run here"* ]]
    [ "$(made)" = com.example.notes ]
}

@test "a first run is one without accounts: by an option, where the authority names the app, and where nothing is known" {
    authority_with strict
    # Nothing is known here, so that whatever is meant has no account either.
    run --separate-stderr mamctl launch
    [ "$status" -eq 0 ] && [ "$output" = allowed ] && [ -z "$stderr" ]
    run --separate-stderr mamctl check print --account ''
    [ "$status" -eq 0 ] && [ "$output" = allowed ]
    [ "$(mamctl settings --json | jq -r .stateDirectory)" = "$MAM_STATE" ]
    [ -z "$(made)" ]
    mamctl enroll "$ann" >/dev/null
    run --separate-stderr mamctl launch --new-app --app com.example.mail
    [ "$status" -eq 0 ] && [ "$output" = allowed ] && [ -z "$stderr" ]
    run -1 mamctl launch --app com.example.mail
    mamctl authority policy target 'Example: strict' --app com.example.mail >/dev/null
    run --separate-stderr mamctl launch --app com.example.mail
    [ "$status" -eq 0 ] && [ "$output" = allowed ] && [ -z "$stderr" ]
    [ "$(made)" = com.example.notes ]
    # The settings of the app count.
    run --separate-stderr mamctl launch --app com.example.mail --settings '{"MAMPolicyRequired":true}'
    [ "$status" -eq 3 ] && [ "$output" = blocked ]
    # A command that stores something makes the state.
    mamctl health screen unknown --app com.example.mail
    [ "$(made)" = $'com.example.mail\ncom.example.notes' ]
}

@test "an app that only resembles one that the authority names is refused before anybody has enrolled" {
    authority_with strict
    mamctl authority policy target 'Example: strict' --app com.example.mail >/dev/null
    run --separate-stderr mamctl launch --app com.example.mial
    failed_with 1 "Did you mean 'com.example.mail'?"
    [ -z "$(made)" ]
}

@test "enrolling makes any app known, and questions one that resembles a known one" {
    enrolled_with strict
    run --separate-stderr mamctl enroll "$ann" --app com.example.note
    [ "$status" -eq 0 ]
    [[ $stderr == *"note: com.example.note was never run here"*"Did you mean 'com.example.notes'?" ]]
    run --separate-stderr mamctl register desk@contoso.example --app org.elsewhere.editor
    [ "$status" -eq 0 ] && [ -z "$stderr" ]
    [ "$(made)" = $'com.example.note\ncom.example.notes\norg.elsewhere.editor' ]
}

@test "a first launch that enrolls somebody keeps the account" {
    authority_with open
    run mamctl launch --settings '{"MAMPolicyRequired":true,"AutoEnrollOnLaunch":true}' --answer "signIn={\"upn\":\"$ann\"}"
    [ "$status" -eq 0 ]
    [ "$(made)" = com.example.notes ]
    mamctl status | grep "^$ann .* enrolled"
}

@test "a misspelt app of a group is refused, although the group has a state" {
    enrolled_with strict
    group=(--group "$MAM_APP")
    mamctl enroll "$ann" --app com.example.mail "${group[@]}" >/dev/null
    for words in launch "check print --account $ann" events checkin; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl $words --app com.example.mial "${group[@]}"
        failed_with 1 "com.example.mial was never run here in the group com.example.notes: .* Did you mean 'com.example.mail'?"
    done
    run mamctl status --nagios --app com.example.mial "${group[@]}"
    [ "$status" -eq 3 ]
    run -3 mamctl check print --account "$ann" --app com.example.mail "${group[@]}"
    # The logs may be removed at any time.
    rm -r "$MAM_STATE/$MAM_APP"/*.log
    run -3 mamctl check print --account "$ann" --app com.example.mail "${group[@]}"
    run --separate-stderr mamctl health screen unknown --app com.example.locker "${group[@]}"
    failed_with 1 'com.example.locker was never run here in the group com.example.notes.*--new-app'
    mamctl health screen unknown --app com.example.locker "${group[@]}" --new-app
}

# Lines of every command that takes --app and --new-app, from the parser's own description.
commands_of_apps() {
    mamctl --experimental-dump-help | python3 -c '
import json, sys

def walk(command, path):
    options = {name["name"] for one in command["arguments"] for name in one.get("names", []) if name["kind"] == "long"}
    if {"app", "new-app"} <= options:
        print(" ".join(path))
    for sub in command.get("subcommands", []):
        walk(sub, [*path, sub["commandName"]])

walk(json.load(sys.stdin)["command"], [])'
}

# Every command of an app, with arguments that it would take for one that was run here.
words_of_apps() {
    cat <<CASES
enroll $ann
login
register desk@contoso.example
unenroll $ann
status
checkin
wipe $ann
launch
pause
resume
health show
health report --threat-level secured
health screen unknown
pin status $ann
pin set $ann --stdin
pin verify $ann --stdin
pin change $ann --stdin
pin reset $ann
check print --account $ann
web-view --account $ann
share-targets {"scheme":"mailto"} --account $ann
apps
policy show --account $ann
config list
config get key
config conflicts
protect --account $ann plain
unprotect sealed
info sealed
rotate-keys $ann
reprotect .
file write --account $ann new
file read plain
file protect --account $ann plain
file verify --account $ann plain
file info plain
file encrypt --account $ann plain
file decrypt plain
file export plain new --location localDrive
file import plain new --account $ann
sqlite encrypt --account $ann plain.sqlite
sqlite decrypt --account $ann plain.sqlite
sqlite shell --account $ann new.sqlite create\ttable\tt(x)
run --identity $ann -- touch new
events
settings show
settings set MultiManagedIdentities true
settings clear MultiManagedIdentities
settings extensions com.example.share
settings device {}
log paths
diagnose
console
purge --yes
authority forget
CASES
}

# refused PATTERN WORDS…: every command refuses the app and group of the words, prints nothing, stores nothing, and leaves the states as
# they are.
refused() {
    local pattern=$1 words bad=0 states
    shift
    states=$(find "$MAM_STATE" ! -name '*-shm' ! -name '*-wal' ! -name '*.log*' | sort)
    while IFS= read -r words; do
        words=${words/ -- /$'\n'-- }
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl ${words%$'\n'*} "$@" ${words#"${words%$'\n'*}"} <<<secret
        case $words in
        status) [ "$status" -eq 3 ] && [[ $output =~ $pattern ]] ;;
        unprotect*) [ "$status" -eq 1 ] && [[ $stderr =~ note:.*$pattern ]] && [ -z "$output" ] ;;
        *) [ "$status" -eq 1 ] && [[ $stderr =~ $pattern ]] && [ -z "$output" ] ;;
        esac || { echo "$words: $status $output $stderr"; bad=1; }
        if [ -e new ] || [ -e new.sqlite ] || [ "$(cat plain)" != plain ]; then echo "$words: it stored something"; bad=1; fi
        [ "$(find "$MAM_STATE" ! -name '*-shm' ! -name '*-wal' ! -name '*.log*' | sort)" = "$states" ] || { echo "$words: it made a state"; bad=1; }
    done < <(words_of_apps | grep -v "${besides:-^$}")
    return "$bad"
}

@test "every command that takes an app refuses a misspelt app of a group, and a forgotten or misspelt group" {
    authority_with strict
    mamctl authority policy target 'Example: strict' --app com.example.notes >/dev/null
    mamctl enroll "$ann" --group suite >/dev/null
    echo plain >plain
    echo secret | mamctl protect --account "$ann" --group suite >sealed
    mamctl file write --account "" plain.sqlite --group suite </dev/null
    # No command is left out; doctor has findings, which are tested elsewhere.
    diff -u <(commands_of_apps | grep -v '^doctor$' | sort) \
        <(words_of_apps | sed -E 's/^((health|pin|policy|config|file|sqlite|settings|log|authority) )?([^ ]*).*/\1\3/' | sort)
    # The right ones do what they do, also after all these refusals.
    run -3 mamctl check print --account "$ann" --group suite
    refused 'was never run here: its accounts are in the group suite. Give --group suite'
    refused 'was never run here in the group siute: its accounts are in the group suite' --group siute
    MAM_GROUP=siute run -1 --separate-stderr mamctl check print --account "$ann"
    failed_with 1 'was never run here in the group siute: its accounts are in the group suite'
    mkdir -p "$XDG_CONFIG_HOME/mam"
    printf 'app = com.example.notes\ngroup = siute\n' >"$XDG_CONFIG_HOME/mam/mam.conf"
    run -1 --separate-stderr mamctl check print --account "$ann"
    failed_with 1 'was never run here in the group siute: its accounts are in the group suite'
    rm "$XDG_CONFIG_HOME/mam/mam.conf"
    # Enrolling makes an app known, unless it fails; so only these may begin.
    besides='^enroll\|^login\|^register' refused "com.example.ntoes was never run here.*Did you mean 'com.example.notes'" \
        --app com.example.ntoes --group suite
    run -3 mamctl check print --account "$ann" --group suite
    # Meant as it is, it is another state, in which nobody is enrolled.
    run --separate-stderr mamctl launch --new-app
    [ "$status" -eq 0 ] && [ "$output" = allowed ]
    mamctl enroll "$ann" --new-app >/dev/null
    run -3 mamctl check print --account "$ann"
    run -3 mamctl check print --account "$ann" --group suite
}
