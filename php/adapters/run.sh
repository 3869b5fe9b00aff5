#!/usr/bin/env bash
# Runs the cache adapters of Symfony, Laravel and Doctrine on Larder's layer for APCu: the cases in cases/, the suites
# of cache/integration-tests where that is available (conformance/), and a Symfony application under php-fpm
# (php/tests/adapters). Ends with "N passed, N failed, N skipped"; fails if a test fails.
#   php/adapters/run.sh [--apcu] [PHPUNIT-ARGUMENT...]
# --apcu: runs the cases on the real APCu instead, to check that the cases are right.
# The packages of composer.json are installed once, in build/adapters. This needs a network. Without a network, this script says "skipped"
# and succeeds.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
work=$project/build/adapters

skip() { echo "adapters: skipped: $*"; exit 0; }

install() {
    [[ -e $work/vendor/autoload.php ]] && cmp -s "$here/composer.json" "$work/composer.json.installed" && return
    command -v composer >/dev/null || skip "composer is missing (Debian: composer)"
    rm -rf "$work"
    mkdir -p "$work"
    cp "$here/composer.json" "$work/composer.json"
    export COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_ROOT_VERSION=1.0.0
    local update=(timeout 600 composer update --no-interaction --no-progress --no-scripts --working-dir="$work")
    "${update[@]}" >"$work/log" 2>&1 || skip "not installed: $(tail -n 20 "$work/log")"
    # not every mirror has this package
    timeout 600 composer require --no-interaction --no-progress --no-scripts --working-dir="$work" \
        cache/integration-tests:^0.17 >>"$work/log" 2>&1 || echo "adapters: cache/integration-tests is not to be had here"
    [[ -e $work/vendor/autoload.php ]] || skip "not installed: $(tail -n 20 "$work/log")"
    cp "$here/composer.json" "$work/composer.json.installed"
}

install
php_config=${PHP_CONFIG:-php-config}
extensions=$("$php_config" --extension-dir)
module=${LARDER_MODULE:-$project/php/modules/larder.so}
layer=(-d "extension=$module" -d larder.compat=apcu)
if [[ ${1:-} == --apcu ]]; then
    shift
    layer=(-d extension=apcu -d apc.enable_cli=1)
    export LARDER_ADAPTERS_ON=apcu
fi
for extension in mbstring ctype tokenizer xml dom xmlwriter; do
    [[ ! -e $extensions/$extension.so ]] || layer+=(-d "extension=$extension")
done

passed=0
failed=0
skipped=0

# run NAME FOLDER [PHPUNIT-ARGUMENT...]
run() {
    local log=$work/$1.xml status=0 numbers
    rm -f "$log"
    "${PHP:-php}" -n -d "extension_dir=$extensions" "${layer[@]}" -d memory_limit=256M "$work/vendor/bin/phpunit" \
        --no-configuration --bootstrap "$here/bootstrap.php" --do-not-cache-result --no-progress --fail-on-warning \
        --fail-on-risky --log-junit "$log" "${@:3}" "$2" >"$work/$1.out" 2>&1 || status=$?
    numbers=$(sed -n 's/.*<testsuite .*tests="\([0-9]*\)".*errors="\([0-9]*\)" failures="\([0-9]*\)" skipped="\([0-9]*\)".*/\1 \2 \3 \4/p' \
        "$log" 2>/dev/null | head -n 1)
    read -r tests errors failures left <<<"${numbers:-0 0 0 0}"
    if ((status != 0 || tests == 0)); then
        cat "$work/$1.out"
        ((errors + failures > 0)) || failures=1
    fi
    failed=$((failed + errors + failures))
    skipped=$((skipped + left))
    passed=$((passed + (tests > errors + failures + left ? tests - errors - failures - left : 0)))
}

run cases "$here/cases" "$@"
if [[ -d $work/vendor/cache/integration-tests ]]; then
    run conformance "$here/conformance" "$@"
fi
if [[ -z ${LARDER_ADAPTERS_ON:-} ]]; then
    if LARDER_ADAPTERS=$here "$project/php/run-tests.sh" --plain "$project/php/tests/adapters"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
fi
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
