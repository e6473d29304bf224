#!/usr/bin/env bats
# mam.hpp: handles, arguments, errors and callbacks, under the sanitizers; docs/cpp.md.

# helpers.bash sets variables:
# shellcheck disable=SC2154
load helpers

# compiled STANDARD OPTION… <SOURCE: ./program of it.
compiled() {
    # shellcheck disable=SC2046 # several flags
    "${CXX:-c++}" -x c++ -std="c++$1" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "${@:2}" -o program - \
        $(pkg-config --cflags --libs mam)
}

settings() {
    printf '{"app":{"id":"%s"},"stateDirectory":"%s","authority":{"type":"embedded","path":"%s"},"worker":%s}' \
        "$MAM_APP" "$MAM_STATE" "$MAM_AUTHORITY" "$1"
}

@test "mam.hpp as C++17 and C++20, with and without a worker" {
    enrolled_with strict
    for standard in 17 20; do
        compiled $standard -g -fsanitize=address,undefined <"$BATS_TEST_DIRNAME/cpp.cpp"
        for worker in true false; do
            ./program "$(settings $worker)" "$ann"
            rm -f file
            mamctl enroll "$ann"
        done
    done
}

@test "the program of the page compiles and runs" {
    awk '/^```cpp$/ { on = 1; next } /^```$/ { on = 0 } on' "$BATS_TEST_DIRNAME/../../docs/cpp.md" | compiled 17
    enrolled_with strict
    run ./program "$(settings false)" "$ann"
    [ "$status" -eq 0 ]
    [ "$output" = 'refused' ]
    mamctl authority policy import "$policies/open.json" --all-users --all-apps
    mamctl authority policy remove 'Example: strict'
    mamctl check-in
    run ./program "$(settings false)" "$ann"
    [ "$output" = 'saved' ]
    run ./program '{' "$ann"
    [ "$status" -eq 1 ]
    [[ $output == 3:* ]]
}
