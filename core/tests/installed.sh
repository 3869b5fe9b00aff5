#!/usr/bin/env bash
# Installs the library of `make core` into an empty folder, and builds core/example.c against the shared and the static one. The shared
# library must export the headers' functions and nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

DESTDIR=$root PREFIX=/opt/larder tools/install.sh --core
lib=$root/opt/larder/lib include=$root/opt/larder/include
for header in core/include/*.h; do
    cmp "$header" "$include/$(basename "$header")"
    echo "#include <$(basename "$header")>" | "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I"$include" -fsyntax-only -xc -
done

command -v pkg-config >/dev/null || fail "pkg-config is missing (Debian: pkg-config)"
export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
[[ $(pkg-config --modversion larder) = "$(<VERSION)" ]] || fail "larder.pc has version $(pkg-config --modversion larder)"
read -ra shared <<<"$(pkg-config --cflags --libs larder)"
read -ra whole <<<"$(pkg-config --cflags --libs --static larder)"
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -o "$root/shared" core/example.c "${shared[@]}"
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -o "$root/whole" core/example.c "${whole[@]/-llarder/-l:liblarder.a}"
[[ $(LD_LIBRARY_PATH=$lib "$root/shared" "$root/store") = hello ]] || fail "the example with the shared library"
[[ $("$root/whole" "$root/store") = hello ]] || fail "the example with the archive"
needed=$(readelf -d "$root/shared" | sed -nE 's/.*NEEDED.*\[(liblarder[^]]*)\]/\1/p')
[[ -n $needed && -e $lib/$needed ]] || fail "the program needs '$needed', which is not installed"
! readelf -d "$root/whole" | grep -q 'NEEDED.*liblarder' || fail "the whole program needs the shared library"

diff <(sed -nE 's/^LRD_API .*\b(lrd_[a-z_]+)\(.*/\1/p' core/include/*.h | sort) \
    <(nm -D --defined-only "$lib/$needed" | awk '{ print $3 }' | sort) || fail "what the headers declare (<) is not what the library exports (>)"
echo "the installed library: works, $needed"
