#!/usr/bin/env bash
# Runs benchmarks one after the other, prints its progress, and makes the report from their results.
#   bench/suite.sh NAME COMMAND [NAME COMMAND]...      used by `make bench`
# The output of a benchmark goes to build/bench/NAME.txt. If a benchmark fails, prints the end of its output, runs the other benchmarks, and
# then fails.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
mkdir -p build/bench

child=
stop() {
    [[ -z $child ]] || kill -TERM -- "-$child" 2>/dev/null
    wait
    exit "$1"
}
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP

total=$(($# / 2))
number=0
failed=()
while (($# > 1)); do
    name=$1
    number=$((number + 1))
    log=build/bench/${name// /-}.txt
    started=$SECONDS
    set -m # in a process group of its own, so that all its processes can be stopped
    bash -c "$2" >"$log" 2>&1 </dev/null &
    child=$!
    set +m
    while kill -0 "$child" 2>/dev/null; do
        [[ ! -t 1 ]] ||
            printf '\r[%d/%d] %-22s %4d s, %d s in all ' "$number" "$total" "$name" $((SECONDS - started)) "$SECONDS"
        sleep 0.5
    done
    wait "$child"
    status=$?
    child=
    [[ ! -t 1 ]] || printf '\r\e[K'
    if ((status == 0)); then
        printf '[%d/%d] %-22s %4d s  %s\n' "$number" "$total" "$name" $((SECONDS - started)) "$log"
    else
        printf '[%d/%d] %-22s %4d s  FAILED, exit code %d\n' "$number" "$total" "$name" $((SECONDS - started)) "$status"
        tail -n 20 "$log" | sed 's/^/      /'
        failed+=("$name")
    fi
    shift 2
done

php bench/report/build.php || failed+=(report)
printf '%d s\n' "$SECONDS"
((${#failed[@]} == 0)) || { echo "failed: ${failed[*]}"; exit 1; }
