#!/usr/bin/env bats
# README.md and docs/guide.md: what a newcomer pastes, from a checkout that is staged, does what stands beside it.

# What helpers.bash sets, and mamctl reading no file that is written:
# shellcheck disable=SC2154,SC2094
load helpers

root=$BATS_TEST_DIRNAME/../..

# block LANGUAGE N: the page's block of that number, of 1, in that language.
block() { awk -v mark="\`\`\`$1" -v n="$2" '$0 == mark && ++count == n { on = 1; next } /^```$/ { on = 0 } on' "$page"; }

# A folder that looks like the checkout, with a shell script of what is left of the page's blocks without make.
checkout() {
    page=$root/$1
    ln -s "$root/examples" "$root/bindings" "$root/stage" .
    shift
    for number in "$@"; do block sh "$number"; done | grep -v '^make ' >pasted
    unset MAM_AUTHORITY MAM_STATE MAM_APP
    export PATH="$root/stage/usr/local/bin:$PATH" PYTHONDONTWRITEBYTECODE=1 TMPDIR=$scratch
}

@test "the session of README.md, in the shell and in C" {
    checkout README.md 2 3
    block c 1 >ask.c
    sh pasted >said 2>complaints
    cat said complaints
    [ "$(grep -cx 'the plan' said)" -eq 2 ]
    grep -x refused said
    grep -x 'may not be printed' said
    grep -E '^sealed: [0-9]+ bytes$' said
    [ "$(wc -l <complaints)" -eq 2 ]
    grep 'saveAsBlocked' complaints
    grep 'wiped' complaints
}

@test "the guide, to the first refusal and the notes, in shell, C and Python" {
    checkout docs/guide.md 1 2 3 4 5 6
    block c 1 >first.c
    block python 1 >first.py
    sh pasted >said 2>complaints
    cat said complaints
    [ "$(grep -cx 3 said)" -eq 1 ]
    grep '^{"allowed":false,"reason":{"setting":"printBlocked"' said
    grep -x "b'minutes of the meeting'" said
    grep -x 'work 1: Merger on Friday' said
    [ "$(grep -c 'both, encrypted$' said)" -eq 2 ]
    # The check and the export, Python prints its reason; the wipe, and that there is no account.
    [ "$(grep -c 'saveAsBlocked' complaints)" -eq 2 ]
    grep 'wiped; its notes are gone' complaints
    [ "$(wc -l <complaints)" -eq 4 ]
    [ ! -e leak.txt ]
}

@test "what the pages of files do in a shell" {
    enrolled_with strict
    for name in files exchange; do
        page=$root/docs/$name.md
        block sh 1 >pasted
        sh -e pasted >said
        cat said
        grep -x 'the plan' said
    done
    [ "$(cat plain.txt)" = 'the plan' ]
}
