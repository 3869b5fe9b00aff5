/* support.h - helpers of the core's tests: stores that are removed automatically, values that show
 * their key, child processes, fail points, and a clock that stands still.
 *
 * CHECK() and its relatives fail the cmocka test in its own process. In a child or another thread,
 * they print the reason and end the process with EXIT_CHECK_FAILED, because a longjmp would run the
 * remaining tests twice. */
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

/* Set a text about the present step, "at pass 12 (index_inserted)", which is printed with a
 * failure. */
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
/* Check an lrd_code value. A failure prints the names of both codes. */
#define CHECK_CODE(call, wanted) check_code(__FILE__, __LINE__, #call, (call), (wanted))
#define CHECK_OK(call) CHECK_CODE(call, LRD_OK)
/* Check that lrd_fsck() finds no damage. A failure prints what it found. */
#define CHECK_FSCK(store) check_fsck(__FILE__, __LINE__, (store))

void skip_test(const char *reason);

/* ---- clock, chance, memory ---- */

typedef _Atomic uint64_t test_clock;
/* Return a clock for lrd_options.clock_ms, which moves only when a test moves it. Children share
 * it. */
test_clock *clock_new(void);
uint64_t clock_read(void *clock);
uint64_t real_ms(void); /* the time of a real clock */
void sleep_ms(unsigned ms);

/* Return true if the kernel can clear and map memory with one call. This call fails beyond the end
 * of a file. */
bool kernel_populates(void);

/* Return, and print, the number in the environment variable LARDER_SEED, or `standard` if it is not
 * set. */
uint64_t test_seed(uint64_t standard);

/* Return zeroed memory that children forked later share. It is never freed. */
void *shared_memory(size_t size);
/* Return zeroed private memory that begins at a cache line. The caller frees it. */
void *zeroed(size_t count, size_t size);

/* ---- stores ---- */

/* Return an anonymous store with 64 slots, and the default number of shards if shards is 0. */
lrd_store *store_new(lrd_policy policy, uint64_t size, uint32_t shards);
lrd_store *store_with_clock(lrd_policy policy, uint64_t size, uint32_t shards, test_clock *clock);
/* Open the store that the options name. Fails unless lrd_open() has created the store (if `created`
 * is true) or has found it (if false). */
lrd_store *store_open_named(const lrd_options *options, bool created);
/* Return a path in a private directory under /dev/shm, which is removed when the program ends. */
const char *temp_path(const char *name);
lrd_stats stats_of(lrd_store *store);
/* Take the lock of every shard once, which recovers shards of dead owners. */
void touch_all_shards(lrd_store *store);
/* Return a checksum of all live entries: keys, values, types, versions, counts and byte counts. */
uint64_t content_of(lrd_store *store);
/* Return the bytes of allocated blocks and runs, according to the descriptions of the pages. */
uint64_t allocated_bytes(const lrd_store *store);

/* Return the number of used rows for reserved keys. A row is used while its key is reserved, or
 * kept for a waiter. */
uint32_t keylocks_used(const lrd_store *store);

/* ---- values ---- */

/* put_value() puts a value that values.h can check. get_checked() gets a value, checks it, and
 * returns LRD_OK or LRD_MISS. */
int put_value(lrd_store *store, const char *key, size_t size, uint64_t seed, lrd_mode mode,
              uint64_t ttl_ms);
int get_checked(lrd_store *store, const char *key, size_t *size, uint64_t *seed);

/* ---- processes ---- */

/* Run fn(arg) in a forked child. The child exits with 0 when fn returns, and is killed when its
 * parent dies. start_child() returns the child's id. run_in_child() waits for the child, and
 * returns its wait status. */
typedef void (*child_fn)(void *arg);
pid_t start_child(child_fn fn, void *arg);
int wait_child(pid_t pid);
int run_in_child(child_fn fn, void *arg);
void stop_child(pid_t pid);    /* kills the process and waits for its end */
uint64_t sleeps_of(pid_t pid); /* how often a process has gone to sleep */
#define CHECK_CHILD(status) check_child(__FILE__, __LINE__, (status))
void check_child(const char *file, int line, int status); /* checks that the child exited with 0 */
/* Check that the child exited with 0. EXIT_CANNOT says that the system does not allow what the test
 * needs: skip the test and print why. */
#define EXIT_CANNOT 77
#define CHECK_CHILD_OR_SKIP(status, why) check_child_or_skip(__FILE__, __LINE__, (status), (why))
void check_child_or_skip(const char *file, int line, int status, const char *why);
#define CHECK_KILLED(status, signal) check_killed(__FILE__, __LINE__, (status), (signal))
void check_killed(const char *file, int line, int status, int signal);

/* A gate in shared memory. gate_wait() waits until a process has opened it, for at most 300 s. */
typedef _Atomic uint32_t gate;
void gate_open(gate *g);
void gate_wait(gate *g);

/* ---- fail points ---- */

/* Count passes of fail points, by this process and its later children together, and kill the
 * process that makes the k-th pass. If k is 0, kill none. */
void failpoint_arm(uint64_t k);
void failpoint_disarm(void);
uint64_t failpoint_count(void); /* passes since failpoint_arm(), of all processes together */
bool failpoint_fired(void);     /* some process has made the k-th pass */
/* Call fn at each pass of a fail point, in this process and its later children. NULL removes fn. */
void failpoint_hook(void (*fn)(const char *name, void *arg), void *arg);
/* Send this thread a signal when it next passes the fail point `point`. The handler sets a flag,
 * which the core's waits see if `ends_waits` is true (lrd_wait_flag()). If `point` is NULL, remove
 * the flag. */
void signal_at(const char *point, bool ends_waits);
/* Return the name of the fail point at which a process was killed, or "". */
const char *failpoint_last(void);
bool shard_locked(const lrd_store *store);

#endif
