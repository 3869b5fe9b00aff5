# Larder: builds and checks all of it. Output goes to build/, but phpize's, which lies in php/. `make help` lists the targets.

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG_FORMAT ?= clang-format
CLANG_TIDY ?= clang-tidy
JOBS ?= 2
export JOBS # of tools/run-tests.sh, too

# CC builds the library, tests, benchmarks and demo; the core must compile with both.
COMPILER := $(if $(findstring clang,$(CC)),clang,gcc)
GCC := $(if $(filter gcc,$(COMPILER)),$(CC),gcc)
CLANG := $(if $(filter clang,$(COMPILER)),$(CC),clang)
LIB := build/core/$(COMPILER)/liblarder.a

BASE := -std=c11 -D_GNU_SOURCE -g -pthread -Icore/include -Icore/src -isystem core/vendor/xxhash
CORE := $(BASE) -fPIC -fvisibility=hidden -Wall -Wextra -Wpedantic -Wconversion -Werror
PROGRAM := $(BASE) -Wall -Wextra -Werror
DEPEND = -MMD -MP -MF $@.d -MT $@

SANITIZE_ADDRESS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZE_THREAD := -fsanitize=thread -fno-omit-frame-pointer -DLRD_SINGLE_ALIAS
SANITIZE_FUZZ := -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
# A fixed address layout, where it may be asked for: older sanitizer runtimes cannot start under strong randomisation.
SANITIZE_RUN := $(shell setarch -R true 2>/dev/null && echo setarch -R)

