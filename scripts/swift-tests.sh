#!/usr/bin/env bash
# swift-tests.sh [OPTION…]: build the Swift tests, optimised as the library is, and run them; options go to `swift test`.
# Laws that take two minutes unoptimised take seconds. A folder of its own, because the flags differ from the library's.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
common=(-c release --scratch-path "$scratch/tests" --disable-xctest -Xswiftc -enable-testing)
# The product of the tests alone: `swift test` would build mamctl too.
swift build "${common[@]}" --product libmamPackageTests
exec swift test "${common[@]}" --skip-build "$@"
