#!/usr/bin/env bats
# The configuration files of mamctl: the order of sources, final values, errors, and that status names each source.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers

# The user's file, with these lines.
user_file() {
    export XDG_CONFIG_HOME=$scratch/config
    mkdir -p "$XDG_CONFIG_HOME/mam"
    printf '%s\n' "$@" >"$XDG_CONFIG_HOME/mam/mam.conf"
}

# Runs a command with a system's file of these lines, up to "--". /etc is replaced in a namespace of its own.
with_system_file() {
    : >"$scratch/system.conf"
    while [ "$1" != -- ]; do
        printf '%s\n' "$1" >>"$scratch/system.conf"
        shift
    done
    shift
    unshare --map-root-user --mount bash -c '
        file=$1; shift
        mount -t tmpfs none /etc && mkdir /etc/mam && install -m "${MODE-644}" "$file" /etc/mam/mam.conf && exec "$@"' \
        - "$scratch/system.conf" "$@"
}

need_namespaces() {
    unshare --map-root-user --mount mount -t tmpfs none /etc 2>/dev/null || skip "no mount namespaces here"
}

# The source and value of a key, by the last JSON status.
from() { value ".configuration[] | select(.key == \"$1\") | \"\(.source) \(.value)\""; }

@test "option, environment and user's file count in this order, and status names the source" {
    authority_with strict
    user_file '# mine' '' 'app = com.example.file' "  state =  $scratch/other  " 'unknown-identities=error'
    run mamctl status --json --app com.example.option
    [ "$(from app)" = 'option com.example.option' ]
    [ "$(value .app.id)" = com.example.option ]
    run mamctl status --json
    [ "$(from app)" = 'environment com.example.notes' ]
    [ "$(from state)" = "environment $scratch/state" ]
    [ "$(from unknown-identities)" = 'user error' ]
    unset MAM_APP MAM_STATE
    run mamctl status --json
    [ "$(from app)" = 'user com.example.file' ]
    [ "$(value .stateDirectory)" = "$scratch/other" ]
    [ "$(from group)" = 'default com.example.file' ]
    mamctl status | grep -Ex "app +com.example.file +$scratch/config/mam/mam.conf"
    mamctl status --app com.example.option | grep -Ex "app +com.example.option +--app"
}

@test "every key of a file has its effect" {
    enrolled_with strict
    user_file "app = $MAM_APP" "state = $MAM_STATE" "authority = $MAM_AUTHORITY" "account = $ann" \
        'group = com.example.notes' 'settings = {"MultiManagedIdentities":true}' 'unknown-identities = error'
    unset MAM_APP MAM_STATE MAM_AUTHORITY
    run --separate-stderr mamctl check print
    failed_with 3 .
    [ "$(MAM_IDENTITY='' mamctl check print)" = allowed ]
    [ "$(mamctl settings --json | jq -r '.settings[] | select(.key == "MultiManagedIdentities") | .value')" = true ]
    mamctl authority user list | grep -q "$ann"
    mamctl status | grep -Ex "acts for +$ann \($scratch/config/mam/mam.conf\)"
    run --separate-stderr mamctl check print --account nobody@contoso.example
    [ "$status" -eq 1 ]
    user_file 'settings = {"DebugSettingsEnabled":true}' "test-policy = $policies/MAMDebugSettings.plist"
    export MAM_APP=com.example.tested MAM_STATE=$scratch/tested MAM_AUTHORITY=$scratch/authority.db
    run --separate-stderr mamctl check print --account "$ann"
    failed_with 3 'Test policy'
}

@test "~/ is the home directory, and the file is found below it without XDG_CONFIG_HOME" {
    authority_with strict
    unset XDG_CONFIG_HOME MAM_STATE
    mkdir -p home/.config/mam
    echo 'state = ~/states' >home/.config/mam/mam.conf
    run env HOME="$scratch/home" "$MAMCTL" status --json
    [ "$(value .stateDirectory)" = "$scratch/home/states" ]
    run env HOME="$scratch/home" XDG_CONFIG_HOME=relative "$MAMCTL" status --json
    [ "$(value .stateDirectory)" = "$scratch/home/states" ]
}

@test "the default authority is /var/lib/mam/authority.db" {
    unset MAM_AUTHORITY
    run mamctl status --json
    [ "$(from authority)" = 'default /var/lib/mam/authority.db' ]
    [ "$(value .authority.path)" = /var/lib/mam/authority.db ]
}

