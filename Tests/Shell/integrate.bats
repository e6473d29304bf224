#!/usr/bin/env bats
# examples/integrate: programs without libmam, the patches that add it, their tests, and main loops. docs/integrate.md and its
# pages for C and Python are about them.
#
# To change a program after its patch: copy before/ to after/, `patch -d after -p1 <libmam.patch`, edit, and write the output
# of `diff -ruN before after` back to libmam.patch.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers
load integrate

# The authority, which the program finds in MAM_AUTHORITY, made only now: before nobody manages anything.
authority() {
    authority_with strict
}

@test "the mail program in C, before and after" {
    patched c mail
    make --silent -C before CFLAGS='-std=c99 -Wall -Wextra -Werror'
    make --silent -C after CFLAGS='-std=c99 -Wall -Wextra -Wshadow -Werror'
    echo 'Merger on Friday' | mail before deliver "$ann" Plan
    echo 'Milk' | mail before deliver ann@home.example Buy
    mail before save "$ann" 1 leak
    [ "$(cat leak)" = 'Merger on Friday' ]
    all="$ann 1: Plan"$'\n''ann@home.example 1: Buy'
    # Without an authority it is the same program, and makes no state.
    [ "$(mail after list)" = "$all" ]
    mail after save "$ann" 1 leak
    [ ! -e state ]
    authority
    [ "$(mail after list)" = "$all" ]
    # Signing in moves the messages from before, and encrypts them. Until the PIN was shown they are closed.
    mail after sign-in "$ann"
    run ! grep -rq Merger mail
    run --separate-stderr mail after list
    [ "$output" = 'ann@home.example 1: Buy' ]
    [[ $stderr == *"launch: Choose a PIN for your organisation's data."*"mail.db: Choose a PIN for your organisation's data."* ]]
    printf '258013\n' | mamctl pin set "$ann" --stdin
    [ "$(mail after list)" = "$all" ]
    echo 'More' | mail after deliver "$ann" 'Second'
    [ "$(mail after show "$ann" 1)" = 'Merger on Friday' ]
    [ "$(mail after show "$ann" 2)" = 'More' ]
    run --separate-stderr mail after save "$ann" 1 copy
    [ "$status" -eq 3 ]
    [[ $stderr == *'does not allow'* ]]
    [ ! -e copy ]
    mail after save ann@home.example 1 copy
    [ "$(cat copy)" = Milk ]
    # Offline the last policy stays in force.
    mv authority.db away
    run mail after save "$ann" 1 leak
    [ "$status" -eq 3 ]
    mv away authority.db
    run --separate-stderr mail after deliver bob@contoso.example Misspelt </dev/null
    [ "$status" -eq 3 ]
    [[ $stderr == *'bob@contoso.example: This account is not known in this app. Check how its name is spelt, or sign in with it.' ]]
    # Nothing is made for a name that no account can have, though a predicate calls it managed.
    run mail after deliver "$ann " Misspelt </dev/null
    [ "$status" -ne 0 ]
    [ ! -e "mail/work/$ann " ]
    [ "$(mail after list)" = "$ann 1: Plan"$'\n'"$ann 2: Second"$'\n''ann@home.example 1: Buy' ]
    wiped
    run --separate-stderr mail after list
    [ "$output" = 'ann@home.example 1: Buy' ]
    [[ $stderr == *"$ann: Your organisation's data was removed from this app."* ]]
    [ ! -e "mail/work/$ann" ]
    # An unknown user hears that at each try.
    for _ in 1 2; do
        run --separate-stderr mail after sign-in anm@contoso.example
        [ "$status" -eq 1 ]
        [[ $stderr == *'Your organisation does not know this account. Check how its name is spelt.' ]]
    done
    run mail after deliver "$ann" Late <leak
    [ "$status" -eq 3 ]
    run ! grep -rq Late mail
}

@test "the mail program is built without libmam too" {
    patched c mail
    make --silent -C after mam= CFLAGS='-std=c99 -Wall -Wextra -Werror'
    run ! grep -q libmam <(ldd after/mail)
    authority
    echo 'Milk' | mail after deliver ann@home.example Buy
    [ "$(mail after list)" = 'ann@home.example 1: Buy' ]
    run mail after sign-in "$ann"
    [ "$status" -eq 1 ]
    # Where a build with libmam has left work mail, this one keeps out.
    mkdir mail/work
    run --separate-stderr mail after deliver "$ann" Late <after/mail.c
    [ "$status" -eq 1 ]
    [[ $stderr == *libmam* ]]
}

