#!/usr/bin/env bats
# The notes example in C, C++, Python and shell: every command of each, on notes that all of them read.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

examples=$BATS_TEST_DIRNAME/../../examples

setup_file() {
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -o "$BATS_FILE_TMPDIR/notes" "$BATS_TEST_DIRNAME/../../examples/c/notes.c" \
        $(pkg-config --cflags --libs mam sqlite3)
    # shellcheck disable=SC2046 # several flags
    "${CXX:-c++}" -std=c++17 -Wall -Wextra -Wshadow -Wconversion -Werror -o "$BATS_FILE_TMPDIR/notes-cpp" \
        "$BATS_TEST_DIRNAME/../../examples/cpp/notes.cpp" $(pkg-config --cflags --libs mam sqlite3)
    export PYTHONPATH=$BATS_TEST_DIRNAME/../../bindings/python/src PYTHONDONTWRITEBYTECODE=1
}

notes() {
    export NOTES_DIR=$scratch/notes MAMCTL
    case $language in
    c) "$BATS_FILE_TMPDIR/notes" "$@" ;;
    cpp) "$BATS_FILE_TMPDIR/notes-cpp" "$@" ;;
    python) python3 "$examples/python/notes.py" "$@" ;;
    shell) "$examples/shell/notes.sh" "$@" ;;
    esac
}

whole_way() {
    language=$1
    # Personal notes need no account.
    notes add personal 'Buy milk'
    run notes add work 'Merger'
    [ "$status" -eq 1 ]
    authority_with strict
    notes enroll "$ann"
    run notes list
    [[ $output == *"Choose a PIN for your organisation's data."*'work notes: closed'*'personal 1: Buy milk' ]]
    for command in 'add work Merger' 'show work 1' 'export work 1 leak'; do
        # shellcheck disable=SC2086 # several words
        run notes $command
        [ "$status" -eq 3 ]
    done
    printf '258013\n' | mamctl pin set "$ann" --stdin
    notes add work $'Merger on Friday, it\'s "ours"\nand more'
    notes add personal 'Feed the cat'
    run --separate-stderr notes list
    [ "$output" = $'work 1: Merger on Friday, it\'s "ours" and more\npersonal 1: Buy milk\npersonal 2: Feed the cat' ]
    [ "$(notes show work 1)" = $'Merger on Friday, it\'s "ours"\nand more' ]
    run --separate-stderr notes export work 1 leak
    [ "$status" -eq 3 ]
    # mamctl answers the administrator, the programs a person.
    case $language in
    shell) [[ $stderr == *saveAsBlocked*'“Example: strict”'* ]] ;;
    *) [[ $stderr == *'refused: Your organisation does not allow saving to this computer.' ]] ;;
    esac
    [ ! -e leak ]
    notes export personal 2 cat
    [ "$(cat cat)" = 'Feed the cat' ]
    run notes show work 2
    [ "$status" -eq 1 ]
    run notes fly
    [ "$status" -eq 2 ]
    MAM_AUTHORITY='' run notes list
    [ "$status" -eq 1 ]
}

nothing_in_the_clear() {
    run ! grep -rqE 'Merger|ours|and more' notes
    [ "$(head -c 4 notes/work-ann-id/index.db | od -An -tx1)" = ' 4d 41 4d 03' ]
    [ "$(mamctl file info notes/work-ann-id/* | grep -c ': ann-id, both, encrypted$')" -eq 2 ]
}

a_wipe_removes_both() {
    language=$1
    notes wipe
    [ ! -e notes/work-ann-id ]
    run notes list
    [[ $output == *'personal 1: Buy milk'$'\n''personal 2: Feed the cat' ]]
    run notes show work 1
    [ "$status" -eq 1 ]
}

@test "notes in C" { whole_way c; nothing_in_the_clear; a_wipe_removes_both c; }
@test "notes in C++" { whole_way cpp; nothing_in_the_clear; a_wipe_removes_both cpp; }
@test "notes in Python" { whole_way python; nothing_in_the_clear; a_wipe_removes_both python; }
@test "notes in shell" { whole_way shell; nothing_in_the_clear; a_wipe_removes_both shell; }

