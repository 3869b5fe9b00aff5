#!/usr/bin/env bash
# Runs the library's tests inside the root folder of another Debian (tools/debian.sh), with its PHP. Downloads nothing: the packages lie in
# packages/php/.lib, and the extension is built there.
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
