#!/usr/bin/env bash
# Runs the tests of the extension with PHP's own run-tests.php. Prints the numbers of passed and failed tests; fails if a test fails.
#   php/run-tests.sh [--build DIR] [--plain | --opcache | --jit | --function-jit | --valgrind | --all] [TEST...]
#   php/run-tests.sh [--poison] [--asan] [--wide] --build DIR --build-only
# --build: builds a copy of the extension in DIR, and runs its tests there. Uses the phpize beside $PHP_CONFIG (default php-config).
# --poison, before --build: the build overwrites freed memory (LRD_POISON) and moves tables (LARDER_MOVE_TABLES).
# --asan, before --build: build with AddressSanitizer and UBSan. Also builds DIR/no-deepbind.so (see no_deepbind()).
# --wide, before --build: store arrays as a PHP before 8.2.33 needs them (LARDER_WIDE_TABLES).
# --all: all modes except valgrind. Several modes may be given. TEST: a file or folder, e.g. php/tests/array.
# TEST_TIMEOUT: seconds a test may take (default 600, twice that under valgrind).
# Two runs in the same folder wait for each other, because each run writes files beside the tests.
# LARDER_LEFT_OUT, with --build: a file that names tests which are not run, with the reason, such as php/musl/left_out.txt.
# LARDER_FLAGS: further -d settings for every test, e.g. LARDER_FLAGS='-d larder.volatile_size=8M'.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

php_config=${PHP_CONFIG:-php-config}
php=${PHP:-$("$php_config" --php-binary)}
extensions=$("$php_config" --extension-dir)
folder=$here # the folder that contains modules/ and tests/

# Keep a lock until this script ends. Programs that the script starts must not inherit the lock (9<&-).
lock() {
    exec 9<"$1"
    flock 9
}

