#!/usr/bin/env bash
# Runs the tests of the extension with PHP's own run-tests.php. Ends with its summary; fails if a test fails.
#   php/run-tests.sh [--plain | --opcache | --jit | --function-jit | --all] [TEST...]
# LARDER_FLAGS: further -d settings for every test, e.g. LARDER_FLAGS='-d larder.volatile_size=8M'.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

php_config=${PHP_CONFIG:-php-config}
php=${PHP:-$("$php_config" --php-binary)}
extensions=$("$php_config" --extension-dir)
runner=$extensions/build/run-tests.php
module=${LARDER_MODULE:-$here/modules/larder.so}
[[ -e $module ]] || { echo "run-tests: $module is missing; run: make php" >&2; exit 1; }

modes=(plain)
case ${1:-} in
    --all) modes=(plain opcache jit function-jit); shift ;;
    --plain | --opcache | --jit | --function-jit) modes=("${1#--}"); shift ;;
esac
tests=("$@")
[[ ${#tests[@]} -gt 0 ]] || tests=("$here/tests")

# Without the system's php.ini; with the extensions that tests compare with, where they are not built in.
settings=(-n -d "extension_dir=$extensions" -d "extension=$module")
for extension in mbstring posix ctype; do
    [[ ! -e $extensions/$extension.so ]] || settings+=(-d "extension=$extension")
done
read -ra more <<<"${LARDER_FLAGS:-}"
opcache=(-d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.file_update_protection=0)

status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for mode in "${modes[@]}"; do
    case $mode in
        plain) extra=() ;;
        opcache) extra=("${opcache[@]}" -d opcache.jit=off) ;;
        jit) extra=("${opcache[@]}" -d opcache.jit=tracing -d opcache.jit_buffer_size=32M
            -d opcache.jit_hot_loop=2 -d opcache.jit_hot_func=2 -d opcache.jit_hot_return=2
            -d opcache.jit_hot_side_exit=1) ;;
        function-jit) extra=("${opcache[@]}" -d opcache.jit=1205 -d opcache.jit_buffer_size=32M) ;;
    esac
    # Its summary is shown; details of failures are beside the tests (.diff, .out).
    if ! TEST_PHP_EXECUTABLE=$php NO_INTERACTION=1 TEST_PHP_ARGS='' \
        "$php" -n "$runner" -n -q -j2 --set-timeout 120 "${settings[@]}" "${extra[@]}" ${more[@]+"${more[@]}"} \
        "${tests[@]}" >"$work/log" 2>&1; then
        status=1
    fi
    grep -aoE '(FAIL|BORK|LEAK|WARN) larder.*' "$work/log"
    awk -v mode="$mode" '/^Tests (passed|failed|skipped|warned|leaked)/ { sub(/\(.*/, ""); sub(/Tests /, ""); gsub(/ +/, " "); line = line " " $0 }
        END { print mode ":" line }' "$work/log"
    grep -q '^Tests passed' "$work/log" || { cat "$work/log"; status=1; }
done
exit $status
