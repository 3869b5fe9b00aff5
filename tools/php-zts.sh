#!/usr/bin/env bash
# Builds a thread-safe PHP, because Debian has none. It has the version of the system's PHP, and the assertions and leak reports of a debug
# build. The source is Debian's source package. A build takes minutes, but only once: it is kept in ${LARDER_CACHE:-~/.cache/larder}.
#   tools/php-zts.sh [--release]               prints the folder it is installed in
#   tools/php-zts.sh [--release] COMMAND...    runs a command with PHP_CONFIG set to its php-config
# --release: thread-safe without the checks, as in production.
# If the source or a package is not available, the script says "skipped" and does not run COMMAND. Its exit code is then 0 if a COMMAND was
# given, otherwise 1.
set -euo pipefail
# shellcheck source=tools/from-source.sh disable=SC2034
. "$(dirname "${BASH_SOURCE[0]}")/from-source.sh"

# shellcheck disable=SC2034 # from-source.sh uses these variables
{
    name=php-zts
    variant=debug
    [[ ${1:-} != --release ]] || { variant=release; shift; }
    command=("$@")
    uses=(libonig-dev)
    needs=(dpkg-dev g++ make pkg-config "${uses[@]}")
    options=(
        --disable-all --disable-cgi --disable-phpdbg
        --enable-zts --enable-cli --enable-fpm --enable-embed=static --enable-opcache
        --enable-pcntl --enable-posix --enable-session --enable-ctype --enable-tokenizer --enable-mbstring
    )
    [[ $variant == release ]] || options+=(--enable-debug)
}
use_built
