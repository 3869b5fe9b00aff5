#!/usr/bin/env bash
# Lets the system's PHP, for glibc, and the PHP of $PHP_CONFIG, for musl, share a named store while their processes are killed: see mix.php.
#   php/musl/mix.sh SECONDS MODULE GLIBC-MODULE...     MODULE is a larder.so for the PHP of $PHP_CONFIG, each GLIBC-MODULE one for the system's PHP
set -euo pipefail
command() { printf '%q -n -d extension=%q' "$("$1" --php-binary)" "$(realpath "$2")"; }
commands=("$(command "$PHP_CONFIG" "$2")")
for module in "${@:3}"; do commands+=("$(command php-config "$module")"); done
exec php -n "$(dirname "${BASH_SOURCE[0]}")/mix.php" "$1" "${commands[@]}"
