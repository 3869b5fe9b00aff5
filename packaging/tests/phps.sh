#!/bin/bash
# Tests the packages php8.2-larder and php8.4-larder in a bare Debian 13 root, which has its own PHP 8.4 and PHP 8.2 of Debian 12. First
# installs the old package, which contains extension and command. Then upgrades to one package for each PHP and one for the command,
# upgrades these again, and removes one after the other.
set -euo pipefail
# shellcheck source=packaging/tests/in-root.sh
. /srv/host/in-root.sh
sed -n -e 's/ trixie / bookworm /p' -e 's,/debian/* bookworm ,/debian-security bookworm-security ,p' /etc/apt/sources.list >/etc/apt/sources.list.d/bookworm.list
apt-get update -qq >apt.log 2>&1 || { cat apt.log; fail "no sources of Debian 12"; }
# Debian 13's php-common has the tools for several PHPs, but its field "Breaks" refuses PHP 8.2. So install a copy without this field.
apt-get download php-common >apt.log 2>&1 || { cat apt.log; fail "no php-common"; }
dpkg-deb -R php-common_*.deb common
sed -i -e '/^Breaks:/d' -e 's/^Version: .*/&+several/' common/DEBIAN/control
dpkg-deb --root-owner-group -b common common.deb >/dev/null
installed ./common.deb
installed php8.2-cli php8.2-fpm php8.4-cli php8.4-fpm libfcgi-bin
for version in 8.2 8.4; do # each PHP has stores of its own
    for sapi in cli fpm; do echo "larder.scope = app$version" >"/etc/php/$version/$sapi/conf.d/99-local.ini"; done
done

# repack DEB VERSION OUT: writes a copy of the package DEB with the version VERSION to OUT.
repack() {
    rm -rf repacked
    dpkg-deb -R "$1" repacked
    sed -i "s/^Version: .*/Version: $2/" repacked/DEBIAN/control
    dpkg-deb --root-owner-group -b repacked "$3" >/dev/null
}
# Make a package like the packages of the old version 0.1.0. Such a package contains the extension for one PHP, and the command, too. So a
# machine can have only one of these packages.
dpkg-deb -R php8.2-larder_*.deb old
dpkg-deb -x larder_*.deb old
sed -i -e 's/^Version: .*/Version: 0.1.0/' -e 's/^Provides: .*/&\nConflicts: php-larder/' -e 's/^Recommends: .*/Recommends: php8.2-cli/' old/DEBIAN/control
rm old/DEBIAN/md5sums
dpkg-deb --root-owner-group -b old old.deb >/dev/null
installed ./old.deb
[[ $(dpkg -S /usr/bin/larder) == php8.2-larder:* ]] || fail "the package of old has no command"

installed ./larder_*.deb ./php8.2-larder_*.deb ./php8.4-larder_*.deb
[[ $(dpkg -S /usr/bin/larder) == larder:* ]] || fail "the command is of $(dpkg -S /usr/bin/larder)"
both() {
    [[ -z $(dpkg --audit) ]] || fail "$(dpkg --audit)"
    for version in 8.2 8.4; do
        "php$version" -m | grep -xe larder >/dev/null || fail "PHP $version has no larder"
        "php$version" -r 'exit((int) !Larder\VolatileCache::set("well", 1));' || fail "PHP $version"
        LARDER_PHP=/usr/bin/php$version larder --scope "app$version" ping >/dev/null || fail "the command with PHP $version"
        [[ -e /run/php/php$version-fpm.sock ]] || fpm "$version"
        LARDER_PHP=/usr/bin/php$version well --fpm "/run/php/php$version-fpm.sock"
    done
}
both
for version in 8.2 8.4; do shared "/run/php/php$version-fpm.sock"; done

repack larder_*.deb 0.1.0-2 larder-new.deb
repack php8.2-larder_*.deb 0.1.0-2 new82.deb
repack php8.4-larder_*.deb 0.1.0-2 new84.deb
installed ./larder-new.deb ./new82.deb ./new84.deb
[[ $(dpkg-query -W -f '${Version} ' larder php8.2-larder php8.4-larder) == "0.1.0-2 0.1.0-2 0.1.0-2 " ]] || fail "not upgraded"
both

# Without the extension of the default PHP, the command must find the other PHP.
update-alternatives --set php /usr/bin/php8.4 >/dev/null
apt-get purge -y -qq php8.4-larder >apt.log 2>&1 || { cat apt.log; fail purge; }
if php8.4 -m | grep -xe larder; then fail "PHP 8.4 still has it"; fi
php8.2 -m | grep -xe larder >/dev/null || fail "PHP 8.2 has lost it"
larder --scope app8.2 ping >/dev/null || fail "the command does not find PHP 8.2"
well --fpm /run/php/php8.2-fpm.sock
apt-get purge -y -qq php8.2-larder larder >apt.log 2>&1 || { cat apt.log; fail purge; }
if compgen -G '/etc/php/*/*/conf.d/*larder*' || compgen -G '/etc/php/*/mods-available/larder*' || compgen -G '/usr/lib/php/*/larder.so'; then fail "files were left"; fi
for version in 8.2 8.4; do
    [[ -z $("php$version" -v 2>&1 >/dev/null) ]] || fail "PHP $version complains"
    kill "$(<"/run/php/php$version-fpm.pid")"
done
echo "php8.2-larder and php8.4-larder: from the single package, together, upgraded, removed"