# Build in a copy of the sources: phpize writes files beside the sources, and each version of PHP needs its own folder. Warnings are errors.
build() {
    local top=$1 phpize=${php_config%php-config*}phpize${php_config##*php-config} made_for
    made_for="$php_config $("$php_config" --version) $flags $(cd "$here" && find src ../core/src -name '*.h' -o -path 'src/kinds/*.c' -o -path '../core/src/*.c' | sort)"
    folder=$top/php
    mkdir -p "$folder"
    ln -sfn "$here/../core" "$top/core"
    ln -sfn "$here/../ops" "$top/ops"
    rm -rf "$folder/tests"
    find "$here" -maxdepth 1 -type f \( -name '*.h' -o -name '*.sh' -o -name 'config.m4' -o -name '*.stub.php' \) \
        ! -name config.h -exec cp -p '{}' "$folder/" ';'
    # Keep the objects of an earlier build. But delete the sources in kinds/ before copying: the build compiles every file there, even one
    # that no longer exists in the project.
    rm -f "$folder"/src/kinds/*.c
    (cd "$here" && find src \( -name '*.[ch]' -o -name '*.stub.php' \) -exec cp -p --parents -t "$folder" '{}' +)
    cp -pr "$here/tests" "$folder/"
    [[ -z ${LARDER_LEFT_OUT:-} ]] || (cd "$folder/tests" && awk '!/^(#|$)/ { print $1 }' "$LARDER_LEFT_OUT" | xargs -r rm) || return
    cd "$folder" || return
    if [[ ! -e Makefile || config.m4 -nt Makefile || ! -e made-for || $(<made-for) != "$made_for" ]]; then
        rm -f Makefile
        find . -name '*.lo' -delete -o -name '*.dep' -delete
        "$phpize" && ./configure --with-php-config="$(command -v "$php_config")" || return
        echo "$made_for" >made-for
    fi
    make EXTRA_CFLAGS="$flags" || return
    cd "$OLDPWD" || return
}

# Build a library that removes RTLD_DEEPBIND from calls of dlopen(): PHP sets the flag for extensions, and the sanitizer refuses it.
no_deepbind() {
    "${CC:-gcc}" -O2 -shared -fPIC -o "$top/no-deepbind.so" -xc - <<'CODE'
#define _GNU_SOURCE
#include <dlfcn.h>
void *dlopen(const char *name, int flags)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return next(name, flags & ~RTLD_DEEPBIND);
}
CODE
}

modes=()
tests=()
flags=-Werror
asan=
while (($# > 0)); do
    case $1 in
        --build)
            mkdir -p "$2"
            top=$(cd "$2" && pwd)
            lock "$top"
            { build "$top" && { [[ -z $asan ]] || no_deepbind; }; } >"$top/log" 2>&1 9<&- || { tail -n 60 "$top/log"; exit 1; }
            shift
            ;;
        --build-only) exit 0 ;;
        --poison) flags+=' -DLRD_ASSERTIONS -DLRD_POISON -DLARDER_MOVE_TABLES' ;;
        --wide) flags+=' -DLARDER_WIDE_TABLES' ;;
        --asan)
            asan=yes
            flags+=' -DLRD_ASSERTIONS -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'
            ;;
        --all) modes=(plain opcache jit function-jit) ;;
        --plain | --opcache | --jit | --function-jit | --valgrind) modes+=("${1#--}") ;;
        *) tests+=("$(realpath "$1")") ;;
    esac
    shift
done
[[ $folder != "$here" ]] || lock "$here"
[[ ${#modes[@]} -gt 0 ]] || modes=(plain)
[[ ${#tests[@]} -gt 0 ]] || tests=("$here/tests")
tests=("${tests[@]/#$here\//$folder/}")

module=${LARDER_MODULE:-$folder/modules/larder.so}
runner=$folder/run-tests.php # phpize puts it there
[[ -e $module ]] || { echo "run-tests: $module is missing; run: make php" >&2; exit 1; }

# Do not read the system's php.ini. Load the extensions that tests use, unless they are built in.
settings=(-n -d "extension_dir=$extensions" -d "extension=$module")
for extension in mbstring posix ctype; do
    [[ ! -e $extensions/$extension.so ]] || settings+=(-d "extension=$extension")
done
read -ra more <<<"${LARDER_FLAGS:-}"

# Turn off the search for leaks, because PHP itself does not free everything; only runs with valgrind look for leaks. Use fixed addresses,
# for the same reason as SANITIZE_RUN in mk/build.mk.
before=()
if [[ -n $asan ]]; then
    preload=$top/no-deepbind.so
    for library in libasan.so libubsan.so; do preload+=" $("${CC:-gcc}" -print-file-name="$library")"; done
    before=(env "LD_PRELOAD=$preload" USE_ZEND_ALLOC=0 UBSAN_OPTIONS=print_stacktrace=1
        ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0)
    if setarch -R true 2>/dev/null; then before=(setarch -R "${before[@]}"); fi
fi
opcache=(-d opcache.enable_cli=1 -d opcache.file_update_protection=0)
[[ ! -e $extensions/opcache.so ]] || opcache+=(-d zend_extension=opcache) # since PHP 8.5 it is built in

# Prints the names of the tests that failed, and for each test the beginning of the difference.
show_failures() {
    local line test
    sed 's/\x1b\[[0-9;]*m//g; s/.*\r//' "$1" | grep -aE '^(FAIL|BORK|LEAK|WARN) ' | while read -r line; do
        echo "$line"
        test=${line##*\[}
        test=${test%.phpt*}
        head -qn 25 "$test.diff" "$test.mem" 2>/dev/null | awk '{ print "    " $0 }'
    done
}

status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for mode in "${modes[@]}"; do
    limit=${TEST_TIMEOUT:-600}
    case $mode in
        plain) extra=() ;;
        opcache) extra=("${opcache[@]}" -d opcache.jit=off) ;;
        jit) extra=("${opcache[@]}" -d opcache.jit=tracing -d opcache.jit_buffer_size=32M
            -d opcache.jit_hot_loop=2 -d opcache.jit_hot_func=2 -d opcache.jit_hot_return=2
            -d opcache.jit_hot_side_exit=1) ;;
        function-jit) extra=("${opcache[@]}" -d opcache.jit=1205 -d opcache.jit_buffer_size=32M) ;;
        valgrind)
            extra=(-m -d pcre.jit=0)
            export VALGRIND_OPTS="${VALGRIND_OPTS:---leak-check=full --show-leak-kinds=definite} --suppressions=$here/valgrind.supp"
            limit=$((limit * 2))
            ;;
    esac
    # Run PHP's run-tests.php. Its summary is shown, and the details of failures are in files beside the tests (.diff, .out, .mem).
    if ! TEST_PHP_EXECUTABLE=$php NO_INTERACTION=1 TEST_PHP_ARGS='' \
        ${before[@]+"${before[@]}"} "$php" -n "$runner" -n -q -j2 --set-timeout "$limit" "${settings[@]}" "${extra[@]}" ${more[@]+"${more[@]}"} \
        "${tests[@]}" >"$work/log" 2>&1 9<&-; then
        status=1
    fi
    show_failures "$work/log"
    awk -v mode="$mode" '/^Tests (passed|failed|skipped|warned|leaked)/ { sub(/\(.*/, ""); sub(/Tests /, ""); gsub(/ +/, " "); line = line " " $0 }
        END { print mode ":" line }' "$work/log"
    # If the extension cannot be loaded, every test is skipped. So fail unless at least one test has passed.
    grep -Eq '^Tests passed +: +[1-9]' "$work/log" || { cat "$work/log"; status=1; }
done
exit $status
