#!/usr/bin/env bats
# mam.sh in dash, bash and zsh; every test runs in each that is installed.

# helpers.bash sets variables, no command reads a file that it also writes, and scripts are for an inner shell:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031,SC1003
load helpers

shells=(dash bash 'bash --posix' zsh)

# in_each SCRIPT [ARGUMENT…]: run a strict script after mam.sh in each shell; expects the same status and output from all.
in_each() {
    local script=$1 shell first=
    shift
    for shell in "${shells[@]}"; do
        type -P "${shell%% *}" >/dev/null || continue
        [ -z "${before-}" ] || "$before"
        # shellcheck disable=SC2086 # a shell with its option
        run "-$expected" --separate-stderr $shell -uc '. "$1"; shift; '"$script" "${shell%% *}" "$(mamctl shell-library)" "$@"
        first=${first:-$status:$output}
        [ "$status:$output" = "$first" ] || { echo "$shell: $status:$output, not $first; $stderr" >&2; return 1; }
        [ -z "${reason-}" ] || [[ $stderr =~ $reason ]] || { echo "$shell: $stderr" >&2; return 1; }
        [ -z "${after-}" ] || "$after" || { echo "$shell: $after; $stderr" >&2; return 1; }
    done
}

@test "sourcing mam.sh prints and changes nothing" {
    expected=0 in_each 'x=$(set -o); . "$1"; [ "$x" = "$(set -o)" ]; echo "$#"' "$(mamctl shell-library)"
    [ "$output" = 1 ]
    [ -z "$stderr" ]
    expected=0 in_each 'set -e; . "$1"; mam_as x true; mam_allowed fly || echo "$?"' "$(mamctl shell-library)"
    [ "$output" = 64 ]
}

@test "mam_require: a session, a version, a policy" {
    authority_with strict
    expected=3 reason='no account has a policy' in_each mam_require
    expected=3 reason="$ann has no policy" in_each "MAM_IDENTITY=$ann; export MAM_IDENTITY; mam_require"
    expected=0 in_each 'MAM_IDENTITY=; export MAM_IDENTITY; mam_require'
    mamctl enroll "$ann" >/dev/null
    expected=0 in_each 'mam_require && mam_require 0 && mam_require 0.1 && mam_require 0.0.99'
    expected=3 reason='eve has no policy' in_each 'MAM_IDENTITY=eve; export MAM_IDENTITY; mam_require 0.1'
    expected=1 reason='too old' in_each 'mam_require 0.99'
    for version in 1..2 x '' 0.1x 99999999999999999999 -- '*'; do
        expected=64 reason='no version|usage' in_each 'mam_require "$1"' "$version"
    done
    expected=127 reason='install libmam' in_each 'MAMCTL=./none; mam_require'
    expected=64 reason='which app' in_each 'unset MAM_APP; mam_require'
    expected=64 reason='which app' in_each 'unset MAM_APP; MAM_IDENTITY=; export MAM_IDENTITY; mam_require'
    expected=1 reason='does not tell its version' in_each 'MAMCTL=true; mam_require 0.1'
    expected=1 in_each 'MAMCTL=false; mam_require'
    chmod 755 "$MAM_STATE/$MAM_APP"
    expected=1 reason='mamctl: ' in_each mam_require
}

@test "mam_require: app, state, authority and account of a configuration file" {
    enrolled_with strict
    mkdir -p "$XDG_CONFIG_HOME/mam"
    printf '%s\n' "app = $MAM_APP" "state = $MAM_STATE" "authority = $MAM_AUTHORITY" >"$XDG_CONFIG_HOME/mam/mam.conf"
    unset MAM_APP MAM_STATE MAM_AUTHORITY
    expected=0 in_each 'mam_require 0.1'
    expected=0 in_each "MAM_IDENTITY=$ann; export MAM_IDENTITY; mam_require"
    expected=3 reason='eve has no policy' in_each 'MAM_IDENTITY=eve; export MAM_IDENTITY; mam_require'
    echo "account = $ann" >>"$XDG_CONFIG_HOME/mam/mam.conf"
    expected=0 in_each mam_require
    expected=3 in_each 'mam_require && mam_allowed print'
    mamctl unenroll "$ann" >/dev/null
    expected=3 reason='the account of mam.conf has no policy' in_each mam_require
    expected=0 in_each 'MAM_IDENTITY=; export MAM_IDENTITY; mam_require'
}

