#!/usr/bin/env bash
# Builds a Debian package of the extension, the command and the dashboard: build/deb/phpX.Y-larder_VERSION_ARCH.deb
#   tools/deb.sh [PHP]     PHP: a version such as 8.2 (default: that of php-config)
# Nothing is installed but what tools/setup.sh deb names. lintian has the last word.
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
git ls-files -z core php ops LICENSE VERSION CHANGELOG.md | grep -zv '^php/tests/\|^core/tests/' |
    tar --null --files-from=- -cf - | tar -C "$source" -xf -

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
# The date of the last commit, so that the same commit makes the same package.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
printf 'larder (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" >"$source/debian/changelog"
chmod +x "$source/debian/rules"
(cd "$source" && dpkg-buildpackage -b -us -uc) >"$top/log" 2>&1 || { tail -n 40 "$top/log" >&2; exit 1; }
(cd "$top" && sha256sum ./*.deb >SHA256SUMS)
lintian --fail-on error,warning --tag-display-limit 0 "$top"/php*-larder_*.deb
ls "$top"/php*-larder_*.deb