@test "an address in another case is the same account" {
    other=Ann@CONTOSO.example
    [ "$ann" != "$other" ] && [ "${ann,,}" = "${other,,}" ]
    patched c mail
    make --silent -C before
    make --silent -C after
    echo 'Merger on Friday' | mail before deliver "$other" Plan
    authority_with open
    mail after sign-in "$ann"
    run ! grep -rq Merger mail
    echo 'Bonus' | mail after deliver "$other" Second
    [ "$(mail after show "$ann" 2)" = Bonus ]
    wiped
    [ -z "$(mail after list)" ]
    [ ! -e mail/work ]
}

@test "the notebook in Python, before and after" {
    patched python notebook
    binding=$BATS_TEST_DIRNAME/../../bindings/python/src
    echo 'Merger on Friday' | binding='' notebook before add "$ann" Plan
    echo 'Milk' | binding='' notebook before add ann@home.example Buy
    all="$ann: Plan"$'\n''ann@home.example: Buy'
    # Without the package, and without an authority, it is the same program.
    [ "$(binding='' notebook after list)" = "$all" ]
    [ "$(notebook after list)" = "$all" ]
    notebook after save "$ann" Plan leak
    [ "$(cat leak)" = 'Merger on Friday' ]
    [ ! -e state ]
    authority
    notebook after sign-in "$ann"
    run ! grep -rq Merger notebook
    run notebook after show "$ann" Plan
    [ "$status" -eq 3 ]
    printf '258013\n' | mamctl pin set "$ann" --stdin
    [ "$(notebook after show "$ann" Plan)" = 'Merger on Friday' ]
    echo 'More' | notebook after add "$ann" Second
    run --separate-stderr notebook after save "$ann" Plan copy
    [ "$status" -eq 3 ]
    [[ $stderr == *'refused: Your organisation does not allow saving to this computer.' ]]
    [ ! -e copy ]
    notebook after save ann@home.example Buy copy
    [ "$(cat copy)" = Milk ]
    for misspelt in bob@contoso.example "$ann "; do
        run notebook after add "$misspelt" Misspelt </dev/null
        [ "$status" -ne 0 ]
        [ ! -e "notebook/$misspelt" ]
    done
    # Without the package work notes stay closed, instead of being shown as they lie there.
    binding='' run notebook after show "$ann" Plan
    [ "$status" -eq 3 ]
    [ "$(binding='' notebook after show ann@home.example Buy)" = Milk ]
    # A wipe by another process, while asyncio runs.
    PYTHONPATH=$binding timeout 60 python3 after/notebook.py watch >watched 2>&1 &
    follower=$!
    until grep -q 'Buy' watched; do sleep 0.1; done
    wiped
    until grep -q "$ann: Your organisation's data was removed from this app." watched; do sleep 0.1; done
    kill "$follower"
    wait "$follower" || true
    follower=
    [ "$(notebook after list)" = 'ann@home.example: Buy' ]
    run notebook after add "$ann" Late <leak
    [ "$status" -eq 3 ]
    [ ! -e "notebook/$ann/Late.txt" ]
}

@test "a renamed account keeps its data, and the next person with its name gets none of it" {
    for program in mail notebook; do
        integrated "$program"
        authority_with open
        "$program" after sign-in "$ann"
        echo 'Merger on Friday' | "$program" after "$add" "$ann" Plan
        mamctl authority user set "$ann" --upn anna@contoso.example
        mamctl authority user add "$ann"
        mamctl check-in
        [[ "$("$program" after list)" == anna@contoso.example*': Plan' ]]
        [ "$program" = notebook ] || [ "$(mail after show anna@contoso.example 1)" = 'Merger on Friday' ]
        [ "$program" = mail ] || [ "$(notebook after show anna@contoso.example Plan)" = 'Merger on Friday' ]
        # An account without a policy is signed in: the sentence does not deny it.
        mamctl authority policy remove "$(mamctl authority policy list --json | jq -r '.policies[0].id')"
        mamctl check-in
        run --separate-stderr "$program" after "$add" anna@contoso.example Late </dev/null
        [ "$status" -eq 3 ]
        [[ $stderr == *'your organisation does not manage the account here now' ]]
        rm -rf before after authority.db* state
    done
}

@test "a folder of an address in another case is the account's" {
    other=Ann@CONTOSO.example
    patched python notebook
    binding=$BATS_TEST_DIRNAME/../../bindings/python/src
    echo 'Merger on Friday' | binding='' notebook before add "$other" Plan
    authority_with open
    notebook after sign-in "$ann"
    run ! grep -rq Merger notebook
    wiped
    [ -z "$(notebook after list)" ]
}

# loop COMMAND…: a program that prints events, and ends with a wipe.
loop() {
    enrolled_with open
    timeout 60 "$@" "{\"app\":{\"id\":\"$MAM_APP\"},\"stateDirectory\":\"$MAM_STATE\",
        \"authority\":{\"type\":\"embedded\",\"path\":\"$MAM_AUTHORITY\"}}" >said &
    follower=$!
    until [ -s said ]; do sleep 0.1; mamctl check-in >/dev/null; mamctl rotate-keys "$ann" >/dev/null; done
    mamctl wipe "$ann" >/dev/null
    wait "$follower"
    follower=
    grep -q wipeDidComplete said
}

