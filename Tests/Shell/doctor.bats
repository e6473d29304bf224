#!/usr/bin/env bats
# mamctl doctor: each fault is made for real, found, and gone once the command that the finding names was run.

# helpers.bash sets variables, and commands of findings run in a shell of their own:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers

doctor() { run --separate-stderr mamctl doctor --json; }

healthy() {
    doctor
    if [ "$status" -ne 0 ] || [ "$(value '.findings | length')" -ne 0 ]; then
        echo "status $status: $output $stderr" >&2
        return 1
    fi
}

# found STATUS CHECK WORDS: the only finding has this check and these words in its message; sets its command.
found() {
    doctor
    [ "$status" -eq "$1" ] || { echo "status $status, not $1: $output $stderr" >&2; return 1; }
    [ "$(value '.findings[].check')" = "$2" ] || { echo "$output" >&2; return 1; }
    [[ $(value '.findings[0].message') =~ $3 ]] || { echo "$output" >&2; return 1; }
    command=$(value '.findings[0].command')
}

# mended STATUS CHECK WORDS: found, and gone after its command.
mended() {
    found "$@" || return
    # Without accounts left, a check-in that has finished a wipe ends with 1.
    PATH=$(dirname "$(type -P "$MAMCTL")"):$PATH bash -c "$command" >/dev/null 2>&1 || true
    healthy || { echo "after $command" >&2; return 1; }
}

# The content and attributes of all files, but of the one that names the shared memory.
everything() { find "$MAM_STATE" "$MAM_AUTHORITY" "$MAM_AUTHORITY.key" -type f ! -name generation -exec stat -c '%n %a %U' {} + -exec sha256sum {} + | sort; }

@test "doctor finds nothing in a sound installation, and changes nothing" {
    authority_with strict
    healthy
    [ ! -e "$MAM_STATE" ]
    mamctl enroll "$ann" >/dev/null
    healthy
    before=$(everything)
    healthy
    [ "$(everything)" = "$before" ]
    [ "$(value '.health, .custody, .keyCustody, .mamctl == .libmam' | paste -sd' ')" = 'fine development file true' ]
    [ "$(value '.freeBytes > 0 and (.fileSystem | length > 0)')" = true ]
    [ "$(mamctl doctor | tail -n 1)" = 'nothing is wrong' ]
    mamctl doctor | grep -Ex "authority +$MAM_AUTHORITY"
}

@test "a new authority has the latest version that doctor knows" {
    authority_with strict
    doctor
    [ "$(value .schema)" -eq "$(sqlite3 "$MAM_AUTHORITY" 'PRAGMA user_version')" ]
    # Older ones are found, so the number above must be what this release makes.
    sqlite3 "$MAM_AUTHORITY" 'DROP TABLE identity; DROP TABLE statements; DROP TABLE signatures; PRAGMA user_version = 5'
    rm "$MAM_AUTHORITY.key"
    before=$(sha256sum <"$MAM_AUTHORITY")
    found 3 authority 'older libmam .version 5'
    [ "$(sha256sum <"$MAM_AUTHORITY")" = "$before" ]
    mended 3 authority 'older libmam'
}

@test "the authority: missing, foreign, without its key, changed by others" {
    authority_with strict
    mamctl enroll "$ann" >/dev/null
    mv "$MAM_AUTHORITY" away.db
    found 1 authority 'No such file'
    [ "$command" = "mamctl authority create --authority $MAM_AUTHORITY" ]
    mv away.db "$MAM_AUTHORITY"
    mv "$MAM_AUTHORITY.key" away.key
    found 3 authority 'key file is missing'
    [ "$command" = "cp -p /PATH/TO/THE/BACKUP.key $MAM_AUTHORITY.key" ]
    bash -c "${command/\/PATH\/TO\/THE\/BACKUP.key/away.key}"
    healthy
    chmod 644 "$MAM_AUTHORITY.key"
    mended 3 authority 'others may use the key file'
    sqlite3 "$MAM_AUTHORITY" "UPDATE users SET display_name = 'Eve'"
    mended 1 authority 'users is not as the authority signed it'
    cp -p "$MAM_AUTHORITY" good.db
    head -c 8192 /dev/urandom >"$MAM_AUTHORITY"
    found 1 authority 'no authority, or is damaged'
    bash -c "$command"
    cp -p good.db "$MAM_AUTHORITY"
    healthy
}

@test "an authority that this user may not read" {
    [ "$(id -u)" -eq 0 ] || skip 'needs root, to be another user'
    type -P setpriv >/dev/null || skip 'there is no setpriv'
    chmod 711 "$scratch"
    setpriv --reuid 65534 --clear-groups test -x "$scratch" -a -x "$MAMCTL" || skip "the tests are in a folder that is closed to others"
    authority_with strict
    run --separate-stderr setpriv --reuid 65534 --clear-groups "$MAMCTL" doctor --json
    [ "$status" -eq 1 ]
    [ "$(value '[.findings[] | select(.check == "authority")][0].message')" = 'this user may not read it' ]
    [ "$(value '[.findings[] | select(.check == "authority")][0].command')" = "sudo chmod g+r $MAM_AUTHORITY" ]
}

