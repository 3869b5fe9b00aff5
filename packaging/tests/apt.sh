#!/bin/bash
# Runs in a bare root. Installs the packages by apt-get, tests FPM and the command, and removes the packages.
set -euo pipefail
# shellcheck source=packaging/tests/in-root.sh
. /srv/host/in-root.sh
installed ./larder_*.deb ./php"$php"-larder_*.deb "php$php-fpm" libfcgi-bin
works
dpkg -L larder | grep -e /larder.1.gz >/dev/null || fail "no manual page"
apt-get purge -y -qq larder "php$php-larder" >apt.log 2>&1 || { cat apt.log; fail purge; }
if find / -xdev \( -path /proc -o -path /srv -o -path /dev \) -prune -o -name '*larder*' ! -path '/etc/php/*/99-local.ini' -print | grep -v '^/var/log\|^/var/cache'; then fail "files were left"; fi
[[ -z $(php -v 2>&1 >/dev/null) ]] || fail "php complains"
[[ -z $(dpkg --audit) ]]
echo "apt-get install larder php$php-larder; larder doctor: all is well; removed"
