#!/usr/bin/env bash
# Tests of the Ruby gem, with the extension that `make ruby` built.
#   ruby/run-tests.sh                      all, with shared memory; then with the store in plain Ruby; then the tests that kill workers
#   ruby/run-tests.sh FILE...              these, with shared memory
#   ruby/run-tests.sh --valgrind [FILE]... with shared memory, under valgrind
#   ruby/run-tests.sh --asan [FILE]...     with shared memory, the extension built with AddressSanitizer and UBSan
#   ruby/run-tests.sh --musl [FILE]...     with shared memory, with a Ruby for musl (tools/ruby-musl.sh) and the system's gems, except
#                                          compiled ones. Without FILE, also the tests that kill workers, and of the precompiled gem
#   ruby/run-tests.sh --gem                the gem itself: built, installed into an empty folder, used. Then the precompiled gem: built
#                                          twice, with the same bytes, and installed without a compiler
set -euo pipefail

cd "$(dirname "$0")/.."
libraries=(-Ibuild/ruby/lib -Iruby/lib -Iruby/test)

# run COMMAND... -- FILE...: COMMAND runs the tests of all files in one process.
run() {
    local command=()
    while [[ $1 != -- ]]; do
        command+=("$1")
        shift
    done
    shift
    "${command[@]}" "${libraries[@]}" -e 'ARGV.each { |file| require "./#{file}" }; ARGV.clear' "$@"
}

# Turn off the checks that do not work with Ruby. Ruby jumps over stack frames, so use no redzones on the stack. Ruby has its own signal
# stacks, so use no signal stacks of the sanitizer. Ruby frees no memory at exit, so do not search for leaks.
test_asan() {
    local preload fixed=()
    setarch -R true 2>/dev/null && fixed=(setarch -R)
    mkdir -p build/ruby-asan/ext build/ruby-asan/lib/larder
    (
        cd build/ruby-asan/ext
        LARDER_CFLAGS='-O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer --param asan-stack=0' \
            LARDER_LDFLAGS='-fsanitize=address,undefined' ruby ../../../ruby/ext/larder/extconf.rb >extconf.log
        make --no-print-directory -s >/dev/null
        cp larder.so ../lib/larder/
    )
    libraries[0]=-Ibuild/ruby-asan/lib
    preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
    run env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0 UBSAN_OPTIONS=print_stacktrace=1 \
        "${fixed[@]}" ruby -- "$@"
}

# A program that uses an installed gem, and prints which library it has loaded.
# shellcheck disable=SC2016 # $LOADED_FEATURES is Ruby's
use_gem='
    cache = Larder::Cache.new
    Process.wait(fork { cache.set("key", { number: 1, value: nil }) })
    raise "not shared" unless cache.get("key") == { number: 1, value: nil } && cache.stats[:shared]
    puts $LOADED_FEATURES.grep(%r{/larder\.so\z})'

