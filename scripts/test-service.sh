#!/usr/bin/env bash
# test-service.sh [OPTION…]: build mamd, unoptimised, and ask it as apps and administrators do; options go to pytest.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
command -v nginx >/dev/null || echo "not installed, so not tested before mamd: nginx"
logged build-mamd swift build --package-path Service -c debug
exec .venv/bin/python -m pytest -q -p no:cacheprovider "$@" Service/Tests
