#!/usr/bin/env bash
# Tests larder/polyfill: runs the extension's tests, the polyfill's own tests, and the tools that packages/php/tests/run.sh installs:
# PHPStan and the coding standard. Ends with "N passed, N failed, N skipped"; fails if a test fails.
#   packages/polyfill/tests/run.sh [FOLDER-OR-FILE...]
set -uo pipefail
package=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=${LARDER_LIB:-$package/../../build/lib}
status=0
passed=0 failed=0 skipped=0

# check NAME COMMAND...: runs a command, and counts it as passed or failed.
check() {
    local name=$1 out
    shift
    if out=$("$@" 2>&1); then
        passed=$((passed + 1))
        echo "$name: right"
    else
        echo "$out"
        failed=$((failed + 1))
    fi
}

if [[ -e $work/vendor/bin/phpstan ]]; then
    check phpstan php -d memory_limit=1G "$work/vendor/bin/phpstan" analyse --no-progress --no-interaction --error-format=raw \
        --configuration="$package/phpstan.neon"
    check coding-standard php "$work/vendor/bin/php-cs-fixer" fix --dry-run --diff --sequential --using-cache=no \
        --config="$package/.php-cs-fixer.dist.php"
else
    echo "PHPStan and the coding standard: skipped: packages/php/tests/run.sh --install-only installs them"
    skipped=2
fi
out=$("${PHP:-php}" "$package/tests/run.php" "$@") || status=1
echo "$out" | sed '$d'
read -r p _ f _ s _ <<<"$(tail -n 1 <<<"$out")"
echo "$((passed + p)) passed, $((failed + f)) failed, $((skipped + s)) skipped"
((status == 0 && failed == 0))
