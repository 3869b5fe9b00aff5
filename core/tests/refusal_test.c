/* refusal_test.c - each public call is made within another call of the same thread, and while a
 * stopped process has the shard's lock. Most must be refused. A refused call says why, and changes
 * nothing. */
#include "support.h"

#include "internal.h"
#include "larder_coordination.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define LARGE 100000u
#define WAIT_MS 20u

static lrd_store *store;
static char bytes[LARGE];

/* ---- handles of the caller ---- */

static struct {
    lrd_value held, borrowed;
    lrd_reservation small, large;
    lrd_permit permit;
    lrd_queue queue;
    lrd_message message;
    lrd_watch watch;
} own;

static lrd_value out;
static lrd_reservation new_one;
static uint64_t number;
static int64_t sum;

static void open_store(lrd_policy policy)
{
    lrd_options options = {.policy = policy, .size = 16 * MIB, .shards = 1, .slots = 64};
    CHECK_OK(lrd_open(&options, &store));
}

static void fill_store(void)
{
    CHECK_OK(put_value(store, "key", 300, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "other", 300, 2, LRD_SET, 0));
    CHECK_OK(put_value(store, "third", 300, 3, LRD_SET, 0));
    CHECK_OK(put_value(store, "fourth", 300, 4, LRD_SET, 0));
    CHECK_OK(lrd_counter_set(store, "n", 1, 5, 0));
}

static void prepare_entries(void)
{
    CHECK_OK(lrd_request_begin(store));
    CHECK_OK(lrd_get(store, "key", 3, 0, &own.held));
    CHECK_OK(lrd_get(store, "other", 5, LRD_GET_BORROW, &own.borrowed));
    CHECK_OK(lrd_reserve(store, "small", 5, 300, 1, &own.small));
    CHECK_OK(lrd_reserve(store, "large", 5, LARGE, 1, &own.large));
    char name[24];
    snprintf(name, sizeof name, "lock %d", (int)getpid());
    CHECK_OK(lrd_lock(store, name, strlen(name), 0, 0, NULL));
    CHECK_OK(lrd_semaphore_acquire(store, "permits", 7, 100, 0, 0, &own.permit));
}

static void prepare_watch(void) { CHECK_OK(lrd_watch_open(store, "n", 1, &own.watch)); }

static void prepare_queue(void)
{
    CHECK_OK(lrd_queue_open(store, "work", 4, 0, &own.queue));
    CHECK_OK(lrd_queue_push(store, own.queue, bytes, 300, 1, NULL, NULL));
    CHECK_OK(lrd_queue_push(store, own.queue, bytes, 300, 1, NULL, NULL));
    CHECK_OK(lrd_queue_pop(store, own.queue, 0, 0, 0, &own.message));
    CHECK_OK(lrd_queue_reserve(store, own.queue, 300, 1, NULL, &own.small));
}

/* ---- the calls ---- */

static void fill(const void *from, void *build, const void *data, size_t size)
{
    (void)from, (void)data;
    memset(build, 1, size);
}

