#!/usr/bin/env bash
# Build dist/libmam.a of the objects of libmam.so: one object with the Swift runtime in it and no global name but those of
# abi/mam.map. libcrypto, SQLite, libstdc++ and libm stay outside (packaging/mam-static.pc.in).
set -euo pipefail
. "$(dirname "$0")/lib.sh"
list=$scratch/release/mam.product/Objects.LinkFileList
[ -e "$list" ] || die "there are no objects: make build"
runtime=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')_static/linux
work=$scratch/static-library
mkdir -p dist "$work"

sed -n 's/^ *\(mam_[a-z0-9_]*\);.*/\1/p' abi/mam.map >"$work/names"
sed 's/^/--undefined=/' "$work/names" >"$work/roots"
# One section of each kind instead of one a function: what no function of mam.h reaches is left out here already.
cat >"$work/sections.ld" <<'END'
SECTIONS {
    .text : { *(.text .text.*) }
    .data.rel.ro : { *(.data.rel.ro .data.rel.ro.*) }
    .data : { *(.data .data.*) }
    .bss : { *(.bss .bss.*) }
}
END
# Without --force-group-allocation the sections that a Swift host has too would be discarded as duplicates of the host's.
logged merge-libmam ld.bfd -r --force-group-allocation --gc-sections -T "$work/sections.ld" -o "$work/merged.o" "@$work/roots" "@$list" \
    "$runtime/$(uname -m)/swiftrt.o" --start-group "$runtime"/libswift{Core,Synchronization,Glibc,SwiftOnoneSupport}.a --end-group
# The runtime finds types and conformances in sections by name. Of a name of their own, it finds those of libmam alone, and a
# host's runtime none of them. The linker's instructions to Swift hosts go: the libraries are in the object already.
nm -u "$work/merged.o" | sed -n 's/.* __start_\(swift5_[a-z_0-9]*\)$/\1/p' | while read -r section; do
    printf '%s\n' "--rename-section $section=mam_$section" \
        "--redefine-sym __start_$section=__start_mam_$section" "--redefine-sym __stop_$section=__stop_mam_$section"
done >"$work/names-of-sections"
objcopy "--keep-global-symbols=$work/names" --strip-unneeded --remove-section=.swift1_autolink_entries --remove-section=.swift_modhash "@$work/names-of-sections" \
    "$work/merged.o" "$work/mam.o"
missing=$(nm -u "$work/mam.o" | grep -E ' ([$]s|_?swift_|_ZN5swift)' || true)
[ -z "$missing" ] || die "libmam.a lacks parts of the Swift runtime: $missing"
rm -f "$work/libmam.a"
ar rcsD "$work/libmam.a" "$work/mam.o"
# Touched even if it is the same: `make` compares its time with the library's.
if cmp -s "$work/libmam.a" dist/libmam.a; then touch dist/libmam.a; else install -m 644 "$work/libmam.a" dist/libmam.a; fi
