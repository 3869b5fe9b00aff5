#!/usr/bin/env bash
# Tests the PHP library: conformance suites, the library's own cases, PHPStan, the coding standard.
#   packages/php/tests/run.sh [--install-only | --analyse | --laravel-debian | --messenger-debian | --limits-debian | FOLDER-OR-FILE [PHPUNIT-ARGUMENT...]]
#   packages/php/tests/run.sh --copy FOLDER    installs, and copies packages and suites for run-in-root.sh
# Installs the packages of composer.json once, in build/lib. This needs a network: where there is none, says "skipped" and
# succeeds. The suites of cache/integration-tests are taken from $LARDER_SUITES, from ../shared/suites beside the
# project, or by Composer. Ends with "N passed, N failed, N skipped"; fails if a test fails.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
package=$(dirname "$here")
project=$(cd "$here/../../.." && pwd)
work=${LARDER_LIB:-$project/build/lib}

skip() { echo "lib: skipped: $*"; exit 0; }

# Prints the folder that has the suites.
suites() {
    local place
    for place in "${LARDER_SUITES:-}" "$project/../shared/suites" "$project/../../shared/suites"; do
        [[ ! -d $place/php-cache-integration-tests/src ]] || { echo "$place"; return 0; }
    done
    return 1
}

install() {
    [[ -e $work/vendor/autoload.php ]] && cmp -s "$here/composer.json" "$work/composer.json.installed" && return
    command -v composer >/dev/null || skip "composer is missing (Debian: composer)"
    rm -rf "$work"
    mkdir -p "$work"
    cp "$here/composer.json" "$work/composer.json"
    export COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_ROOT_VERSION=1.0.0
    composer config --working-dir="$work" repositories.larder path "$package" >"$work/log" 2>&1
    timeout 400 composer update --no-interaction --no-progress --no-scripts --working-dir="$work" >>"$work/log" 2>&1 ||
        skip "not installed: $(tail -n 20 "$work/log")"
    # Some mirrors lack these two packages. suites() succeeds if the first package is already on this machine.
    suites >/dev/null || timeout 60 composer require --no-interaction --no-progress --no-scripts --working-dir="$work" \
        cache/integration-tests:^1.0 >>"$work/log" 2>&1 || echo "lib: cache/integration-tests is not to be had here"
    timeout 60 composer require --no-interaction --no-progress --no-scripts --working-dir="$work" \
        promphp/prometheus_client_php:^2.10 >>"$work/log" 2>&1 || echo "lib: promphp/prometheus_client_php is not to be had here"
    cp "$here/composer.json" "$work/composer.json.installed"
}

install
[[ ${1:-} != --install-only ]] || exit 0
if [[ ${1:-} == --copy ]]; then
    rm -rf "$2"
    mkdir -p "$2"
    cp -r "$work/vendor" "$2/vendor"
    ln -sfn ../../.. "$2/vendor/larder/cache" # the package itself
    cp "$work/composer.json.installed" "$2/"
    ! place=$(suites) || cp -r "$place" "$2/suites"
    exit 0
fi
php_config=${PHP_CONFIG:-php-config}
extensions=$("$php_config" --extension-dir)
module=${LARDER_MODULE:-$project/php/modules/larder.so}
php=("${PHP:-php}" -n -d "extension_dir=$extensions" -d "extension=$module" -d memory_limit=512M)
for extension in posix mbstring ctype tokenizer xml dom xmlwriter iconv pdo pdo_sqlite; do
    [[ ! -e $extensions/$extension.so ]] || php+=(-d "extension=$extension")
done

passed=0
failed=0
skipped=0

phpunit=("$work/vendor/bin/phpunit" --bootstrap "$here/bootstrap.php" --no-progress)

# run FOLDER-OR-FILE [PHPUNIT-ARGUMENT...]
run() {
    local log=$work/junit.xml out=$work/phpunit.out status=0 numbers name tests errors failures left
    rm -f "$log"
    "${php[@]}" "${phpunit[@]}" --no-configuration --do-not-cache-result --fail-on-warning --fail-on-risky --log-junit "$log" "${@:2}" "$1" >"$out" 2>&1 || status=$?
    numbers=$(grep -o -m 1 '<testsuite [^>]*' "$log" 2>/dev/null | head -n 1) || true
    for name in tests errors failures skipped; do
        numbers+=" $(sed -n "s/.* $name=\"\([0-9]*\)\".*/\1/p" <<<"$numbers" | head -n 1)"
    done
    read -r tests errors failures left <<<"$(grep -o '[0-9 ]*$' <<<"$numbers")"
    tests=${tests:-0} errors=${errors:-0} failures=${failures:-0} left=${left:-0}
    if ((status != 0 || tests == 0)); then
        cat "$out"
        ((errors + failures > 0)) || failures=1
    fi
    failed=$((failed + errors + failures))
    skipped=$((skipped + left))
    passed=$((passed + (tests > errors + failures + left ? tests - errors - failures - left : 0)))
    echo "$(basename "$1"): $tests tests, $((errors + failures)) failed, $left skipped"
}

