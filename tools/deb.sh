#!/usr/bin/env bash
# Builds a Debian package of the extension, the command and the dashboard: build/deb/phpX.Y-larder_VERSION_ARCH.deb
#   tools/deb.sh [PHP]     PHP: a version such as 8.2 (default: that of php-config)
# Works in a clone and in a folder without .git. Installs nothing; where lintian is installed it has the last word.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

php=${1:-$(php-config --version | cut -d. -f1,2)}
command -v "php-config$php" >/dev/null || { echo "deb: php-config$php is missing (package php$php-dev)" >&2; exit 1; }
api=$("php-config$php" --phpapi)
version=$(<VERSION)
built=$("php-config$php" --version) # its headers may ask for functions that an earlier one has not
maintainer=${LARDER_MAINTAINER:-Larder packages <packages@example.org>} # who builds a package for others says who it is
top=build/deb
source=$top/larder-$version
rm -rf "$top"
mkdir -p "$source/debian/source"
# Git's list of files, which is refused in a folder of another user. Without it: all but what phpize and make have written.
list_files() {
    git ls-files -z "$@" 2>/dev/null && return
    find "$@" -name .libs -prune -o \( -path php/modules -o -path php/build -o -path php/include -o -path php/autom4te.cache \) -prune -o \
        -type f ! -name '*.lo' ! -name '*.la' ! -name '*.dep' ! -name '*.o' -print0
}
list_files core php ops LICENSE VERSION CHANGELOG.md | grep -zv '^php/tests/\|^core/tests/' |
    tar --null --files-from=- -cf - | tar -C "$source" -xf -
[[ ! -e $source/php/configure ]] || (cd "$source/php" && "phpize$php" --clean >/dev/null)

fill() { sed -e "s/@PHP@/$php/g" -e "s/@API@/$api/g" -e "s/@BUILT@/$built/" -e "s/@MAINTAINER@/$maintainer/" "$1"; }
# A licence as a field of the copyright file: indented, empty lines as a dot.
indent() { sed -e 's/^/ /' -e 's/^ *$/ ./' "$1"; }
for file in control rules; do fill "tools/deb/$file.in" >"$source/debian/$file"; done
for file in postinst prerm postrm; do fill "tools/deb/$file.in" >"$source/debian/php$php-larder.$file"; done
fill tools/deb/larder.sh.in >"$source/debian/larder.sh"
cp tools/deb/larder.ini "$source/debian/"
sed -e '/^@MIT@/{r /dev/stdin
d}' tools/deb/copyright < <(indent LICENSE) | sed -e '/^@BSD@/{r /dev/fd/3
d}' 3< <(indent core/vendor/xxhash/LICENSE) >"$source/debian/copyright"
echo ops/larder.1 >"$source/debian/php$php-larder.manpages"
echo '3.0 (native)' >"$source/debian/source/format"
# The date of the last commit, or that of the sources, so that the same commit makes the same package.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
printf 'larder (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" >"$source/debian/changelog"
chmod +x "$source/debian/rules"
(cd "$source" && dpkg-buildpackage -b -us -uc "-j${JOBS:-2}") >"$top/log" 2>&1 || { tail -n 40 "$top/log" >&2; exit 1; }
(cd "$top" && sha256sum ./*.deb >SHA256SUMS)
! command -v lintian >/dev/null || lintian --fail-on error,warning --tag-display-limit 0 "$top"/php*-larder_*.deb
ls "$top"/php*-larder_*.deb