@test "mam_require: the policy in force counts while the authority cannot be asked" {
    enrolled_with strict
    rm "$MAM_AUTHORITY"
    expected=0 in_each mam_require
    expected=0 in_each "MAM_IDENTITY=$ann; export MAM_IDENTITY; mam_require"
}

@test "mam_require: no name and no path means that an account is managed" {
    authority_with strict
    # The text that mam.sh searches for must not match in an account name or a path.
    export MAM_IDENTITY='"managed":true'
    expected=1 in_each mam_require
    unset MAM_IDENTITY
    export MAM_STATE=$scratch'/"managed":true'
    expected=3 in_each mam_require
}

# An account whose policy wants its PIN at each launch.
enrolled_with_pin() {
    mamctl authority create >/dev/null
    mamctl authority user add "$ann" --account-id ann-id >/dev/null
    printf '{"@odata.type":"#libmam.linuxManagedAppProtection","id":"p","pinRequired":true,"periodOnlineBeforeAccessCheck":"PT0S"}' |
        mamctl authority policy import - --all-users --all-apps >/dev/null
    mamctl enroll "$ann" >/dev/null
    mamctl pin set "$ann" --stdin <<<2580 >/dev/null
}

@test "mam_launch: open, closed, and where the PIN comes from" {
    authority_with open
    mamctl enroll "$ann" >/dev/null
    expected=0 in_each mam_launch
    rm -r "$MAM_STATE" "$MAM_AUTHORITY" "$MAM_AUTHORITY.key"
    enrolled_with_pin
    expected=3 reason='no terminal' in_each 'setsid -w sh -c ". \"\$1\"; mam_launch" x "$1" </dev/null' "$(mamctl shell-library)"
    expected=0 in_each 'echo 2580 | mam_launch --stdin'
    [ -z "$output" ]
    expected=3 reason='wrong|PIN' in_each 'echo 1111 | mam_launch --stdin'
    mamctl pin reset "$ann" --stdin --answer "authenticate={\"upn\":\"$ann\"}" <<<2580 >/dev/null
    fake_pinentry 2580 2580 2580 2580
    PATH=$scratch:$PATH expected=0 in_each 'mam_launch --pinentry'
    expected=64 in_each 'mam_launch --fly'
}

@test "mam_allowed: allowed, refused, and unknown" {
    enrolled_with strict
    expected=3 reason='Example: strict' in_each "mam_allowed print --account $ann"
    [ -z "$output" ]
    expected=0 in_each 'mam_allowed print --account ""'
    expected=3 in_each "MAM_IDENTITY=$ann; export MAM_IDENTITY; mam_allowed saveTo --location localDrive"
    expected=64 in_each 'mam_allowed fly'
    expected=64 reason='usage' in_each mam_allowed
    expected=64 reason='MAM_IDENTITY' in_each 'mam_allowed print'
    expected=127 in_each 'MAMCTL=./none; mam_allowed print'
}

@test "mam_as: a command and a function, and the environment after it" {
    enrolled_with strict
    expected=3 in_each "f() { mam_allowed print; }; mam_as $ann f"
    expected=0 in_each 'mam_as "" mam_allowed print'
    expected=42 in_each 'mam_as x sh -c "exit 42"'
    expected=0 in_each 'mam_as x true; echo "${MAM_IDENTITY-unset}"; mam_as "a b" sh -c "printf %s \"\$MAM_IDENTITY\""'
    [ "$output" = $'unset\na b' ]
    expected=64 reason=usage in_each 'mam_as x'
    expected=127 in_each 'mam_as x ./nothing'
    expected=143 in_each 'mam_as x sh -c "kill -TERM \$\$"'
}

plain() { rm -rf dir && mkdir dir && for name in "${names[@]}"; do (cd dir && printf 'text of %s' "$name" >"./$name" && chmod 640 "./$name"); done; }

