#!/usr/bin/env bash
# Runs a test on deliberately broken code until it fails, as it must. These tests kill and delay at random, so a single run may not notice.
#   tools/control.sh NAME LOG RUNS COMMAND...
# COMMAND ends with 0 if it noticed nothing (then it runs again, at most RUNS times in all), with 1 if it noticed the broken code, and with
# 77 if it cannot run here. Exit code 1 if no run noticed the broken code, or if COMMAND ended with any other code. Prints COMMAND's line
# "caught TEXT", too.
set -uo pipefail

name=$1 log=$2 runs=$3
shift 3
for ((run = 1; run <= runs; run++)); do
    "$@" >"$log" 2>&1
    code=$?
    [ $code -eq 0 ] || break
done
case $code in
    1) text=$(sed -n 's/^caught /: /p' "$log" | head -n 1); echo "caught      $name$text" ;;
    77) echo "skipped     $name: $(tail -n 1 "$log")" ;;
    *) echo "NOT CAUGHT  $name (exit code $code, of $runs runs at most)"; tail -n 10 "$log"; exit 1 ;;
esac
