#!/usr/bin/env bash
# Installs the packages for building, testing and linting Larder on Debian and its relatives. Prints nothing if all are installed.
#   tools/setup.sh           everything `make test` uses
#   tools/setup.sh build     only what `make demo-core` and `make bench-core` use
#   tools/setup.sh php-build what `make php` uses
#   tools/setup.sh php       what `make test-php` and `make php-arginfo` use
#   tools/setup.sh deb       what `make deb` uses (DEB_PHP="8.2 8.4": for other PHPs than the system's)
#   tools/setup.sh newcomer  what `make newcomer` uses
#   tools/setup.sh packages  what `make test-packages` and `make release` use
#   tools/setup.sh site      what `make site` uses
#   tools/setup.sh ops       what tests of the dashboard and the metrics use besides
#   tools/setup.sh demo      what `make demo` and `make serve` use
#   tools/setup.sh adapters  what `make test-php-adapters` uses besides
#   tools/setup.sh lib       what `make test-lib` uses besides; Debian starts the installed servers, but the tests use servers of their own
#   tools/setup.sh lib-apps  what `make test-apps` and `make bench-lib` use; Debian starts the installed servers, but these use their own
#   tools/setup.sh bench-php what `make bench-php` uses besides: the caches it compares with
#   tools/setup.sh bench-http  what `make bench-http` uses; Debian starts the installed servers, but the benchmark uses servers of its own
#   tools/setup.sh bench-rails what `make bench-apps` uses for Rails
#   tools/setup.sh ruby        what `make ruby` and `make test-ruby` use
#   tools/setup.sh bench-ruby  what `make bench-ruby` uses besides
#   tools/setup.sh demo-hosts  what `make demo-hosts` and `make bench-hosts` use besides
#   tools/setup.sh demo-ruby   what `make demo-ruby` uses besides
#   tools/setup.sh lint-ruby   what linting Ruby uses
#   tools/setup.sh bench       what `make bench` uses
#   tools/setup.sh aarch64     what `make test-aarch64` uses
#   tools/setup.sh musl        what `make test-musl` uses
set -euo pipefail

# Each line is "command-or-file package". A name with a slash is a file or a pattern of files, NAME.so is an extension of PHP, NAME.gem is a
# gem, and any other name is a command.
build_needs=(
    "gcc gcc"
    "make make"
    "/usr/include/stdio.h libc6-dev"
)
test_needs=(
    "clang clang"
    "llvm-symbolizer llvm"
    "clang-format clang-format"
    "clang-tidy clang-tidy"
    "cppcheck cppcheck"
    "shellcheck shellcheck"
    "valgrind valgrind"
    "spin spin"
    "pkg-config pkg-config"
    "mkfs.ext4 e2fsprogs"
    "mkfs.xfs xfsprogs"
    "mkfs.btrfs btrfs-progs"
    "/usr/include/cmocka.h libcmocka-dev"
)

php_build_needs=(
    "php php-cli"
    "phpize php-dev"
)
php_needs=(
    "${php_build_needs[@]}"
    "/usr/share/php/PhpParser/ParserFactory.php php-parser"
    "mbstring.so php-mbstring"
    "/usr/sbin/php-fpm* php-fpm"
    "cgi-fcgi libfcgi-bin"
    "/usr/lib/apache2/modules/libphp*.so libapache2-mod-php"
)
ops_needs=(
    "chromedriver chromium-driver"
    "chromium chromium"
    "pngquant pngquant"
    "zsh zsh"
    "fish fish"
    "/usr/lib/python3*/dist-packages/prometheus_client/__init__.py python3-prometheus-client"
)
deb_needs=(
    "dpkg-buildpackage dpkg-dev"
    "/usr/share/build-essential/list build-essential"
    "dh debhelper"
)
read -ra deb_phps <<<"${DEB_PHP:-}"
for php in "${deb_phps[@]:-}"; do
    deb_needs+=("php$php php$php-cli" "phpize$php php$php-dev")
