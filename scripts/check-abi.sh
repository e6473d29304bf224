#!/usr/bin/env bash
# check-abi.sh [LIBRARY]: fail unless header, export map, library and Python table agree, the library is linked as required,
# versions agree everywhere, and mam.h equals the frozen abi/. Prints the differences.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
library=${1:-$staged/lib/libmam.so.0}
[ -e "$library" ] || die "there is no $library: make stage"
table=bindings/python/src/mam/_ffi.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

wrong() {
    echo "check-abi: $*"
    status=1
}

# same TEXT FILE FILE: two sorted lists that must be equal.
same() { diff -U0 "$2" "$3" >"$work/diff" || wrong "$1"$'\n'"$(tail -n +3 "$work/diff" | grep -v '^@@')"; }

# Names.
prototypes | grep -oE '\bmam_[a-z0-9_]+\(' | tr -d '(' | sort >"$work/header"
grep -oE '^ +mam_[a-z0-9_]+;' abi/mam.map | tr -d ' ;' | sort >"$work/map"
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sort >"$work/exports"
sed 's/@@.*//' "$work/exports" >"$work/library"
grep -oE '^ +"mam_[a-z0-9_]+": \(' "$table" | grep -oE 'mam_[a-z0-9_]+' | sort >"$work/python"
[ -s "$work/header" ] || wrong "mam.h declares nothing"
same "mam.h (-) and abi/mam.map (+)" "$work/header" "$work/map"
same "mam.h (-) and the library (+)" "$work/header" "$work/library"
same "mam.h (-) and the table of $table (+)" "$work/header" "$work/python"
unversioned=$(grep -vE '^mam_[a-z0-9_]+@@MAM_[0-9]+$' "$work/exports" || true)
[ -z "$unversioned" ] || wrong "exports without a version node: $unversioned"

# Link facts.
dynamic=$(readelf -dW "$library")
sections=$(readelf -SW "$library")
segments=$(readelf -lW "$library")
has() { grep -qE "$2" <<<"$3" || wrong "the library is not $1"; }
has_no() { ! grep -qE "$2" <<<"$3" || wrong "the library has $1: $(grep -E "$2" <<<"$3" | tr -s ' ')"; }
has "called libmam.so.0 (SONAME)" 'SONAME.*\[libmam\.so\.0\]' "$dynamic"
has "bound at load (BIND_NOW)" 'FLAGS.*(BIND_NOW|NOW)' "$dynamic"
has "kept loaded (NODELETE)" 'FLAGS_1.*NODELETE' "$dynamic"
has "RELRO" 'GNU_RELRO' "$segments"
has_no "a search path" '\((RUNPATH|RPATH)\)' "$dynamic"
has_no "text relocations" 'TEXTREL' "$dynamic"
has_no "an executable stack" 'GNU_STACK.* RWE ' "$segments"
has_no "a symbol table (not stripped)" '\.symtab|\.debug_' "$sections"
has_no "a Swift runtime" 'swift|Foundation|dispatch|BlocksRuntime' "$(ldd "$library")"
others=$(sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' <<<"$dynamic" |
    grep -vE '^(libcrypto\.so\.3|libsqlite3\.so\.0|libgcc_s\.so\.1|lib(m|c)\.so\.6|ld-linux.*)$' || true)
[ -z "$others" ] || wrong "the library needs more than docs/dependencies.md names:" "$others"

# Versions. mam.h owns them.
version=$(sed -nE 's/^#define MAM_VERSION "(.*)"/\1/p' include/mam.h)
abi=$(sed -nE 's/^#define MAM_ABI_VERSION ([0-9]+)/\1/p' include/mam.h)
is() { [ "$2" = "$3" ] || wrong "$1 says '$2', mam.h says '$3'"; }
is CHANGELOG.md "$(sed -nE 's/^## ([0-9][^ ]*).*/\1/p' CHANGELOG.md | head -n 1)" "$version"
is bindings/python "$(sed -nE 's/^__version__ = "(.*)"/\1/p' bindings/python/src/mam/_version.py)" "$version"
grep -qE '^### ABI' CHANGELOG.md || wrong "CHANGELOG.md has no heading ABI"
is "the newest node of abi/mam.map" "$(grep -oE '^MAM_[0-9]+' abi/mam.map | tail -n 1)" "MAM_$abi"
answers() { python3 -c 'import ctypes, sys
f = getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2])
f.restype = ctypes.c_char_p if sys.argv[2] == "mam_version" else ctypes.c_int32
r = f()
print(r.decode() if isinstance(r, bytes) else r)' "$library" "$1"; }
is "mam_version()" "$(answers mam_version)" "$version"
is "mam_abi_version()" "$(answers mam_abi_version)" "$abi"
prefix=$(dirname "$library")/..
if [ -e "$prefix/bin/mamctl" ]; then
    is mam.pc "$(sed -n 's/^Version: //p' "$prefix/lib/pkgconfig/mam.pc")" "$version"
    is "mamctl --version" "$("$prefix/bin/mamctl" --version | grep -oE '[0-9]+(\.[0-9]+){2}(-[a-z0-9.]+)?' | head -n 1)" "$version"
fi

# Types and numbers against the frozen ones.
scripts/abi-stub.sh "$work"
abidiff --no-default-suppression abi/mam.abi "$work/mam.abi" >"$work/abidiff" ||
    wrong "mam.h changed against abi/mam.abi; if it is meant: scripts/abi-stub.sh --record, and CHANGELOG.md, ABI"$'\n'"$(cat "$work/abidiff")"
same "abi/constants.txt (-) and mam.h (+); if it is meant: scripts/abi-stub.sh --record" abi/constants.txt "$work/constants.txt"

exit $status
