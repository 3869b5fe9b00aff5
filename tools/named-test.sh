#!/usr/bin/env bash
# Runs one test, or all tests whose names match. Call it while you work.
#   tools/named-test.sh NAME            a file of tests: policy_test, keys.phpt, php/tests/string, PoolTest, cache_test.rb
#   tools/named-test.sh NAME:FUNCTION   one function of a C file (* and ? may stand in it), or PHPUnit's --filter
# NAME is a path, or a file's name with or without its extension. Builds the programs that the test needs. Exits with the test's exit code.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=${1%%:*}
function=
[[ $1 != *:* ]] || function=${1#*:}
mapfile -t found < <(git ls-files --cached --others --exclude-standard 'core/tests/*_test.c' 'php/tests/*.phpt' 'packages/php/tests/*Test.php' \
    'ruby/test/*.rb' | awk -v name="$name" '{
        base = $0; sub(/.*\//, "", base); stem = base; sub(/\.[^.]*$/, "", stem)
        if ($0 == name || base == name || stem == name || index($0, name "/") == 1) print }')
((${#found[@]} > 0)) || { echo "make test NAME=$name: no test of that name; it is a file, such as policy_test, or a folder, such as php/tests/string" >&2; exit 2; }

# The name may match files in several folders, such as a C file and a Ruby file. Run all.
for folder in core php packages ruby; do
    files=()
    for file in "${found[@]}"; do
        [[ $file != "$folder"/* ]] || files+=("$file")
    done
    ((${#files[@]} > 0)) || continue
    case $folder in
        core)
            for file in "${files[@]}"; do
                program=build/test/core/$(basename "$file" .c)
                "${MAKE:-make}" -s "$program"
                LARDER_TEST=$function "$program"
            done
            ;;
        php)
            "${MAKE:-make}" -s php
            php/run-tests.sh "${NAMED_MODE:---plain}" "${files[@]}"
            ;;
        packages)
            "${MAKE:-make}" -s php
            for file in "${files[@]}"; do
                packages/php/tests/run.sh "$file" ${function:+--filter "$function"}
            done
            ;;
        ruby)
            "${MAKE:-make}" -s ruby
            ruby/run-tests.sh "${files[@]}"
            ;;
    esac
done
