#!/bin/sh
# The whole story once: an authority and a policy; enroll, ask, protect, wipe; from the shell, C and Python. Every line
# except the headings comes from mamctl or from an example. `make demo` builds, stages and calls this, with MAMCTL,
# LIBMAM_PATH, PKG_CONFIG_PATH and PATH set. Stops with an error if a step does not end as expected.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
: "${LIBMAM_PATH:?run make demo, which builds and stages the library first}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
umask 077
LD_LIBRARY_PATH=$(dirname -- "$LIBMAM_PATH")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH PYTHONPATH="$root/bindings/python/src${PYTHONPATH:+:$PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1
export MAM_AUTHORITY="$work/authority.db" MAM_STATE="$work/state" MAM_APP=com.example.notes NOTES_DIR="$work/notes"

mkdir "$work/bin"
ln -s "${MAMCTL:-$(command -v mamctl)}" "$work/bin/mamctl"
ln -s "$root/examples/shell/notes.sh" "$root/examples/python/notes.py" "$work/bin/"
for program in notes ten-lines; do
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -std=c99 -o "$work/bin/$program" "$root/examples/c/$program.c" $(pkg-config --cflags --libs mam sqlite3)
done
PATH="$work/bin:$PATH"
MAMCTL=mamctl
export PATH MAMCTL
cp "$root"/examples/policies/*.json "$work"
cd "$work"

heading() { printf '\n== %s\n' "$*"; }

# run STATUS COMMAND…: show the command, run it, require its exit status.
run() {
    expected=$1
    shift
    printf '$ %s\n' "$*"
    status=0
    "$@" 2>&1 || status=$?
    [ "$status" -eq "$expected" ] || { echo "demo: exit status $status instead of $expected" >&2; exit 1; }
}

# run_with STATUS INPUT COMMAND…: the same, with INPUT on standard input.
run_with() {
    expected=$1 input=$2
    shift 2
    printf %s "$input" | run "$expected" "$@" || exit
}

ann=ann@contoso.example

heading 'An authority on this computer, one user, one strict policy'
run 0 mamctl authority create
run 0 mamctl authority user add $ann
run 0 mamctl authority policy import strict.json --all-users --app $MAM_APP

heading 'Shell: enroll, ask'
run 0 notes.sh enroll $ann
run 3 mamctl check saveTo --account $ann --location localDrive

heading 'The policy asks for a PIN: until one was shown, work notes stay closed'
run 3 notes.sh add work 'Merger on Friday' </dev/null
run_with 0 '258013
' mamctl pin set $ann --stdin
run 0 notes.sh add work 'Merger on Friday'
run 0 notes.sh show work 1

heading 'C: ten lines; then work and personal notes side by side'
run 0 ten-lines "{\"app\":{\"id\":\"$MAM_APP\"},\"stateDirectory\":\"$MAM_STATE\",\"authority\":{\"type\":\"embedded\",\"path\":\"$MAM_AUTHORITY\"}}" $ann
run 0 notes add work 'And the bank knows'
run 0 notes add personal 'Buy milk'
run 0 notes list
run 3 notes export work 1 leak.txt

heading 'Python: the same notes, the same answer'
run 0 notes.py list
run 3 notes.py export work 1 leak.txt
run 0 notes.py export personal 1 milk.txt

heading 'On the disk: a database and files, of which the work ones are encrypted'
run 0 mamctl file info notes/*/*
run 1 grep -rE 'Merger|bank' notes

heading 'With the open policy the decisions change'
run 0 mamctl authority policy import open.json --all-users --app $MAM_APP
run 0 mamctl authority policy remove 'Example: strict'
run 0 mamctl check-in
run 0 mamctl check saveTo --account $ann --location localDrive
run 0 notes export work 1 allowed.txt

heading 'The administrator wipes; work notes are gone for good, personal ones are not'
run 0 mamctl authority wipe request $ann
run 0 mamctl check-in
run 0 notes.py list
run 1 test -e notes/work-*
