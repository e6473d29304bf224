#!/usr/bin/env bash
# Four processes on one state directory, one killed every second. SECONDS_EACH: how long (60).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-$root/.venv/bin/python}
PYTHONPATH=$root/bindings/python/src exec "$python" "$root/Tests/Soak/processes.py" "${SECONDS_EACH:-60}"
