#!/usr/bin/env bats
# mamctl file.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

@test "a file is given an owner, which info prints, and a wipe removes it" {
    enrolled_with strict
    echo plan >plan
    echo milk >milk
    mamctl file info plan | grep -Fx 'plan: -, none'
    mamctl file protect --account "$ann" plan
    run mamctl file info plan milk
    [[ ${lines[0]} == *', both, encrypted' ]]
    [ "${lines[1]}" = 'milk: -, none' ]
    [ "$(mamctl file info plan --json | jq -r .known)" = both ]
    mamctl wipe "$ann"
    [ ! -e plan ]
    [ -e milk ]
}

@test "a wipe reports files that it did not find" {
    enrolled_with strict
    echo plan | tee kept >moved
    mamctl file protect --account "$ann" kept moved
    mkdir far
    mv moved far/
    run --separate-stderr mamctl wipe "$ann"
    [ "$status" -eq 0 ]
    [[ $stderr == *'removed or moved before: 1 (mamctl events --json names them)'* ]]
    mamctl events --json | jq -r 'select(.event == "wipeDidComplete").files.named[].path' | grep -E '/moved$'
}

@test "a directory whose files other programs changed" {
    enrolled_with strict
    mkdir notes
    echo plan >notes/plan
    mamctl file protect --account "$ann" notes
    echo later >notes/later
    python3 -c 'import os; os.removexattr("notes/plan", "user.mam.owner")'
    mamctl file info notes/later | grep -E ', directory$'
    mamctl file info notes/plan | grep -E ', index, encrypted, disagrees: attributeMissing$'
    mamctl file verify --account "$ann" notes/plan
    mamctl file info notes/plan | grep -E ', both, encrypted$'
}

@test "a path that is not a file is an error that names it" {
    enrolled_with strict
    run --separate-stderr mamctl file protect --account "$ann" nowhere
    failed_with 1 'nowhere: .*no such file'
    ln -s nowhere link
    run --separate-stderr mamctl file info link
    failed_with 1 'link: .*symbolic link'
}

@test "one failing file does not keep the others from being done" {
    enrolled_with strict
    echo plan | tee first >second
    for command in protect encrypt verify; do
        run --separate-stderr mamctl file $command --account "$ann" nowhere first elsewhere second
        [ "$status" -eq 1 ]
        [ "$(grep -c 'no such file' <<<"$stderr")" -eq 2 ]
    done
    run --separate-stderr mamctl file info nowhere first second
    [ "$status" -eq 1 ]
    [ "$(grep -c ', both, encrypted$' <<<"$output")" -eq 2 ]
    run --separate-stderr mamctl file decrypt nowhere first second
    [ "$status" -eq 1 ]
    [ "$(cat first second)" = $'plan\nplan' ]
}

@test "without an enrolled account a file is personal, with a note" {
    mamctl authority create
    run --separate-stderr mamctl file write --account "$ann" plan <<<plan
    [ "$status" -eq 0 ]
    [[ $stderr == *"personal: no account is enrolled in this app; enroll $ann first" ]]
    mamctl file info plan | grep -Fx 'plan: -, none'
}

@test "a file is encrypted, decrypted into a copy, and decrypted in place" {
    enrolled_with strict
    echo plan >plan
    mamctl file encrypt --account "$ann" plan
    [ "$(head -c 3 plan)" = MAM ]
    mamctl file encrypt --account "$ann" plan
    mamctl file decrypt plan --copy copy
    [ "$(cat copy)" = plan ]
    [ "$(head -c 3 plan)" = MAM ]
    mamctl file decrypt plan
    [ "$(cat plan)" = plan ]
    run --separate-stderr mamctl file encrypt --account stranger@personal.example plan
    failed_with 1 'stranger@personal.example is not a managed account'
    [ "$(cat plan)" = plan ]
}

