# Benchmarks, and the programs with which they compare Larder.

.PHONY: bench bench-apps bench-hits bench-http bench-core bench-hosts bench-lib bench-metrics test-bench bench-sessions bench-files bench-php \
	bench-queue bench-objects bench-operator leaks bench-ruby

BENCHES := $(patsubst bench/core/%.c,build/bench/%,$(wildcard bench/core/*_bench.c))

bench: ## all benchmarks and build/bench/report.html (some 10 minutes)
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
		'php full' 'php bench/php/full.php' \
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
	@php tools/figures.php --write
	@php bench/http/queue.php
endif

bench-apps: php ## applications with 20 workers of php-fpm or Puma: no cache, APCu, Redis, Larder (some 15 minutes)
	@tools/setup.sh bench-http
	@tools/setup.sh lib-apps || true
	@tools/setup.sh bench-rails && $(MAKE) --no-print-directory -s ruby || true
	@packages/php/tests/run.sh --install-only
	@$(MAKE) --no-print-directory -s build/bench/drupal
	@php bench/apps/run.php
	@php tools/figures.php --write

bench-hits: php ## hits at equal memory: Larder, APCu, memcached, Redis (some 7 minutes)
	@tools/setup.sh bench-http
	@php bench/hits/run.php
	@php tools/figures.php --write

# Install the packages of the benchmark's application and of its report, in the versions of their manifests.
build/bench/composer/vendor: bench/app/composer.json
	@mkdir -p $(@D)
	@cp $< $(@D)/
	@COMPOSER_ALLOW_SUPERUSER=1 composer install --quiet --no-interaction --no-dev --classmap-authoritative --working-dir=$(@D) \
		|| { mkdir -p $@; echo 'Predis cannot be installed: it will not be measured'; }
	@touch $@

# If LARDER_DRUPAL names a folder with Drupal, use this folder. Otherwise download Drupal.
build/bench/drupal:
	@mkdir -p $(@D)
	@[ -n "$(LARDER_DRUPAL)" ] || COMPOSER_ALLOW_SUPERUSER=1 timeout 400 composer create-project --quiet --no-interaction --no-dev \
		'drupal/recommended-project:^10' $@ || { rm -rf $@; echo 'Drupal cannot be installed: it will not be measured'; }

build/bench/npm/node_modules: bench/report/package.json
	@mkdir -p $(@D)
	@cp $< $(@D)/
	@cd $(@D) && npm install --silent --no-package-lock --no-audit --no-fund --ignore-scripts
	@touch $@

bench-core: $(BENCHES) ## build and run the benchmarks of the core
	@for bench in $(BENCHES); do echo "$${bench##*/}"; $$bench || exit 1; done

bench-hosts: php ## the tier in front of Redis: local reads, an application, from a write to when others see it
	@tools/setup.sh demo-hosts
	@packages/php/tests/run.sh --install-only
	@php bench/hosts/run.php

bench-metrics: php ## an observe() of promphp/prometheus_client_php, beside its storages for APCu and Redis (LARDER_PROMETHEUS=its folder)
	@tools/setup.sh bench-http
	@php -n -d extension=igbinary -d extension=apcu -d extension=redis -d apc.enable_cli=1 \
		-d extension=$(CURDIR)/php/modules/larder.so bench/lib/metrics.php

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

bench-queue: php ## what a queue costs, beside the cache, Redis and a pipe
	@tools/setup.sh bench-http
	@php -n -d extension=posix -d extension=igbinary -d extension=redis -d extension=$(CURDIR)/php/modules/larder.so \
		-d larder.queue_size=128M bench/php/queue.php

bench-objects: php ## what storing and fetching objects costs in PHP, beside APCu
	@tools/setup.sh bench-php
	@php -n bench/php/objects.php
	@php bench/php/resident.php

bench-operator: php ## the command on a million entries while another process writes: seconds, and whether a write was held up
	@php bench/php/operator.php

leaks: php ## fetch each case of that benchmark FETCHES= times (100000): does memory grow? (minutes)
	@php -n bench/php/objects.php --leaks=$(or $(FETCHES),100000)

build/php/noop/modules/larder_noop.so: $(wildcard bench/php/noop/*.c bench/php/noop/config.m4)
	@mkdir -p build/php/noop
	@cp $^ build/php/noop/
	@cd build/php/noop && phpize >/dev/null && ./configure >/dev/null && $(MAKE) --no-print-directory -s >/dev/null

bench-ruby: ruby ## what one operation costs in Ruby, beside MemoryStore
	@tools/setup.sh bench-ruby
	@$(RUBY) bench/ruby/micro.rb
