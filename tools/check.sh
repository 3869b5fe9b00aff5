#!/usr/bin/env bash
# Runs the checks before a commit, which take some three minutes. Installs nothing. Prints which checks it left out, and why.
#   tools/check.sh
# `make test` has the other checks: sanitizers, killed processes, other PHPs, Ruby, the library.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

make=${MAKE:-make}
skipped=()
steps=()

# part NAME NEEDS COMMAND: adds a check, or skips it if a command or file of NEEDS is missing. Each need has the form
# COMMAND-OR-FILE:DEBIAN-PACKAGE.
part() {
    local need what
    for need in $2; do
        what=${need%%:*}
        if ! command -v "$what" >/dev/null && ! compgen -G "$what" >/dev/null; then
            skipped+=("$1: $what is missing (Debian: ${need#*:})")
            return
        fi
    done
    steps+=(--step "$1" "$3")
}

# the core's tests that take at most some two seconds each
core=(base count entry expiry fragment geometry handle hold keyrow look many memory near queue recovery segment segment_refusal store vet)
core=("${core[@]/%/_test}")
programs="${core[*]/#/build/test/core/}"
part core "gcc:gcc /usr/include/cmocka.h:libcmocka-dev" \
    "$make -s -j2 $programs && tools/run-tests.sh $programs"
part php "gcc:gcc phpize:php-dev php:php-cli" \
    "cd php && { { [ -e Makefile ] && [ ! config.m4 -nt Makefile ]; } || { phpize && ./configure; }; } && make && cd .. && php/run-tests.sh --plain \
    php/tests/array php/tests/cache php/tests/counter php/tests/errors php/tests/object php/tests/pool php/tests/resident php/tests/string php/tests/ttl"
part format "clang-format:clang-format" "$make -s lint-format"
part includes "php:php-cli" "$make -s lint-includes"
part names "php:php-cli git:git" "$make -s lint-names"
part documents "php:php-cli" "$make -s lint-docs"
part arginfo "/usr/share/php/PhpParser/ParserFactory.php:php-parser" "php/make-arginfo.sh --check"
part scripts "shellcheck:shellcheck" "$make -s lint-scripts"

tools/run-tests.sh "${steps[@]}"
status=$?
for line in ${skipped[@]+"${skipped[@]}"} "sanitizers, kills, other PHPs, Ruby, the library, servers: make test"; do
    echo "skipped  $line"
done
exit $status
