#!/usr/bin/env bash
# Installs the project's packages as users do, in bare Debian 12 and 13 roots (tools/bare.sh). `larder doctor` must find no fault.
#   packaging/tests/run.sh [TEST]...
#   build     make deb in a bare root, from an archive of the sources without .git
#   apt       the packages of `build`, installed by apt-get; a request to FPM, a run of the command; then the packages are removed
#   phps      the packages of PHP 8.2 and 8.4 in one root: upgraded from the old single package, used together, one of them removed
#   pie       the prebuilt archives of build/release (make release), unpacked as PIE does: those for Debian's PHPs; and those for the PHPs
#             that tools/php-musl.sh and tools/php-zts.sh --release have built
#   docker    the RUN steps of packaging/docker/Dockerfile.debian
#   alpine    the RUN steps of packaging/docker/Dockerfile.alpine, with the PHP of tools/php-musl.sh in a bare Debian root
#   pecl      larder-VERSION.tgz of build/release, by `pecl install`
#   rpm       the spec of packaging/rpm: rpmspec, rpmlint
# All tests by default. The packages of `build` stay in build/packages. If a root cannot be made, its tests are skipped with a message.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=$PWD/packaging/tests
kept=$PWD/build/packages
tests=("$@")
((${#tests[@]} > 0)) || tests=(build apt phps pie docker alpine pecl rpm)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
passed=0
failed=0
skipped=0
SOURCE_DATE_EPOCH=$(tools/source-date.sh)
export SOURCE_DATE_EPOCH

# in_root RELEASE NAME SCRIPT [FILE]...: runs the script in a bare root, with these files beside it.
in_root() {
    local release=$1 name=$2 script=$3 status=0 folder=$work/root
    shift 3
    rm -rf "$folder"
    mkdir -p "$folder"
    cp "$here/$script" "$here/in-root.sh" "$@" "$folder/"
    (cd "$work" && "$OLDPWD/tools/bare.sh" "$release" "$folder" "$script") >"$work/log" 2>&1 || status=$?
    case $status in
        0) passed=$((passed + 1)); printf 'passed   %s, Debian %s: %s\n' "$name" "$release" "$(tail -n 1 "$work/log")" ;;
        77) skipped=$((skipped + 1)); printf 'skipped  %s, Debian %s: %s\n' "$name" "$release" "$(tail -n 1 "$work/log")" ;;
        *) failed=$((failed + 1)); printf 'FAILED   %s, Debian %s\n' "$name" "$release"; tail -n 40 "$work/log" ;;
    esac
    return "$status"
}

build() {
    tools/sources.sh "$work/larder.tar.gz" larder
    for release in 12 13; do
        in_root "$release" build build.sh "$work/larder.tar.gz" || continue
        mkdir -p "$kept/$release"
        rm -f "$kept/$release"/*.deb
        cp "$work"/root/out/*.deb "$kept/$release/"
    done
}
packages() {
    [[ ! -e $kept/12 || ! -e $kept/13 ]] || return 0
    build
    [[ -e $kept/12 && -e $kept/13 ]]
}

# has_archive PHP KIND: true if build/release has the archive. `make release` makes the archives of RELEASE_PHPS and RELEASE_KINDS.
has_archive() {
    ! compgen -G "build/release/php_larder-*_php$1-*-linux-$2.zip" >/dev/null || return 0
    skipped=$((skipped + 1))
    echo "skipped  pie: build/release has no archive for PHP $1, $2: make release"
    return 1
}

# built_php KIND: prints the folder of the PHP of this kind that tools/php-zts.sh or tools/php-musl.sh has built in Larder's cache folder. Prints
# nothing if there is none.
built_php() {
    local name=php-musl prefix
    [[ $1 != glibc-zts ]] || name=php-zts
    for prefix in "${LARDER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/larder}/$name"-*-release; do
        [[ ! -e $prefix/.recipe ]] || { echo "$prefix"; return; }
    done
}

# pack_built KIND: packs the folder that built_php prints into built.tar, and writes the folder's name to the file `built`. If there is no such PHP,
# prints a message and fails.
pack_built() {
    local prefix
    prefix=$(built_php "$1")
    if [[ -z $prefix ]]; then
        skipped=$((skipped + 1))
        echo "skipped  $test, $1: its PHP is not built"
        return 1
    fi
    echo "$prefix $1" >"$work/built"
    tar -C / --exclude='*/libphp*' --exclude='*/man' -cf "$work/built.tar" "${prefix#/}"
}

for test in "${tests[@]}"; do
    case $test in
        build) build ;;
        apt) packages && for release in 12 13; do in_root "$release" apt apt.sh "$kept/$release"/*.deb || true; done ;;
        phps)
            packages || continue
            # The command depends on no version of PHP.
            for file in usr/share/larder/larder.php usr/bin/larder; do
                [[ $(dpkg-deb --fsys-tarfile "$kept"/12/larder_*.deb | tar -xOf - "./$file" | sha256sum) == \
                    "$(dpkg-deb --fsys-tarfile "$kept"/13/larder_*.deb | tar -xOf - "./$file" | sha256sum)" ]] || { echo "FAILED   phps: $file differs"; failed=$((failed + 1)); }
            done
            in_root 13 phps phps.sh "$kept"/12/php8.2-larder_*.deb "$kept"/13/{larder,php8.4-larder}_*.deb || true
            ;;
        pie)
            for release in 12 13; do
                series=8.2
                [[ $release == 12 ]] || series=8.4
                has_archive "$series" glibc || continue
                in_root "$release" pie pie.sh build/release/php_larder-*.zip composer.json build/release/larder.php || true
            done
            for kind in musl glibc-zts; do
                pack_built "$kind" || continue
                prefix=$(cut -d' ' -f1 "$work/built")
                has_archive "$("$prefix/bin/php-config" --version | cut -d. -f1,2)" "$kind" || continue
                in_root 12 "pie, $kind" pie-built.sh build/release/php_larder-*.zip build/release/larder.php "$work/built" "$work/built.tar" || true
            done
            ;;
        docker)
            tools/sources.sh "$work/larder.tar.gz" larder
            for release in 12 13; do in_root "$release" docker docker.sh "$work/larder.tar.gz" || true; done
            ;;
        alpine)
            pack_built musl || continue
            tools/sources.sh "$work/larder.tar.gz" larder
            in_root 12 alpine docker-alpine.sh "$work/larder.tar.gz" tools/musl-gcc.sh "$work/built" "$work/built.tar" || true
            ;;
        pecl)
            if ! compgen -G "build/release/larder-*.tgz" >/dev/null; then
                skipped=$((skipped + 1))
                echo "skipped  pecl: build/release has no package: make release"
                continue
            fi
            for release in 12 13; do in_root "$release" pecl pecl.sh build/release/larder-*.tgz build/release/larder.php || true; done
            ;;
        rpm) in_root 12 rpm rpm.sh packaging/rpm/php-pecl-larder.spec || true ;;
        *) echo "packaging/tests/run.sh: $test is no test of it" >&2; exit 2 ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
