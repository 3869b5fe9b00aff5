# The Ruby gem.

.PHONY: ruby test-ruby test-ruby-valgrind test-ruby-asan test-ruby-gem crash-ruby test-ruby34

RUBY_EXT := build/ruby/lib/larder/larder.so
RUBY := ruby -Ibuild/ruby/lib -Iruby/lib
RUBY_FILES := $(wildcard ruby/ext/larder/*.[ch])
RUBY_SCRIPTS := larder.gemspec ruby bench/apps/rails bench/ruby demo/ruby packaging/tests tools/release

ruby: ## build the Ruby extension: build/ruby/lib/larder/larder.so
	@tools/setup.sh ruby
	@$(MAKE) --no-print-directory -s $(RUBY_EXT)

$(RUBY_EXT): $(RUBY_FILES) ruby/ext/larder/extconf.rb core/core.c $(wildcard core/include/*.h core/src/*.h core/src/*/*.[ch])
	@mkdir -p build/ruby/ext $(@D)
	@cd build/ruby/ext && ruby ../../../ruby/ext/larder/extconf.rb >extconf.log && $(MAKE) --no-print-directory -s >/dev/null
	@cp build/ruby/ext/larder.so $@.new && mv $@.new $@ # replace it in one step, because programs may have the file mapped

test-ruby: ruby ## tests of the Ruby gem: the extension, the store in plain Ruby, Rails, killed workers (RUBY_TESTS=...)
	@ruby/run-tests.sh $(RUBY_TESTS)

test-ruby-valgrind: ruby ## tests of the Ruby extension under valgrind (RUBY_TESTS=...)
	@ruby/run-tests.sh --valgrind $(RUBY_TESTS)

test-ruby-asan: ## tests of the Ruby extension under AddressSanitizer and UBSan (RUBY_TESTS=...)
	@tools/setup.sh ruby
	@ruby/run-tests.sh --asan $(RUBY_TESTS)

test-ruby-gem: ## build the gem and a precompiled gem, install each into a folder of its own, and use it
	@tools/setup.sh ruby
	@ruby/run-tests.sh --gem

crash-ruby: SECONDS ?= 60
crash-ruby: ruby ## kill Ruby workers at random and check what is left (SECONDS=60)
	@$(RUBY) ruby/test/crash.rb --seconds $(SECONDS)

# Debian unstable's package ruby is older than 3.4, so the links to ruby3.4 come first in PATH.
test-ruby34: ## the gem with Ruby 3.4, in a root of Debian unstable
	@tools/debian.sh ruby3.4 bash -c 'for name in ruby gem rake; do ln -sf /usr/bin/$${name}3.4 /tmp/$$name; done; \
		rm -rf php/modules; PATH=/tmp:$$PATH make --no-print-directory -s test-ruby test-ruby-gem'
