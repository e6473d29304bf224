# shellcheck shell=sh
# mam.sh: functions of libmam for shell scripts, for sh, dash, bash and zsh. docs/shell.md is the guide.
#
#     . "$(mamctl shell-library)"
#
# mamctl is found on the path, or by its path in MAMCTL. MAM_APP, MAM_AUTHORITY, MAM_STATE and the other variables of
# mamctl(1), or its configuration files, select the session, MAM_IDENTITY the account. Nothing is printed on standard
# output; each function returns a status, and prints its reason as one line of standard error:
#     0 done or allowed, 1 failed, 3 refused by policy, 64 wrong usage or nothing names the app, 127 no mamctl

# mam_require [VERSION]
# Require mamctl, at least of that version, a session, and a policy in force: for the account of MAM_IDENTITY or of a
# configuration file, or, if neither names one, for any account. With MAM_IDENTITY="" no policy is needed.
mam_require() (
    if [ $# -gt 1 ]; then
        _mam_say 'usage: mam_require [VERSION]'
        return 64
    fi
    if ! command -v "${MAMCTL:-mamctl}" >/dev/null 2>&1; then
        _mam_say "there is no ${MAMCTL:-mamctl}: install libmam, or set MAMCTL to the path of mamctl"
        return 127
    fi
    if [ $# -eq 1 ]; then _mam_is_version "$1" || return; fi
    json=$(_mam_json status) || {
        result=$?
        # Without a reachable authority there is an answer: the policy that is in force stays.
        [ -n "$json" ] || return "$result"
    }
    # JSON escapes a quote inside a name: these patterns cannot match one.
    case $json in
    *'"identity":""'*) return 0 ;;
    *'"identity":null'*) who='no account has a' ;;
    *'"identity":"'*)
        who="${MAM_IDENTITY:-the account of mam.conf} has no"
        json=$(_mam_json policy show) || return
        ;;
    *) return 1 ;; # mamctl has printed the reason
    esac
    case $json in *'"managed":true'*) return 0 ;; esac
    _mam_say "$who policy${MAM_APP:+ in $MAM_APP}: enroll (mamctl enroll), or see mamctl status"
    return 3
)

# mam_launch [OPTION…]
# The launch checks of the policies, as `mamctl launch` does them: 0 is open, 3 closed, any other status a failure. A PIN that
# the policy requires is asked for at the terminal; with --stdin it is a line of standard input, with --pinentry a dialog
# asks. The checks hold for later mamctl commands only in so far as the script obeys: after 3 it shows no data of the account.
mam_launch() {
    _mam_ctl launch "$@" >/dev/null
}

# mam_allowed ACTION [OPTION…]
# Whether ACTION, as `mamctl check` takes it, is allowed: 0 is yes, 3 no, any other status a failure, which is no
# permission either.
mam_allowed() {
    if [ $# -eq 0 ]; then
        _mam_say 'usage: mam_allowed ACTION [OPTION…]'
        return 64
    fi
    _mam_ctl check "$@" >/dev/null
}

# mam_protect_file FILE [OUT]
# Seal FILE for the account of MAM_IDENTITY, in place or to OUT. A file is replaced as a whole or not at all, and keeps its
# permissions. If OUT is given FILE stays.
mam_protect_file() { _mam_file mam_protect_file protect '' "$@"; }

# mam_unprotect_file FILE [OUT]
# Unprotect FILE, which must be protected. Check first whether its content may be there: mam_allowed saveTo --location
# localDrive.
mam_unprotect_file() { _mam_file mam_unprotect_file unprotect --strict "$@"; }

# mam_as IDENTITY COMMAND [ARGUMENT…]
# Run a command or a function for an account ("" is none), in a subshell: every mamctl and Python program in it acts for
# the account. It returns the command's status.
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
    # A name must not be taken for an option, or "-" for standard input.
    case $from in -*) from=./$from ;; esac
    case $to in -*) to=./$to ;; esac
    _mam_ctl "$subcommand" ${option:+"$option"} --output "$to" -- "$from" </dev/null
)

# _mam_is_version WANTED: whether mamctl's libmam has that version, or a newer one.
_mam_is_version() (
    have=$(_mam_json version) || return 1
    have=${have#*\"libmam\":\"}
    have=${have%%\"*}
    rest=${have%%-*} wanted=${1%%-*}
    # A number that the shell cannot compare must not pass for a small one.
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

# The JSON of a command; if it fails, its status, and its reason for a person.
_mam_json() {
    # 3 is status that found something to attend to: there is an answer.
    _mam_ctl "$@" --json 2>/dev/null || [ $? -eq 3 ] || _mam_ctl "$@" >/dev/null
}

_mam_ctl() { command "${MAMCTL:-mamctl}" "$@"; }

_mam_say() { printf 'mam.sh: %s\n' "$1" >&2; }
