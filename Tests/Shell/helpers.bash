# shellcheck disable=SC2154 # set by bats
# Functions for all tests: the mamctl under test, and a scratch directory for each test.

bats_require_minimum_version 1.5.0

MAMCTL=${MAMCTL:-mamctl}
here=$BATS_TEST_DIRNAME
policies=$here/../../examples/policies
ann=ann@contoso.example

# "command" skips this function.
mamctl() { command "$MAMCTL" "$@"; }

setup() {
    umask 077
    scratch=$BATS_TEST_TMPDIR
    cd "$scratch" || return
    export MAM_AUTHORITY=$scratch/authority.db MAM_STATE=$scratch/state MAM_APP=com.example.notes COLUMNS=80
    unset XDG_STATE_HOME
    # No file of the person who runs the tests.
    export XDG_CONFIG_HOME=$scratch/config
    type -P "$MAMCTL" >/dev/null || { echo "no mamctl: set MAMCTL to the one under test" >&2; return 1; }
}

# Ends the test's background program, which may be stopped.
teardown() {
    [ -z "${follower-}" ] || { kill "$follower" 2>/dev/null && kill -CONT "$follower" && wait "$follower"; } || true
}

# An authority with Ann, and a policy that reaches all users in all apps.
authority_with() {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" --account-id ann-id >/dev/null
    mamctl authority policy import "$policies/$1.json" --all-users --all-apps >/dev/null
}

enrolled_with() {
    authority_with "$1"
    mamctl enroll "$ann" >/dev/null
}

# Ann enrolled under the strict policy but for the device's health: the library that moves the clock (as_of) counts against it. Arguments
# change the policy, for jq.
enrolled_on_any_device() {
    authority_with open
    jq ".deviceComplianceRequired = false ${*:+| $*}" "$policies/strict.json" >any.json
    mamctl authority policy remove 'Example: open' >/dev/null 2>&1
    mamctl authority policy import any.json --all-users --all-apps >/dev/null 2>&1
    mamctl enroll "$ann" >/dev/null
}

# A line as the plugin guidelines want it, with this status and word.
plugin() {
    run --separate-stderr mamctl status --nagios "${@:3}"
    [ "$status" -eq "$1" ] || { echo "status $status: $output"; return 1; }
    [ "${#lines[@]}" -eq 1 ] && [ -z "$stderr" ]
    [[ $output =~ ^MAM\ $2\ -\ [^|]+ ]]
}

# Waits until a process in the background has the state open, with its shared memory, and polls. Files of the state say less:
# they lie there since the state was made.
until_polling() {
    local process=/proc/$1
    until find "$process/fd" -lname '*/state.db' 2>/dev/null | grep -q . && grep -q /SYSV "$process/maps" &&
        grep -q '^State:.S' "$process/status"; do
        kill -0 "$1" || return
        sleep 0.1
    done
}

# A value in the JSON output of the last run.
value() { jq -r "$1" <<<"$output"; }

# Expects one line on standard error that contains a text.
failed_with() {
    [ "$status" -eq "$1" ] || { echo "status $status, not $1: $output $stderr" >&2; return 1; }
    [[ $stderr =~ ^mamctl:\ .*$2 ]] || { echo "standard error: $stderr" >&2; return 1; }
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

# as_of SECONDS COMMAND…: run a command with the clock of mamctl moved by so many seconds.
as_of() {
    [ -e "$scratch/clock.so" ] || "${CC:-cc}" -shared -fPIC -O1 -Wall -Wextra -Werror -o "$scratch/clock.so" "$here/clock.c"
    local CLOCK_MOVED=$1 LD_PRELOAD=$scratch/clock.so
    export CLOCK_MOVED LD_PRELOAD
    shift
    "$@"
}

# A pinentry that returns these PINs, one a dialog.
fake_pinentry() {
    printf '%s\n' "$@" >answers
    cat >pinentry <<'SH'
#!/bin/sh
echo OK
while read -r word rest; do
    case $word in
    GETPIN) pin=$(head -n 1 answers); sed -i 1d answers
            if [ "$pin" = cancel ]; then echo 'ERR 83886179 canceled'; else echo "D $pin"; echo OK; fi ;;
    CONFIRM) echo 'ERR 83886179 canceled' ;;
    *) echo "$word $rest" >>talk; echo OK ;;
    esac
done
SH
    chmod +x pinentry
}
