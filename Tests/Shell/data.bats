#!/usr/bin/env bats
# protect, unprotect and info as filters.

# What helpers.bash sets, and mamctl reading no file that is written:
# shellcheck disable=SC2154,SC2094
load helpers

@test "what was protected comes back, whatever the bytes" {
    enrolled_with strict
    head -c 100000 /dev/urandom >plain
    mamctl protect --account "$ann" <plain >sealed
    run ! cmp -s plain sealed
    mamctl unprotect --strict <sealed | cmp - plain
}

@test "nobody's data is labelled, not encrypted" {
    enrolled_with strict
    echo milk | mamctl protect --account '' >sealed
    run mamctl info sealed --json
    [ "$(value .encrypted)" = false ]
    [ "$(mamctl unprotect <sealed)" = milk ]
    mamctl info sealed | grep -E '^algorithm +labelled$'
    run --separate-stderr mamctl protect --account '' <<<milk
    [ -z "$stderr" ]
}

@test "a name that is not managed: labelled, and told" {
    enrolled_with strict
    mamctl protect --account anm@contoso.example <<<plan >labelled 2>said
    [ "$(cat said)" = 'mamctl: labelled for anm@contoso.example, not encrypted: anm@contoso.example is not a managed account' ]
    [ "$(mamctl unprotect --strict <labelled)" = plan ]
    mamctl info labelled | grep -E '^algorithm +labelled$'
    mamctl protect --account anm@contoso.example --json <<<plan 2>said >labelled
    [ "$(jq -r '[.account, .encrypted] | join(" ")' said)" = 'anm@contoso.example false' ]
    mamctl protect --account "$ann" <<<plan 2>said >sealed
    [ ! -s said ]
    run --separate-stderr mamctl protect --account anm@contoso.example --unknown-identities error <<<plan
    failed_with 1 'not registered'
    [ -z "$output" ]
}

@test "foreign bytes come back unchanged, unless strict" {
    enrolled_with strict
    [ "$(echo milk | mamctl unprotect)" = milk ]
    run --separate-stderr mamctl unprotect --strict <<<milk
    failed_with 1 .
    [ -z "$output" ]
}

@test "one changed bit: an error, and not a byte written" {
    enrolled_with strict
    head -c 50000 /dev/zero | mamctl protect --account "$ann" >sealed
    last=$(($(wc -c <sealed) - 1))
    byte=$(tail -c 1 sealed | od -An -tu1)
    { head -c "$last" sealed && printf %b "$(printf '\\x%x' $((byte ^ 1)))"; } >bent
    run --separate-stderr mamctl unprotect <bent
    failed_with 1 .
    [ -z "$output" ]
}

@test "info names the owner, from a file and from standard input" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >sealed
    mamctl info sealed >file
    mamctl info <sealed | diff file -
    grep -E '^account id +ann-id$' file
    grep -E '^encrypted +yes$' file
    grep -E '^algorithm +sealed$' file
    [ "$(mamctl info sealed --json | jq .algorithm)" = 1 ]
    grep -E '^length +5$' file
    run --separate-stderr mamctl info <<<milk
    failed_with 1 .
}

@test "nothing in, nothing out, and an error" {
    enrolled_with strict
    run --separate-stderr mamctl protect --account "$ann" </dev/null
    failed_with 1 .
    [ -z "$output" ]
}

@test "64 MiB go through, one byte more does not" {
    enrolled_with strict
    head -c $((64 << 20)) /dev/zero | mamctl protect --account "$ann" >sealed
    mamctl unprotect --strict <sealed | cmp - <(head -c $((64 << 20)) /dev/zero)
    head -c $(((64 << 20) + 1)) /dev/zero >large
    run --separate-stderr mamctl protect --account "$ann" <large
    failed_with 1 'longer than 64 MiB'
    [ -z "$output" ]
}

@test "a container is not for a terminal" {
    command -v script >/dev/null || skip 'script(1) is not here'
    enrolled_with strict
    echo plan >plain
    run script -qec "$MAMCTL protect --account $ann <plain" /dev/null
    [ "$status" -eq 64 ]
    [[ $output == *'terminal'* ]]
}

@test "another app cannot read it" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >sealed
    mamctl enroll "$ann" --app com.example.other >/dev/null
    run --separate-stderr mamctl unprotect --app com.example.other <sealed
    failed_with 1 .
}

@test "a new key seals what comes, and what was sealed stays readable" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >first
    run mamctl rotate-keys "$ann"
    [ "$status$output" = 0 ]
    echo plan | mamctl protect --account "$ann" >second
    [ "$(mamctl info first --json | jq .epoch) $(mamctl info second --json | jq .epoch)" = "1 2" ]
    [ "$(mamctl unprotect --strict <first)$(mamctl unprotect --strict <second)" = planplan ]
    run --separate-stderr mamctl rotate-keys eve@personal.example
    [ "$status" = 1 ]
    [[ $stderr == *"not managed"* ]]
}
