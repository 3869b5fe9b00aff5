#!/usr/bin/env bash
# Writes the first inputs of fuzz_unfold, with the extension that `make php` built.
#   php/fuzz/seeds.sh FOLDER [COUNT]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
store=$(mktemp -d)
# shellcheck disable=SC2064 # expand $store now, not when the script ends
trap "rm -rf '$store'" EXIT
php -n -d extension="$here/../modules/larder.so" -d larder.enable_cli=1 -d larder.form=packed -d larder.volatile_size=8M \
    -d larder.scope=s -d larder.path="$store" -d date.timezone=UTC -d memory_limit=1G "$here/seeds.php" "$1" "${2:-200}"