# test_precompiled FOLDER: compiles in two folders, and compares the two gems. No gem may contain the path of its folder.
test_precompiled() {
    local root=$1 copy file used
    for copy in one another/one; do
        mkdir -p "$root/$copy"
        tools/sources.sh "$root/$copy.tar.gz" larder
        tar -C "$root/$copy" -xzf "$root/$copy.tar.gz"
        SOURCE_DATE_EPOCH=$(tools/source-date.sh) ruby "$root/$copy/larder/tools/release/gem.rb" compile "$root/$copy/built"
        SOURCE_DATE_EPOCH=$(tools/source-date.sh) ruby "$root/$copy/larder/tools/release/gem.rb" pack "$root/$copy/built" "$root/$copy/out" >/dev/null
    done
    file=$(ls "$root"/one/out/*.gem)
    cmp "$file" "$root/another/one/out/${file##*/}"
    mkdir "$root/no-compiler"
    used=$(cd "$root" && GEM_HOME=$root/precompiled GEM_PATH=$root/precompiled && export GEM_HOME GEM_PATH &&
        PATH=$root/no-compiler "$(command -v ruby)" "$(command -v gem)" install --quiet --local --no-document "$file" >&2 &&
        ruby -w -rlarder -e "$use_gem")
    [[ $used == "$root"/precompiled/gems/larder-*/ruby/lib/larder/*/larder.so ]] || { echo "$used is used"; return 1; }
    echo "${file##*/}, installed without a compiler: works; the same bytes twice"
}

# test_musl [FILE]...: runs the tests with the Ruby in the PATH, which must be a Ruby for musl.
test_musl() {
    local root tests system file used
    [[ $(ruby -e 'puts RbConfig::CONFIG["host_os"]') == linux-musl ]] || { echo 'this Ruby is not for musl'; return 1; }
    mkdir -p build/ruby-musl/ext build/ruby-musl/lib/larder
    (
        cd build/ruby-musl/ext
        ruby ../../../ruby/ext/larder/extconf.rb >extconf.log
        make --no-print-directory -s >/dev/null
        if readelf --dynamic larder.so | grep -e NEEDED | grep -v -e '\[libc.so\]'; then
            echo 'larder.so is not for musl alone'
            exit 1
        fi
        cp larder.so ../lib/larder/
    )
    libraries[0]=-Ibuild/ruby-musl/lib
    GEM_PATH=$(ruby -e 'puts Gem.default_dir'):/usr/share/rubygems-integration/all
    export GEM_PATH MT_NO_PLUGINS=1 # plugins of Rails need compiled gems
    if (($# > 0)); then
        run ruby -- "$@"
        return
    fi
    # Leave out the tests of Active Support and Rails. They need zlib and compiled gems, which Debian has only for glibc.
    mapfile -t tests < <(grep -L -e active_support -e rails ruby/test/*_test.rb)
    run ruby -- "${tests[@]}"
    ruby "${libraries[@]}" ruby/test/crash.rb --seconds 4
    root=$(mktemp -d)
    # shellcheck disable=SC2064 # expand $root now, because it is local
    trap "rm -rf '$root'" EXIT
    # RubyGems needs zlib, which the Ruby for musl lacks. So the system's Ruby packs and unpacks the gem.
    unset GEM_PATH
    system=$(PATH=${PATH#*:} command -v ruby)
    ruby tools/release/gem.rb compile "$root/built"
    file=$("$system" tools/release/gem.rb pack "$root/built" "$root/out")
    [[ $file == *-linux-musl.gem ]] || { echo "$file"; return 1; }
    "$system" -rfileutils -rrubygems/package -e 'Gem::Package.new(ARGV[0]).extract_files(ARGV[1])' "$file" "$root/gem"
    used=$(cd "$root" && ruby -w -I gem/ruby/lib -rlarder -e "$use_gem")
    [[ $used == "$root"/gem/ruby/lib/larder/*/larder.so ]] || { echo "$used is used"; return 1; }
    echo "${file##*/}: works"
}

test_gem() {
    local root
    root=$(mktemp -d)
    # shellcheck disable=SC2064 # expand $root now, because it is local
    trap "rm -rf '$root'" EXIT
    gem build --quiet --output "$root/larder.gem" larder.gemspec 2>"$root/build.log" || { cat "$root/build.log"; return 1; }
    GEM_HOME=$root/home GEM_PATH=$root/home gem install --quiet --local --no-document "$root/larder.gem"
    (
        cd "$root"
        GEM_HOME=$root/home GEM_PATH=$root/home ruby -w -rlarder -e '
            cache = Larder::Cache.new
            Process.wait(fork { cache.set("key", { number: 1, value: nil }) })
            raise "not shared" unless cache.get("key") == { number: 1, value: nil }
            puts "the built gem, installed: works"'
        LARDER_FALLBACK=1 GEM_HOME=$root/plain GEM_PATH=$root/plain gem install --quiet --local --no-document larder.gem
        GEM_HOME=$root/plain GEM_PATH=$root/plain ruby -rlarder -e '
            cache = Larder::Cache.new
            cache.set("key", [1])
            raise "wrong" unless cache.get("key") == [1] && !cache.stats[:shared]
            puts "the same, without shared memory: works"' 2>/dev/null
    )
    test_precompiled "$root"
}

case ${1:-} in
    --gem)
        test_gem
        exit
        ;;
    --musl)
        shift
        test_musl "$@"
        exit
        ;;
    --asan)
        shift
        (($# > 0)) || set -- ruby/test/{values,keys,operations,coordination,fetch,blocks,view,threads,damage,reentrance,forms}_test.rb
        test_asan "$@"
        exit
        ;;
    --valgrind)
        shift
        (($# > 0)) || set -- ruby/test/{values,keys,operations,view}_test.rb
        # Ruby's collector scans undefined parts of the stack, and Ruby does not free its memory at the end. So check neither undefined
        # values nor leaks.
        run valgrind --quiet --error-exitcode=1 --leak-check=no --undef-value-errors=no --num-callers=30 \
            --suppressions=ruby/valgrind.supp ruby -- "$@"
        exit
        ;;
esac

if (($# > 0)); then
    run ruby -- "$@"
    exit
fi
run ruby -- ruby/test/*_test.rb
echo 'The store in plain Ruby:'
LARDER_FALLBACK=1 run ruby -- ruby/test/{values,keys,operations,coordination,fetch,blocks,view,threads,memory,reentrance,forms,larder_store}_test.rb
ruby "${libraries[@]}" ruby/test/crash.rb --seconds 4
