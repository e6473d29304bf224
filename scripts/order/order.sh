#!/usr/bin/env bash
# order.sh LIBRARY MAP ORDER.LD NAMES: write the order of functions for the library that was linked with this map, and the
# names of those of the standard library. Does not change the files if the functions are the same, or if a program may not
# change its own code.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
library=$1 map=$2 order=$3 names=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cc -std=gnu11 -O2 -shared -fPIC -Wl,-z,initfirst -o "$work/entries.so" scripts/order/entries.c -ldl
ln -s "$library" "$work/libmam.so.0"
ln -s "$library" "$work/libmam.so"
cc -std=gnu11 -O2 -Iinclude -o "$work/start" Benchmarks/memory.c -L"$work" -lmam -Wl,-rpath,"$work" -Wl,--allow-shlib-undefined
app=com.example.bench account=ann@contoso.example authority=$work/authority.db
dist/mamctl authority create --authority "$authority" >/dev/null
for user in "$account" bea@contoso.example; do
    dist/mamctl authority user add "$user" --authority "$authority" >/dev/null
done
dist/mamctl authority policy import Benchmarks/policy.json --all-users --app $app --authority "$authority" >/dev/null
settings=$(printf '{"app":{"id":"%s"},"stateDirectory":"%s/state","authority":{"type":"embedded","path":"%s"},"worker":true}' \
    $app "$work" "$authority")

python3 scripts/order/order.py starts "$map" "$work/starts"
# Run several times, because threads interleave differently.
for run in 1 2 3 4; do
    rm -rf "$work/state"
    if ! LD_PRELOAD=$work/entries.so ENTRIES_STARTS=$work/starts ENTRIES_HIT=$work/hit.$run SWIFT_DETERMINISTIC_HASHING=1 \
        "$work/start" "$settings" $account >"$work/log" 2>&1; then
        cat "$work/log" >&2
        echo "the order of functions is left as it is: libmam takes up to 1 MiB more" >&2
        exit 0
    fi
done
cat "$work"/hit.* >"$work/hit"
python3 scripts/order/order.py script "$map" "$work/hit" "$work/names" >"$work/order.ld"
cmp -s "$work/order.ld" "$order" || cp "$work/order.ld" "$order"
cmp -s "$work/names" "$names" || cp "$work/names" "$names"
