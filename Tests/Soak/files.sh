#!/usr/bin/env bash
# Sixteen threads and a second process on the same files for SOAK_SECONDS, as the library is installed and under
# ThreadSanitizer: no report.
set -euo pipefail
. "$(dirname "$0")/sanitized.bash"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
harness "$scratch/files"
"$scratch/files" "$SOAK_SECONDS"

sanitized thread .build-tsan
libraries=$(toolchain)/lib/swift/linux
harness "$root/.build-tsan/harness/files" CC="$(toolchain)/bin/clang" SANITIZE=-fsanitize=thread \
    LDFLAGS="-fuse-ld=lld -L$libraries -Wl,-rpath,$libraries -Wl,--no-as-needed -ldispatch -lBlocksRuntime -Wl,--allow-shlib-undefined"
# Its shadow memory and much address randomisation do not go together.
run=()
setarch "$(uname -m)" -R true 2>/dev/null && run=(setarch "$(uname -m)" -R)
export TSAN_OPTIONS="exitcode=66 halt_on_error=0 second_deadlock_stack=1 ignore_noninstrumented_modules=1"
"${run[@]}" "$root/.build-tsan/harness/files" "$SOAK_SECONDS"
