# Formatters, linters, and checks of the project's own rules.

.PHONY: lint lint-ci lint-format lint-names lint-includes lint-tidy lint-cppcheck lint-scripts lint-ruby lint-docs lint-prose

C_FILES := $(wildcard core/*.c core/include/*.h core/src/*.h core/src/*/*.[ch] core/tests/*.[ch] core/tests/cross/*.[ch] core/tests/proof/*.[ch] bench/core/*.[ch] demo/*.[ch])
PHP_FILES := $(filter-out %_arginfo.h php/config.h,$(wildcard php/*.h php/src/*.[ch] php/src/*/*.[ch] php/src/*/*/*.[ch] bench/php/noop/*.[ch]) \
	$(wildcard php/embed/*.c))
SCRIPTS := $(wildcard tools/*.sh core/tests/*.sh core/tests/litmus/*.sh core/tests/proof/model/*.sh php/*.sh ruby/*.sh bench/*.sh .ci/run \
	php/embed/*.sh php/musl/*.sh php/adapters/*.sh packages/php/tests/*.sh packages/polyfill/tests/run.sh packaging/tests/*.sh tools/release/*.sh)

lint: lint-ci lint-format lint-includes lint-names lint-tidy lint-cppcheck lint-scripts lint-docs lint-prose lint-ruby lint-packaging ## all of them: format, includes, names in comments, clang-tidy, cppcheck, shellcheck, documents, prose, rubocop, recipes for distributions

# Other versions of clang-format, cppcheck and so on report other faults. So `judged_by` skips a check unless its program has the version of
# Debian 12.
judged_by = @$(1) --version | grep -qE '(version|Cppcheck) $(2)\b' || { echo '$@: skipped: it takes $(1) $(2)'; exit 0; };

lint-format:
	$(call judged_by,$(CLANG_FORMAT),14) $(CLANG_FORMAT) --dry-run -Werror $(C_FILES) $(PHP_FILES) $(RUBY_FILES)

# Check that the CI has a job for each target that runs tests. These are the targets with a "##" text, the menu of `make`.
lint-ci:
	@mkdir -p build
	@sed -nE 's/^([a-z0-9 -]+):.*## .*/\1/p' Makefile mk/*.mk | tr ' ' '\n' | \
		grep -xE '(test-.*|asan|tsan|valgrind|fuzz|(crash|delay|pressure)(-.*)?|check|lint|newcomer)' | sort >build/ci-menu
	@sed -nE 's/^ {10}- ([a-z0-9-]+)( .*)?$$/\1/p' .github/workflows/ci.yml | grep -vx site | sort | diff build/ci-menu - || \
		{ echo '.github/workflows/ci.yml (>) has other jobs than the menu has tests (<)'; exit 1; }

lint-names:
	php tools/names.php --control
	php tools/names.php

lint-includes:
	php tools/includes.php --control
	php tools/includes.php
	@for source in core/src/*/*.c; do $(CC) $(BASE) -Werror=implicit-function-declaration -fsyntax-only $$source || exit 1; done

PHP_TIDY = -std=gnu11 -D_GNU_SOURCE -DCOMPILE_DL_LARDER -Iphp -Iphp/src -Icore/include -Icore/src -isystem core/vendor/xxhash \
	$(patsubst -I%,-isystem %,$(shell php-config --includes))

# Check each source by itself. If the analyzer checked core.c, it would skip the included sources, as it skips headers.
lint-tidy:
	$(call judged_by,$(CLANG_TIDY),14) \
	printf '%s\n' $(wildcard core/src/*/*.c) | xargs -P $(JOBS) -I '{}' $(CLANG_TIDY) --quiet '{}' -- $(BASE) && \
	printf '%s\n' $(filter-out php/src/core_unit.c,$(filter php/src/%.c,$(PHP_FILES))) | xargs -P $(JOBS) -I '{}' $(CLANG_TIDY) --quiet '{}' -- $(PHP_TIDY)

# Check only core.c, which includes all sources. Do not check the tests: cppcheck does not know that a failed check ends a test.
lint-cppcheck:
	$(call judged_by,cppcheck,2[.]10) cppcheck --quiet --std=c11 --enable=warning,portability,performance --error-exitcode=1 --inline-suppr \
		-D_GNU_SOURCE -D__GLIBC__=2 -Icore/include -Icore/src $(filter-out core/src/% core/tests/%,$(filter %.c,$(C_FILES)))

lint-scripts:
	shellcheck $(SCRIPTS)
	@! git grep -nE '(exit|die)\(("|implode|sprintf)' -- '*.php' ':!php/tests' ':!demo/hosts/app.php' | grep -v skipped || \
		{ echo 'exit() with a text has exit code 0, so the caller takes the program for successful'; exit 1; }

lint-ruby:
	@tools/setup.sh lint-ruby
	rubocop --config ruby/rubocop.yml --cache false --format quiet $(RUBY_SCRIPTS)

lint-docs:
	php tools/docs.php --check
	php tools/tested.php --check
	php tools/invariants.php --control
	php tools/invariants.php
	php tools/figures.php --control
	php tools/figures.php
	php tools/layout.php --control
	php tools/layout.php

lint-prose:
	php tools/prose.php --control
	php tools/prose.php
