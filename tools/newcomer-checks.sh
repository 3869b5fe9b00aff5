#!/bin/bash
# Runs in the bare root of newcomer.sh. Runs the commands of README.md and docs/install.md, and checks their effects.
#   newcomer-checks.sh PHP RELEASE
set -euo pipefail
trap 'echo "newcomer-checks: line $LINENO: $BASH_COMMAND gave $?" >&2' ERR
php=$1
release=$2
here=/srv/host
socket=/run/php/php$php-fpm.sock
fail() { echo "newcomer on Debian $release: FAILED: $*" >&2; exit 1; }

# Like a web host, this root gets PHP-FPM with two sites. It has no systemd, and reaches only the mirror.
apt-get install -y -qq --no-install-recommends "php$php-fpm" "php$php-cli" libfcgi-bin >/dev/null 2>&1 || fail "php-fpm cannot be installed"
useradd --system blog
sed -e 's/^\[www\]/[blog]/' -e 's/^user = .*/user = blog/' -e 's/^group = .*/group = blog/' -e 's|^listen = .*|listen = /run/php/blog.sock|' \
    "/etc/php/$php/fpm/pool.d/www.conf" >"/etc/php/$php/fpm/pool.d/blog.conf"
# Delete the lists of packages: a bare machine has none.
find /var/lib/apt/lists -type f -delete
useradd --create-home --shell /bin/bash newcomer
echo 'newcomer ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/newcomer
chown -R newcomer "$here/larder.git"
mkdir -p /var/www
cat >/var/www/index.php <<'PHP'
<?php echo Larder\VolatileCache::remember('page', fn () => 'made by ' . getmypid()), ' ', Larder\VolatileCache::increment('visits');
PHP
request() { SCRIPT_FILENAME=$2 REQUEST_METHOD=GET cgi-fcgi -bind -connect "$1" | sed '1,/^\r*$/d'; }

# as_user FILE: runs the file's commands in one shell, until one fails.
as_user() {
    {
        printf 'set -euo pipefail\ncd\n[[ ! -d larder ]] || cd larder\n'
        printf 'export DEBIAN_FRONTEND=noninteractive JOBS=%s GIT_CONFIG_COUNT=1\n' "$JOBS"
        printf 'export GIT_CONFIG_KEY_0=url.%s/.insteadOf GIT_CONFIG_VALUE_0=https://example.org/\n' "$here"
        echo 'set -x'
        # On Debian 13 the newcomer has an archive of the project instead of a clone.
        if [[ $release == 13 ]]; then sed -e 's/^git clone .*/&\nrm -rf .git/' "$1"; else cat "$1"; fi
    } >"$here/script"
    runuser -u newcomer -- bash "$here/script" >"$here/said" 2>&1 || { tail -n 60 "$here/said"; fail "a command of ${1##*/}"; }
    grep -e '^+ ' "$here/said" | sed 's/^+ /$ /'
}
works() {
    larder doctor --fpm "$socket" >"$here/doctor" || { cat "$here/doctor"; fail "the doctor finds something wrong"; }
    grep -xe 'all is well' "$here/doctor"
    php -m | grep -xe larder >/dev/null || fail "the command line has no larder"
    request "$socket" /var/www/index.php
    request "$socket" /var/www/index.php | grep -e ' 2$' >/dev/null || fail "the second visit is not the second"
    larder --fpm "$socket" get visits | grep -xe 2 >/dev/null || fail "the command does not reach the pool"
}

as_user "$here/readme"
! dpkg --list apache2-bin lintian debootstrap 2>/dev/null | grep -e ^ii || fail "the build installs what it does not need"
echo "-- the pools have the store that php.ini names, each user its own"
works
request /run/php/blog.sock /var/www/index.php | grep -e ' 1$' >/dev/null || fail "the pools are not apart"
larder --user www-data --scope app get visits | grep -xe 2 >/dev/null || fail "the command line does not see the pool's store"
setpriv --reuid=www-data --regid=www-data --clear-groups php -r 'Larder\VolatileCache::set("cron", 1);' || fail "cron"
larder --fpm "$socket" get cron | grep -xe 1 >/dev/null || fail "the pool does not see what cron has stored"
larder --fpm "$socket" clear
larder --fpm "$socket" get visits && fail "clear has not cleared"

echo "-- upgraded under load"
(while [[ ! -e $here/stop ]]; do request "$socket" /var/www/index.php; echo; done >"$here/answers" 2>&1) &
load=$!
sleep 1
dpkg -i /home/newcomer/larder/build/deb/*larder_*.deb >/dev/null 2>&1 || fail "upgrade"
service "php$php-fpm" restart
sleep 1
touch "$here/stop"
wait "$load" || true
grep -e 'made by' "$here/answers" >/dev/null || fail "no answers under load"
if grep -i 'fatal\|warning' "$here/answers"; then fail "an answer was wrong"; fi
larder --user www-data --scope app stats | grep -e hits >/dev/null || fail "stats"

echo "-- of another size, as docs/operations.md says"
echo 'larder.volatile_size = 128M' | tee -a "/etc/php/$php/fpm/conf.d/99-local.ini" "/etc/php/$php/cli/conf.d/99-local.ini"
service "php$php-fpm" restart
larder --fpm "$socket" ping | grep -e 'of 128M used' || fail "the store keeps its size"

echo "-- removed"
apt-get purge -y -qq larder "php$php-larder" >/dev/null 2>&1 || fail "purge"
if php -m | grep -xe larder >/dev/null; then fail "it is still loaded"; fi
[[ -z $(php -v 2>&1 >/dev/null) ]] || fail "php complains: $(php -v 2>&1)"
if compgen -G "/etc/php/$php/*/conf.d/*larder*" || compgen -G "/etc/php/$php/mods-available/larder*"; then fail "files were left"; fi
hash -r
if command -v larder; then fail "the command was left"; fi

echo "-- from source"
rm -rf /dev/shm/larder-*
as_user "$here/source"
service "php$php-fpm" restart
works
master=$(<"/run/php/php$php-fpm.pid")
kill "$master"
echo "newcomer on Debian $release: passed, $(grep -cv '^ *#' "$here/readme") commands of README.md, $(grep -cv '^ *#' "$here/source") of docs/install.md"
