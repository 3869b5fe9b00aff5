#!/bin/bash
# Installs the archive of build/release for this PHP in a bare root without a compiler, with the steps of PIE 1.4. PIE finds the archive by
# name, copies EXTENSION.so from its top folder to extension_dir, and writes an ini file.
set -euo pipefail
# shellcheck source=packaging/tests/in-root.sh
. /srv/host/in-root.sh
installed "php$php-cli" "php$php-fpm" unzip libfcgi-bin
command -v gcc >/dev/null && fail "this root has a compiler"
# shellcheck disable=SC2016
archive=$("php$php" -r '
    $package = json_decode(file_get_contents("composer.json"), true, flags: JSON_THROW_ON_ERROR)["php-ext"];
    $package["download-url-method"] === ["pre-packaged-binary", "composer-default"] || exit(1);
    // The names that PIE looks for, in its order.
    $architecture = ["x86_64" => "x86_64", "aarch64" => "arm64"][php_uname("m")];
    preg_match("/-(v[0-9.]+)_php/", glob("php_larder-*.zip")[0], $tag);
    foreach (PHP_ZTS ? ["-zts"] : ["", "-nts"] as $suffix) {
        $name = strtolower(sprintf("php_%s-%s_php%d.%d-%s-%s-%s%s.zip", $package["extension-name"], $tag[1], PHP_MAJOR_VERSION, PHP_MINOR_VERSION,
            $architecture, strtolower(PHP_OS_FAMILY), "glibc", $suffix));
        file_exists($name) && exit($name);
    }
    exit(1);') || fail "no archive of the name that PIE looks for"
mkdir unpacked
unzip -q "$archive" -d unpacked
[[ -e unpacked/LICENSE && -e unpacked/LICENSE.lz4 && -e unpacked/LICENSE.xxhash ]] || fail "the archive has no licences"
cp unpacked/larder.so "$("php$php" -r 'echo ini_get("extension_dir");')/"
for sapi in cli fpm; do printf '; PIE automatically added this\n; priority=20\nextension=larder\n' >"/etc/php/$php/$sapi/conf.d/20-larder.ini"; done
"php$php" -m | grep -xe larder >/dev/null || fail "not loaded: $("php$php" -m 2>&1 | head -n 3)"
install_command php
works
echo "$archive, unpacked as PIE does; larder doctor: all is well"
