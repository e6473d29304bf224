#!/usr/bin/env bats
# The notes program in C, Python and shell: each command of each, on files that all three read.

# What helpers.bash sets, and mamctl reading no file that is written:
# shellcheck disable=SC2154,SC2094
load helpers

examples=$BATS_TEST_DIRNAME/../../examples

setup_file() {
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -o "$BATS_FILE_TMPDIR/notes" "$BATS_TEST_DIRNAME/../../examples/c/notes.c" \
        $(pkg-config --cflags --libs mam)
    export PYTHONPATH=$BATS_TEST_DIRNAME/../../bindings/python/src PYTHONDONTWRITEBYTECODE=1
}

notes() {
    export NOTES_DIR=$scratch/notes MAMCTL
    case $language in
    c) "$BATS_FILE_TMPDIR/notes" "$@" ;;
    python) python3 "$examples/python/notes.py" "$@" ;;
    shell) "$examples/shell/notes.sh" "$@" ;;
    esac
}

whole_way() {
    language=$1
    # Personal notes need no work account.
    notes add personal 'Buy milk'
    run notes add work 'Merger'
    [ "$status" -eq 1 ]
    authority_with strict
    notes enroll "$ann"
    notes add work 'Merger on Friday'
    notes add personal 'Feed the cat'
    run ! grep -rq Merger notes
    run notes list
    [[ $output == *'A PIN has to be set'* && $output == *'1 personal: Buy milk'*'2 work: (unreadable: '* ]]
    run ! grep -q Merger <<<"$output"
    for command in 'show 2' 'export 2 leak'; do
        # shellcheck disable=SC2086 # several words
        run notes $command
        [ "$status" -eq 3 ]
    done
    printf '258013\n' | mamctl pin set "$ann" --stdin
    run --separate-stderr notes list
    [ "$output" = $'1 personal: Buy milk\n2 work: Merger on Friday\n3 personal: Feed the cat' ]
    [ "$(notes show 2)" = 'Merger on Friday' ]
    run --separate-stderr notes export 2 leak
    [ "$status" -eq 3 ]
    [[ $stderr == *saveAsBlocked*'“Example: strict”'* ]]
    [ ! -e leak ]
    notes export 3 cat
    [ "$(cat cat)" = 'Feed the cat' ]
    notes wipe
    run notes list
    [[ ${lines[1]} == '2 work: (unreadable: '* ]]
    [[ ${lines[0]} == '1 personal: Buy milk' && ${lines[2]} == '3 personal: Feed the cat' ]]
    run notes show 2
    [ "$status" -eq 1 ]
    run notes fly
    [ "$status" -eq 2 ]
    MAM_AUTHORITY='' run notes list
    [ "$status" -eq 1 ]
}

@test "notes in C" { whole_way c; }
@test "notes in Python" { whole_way python; }
@test "notes in shell" { whole_way shell; }

@test "what one wrote the others read" {
    authority_with open
    language=shell notes enroll "$ann"
    for writer in c python shell; do language=$writer notes add work "from $writer"; done
    for reader in c python shell; do
        run language_list "$reader"
        [ "$output" = $'1 work: from c\n2 work: from python\n3 work: from shell' ]
        language=$reader notes export 1 "exported-by-$reader"
        [ "$(cat "exported-by-$reader")" = 'from c' ]
    done
}

language_list() { language=$1 notes list; }
