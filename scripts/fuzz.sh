#!/usr/bin/env bash
# fuzz.sh [TARGET…]: build the targets of fuzz/ with libFuzzer and AddressSanitizer and run each for FUZZ_SECONDS (30), as many
# at once as there are cores, or MAM_JOBS. Inputs that reach something new are kept in .build-fuzz/corpus for the next run; one
# that fails is in .build-fuzz/found, and goes into fuzz/corpus with the fix.
set -euo pipefail
. "$(dirname "$0")/suites.sh"
build=$root/.build-fuzz
fuzzer=$build/release/fuzz

mapfile -t targets < <(cd fuzz/corpus && printf '%s\n' *)
[ $# -eq 0 ] || targets=("$@")

# Put temporary files in memory if /dev/shm exists: the databases and sealed files of an input are written each time.
folder=$(mktemp -d -p /dev/shm mam-fuzz.XXXXXX 2>/dev/null) || folder=$(mktemp -d)
trap 'rm -rf "$results" "$folder"' EXIT
export TMPDIR=$folder

# gold, which is the compiler's default, warns of the sanitizer's symbols. The compiler takes the last -sanitize= alone, and SwiftPM gives
# one for each in any order: both are named in one here, or Swift has no coverage or no AddressSanitizer.
logged build-fuzz env MAM_FUZZ=1 swift build -c release --scratch-path "$build" --sanitize fuzzer --sanitize address \
    -Xswiftc -use-ld=lld -Xswiftc -sanitize=address,fuzzer --product fuzz

# As in Tests/Soak/asan.sh: what the initialiser of a Swift global has made lives as long as the process.
echo 'leak:_WZ$' >"$folder/suppressions"
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
export LSAN_OPTIONS=print_suppressions=0:suppressions=$folder/suppressions

run() {
    mkdir -p "$build/corpus/$1" "$build/found"
    suite "$1" check env MAM_FUZZ_TARGET="$1" "$fuzzer" -max_total_time="${FUZZ_SECONDS:-30}" -timeout=20 -print_final_stats=1 \
        -artifact_prefix="$build/found/$1-" "$build/corpus/$1" "fuzz/corpus/$1"
}

for target in "${targets[@]}"; do
    [ -d "fuzz/corpus/$target" ] || die "no such target: $target (fuzz/corpus has ${targets[*]})"
    begin run "$target"
done
ended ""
finish
