#!/usr/bin/env bats
# Wrong usage, missing surroundings, full disks and readers that leave.

# What helpers.bash sets, and mamctl reading no file that is written:
# shellcheck disable=SC2154,SC2094,SC2016
load helpers

@test "wrong usage is one line that points at the help" {
    run --separate-stderr mamctl enroll
    failed_with 64 "\(see 'mamctl enroll --help'\)"
    run --separate-stderr mamctl authority policy assign some-id
    failed_with 64 "\(see 'mamctl authority policy assign --help'\)"
    run --separate-stderr mamctl fly
    failed_with 64 "'fly'"
    run --separate-stderr mamctl enroll --json
    [ "$status" -eq 64 ]
    [ "$(jq -r .name <<<"$stderr")" = argument ]
}

@test "an app and an authority are asked for" {
    MAM_APP='' run --separate-stderr mamctl status
    failed_with 64 'MAM_APP'
    MAM_AUTHORITY='' run --separate-stderr mamctl status
    failed_with 64 'MAM_AUTHORITY'
}

@test "an authority that is not there fails no session, but enrolling" {
    run --separate-stderr mamctl enroll "$ann"
    failed_with 1 .
}

@test "a state that others can read is refused" {
    authority_with strict
    mamctl status
    chmod 755 "$MAM_STATE/$MAM_APP"
    run --separate-stderr mamctl status
    failed_with 1 .
}

@test "a full disk is told" {
    authority_with strict
    run --separate-stderr bash -c '"$1" authority show >/dev/full' - "$MAMCTL"
    failed_with 1 'standard output'
}

@test "a reader that leaves ends it quietly" {
    authority_with strict
    run --separate-stderr bash -c '{ sleep 0.3; "$1" authority show; echo "$?" >status; } | true' - "$MAMCTL"
    [ -z "$stderr" ]
    [ "$(cat status)" = 141 ]
    run --separate-stderr bash -c '{ sleep 0.3; "$1" --help; echo "$?" >status; } | true' - "$MAMCTL"
    [ -z "$stderr" ]
    [ "$(cat status)" = 141 ]
}

@test "names cannot steer the terminal" {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" --display-name $'\e[31mAnn' >shown || skip 'the authority refuses such names'
    run ! grep -q $'\e' shown
    grep -F '\u{1b}[31mAnn' shown
}