done
newcomer_needs=(
    "git git"
    "debootstrap debootstrap"
)
packages_needs=(
    "debootstrap debootstrap"
    "zip zip"
    "unzip unzip"
)
bench_php_needs=(
    "apcu.so php-apcu"
    "igbinary.so php-igbinary"
    "taskset util-linux"
)
adapters_needs=(
    "composer composer"
    "dom.so php-xml"
    "unzip unzip"
)
lib_needs=(
    "composer composer"
    "dom.so php-xml"
    "unzip unzip"
    "pdo_sqlite.so php-sqlite3"
    "phpunit phpunit"
    "/usr/share/php/Illuminate/autoload.php php-laravel-framework"
    "/usr/share/php/Symfony/Component/Messenger/autoload.php php-symfony-messenger"
    "/usr/share/php/Symfony/Component/RateLimiter/autoload.php php-symfony-rate-limiter"
    "/usr/share/php/Symfony/Component/Semaphore/autoload.php php-symfony-semaphore"
    "intl.so php-intl"
    "redis-server redis-server"
    "redis-sentinel redis-sentinel"
    "redis.so php-redis"
)
lib_apps_needs=(
    "/usr/sbin/php-fpm* php-fpm"
    "/usr/sbin/nginx nginx"
    "setpriv util-linux"
    "apcu.so php-apcu"
    "mysqli.so php-mysql"
    "gd.so php-gd"
    "/usr/sbin/mariadbd mariadb-server"
    "/usr/share/wordpress/wp-load.php wordpress"
    "/usr/share/mediawiki/index.php mediawiki"
    "intl.so php-intl"
    "/usr/share/wordpress/wp-content/themes/twentytwentyone/style.css wordpress-theme-twentytwentyone"
)
demo_needs=(
    "/usr/sbin/php-fpm* php-fpm"
    "/usr/sbin/nginx nginx"
    "wrk wrk"
    "apcu.so php-apcu"
    "igbinary.so php-igbinary"
    "setpriv util-linux"
)

bench_http_needs=(
    "redis-server redis-server"
    "memcached memcached"
    "redis.so php-redis"
    "zmq.so php-zmq"
    "memcached.so php-memcached"
    "composer composer"
    "taskset util-linux"
)
ruby_needs=(
    "ruby ruby"
    "/usr/include/ruby-*/ruby.h ruby-dev"
    "minitest.gem ruby-minitest"
    "activesupport.gem ruby-activesupport"
    "rack-attack.gem ruby-rack-attack"
    "redis.gem ruby-redis"
    "redis-server redis-server"
)
bench_ruby_needs=(
    "benchmark-ips.gem ruby-benchmark-ips"
    "benchmark-memory.gem ruby-benchmark-memory"
)
bench_rails_needs=(
    "puma puma"
    "railties.gem ruby-railties"
)
demo_hosts_needs=(
    "/usr/sbin/php-fpm* php-fpm"
    "/usr/sbin/nginx nginx"
    "wrk wrk"
    "curl curl"
    "ip iproute2"
    "setpriv util-linux"
    "redis-server redis-server"
    "redis.so php-redis"
    "igbinary.so php-igbinary"
    "composer composer"
)
demo_ruby_needs=(
    "puma puma"
    "rack.gem ruby-rack"
    "wrk wrk"
)
lint_ruby_needs=(
    "rubocop rubocop"
)
bench_needs=(
    "npm npm"
)
aarch64_needs=(
    "aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu"
    "/usr/aarch64-linux-gnu/lib/libc.a libc6-dev-arm64-cross"
    "qemu-aarch64 qemu-user"
)
musl_needs=(
    "musl-gcc musl-tools"
    "/usr/include/linux/futex.h linux-libc-dev"
)

# True if PHP has an extension's file, e.g. mbstring.so.
php_has() {
    command -v php-config >/dev/null && [[ -e $(php-config --extension-dir)/$1 ]]
}

# True if Ruby has a gem, e.g. minitest.
ruby_has() {
    command -v ruby >/dev/null && ruby -e 'exit(!Gem::Specification.find_all_by_name(ARGV[0]).empty?)' "$1"
}

