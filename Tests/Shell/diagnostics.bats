#!/usr/bin/env bats
# Log files, and the archive for support.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

log() { cat "$MAM_STATE/com.example.notes/com.example.notes.log"; }

# Expects that grep, with these arguments, finds nothing.
lacks() { ! grep "$@"; }

# ---- log files

@test "the paths of the log files, and what is in them" {
    enrolled_with open
    run mamctl log paths
    [ "$output" = "$MAM_STATE/com.example.notes/com.example.notes.log" ]
    [ "$(mamctl log paths --json)" = "[\"$output\"]" ]
    [ "$(stat -c %a "$output")" = 600 ]
    grep -Eq '^[0-9T:.-]+Z info [0-9]+ opened app com.example.notes in group com.example.notes, libmam [0-9.]+$' "$output"
    grep -Eq ' info [0-9]+ account [0-9a-f]{32} enrolled$' "$output"
    lacks -e "$ann" -e ann-id "$output"
}

@test "verbose lines once the setting is true" {
    authority_with open
    mamctl settings set VerboseLoggingEnabled true
    mamctl enroll "$ann"
    log | grep -E " verbose [0-9]+ account [0-9a-f]{32} is $ann \(ann-id\)$"
    log | grep -v ' verbose ' >others
    lacks -e "$ann" -e ann-id others
}

@test "a line is one write to a descriptor that is closed at once; nothing is synced, and nothing is left open" {
    enrolled_with open
    strace -f -s 200 -o calls -e trace=openat,write,fsync,fdatasync,close mamctl enroll "$ann" >/dev/null 2>&1 || true # enrolled already
    [ -s calls ] || skip "strace cannot trace here"
    [ "$(grep -c 'com.example.notes.log' calls)" -eq 1 ]
    grep -q 'com.example.notes.log", .*O_APPEND.*O_NOFOLLOW.*O_CLOEXEC.* = ' calls
    descriptor=$(grep -m 1 'com.example.notes.log' calls | sed 's/.* = //')
    sed -n '/com.example.notes.log/,$p' calls | sed -n '2p' | grep -q "write($descriptor, \"20.* info .*opened app.* warning .*ignored"
    sed -n '/com.example.notes.log/,$p' calls | sed -n '3p' | grep -q "close($descriptor)"
}

@test "commands that only look write nothing" {
    enrolled_with open
    log >before
    mamctl status >/dev/null
    mamctl check print --account "$ann" >/dev/null
    mamctl diagnose >/dev/null
    mamctl doctor >/dev/null
    mamctl console >/dev/null
    log | cmp before -
}

@test "a directory without a way to write the log changes nothing for a command" {
    authority_with open
    mamctl log paths >/dev/null
    mkdir "$MAM_STATE/com.example.notes/com.example.notes.log"
    run --separate-stderr mamctl enroll "$ann"
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ -z "$(mamctl log paths)" ]
}

# ---- the archive

two_apps() {
    enrolled_with strict
    export MAM_GROUP=com.example
    mamctl enroll "$ann" --new-app >/dev/null
    mamctl enroll "$ann" --app com.example.mail >/dev/null
}

