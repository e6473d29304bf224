#!/usr/bin/env bash
# Sixteen threads and a second process on the same files for SOAK_SECONDS, on the installed library and under
# ThreadSanitizer: no report.
set -euo pipefail
. "$(dirname "$0")/sanitized.bash"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
harness "$scratch/files"
"$scratch/files" "$SOAK_SECONDS"

threaded files