/* This thread holds "key", but not "third" or "fourth". */
static int get(void) { return lrd_get(store, "third", 5, 0, &out); }
static int get_uncopied(void) { return lrd_get(store, "third", 5, LRD_GET_NO_COPY, &out); }
static int has(void) { return lrd_has(store, "key", 3); }
static int get_many(void)
{
    size_t done;
    lrd_value values[2];
    return lrd_get_many(store, (lrd_key[]){{"third", 5}, {"fourth", 6}}, 2, 0, values, &done);
}
static int next(void)
{
    lrd_cursor cursor = {0};
    return lrd_next(store, &cursor, &out);
}
static int put_small(void) { return lrd_put(store, "new", 3, bytes, 300, NULL); }
static int put_large(void) { return lrd_put(store, "new", 3, bytes, LARGE, NULL); }
static int put_fill(void) { return lrd_put_fill(store, "new", 3, 300, fill, NULL, NULL); }
static int reserve_small(void) { return lrd_reserve(store, "new", 3, 300, 1, &new_one); }
static int reserve_large(void) { return lrd_reserve(store, "new", 3, LARGE, 1, &new_one); }
static int publish_small(void) { return lrd_publish(store, &own.small, LRD_SET, 0, 0); }
static int publish_large(void) { return lrd_publish(store, &own.large, LRD_SET, 0, 0); }
static int abort_one(void) { return lrd_abort(store, &own.small); }
static int delete_one(void) { return lrd_delete(store, "key", 3); }
static int delete_version(void) { return lrd_delete_version(store, "n", 1, 0, 5); }
static int take(void)
{
    static _Alignas(LRD_ALIGN) char room[400];
    bool types[256];
    memset(types, true, sizeof types);
    return lrd_take(store, "key", 3, types, room, sizeof room, &out);
}
static int touch(void) { return lrd_touch(store, "key", 3, 60000); }
static int put_held(void) { return lrd_put_held(store, &own.held, 60000); }
static int count(void) { return lrd_counter_add(store, "n", 1, 1, 0, 0, &sum); }
static int count_new(void) { return lrd_counter_add(store, "m", 1, 1, 0, 0, &sum); }
static int count_update(void) { return lrd_counter_update(store, "n", 1, 1, &sum); }
static int count_swap(void) { return lrd_counter_swap(store, "n", 1, -7, 7); }
static int count_set(void) { return lrd_counter_set(store, "n", 1, 5, 0); }
static int count_set_new(void) { return lrd_counter_set(store, "m", 1, 5, 0); }
static int hold(void) { return lrd_hold(store, &own.held, &out); }
static int hold_borrowed(void) { return lrd_hold(store, &own.borrowed, &out); }
static int request_begin(void) { return lrd_request_begin(store); }
static int request_end(void) { return lrd_request_end(store); }
static int lock(void) { return lrd_lock(store, "free", 4, 0, 0, NULL); }
static int lock_waiting(void) { return lrd_lock(store, "free", 4, 0, WAIT_MS, NULL); }
static int unlock(void) { return lrd_unlock(store, "one", 3, 0); }
static int lock_wanted(void) { return lrd_lock_wanted(store); }
static int locks_end(void) { return (int)lrd_locks_end(store); }
static int holds_end(void)
{
    lrd_held all[4];
    size_t held = lrd_holds(store, all, 4);
    CHECK(held > 0 && held <= 4);
    return lrd_holds_end(store, all, held) == held;
}
static int throttle(void)
{
    lrd_throttled answer;
    return lrd_throttle(store, "rate", 4, &(lrd_rate){.limit = 9, .per_ns = 1000, .cost = 1},
                        &answer);
}
static int acquire(void)
{
    lrd_permit permit;
    return lrd_semaphore_acquire(store, "permits", 7, 100, 0, 0, &permit);
}
static int acquire_waiting(void)
{
    lrd_permit permit;
    return lrd_semaphore_acquire(store, "permits", 7, 100, 0, WAIT_MS, &permit);
}
static int release_permit(void) { return lrd_semaphore_release(store, "permits", 7, &own.permit); }
static int renew_permit(void)
{
    return lrd_semaphore_renew(store, "permits", 7, &own.permit, 60000);
}
static int count_permits(void)
{
    uint32_t permits;
    return lrd_semaphore_count(store, "permits", 7, 100, &permits);
}
static int sweep(void) { return lrd_sweep(store, &number); }
static int check(void) { return lrd_fsck(store, NULL, NULL); }

static int watch_open(void) { return lrd_watch_open(store, "n", 1, &own.watch); }
static int watch_open_new(void) { return lrd_watch_open(store, "m", 1, &own.watch); }
static int watch_raise(void) { return lrd_watch_raise(store, "n", 1, true, &sum); }