@test "an archive has every app of the group, in a fixed order, for its owner alone" {
    two_apps
    umask 022
    run mamctl diagnose --all -o diagnosis.tar
    [ "$output" = "diagnosis.tar: 14 files; names of people are left out" ]
    [ "$(stat -c %a diagnosis.tar)" = 600 ]
    mail=$(mamctl diagnose --json --app com.example.mail | jq -r '.accounts[0].account')
    notes=$(mamctl diagnose --json | jq -r '.accounts[0].account')
    cat >expected <<LIST
diagnosis/about.json
diagnosis/doctor.json
diagnosis/files.json
diagnosis/managed-apps.json
diagnosis/apps/com.example.mail/diagnostics.json
diagnosis/apps/com.example.mail/settings.json
diagnosis/apps/com.example.mail/status.json
diagnosis/apps/com.example.mail/policy-$mail.json
diagnosis/apps/com.example.mail/log.txt
diagnosis/apps/com.example.notes/diagnostics.json
diagnosis/apps/com.example.notes/settings.json
diagnosis/apps/com.example.notes/status.json
diagnosis/apps/com.example.notes/policy-$notes.json
diagnosis/apps/com.example.notes/log.txt
LIST
    tar -tf diagnosis.tar | diff -u expected -
    tar -xf diagnosis.tar
    find diagnosis -name '*.json' -print0 | xargs -0 -n 1 jq empty
    jq -e '.group == "com.example" and .apps == ["com.example.mail", "com.example.notes"] and .names == false and .failures == []' diagnosis/about.json
    grep -q "account $notes enrolled" diagnosis/apps/com.example.notes/log.txt
    lacks -r -i -e "$ann" -e ann-id diagnosis
}

@test "an archive is not replaced without --force, and keeps its mode with it" {
    enrolled_with open
    echo mine >diagnosis.tar
    chmod 644 diagnosis.tar
    run --separate-stderr mamctl diagnose --all --output diagnosis.tar
    failed_with 1 'is there already; --force replaces it'
    [ "$(cat diagnosis.tar)" = mine ]
    mamctl diagnose --all --output diagnosis.tar --force
    [ "$(stat -c %a diagnosis.tar)" = 600 ]
    tar -tf diagnosis.tar >/dev/null
}

# configured KEY VALUE: an app configuration for everybody.
configured() {
    mamctl authority config list --json | jq -r '.configurations[].id' | while read -r id; do mamctl authority config remove "$id"; done
    jq -n --arg key "$1" --arg value "$2" \
        '{"displayName": "Mail", "customSettings": [{"name": $key, "value": $value}]}' >config.json
    mamctl authority config import config.json --type config --all-users --all-apps >/dev/null
}

@test "a list of values to scrub that only the program was given counts for every process, and for lines from before" {
    authority_with open
    mamctl settings set VerboseLoggingEnabled true >/dev/null
    configured Password swordfish-of-before
    mamctl enroll "$ann" >/dev/null
    log | grep -q '"Password" is "swordfish-of-before"'
    list='{"ValuesToScrubFromLogging":["Password"]}'
    mamctl status --settings "$list" >/dev/null
    configured Password swordfish-of-now
    mamctl checkin >/dev/null
    log | grep -q '"Password" is hidden'
    log >lines
    lacks swordfish-of-now lines
    mamctl settings --json | jq -e '.settings[] | select(.key == "ValuesToScrubFromLogging") | .value == ["Password"] and .source == "kept"'
    # The list lies sealed.
    lacks -r -e ValuesToScrub -e scrub.*Password "$MAM_STATE"
    mamctl diagnose --all --names | tar -xf - --one-top-level=readable
    grep -q '"Password" is hidden' readable/diagnosis/apps/com.example.notes/log.txt
    lacks -r swordfish readable
    # Without keys nothing says which values are secret.
    rm "$MAM_STATE/com.example.notes/root.key"
    mamctl diagnose --all --names 2>/dev/null | tar -xf - --one-top-level=closed
    grep -q '"Password" is hidden' closed/diagnosis/apps/com.example.notes/log.txt
    lacks -r swordfish closed
}

@test "names and verbose lines only with --names, and values of a configuration never" {
    authority_with open
    export MAM_IDENTITY=kim
    mamctl settings set VerboseLoggingEnabled true
    mamctl settings set ValuesToScrubFromLogging '["Password"]'
    mamctl settings device '{"managedAppConfig":{"IntuneMAMUPN":"'"$ann"'","Password":"swordfish","Server":"mail.internal"}}' >/dev/null
    mamctl enroll "$ann" >/dev/null
    mamctl diagnose --all | tar -xf - --one-top-level=without
    mamctl diagnose --all --names | tar -xf - --one-top-level=with
    lacks -r -i -w -e "$ann" -e ann-id -e kim -e swordfish -e mail.internal without
    lacks -r ' verbose ' without
    grep -q '"identity": "kim"' with/diagnosis/apps/com.example.notes/status.json
    grep -rq "$ann" with/diagnosis/apps/com.example.notes/diagnostics.json
    grep -q ' verbose .*ann@contoso' with/diagnosis/apps/com.example.notes/log.txt
    lacks -r -e swordfish -e mail.internal with
}

