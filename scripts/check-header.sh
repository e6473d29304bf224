#!/usr/bin/env bash
# mam.h compiles alone, twice in a row, as C99, C11 and C++, without a warning.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
twice=$'#include "mam.h"\n#include "mam.h"\n'
for compiler in cc clang; do
    command -v $compiler >/dev/null || continue
    for language in 'c -std=c99' 'c -std=c11' 'c++ -std=c++98 -Wno-long-long' 'c++ -std=c++17'; do
        # shellcheck disable=SC2086 # a language and its options
        $compiler -x $language -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude -fsyntax-only - <<<"$twice" ||
            die "mam.h does not compile: $compiler -x $language"
    done
done
