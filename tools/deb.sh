#!/usr/bin/env bash
# Builds Debian packages in build/deb: larder_VERSION_all.deb with the command and the dashboard, and one of the extension for each PHP.
#   tools/deb.sh [PHP]...     PHP: a version such as 8.2 (default: that of php-config)
# Works in a clone and in a folder without .git. Installs nothing. If lintian is installed, it must accept the packages, except for a rule
# about uploads to Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Raise this number when the packages change and VERSION stays. When VERSION changes, set it to 1 again.
revision=1
(($# > 0)) || set -- "$(php-config --version | cut -d. -f1,2)"
for php in "$@"; do
    command -v "php-config$php" >/dev/null || { echo "deb: php-config$php is missing (package php$php-dev)" >&2; exit 1; }
done
version=$(<VERSION)
maintainer=${LARDER_MAINTAINER:-Larder packages <packages@example.org>} # set this variable if you build packages for other people
top=build/deb
source=$top/larder-$version
rm -rf "$top"
mkdir -p "$source/debian/source"
# List the files below the given paths. `git ls-files` fails if the folder belongs to another user. `find` then leaves out the products of
# `phpize` and `make`.
list_files() {
    git ls-files -z "$@" 2>/dev/null && return
    find "$@" -name .libs -prune -o \( -path php/modules -o -path php/build -o -path php/include -o -path php/autom4te.cache \) -prune -o \
        -type f ! -name '*.lo' ! -name '*.la' ! -name '*.dep' ! -name '*.o' -print0
}
list_files core php ops LICENSE VERSION CHANGELOG.md | grep -zv '^php/tests/\|^core/tests/' |
    tar --null --files-from=- -cf - | tar -C "$source" -xf -
[[ ! -e $source/php/configure ]] || (cd "$source/php" && "phpize$1" --clean >/dev/null)

# Up to version 0.1.0 (without a Debian revision), phpX.Y-larder also contained the command. Now the package larder contains the command, so
# larder must replace those versions of phpX.Y-larder.
single=
for php in 8.2 8.3 8.4 8.5 8.6; do single+="${single:+, }php$php-larder (<< 0.1.0-1~)"; done
build_depends=
for php in "$@"; do build_depends+=", php$php-dev, php$php-cli"; done
# Fill in a template. The package requires at least the PHP version that it was built with (@BUILT@), because an earlier patch version may
# lack functions that the extension calls.
fill() {
    sed -e "s/@PHP@/$php/g" -e "s/@API@/$("php-config$php" --phpapi)/g" -e "s/@BUILT@/$("php-config$php" --version)/" \
        -e "s/@MAINTAINER@/$maintainer/" -e "s/@PHPS@/$phps/" -e "s/@SINGLE@/$single/" \
        -e "s/@BUILD_DEPENDS@/$build_depends/" "$1"
}
# Print a licence as a field of the copyright file: indented, with a dot for each empty line.
indent() { sed -e 's/^/ /' -e 's/^ *$/ ./' "$1"; }
phps=$*
php=$1
for file in control rules; do fill "tools/deb/$file.in" >"$source/debian/$file"; done
for php in "$@"; do
    fill tools/deb/control-php.in >>"$source/debian/control"
    for file in postinst prerm postrm; do fill "tools/deb/$file.in" >"$source/debian/php$php-larder.$file"; done
done
cp tools/deb/larder.sh tools/deb/larder.ini "$source/debian/"
sed -e '/^@MIT@/{r /dev/stdin
d}' tools/deb/copyright < <(indent LICENSE) | sed -e '/^@BSD@/{r /dev/fd/3
d}' 3< <(indent core/vendor/xxhash/LICENSE) >"$source/debian/copyright"
echo ops/larder.1 >"$source/debian/larder.manpages"
echo '3.0 (quilt)' >"$source/debian/source/format"
# One commit always makes the same package.
SOURCE_DATE_EPOCH=$(tools/source-date.sh)
export SOURCE_DATE_EPOCH
printf 'larder (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
    "$version-$revision" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" >"$source/debian/changelog"
chmod +x "$source/debian/rules"
(cd "$source" && dpkg-buildpackage -b -us -uc "-j${JOBS:-2}") >"$top/log" 2>&1 || { tail -n 40 "$top/log" >&2; exit 1; }
(cd "$top" && sha256sum ./*.deb >SHA256SUMS)
! command -v lintian >/dev/null || lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --tag-display-limit 0 "$top"/*larder_*.deb
ls "$top"/*larder_*.deb