@test "the state directory: rights of the directory, of its files, and of what is above" {
    enrolled_with strict
    chmod 755 "$MAM_STATE/$MAM_APP"
    mended 1 state 'others may use it'
    chmod 500 "$MAM_STATE/$MAM_APP"
    mended 1 state 'its owner may not use it'
    chmod 640 "$MAM_STATE/$MAM_APP/root.key"
    mended 1 state 'others may use it'
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
    [ "$(id -u)" -eq 0 ] || skip 'needs root, to be another user'
    type -P setpriv >/dev/null || skip 'there is no setpriv'
    chmod 711 "$scratch"
    other=(setpriv --reuid 65534 --clear-groups)
    "${other[@]}" test -x "$scratch" -a -x "$MAMCTL" || skip "the tests are in a folder that is closed to others"
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
    [ "$command" = "sudo chown -R 65534 $MAM_STATE" ]
    # This test is root already.
    bash -c "${command#sudo }"
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
    jq -e '.findings | length == 1 and (.[0].message | test("KiB left")) and (.[0].command | test("^du "))' full.json
}

@test "configuration files: a bad line, rights, a value that a final one overrides" {
    authority_with strict
    mkdir -p "$XDG_CONFIG_HOME/mam"
    file=$XDG_CONFIG_HOME/mam/mam.conf
    printf '%s\n' '# mine' 'autority = /a' >"$file"
    mended 1 configuration "unknown key 'autority'"
    [ "$(tail -n 1 "$file")" = '# autority = /a' ]
    chmod o+w "$file"
    mended 1 configuration 'can be written by others'
    printf 'app = \xff\n' >"$file"
    mended 1 configuration 'not UTF-8'
    [ -e "$file.bad" ]
    unshare --map-root-user --mount mount -t tmpfs none /etc 2>/dev/null || skip "no mount namespaces here"
    cat >inside.sh <<'SH'
mount -t tmpfs none /etc && mkdir /etc/mam && printf 'final app = %s\n' com.example.final >/etc/mam/mam.conf && exec "$@"
SH
    run --separate-stderr unshare --map-root-user --mount bash inside.sh "$MAMCTL" doctor --json
    [ "$status" -eq 3 ]
    [ "$(value '.app, .findings[0].subject, .findings[0].command' | paste -sd' ')" = 'com.example.final app unset MAM_APP' ]
    printf 'app = com.example.mine\n' >"$file"
    run --separate-stderr unshare --map-root-user --mount bash inside.sh env -u MAM_APP "$MAMCTL" doctor --json
    [[ $(value '.findings[0].message') == *"$file gives com.example.mine, but com.example.final is final"* ]]
    bash -c "$(value '.findings[0].command')"
    run --separate-stderr unshare --map-root-user --mount bash inside.sh env -u MAM_APP "$MAMCTL" doctor --json
    [ "$status" -eq 0 ]
}

@test "values that are invalid, from a file, the environment and an option" {
    authority_with strict
    mkdir -p "$XDG_CONFIG_HOME/mam"
    file=$XDG_CONFIG_HOME/mam/mam.conf
    printf '%s\n' '# mine' 'unknown-identities = maybe' >"$file"
    found 3 configuration "^unknown-identities: 'maybe' is neither unmanaged nor error"
    [ "$(value '.findings[0].subject')" = "$file:2" ]
    mended 3 configuration unknown-identities
    for key in app group; do
        printf '%s = "com.example.notes"\n' "$key" >"$file"
        [ "$key" = group ] || unset MAM_APP
        found 3 configuration "^$key: .* is no app id: .* values take no quotation marks"
        [ "$(value '.findings[0].subject')" = "$file:1" ]
        mended 3 configuration "^$key"
        [ "$(cat "$file")" = "$key = com.example.notes" ]
        export MAM_APP=com.example.notes
    done
    rm "$file"
    run --separate-stderr mamctl doctor --json --app 'a b'
    [ "$status" -eq 3 ]
    [ "$(value '.findings[0] | .subject + " " + .message')" = "--app 'a b' is no app id: 1 to 128 of A-Z a-z 0-9 . _ - that begin with a letter or digit" ]
    export MAM_SETTINGS='{'
    found 3 configuration JSON
    [ "$command" = 'unset MAM_SETTINGS' ]
}

@test "a missing app is wrong usage, as in every command" {
    unset MAM_APP
    run --separate-stderr mamctl doctor
    failed_with 64 'which app'
}

@test "wipes and unenrollments that were not reported" {
    enrolled_with strict
    mamctl authority fault set network >/dev/null
    mamctl wipe "$ann" >/dev/null 2>&1 || true
    mamctl authority fault clear >/dev/null
    found 3 accounts 'a wipe is open'
    [ "$command" = 'mamctl checkin' ]
    mended 3 accounts 'a wipe is open'
}

