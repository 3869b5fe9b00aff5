#!/usr/bin/env bash
# Runs quick tests with a newer libc, PHP and Ruby, in a root of tools/debian.sh. From glibc 2.42 on, the guard page of a stack lies within
# a writable mapping. The PHP extension searches such mappings for held values, and must not cause a fault at the guard page.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

libc=$(ldd --version | awk 'NR == 1 { print $NF }')
echo "glibc $libc, PHP $(php -r 'echo PHP_VERSION;'), Ruby $(ruby -e 'print RUBY_VERSION')"
[[ $(printf '%s\n' 2.42 "$libc" | sort -V | head -n 1) = 2.42 ]] || { echo "glibc is older than 2.42"; exit 1; }
status=0
rm -rf php/modules # these modules were built for another PHP
php/run-tests.sh --build build/php --plain php/tests/{holds,lifetime,cache,resident} || status=1
tests=()
for name in hold store entry near many handle fork; do
    [[ ! -e core/tests/${name}_test.c ]] || tests+=("build/test/core/${name}_test")
done
make --no-print-directory -s -j"${JOBS:-2}" "${tests[@]}" && tools/run-tests.sh "${tests[@]}" || status=1
make --no-print-directory -s build/ruby/lib/larder/larder.so && ruby/run-tests.sh ruby/test/memory_test.rb ruby/test/values_test.rb || status=1
exit $status
