#!/usr/bin/env bats
# examples/integrate: work data whose state is lost, that is older than a policy, or that is saved.

# helpers.bash and integrate.bash set variables, which tests set in subshells:
# shellcheck disable=SC2154,SC2030,SC2031,SC2034
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
        if [ "$program" = mail ]; then
            patched c mail
            make --silent -C after
            add=deliver
        else
            patched python notebook
            binding=$BATS_TEST_DIRNAME/../../bindings/python/src
            add=add
        fi
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
        [[ $stderr == *"$address: its work mail is here, but the account is not signed in" ]]
    done
    echo 'Milk' | mail after deliver ann@home.example Buy
    run --separate-stderr mail after list
    [ "$status" -eq 3 ]
    [ "$output" = 'ann@home.example 1: Buy' ]
    # Signing in again brings no keys back, and still stores nothing beside them.
    before=$(sha256sum "mail/work/$ann/mail.db")
    for words in "sign-in $ann" "deliver $ann Later"; do
        # shellcheck disable=SC2086 # several words
        run --separate-stderr mail after $words <<<Leak
        [ "$status" -eq 1 ]
        [[ $stderr == *"$ann: This data cannot be opened with your account in this app."* ]]
    done
    [ "$(sha256sum "mail/work/$ann/mail.db")" = "$before" ]
    run ! grep -rq Leak mail
}

@test "notes of an account whose state is lost stay as they are" {
    patched python notebook
    binding=$BATS_TEST_DIRNAME/../../bindings/python/src
    authority_with open
    notebook after sign-in "$ann"
    echo 'Merger' | notebook after add "$ann" Plan
    rm -r "$MAM_STATE"
    for address in "$ann" "${ann^^}"; do
        run --separate-stderr notebook after add "$address" Later <<<Leak
        [ "$status" -eq 3 ]
        [[ $stderr == *"$address: its work notes are here, but the account is not signed in" ]]
    done
    echo 'Milk' | notebook after add ann@home.example Buy
    for words in "show $ann Plan" "save $ann Plan copy"; do
        # shellcheck disable=SC2086 # several words
        run notebook after $words
        [ "$status" -eq 3 ]
    done
    [ ! -e copy ]
    run ! grep -rq -e Leak -e Merger notebook
    # Signing in again brings no keys back, and a new note does not replace the old one.
    run notebook after sign-in "$ann"
    [ "$status" -eq 1 ]
    before=$(sha256sum "notebook/$ann/Plan.txt")
    run --separate-stderr notebook after add "$ann" Plan <<<Leak
    [ "$status" -eq 1 ]
    [[ $stderr == *'This data cannot be opened with your account in this app.'* ]]
    [ "$(sha256sum "notebook/$ann/Plan.txt")" = "$before" ]
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
