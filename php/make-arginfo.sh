#!/usr/bin/env bash
# Makes NAME_arginfo.h from each NAME.stub.php, offline, with PHP's own generator.
#   php/make-arginfo.sh            writes src/larder_arginfo.h of larder.stub.php, and those beside other stubs
#   php/make-arginfo.sh --check    fails when a file differs from what would be written
# Needs PHP 8.2, the oldest supported version, because all later versions can compile what the generator of PHP 8.2 writes. With another
# version, --check does nothing, and without --check the script fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

php_config=${PHP_CONFIG:-php-config}
php=${PHP:-$("$php_config" --php-binary)}
if (($("$php_config" --vernum) / 100 != 802)); then
    [[ ${1:-} != --check ]] || { echo "make-arginfo: skipped: these are made with PHP 8.2"; exit 0; }
    echo "make-arginfo: PHP 8.2 is needed; PHP_CONFIG names its php-config" >&2
    exit 1
fi
generator=$("$php_config" --extension-dir)/build/gen_stub.php
parser=${PHP_PARSER:-/usr/share/php}
for need in "$generator" "$parser/PhpParser/ParserFactory.php"; do
    [[ -e $need ]] || { echo "make-arginfo: $need is missing (packages php-dev and php-parser)" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The generator looks for the parser beside itself, in a folder named after a version.
# shellcheck disable=SC2016
version=$(sed -n 's/^ *\$version = "\(.*\)";$/\1/p' "$generator")
mkdir "$work/PHP-Parser-$version"
ln -s "$parser" "$work/PHP-Parser-$version/lib"
cp "$generator" "$work/gen_stub.php"
status=0
for stub in larder.stub.php src/*/*.stub.php src/*/*/*.stub.php; do
    made=${stub%.stub.php}_arginfo.h
    mkdir -p "$work/$(dirname "$stub")"
    cp "$stub" "$work/$stub"
    "$php" -n -d extension=tokenizer "$work/gen_stub.php" -f "$work/$stub" >/dev/null
    sed -i '1i /* clang-format off */' "$work/$made"
    here=$made
    [[ $made == */* ]] || here=src/$made
    if [[ ${1:-} == --check ]]; then
        diff -u "$here" "$work/$made" || status=1
    else
        cp "$work/$made" "$here"
    fi
done
exit $status
