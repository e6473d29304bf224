#!/usr/bin/env bash
# test-service.sh [OPTION…]: build mamd, unoptimised, and ask it as apps and administrators do; options go to pytest. mamctl is the
# staged one where it is newer than its sources.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
for program in nginx curl openssl glewlwyd; do
    command -v "$program" >/dev/null || echo "not installed, so not tested with mamd: $program"
done
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || echo "not installed, so not tested with mamd: postgresql"
scripts/build-service.sh
export MAMCTL=$staged/bin/mamctl
if [ ! -x "$MAMCTL" ] || [ -n "$(find Sources Package.swift -newer "$MAMCTL" -print -quit)" ]; then
    logged build-mamctl swift build --scratch-path "$scratch" -c debug --product mamctl
    MAMCTL=$scratch/debug/mamctl
fi
[ ! -e "$staged/lib/libmam.so.0" ] || export LIBMAM_PATH="$staged/lib/libmam.so.0"
exec .venv/bin/python -m pytest -q -rs -p no:cacheprovider "$@" Service/Tests
