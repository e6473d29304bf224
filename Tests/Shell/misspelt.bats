#!/usr/bin/env bats
# Misspelt commands, options and values of every command: the message suggests the right one, and the status is 64.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

# Lines of KIND, WRONG and MEANT, and the words of a command, from the parser's own description: every command, option and
# enumerated value with two letters swapped or one left out. An option of several commands is misspelt for one of them, and each
# command has one.
mistakes() {
    mamctl --experimental-dump-help | python3 -c '
import json, sys

def bend(word):
    letters = [i for i in range(1, len(word) - 1) if word[i].isalpha() and word[i + 1].isalpha() and word[i] != word[i + 1]]
    for i in letters[len(letters) // 2 :] + letters:
        yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]
        yield word[:i] + word[i + 1 :]
    yield word + "s"

def bent(word, others):
    return next(one for one in bend(word) if len(one) > 1 and one not in others)

def walk(command, path):
    subs = [sub for sub in command.get("subcommands", []) if sub["commandName"] != "help"]
    names = [sub["commandName"] for sub in command.get("subcommands", [])]
    for sub in subs:
        name = sub["commandName"]
        if len(name) > 2:
            print("command", bent(name, names), " ".join(["mamctl", *path, name]), *path, bent(name, names), sep="\t")
        walk(sub, [*path, name])
    options = ["--" + name["name"] for one in command["arguments"] for name in one.get("names", []) if name["kind"] == "long"]
    for option in options:
        if option in seen and option != options[0]:
            continue
        seen.add(option)
        wrong = "--" + bent(option[2:], [other[2:] for other in options])
        print("option", wrong, option, *path, wrong, sep="\t")
    before = []
    for one in command["arguments"]:
        long = ["--" + name["name"] for name in one.get("names", []) if name["kind"] == "long"]
        for value in one.get("allValues", []):
            if len(value) > 2 and (one["valueName"], value) not in seen:
                seen.add((one["valueName"], value))
                wrong = bent(value, one["allValues"])
                print("value", wrong, value, *path, *before, *long, wrong, sep="\t")
        if one["kind"] == "positional":
            before.append((one.get("allValues") or ["x"])[0])

seen = set()
walk(json.load(sys.stdin)["command"], [])'
}

@test "every command, option and value that is misspelt names the right one" {
    mistakes >mistakes
    for kind in command option value; do [ "$(grep -c "^$kind" mistakes)" -gt 50 ]; done
    local bad=0
    while IFS=$'\t' read -r kind wrong meant words; do
        IFS=$'\t' read -r -a line <<<"$words"
        code=0
        said=$(mamctl "${line[@]}" 2>&1 >/dev/null </dev/null) || code=$?
        if [ "$code" -ne 64 ] || [[ $said != "mamctl: "*"'$wrong'"*". Did you mean '$meant'?"*"(see 'mamctl"*"--help')" ]]; then
            echo "$kind ${line[*]} ($code): $said"
            bad=$((bad + 1))
        fi
    done <mistakes
    [ "$bad" -eq 0 ]
}

# said STATUS WORDS TEXT…: expects a command line to fail with one line that contains the texts.
said() {
    local code=$1 text words
    read -r -a words <<<"$2"
    shift 2
    run --separate-stderr mamctl "${words[@]}"
    failed_with "$code" .
    for text; do [[ $stderr == *"$text"* ]] || { echo "${words[*]}: $stderr, without $text"; return 1; }; done
}

@test "help of a command that there is not is wrong usage" {
    said 64 'help fly' "Unknown command 'fly'. (see 'mamctl --help')"
    said 64 'help stauts' "Unknown command 'stauts'. Did you mean 'mamctl status'? (see 'mamctl --help')"
    said 64 'help authority usr' "Unknown command 'usr'. Did you mean 'mamctl authority user'? (see 'mamctl authority --help')"
    said 64 'stauts --help' "Did you mean 'mamctl status'?"
    said 64 'authority usr -h' "Did you mean 'mamctl authority user'?"
    for words in help 'help status' 'help authority user add' 'help check-in' 'status --help' 'authority -h' 'check --help print' 'help check print'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl $words
        [ "$status" -eq 0 ] && [ -z "$stderr" ] || { echo "$words: $status $stderr"; return 1; }
    done
    run -127 --separate-stderr mamctl run --identity x -- prog --help
}

