#!/usr/bin/env bash
# order.sh: write scripts/order.ld anew, from what runs while a session opens and enrolls. Needs valgrind and `make stage`;
# `make stage` again takes the result. The kernel maps 64 KiB around a page that is touched: functions that run are
# therefore put together, away from those that do not. Nothing breaks when the list is out of date, it only saves less.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || die "valgrind is not on the path: apt install valgrind"
with_stage
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

MAM_MAP=$work/map scripts/build.sh
ln -s "$root/dist/libmam.so" "$work/libmam.so.0"
app=com.example.bench account=ann@contoso.example authority=$work/authority.db
mamctl authority create --authority "$authority" >/dev/null
mamctl authority user add $account --authority "$authority" >/dev/null
mamctl authority policy import Benchmarks/policy.json --all-users --app $app --authority "$authority" >/dev/null
settings=$(printf '{"app":{"id":"%s"},"stateDirectory":"%s/state","authority":{"type":"embedded","path":"%s"},"worker":true}' \
    $app "$work" "$authority")
# shellcheck disable=SC2046 # flags are words
cc -std=gnu11 -O2 -o "$work/memory" Benchmarks/memory.c $(pkg-config --cflags --libs mam)
# Several times, and what the list had stays while it is there: what the threads find each other at differs.
for fair in no yes no yes no yes; do
    rm -rf "$work/state"
    LD_LIBRARY_PATH=$work:$LD_LIBRARY_PATH valgrind --tool=callgrind --fair-sched=$fair --dump-instr=yes --compress-strings=no \
        --compress-pos=no --callgrind-out-file="$work/calls%p" "$work/memory" "$settings" $account >"$work/log" 2>&1 ||
        die "$(cat "$work/log")"
done

python3 - "$work/map" "$work"/calls* >"$work/order.ld" <<'END'
import bisect
import fileinput
import re
import sys

# A line of the map: address, another, size, alignment, what; an input section is "file:(section)".
sections = []
for line in open(sys.argv[1]):
    if found := re.match(r" *([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) +\d+ +\S.*:\((\.text.*)\)$", line):
        sections.append((int(found[1], 16), int(found[2], 16), found[3]))
sections.sort()
ran = set(re.findall(r"(?m)^\*\((\.text\..+)\)$", open("scripts/order.ld").read())) & {name for _, _, name in sections}
pages, ours = set(), False
for line in fileinput.input(sys.argv[2:]):
    if line.startswith("ob="):
        ours = "libmam" in line
    elif ours and line.startswith("0x"):
        address = int(line.split()[0], 16)
        start, size, name = sections[bisect.bisect(sections, (address, sys.maxsize)) - 1]
        if not start <= address < start + size or name.startswith(".text..L"):
            continue
        if name.startswith(".text."):
            ran.add(name)
        elif size > 1 << 20:
            pages.add((address - start) // 4096)
print("/* Written by scripts/order.sh. Functions without names, .L, come along: nothing else tells them apart. */")
# The Swift standard library's own functions are one section, .text: where they touch as few times 64 KiB as can be.
shift = min(range(16), key=lambda shift: len({(page + shift) // 16 for page in pages}))
print(f"SECTIONS {{ .text.ran : {{ . = ALIGN(0x10000) + {shift * 4096:#x};", "*libswiftCore.a:*(.text)", sep="\n")
# What the compiler and libc bring into every library runs too.
print("*crtbeginS.o(.text)", "*libc_nonshared.a:*(.text)", "*(.text..L*)", *(f"*({name})" for name in sorted(ran)), sep="\n")
print("} .plt : { *(.plt) } } INSERT BEFORE .text;")
END
mv "$work/order.ld" scripts/order.ld
echo "$(grep -c '^\*' scripts/order.ld) functions: make stage"
