#!/bin/sh
# A service and two computers: enroll both by invitation, protect, wipe one. Every line except the headings comes from mamd,
# mamctl or the system. `make demo-service` builds, stages and calls this, with MAMCTL, MAMD and LIBMAM_PATH set. Stops with an
# error if a step does not end as expected.
set -eu

: "${LIBMAM_PATH:?run make demo-service, which builds and stages the library first}" "${MAMD:?run make demo-service}"

work=$(mktemp -d)
service=
end() {
    [ -z "$service" ] || kill "$service"
    rm -rf "$work"
}
trap end EXIT
trap 'exit 1' HUP INT TERM
umask 077
mkdir "$work/bin"
ln -s "${MAMCTL:-$(command -v mamctl)}" "$work/bin/mamctl"
ln -s "$MAMD" "$work/bin/mamd"
PATH="$work/bin:$PATH" MAM_APP=com.example.notes
export PATH MAM_APP
cp "$(dirname -- "$0")/../examples/policies/strict.json" "$work"
cd "$work"

heading() { printf '\n== %s\n' "$*"; }

# run STATUS COMMAND: show the command, have the shell run it, require its exit status.
run() {
    printf '$ %s\n' "$2"
    status=0
    eval "$2" 2>&1 || status=$?
    [ "$status" -eq "$1" ] || { echo "demo: exit status $status instead of $1" >&2; exit 1; }
}

# set_to NAME VALUE: show and set a variable of the environment.
set_to() {
    printf '$ export %s=%s\n' "$1" "$2"
    export "$1=$2"
}

ann=ann@contoso.example
# A port that is free now.
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')

heading 'A service on this computer: its folder, its certificates, and the settings for apps'
run 0 "mamd init service --url https://localhost:$port --listen 127.0.0.1:$port --tenant contoso >authority.json"
mkfifo started
mamd serve service >started 2>service.log &
service=$!
printf '$ mamd serve service 2>service.log &\n'
head -n 1 started

heading 'The administrator: one user, one strict policy, an invitation for each computer'
set_to MAM_AUTHORITY service/mamd.sock
run 0 "mamctl authority user add $ann"
run 0 "mamctl authority policy import strict.json --all-users --app $MAM_APP"
run 0 "mamctl authority user invite $ann >laptop.code"
run 0 "mamctl authority user invite $ann >desktop.code"

heading 'Two computers, each with a state of its own: enroll, protect'
set_to MAM_AUTHORITY authority.json
for computer in laptop desktop; do
    set_to MAM_STATE "$computer"
    run 0 "mamctl enroll $ann --invite $computer.code"
    run 0 "echo 'Merger on Friday' | mamctl protect --account $ann >$computer.note"
done
run 3 "mamctl check saveTo --account $ann --location localDrive"

heading 'The laptop is lost: the administrator wipes what the app has there'
set_to MAM_AUTHORITY service/mamd.sock
run 0 'mamctl authority registration list'
tag=$(mamctl authority registration list --json | jq -r '.registrations | min_by(.createdDateTime).deviceTag')
run 0 "mamctl authority wipe request $ann --device-tag $tag"
set_to MAM_AUTHORITY authority.json
for computer in laptop desktop; do
    set_to MAM_STATE "$computer"
    run 0 'mamctl check-in'
    [ $computer = laptop ] && expected=1 || expected=0
    run $expected "mamctl unprotect <$computer.note"
done

heading 'The service has the report, and its log'
set_to MAM_AUTHORITY service/mamd.sock
run 0 'mamctl authority wipe list'
kill "$service"
wait "$service"
service=
run 0 'tail -n 2 service.log'
