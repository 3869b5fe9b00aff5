/* support.h - helpers of the core's tests: stores that are removed automatically, values that show
 * which key they belong to, child processes, fail points, a clock that stands still.
 *
 * CHECK() and its relatives may be used anywhere. In the process of the test they fail the cmocka
 * test. In a child (or another thread) they print, and end the process with EXIT_CHECK_FAILED,
 * because a longjmp from there would run the remaining tests twice. */
#ifndef LRD_TESTS_SUPPORT_H
#define LRD_TESTS_SUPPORT_H

#include "larder_admin.h"
#include "larder_queue.h"
#include "values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <cmocka.h>

#define EXIT_CHECK_FAILED 70

/* ---- checks ---- */

/* Set a text about the present step that is printed with a failure: "at pass 12
 * (index_inserted)". */
void check_context(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check_failed(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void check_equal(const char *file, int line, const char *what, long long got, long long wanted);
void check_code(const char *file, int line, const char *what, int got, int wanted);
void check_fsck(const char *file, int line, lrd_store *store);

#define CHECK(condition)                                                                           \
    ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, "not true: %s", #condition))
#define CHECK_EQ(got, wanted)                                                                      \
    check_equal(__FILE__, __LINE__, #got, (long long)(got), (long long)(wanted))
/* Compare lrd_code values. Failures print their names. */
#define CHECK_CODE(call, wanted) check_code(__FILE__, __LINE__, #call, (call), (wanted))
#define CHECK_OK(call) CHECK_CODE(call, LRD_OK)
/* Check that lrd_fsck() finds nothing. Prints what it finds. */
#define CHECK_FSCK(store) check_fsck(__FILE__, __LINE__, (store))

/* Skip the running test, and print the reason. */
void skip_test(const char *reason);

/* ---- clock, chance, memory ---- */

typedef _Atomic uint64_t test_clock;
/* Return a clock for lrd_options.clock_ms. Processes forked later share it. It moves only when it
 * is told to. */
test_clock *clock_new(void);
uint64_t clock_read(void *clock);
uint64_t real_ms(void); /* a clock that moves by itself */
void sleep_ms(unsigned ms);

/* True if the kernel can clear and map memory with one call, which fails past the end of a file. */
bool kernel_populates(void);

/* Return LARDER_SEED from the environment, or else the given seed, and print it. */
uint64_t test_seed(uint64_t standard);

/* Return zeroed memory that processes forked later share. It stays until the program ends. */
void *shared_memory(size_t size);
/* Return zeroed memory of this process, at the start of a cache line. The caller frees it. */
void *zeroed(size_t count, size_t size);

/* ---- stores ---- */

/* Return an anonymous store with 64 slots. shards: 0 for the default. */
lrd_store *store_new(lrd_policy policy, uint64_t size, uint32_t shards);
lrd_store *store_with_clock(lrd_policy policy, uint64_t size, uint32_t shards, test_clock *clock);
/* Open the store that the options name. Check that this call created it, or did not (created). */
lrd_store *store_open_named(const lrd_options *options, bool created);
/* Return a path in a private directory under /dev/shm, which is removed when this program ends. */
const char *temp_path(const char *name);
lrd_stats stats_of(lrd_store *store);
/* Take every shard's lock once, so that a death under one of them is noticed. */
void touch_all_shards(lrd_store *store);
/* Return a checksum of all live entries: keys, values, types, versions, counts and byte counts. It
 * is equal before and after an operation that must change nothing. */
uint64_t content_of(lrd_store *store);
/* Return the number of bytes in allocated blocks and runs, according to the pages. */
uint64_t allocated_bytes(const lrd_store *store);

/* Return the number of rows of key reservations that are reserved, or kept for a waiter. */
uint32_t keylocks_used(const lrd_store *store);

/* ---- values ---- */

/* put_value: lrd_put() of a value of values.h. get_checked: get, check and release it; LRD_MISS or
 * LRD_OK. */
int put_value(lrd_store *store, const char *key, size_t size, uint64_t seed, lrd_mode mode,
              uint64_t ttl_ms);
int get_checked(lrd_store *store, const char *key, size_t *size, uint64_t *seed);

/* ---- processes ---- */

/* Run fn(arg) in a forked child, which exits with 0 when fn returns, and dies with its parent.
 * start_child returns the process id. run_in_child waits, and returns the wait status. */
typedef void (*child_fn)(void *arg);
pid_t start_child(child_fn fn, void *arg);
int wait_child(pid_t pid);
int run_in_child(child_fn fn, void *arg);
void stop_child(pid_t pid);    /* SIGKILL and wait */
uint64_t sleeps_of(pid_t pid); /* how often a process has gone to sleep */
#define CHECK_CHILD(status) check_child(__FILE__, __LINE__, (status))
void check_child(const char *file, int line, int status); /* it exited with 0 */
/* Check that the child exited with 0. If it exited with EXIT_CANNOT, because it may not set up what
 * the test needs, skip the running test and say why. */
#define EXIT_CANNOT 77
#define CHECK_CHILD_OR_SKIP(status, why) check_child_or_skip(__FILE__, __LINE__, (status), (why))
void check_child_or_skip(const char *file, int line, int status, const char *why);
#define CHECK_KILLED(status, signal) check_killed(__FILE__, __LINE__, (status), (signal))
void check_killed(const char *file, int line, int status, int signal);

/* A gate in shared memory: a process waits until another one has opened it, for at most 300 s. */
typedef _Atomic uint32_t gate;
void gate_open(gate *g);
void gate_wait(gate *g);

/* ---- fail points ---- */

/* Kill the process that makes the k-th pass of a fail point from now on. Passes of this process and
 * of its later children count together. 0: only count them. */
void failpoint_arm(uint64_t k);
void failpoint_disarm(void);
uint64_t failpoint_count(void); /* passes since failpoint_arm(), of all processes together */
bool failpoint_fired(void);     /* some process has made the k-th pass */
/* Call fn at every pass in this process and its later children. NULL ends that. */
void failpoint_hook(void (*fn)(const char *name, void *arg), void *arg);
/* Send this thread one signal at the next pass of this fail point. The signal's handler sets a
 * flag. If `ends_waits` is true, the flag is that of lrd_wait_flag(). If `point` is NULL, remove
 * the flag. */
void signal_at(const char *point, bool ends_waits);
/* name of the fail point at which a process was killed; "" if none was */
const char *failpoint_last(void);
/* True if this thread has a shard's lock. For hooks. */
bool shard_locked(const lrd_store *store);

#endif
