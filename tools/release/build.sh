#!/bin/bash
# Runs in the bare Debian 12 root of tools/release.sh: out/phpX.Y[-zts]/larder.so for each PHP, and out/larder.php.
#   build.sh "PHPS"
set -euo pipefail
trap 'echo "release: line $LINENO: $BASH_COMMAND gave $?" >&2' ERR
cd /srv/host
read -ra phps <<<"$1"
say() { echo "release: $*" >&2; }
quiet() { "$@" >log 2>&1 || { tail -n 30 log >&2; say "failed: $*"; exit 1; }; }

quiet apt-get install -y -qq --no-install-recommends gcc libc6-dev make php8.2-dev php8.2-cli
declare -A suites=([8.4]=trixie [8.5]=sid [8.6]=experimental)
mirror=$(find /etc/apt/sources.list /etc/apt/sources.list.d -type f -exec sed -n 's/^URIs: //p; s/^deb \(http[^ ]*\).*/\1/p' {} + 2>log | awk 'NR == 1') || true

# have PHP: its phpize and headers are here. A newer PHP's come from a newer Debian: they are text, and run with this libc.
have() {
    [[ $1 != 8.2 ]] || return 0
    local suite=${suites[$1]:-} lists=/tmp/lists-$1
    [[ -n $suite && -n $mirror ]] || return 1
    mkdir -p "$lists/partial"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"/tmp/$1.list"
    local apt=(apt-get -qq -o "Dir::Etc::SourceList=/tmp/$1.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$lists" -o APT::Sandbox::User=root)
    "${apt[@]}" update >log 2>&1 && (cd /tmp && "${apt[@]}" download "php$1-dev") >>log 2>&1 && dpkg-deb -x /tmp/php"$1"-dev_*.deb / 2>>log
}

# build NAME PHPIZE PHP_CONFIG
build() {
    local folder=/build/$1
    rm -rf /build
    mkdir -p "$folder" "out/$1"
    tar -xzf larder.tar.gz -C "$folder" --strip-components=1 larder/core larder/php
    (
        cd "$folder/php"
        "$2"
        ./configure --with-php-config="$3" CFLAGS="-O2 -g -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$folder=." \
            LDFLAGS='-Wl,-z,relro -Wl,--build-id=sha1'
        make -j"$JOBS"
    ) >log 2>&1 || { tail -n 30 log >&2; say "$1 does not build"; exit 1; }
    strip --strip-unneeded -o "out/$1/larder.so" "$folder/php/modules/larder.so"
    # The document says which glibc the extension needs.
    objdump -T "out/$1/larder.so" | grep -o 'GLIBC_2\.[0-9]*' | sort -Vu | tail -n 1 >"out/$1/glibc"
    if [[ ! $(<"out/$1/glibc") =~ ^GLIBC_2\.([0-9]+)$ ]] || ((BASH_REMATCH[1] > 34)); then
        say "$1 asks for $(<"out/$1/glibc")"
        exit 1
    fi
    say "$1 built"
}

for php in "${phps[@]}"; do
    if have "$php"; then build "php$php" "phpize$php" "/usr/bin/php-config$php"; else say "php$php left out: no development files"; fi
done
if [[ -e zts ]]; then
    tar -C / -xf zts.tar
    while read -r prefix; do
        php=$("$prefix/bin/php-config" --version | cut -d. -f1,2)
        [[ " ${phps[*]} " != *" $php "* ]] || build "php$php-zts" "$prefix/bin/phpize" "$prefix/bin/php-config"
    done <zts
fi
[[ -e out/php8.2/larder.so ]] && php8.2 -n -d extension=/srv/host/out/php8.2/larder.so -r '
    Larder\VolatileCache::set("key", [1]);
    exit((int) (Larder\VolatileCache::get("key") !== [1]));'
mkdir /build/ops
tar -xzf larder.tar.gz -C /build --strip-components=1 larder/ops larder/VERSION
php8.2 -n /build/ops/bundle.php out/larder.php
