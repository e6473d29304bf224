#!/usr/bin/env bash
# abi-stub.sh FOLDER: write abi/'s files for mam.h there: mam.abi (types, from a C stub library compiled from the header,
# because the Swift library shows none) and constants.txt (numbers, which no library shows).
# abi-stub.sh --record: freeze them in abi/, after an intended change, which CHANGELOG.md lists under ABI.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
[ $# -eq 1 ] || die "usage: abi-stub.sh FOLDER | --record"
out=$1
[ "$out" != --record ] || out=abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each prototype, on one line, becomes an empty function.
{
    echo '#include "mam.h"'
    prototypes | sed -E '/^void [^*]/s/$/ {}/; /[^}]$/s/$/ { return 0; }/'
} >"$work/stub.c"
cp include/mam.h "$work"
(cd "$work" && cc -std=c99 -g -gdwarf-4 -fPIC -shared -w -Wl,-soname,libmam.so.0 -o stub.so stub.c)
abidw --no-architecture --no-elf-needed --no-corpus-path --no-comp-dir-path --no-show-locs --no-write-default-sizes "$work/stub.so" >"$out/mam.abi"

{
    printf '#include <mam.h>\n#include <stdio.h>\nint main(void) {\n'
    sed -nE 's/^#define (MAM_[A-Z_]+) (\(?-?[0-9]|"[^"]*").*/\1 \2/p' include/mam.h | while read -r name value; do
        case $name$value in
        *\"* | MAM_VERSION_NUMBER*) ;; # the version is compared elsewhere
        *) printf '    printf("%%s %%lld\\n", "%s", (long long)%s);\n' "$name" "$name" ;;
        esac
    done
    sed -e 's|/\*.*\*/||' include/mam.h | grep -oE '\bMAM_[A-Z0-9_]+ = ' | sed 's/ = //' |
        sed 's/.*/    printf("%s %lld\\n", "&", (long long)&);/'
    printf '    return 0;\n}\n'
} >"$work/constants.c"
cc -std=c99 -Iinclude -o "$work/constants" "$work/constants.c"
"$work/constants" | sort >"$out/constants.txt"