@test "a file is written and read without a plain one on the disk" {
    enrolled_with strict
    seq 100000 | mamctl file write --account "$ann" plan
    [ "$(mamctl file info plan --json | jq -c '[.encrypted, .known]')" = '[true,"both"]' ]
    mamctl file read plan | cmp - <(seq 100000)
    printf '' | mamctl file write --account "$ann" plan
    [ -z "$(mamctl file read plan)" ]
    echo milk | mamctl file write --account "" milk
    [ "$(cat milk)" = "$(mamctl file read milk)" ]
    run --separate-stderr mamctl file read nowhere
    failed_with 1 'nowhere: .*no such file'
}

@test "containers and exported files are distinguished from sealed files" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    mamctl file export plan exported --location sharePoint --location-account "$ann"
    run --separate-stderr mamctl file read plan
    failed_with 1 'plan is a container; mamctl unprotect reads it'
    for command in decrypt read; do
        run --separate-stderr mamctl file "$command" exported
        failed_with 1 'exported is an exported file; mamctl file import takes it in'
    done
    run --separate-stderr mamctl unprotect exported
    failed_with 1 'mamctl file import'
    run --separate-stderr mamctl file import exported copy --account "$ann" --app com.example.mail --group com.example.mail --new-app
    failed_with 1 'not enrolled in this app'
}

# shellcheck disable=SC2016 # for the inner shell
@test "progress is shown on a terminal only" {
    enrolled_with open
    head -c 40M /dev/zero >large
    export TERM=xterm
    run --separate-stderr mamctl file encrypt --account "$ann" large
    [ -z "$stderr$output" ]
    mamctl file decrypt large
    run python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))' "$MAMCTL" file encrypt --account "$ann" large
    [[ $output == *'large: '*' of 40 MiB, '*' %'* ]]
    run python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))' "$MAMCTL" wipe "$ann"
    [[ $output == *'a wipe has removed 1 files'* ]]
}

@test "a misspelt account is reported, and a sealed file is not read as a container" {
    enrolled_with strict
    echo plan >plan
    mamctl file protect --account "$ann" plan
    run --separate-stderr mamctl unprotect plan
    [ "$status" -ne 0 ]
    [ -z "$output" ]
    [[ $stderr == *'plan is a sealed file, not a container; mamctl file decrypt --copy reads it'* ]]
    run --separate-stderr mamctl file protect --account anne@contoso.example plan
    failed_with 1 "did you mean $ann"
    [ "$(mamctl file info plan --json | jq -r .encrypted)" = true ]
    run --separate-stderr mamctl file protect --account anne@contoso.exmaple plan
    failed_with 1 "did you mean $ann"
    # A name in another domain is personal, and does not receive Ann's files.
    run --separate-stderr mamctl file protect --account anne@home.example plan
    [ "$status" -ne 0 ]
    [[ $stderr == *'plan: Saving to other is refused'* ]]
    echo plan >other
    run --separate-stderr mamctl file protect --account anne@home.example other
    [ "$status" -eq 0 ]
    [[ $stderr == *'anne@home.example is not a managed account'* ]]
}

