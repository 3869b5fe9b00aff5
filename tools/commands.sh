#!/usr/bin/env bash
# Runs every command that a document shows in a block of sh: README.md, CONTRIBUTING.md, docs and the library's README.
#   tools/commands.sh      ends with "N commands, N failed"
# - Commands that take minutes, and commands for a bare machine (tools/newcomer.sh), are run by other tests. For such a command, this script only
#   checks that the other test exists.
# - For most make commands, it checks that the target exists.
# - A command without a rule below is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
failed=0

# Print the commands of a document, without comments and with joined lines.
commands() {
    awk '/^ *```sh/ { on = 1; next } /^ *```/ { on = 0 } on' "$1" | sed -e :a -e '/\\$/N; s/\\\n */ /; ta' |
        sed -e 's/^ *//' -e 's/^#.*//' -e 's/ \+# .*//' | grep -v '^$' || true
}

block() { awk -v kind="$2" '$0 == "```" kind { on = 1; next } /^```/ { on = 0 } on' "$1"; }

# by FILE: prints that another test, FILE, runs the command. Fails if FILE does not exist.
by() { [[ -e $1 ]] && echo "by $1"; }

has() { command -v "$1" >/dev/null || { echo "not run: $1 is missing"; return 1; }; }

targets() { # print A and B of "make A B X=Y"
    local word
    for word in $1; do
        case $word in make | *=*) ;; *) grep -qE "^([a-z-]+ )*$word( [a-z-]+)*:" Makefile mk/*.mk || { echo "no target $word"; return 1; } ;; esac
    done
}

run() {
    local command=$1
    case $command in
        "larder doctor"* | "sudo larder doctor --fpm "*) by php/tests/ops/doctor.phpt && by php/tests/ops/doctor_fpm.phpt ;;
        "echo 'larder.volatile_size = "* | "sudo larder --fpm /run/php/php8.2-fpm.sock ping") by tools/newcomer-checks.sh ;;
        "sudo apt-get update && "* | "sudo -u www-data php -r "* | "git clone "* | *"/*larder_"* | *99-local.ini* | "sudo service "* | "larder --fpm "* | "sudo larder "*)
            # Another document may repeat a command of README.md. tools/newcomer.sh runs this command.
            commands README.md | grep -qxF -e "$command" -e "${command/install/install -y}" && by tools/newcomer.sh ;;
        "sudo -u www-data LARDER_DASHBOARD=read php -S "*) by php/tests/ops/dashboard.phpt ;;
        "php tools/includes.php --graph") grep -q '^ground$' <<<"$(eval "$command")" ;;
        "larder --scope app "*) by php/tests/ops/documents.phpt ;;
        "make core && cc "*" core/example.c "*)
            make -s core >/dev/null
            (eval "${command#make core && }") && build/example >/dev/null && rm -f build/example /dev/shm/larder-example* ;;
        "make core && cc "*)
            block docs/c.md c >"$work/example.c"
            diff core/example.c "$work/example.c"
            make -s core >/dev/null
            # shellcheck disable=SC2001
            (eval "$(sed -e "s|example.c|$work/example.c -o $work/example|" <<<"${command#make core && }")")
            "$work/example" | grep -x hello
            rm -f /dev/shm/larder-example*
            ;;
        "make "*) targets "$command" ;;
        "sudo make install") # run by tools/newcomer.sh, too
            make -s larder && make -s install DESTDIR="$work/root" >/dev/null
            find "$work/root" -name '*larder.ini' | grep -q . && find "$work/root" -name larder.so | grep -q . && [[ -x $work/root/usr/local/bin/larder ]] ;;
        "php -n -d extension=igbinary "*" bench/php/sizes.php") by php/tests/ops/sizes_documented.phpt ;;
        "php -d extension="*) make -s php && eval "$command" | grep -qF '[1] => 2' ;;
        "docker "*) grep -oE 'packaging/docker/[A-Za-z.]+' <<<"$command" | while read -r file; do by "$file" || exit 1; done; by packaging/tests/docker.sh ;;
        "kubectl "*) by packaging/tests/files.rb ;;
        "gem build "*) by ruby/run-tests.sh && has gem && gem build larder.gemspec --output "$work/larder.gem" >/dev/null ;;
        "ruby -I"*pogocache*) by ruby/test/pogocache_test.rb ;;
        "chromium "* | "pngquant "*) has "${command%% *}" ;; # makes a picture of a report, which a person has looked at
        "larder-work "*)
            for word in $command; do
                [[ $word != --* ]] || grep -qF -e "${word%%=*}" packages/php/src/Work/*.php || { echo "no option $word"; return 1; }
            done
            by packages/php/tests/Work/WorkTest.php
            ;;
        "vendor/bin/larder-sync "*) by packages/php/tests/Tiered/ServersTest.php ;;
        "larder-sync "*) by ruby/test/tier_test.rb ;;
        "larder-cache "*) by ruby/test/command_test.rb ;;
        *php/run-tests.sh*)
            for word in $command; do [[ $word != php/tests/* ]] || by "$word" || return 1; done ;;
        "composer config repositories.larder"* | "composer require larder/cache"* | "composer require --dev larder/polyfill"*) by packages/php/tests/Recipes/ComposerTest.php ;;
        "export LARDER_SCOPE=app" | "php -S localhost:8000 -t public &" | "php worker.php") by packages/polyfill/tests/cases/shared.phpt ;;
        "git subtree "*)
            has git
            git init -q --bare "$work/cache.git"
            git clone -q --no-local . "$work/clone"
            (cd "$work/clone" && eval "$command") >/dev/null 2>&1
            ;;
        "git push git@example.org:"*) (cd "$work/clone" && eval "${command/git@example.org:larder\/cache.git/$work\/cache.git}") >/dev/null 2>&1 && git -C "$work/cache.git" show main:composer.json | grep -q larder/cache ;;
        "cp packages/php/wordpress/"*) mkdir -p "$work/wp-content" && eval "${command//\/path\/to\//$work/}" && php -l "$work/wp-content/object-cache.php" >/dev/null ;;
        *) echo "no rule in tools/commands.sh"; return 1 ;;
    esac
}

# break_line: docs/tour.md shows a change of one line that breaks the core. Makes this change in a copy of the core. Fails unless the test that the
# tour names then fails.
break_line() {
    local copy=$work/broken line wrong failure
    # shellcheck disable=SC2016 # the backquotes are the document's
    failure=$(sed -n 's/^It fails with `\[  FAILED  \] \([a-z_]*\)`.*/\1/p' docs/tour.md)
    line=$(block docs/tour.md c | sed -n 1p)
    wrong=$(block docs/tour.md c | sed -n 2p)
    mkdir "$copy"
    git ls-files -z core mk Makefile tools VERSION | xargs -0 cp --parents -t "$copy"
    LINE=$line WRONG=$wrong awk '/lrd__protect\(/ { on = 1 } on && $0 == ENVIRON["LINE"] { $0 = ENVIRON["WRONG"]; done++ } /^}/ { on = 0 } { print }
        END { exit done != 1 }' core/src/memory/ledger.h >"$copy/core/src/memory/ledger.h" || { echo "lrd__protect() lacks the line"; return 1; }
    make -s -C "$copy" build/test/core/handle_test || return 1
    "$copy/build/test/core/handle_test" >"$work/broken.log" 2>&1 || true
    grep -m 1 -F "[  FAILED  ] ${failure:?}" "$work/broken.log"
}

