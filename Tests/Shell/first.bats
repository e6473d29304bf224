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

# What was pasted, in a shell: `zsh` is an interactive one, which knows no comments and takes more characters for its own.
paste_into() {
    type -P "$1" >/dev/null || skip "there is no $1: make deps"
    case $1 in
    zsh) PS1='' PS2='' zsh -f -i -o no_prompt_sp -o no_prompt_cr <pasted >said 2>complaints ;;
    *) "$1" pasted >said 2>complaints ;;
    esac
    cat said complaints
}

@test "the session of README.md, in sh and in C" { readme_in sh; }
@test "the session of README.md, pasted into zsh" { readme_in zsh; }

readme_in() {
    checkout README.md 2 3 4 5
    block c 1 >ask.c
    paste_into "$1"
    [ "$(grep -cx 'the plan' said)" -eq 2 ]
    grep -x refused said
    grep -x 'may not be printed' said
    grep -E '^sealed: [0-9]+ bytes$' said
    [ "$(wc -l <complaints)" -eq 2 ]
    grep 'saveAsBlocked' complaints
    grep 'wiped' complaints
}

@test "the guide, to the first refusal and the notes, in sh, C and Python" { guide_in sh; }
@test "the guide, pasted into zsh" { guide_in zsh; }

guide_in() {
    checkout docs/guide.md 1 2 3 4 5 6
    block c 1 >first.c
    block python 1 >first.py
    paste_into "$1"
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
