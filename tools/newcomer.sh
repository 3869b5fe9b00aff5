#!/usr/bin/env bash
# The newcomer's test: in a bare Debian 12 root, made with debootstrap and kept in ${LARDER_CACHE:-~/.cache/larder}, runs the
# commands of README.md between "newcomer" marks as somebody would who has just downloaded the package of `make deb`, then
# upgrades it under load and removes it.
# Needs root, mount namespaces and a mirror: says "skipped" and succeeds where one is missing.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=bookworm
cache=${LARDER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/larder}
base=$cache/newcomer-$suite

say() { echo "newcomer: $*" >&2; }
skip() { echo "newcomer: skipped: $*"; exit 0; }

mirror() {
    apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sort -u | head -n 1
}

[[ $(id -u) -eq 0 ]] || skip "needs root"
unshare --mount --pid --fork --propagation private -- true 2>/dev/null || skip "mount namespaces are not to be had here"
package=$(compgen -G "$project/build/deb/php8.2-larder_*.deb" | tail -n 1) || skip "no package: run make deb"

if [[ ! -e $base/.made ]]; then
    command -v debootstrap >/dev/null || skip "debootstrap is missing"
    uri=$(mirror)
    [[ -n $uri ]] || skip "apt knows no Debian archive"
    mkdir -p "$cache"
    rm -rf --one-file-system "$base"
    say "making a bare Debian $suite root"
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$base" "$uri" >"$base.log" 2>&1 || { tail -n 5 "$base.log" >&2; skip "debootstrap could not make a root"; }
    cp -r /etc/apt/apt.conf.d/. "$base/etc/apt/apt.conf.d/"
    cp -r /etc/ssl/certs/. "$base/etc/ssl/certs/"
    cp /etc/resolv.conf /etc/hosts "$base/etc/"
    # With the updates that a host of this release has, for which the package was built.
    # shellcheck source=/dev/null
    if [[ $(. /etc/os-release && echo "$VERSION_CODENAME") == "$suite" && -e /etc/apt/sources.list.d/debian.sources ]]; then
        cp /etc/apt/sources.list.d/debian.sources "$base/etc/apt/sources.list.d/"
        rm -f "$base/etc/apt/sources.list"
    fi
    printf '#!/bin/sh\nexit 101\n' >"$base/usr/sbin/policy-rc.d" # services start when they are told to
    chmod +x "$base/usr/sbin/policy-rc.d"
    touch "$base/.made"
fi

# The root stays bare: what is done lies in an overlay that goes.
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
cp "$package" "$work/"
awk '/<!-- newcomer -->/ { on = 1 } /<!-- \/newcomer -->/ { on = 0 } on && /^```sh/ { code = 1; next } /^```/ { code = 0 } on && code' \
    "$project/README.md" >"$work/commands"
[[ $(grep -cv '^ *#' "$work/commands") -le 10 ]] || { say "README.md has more than ten commands"; exit 1; }
cp "$project/tools/newcomer-checks.sh" "$work/checks"
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child --propagation private -- bash -c '
    set -eu
    base=$1 work=$2
    mount -t tmpfs -o size=3g tmpfs /mnt
    mkdir /mnt/up /mnt/tmp /mnt/root
    mount -t overlay overlay -o "lowerdir=$base,upperdir=/mnt/up,workdir=/mnt/tmp" /mnt/root
    root=/mnt/root
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o size=1g,mode=1777 tmpfs "$root/dev/shm"
    mkdir -p "$root/root/larder"
    cp "$work"/* "$root/root/larder/"
    chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
        DEBIAN_FRONTEND=noninteractive bash /root/larder/checks' newcomer "$base" "$work"
