#!/bin/sh
# lock_order.sh BUILD PROGRAM…: run each program with lock_order.so, which ends it where locks are taken in either order.
build=$1
shift
failed=0
echo "[==========] Running $# test(s)."
for program in "$@"; do
    echo "[ RUN      ] lock_order_of_$program"
    if (
        case $program in
        file_owners_test | files_test) export TMPDIR="${MAM_DISK:-${TMPDIR:-/tmp}}" ;;
        esac
        LD_PRELOAD=$build/lock_order.so exec "$build/$program"
    ) >"$build/lock_order-$program.log" 2>&1; then
        echo "[       OK ] lock_order_of_$program"
    else
        tail -n 50 "$build/lock_order-$program.log" | grep -v ' PASSED \| FAILED '
        echo "[  FAILED  ] lock_order_of_$program"
        failed=$((failed + 1))
    fi
done
echo "[  PASSED  ] $(($# - failed)) test(s)."
[ $failed -eq 0 ] || echo "[  FAILED  ] $failed test(s)."
exit $((failed > 0))