@test "notes in shell takes the PIN from standard input or a dialog" {
    language=shell
    authority_with strict
    printf '{"@odata.type":"#libmam.linuxManagedAppProtection","id":"p","pinRequired":true,"periodOnlineBeforeAccessCheck":"PT0S"}' |
        mamctl authority policy import - --all-users --all-apps >/dev/null
    notes enroll "$ann"
    printf '258013\n' | notes --stdin add work 'Merger on Friday'
    printf '258013\n' | notes --stdin show work 1 >shown
    [ "$(cat shown)" = 'Merger on Friday' ]
    run notes show work 1 </dev/null
    [ "$status" -eq 3 ]
    fake_pinentry 258013
    [ "$(PATH=$scratch:$PATH notes --pinentry show work 1)" = 'Merger on Friday' ]
    run notes --stdin
    [ "$status" -eq 2 ]
}

@test "each program reads the notes of the others" {
    authority_with open
    language=shell notes enroll "$ann"
    for writer in c cpp python shell; do language=$writer notes add work "from $writer"; done
    for reader in c cpp python shell; do
        run language_list "$reader"
        [ "$output" = $'work 1: from c\nwork 2: from cpp\nwork 3: from python\nwork 4: from shell' ]
        language=$reader notes export work 1 "exported-by-$reader"
        [ "$(cat "exported-by-$reader")" = 'from c' ]
    done
}

@test "work notes are encrypted once a policy requires it" {
    authority_with open
    policy() {
        printf '{"@odata.type":"#libmam.linuxManagedAppProtection","id":"s","appDataEncryptionType":"%s"}' "$1" |
            mamctl authority policy import - --all-users --all-apps --replace >/dev/null
    }
    mamctl authority policy remove "$(mamctl authority policy list --json | jq -r '.policies[0].id')" >/dev/null
    for language in c cpp python shell; do
        policy useDeviceSettings
        notes enroll "$ann"
        notes add work 'Merger on Friday'
        grep -rq Merger notes/work-ann-id
        policy whenDeviceLocked
        mamctl checkin >/dev/null
        [ "$(notes show work 1)" = 'Merger on Friday' ]
        run --separate-stderr notes list
        [ "$output" = 'work 1: Merger on Friday' ]
        [ "$(head -c 4 notes/work-ann-id/index.db | od -An -tx1)" = ' 4d 41 4d 03' ]
        run ! grep -rq Merger notes
        notes add work 'More'
        notes wipe
        rm -r notes
    done
}

@test "a wipe by another process is reported once, and the program goes on" {
    authority_with open
    for language in c cpp python shell; do
        notes enroll "$ann"
        notes add work 'Merger on Friday'
        notes add personal 'Buy milk'
        mamctl authority wipe request "$ann"
        mamctl checkin
        run --separate-stderr notes list
        [ "$status" -eq 0 ]
        [[ $stderr == *'ann-id: wiped; its notes are gone'* && $output == 'personal 1: Buy milk'* ]]
        [ ! -e notes/work-ann-id ]
        run notes list
        [[ $output != *wiped* ]]
        rm -r notes
    done
}

@test "offline, and another account" {
    authority_with open
    mamctl authority user add ben@contoso.example --account-id ben-id
    language=c
    notes enroll "$ann"
    notes add work "Ann's"
    mv authority.db away
    for language in c cpp python shell; do
        run --separate-stderr notes list
        [ "$output" = "work 1: Ann's" ]
    done
    mv away authority.db
    mamctl unenroll "$ann"
    notes enroll ben@contoso.example
    for language in c cpp python shell; do
        run --separate-stderr notes list
        [ -z "$output" ]
    done
    notes add work "Ben's"
    mamctl unenroll ben@contoso.example
    notes enroll "$ann"
    for language in c cpp python shell; do
        run --separate-stderr notes list
        [ "$output" = "work 1: Ann's" ]
    done
}

language_list() { language=$1 notes list; }
