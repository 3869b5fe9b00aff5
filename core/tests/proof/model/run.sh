#!/usr/bin/env bash
# Checks holds.pml with spin: no state of the model may have an error of safety or liveness, and each broken variant must have one. Prints
# the numbers of states. Prints "skipped" if spin is missing.
set -euo pipefail
cd "$(dirname "$0")"
model=$PWD/holds.pml
command -v spin >/dev/null || { echo 'skipped: spin is not installed'; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# check NAME DEFINES safety|liveness: returns 0 if spin finds no error, 1 if it finds one.
check() {
    rm -f pan.* pan ./*.trail
    # shellcheck disable=SC2086 # several defines
    spin $2 -a "$model" >spin.out 2>&1 || { cat spin.out; exit 2; }
    if [[ $3 == safety ]]; then
        ${CC:-cc} -O2 -w -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -m1000000 >pan.out
    else
        ${CC:-cc} -O2 -w -DNFAIR=3 -o pan pan.c && ./pan -a -f -m1000000 >pan.out
    fi
    if grep -qE 'max search depth too small|out of memory' pan.out; then cat pan.out; exit 2; fi
    states=$(awk '/states, stored/ { print $1; exit }' pan.out)
    ! grep -qE 'errors: [1-9]' pan.out
}

status=0
for kind in safety liveness; do
    if check whole '' $kind; then echo "exhausted   $kind: $states states"; else
        echo "FAILED      $kind"; cat pan.out; status=1; fi
done
for variant in NO_RELOAD NO_BARRIER NO_SCAN FREE_FIRST NO_RECOVERY NO_HANDOVER READER_LOCKS; do
    kind=safety
    [[ $variant != READER_LOCKS ]] || kind=liveness
    if check $variant -D$variant $kind; then echo "NOT FOUND   $variant: $states states"; status=1; else
        echo "found       $variant"; fi
done
exit $status
