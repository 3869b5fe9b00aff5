#!/usr/bin/env bash
# The newcomer's test: in a bare Debian root, as a user with sudo, clones the project and runs the commands of README.md between
# "newcomer" marks, which build the package there, then those of docs/install.md, which build from source.
#   tools/newcomer.sh 12|13
# The root is made with debootstrap and kept in ${LARDER_CACHE:-~/.cache/larder}, without any of what the commands install, but with
# the files of those packages. What is done lies in an overlay that goes.
# Needs root, mount namespaces and a mirror: says "skipped" and succeeds where one is missing.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
    12) suite=bookworm php=8.2 ;;
    13) suite=trixie php=8.4 ;;
    *) echo "usage: tools/newcomer.sh 12|13" >&2; exit 2 ;;
esac
release=$1
cache=${LARDER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/larder}
base=$cache/newcomer-$suite
downloads=(git make build-essential debhelper php-cli php-dev "php$php-fpm" libfcgi-bin gcc libc6-dev)
recipe="1 ${downloads[*]}"

say() { echo "newcomer on Debian $release: $*" >&2; }
skip() { echo "newcomer on Debian $release: skipped: $*"; exit 0; }

mirror() {
    apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sort -u | head -n 1
}

[[ $(id -u) -eq 0 ]] || skip "needs root"
unshare --mount --pid --fork --propagation private -- true 2>/dev/null || skip "mount namespaces are not to be had here"
command -v git >/dev/null || skip "git is missing"
mkdir -p "$cache"
exec 9>"$base.lock"
flock 9

if [[ ! -e $base/.recipe || $(<"$base/.recipe") != "$recipe" ]]; then
    command -v debootstrap >/dev/null || skip "debootstrap is missing"
    uri=$(mirror)
    [[ -n $uri ]] || skip "apt knows no Debian archive"
    rm -rf --one-file-system "$base"
    say "making a bare root"
    debootstrap --variant=minbase --include=ca-certificates,sudo "$suite" "$base" "$uri" /usr/share/debootstrap/scripts/sid >"$base.log" 2>&1 ||
        { tail -n 5 "$base.log" >&2; skip "debootstrap could not make a root"; }
    cp -r /etc/apt/apt.conf.d/. "$base/etc/apt/apt.conf.d/"
    cp -r /etc/ssl/certs/. "$base/etc/ssl/certs/"
    cp /etc/resolv.conf /etc/hosts "$base/etc/"
    # With the updates that a host of this release has.
    # shellcheck source=/dev/null
    if [[ $(. /etc/os-release && echo "$VERSION_CODENAME") == "$suite" && -e /etc/apt/sources.list.d/debian.sources ]]; then
        cp /etc/apt/sources.list.d/debian.sources "$base/etc/apt/sources.list.d/"
        rm -f "$base/etc/apt/sources.list"
    fi
    printf '#!/bin/sh\nexit 101\n' >"$base/usr/sbin/policy-rc.d" # services start when they are told to
    chmod +x "$base/usr/sbin/policy-rc.d"
    if ! chroot "$base" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        bash -ec 'apt-get update -qq && apt-get install -y -qq --no-install-recommends --download-only "$@"' downloads "${downloads[@]}" >>"$base.log" 2>&1; then
        tail -n 5 "$base.log" >&2
        skip "the packages cannot be downloaded"
    fi
    echo "$recipe" >"$base/.recipe"
fi

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
# What README.md clones: the files as they are here, committed or not.
mkdir "$work/larder.git"
(
    cd "$project"
    { git ls-files -z --cached --others --exclude-standard 2>/dev/null || find . \( -path ./build -o -path ./.git \) -prune -o -type f -print0; } |
        while IFS= read -r -d '' file; do [[ ! -e $file && ! -L $file ]] || printf '%s\0' "$file"; done |
        tar --null --no-recursion --files-from=- -cf - | tar -C "$work/larder.git" -xf -
)
git -C "$work/larder.git" init -q
git -C "$work/larder.git" add --all
git -C "$work/larder.git" -c user.name=newcomer -c user.email=newcomer@example.org commit -q -m 'As it is here'

# The commands between marks, as they are on Debian 12, or for the PHP of another one, as the documents say.
commands() {
    awk '/<!-- newcomer -->/ { on = 1 } /<!-- \/newcomer -->/ { on = 0 } on && /^```sh/ { code = 1; next } /^```/ { code = 0 } on && code' "$project/$1" |
        sed -e "s/8\.2/$php/g"
}
commands README.md >"$work/readme"
commands docs/install.md >"$work/source"
[[ $(grep -cv '^ *#' "$work/readme") -le 10 ]] || { say "README.md has more than ten commands"; exit 1; }
[[ -s $work/source ]] || { say "docs/install.md has no commands"; exit 1; }
cp "$project/tools/newcomer-checks.sh" "$work/checks"
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child --propagation private -- bash -c '
    set -eu
    base=$1 work=$2
    mount -t tmpfs -o size=4g tmpfs /mnt
    mkdir /mnt/up /mnt/tmp /mnt/root
    mount -t overlay overlay -o "lowerdir=$base,upperdir=/mnt/up,workdir=/mnt/tmp" /mnt/root
    root=/mnt/root
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o size=1g,mode=1777 tmpfs "$root/dev/shm"
    mkdir -p "$root/srv/newcomer"
    cp -r "$work"/. "$root/srv/newcomer/"
    exec chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
        DEBIAN_FRONTEND=noninteractive JOBS="$4" bash /srv/newcomer/checks "$3" "$5"' newcomer "$base" "$work" "$php" "${JOBS:-2}" "$release"
