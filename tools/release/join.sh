#!/usr/bin/env bash
# Joins the results of `make release` on machines of several architectures: tools/release/join.sh FOLDER... If folders contain files of the
# same name, these files must be equal.
# Writes build/release, with SHA256SUMS and sbom.cdx.json for all, and build/release-notes.md, the changelog's section of this version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
(($# > 0)) || { echo 'usage: tools/release/join.sh FOLDER...' >&2; exit 2; }
out=build/release
version=$(<VERSION)
rm -rf "$out"
mkdir -p "$out"
for folder; do
    (cd "$folder" && sha256sum --quiet --check SHA256SUMS)
    for file in "$folder"/*; do
        name=${file##*/}
        case $name in SHA256SUMS | sbom.cdx.json) continue ;; esac
        [[ ! -e $out/$name ]] || cmp -s "$file" "$out/$name" || { echo "release-join: $name differs in $folder" >&2; exit 1; }
        cp "$file" "$out/$name"
    done
done
sums=$(cd "$out" && LC_ALL=C sha256sum -- *)
SOURCE_DATE_EPOCH=$(tools/source-date.sh) php -n tools/release/sbom.php "$out" >build/sbom.cdx.json
mv build/sbom.cdx.json "$out/"
{ echo "$sums"; (cd "$out" && sha256sum sbom.cdx.json); } >build/SHA256SUMS
mv build/SHA256SUMS "$out/"
awk -v head="## [$version]" 'index($0, head) == 1 { on = 1; next } on && /^## / { exit } on' CHANGELOG.md >build/release-notes.md
[[ -s build/release-notes.md ]] || { echo "release-join: CHANGELOG.md has no section for $version" >&2; exit 1; }
ls "$out"
