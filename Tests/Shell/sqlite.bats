#!/usr/bin/env bats
# mamctl sqlite: conversions and the shell.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

@test "a database becomes encrypted, is used, and becomes plain again" {
    enrolled_with strict
    sqlite3 notes.db "PRAGMA journal_mode=wal; CREATE TABLE notes(text); INSERT INTO notes VALUES ('a secret plan')"
    chmod 640 notes.db
    mamctl sqlite encrypt --account "$ann" notes.db
    run ! grep -q "secret plan" notes.db
    [ "$(stat -c %a notes.db)" = 640 ]
    mamctl sqlite encrypt --account "$ann" notes.db
    mamctl sqlite shell --account "$ann" notes.db <<<"INSERT INTO notes VALUES ('another'), (NULL); SELECT count(*), text FROM notes;" >out
    [ "$(cat out)" = "3|a secret plan" ]
    [ "$(mamctl file info notes.db --json | jq -r .accountId)" = ann-id ]
    mamctl sqlite decrypt --account "$ann" notes.db
    [ "$(sqlite3 notes.db 'PRAGMA journal_mode; SELECT count(*) FROM notes')" = $'wal\n3' ]
    [ "$(find . -name '*-mam-new*' | wc -l)" -eq 0 ]
}

@test "a database that cannot be converted stays unchanged and is reported" {
    enrolled_with strict
    run --separate-stderr mamctl sqlite encrypt --account "$ann" missing.db
    failed_with 1 "missing.db: .*there is no such file"
    [ ! -e missing.db ]
    sqlite3 notes.db 'CREATE TABLE notes(text)'
    run --separate-stderr mamctl sqlite encrypt --account eve@personal.example notes.db
    failed_with 1 "eve@personal.example is not a managed account"
    run --separate-stderr mamctl sqlite shell --account "$ann" notes.db 'SELECT * FROM missing'
    failed_with 1 "no such table"
    echo "this is no database, but text that goes on for longer than a header does, more or less" >text
    run --separate-stderr mamctl sqlite encrypt --account "$ann" text
    failed_with 1 "text"
    mamctl sqlite encrypt --account "$ann" notes.db
    run --separate-stderr mamctl file read notes.db
    failed_with 1 'notes.db is an encrypted SQLite database; mamctl sqlite shell reads it'
    run --separate-stderr mamctl sqlite shell --account anne@contoso.example notes.db 'SELECT * FROM notes'
    failed_with 1 "notes.db is encrypted for $ann, not for anne@contoso.example"
    mamctl sqlite shell --account ANN-ID notes.db 'SELECT * FROM notes'
    cp notes.db changed.db
    printf changed | dd of=changed.db bs=1 seek=6000 conv=notrunc status=none
    run --separate-stderr mamctl sqlite shell --account "$ann" changed.db 'SELECT * FROM notes'
    failed_with 1 "does not verify"
    run --separate-stderr mamctl sqlite decrypt --account "$ann" changed.db
    failed_with 1 "changed.db.* does not verify"
    cp notes.db changed.db
    printf changed | dd of=changed.db bs=1 seek=2000 conv=notrunc status=none
    run --separate-stderr mamctl sqlite decrypt --account "$ann" changed.db
    failed_with 1 "changed.db.*its first page was changed"
    mamctl wipe "$ann"
    [ ! -e notes.db ]
}