sealed() {
    local name
    for name in "${names[@]}"; do
        [ "$(mamctl info "dir/$name" --json | jq -r '.accountId, .encrypted' | paste -sd' ')" = 'ann-id true' ] || return
        [ "$(stat -c %a "dir/$name")" = 640 ] || return
        [ "$(mamctl unprotect "dir/$name")" = "text of $name" ] || return
    done
    [ "$(find dir -type f -printf x | wc -c)" -eq "${#names[@]}" ]
}

@test "mam_protect_file: in place, whatever the name" {
    enrolled_with strict
    export MAM_IDENTITY=$ann
    names=(plain 'with space' -dash --output - -- $'new\nline' $'tab\t' '*' '?' "it's" '"' '$(touch pwned)' 'ünï' '~' '\' '@file' 'a=b')
    before=plain after=sealed expected=0 in_each 'cd dir; for f in * ; do mam_protect_file "$f" || exit; done'
    unset before after
    expected=0 in_each 'cd dir; for f in *; do mam_unprotect_file "$f" "../$f.out" || exit; done'
    for name in "${names[@]}"; do [ "$(cat "./$name.out")" = "text of $name" ]; done
    [ ! -e pwned ] && [ ! -e dir/pwned ]
}

@test "mam_protect_file: a refused file stays unchanged" {
    enrolled_with strict
    export MAM_IDENTITY=$ann
    echo plan >plan && ln -s plan link && mkdir folder && echo two >one && ln one two
    mkfifo pipe
    for file in missing link folder one pipe /dev/null ''; do
        expected=1 reason='.' in_each 'mam_protect_file "$1" || { [ $? -eq 64 ] && exit 1; exit $?; }' "$file" || return
    done
    [ "$(cat plan one)" = $'plan\ntwo' ]
    [ -L link ] && [ -d folder ]
    expected=0 in_each 'mam_protect_file plan out'
    [ "$(cat plan)" = plan ]
    expected=1 reason='protected already' in_each 'cp out out2; mam_protect_file out2'
    expected=1 in_each 'mam_unprotect_file plan'
    expected=64 reason=usage in_each mam_protect_file
    expected=64 reason=usage in_each 'mam_protect_file a b c'
    [ "$(cat plan)" = plan ]
    expected=1 reason='full|space|/dev' in_each 'mam_protect_file plan /dev/full'
    unset MAM_IDENTITY
    expected=64 reason='MAM_IDENTITY' in_each 'mam_protect_file plan'
    [ "$(find . -name '.mamctl-*')" = '' ]
}

@test "mam_protect_file: any size" {
    enrolled_with strict
    export MAM_IDENTITY=$ann
    truncate -s 100M large
    expected=0 in_each 'mam_protect_file large out && mam_unprotect_file out back && cmp large back'
}

@test "without HOME, state or streams each function returns a status" {
    authority_with strict
    unset MAM_STATE XDG_STATE_HOME # zsh finds a HOME by itself
    expected=3 reason='no account has a policy' in_each 'unset HOME; mam_require'
    export MAM_STATE=$scratch/state
    mamctl enroll "$ann" >/dev/null
    expected=0 in_each mam_require
    expected=3 in_each "mam_allowed print --account $ann <&-"
    expected=3 in_each "mam_allowed print --account $ann 2>&-"
    expected=3 in_each "mam_allowed print --account $ann >&-"
    expected=3 in_each "mam_allowed print --account $ann >/dev/full"
    expected=0 in_each "echo x >f; MAM_IDENTITY=$ann; export MAM_IDENTITY; mam_protect_file f <&- >&-"
}

@test "a path that is not UTF-8 is refused, not repaired" {
    enrolled_with strict
    export MAM_IDENTITY=$ann
    echo x >$'latin-\xe9'
    expected=64 reason='UTF-8' in_each 'mam_protect_file "$1"' $'latin-\xe9'
    [ "$(cat $'latin-\xe9')" = x ]
}

# Report skipped shells.
@test "dash was there" { type -P dash || skip 'mam.sh is not tested in dash, which is not here: make deps'; }
@test "zsh was there" { type -P zsh || skip 'mam.sh is not tested in zsh, which is not here: make deps'; }
