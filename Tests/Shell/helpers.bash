# shellcheck disable=SC2154 # what bats sets
# Shared by the transcripts: the mamctl under test and a scratch folder for each test.

bats_require_minimum_version 1.5.0

MAMCTL=${MAMCTL:-mamctl}
here=$BATS_TEST_DIRNAME
policies=$here/../../examples/policies
ann=ann@contoso.example

# The function hides a command of the same name: "command" finds that one.
mamctl() { command "$MAMCTL" "$@"; }

setup() {
    umask 077
    scratch=$BATS_TEST_TMPDIR
    cd "$scratch" || return
    export MAM_AUTHORITY=$scratch/authority.db MAM_STATE=$scratch/state MAM_APP=com.example.notes COLUMNS=80
    unset XDG_STATE_HOME
    type -P "$MAMCTL" >/dev/null || { echo "no mamctl: set MAMCTL to the one under test" >&2; return 1; }
}

# A program that the test has started in the background ends with it, however it ended.
teardown() {
    [ -z "${follower-}" ] || { kill "$follower" 2>/dev/null && wait "$follower"; } || true
}

# An authority with Ann, and a policy for all users and apps.
authority_with() {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" --account-id ann-id >/dev/null
    mamctl authority policy import "$policies/$1.json" --all-users --all-apps >/dev/null
}

enrolled_with() {
    authority_with "$1"
    mamctl enroll "$ann" >/dev/null
}

# The value of a key in the JSON of the last run's output.
value() { jq -r "$1" <<<"$output"; }

# The output is one line of standard error that names what is wrong.
failed_with() {
    [ "$status" -eq "$1" ] || { echo "status $status, not $1: $output $stderr" >&2; return 1; }
    [[ $stderr =~ ^mamctl:\ .*$2 ]] || { echo "standard error: $stderr" >&2; return 1; }
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
}
