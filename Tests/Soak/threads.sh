#!/usr/bin/env bash
# Sixteen threads on one handle for SOAK_SECONDS, under ThreadSanitizer: no report.
set -euo pipefail
. "$(dirname "$0")/sanitized.bash"

sanitized thread .build-tsan
libraries=$(toolchain)/lib/swift/linux
harness "$root/.build-tsan/harness/threads" CC="$(toolchain)/bin/clang" SANITIZE=-fsanitize=thread \
    LDFLAGS="-fuse-ld=lld -L$libraries -Wl,-rpath,$libraries -Wl,--no-as-needed -ldispatch -lBlocksRuntime -Wl,--allow-shlib-undefined"
# Its shadow memory and much address randomisation do not go together.
run=()
setarch "$(uname -m)" -R true 2>/dev/null && run=(setarch "$(uname -m)" -R)
export TSAN_OPTIONS="exitcode=66 halt_on_error=0 second_deadlock_stack=1 ignore_noninstrumented_modules=1"
"${run[@]}" "$root/.build-tsan/harness/threads" "$SOAK_SECONDS"
