#!/usr/bin/env bash
# Writes an archive of the project's present files, committed or not, without .git and build/. The same files give the same bytes.
#   tools/sources.sh OUT.tar.gz [FOLDER]     FOLDER: the project's name in the archive (larder-VERSION)
set -euo pipefail
out=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${2:-larder-$(<VERSION)}
# Without git, lists all files except the products of phpize and make.
list_files() {
    git ls-files -z --cached --others --exclude-standard 2>/dev/null && return
    find . \( -path ./build -o -path ./.git -o -path ./php/modules -o -path ./php/build -o -path ./php/include -o -path ./php/autom4te.cache \
        -o -name .libs -o -path ./packages/php/.lib \) -prune -o \( -type f -o -type l \) \
        ! -name '*.lo' ! -name '*.la' ! -name '*.dep' ! -name '*.o' -printf '%P\0'
}
list_files | while IFS= read -r -d '' file; do [[ ! -e $file && ! -L $file ]] || printf '%s\0' "$file"; done | LC_ALL=C sort -z |
    tar --null --no-recursion --files-from=- --transform "s,^,$folder/,SH" --format=ustar --owner=0 --group=0 --numeric-owner \
        --mode='u+rw,go+r,go-w,a+X' --mtime="@$(tools/source-date.sh)" -cf - | gzip -9n >"$out"
