#!/bin/sh
# notes: work and personal notes side by side in one directory.
#
#     notes.sh enroll UPN               sign in a work account
#     notes.sh add work|personal TEXT   keep a note
#     notes.sh list
#     notes.sh show N
#     notes.sh export N PATH            write a note's text to PATH, if its owner's policy allows that
#     notes.sh wipe                     give the work account up; its notes become unreadable
#
# Exit status: 0 done, 1 failed, 2 usage, 3 refused by policy.
# Environment: MAM_AUTHORITY (required), MAM_STATE, MAM_APP, NOTES_DIR.
# Needs mamctl on the path, or its path in MAMCTL, and the mam.sh that goes with it. The notes are the same files that notes.c and notes.py write.
set -eu

MAM_APP=${MAM_APP:-com.example.notes}
NOTES_DIR=${NOTES_DIR:-notes}
export MAM_APP

mam() { "${MAMCTL:-mamctl}" "$@"; }

# shellcheck source=bindings/shell/mam.sh
. "$(mam shell-library)" # mam_as, mam_require, mam_allowed

fail() {
    echo "notes: $*" >&2
    exit 1
}

usage() {
    echo 'usage: notes.sh enroll UPN | add work|personal TEXT | list | show N | export N PATH | wipe' >&2
    exit 2
}

note() { echo "$NOTES_DIR/$1.note"; }

# The value of "accountId" in mamctl's JSON; nothing where there is none.
account_id() { sed -n 's/.*"accountId":"\([^"]*\)".*/\1/p' | head -n 1; }

# The first account of the list, by its id or, before the authority has told that, its UPN.
work_account() { mam status --json | sed -n 's/.*"accounts":\[{"accountId":\(null,"upn":\)\{0,1\}"\([^"]*\)".*/\2/p'; }

# Who owns a note; nothing for a personal one.
owner() {
    if info=$(mam info --json <"$1" 2>&1); then
        printf '%s\n' "$info" | account_id
    else
        case $info in
        *'"name":"notProtected"'*) ;; # kept before there was a work account
        *) fail "$1: $info" ;;
        esac
    fi
}

# Before anything is shown: what the policies check. mamctl asks for a PIN where it has a terminal, and says what it found. Each
# mamctl is a session of its own, so that the script has to remember that work notes stay closed.
launch() {
    closed=
    mam launch >/dev/null || case $? in
    3) closed=yes ;;
    *) exit 1 ;;
    esac
}

# Every note goes through protect: work notes are sealed, personal ones labelled as nobody's.
add() {
    work=$(work_account)
    case $1 in
    work) account=$work ;;
    personal) account= ;;
    *) usage ;;
    esac
    number=1
    while [ -e "$(note "$number")" ]; do number=$((number + 1)); done
    file=$(note "$number")
    if [ "$1" = work ] && [ -z "$work" ]; then
        fail 'work account: there is none; use: notes.sh enroll UPN'
    elif [ -z "$work" ]; then
        printf %s "$2" >"$file" # no work account at all: nothing to keep apart
    else
        mam_as "$work" mam_require || exit
        printf %s "$2" | mam protect --account "$account" >"$file" || { rm -f "$file"; exit 1; }
    fi
    echo "note $number: $1"
}

# The text of a note; exit status 3 where its account is closed.
text() {
    [ -e "$(note "$1")" ] || fail "there is no note $1"
    account=$(owner "$(note "$1")") || exit 1
    if [ -n "$account" ] && [ -n "$closed" ]; then
        echo 'work notes stay closed' >&2
        exit 3
    fi
    mam unprotect <"$(note "$1")"
}

show() {
    text "$1" || exit
    echo
}

list() {
    number=1
    while file=$(note "$number") && [ -e "$file" ]; do
        account=$(owner "$file") || exit 1
        if [ -n "$account" ]; then kind=work; else kind=personal; fi
        if text=$(text "$number" 2>&1); then
            echo "$number $kind: $text"
        else
            echo "$number $kind: (unreadable: $text)"
        fi
        number=$((number + 1))
    done
}

# The owner's policy decides: exit status 3 is a refusal, with its reason on standard error.
export_note() {
    text=$(text "$1") || exit
    account=$(owner "$(note "$1")") || exit 1
    mam_as "$account" mam_allowed saveTo --location localDrive || exit
    printf '%s' "$text" >"$2"
}

mkdir -p "$NOTES_DIR"
case ${1-} in
enroll | wipe) ;; # who enrolls, or gives the account up, is not asked for a PIN first
*) launch ;;
esac
case "${1-}:$#" in
enroll:2) mam enroll "$2" ;;
add:3) add "$2" "$3" ;;
list:1) list ;;
show:2) show "$2" ;;
export:3) export_note "$2" "$3" ;;
wipe:1)
    account=$(work_account)
    [ -n "$account" ] || fail 'work account: there is none'
    mam wipe "$account"
    ;;
*) usage ;;
esac
