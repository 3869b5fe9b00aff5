#!/usr/bin/env bash
# Runs the long forms of the proofs, one after the other. This takes a night on two processors. Records the figures of each proof that
# succeeds, and writes the page: tools/tested.sh [NAME...] (names of tools/tested.php).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
mkdir -p build/tested
[[ $# -gt 0 ]] || set -- model calls kill-controls kills histories coverage mutants
status=0
for name in "$@"; do
    case $name in
        model) target=(model) ;;
        calls) target=(fail-calls) ;;
        kill-controls) target=(kill-everywhere-control) ;;
        kills) target=(kill-everywhere FORM=--long) ;;
        histories) target=(histories FORM=--long) ;;
        coverage | mutants) target=("$name") ;;
        *) echo "unknown: $name" >&2; exit 2 ;;
    esac
    log=build/tested/$name.log
    if nice "${MAKE:-make}" -s "${target[@]}" >"$log" 2>&1; then
        # Only the last line of a log is recorded. The programs of these two targets print no sum, so append a line with the sum.
        case $name in
            kill-controls) echo "$(grep -c '^caught' "$log") broken variants, all caught" >>"$log" ;;
            model) echo "$(awk '/^exhausted/ { n += $3 } END { print n }' "$log") states, $(grep -c '^found' "$log") broken variants found" >>"$log" ;;
        esac
        php tools/tested.php --record "$name" "$log"
    else
        echo "FAIL  $name: see $log"
        status=1
    fi
done
exit $status
