#!/usr/bin/env bats
# mamctl doctor: configuration files and their values.

# helpers.bash sets variables, and commands of findings run in a shell of their own:
# shellcheck disable=SC2154,SC2094,SC2016,SC2030,SC2031
load helpers
load doctor

@test "configuration files: a bad line, rights, a value that a final one overrides" {
    authority_with strict
    mkdir -p "$XDG_CONFIG_HOME/mam"
    file=$XDG_CONFIG_HOME/mam/mam.conf
    printf '%s\n' '# mine' 'autority = /a' >"$file"
    mended 1 configuration "unknown key 'autority'"
    [ "$(tail -n 1 "$file")" = '# autority = /a' ]
    chmod o+w "$file"
    mended 1 configuration 'can be written by others'
    printf 'app = \xff\n' >"$file"
    mended 1 configuration 'not UTF-8'
    [ -e "$file.bad" ]
    unshare --map-root-user --mount mount -t tmpfs none /etc 2>/dev/null || skip "no mount namespaces here"
    cat >inside.sh <<'SH'
mount -t tmpfs none /etc && mkdir /etc/mam && printf 'final app = %s\n' com.example.final >/etc/mam/mam.conf && exec "$@"
SH
    run --separate-stderr unshare --map-root-user --mount bash inside.sh "$MAMCTL" doctor --json
    [ "$status" -eq 3 ]
    [ "$(value '.app, .findings[0].subject, .findings[0].command' | paste -sd' ')" = 'com.example.final app unset MAM_APP' ]
    printf 'app = com.example.mine\n' >"$file"
    run --separate-stderr unshare --map-root-user --mount bash inside.sh env -u MAM_APP "$MAMCTL" doctor --json
    [[ $(value '.findings[0].message') == *"$file gives com.example.mine, but com.example.final is final"* ]]
    bash -c "$(value '.findings[0].command')"
    run --separate-stderr unshare --map-root-user --mount bash inside.sh env -u MAM_APP "$MAMCTL" doctor --json
    [ "$status" -eq 0 ]
}

@test "values that are invalid, from a file, the environment and an option" {
    authority_with strict
    mkdir -p "$XDG_CONFIG_HOME/mam"
    file=$XDG_CONFIG_HOME/mam/mam.conf
    printf '%s\n' '# mine' 'unknown-identities = maybe' >"$file"
    found 3 configuration "^unknown-identities: 'maybe' is neither unmanaged nor error"
    [ "$(value '.findings[0].subject')" = "$file:2" ]
    mended 3 configuration unknown-identities
    for key in app group; do
        printf '%s = "com.example.notes"\n' "$key" >"$file"
        [ "$key" = group ] || unset MAM_APP
        found 3 configuration "^$key: .* is no app id: .* values take no quotation marks"
        [ "$(value '.findings[0].subject')" = "$file:1" ]
        mended 3 configuration "^$key"
        [ "$(cat "$file")" = "$key = com.example.notes" ]
        export MAM_APP=com.example.notes
    done
    rm "$file"
    run --separate-stderr mamctl doctor --json --app 'a b'
    [ "$status" -eq 3 ]
    [ "$(value '.findings[0] | .subject + " " + .message')" = "--app 'a b' is no app id: 1 to 128 of A-Z a-z 0-9 . _ - that begin with a letter or digit" ]
    # A final value binds everybody: it is mended, not taken away.
    if unshare --map-root-user --mount mount -t tmpfs none /etc 2>/dev/null; then
        cat >inside.sh <<'SH'
mount -t tmpfs none /etc && mkdir /etc/mam && printf '# ours\nfinal unknown-identities = erorr\n' >/etc/mam/mam.conf && exec "$@"
SH
        run --separate-stderr unshare --map-root-user --mount bash inside.sh "$MAMCTL" doctor --json
        [ "$status" -eq 3 ]
        [ "$(value '.findings[0].command')" = '${EDITOR:-vi} +2 /etc/mam/mam.conf' ]
    fi
    export MAM_SETTINGS='{'
    found 3 configuration JSON
    [ "$command" = 'unset MAM_SETTINGS' ]
}

@test "configuration files that this user may not read, or not reach" {
    open_to_others
    unshare --mount true 2>/dev/null || skip 'no mount namespaces here'
    authority_with open
    chmod 644 "$MAM_AUTHORITY"
    mkdir -m 700 of-nobody && chown 65534 of-nobody
    export MAM_STATE=$scratch/of-nobody/state XDG_CONFIG_HOME=/etc/own
    unset MAM_APP
    cat >inside.sh <<'SH'
umask 022
mount -t tmpfs -o mode=755 none /etc && mkdir -p /etc/mam /etc/own/mam || exit 90
other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
looked() { "${other[@]}" "$MAMCTL" doctor --json | jq -r '.findings[] | select(.check == "configuration") | '"$1"; }
echo 'app = com.example.mine' >/etc/mam/mam.conf
while IFS='|' read -r prepare expected; do
    eval "$prepare"
    command=$(looked .command)
    [ "$command" = "$expected" ] || { echo "$prepare: $command"; exit 91; }
    as=() && [[ $command == sudo* ]] || as=("${other[@]}")
    "${as[@]}" bash -c "${command#sudo }" || exit 92
    [ -z "$(looked .message)" ] || { echo "$prepare: after $command: $(looked .message)"; exit 93; }
    [ "$("${other[@]}" "$MAMCTL" doctor --json | jq -r .app)" = com.example.mine ] || exit 94
done <<'CASES'
chmod 000 /etc/mam/mam.conf|sudo chmod a+r /etc/mam/mam.conf
chmod 700 /etc/mam|sudo chmod a+x /etc/mam
touch /etc/own/mam/mam.conf; chown 65534 /etc/own/mam/mam.conf; chmod 000 /etc/own/mam/mam.conf|chmod u+r /etc/own/mam/mam.conf
chown 65534 /etc/own/mam; chmod 000 /etc/own/mam|chmod u+x /etc/own/mam
CASES
SH
    MAMCTL=$(type -P "$MAMCTL") run unshare --mount bash inside.sh
    [ "$status" -eq 0 ] || { echo "status $status: $output"; return 1; }
}
