# shellcheck shell=bash
# Functions for scripts that run in a bare root (tools/bare.sh). These scripts source this file.
trap 'echo "line $LINENO: $BASH_COMMAND gave $?" >&2' ERR
cd /srv/host || exit
export php=$LARDER_DEBIAN_PHP
fail() { echo "FAILED: $*" >&2; exit 1; }
installed() { apt-get install -y -qq --no-install-recommends "$@" >apt.log 2>&1 || { tail -n 20 apt.log; fail "apt-get install $*"; }; }

# fpm VERSION [BINARY]: starts a pool on /run/php/phpVERSION-fpm.sock, which runs until the root is removed.
fpm() {
    mkdir -p /run/php
    "${2:-php-fpm$1}" >fpm.log 2>&1 || { cat fpm.log; fail "FPM $1 does not start"; }
    [[ ! -s fpm.log ]] || ! grep -i -e warning -e error fpm.log || fail "FPM complains"
    for _ in {1..300}; do [[ ! -S /run/php/php$1-fpm.sock ]] || return 0; sleep 0.1; done
    fail "FPM $1 has no socket"
}

# well [OPTION]...: fails if "larder doctor" finds a fault in the command line, or in a pool (--fpm SOCKET).
well() {
    larder doctor "$@" >well.log 2>&1 || { cat well.log; fail "larder doctor $*"; }
    [[ $(tail -n 1 well.log) == "all is well" ]] || { cat well.log; fail "larder doctor $*: $(tail -n 1 well.log)"; }
}
# local_ini FOLDER...: writes the setting that README.md proposes into each folder.
local_ini() { for folder; do echo 'larder.scope = app' >"$folder/99-local.ini"; done; }

# shared SOCKET: checks that the next request and the command see a value that one request has stored.
shared() {
    printf '<?php echo Larder\\VolatileCache::increment("visits");' >/srv/visit.php
    for visit in 1 2; do
        SCRIPT_FILENAME=/srv/visit.php REQUEST_METHOD=GET cgi-fcgi -bind -connect "$1" | tail -n 1 | grep -xe "$visit" >/dev/null || fail "visit $visit"
    done
    [[ $(larder --fpm "$1" get visits) == 2 ]] || fail "the command does not see the pool's store"
}

# pool_works VERSION: checks that all is well in the pool, and that its requests share a store with the command.
pool_works() {
    well --fpm "/run/php/php$1-fpm.sock"
    shared "/run/php/php$1-fpm.sock"
}

# works: checks Debian's PHP with the settings of README.md, on the command line and in a pool.
works() {
    local_ini /etc/php/"$php"/{cli,fpm}/conf.d
    well
    fpm "$php"
    pool_works "$php"
    kill "$(<"/run/php/php$php-fpm.pid")"
}

# install_command PHP: installs the command `larder`. It runs larder.php with this PHP.
install_command() {
    install -Dm644 larder.php /usr/local/share/larder/larder.php
    printf '#!/bin/sh\nexec %s /usr/local/share/larder/larder.php "$@"\n' "$1" >/usr/local/bin/larder
    chmod +x /usr/local/bin/larder
}

# context: unpacks larder.tar.gz, and copies the folders that .dockerignore keeps (its lines with "!") into the folder context.
context() {
    mkdir -p context
    tar -xzf larder.tar.gz
    sed -n 's/^!\([a-z]*\)$/\1/p' larder/.dockerignore | while read -r name; do cp -r "larder/$name" context/; done
    rm -rf context/core/tests context/php/tests
}

# pool_of PREFIX VERSION: sets up a pool for a PHP that the project has built, and starts its FPM.
pool_of() {
    mkdir -p "$1/etc" "$1/var/log" "$1/var/run"
    cat >"$1/etc/php-fpm.conf" <<CONF
[www]
user = www-data
group = www-data
listen = /run/php/php$2-fpm.sock
pm = static
pm.max_children = 2
CONF
    fpm "$2" "$1/sbin/php-fpm"
}
