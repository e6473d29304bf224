#!/usr/bin/env bats
# --telemetry: the events of a command, in a file of JSON lines.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016
load helpers

page=$BATS_TEST_DIRNAME/../../docs/telemetry.md

names() { jq -r .name "$1" | sort | paste -sd' '; }

@test "without the option nothing is written" {
    enrolled_with strict
    mamctl checkin >/dev/null
    [ -z "$(find . -name '*telemetry*' -o -name '*.jsonl')" ]
}

@test "events are appended, one JSON object a line" {
    authority_with strict
    mamctl enroll "$ann" --telemetry events.jsonl >/dev/null
    [ "$(names events.jsonl)" = 'checkIn enrollment' ]
    [ "$(jq -r 'select(.name == "enrollment") | .account, .properties.result' events.jsonl | paste -sd' ')" = 'ann-id newPoliciesReceived' ]
    [ "$(stat -c %a events.jsonl)" = 600 ]
    mamctl checkin --telemetry events.jsonl >/dev/null
    [ "$(names events.jsonl)" = 'checkIn checkIn enrollment' ]
    run ! grep -q "$ann" events.jsonl
}

@test "standard error, the environment and a configuration file" {
    enrolled_with strict
    run --separate-stderr mamctl checkin --telemetry -
    [ "$(jq -r .name <<<"$stderr")" = checkIn ]
    MAM_TELEMETRY=from-environment mamctl checkin >/dev/null
    [ "$(names from-environment)" = checkIn ]
    mkdir -p config/mam
    echo "telemetry = $scratch/from-file" >config/mam/mam.conf
    mamctl checkin >/dev/null
    [ "$(names from-file)" = checkIn ]
    [ "$(mamctl status --json | jq -r '.configuration[] | select(.key == "telemetry") | .source')" = user ]
}

@test "programs that run for an account pass it on" {
    enrolled_with strict
    mamctl run --identity "$ann" --telemetry events.jsonl -- sh -c 'cd / && "$0" checkin >/dev/null' "$(type -P "$MAMCTL")"
    [ "$(names events.jsonl)" = checkIn ]
    run --separate-stderr mamctl run --identity "$ann" --telemetry - -- "$MAMCTL" checkin
    [ "$(jq -r .name <<<"$stderr")" = checkIn ]
}

@test "a failed command reports its failure" {
    enrolled_with strict
    mamctl authority fault set network >/dev/null
    run ! mamctl checkin --telemetry events.jsonl
    [ "$(jq -r '"\(.properties.succeeded) \(.properties.result)"' events.jsonl)" = 'false policyEndPointNetworkFailure' ]
}

@test "MAMTelemetryDisabled keeps it empty" {
    enrolled_with strict
    mamctl settings set MAMTelemetryDisabled true >/dev/null
    mamctl checkin --telemetry events.jsonl >/dev/null
    [ ! -s events.jsonl ]
    mamctl settings clear MAMTelemetryDisabled >/dev/null
    mamctl checkin --telemetry events.jsonl >/dev/null
    [ -s events.jsonl ]
}

@test "a file that cannot be written is an error, before anything is done" {
    authority_with strict
    run --separate-stderr mamctl enroll "$ann" --telemetry none/events.jsonl
    failed_with 1 'cannot write telemetry to .*none/events.jsonl: No such file'
    [ "$(mamctl status --json | jq '.accounts | length')" = 0 ]
    mamctl enroll "$ann" --telemetry /dev/full >told 2>complaints
    grep -q 'cannot write telemetry to /dev/full: No space left' complaints
    [ "$(wc -l <complaints)" = 1 ]
}

@test "the page's commands" {
    enrolled_with strict
    awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$page" >commands
    [ "$(wc -l <commands)" -gt 1 ]
    run sh -eu commands
    [ "$status" -eq 0 ]
    [ "$(cut -f 2- <<<"${lines[1]}")" = "$(printf 'checkIn\tpoliciesHaveNotChanged')" ]
}

@test "a pipe that nobody reads is an error, not a wait" {
    enrolled_with strict
    mkfifo pipe
    run --separate-stderr mamctl checkin --telemetry pipe
    [ "$status" -ne 0 ]
    [[ $stderr == *'cannot write telemetry to '*/pipe* ]]
}
