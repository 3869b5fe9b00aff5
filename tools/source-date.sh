#!/bin/sh
# Prints the time that whatever is built from these sources carries: SOURCE_DATE_EPOCH, the last commit's, or that of the sources.
cd "$(dirname "$0")/.." || exit
echo "${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}"
