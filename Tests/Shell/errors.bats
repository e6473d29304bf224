#!/usr/bin/env bats
# Wrong usage, missing environment, full disks and closed pipes.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016
load helpers

@test "wrong usage is one line that names the help" {
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

@test "a missing app is an error, and a missing authority is the default one" {
    MAM_APP='' run --separate-stderr mamctl status
    failed_with 64 'MAM_APP'
    MAM_AUTHORITY='' run --separate-stderr mamctl enroll "$ann"
    failed_with 1 '/var/lib/mam/authority.db'
}

@test "a missing authority fails enrollments, not sessions" {
    run --separate-stderr mamctl enroll "$ann"
    failed_with 1 .
}

@test "a state that others can read is refused" {
    authority_with strict
    mamctl log paths
    chmod 755 "$MAM_STATE/$MAM_APP"
    run --separate-stderr mamctl status
    failed_with 1 .
}

@test "a full disk is reported" {
    authority_with strict
    run --separate-stderr bash -c '"$1" authority show >/dev/full' - "$MAMCTL"
    failed_with 1 'standard output'
}

@test "a reader that closes the pipe ends the command without a message" {
    authority_with strict
    run --separate-stderr bash -c 'exec 3> >(:); wait $!; "$1" authority show >&3; echo "$?" >status' - "$MAMCTL"
    [ -z "$stderr" ]
    [ "$(cat status)" = 141 ]
    run --separate-stderr bash -c 'exec 3> >(:); wait $!; "$1" --help >&3; echo "$?" >status' - "$MAMCTL"
    [ -z "$stderr" ]
    [ "$(cat status)" = 141 ]
}

@test "a file size limit is reported, and a program that is run keeps the signal's default action" {
    enrolled_with strict
    head -c 4000000 /dev/urandom >plain
    run --separate-stderr bash -c "ulimit -f 100; mamctl protect --account '$ann' --output sealed <plain"
    [ "$status" -eq 5 ] || [ "$status" -eq 1 ]
    [[ "$stderr" == *'File too large'* ]]
    [ ! -e sealed ]
    run mamctl run --identity "$ann" -- bash -c 'grep ^SigIgn /proc/self/status'
    [ "$output" = "$(bash -c 'grep ^SigIgn /proc/self/status')" ]
}

@test "names cannot control the terminal" {
    mamctl authority create >/dev/null
    run --separate-stderr mamctl authority user add "$ann" --display-name $'\e[31mAnn'
    failed_with 1 .
    jq '.displayName = "\u001b[31mred\u202e"' "$policies/strict.json" >red.json
    mamctl authority policy import red.json >shown
    mamctl authority policy list >>shown
    run ! grep -qE $'\e|\u202e' shown
    [ "$(grep -cF '\u{1b}[31mred\u{202e}' shown)" -eq 2 ]
}

# Run a script in its own mount namespace; skip where that is not permitted.
with_mounts() {
    unshare --user --map-root-user --mount true 2>/dev/null || skip 'no mounts of its own are allowed here'
    run --separate-stderr unshare --user --map-root-user --mount bash -c "$1" - "$MAMCTL" "$ann"
}

@test "a state on a full disk fails and loses nothing" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    mkdir small
    with_mounts 'set -e; mount -t tmpfs -o size=200k,mode=700 none small; export MAM_STATE=$PWD/small/state
        head -c 180k /dev/zero >small/filler || true
        "$1" enroll "$2" && exit 9 || code=$?
        [ "$code" -eq 1 ]; rm small/filler; exec "$1" enroll "$2" >/dev/null'
    [ "$status" -eq 1 ] || [ "$status" -eq 0 ]
    [[ $stderr =~ ^mamctl:\ .*(space|full) ]] || { echo "$stderr" >&2; return 1; }
    [ "$(mamctl unprotect <plan)" = plan ]
}

@test "missing shared memory is reported" {
    authority_with strict
    # shellcheck disable=SC2016 # for the inner shell
    unshare --user --map-root-user --ipc sh -c 'echo 0 >/proc/sys/kernel/shmmni' 2>/dev/null ||
        skip 'no limits of its own are allowed here'
    # shellcheck disable=SC2016 # for the inner shell
    run --separate-stderr unshare --user --map-root-user --ipc sh -c 'echo 0 >/proc/sys/kernel/shmmni; exec "$1" events' - "$MAMCTL"
    failed_with 1 'kernel.shmmni'
    mamctl status | grep -q '^no accounts'
}

@test "a read-only state fails and loses nothing" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan
    with_mounts 'set -e; mount --bind state state; mount -o remount,ro,bind state; exec "$1" unprotect <plan'
    [ "$status" -eq 0 ] || failed_with 1 .
    [ "$(mamctl unprotect <plan)" = plan ]
}

@test "an impossible state directory is reported" {
    authority_with strict
    : >file
    for state in "$PWD/file" "$PWD/file/state" /proc/state ''; do
        run --separate-stderr mamctl log paths --state "$state"
        [ "$status" -ne 0 ]
        [[ $stderr == 'mamctl: '* ]]
    done
    mamctl events --state "$PWD/a/b/c" >/dev/null
}

@test "another user's state is refused" {
    [ "$(id -u)" -eq 0 ] || skip 'only root can give a file away'
    enrolled_with strict
    chown -R 12345 "$MAM_STATE"
    run --separate-stderr mamctl status
    failed_with 1 .
    chown -R 0 "$MAM_STATE"
    mamctl status | grep -E "^$ann +enrolled"
}

@test "files that are no policies are refused, and nothing is imported" {
    mamctl authority create >/dev/null
    for document in '' '{' '[]' '5' '{"value":[]}' '{"displayName":"a","displayName":"b"}' "$(printf '[%.0s' {1..100})"; do
        run --separate-stderr mamctl authority policy import - <<<"$document"
        failed_with 1 .
    done
    { printf '{"displayName":"' && head -c 100M /dev/zero | tr '\0' x && printf '"}'; } >large.json
    run --separate-stderr mamctl authority policy import large.json
    failed_with 1 'longer than 16 MiB'
    run --separate-stderr mamctl check --request @large.json
    failed_with 1 .
    mamctl authority policy list | grep -x 'no policies'
}
