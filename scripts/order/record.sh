# shellcheck shell=bash
# Sourced by order.sh and service.sh, with the library and its map: programs that use it, run so that they report which of its
# functions they enter.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
library=$1 map=$2
# shellcheck disable=SC2034 # for those who source this
app=com.example.bench account=ann@contoso.example
work=$(mktemp -d)

cc -std=gnu11 -O2 -shared -fPIC -Wl,-z,initfirst -o "$work/entries.so" scripts/order/entries.c -ldl
ln -s "$library" "$work/libmam.so.0"
ln -s "$library" "$work/libmam.so"
python3 scripts/order/order.py starts "$map" "$work/starts"

# compiled NAME: a program of Benchmarks/ in the work folder.
compiled() {
    cc -std=gnu11 -O2 -Iinclude -o "$work/$1" "Benchmarks/$1.c" -L"$work" -lmam -Wl,-rpath,"$work" -Wl,--allow-shlib-undefined
}

# record PROGRAM WORD…: run one, and add what it enters to the file of hits.
record() {
    local program=$1
    shift
    LD_PRELOAD=$work/entries.so ENTRIES_STARTS=$work/starts ENTRIES_HIT=$work/hit.one SWIFT_DETERMINISTIC_HASHING=1 \
        "$work/$program" "$@" >"$work/log" 2>&1 || return
    cat "$work/hit.one" >>"$work/hit"
}
