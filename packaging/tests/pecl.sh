#!/bin/bash
# Installs the package for PECL (larder-VERSION.tgz, of make release) in a bare root, with `pecl install`.
set -euo pipefail
# shellcheck source=packaging/tests/in-root.sh
. /srv/host/in-root.sh
installed php-pear "php$php-dev" "php$php-fpm" gcc make libc6-dev libfcgi-bin
package=$(echo larder-*.tgz)
pecl package-validate "$package" >validate.log 2>&1 || { cat validate.log; fail "pecl package-validate"; }
# The release date is that of the sources, so ignore the warning that it is not today.
grep -e '^Validation: 0 error(s)' validate.log >/dev/null || { cat validate.log; fail "pecl package-validate"; }
if grep -e Warning: validate.log | grep -v -e 'field "date" - Release Date "[0-9-]*" is not today'; then fail "pecl package-validate warns"; fi
pecl install "$package" </dev/null >install.log 2>&1 || { tail -n 30 install.log; fail "pecl install"; }
for sapi in cli fpm; do echo extension=larder >"/etc/php/$php/$sapi/conf.d/20-larder.ini"; done
install_command php
works
echo "pecl install $package; larder doctor: all is well"
