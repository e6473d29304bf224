#!/usr/bin/env bats
# mamctl doctor: a path that is wrong, and what the authority's owner finds.

# helpers.bash sets variables, and commands of findings run in a shell of their own:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers
load doctor

@test "no command in the source of doctor has a destructive word before its #" {
    # The tests of findings see to it too (doctor.bash), and cannot make them all, such as an account that the device refuses.
    words='mamctl (wipe|unenroll|purge|authority forget)|[" ]rm '
    grep -hE "$words" "$BATS_TEST_DIRNAME"/../../Sources/mamctl/Doctor/*.swift >found
    [ "$(wc -l <found)" -gt 4 ]
    # Text of toGiveUp() and acceptingAuthority comes behind a "#".
    run ! grep -vE "# .*($words)|toGiveUp\(|mamctl authority forget.*again" found
    [ -z "$output" ] || { echo "$output"; return 1; }
}

@test "a process that keeps the authority locked" {
    authority_with strict
    python3 - "$MAM_AUTHORITY" <<'END' 3>&- &
import fcntl, signal, sys
file = open(sys.argv[1], "rb")
fcntl.lockf(file, fcntl.LOCK_SH, 510, 0x40000002)
open("locked", "w").close()
signal.pause()
END
    holder=$!
    until [ -e locked ]; do
        kill -0 "$holder"
        sleep 0.1
    done
    run --separate-stderr mamctl doctor
    kill "$holder"
    wait "$holder" || true
    [[ $output == *'a process keeps it locked'*'run: fuser -v '* ]]
}

@test "a wrong path: the setting that gives it is named, and corrected first" {
    authority_with strict
    wrong=$scratch/authorty.db
    file=$XDG_CONFIG_HOME/mam/mam.conf
    mkdir -p "$XDG_CONFIG_HOME/mam"
    printf '# mine\nauthority = %s\n' "$wrong" >"$file"
    right=$MAM_AUTHORITY
    unset MAM_AUTHORITY
    found 1 authority "No such file or directory;.* the path is from $file:2"
    [[ $command == "sed -i '2s|=.*|= $right|' $file  # or, if the path is right: mamctl authority create --authority $wrong; or, where there was one: "* ]]
    mended 1 authority 'No such file'
    grep -Fx "authority = $right" "$file"
    rm "$file"
    MAM_AUTHORITY=$wrong found 1 authority 'No such file or directory;.* the path is from MAM_AUTHORITY'
    [[ $command == "export MAM_AUTHORITY=$right  # or, if the path is right: "* ]]
    run --separate-stderr mamctl doctor --json --authority "$wrong"
    [[ $(value '.findings[0].message') == *'; the path is from --authority' ]]
    [[ $(value '.findings[0].command') == "mamctl doctor --authority $right  # or, if "* ]]
    # Nothing like it is there, and an account knows an authority at the path.
    export MAM_AUTHORITY=$right
    mamctl enroll "$ann" >/dev/null
    mkdir away && mv "$right" "$right.key" away
    found 1 authority 'the path is from MAM_AUTHORITY. Apps of this state know the authority'
    [[ $command == "export MAM_AUTHORITY=/PATH/TO/THE/authority.db  # or, if the path is right: cp -p "*'request again the wipes that the copy does not have' ]]
    # A file that is no authority.
    echo notes >"$wrong"
    MAM_AUTHORITY=$wrong found 1 authority 'is no authority, or is damaged; the path is from MAM_AUTHORITY'
    [[ $command == 'export MAM_AUTHORITY='* ]]
}

@test "the authority's owner finds what keeps it from being read or changed" {
    authority_with strict
    # As docs/administrators.md has it: a directory that is kept for a group.
    mkdir shared && chmod 2750 shared && mv "$MAM_AUTHORITY"* shared
    export MAM_AUTHORITY=$scratch/shared/authority.db
    chmod 640 "$MAM_AUTHORITY"
    healthy
    while IFS='|' read -r fault what; do
        eval "$fault"
        mended 3 authority "$what" || { echo "$fault"; return 1; }
    done <<'CASES'
chmod 600 shared/authority.db|its group may not read it, so nobody can enroll
chmod 2700 shared|its group may not reach the authority
chmod 660 shared/authority.db|others than its owner can change it
chmod 2770 shared|others than its owner can .* put another in its place
chmod 2777 shared|others than its owner can .* put another in its place
chmod 644 shared/authority.db|others than its group may read it
CASES
    cp -p "$MAM_AUTHORITY.key" good.key
    mamctl authority create --authority "$scratch/other.db" >/dev/null
    while IFS='|' read -r fault what; do
        eval "$fault"
        found 3 authority "$what"
        [ "$(value '.findings[0].subject')" = "$MAM_AUTHORITY.key" ]
        rm -f "$MAM_AUTHORITY.key.bad"
        bash -c "${command//\/PATH\/TO\/THE\/BACKUP.key/good.key}"
        healthy
    done <<'CASES'
head -c 20 /dev/urandom >shared/authority.db.key|is no key file
head -c 72 /dev/urandom >shared/authority.db.key|is no key file
cat other.db.key >shared/authority.db.key|does not hold the authority's key
rm shared/authority.db.key|key file is missing
CASES
    # 'key show' says so, too.
    head -c 72 /dev/urandom >shared/authority.db.key
    run mamctl authority key show --json
    [ "$(value .canSign)" = false ] && [[ $(value .problem) == *'is no key file: '* ]]
    cat other.db.key >shared/authority.db.key
    mamctl authority key show | grep -E "^problem .*does not hold the authority's key"
    cp good.key shared/authority.db.key
    run mamctl authority key show --json
    [ "$(value .canSign)" = true ] && [ "$(value .problem)" = null ]
    # Without the set-group-ID bit the authority is its owner's own.
    chmod 00700 shared && chmod 600 "$MAM_AUTHORITY"
    healthy
}

@test "the disk of the authority is full" {
    unshare --map-root-user --mount mount -t tmpfs none /mnt 2>/dev/null || skip "no mount namespaces here"
    authority_with strict
    cat >inside.sh <<'SH'
mount -t tmpfs -o size=4m none "$1" || exit 90
cp -p "$MAM_AUTHORITY" "$MAM_AUTHORITY.key" "$1"
export MAM_AUTHORITY=$1/authority.db
cat /dev/zero >"$1/filler" 2>/dev/null
"$MAMCTL" doctor --json >full.json
[ $? -eq 3 ] || exit 91
SH
    mkdir small
    MAMCTL=$MAMCTL run unshare --map-root-user --mount bash inside.sh "$scratch/small"
    [ "$status" -eq 0 ] || { cat full.json; echo "status $status"; return 1; }
    jq -e '.findings | length == 1 and .[0].check == "authority" and (.[0].message | test("its disk has 0 KiB left"))' full.json
}
