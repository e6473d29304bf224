#!/usr/bin/env bash
# Sixteen threads on one handle for SOAK_SECONDS, under ThreadSanitizer: no report.
set -euo pipefail
. "$(dirname "$0")/sanitized.bash"

threaded threads
