# The Composer library and the classes in plain PHP.

.PHONY: test-lib test-polyfill test-lib84 test-lib85 test-lib86 test-newest test-apps

test-lib: php ## the PHP library: conformance suites, frameworks, PHPStan, coding standard
	@tools/setup.sh lib || true # the next line reports a missing tool
	@packages/php/tests/run.sh

test-polyfill: php ## tests of the extension with the classes in plain PHP in its place; PHPStan, coding standard (POLYFILL_TESTS=...)
	@packages/polyfill/tests/run.sh $(POLYFILL_TESTS)

test-lib84: ROOT = 13
test-lib85: ROOT = php8.5
test-lib86: ROOT = php8.6
test-lib84 test-lib85 test-lib86: ## the library's tests with PHP 8.4 and Valkey, 8.5, 8.6, in a root of another Debian
	@packages/php/tests/run.sh --install-only
	@packages/php/tests/run.sh --copy packages/php/.lib
	@tools/debian.sh $(ROOT) packages/php/tests/run-in-root.sh; status=$$?; rm -rf packages/php/.lib; exit $$status

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
