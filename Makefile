# Larder: builds and checks all of it. This file is the menu, mk/ has the rules; `make help` lists the targets of each.
# Output goes to build/. phpize writes to php/ instead.

# CC builds the library, tests, benchmarks and demo; the core must compile with gcc and with clang.
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG_FORMAT ?= clang-format
CLANG_TIDY ?= clang-tidy
# How many programs, compilers and steps run at a time; tools/run-tests.sh reads this, too.
JOBS ?= 2
export JOBS

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help clean

# The order matters: a file may use names that an earlier file defines.
include mk/core.mk
include mk/php.mk
include mk/library.mk
include mk/ruby.mk
include mk/package.mk
include mk/demo.mk
include mk/bench.mk
include mk/docs.mk
include mk/lint.mk
include mk/test.mk
include mk/build.mk

help: ## list the targets
	@awk -F ':.*## ' 'FNR == 1 { head = "\n" substr($$0, 3) "\n" } \
		/^[a-z0-9 -]+:.*## / { printf "%s  make %-18s %s\n", head, $$1, $$2; head = "" }' \
		mk/test.mk $(filter-out mk/test.mk,$(filter mk/%,$(MAKEFILE_LIST)))

clean: ## remove build/
	rm -rf build
