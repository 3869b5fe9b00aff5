#!/usr/bin/env bash
# Runs the long form of kill_everywhere in parts, JOBS at a time. If the program and PARTS are the same as before, continues an interrupted
# run. No part begins after LIMIT seconds. Prints the operations of all ended parts, the sums and the number of parts. Exit code 1 if there
# is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export program=build/proof/kill_everywhere folder=build/proof/kills parts=${PARTS:-40}
export until=$(($(date +%s) + ${LIMIT:-1000000}))
mkdir -p "$folder"
sum=$(sha1sum <"$program")
[[ -f $folder/program && $(<"$folder/program") == "$sum $parts" ]] || rm -f "$folder"/*
echo "$sum $parts" >"$folder/program"
cp --remove-destination "$program" "$folder/kill_everywhere" # a copy, because another build may replace the program meanwhile
# shellcheck disable=SC2016 # the shell that xargs starts replaces the variables
seq 0 $((parts - 1)) | xargs -P "${JOBS:-2}" -I '{}' bash -c '
    log=$folder/$1.log
    [[ ! -f $log && $(date +%s) -lt $until ]] || exit 0
    code=0
    nice -n 19 "$folder/kill_everywhere" --long --part "$1/$parts" >"$log.new" 2>&1 || code=$?
    [[ $code -gt 1 ]] || mv "$log.new" "$log"
    exit $((code > 1))' _ '{}'
[[ -f $folder/program && -n $(find "$folder" -name '*.log') ]] || { echo 'no part has ended'; exit 1; }
cat "$folder"/*.log | grep -v '^operations='
cat "$folder"/*.log | awk -v parts="$parts" '
    /^recover: .* kills/ { recoveries++ }
    /^operations=/ {
        ended++
        for (i = 1; i <= NF; i++) { split($i, pair, "="); if (!(pair[1] in sum)) name[++n] = pair[1]; sum[pair[1]] += pair[2] }
    }
    END {
        for (i = 1; i <= n; i++) printf "%s=%d ", name[i], sum[name[i]]
        printf "recoveries=%d parts=%d of %d\n", recoveries, ended, parts
        exit sum["bad"] > 0
    }'
