#!/usr/bin/env bash
# 1,000 attempts at PINs (SOAK_PIN_ATTEMPTS) by four processes that are killed at random: never more guesses than the policy
# allows, never a lockout after fewer.
set -euo pipefail
. "$(dirname "$0")/sanitized.bash"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
harness "$scratch/pins"
"$scratch/pins" "${SOAK_PIN_ATTEMPTS:-1000}"
