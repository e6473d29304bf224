#!/usr/bin/env bash
# Build mamd, unoptimised, in Service/.build/debug.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
logged build-mamd swift build --package-path Service -c debug
