#!/usr/bin/env bash
# What must be said is said, and what must not be in the sources is not: the header's comments, the man page, links,
# imports, traps. Prints what is missing.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
status=0
wrong() {
    echo "check-docs: $*"
    status=1
}

# Each function of mam.h has a comment right above it, with Since; each predicate its closed value.
undocumented=$(awk '
    /^\/\*\*/ { comment = "" ; fresh = 1 }
    fresh { comment = comment $0 }
    /^MAM_API / {
        match($0, /mam_[a-z0-9_]+\(/); name = substr($0, RSTART, RLENGTH - 1)
        if (!fresh) print name ": no comment"
        else if (comment !~ /Since: +MAM_[0-9]/) print name ": no Since"
        else if ($0 ~ /^MAM_API mam_bool/ && comment !~ /Closed: [01]/) print name ": no closed value"
        fresh = 0
    }
    /^$/ { fresh = 0 }' include/mam.h)
[ -z "$undocumented" ] || wrong "mam.h:"$'\n'"$undocumented"

# Each subcommand and long option of mamctl is in its man page.
page=docs/man/mamctl.1
if [ -e "$page" ]; then
    text=$(mandoc -T utf8 "$page" | sed 's/.\x08//g' | tr -s ' \n' ' ')
    "${MAMCTL:-mamctl}" --experimental-dump-help | python3 -c '
import json, sys
def walk(command, path):
    for option in command.get("arguments", []):
        for name in option.get("names", []):
            if name["kind"] == "long" and option.get("shouldDisplay", True): print("--" + name["name"])
    for sub in command.get("subcommands", []):
        if not sub.get("shouldDisplay", True) or sub["commandName"] == "help": continue
        print(" ".join(path + [sub["commandName"]]))
        walk(sub, path + [sub["commandName"]])
walk(json.load(sys.stdin)["command"], [])' | sort -u >"$scratch/mamctl-words"
    [ -s "$scratch/mamctl-words" ] || wrong "mamctl names no subcommands"
    while read -r words; do
        grep -qF -e "$words" <<<"$text" || wrong "$page does not name: $words"
    done <"$scratch/mamctl-words"
else
    wrong "there is no $page"
fi

# docs/properties.md is what the library says.
"${MAMCTL:-mamctl}" policy properties --json | python3 scripts/properties.py | diff docs/properties.md - >"$scratch/properties-diff" ||
    wrong "docs/properties.md is not what mamctl policy properties says; scripts/properties.py makes it:"$'\n'"$(cat "$scratch/properties-diff")"

# Relative links lead somewhere.
while IFS=: read -r file link; do
    target=${link%%#*}
    [ -z "$target" ] || [ -e "$(dirname "$file")/$target" ] || wrong "$file links to $target, which is not there"
done < <(git ls-files -co --exclude-standard '*.md' | xargs grep -oHE '\]\([^)]+\)' | sed -E 's/\]\(([^)]*)\)/\1/' | grep -vE ':[a-z]+://|:mailto:')

# Blocks of commands can be pasted into every shell.
git ls-files -co --exclude-standard '*.md' | xargs python3 scripts/pasted.py || status=1

# Imports run downward only; C libraries have one importer each.
floor() {
    case $1 in
    C*) echo 0 ;;
    MAMSupport) echo 1 ;;
    MAMPolicy | MAMProtection | MAMDevice) echo 2 ;;
    MAMState) echo 3 ;;
    MAMFiles | MAMAuthority) echo 4 ;;
    MAMSession) echo 5 ;;
    MAMABI) echo 6 ;;
    *) echo none ;;
    esac
}
may_import() { # FROM WHAT
    case $2 in
    COpenSSL | CSealing) [ "$1" = MAMProtection ] ;;
    CJSONC | CPropertyList) [ "$1" = MAMSupport ] ;;
    CMam) [ "$1" = MAMABI ] ;;
    CSQLite) [ "$1" = MAMSupport ] || [ "$1" = MAMFiles ] ;;
    Synchronization) ;;
    *) [ "$(floor "$2")" != none ] && [ "$(floor "$2")" -lt "$(floor "$1")" ] ;;
    esac
}
while IFS=: read -r file import; do
    module=${file#Sources/}
    module=${module%%/*}
    what=$(sed -E 's/.*import +((struct|class|enum|protocol|func|var|let|typealias) +)?([A-Za-z_]+).*/\3/' <<<"$import")
    may_import "$module" "$what" || wrong "$file imports $what: not below $module"
done < <(grep -rHE '^(@[a-z_A-Z()]+ +)*((public|package|internal|private|fileprivate) +)?import ' Sources/MAM* --include='*.swift')
while IFS=: read -r file import; do
    grep -qE 'import (CMam|ArgumentParser|Glibc)$' <<<"$import" || wrong "$file: $import: mamctl knows only mam.h"
done < <(grep -rHE '^(@[a-z_A-Z()]+ +)*import ' Sources/mamctl --include='*.swift')

# Nothing that traps on purpose. (Comments may speak of it.)
traps=$(grep -rnE '\btry!|\bas! |\b(fatalError|preconditionFailure|unsafeDowncast)\(' Sources --include='*.swift' | grep -vE '^[^:]+:[0-9]+: *//' || true)
[ -z "$traps" ] || wrong "traps:"$'\n'"$traps"

exit $status
