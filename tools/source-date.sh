#!/bin/sh
# Prints the time for all files that are built from these sources: SOURCE_DATE_EPOCH if it is set, otherwise the time of the last
# commit. Without git, prints the time of CHANGELOG.md.
cd "$(dirname "$0")/.." || exit
echo "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}"