@test "names with newlines, and of the greatest length, are printed unchanged" {
    enrolled_with strict
    local odd=$'two\nlines \e[1m"\\' deep name
    echo plan >"$odd"
    mamctl file protect --account "$ann" "$odd"
    # One line for each file, whatever its name contains.
    [ "$(mamctl file info "$odd" | wc -l)" = 1 ]
    [ "$(mamctl file info "$odd" | tr -d -c '\033' | wc -c)" = 0 ]
    mamctl file info "$odd" --json | jq -e '.known == "both" and .encrypted'
    run --separate-stderr mamctl file decrypt $'no\nsuch'
    failed_with 1 'no such file'
    [ "${#stderr_lines[@]}" = 1 ]
    run --separate-stderr mamctl file info "$odd" $'no\nsuch' --json
    [ "$status" = 1 ]
    jq . <<<"$output"
    # PATH_MAX: 4,095 bytes and NUL.
    name=$(printf 'd%.0s' {1..200})
    deep=$PWD
    while [ ${#deep} -lt 3800 ]; do deep=$deep/$name; done
    mkdir -p "$deep"
    deep=$deep/$(printf 'f%.0s' $(seq $((4094 - ${#deep} > 255 ? 255 : 4094 - ${#deep}))))
    echo plan >"$deep"
    mamctl file protect --account "$ann" "$deep"
    mamctl file info "$deep" --json | jq -e '.known == "both"'
}

@test "a file that holds a container is decrypted, and a database is refused" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    mamctl file decrypt plan --copy copy
    [ "$(cat copy)" = plan ]
    [ "$(head -c 3 plan)" = MAM ]
    mamctl file decrypt plan
    [ "$(cat plan)" = plan ]
    sqlite3 notes.db 'CREATE TABLE notes(text)'
    mamctl sqlite encrypt --account "$ann" notes.db
    [ "$(head -c 15 notes.db)" != 'SQLite format 3' ]
    run --separate-stderr mamctl file decrypt notes.db
    failed_with 1 'encrypted SQLite database'
    run --separate-stderr mamctl unprotect notes.db
    failed_with 1 'encrypted SQLite database'
    [ -z "$output" ]
}

@test "nothing of an account that left is exported or made plain" {
    enrolled_with strict
    echo 'the plan' | mamctl file write --account "$ann" plan
    mamctl unenroll "$ann"
    for command in "export plan out --location localDrive" "decrypt plan"; do
        # shellcheck disable=SC2086
        run mamctl file $command
        [ "$status" -ne 0 ]
        [[ $output == *'plan: is data of an account that was wiped or unenrolled'* ]]
    done
    [ ! -e out ]
    run ! grep -F plan plan
    [ "$(mamctl file read plan)" = 'the plan' ]
}

@test "a sealed file that lost its beginning is damaged, and can be written again" {
    enrolled_with strict
    echo 'the plan' | mamctl file write --account "$ann" plan
    dd if=/dev/zero of=plan bs=4096 count=1 conv=notrunc status=none
    for command in read "protect --account $ann" "encrypt --account $ann" decrypt; do
        # shellcheck disable=SC2086
        run mamctl file $command plan
        [ "$status" -ne 0 ]
        [[ $output == *'plan: was sealed, and its first page is not one of a sealed file'* ]]
    done
    echo 'a new plan' | mamctl file write --account "$ann" plan
    [ "$(mamctl file read plan)" = 'a new plan' ]
}

@test "protecting a directory leaves personal files, and names them" {
    enrolled_with strict
    mkdir notes
    echo plan >notes/plan
    echo milk | mamctl file write --account '' notes/milk
    run --separate-stderr mamctl file protect --account "$ann" notes
    [ "$status" -eq 0 ]
    [[ $stderr == *'notes/milk, which was given to no user'* ]]
    run --separate-stderr mamctl file protect --account "$ann" notes
    [[ $stderr == *'notes/milk, which was given to no user'* ]]
    mamctl wipe "$ann" 2>/dev/null
    [ "$(cat notes/milk)" = milk ]
    [ ! -e notes/plan ]
}

@test "a wipe that has to leave a file fails, and a later check-in removes it" {
    enrolled_with strict
    mkdir notes
    echo plan | mamctl file write --account "$ann" notes/plan
    chattr +i notes 2>/dev/null || skip 'no directory can be made immutable here'
    run --separate-stderr mamctl wipe "$ann"
    chattr -i notes
    [ "$status" -eq 1 ]
    [[ $stderr == *'notes/plan: '*'no call of this app opens them'* ]]
    mamctl enroll "$ann" >/dev/null 2>&1 || true
    mamctl checkin >/dev/null 2>&1 || true
    [ ! -e notes/plan ]
}
