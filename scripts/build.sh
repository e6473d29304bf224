#!/usr/bin/env bash
# Build dist/libmam.so and dist/mamctl for release. The link flags are here and not in Package.swift, where they would reach
# the test runner.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
command -v swift >/dev/null || die "swift is not on the path: install Swift 6.2 or newer from swift.org"

# Both products compile with the same flags, or the second would compile every module again. (--static-swift-stdlib differs
# from -static-stdlib in that, and has no effect on a library.)
release=(swift build -c release --scratch-path "$scratch" -Xswiftc -static-stdlib -Xswiftc -use-ld=lld "${stripped[@]}"
    -Xswiftc "-L$scratch/static" -Xswiftc "-ld-path=$scratch/static/ld.lld" "${reproducible[@]}")
# Flags that make less of the library resident, if this compiler supports them; nothing else depends on them. A section for
# each function, so that they can be ordered.
knows() { swiftc -typecheck "$@" - </dev/null >/dev/null 2>&1; }
# Neither is used; each would be linked in: regular expressions, and tasks.
for module in string-processing concurrency; do
    without=-disable-implicit-$module-module-import
    if knows -Xfrontend "$without"; then release+=(-Xswiftc -Xfrontend -Xswiftc "$without"); fi
done
if knows -Xfrontend -function-sections; then
    release+=(-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections)
fi
# Use accessors for types instead of looking them up by name, which would bring the runtime's demangler into memory.
by_accessor=-disable-concrete-type-metadata-mangled-name-accessors
if knows -Xfrontend "$by_accessor"; then release+=(-Xswiftc -Xfrontend -Xswiftc "$by_accessor"); fi
# A public declaration that no other module uses is left out, too.
if knows -Xfrontend -internalize-at-link; then release+=(-Xswiftc -Xfrontend -Xswiftc -internalize-at-link); fi
library=(--product mam --disable-local-rpath
    -Xlinker -soname=libmam.so.0 -Xlinker --version-script=abi/mam.map -Xlinker --no-undefined-version
    -Xlinker -z -Xlinker nodelete -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
    # The kernel maps 64 KiB of a file together only if they do not cross such a boundary.
    -Xlinker -z -Xlinker max-page-size=65536)
# No library looks for a name in mamctl.
tool=(--product mamctl -Xlinker --no-export-dynamic)
# Relocations in a few bytes instead of half a megabyte; glibc 2.36 is the first that reads them. MAM_PORTABLE=1 is for a
# library that leaves this machine.
if [ "${MAM_PORTABLE:-}" != 1 ] && printf '%s\n' 2.36 "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" | sort -CV; then
    library+=(-Xlinker -z -Xlinker pack-relative-relocs)
    tool+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi
# Functions that run at start-up lie together: scripts/order/ finds out which, and the library is linked once more.
order=$scratch/order.ld
map=$scratch/libmam.map
library+=(-Xlinker -T -Xlinker "$order" -Xlinker "-Map=$map")
names=$scratch/standard.names
for file in "$order" "$names"; do [ -e "$file" ] || : >"$file"; done
# The sources of a release bring its order, because threads that interleave differently enter a few functions more or less.
recorded=scripts/order/recorded
if [ -e $recorded.ld ]; then
    cmp -s $recorded.ld "$order" || cp $recorded.ld "$order"
    cmp -s $recorded.names "$names" || cp $recorded.names "$names"
fi

bin=$scratch/release
# SwiftPM does not know that the library depends on the flags.
printf '%s\n' "${release[@]}" "${library[@]}" >"$scratch/flags.new"
cmp -s "$scratch/flags.new" "$scratch/flags" || rm -f "$bin/libmam.so"
mv "$scratch/flags.new" "$scratch/flags"
for input in "$order" abi/mam.map scripts/build.sh scripts/reproducible.ld scripts/order/*; do
    [ "$bin/libmam.so" -nt "$input" ] || rm -f "$bin/libmam.so"
done

# The few parts of libstdc++ that the Swift runtime uses are linked in as well: loading all of it costs a host 1 MiB.
mkdir -p dist "$scratch/static"
ln -sf "$(cc -print-file-name=libstdc++.a)" "$scratch/static/libstdc++.a"
[ -e "$scratch/static/libstdc++.a" ] || die "cc has no libstdc++.a: install g++"
# So is the Swift standard library, in a form that can be ordered and that unused parts can be left out of. The compiler would
# look for its own first.
resources=$(swiftc -print-target-info -static-stdlib | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
printf '#!/bin/sh\nexec "%s" "-L%s" "$@"\n' "$resources/../../bin/ld.lld" "$scratch/static" >"$scratch/static/ld.lld.new"
cmp -s "$scratch/static/ld.lld.new" "$scratch/static/ld.lld" || rm -f "$scratch/static/libswiftCore.a"
mv "$scratch/static/ld.lld.new" "$scratch/static/ld.lld"
chmod 755 "$scratch/static/ld.lld"
split_standard_library() {
    local work
    work=$(mktemp -d)
    cp "$resources/linux/libswiftCore.a" "$work/"
    (cd "$work" && ar x libswiftCore.a Swift.o)
    cp "$work/Swift.o" "$work/former.o"
    python3 scripts/order/split.py "$work/Swift.o" "$names"
    python3 scripts/order/check.py "$work/former.o" "$work/Swift.o"
    (cd "$work" && ar r libswiftCore.a Swift.o)
    mv "$work/libswiftCore.a" "$scratch/static/"
    rm -r "$work"
}
provide() { cmp -s "$bin/$1" "dist/$1" || install -m 755 "$bin/$1" "dist/$1"; }
for input in "$names" scripts/order/{elf,text,split,check}.py; do
    [ "$scratch/static/libswiftCore.a" -nt "$input" ] || rm -f "$scratch/static/libswiftCore.a"
done
[ -e "$scratch/static/libswiftCore.a" ] || logged split-standard-library split_standard_library
logged build-libmam "${release[@]}" "${library[@]}"
logged build-mamctl "${release[@]}" "${tool[@]}"
provide mamctl
if [ ! -e $recorded.ld ] && [ "$bin/libmam.so" -nt "$scratch/ordered" ]; then
    cp "$order" "$order.former"
    scripts/order/order.sh "$bin/libmam.so" "$map" "$order" "$names"
    if ! cmp -s "$order" "$order.former"; then
        rm "$bin/libmam.so"
        logged split-standard-library split_standard_library
        logged link-libmam "${release[@]}" "${library[@]}"
    fi
    touch "$scratch/ordered"
fi
provide libmam.so

# Completions: mamctl's output, and for bash the joining of words.
mkdir -p dist/completions
{ dist/mamctl --generate-completion-script bash && cat bindings/shell/words.bash; } >dist/completions/mamctl
dist/mamctl --generate-completion-script zsh >dist/completions/_mamctl
dist/mamctl --generate-completion-script fish >dist/completions/mamctl.fish
