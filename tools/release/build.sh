#!/bin/bash
# Compiles the extension for each PHP, in the bare Debian 12 root of tools/release.sh. Writes out/phpX.Y-LIBC[-zts]/larder.so, and
# out/larder.php.
#   build.sh "PHPS" "KINDS"
# The headers and the phpize of each PHP lie in /opt/php/X.Y. They come from headers/X.Y-KIND.tar, where an earlier run has kept them, or
# from PHP's source: sources/php-X.Y.*, or Debian's source package. If a mirror has no sources, Debian's package phpX.Y-dev brings the
# headers for glibc without threads.
set -euo pipefail
trap 'echo "release: line $LINENO: $BASH_COMMAND gave $?" >&2' ERR
cd /srv/host
read -ra phps <<<"$1"
read -ra variants <<<"$2"
declare -A suites=([8.2]=bookworm [8.4]=trixie [8.5]="sid experimental" [8.6]="sid experimental")
say() { echo "release: $*" >&2; }
quiet() { "$@" >log 2>&1 || { tail -n 30 log >&2; say "failed: $*"; exit 1; }; }

# Print the compiler of a variant.
compiler() {
    case $1 in
        musl*) echo /srv/host/musl-gcc.sh ;;
        *) echo gcc ;;
    esac
}

# suite_apt X.Y deb|deb-src COMMAND...: runs apt-get in the current folder, with only the Debian suites that may have this PHP.
suite_apt() {
    local suite lists=/tmp/lists-$1-$2 mirror
    mirror=$(find /etc/apt/sources.list /etc/apt/sources.list.d -type f -exec sed -n 's/^URIs: //p; s/^deb \(http[^ ]*\).*/\1/p' {} + 2>>log |
        awk 'NR == 1')
    [[ -n ${suites[$1]:-} && -n $mirror ]] || return
    mkdir -p "$lists/partial"
    for suite in ${suites[$1]}; do echo "$2 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"; done >"$lists.list"
    local apt=(apt-get -qq -o "Dir::Etc::SourceList=$lists.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$lists"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
    "${apt[@]}" update && "${apt[@]}" "${@:3}"
}

# Print the name of the file with PHP's source. Fails if there is none.
source_of() {
    local folder=/tmp/source-$1 found
    found=$(find sources -name "php-$1.*.tar.*" | sort -V | tail -n 1)
    [[ -z $found ]] || { realpath "$found"; return; }
    mkdir -p "$folder"
    (cd "$folder" && suite_apt "$1" deb-src --only-source --download-only source "php$1") >>log 2>&1 || return
    find "$folder" -name '*.orig.tar.*' ! -name '*.asc'
}

# Download Debian's development files of PHP X.Y to /opt/php/X.Y/glibc, which php-config and phpize then use.
packaged() {
    local folder=/tmp/packaged-$1 to=/opt/php/$1/glibc name
    mkdir -p "$folder" "/opt/php/$1" out/headers
    (cd "$folder" && suite_apt "$1" deb download "php$1-dev" && dpkg-deb -x "php$1"-dev_*.deb root) >>log 2>&1 || return
    quiet apt-get install -y -qq --no-install-recommends shtool libtool pkg-config libpcre2-dev # phpX.Y-dev needs these packages
    mv "$folder/root/usr" "$to"
    for name in php-config phpize; do
        sed -e "s,^prefix=.*,prefix=$to," -e 's,^aclocaldir=.*,aclocaldir=/usr/share/aclocal,' "$to/bin/$name$1" >"$to/bin/$name"
        chmod +x "$to/bin/$name"
    done
    say "PHP $1: development files of $(cd "$folder" && echo *.deb); its source is not available"
}

# make_headers X.Y VARIANT: configures PHP with only the parts that the extension needs, and installs all but programs.
make_headers() {
    local folder=/tmp/php-$1-$2 threads=()
    [[ $2 != *-zts ]] || threads=(--enable-zts)
    mkdir "$folder"
    (
        cd "$folder"
        export CC
        CC=$(compiler "$2")
        "/tmp/php-$1/configure" --quiet --prefix="/opt/php/$1/$2" --disable-all --enable-cli --enable-session "${threads[@]}" CFLAGS=-O2 PKG_CONFIG=false
        make install-build install-headers install-programs
    ) >"log-$1-$2" 2>&1 || { tail -n 30 "log-$1-$2" >&2; say "PHP $1 for $2 cannot be configured"; return 1; }
    rm -rf "$folder"
}

# Put the development files of PHP X.Y into /opt/php. Uses kept files, or makes new files from PHP's source. If the source is not available,
# tries Debian's package, which has files for glibc only. A missing package is no error.
headers() {
    local source variant job made=()
    local kept=0
    for variant in "${variants[@]}"; do
        [[ -e headers/$1-$variant.tar ]] || continue
        tar -C /opt/php -xf "headers/$1-$variant.tar"
        kept=$((kept + 1))
    done
    ((kept < ${#variants[@]})) || return 0
    source=$(source_of "$1") || true
    if [[ -z $source ]]; then
        [[ " ${variants[*]} " != *' glibc '* || -e headers/$1-glibc.tar ]] || packaged "$1" || true
        return 0
    fi
    mkdir -p "/tmp/php-$1" "/opt/php/$1" out/headers
    tar -C "/tmp/php-$1" --strip-components=1 -xf "$source"
    for variant in "${variants[@]}"; do
        [[ ! -e headers/$1-$variant.tar ]] || continue
        make_headers "$1" "$variant" &
        made+=($!)
        ((${#made[@]} % 2)) || wait "${made[@]: -2:1}"
    done
    for job in "${made[@]}"; do wait "$job" || exit 1; done
    rm -rf "/tmp/php-$1"
    for variant in "${variants[@]}"; do
        [[ -e headers/$1-$variant.tar ]] || tar -C /opt/php -cf "out/headers/$1-$variant.tar" "$1/$variant"
    done
    say "PHP $1: development files made from $(basename "$source")"
}

# build X.Y VARIANT
build() {
    local name=php$1-$2 prefix=/opt/php/$1/$2 folder=/build/php$1-$2 CC needed
    CC=$(compiler "$2")
    export CC
    mkdir -p "$folder" "out/$name"
    tar -xzf larder.tar.gz -C "$folder" --strip-components=1 larder/core larder/php
    (
        cd "$folder/php"
        "$prefix/bin/phpize"
        ./configure --with-php-config="$prefix/bin/php-config" LDFLAGS='-Wl,-z,relro -Wl,--build-id=sha1' \
            CFLAGS="-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$folder=. -ffile-prefix-map=$prefix=php"
        make -j"$JOBS"
    ) >log 2>&1 || { tail -n 30 log >&2; say "$name does not build"; exit 1; }
    strip --strip-unneeded -o "out/$name/larder.so" "$folder/php/modules/larder.so"
    rm -rf "$folder"
    # glibc 2.34, which docs/install.md requires, must have all symbols that the library needs.
    needed=$(objdump -T "out/$name/larder.so" | grep -o 'GLIBC_2\.[0-9]*' | sort -Vu | tail -n 1) || true
    case $2 in
        musl*) [[ -z $needed ]] || { say "$name asks for $needed"; exit 1; } ;;
        *)
            if [[ ! $needed =~ ^GLIBC_2\.([0-9]+)$ ]] || ((BASH_REMATCH[1] > 34)); then
                say "$name asks for ${needed:-no glibc}"
                exit 1
            fi
            ;;
    esac
    say "$name built"
}

quiet apt-get install -y -qq --no-install-recommends gcc libc6-dev linux-libc-dev musl-tools make autoconf php8.2-cli xz-utils bzip2
mkdir -p /opt/php headers sources
for php in "${phps[@]}"; do
    headers "$php"
    for variant in "${variants[@]}"; do
        if [[ -e /opt/php/$php/$variant/bin/phpize ]]; then
            build "$php" "$variant"
        else
            say "PHP $php for $variant left out: PHP's source is not available"
        fi
    done
done
[[ ! -e out/php8.2-glibc/larder.so ]] || php8.2 -n -d extension=/srv/host/out/php8.2-glibc/larder.so -r '
    Larder\VolatileCache::set("key", [1]);
    exit((int) (Larder\VolatileCache::get("key") !== [1]));'
mkdir -p /build/ops
tar -xzf larder.tar.gz -C /build --strip-components=1 larder/ops larder/VERSION
php8.2 -n /build/ops/bundle.php out/larder.php
