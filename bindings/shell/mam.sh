# shellcheck shell=sh
# mam.sh: functions for shell scripts that ask libmam, for sh, dash, bash and zsh. docs/shell.md is the guide.
#
#     . "$(mamctl shell-library)"
#
# mamctl is found on the path, or by its path in MAMCTL. The session is chosen by MAM_APP, MAM_AUTHORITY, MAM_STATE and
# the other variables of mamctl(1), the account by MAM_IDENTITY. Nothing is printed on standard output; each function
# is a status, and its reason is one line of standard error:
#     0 done or allowed, 1 failed, 3 refused by policy, 64 wrong usage or an environment that is not set, 127 no mamctl

# mam_require [VERSION]
# Insist on mamctl, at least of that version, on a session, and on a policy in force: for the account of MAM_IDENTITY,
# or, where that is not set, for any. With MAM_IDENTITY="" no policy is needed.
mam_require() {
    if [ $# -gt 1 ]; then
        _mam_say 'usage: mam_require [VERSION]'
        return 64
    fi
    if ! command -v "${MAMCTL:-mamctl}" >/dev/null 2>&1; then
        _mam_say "there is no ${MAMCTL:-mamctl}: install libmam, or set MAMCTL to the path of mamctl"
        return 127
    fi
    if [ $# -eq 1 ]; then _mam_is_version "$1" || return; fi
    if [ -z "${MAM_APP-}" ] || [ -z "${MAM_AUTHORITY-}" ]; then
        _mam_say 'which app, and which authority? Set and export MAM_APP and MAM_AUTHORITY'
        return 64
    fi
    if [ -n "${MAM_IDENTITY-}" ]; then
        # In JSON a quote inside a name is escaped: what is looked for cannot come from one.
        case $(_mam_json policy show) in
        *'"managed":true'*) return 0 ;;
        '') return 1 ;; # mamctl has said why
        esac
        _mam_say "$MAM_IDENTITY has no policy in $MAM_APP: enroll it (mamctl enroll), or see mamctl status"
        return 3
    fi
    if [ -n "${MAM_IDENTITY+set}" ]; then return 0; fi
    case $(_mam_json status) in
    *'"managed":true'*) return 0 ;;
    '') return 1 ;;
    esac
    _mam_say "no account has a policy in $MAM_APP: enroll one (mamctl enroll), or see mamctl status"
    return 3
}

# mam_allowed ACTION [OPTION…]
# May ACTION be done, as `mamctl check` takes it? 0 says yes, 3 no, anything else that it could not be found out, which
# is no permission either.
mam_allowed() {
    if [ $# -eq 0 ]; then
        _mam_say 'usage: mam_allowed ACTION [OPTION…]'
        return 64
    fi
    _mam_ctl check "$@" >/dev/null
}

# mam_protect_file FILE [OUT]
# Seal FILE for the account of MAM_IDENTITY, in place or to OUT. What is replaced is replaced as a whole or not at all,
# and keeps its permissions. FILE stays where OUT is named.
mam_protect_file() { _mam_file mam_protect_file protect '' "$@"; }

# mam_unprotect_file FILE [OUT]
# The way back. FILE has to be protected. May its content lie there? Ask first: mam_allowed saveTo --location localDrive.
mam_unprotect_file() { _mam_file mam_unprotect_file unprotect --strict "$@"; }

# mam_as IDENTITY COMMAND [ARGUMENT…]
# Run a command or a function for an account ("" is nobody), in a subshell: every mamctl and Python program in it acts
# for the account. Its status is the command's.
mam_as() {
    if [ $# -lt 2 ]; then
        _mam_say 'usage: mam_as IDENTITY COMMAND [ARGUMENT…]'
        return 64
    fi
    (
        MAM_IDENTITY=$1
        export MAM_IDENTITY
        shift
        "$@"
    )
}

# _mam_file FUNCTION COMMAND OPTION FILE [OUT]
_mam_file() (
    if [ $# -lt 4 ] || [ $# -gt 5 ]; then
        _mam_say "usage: $1 FILE [OUT]"
        return 64
    fi
    function=$1 subcommand=$2 option=$3 from=$4 to=${5-$4}
    if [ -z "$from" ] || [ -z "$to" ]; then
        _mam_say "$function: the name of a file is empty"
        return 64
    fi
    # A name is no option, and "-" is no standard input.
    case $from in -*) from=./$from ;; esac
    case $to in -*) to=./$to ;; esac
    _mam_ctl "$subcommand" ${option:+"$option"} --output "$to" -- "$from" </dev/null
)

# _mam_is_version WANTED: is the libmam that mamctl runs with that version, or a newer one?
_mam_is_version() (
    have=$(_mam_json version) || return 1
    have=${have#*\"libmam\":\"}
    have=${have%%\"*}
    rest=${have%%-*} wanted=${1%%-*}
    # A number that the shell cannot compare must not pass for one that is small enough.
    case .$wanted. in
    *[!0-9.]* | *..* | *[0-9][0-9][0-9][0-9][0-9][0-9][0-9]*)
        _mam_say "$1 is no version"
        return 64
        ;;
    esac
    case .$rest. in
    *[!0-9.]* | *..*)
        _mam_say "${MAMCTL:-mamctl} does not tell its version"
        return 1
        ;;
    esac
    while [ -n "$wanted" ]; do
        number=${rest%%.*} least=${wanted%%.*}
        [ "${number:-0}" -le "${least:-0}" ] || return 0
        if [ "${number:-0}" -lt "${least:-0}" ]; then
            _mam_say "libmam $have is too old: $1 is needed"
            return 1
        fi
        case $rest in *.*) rest=${rest#*.} ;; *) rest= ;; esac
        case $wanted in *.*) wanted=${wanted#*.} ;; *) wanted= ;; esac
    done
)

# The JSON of a command; where it fails, its reason for a person.
_mam_json() {
    _mam_ctl "$@" --json 2>/dev/null || {
        _mam_ctl "$@" >/dev/null
        return 1
    }
}

_mam_ctl() { command "${MAMCTL:-mamctl}" "$@"; }

_mam_say() { printf 'mam.sh: %s\n' "$1" >&2; }
