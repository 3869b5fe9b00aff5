# Installation on other machines: packages, files of a release, and the steps in the documents for newcomers.

.PHONY: larder deb install newcomer release release-join test-release test-packages lint-packaging

larder: build/larder.php ## the command, the dashboard and the metrics as one file: build/larder.php
build/larder.php: $(wildcard ops/*.php ops/src/*.php)
	@mkdir -p build
	@php -n ops/bundle.php $@

deb: ## Debian packages of the command and of the extension: build/deb (DEB_PHP="8.2 8.4"; installs what it needs)
	@DEB_PHP='$(DEB_PHP)' tools/setup.sh deb
	@tools/deb.sh $(DEB_PHP)

install: ## as root: what `make php larder` and `make core` have built: the extension, the command, the library (PREFIX=/usr/local)
	@tools/install.sh

newcomer: ## clone, build and use it as README.md and docs/install.md say in bare Debian 12 and 13 roots (root; RELEASES="12 13")
	@tools/setup.sh newcomer
	@for release in $(or $(RELEASES),12 13); do tools/newcomer.sh $$release || exit 1; done

test-packages: ## packages, prebuilt archives and Dockerfiles in bare Debian 12 and 13 roots (root; minutes; PACKAGE_TESTS="apt phps")
	@tools/setup.sh packages
	@packaging/tests/run.sh $(PACKAGE_TESTS)

release: ## the files of a release, the same bytes each time: build/release (root; RELEASE_PHPS="8.2 8.4", RELEASE_KINDS="glibc musl-zts", RELEASE_SOURCES=FOLDER)
	@tools/setup.sh packages
	@RELEASE_PHPS='$(RELEASE_PHPS)' tools/release.sh

release-join: ## one folder of what `make release` made on several machines: build/release (FROM="FOLDER FOLDER")
	@tools/release/join.sh $(FROM)

test-release: ## make release twice, in two clean folders: the same bytes (root; minutes; RELEASE_PHPS=8.2 RELEASE_KINDS=glibc)
	@tools/setup.sh packages
	@tools/release/twice.sh

lint-packaging: ## workflows, templates, and recipes for distributions
	ruby packaging/tests/files.rb --control
	ruby packaging/tests/files.rb
