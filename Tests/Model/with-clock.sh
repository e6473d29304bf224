#!/usr/bin/env bash
# with-clock.sh COMMAND…: run it with the clock of clock.c, on the library that LIBMAM_PATH names.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 -shared -fPIC -o "$scratch/clock.so" "$here/clock.c" -ldl
head -c 16 /dev/zero >"$scratch/clock"
export MODEL_CLOCK=$scratch/clock MODEL_SCRATCH=$scratch PYTHONDONTWRITEBYTECODE=1
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # thousands of states, none of which must last
export PYTHONPATH=$here:$here/../../bindings/python/src${PYTHONPATH:+:$PYTHONPATH}
LD_PRELOAD=$scratch/clock.so "$@"
