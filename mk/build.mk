# How programs are compiled: the flags, and the rules for each folder of build/.

# CC builds the library, tests, benchmarks and demo. The core must compile with gcc and with clang.
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
# Compiler options of the core's tests, and of the core that they use.
HOOKS := -DLRD_FAILPOINTS -DLRD_ASSERTIONS
# Run programs with fixed addresses if the system allows it: older sanitizers cannot start if the kernel randomizes many bits.
SANITIZE_RUN := $(shell setarch -R true 2>/dev/null && echo setarch -R)

# $(call core_rule,DIRECTORY,COMPILER,FLAGS): DIRECTORY/core.o, the whole core as one unit.
define core_rule
$(1)/core.o: core/core.c Makefile mk/build.mk
	@mkdir -p $$(@D)
	$(2) $(CORE) $(3) $$(DEPEND) -c -o $$@ $$<
endef

# $(call test_rules,DIRECTORY,COMPILER,FLAGS): DIRECTORY/NAME for each core/tests/NAME.c, with the test hooks built in.
define test_rules
$(call core_rule,$(1)/obj,$(2),$(3) $(HOOKS))
$(1)/obj/support.o: core/tests/support.c Makefile mk/build.mk
	@mkdir -p $$(@D)
	$(2) $(PROGRAM) $(3) $(HOOKS) $$(DEPEND) -c -o $$@ $$<
$(addprefix $(1)/,$(TESTS)): $(1)/%: core/tests/%.c $(1)/obj/core.o $(1)/obj/support.o
	$(2) $(PROGRAM) $(3) $(HOOKS) $$(DEPEND) -o $$@ $$< $(1)/obj/core.o $(1)/obj/support.o -lcmocka -lm
endef

$(eval $(call core_rule,build/core/gcc,$(GCC),-O2))
$(eval $(call core_rule,build/core/clang,$(CLANG),-O2))
$(eval $(call core_rule,build/crash/obj,$(CC),-O2 -DLRD_ASSERTIONS -DLRD_CONTROLS))
$(eval $(call core_rule,build/crash/checked,$(CC),-O2 -DLRD_ASSERTIONS))
$(eval $(call core_rule,build/proof/obj,$(CC),-O2))
$(eval $(call core_rule,build/proof/hooked,$(CC),-O2 $(HOOKS)))
$(eval $(call core_rule,build/proof/checked,$(CC),-O2 -DLRD_ASSERTIONS -DLRD_CONTROLS))
$(eval $(call core_rule,build/delay/obj,$(CC),-O2 $(HOOKS) -DLRD_CONTROLS))
$(eval $(call core_rule,build/fuzz/obj,$(CLANG),-O1 -DLRD_ASSERTIONS $(SANITIZE_FUZZ)))
$(eval $(call test_rules,build/test/core,$(CC),-O1))
$(eval $(call test_rules,build/asan/core,$(CLANG),-O1 $(SANITIZE_ADDRESS)))
$(eval $(call test_rules,build/tsan/core,$(CLANG),-O1 $(SANITIZE_THREAD)))

# Programs for aarch64 are linked statically, to need no installed libraries. core/tests/cross replaces cmocka.
$(eval $(call core_rule,build/aarch64/core/obj,$(AARCH64_CC),-O1 $(HOOKS)))
build/aarch64/core/%: core/tests/%.c build/aarch64/core/obj/core.o core/tests/support.c core/tests/cross/cross.c
	$(AARCH64_CC) $(PROGRAM) -O1 $(HOOKS) -static -Icore/tests/cross $(DEPEND) -o $@ $(filter %.c %.o,$^) -lm

# Tests for musl are linked with core/tests/cross in place of cmocka. Tests that kill a process at each point use only every seventh
# point (STRIDE).
$(eval $(call core_rule,build/musl/obj,$(MUSL_CC),-O1 $(HOOKS)))
$(eval $(call core_rule,build/musl/plain,$(MUSL_CC),-O2))
build/musl/core/%: core/tests/%.c build/musl/obj/core.o core/tests/support.c core/tests/cross/cross.c
	@mkdir -p $(@D)
	$(MUSL_CC) $(PROGRAM) -O1 $(HOOKS) -DSTRIDE=7 -Icore/tests/cross $(DEPEND) -o $@ $(filter %.c %.o,$^) -lm

build/musl/crash/%: core/tests/%.c build/musl/plain/core.o
	@mkdir -p $(@D)
	$(MUSL_CC) $(PROGRAM) -O2 $(DEPEND) -o $@ $< build/musl/plain/core.o -lm

build/musl/libc_mix: core/tests/libc_mix.c build/musl/plain/core.o
	$(MUSL_CC) $(PROGRAM) -O2 $(DEPEND) -o $@ $< build/musl/plain/core.o

build/libc_mix: core/tests/libc_mix.c $(LIB)
	$(CC) $(PROGRAM) -O2 $(DEPEND) -o $@ $< $(LIB)