@test "the archive of a broken state lists a failure and has the rest" {
    enrolled_with open
    printf 'garbage that is no database' | dd of="$MAM_STATE/com.example.notes/state.db" conv=notrunc status=none
    rm -f "$MAM_STATE/com.example.notes/"state.db-*
    run --separate-stderr mamctl diagnose --all --output diagnosis.tar
    [ "$status" -eq 0 ]
    [[ $stderr == *"mamctl: com.example.notes: "* ]]
    tar -xf diagnosis.tar
    jq -e '.failures | length > 0' diagnosis/about.json
    jq -e '.[] | select(.name == "state.db") | .mode == "600"' diagnosis/files.json
    grep -q enrolled diagnosis/apps/com.example.notes/log.txt
}

@test "wrong uses of an archive" {
    run --separate-stderr mamctl diagnose --names
    failed_with 64 'go with --all'
    run --separate-stderr mamctl diagnose --all --json --output -
    [ "$status" -eq 64 ]
    jq -e '.message | test("give --output FILE")' <<<"$stderr"
    run --separate-stderr mamctl diagnose --all -o x.tar
    failed_with 1 'there is no state of the group com.example.notes'
    [ ! -e x.tar ]
    [ ! -e "$MAM_STATE" ]
}

@test "the archive is plain tar that GNU tar and Python read alike, also with the longest app id" {
    authority_with open
    MAM_APP=a$(printf 'x%.0s' {1..127})
    mamctl enroll "$ann" >/dev/null
    mamctl diagnose --all -o diagnosis.tar
    python3 -c '
import sys, tarfile
with tarfile.open("diagnosis.tar") as tar:
    for one in tar:
        assert one.isreg() and one.mode == 0o600 and (one.uid, one.gid) == (0, 0), one
        print(one.name, len(tar.extractfile(one).read()))' >python
    tar -tvf diagnosis.tar | awk '{print $6, $3}' | diff -u python -
    grep -q "diagnosis/apps/$MAM_APP/log.txt" python
}

@test "the blocks of docs/diagnostics.md: commands that run, and C that compiles" {
    page=$here/../../docs/diagnostics.md
    export MAM_GROUP=com.example
    enrolled_with open
    awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$page" >script
    PATH=$(dirname "$(type -P "$MAMCTL")"):$PATH sh -eu script >shown
    grep -x "$MAM_STATE/com.example/com.example.notes.log" shown
    grep -x diagnosis/apps/com.example.notes/log.txt shown
    {
        printf '#include <mam.h>\n#include <stdio.h>\nvoid show(mam_t *m);\nvoid show(mam_t *m) {\n'
        awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$page"
        echo '}'
    } >show.c
    # shellcheck disable=SC2046 # several words
    cc -std=c99 -Wall -Wextra -Werror $(pkg-config --cflags mam) -c -o show.o show.c
    # The lines of the page have the form of the log's.
    awk '/^```text$/ { on = 1; next } /^```$/ { on = 0 } on' "$page" | sed -E 's/[0-9a-f]{32}/ID/g; s/[0-9]+/N/g' | sort -u >told
    mamctl authority fault set network --operation checkIn --count 1 >/dev/null
    mamctl checkin "$ann" >/dev/null 2>&1 || true
    sed -E 's/[0-9a-f]{32}/ID/g; s/[0-9]+/N/g' "$(mamctl log paths)" | sort -u | diff -u told -
}
