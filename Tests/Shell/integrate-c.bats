#!/usr/bin/env bats
# Examples in C: all compile as C99, and the complete host that docs/integrate-c.md begins with.

# helpers.bash and integrate.bash set variables, which tests change in their subshells:
# shellcheck disable=SC2154,SC2030,SC2031
load helpers
load integrate

@test "every example in C compiles as C99 without a warning" {
    patched c mail
    for program in "$examples"/../c/*.c "$examples"/loops/*.c before/*.c after/*.c; do
        packages=(mam sqlite3)
        if grep -q glib "$program"; then
            pkg-config --exists glib-2.0 || continue
            packages+=(glib-2.0)
        fi
        # shellcheck disable=SC2046 # several flags
        "${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror -DHAVE_MAM -fsyntax-only "$program" $(pkg-config --cflags "${packages[@]}")
    done
}

@test "a complete host in C" {
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -std=c99 -o complete "$examples/../c/complete.c" $(pkg-config --cflags --libs mam)
    [ "$(wc -l <"$examples/../c/complete.c")" -le 120 ]
    export MAM_APP=com.example.complete XDG_STATE_HOME=$scratch/xdg
    export MAM_STATE=$XDG_STATE_HOME/libmam
    authority_with strict
    # Nothing is made for a name that is not known, or that no account can have.
    for name in "$ann" "$ann " bob@contoso.example; do
        run --separate-stderr ./complete "$name" notes <<<'Merger on Friday'
        [ -z "$output" ]
        [[ $stderr == "$name: "* ]]
        [ ! -e notes ]
    done
    mamctl enroll "$ann" >/dev/null
    run --separate-stderr ./complete "$ann" notes <<<'Merger on Friday'
    [ "$output" = 'done' ]
    [[ $stderr == *"launch: Choose a PIN for your organisation's data."* ]]
    run ! grep -rq Merger notes
    printf '258013\n' | mamctl pin set "$ann" --stdin
    # A file renamed into the folder is plain until the folder is protected again.
    echo Before >old
    mv old notes/old.txt
    [ "$(mamctl file info notes/old.txt --json | jq -r '"\(.known) \(.encrypted)"')" = 'directory false' ]
    run --separate-stderr ./complete "$ann" notes <<<$'Bonus\nprint'
    run ! grep -q Before notes/old.txt
    run --separate-stderr ./complete "$ann" notes <<<$'Bonus\nprint'
    [ "$output" = 'done' ]
    [ "$stderr" = 'print: Your organisation does not allow printing.' ]
    [ -s notes/3.txt ]
    # Nobody's notes are plain.
    run --separate-stderr ./complete '' personal <<<$'Milk\nprint'
    [ "$output" = $'done\ndone' ]
    [ "$(cat personal/1.txt)" = Milk ]
    # A wipe by another process reaches the loop, and what is typed afterwards is refused.
    mkfifo typed
    timeout 60 ./complete "$ann" notes <typed >said 2>&1 3>&- &
    follower=$!
    exec 9>typed
    echo Third >&9
    until grep -qx 'done' said; do sleep 0.1; done
    wiped
    until grep -q "$ann: Your organisation's data was removed from this app." said; do sleep 0.1; done
    echo Late >&9
    exec 9>&-
    wait "$follower"
    follower=
    [ ! -e notes ]
    grep -c "^done" said | grep -qx 1
}

@test "a folder for each address in C" {
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -o folders "$examples"/../c/folders{,_start}.c $(pkg-config --cflags --libs mam)
    export MAM_APP=com.example.folders
    authority_with no-pin
    box() { ./folders box "$@"; }
    box add ann@home.example milk <<<Milk
    box add "$ann" plan <<<'Merger on Friday'
    grep -q Merger "box/$ann/plan"
    # Notes from before the sign-in become the account's.
    box sign-in "$ann"
    run ! grep -rq Merger box
    [ "$(box show "$ann" plan)" = 'Merger on Friday' ]
    [ "$(cat box/ann@home.example/milk)" = Milk ]
    run --separate-stderr box save "$ann" plan copy
    [[ $status -eq 1 && $stderr == *'Your organisation does not allow saving to this computer.' ]]
    [ ! -e copy ]
    box save ann@home.example milk copy
    # A personal note from after the sign-in has a label.
    box add ann@home.example buy <<<Bread
    run ! box sign-in ann@home.example # which lists the address
    [ "$(box show ann@home.example buy)" = Bread ]
    box save ann@home.example buy copy
    rm box/ann@home.example/buy
    run --separate-stderr box add anne@contoso.example plan <<<Late
    [ "$status" -eq 1 ]
    [ ! -e box/anne@contoso.example ]
    # Accounts exchange their names: each folder follows its account, whose notes stay its own.
    annie=annie@contoso.example
    mamctl authority user add "$annie" >/dev/null
    mkdir "box/$annie"
    echo Before >"box/$annie/before"
    box sign-in "$annie"
    rename() { mamctl authority user set "$1" --upn "$2" >/dev/null; }
    rename "$ann" other@contoso.example
    rename "$annie" "$ann"
    rename other@contoso.example "$annie"
    mamctl check-in >/dev/null
    [ "$(box list | LC_ALL=C sort)" = "$ann: before
ann@home.example: milk
$annie: plan" ]
    [ "$(box show "$annie" plan)" = 'Merger on Friday' ]
    rename "$annie" ann.lee@contoso.example
    mamctl check-in >/dev/null
    box list >/dev/null
    mkdir "box/$annie" # notes of another program, for the former name
    echo Older >"box/$annie/plan"
    [ "$(box list | LC_ALL=C sort)" = "ann.lee@contoso.example: plan
ann.lee@contoso.example: plan+
$ann: before
ann@home.example: milk" ]
    run ! grep -rqE 'Merger|Before|Older' box
    # Without its state nothing is read of the account, wherever a note was moved, and nothing is stored for its name.
    mv box/ann.lee@contoso.example/plan+ box/ann@home.example/moved
    [ "$(box show ann@home.example moved)" = Older ]
    mv "$MAM_STATE" kept
    run ! box show ann@home.example moved
    run ! box add ann@home.example moved <<<Late
    for words in 'show plan' 'add new'; do
        # shellcheck disable=SC2086 # two words
        set -- $words
        run --separate-stderr box "$1" ann.lee@contoso.example "$2" <<<Late
        [ "$status" -eq 1 ]
    done
    # The organisation's domain is known without the state.
    run --separate-stderr box add carl@contoso.example new <<<Late
    [ "$status" -eq 1 ]
    run ! grep -rq Late box
    [ "$(box list)" = 'ann@home.example: milk' ]
    [ "$(box show ann@home.example milk)" = Milk ]
    rm -r "$MAM_STATE" box/ann@home.example/moved
    mv kept "$MAM_STATE"
    ann=ann.lee@contoso.example wiped
    [ "$(box list | LC_ALL=C sort)" = "$ann: before
ann@home.example: milk" ]
    [ ! -e box/ann.lee@contoso.example ]
    # After a new sign-in what the lost key sealed is out of the way, and kept; a backup of the state brings it back.
    mv "$MAM_STATE" kept
    box sign-in "$ann"
    [ "$(box list)" = 'ann@home.example: milk' ]
    find box -path 'box/.lost-*/before' -size +0 | grep -q .
    box add "$ann" before <<<'Merger on Friday'
    [ "$(box show "$ann" before)" = 'Merger on Friday' ]
    run ! grep -rq Merger box
    rm -r "$MAM_STATE"
    mv kept "$MAM_STATE"
    box list >/dev/null
    [ "$(box show "$ann" before)" = Before ]
}

