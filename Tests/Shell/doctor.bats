#!/usr/bin/env bats
# mamctl doctor: the installation, and what people read.

# helpers.bash sets variables, and commands of findings run in a shell of their own:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers
load doctor

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

@test "a missing app is wrong usage, as in every command" {
    unset MAM_APP
    run --separate-stderr mamctl doctor
    failed_with 64 'which app'
}

@test "each finding is printed with its command" {
    enrolled_with strict
    chmod 755 "$MAM_STATE/$MAM_APP"
    run mamctl doctor
    [ "$status" -eq 1 ]
    [[ $output == *$'\n'"state: $MAM_STATE/$MAM_APP: others may use it"$'\n'"  run: chmod 700 $MAM_STATE/$MAM_APP"* ]]
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
    [ "$(value '.findings[0] | .check + " " + .command')" = 'keys prlimit --pid $$ --memlock=unlimited:unlimited' ]
    healthy
}

@test "a language that the locale switches off" {
    authority_with strict
    LANGUAGE=de LC_ALL=C found 3 language 'LANGUAGE=de has no effect in the locale C'
    [ "$command" = 'export LC_ALL=C.UTF-8' ]
    LANGUAGE=de LC_ALL=C.UTF-8 healthy
}
