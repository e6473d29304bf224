#!/usr/bin/env bash
# Required documentation is present and true: the header's comments, the man page, generated pages and pictures, links, blocks of
# commands. Prints the faults.
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

# docs/properties.md equals the library's output.
"${MAMCTL:-mamctl}" policy properties --json | python3 scripts/properties.py | diff docs/properties.md - >"$scratch/properties-diff" ||
    wrong "docs/properties.md is not what mamctl policy properties says; scripts/properties.py makes it:"$'\n'"$(cat "$scratch/properties-diff")"

# Pictures and the transcript of the demo are what their sources say.
python3 scripts/picture.py --check docs/pictures/*.txt || status=1
python3 scripts/transcript.py --check || status=1

# Relative links have a target.
while IFS=: read -r file link; do
    target=${link%%#*}
    [ -z "$target" ] || [ -e "$(dirname "$file")/$target" ] || wrong "$file links to $target, which is not there"
done < <(git ls-files -co --exclude-standard '*.md' | xargs grep -oHE '\]\([^)]+\)' | sed -E 's/\]\(([^)]*)\)/\1/' | grep -vE ':[a-z]+://|:mailto:')

# Links to a heading have one.
git ls-files -co --exclude-standard '*.md' | xargs python3 scripts/anchors.py || status=1

# Blocks of commands can be pasted into every shell.
git ls-files -co --exclude-standard '*.md' | xargs python3 scripts/pasted.py || status=1

exit $status
