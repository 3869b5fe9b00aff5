#!/usr/bin/env bash
# Builds a Ruby for musl, of the same series (X.Y) as the system's Ruby. Uses Debian's source package and musl-gcc, and leaves out the parts
# that need other libraries. Alpine has such a Ruby already. A build takes minutes, but only once: it is kept in
# ${LARDER_CACHE:-~/.cache/larder}.
#   tools/ruby-musl.sh               prints the folder it is installed in
#   tools/ruby-musl.sh COMMAND...    runs a command with its bin first in the PATH
# If the source or a package is not available, the script says "skipped" and does not run COMMAND. Its exit code is then 0 if a COMMAND was
# given, otherwise 1.
set -euo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tools/from-source.sh
. "$tools/from-source.sh"

host=$(uname -m)-linux-musl # RubyGems tells musl and glibc apart by this name
# shellcheck disable=SC2034,SC2054 # from-source.sh uses these variables
{
    language=ruby
    name=ruby-musl
    variant=release
    command=("$@")
    needs=(dpkg-dev gcc make musl-tools ruby)
    options=(
        --build="$host" --host="$host" --with-baseruby="$(command -v ruby)" --disable-install-doc --disable-jit-support --disable-shared
        --without-gmp --with-out-ext=openssl,readline,zlib,dbm,gdbm,fiddle,syslog
    )
    series=$(ruby -e 'puts RUBY_VERSION[/\A\d+\.\d+/]' 2>/dev/null) || series=3.1
}
# Ruby remembers the path of the compiler that built it, and builds extensions with it. So use a copy whose path does not change.
mkdir -p "$cache"
install -m755 "$tools/musl-gcc.sh" "$cache/musl-gcc.sh"
export CC=$cache/musl-gcc.sh
use_built