# Prints the packages whose command or file is missing.
missing() {
    local need probe
    for need in "$@"; do
        probe=${need% *}
        if [[ $probe == */* ]]; then
            compgen -G "$probe" >/dev/null || echo "${need##* }"
        elif [[ $probe == *.so ]]; then
            php_has "$probe" || echo "${need##* }"
        elif [[ $probe == *.gem ]]; then
            ruby_has "${probe%.gem}" || echo "${need##* }"
        else
            command -v "$probe" >/dev/null || echo "${need##* }"
        fi
    done
}

# If clang's runtimes for sanitizers and fuzzers are missing, prints the name of their package, which contains clang's major version. From
# version 14 on, the package clang does not install them.
missing_runtime() {
    local major
    compgen -G "$(clang -print-resource-dir)/lib/*/libclang_rt.fuzzer*.a" >/dev/null && return
    major=$(clang -dumpversion)
    echo "libclang-rt-${major%%.*}-dev"
}

install_packages() {
    local as_root=()
    if ! command -v apt-get >/dev/null; then
        echo "setup: this is not a Debian-like system; install what these Debian packages hold, then try again: $*" >&2
        exit 1
    fi
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || { echo "setup: as root, run: apt-get install $*" >&2; exit 1; }
        as_root=(sudo)
    fi
    echo "setup: installing $*"
    if [[ -z ${updated:-} ]]; then
        "${as_root[@]}" apt-get update -qq
        updated=1
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o DPkg::Lock::Timeout=600 "$@" >/dev/null
}

needs=("${build_needs[@]}")
case ${1:-all} in
    all) needs+=("${test_needs[@]}" "${lint_ruby_needs[@]}") ;;
    build) ;;
    php-build) needs+=("${php_build_needs[@]}") ;;
    php) needs+=("${php_needs[@]}") ;;
    site) needs+=("mkdocs mkdocs" "/usr/lib/python3/dist-packages/pygments/__init__.py python3-pygments") ;;
    deb) needs+=("${deb_needs[@]}") ;;
    newcomer) needs+=("${newcomer_needs[@]}") ;;
    packages) needs+=("${packages_needs[@]}") ;;
    ops) needs+=("${php_needs[@]}" "${ops_needs[@]}") ;;
    demo) needs+=("${php_needs[@]}" "${demo_needs[@]}") ;;
    adapters) needs+=("${php_needs[@]}" "${adapters_needs[@]}") ;;
    lib) needs+=("${php_needs[@]}" "${lib_needs[@]}") ;;
    lib-apps) needs+=("${php_needs[@]}" "${lib_needs[@]}" "${lib_apps_needs[@]}") ;;
    ruby) needs+=("${ruby_needs[@]}") ;;
    bench-ruby) needs+=("${ruby_needs[@]}" "${bench_ruby_needs[@]}") ;;
    bench-rails) needs+=("${ruby_needs[@]}" "${bench_rails_needs[@]}") ;;
    demo-hosts) needs+=("${php_needs[@]}" "${lib_needs[@]}" "${demo_hosts_needs[@]}") ;;
    demo-ruby) needs+=("${ruby_needs[@]}" "${demo_ruby_needs[@]}") ;;
    lint-ruby) needs+=("${lint_ruby_needs[@]}") ;;
    bench-php) needs+=("${php_needs[@]}" "${bench_php_needs[@]}") ;;
    bench-http) needs+=("${php_needs[@]}" "${demo_needs[@]}" "${bench_http_needs[@]}") ;;
    bench) needs+=("${php_needs[@]}" "${demo_needs[@]}" "${bench_php_needs[@]}" "${bench_http_needs[@]}" "${bench_needs[@]}") ;;
    aarch64) needs+=("${aarch64_needs[@]}") ;;
    musl) needs+=("${musl_needs[@]}") ;;
    *) echo "usage: tools/setup.sh [build | php-build | php | ops | deb | newcomer | packages | site | ruby | demo | demo-hosts | demo-ruby | adapters | lib | lib-apps | bench-php | bench-ruby | bench-rails | bench-http | lint-ruby | bench | aarch64 | musl]" >&2; exit 2 ;;
esac

mapfile -t packages < <(missing "${needs[@]}")
[[ ${#packages[@]} -eq 0 ]] || install_packages "${packages[@]}"
if [[ ${1:-all} == all ]]; then
    mapfile -t packages < <(missing_runtime)
    [[ ${#packages[@]} -eq 0 ]] || install_packages "${packages[@]}"
fi