@test "an invalid line is named with its number, and nothing is guessed" {
    while IFS='|' read -r line what; do
        user_file '# first' "$line"
        run --separate-stderr mamctl status
        failed_with 1 "mam.conf:2: $what" || { echo "for: $line"; return 1; }
    done <<'LINES'
authority|expected KEY = VALUE
autority = /a|unknown key 'autority'.*authority
app =|app has no value
authority = relative.db|authority has to be an absolute path
final app = x|only /etc/mam/mam.conf may have final values
LINES
    user_file 'app = a' 'app = b'
    run --separate-stderr mamctl status
    failed_with 1 'mam.conf:2: app is given twice'
    user_file 'unknown-identities = maybe'
    run --separate-stderr mamctl status
    failed_with 64 'mam.conf: unknown-identities is neither unmanaged nor error'
    run mamctl version
    [ "$status" -eq 0 ]
}

@test "a file that others can write, or that is not regular, is refused" {
    user_file "app = $MAM_APP"
    chmod o+w "$XDG_CONFIG_HOME/mam/mam.conf"
    run --separate-stderr mamctl status
    failed_with 1 "can be written by others; run 'chmod go-w "
    rm "$XDG_CONFIG_HOME/mam/mam.conf"
    mkdir "$XDG_CONFIG_HOME/mam/mam.conf"
    run --separate-stderr mamctl status
    failed_with 1 'is not a regular file'
    rmdir "$XDG_CONFIG_HOME/mam/mam.conf"
    printf 'app = \xff\n' >"$XDG_CONFIG_HOME/mam/mam.conf"
    run --separate-stderr mamctl status
    failed_with 1 'is not UTF-8'
}

@test "the system's file comes last unless a value is final; an overridden value is named once" {
    need_namespaces
    authority_with strict
    user_file 'unknown-identities = unmanaged'
    run --separate-stderr with_system_file 'unknown-identities = error' 'app = com.example.system' -- \
        "$MAMCTL" status --json
    [ "$(from unknown-identities)" = 'user unmanaged' ]
    [ "$(from app)" = 'environment com.example.notes' ]
    [ -z "$stderr" ]
    run --separate-stderr env -u MAM_APP bash -c "$(declare -f with_system_file)"'; with_system_file "$@"' - \
        'app = com.example.system' -- "$MAMCTL" status --json
    [ "$(from app)" = 'system com.example.system' ]

    system="final authority = $MAM_AUTHORITY"
    run --separate-stderr with_system_file "$system" -- "$MAMCTL" status --json
    [ "$(from authority)" = "system $MAM_AUTHORITY" ]
    [ -z "$stderr" ]
    # No other authority than the one that was meant is changed.
    mamctl authority create --authority other.db
    run --separate-stderr with_system_file "$system" -- "$MAMCTL" authority group add Sales --authority other.db
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    mamctl authority group list --authority other.db | grep -q Sales
    MAM_AUTHORITY=$scratch/other.db run --separate-stderr with_system_file "$system" -- "$MAMCTL" authority group add Purchasing
    failed_with 64 "authority is final: $MAM_AUTHORITY, and MAM_AUTHORITY gives $scratch/other.db"
    run mamctl authority group list
    [[ $output != *Sales* && $output != *Purchasing* ]]
    run --separate-stderr with_system_file "$system" -- "$MAMCTL" authority group add Sales
    [ "$status" -eq 0 ]
    mamctl authority group list | grep -q Sales
    run --separate-stderr with_system_file "$system" -- "$MAMCTL" status --authority other.db --json
    [[ $(jq -r .warning <<<"$stderr") == *"authority is final: $MAM_AUTHORITY counts, not --authority other.db" ]]
    MAM_AUTHORITY=$scratch/mine.db run --separate-stderr with_system_file "$system" -- "$MAMCTL" status --json
    [[ $(jq -r .warning <<<"$stderr") == *"not MAM_AUTHORITY=$scratch/mine.db" ]]
    user_file 'unknown-identities = unmanaged'
    run --separate-stderr with_system_file 'final unknown-identities = error' -- "$MAMCTL" status
    [[ $stderr == *"final: error counts, not unmanaged of $XDG_CONFIG_HOME/mam/mam.conf" ]]
    [[ $output == *'/etc/mam/mam.conf (final)'* ]]
}

@test "a final account overrides --account" {
    need_namespaces
    enrolled_with strict
    run --separate-stderr with_system_file "final account = $ann" -- "$MAMCTL" check print --account ''
    [ "$status" -eq 3 ]
    [[ ${stderr%%$'\n'*} == *"account is final: $ann counts, not --account "* ]]
}

