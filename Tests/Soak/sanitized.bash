# shellcheck shell=bash
# Sourced by the scripts beside it: the library built with a sanitizer, in a prefix of its own.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export SOAK_SECONDS="${SOAK_SECONDS:-60}"
export SWIFT_BACKTRACE=enable=no # a crash report of the runtime can outlive its time limit

# The sanitizers' runtimes have to be those of the Swift compiler: its own clang, and what they need beside it.
toolchain() { dirname "$(dirname "$(readlink -f "$(command -v swift)")")"; }
clang() { "$(toolchain)/bin/clang" "$@"; }

# sanitized KIND SCRATCH: build libmam with --sanitize=KIND; prefix/ in SCRATCH is then what pkg-config finds as mam.
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

# harness COMPILER SOURCE PROGRAM [OPTION…]: a program of this folder, on the library that pkg-config finds.
harness() {
    local compiler=$1 source=$2 program=$3
    shift 3
    # shellcheck disable=SC2046 # words of pkg-config
    "$compiler" -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 -g "$@" -o "$program" \
        "$root/Tests/Soak/$source" "$root/Tests/ABI/support.c" $(pkg-config --cflags --libs mam cmocka json-c sqlite3) \
        -Wl,-rpath,"$(pkg-config --variable=libdir mam)" -Wl,--allow-shlib-undefined -lpthread -ldl
}
