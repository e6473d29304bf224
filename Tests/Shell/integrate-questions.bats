#!/usr/bin/env bats
# examples/integrate: programs that answer the questions of a launch, and one that splits a database by owner.

# helpers.bash and integrate.bash set variables, which tests set in subshells:
# shellcheck disable=SC2154,SC2030,SC2031
load helpers
load integrate

# Without a terminal getpass reads standard input.
asked_in_python() { setsid -w timeout 60 python3 "$examples/loops/asyncio_pin.py" "$MAM_APP" "$MAM_AUTHORITY" "$MAM_STATE"; }
asked_in_c() {
    timeout 60 ./ask "{\"app\":{\"id\":\"$MAM_APP\"},\"stateDirectory\":\"$MAM_STATE\",
        \"authority\":{\"type\":\"embedded\",\"path\":\"$MAM_AUTHORITY\"}}"
}

# launches OUTCOME TYPED LAUNCH…: a launch, with what a person types, ends so.
launches() {
    run "${@:3}" < <(printf '%s' "$2")
    [ "${lines[-1]}" = "$1" ] || { echo "$output"; return 1; }
}

@test "a launch asks for a PIN, a new one twice, and after 91 days for a sign-in" {
    authority_with open
    policy='"@odata.type":"#libmam.linuxManagedAppProtection","id":"p"'
    printf '{%s,"pinRequired":true,"periodOnlineBeforeAccessCheck":"PT0S"}' "$policy" |
        mamctl authority policy import - --all-users --all-apps >/dev/null
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -Wall -Wextra -Werror -o ask "$examples/loops/ask.c" $(pkg-config --cflags --libs mam)
    export PYTHONPATH=$BATS_TEST_DIRNAME/../../bindings/python/src PYTHONDONTWRITEBYTECODE=1
    days=$((91 * 86400))
    for asked in asked_in_c asked_in_python; do
        export MAM_STATE=$scratch/$asked
        mamctl enroll "$ann" >/dev/null
        launches blocked $'258013\n' "$asked"
        launches allowed $'258013\n258031\n258013\n258013\n' "$asked"
        launches allowed $'258013\n' "$asked"
        launches allowed $'999999\n258013\n' "$asked"
        launches blocked '' "$asked"
        export CLOCK_BOOT_MOVED=$days
        launches blocked $'258013\n' as_of "$days" "$asked"
        launches blocked $'258013\nbob@contoso.example\n' as_of "$days" "$asked"
        launches allowed "258013"$'\n'"$ann"$'\n' as_of "$days" "$asked"
        unset CLOCK_BOOT_MOVED
        # A PIN whose attempts are used up: a sign-in, and a new one.
        for _ in 1 2 3 4 5; do mamctl pin verify "$ann" --stdin <<<999999 >/dev/null 2>&1 || true; done
        launches blocked $'bob@contoso.example\n' "$asked"
        launches allowed "$ann"$'\n258067\n258067\n' "$asked"
        launches allowed $'258067\n' "$asked"
        # A forgotten one, where the program takes that for an answer.
        [ "$asked" != asked_in_c ] || launches allowed $'?\n'"$ann"$'\n258079\n258079\n' "$asked"
    done
}

@test "a database is split by owner in Python" {
    enrolled_with strict
    export PYTHONPATH=$BATS_TEST_DIRNAME/../../bindings/python/src PYTHONDONTWRITEBYTECODE=1
    sqlite3 common.db "CREATE TABLE messages (address TEXT, number INTEGER, text TEXT, PRIMARY KEY (address, number));
        INSERT INTO messages VALUES ('Ann@Contoso.example', 1, 'Merger on Friday'), ('ann@home.example', 1, 'Milk')"
    split() { python3 "$examples/python/split.py" "$MAM_APP" "$MAM_AUTHORITY" "$MAM_STATE" common.db "$ann" work; }
    # Again it changes nothing.
    for _ in 1 2; do [ "$(split)" = 'Merger on Friday' ]; done
    run ! grep -aq Merger common.db work/*
    [ "$(sqlite3 common.db 'SELECT text FROM messages')" = Milk ]
    wiped
    [ ! -e work ]
}
