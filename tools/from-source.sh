#!/usr/bin/env bash
# shellcheck disable=SC2154 # set by the script that sources this file
#
# Builds a PHP or a Ruby of the system's series from Debian's source package, once. A script that sources this file sets
#   name     the first part of the name of the program's folder, which is $cache/$name-VERSION-$variant
#   variant  the last part of the folder's name
#   options  for its configure; a program that was built with other options is not used
#   needs    packages for the build
#   uses     packages needed by programs that link with the built PHP or Ruby (none by default)
#   command  a command to run with the program; if it is empty, use_built prints the folder of the program
# and then calls use_built. If the source or a package is not available, use_built says "skipped" and does not run
# the command. The exit code is then 0 if there is a command, otherwise 1.
# PHP_SERIES=8.3 PHP_SOURCE=php-8.3.x.tar.xz builds another PHP, from an archive of its source.
# For Ruby, a script also sets language=ruby and series.

uses=()
cache=${LARDER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/larder}
language=php
series=${PHP_SERIES:-$(! command -v php-config >/dev/null || php-config --version | cut -d. -f1,2)}

# Use what was built before, whatever its patch level is. Only the network could tell whether there is a newer patch level.
find_built() {
    local prefix
    for prefix in "$cache/$name-$series".*-"$variant"; do
        if [[ -e $prefix/.recipe && $(<"$prefix/.recipe") == "$recipe" ]]; then
            echo "$prefix"
            return 0
        fi
    done
    return 1
}

say() { echo "$name: $*" >&2; }

skip() {
    [[ ! -s $work/log ]] || tail -n 5 "$work/log" >&2
    say "skipped: $*"
    [[ ${#command[@]} -eq 0 ]] || exit 0
    exit 1
}

# Install the packages that are missing.
install_packages() {
    local missing=() as_root=() package
    for package; do
        dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    [[ ${#missing[@]} -eq 0 ]] && return
    [[ -n ${work:-} ]] || { work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT; }
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || skip "as root, run: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    { "${as_root[@]}" apt-get update -qq && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$work/log" 2>&1 ||
        skip "${missing[*]} could not be installed"
}

# Get source packages from the archive that has the binary packages. Mirrors often lack the sources of the security archive, so use a
# separate sources.list.
fetch_source() {
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed='' apt
    if [[ $language == php && -n ${PHP_SOURCE:-} ]]; then
        mkdir "$work/source"
        tar -C "$work/source" --strip-components=1 -xf "$PHP_SOURCE" 2>"$work/log" || skip "$PHP_SOURCE cannot be unpacked"
        return
    fi
    [[ ! -e $keyring ]] || signed="[signed-by=$keyring] "
    mkdir -p "$work/lists/partial"
    apt-get indextargets --format "deb-src $signed\$(REPO_URI) \$(CODENAME) \$(COMPONENT)" \
        'Created-By: Packages' 'Label: Debian' | sort -u >"$work/sources.list"
    [[ -s $work/sources.list ]] || skip "apt knows no Debian archive"
    apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=-
        -o "Dir::State::Lists=$work/lists" -o APT::Sandbox::User=root)
    # Leave out Debian's patches: they only change paths, and would require generating configure again.
    (cd "$work" && "${apt[@]}" update && "${apt[@]}" --only-source --download-only source "$language$series" &&
        dpkg-source --skip-patches -x ./*.dsc source) >"$work/log" 2>&1 ||
        skip "the source package $language$series is not available"
}

source_version() {
    case $language in
        php) sed -n 's/^#define PHP_VERSION "\(.*\)"/\1/p' "$work/source/main/php_version.h" ;;
        ruby) sed -n "s/^#define RUBY_VERSION_TEENY /$series./p" "$work/source/version.h" ;;
    esac
}

build() {
    local version prefix
    version=$(source_version)
    prefix=$cache/$name-$version-$variant
    say "building $language $version, $variant"
    if [[ $language == ruby ]]; then
        rm -rf "$work/source/ext/-test-"      # extensions for Ruby's own tests
        : >"$work/source/gems/bundled_gems" # gems that the installation would download
    fi
    # By default, a debug build compiles without optimisation. EXTRA_CFLAGS come last on the command line, so they switch optimisation on.
    if ! (cd "$work/source" &&
        ./configure --prefix="$prefix" --quiet "${options[@]}" CFLAGS='-O2 -g1' &&
        make -j"${JOBS:-2}" EXTRA_CFLAGS='-O2 -g1' &&
        make INSTALL_ROOT="$work/root" DESTDIR="$work/root" install) >"$work/log" 2>&1; then
        tail -n 40 "$work/log" >&2
        exit 1
    fi
    echo "$recipe" >"$work/root$prefix/.recipe"
    rm -rf "$prefix"
    mv "$work/root$prefix" "$prefix"
}

make_it() {
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/$name.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    command -v apt-get >/dev/null || skip "needs apt-get"
    exec 9>"$cache/$name.lock"
    flock 9
    find_built && return
    install_packages "${needs[@]}"
    fetch_source
    build
    exec 9>&-
    find_built
}

use_built() {
    local prefix
    recipe="${options[*]}"
    if prefix=$(find_built); then
        install_packages ${uses[@]+"${uses[@]}"} # they may have been removed since the build
    else
        make_it >/dev/null
        prefix=$(find_built)
    fi
    [[ ${#command[@]} -gt 0 ]] || { echo "$prefix"; exit; }
    [[ $language == php ]] || { PATH=$prefix/bin:$PATH "${command[@]}"; return; }
    PHP_CONFIG=$prefix/bin/php-config "${command[@]}"
}
