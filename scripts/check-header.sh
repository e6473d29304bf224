#!/usr/bin/env bash
# mam.h compiles alone, twice in a row, as every C from C99 and C++ from C++98, without a warning; a location of the other kind,
# and in C++ a number, is none; MAM_VERSION_NUMBER is MAM_VERSION. mam.hpp is as clean from C++17 on, and forwards every function of
# mam.h. No line of either is longer than 100 columns. Prints the faults.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
status=0
wrong() {
    echo "check-header: $*"
    status=1
}

# compiles COMPILER LANGUAGE… <SOURCE: by itself, with warnings as errors.
compiles() { "$1" -x "${@:2}" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Werror -Iinclude -fsyntax-only -; }

# Everything of C that a host may do with a location, and that C++ allows too.
use='#include "mam.h"
#include "mam.h"
#if MAM_VERSION_NUMBER < 1000
#error a release
#endif
mam_bool may_save(const mam_policy_t *policy);
mam_bool may_save(const mam_policy_t *policy) {
    mam_save_location location = MAM_SAVE_BOX;
    return mam_policy_is_save_to_allowed(policy, location, 0)
        && mam_policy_is_open_from_allowed(policy, MAM_OPEN_CAMERA, 0);
}'
mixed='#include "mam.h"
mam_bool mixed(const mam_policy_t *policy);
mam_bool mixed(const mam_policy_t *policy) { return mam_policy_is_save_to_allowed(policy, MAM_OPEN_CAMERA, 0); }'
of_c='-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition'
of_cxx='-Wold-style-cast -Wzero-as-null-pointer-constant -Wno-long-long'
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for language in c99 c11 c17 c2x; do
        # shellcheck disable=SC2086 # several flags
        compiles $compiler c -std=$language $of_c -Wc++-compat <<<"$use" || wrong "$compiler, $language: not clean"
        ! compiles $compiler c -std=$language <<<"$mixed" 2>/dev/null || wrong "$compiler, $language: an open location saves"
    done
    for language in c++98 c++11 c++14 c++17 c++20 c++2b; do
        # shellcheck disable=SC2086 # several flags
        compiles $compiler c++ -std=$language $of_cxx <<<"${use//, 0)/, NULL)}" || wrong "$compiler, $language: not clean"
        for other in "$mixed" "${mixed/MAM_OPEN_CAMERA/4}"; do
            ! compiles $compiler c++ -std=$language -w -Wno-error <<<"$other" 2>/dev/null ||
                wrong "$compiler, $language: no location, and no error: $other"
        done
    done
done

# mam.hpp, in the same way, and complete.
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    for language in c++17 c++20 c++2b; do
        # shellcheck disable=SC2086 # several flags
        compiles $compiler c++ -std=$language $of_cxx <<<$'#include "mam.hpp"\n#include "mam.hpp"' ||
            wrong "mam.hpp: $compiler, $language: not clean"
    done
done
forwarded=$(sed -e '/^\/\*\*/,/\*\/$/d' -e 's|//.*||' include/mam.hpp | grep -oE '\bmam_[a-z0-9_]+' | sort -u)
excused=$(sed -n '/^ \*  Not forwarded:$/,/^ \*\/$/s/^ \*    \(mam_[a-z0-9_]*\)  *[A-Z].*\.$/\1/p' include/mam.hpp)
while read -r function; do
    case $(grep -cx "$function" <<<"$forwarded"$'\n'"$excused") in
    0) wrong "mam.hpp does not forward $function, and does not say why" ;;
    2) wrong "mam.hpp forwards $function, and says that it does not" ;;
    esac
done < <(prototypes | grep -oE '\bmam_[a-z0-9_]+\(' | tr -d '(')

IFS=.- read -r major minor patch _ < <(sed -nE 's/^#define MAM_VERSION "(.*)"/\1/p' include/mam.h)
number=$(sed -nE 's/^#define MAM_VERSION_NUMBER ([0-9]+)$/\1/p' include/mam.h)
[ "$number" = $((major * 1000000 + minor * 1000 + patch)) ] || wrong "MAM_VERSION_NUMBER is $number, not that of $major.$minor.$patch"

long=$(python3 -c '
for name in ("include/mam.h", "include/mam.hpp"):
    for number, line in enumerate(open(name, encoding="utf-8"), 1):
        if len(line.rstrip("\n")) > 100: print(f"{name}:{number}: longer than 100 columns")')
[ -z "$long" ] || wrong "$long"
exit $status
