# The core: its library and its tests. Some tests kill or delay its processes, or take resources from them.

.PHONY: core test-install asan tsan valgrind crash crash-control delay delay-control pressure pressure-control \
	test-litmus test-aarch64 test-aarch64-run test-musl test-musl-core test-musl-php test-musl-ruby fuzz fail-calls model kill-everywhere \
	kill-everywhere-control histories coverage mutants tested

TESTS := $(filter-out crash_test delay_test pressure_test,$(patsubst core/tests/%.c,%,$(wildcard core/tests/*_test.c)))
SLOW_TESTS ?= model_test failpoint_test grow_test queue_failpoint_test
QUICK_TESTS := $(filter-out $(SLOW_TESTS),$(TESTS))
ASAN_TESTS ?= $(TESTS)
TSAN_TESTS ?= $(filter thread_test,$(TESTS))
VALGRIND_TESTS ?= $(QUICK_TESTS)

CRASH := $(patsubst core/tests/%.c,build/crash/%,$(wildcard core/tests/crash_test.c core/tests/queue_crash.c))
# Limit the time, because a killed or broken program may hang for ever.
CRASH_LIMIT = timeout -k 10 $$(($(SECONDS) * 10 + 300))
CONTROLS := crash_test:ignore-ledger crash_test:hand-out-before-listing crash_test:no-barrier crash_test:clear-first \
	crash_test:mark-before-vetting crash_test:scan-first-entries crash_test:any-form queue_crash:publish-first queue_crash:forget-owner
PRESSURE := build/crash/pressure_test
PRESSURE_CONTROLS := no-zone no-evict
DELAY := build/delay/delay_test
DELAY_CONTROLS := claim-free-only ignore-ledger
PROOF := $(addprefix build/proof/,kill_everywhere kill_everywhere_controls fail_calls histories histories_controls)
FUZZERS := $(patsubst core/tests/%.c,build/fuzz/%,$(wildcard core/tests/fuzz_*.c)) \
	$(if $(shell command -v php-config),build/fuzz/fuzz_unfold)

# While VERSION begins with 0, minor versions are incompatible, so the library's name contains the minor version, too.
SONAME := liblarder.so.$(shell sed -nE 's/^(0\.[0-9]+|[0-9]+).*/\1/p' VERSION)

core: build/core/gcc/liblarder.a build/core/clang/liblarder.a build/core/$(SONAME) ## build build/core/liblarder.a, with gcc and with clang, and liblarder.so
	ln -sfn $(COMPILER)/liblarder.a build/core/liblarder.a
	ln -sfn $(SONAME) build/core/liblarder.so

test-install: core ## install the library into an empty folder, and build the example with pkg-config
	@core/tests/installed.sh

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
crash-control: $(addsuffix _controls,$(CRASH)) ## crash tests of broken code, which must fail (SECONDS=10 each, again if it was not seen)
	@status=0; for pair in $(CONTROLS); do program=$${pair%%:*} control=$${pair##*:}; \
		tools/control.sh $$control build/crash/$$control.log 30 $(CRASH_LIMIT) \
			build/crash/$${program}_controls --control $$control --seconds $(SECONDS) || status=1; \
	done; exit $$status

delay: SECONDS ?= 60
delay: $(DELAY) ## kill at fail points, where workers also sleep; compare every value whole (SECONDS=60)
	$(CRASH_LIMIT) $(DELAY) --seconds $(SECONDS)

delay-control: SECONDS ?= 60
delay-control: $(DELAY) ## delay tests of broken code, which must fail (at most SECONDS=60 each, again if it was not seen)
	@status=0; for control in $(DELAY_CONTROLS); do \
		tools/control.sh $$control build/delay/$$control.log 5 $(CRASH_LIMIT) \
			$(DELAY) --control $$control --seconds $(SECONDS) || status=1; \
	done; exit $$status

pressure: SECONDS ?= 60
pressure: $(PRESSURE) ## what a volatile store may not refuse, with holders, full memory and kills (SECONDS=60)
	$(CRASH_LIMIT) $(PRESSURE) --seconds $(SECONDS)

pressure-control: SECONDS ?= 60
pressure-control: $(addsuffix _controls,$(PRESSURE)) ## tests with rules switched off, which must fail (at most SECONDS=60 or 30 rounds each, again if it was not seen)
	@status=0; for control in $(PRESSURE_CONTROLS); do \
		tools/control.sh $$control build/crash/$$control.log 5 $(CRASH_LIMIT) \
			$(PRESSURE)_controls --control $$control --seconds $(SECONDS) || status=1; \
	done; exit $$status

kill-everywhere: build/proof/kill_everywhere ## kill each operation after each of its instructions (FORM=--long: all of them, 100,000 kills and more)
	@$(if $(filter --long,$(FORM)),tools/kill-long.sh,build/proof/kill_everywhere $(FORM) || [ $$? -eq 77 ])

model: ## check the protocol of holds, deaths and recovery in spin, exhaustively, and that its broken variants are found (a minute)
	@core/tests/proof/model/run.sh

fail-calls: build/proof/fail_calls ## let each system call of the core fail, once and for ever, where it is made
	@build/proof/fail_calls

HISTORY_CONTROLS := forget-owner fill-late stamp-late publish-first
histories: build/proof/histories build/proof/histories_controls ## record calls of four processes that are killed at random, and find an order that explains each history (FORM=--long: 10 million calls)
	@build/proof/histories --control >build/proof/planted.log || { cat build/proof/planted.log; exit 1; }
	@tail -n 1 build/proof/planted.log
	@status=0; for control in $(HISTORY_CONTROLS); do \
		tools/control.sh $$control build/proof/history-$$control.log 1 build/proof/histories_controls --long --break $$control || status=1; \
	done; exit $$status
	@build/proof/histories $(FORM)

KILL_CONTROLS ?= stamp-late fill-late count-torn no-flux no-recovery publish-first forget-owner ignore-ledger \
	hand-out-before-listing no-barrier scan-first-entries clear-first mark-before-vetting
kill-everywhere-control: build/proof/kill_everywhere_controls ## kills of broken code, which must be noticed (KILL_CONTROLS=...)
	@status=0; for control in $(KILL_CONTROLS); do \
		tools/control.sh $$control build/proof/$$control.log 1 build/proof/kill_everywhere_controls --control $$control || status=1; \
	done; exit $$status

coverage: ## lines and branches of the core that its tests run, as shipped (some minutes; build/coverage/uncovered.txt has the rest)
	@FAIL_CALLS_WRAP='$(patsubst %,-Wl$(comma)--wrap=%,$(FAIL_CALLS))' tools/coverage.sh

# MUTANTS: the number of mutants (changes of the code that tests must notice). SECONDS: the time after which the run stops; a later one
# continues it. JOBS: mutants that are tried at the same time.
mutants: MUTANTS ?= 480
mutants: SECONDS ?= 100000
mutants: ## change one thing in the protocol's files, and see whether a test fails (hours, after make coverage; goes on where it ended: MUTANTS=, SECONDS=, JOBS=)
	@FAIL_CALLS_WRAP='$(patsubst %,-Wl$(comma)--wrap=%,$(FAIL_CALLS))' nice -n 19 php tools/mutants.php --number $(MUTANTS) --seconds $(SECONDS) --jobs $(or $(JOBS),1)

tested: ## run all long forms, one after the other, and write docs/how-larder-is-tested.md (a night)
	@tools/tested.sh

# Under qemu-user there is no set_robust_list(2), so a waiter does not learn that the owner of a lock died. The programs that test
# deaths are left out: crash, failpoint, fragment, grow, hold, keylock, keyrow, mutex, policy, queue, recovery, regression, stop,
# thread, vet. These tests of the other programs are left out as well:
#   each_death_counts_once, killed_formatters_of_a_descriptor_are_made_up_for, what_a_recovery_took_for_held_is_looked_at_again
#                     the owner of a lock dies
#   many_writers_of_one_key_are_all_served   each turn has a time limit, and turns take longer under emulation
#   users_that_lost_the_file_or_its_lock_still_count, a_hold_of_a_plain_borrow_past_the_bounds_is_a_whole_copy
#                     qemu shows a process a wrong start time of itself, so other processes do not recognize it
#   mappings_are_left_out_of_core_dumps    qemu ignores MADV_DONTDUMP
#   reads_and_counts_make_no_system_call   there is no seccomp
#   threads_that_get_no_slot_leave_no_memory_behind   the memory of the process includes qemu's own
#   a_limited_address_space_is_named   a limit holds for qemu, not for the program that it runs
# The programs memory and model are left out because they take minutes there. AARCH64_NARROW runs again with 39 bits of addresses.
AARCH64_TESTS := litmus base geometry store entry evict expiry damage handle liveness look many near count moved segment \
	segment_refusal
AARCH64_LEFT_OUT := each_death_counts_once killed_formatters_of_a_descriptor_are_made_up_for \
	users_that_lost_the_file_or_its_lock_still_count a_hold_of_a_plain_borrow_past_the_bounds_is_a_whole_copy \
	mappings_are_left_out_of_core_dumps reads_and_counts_make_no_system_call \
	what_a_recovery_took_for_held_is_looked_at_again many_writers_of_one_key_are_all_served \
	threads_that_get_no_slot_leave_no_memory_behind a_limited_address_space_is_named
AARCH64_NARROW := store look many moved entry
AARCH64_CC ?= aarch64-linux-gnu-gcc

test-litmus: ## the core's protocols in herd7's models of C11, ARMv8 and x86-64: here, or in a Debian testing (10 s)
	@if command -v herd7 >/dev/null; then core/tests/litmus/run.sh; else tools/debian.sh testing core/tests/litmus/run.sh; fi

test-aarch64: ## the core compiled for aarch64, its quick tests under qemu-user, also with 39-bit addresses (a minute)
	@tools/setup.sh aarch64 || true # the next line reports a missing tool
	@if command -v $(AARCH64_CC) >/dev/null && command -v qemu-aarch64 >/dev/null; \
		then $(MAKE) --no-print-directory -s test-aarch64-run; else echo 'skipped: no cross compiler, or no qemu-user'; fi

test-aarch64-run: $(patsubst %,build/aarch64/core/%_test,$(AARCH64_TESTS))
	@LEFT_OUT='$(AARCH64_LEFT_OUT)' tools/run-tests.sh --wrap qemu-aarch64 $^
	@LEFT_OUT='$(AARCH64_LEFT_OUT)' tools/run-tests.sh --wrap 'qemu-aarch64 -R 0x8000000000' \
		$(patsubst %,build/aarch64/core/%_test,$(AARCH64_NARROW))

MUSL_CC ?= tools/musl-gcc.sh
# The tests of test-musl-core, each of which takes a second or two. test-musl runs all tests instead.
MUSL_QUICK ?= base entry expiry handle look many near recovery segment segment_refusal store vet
MUSL_TESTS = $(MUSL_QUICK:%=%_test)
musl_or_skip = tools/setup.sh musl || true; if ! $(MUSL_CC) -dumpversion >/dev/null 2>&1; then echo 'skipped: no musl-gcc'; else

test-musl: SECONDS ?= 60
test-musl: ## with musl: all tests of the core, kills, then the extension, FPM and opcache in a PHP, and the gem in a Ruby, built for it once (SECONDS=60, PHP_MODE=, PHP_TESTS=)
	@$(MAKE) --no-print-directory -s test-musl-core MUSL_TESTS='$(TESTS)' SECONDS=$(SECONDS)
	@$(MAKE) --no-print-directory -s test-musl-php
	@$(MAKE) --no-print-directory -s test-musl-ruby

test-musl-core: SECONDS ?= 5
test-musl-core: ## the core with musl: quick tests, kills, a store shared with programs of glibc (SECONDS=5)
	@$(musl_or_skip) $(MAKE) --no-print-directory -s build/musl/libc_mix build/libc_mix \
		$(addprefix build/musl/core/,$(MUSL_TESTS)) build/musl/crash/crash_test build/musl/crash/queue_crash && \
		tools/run-tests.sh $(addprefix build/musl/core/,$(MUSL_TESTS)) && \
		$(CRASH_LIMIT) build/musl/crash/crash_test --seconds $(SECONDS) && \
		$(CRASH_LIMIT) build/musl/crash/queue_crash --seconds $(SECONDS) && \
		$(CRASH_LIMIT) build/libc_mix --seconds $(SECONDS) build/musl/libc_mix; fi

# php/musl/left_out.txt names the tests that are left out.
test-musl-php: SECONDS ?= 10
test-musl-php: ## the extension with musl: PHP's command line, FPM, opcache, sessions; a store shared with PHP for glibc (PHP_MODE=, PHP_TESTS=)
	@$(musl_or_skip) LARDER_LEFT_OUT=$(CURDIR)/php/musl/left_out.txt tools/php-musl.sh php/run-tests.sh --build build/php-musl $(or $(PHP_MODE),--plain) $(PHP_TESTS) && \
		$(MAKE) --no-print-directory -s php && php/run-tests.sh --wide --build build/php-wide --build-only && \
		tools/php-musl.sh php/musl/mix.sh $(SECONDS) build/php-musl/php/modules/larder.so php/modules/larder.so build/php-wide/php/modules/larder.so; fi

test-musl-ruby: ## the gem with musl: its tests and a precompiled gem, in a Ruby built for it once; a store shared with PHP for glibc (RUBY_TESTS=)
	@tools/setup.sh ruby
	@$(musl_or_skip) tools/ruby-musl.sh ruby/run-tests.sh --musl $(RUBY_TESTS); fi

fuzz: SECONDS ?= 60
fuzz: $(FUZZERS) ## run each fuzz target (SECONDS=60 each)
	@for fuzzer in $(FUZZERS); do \
		corpus=build/fuzz/corpus/$${fuzzer##*/}; \
		mkdir -p $$corpus && echo "$${fuzzer##*/}" && \
		{ [ "$${fuzzer##*/}" != fuzz_unfold ] || [ -e $$corpus/seed1 ] || php/fuzz/seeds.sh $$corpus; } && \
		$(SANITIZE_RUN) $$fuzzer -max_total_time=$(SECONDS) -rss_limit_mb=4096 -timeout=200 -verbosity=0 \
			-print_final_stats=1 -artifact_prefix=$$fuzzer- $$corpus || exit 1; \
	done
