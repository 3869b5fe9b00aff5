#!/usr/bin/env bash
# The library's tests with the PHP of another Debian, in its root (tools/debian.sh), without downloads: with the
# packages that lie in packages/php/.lib, and an extension that is built there. Without analysis and Debian's Laravel, which run anyway.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lib=$(dirname "$here")/.lib
[[ -e $lib/vendor/autoload.php ]] || { echo "lib: skipped: not installed"; exit 0; }
php/run-tests.sh --build /tmp/php --build-only
export LARDER_LIB=$lib LARDER_MODULE=/tmp/php/php/modules/larder.so LARDER_SUITES=$lib/suites
for folder in Conformance Cache Symfony Laravel; do
    [[ $folder != Conformance || -d $lib/suites ]] || continue
    "$here/run.sh" "$here/$folder"
done
# Valkey and phpredis 6 come with Debian 13.
! command -v valkey-server >/dev/null || LARDER_SERVER=valkey "$here/run.sh" "$here/Tiered"
