#!/usr/bin/env bats
# mamctl protect, unprotect and info as filters.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016
load helpers

@test "any bytes are protected and opened again unchanged" {
    enrolled_with strict
    head -c 100000 /dev/urandom >plain
    mamctl protect --account "$ann" <plain >sealed
    run ! cmp -s plain sealed
    mamctl unprotect --strict <sealed | cmp - plain
}

@test "personal data is labelled, not encrypted" {
    enrolled_with strict
    echo milk | mamctl protect --account '' >sealed
    run mamctl info sealed --json
    [ "$(value .encrypted)" = false ]
    [ "$(mamctl unprotect <sealed)" = milk ]
    mamctl info sealed | grep -E '^algorithm +labelled$'
    run --separate-stderr mamctl protect --account '' <<<milk
    [ -z "$stderr" ]
}

@test "data of an unmanaged name is labelled, with a note" {
    enrolled_with strict
    mamctl protect --account eve@personal.example <<<plan >labelled 2>said
    [ "$(cat said)" = 'mamctl: labelled for eve@personal.example, not encrypted: eve@personal.example is not a managed account' ]
    [ "$(mamctl unprotect --strict <labelled)" = plan ]
    mamctl info labelled | grep -E '^algorithm +labelled$'
    mamctl protect --account eve@personal.example --json <<<plan 2>said >labelled
    [ "$(jq -r '[.account, .encrypted] | join(" ")' said)" = 'eve@personal.example false' ]
    # An unknown name in the organisation's domain is refused until it is registered.
    run --separate-stderr mamctl protect --account anm@contoso.example <<<plan
    failed_with 1 "did you mean $ann"
    [ -z "$output" ]
    mamctl register anm@contoso.example
    mamctl protect --account anm@contoso.example <<<plan >labelled 2>said
    [ "$(cat said)" = 'mamctl: labelled for anm@contoso.example, not encrypted: anm@contoso.example is not a managed account' ]
    [ "$(mamctl unprotect --strict <labelled)" = plan ]
    mamctl protect --account "$ann" <<<plan 2>said >sealed
    [ ! -s said ]
    run --separate-stderr mamctl protect --account eve@personal.example --unknown-identities error <<<plan
    failed_with 1 'not registered'
    [ -z "$output" ]
}

@test "a name is checked before anything is made for it, and its account is shown" {
    mamctl account anm@contoso.example # nobody is enrolled
    enrolled_with strict
    [ "$(mamctl account "$ann" | sed 's/: /=/')" = "accountId=ann-id
upn=$ann
state=enrolled
managed=yes" ]
    [ "$(mamctl account ann-id --json | jq -r .upn)" = "$ann" ]
    [ "$(mamctl account eve@personal.example --json)" = null ]
    for name in anm@contoso.example 'Ann <ann@contoso.example>' ann@contoso.example/mail; do
        run --separate-stderr mamctl account "$name"
        failed_with 1
        [ -z "$output" ]
    done
    mamctl unenroll "$ann"
    run --separate-stderr mamctl account "$ann"
    failed_with 1 'was wiped or unenrolled'
}

@test "bytes that are not a container are returned unchanged, unless strict" {
    enrolled_with strict
    [ "$(echo milk | mamctl unprotect)" = milk ]
    run --separate-stderr mamctl unprotect --strict <<<milk
    failed_with 1 .
    [ -z "$output" ]
}

@test "one changed bit is an error, and no byte is written" {
    enrolled_with strict
    head -c 50000 /dev/zero | mamctl protect --account "$ann" >sealed
    last=$(($(wc -c <sealed) - 1))
    byte=$(tail -c 1 sealed | od -An -tu1)
    { head -c "$last" sealed && printf %b "$(printf '\\x%x' $((byte ^ 1)))"; } >bent
    run --separate-stderr mamctl unprotect <bent
    failed_with 1 .
    [ -z "$output" ]
}

@test "info names the owner of a file and of standard input" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >sealed
    mamctl info sealed >file
    mamctl info <sealed | diff file -
    grep -E '^account id +ann-id$' file
    grep -E '^encrypted +yes$' file
    grep -E '^algorithm +sealed$' file
    [ "$(mamctl info sealed --json | jq .algorithm)" = 1 ]
    grep -E '^length +5$' file
    head -c 100000 /dev/zero | mamctl protect --account "$ann" >large
    [ "$(head -c 384 large | mamctl info --prefix --json | jq -r '.accountId, .authenticated, .length' | paste -sd' ')" = 'ann-id true null' ]
    run --separate-stderr mamctl info <(head -c 60 large)
    failed_with 1 .
    run --separate-stderr mamctl info <<<milk
    failed_with 1 .
}