TESTS := $(filter-out crash_test delay_test pressure_test,$(patsubst core/tests/%.c,%,$(wildcard core/tests/*_test.c)))
SLOW_TESTS ?= model_test failpoint_test grow_test queue_failpoint_test
QUICK_TESTS := $(filter-out $(SLOW_TESTS),$(TESTS))
ASAN_TESTS ?= $(TESTS)
TSAN_TESTS ?= $(filter thread_test,$(TESTS))
VALGRIND_TESTS ?= $(QUICK_TESTS)

CRASH := $(patsubst core/tests/%.c,build/crash/%,$(wildcard core/tests/crash_test.c core/tests/queue_crash.c))
# What is being killed or broken may hang for good.
CRASH_LIMIT = timeout -k 10 $$(($(SECONDS) * 10 + 300))
CONTROLS := crash_test:ignore-ledger crash_test:hand-out-before-listing crash_test:no-barrier crash_test:clear-first \
	crash_test:mark-before-vetting queue_crash:publish-first queue_crash:forget-owner
PRESSURE := build/crash/pressure_test
PRESSURE_CONTROLS := no-zone no-evict
DELAY := build/delay/delay_test
DELAY_CONTROLS := claim-free-only ignore-ledger
FUZZERS := $(patsubst core/tests/%.c,build/fuzz/%,$(wildcard core/tests/fuzz_*.c))
BENCHES := $(patsubst bench/core/%.c,build/bench/%,$(wildcard bench/core/*_bench.c))
DEMO := $(patsubst demo/%.c,build/demo/%,$(wildcard demo/dpkg_demo.c))

C_FILES := $(wildcard core/*.c core/include/*.h core/src/*.[ch] core/tests/*.[ch] core/tests/cross/*.[ch] bench/core/*.[ch] demo/*.[ch])
PHP_FILES := $(filter-out %_arginfo.h php/config.h,$(wildcard php/*.h php/src/*.[ch] php/src/*/*.[ch] php/src/*/*/*.[ch] bench/php/noop/*.[ch]))
SCRIPTS := $(wildcard tools/*.sh core/tests/litmus/*.sh php/*.sh ruby/*.sh bench/*.sh .ci/run)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo serve demo-core check test core lint lint-format lint-includes lint-names lint-tidy lint-cppcheck lint-scripts lint-ruby bench asan tsan \
	valgrind crash crash-control fuzz clean everything php php-arginfo test-php bench-php bench-core bench-http test-bench

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

demo: php ## nginx and php-fpm under load, workers killed: no cache, APCu, Larder (under a minute)
	@tools/setup.sh demo
	@php demo/run.php

serve: php ## the demo's servers and a page to look at, until Ctrl-C (LARDER_SERVE_SECONDS=...)
	@tools/setup.sh demo
	@php demo/run.php --serve

demo-core: ## the core alone: readers and a rewriter share the package database while they are killed
	@tools/setup.sh build
	@$(MAKE) --no-print-directory build/demo/dpkg_demo
	@build/demo/dpkg_demo

# Where tables grow while user code runs.
MOVING_TESTS := php/tests/object/table_of_classes_grows.phpt php/tests/remember/fibers.phpt
# The same with sanitizers, and what user code may do inside remember(). Not a fatal error in a fiber: the sanitizer
# warns of a jump to a stack that it was not told of.
ASAN_PHP_TESTS := $(MOVING_TESTS) php/tests/remember/exit_inside.phpt php/tests/remember/reentrant.phpt \
	php/tests/remember/exception.phpt php/tests/array/equal_hashes.phpt php/tests/object/same_hash.phpt \
	php/tests/string

check: ## what to run before a commit: installs nothing, some three minutes
	@tools/check.sh

ifdef NAME
test: ## install what is missing, build all, run every check briefly (half an hour; NAME=FILE or FILE:FUNCTION: only that)
	@tools/named-test.sh '$(NAME)'
else
test:
	@tools/setup.sh
	@tools/setup.sh php
	@tools/setup.sh ops || true # without a browser its tests are skipped
	@tools/setup.sh ruby
	@tools/php-zts.sh >/dev/null || true # minutes, once; what is wrong is said by its step
	@tools/run-tests.sh --step build '$(MAKE) -s -k -j$(JOBS) everything' \
		$(addprefix build/test/core/,$(TESTS)) \
		--step aarch64 '$(MAKE) -s test-aarch64' \
		$(if $(CRASH),--step crash '$(MAKE) -s crash SECONDS=8') \
		$(if $(CRASH),--step crash-control '$(MAKE) -s crash-control SECONDS=5') \
		$(if $(shell command -v herd7),--step litmus '$(MAKE) -s test-litmus') \
		--step delay '$(MAKE) -s delay SECONDS=15' \
		--step delay-control '$(MAKE) -s delay-control' \
		--step pressure '$(MAKE) -s pressure SECONDS=8' \
		--step pressure-control '$(MAKE) -s pressure-control' \
		$(if $(TSAN_TESTS),--step tsan '$(MAKE) -s tsan') \
		$(if $(QUICK_TESTS),--step asan '$(MAKE) -s asan ASAN_TESTS="$(QUICK_TESTS)"') \
		$(if $(FUZZERS),--step fuzz '$(MAKE) -s fuzz SECONDS=10') \
		--step php '$(MAKE) -s test-php PHP_MODE="--plain --opcache"' \
		--step php-poison '$(MAKE) -s test-php-poison' \
		--step php-adapters '$(MAKE) -s test-php-adapters' \
		--step lib '$(MAKE) -s test-lib' \
		--step php-zts '$(MAKE) -s test-php-zts PHP_MODE="--opcache"' \
		--step php-threads '$(MAKE) -s test-php-threads SECONDS=10' \
		--step php84 '$(MAKE) -s test-php84 PHP_MODE=--plain' \
		--step newer-libc '$(MAKE) -s test-newer-libc' \
		--step php-valgrind '$(MAKE) -s test-php-valgrind PHP_TESTS="php/tests/string $(MOVING_TESTS)"' \
		--step php-asan '$(MAKE) -s test-php-asan' \
		--step php-arginfo 'php/make-arginfo.sh --check' \
		--step ruby '$(MAKE) -s test-ruby' \
		--step ruby-gem '$(MAKE) -s test-ruby-gem' \
		--step bench '$(MAKE) -s test-bench' \
		--step docs '$(MAKE) -s test-docs' \
		--step lint '$(MAKE) -s -k -j$(JOBS) lint'
endif

core: build/core/gcc/liblarder.a build/core/clang/liblarder.a ## build build/core/liblarder.a, with gcc and with clang
	ln -sfn $(COMPILER)/liblarder.a build/core/liblarder.a

# What the checks of `make test` run.
everything: core $(addprefix build/test/core/,$(TESTS)) $(addprefix build/asan/core/,$(QUICK_TESTS)) \
	$(addprefix build/tsan/core/,$(TSAN_TESTS)) $(CRASH) $(addsuffix _controls,$(CRASH)) $(PRESSURE) $(addsuffix _controls,$(PRESSURE)) $(DELAY) $(FUZZERS) $(BENCHES) $(DEMO)

asan: $(addprefix build/asan/core/,$(ASAN_TESTS)) ## tests under AddressSanitizer and UBSan (ASAN_TESTS=...)
	@UBSAN_OPTIONS=print_stacktrace=1 tools/run-tests.sh --wrap '$(SANITIZE_RUN)' $^

tsan: $(addprefix build/tsan/core/,$(TSAN_TESTS)) ## tests under ThreadSanitizer (TSAN_TESTS=...)
	@TSAN_OPTIONS=halt_on_error=1 tools/run-tests.sh --wrap '$(SANITIZE_RUN)' $^

valgrind: $(addprefix build/test/core/,$(VALGRIND_TESTS)) ## tests under valgrind (VALGRIND_TESTS=...)
	@tools/run-tests.sh --wrap 'valgrind --quiet --error-exitcode=1 --leak-check=full' $^

crash: SECONDS ?= 60
crash: $(CRASH) ## kill workers at random and check what is left (SECONDS=60)
	$(CRASH_LIMIT) build/crash/crash_test --seconds $(SECONDS)
	$(CRASH_LIMIT) build/crash/queue_crash --seconds $(SECONDS)

crash-control: SECONDS ?= 10
crash-control: $(addsuffix _controls,$(CRASH)) ## the same with broken code, which it must notice (SECONDS=10 each, again on a busy machine)
	@status=0; for pair in $(CONTROLS); do program=$${pair%%:*} control=$${pair##*:}; \
		log=build/crash/$$control.log; \
		for try in 1 2 3 4 5 6 7 8; do \
			$(CRASH_LIMIT) build/crash/$${program}_controls --control $$control --seconds $(SECONDS) >$$log 2>&1; \
			code=$$?; [ $$code -eq 0 ] || break; \
		done; \
		if [ $$code -eq 1 ]; then echo "caught      $$control"; \
		else echo "NOT CAUGHT  $$control (exit code $$code)"; tail -n 10 $$log; status=1; fi; \
	done; exit $$status

.PHONY: delay delay-control pressure pressure-control
delay: SECONDS ?= 60
delay: $(DELAY) ## the same at fail points, where workers also sleep; every value is compared whole (SECONDS=60)
	$(CRASH_LIMIT) $(DELAY) --seconds $(SECONDS)

delay-control: SECONDS ?= 60
delay-control: $(DELAY) ## the same with broken code, which it must notice (at most SECONDS=60 each)
	@status=0; for control in $(DELAY_CONTROLS); do \
		$(CRASH_LIMIT) $(DELAY) --control $$control --seconds $(SECONDS) >build/delay/$$control.log 2>&1; \
		if [ $$? -eq 1 ]; then echo "caught      $$control"; \
		else echo "NOT CAUGHT  $$control"; tail -n 10 build/delay/$$control.log; status=1; fi; \
	done; exit $$status

pressure: SECONDS ?= 60
pressure: $(PRESSURE) ## what a volatile store may not refuse, with holders, full memory and kills (SECONDS=60)
	$(CRASH_LIMIT) $(PRESSURE) --seconds $(SECONDS)

pressure-control: SECONDS ?= 60
pressure-control: $(addsuffix _controls,$(PRESSURE)) ## the same with rules switched off, which it must notice (at most SECONDS=60 each)
	@status=0; for control in $(PRESSURE_CONTROLS); do \
		$(CRASH_LIMIT) $(PRESSURE)_controls --control $$control --seconds $(SECONDS) >build/crash/$$control.log 2>&1; \
		case $$? in \
			1) echo "caught      $$control" ;; \
			77) echo "skipped     $$control: a file system cannot be mounted here" ;; \
			*) echo "NOT CAUGHT  $$control"; tail -n 10 build/crash/$$control.log; status=1 ;; \
		esac; \
	done; exit $$status

# Under qemu-user there is no set_robust_list(2): nobody is told that the owner of a lock died, so programs whose subject are
# deaths are left out (crash, failpoint, fragment, grow, hold, keylock, keyrow, policy, queue, recovery, regression, stop, thread, vet),
# and from the others:
#   each_death_counts_once, killed_formatters_of_a_descriptor_are_made_up_for, what_a_recovery_took_for_held_is_looked_at_again
#                     the owner of a lock dies
#   many_writers_of_one_key_are_all_served   turns are timed, and emulation is not
#   users_that_lost_the_file_or_its_lock_still_count, a_hold_of_a_plain_borrow_past_the_bounds_is_a_whole_copy
#                     qemu makes up the start time that a process reads of itself, so others take it for another one
#   mappings_are_left_out_of_core_dumps    qemu ignores MADV_DONTDUMP
#   reads_and_counts_make_no_system_call   there is no seccomp
#   threads_that_get_no_slot_leave_no_memory_behind   what the process has is what qemu has
# memory and model take minutes there. What has only 39 bits of addresses is run in such a space, too.
AARCH64_TESTS := litmus base geometry store entry evict expiry damage handle liveness look many near count moved segment \
	segment_refusal
AARCH64_LEFT_OUT := each_death_counts_once killed_formatters_of_a_descriptor_are_made_up_for \
	users_that_lost_the_file_or_its_lock_still_count a_hold_of_a_plain_borrow_past_the_bounds_is_a_whole_copy \
	mappings_are_left_out_of_core_dumps reads_and_counts_make_no_system_call \
	what_a_recovery_took_for_held_is_looked_at_again many_writers_of_one_key_are_all_served \
	threads_that_get_no_slot_leave_no_memory_behind
AARCH64_NARROW := store look many moved entry
AARCH64_CC ?= aarch64-linux-gnu-gcc

.PHONY: test-litmus
test-litmus: ## the core's protocols in herd7's models of C11, ARMv8 and x86-64: here, or in a Debian testing (10 s)
	@if command -v herd7 >/dev/null; then core/tests/litmus/run.sh; else tools/debian.sh testing core/tests/litmus/run.sh; fi

.PHONY: test-aarch64 test-aarch64-run
test-aarch64: ## the core compiled for aarch64, its quick tests under qemu-user, also with 39-bit addresses (a minute)
	@tools/setup.sh aarch64 || true # what is missing is said by the next line
	@if command -v $(AARCH64_CC) >/dev/null && command -v qemu-aarch64 >/dev/null; \
		then $(MAKE) --no-print-directory -s test-aarch64-run; else echo 'skipped: no cross compiler, or no qemu-user'; fi

test-aarch64-run: $(patsubst %,build/aarch64/core/%_test,$(AARCH64_TESTS))
	@LEFT_OUT='$(AARCH64_LEFT_OUT)' tools/run-tests.sh --wrap qemu-aarch64 $^
	@LEFT_OUT='$(AARCH64_LEFT_OUT)' tools/run-tests.sh --wrap 'qemu-aarch64 -R 0x8000000000' \
		$(patsubst %,build/aarch64/core/%_test,$(AARCH64_NARROW))

fuzz: SECONDS ?= 60
fuzz: $(FUZZERS) ## run each fuzz target (SECONDS=60 each)
	@for fuzzer in $(FUZZERS); do \
		corpus=build/fuzz/corpus/$${fuzzer##*/}; \
		mkdir -p $$corpus && echo "$${fuzzer##*/}" && \
		$(SANITIZE_RUN) $$fuzzer -max_total_time=$(SECONDS) -rss_limit_mb=4096 -timeout=200 -verbosity=0 \
			-print_final_stats=1 -artifact_prefix=$$fuzzer- $$corpus || exit 1; \
	done

bench: ## all benchmarks and build/bench/report.html (some 12 minutes)
	@tools/setup.sh bench
	@$(MAKE) --no-print-directory -s $(BENCHES) php build/php/noop/modules/larder_noop.so \
		build/bench/composer/vendor build/bench/npm/node_modules
	@bench/suite.sh \
		$(foreach bench,$(BENCHES),'core $(patsubst build/bench/%_bench,%,$(bench))' $(bench)) \
		'php micro' 'php -n bench/php/micro.php --rounds=7 --json=build/bench/php-micro.json' \
		'php objects' 'php -n bench/php/objects.php --rounds=5 --json=build/bench/php-objects.json' \
		'php resident' 'php bench/php/resident.php --json=build/bench/php-resident.json' \
		'php shm' 'php -n bench/php/shm.php --json=build/bench/php-shm.json' \
		'php statics' 'php bench/php/statics.php' \
		'php compat' 'php -n bench/php/micro.php --compat --rounds=5 --json=build/bench/php-compat.json' \
		'php cold' 'php bench/php/cold.php' \
		'php start' 'php bench/php/start.php' \
		'php first calls' 'php bench/php/first.php' \
		'php endless' 'php bench/php/endless.php' \
		'drivers' 'php bench/app/cli.php --rounds=3' \
		'drivers over http' 'php bench/http/run.php'

bench-http: ## caches and queues behind nginx and php-fpm, beside each other (some 8 minutes; AS=published: wrk's own tables)
	@tools/setup.sh bench-http
	@$(MAKE) --no-print-directory -s php build/bench/composer/vendor
ifeq ($(AS),published)
	@php bench/http/queue.php --published
else
	@php bench/http/run.php
	@php bench/http/queue.php
endif

# What the application and the report use, in the versions of their manifests.
build/bench/composer/vendor: bench/app/composer.json
	@mkdir -p $(@D)
	@cp $< $(@D)/
	@COMPOSER_ALLOW_SUPERUSER=1 composer install --quiet --no-interaction --no-dev --classmap-authoritative --working-dir=$(@D) \
		|| { mkdir -p $@; echo 'Predis cannot be installed: it will not be measured'; }
	@touch $@

build/bench/npm/node_modules: bench/report/package.json
	@mkdir -p $(@D)
	@cp $< $(@D)/
	@cd $(@D) && npm install --silent --no-package-lock --no-audit --no-fund --ignore-scripts
	@touch $@

bench-core: $(BENCHES) ## build and run the benchmarks of the core
	@for bench in $(BENCHES); do echo "$${bench##*/}"; $$bench || exit 1; done

lint: lint-format lint-includes lint-names lint-tidy lint-cppcheck lint-scripts lint-docs lint-ruby ## clang-format, includes that go one way, names in comments, clang-tidy, cppcheck, shellcheck, documents, rubocop

# These judge otherwise in each version: with another one than Debian 12's nothing is judged.
judged_by = @$(1) --version | grep -qE '(version|Cppcheck) $(2)\b' || { echo '$@: skipped: it takes $(1) $(2)'; exit 0; };

lint-format:
	$(call judged_by,$(CLANG_FORMAT),14) $(CLANG_FORMAT) --dry-run -Werror $(C_FILES) $(PHP_FILES) $(RUBY_FILES)

lint-names:
	php tools/names.php --control
	php tools/names.php

lint-includes:
	php tools/includes.php --control
	php tools/includes.php
	@for source in core/src/*.c; do $(CC) $(BASE) -Werror=implicit-function-declaration -fsyntax-only $$source || exit 1; done
	@tools/no-glibc.sh

PHP_TIDY = -std=gnu11 -D_GNU_SOURCE -DCOMPILE_DL_LARDER -Iphp -Iphp/src -Icore/include -Icore/src -isystem core/vendor/xxhash \
	$(patsubst -I%,-isystem %,$(shell php-config --includes))

# Each source by itself: inside core.c the analyzer would take them for headers and look away.
lint-tidy:
	$(call judged_by,$(CLANG_TIDY),14) \
	printf '%s\n' $(wildcard core/src/*.c) | xargs -P $(JOBS) -I '{}' $(CLANG_TIDY) --quiet '{}' -- $(BASE) && \
	printf '%s\n' $(filter-out php/src/core_unit.c,$(filter php/src/%.c,$(PHP_FILES))) | xargs -P $(JOBS) -I '{}' $(CLANG_TIDY) --quiet '{}' -- $(PHP_TIDY)

# core.c stands for the sources. Not the tests: cppcheck takes what a failed check rules out for possible.
lint-cppcheck:
	$(call judged_by,cppcheck,2[.]10) cppcheck --quiet --std=c11 --enable=warning,portability,performance --error-exitcode=1 --inline-suppr \
		-D_GNU_SOURCE -D__GLIBC__=2 -Icore/include -Icore/src $(filter-out core/src/% core/tests/%,$(filter %.c,$(C_FILES)))

lint-scripts:
	shellcheck $(SCRIPTS)

lint-ruby:
	@tools/setup.sh lint-ruby
	rubocop --config ruby/rubocop.yml --cache false --format quiet $(RUBY_SCRIPTS)

php: ## build the PHP extension: php/modules/larder.so
	@tools/setup.sh php-build
	@cd php && if [ ! -e Makefile ] || [ config.m4 -nt Makefile ] || \
		[ "$$(echo src/kinds/*.c)" != "$$(cat build/kinds 2>/dev/null)" ]; then \
		find src \( -name '*.lo' -o -name '*.dep' \) -delete; \
		text=$$(phpize) || { echo "$$text" >&2; exit 1; }; ./configure >/dev/null && echo src/kinds/*.c >build/kinds; fi
	@$(MAKE) --no-print-directory -s -C php >/dev/null

php-arginfo: ## make each NAME_arginfo.h from its stub
	@tools/setup.sh php
	@php/make-arginfo.sh

.PHONY: larder
larder: build/larder.php ## the command, the dashboard and the metrics as one file: build/larder.php
build/larder.php: $(wildcard ops/*.php ops/src/*.php)
	@mkdir -p build
	@php -n ops/bundle.php $@

.PHONY: docs lint-docs site chart
site: ## the documents as one site: build/site (mkdocs)
	@tools/setup.sh site
	@mkdocs build --quiet --strict
	@php -n tools/site-check.php build/site

chart: php ## docs/chart.svg and its figures in README.md: a fetch from Larder, APCu, Redis and memcached (two minutes)
	@tools/setup.sh bench-http
	@php -n bench/php/chart.php

docs: ## make docs/settings.md and docs/api.md from the code
	@php tools/docs.php

lint-docs:
	php tools/docs.php --check
	php tools/invariants.php --control
	php tools/invariants.php

.PHONY: deb install newcomer test-docs
NEWCOMER ?= 12
test-docs: php ## run every command that a document shows, or check that a test does
	@tools/commands.sh

deb: ## a Debian package of the extension, the command and the dashboard: build/deb (DEB_PHP=8.2; installs what it needs)
	@DEB_PHP=$(DEB_PHP) tools/setup.sh deb
	@tools/deb.sh $(DEB_PHP)

install: ## as root: what `make php larder` has built, for all SAPIs of this PHP, and the command larder (PREFIX=/usr/local)
	@tools/install.sh

newcomer: ## clone, build and use it as README.md and docs/install.md say in bare Debian 12 and 13 roots (root; RELEASES="12 13")
	@tools/setup.sh newcomer
	@for release in $(or $(RELEASES),12 13); do tools/newcomer.sh $$release || exit 1; done

test-php: php ## tests of the PHP extension: plain, with opcache, with each JIT (PHP_MODE=--all, PHP_TESTS=...)
	@tools/setup.sh php
	@php/run-tests.sh $(or $(PHP_MODE),--all) $(PHP_TESTS)

.PHONY: crash-sessions test-php-adapters php-poison test-php-poison php-zts test-php-zts test-php-threads test-php84 test-php85 test-php86 test-php-valgrind test-php-asan
PHP_FILES += $(wildcard php/embed/*.c)
SCRIPTS += $(wildcard php/embed/*.sh php/adapters/*.sh)

crash-sessions: KILLS ?= 2000
crash-sessions: php ## kill PHP workers inside and outside a session's lock (KILLS=2000)
	@mkdir -p build && rm -f build/crash-sessions.txt
	@LARDER_KILLS=$(KILLS) LARDER_REPORT=$(CURDIR)/build/crash-sessions.txt TEST_TIMEOUT=$$(($(KILLS) * 2 + 600)) \
		php/run-tests.sh --plain php/tests/session/killed_owner.phpt php/tests/session/fpm_counter.phpt
	@cat build/crash-sessions.txt

test-php-adapters: php ## the cache adapters of Symfony, Laravel and Doctrine on the layer for APCu
	@tools/setup.sh adapters || true # what is missing is said by the next line
	@php/adapters/run.sh

# Freed memory is overwritten in this one, and tables move: what reads on in it is found out.
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

test-php84: ROOT = 13
test-php85: ROOT = php8.5
test-php86: ROOT = php8.6
test-php84 test-php85 test-php86: ## tests of the extension with PHP 8.4, 8.5, 8.6, in a root of another Debian (PHP_MODE=, PHP_TESTS=)
	@tools/debian.sh $(ROOT) php/run-tests.sh --build /tmp/php $(or $(PHP_MODE),--all) $(PHP_TESTS)

test-php-valgrind: php ## tests of the extension, with tables that move, under valgrind (PHP_TESTS=)
	@php/run-tests.sh --poison --build build/php-poison --valgrind $(or $(PHP_TESTS),php/tests/array php/tests/string php/tests/cache)

test-php-asan: php ## tests of the extension, with tables that move, under AddressSanitizer and UBSan (PHP_TESTS=...)
	@php/run-tests.sh --poison --asan --build build/php-asan $(or $(PHP_TESTS),$(ASAN_PHP_TESTS))

.PHONY: test-lib test-lib-fpm test-lib84 test-lib85 test-lib86 test-newer-libc test-newest test-ruby34 test-apps bench-lib bench-hosts
SCRIPTS += $(wildcard packages/php/tests/*.sh)

test-lib: php ## the PHP library: conformance suites, frameworks, PHPStan, coding standard
	@tools/setup.sh lib || true # what is missing is said by the next line
	@packages/php/tests/run.sh

.PHONY: test-polyfill
SCRIPTS += packages/polyfill/tests/run.sh

test-polyfill: php ## tests of the extension with the classes in plain PHP in its place; PHPStan, coding standard (POLYFILL_TESTS=...)
	@packages/polyfill/tests/run.sh $(POLYFILL_TESTS)

test-lib84: ROOT = 13
test-lib85: ROOT = php8.5
test-lib86: ROOT = php8.6
test-lib84 test-lib85 test-lib86: ## the library's tests with PHP 8.4 and Valkey, 8.5, 8.6, in a root of another Debian
	@packages/php/tests/run.sh --install-only
	@packages/php/tests/run.sh --copy packages/php/.lib
	@tools/debian.sh $(ROOT) packages/php/tests/run-in-root.sh; status=$$?; rm -rf packages/php/.lib; exit $$status

# Debian's ruby is an older one there.
test-ruby34: ## the gem with Ruby 3.4, in a root of Debian unstable
	@tools/debian.sh ruby3.4 bash -c 'for name in ruby gem rake; do ln -sf /usr/bin/$${name}3.4 /tmp/$$name; done; \
		rm -rf php/modules; PATH=/tmp:$$PATH make --no-print-directory -s test-ruby test-ruby-gem'

test-newer-libc: ## quick tests of the extension, the core and the gem on Debian testing: glibc 2.42 or later, its PHP, its Ruby
	@tools/debian.sh testing tools/newer-libc.sh

test-newest: ## the library and the gem on Debian testing: Laravel 13, Symfony 7.4, Rails 7.2, Ruby 3.3, Redis 8 (minutes)
	@packages/php/tests/run.sh --install-only
	@packages/php/tests/run.sh --copy packages/php/.lib
	@tools/debian.sh testing tools/newest.sh; status=$$?; rm -rf packages/php/.lib; exit $$status

test-apps: php ## the library in WordPress, a Symfony and a Laravel application under nginx and php-fpm (minutes; KILLS=40)
	@tools/setup.sh lib-apps || true
	@packages/php/tests/run.sh --install-only
	@php packages/php/tests/apps/run.php --kills=$(or $(KILLS),40)
	@php packages/php/tests/WordPress/run.php --kills=$(or $(KILLS),40)
	@php packages/php/tests/MediaWiki/run.php

bench-hosts: php ## the tier in front of Redis: local reads, an application, from a write to when others see it
	@tools/setup.sh demo-hosts
	@packages/php/tests/run.sh --install-only
	@php bench/hosts/run.php

bench-lib: php ## what the library costs beside the extension and Symfony's APCu adapter; WordPress's front page
	@tools/setup.sh lib-apps || true
	@packages/php/tests/run.sh --install-only
	@php bench/lib/run.php --json=build/bench/lib.json
	@php packages/php/tests/WordPress/run.php --only-bench

test-bench: php ## tests of the benchmark application and its report
	@php -n -d extension=$(CURDIR)/php/modules/larder.so bench/app/test.php
	@$(MAKE) -s leaks FETCHES=300 >/dev/null

bench-sessions: php ## PHP's sessions: Larder, files on tmpfs and on disk, memcached, Redis; behind nginx and php-fpm, and alone
	@tools/setup.sh bench-http
	@php bench/sessions/run.php

bench-files: php ## file_get_contents() with and without the file cache
	@php -n bench/files/run.php

bench-php: php build/php/noop/modules/larder_noop.so ## what one operation costs in PHP, beside APCu
	@tools/setup.sh bench-php
	@php -n bench/php/micro.php

.PHONY: bench-objects bench-sessions bench-files bench-queue
bench-queue: php ## what a queue costs, beside the cache, Redis and a pipe
	@tools/setup.sh bench-http
	@php -n -d extension=posix -d extension=igbinary -d extension=redis -d extension=$(CURDIR)/php/modules/larder.so \
		-d larder.queue_size=128M bench/php/queue.php

bench-objects: php ## what storing and fetching objects costs in PHP, beside APCu
	@tools/setup.sh bench-php
	@php -n bench/php/objects.php
	@php bench/php/resident.php

.PHONY: bench-operator
bench-operator: php ## the command on a million entries while another process writes: seconds, and whether a write was held up
	@php bench/php/operator.php

.PHONY: leaks
leaks: php ## fetch each case of that benchmark FETCHES= times (100000): does memory grow? (minutes)
	@php -n bench/php/objects.php --leaks=$(or $(FETCHES),100000)

build/php/noop/modules/larder_noop.so: $(wildcard bench/php/noop/*.c bench/php/noop/config.m4)
	@mkdir -p build/php/noop
	@cp $^ build/php/noop/
	@cd build/php/noop && phpize >/dev/null && ./configure >/dev/null && $(MAKE) --no-print-directory -s >/dev/null

.PHONY: ruby test-ruby test-ruby-asan test-ruby-valgrind test-ruby-gem bench-ruby demo-hosts demo-ruby crash-ruby
RUBY_EXT := build/ruby/lib/larder/larder.so
RUBY := ruby -Ibuild/ruby/lib -Iruby/lib
RUBY_FILES := $(wildcard ruby/ext/larder/*.[ch])
RUBY_SCRIPTS := larder.gemspec ruby bench/ruby demo/ruby

ruby: ## build the Ruby extension: build/ruby/lib/larder/larder.so
	@tools/setup.sh ruby
	@$(MAKE) --no-print-directory -s $(RUBY_EXT)

$(RUBY_EXT): $(RUBY_FILES) ruby/ext/larder/extconf.rb core/core.c $(wildcard core/include/*.h core/src/*.[ch])
	@mkdir -p build/ruby/ext $(@D)
	@cd build/ruby/ext && ruby ../../../ruby/ext/larder/extconf.rb >extconf.log && $(MAKE) --no-print-directory -s >/dev/null
	@cp build/ruby/ext/larder.so $@.new && mv $@.new $@ # at once: programs may have it mapped

test-ruby: ruby ## tests of the Ruby gem: the extension, the store in plain Ruby, Rails, killed workers (RUBY_TESTS=...)
	@ruby/run-tests.sh $(RUBY_TESTS)

test-ruby-valgrind: ruby ## tests of the Ruby extension under valgrind (RUBY_TESTS=...)
	@ruby/run-tests.sh --valgrind $(RUBY_TESTS)

test-ruby-asan: ## tests of the Ruby extension under AddressSanitizer and UBSan (RUBY_TESTS=...)
	@tools/setup.sh ruby
	@ruby/run-tests.sh --asan $(RUBY_TESTS)

test-ruby-gem: ## build the gem, install the built file into a folder of its own, and use it
	@tools/setup.sh ruby
	@ruby/run-tests.sh --gem

crash-ruby: SECONDS ?= 60
crash-ruby: ruby ## kill Ruby workers at random and check what is left (SECONDS=60)
	@$(RUBY) ruby/test/crash.rb --seconds $(SECONDS)

bench-ruby: ruby ## what one operation costs in Ruby, beside MemoryStore
	@tools/setup.sh bench-ruby
	@$(RUBY) bench/ruby/micro.rb

demo-hosts: php ## two hosts in network namespaces in front of one redis-server, a link cut (root)
	@tools/setup.sh demo-hosts
	@packages/php/tests/run.sh --install-only
	@php demo/hosts/run.php

demo-ruby: ruby ## Puma workers under load, killed: MemoryStore, FileStore, Larder (under a minute)
	@tools/setup.sh demo-ruby
	@$(RUBY) demo/ruby/run.rb

clean: ## remove build/
	rm -rf build

# ---- building

# $(call core_rule,DIRECTORY,COMPILER,FLAGS): DIRECTORY/core.o, the whole core as one unit.
define core_rule
$(1)/core.o: core/core.c Makefile
	@mkdir -p $$(@D)
	$(2) $(CORE) $(3) $$(DEPEND) -c -o $$@ $$<
endef

# $(call test_rules,DIRECTORY,COMPILER,FLAGS): DIRECTORY/NAME for each core/tests/NAME.c, with the test hooks built in.
define test_rules
$(call core_rule,$(1)/obj,$(2),$(3) -DLRD_FAILPOINTS)
$(1)/obj/support.o: core/tests/support.c Makefile
	@mkdir -p $$(@D)
	$(2) $(PROGRAM) $(3) -DLRD_FAILPOINTS $$(DEPEND) -c -o $$@ $$<
$(addprefix $(1)/,$(TESTS)): $(1)/%: core/tests/%.c $(1)/obj/core.o $(1)/obj/support.o
	$(2) $(PROGRAM) $(3) -DLRD_FAILPOINTS $$(DEPEND) -o $$@ $$< $(1)/obj/core.o $(1)/obj/support.o -lcmocka -lm
endef

$(eval $(call core_rule,build/core/gcc,$(GCC),-O2))
$(eval $(call core_rule,build/core/clang,$(CLANG),-O2))
$(eval $(call core_rule,build/crash/obj,$(CC),-O2 -DLRD_CONTROLS))
$(eval $(call core_rule,build/delay/obj,$(CC),-O2 -DLRD_FAILPOINTS -DLRD_CONTROLS))
$(eval $(call core_rule,build/fuzz/obj,$(CLANG),-O1 $(SANITIZE_FUZZ)))
$(eval $(call test_rules,build/test/core,$(CC),-O1))
$(eval $(call test_rules,build/asan/core,$(CLANG),-O1 $(SANITIZE_ADDRESS)))
$(eval $(call test_rules,build/tsan/core,$(CLANG),-O1 $(SANITIZE_THREAD)))

# Whole programs, so that no library of that machine has to be installed: cmocka's part is core/tests/cross.
$(eval $(call core_rule,build/aarch64/core/obj,$(AARCH64_CC),-O1 -DLRD_FAILPOINTS))
build/aarch64/core/%: core/tests/%.c build/aarch64/core/obj/core.o core/tests/support.c core/tests/cross/cross.c
	$(AARCH64_CC) $(PROGRAM) -O1 -DLRD_FAILPOINTS -static -Icore/tests/cross $(DEPEND) -o $@ $(filter %.c %.o,$^) -lm

build/core/%/liblarder.a: build/core/%/core.o
	rm -f $@
	$(AR) rcs $@ $<

build/crash/%: core/tests/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(PROGRAM) -O2 $(DEPEND) -o $@ $< $(LIB) -lm

build/crash/%_controls: core/tests/%.c build/crash/obj/core.o
	$(CC) $(PROGRAM) -O2 -DLRD_CONTROLS $(DEPEND) -o $@ $< build/crash/obj/core.o -lm

build/delay/%: core/tests/%.c build/delay/obj/core.o
	$(CC) $(PROGRAM) -O2 -DLRD_FAILPOINTS -DLRD_CONTROLS $(DEPEND) -o $@ $< build/delay/obj/core.o -lm

build/fuzz/%: core/tests/%.c build/fuzz/obj/core.o
	$(CLANG) $(PROGRAM) -O1 $(SANITIZE_FUZZ) $(DEPEND) -o $@ $< build/fuzz/obj/core.o

build/bench/%: bench/core/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(PROGRAM) -O3 $(DEPEND) -o $@ $< $(LIB) -lm

build/demo/%: demo/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(PROGRAM) -O2 $(DEPEND) -o $@ $< $(LIB) -lm

-include $(wildcard build/*/*.d build/*/*/*.d build/*/*/*/*.d)