# check NAME COMMAND...: runs a command, and counts it as passed or failed.
check() {
    local name=$1
    shift
    if "$@" >"$work/$name.out" 2>&1; then
        passed=$((passed + 1))
        echo "$name: right"
    else
        cat "$work/$name.out"
        failed=$((failed + 1))
    fi
}

# Runs the tests for Laravel with Debian's package, which contains all of Laravel in another version.
laravel_debian() {
    if [[ ! -e /usr/share/php/Illuminate/autoload.php || ! -x /usr/bin/phpunit ]]; then
        echo "Debian's Laravel: skipped: php-laravel-framework and phpunit of Debian are missing"
        return
    fi
    local phpunit=(/usr/bin/phpunit --bootstrap "$here/bootstrap-debian.php")
    echo "on Debian's $(sed -n "s/.*VERSION = '\([0-9.]*\)'.*/Laravel \1/p" /usr/share/php/Illuminate/Foundation/Application.php):"
    run "$here/Laravel/LaravelTest.php"
    run "$here/Laravel/QueueTest.php"
}

# Tests the transport for Messenger on Debian's Messenger, with Messenger's own commands.
messenger_debian() {
    if [[ ! -e /usr/share/php/Symfony/Component/Messenger/autoload.php || ! -x /usr/bin/phpunit ]]; then
        echo "Debian's Messenger: skipped: php-symfony-messenger and phpunit of Debian are missing"
        return
    fi
    local phpunit=(/usr/bin/phpunit --bootstrap "$here/bootstrap-messenger.php")
    echo "on Debian's Messenger $(dpkg-query --show --showformat '${Version}' php-symfony-messenger):"
    run "$here/Symfony/MessengerTest.php"
}

# Tests the limiter and the store of semaphores on Debian's RateLimiter and Semaphore.
limits_debian() {
    if [[ ! -e /usr/share/php/Symfony/Component/Semaphore/autoload.php || ! -e /usr/share/php/Symfony/Component/RateLimiter/autoload.php || ! -x /usr/bin/phpunit ]]; then
        echo "Debian's RateLimiter and Semaphore: skipped: php-symfony-rate-limiter, php-symfony-semaphore and phpunit of Debian are missing"
        return
    fi
    local phpunit=(/usr/bin/phpunit --bootstrap "$here/bootstrap-limits.php")
    echo "on Debian's RateLimiter $(dpkg-query --show --showformat '${Version}' php-symfony-rate-limiter):"
    run "$here/Symfony/LimiterTest.php"
    run "$here/Symfony/SemaphoreStoreTest.php"
}

analyse() {
    check phpstan php -d memory_limit=1G "$work/vendor/bin/phpstan" analyse --no-progress --no-interaction --error-format=raw \
        --configuration="$package/phpstan.neon"
    check coding-standard php "$work/vendor/bin/php-cs-fixer" fix --dry-run --diff --sequential --using-cache=no \
        --config="$package/.php-cs-fixer.dist.php"
}

if [[ ${1:-} == --analyse ]]; then
    analyse
elif [[ ${1:-} == --laravel-debian ]]; then
    laravel_debian
elif [[ ${1:-} == --messenger-debian ]]; then
    messenger_debian
elif [[ ${1:-} == --limits-debian ]]; then
    limits_debian
elif [[ $# -gt 0 ]]; then
    run "$@"
else
    for folder in Conformance Cache Tiered Symfony Laravel Loop Work Metrics Recipes; do
        if [[ $folder == Conformance && ! -d $work/vendor/cache/integration-tests ]] && ! suites >/dev/null; then
            echo "Conformance: skipped: cache/integration-tests is not to be had here"
            continue
        fi
        [[ ! -d $here/$folder ]] || run "$here/$folder"
    done
    laravel_debian
    messenger_debian
    limits_debian
    analyse
fi
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
