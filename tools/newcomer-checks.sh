#!/bin/bash
# Runs in the bare root of newcomer.sh: the commands of README.md one after the other, and what must be true after them.
set -euo pipefail
cd /root/larder
fail() { echo "newcomer: FAILED: $*" >&2; exit 1; }

apt-get update -qq
apt-get install -y -qq --no-install-recommends php8.2-fpm php8.2-cli libfcgi-bin >/dev/null 2>&1 || fail "php-fpm cannot be installed"
# Two sites, as a host with PHP has them.
useradd --system blog
sed -e 's/^\[www\]/[blog]/' -e 's/^user = .*/user = blog/' -e 's/^group = .*/group = blog/' -e 's|^listen = .*|listen = /run/php/blog.sock|' \
    /etc/php/8.2/fpm/pool.d/www.conf >/etc/php/8.2/fpm/pool.d/blog.conf
# There is no systemd here.
systemctl() {
    case $1 in
        restart | reload)
            [[ ! -e /run/php/php8.2-fpm.pid ]] || { kill "$(</run/php/php8.2-fpm.pid)"; while [[ -e /run/php/php8.2-fpm.pid ]]; do sleep 0.1; done; }
            mkdir -p /run/php
            php-fpm8.2
            ;;
    esac
}
sudo() { "$@"; }
request() { SCRIPT_FILENAME=$2 REQUEST_METHOD=GET cgi-fcgi -bind -connect "$1" | sed '1,/^\r*$/d'; }
mkdir -p /var/www
cat >/var/www/index.php <<'PHP'
<?php echo Larder\VolatileCache::remember('page', fn () => 'made by ' . getmypid()), ' ', Larder\VolatileCache::increment('visits');
PHP

# shellcheck disable=SC2094
mapfile -t commands < <(grep -v '^ *#' commands)
for command in "${commands[@]}"; do
    echo "\$ $command"
    eval "$command" >out 2>&1 || { cat out; fail "$command"; }
    sed 's/^/    /' out | tail -n 12
done
php -m | grep -xe larder >/dev/null || fail "the command line has no larder"

echo "-- the pools have the store that php.ini names, each user its own"
request /run/php/php8.2-fpm.sock /var/www/index.php
request /run/php/php8.2-fpm.sock /var/www/index.php | grep -e ' 2$' >/dev/null || fail "the second visit is not the second"
request /run/php/blog.sock /var/www/index.php | grep -e ' 1$' >/dev/null || fail "the pools are not apart"
larder --user www-data --scope app get visits | grep -xe 2 >/dev/null || fail "the command line does not see the pool's store"
setpriv --reuid=www-data --regid=www-data --clear-groups php -r 'Larder\VolatileCache::set("cron", 1);' || fail "cron"
larder --fpm /run/php/php8.2-fpm.sock get cron | grep -xe 1 >/dev/null || fail "the pool does not see what cron has stored"
larder --fpm /run/php/php8.2-fpm.sock clear
larder --fpm /run/php/php8.2-fpm.sock get visits && fail "clear has not cleared"

echo "-- upgraded under load"
(while [[ ! -e stop ]]; do request /run/php/php8.2-fpm.sock /var/www/index.php; echo; done >answers 2>&1) &
load=$!
sleep 1
dpkg -i ./php8.2-larder_*.deb >/dev/null 2>&1 || fail "upgrade"
systemctl restart php8.2-fpm
sleep 1
touch stop
wait "$load" || true
grep -e 'made by' answers >/dev/null || fail "no answers under load"
if grep -i 'fatal\|warning' answers; then fail "an answer was wrong"; fi
larder --user www-data --scope app stats | grep -e hits >/dev/null || fail "stats"

echo "-- removed"
apt-get purge -y -qq php8.2-larder >/dev/null 2>&1 || fail "purge"
if php -m | grep -xe larder >/dev/null; then fail "it is still loaded"; fi
[[ -z $(php -v 2>&1 >/dev/null) ]] || fail "php complains: $(php -v 2>&1)"
if compgen -G '/etc/php/8.2/*/conf.d/*larder*' || compgen -G '/etc/php/8.2/mods-available/larder*'; then fail "files were left"; fi
kill "$(</run/php/php8.2-fpm.pid)"
echo "newcomer: passed, ${#commands[@]} commands"
