#!/usr/bin/env bats
# examples/integrate: work data whose state is lost, that is older than a policy, or that is saved.

# helpers.bash and integrate.bash set variables, which tests set in subshells:
# shellcheck disable=SC2154,SC2030,SC2031,SC2034,SC2317
load helpers
load integrate

@test "a saved copy has the form that the policy allows there" {
    patched c mail
    make --silent -C after
    authority_with open
    mail after sign-in "$ann"
    echo 'Merger' | mail after deliver "$ann" Plan
    mail after save "$ann" 1 copy
    [ "$(cat copy)" = Merger ]
    echo '{"@odata.type":"#libmam.linuxManagedAppProtection","displayName":"Among apps",
        "allowedOutboundDataTransferDestinations":"managedApps"}' >among.json
    mamctl authority policy import among.json --all-users --all-apps >/dev/null
    mamctl check-in >/dev/null
    mail after save "$ann" 1 kept
    run ! grep -q Merger kept
    [ "$(ls "mail/work/$ann")" = mail.db ]
    [ "$(mamctl file import kept --account "$ann" seen && mamctl file read seen)" = Merger ]
    wiped
    [ ! -e "mail/work/$ann" ]
}

@test "data from before a policy required encryption is encrypted at the next start" {
    echo '{"@odata.type":"#libmam.linuxManagedAppProtection","id":"p","displayName":"P","printBlocked":true}' >before.json
    jq '. + {appDataEncryptionType: "whenDeviceLocked"}' before.json >after.json
    for program in mail notebook; do
        rm -rf "$MAM_STATE" "$MAM_AUTHORITY"* before after
        mamctl authority create >/dev/null
        mamctl authority user add "$ann" >/dev/null
        mamctl authority policy import before.json --all-users --all-apps >/dev/null
        integrated "$program"
        "$program" after sign-in "$ann"
        echo 'Merger' | "$program" after "$add" "$ann" Plan
        grep -rq Merger "$program"
        mamctl authority policy import after.json >/dev/null
        mamctl check-in >/dev/null
        "$program" after list >/dev/null
        run ! grep -rq Merger "$program"
        [ "$("$program" after show "$ann" "$([ "$program" = mail ] && echo 1 || echo Plan)")" = Merger ]
    done
}

@test "where the state is lost, nothing of the account's is stored or shown in the clear" {
    patched c mail
    make --silent -C after
    authority_with open
    mail after sign-in "$ann"
    echo 'Merger' | mail after deliver "$ann" Plan
    rm -r "$MAM_STATE"
    for address in "$ann" "${ann^^}"; do
        run --separate-stderr mail after deliver "$address" Later <<<Leak
        [ "$status" -eq 3 ]
        [[ $stderr == *"$address: its work mail is here, but your organisation does not manage the account here now" ]]
    done
    echo 'Milk' | mail after deliver ann@home.example Buy
    run --separate-stderr mail after list
    [ "$status" -eq 3 ]
    [ "$output" = 'ann@home.example 1: Buy' ]
    # Signing in again brings no keys back: what they sealed lies aside as it was, and the account works.
    before=$(sha256sum <"mail/work/$ann/mail.db")
    run --separate-stderr mail after sign-in "$ann"
    [[ $stderr == *"mail from before is here: a backup of the app's state opens it"* ]]
    [ "$(sha256sum <mail/work/.lost-*/mail.db)" = "$before" ]
    echo 'Leak' | mail after deliver "$ann" Later
    [ "$(mail after show "$ann" 1)" = Leak ]
    [ "$(sha256sum <mail/work/.lost-*/mail.db)" = "$before" ]
    run ! grep -rq Leak mail
}

