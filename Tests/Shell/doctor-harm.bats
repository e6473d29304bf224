#!/usr/bin/env bats
# mamctl doctor: no command that it, or status, proposes does harm when it is pasted: nothing opens a secret to others or takes what is
# somebody else's.

# helpers.bash sets variables:
# shellcheck disable=SC2154,SC2030,SC2031
load helpers
load doctor

# All that commands propose to the other user about an authority.
proposed_to_other() {
    local run=("${other[@]}" env HOME="$scratch/others" MAM_STATE="$scratch/others/state" XDG_CONFIG_HOME="$scratch/others" MAM_AUTHORITY="$1" "$MAMCTL")
    "${run[@]}" doctor --json 2>&1 || true
    "${run[@]}" status --nagios 2>&1 || true
    "${run[@]}" enroll "$ann" 2>&1 || true
}

@test "a key, a state's file and a service's own are never opened to others" {
    open_to_others
    mkdir -m 700 others && chown 65534 others
    mkdir kept service state && chmod 711 kept service state
    enrolled_with open
    cp -p "$MAM_AUTHORITY" kept/authority.db && cp -p "$MAM_AUTHORITY.key" kept/authority.db.key && chmod 644 kept/authority.db
    cp -p "$MAM_AUTHORITY" service/mamd.db && cp -p "$MAM_AUTHORITY.key" service/mamd.db.key
    echo '{}' >service/mamd.json
    printf 'libmam recovery key 1\n' >service/recovery && chmod 600 service/*
    cp -p "$MAM_STATE/$MAM_APP/state.db" "$MAM_STATE/$MAM_APP/root.key" state
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' kept/mamd.sock
    while IFS='|' read -r path what; do
        text=$(proposed_to_other "$scratch/$path")
        [[ $text == *"$what"* ]] || { echo "$path: $text"; return 1; }
        # Only the way to the authority that is meant is proposed, and nothing that changes rights.
        ! grep -E 'chmod|chown|chgrp|usermod|setfacl' <<<"$text" || { echo "$path: $text"; return 1; }
    done <<'CASES'
kept/authority.db.key|is the secret key of the authority
state/root.key|is a secret key
state/state.db|is of an app's state
service/mamd.db.key|is the secret key of the authority
service/mamd.json|is a service's own
service/recovery|is a service's own
kept/mamd.sock|is a socket
CASES
    command=$("${other[@]}" env MAM_STATE="$scratch/others/state" MAM_AUTHORITY="$scratch/kept/authority.db.key" "$MAMCTL" doctor --json | jq -r '.findings[0].command')
    [ "$command" = "export MAM_AUTHORITY=$scratch/kept/authority.db" ]
    # Its owner does not move it away for a copy.
    MAM_STATE=$scratch/others/none MAM_AUTHORITY=$scratch/kept/authority.db.key run --separate-stderr mamctl doctor --json
    [ "$(value '.findings[0].command')" = "$command" ]
}

@test "the directory of an authority in its place is not moved away" {
    mkdir kept
    authority_with open && mv "$MAM_AUTHORITY"* kept
    MAM_AUTHORITY=$scratch/kept run --separate-stderr mamctl doctor --json
    [[ $(value '.findings[0].command') == 'export MAM_AUTHORITY=/PATH/TO/THE/authority.db' ]]
}

@test "a remark is on a line of its own: zsh would run what follows a semicolon in it" {
    enrolled_with open
    mamctl authority user remove "$ann" --force >/dev/null 2>&1
    mamctl checkin >/dev/null 2>&1 || true
    run --separate-stderr mamctl doctor
    [[ $output == *$'\n  run: mamctl '* && $output == *$'\n       ('*')'* ]]
    [[ $output == *"if the name is misspelt: mamctl unenroll"* ]]
    run ! grep -E '^  run: .* # ' <<<"$output"
}

@test "a closed directory is looked at before it is opened for an authority" {
    open_to_others
    mkdir -m 700 others && chown 65534 others
    mkdir -m 700 home && authority_with open && mv "$MAM_AUTHORITY"* home
    command=$("${other[@]}" env MAM_STATE="$scratch/others/state" MAM_AUTHORITY="$scratch/home/authority.db" "$MAMCTL" doctor --json | jq -r '.findings[0].command')
    [[ ${command%%#*} == "sudo ls -la $scratch/home  " ]]
}

@test "the state of another user is left to its owner" {
    open_to_others
    enrolled_with open
    chmod 644 "$MAM_AUTHORITY"
    chown -R 65534 "$MAM_STATE"
    name=$(id -un 65534)
    run --separate-stderr mamctl doctor --state "$MAM_STATE" --json
    [ "$status" -eq 1 ]
    [ "$(value '[.findings[] | select(.check == "state").command] | unique[]')" = "runuser -u $name -- mamctl doctor --state $MAM_STATE" ]
    run --separate-stderr setpriv --reuid 65533 --regid 65533 --clear-groups "$MAMCTL" doctor --state "$MAM_STATE" --json
    [ "$(value '[.findings[] | select(.check == "state").command] | unique[]')" = "sudo -u $name mamctl doctor --state $MAM_STATE" ]
    # One of root's that is not this user's is not taken as a whole before somebody has looked.
    mkdir -m 700 roots
    run --separate-stderr "${other[@]}" "$MAMCTL" doctor --state "$scratch/roots" --json
    command=$(value '.findings[0].command')
    [[ ${command%%#*} == "sudo ls -la $scratch/roots  " ]]
}

@test "a home that is not there is not made" {
    open_to_others
    authority_with open && chmod 644 "$MAM_AUTHORITY"
    run --separate-stderr "${other[@]}" env -u MAM_STATE -u XDG_STATE_HOME HOME=/nonexistent "$MAMCTL" doctor --json
    command=$(value '.findings[] | select(.check == "state").command')
    [[ $command == 'export MAM_STATE=/PATH/TO/A/DIRECTORY  # '* ]]
    # The last directory alone is.
    run --separate-stderr "${other[@]}" "$MAMCTL" doctor --state "$scratch/states" --json
    [ "$(value '.findings[] | select(.check == "state").command')" = "sudo install -d -m 700 -o 65534 $scratch/states" ]
}

@test "a directory with files of others is not given to the owner of an authority" {
    open_to_others
    authority_with open
    # The authority of one user in the directory of another.
    mkdir -m 755 place && mv "$MAM_AUTHORITY"* place && touch place/letter
    chown 65533 place && chown 65534 place/authority.db*
    chmod 644 place/authority.db
    export MAM_AUTHORITY=$scratch/place/authority.db
    mamctl enroll "$ann" >/dev/null
    run --separate-stderr mamctl doctor --json
    [[ $(value '(.findings + .notes)[] | select(.check == "custody").command') == "namei -l "* ]]
    mkdir -m 700 others && chown 65534 others
    run --separate-stderr "${other[@]}" env MAM_STATE="$scratch/others/state" "$MAMCTL" doctor --json
    command=$(value '.findings[] | select(.message | test("may not write the directory")).command')
    [[ ${command%%#*} == "ls -la $scratch/place  " ]]
}
