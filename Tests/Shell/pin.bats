#!/usr/bin/env bats
# mamctl pin: from a terminal, standard input and a pinentry.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

enrolled_with_pin() {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" --account-id ann-id >/dev/null
    cat >pins.json <<JSON
{"@odata.type":"#libmam.linuxManagedAppProtection","id":"pins","displayName":"PINs","pinRequired":true,
 "maximumPinRetries":3}
JSON
    mamctl authority policy import pins.json --all-users --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null
    mamctl pin set "$ann" --stdin <<<1397 >/dev/null
}

state() { mamctl pin status "$ann" --json | jq -r .state; }

@test "a PIN is set, tried, changed and shown" {
    enrolled_with_pin
    run mamctl pin status "$ann"
    [[ $output == *"state"*"set"*"attempts left"*"3"* ]]
    run mamctl pin verify "$ann" --stdin <<<1397
    [ "$status" -eq 0 ]
    [ "$output" = "the PIN is right" ]
    mamctl pin change "$ann" --stdin <<<$'1397\n2468'
    mamctl pin verify --stdin "$ann" <<<2468 --json | jq -e '.state == "set"'
    # Lines of Windows, and a last one without an end.
    printf '2468\r\n8642\r\n' | mamctl pin change "$ann" --stdin
    printf 8642 | mamctl pin verify "$ann" --stdin
    mamctl pin change "$ann" --stdin <<<$'8642\n2468'
    run --separate-stderr mamctl pin set "$ann" --stdin <<<9713
    failed_with 1 'old: is missing'
}

@test "a wrong PIN is refused with status 3, and the last attempt names the remedy" {
    enrolled_with_pin
    run --separate-stderr mamctl pin verify "$ann" --stdin <<<0000
    failed_with 3 'wrong; 2 attempts are left'
    run --separate-stderr mamctl pin change "$ann" --stdin <<<$'0000\n2468'
    failed_with 1 'wrong; 1 attempt is left'
    run --separate-stderr mamctl pin verify "$ann" --stdin <<<0000
    failed_with 3 'last attempt'
    run --separate-stderr mamctl pin verify "$ann" --stdin <<<1397
    failed_with 3 'reset the PIN'
    [ "$(state)" = exhausted ]
}

@test "reset takes a new PIN after the account's person has signed in" {
    enrolled_with_pin
    run --separate-stderr mamctl pin reset "$ann" --stdin --answer 'authenticate={"upn":"bob@contoso.example"}' <<<2468
    [ "$status" -eq 1 ]
    [[ $stderr == *"Somebody else"* ]]
    mamctl pin reset "$ann" --stdin --answer "authenticate={\"upn\":\"$ann\"}" <<<2468
    mamctl pin verify "$ann" --stdin <<<2468
    run --separate-stderr mamctl pin reset "$ann" --stdin --answer "authenticate={\"upn\":\"$ann\"}" <<<246
    [ "$status" -eq 1 ]
}

@test "a reset without a sign-in is reported once, with the option that names the person" {
    enrolled_with_pin
    run --separate-stderr mamctl pin reset "$ann" --stdin <<<2468
    failed_with 1 'Nobody has signed in; .* --answer authenticate=JSON'
    [ -z "$output" ]
}

@test "an invalid PIN is not counted as an attempt" {
    enrolled_with_pin
    run --separate-stderr mamctl pin verify "$ann" --stdin </dev/null
    failed_with 1 'no PIN was given'
    run --separate-stderr mamctl pin verify "$ann" --stdin < <(printf '13\0007\n')
    failed_with 1 'control character'
    run --separate-stderr mamctl pin verify "$ann" --stdin < <(head -c 70000 /dev/zero | tr '\0' 1)
    failed_with 1 'at most 65536'
    run --separate-stderr mamctl pin verify "$ann" --stdin < <(head -c 10000000 /dev/zero | tr '\0' 1)
    failed_with 1 'longer than 4 MiB'
    run --separate-stderr mamctl pin verify bob@contoso.example --stdin <<<1397
    failed_with 1 'not enrolled'
    mamctl pin status "$ann" --json | jq -e '.attemptsLeft == 3'
    run --separate-stderr mamctl launch --answer 'pin={"forgot":true}'
    failed_with 64 'a PIN is answered with'
}

@test "a PIN is typed at a terminal without echo" {
    enrolled_with_pin
    run --separate-stderr python3 "$here/type.py" 'PIN of' '13978\x7f\r' "$MAMCTL" pin verify "$ann"
    [ "$status" -eq 0 ]
    [[ $stderr == *"the PIN is right"* && $stderr != *1397* ]]
    run --separate-stderr python3 "$here/type.py" 'PIN of' '139\x03' "$MAMCTL" pin verify "$ann"
    [ "$status" -eq 1 ]
    mamctl pin status "$ann" --json | jq -e '.attemptsLeft == 3'
    run --separate-stderr setsid "$MAMCTL" pin verify "$ann" </dev/null
    failed_with 1 'no terminal'
}

@test "pinentry asks, twice for a new PIN, and its prompts cannot be injected" {
    enrolled_with_pin
    fake_pinentry 1397 2468 2469 2468 2468
    mamctl pin change "$ann" --pinentry-program ./pinentry
    grep -q "^SETERROR The two differ" talk
    [ "$(grep -c '^SETDESC The PIN of ann@contoso.example$' talk)" -eq 1 ]
    mamctl pin verify "$ann" --stdin <<<2468
    fake_pinentry cancel
    run --separate-stderr mamctl pin verify "$ann" --pinentry-program ./pinentry
    failed_with 1 'no PIN was given'
    fake_pinentry '13%2597'
    run --separate-stderr mamctl pin verify "$ann" --pinentry-program ./pinentry
    failed_with 3 wrong
    run --separate-stderr mamctl pin verify "$ann" --pinentry-program ./none
    failed_with 1 'none'
    run --separate-stderr mamctl pin verify "$ann" --pinentry-program /bin/true
    [ "$status" -eq 1 ]
}

@test "a real pinentry on a terminal" {
    enrolled_with_pin
    type -P pinentry-curses >/dev/null || skip "pinentry-curses is not installed"
    TERM=xterm run --separate-stderr python3 "$here/type.py" Cancel '1397\r' "$MAMCTL" pin verify "$ann" --pinentry-program pinentry-curses
    [ "$status" -eq 0 ]
    mamctl pin status "$ann" --json | jq -e '.attemptsLeft == 3'
}

@test "a follower's question for a PIN is answered through pinentry" {
    mkdir -m 700 mine
    run --separate-stderr mamctl answer 7 --pinentry '{}'
    failed_with 64 'one of them alone'
    run --separate-stderr mamctl answer 7 --new '{}'
    failed_with 64 'goes with --pinentry'
    fake_pinentry 1397
    run --separate-stderr mamctl answer 7 --pinentry-program ./pinentry --control "$scratch/mine/control"
    failed_with 1 'no program listens'
}
