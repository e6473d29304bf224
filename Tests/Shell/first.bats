#!/usr/bin/env bats
# README.md and pages on files: their command blocks, pasted in a staged checkout, print what the pages say.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

root=$BATS_TEST_DIRNAME/../..

# block LANGUAGE N: the N-th block of a page in that language, from 1.
block() { awk -v mark="\`\`\`$1" -v n="$2" '$0 == mark && ++count == n { on = 1; next } /^```$/ { on = 0 } on' "$page"; }

# A directory like the checkout, with a script of the page's blocks without make.
checkout() {
    page=$root/$1
    ln -s "$root/examples" "$root/bindings" "$root/stage" .
    shift
    for number in "$@"; do block sh "$number"; done | grep -v '^make ' >pasted
    unset MAM_AUTHORITY MAM_STATE MAM_APP
    export PATH="$root/stage/usr/local/bin:$PATH" PYTHONDONTWRITEBYTECODE=1 TMPDIR=$scratch
}

# Paste a script into a shell. "zsh" is interactive: it has no comments, and more characters are special.
paste_into() {
    type -P "$1" >/dev/null || skip "there is no $1: make deps"
    case $1 in
    zsh) PS1='' PS2='' zsh -f -i -o no_prompt_sp -o no_prompt_cr <pasted >said 2>complaints ;;
    *) "$1" pasted >said 2>complaints ;;
    esac
    cat said complaints
}

@test "the ten lines of README.md, in sh, C and Python" { readme_in sh; }
@test "the ten lines of README.md, pasted into zsh" { readme_in zsh; }

readme_in() {
    checkout README.md 5 6 7 8
    block c 1 >ask.c
    block python 1 >ask.py
    paste_into "$1"
    [ "$(grep -cx 'the plan' said)" -eq 1 ]
    grep -x refused said
    grep -x 'may not be printed' said
    grep -x "b'the plan'" said
    [ "$(wc -l <complaints)" -eq 2 ]
    grep 'saveAsBlocked' complaints
    grep 'wiped' complaints
}

@test "the snippets of the pages about files run in a shell" {
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
