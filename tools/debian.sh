#!/usr/bin/env bash
# Runs a command in another Debian, in a copy of the project without build/. The root is made once (minutes) with debootstrap and kept in
# ${LARDER_CACHE:-~/.cache/larder}.
#   tools/debian.sh 13 COMMAND...        PHP 8.4, Valkey 8
#   tools/debian.sh testing COMMAND...   what will be in the next Debian: newer frameworks, Ruby and Redis
#   tools/debian.sh php8.5 COMMAND...    unstable, with the PHP 8.5 that Debian prepares
#   tools/debian.sh php8.6 COMMAND...    Debian testing with PHP 8.6
#   tools/debian.sh ruby3.4 COMMAND...   Debian testing with Ruby 3.4, as ruby3.4, and without PHP
# Needs root, mount namespaces and a mirror: without them says "skipped" and succeeds. All mounts end with this script, even if it is
# killed.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
    echo "usage: tools/debian.sh 13|testing|php8.5|php8.6|ruby3.4 COMMAND..." >&2
    exit 2
}

packages=(
    php8.4-cli php8.4-fpm php8.4-dev php8.4-opcache php8.4-mbstring php8.4-xml php8.4-igbinary php8.4-apcu
    php8.4-redis valkey-server valkey-sentinel openssl libfcgi-bin gcc make libc6-dev valgrind
)
release=${1:-}
preview='' # a suite with packages that unstable does not have yet
case $release in
    13) suite=trixie ;;
    testing)
        suite=testing
        packages+=(
            php8.4-sqlite3 php8.4-intl phpunit php-laravel-framework php-symfony-messenger php-symfony-framework-bundle
            redis-server ruby ruby-dev ruby-minitest ruby-activesupport rake puma procps herdtools7
            libcmocka-dev nginx-light mariadb-server wordpress wordpress-theme-twentytwentyfive mediawiki php8.4-mysql php8.4-gd util-linux
        )
        ;;
    php8.[56])
        suite=unstable
        preview=experimental
        packages=(
            "$release"-{cli,fpm,dev,mbstring,xml} libfcgi-bin procps gcc make libc6-dev valgrind
        )
        [[ $release = php8.5 ]] || packages+=(php-common/experimental)
        ;;
    ruby3.4)
        suite=unstable
        preview=experimental
        packages=({ruby3.4,ruby3.4-dev,ruby,libruby}/experimental ruby-minitest ruby-activesupport rake procps gcc make libc6-dev)
        ;;
    *) usage ;;
esac
shift
cache=${LARDER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/larder}
root=$cache/debian-$release
recipe="1 ${packages[*]}"

say() { echo "Debian $release: $*" >&2; }
skip() { echo "Debian $release: skipped: $*"; exit 0; }

# Print the address of the archive from which this system gets its packages.
mirror() {
    apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' 'Label: Debian' 2>/dev/null |
        sort -u | head -n 1
}

# "${enter[@]}" ROOT SCRIPT NAME ARGUMENT...: runs the script in a chroot with /proc, /dev and an empty /dev/shm.
# shellcheck disable=SC2016
enter=(unshare --mount --pid --fork --kill-child --propagation private -- bash -c '
    set -eu
    root=$1; shift
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o size=1g,mode=1777 tmpfs "$root/dev/shm"
    [ ! -e "$root/larder" ] || mount -t tmpfs -o size=2g,mode=1777 tmpfs "$root/tmp"
    exec chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/root LANG=C.UTF-8 TERM=dumb bash -euc "$@"' enter)

# The new root uses the mirror of this system. So it also needs the apt settings of this system, and its certificates for https.
make_root() {
    local new=$1 uri
    uri=$(mirror)
    [[ -n $uri ]] || skip "apt knows no Debian archive"
    say "making a root of it"
    # An older debootstrap may not know newer suites, so use its script for unstable (sid).
    if ! debootstrap --variant=minbase --include=ca-certificates "$suite" "$new" "$uri" /usr/share/debootstrap/scripts/sid >"$new.log" 2>&1; then
        tail -n 5 "$new.log" >&2
        skip "debootstrap could not make it from the configured mirror"
    fi
    cp -r /etc/apt/apt.conf.d/. "$new/etc/apt/apt.conf.d/"
    cp -r /etc/ssl/certs/. "$new/etc/ssl/certs/"
    cp /etc/resolv.conf /etc/hosts "$new/etc/"
    # Packages must not start services in the root.
    printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d"
    chmod +x "$new/usr/sbin/policy-rc.d"
    [[ -z $preview ]] || sed "s/ $suite / $preview /" "$new/etc/apt/sources.list" >"$new/etc/apt/sources.list.d/$preview.list"
    # shellcheck disable=SC2016
    if ! "${enter[@]}" "$new" 'apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
        apt-get clean' install "${packages[@]}" >>"$new.log" 2>&1; then
        tail -n 20 "$new.log" >&2
        say "installing packages failed"
        exit 1
    fi
    echo "$recipe" >"$new/.recipe"
}

[[ $# -gt 0 ]] || usage
[[ $(id -u) -eq 0 ]] || skip "needs root"
unshare --mount --pid --fork --propagation private -- true 2>/dev/null || skip "mount namespaces are not to be had here"
mkdir -p "$cache"
exec 9>"$root.lock"
flock 9
if [[ ! -e $root/.recipe || $(<"$root/.recipe") != "$recipe" ]]; then
    command -v debootstrap >/dev/null ||
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap; } >/dev/null 2>&1 ||
        skip "debootstrap is missing"
    work=$(mktemp -d "$cache/debian.XXXXXX")
    trap 'rm -rf --one-file-system "$work"' EXIT
    make_root "$work/root"
    rm -rf --one-file-system "$root"
    mv "$work/root" "$root"
    rm -rf --one-file-system "$work" # clean up here, because exec does not run the trap
fi

rm -rf --one-file-system "$root/larder"
mkdir "$root/larder"
# tar ends with 1 if another test writes to a folder while tar reads it. Accept that.
{ tar -C "$project" --exclude=./build --exclude=./.git --warning=no-file-changed --warning=no-file-removed -cf - . || [[ $? -eq 1 ]]; } |
    tar -C "$root/larder" -xf -
# shellcheck disable=SC2016
exec "${enter[@]}" "$root" 'cd /larder; exec "$@"' larder "$@"
