#!/usr/bin/env bats
# mamctl doctor: the authority and its key.

# helpers.bash sets variables, and commands of findings run in a shell of their own:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers
load doctor

@test "a new authority has the latest version that doctor knows" {
    authority_with strict
    doctor
    [ "$(value .schema)" -eq "$(sqlite3 "$MAM_AUTHORITY" 'PRAGMA user_version')" ]
    # Older ones are found, so the number above must be what this release makes. Nothing has changed this one yet.
    export MAM_AUTHORITY=$scratch/older.db
    mamctl authority create >/dev/null
    sqlite3 "$MAM_AUTHORITY" 'DROP TABLE revision; DROP TABLE former_names; PRAGMA user_version = 6'
    before=$(sha256sum <"$MAM_AUTHORITY")
    found 3 authority 'older libmam .version 6'
    [ "$(sha256sum <"$MAM_AUTHORITY")" = "$before" ]
    mended 3 authority 'older libmam'
}

@test "the authority: missing, foreign, without its key, changed by others" {
    # Before anybody enrolled a new one does.
    mamctl status >/dev/null || true
    found 1 authority 'No such file'
    # The path may be wrong: another authority is made only where it is right.
    [ "$command" = "export MAM_AUTHORITY=/PATH/TO/THE/authority.db  # or, if the path is right: mamctl authority create --authority $MAM_AUTHORITY; or, where there was one: cp -p /PATH/TO/THE/BACKUP.db $MAM_AUTHORITY && cp -p /PATH/TO/THE/BACKUP.db.key $MAM_AUTHORITY.key" ]
    command=${command#*right: }
    run_all "${command%%; or*}"
    healthy
    # A key file without its authority is what is left of one.
    cp -p "$MAM_AUTHORITY" good.db && rm "$MAM_AUTHORITY"
    found 1 authority 'No such file.*, but its key file is here'
    bash -c "${command/\/PATH\/TO\/THE\/BACKUP.db/good.db}"
    healthy
    rm "$MAM_AUTHORITY" "$MAM_AUTHORITY.key"
    authority_with strict
    mamctl enroll "$ann" >/dev/null
    mv "$MAM_AUTHORITY" away.db
    mv "$MAM_AUTHORITY.key" away.db.key
    found 1 authority "No such file.* Apps of this state know the authority [0-9a-f-]+ here, and refuse another"
    # The key comes with it.
    command=${command#*right: }
    run_all "${command//\/PATH\/TO\/THE\/BACKUP.db/away.db}"
    healthy
    mv "$MAM_AUTHORITY.key" away.key
    found 3 authority 'key file is missing'
    [ "$command" = "cp -p /PATH/TO/THE/BACKUP.key $MAM_AUTHORITY.key" ]
    bash -c "${command/\/PATH\/TO\/THE\/BACKUP.key/away.key}"
    healthy
    chmod 644 "$MAM_AUTHORITY.key"
    mended 3 authority 'others may use the key file'
    cp -p "$MAM_AUTHORITY" good.db
    sqlite3 "$MAM_AUTHORITY" "UPDATE users SET display_name = 'Eve'"
    found 1 authority 'users is not as the authority signed it'
    run_all "${command#*looking at all of it: }"
    healthy
    cp -p "$MAM_AUTHORITY" good.db
    head -c 8192 /dev/urandom >"$MAM_AUTHORITY"
    found 1 authority 'no authority, or is damaged'
    bash -c "${command//\/PATH\/TO\/THE\/BACKUP.db/good.db}"
    healthy
    rm "$MAM_AUTHORITY" "$MAM_AUTHORITY.bad" && mkdir "$MAM_AUTHORITY"
    found 1 authority 'is not a file'
    command=${command#*right: }
    bash -c "${command//\/PATH\/TO\/THE\/BACKUP.db/good.db}"
    healthy
}

@test "another authority than the one that apps know: accepted, or the right one is put back" {
    enrolled_with strict
    cp -p "$MAM_AUTHORITY" first.db && cp -p "$MAM_AUTHORITY.key" first.db.key
    rm "$MAM_AUTHORITY" "$MAM_AUTHORITY.key"
    authority_with strict
    before=$(everything)
    found 1 authority 'it is another authority .* than the one that this app knows'
    [ "$(everything)" = "$before" ]
    cp -p first.db "$MAM_AUTHORITY" && cp -p first.db.key "$MAM_AUTHORITY.key"
    healthy
    rm "$MAM_AUTHORITY" "$MAM_AUTHORITY.key"
    authority_with strict
    mamctl checkin >/dev/null 2>&1 || true
    # The check-in that has failed meanwhile is no second finding.
    found 1 authority 'it is another authority'
    # The right one is put back; taking this one gives the account's data up, and comes second.
    [[ $command == "cp -p /PATH/TO/THE/BACKUP.db $MAM_AUTHORITY.new && "*"; or, if this one is meant, closing what its apps have: mamctl authority forget && mamctl enroll $ann" ]]
    run_all "${command#*have: }"
    found 3 accounts 'given up here'
    # The account's data stays closed, and launches say so, until that is given up as well.
    [[ $command =~ ^'mamctl status  # put the former authority back '.*'losing what only its keys opened: mamctl wipe '.*'; mamctl wipe '[0-9a-f]{32}'; mamctl enroll' ]]
    run --separate-stderr mamctl launch
    [ "$status" -eq 3 ]
    run_all "${command#*opened: }"
    healthy
    mamctl status --json | jq -e '.managed and .health == "fine"'
    # An older copy, of a key before.
    cp -p "$MAM_AUTHORITY" older.db && cp -p "$MAM_AUTHORITY.key" older.db.key
    mamctl authority key rotate >/dev/null
    mamctl checkin >/dev/null
    cp -p older.db "$MAM_AUTHORITY" && cp -p older.db.key "$MAM_AUTHORITY.key"
    found 1 authority 'its key does not follow the one that this app knows'
    run_all "${command#*have: }"
    healthy
}

@test "an older copy of the authority: refused until it is accepted" {
    authority_with strict
    mamctl enroll "$ann" >/dev/null
    sqlite3 "$MAM_AUTHORITY" ".backup $scratch/copy.db"
    mamctl authority wipe request "$ann" >/dev/null
    mamctl authority wipe cancel "$(mamctl authority wipe list --json | jq '.wipes[0].id')" >/dev/null
    mamctl checkin >/dev/null
    cp "$MAM_AUTHORITY" newest.db && cp copy.db "$MAM_AUTHORITY"
    run --separate-stderr mamctl checkin
    [ "$status" -ne 0 ]
    [[ $output$stderr == *'it is an older copy'*'mamctl authority accept'* ]]
    run mamctl status --nagios
    [ "$status" -eq 2 ]
    [[ $output == 'MAM CRITICAL'*'it is an older copy'* ]]
    found 1 authority 'it is an older copy: it is at change [0-9]+, and this app has seen change [0-9]+'
    [[ $command == *'; or, after deciding again what this copy lacks: mamctl authority accept --authority '* ]]
    # The first command puts the newest copy back.
    command=${command%%; or, after*}
    bash -c "${command/\/PATH\/TO\/THE\/BACKUP.db/newest.db}"
    mamctl checkin >/dev/null
    healthy
    # A copy that was changed since is one, too.
    cp copy.db "$MAM_AUTHORITY"
    for name in A B C; do mamctl authority group add "$name" >/dev/null; done
    run mamctl checkin
    [ "$status" -ne 0 ]
    found 1 authority 'it is an older copy: it was changed since, and lacks the change [0-9]+'
    run_all "${command#*lacks: }"
    mamctl checkin >/dev/null
    healthy
}

@test "custody: others may change the authority, or nothing can be reported to it" {
    open_to_others
    enrolled_with open
    noted() { doctor; [ "$status" -eq 0 ] && value '.notes[] | select(.check == "custody") | .message, .command'; }
    [[ $(noted) == *'development, because this user owns the file: '*$'\nnull' ]]
    mkdir above && mv "$MAM_AUTHORITY" "$MAM_AUTHORITY.key" above && export MAM_AUTHORITY=$scratch/above/authority.db
    # On a file of one's own a group is a note; all users are a fault, also for monitors.
    while IFS='|' read -r mode place why; do
        chmod "$mode" "$place"
        [[ $(noted) == *"development, because $why"*"chmod go-w $scratch/$place" ]] || { noted; return 1; }
        bash -c "$(noted | tail -n 1)"
        [[ $(noted) == *'this user owns the file: '* ]]
    done <<'CASES'
660|above/authority.db|the file's group can write it
775|above|others than root and the file's owner can change /
CASES
    while IFS='|' read -r mode place why; do
        chmod "$mode" "$place"
        run mamctl status --nagios
        [ "$status" -eq 1 ]
        [[ $output == 'MAM WARNING'*"development, because $why"* ]]
        mended 3 custody "development, because $why"
    done <<'CASES'
662|above/authority.db|every user can write the file
666|above/authority.db|every user can write the file
777|above|others than root and the file's owner can change /
CASES
    # Another user, who can only read it.
    chmod 711 above && chmod 644 "$MAM_AUTHORITY" && chown -R 65534 "$MAM_STATE"
    run --separate-stderr "${other[@]}" "$MAMCTL" doctor --json
    [ "$status" -eq 0 ]
    [[ $(value '.notes[].message') == 'the authority can only be read here: '*'never shown there as done; mamctl events has wipeDidComplete' ]]
    # For them a group that may write it, or a key file that they may read, is a fault.
    as_other() {
        run --separate-stderr "${other[@]}" "$MAMCTL" doctor --json
        [ "$status" -eq 3 ] && [[ $(value '.findings[0].message') == *"$1"* ]] || { echo "$output"; return 1; }
        [ "$(value '.findings[0].command')" = "$2" ] || { echo "$output"; return 1; }
    }
    chmod 664 above/authority.db
    as_other "the file's group can write it" "sudo chmod go-w $MAM_AUTHORITY"
    chmod 644 above/authority.db above/authority.db.key
    as_other 'others may use the key file' "sudo chmod 600 $MAM_AUTHORITY.key"
}

@test "the owner of an authority keeps it, whatever was given away" {
    open_to_others
    authority_with open
    mkdir -m 755 above && mv "$MAM_AUTHORITY" "$MAM_AUTHORITY.key" above && export MAM_AUTHORITY=$scratch/above/authority.db
    # The administrator is another user than root, as on a shared computer.
    chown -R 65534 above && mkdir -m 700 others && chown 65534 others
    administer() { "${other[@]}" "$MAMCTL" authority user set "$ann" --display-name "$1" >/dev/null; }
    mended_by_root() {
        MAM_STATE=$scratch/others run --separate-stderr "${other[@]}" "$MAMCTL" doctor --json
        [ "$status" -eq 3 ] && [[ $(value '.findings[].message') == *"$1"* ]] || { echo "$output"; return 1; }
        command=$(value '.findings[0].command')
        bash -c "${command//sudo /}"
        administer "$1" || { echo "after $command"; return 1; }
    }
    administer Ann
    # The directory is root's: the owner cannot change the file any more, and hears why.
    chown root above
    run ! administer Bob
    mended_by_root 'its owner may not write the directory'
    chown root above/authority.db
    mended_by_root 'the owner of its key file cannot change it'
    # Everybody else hears what gives it back to its owner.
    enroller() { run --separate-stderr mamctl doctor --json; command=$(value '(.findings + .notes)[] | select(.check == "custody").command'); }
    mamctl enroll "$ann" >/dev/null
    chown 65533 above
    enroller
    [ "$command" = "chown 65534 $scratch/above" ]
    bash -c "$command"
    administer Cy
    chown root above/authority.db
    enroller
    [ "$command" = "chown 65534 $scratch/above/authority.db" ]
    bash -c "$command"
    administer Di
}

# The computer's users and groups are copies, in a namespace of their own.
@test "an authority that this user may not read, or not reach" {
    open_to_others
    unshare --mount true 2>/dev/null || skip 'no mount namespaces here'
    authority_with strict
    mkdir -m 755 way && mv "$MAM_AUTHORITY"* way && cp -a /etc etc
    mkdir -m 700 of-nobody && chown 65534 of-nobody
    export MAM_AUTHORITY=$scratch/way/authority.db MAM_STATE=$scratch/of-nobody/state
    cat >inside.sh <<'SH'
mount --bind etc /etc || exit 90
name=$(getent passwd 65534 | cut -d: -f1)
looked() { setpriv --reuid 65534 --regid 65534 --init-groups "$MAMCTL" doctor --json | jq -r '.findings[] | select(.check == "authority") | '"$1"; }
while IFS='|' read -r prepare message; do
    eval "$prepare"
    [ "$(looked .message)" = "$message" ] || { echo "$prepare: $(looked .message)"; exit 91; }
    command=$(looked .command)
    # This is root already.
    command=${command//sudo /}
    command=${command#*reach an authority there: }
    bash -c "${command//'$(id -un)'/$name}" || exit 92
    [ -z "$(looked .message)" ] || { echo "$prepare: after $command: $(looked .message)"; exit 93; }
done <<'CASES'
chown root:root way/*; chmod 600 way/authority.db|this user may not read it
groupadd mam-test; chgrp mam-test way/*; chmod 640 way/authority.db|this user may not read it
chmod 600 way/authority.db|this user may not read it
chmod 700 way|Permission denied; the path is from MAM_AUTHORITY
groupadd mam-other; chgrp mam-other way; chmod 2750 way|Permission denied; the path is from MAM_AUTHORITY
CASES
SH
    MAMCTL=$(type -P "$MAMCTL") run unshare --mount bash inside.sh
    [ "$status" -eq 0 ] || { echo "status $status: $output"; return 1; }
}

@test "a login that may not read the authority hears which group it has to join (205)" {
    [ "$UID" -eq 0 ] && type -P setpriv >/dev/null || skip "only root can be another user"
    # Nobody else passes through the directories of the tests.
    place=$(mktemp -d)
    chmod 711 "$place"
    export MAM_AUTHORITY=$place/lib/authority.db
    mkdir -m 2750 "$place/lib"
    chgrp games "$place/lib"
    authority_with strict
    chmod 640 "$MAM_AUTHORITY"
    mkdir -m 700 "$place/home"
    chown 65534 "$place/home"
    as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$place/home" MAM_STATE="$place/home/state" XDG_CONFIG_HOME="$place/home")
    "${as_nobody[@]}" "$(type -P "$MAMCTL")" --version >/dev/null 2>&1 || skip "another user cannot run this mamctl"
    cd "$place" || return
    run --separate-stderr "${as_nobody[@]}" "$(type -P "$MAMCTL")" enroll "$ann"
    failed_with 1 'sudo usermod -a -G games .*205'
    run "${as_nobody[@]}" "$(type -P "$MAMCTL")" status --nagios
    [ "$status" -eq 2 ] && [[ $output == *'sudo usermod -a -G games'* ]]
    cd "$scratch" && rm -r "$place"
}
