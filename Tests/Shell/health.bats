#!/usr/bin/env bats
# mamctl health.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

@test "each signal is shown with its source and whether it counts" {
    authority_with strict
    mamctl health >shown
    grep -Eq '^tracer +ok +counts +- +/proc/self/status' shown
    grep -Eq '^osVersion +[a-zA-Z]+ +informs ' shown
    mamctl health show --json | jq -e '.healthy and ([.signals[] | select(.refuses)] == [])
        and ([.signals[] | select(.state == "fail" and .standing == "counts")] == [])'
}

@test "a tracer is found" {
    command -v strace || skip "no strace"
    authority_with strict
    run -3 strace -f -o /dev/null mamctl health
    [[ $output == *"tracer: process "*" traces this one"* ]]
}

@test "an injected library is found unless it is allowed" {
    authority_with strict
    library=$(sed -nE 's|.* (/.*/libc\.so[^ ]*)$|\1|p' /proc/self/maps | head -n 1)
    run -3 env LD_PRELOAD="$library" mamctl health
    [[ $output == *"injectedLibraries: $library by LD_PRELOAD, and it is in this process"* ]]
}

@test "a report is kept until the next one replaces it" {
    authority_with strict
    mamctl health report --threat-level medium --compliant no --lock on --signal com.example.edr=ok
    run -3 --separate-stderr mamctl health --json
    [ "$(value .threatLevel)" = medium ]
    [ "$(jq -r '.signals[] | select(.refuses) | .signal' <<<"$output")" = compliance ]
    [ "$(jq -r '.signals[] | select(.signal == "deviceLock") | .state + " " + .source' <<<"$output")" = "ok host" ]
    mamctl health report
    mamctl health --json | jq -e '.healthy and .threatLevel == null and .report.app == "com.example.notes"'
}

@test "an invalid report changes nothing" {
    authority_with strict
    mamctl health report --threat-level high
    run -64 mamctl health report --threat-level extreme
    run -64 mamctl health report --signal nothing
    run -1 mamctl health report --signal tracer=ok
    run -1 mamctl health report --signal a.b=good
    run -1 mamctl health report --signal a.b=ok --signal a.b=fail
    run -1 mamctl health report --valid-for soon
    [ "$(mamctl health --json | jq -r .threatLevel)" = high ]
}

@test "the locked screen closes data after ten seconds, and unlocking opens it" {
    enrolled_with strict
    echo plan | mamctl protect --account "$ann" >plan.mam
    mamctl health screen locked
    while run --separate-stderr mamctl unprotect plan.mam && [ "$status" -eq 0 ]; do sleep 0.2; done
    failed_with 1 'appDataEncryptionType is whenDeviceLocked'
    [ -z "$output" ]
    mamctl diagnose --json | jq -e '.screenLock == {state: "locked", source: "host", closes: true}'
    echo mail | mamctl protect --account "$ann" >mail.mam
    mamctl health screen unlocked
    [ "$(mamctl unprotect plan.mam)$(mamctl unprotect mail.mam)" = planmail ]
    run --separate-stderr mamctl health screen ajar
    failed_with 64 locked
}
