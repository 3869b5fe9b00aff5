#!/usr/bin/env bash
# Measures which lines and branches of the core its tests run: tools/coverage.sh [PROGRAM...]. Fails if the shares are below the limits.
# The core is compiled as it is shipped, without assertions. Only the hooks that kill and delay processes are added, and they have no
# branches. The counters lie in mapped files, so the counters of killed processes are not lost.
# The result is build/coverage/uncovered.txt. It contains the reasons that core/tests/uncovered.txt gives.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=build/coverage
lines=98 branches=92 # percent
clang=${CLANG:-clang}
cov=$(command -v llvm-cov || command -v llvm-cov-14) || { echo 'skipped: no llvm-cov'; exit 0; }
merge=$(command -v llvm-profdata || command -v llvm-profdata-14) || { echo 'skipped: no llvm-profdata'; exit 0; }
flags=(-std=c11 -D_GNU_SOURCE -g -pthread -Icore/include -Icore/src -isystem core/vendor/xxhash -w -O1 -DLRD_FAILPOINTS
    -fprofile-instr-generate -mllvm -runtime-counter-relocation)
# These tests need assertions, or the switches that break the code on purpose (LRD_CONTROLS). This build has neither.
left_out=' assert_test delay_test '
seconds=20 # run time of the tests that kill at random
longest=' kill_everywhere histories failpoint_test grow_test queue_failpoint_test hold_test thread_test model_test keyrow_test '

mkdir -p "$work"
[[ $work/core.o -nt core/core.c && -z $(find core/src core/include -newer "$work/core.o") ]] ||
    "$clang" "${flags[@]}" -fcoverage-mapping -c -o "$work/core.o" core/core.c
if [[ $# -eq 0 ]]; then
    rm -rf "$work"/*.profraw "$work/src"
    cp -r core/src "$work/src" # tools/mutants.php needs the sources of the lists
    set -- core/tests/*_test.c core/tests/proof/{fail_calls,kill_everywhere,histories}.c
fi
run() {
    source=$1
    name=$(basename "$source" .c)
    options=(core/tests/support.c) arguments=() libraries=(-lcmocka)
    case $name in
        fail_calls) # This test makes system calls of the core fail, so it contains the core: see mk/build.mk.
            read -ra wraps <<<"${FAIL_CALLS_WRAP:?}"
            options+=(-Icore/tests -no-pie "${wraps[@]}") ;;
        kill_everywhere)
            options+=(-Icore/tests/cross -static core/tests/proof/operations.c core/tests/cross/cross.c) libraries=() ;;
        histories)
            options+=(-Icore/tests/cross core/tests/proof/{linearize,planted}.c core/tests/cross/cross.c) libraries=() ;;
        crash_test | pressure_test) arguments=(--seconds "$seconds") ;;
    esac
    [[ $work/$name -nt $work/core.o && $work/$name -nt $source ]] ||
        "$clang" "${flags[@]}" -o "$work/$name" "$source" "${options[@]}" "$work/core.o" "${libraries[@]}" -lm ||
        { echo "FAIL  $name does not compile"; touch "$work/failed"; return; }
    start=$SECONDS
    TIMEFORMAT='%U %S' # processor time
    { time LLVM_PROFILE_FILE=$work/$name%c.profraw timeout -k 10 1800 "$work/$name" "${arguments[@]}" >"$work/$name.out" 2>&1 ||
        { echo "FAIL  $name: see $work/$name.out" >&3; touch "$work/failed"; }; } 3>&1 2>"$work/$name.seconds"
    # tools/mutants.php uses these lists to choose the tests for a changed line.
    "$merge" merge -sparse -o "$work/$name.profdata" "$work/$name".profraw
    "$cov" export "$work/$name" -instr-profile="$work/$name.profdata" -format=lcov -skip-expansions core/src | grep -E '^(SF|DA):' >"$work/$name.lcov"
    printf 'ran   %-28s %4d s\n' "$name" $((SECONDS - start))
}
# Run the slowest tests first, JOBS at a time.
order=()
for source in "$@"; do
    name=$(basename "$source" .c)
    [[ $left_out != *" $name "* ]] || continue
    if [[ $longest == *" $name "* ]]; then order=("$source" "${order[@]}"); else order+=("$source"); fi
done
rm -f "$work/failed"
for source in "${order[@]}"; do
    while [[ $(jobs -rp | wc -l) -ge ${JOBS:-2} ]]; do wait -n; done
    run "$source" &
done
wait
"$merge" merge -sparse -o "$work/all.profdata" "$work"/*.profraw
"$cov" export "$work/store_test" -instr-profile="$work/all.profdata" -format=lcov -skip-expansions core/src >"$work/all.lcov"
php tools/coverage.php "$work/all.lcov" "$lines" "$branches" >"$work/uncovered.txt" || failed=1
tail -n 1 "$work/uncovered.txt"
[[ -z ${failed:-} && ! -e $work/failed ]]
