#!/usr/bin/env bats
# An authority's file that was put back from an older copy, and wipes that were requested since.

# helpers.bash sets variables, and commands of findings run in a shell of their own:
# shellcheck disable=SC2154,SC2030,SC2031
load helpers
load doctor

@test "a wipe that is requested again after a restore reaches accounts that enrolled since the copy" {
    authority_with no-pin
    mamctl authority user add bob@contoso.example >/dev/null
    cp -p "$MAM_AUTHORITY" copy.db
    mamctl authority wipe request bob@contoso.example >/dev/null 2>&1
    # This request is the mark of the enrollment.
    mamctl enroll "$ann" >/dev/null
    echo secret | mamctl protect --account "$ann" >sealed
    cp -p copy.db "$MAM_AUTHORITY"
    # Requests are numbered by seconds.
    requested=$(date +%s)
    until [ "$(date +%s)" -gt "$requested" ]; do sleep 0.1; done
    mamctl authority wipe request "$ann" >/dev/null 2>&1
    # As many changes as the copy lacks do not make it newer.
    run mamctl check-in
    [ "$status" -ne 0 ] && [[ $output == *'it is an older copy'* ]]
    mamctl authority accept >/dev/null
    for _ in 1 2; do mamctl check-in >/dev/null 2>&1 || true; done
    run ! mamctl unprotect <sealed
    mamctl account "$ann" --former --json | jq -e '.end == "wiped"'
}

@test "a copy that doctor puts back is not changed by the journal of a writer that was killed" {
    enrolled_with no-pin
    cp -p "$MAM_AUTHORITY" copy.db
    for n in $(seq 20); do echo "user$n@contoso.example"; done | sed '1i upn' | mamctl authority user import - >/dev/null 2>&1
    run -137 python3 - "$MAM_AUTHORITY" <<'END'
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN IMMEDIATE")
for _ in range(200):
    database.execute("UPDATE users SET display_name = hex(randomblob(400))")
os.kill(os.getpid(), signal.SIGKILL)
END
    [ -s "$MAM_AUTHORITY-journal" ]
    for _ in first second; do
        head -c 100 /dev/urandom | dd of="$MAM_AUTHORITY" conv=notrunc status=none
        found 1 authority damaged
        run_all "${command//\/PATH\/TO\/THE\/BACKUP.db/copy.db}"
        healthy
        mamctl authority user list --json | jq -e '.users | length == 1'
        sqlite3 "$MAM_AUTHORITY" 'PRAGMA integrity_check' | grep -x ok
    done
    [ -e "$MAM_AUTHORITY.bad" ]
    [ -e "$MAM_AUTHORITY.bad2" ]
}

@test "a wipe of a name that was only registered does not say that data is gone" {
    enrolled_with no-pin
    mamctl authority user add anm@contoso.example >/dev/null
    mamctl enroll anm@contoso.example >/dev/null 2>&1 || true
    mamctl wipe anm@contoso.example >out
    grep "was not enrolled here.* Did you mean '$ann'" out
    mamctl status --json | jq -e '.accounts[0].managed'
    mamctl wipe "$ann" | grep -F 'wiped: nothing of it can be opened any more'
}
