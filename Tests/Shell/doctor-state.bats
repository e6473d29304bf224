#!/usr/bin/env bats
# mamctl doctor: the state directory, its files, locks and shared memory.

# helpers.bash sets variables, and commands of findings run in a shell of their own:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers
load doctor

@test "the state directory: rights of the directory, of its files, and of what is above" {
    enrolled_with strict
    chmod 755 "$MAM_STATE/$MAM_APP"
    mended 1 state 'others may use it'
    chmod 500 "$MAM_STATE/$MAM_APP"
    mended 1 state 'its owner may not use it'
    chmod 640 "$MAM_STATE/$MAM_APP/root.key"
    mended 1 state 'others may use it'
    chmod 000 "$MAM_STATE/$MAM_APP/shares"
    mended 1 state 'its owner may not use it'
    chmod 000 "$MAM_STATE/$MAM_APP"/shares/*
    mended 1 state 'may not read and write it'
    chmod 400 "$MAM_STATE/$MAM_APP/state.db"
    before=$(everything)
    found 1 state 'may not read and write it'
    [ "$(everything)" = "$before" ]
    mended 1 state 'may not read and write it'
    chmod 777 "$MAM_STATE"
    mended 1 state 'other users could replace'
    mv "$MAM_STATE/$MAM_APP" kept
    echo x >"$MAM_STATE/$MAM_APP"
    mended 1 state 'is no directory'
    [ ! -e "$MAM_STATE/$MAM_APP" ]
    # A link to the state, moved elsewhere: the state comes back.
    mv kept "$MAM_STATE/elsewhere" && ln -s elsewhere "$MAM_STATE/$MAM_APP"
    mended 1 state 'is a link'
    [ -e "$MAM_STATE/$MAM_APP/state.db" ] && [ ! -L "$MAM_STATE/$MAM_APP" ]
}

@test "a state on a file system that was mounted read-only" {
    unshare --map-root-user --mount true 2>/dev/null || skip 'no mount namespaces here'
    cat >inside.sh <<'END'
mount --bind "$MAM_STATE" "$MAM_STATE" && mount -o remount,bind,ro "$MAM_STATE" || exit 90
"$MAMCTL" status 2>status && exit 91
grep -q 'the file system is read-only' status || exit 92
"$MAMCTL" doctor --json >report && exit 93
# As root the command has no sudo; a bind mount is remounted as one.
command=$(jq -r '[.findings[] | select(.check == "state")][0].command' report)
[[ $command == *'mount -o remount,rw "$(findmnt -n -o TARGET -T '* ]] || exit 94
eval "${command/remount,rw/remount,bind,rw}" || exit 95
"$MAMCTL" status >/dev/null || exit 96
END
    enrolled_with strict
    MAMCTL=$(type -P "$MAMCTL") run unshare --map-root-user --mount bash inside.sh
    [ "$status" -eq 0 ]
}

@test "a path with a space and a quote is one word of the command" {
    export MAM_STATE="$scratch/it's a state"
    enrolled_with strict
    chmod 755 "$MAM_STATE/$MAM_APP"
    mended 1 state 'others may use it'
}

@test "the state belongs to another user" {
    [ "$(id -u)" -eq 0 ] || skip 'needs root, to give files away'
    enrolled_with strict
    chown 65534 "$MAM_STATE/$MAM_APP"
    mended 1 state 'belongs to user 65534'
    chown 65534 "$MAM_STATE/$MAM_APP/root.key"
    mended 1 state 'belongs to user 65534'
}

@test "a state directory that this user may not read" {
    open_to_others
    enrolled_with strict
    chmod 644 "$MAM_AUTHORITY"
    closed() {
        run --separate-stderr "${other[@]}" "$MAMCTL" doctor --json
        [ "$status" -eq 1 ] || { echo "status $status: $output $stderr" >&2; return 1; }
        [ "$(value .stateExists)" = null ]
        [[ $(value '.findings[0].message') == 'this user may not look into it'* ]]
        [ "$(value '.findings[0].subject')" = "$MAM_STATE" ]
        command=$(value '.findings[0].command')
    }
    closed
    [ "$command" = "sudo ls -la $MAM_STATE  # and if it is this user's state: sudo chown -R 65534 $MAM_STATE" ]
    # This test is root already.
    bash -c "${command#*: sudo }"
    run --separate-stderr "${other[@]}" "$MAMCTL" doctor --json
    [ "$status" -eq 0 ] || { echo "$output" >&2; return 1; }
    chmod 000 "$MAM_STATE"
    closed
    [ "$command" = "chmod u+rwx $MAM_STATE" ]
    "${other[@]}" bash -c "$command"
    run --separate-stderr "${other[@]}" "$MAMCTL" doctor --json
    [ "$status" -eq 0 ]
}

@test "a database that is gone or empty beside the shares of accounts" {
    enrolled_with strict
    cp -pR "$MAM_STATE" kept
    database=$MAM_STATE/$MAM_APP/state.db
    for fault in 'rm -f' 'truncate -s 0'; do
        $fault "$database"
        before=$(everything)
        found 1 state 'is gone or empty, but shares of accounts are still there'
        [ "$(everything)" = "$before" ]
        [ "$(value '.findings[0].subject')" = "$database" ]
        bash -c "${command/\/PATH\/TO\/THE\/BACKUP/kept/$MAM_APP}"
        healthy
    done
    # Without shares nothing is lost: libmam makes a new one.
    rm "$database" "$MAM_STATE/$MAM_APP"/shares/*
    healthy
}

@test "a full disk" {
    unshare --map-root-user --mount mount -t tmpfs none /mnt 2>/dev/null || skip "no mount namespaces here"
    authority_with strict
    cat >inside.sh <<'SH'
mount -t tmpfs -o size=24m none "$1" || exit 90
export MAM_STATE=$1/state
"$MAMCTL" enroll ann@contoso.example >/dev/null || exit 91
"$MAMCTL" doctor --json >fine.json || exit 92
head -c 12000000 /dev/zero >"$1/filler"
"$MAMCTL" doctor --json >full.json
[ $? -eq 3 ] || exit 93
rm "$1/filler"
"$MAMCTL" doctor --json >after.json || exit 94
SH
    mkdir small
    MAMCTL=$MAMCTL run unshare --map-root-user --mount bash inside.sh "$scratch/small"
    [ "$status" -eq 0 ] || { cat ./*.json; echo "status $status"; return 1; }
    [ "$(jq -r .fileSystem fine.json)" = tmpfs ]
    jq -e '.findings | length == 1 and (.[0].message | test("KiB left")) and (.[0].command | test("^df -h .*; du "))' full.json
}

@test "a full disk keeps no wipe away, and nothing is moved away for it" {
    unshare --map-root-user --mount mount -t tmpfs none /mnt 2>/dev/null || skip "no mount namespaces here"
    authority_with open
    cat >inside.sh <<'SH'
mount -t tmpfs -o size=24m none "$1" || exit 90
export MAM_STATE=$1/state
fill() { cat /dev/zero >"$1/filler" 2>/dev/null; [ "$(df --output=avail "$1" | tail -n 1)" -eq 0 ]; }
"$MAMCTL" enroll ann@contoso.example >/dev/null || exit 91
# Full to the last byte, and nothing is reserved: the state cannot be opened, and is whole.
rm "$1/state/$MAM_APP/reserve"
fill "$1" || exit 92
"$MAMCTL" doctor --json >full.json
[ $? -eq 1 ] || exit 93
rm "$1/filler"
"$MAMCTL" doctor --json >after.json || exit 94
# The reserved space lets an order to wipe through.
"$MAMCTL" authority wipe request ann@contoso.example >/dev/null || exit 95
fill "$1" || exit 96
"$MAMCTL" checkin >said 2>&1
[ -z "$(ls "$1/state/$MAM_APP/shares")" ] || exit 97
SH
    mkdir small
    MAMCTL=$MAMCTL run unshare --map-root-user --mount bash inside.sh "$scratch/small"
    [ "$status" -eq 0 ] || { cat ./*.json said; echo "status $status"; return 1; }
    jq -e '[.findings[] | select(.message | test("no space is left"))] | length == 1' full.json
    jq -e "all(.findings[].command; startswith(\"df -h $scratch/small;\"))" full.json
}

@test "the root key: gone or damaged" {
    for fault in 'rm' 'truncate -s 7'; do
        enrolled_with strict
        cp -pR "$MAM_STATE" kept
        $fault "$MAM_STATE/$MAM_APP/root.key"
        found 1 state 'root key'
        # A copy first; without one the state is kept, and the person enrolls again.
        bash -c "${command/\/PATH\/TO\/THE\/BACKUP/kept/$MAM_APP}"
        healthy
        $fault "$MAM_STATE/$MAM_APP/root.key"
        found 1 state 'root key'
        command=${command##*opened: }
        run_all "${command/UPN/$ann}"
        healthy
        mamctl status --json | jq -e .managed
        [ -e "$MAM_STATE/$MAM_APP~bad/state.db" ]
        rm -r kept "$MAM_STATE" "$MAM_AUTHORITY" "$MAM_AUTHORITY.key"
    done
}

@test "keys of no account" {
    enrolled_with strict
    head -c 64 /dev/urandom >"$MAM_STATE/$MAM_APP/shares/0123456789abcdef0123456789abcdef"
    doctor
    if [ "$status" -eq 0 ]; then skip 'a foreign file is no share'; fi
    found 3 keys 'that no account has'
    [[ $command == "cp -p /PATH/TO/THE/BACKUP/state.db "* ]]
    run_all "${command##*then: }"
    healthy
}

@test "work data of a state that is lost" {
    enrolled_with strict
    mkdir data
    echo 'Merger on Friday' | mamctl file write data/plan --account "$ann"
    echo plain >data/note
    : >data/empty
    echo 'The plan' | mamctl protect --account "$ann" >data/plan.mam
    echo 'Short' | mamctl protect --account "$ann" >data/short.mam
    # Neither is lost: nobody's data is labelled only, and a part of a container is none.
    echo 'Milk' | mamctl protect --account ann@home.example >data/milk.mam
    head -c 20 data/plan.mam >data/part
    run --separate-stderr mamctl doctor --json --data data
    [ "$status" -eq 0 ]
    [ "$(value '.findings | length')" -eq 0 ]
    cp -a "$MAM_STATE/$MAM_APP" backup
    rm -r "${MAM_STATE:?}/$MAM_APP"
    # Without a state, and with a new one that has other keys.
    for state in none new; do
        [ "$state" = none ] || mamctl enroll "$ann" >/dev/null
        run --separate-stderr mamctl doctor --json --data data
        [ "$status" -eq 3 ]
        [ "$(value '.findings[] | select(.check == "data") | .message')" = \
            '1 file of ann-id, whose keys the state does not have: it is lost, or the account has left
2 containers of ann-id, whose keys the state does not have: it is lost, the account has left, or another app has protected it' ]
        [ "$state" = new ] || [ ! -e "$MAM_STATE/$MAM_APP" ]
    done
    command=$(value '[.findings[] | select(.check == "data")][0].command')
    run_all "${command/\/PATH\/TO\/THE\/BACKUP/backup}"
    [ "$(mamctl file read data/plan)" = 'Merger on Friday' ]
    [ "$(mamctl unprotect <data/plan.mam)" = 'The plan' ]
    run --separate-stderr mamctl doctor --json --data data
    [ "$(value '[.findings[] | select(.check == "data")] | length')" -eq 0 ]
    run --separate-stderr mamctl doctor --data nowhere
    failed_with 1 nowhere
}

@test "a lease that a stopped process keeps" {
    enrolled_with strict
    lock=$MAM_STATE/$MAM_APP/wipe.lock
    touch "$lock"
    flock --no-fork "$lock" sleep 600 3>&- &
    follower=$!
    while flock -n "$lock" true; do sleep 0.05; done
    healthy
    kill -STOP "$follower"
    mended 3 leases "process $follower, which is stopped"
}

@test "shared memory that another IPC namespace has" {
    unshare --map-root-user --ipc true 2>/dev/null || skip "no IPC namespaces here"
    enrolled_with strict
    mkfifo held
    unshare --ipc --map-root-user "$MAMCTL" events --follow >held 2>/dev/null 3>&- &
    follower=$!
    exec 7<held
    until_polling "$follower"
    doctor
    found 1 'shared memory' 'one IPC namespace'
    [[ $command == "fuser -v $MAM_STATE/$MAM_APP/generation"* ]]
    kill "$follower"
    wait "$follower" || true
    exec 7<&-
    healthy
}

@test "a file of the state that is a directory is moved away, and the copy then put back" {
    enrolled_with strict
    cp "$MAM_STATE/$MAM_APP/state.db" copy.db
    rm "$MAM_STATE/$MAM_APP/state.db"* && mkdir "$MAM_STATE/$MAM_APP/state.db"
    found 1 state 'is no regular file'
    run_all "$command"
    found 1 state 'gone or empty'
    cp copy.db "$MAM_STATE/$MAM_APP/state.db"
    mamctl status >/dev/null
}
