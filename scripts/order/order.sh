#!/usr/bin/env bash
# order.sh LIBRARY MAP ORDER.LD NAMES: write the order of functions for the library that was linked with this map, and the
# names of those of the standard library. Does not change the files if the functions are the same, or if a program may not
# change its own code.
set -euo pipefail
. "$(dirname "$0")/record.sh"
trap 'rm -rf "$work"' EXIT
order=$3 names=$4

compiled memory
compiled wipe
authority=$work/authority.db
dist/mamctl authority create --authority "$authority" >/dev/null
dist/mamctl authority user add "$account" --authority "$authority" >/dev/null
dist/mamctl authority policy import Benchmarks/policy.json --all-users --app $app --authority "$authority" >/dev/null
settings=$(printf '{"app":{"id":"%s"},"stateDirectory":"%s/state","authority":{"type":"embedded","path":"%s"},"worker":true}' \
    $app "$work" "$authority")

run() {
    record "$@" || {
        cat "$work/log" >&2
        echo "the order of functions is left as it is: libmam takes up to 1 MiB more" >&2
        exit 0
    }
}
# Run several times, because threads interleave differently.
for _ in 1 2 3 4; do
    rm -rf "$work/state"
    run memory "$settings" $account
done
mv "$work/hit" "$work/entered"
for _ in 1 2; do run wipe "$settings" $account; done
python3 scripts/order/order.py script "$map" "$work/entered" "$work/hit" "$work/names" scripts/order/service.names >"$work/order.ld"
cmp -s "$work/order.ld" "$order" || cp "$work/order.ld" "$order"
cmp -s "$work/names" "$names" || cp "$work/names" "$names"
