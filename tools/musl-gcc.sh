#!/usr/bin/env bash
# Runs gcc for musl, with the kernel's headers. Debian's musl-gcc does not search glibc's folder, which contains these headers. So this
# script makes a folder of links to them. Fails if there is no musl-gcc.
set -euo pipefail

command -v musl-gcc >/dev/null || { echo 'musl-gcc.sh: musl-gcc is missing (Debian: musl-tools)' >&2; exit 1; }
headers=${LARDER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/larder}/musl-headers
if [[ ! -e $headers/linux ]]; then
    mkdir -p "$headers"
    ln -sfn /usr/include/asm-generic "$headers/asm-generic"
    ln -sfn "/usr/include/$(gcc -print-multiarch)/asm" "$headers/asm"
    ln -sfn /usr/include/linux "$headers/linux"
fi
# Make musl-gcc run the gcc in PATH, which may be a compiler cache.
REALGCC=${REALGCC:-gcc} exec musl-gcc -idirafter "$headers" "$@"
