#!/usr/bin/env bash
# Runs the tests of the library and of the gem with the frameworks, applications, Ruby and servers of Debian testing, in a root of
# tools/debian.sh. packages/php/.lib has only packages that Debian lacks.
set -euo pipefail
lib=$PWD/packages/php/.lib
status=0
php/run-tests.sh --build /tmp/php --build-only
mkdir -p php/modules
cp /tmp/php/php/modules/larder.so php/modules/ # Ruby's tests start PHP
export LARDER_LIB=$lib LARDER_MODULE=$PWD/php/modules/larder.so LARDER_SUITES=$lib/suites
if [[ -e $lib/vendor/autoload.php ]]; then
    packages/php/tests/run.sh --laravel-debian || status=1
    packages/php/tests/run.sh --messenger-debian || status=1
    LARDER_SERVER=redis packages/php/tests/run.sh packages/php/tests/Tiered || status=1
    LARDER_SERVER=valkey packages/php/tests/run.sh packages/php/tests/Tiered || status=1
    for application in apps WordPress MediaWiki; do
        php "packages/php/tests/$application/run.php" --kills=10 || status=1
    done
else
    echo "lib: skipped: not installed"
fi
make --no-print-directory -s test-ruby || status=1
make --no-print-directory -s test-ruby-gem || status=1
exit $status
