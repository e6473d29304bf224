#!/usr/bin/env bats
# mamctl doctor: the authority and its key.

# helpers.bash sets variables, and commands of findings run in a shell of their own:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers
load doctor

@test "a new authority has the latest version that doctor knows" {
    authority_with strict
    doctor
    [ "$(value .schema)" -eq "$(sqlite3 "$MAM_AUTHORITY" 'PRAGMA user_version')" ]
    # Older ones are found, so the number above must be what this release makes.
    sqlite3 "$MAM_AUTHORITY" 'DROP TABLE identity; DROP TABLE statements; DROP TABLE signatures; PRAGMA user_version = 5'
    rm "$MAM_AUTHORITY.key"
    before=$(sha256sum <"$MAM_AUTHORITY")
    found 3 authority 'older libmam .version 5'
    [ "$(sha256sum <"$MAM_AUTHORITY")" = "$before" ]
    mended 3 authority 'older libmam'
}

@test "the authority: missing, foreign, without its key, changed by others" {
    authority_with strict
    mamctl enroll "$ann" >/dev/null
    mv "$MAM_AUTHORITY" away.db
    found 1 authority 'No such file'
    [ "$command" = "mamctl authority create --authority $MAM_AUTHORITY" ]
    mv away.db "$MAM_AUTHORITY"
    mv "$MAM_AUTHORITY.key" away.key
    found 3 authority 'key file is missing'
    [ "$command" = "cp -p /PATH/TO/THE/BACKUP.key $MAM_AUTHORITY.key" ]
    bash -c "${command/\/PATH\/TO\/THE\/BACKUP.key/away.key}"
    healthy
    chmod 644 "$MAM_AUTHORITY.key"
    mended 3 authority 'others may use the key file'
    sqlite3 "$MAM_AUTHORITY" "UPDATE users SET display_name = 'Eve'"
    mended 1 authority 'users is not as the authority signed it'
    cp -p "$MAM_AUTHORITY" good.db
    head -c 8192 /dev/urandom >"$MAM_AUTHORITY"
    found 1 authority 'no authority, or is damaged'
    bash -c "$command"
    cp -p good.db "$MAM_AUTHORITY"
    healthy
}
