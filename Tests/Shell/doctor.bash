# shellcheck disable=SC2154 # set by bats
# Functions for the tests of mamctl doctor: each fault is made for real, found, and gone once the command that the finding names was run.

doctor() { run --separate-stderr mamctl doctor --json && harmless; }

# No command of a finding destroys what a copy could still save: such a word comes behind "#".
harmless() {
    local active
    while IFS= read -r active; do
        active=${active%%#*}
        # A secret is opened to nobody.
        if [[ $active =~ chmod\ [agou]*[ago]\+[^\ ]*\ [^\ ]*\.key ]]; then
            echo "opens a key: $active" >&2
            return 1
        fi
        if [[ $active =~ mamctl\ (authority\ )?(wipe|unenroll|purge|forget)|(^|\ )rm\  ]] ||
            { [[ $active =~ (^|\ )mv\ (-T\ )?([^\ ]+) ]] && [ -e "${BASH_REMATCH[3]}/state.db" ] && [[ $active != unlink* ]]; }; then
            echo "destroys: $active" >&2
            return 1
        fi
    done < <(jq -r '(.findings + .notes)[]?.command // empty' <<<"$output" 2>/dev/null)
}

healthy() {
    doctor
    if [ "$status" -ne 0 ] || [ "$(value '.findings | length')" -ne 0 ]; then
        echo "status $status: $output $stderr" >&2
        return 1
    fi
}

# found STATUS CHECK WORDS: the only finding has this check and these words in its message; sets its command.
found() {
    doctor
    [ "$status" -eq "$1" ] || { echo "status $status, not $1: $output $stderr" >&2; return 1; }
    [ "$(value '.findings[].check')" = "$2" ] || { echo "$output" >&2; return 1; }
    [[ $(value '.findings[0].message') =~ $3 ]] || { echo "$output" >&2; return 1; }
    command=$(value '.findings[0].command')
}

# run_all COMMANDS: run commands of findings, one a line, with this mamctl. Without accounts left, a check-in that has finished a wipe
# ends with 1.
run_all() { PATH=$(dirname "$(type -P "$MAMCTL")"):$PATH bash -c "$1" >/dev/null 2>&1 || true; }

# mended STATUS CHECK WORDS: found, and gone after its command.
mended() {
    found "$@" || return
    run_all "$command"
    healthy || { echo "after $command" >&2; return 1; }
}

# open_to_others: let the user of "${other[@]}" reach the test's folder; skips the test where that is impossible.
open_to_others() {
    other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    [ "$(id -u)" -eq 0 ] || skip 'needs root, to be another user'
    type -P setpriv >/dev/null || skip 'there is no setpriv'
    local folder
    for folder in "$BATS_RUN_TMPDIR" "$(dirname "$scratch")" "$scratch"; do chmod 711 "$folder"; done
    "${other[@]}" test -x "$scratch" -a -x "$(type -P "$MAMCTL")" || skip "the tests are in a folder that is closed to others"
}

# The content and attributes of all files, but of the one that names the shared memory.
everything() { find "$MAM_STATE" "$MAM_AUTHORITY" "$MAM_AUTHORITY.key" -type f ! -name generation -exec stat -c '%n %a %U' {} + -exec sha256sum {} + | sort; }
