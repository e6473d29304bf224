#!/usr/bin/env bats
# scripts/pasted.py: constructs that command blocks on pages must avoid, because interactive zsh reads them differently.

# helpers.bash sets variables, and lines contain expressions:
# shellcheck disable=SC2154,SC2016
load helpers

rule=$BATS_TEST_DIRNAME/../../scripts/pasted.py

# A page with a block of these lines.
page() { { printf '%s\n' '# A page' '' '```sh' "$@" '```'; } >page.md; }

@test "each line that zsh reads differently is found, with its place and a remedy" {
    while IFS='|' read -r line what; do
        page 'echo fine' "$line"
        run python3 "$rule" page.md
        [ "$status" -eq 1 ] || { echo "passes: $line"; return 1; }
        [[ $output == "page.md:5: "*"$what"* ]] || { echo "$line: $output"; return 1; }
    done <<'LINES'
make build # the library; and mamctl|no comments
# the library|no comments
cat <<END # a note|no comments
echo "$(ls # here)|no comments
pip install mam[test]|is a pattern
ls *.mam|is a pattern
grep -r --include=*.py mam .|is a pattern
what?|is a pattern
=mamctl status|path of a command
echo "wait!now"|recalls a line
echo wait!now|recalls a line
status=1|variable of zsh's own
export x=1 path=/tmp|variable of zsh's own
mamctl check print --account $ann|split by sh and not by zsh
echo "$names[1]"|more than the variable
echo "$LIBMAM:src"|more than the variable
LINES
}

@test "lines that all shells read alike are accepted" {
    page 'try=$(mktemp -d)' 'x=$try; export A="$try/a" B=$x' 'echo $? $# "$try" "a # b" '"'# [x]? * =y !z'" 'echo a#b' \
        '[ -e x ] && ! [[ -e y ]] || false' 'cc $(pkg-config --cflags --libs mam)' 'ls "$try"/notes/*' 'case x in *) ;; esac' \
        'echo \# \* \?' "cat <<'END' | sort" '# a comment of the document [x]? *' 'END' 'echo "${x}[1]" "$PATH:/bin"'
    python3 "$rule" page.md
    page 'cat <<-END' 'END'
    python3 "$rule" page.md
}

@test "blocks for one shell alone are refused" {
    printf '%s\n' '```bash' 'echo' '```' >page.md
    run python3 "$rule" page.md
    [ "$status" -eq 1 ]
    printf '%s\n' '```text' '# [x]?' '```' >page.md
    python3 "$rule" page.md
}
