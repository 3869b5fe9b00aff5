#!/usr/bin/env bash
# Builds a PHP for musl (not needed on Alpine), of the system's series, from Debian's source package and with Debian's musl-gcc: command
# line, FPM, opcache, sessions. This takes minutes, but only once: the result is kept in ${LARDER_CACHE:-~/.cache/larder}.
#   tools/php-musl.sh               prints the folder it is installed in; its php-config is bin/php-config there
#   tools/php-musl.sh COMMAND...    runs a command with PHP_CONFIG set to its php-config and CC to tools/musl-gcc.sh:
#                                   phpize's configure needs both to build an extension for it
# If the source or a package is not available, the script says "skipped" and does not run COMMAND. Its exit code is then 0 if a COMMAND was
# given, otherwise 1.
set -euo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tools/from-source.sh
. "$tools/from-source.sh"

# shellcheck disable=SC2034 # from-source.sh uses these variables
{
    name=php-musl
    variant=release
    command=("$@")
    needs=(dpkg-dev gcc make musl-tools)
    options=(
        --disable-all --disable-cgi --disable-phpdbg --enable-cli --enable-fpm --enable-opcache --enable-pcntl --enable-posix
        --enable-session --enable-sockets --enable-ctype --enable-tokenizer --enable-mbstring --disable-mbregex
    )
}
export CC=$tools/musl-gcc.sh PKG_CONFIG=false
use_built