@test "folders from before with capitals, linked ones, and notes written at a time in C" {
    authority_with no-pin
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -std=c99 -o folders "$examples"/../c/folders{,_start}.c $(pkg-config --cflags --libs mam)
    export MAM_APP=com.example.folders
    mkdir -p box/Ann@Contoso.example elsewhere
    echo Merger | tee box/Ann@Contoso.example/plan elsewhere/plan >/dev/null
    ln -s "$scratch/elsewhere" box/bob@contoso.example
    mamctl authority user set "$ann" --upn Ann@Contoso.example >/dev/null
    ./folders box sign-in Ann@Contoso.example
    [ "$(./folders box show "$ann" plan)" = Merger ]
    run ! grep -rq Merger box/ann@contoso.example
    run ! ./folders box sign-in bob@contoso.example
    run ! ./folders box save bob@contoso.example plan leak
    [ ! -e leak ]
    for n in 1 2 3 4; do yes "$n" | head -c 300000 | ./folders box add "$ann" "n$n" & done
    wait
    for n in 1 2 3 4; do [ "$(./folders box show "$ann" "n$n" | sort -u)" = "$n" ]; done
    mamctl authority wipe request "$ann" >/dev/null 2>&1
    mamctl check-in >/dev/null 2>&1 || true
    [ -z "$(./folders box list)" ]
    run ! grep -rq Merger box/
}

