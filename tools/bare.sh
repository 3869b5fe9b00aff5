#!/usr/bin/env bash
# Runs a script as root in a bare Debian root, which has only the packages of debootstrap, sudo and certificates.
#   tools/bare.sh 12|13 FOLDER SCRIPT [ARGUMENT]...
#   tools/bare.sh --make 12|13                        only makes the root
# - FOLDER is copied to /srv/host, SCRIPT is a path in it. LARDER_DEBIAN_PHP is 8.2 or 8.4, the PHP of that Debian.
# - The script writes to an overlay, which ends with it. Its files in /srv/host/out are copied to FOLDER/out.
# - The root is kept in ${LARDER_CACHE:-~/.cache/larder}, with the packages that the tests install most.
# - Without root's rights, mount namespaces or a mirror, says "skipped" and exits with 77.
set -euo pipefail

make_only=
[[ ${1:-} != --make ]] || { make_only=yes; shift; }
case ${1:-} in
    12) suite=bookworm php=8.2 ;;
    13) suite=trixie php=8.4 ;;
    *) echo "usage: tools/bare.sh 12|13 FOLDER SCRIPT [ARGUMENT]..." >&2; exit 2 ;;
esac
release=$1
shift
cache=${LARDER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/larder}
base=$cache/newcomer-$suite
downloads=(git make build-essential debhelper php-cli php-dev "php$php-fpm" libfcgi-bin gcc libc6-dev)
recipe="1 ${downloads[*]}"

say() { echo "bare Debian $release: $*" >&2; }
skip() { echo "bare Debian $release: skipped: $*"; exit 77; }

mirror() {
    apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sort -u | head -n 1
}

make_root() {
    local uri
    command -v debootstrap >/dev/null || skip "debootstrap is missing"
    uri=$(mirror)
    [[ -n $uri ]] || skip "apt knows no Debian archive"
    rm -rf --one-file-system "$base"
    say "making a root"
    debootstrap --variant=minbase --include=ca-certificates,sudo "$suite" "$base" "$uri" /usr/share/debootstrap/scripts/sid >"$base.log" 2>&1 ||
        { tail -n 5 "$base.log" >&2; skip "debootstrap could not make a root"; }
    cp -r /etc/apt/apt.conf.d/. "$base/etc/apt/apt.conf.d/"
    cp -r /etc/ssl/certs/. "$base/etc/ssl/certs/"
    cp /etc/resolv.conf /etc/hosts "$base/etc/"
    # If the host runs the same release, use its sources of packages, so that the root gets the updates, too.
    # shellcheck source=/dev/null
    if [[ $(. /etc/os-release && echo "$VERSION_CODENAME") == "$suite" && -e /etc/apt/sources.list.d/debian.sources ]]; then
        cp /etc/apt/sources.list.d/debian.sources "$base/etc/apt/sources.list.d/"
        rm -f "$base/etc/apt/sources.list"
    fi
    printf '#!/bin/sh\nexit 101\n' >"$base/usr/sbin/policy-rc.d" # packages must not start their services
    chmod +x "$base/usr/sbin/policy-rc.d"
    if ! chroot "$base" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        bash -ec 'apt-get update -qq && apt-get install -y -qq --no-install-recommends --download-only "$@"' downloads "${downloads[@]}" >>"$base.log" 2>&1; then
        tail -n 5 "$base.log" >&2
        skip "the packages cannot be downloaded"
    fi
    echo "$recipe" >"$base/.recipe"
}

[[ $(id -u) -eq 0 ]] || skip "needs root"
unshare --mount --pid --fork --propagation private -- true 2>/dev/null || skip "mount namespaces are not to be had here"
mkdir -p "$cache"
exec 9>"$base.lock"
made() { [[ -e $base/.recipe && $(<"$base/.recipe") == "$recipe" ]]; }
# Several runs may use the root at once. If a run has to make the root, it waits until no other run uses it.
flock --shared 9
if ! made; then
    flock 9
    made || make_root
    flock --shared 9
fi
[[ -z $make_only ]] || exit 0
folder=$(cd "$1" && pwd)
shift
# The script stays in the network of the host, because it needs the mirror. It has separate IPC and PID namespaces.
# shellcheck disable=SC2016
exec unshare --mount --pid --fork --kill-child --propagation private -- bash -c '
    set -eu
    base=$1 folder=$2 php=$3; shift 3
    mount -t tmpfs -o size=6g tmpfs /mnt
    mkdir /mnt/up /mnt/tmp /mnt/root
    mount -t overlay overlay -o "lowerdir=$base,upperdir=/mnt/up,workdir=/mnt/tmp" /mnt/root
    root=/mnt/root
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o size=1g,mode=1777 tmpfs "$root/dev/shm"
    mkdir -p "$root/srv/host"
    cp -r "$folder"/. "$root/srv/host/"
    mkdir -p "$folder/out" "$root/srv/host/out"
    mount --bind "$folder/out" "$root/srv/host/out"
    exec chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
        DEBIAN_FRONTEND=noninteractive JOBS="${JOBS:-2}" LARDER_DEBIAN_PHP="$php" ${SOURCE_DATE_EPOCH:+"SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH"} \
        bash "/srv/host/$@"' bare "$base" "$folder" "$php" "$@"
