#!/usr/bin/env bats
# docs/from-intune.md: it has every name of the Intune App SDK, names nothing of libmam that does not exist, and its programs run.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

page=$BATS_TEST_DIRNAME/../../docs/from-intune.md
checks=$BATS_TEST_DIRNAME/porting.py

setup_file() { export PYTHONPATH=$BATS_TEST_DIRNAME/../../bindings/python/src PYTHONDONTWRITEBYTECODE=1; }

# blocks LANGUAGE: all blocks of the page in that language.
blocks() { awk -v mark="\`\`\`$1" '$0 == mark { on = 1; next } /^```$/ { on = 0 } on' "$page"; }

@test "every name that mam.h mirrors is on the page" { python3 "$checks" theirs; }

@test "every name of the SDK's interface is on the page" {
    facts=${MAM_SHARED_DATA:-$here/../../../shared/data}/../design/semantics.md
    [ -e "$facts" ] || skip "there is no page on the interface beside the checkout"
    python3 "$checks" theirs "$facts"
}

@test "functions, Python names, commands and keys on the page exist" { python3 "$checks" ours; }

# printed: the output of both programs, with the account as JSON in C.
printed() {
    diff -u - <(tr -d '"' <output) <<END
100: The account's policy has arrived or changed, and is in force. Nothing to do.
Your organisation does not allow saving to this computer.
showing mail
indexing for ann-id
wiped: $ann
END
}

@test "the program in C" {
    blocks c >program.c
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Wshadow -Werror -o program program.c $(pkg-config --cflags --libs mam)
    authority_with strict
    ./program "{\"app\":{\"id\":\"com.example.ported\"},\"stateDirectory\":\"$MAM_STATE\",
        \"authority\":{\"type\":\"embedded\",\"path\":\"$MAM_AUTHORITY\"}}" plan.txt >output
    printed
    [ ! -e plan.txt ]
}

@test "the program in Python" {
    blocks python >program.py
    authority_with strict
    python3 program.py >output
    printed
    [ ! -e plan.txt ]
}
