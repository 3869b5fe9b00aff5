#!/usr/bin/env bash
# Builds the hosts with the thread-safe PHP of $PHP_CONFIG and the extension for it, and runs them in this order:
#   embed_boundary.c    a worker whose request does not end
#   embed_coroutines.c  coroutines
#   embed_partitions.c  several tenants
#   embed_workers.c     threads that run workers, whose requests do not end. The first run must fail: in it, Larder does not search for
#                       values that a worker no longer uses
#   embed_threads.c     threads that run one request after the other. The first run must fail: it stores wrong values. Then follow three
#                       runs: without opcache; with named stores that the first caller opens; with opcache
#   tools/php-zts.sh php/embed/run.sh [SECONDS]    SECONDS: the time for the last three runs together; default: 10
# opcache's JIT stays off, because with it PHP 8.2 crashes in such a host, even without Larder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

seconds=$((${1:-10} / 3))
out=build/php-zts
log=$out/threads.log
prefix=$("$PHP_CONFIG" --prefix)
read -ra includes < <("$PHP_CONFIG" --includes)
read -ra libraries < <("$PHP_CONFIG" --libs)

"$here/../run-tests.sh" --build "$out" --build-only
# Link all of PHP into the program, and export PHP's symbols, because extensions use them.
"${CC:-gcc}" -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror \
    "${includes[@]}" "-I$prefix/include/php/sapi/embed" -rdynamic -o "$out/embed_threads" "$here/embed_threads.c" \
    -Wl,--whole-archive "$prefix/lib/libphp.a" -Wl,--no-whole-archive "${libraries[@]}"

# install larder_api.h as `make install` does, and compile with the installed file
make -s -C "$out/php" install-headers INSTALL_ROOT="$PWD/$out/installed" >/dev/null
"${CC:-gcc}" -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror "-I$out/installed$prefix/include/php" \
    "${includes[@]}" "-I$prefix/include/php/sapi/embed" -rdynamic -o "$out/embed_partitions" "$here/embed_partitions.c" \
    -Wl,--whole-archive "$prefix/lib/libphp.a" -Wl,--no-whole-archive "${libraries[@]}"

"${CC:-gcc}" -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror \
    "${includes[@]}" "-I$prefix/include/php/sapi/embed" -rdynamic -o "$out/embed_coroutines" "$here/embed_coroutines.c" \
    -Wl,--whole-archive "$prefix/lib/libphp.a" -Wl,--no-whole-archive "${libraries[@]}"

"${CC:-gcc}" -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror \
    "${includes[@]}" "-I$prefix/include/php/sapi/embed" -rdynamic -o "$out/embed_boundary" "$here/embed_boundary.c" \
    -Wl,--whole-archive "$prefix/lib/libphp.a" -Wl,--no-whole-archive "${libraries[@]}"

"${CC:-gcc}" -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror \
    "${includes[@]}" "-I$prefix/include/php/sapi/embed" -rdynamic -o "$out/embed_workers" "$here/embed_workers.c" \
    -Wl,--whole-archive "$prefix/lib/libphp.a" -Wl,--no-whole-archive "${libraries[@]}"

named=$(mktemp -d)
trap 'rm -rf "$named"' EXIT
timeout -k 10 600 "$out/embed_boundary" "$PWD/$out/php/modules/larder.so" "$named" >"$log" 2>&1 || {
    echo "boundary: FAILED"
    head -c 8000 "$log"
    exit 1
}
sed 's/^/boundary: /' "$log"

timeout -k 10 600 "$out/embed_coroutines" "$PWD/$out/php/modules/larder.so" "$here/coroutines.php" >"$log" 2>&1 || {
    echo "coroutines: FAILED"
    head -c 8000 "$log"
    exit 1
}
sed 's/^/coroutines: /' "$log"

workers() {
    timeout -k 10 600 "$out/embed_workers" "$@" "$PWD/$out/php/modules/larder.so" php/tests/include >"$log" 2>&1
}
if workers --collect 0 || ! grep -q 'was copied' "$log"; then
    echo "workers: FAILED: copies are not noticed"
    head -c 8000 "$log"
    exit 1
fi
workers || {
    echo "workers: FAILED"
    head -c 8000 "$log"
    exit 1
}
sed 's/^/workers: /' "$log"

timeout -k 10 600 "$out/embed_partitions" "$PWD/$out/php/modules/larder.so" >"$log" 2>&1 || {
    echo "partitions: FAILED"
    head -c 8000 "$log"
    exit 1
}
sed 's/^/partitions: /' "$log"

# host SECONDS ARGUMENT...: runs embed_threads with a store that evicts, and kills it if it hangs. The output is in $log.
host() {
    timeout -k 10 $(($1 * 10 + 600)) "$out/embed_threads" --seconds "$1" -d "extension=$PWD/$out/php/modules/larder.so" \
        -d larder.sapi_optin=embed -d larder.volatile_size=8M -d larder.file_cache=1 -d session.save_handler=larder \
        -d session.use_cookies=0 -d session.cache_limiter= -d larder.session_lock_wait=-1 "${@:2}" "$here" >"$log" 2>&1
}

# leaks: succeeds if the log reports leaked memory, as debug builds of PHP do. It ignores leaks in zend_inheritance.c: if several threads
# link a class at the same time, opcache keeps the first result, and PHP sometimes leaks the other results.
leaks() { awk '/Freeing 0x/ && !/Zend\/zend_inheritance\.c/ { found = 1 } END { exit !found }' "$log"; }

load() {
    local name=$1 status=0
    shift
    host "$((seconds > 0 ? seconds : 1))" "$@" || status=$?
    if ((status != 0)) || leaks; then
        echo "$name: FAILED (exit code $status)"
        head -c 8000 "$log"
        exit 1
    fi
    sed "s/^/$name: /" "$log"
}

status=0
host 2 --control || status=$?
if ((status != 1)); then
    echo "control: exit code $status, not 1: wrong values were not noticed, or worse"
    head -c 4000 "$log"
    exit 1
fi
echo "control: noticed"
load plain
load named -d "larder.path=$named"
load opcache --sapi cli-server -d "extension_dir=$("$PHP_CONFIG" --extension-dir)" -d zend_extension=opcache \
    -d opcache.file_update_protection=0 -d opcache.jit=off
