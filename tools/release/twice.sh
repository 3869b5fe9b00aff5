#!/usr/bin/env bash
# Makes a release twice, from the same sources in two clean folders of different names, and compares the bytes. The second run builds PHP's
# development files again.
#   tools/release/twice.sh     RELEASE_PHPS: see tools/release.sh
# Prints "skipped" without a bare Debian 12 root (tools/bare.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
SOURCE_DATE_EPOCH=$(tools/source-date.sh)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
tools/sources.sh "$work/sources.tar.gz" larder
for folder in one another/one; do
    mkdir -p "$work/$folder"
    tar -xzf "$work/sources.tar.gz" -C "$work/$folder"
    status=0
    [[ $folder == one ]] || export RELEASE_ANEW=yes
    "$work/$folder/larder/tools/release.sh" >"$work/log" || status=$?
    ((status != 77)) || { echo "skipped: $(tail -n 1 "$work/log")"; exit 0; }
    ((status == 0)) || exit "$status"
done
diff -r "$work/one/larder/build/release" "$work/another/one/larder/build/release"
count=$(wc -l <"$work/one/larder/build/release/SHA256SUMS")
((count >= 5)) || { echo "only $count files were made"; exit 1; }
# Later tests use the compared files.
rm -rf build/release
mkdir -p build
mv "$work/one/larder/build/release" build/release
cat build/release/SHA256SUMS
echo "the same bytes twice: $count files"