@test "empty input is an error and writes nothing" {
    enrolled_with strict
    run --separate-stderr mamctl protect --account "$ann" </dev/null
    failed_with 1 .
    [ -z "$output" ]
}

@test "any size goes through a pipe, in constant memory" {
    enrolled_with strict
    # An address space of 1 GiB is less than the data.
    head -c $((1200 << 20)) /dev/zero | (ulimit -v $((1 << 20)) && mamctl protect --account "$ann") |
        (ulimit -v $((1 << 20)) && mamctl unprotect --strict) | cmp - <(head -c $((1200 << 20)) /dev/zero)
    [ "${PIPESTATUS[*]}" = '0 0 0 0' ]
}

@test "a failure after the first MiB of a pipe is reported, and the output does not open" {
    enrolled_with strict
    head -c 5000000 /dev/urandom >plain
    mamctl protect --account "$ann" <plain >sealed
    head -c 3000000 sealed >shorter
    run --separate-stderr bash -c '"$1" unprotect <shorter >got' - "$MAMCTL"
    failed_with 1 'what was written is not to be used'
    [ -s got ] && cmp got <(head -c "$(wc -c <got)" plain)
    run --separate-stderr bash -c '"$1" unprotect --json <shorter >got' - "$MAMCTL"
    [ "$(jq .status <<<"$stderr")" = 32 ] && [[ $stderr == *'not to be used'* ]]
    run --separate-stderr mamctl unprotect shorter --output got2
    failed_with 1 .
    [ ! -e got2 ] && [[ $stderr != *'not to be used'* ]]
}

@test "progress is shown on a terminal only" {
    command -v script >/dev/null || skip 'script(1) is not here'
    enrolled_with strict
    truncate -s 40M large
    TERM=xterm run script -qec "$MAMCTL protect --account $ann large --output sealed" /dev/null
    [ "$status" -eq 0 ] && [[ $output == *'large: 32 of 40 MiB, 80 %'*$'\r\e[K' ]]
    TERM=xterm run script -qec "$MAMCTL unprotect --json sealed --output back" /dev/null
    [ "$status" -eq 0 ] && [ -z "$output" ]
    run --separate-stderr mamctl unprotect sealed --output back
    [ -z "$output$stderr" ] && cmp large back
}

@test "a file is replaced as a whole or not at all" {
    enrolled_with strict
    head -c 5000000 /dev/urandom >plain
    cp plain file && chmod 640 file
    mamctl protect --account "$ann" file --output file
    run ! cmp -s plain file
    [ "$(stat -c %a file)" = 640 ]
    run --separate-stderr mamctl protect --account "$ann" file --output file
    failed_with 1 'protected already'
    cp file whole
    head -c 4000000 whole >file
    run --separate-stderr mamctl unprotect file --output file
    failed_with 1 .
    cmp file <(head -c 4000000 whole)
    mamctl unprotect whole --output whole
    cmp whole plain
    [ -z "$(find . -name '.mamctl-*')" ]
}

@test "a container is not written to a terminal" {
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

@test "a new key seals new data, and older data stays readable" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >first
    run mamctl rotate-keys "$ann"
    [ "$status$output" = 0 ]
    echo plan | mamctl protect --account "$ann" >second
    [ "$(mamctl info first --json | jq .epoch) $(mamctl info second --json | jq .epoch)" = "1 2" ]
    [ "$(mamctl unprotect --strict <first)$(mamctl unprotect --strict <second)" = planplan ]
    run --separate-stderr mamctl rotate-keys eve@personal.example
    [ "$status" = 1 ]
    [[ $stderr == *"not enrolled"* ]]
}
