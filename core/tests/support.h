/* support.h - what the test programs of the core share: stores that clean up after themselves,
 * values that prove whose they are, child processes, fail points, a clock that stands still.
 *
 * Checks: CHECK() and its relatives may be used anywhere. In the test's own process they fail the
 * cmocka test. In a child (or another thread) they print and end the process with
 * EXIT_CHECK_FAILED, because a longjmp out of there would run the rest of the tests twice. */
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

/* The present step, for the text of a failure: "at pass 12 (index_inserted)". */
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
/* Compares lrd_code values and names them. */
#define CHECK_CODE(call, wanted) check_code(__FILE__, __LINE__, #call, (call), (wanted))
#define CHECK_OK(call) CHECK_CODE(call, LRD_OK)
/* lrd_fsck() finds nothing; its findings are printed. */
#define CHECK_FSCK(store) check_fsck(__FILE__, __LINE__, (store))

/* Skip the running test and say why. */
void skip_test(const char *reason);

/* ---- clock, chance, memory ---- */

typedef _Atomic uint64_t test_clock;
/* A clock for lrd_options.clock_ms that all processes forked later share. It moves when told to. */
test_clock *clock_new(void);
uint64_t clock_read(void *clock);
uint64_t real_ms(void); /* a monotonic clock that does move */
void sleep_ms(unsigned ms);

/* True if one call clears and maps memory here, and fails past the end of a file. */
bool kernel_populates(void);

/* LARDER_SEED from the environment, else the default; prints which. */
uint64_t test_seed(uint64_t standard);

/* Zeroed memory that processes forked later share. Stays until the program ends. */
void *shared_memory(size_t size);
/* Zeroed memory of this process, at the start of a cache line. To be freed by the caller. */
void *zeroed(size_t count, size_t size);

/* ---- stores ---- */

/* An anonymous store with 64 slots; shards 0 is the default. */
lrd_store *store_new(lrd_policy policy, uint64_t size, uint32_t shards);
lrd_store *store_with_clock(lrd_policy policy, uint64_t size, uint32_t shards, test_clock *clock);
/* Open a store that the options name; created: whether this has to make it. */
lrd_store *store_open_named(const lrd_options *options, bool created);
/* A path in a private directory under /dev/shm that is removed when this program ends. */
const char *temp_path(const char *name);
lrd_stats stats_of(lrd_store *store);
/* Take every shard's lock once, so that a death inside one is noticed. */
void touch_all_shards(lrd_store *store);
/* A number that stands for all live entries: keys, values, types, versions, counts and byte counts.
 * Equal before and after whatever must not change anything. */
uint64_t content_of(lrd_store *store);
/* Shared memory that the pages of the store say is taken: allocated blocks and runs, in bytes. */
uint64_t allocated_bytes(const lrd_store *store);

/* Rows of key reservations that are reserved, or kept for a waiter. */
uint32_t keylocks_used(const lrd_store *store);

/* ---- values ---- */

/* lrd_put() of a value of values.h, and a get + check + release. get answers LRD_MISS or LRD_OK. */
int put_value(lrd_store *store, const char *key, size_t size, uint64_t seed, lrd_mode mode,
              uint64_t ttl_ms);
int get_checked(lrd_store *store, const char *key, size_t *size, uint64_t *seed);

/* ---- processes ---- */

/* Run fn(arg) in a forked child, which exits 0 when it returns; the child dies with the caller.
 * start returns the process id; run_in_child waits and returns the wait status. */
typedef void (*child_fn)(void *arg);
pid_t start_child(child_fn fn, void *arg);
int wait_child(pid_t pid);
int run_in_child(child_fn fn, void *arg);
void stop_child(pid_t pid); /* SIGKILL and wait */
#define CHECK_CHILD(status) check_child(__FILE__, __LINE__, (status))
void check_child(const char *file, int line, int status); /* it exited with 0 */
/* Check that the child exited with 0. If it exited with EXIT_CANNOT, because it may not set up what
 * the test needs, skip the running test and say why. */
#define EXIT_CANNOT 77
#define CHECK_CHILD_OR_SKIP(status, why) check_child_or_skip(__FILE__, __LINE__, (status), (why))
void check_child_or_skip(const char *file, int line, int status, const char *why);
#define CHECK_KILLED(status, signal) check_killed(__FILE__, __LINE__, (status), (signal))
void check_killed(const char *file, int line, int status, int signal);

/* A gate in shared memory: one side waits until the other has opened it. Waits at most 300 s. */
typedef _Atomic uint32_t gate;
void gate_open(gate *g);
void gate_wait(gate *g);

/* ---- fail points ---- */

/* Raise SIGKILL at the k-th pass of a fail point from now on, of this process and of those it forks
 * from now on together; 0: never, just count. */
void failpoint_arm(uint64_t k);
void failpoint_disarm(void);
uint64_t failpoint_count(void); /* passes since armed, all processes together */
bool failpoint_fired(void);     /* some process reached the k-th */
/* Call fn at every pass in this process (and those it forks later), NULL: no more. */
void failpoint_hook(void (*fn)(const char *name, void *arg), void *arg);
const char *failpoint_last(void); /* the name of the point that fired; "" when none did */
/* True if this thread is inside a shard's lock. For hooks. */
bool shard_locked(const lrd_store *store);

#endif
