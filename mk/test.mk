# All tests: make check before a commit, make test before a pull request.

.PHONY: check test everything

check: ## what to run before a commit: installs nothing, some three minutes
	@tools/check.sh

ifdef NAME
test: ## install what is missing, build all, run every check briefly (half an hour; NAME=FILE or FILE:FUNCTION: only that)
	@tools/named-test.sh '$(NAME)'
else
test:
	@tools/setup.sh
	@tools/setup.sh php
	@tools/setup.sh ops || true # tests that need a browser are skipped without one
	@tools/setup.sh ruby
	@for part in aarch64 musl adapters lib; do tools/setup.sh $$part || true; done # install all packages now: the parallel steps must install nothing
	@tools/php-zts.sh >/dev/null || true # the build takes minutes, but only once; the step php-zts reports errors
	@tools/run-tests.sh --alone build '$(MAKE) -s -k -j$(JOBS) everything php ruby larder' \
		$(addprefix build/test/core/,$(SLOW_TESTS) $(QUICK_TESTS)) \
		$(ALONE_STEPS) $(STEPS)
endif

# These steps kill or delay processes, or take resources from them, so nothing else runs beside them.
ALONE_STEPS = $(if $(CRASH),--alone crash '$(MAKE) -s crash SECONDS=8') \
	$(if $(CRASH),--alone crash-control '$(MAKE) -s crash-control SECONDS=5') \
	--alone delay '$(MAKE) -s delay SECONDS=15' \
	--alone delay-control '$(MAKE) -s delay-control' \
	--alone pressure '$(MAKE) -s pressure SECONDS=8' \
	--alone pressure-control '$(MAKE) -s pressure-control'

# The other steps run $(JOBS) at a time, long ones first. Steps with the same folder of build/ wait for each other (php/run-tests.sh,
# tools/debian.sh), so do not list them next to each other.
STEPS = --step php '$(MAKE) -s test-php PHP_MODE="--plain --opcache"' \
	--step lib '$(MAKE) -s test-lib' \
	--step php-zts '$(MAKE) -s test-php-zts PHP_MODE="--opcache"' \
	$(if $(QUICK_TESTS),--step asan '$(MAKE) -s asan ASAN_TESTS="$(QUICK_TESTS)"') \
	--step php-poison '$(MAKE) -s test-php-poison' \
	--step lint '$(MAKE) -s -k -j$(JOBS) lint' \
	--step php84 '$(MAKE) -s test-php84 PHP_MODE=--plain' \
	--step newer-libc '$(MAKE) -s test-newer-libc' \
	--step aarch64 '$(MAKE) -s test-aarch64' \
	--step musl '$(MAKE) -s test-musl-core' \
	--step ruby '$(MAKE) -s test-ruby' \
	--step php-asan '$(MAKE) -s test-php-asan' \
	--step php-adapters '$(MAKE) -s test-php-adapters' \
	--step php-threads '$(MAKE) -s test-php-threads SECONDS=10' \
	--step php-valgrind '$(MAKE) -s test-php-valgrind PHP_TESTS="php/tests/string $(MOVING_TESTS)"' \
	--step model '$(MAKE) -s model' \
	--step fail-calls '$(MAKE) -s fail-calls' \
	--step histories '$(MAKE) -s histories' \
	--step kill-everywhere '$(MAKE) -s kill-everywhere kill-everywhere-control' \
	$(if $(FUZZERS),--step fuzz '$(MAKE) -s fuzz SECONDS=10') \
	$(if $(TSAN_TESTS),--step tsan '$(MAKE) -s tsan') \
	--step bench '$(MAKE) -s test-bench' \
	--step polyfill '$(MAKE) -s test-polyfill' \
	--step docs '$(MAKE) -s test-docs' \
	$(if $(shell command -v herd7),--step litmus '$(MAKE) -s test-litmus') \
	--step install '$(MAKE) -s test-install' \
	--step ruby-gem '$(MAKE) -s test-ruby-gem' \
	--step php-arginfo 'php/make-arginfo.sh --check'

# The programs that the checks of `make test` run.
everything: core $(addprefix build/test/core/,$(TESTS)) $(addprefix build/asan/core/,$(QUICK_TESTS)) \
	$(addprefix build/tsan/core/,$(TSAN_TESTS)) $(CRASH) $(addsuffix _controls,$(CRASH)) $(PRESSURE) $(addsuffix _controls,$(PRESSURE)) $(DELAY) $(PROOF) $(FUZZERS) $(BENCHES) $(DEMO)