for document in README.md CONTRIBUTING.md docs/*.md docs/frameworks/*.md packages/php/README.md; do
    while read -r command; do
        count=$((count + 1))
        if said=$(run "$command" 2>&1 </dev/null); then
            printf 'right   %s: %s%s\n' "$document" "$command" "${said:+   ($(tail -n 1 <<<"$said"))}"
        else
            failed=$((failed + 1))
            printf 'FAILED  %s: %s\n%s\n' "$document" "$command" "$said"
        fi
    done < <(commands "$document")
done
count=$((count + 1))
if said=$(break_line 2>&1 </dev/null) && [[ $said == *FAILED* ]]; then
    printf 'right   docs/tour.md: the broken line is noticed: %s\n' "$said"
else
    failed=$((failed + 1))
    printf 'FAILED  docs/tour.md: the broken line is not noticed\n%s\n' "$said"
fi
count=$((count + 1))
php -n tools/api-examples.php --control
make -s php >/dev/null 2>&1
if said=$(php -d extension="$PWD/php/modules/larder.so" tools/api-examples.php --run 2>&1); then
    printf 'right   docs/api.md: %s\n' "$said"
else
    failed=$((failed + 1))
    printf 'FAILED  docs/api.md: %s\n' "$said"
fi
echo "$count commands, $failed failed"
((failed == 0))
