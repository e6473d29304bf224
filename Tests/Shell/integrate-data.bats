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
    run mail after sign-in "$ann"
    run mail after deliver "$ann" Later <<<Leak
    [ "$status" -ne 0 ]
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
}
