#!/usr/bin/env bash
# Hosts in C, C++ and Swift, with the dynamic and the static runtime, contain libmam.a, linked by bfd, gold and lld: each opens a
# session, and needs no libmam.so. The library's global names are those of abi/mam.map.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
scripts/build-static.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sort "$scratch/static-library/names" >"$work/names"
nm -g --defined-only dist/libmam.a | awk 'NF == 3 {print $3}' | sort | diff "$work/names" - ||
    die "libmam.a defines other global names than abi/mam.map"

make -s install-static PREFIX="$work/prefix"
cp include/mam.h include/mam.hpp "$(mkdir -p "$work/prefix/include" && echo "$work/prefix/include")"
flags=$(PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig pkg-config --cflags --libs mam-static)
toolchain=$(dirname "$(readlink -f "$(command -v swift)")")
export PATH="$toolchain:$PATH" # ld.lld for cc
export MAM_AUTHORITY=$work/authority.db MAM_STATE=$work/state MAM_APP=com.example.notes
for command in 'authority create' 'authority user add ann@contoso.example' \
    'authority policy import examples/policies/strict.json --all-users --all-apps' 'enroll ann@contoso.example'; do
    # shellcheck disable=SC2086 # words
    dist/mamctl $command >/dev/null
done
settings="{\"app\":{\"id\":\"$MAM_APP\"},\"stateDirectory\":\"$MAM_STATE\",\"authority\":{\"type\":\"embedded\",\"path\":\"$MAM_AUTHORITY\"}}"

mkdir "$work/module"
echo "module CMam { header \"$root/include/mam.h\" export * }" >"$work/module/module.modulemap"
# host NAME EXPECTED COMMAND…: link a program and run it.
host() {
    local name=$1 expected=$2 said
    shift 2
    # shellcheck disable=SC2086 # several flags
    "$@" $flags -o "$work/host" || die "$name: cannot be linked"
    ! ldd "$work/host" | grep libmam || die "$name: needs libmam.so"
    said=$("$work/host" "$settings" ann@contoso.example) || die "$name: ended with $?: $said"
    grep -qE "$expected" <<<"$said" || die "$name: printed: $said"
    echo "$name: $(stat -c %s "$work/host") bytes"
}
for linker in bfd gold lld; do
    host "C, $linker" '^sealed: [0-9]+ bytes$' cc -fuse-ld=$linker examples/c/ten-lines.c
    host "C++, $linker" '^caught: [0-9]+$' c++ -std=c++17 -fuse-ld=$linker Tests/Static/host.cpp
    for runtime in -no-static-stdlib -static-stdlib; do
        host "Swift, $linker, $runtime" '^notes: 2, Note.*closed: 0$' swiftc -parse-as-library -use-ld=$linker $runtime \
            -I "$work/module" Tests/Static/host.swift
    done
done
