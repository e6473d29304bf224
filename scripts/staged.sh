#!/usr/bin/env bash
# staged.sh COMMAND…: run a command in the checkout's directory with the staged library, header and mamctl on its paths.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
with_stage
exec "$@"
