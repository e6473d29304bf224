#!/usr/bin/env bats
# 'mamctl check' reads its words without the parser where it can: the parser prints and ends alike.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

# answered WORD…: 'mamctl check' reads these words without the parser where it can, and with it where an option and its value are one
# word; both print the same and end alike.
answered() {
    local words=("$@") joined=() plain
    # No option may be there twice.
    [[ " $* " == *' --app '* ]] || joined=(--app="$MAM_APP")
    while [ $# -gt 0 ]; do
        case $1 in
        --json | [!-]*) joined+=("$1") ;;
        *) if [ -n "${2-}" ]; then joined+=("$1=$2"); else joined+=("${@:1:2}"); fi && shift ;;
        esac
        shift || true
    done
    run --separate-stderr mamctl check "${words[@]}"
    plain="$status $output $stderr"
    run --separate-stderr mamctl check "${joined[@]}"
    [ "$plain" = "$status $output $stderr" ] || { printf '%s\n' "${words[*]}" "$plain" "$status $output $stderr" >&2; return 1; }
    answers+=("$status")
}

@test "the parser answers every action as what is read without it" {
    enrolled_with strict
    answers=()
    mamctl --experimental-dump-help | jq -r '.command.subcommands[] | select(.commandName == "check").arguments[0].allValues[]' >actions
    [ "$(wc -l <actions)" -gt 20 ]
    while read -r action; do
        answered "$action" --account "$ann"
        answered --account "$ann" --json "$action"
        answered "$action" --account '' --location other
        answered "$action" --account "$ann" --url https://contoso.example/ --json
    done <actions
    # All of them were reached, and some of each kind ended so.
    for ended in 0 3 64; do [[ " ${answers[*]} " == *" $ended "* ]]; done
}

@test "the parser answers every option as what is read without it" {
    enrolled_with strict
    answers=()
    bob=bob@contoso.example
    export MAM_IDENTITY=$ann
    answered print
    answered print --json
    answered saveTo --location localDrive --location-account "$bob"
    answered openFrom --location camera --location-account "$ann" --account "$ann"
    answered receive --sender "$ann"
    answered receive --sender ''
    answered print --app com.example.other
    answered print --state "$scratch/other" --authority "$MAM_AUTHORITY"
    answered print --authority nowhere.db --state other
    answered documentPicker --mode open
    answered clipboard --length 5 --receiver "$bob"
    answered print --settings '{}' --unknown-identities error
    [[ ${answers[*]} == *3* ]]
    # Wrong lines.
    answers=()
    answered
    answered print print
    answered prnt
    answered print --account "$ann" --acount "$ann"
    answered print --account
    answered saveTo --location nowhere
    answered url --url
    [ "${answers[*]}" = '64 64 64 64 64 64 64' ]
    # Read by the parser in any case.
    for words in '--help' '-h' 'print --help' 'print --version' '--version' 'print -- --json' 'print --account --json' \
        'print --account -x' "print --account $ann --account $bob" 'print --json --json'; do
        # shellcheck disable=SC2086 # words
        run mamctl check $words
        plain="$status $output"
        # shellcheck disable=SC2086 # words
        run mamctl check --app="$MAM_APP" $words
        [ "$plain" = "$status $output" ]
    done
}