static int queue_open(void) { return lrd_queue_open(store, "new", 3, 0, &own.queue); }
static int queue_capacity(void) { return lrd_queue_open(store, "work", 4, 5000, &own.queue); }
static int push(void) { return lrd_queue_push(store, own.queue, bytes, 300, 1, NULL, NULL); }
static int push_large(void)
{
    return lrd_queue_push(store, own.queue, bytes, LARGE, 1, NULL, NULL);
}
static int push_fill(void)
{
    return lrd_queue_push_fill(store, own.queue, 300, 1, NULL, fill, NULL, NULL);
}
static int push_waiting(void)
{
    return lrd_queue_push(store, own.queue, bytes, 300, 1, &(lrd_push){.wait_ms = WAIT_MS}, NULL);
}
static int push_large_waiting(void)
{
    return lrd_queue_push(store, own.queue, bytes, LARGE, 1, &(lrd_push){.wait_ms = WAIT_MS}, NULL);
}
static int queue_reserve(void)
{
    return lrd_queue_reserve(store, own.queue, 300, 1, NULL, &new_one);
}
static int queue_reserve_large(void)
{
    return lrd_queue_reserve(store, own.queue, LARGE, 1, NULL, &new_one);
}
static int queue_publish(void)
{
    return lrd_queue_publish(store, own.queue, &own.small, NULL, NULL);
}
static int queue_publish_waiting(void)
{
    return lrd_queue_publish(store, own.queue, &own.small, &(lrd_push){.wait_ms = WAIT_MS}, NULL);
}
static lrd_message message;
static int pop(void) { return lrd_queue_pop(store, own.queue, 0, 0, 0, &message); }
static int pop_waiting(void) { return lrd_queue_pop(store, own.queue, 0, WAIT_MS, 0, &message); }
static int peek(void) { return lrd_queue_peek(store, own.queue, 0, 0, &message); }
static int peek_id(void) { return lrd_queue_peek(store, own.queue, own.message.id, 0, &message); }
static int queue_next(void)
{
    number = 0;
    return lrd_queue_next(store, own.queue, &number, 0, &message);
}
static int ack(void) { return lrd_queue_ack(store, own.queue, own.message.id); }
static int release(void) { return lrd_queue_release(store, own.queue, own.message.id, 5); }
static int bury(void) { return lrd_queue_bury(store, own.queue, own.message.id); }
static int queue_touch(void) { return lrd_queue_touch(store, own.queue, own.message.id, 5000); }
static int kick(void) { return lrd_queue_kick(store, own.queue, 5, &number); }
static int queue_remove(void) { return lrd_queue_remove(store, own.queue, own.message.id); }
static int queue_clear(void) { return lrd_queue_clear(store, own.queue, true, &number); }
static int queue_stats(void)
{
    lrd_queue_stats stats;
    return lrd_queue_stats_get(store, own.queue, &stats);
}

typedef struct call {
    const char *name;
    int (*run)(void);
    /* The expected codes: `within` if the call is made within another call, `busy` if it is made
     * while another process has the lock. */
    int within, busy;
} call;
/* For call.within: both success and LRD_EREENTRY are right. The call succeeds if it can take the
 * fast path, which uses nothing that the outer call uses. */
#define ANSWERED_OR_REFUSED 1000
#define CALL(run, within, busy)                                                                    \
    {                                                                                              \
#run, run, within, busy                                                                    \
    }

