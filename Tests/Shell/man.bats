#!/usr/bin/env bats
# The man page names exactly the commands and options of --help.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

page=$BATS_TEST_DIRNAME/../../docs/man/mamctl.1

# "path: --option" for each command; "path:" alone for one without options of its own.
in_help() {
    mamctl --experimental-dump-help | jq -r '
        def options: [.arguments[]? | .names[]? | select(.kind == "long") | "--" + .name];
        def walk(parent): (parent + [.commandName]) as $path
            | if .subcommands | any(.commandName != "help")
              then .subcommands[] | select(.commandName != "help") | walk($path)
              else "\($path[1:] | join(" ")):", (options[] as $option | "\($path[1:] | join(" ")): \($option)") end;
        .command | walk([])' | grep -Evx '.*: --(json|help|version)' | sort -u
}

# The same from the page's items, which begin with the command and its options.
in_page() {
    mandoc -T ascii -O width=2000 "$page" | col -bx | sed -n '/^COMMANDS/,/^ENVIRONMENT/s/^     \([a-z]\)/\1/p' >items
    cut -d: -f1 names | sort -u | while read -r command; do
        grep -E "^$command( |$)" items >lines || { echo "$command: is not in the page" && continue; }
        echo "$command:"
        grep -Eo -- '--[a-z-]+' lines | sed "s/^/$command: /"
    done | sort -u
}

session_options() {
    grep -Ev ': --(app|group|state|authority|settings|info-plist|test-policy|unknown-identities|new-app|telemetry)$' "$1"
}

@test "the page is clean" {
    run mandoc -T lint "$page"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "commands and options are those of --help" {
    in_help >names
    in_page >page
    # Session options are listed once at the top; --app and --group of authority commands are checked.
    { grep '^authority' names | grep -v ': --authority$'; session_options names | grep -v '^authority'; } | sort -u >expected
    diff -u expected page
}

@test "the page has no command that --help lacks" {
    in_help >names
    in_page >/dev/null
    cut -d: -f1 names | sort -u >commands
    while read -r item; do
        grep -Exq "($(paste -sd'|' commands))( .*)?" <<<"$item" || { echo "not a command: $item"; return 1; }
    done <items
}

@test "session and common options stand once at the top" {
    mandoc -T ascii "$page" | col -bx | sed -n '/^DESCRIPTION/,/^COMMANDS/p' >top
    for option in app group state authority settings unknown-identities telemetry json help version; do
        grep -Eq -- "^ +(-h, )?--$option( |$)" top
    done
}

@test "the page documents the environment and exit statuses" {
    mandoc -T ascii "$page" | col -bx >page
    for word in MAM_APP MAM_AUTHORITY MAM_STATE MAM_IDENTITY; do grep -Eq "^ +$word" page; done
    sed -n '/^EXIT STATUS/,/^EXAMPLES/p' page >statuses
    for number in 0 1 3 64 126 141; do grep -Eq "^ +$number(,| |$)" statuses; done
}
