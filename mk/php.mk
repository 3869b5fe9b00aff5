# The PHP extension, and its tests in this PHP and in others.

.PHONY: php php-arginfo test-php crash-sessions test-php-adapters php-poison test-php-poison php-zts \
	test-php-zts test-php-threads test-php84 test-php85 test-php86 test-php-valgrind test-php-asan \
	test-newer-libc

# Dependency files from an earlier build may name source files that are gone. So `make php` keeps the list of sources, and deletes all
# dependency files when this list has changed.
PHP_BUILT_OF = find src ../core/src -name '*.h' -o -path 'src/kinds/*.c' -o -path '../core/src/*.c' | sort

# The Makefile of phpize has a rule of its own for changed stubs, which would need the network. So make-arginfo.sh updates the headers
# first.
php: ## build the PHP extension: php/modules/larder.so
	@tools/setup.sh php-build
	@cd php && if [ ! -e Makefile ] || [ config.m4 -nt Makefile ] || \
		[ "$$($(PHP_BUILT_OF))" != "$$(cat build/made-of 2>/dev/null)" ]; then \
		find src \( -name '*.lo' -o -name '*.dep' \) -delete; \
		text=$$(phpize) || { echo "$$text" >&2; exit 1; }; ./configure >/dev/null && $(PHP_BUILT_OF) >build/made-of; fi
	@cd php && for stub in $$(find src -name '*.stub.php'); do \
		[ ! "$$stub" -nt "$${stub%.stub.php}_arginfo.h" ] || exec ./make-arginfo.sh; done
	@$(MAKE) --no-print-directory -s -C php >/dev/null

php-arginfo: ## make each NAME_arginfo.h from its stub
	@tools/setup.sh php
	@php/make-arginfo.sh

test-php: php ## tests of the PHP extension: plain, with opcache, with each JIT (PHP_MODE=--all, PHP_TESTS=...)
	@tools/setup.sh php
	@php/run-tests.sh $(or $(PHP_MODE),--all) $(PHP_TESTS)

crash-sessions: KILLS ?= 2000
crash-sessions: php ## kill PHP workers inside and outside a session's lock (KILLS=2000)
	@mkdir -p build && rm -f build/crash-sessions.txt
	@LARDER_KILLS=$(KILLS) LARDER_REPORT=$(CURDIR)/build/crash-sessions.txt TEST_TIMEOUT=$$(($(KILLS) * 2 + 600)) \
		php/run-tests.sh --plain php/tests/session/killed_owner.phpt php/tests/session/fpm_counter.phpt
	@cat build/crash-sessions.txt

test-php-adapters: php ## the cache adapters of Symfony, Laravel and Doctrine on the layer for APCu
	@tools/setup.sh adapters || true # the next line reports a missing tool
	@php/adapters/run.sh

# This build overwrites freed memory, and moves tables at each use. So code that still reads freed memory, or a table's old place, fails.

php-poison: php ## the extension with LRD_POISON and LARDER_MOVE_TABLES, for tests: build/php-poison/php/modules/larder.so
	@php/run-tests.sh --poison --build build/php-poison --build-only

test-php-poison: php ## tests with freed memory overwritten and tables that move (PHP_MODE=, PHP_TESTS=)
	@php/run-tests.sh --poison --build build/php-poison $(or $(PHP_MODE),--plain --opcache) \
		$(or $(PHP_TESTS),php/tests/lifetime)
ifndef PHP_TESTS
	@php/run-tests.sh --poison --build build/php-poison --plain php/tests/object php/tests/remember php/tests/resident
endif

php-zts: ## build a thread-safe debug PHP (minutes, once)
	@tools/php-zts.sh

test-php-zts: ## tests of the extension with a thread-safe debug PHP (PHP_MODE=, PHP_TESTS=)
	@tools/php-zts.sh php/run-tests.sh --build build/php-zts $(or $(PHP_MODE),--all) $(PHP_TESTS)

test-php-threads: SECONDS ?= 60
test-php-threads: ## requests in threads of one process (SECONDS=60)
	@tools/php-zts.sh php/embed/run.sh $(SECONDS)

# In these tests, tables grow while user code runs.
MOVING_TESTS := php/tests/object/table_of_classes_grows.phpt php/tests/remember/fibers.phpt
# These tests run with sanitizers. Most run user code inside a call. Tests of a fatal error in a fiber are left out, because the sanitizer
# warns when such an error jumps to another stack.
ASAN_PHP_TESTS := $(MOVING_TESTS) php/tests/remember/exit_inside.phpt php/tests/remember/reentrant.phpt \
	php/tests/remember/exception.phpt php/tests/array/equal_hashes.phpt php/tests/object/same_hash.phpt \
	php/tests/object/random_graphs.phpt php/tests/resident/cases_freed_once.phpt php/tests/string

test-php84: ROOT = 13
test-php85: ROOT = php8.5
test-php86: ROOT = php8.6
test-php84 test-php85 test-php86: ## tests of the extension with PHP 8.4, 8.5, 8.6, in a root of another Debian (PHP_MODE=, PHP_TESTS=)
	@tools/debian.sh $(ROOT) php/run-tests.sh --build /tmp/php $(or $(PHP_MODE),--all) $(PHP_TESTS)

test-php-valgrind: php ## tests of the extension, with tables that move, under valgrind (PHP_TESTS=)
	@php/run-tests.sh --poison --build build/php-poison --valgrind $(or $(PHP_TESTS),php/tests/array php/tests/string php/tests/cache)

test-php-asan: php ## tests of the extension, with tables that move, under AddressSanitizer and UBSan (PHP_TESTS=...)
	@php/run-tests.sh --poison --asan --build build/php-asan $(or $(PHP_TESTS),$(ASAN_PHP_TESTS))

test-newer-libc: ## quick tests of the extension, the core and the gem on Debian testing: glibc 2.42 or later, its PHP, its Ruby
	@tools/debian.sh testing tools/newer-libc.sh