/* Reads and counts need no lock, so they succeed while another process has the lock. */
static const call of_entries[] = {
    CALL(get, ANSWERED_OR_REFUSED, LRD_OK),
    CALL(get_uncopied, ANSWERED_OR_REFUSED, LRD_OK),
    CALL(has, LRD_EREENTRY, LRD_OK),
    CALL(get_many, ANSWERED_OR_REFUSED, LRD_OK),
    CALL(next, LRD_EREENTRY, LRD_OK),
    CALL(put_small, LRD_EREENTRY, LRD_EBUSY),
    CALL(put_large, LRD_EREENTRY, LRD_EBUSY),
    CALL(put_fill, LRD_EREENTRY, LRD_EBUSY),
    CALL(reserve_small, LRD_EREENTRY, LRD_EBUSY),
    CALL(reserve_large, LRD_EREENTRY, LRD_EBUSY),
    CALL(publish_small, LRD_EREENTRY, LRD_EBUSY),
    CALL(publish_large, LRD_EREENTRY, LRD_EBUSY),
    CALL(abort_one, LRD_EREENTRY, LRD_OK),
    CALL(delete_one, LRD_EREENTRY, LRD_EBUSY),
    CALL(delete_version, LRD_EREENTRY, LRD_EBUSY),
    CALL(take, LRD_EREENTRY, LRD_EBUSY),
    CALL(touch, LRD_EREENTRY, LRD_EBUSY),
    CALL(put_held, LRD_EREENTRY, LRD_EBUSY),
    CALL(count, LRD_EREENTRY, LRD_OK),
    CALL(count_new, LRD_EREENTRY, LRD_EBUSY),
    CALL(count_update, LRD_EREENTRY, LRD_OK),
    CALL(count_swap, LRD_EREENTRY, LRD_STALE),
    CALL(count_set, ANSWERED_OR_REFUSED, LRD_OK),
    CALL(count_set_new, LRD_EREENTRY, LRD_EBUSY),
    CALL(hold, LRD_EREENTRY, LRD_OK),
    CALL(hold_borrowed, LRD_EREENTRY, LRD_OK),
    CALL(request_begin, LRD_EREENTRY, LRD_OK),
    CALL(request_end, LRD_EREENTRY, LRD_EBUSY),
    CALL(lock, LRD_EREENTRY, LRD_EBUSY),
    CALL(lock_waiting, LRD_EREENTRY, LRD_EBUSY),
    CALL(unlock, LRD_EREENTRY, LRD_EBUSY),
    CALL(lock_wanted, false, false),
    CALL(locks_end, 0, 0),
    CALL(holds_end, false, true),
    CALL(throttle, LRD_EREENTRY, LRD_EBUSY),
    CALL(acquire, LRD_EREENTRY, LRD_EBUSY),
    CALL(acquire_waiting, LRD_EREENTRY, LRD_EBUSY),
    CALL(release_permit, LRD_EREENTRY, LRD_EBUSY),
    CALL(renew_permit, LRD_EREENTRY, LRD_EBUSY),
    CALL(count_permits, LRD_EREENTRY, LRD_EBUSY),
    CALL(sweep, LRD_EREENTRY, LRD_EBUSY),
    CALL(check, LRD_EREENTRY, LRD_EBUSY),
};

static const call of_watched_words[] = {
    CALL(watch_open, LRD_EREENTRY, LRD_OK),
    CALL(watch_open_new, LRD_EREENTRY, LRD_EBUSY),
    CALL(watch_raise, LRD_EREENTRY, LRD_OK),
};

static const call of_queues[] = {
    CALL(queue_open, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_capacity, LRD_EREENTRY, LRD_EBUSY),
    CALL(push, LRD_EREENTRY, LRD_EBUSY),
    CALL(push_large, LRD_EREENTRY, LRD_EBUSY),
    CALL(push_fill, LRD_EREENTRY, LRD_EBUSY),
    CALL(push_waiting, LRD_EREENTRY, LRD_EBUSY),
    CALL(push_large_waiting, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_reserve, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_reserve_large, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_publish, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_publish_waiting, LRD_EREENTRY, LRD_EBUSY),
    CALL(pop, LRD_EREENTRY, LRD_EBUSY),
    CALL(pop_waiting, LRD_EREENTRY, LRD_EBUSY),
    CALL(peek, LRD_EREENTRY, LRD_EBUSY),
    CALL(peek_id, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_next, LRD_EREENTRY, LRD_EBUSY),
    CALL(ack, LRD_EREENTRY, LRD_EBUSY),
    CALL(release, LRD_EREENTRY, LRD_EBUSY),
    CALL(bury, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_touch, LRD_EREENTRY, LRD_EBUSY),
    CALL(kick, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_remove, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_clear, LRD_EREENTRY, LRD_EBUSY),
    CALL(queue_stats, LRD_EREENTRY, LRD_EBUSY),
    CALL(sweep, LRD_EREENTRY, LRD_EBUSY),
    CALL(check, LRD_EREENTRY, LRD_EBUSY),
};

/* ---- a store of each kind, and its calls ---- */

typedef struct kind {
    lrd_policy policy;
    void (*prepare)(void);
    const call *calls;
    unsigned count;
} kind;
#define KIND(policy, prepare, calls)                                                               \
    {                                                                                              \
        policy, prepare, calls, sizeof(calls) / sizeof *(calls)                                    \
    }
