#!/usr/bin/env bats
# A misspelt app and a forgotten or misspelt group, in every command that takes them; and states in which nobody was ever enrolled.

# helpers.bash sets variables:
# shellcheck disable=SC2154,SC2030,SC2031
load helpers

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
account $ann
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

@test "an app in which nobody was ever enrolled is no known one, whatever made its state" {
    authority_with strict
    mamctl authority policy target 'Example: strict' --app com.example.notes >/dev/null
    mamctl authority policy untarget 'Example: strict' --all-apps >/dev/null 2>&1
    mamctl enroll "$ann" >/dev/null
    cp -r state before
    for group in com.example.ntoes com.example.notes; do
        other=(--app com.example.ntoes --group "$group")
        while read -r words; do
            rm -r state
            cp -r before state
            # shellcheck disable=SC2086 # words
            mamctl $words "${other[@]}" >/dev/null 2>&1 || true
            while read -r asking; do
                # shellcheck disable=SC2086 # words
                run --separate-stderr mamctl $asking "${other[@]}"
                failed_with 1 "in com.example.ntoes here.*Did you mean 'com.example.notes'|com.example.ntoes was never run here"
                [ -z "$output" ] && [ ! -e new ] || { echo "$words, $asking"; return 1; }
            done <<CASES
check print --account $ann
launch
file write --account $ann new
CASES
            run mamctl status --nagios "${other[@]}"
            [ "$status" -ne 0 ] || { echo "$words: $output"; return 1; }
        done <<CASES
enroll $ann
register desk@contoso.example
health screen unknown --new-app
CASES
    done
    # An account whose enrollment failed is answered and forgotten as any other.
    mamctl enroll "$ann" --app com.example.ntoes >/dev/null 2>&1 || [ $? -eq 1 ]
    run --separate-stderr mamctl checkin --app com.example.ntoes
    failed_with 1 'Enroll one first.*213'
    mamctl unenroll "$ann" --app com.example.ntoes
    # Where the last account has left, the app was meant.
    mamctl authority policy target 'Example: strict' --app org.elsewhere.editor >/dev/null
    mamctl enroll "$ann" --app org.elsewhere.editor >/dev/null
    mamctl authority policy untarget 'Example: strict' --app org.elsewhere.editor >/dev/null 2>&1
    mamctl unenroll "$ann" --app org.elsewhere.editor >/dev/null
    [ "$(mamctl launch --app org.elsewhere.editor)" = allowed ]
    mamctl status --nagios --app org.elsewhere.editor
}
