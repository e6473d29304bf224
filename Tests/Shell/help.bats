#!/usr/bin/env bats
# Help texts: help/NAME.txt has the exact output of `mamctl NAME --help` for 80 columns.
# After an intended change run UPDATE_HELP=1 bats help.bats, and review the difference.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

# Every command's path, one a line; the root's is an empty line.
commands() {
    mamctl --experimental-dump-help | jq -r '
        def paths(parent): (parent + [.commandName]) as $path
            | ($path[1:] | join(" ")), (.subcommands[]? | select(.commandName != "help") | paths($path));
        .command | paths([])'
}

@test "every command's help is the committed one" {
    local wrong=0
    while read -r command; do
        file=$here/help/${command:-mamctl}.txt
        file=${file// /-}
        # shellcheck disable=SC2086 # a path of several words
        mamctl $command --help >now
        [ -z "${UPDATE_HELP-}" ] || cp now "$file"
        diff -u "$file" now || wrong=1
    done < <(commands)
    [ "$wrong" -eq 0 ]
}

@test "no help file is left over" {
    commands | sed 's/^$/mamctl/; s/ /-/g; s/$/.txt/' | sort >expected
    (cd "$here/help" && printf '%s\n' *) | sort >present
    diff -u expected present
}

@test "each help text has a paragraph and an example that begins with the command" {
    while read -r command; do
        # shellcheck disable=SC2086
        mamctl $command --help >now
        grep -q '^Example:$' now
        # The help of a group has an example with one of its commands.
        grep -Eq "^  mamctl ${command}( |$)" now
    done < <(commands | sed '/^$/d')
}

@test "completions are made for three shells" {
    for shell in bash zsh fish; do
        mamctl --generate-completion-script "$shell" >script
        grep -q mamctl script
    done
}

@test "help is printed on standard output and ends with 0" {
    run --separate-stderr mamctl --help
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    run --separate-stderr mamctl help authority user
    [ "$status" -eq 0 ]
    [[ $output == *"add"* ]]
}

@test "version names mamctl, the library and the ABI" {
    run mamctl version
    [[ $output =~ ^mamctl\ [0-9.]+,\ libmam\ [0-9.]+,\ ABI\ [0-9]+$ ]]
    [ "$(mamctl --version)" = "$output" ]
    run mamctl version --json
    [ "$(value .mamctl)" = "$(value .libmam)" ]
}

@test "every command states its name" {
    # The parser would take it from the type's description, for which Swift searches all conformances: 5 ms at each start.
    grep -rhA1 --no-group-separator 'CommandConfiguration($' "$here/../../Sources/mamctl" >configurations
    [ "$(grep -c commandName configurations)" -gt 100 ]
    run ! grep -v 'CommandConfiguration(\|commandName:' configurations
}
