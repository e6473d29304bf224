#!/usr/bin/env bash
# Four processes on one state directory for SOAK_SECONDS, one killed every second: every reported commit is in the state.
set -euo pipefail
. "$(dirname "$0")/sanitized.bash"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
harness "$scratch/processes"
"$scratch/processes" "$SOAK_SECONDS"
