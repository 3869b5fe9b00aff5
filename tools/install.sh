#!/usr/bin/env bash
# Installs the products of `make php` and `make core`.
# - The extension: larder.so, a php.ini file that switches it on for every SAPI that reads the ini folder of this PHP, and the command larder
#   with its manual page. On Debian each SAPI has its own folder of ini files, so phpenmod switches the extension on there.
# - The core: liblarder, its headers and larder.pc.
#   tools/install.sh [--core]    --core: install only the library
#                                PREFIX: for the command and the library (/usr/local); LIBDIR: for liblarder (PREFIX/lib)
#                                PHP_CONFIG: php-config of the PHP that the extension was built for; DESTDIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
prefix=${PREFIX:-/usr/local}
destdir=${DESTDIR:-}
php_config=${PHP_CONFIG:-php-config}

fail() { echo "install: $*" >&2; exit 1; }

install_core() {
    local lib=${LIBDIR:-$prefix/lib} soname
    soname=$(readlink build/core/liblarder.so)
    install -Dm644 -t "$destdir$prefix/include" core/include/*.h
    install -Dm644 build/core/liblarder.a "$destdir$lib/liblarder.a"
    install -Dm755 "build/core/$soname" "$destdir$lib/$soname"
    ln -sfn "$soname" "$destdir$lib/liblarder.so"
    install -d "$destdir$lib/pkgconfig"
    sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|$lib|" -e "s|@VERSION@|$(<VERSION)|" core/larder.pc.in >"$destdir$lib/pkgconfig/larder.pc"
    chmod 644 "$destdir$lib/pkgconfig/larder.pc"
    [[ -n $destdir ]] || ldconfig 2>/dev/null || true # ldconfig fails without root, and with another libc, which finds the library in another way
    echo "installed: $lib/$soname, $prefix/include/larder.h, $lib/pkgconfig/larder.pc"
}

if [[ -e build/core/liblarder.so && -e build/core/liblarder.a ]]; then
    install_core
    [[ ${1:-} != --core && (-e php/modules/larder.so || -e build/larder.php) ]] || exit 0
elif [[ ${1:-} == --core ]]; then
    fail "build/core/liblarder.so is missing: run make core first, not as root"
fi
command -v "$php_config" >/dev/null || fail "$php_config is missing: install PHP's development files"
for built in php/modules/larder.so build/larder.php; do
    [[ -e $built ]] || fail "$built is missing: run make php larder first, not as root"
done
version=$("$php_config" --version | cut -d. -f1,2)
php=$("$php_config" --php-binary)
extensions=$("$php_config" --extension-dir)
install -Dm644 php/modules/larder.so "$destdir$extensions/larder.so"
"$php" -n -d "extension=$destdir$extensions/larder.so" -r 'exit((int) !extension_loaded("larder"));' ||
    fail "this PHP does not load $extensions/larder.so: was it built for another one?"
mods=/etc/php/$version/mods-available
if [[ -d $mods ]] && command -v phpenmod >/dev/null; then
    ini=$mods/larder.ini
    [[ -e $destdir$ini ]] || install -Dm644 tools/deb/larder.ini "$destdir$ini"
    [[ -n $destdir ]] || phpenmod -v "$version" -s ALL larder
else
    folder=$("$php_config" --ini-dir)
    [[ -n $folder ]] || fail "this PHP reads no folder of php.ini files: write extension=larder.so into its php.ini"
    ini=$folder/20-larder.ini
    [[ -e $destdir$ini ]] || install -Dm644 tools/deb/larder.ini "$destdir$ini"
fi
install -Dm644 build/larder.php "$destdir$prefix/share/larder/larder.php"
install -Dm644 ops/larder.1 "$destdir$prefix/share/man/man1/larder.1"
for file in bash:bash-completion/completions/larder zsh:zsh/site-functions/_larder fish:fish/vendor_completions.d/larder.fish; do
    install -d "$destdir$prefix/share/$(dirname "${file#*:}")"
    "$php" -n build/larder.php completion "${file%%:*}" >"$destdir$prefix/share/${file#*:}"
done
install -d "$destdir$prefix/bin"
printf '#!/bin/sh\nexec %s %s/share/larder/larder.php "$@"\n' "$php" "$prefix" >"$destdir$prefix/bin/larder"
chmod 755 "$destdir$prefix/bin/larder"
echo "installed: $extensions/larder.so, $ini, $prefix/bin/larder"
echo "Restart PHP-FPM; if its phpinfo() does not list $(dirname "$ini") or a folder with a link to this file, copy it to the one it lists."