@test "a final app or group limits --all-apps, with a note" {
    need_namespaces
    authority_with strict
    unset MAM_APP
    for app in a b; do mamctl enroll "$ann" --app com.example.$app --group com.example.suite >/dev/null; done
    mamctl enroll "$ann" --app com.example.c >/dev/null
    checked_in() { cut -d: -f1 <<<"$output" | sort | paste -sd' '; }
    run --separate-stderr with_system_file 'final app = com.example.c' -- "$MAMCTL" checkin --all-apps
    [ "$status" -eq 0 ]
    [ "$(checked_in)" = com.example.c ]
    [ "$stderr" = 'mamctl: /etc/mam/mam.conf: app is final: com.example.c counts, not --all-apps' ]
    run --separate-stderr with_system_file 'final app = com.example.b' 'group = com.example.suite' -- "$MAMCTL" checkin --all-apps
    [ "$(checked_in)" = com.example.b ]
    run --separate-stderr with_system_file 'final group = com.example.suite' -- "$MAMCTL" checkin --all-apps --json
    [ "$(jq -r .app <<<"$output" | sort | paste -sd' ')" = 'com.example.a com.example.b' ]
    [[ $(jq -r .warning <<<"$stderr") == *'group is final: com.example.suite counts, not --all-apps' ]]
    # Without a state of that app there is nothing to do, and none is made.
    run --separate-stderr with_system_file 'final app = com.example.none' -- "$MAMCTL" checkin --all-apps
    [ "$status" -eq 0 ]
    [ "$output" = "no app has an account in $MAM_STATE" ]
    [ ! -e "$MAM_STATE/com.example.none" ]
}

@test "a system's file that others can write is refused" {
    need_namespaces
    MODE=664 run --separate-stderr with_system_file 'app = x' -- "$MAMCTL" status
    failed_with 1 "can be written by others"
}

@test "line ends of Windows and a byte order mark count as such: no line is passed over" {
    need_namespaces
    authority_with strict
    mkdir -p "$XDG_CONFIG_HOME/mam" && rm -f "$XDG_CONFIG_HOME/mam/mam.conf"
    printf '# x\r\nfinal authority = %s\r\nunknown-identities = error\r\n' "$MAM_AUTHORITY" >crlf.conf
    run --separate-stderr env MAM_AUTHORITY="$scratch/mine.db" unshare --map-root-user --mount bash -c '
        mount -t tmpfs none /etc && mkdir /etc/mam && install -m 644 "$1" /etc/mam/mam.conf && exec "$2" status --json' \
        - crlf.conf "$MAMCTL"
    [ "$(from authority)" = "system $MAM_AUTHORITY" ]
    [ "$(from unknown-identities)" = 'system error' ]
    [[ $(jq -r .warning <<<"$stderr") == *"authority is final: $MAM_AUTHORITY counts, not MAM_AUTHORITY=$scratch/mine.db" ]]
    # With a byte order mark, a comment that ends so, and a last line without an end.
    user_file
    printf '\xef\xbb\xbfunknown-identities = error\r\n# y\r\n\r\ngroup=com.example.suite\r' >"$XDG_CONFIG_HOME/mam/mam.conf"
    run mamctl status --json
    [ "$(from unknown-identities)" = 'user error' ]
    [ "$(from group)" = 'user com.example.suite' ]
}

@test "a line with a control character is refused, a comment too: editors show another line there" {
    while IFS='|' read -r line what; do
        user_file '# first'
        # shellcheck disable=SC2059
        printf "$line" >>"$XDG_CONFIG_HOME/mam/mam.conf"
        run --separate-stderr mamctl status
        failed_with 1 "mam.conf:2: ${what/+/\\+} is a control character" || { echo "for: $line"; return 1; }
        [[ $(mamctl doctor --json | jq -r '.findings[0].command') == *" +2 $XDG_CONFIG_HOME/mam/mam.conf" ]]
    done <<'LINES'
# x\rapp = com.example.other\n|U+000D
app = com.example.other\r\r\n|U+000D
app = com.example\0.other\n|U+0000
# x\x0bapp = a\n|U+000B
# x\xe2\x80\xa8app = a\n|U+2028
# x\xc2\x85app = a\n|U+0085
LINES
    printf '\xff\xfea\0p\0p\0' >"$XDG_CONFIG_HOME/mam/mam.conf"
    run --separate-stderr mamctl status
    failed_with 1 'mam.conf is UTF-16; save it as UTF-8'
    # A tab is white space, and so are spaces of other kinds at the ends.
    user_file $'\tapp\t=\tcom.example.file\xc2\xa0'
    run env -u MAM_APP "$MAMCTL" status --json
    [ "$(from app)" = 'user com.example.file' ]
}
