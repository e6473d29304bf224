#!/bin/sh
# notes: work and personal notes side by side.
#
#     notes.sh [--stdin | --pinentry] COMMAND
#
#     notes.sh enroll UPN                          sign in a work account
#     notes.sh add work|personal TEXT              keep a note
#     notes.sh list
#     notes.sh show work|personal N
#     notes.sh export work|personal N PATH         copy a note to PATH, if its owner's policy allows that
#     notes.sh wipe                                remove the work account and its notes
#
# A PIN that the policy requires is asked for at the terminal, taken from standard input (--stdin, one a line), or asked for in
# a dialog (--pinentry).
#
# Exit status: 0 done, 1 failed, 2 usage, 3 refused by policy.
# Environment: MAM_AUTHORITY (required), MAM_STATE, MAM_APP, NOTES_DIR.
# Needs mamctl on the path, or its path in MAMCTL, and the mam.sh that goes with it. The notes are the same files that notes.c
# and notes.py write: each account has a separate folder, with a database of the notes, and a file for each text.
set -eu

MAM_APP=${MAM_APP:-com.example.notes}
NOTES_DIR=${NOTES_DIR:-notes}
export MAM_APP

mam() { "${MAMCTL:-mamctl}" "$@"; }

# shellcheck source=bindings/shell/mam.sh
. "$(mam shell-library)" # mam_as, mam_launch, mam_require

say() { echo "notes: $*" >&2; }

fail() {
    say "$@"
    exit 1
}

[ -n "${MAM_AUTHORITY-}" ] || fail 'MAM_AUTHORITY names no authority'

usage() {
    echo 'usage: notes.sh [--stdin | --pinentry] enroll UPN | add work|personal TEXT | list | show work|personal N | export work|personal N PATH | wipe' >&2
    exit 2
}

# The first account of the list, by its id or, before the authority has sent that, its UPN.
work_account() { mam status --json | sed -n 's/.*"accounts":\[{"accountId":\(null,"upn":\)\{0,1\}"\([^"]*\)".*/\2/p'; }

# The checks of the policies, before anything is shown. mamctl asks for a PIN and prints its findings. Each mamctl is a separate
# session, so the script must remember that work notes stay closed.
launch() {
    closed=
    mam launch --user-message ${pins:+"$pins"} >&2 || case $? in
    3)
        closed=yes
        [ -n "$pins" ] || [ -t 0 ] || say "there is no terminal: a PIN is asked for with --stdin or --pinentry"
        ;;
    *) exit 1 ;;
    esac
}

# Events since the last run. A wipe, whoever requested it, has removed the account's folder: report it, and continue without.
hear() {
    mam events --json |
        sed -n '/"event":"wipeDidComplete"/s/.*"accountId":"\([^"]*\)".*/notes: \1: wiped; its notes are gone/p' >&2
}

# The folder belongs to the account, and so does everything created in it: a wipe removes all of it.
open_notes() {
    kind=$1 account=
    if [ "$kind" = work ]; then
        account=$(work_account)
        [ -n "$account" ] || fail 'work account: there is none; use: notes.sh enroll UPN'
        case $account in */*) fail "$account: not a name for a folder" ;; esac
        if [ -n "$closed" ]; then
            say 'work notes: closed'
            exit 3
        fi
        mam_as "$account" mam_require || exit # without a policy its notes would be plain
        folder=$NOTES_DIR/work-$account
    else
        folder=$NOTES_DIR/personal
    fi
    mkdir -p "$folder" || exit
    if [ -n "$account" ]; then
        # A policy may begin to require encryption: SQLite has to write a plain index anew.
        required=0
        mam check fileEncryptionRequired --account "$account" >/dev/null 2>&1 || required=$?
        if [ "$required" -eq 3 ] && [ -e "$folder/index.db" ]; then
            mam sqlite encrypt --account "$account" "$folder/index.db" || exit
        fi
        mam file verify --account "$account" "$folder" || exit
    fi
    sql 'CREATE TABLE IF NOT EXISTS notes (number INTEGER PRIMARY KEY, title TEXT NOT NULL)'
}

sql() { mam sqlite shell --account "$account" "$folder/index.db" "$@" || exit 1; }

# Encrypted on the way to the disk, if the account's policy requires it.
add() {
    title=$(printf %s "$1" | sed "s/'/''/g")
    number=$(sql "INSERT INTO notes (title) VALUES (substr(replace('$title', char(10), ' '), 1, 40))" 'SELECT last_insert_rowid()')
    if ! printf %s "$1" | mam file write --account "$account" "$folder/$number.txt"; then
        sql "DELETE FROM notes WHERE number = $number"
        exit 1
    fi
    echo "$kind note $number"
}

list() { sql "SELECT '$kind ' || number || ': ' || title FROM notes ORDER BY number"; }

show() {
    mam file read "$folder/$1.txt" || exit
    echo
}

# The owner's policy decides: exit status 3 is a refusal, with its reason on standard error. If it lets data go to managed
# apps only, only they can read the copy.
export_note() { mam file export "$folder/$1.txt" "$2" --location localDrive || exit; }

pins=
case ${1-} in
--stdin | --pinentry)
    pins=$1
    shift
    ;;
esac
case "${1-}:$#" in
enroll:2) command=enroll ;;
wipe:1) command=wipe ;; # enrolling, or removing the account, requires no PIN
add:3 | list:1 | show:3 | export:4)
    command=$1
    case $command:${2-} in list: | *:work | *:personal) ;; *) usage ;; esac
    case $command:${3-} in show:*[!0-9]* | show: | export:*[!0-9]* | export:) usage ;; esac
    launch
    ;;
*) usage ;;
esac
hear
case $command in
enroll) mam enroll "$2" ;;
wipe)
    account=$(work_account)
    [ -n "$account" ] || fail 'work account: there is none'
    mam wipe "$account"
    hear
    ;;
list) # without work notes the personal ones are still listed
    (open_notes work && list) || :
    open_notes personal
    list
    ;;
add)
    open_notes "$2"
    add "$3"
    ;;
show)
    open_notes "$2"
    show "$3"
    ;;
export)
    open_notes "$2"
    export_note "$3" "$4"
    ;;
esac
