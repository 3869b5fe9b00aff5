#!/usr/bin/env bash
# The newcomer's test, in a bare Debian root (tools/bare.sh). A user with sudo clones the project and runs the commands of README.md between
# "newcomer" marks, which build the package. Then the user runs the commands of docs/install.md, which build from source.
#   tools/newcomer.sh 12|13
# Without the root, says "skipped" and succeeds.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
    12) php=8.2 ;;
    13) php=8.4 ;;
    *) echo "usage: tools/newcomer.sh 12|13" >&2; exit 2 ;;
esac
release=$1

say() { echo "newcomer on Debian $release: $*" >&2; }
skip() { echo "newcomer on Debian $release: skipped: $*"; exit 0; }

command -v git >/dev/null || skip "git is missing"
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
# Make the repository that README.md clones, with this tree's files, committed or not.
"$project/tools/sources.sh" "$work/larder.tar.gz" larder.git
tar -C "$work" -xzf "$work/larder.tar.gz"
git -C "$work/larder.git" init -q
git -C "$work/larder.git" add --all
git -C "$work/larder.git" -c user.name=newcomer -c user.email=newcomer@example.org commit -q -m 'As it is here'

# Print the commands between marks. They are for Debian 12. For another Debian, replace the PHP version as the documents say.
commands() {
    awk '/<!-- newcomer -->/ { on = 1 } /<!-- \/newcomer -->/ { on = 0 } on && /^```sh/ { code = 1; next } /^```/ { code = 0 } on && code' "$project/$1" |
        sed -e "s/8\.2/$php/g"
}
commands README.md >"$work/readme"
commands docs/install.md >"$work/source"
[[ $(grep -cv '^ *#' "$work/readme") -le 10 ]] || { say "README.md has more than ten commands"; exit 1; }
[[ -s $work/source ]] || { say "docs/install.md has no commands"; exit 1; }
cp "$project/tools/newcomer-checks.sh" "$work/checks"
"$project/tools/bare.sh" "$release" "$work" checks "$php" "$release" || { status=$?; ((status == 77)) || exit "$status"; }
