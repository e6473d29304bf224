#!/usr/bin/env bash
# run.sh NAME…: run attacks, one line of TAP each; BUILD is the folder of the C programs, PYTHON runs the others.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
echo "1..$#"
number=0
failed=0
for name; do
    number=$((number + 1))
    if [ -e "$here/$name.py" ]; then attack=("$PYTHON" "$here/$name.py"); else attack=("$BUILD/$name"); fi
    folder=$(mktemp -d)
    output=$(cd "$folder" && TMPDIR=$folder "${attack[@]}" 2>&1)
    status=$?
    rm -rf "$folder"
    last=$(tail -n 1 <<<"$output")
    case $status in
    0) echo "ok $number - $name: $last" ;;
    77) echo "ok $number - $name # skip $last" ;;
    *)
        failed=1
        echo "not ok $number - $name (exit status $status)"
        tail -n 30 <<<"$output" | sed 's/^/# /'
        ;;
    esac
done
exit $failed