@test "notes of an account whose state is lost stay as they are" {
    patched python notebook
    binding=$BATS_TEST_DIRNAME/../../bindings/python/src
    authority_with open
    notebook after sign-in "$ann"
    echo 'Merger' | notebook after add "$ann" Plan
    mv "$MAM_STATE" kept
    for address in "$ann" "${ann^^}"; do
        run --separate-stderr notebook after add "$address" Later <<<Leak
        [ "$status" -eq 3 ]
        [[ $stderr == *"$address: its work notes are here, but your organisation does not manage the account here now" ]]
    done
    echo 'Milk' | notebook after add ann@home.example Buy
    for words in "show $ann Plan" "save $ann Plan copy"; do
        # shellcheck disable=SC2086 # several words
        run notebook after $words
        [ "$status" -eq 3 ]
    done
    [ ! -e copy ]
    run ! grep -rq -e Leak -e Merger notebook
    # Signing in again brings no keys back: the old note is kept out of the way of new ones.
    before=$(sha256sum <"notebook/$ann/Plan.txt")
    notebook after sign-in "$ann"
    [ "$(notebook after list)" = 'ann@home.example: Buy' ]
    [ "$(sha256sum <"notebook/.lost-$ann/Plan.txt")" = "$before" ]
    notebook after add "$ann" Plan <<<Leak
    [ "$(notebook after show "$ann" Plan)" = Leak ]
    run ! grep -rq -e Leak -e Merger notebook
    # A backup of the state brings it back.
    rm -r "$MAM_STATE"
    mv kept "$MAM_STATE"
    notebook after list >/dev/null
    [ "$(notebook after show "$ann" Plan)" = Merger ]
}

