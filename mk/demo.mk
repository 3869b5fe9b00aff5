# Demonstrations.

.PHONY: demo serve demo-core demo-hosts demo-ruby

DEMO := $(patsubst demo/%.c,build/demo/%,$(wildcard demo/dpkg_demo.c))

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

demo-hosts: php ## two hosts in network namespaces in front of one redis-server, a link cut (root)
	@tools/setup.sh demo-hosts
	@packages/php/tests/run.sh --install-only
	@php demo/hosts/run.php

demo-ruby: ruby ## Puma workers under load, killed: MemoryStore, FileStore, Larder (under a minute)
	@tools/setup.sh demo-ruby
	@$(RUBY) demo/ruby/run.rb
