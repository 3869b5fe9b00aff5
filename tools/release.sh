#!/usr/bin/env bash
# Makes the files of a release in build/release. The same sources always give the same bytes:
#   php_larder-vVERSION_phpX.Y-ARCH-linux-LIBC[-zts].zip   the extension, by the names that PIE looks for
#   larder.php                                          the command and the dashboard in one file
#   larder-VERSION.tar.gz                               the sources
#   larder-VERSION.tgz                                  the extension's sources for pecl
#   sbom.cdx.json, SHA256SUMS                           what is in them (CycloneDX), and their sums
#   tools/release.sh [FOLDER]
#
# The extension is compiled in a bare Debian 12 root (tools/bare.sh), so it runs with that glibc and later ones.
# Each PHP of RELEASE_PHPS (8.2 8.3 8.4 8.5 8.6) has four RELEASE_KINDS (glibc glibc-zts musl musl-zts). PHP's development files are made
# from its source once and kept in ${LARDER_CACHE:-~/.cache/larder}; with RELEASE_ANEW=yes they are made each time. The source is
# Debian's, or a file php-X.Y.Z.tar.* in the folder RELEASE_SOURCES.
# If a mirror has no source, only the archive for glibc without threads is made, with Debian's phpX.Y-dev. Each archive that cannot be made
# is left out with a message.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:-build/release}
version=$(<VERSION)
SOURCE_DATE_EPOCH=$(tools/source-date.sh)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
cache=${LARDER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/larder}
say() { echo "release: $*" >&2; }

case $(uname -m) in
    x86_64) architecture=x86_64 ;;
    aarch64) architecture=arm64 ;; # the name that PIE uses
    *) say "no archives are made for $(uname -m)"; exit 1 ;;
esac
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir -p "$work/root"
tools/sources.sh "$work/root/larder.tar.gz" larder
cp tools/release/build.sh tools/musl-gcc.sh "$work/root/"
mkdir -p "$work/root/headers" "$work/root/sources" "$cache/php-headers"
[[ -z ${RELEASE_SOURCES:-} ]] || cp "$RELEASE_SOURCES"/php-*.tar.* "$work/root/sources/"
[[ -n ${RELEASE_ANEW:-} ]] || cp "$cache/php-headers"/*.tar "$work/root/headers/" 2>/dev/null || true
status=0
tools/bare.sh 12 "$work/root" build.sh "${RELEASE_PHPS:-8.2 8.3 8.4 8.5 8.6}" "${RELEASE_KINDS:-glibc glibc-zts musl musl-zts}" || status=$?
((status != 77)) || { say "skipped: no bare Debian 12 root"; exit 77; }
((status == 0)) || exit "$status"
for made in "$work"/root/out/headers/*.tar; do
    [[ ! -e $made ]] || { cp "$made" "$cache/php-headers/.new.$$" && mv "$cache/php-headers/.new.$$" "$cache/php-headers/${made##*/}"; }
done

compgen -G "$work/root/out/*/larder.so" >/dev/null || { say "no archive could be made"; exit 1; }
rm -rf "$out"
mkdir -p "$out"
# archive NAME FILE: makes an archive as PIE expects it: larder.so at the top, and the licences of its contents.
archive() {
    local folder=$work/archive
    rm -rf "$folder"
    mkdir "$folder"
    install -m755 "$2" "$folder/larder.so"
    install -m644 LICENSE "$folder/LICENSE"
    install -m644 core/vendor/xxhash/LICENSE "$folder/LICENSE.xxhash"
    install -m644 core/vendor/lz4/LICENSE "$folder/LICENSE.lz4"
    touch -d "@$SOURCE_DATE_EPOCH" "$folder"/*
    (cd "$folder" && zip -q -X -9 "$work/$1" LICENSE LICENSE.lz4 LICENSE.xxhash larder.so)
    mv "$work/$1" "$out/$1"
}
# PIE takes the version from the tag, which is vVERSION.
for built in "$work"/root/out/*/larder.so; do
    name=$(basename "$(dirname "$built")") # phpX.Y-LIBC[-zts]
    archive "php_larder-v${version}_${name%%-*}-$architecture-linux-${name#*-}.zip" "$built"
done
cp "$work/root/out/larder.php" "$out/larder.php"
tools/sources.sh "$out/larder-$version.tar.gz"
php packaging/package.php >"$work/package.xml"
mkdir "$work/pecl"
sed -n 's/.*<file name="\([^"]*\)".*/\1/p' "$work/package.xml" | tar --files-from=- -cf - | tar -C "$work/pecl" --transform "s,^,larder-$version/," -xf -
cp "$work/package.xml" "$work/pecl/"
(cd "$work/pecl" && find . -type f -printf '%P\n' | sort | tar --files-from=- --format=ustar --owner=0 --group=0 --numeric-owner --mode='u+rw,go+r,go-w' \
    --mtime="@$SOURCE_DATE_EPOCH" -cf - | gzip -9n) >"$out/larder-$version.tgz"
php -n tools/release/sbom.php "$out" >"$work/sbom" && mv "$work/sbom" "$out/sbom.cdx.json"
chmod 644 "$out"/*
(cd "$out" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
ls "$out"