@test "mail of a person's own under a name that an account gets stays theirs" {
    integrated mail
    authority_with no-pin
    echo Milk | mail after deliver ann@home.example Buy
    mail after sign-in "$ann"
    echo Merger | mail after deliver "$ann" Plan
    mamctl authority user set "$ann" --upn ann@home.example >/dev/null
    mamctl check-in >/dev/null
    mail after list; [ "$(mail after list)" = 'ann@home.example 1: Plan
ann@home.example+ 1: Buy' ]
    mamctl authority wipe request ann@home.example >/dev/null
    mamctl check-in >/dev/null
    [ "$(mail after list)" = 'ann@home.example+ 1: Buy' ]
    [ "$(mail after show ann@home.example+ 1)" = Milk ]
}

@test "mail from before under a new name in the organisation's domain is the account's" {
    integrated mail
    authority_with no-pin
    make --silent -C before
    echo Merger | mail before deliver anna@contoso.example Plan
    mail after sign-in "$ann"
    mamctl authority user set "$ann" --upn anna@contoso.example >/dev/null
    mamctl check-in >/dev/null
    [ "$(mail after list)" = 'anna@contoso.example 1: Plan' ]
    run ! grep -q Merger mail/mail.db
}

@test "a note that may not be read keeps no other in the clear" {
    [ "$(id -u)" -eq 0 ] || skip 'needs root, to act as a user'
    place=$(mktemp -d) # others may not enter bats' own
    chmod 777 "$place"
    cd "$place"
    patched python notebook
    chmod -R a+rX after
    binding=$(readlink -f "$BATS_TEST_DIRNAME/../../bindings/python/src")
    person() {
        setpriv --reuid nobody --regid nogroup --clear-groups \
            env -u XDG_CONFIG_HOME -u XDG_STATE_HOME HOME="$place" PYTHONPATH="$binding" "$@"
    }
    person /usr/bin/python3 -c 'import mam' 2>/dev/null || skip 'others may not read the checkout'
    export NOTEBOOK=$place/own MAM_STATE=$place/state MAM_AUTHORITY=$place/authority.db
    person mamctl authority create >/dev/null
    person mamctl authority user add "$ann" >/dev/null
    person mamctl authority policy import - --all-users --all-apps <"$policies/no-pin.json" >/dev/null
    for title in One Two Three; do echo Merger | person /usr/bin/python3 after/notebook.py add "$ann" "$title"; done
    chmod 0 "own/$ann/Two.txt"
    run person /usr/bin/python3 after/notebook.py sign-in "$ann"
    [ "$(grep -rl Merger own)" = "own/$ann/Two.txt" ]
    rm -r "$place"
}

@test "a second sign-in does what the first one left undone" {
    patched c mail
    make --silent -C after
    authority_with open
    for _ in 1 2; do mail after sign-in "$ann"; done
    rm -rf before after
    patched python notebook
    binding=$BATS_TEST_DIRNAME/../../bindings/python/src
    rm -r "$MAM_STATE"
    echo 'Merger' | binding='' notebook before add "$ann" Plan
    # Killed before the notes were moved: the account is there, and the notes are as they were.
    mamctl enroll "$ann" >/dev/null
    grep -rq Merger notebook
    for _ in 1 2; do notebook after sign-in "$ann"; done
    run ! grep -rq Merger notebook
    [ "$(notebook after show "$ann" Plan)" = Merger ]
}

@test "the notebook says once why it does not start" {
    patched python notebook
    authority_with open
    cat >required.py <<'END'
import functools, sys
import mam
mam.open = functools.partial(mam.open, settings={"MAMPolicyRequired": True})
import notebook
sys.exit(notebook.main())
END
    PYTHONPATH=$BATS_TEST_DIRNAME/../../bindings/python/src:$PWD/after run --separate-stderr python3 required.py list
    [ "$status" -eq 3 ]
    [[ $stderr == 'notebook: refused: '* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
}

# moved OLD NEW: NEW, which moves what OLD has stored meanwhile under a number that is taken, is killed at each sync of a database;
# nothing is lost or there twice. OLD stores its argument, NEW prints lines.
moved() {
    [ -e killed.so ] || "${CC:-cc}" -shared -fPIC -Wall -Wextra -Werror -o killed.so "$BATS_TEST_DIRNAME/killed.c"
    local at=0 status=137
    while [ "$status" -ne 0 ]; do
        at=$((at + 1))
        "$1" "Letter $at"
        status=0
        KILL_AT=$at KILL_IN=mail.db LD_PRELOAD=./killed.so "$2" >/dev/null 2>&1 || status=$?
        [ "$status" -eq 0 ] || [ "$status" -eq 137 ]
        "$2" >lines
        seq -f 'Letter %g' "$at" | cmp - <(grep -o 'Letter.*' lines | sort -V)
    done
    [ "$at" -gt 5 ]
}

@test "data that a wipe could not remove goes at the next start, whoever read its event" {
    for program in mail notebook; do
        rm -rf "$MAM_STATE" "$MAM_AUTHORITY"* before after "$program"
        authority_with open
        integrated "$program"
        [ "$program" = notebook ] || make --silent -C before
        "$program" after sign-in "$ann"
        wiped
        mamctl events --app "com.example.$program" --json | grep -q wipeDidComplete
        mamctl events --app "com.example.$program" --json >nothing
        run ! grep -q wipeDidComplete nothing
        # As if it was killed before it gave them to the account: an old program's, which knows nothing of libmam.
        echo 'Merger' | "$program" before "$add" "$ann" Plan
        echo 'Milk' | "$program" before "$add" ann@home.example Buy
        grep -rq Merger "$program"
        run "$program" after list
        [[ $output == *ann@home.example*Buy* && $output != *"$ann"* ]]
        run ! grep -rq Merger "$program"
        "$program" after list | grep -q Buy
    done
}

@test "a move that is killed anywhere loses and doubles nothing, in C" {
    patched c mail
    make --silent -C before
    make --silent -C after
    export MAIL_DIR="$scratch/a?b#c%41"
    authority_with open
    mamctl enroll "$ann" >/dev/null
    # A sign-in was killed after it had enrolled, and a database is empty, as after a kill, or missing: it stays the person's.
    mkdir -p "$MAIL_DIR/work/$ann"
    touch "$MAIL_DIR/work/$ann/mail.db"
    for make in touch rm; do
        "$make" "$MAIL_DIR/mail.db"
        mail after list
        [ -d "$MAIL_DIR/work/$ann" ]
        [ -z "$(sqlite3 "$MAIL_DIR/mail.db" 'SELECT * FROM messages')" ]
        [ "$(mamctl file info "$MAIL_DIR/mail.db" --json | jq -r .accountId)" = null ]
    done
    old() { mail before deliver "$ann" "$1" <<<Text; }
    new() { mail after list; }
    moved old new
    run ! grep -aq Letter "$MAIL_DIR/mail.db"
    mail before deliver ann@home.example Buy <<<Milk
    wiped
    [ "$(mail after list)" = 'ann@home.example 1: Buy' ]
}

@test "a move that is killed anywhere loses and doubles nothing, in Python" {
    enrolled_with strict
    export PYTHONPATH=$BATS_TEST_DIRNAME/../../bindings/python/src PYTHONDONTWRITEBYTECODE=1
    common="$scratch/a?b#c%41/mail.db"
    mkdir "${common%/*}"
    sqlite3 "$common" "CREATE TABLE messages (address TEXT, number INTEGER, text TEXT, PRIMARY KEY (address, number));
        INSERT INTO messages VALUES ('ann@home.example', 1, 'Milk')"
    old() { sqlite3 "$common" "INSERT INTO messages VALUES ('Ann@Contoso.example', 1, '$1')"; }
    new() { python3 "$examples/python/split.py" "$MAM_APP" "$MAM_AUTHORITY" "$MAM_STATE" "$common" "$ann" work; }
    moved old new
    run ! grep -aq Letter "$common"
    [ "$(sqlite3 "$common" 'SELECT text FROM messages')" = Milk ]
}
