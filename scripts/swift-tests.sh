#!/usr/bin/env bash
# swift-tests.sh [OPTION…]: build the Swift tests, optimised as the library is, and run them; options go to `swift test`.
# Property tests that take two minutes unoptimised take seconds. It uses a separate folder, because the flags differ from the
# library's.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
common=(-c release --scratch-path "$scratch/tests" --disable-xctest -Xswiftc -enable-testing)
# Only the product of the tests: `swift test` would build mamctl too.
swift build "${common[@]}" --product libmamPackageTests
exec swift test "${common[@]}" --skip-build "$@"
