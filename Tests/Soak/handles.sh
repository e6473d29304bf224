#!/usr/bin/env bash
# Sixteen threads on one handle for SOAK_SECONDS, on the installed library: faster than under a sanitizer, so that other
# interleavings occur.
set -euo pipefail
. "$(dirname "$0")/sanitized.bash"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
harness "$scratch/threads"
"$scratch/threads" "$SOAK_SECONDS"