static const kind kinds[] = {
    KIND(LRD_SESSION, prepare_entries, of_entries),
    KIND(LRD_PINNED, prepare_watch, of_watched_words),
    KIND(LRD_QUEUE, prepare_queue, of_queues),
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void open_kind(const kind *k)
{
    open_store(k->policy);
    if (k->policy != LRD_QUEUE)
        fill_store();
}

static unsigned wrong(const call *c, int code, int wanted)
{
    if (code == wanted ||
        (wanted == ANSWERED_OR_REFUSED && (code == LRD_OK || code == LRD_EREENTRY)))
        return 0;
    fprintf(stderr, "%s gave %s (%d), not %s (%d)\n", c->name, lrd_error_name(code), code,
            lrd_error_name(wanted), wanted);
    return 1;
}

/* ---- within another call ---- */

static const kind *within;
static unsigned wrongs, ran;

static void call_all(const void *from, void *build, const void *data, size_t size)
{
    fill(from, build, data, size);
    for (unsigned i = 0; i < within->count; i++, ran++)
        wrongs += wrong(within->calls + i, within->calls[i].run(), within->calls[i].within);
}

static void calls_within_a_call_are_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        within = kinds + i;
        open_kind(within);
        within->prepare();
        wrongs = ran = 0;
        if (within->policy == LRD_QUEUE)
            CHECK_OK(lrd_queue_push_fill(store, own.queue, 10, 1, NULL, call_all, NULL, NULL));
        else
            CHECK_OK(lrd_put_fill(store, "outer", 5, 10, call_all, NULL, NULL));
        CHECK_EQ(ran, within->count);
        CHECK_EQ(wrongs, 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

/* ---- while the lock is busy ---- */

static struct gates {
    gate is_stopped;
    _Atomic unsigned ready;
} * gates;

typedef struct caller {
    const kind *k;
    const call *c;
} caller;

static void call_when_busy(void *arg)
{
    const caller *one = arg;
    one->k->prepare();
    atomic_fetch_add(&gates->ready, 1);
    gate_wait(&gates->is_stopped);
    if (wrong(one->c, one->c->run(), one->c->busy) != 0)
        _exit(EXIT_CHECK_FAILED);
}

static void stop_with_the_lock(const char *name, void *arg)
{
    (void)name, (void)arg;
    if (shard_locked(store))
        raise(SIGSTOP);
}

static void write_and_stop(void *arg)
{
    const kind *k = arg;
    lrd_queue queue;
    if (k->policy == LRD_QUEUE)
        CHECK_OK(lrd_queue_open(store, "work", 4, 0, &queue));
    failpoint_hook(stop_with_the_lock, NULL);
    if (k->policy == LRD_QUEUE)
        (void)lrd_queue_push(store, queue, bytes, 300, 1, NULL, NULL);
    else
        (void)put_value(store, "stopped", 300, 1, LRD_SET, 0);
}

/* Each call is made by a separate process, so that all of them wait at the same time. */
static void calls_that_cannot_get_the_lock_say_so(void **state)
{
    (void)state;
    gates = shared_memory(sizeof *gates);
    for (unsigned i = 0; i < KINDS; i++) {
        const kind *k = kinds + i;
        pid_t pids[50];
        unsigned failed = 0;
        int status;
        CHECK(k->count <= sizeof pids / sizeof *pids);
        open_kind(k);
        atomic_store(&gates->is_stopped, 0);
        atomic_store(&gates->ready, 0);
        for (unsigned c = 0; c < k->count; c++) {
            caller one = {k, k->calls + c};
            pids[c] = start_child(call_when_busy, &one);
        }
        siginfo_t ended = {0};
        while (atomic_load(&gates->ready) < k->count && ended.si_pid == 0) {
            sleep_ms(1);
            CHECK(waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0);
        }
        CHECK_EQ(ended.si_pid, 0); /* no caller has failed and ended */
        pid_t writer = start_child(write_and_stop, (void *)(uintptr_t)k);
        CHECK(waitpid(writer, &status, WUNTRACED) == writer && WIFSTOPPED(status));
        gate_open(&gates->is_stopped);
        for (unsigned c = 0; c < k->count; c++)
            failed += wait_child(pids[c]) != 0;
        stop_child(writer);
        CHECK_EQ(failed, 0);
        touch_all_shards(store);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_within_a_call_are_refused),
        cmocka_unit_test(calls_that_cannot_get_the_lock_say_so),
    };
    return cmocka_run_group_tests_name("refusal", tests, NULL, NULL);
}
