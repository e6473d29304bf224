#!/usr/bin/env bash
# 100,000 random statements in each journal mode, and 200 kills.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"
MAM_STATEMENTS=${MAM_STATEMENTS:-100000} MAM_KILLS=${MAM_KILLS:-200} exec "$root/.venv/bin/python" -m pytest -q \
    -p no:cacheprovider "$root/bindings/python/tests/test_sqlite_walk.py"
