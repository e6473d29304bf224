#!/usr/bin/env bash
# Sixteen threads on one handle under ThreadSanitizer. SECONDS_EACH: how long (60).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
export SWIFT_BACKTRACE=enable=no TSAN_OPTIONS="halt_on_error=0 exitcode=66"
scratch=.build-tsan
swift build --sanitize=thread --scratch-path "$scratch" --product mam >"$scratch.log" 2>&1 || {
    cat "$scratch.log"
    exit 1
}
rm -f "$scratch.log"
# The compiler that comes with Swift: its run time is the one that the library was built with.
swift_bin=$(dirname "$(readlink -f "$(command -v swift)")")
swift_lib=$(dirname "$swift_bin")/lib/swift/linux
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$swift_bin/clang" -std=c99 -Wall -Wextra -Werror -fuse-ld=lld -fsanitize=thread -g Tests/Soak/threads.c -Iinclude \
    -L"$scratch/debug" -lmam -L"$swift_lib" -ldispatch -lBlocksRuntime \
    -Wl,-rpath,"$swift_lib" -Wl,-rpath,"$root/$scratch/debug" -o "$work/threads"
"$work/threads" "$work" "${SECONDS_EACH:-60}" 2>"$work/report" || status=$?
if grep -q 'WARNING: ThreadSanitizer' "$work/report" || [ "${status:-0}" -ne 0 ]; then
    head -100 "$work/report"
    echo "0 passed, 1 failed"
    exit 1
fi
echo "1 passed, 0 failed"
