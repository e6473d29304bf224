# shellcheck shell=bash
# Sourced by the scripts beside it: the library built with a sanitizer, in a separate prefix.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export SOAK_SECONDS="${SOAK_SECONDS:-60}"
export SWIFT_BACKTRACE=enable=no # a crash report of the runtime can outlive its time limit

# The sanitizers' runtimes must be those of the Swift compiler: its own clang, with its libraries.
toolchain() { dirname "$(dirname "$(readlink -f "$(command -v swift)")")"; }

# sanitized KIND SCRATCH: build libmam with --sanitize=KIND; pkg-config then finds prefix/ in SCRATCH as mam.
sanitized() {
    local kind=$1 scratch=$root/$2 options bin
    options=(--package-path "$root" --scratch-path "$scratch" --sanitize="$kind" --product mam
        -Xlinker -soname=libmam.so.0 -Xlinker -z -Xlinker nodelete)
    mkdir -p "$scratch"
    swift build "${options[@]}" >"$scratch/build.log" 2>&1 </dev/null || {
        cat "$scratch/build.log" >&2
        return 1
    }
    bin=$(swift build "${options[@]}" --show-bin-path)
    prefix=$scratch/prefix
    rm -rf "$prefix"
    mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
    ln -s "$root/include/mam.h" "$prefix/include/mam.h"
    ln -s "$bin/libmam.so" "$prefix/lib/libmam.so"
    ln -s "$bin/libmam.so" "$prefix/lib/libmam.so.0"
    sed -e "s|@PREFIX@|$prefix|; s|@LIBDIR@|\${prefix}/lib|; s|@INCLUDEDIR@|\${prefix}/include|; s|@VERSION@|0|" \
        "$root/packaging/mam.pc.in" >"$prefix/lib/pkgconfig/mam.pc"
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# harness PROGRAM [VARIABLE=VALUE…]: a program of this folder, on the library that pkg-config finds.
harness() {
    local program=$1
    shift
    make -s -C "$root/Tests/ABI" BUILD="$(dirname "$program")" "$@" "$program"
}

# threaded NAME: a program of this folder with the library, both under ThreadSanitizer, for SOAK_SECONDS.
threaded() {
    sanitized thread .build-tsan
    local program=$root/.build-tsan/harness/$1 libraries run=()
    libraries=$(toolchain)/lib/swift/linux
    harness "$program" CC="$(toolchain)/bin/clang" SANITIZE=-fsanitize=thread \
        LDFLAGS="-fuse-ld=lld -L$libraries -Wl,-rpath,$libraries -Wl,--no-as-needed -ldispatch -lBlocksRuntime -Wl,--allow-shlib-undefined"
    # ThreadSanitizer's shadow memory conflicts with strong address randomisation.
    setarch "$(uname -m)" -R true 2>/dev/null && run=(setarch "$(uname -m)" -R)
    TSAN_OPTIONS="exitcode=66 halt_on_error=0 second_deadlock_stack=1 ignore_noninstrumented_modules=1" \
        "${run[@]}" "$program" "$SOAK_SECONDS"
}