@test "a near name may differ by more than a letter" {
    said 64 'auth user list' "Unknown command 'auth'. Did you mean 'mamctl authority'? (see 'mamctl --help')"
    said 64 'authority usr list' "Did you mean 'mamctl authority user'? (see 'mamctl authority --help')"
    said 64 'user list' "Unknown command 'user'. Did you mean 'mamctl authority user'?"
    said 64 'check --Account=x print' "'--Account'. Did you mean '--account'?"
    said 64 'check --location_account x' "Did you mean '--location-account'?"
    said 64 'check --loc x' "Did you mean '--location'?"
    said 64 'check saveto --account x' "'saveto' is invalid for '<action>'. Did you mean 'saveTo'? It is one of saveTo, openFrom"
    said 64 'check saveTo --account x --location onedriveforbusiness' "Did you mean 'oneDriveForBusiness'? It is one of other"
    said 64 'check print --acount=ann --mode imprt' "'--acount'. Did you mean '--account'?"
}

@test "a name that is near none gets no suggestion, and other mistakes keep their messages" {
    said 64 fly "Unknown command 'fly'. (see 'mamctl --help')"
    said 64 'status --xyzzyxyzzy' "Unknown option '--xyzzyxyzzy'. (see 'mamctl status --help')"
    said 64 'check -x' "Unknown option '-x'. (see 'mamctl check --help')"
    said 64 enroll "Missing expected argument" "(see 'mamctl enroll --help')"
    said 64 'status extra' "Unexpected argument 'extra'"
    said 64 'check print --account' "Missing value for '--account"
    said 64 'pin status a b' "Unexpected argument 'b'"
    said 64 '--generate-completion-script tcsh' tcsh
    said 64 'run --identity' "Missing value for '--identity"
    said 64 'run --identiy x -- true --foo' "Did you mean '--identity'?"
    run --separate-stderr mamctl chekc --json
    [ "$status" -eq 64 ]
    [ "$(jq -r .name <<<"$stderr")" = argument ]
    [[ $(jq -r .message <<<"$stderr") == *"Did you mean 'mamctl check'?"* ]]
}

@test "arguments of the program that is run are not checked" {
    authority_with open
    mamctl enroll "$ann" >/dev/null
    [ "$(mamctl run --identity "$ann" -- echo --acount chekc)" = '--acount chekc' ]
    run mamctl run --identity "$ann" -- sh -c 'exit 64' --acount
    [ "$status" -eq 64 ]
    [ -z "$output" ]
}

@test "other names that mamctl knows: questions and properties" {
    authority_with strict
    said 64 'login --answer wipeDat={}' "no question \"wipeDat\". Did you mean 'wipeData'? It is one of wipeData"
    said 1 'policy properties printblockd' "Did you mean 'printBlocked'?"
    # The kinds are those of mam.h.
    awk '/question_json \{/ { on = 1 } /The answer null takes/ { on = 0 } on && match($0, /^ \*    [a-zA-Z]+ /) { print $2 }' \
        "$here/../../include/mam.h" | sort -u >asked
    run --separate-stderr mamctl login --answer 'x={}'
    sed 's/.*It is one of //; s/ (see.*//; s/\.$//' <<<"$stderr" | tr -d ' ' | tr ',' '\n' | sort -u >known
    diff -u asked known
}

@test "a misspelt name in the organisation's domain is no unmanaged user" {
    enrolled_with strict
    for words in 'print --account anm@contoso.example' 'saveTo --location localDrive --account anm@contoso.example'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr mamctl check $words
        failed_with 1 'did you mean ann@contoso.example'
        [ -z "$output" ]
    done
    run --separate-stderr mamctl check --request '[{"action":"print","account":"eve@personal.example"},{"action":"print","account":"anm@contoso.example"}]'
    failed_with 1 'did you mean ann@contoso.example'
    run --separate-stderr mamctl check --batch <<<$'{"action":"print","account":"eve@personal.example"}\n{"action":"print","account":"anm@contoso.example"}'
    failed_with 1 'did you mean ann@contoso.example.*it is line 2 of standard input'
    [ "$output" = allowed ]
    mamctl check print --account eve@personal.example
    run mamctl check print --account "$ann"
    [ "$status" -eq 3 ]
}
