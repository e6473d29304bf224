#!/usr/bin/env bash
# asan.sh [SUITE…]: every suite of Tests/ABI, or these, on a library and in programs built with AddressSanitizer: a memory error,
# or a leak at the end of a program, fails its suite.
set -euo pipefail
. "$(dirname "$0")/sanitized.bash"

sanitized address .build-asan
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1
# An object from the initialiser of a Swift global (…_WZ) lives as long as the library. If an enum keeps its case in the
# spare bits of a pointer, the sanitizer does not see that the global still holds it.
suppressions=$(mktemp)
trap 'rm -f "$suppressions"' EXIT
echo 'leak:_WZ$' >"$suppressions"
# An object that was captured weakly keeps its counts in a table of their own, to which it points in a form of Swift's, which the
# sanitizer does not see either. An object that leaks is reported itself.
echo 'leak:swift_weakInit' >>"$suppressions"
export LSAN_OPTIONS=report_objects=1:print_suppressions=0:suppressions=$suppressions
export MAM_HANG_SECONDS=1800
make -s -C "$root/Tests/ABI" check CC="$(toolchain)/bin/clang" \
    SANITIZE=-fsanitize=address BUILD=build-asan LDFLAGS=-Wl,--allow-shlib-undefined ${1:+SUITES="$*"}