@test "a GLib main loop" {
    pkg-config --exists glib-2.0 || skip "there is no libglib2.0-dev"
    # shellcheck disable=SC2046 # several flags
    "${CC:-cc}" -Wall -Wextra -Werror -o glib "$examples/loops/glib.c" $(pkg-config --cflags --libs mam glib-2.0)
    loop ./glib
}

@test "a Qt event loop" {
    pkg-config --exists Qt5Core || skip "there is no qtbase5-dev"
    # shellcheck disable=SC2046 # several flags
    "${CXX:-c++}" -Wall -Wextra -fPIC -o qt "$examples/loops/qt.cpp" $(pkg-config --cflags --libs mam Qt5Core)
    loop ./qt
}

@test "the tests of both programs" {
    patched c mail
    make --silent -C after
    tools=$(dirname "$(type -P "$MAMCTL")"):$PATH
    PATH=$tools env -C after "$examples/c/test.sh"
    # They fail without what they test.
    make --silent -C before
    PATH=$tools run env -C before "$examples/c/test.sh"
    [ "$status" -ne 0 ]
    rm -r before after
    patched python notebook
    cp "$examples/python/test_notebook.py" after
    "${MAM_PYTHON:-$BATS_TEST_DIRNAME/../../.venv/bin/python}" -c 'import pytest' || skip "there is no pytest: make deps"
    PYTHONPATH=$BATS_TEST_DIRNAME/../../bindings/python/src env -C after -u MAM_AUTHORITY -u MAM_STATE \
        "${MAM_PYTHON:-$BATS_TEST_DIRNAME/../../.venv/bin/python}" -m pytest -q -p no:cacheprovider -p mam_pytest
}

# reads MOST HEADING PAGE…: the README before a heading ("" is all of it), and pages, have at most so many words.
reads() {
    read -r words < <({ sed "/^## ${2:-$}/,\$d" "$root/README.md"; cat "${@:3}"; } | wc -w)
    [ "$words" -gt $(($1 / 2)) ] || { echo "only $words words: ${*:2}"; return 1; }
    [ "$words" -le "$1" ] || { echo "$words words: ${*:2}"; return 1; }
}

@test "a newcomer reads at most 3000 words, 2000 of them about the integration" {
    root=$BATS_TEST_DIRNAME/../..
    for language in c python; do
        read -r words < <(cat "$root/docs/integrate.md" "$root/docs/integrate-$language.md" | wc -w)
        [ "$words" -le 2000 ] || { echo "$words words: $language"; return 1; }
        reads 3000 'Compared with' "$root/docs/integrate.md" "$root/docs/integrate-$language.md"
    done
}

@test "an administrator reads at most 3000 words, with all of README.md too" {
    root=$BATS_TEST_DIRNAME/../..
    # The part that README.md names: to the end of Install.
    grep -q '^\*\*Administrators\*\* read to the end of \*Install\*' "$root/README.md"
    reads 2700 'Ten lines' "$root/docs/administrators.md"
    reads 3000 '' "$root/docs/administrators.md"
    read -r words < <(wc -w <"$root/docs/administrators.md")
    [ "$words" -le 1250 ] || { echo "$words words"; return 1; }
}

@test "the excerpts on the pages are lines of the programs and their tests" {
    for language in c python; do
        cp -r "$examples/$language/before" "$language"
        patch --quiet --directory "$language" -p1 <"$examples/$language/libmam.patch"
    done
    sed 's/^ *//' c/* python/* "$examples"/*/test* "$examples"/python/*.py "$examples"/loops/*.py "$examples"/loops/*.c "$examples"/../c/complete.c >lines
    awk '/^```(c|cpp|py|make|sh)$/ { on = 1; next } /^```$/ { on = 0 } on' "$BATS_TEST_DIRNAME"/../../docs/integrate*.md |
        sed 's/^[ \t]*//' | grep -v '^$' >excerpts
    [ "$(wc -l <excerpts)" -gt 20 ]
    sed -i 's/^\t*//' lines
    run ! grep -vxFf lines excerpts
}

@test "a program in another IPC namespace" {
    unshare --ipc true 2>/dev/null || skip "this user may make no IPC namespace"
    enrolled_with open
    "$MAMCTL" events --follow >/dev/null 3>&- &
    follower=$!
    until_polling "$follower"
    run --separate-stderr unshare --ipc "$MAMCTL" status
    [ "$status" -eq 1 ]
    [[ $stderr == *'one IPC namespace'* ]]
    kill "$follower"
    wait "$follower" || true
    follower=
    unshare --ipc "$MAMCTL" status
}