@test "a wipe that a killed program began is named, not resumed" {
    enrolled_with strict
    share=$(find "$MAM_STATE/$MAM_APP/shares" -type f)
    [ "$(wc -l <<<"$share")" -eq 1 ]
    # As it is after a kill behind the first step: docs/formats.md.
    { printf 'MAMWIPED\1' && head -c 23 /dev/zero; } >tombstone
    [ "$(stat -c %s tombstone)" -eq "$(stat -c %s "$share")" ]
    cat tombstone >"$share"
    before=$(everything)
    found 3 wipes 'a wipe was interrupted'
    [ "$(everything)" = "$before" ]
    mended 3 wipes 'a wipe was interrupted'
    [ ! -e "$share" ]
}

@test "a check-in that failed" {
    enrolled_with strict
    mamctl authority fault set network >/dev/null
    mamctl checkin "$ann" >/dev/null 2>&1 || true
    found 3 accounts .
    mamctl authority fault clear >/dev/null
    mended 3 accounts .
}

@test "a user that no policy reaches" {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" >/dev/null
    mamctl authority group add Sales >/dev/null
    mamctl authority group add-member Sales "$ann" >/dev/null
    mamctl authority policy import "$policies/strict.json" --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null 2>&1 || true
    found 3 accounts .
    [[ $command == "mamctl authority policy assign POLICY --group GROUP --authority $MAM_AUTHORITY  # "* ]]
    policy=$(mamctl authority policy list --json | jq -r '.policies[0].id')
    command=${command/POLICY/$policy}
    PATH=$(dirname "$(type -P "$MAMCTL")"):$PATH bash -c "${command/GROUP/Sales}" >/dev/null
    [[ $command == *"then mamctl enroll $ann" ]]
    bash -c "\"$MAMCTL\" ${command##*then mamctl }" >/dev/null
    healthy
}

@test "keys of no account" {
    enrolled_with strict
    head -c 64 /dev/urandom >"$MAM_STATE/$MAM_APP/shares/0123456789abcdef0123456789abcdef"
    doctor
    if [ "$status" -eq 0 ]; then skip 'a foreign file is no share'; fi
    mended 3 keys 'that no account has'
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
    for _ in $(seq 100); do
        doctor
        [ "$status" -eq 0 ] || break
        sleep 0.1
    done
    found 1 'shared memory' 'one IPC namespace'
    [[ $command == "fuser -v $MAM_STATE/$MAM_APP/generation"* ]]
    kill "$follower"
    wait "$follower" || true
    exec 7<&-
    healthy
}

@test "a clock that is behind" {
    authority_with strict
    touch -d '+2 days' "$MAM_AUTHORITY"
    found 3 clock 'in the future'
    [ "$command" = 'timedatectl set-ntp true' ] || [ "$command" = 'sudo timedatectl set-ntp true' ]
    touch "$MAM_AUTHORITY"
    healthy
}

@test "memory for keys that cannot be locked" {
    enrolled_with strict
    run --separate-stderr unshare --map-root-user bash -c 'ulimit -l 0 && exec "$0" doctor --json' "$MAMCTL"
    [ "$status" -ne 0 ] || skip 'memory is locked whatever the limit'
    [ "$(value '.findings[0] | .check + " " + .command')" = 'keys ulimit -l unlimited' ]
    healthy
}

@test "a language that the locale switches off" {
    authority_with strict
    LANGUAGE=de LC_ALL=C found 3 language 'LANGUAGE=de has no effect in the locale C'
    [ "$command" = 'export LC_ALL=C.UTF-8' ]
    LANGUAGE=de LC_ALL=C.UTF-8 healthy
}

@test "programs load another libmam than mamctl" {
    authority_with strict
    mkdir -p prefix/bin prefix/lib
    cp "$(type -P "$MAMCTL")" prefix/bin/mamctl
    version=$(mamctl version --json | jq -r .mamctl)
    touch "prefix/lib/libmam.so.$version"
    ln -s libmam.so.0.0.9 prefix/lib/libmam.so.0
    MAMCTL=$scratch/prefix/bin/mamctl
    mended 3 versions 'but programs load libmam.so.0.0.9'
    rm prefix/lib/libmam.so.*
    ln -s libmam.so.0.0.9 prefix/lib/libmam.so.0
    found 3 versions 'but programs load libmam.so.0.0.9'
    [[ $command == 'make install'* ]]
}

@test "each finding is printed with its command" {
    enrolled_with strict
    chmod 755 "$MAM_STATE/$MAM_APP"
    run mamctl doctor
    [ "$status" -eq 1 ]
    [[ $output == *$'\n'"state: $MAM_STATE/$MAM_APP: others may use it"$'\n'"  run: chmod 700 $MAM_STATE/$MAM_APP"* ]]
}
