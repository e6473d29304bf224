#!/usr/bin/env bats
# docs/shell.md: its blocks run in one directory, in each shell, and print what the page says.

# helpers.bash sets variables, and no command reads a file that it also writes:
# shellcheck disable=SC2154,SC2094
load helpers

page=$BATS_TEST_DIRNAME/../../docs/shell.md

# Join the sh blocks into one script that prints a mark after each, and collect the expected outputs between the marks.
split() {
    awk '/^```sh$/ { on = "script"; next } /^```text$/ { on = "expected"; next }
        /^```$/ { if (on == "script") { print "echo ---" >"script"; print "---" >"marks" } ; on = ""; next }
        on == "script" { print >"script" }
        on == "expected" { print >"expected" }' "$page"
    [ "$(grep -c . expected)" -gt 8 ]
}

whole_page() {
    type -P "$1" >/dev/null || skip "there is no $1: make deps"
    split
    mkdir page && cd page || return
    LIBMAM=$here/../.. "$@" ../script >../seen 2>../complaints
    grep -vx -e --- ../seen >../said
    diff -u ../expected ../said
    grep -q 'Example: strict' ../complaints
    run ! grep -Eq 'not found|parse error|[Ss]yntax' ../complaints
    [ ! -e copy.txt ]
    run ! grep -rq 'minutes of' minutes.txt
}

@test "the page in dash" { whole_page dash; }
@test "the page in bash" { whole_page bash; }
@test "the page in zsh" { whole_page zsh; }

@test "the page names every function of mam.sh, and no other" {
    grep -oE '^mam_[a-z_]+' "$(mamctl shell-library)" | sort -u >defined
    grep -oE '^\| `mam_[a-z_]+' "$page" | cut -c 4- | sort -u >told
    diff -u defined told
}

@test "the page names every key of status --json" {
    grep -oE '^\.[A-Za-z]+|^\.(accounts|wipes|problems)\[\]\.[A-Za-z]+' "$here/status-shape.txt" | sed 's/.*\.//' | sort -u |
        while read -r key; do
            grep -q "\`$key\`" "$page" || { echo "not on the page: $key"; exit 1; }
        done
}
