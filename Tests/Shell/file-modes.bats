#!/usr/bin/env bats
# mamctl file: files and directories that their user may not read or change.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

# bound COMMAND…: without root's right to pass over the modes of files.
bound() {
    if [ "$(id -u)" -eq 0 ]; then setpriv --bounding-set -dac_override,-dac_read_search "$@"; else "$@"; fi
}

@test "a file that may not be read keeps no other from being protected, and is wiped" {
    enrolled_with no-pin
    mkdir -p work/closed
    for name in work/a work/b work/c work/closed/d; do echo secret >$name; done
    chmod 0 work/b work/closed
    for _ in first again; do
        run --separate-stderr bound mamctl file protect --account "$ann" work
        [ "$status" -eq 1 ]
        [[ $stderr == *work/* && $stderr == *'this user may not'* ]]
        mamctl file info work work/a work/c | grep -c ', both' | grep -x 3
        run ! grep -q secret work/a work/c
    done
    run bound mamctl wipe "$ann"
    [ ! -e work/a ]
    [ ! -e work/b ]
    [ ! -e work/closed/d ]
}

@test "a file that may not be written is protected, and wiped from a directory that may not be changed" {
    enrolled_with no-pin
    mkdir -p work/kept
    for name in work/a work/kept/b; do echo secret >$name; done
    python3 -c 'import os; os.setxattr("work/a", "user.note", b"kept")'
    chmod 400 work/a
    bound mamctl file protect --account "$ann" work
    mamctl file info work/a work/kept/b | grep -c ', both, encrypted' | grep -x 2
    [ "$(stat -c %a work/a)" = 400 ]
    python3 -c 'import os; assert os.getxattr("work/a", "user.note") == b"kept"'
    echo secret >work/kept/plain
    chmod 500 work/kept
    bound mamctl wipe "$ann"
    [ ! -e work/a ]
    [ ! -e work/kept/b ]
    [ ! -e work/kept/plain ]
}

@test "a directory of the account that may not be read at all is wiped" {
    enrolled_with no-pin
    mkdir -p work/below other
    for name in work/a work/below/b other/mine; do echo secret >$name; done
    mamctl file protect --account "$ann" work work/below/b
    chmod 0 work/below work other
    bound mamctl wipe "$ann"
    chmod 700 other
    [ -e other/mine ]
    [ ! -e work ]
    mamctl events --json | jq -e 'select(.event == "wipeDidComplete").files | .left == 0 and .named == []'
}

@test "a file that may not be read is refused as before where its directory is another's" {
    enrolled_with no-pin
    mkdir work
    echo secret >work/a
    mamctl file protect --account "$ann" work
    chmod 0 work/a
    run --separate-stderr bound mamctl file protect --account '' work
    [ "$status" -ne 0 ]
    mamctl file info work work/a | grep -c ', both' | grep -x 2
}
