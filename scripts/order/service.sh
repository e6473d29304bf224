#!/usr/bin/env bash
# service.sh: rewrite service.names: the functions that a check-in with a service enters beside those at the front of the order.
# No build does this, since it would have to build mamd first. A name that the library no longer has does no harm. It needs what
# `make build` and scripts/build-mamd.sh leave behind.
set -euo pipefail
bin=$(cd "$(dirname "$0")/../../dist" && pwd)
set -- "$bin/libmam.so" "${MAM_SCRATCH:-$(dirname "$bin")/.build}/libmam.map"
. "$(dirname "$0")/record.sh"
service=
trap '[ -z "$service" ] || kill "$service"; rm -rf "$work"' EXIT
compiled network

port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
dist/mamd init "$work/service" --url "https://localhost:$port" --listen "127.0.0.1:$port" >"$work/authority.json" 2>"$work/log"
mkfifo "$work/started"
dist/mamd serve "$work/service" >"$work/started" 2>/dev/null &
service=$!
head -n 1 "$work/started" >/dev/null
admin=(--authority "$work/service/mamd.sock")
dist/mamctl authority user add $account "${admin[@]}" >/dev/null
dist/mamctl authority policy import Benchmarks/policy.json --all-users --app $app "${admin[@]}" >/dev/null
dist/mamctl authority user invite $account "${admin[@]}" >"$work/code"
MAM_APP=$app MAM_STATE=$work/state MAM_AUTHORITY=$work/authority.json dist/mamctl enroll $account --invite "$work/code" >/dev/null
for worker in false true false true; do
    settings=$(printf '{"app":{"id":"%s"},"stateDirectory":"%s/state","authority":%s,"worker":%s}' \
        $app "$work" "$(cat "$work/authority.json")" $worker)
    record network "$settings" $account
done
python3 scripts/order/order.py service "$map" "$work/hit" "$scratch/order.ld" >"$work/names"
cp "$work/names" scripts/order/service.names
