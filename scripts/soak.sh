#!/usr/bin/env bash
# Run the suites that take longer than `make test` allows, on the staged tree.
set -euo pipefail
. "$(dirname "$0")/suites.sh"
export MAM_SUITE_SECONDS=${MAM_SUITE_SECONDS:-7200}

suite c-soak check scripts/staged.sh make -s -C Tests/ABI soak PYTHON="$root/.venv/bin/python"
suite attack tap env ATTACK_SCALE=whole scripts/staged.sh make -s -C Tests/Attack check PYTHON="$root/.venv/bin/python"
suite model check scripts/staged.sh Tests/Model/with-clock.sh "$root/.venv/bin/python" Tests/Model/walk.py --steps "${MODEL_STEPS:-100000}"
suite python-leaves pytest env MAM_LEAVES="${MAM_LEAVES:-200}" scripts/staged.sh "$root/.venv/bin/python" -m pytest -q -p no:cacheprovider bindings/python/tests/test_leaving.py
suite laws swift env MAM_CASES="${MAM_CASES:-100000}" MAM_SEED="${MAM_SEED:-$RANDOM}" \
    scripts/swift-tests.sh --filter "MAMPolicyTests.(Merge|Launch)LawTests"
suite fuzz check env FUZZ_SECONDS="${FUZZ_SECONDS:-600}" scripts/fuzz.sh
suite service pytest env MAM_KILLS="${MAM_KILLS:-500}" MAM_INSTANCE_SECONDS="${MAM_INSTANCE_SECONDS:-300}" MAM_SEED="${MAM_SEED:-$RANDOM}" \
    scripts/test-service.sh -k "kills or killed_instances"
for script in Tests/Soak/*.sh; do
    [ -e "$script" ] || break
    suite "$(basename "$script" .sh)" check scripts/staged.sh "$script"
done
finish