build/core/%/liblarder.a: build/core/%/core.o
	rm -f $@
	$(AR) rcs $@ $<

build/core/$(SONAME): build/core/$(COMPILER)/core.o mk/build.mk
	$(CC) -shared -Wl,-soname,$(SONAME) -Wl,-z,nodelete -Wl,-z,defs -o $@ $< -pthread -lm

build/crash/%: core/tests/%.c build/crash/checked/core.o
	@mkdir -p $(@D)
	$(CC) $(PROGRAM) -O2 -DLRD_ASSERTIONS $(DEPEND) -o $@ $< build/crash/checked/core.o -lm

build/crash/%_controls: core/tests/%.c build/crash/obj/core.o
	$(CC) $(PROGRAM) -O2 -DLRD_ASSERTIONS -DLRD_CONTROLS $(DEPEND) -o $@ $< build/crash/obj/core.o -lm

# Link kill_everywhere statically, so that it also stops at each instruction of the C library, and addr2line can name such an instruction.
KILLER := core/tests/proof/kill_everywhere.c core/tests/proof/operations.c core/tests/support.c core/tests/cross/cross.c
build/proof/kill_everywhere: $(KILLER) core/tests/proof/operations.h build/proof/obj/core.o
	$(CC) $(PROGRAM) -O2 -static -Icore/tests/cross $(DEPEND) -o $@ $(KILLER) build/proof/obj/core.o -lm

build/proof/kill_everywhere_controls: $(KILLER) core/tests/proof/operations.h build/proof/checked/core.o
	$(CC) $(PROGRAM) -O2 -static -DLRD_ASSERTIONS -DLRD_CONTROLS -Icore/tests/cross $(DEPEND) -o $@ $(KILLER) build/proof/checked/core.o -lm

FAIL_CALLS := open fstat lstat stat fstatfs ftruncate fallocate mmap madvise mprotect memfd_create fcntl linkat unlink fchmod \
	pread pwrite read clock_gettime lseek fstatvfs ioctl sysinfo getrlimit getrandom nanosleep malloc calloc aligned_alloc strdup syscall
comma := ,
build/proof/fail_calls: core/tests/proof/fail_calls.c core/tests/support.c build/proof/hooked/core.o
	$(CC) $(PROGRAM) -O2 $(HOOKS) -no-pie $(DEPEND) $(patsubst %,-Wl$(comma)--wrap=%,$(FAIL_CALLS)) -o $@ \
		core/tests/proof/fail_calls.c core/tests/support.c build/proof/hooked/core.o -lcmocka -lm

HISTORIES := $(addprefix core/tests/proof/,histories.c linearize.c planted.c) core/tests/support.c core/tests/cross/cross.c
build/proof/histories: $(HISTORIES) core/tests/proof/linearize.h core/tests/proof/planted.h build/proof/hooked/core.o
	@mkdir -p $(@D)
	$(CC) $(PROGRAM) -O2 $(HOOKS) -Icore/tests/cross $(DEPEND) -o $@ $(HISTORIES) build/proof/hooked/core.o -lm

build/proof/histories_controls: $(HISTORIES) core/tests/proof/linearize.h core/tests/proof/planted.h build/delay/obj/core.o
	@mkdir -p $(@D)
	$(CC) $(PROGRAM) -O2 $(HOOKS) -DLRD_CONTROLS -Icore/tests/cross $(DEPEND) -o $@ $(HISTORIES) build/delay/obj/core.o -lm

build/delay/%: core/tests/%.c build/delay/obj/core.o
	$(CC) $(PROGRAM) -O2 $(HOOKS) -DLRD_CONTROLS $(DEPEND) -o $@ $< build/delay/obj/core.o -lm

build/fuzz/%: core/tests/%.c build/fuzz/obj/core.o
	$(CLANG) $(PROGRAM) -O1 -DLRD_ASSERTIONS $(SANITIZE_FUZZ) $(DEPEND) -o $@ $< build/fuzz/obj/core.o

# The decoder of packed graphs, without PHP. It needs only PHP's headers and the extension's configuration.
build/fuzz/fuzz_unfold: php/fuzz/fuzz_unfold.c php/src/pack/unfold.c php/src/pack/literals.c php/src/pack/scratch.c $(wildcard php/src/*/*.h) | php
	@mkdir -p $(@D)
	$(CLANG) $(PROGRAM) -std=gnu11 -O1 -Iphp -Iphp/src $(patsubst -I%,-isystem %,$(shell php-config --includes)) $(SANITIZE_FUZZ) \
		-o $@ $(filter %.c,$^)

build/bench/%: bench/core/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(PROGRAM) -O3 $(DEPEND) -o $@ $< $(LIB) -lm

build/demo/%: demo/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(PROGRAM) -O2 $(DEPEND) -o $@ $< $(LIB) -lm

-include $(wildcard build/*/*.d build/*/*/*.d build/*/*/*/*.d)
