#!/usr/bin/env bash
# soak.sh [SUITE…]: run the suites that take longer than `make test` allows, or these, on the staged tree: as many at once as there
# are cores, or MAM_JOBS, except for those that need all cores for their own threads.
set -euo pipefail
. "$(dirname "$0")/suites.sh"
export MAM_SUITE_SECONDS=${MAM_SUITE_SECONDS:-10800}
export MAM_SEED=${MAM_SEED:-$RANDOM}
python=$root/.venv/bin/python

run() {
    case $1 in
    lock_order) suite lock_order cmocka scripts/staged.sh make -s -C Tests/ABI soak KILLS= PYTHON="$python" ;;
    *_kill | clear) suite "$1" cmocka scripts/staged.sh make -s -C Tests/ABI check SUITES="$1" EVERY=--every PYTHON="$python" ;;
    attack) suite attack tap env ATTACK_SCALE=whole scripts/staged.sh make -s -C Tests/Attack check PYTHON="$python" ;;
    model) suite model check scripts/staged.sh Tests/Model/with-clock.sh "$python" Tests/Model/walk.py --steps "${MODEL_STEPS:-100000}" ;;
    python-leaves) suite python-leaves pytest env MAM_LEAVES="${MAM_LEAVES:-200}" scripts/staged.sh \
        "$python" -m pytest -q -p no:cacheprovider bindings/python/tests/test_leaving.py ;;
    laws) suite laws swift env MAM_CASES="${MAM_CASES:-100000}" scripts/swift-tests.sh --filter "MAMPolicyTests.(Merge|Launch)LawTests" ;;
    service) suite service pytest env MAM_KILLS="${MAM_KILLS:-500}" MAM_INSTANCE_SECONDS="${MAM_INSTANCE_SECONDS:-300}" \
        scripts/test-service.sh -k "kills or killed_instances" ;;
    fuzz) suite fuzz check env FUZZ_SECONDS="${FUZZ_SECONDS:-600}" scripts/fuzz.sh ;;
    *) suite "$1" check scripts/staged.sh "Tests/Soak/$1.sh" ;;
    esac
}

# The longest first.
beside=(transactions_kill attack model wipe_kill service clear files_kill laws file_wipe_kill unenroll_kill keys_kill checkin_kill
    lock_order python-leaves)
alone=()
for script in Tests/Soak/*.sh; do alone+=("$(basename "$script" .sh)"); done
alone+=(fuzz)

wanted=" ${*:-${beside[*]} ${alone[*]}} "
for name in $wanted; do [[ " ${beside[*]} ${alone[*]} " == *" $name "* ]] || die "no such suite: $name (${beside[*]} ${alone[*]})"; done
logged soak-programs scripts/staged.sh make -s -C Tests/ABI all
for name in "${beside[@]}"; do [[ $wanted != *" $name "* ]] || begin run "$name"; done
ended ""
for name in "${alone[@]}"; do [[ $wanted != *" $name "* ]] || run "$name"; done
finish