@test "a person's own names at a public provider, where an account is there too, in C" {
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -std=c99 -o folders "$examples"/../c/folders{,_start}.c $(pkg-config --cflags --libs mam)
    export MAM_APP=com.example.folders
    authority_with no-pin
    mamctl authority user add boss@gmail.com >/dev/null
    ./folders box add me@gmail.com one <<<Milk
    ./folders box sign-in boss@gmail.com
    ./folders box add me@gmail.com two <<<Bread
    [ "$(cat box/me@gmail.com/one box/me@gmail.com/two)" = $'Milk\nBread' ]
    # The organisation's own domain is kept.
    ./folders box sign-in "$ann"
    run ! ./folders box add anm@contoso.example three <<<Merger
    [ "$(cat box/.domains)" = contoso.example ]
}

@test "an account that gets the name of a personal folder in C" {
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -std=c99 -o folders "$examples"/../c/folders{,_start}.c $(pkg-config --cflags --libs mam)
    export MAM_APP=com.example.folders
    authority_with no-pin
    ./folders box add ann@home.example milk <<<Milk
    ./folders box sign-in "$ann"
    ./folders box add "$ann" plan <<<Merger
    mamctl authority user set "$ann" --upn ann@home.example >/dev/null
    mamctl check-in >/dev/null
    [ "$(./folders box list | LC_ALL=C sort)" = 'ann@home.example+: milk
ann@home.example: plan' ]
    mamctl authority wipe request ann@home.example >/dev/null
    mamctl check-in >/dev/null
    # A note that another program puts into a folder of the account after the wipe goes as well, a person's own folder does not.
    mkdir "box/$ann"
    echo Late >"box/$ann/late"
    mv box/ann@home.example+ box/ann@home.example
    [ "$(./folders box list)" = 'ann@home.example: milk' ]
    [ ! -e "box/$ann" ]
    [ "$(cat box/ann@home.example/milk)" = Milk ]
}

@test "the excerpts in C on the page compile" {
    cat >excerpt.h <<'END'
#include <errno.h>
#include <mam.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
extern mam_t *m, *session;
extern const char *account, *address, *authority, *folder, *path;
extern char settings[4096], line[4096], *status;
extern int64_t login;
int launch(void), may_print(void), store(const char *text);
void take_events(void);
int failed(const char *what);
mam_status encrypt_where_required(const char *folder, const char *address);
int set_aside(const char *folder, const char *address);
enum { DONE };
mam_json_t *parse(char *reply);
END
    awk '/^```c$/ { on = 1; name = "excerpt" ++count ".c"; print "#include \"excerpt.h\"" >name; next }
         /^```$/ && on { if (!whole) print "return 0; }" >name; close(name); on = whole = begun = 0 }
         on && !begun { begun = 1; whole = sub(/^static /, ""); if (!whole) print "int excerpt(void) {" >name }
         on { print >name }' "$BATS_TEST_DIRNAME/../../docs/integrate-c.md"
    [ -e excerpt4.c ]
    for excerpt in excerpt*.c; do
        # shellcheck disable=SC2046 # several flags
        "${CC:-cc}" -D_POSIX_C_SOURCE=200809L -std=c99 -Wall -Wno-unused -Werror -fsyntax-only "$excerpt" $(pkg-config --cflags mam sqlite3)
    done
}
