#!/usr/bin/env bash
# check-commits.sh [FIRST]: the messages of the commits after FIRST, by default those since CONTRIBUTING.md asks for a form:
# "area: what it does" in at most 72 characters, an empty line, and a body. Merges are left out.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
first=${1:-9359852fbcfc3db8fbb985506c2098cfd75dc8eb}

skip() {
    echo "not checked: messages of commits; $1"
    exit 0
}
git rev-parse --git-dir >/dev/null 2>&1 || skip "this is no git repository"
git merge-base --is-ancestor "$first" HEAD 2>/dev/null || skip "the history does not reach back to ${first:0:12}"

status=0
while read -r commit; do
    wrong=()
    subject=$(git log -1 --format=%s "$commit")
    [ ${#subject} -le 72 ] || wrong+=("the subject has ${#subject} characters, at most 72")
    [[ $subject =~ ^[A-Za-z][A-Za-z0-9\ ,/._-]*:\ [^[:space:]] ]] || wrong+=("the subject is not \"area: what it does\"")
    [[ $subject != *. ]] || wrong+=("the subject ends with a full stop")
    git log -1 --format=%b "$commit" | grep -q '[^[:space:]]' || wrong+=("there is no body, which says why")
    [ ${#wrong[@]} -gt 0 ] || continue
    printf '%s %s\n' "${commit:0:12}" "$subject"
    printf '    %s\n' "${wrong[@]}"
    status=1
done < <(git rev-list --no-merges "$first..HEAD")
exit $status
