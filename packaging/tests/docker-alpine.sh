#!/bin/bash
# Runs the steps of packaging/docker/Dockerfile.alpine in a bare root that stands for Alpine's image. The root has no compiler. It has a PHP
# for musl that the project has built (pie-built.sh), and a folder for ini files like the image's. All other tools come from Debian. `apk`
# is a script of this test: for the names of Alpine's packages, it installs Debian's packages and a gcc for musl.
set -euo pipefail
# shellcheck source=packaging/tests/in-root.sh
. /srv/host/in-root.sh
read -r prefix _ <built
installed musl libfcgi-bin
command -v gcc >/dev/null && fail "this root has a compiler"
tar -C / -xf built.tar
version=$("$prefix/bin/php" -n -r 'echo PHP_MAJOR_VERSION . "." . PHP_MINOR_VERSION;')

export PHPIZE_DEPS="autoconf dpkg-dev dpkg file g++ gcc libc-dev make pkgconf re2c" # as in the image
export PHP_INI_SCAN_DIR=/usr/local/etc/php/conf.d
mkdir -p "$PHP_INI_SCAN_DIR"
ln -s "$prefix"/bin/{php,phpize} "$prefix/sbin/php-fpm" /usr/local/bin/
cat >/usr/local/bin/php-config <<CONFIG
#!/bin/sh
[ "\$1" != --ini-dir ] || { echo $PHP_INI_SCAN_DIR; exit; }
exec $prefix/bin/php-config "\$@"
CONFIG
cat >/usr/local/bin/apk <<'APK'
#!/bin/bash
set -euo pipefail
[[ $1 == add && $2 == --no-cache ]] || { echo "apk $*: is not known here" >&2; exit 1; }
declare -A debian=([autoconf]=autoconf [dpkg-dev]=dpkg-dev [dpkg]=dpkg [file]=file [g++]=g++ [gcc]=musl-tools [libc-dev]=musl-dev [make]=make
    [pkgconf]=pkgconf [re2c]=re2c [linux-headers]=linux-libc-dev)
packages=()
for name in "${@:3}"; do packages+=("${debian[$name]:?$name is no package that is known here}"); done
apt-get install -y -qq --no-install-recommends "${packages[@]}"
for name in gcc cc; do printf '#!/bin/sh\nPATH=/usr/bin:$PATH exec bash /srv/host/musl-gcc.sh "$@"\n' >"/usr/local/bin/$name"; done
# In Alpine, the compiler finds the kernel's headers only with the package linux-headers.
[[ " $* " == *' linux-headers '* ]] || rm -rf /usr/include/linux /usr/include/asm-generic
chmod +x /usr/local/bin/{gcc,cc}
APK
chmod +x /usr/local/bin/{php-config,apk}

context
php larder/packaging/tests/dockerfile.php larder/packaging/docker/Dockerfile.alpine /srv/host/context >alpine.sh || { cat alpine.sh; fail "Dockerfile.alpine"; }
bash alpine.sh >build.log 2>&1 || { tail -n 30 build.log; fail "a step of Dockerfile.alpine"; }
module=$(php-config --extension-dir)/larder.so
readelf --dynamic "$module" | grep -e NEEDED | grep -v -e '\[libc.so\]' && fail "larder.so is not for musl alone"
[[ ! -e $(php-config --extension-dir)/opcache.so ]] || echo zend_extension=opcache >"$PHP_INI_SCAN_DIR/10-opcache.ini" # as docker-php-ext-enable does
local_ini "$PHP_INI_SCAN_DIR"
well
pool_of "$prefix" "$version"
pool_works "$version"
echo "$(grep -c '^sh -c' alpine.sh) RUN steps of Dockerfile.alpine with PHP $version for musl; larder doctor: all is well"
