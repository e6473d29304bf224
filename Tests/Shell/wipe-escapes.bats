#!/usr/bin/env bats
# No way to leave an authority and to come back opens data that a wipe was requested for.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

# sealed ACCOUNT…: Ann is enrolled, with a container.
sealed() {
    rm -rf "$MAM_STATE" "$MAM_AUTHORITY"* sealed
    enrolled_with open
    echo secret | mamctl protect --account "$ann" >sealed
    [ "$(mamctl unprotect <sealed)" = secret ]
}

# wiped NAME: enrolling carries the wipe out, once; then the account is as good as new.
wiped() {
    run mamctl enroll "$1"
    [ "$status" -eq 1 ] && [[ $output == *wipeReceived* ]]
    run --separate-stderr mamctl unprotect <sealed
    [ "$status" -ne 0 ] && [ -z "$output" ]
    [ "$(mamctl authority wipe list --json | jq -r '.wipes[-1] | "\(.pending) \(.done)"')" = '0 1' ]
    mamctl enroll "$1"
    echo new | mamctl protect --account "$1" >new
    mamctl check-in
    [ "$(mamctl unprotect <new)" = new ]
    run mamctl unprotect <sealed
    [ "$status" -ne 0 ]
}

@test "a wipe is not escaped by leaving the authority, or the account, and enrolling again" {
    while IFS='|' read -r first leave between; do
        echo "== $first | $leave | $between"
        sealed
        eval "$first"
        eval "$leave"
        eval "$between"
        name=$(mamctl authority user show ann-id --json | jq -r .upn)
        wiped "$name"
    done <<'CASES'
mamctl authority wipe request ann-id|mamctl authority forget|:
:|mamctl authority forget|mamctl authority wipe request ann-id
:|mamctl unenroll "$ann"|mamctl authority wipe request ann-id
mamctl authority user add bob@contoso.example; mamctl authority wipe request bob@contoso.example|mamctl unenroll "$ann"|mamctl authority wipe request ann-id
:|mamctl unenroll "$ann"|mamctl authority user set ann-id --upn anna@contoso.example; mamctl authority wipe request ann-id
:|mamctl authority forget|mamctl authority user set ann-id --upn anna@contoso.example; mamctl authority wipe request ann-id
:|mamctl unenroll "$ann"; mamctl authority forget|mamctl authority wipe request ann-id
CASES
}

@test "without a wipe, what an account left is there when it is enrolled again" {
    for leave in 'authority forget' "unenroll $ann"; do
        sealed
        mamctl authority user add bob@contoso.example
        mamctl authority wipe request bob@contoso.example
        mamctl authority wipe request "$ann" --app com.example.elsewhere --force
        # shellcheck disable=SC2086
        mamctl $leave
        mamctl enroll "$ann"
        mamctl check-in
        [ "$(mamctl unprotect <sealed)" = secret ]
    done
}

@test "a wipe at another authority does not reach what is closed" {
    sealed
    mamctl authority forget
    mkdir other
    own=$MAM_AUTHORITY
    export MAM_AUTHORITY=$scratch/other/authority.db
    authority_with open
    mamctl authority wipe request "$ann"
    mamctl enroll "$ann"
    mamctl authority wipe request "$ann"
    mamctl check-in || true
    run mamctl unprotect <sealed
    [ "$status" -ne 0 ]
    mamctl authority forget
    export MAM_AUTHORITY=$own
    mamctl enroll "$ann"
    mamctl check-in
    [ "$(mamctl unprotect <sealed)" = secret ]
}
