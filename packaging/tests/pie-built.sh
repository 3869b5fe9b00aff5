#!/bin/bash
# Runs in a bare root without a compiler. Installs an archive of build/release as PIE does, for a PHP that the project itself has built: a
# thread-safe one, or one for musl. The file `built` names the folder of that PHP and the end of the archive's name; built.tar contains that
# folder.
set -euo pipefail
# shellcheck source=packaging/tests/in-root.sh
. /srv/host/in-root.sh
read -r prefix kind <built
needs=(unzip libfcgi-bin)
case $kind in
    musl*) needs+=(musl) ;;
    *) needs+=(libonig5) ;; # mbstring needs it
esac
installed "${needs[@]}"
command -v gcc >/dev/null && fail "this root has a compiler"
tar -C / -xf built.tar
version=$("$prefix/bin/php" -n -r 'echo PHP_MAJOR_VERSION . "." . PHP_MINOR_VERSION;')
archive=$(compgen -G "php_larder-v*_php$version-*-linux-$kind.zip") || fail "no archive for PHP $version, $kind"
unzip -q "$archive" -d unpacked
modules=$("$prefix/bin/php" -n -r 'echo ini_get("extension_dir");')
mkdir -p "$modules"
cp unpacked/larder.so "$modules/"
printf '; PIE automatically added this\n; priority=20\nextension=larder\nlarder.scope = app\n' >"$prefix/lib/php.ini"
[[ ! -e $modules/opcache.so ]] || echo zend_extension=opcache >>"$prefix/lib/php.ini"
"$prefix/bin/php" -m | grep -xe larder >/dev/null || fail "not loaded: $("$prefix/bin/php" -m 2>&1 | head -n 3)"
install_command "$prefix/bin/php"
well
pool_of "$prefix" "$version"
pool_works "$version"
echo "$archive, unpacked as PIE does; larder doctor: all is well"
