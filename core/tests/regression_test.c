/* regression_test.c - faults of earlier versions, which must not come back. Living threads counted
 * as dead, and dead threads as living. Forked children waited or held too much. Free memory was not
 * found again. */
#include "support.h"

#include "internal.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1u << 20)
#define NOBODY 65534
#define GONE_MS 2000 /* a thread that is gone for this time loses its locks */

static char bytes[MIB];

static int put_bytes(lrd_store *store, const char *key, size_t size)
{
    return lrd_put(store, key, strlen(key), bytes, size, NULL);
}

static void get_held(lrd_store *store, const char *key, lrd_value *out)
{
    CHECK_OK(lrd_get(store, key, strlen(key), 0, out));
    CHECK_EQ(out->kind, LRD_KIND_HELD);
}

/* Get "PREFIX<from>" to "PREFIX<to - 1>". Keeps the held values in `out`, and releases all others.
 * Returns the number of held values. */
static uint32_t hold_many(lrd_store *store, const char *prefix, uint32_t from, uint32_t to,
                          lrd_value *out)
{
    uint32_t held = 0;
    for (uint32_t i = from; i < to; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s%u", prefix, i);
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &out[held]));
        if (out[held].kind == LRD_KIND_HELD)
            held++;
        else
            CHECK_OK(lrd_release(store, &out[held]));
    }
    return held;
}

static void put_many(lrd_store *store, const char *prefix, uint32_t count, size_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s%u", prefix, i);
        CHECK_OK(put_bytes(store, key, size));
    }
}

static void sweep_for(lrd_store *store, uint64_t ms)
{
    for (uint64_t started = real_ms(); real_ms() - started < ms; sleep_ms(50))
        CHECK_OK(lrd_sweep(store, NULL));
    /* Sweep once more: on a busy machine, the loop may have swept only once. */
    CHECK_OK(lrd_sweep(store, NULL));
}

/* ---- living owners ---- */

typedef struct hideout {
    lrd_store *store;
    bool no_descriptors; /* If true, no descriptor is free. If false, /proc hides this process. */
    gate held, overwritten;
    _Atomic bool unable;
} hideout;

static void hold_unseen(void *arg)
{
    hideout *h = arg;
    lrd_value value;
    if (!h->no_descriptors)
        /* hide this process's files in /proc from other processes of its user */
        prctl(PR_SET_DUMPABLE, 0);
    get_held(h->store, "key", &value);
    gate_open(&h->held);
    gate_wait(&h->overwritten);
    CHECK(value_valid(value.data, value.size, "key", 3));
    CHECK_EQ(value_seed(value.data, value.size), 1);
    CHECK_OK(lrd_release(h->store, &value));
}

static bool hide_proc(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("proc", "/proc", "proc", 0, "hidepid=2") == 0 && setgid(NOBODY) == 0 &&
           setuid(NOBODY) == 0;
}

static void sweep_blindly(void *arg)
{
    hideout *h = arg;
    if (!h->no_descriptors && !hide_proc()) {
        atomic_store(&h->unable, true);
        return;
    }
    pid_t reader = start_child(hold_unseen, h);
    gate_wait(&h->held);
    struct rlimit none = {0};
    if (h->no_descriptors) {
        CHECK(getrlimit(RLIMIT_NOFILE, &none) == 0);
        none.rlim_cur = 0;
        CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    }
    CHECK_EQ(lrd__thread_started(reader), 0);
    sweep_for(h->store, GONE_MS + 500);
    CHECK_EQ(stats_of(h->store).reaped_slots, 0);
    CHECK_EQ(stats_of(h->store).slots_used, 3);
    CHECK_OK(lrd_delete(h->store, "key", 3));
    CHECK_OK(lrd_sweep(h->store, NULL));
    for (int i = 0, code = LRD_OK; code == LRD_OK; i++) {
        char key[32];
        snprintf(key, sizeof key, "filler %d", i);
        code = put_value(h->store, key, 50000, 9, LRD_SET, 0);
        CHECK(code == LRD_OK || code == LRD_ENOROOM);
    }
    gate_open(&h->overwritten);
    CHECK_CHILD(wait_child(reader));
}

static void check_nobody_is_taken_for_dead(bool no_descriptors)
{
    hideout *h = shared_memory(sizeof *h);
    h->store = store_new(LRD_PINNED, MIB, 1);
    h->no_descriptors = no_descriptors;
    CHECK_OK(put_value(h->store, "key", 100000, 1, LRD_SET, 0));
    CHECK_CHILD(run_in_child(sweep_blindly, h));
    CHECK_FSCK(h->store);
    lrd_close(h->store);
    if (atomic_load(&h->unable))
        skip_test("may not mount a /proc that hides threads");
}

static void a_living_thread_that_proc_hides_is_not_taken_for_dead(void **state)
{
    (void)state;
    check_nobody_is_taken_for_dead(false);
}

static void a_living_thread_is_not_taken_for_dead_by_one_without_descriptors(void **state)
{
    (void)state;
    check_nobody_is_taken_for_dead(true);
}

/* ---- dead owners ---- */

/* Exit while the kernel does not know this process's list of locks, so that the kernel marks none
 * of these locks as left by a dead owner. The OOM reaper can destroy the list with the same
 * result. */
static _Noreturn void die_unmarked(void)
{
    static struct robust_list_head nothing = {.list = {&nothing.list}};
    syscall(SYS_set_robust_list, &nothing, sizeof nothing);
    _exit(0);
}

static void die_unmarked_at(const char *name, void *arg)
{
    if (strcmp(name, arg) == 0)
        die_unmarked();
}

static void die_in_the_shard(void *store)
{
    failpoint_hook(die_unmarked_at, "lock_taken");
    put_bytes(store, "new", 100);
    _exit(EXIT_CHECK_FAILED);
}

static void die_before_it_is_named(void *store)
{
    lrd_value value;
    get_held(store, "key", &value);
    failpoint_hook(die_unmarked_at, "mutex_taken");
    put_bytes(store, "new", 100);
    _exit(EXIT_CHECK_FAILED);
}

static void die_while_claiming(void *store)
{
    failpoint_hook(die_unmarked_at, "slot_claimed");
    put_bytes(store, "new", 100);
    _exit(EXIT_CHECK_FAILED);
}

static void die_holding(void *store)
{
    lrd_value value;
    get_held(store, "key", &value);
    die_unmarked();
}

/* Put the value until it succeeds, which should take about GONE_MS. */
static void check_writable_again(lrd_store *store)
{
    uint64_t started = real_ms();
    int code;
    while ((code = put_bytes(store, "key", 200)) != LRD_OK && real_ms() - started < GONE_MS + 60000)
        CHECK(code == LRD_EBUSY || code == LRD_ENOSLOT);
    CHECK_CODE(code, LRD_OK);
}

static void a_shard_lock_is_had_again_though_the_kernel_did_not_mark_its_dead_holder(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_bytes(store, "key", 100));
    CHECK_CHILD(run_in_child(die_in_the_shard, store));
    CHECK_CODE(put_bytes(store, "key", 200), LRD_EBUSY);
    check_writable_again(store);
    CHECK_EQ(stats_of(store).recoveries, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Let a child die, and leave it a zombie. A zombie must count as dead, because a container's first
 * process may never wait for its children. */
static void check_a_zombie_is_dead(child_fn die)
{
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    siginfo_t info;
    CHECK_OK(put_bytes(store, "key", 100));
    pid_t zombie = start_child(die, store);
    CHECK_OK(waitid(P_PID, (id_t)zombie, &info, WEXITED | WNOWAIT));
    CHECK_CODE(put_bytes(store, "key", 200), LRD_EBUSY);
    check_writable_again(store);
    sweep_for(store, GONE_MS + 300);
    CHECK_EQ(stats_of(store).recoveries, 1);
    CHECK_EQ(stats_of(store).slots_used, 1);
    CHECK_CHILD(wait_child(zombie));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_shard_lock_is_had_again_though_its_unmarked_holder_is_a_zombie(void **state)
{
    (void)state;
    check_a_zombie_is_dead(die_in_the_shard);
    check_a_zombie_is_dead(die_before_it_is_named);
}

static void
a_shard_lock_is_had_again_though_its_unmarked_holder_died_before_it_was_named(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_bytes(store, "key", 100));
    CHECK_CHILD(run_in_child(die_before_it_is_named, store));
    CHECK(lrd__mutex_owner(&store->gates[0].lock) != 0);
    CHECK_CODE(put_bytes(store, "key", 200), LRD_EBUSY);
    check_writable_again(store);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_shard_lock_is_had_again_after_the_slot_of_its_unmarked_holder_was(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_bytes(store, "key", 100));
    CHECK_CHILD(run_in_child(die_in_the_shard, store));
    for (uint64_t started = real_ms(); real_ms() - started < GONE_MS + 200; sleep_ms(50))
        lrd__slots_bury(store);
    lrd__slots_bury(store);
    CHECK_EQ(stats_of(store).slots_used, 1);
    check_writable_again(store);
    CHECK_EQ(stats_of(store).recoveries, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* A lock's holder has been gone for GONE_MS, so a process takes the lock over. This process dies,
 * too. The time for which it is gone must begin anew: others may take the lock only after another
 * GONE_MS. */
static void the_next_holder_of_a_lock_is_not_dead_as_early_as_the_one_before(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    lrd__gate *gate = store->gates;
    CHECK_OK(put_bytes(store, "key", 100));
    CHECK_CHILD(run_in_child(die_in_the_shard, store));
    uint32_t dead = atomic_load(&gate->lock.word);
    CHECK(!lrd__lease_gone(&gate->lock, &gate->holder));
    CHECK(atomic_load(&gate->holder.gone_since) != 0);
    atomic_fetch_sub(&gate->holder.gone_since, GONE_MS);
    CHECK(lrd__lease_gone(&gate->lock, &gate->holder));
    CHECK(atomic_load(&gate->lock.word) & FUTEX_OWNER_DIED);
    /* Imitate a next holder that died before it stored its name: the gate still names the first
     * holder. */
    atomic_store(&gate->lock.word, dead);
    CHECK(!lrd__lease_gone(&gate->lock, &gate->holder));
    check_writable_again(store);
    CHECK_EQ(stats_of(store).recoveries, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* This thread is reaping a dead owner's slot, so this thread holds the slot's lease. Pretend that
 * the dead owner had the same thread id, but another start time. The core must not take this thread
 * for the dead owner, so the lease must not count as gone. */
static void look_at_the_reaper(const char *name, void *arg)
{
    lrd__slot *slot = arg;
    uint32_t self = (uint32_t)getpid();
    if (strcmp(name, "slot_reaping") != 0 || lrd__mutex_owner(&slot->owner) != self)
        return;
    uint64_t other = lrd__thread_started((int)self) + 1;
    atomic_store(&slot->who.thread, other << LRD__TID_BITS | self);
    CHECK(!lrd__lease_gone(&slot->owner, &slot->who));
}

static void who_reaps_a_slot_is_not_dead_as_early_as_its_owner(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_bytes(store, "key", 100));
    CHECK_CHILD(run_in_child(die_holding, store));
    lrd__slot *slot = lrd__slot_at(store, lrd__threads[store->id]->slot_index + 1);
    CHECK_EQ(atomic_load(&slot->claimed), 1);
    lrd__slots_bury(store);
    CHECK(atomic_load(&slot->who.gone_since) != 0);
    atomic_fetch_sub(&slot->who.gone_since, GONE_MS);
    /* pretend that the kernel marks the lock only now */
    atomic_store(&slot->owner.word, FUTEX_OWNER_DIED);
    failpoint_hook(look_at_the_reaper, slot);
    lrd__slots_notice(store);
    failpoint_hook(NULL, NULL);
    CHECK_EQ(atomic_load(&slot->claimed), 0);
    CHECK_EQ(stats_of(store).slots_used, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void claim_and_hold(void *store)
{
    lrd_value value;
    check_writable_again(store);
    get_held(store, "key", &value);
}

static void slots_can_be_claimed_again_though_the_kernel_did_not_mark_a_dead_claimer(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_bytes(store, "key", 100));
    CHECK_CHILD(run_in_child(die_while_claiming, store));
    CHECK_CHILD(run_in_child(claim_and_hold, store));
    CHECK_OK(put_bytes(store, "key", 300));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void what_an_unmarked_dead_thread_held_comes_back(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_bytes(store, "key", 100000));
    CHECK_CHILD(run_in_child(die_holding, store));
    CHECK_OK(lrd_delete(store, "key", 3));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK(stats_of(store).retired_bytes >= 100000);
    sweep_for(store, GONE_MS + 300);
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_EQ(stats_of(store).slots_used, 1);
    CHECK_EQ(stats_of(store).reaped_slots, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void use_and_die(void *store)
{
    CHECK_OK(put_bytes(store, "key", 100));
    raise(SIGKILL);
}

static void use_and_leave(void *store)
{
    CHECK_OK(put_bytes(store, "key", 100));
    lrd_thread_leave(store);
}

/* After a process has died, its slot is claimed again. Each even round notices the death before
 * this claim, each odd round does not. The death must count once in both cases. */
static void every_death_is_counted_once(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_bytes(store, "key", 100));
    for (uint64_t death = 1; death <= 10; death++) {
        int status = run_in_child(use_and_die, store);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        if (death % 2 == 0)
            CHECK_EQ(stats_of(store).reaped_slots, death);
        CHECK_CHILD(run_in_child(use_and_leave, store));
        CHECK_EQ(stats_of(store).reaped_slots, death);
    }
    CHECK_EQ(stats_of(store).recoveries, 0);
    CHECK_EQ(stats_of(store).slots_used, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- forks ---- */

typedef struct family {
    lrd_store *store;
    gate held, killed;
    lrd_value values[400];
    uint32_t count;
    _Atomic uint64_t held_bytes;
} family;

static family *family_new(lrd_policy policy, uint64_t size)
{
    family *f = shared_memory(sizeof *f);
    f->store = store_new(policy, size, 4);
    return f;
}

static void hold_the_large_one(void *arg)
{
    family *f = arg;
    lrd_value value;
    get_held(f->store, "large", &value);
    gate_open(&f->held);
    for (;;)
        pause();
}

static void sweep_after_the_death(void *arg)
{
    family *f = arg;
    gate_wait(&f->killed);
    CHECK_OK(lrd_delete(f->store, "large", 5));
    CHECK_OK(lrd_sweep(f->store, NULL));
    CHECK_EQ(stats_of(f->store).retired_bytes, 0);
    CHECK_EQ(stats_of(f->store).reaped_slots, 1);
}

static void what_a_dead_child_held_does_not_wait_for_its_idle_parent(void **state)
{
    (void)state;
    family *f = family_new(LRD_VOLATILE, 16 * MIB);
    lrd_value value;
    CHECK_OK(put_bytes(f->store, "small", 1000));
    CHECK_OK(put_bytes(f->store, "large", 1000000));
    pid_t sweeper = start_child(sweep_after_the_death, f);
    get_held(f->store, "small", &value);
    pid_t child = start_child(hold_the_large_one, f);
    gate_wait(&f->held);
    stop_child(child);
    gate_open(&f->killed);
    CHECK_CHILD(wait_child(sweeper));
    CHECK_OK(lrd_release(f->store, &value));
    CHECK_FSCK(f->store);
    lrd_close(f->store);
}

static void leave_at_once(void *store) { lrd_close(store); }

static void forks_do_not_wait_for_children_that_left_the_store_at_once(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, MIB, 0);
    lrd_value value;
    CHECK_OK(put_bytes(store, "key", 1000));
    get_held(store, "key", &value);
    for (uint32_t i = 0; i < LRD__GUARDS + 8; i++) {
        CHECK_CHILD(run_in_child(leave_at_once, store));
        lrd__guards_check(lrd__threads[store->id]); /* the next fork would do this */
        CHECK_EQ(lrd__threads[store->id]->guarded, 0);
    }
    CHECK_OK(lrd_release(store, &value));
    CHECK_EQ(stats_of(store).slots_used, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Release all inherited values except the first, and hold as many others as allowed. */
static void hold_others(void *arg)
{
    enum { OTHERS = 150 };
    family *f = arg;
    lrd_value values[400];
    uint64_t sum = f->values[0].size;
    for (uint32_t i = 1; i < f->count; i++) {
        lrd_value inherited = f->values[i]; /* a copy: all processes share f->values */
        CHECK_OK(lrd_release(f->store, &inherited));
    }
    uint32_t held = hold_many(f->store, "k", 200, 200 + OTHERS, values);
    for (uint32_t i = 0; i < held; i++)
        sum += values[i].size;
    atomic_fetch_add(&f->held_bytes, sum);
    gate_open(&f->held);
    for (;;)
        pause();
}

/* Hold as many values as allowed, and fork six children, which hold others. If `still_held` is
 * false, release all values but one before the forks. All processes together must stay within the
 * bound. */
static void check_bound_through_forks(bool still_held)
{
    enum { CHILDREN = 6 };
    family *f = family_new(LRD_PINNED, 64 * MIB);
    pid_t children[CHILDREN];
    uint64_t size = 64 * MIB, sum = 0;
    put_many(f->store, "k", 400, 100000);
    f->count = hold_many(f->store, "k", 0, 200, f->values);
    CHECK(f->count > 100 && f->count < 200); /* the bound was reached */
    if (!still_held)
        for (; f->count > 1; f->count--)
            CHECK_OK(lrd_release(f->store, &f->values[f->count - 1]));
    for (uint32_t i = 0; i < f->count; i++)
        sum += f->values[i].size;
    for (int i = 0; i < CHILDREN; i++) {
        atomic_store(&f->held, 0);
        children[i] = start_child(hold_others, f);
        gate_wait(&f->held);
    }
    sum += atomic_load(&f->held_bytes);
    CHECK(sum <= size / 2 + size / 100);
    if (!still_held)
        CHECK(stats_of(f->store).held_quota <= size / 2 + size / 100);
    for (int i = 0; i < CHILDREN; i++)
        stop_child(children[i]);
    CHECK_OK(lrd_request_end(f->store));
    CHECK_OK(lrd_sweep(f->store, NULL));
    CHECK(stats_of(f->store).held_quota <= size / LRD__QUOTA_UNITS);
    lrd_close(f->store);
}

static void children_of_a_thread_that_held_a_lot_hold_no_more_than_is_allowed(void **state)
{
    (void)state;
    check_bound_through_forks(false);
}

static void children_that_swap_what_they_inherited_hold_no_more_than_is_allowed(void **state)
{
    (void)state;
    check_bound_through_forks(true);
}

static uint64_t quota_seen(lrd_store *store)
{
    uint16_t word = atomic_load(&store->quotas[lrd__threads[store->id]->slot_index]);
    return (word & LRD__QUOTA_MOST) * (store->geo.size / LRD__QUOTA_UNITS);
}

static void release_singly(void *arg)
{
    family *f = arg;
    for (uint32_t i = 1; i < f->count; i++) {
        lrd_value inherited = f->values[i]; /* a copy: all processes share f->values */
        CHECK_OK(lrd_release(f->store, &inherited));
        CHECK(quota_seen(f->store) >= lrd__threads[f->store->id]->held_bytes);
    }
    CHECK(quota_seen(f->store) <= LRD__QUOTA_SLACK * f->values[0].size + MIB / 2);
}

static void release_together(void *arg)
{
    family *f = arg;
    static lrd_held held[400];
    CHECK_EQ(lrd_holds(f->store, held, 400), f->count);
    held[0].used = true;
    CHECK_EQ(lrd_holds_end(f->store, held, f->count), f->count - 1);
    CHECK(quota_seen(f->store) >= lrd__threads[f->store->id]->held_bytes);
    CHECK(quota_seen(f->store) <= 2 * f->values[0].size + MIB / 2);
}

/* A child inherits many values, and releases most of them. The child must give back the quota of
 * the released values. It may keep only as much unused quota as any other thread. */
static void a_child_gives_back_the_quota_of_what_it_releases(void **state)
{
    (void)state;
    family *f = family_new(LRD_PINNED, 64 * MIB);
    put_many(f->store, "k", 200, 100000);
    f->count = hold_many(f->store, "k", 0, 200, f->values);
    CHECK(f->count > 100 && f->count < 200); /* the bound was reached */
    CHECK_CHILD(run_in_child(release_singly, f));
    CHECK_CHILD(run_in_child(release_together, f));
    CHECK_OK(lrd_request_end(f->store));
    CHECK_FSCK(f->store);
    lrd_close(f->store);
}

static void hold_in_an_old_request(void *arg)
{
    family *f = arg;
    lrd_value values[200];
    CHECK_EQ(hold_many(f->store, "k", 100, 300, values), 0);
    CHECK_OK(lrd_request_end(f->store));
    CHECK_EQ(hold_many(f->store, "k", 200, 300, values), 100);
}

static void a_child_inherits_the_age_of_the_request(void **state)
{
    (void)state;
    /* In a store of this size, one quota unit is larger than all values of this test together. */
    family *f = family_new(LRD_VOLATILE, 256 * MIB);
    put_many(f->store, "k", 300, 100);
    CHECK_OK(lrd_request_begin(f->store));
    CHECK_EQ(hold_many(f->store, "k", 0, 100, f->values), 100);
    for (int i = 99; i > 0; i--)
        CHECK_OK(lrd_release(f->store, &f->values[i]));
    /* pretend that the request is too old to hold more values */
    lrd__threads[f->store->id]->request_until = 1;
    CHECK_CHILD(run_in_child(hold_in_an_old_request, f));
    CHECK_OK(lrd_request_end(f->store));
    CHECK_FSCK(f->store);
    lrd_close(f->store);
}

/* ---- namespaces ---- */

typedef struct outsider {
    lrd_store *store;
    int space; /* the namespace: CLONE_NEWPID or CLONE_NEWTIME */
    bool holding;
    _Atomic bool unable;
} outsider;

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

static void be_refused(lrd_store *store)
{
    lrd_value value;
    uint64_t epoch = atomic_load(&store->header->view.epoch);
    CHECK_CODE(put_bytes(store, "new", 100), LRD_ENOSLOT);
    CHECK_CODE(lrd_get(store, "key", 3, 0, &value), LRD_ENOSLOT);
    CHECK_CODE(lrd_has(store, "key", 3), LRD_ENOSLOT);
    CHECK_CODE(lrd_delete(store, "key", 3), LRD_ENOSLOT);
    CHECK_CODE(lrd_lock(store, "key", 3, 0, 0, NULL), LRD_ENOSLOT);
    CHECK_CODE(lrd_sweep(store, NULL), LRD_ENOSLOT);
    CHECK_EQ(atomic_load(&store->header->view.epoch), epoch);
    lrd_close(store);
}

static void fork_into_another_namespace(void *arg)
{
    outsider *o = arg;
    lrd_value value = {0};
    if (unshare(o->space) != 0) {
        atomic_store(&o->unable, true);
        return;
    }
    if (o->holding)
        get_held(o->store, "key", &value);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        be_refused(o->store);
        _exit(0);
    }
    CHECK_CHILD(wait_child(child));
    if (o->holding)
        CHECK(value_valid(value.data, value.size, "key", 3));
    CHECK_OK(lrd_release(o->store, &value));
    CHECK_OK(put_value(o->store, "key", 1000, 2, LRD_SET, 0));
    CHECK_OK(lrd_sweep(o->store, NULL));
    CHECK_EQ(stats_of(o->store).slots_used, 2);
    CHECK_EQ(stats_of(o->store).retired_bytes, 0);
}

static void check_that_a_child_outside_is_refused(int space)
{
    for (int holding = 0; holding < 2; holding++) {
        outsider *o = shared_memory(sizeof *o);
        o->store = store_new(LRD_VOLATILE, MIB, 1);
        o->space = space;
        o->holding = holding;
        CHECK_OK(put_value(o->store, "key", 1000, 1, LRD_SET, 0));
        CHECK_CHILD(run_in_child(fork_into_another_namespace, o));
        bool unable = atomic_load(&o->unable);
        CHECK_OK(get_checked(o->store, "key", NULL, NULL));
        CHECK_EQ(stats_of(o->store).recoveries, 0);
        CHECK_FSCK(o->store);
        lrd_close(o->store);
        if (unable)
            skip_test("may not make such a namespace");
    }
}

static void a_child_in_another_pid_namespace_is_refused_and_does_no_harm(void **state)
{
    (void)state;
    check_that_a_child_outside_is_refused(CLONE_NEWPID);
}

static void a_child_in_another_time_namespace_is_refused_and_does_no_harm(void **state)
{
    (void)state;
    check_that_a_child_outside_is_refused(CLONE_NEWTIME);
}

/* ---- quotas and ledgers ---- */

static void quota_comes_back_in_whatever_order_values_are_released(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 64 * MIB, 0);
    uint64_t unit = 64 * MIB / LRD__QUOTA_UNITS;
    CHECK_OK(put_bytes(store, "large", MIB));
    CHECK_OK(put_bytes(store, "small", 8));
    for (int order = 0; order < 2; order++) {
        lrd_value values[2];
        get_held(store, "small", &values[0]);
        get_held(store, "large", &values[1]);
        CHECK(stats_of(store).held_quota >= MIB);
        CHECK_OK(lrd_release(store, &values[order]));
        CHECK_OK(lrd_release(store, &values[1 - order]));
        CHECK_EQ(stats_of(store).held_quota, unit);
    }
    lrd_close(store);
}

static void the_entries_left_for_builders_are_left_whatever_was_done_before(void **state)
{
    (void)state;
    enum { HOLDS = LRD_HOLDS_MAX - LRD__RESERVATION_ENTRIES, MORE = 100 };
    static lrd_value values[HOLDS + MORE];
    lrd_reservation reservations[LRD__RESERVATION_ENTRIES];
    lrd_store *store = store_new(LRD_VOLATILE, 128 * MIB, 4);
    put_many(store, "k", HOLDS + MORE, 100);
    CHECK_EQ(hold_many(store, "k", 0, HOLDS, values), HOLDS);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < LRD__RESERVATION_ENTRIES; i++) {
            char key[32];
            snprintf(key, sizeof key, "new %u", i);
            CHECK_OK(lrd_reserve(store, key, strlen(key), 10, 0, &reservations[i]));
        }
        for (uint32_t i = LRD__RESERVATION_ENTRIES; i-- > 0;)
            CHECK_OK(lrd_abort(store, &reservations[i]));
        CHECK_EQ(hold_many(store, "k", HOLDS, HOLDS + MORE, values + HOLDS), 0);
    }
    CHECK_OK(lrd_request_end(store));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- damage ---- */

static void check_damage_is_found(void *store)
{
    int found = lrd_fsck(store, NULL, NULL);
    CHECK(found > 0);
}

static void a_damaged_owner_word_is_found_and_harms_nobody(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    CHECK_OK(put_bytes(store, "key", 100));
    _Atomic uint32_t *owner = &store->owners[store->geo.pages];
    uint32_t sound = atomic_load(owner);
    CHECK(sound != 0);
    for (uint32_t c = LRD__CLASS_RUN + 1; c <= UINT8_MAX; c++) {
        CHECK_EQ(lrd__class_size(c), LRD__UNIT);
        atomic_store(owner, lrd__owner_make(0, c));
        check_context("class %u", c);
        if (c % 50 == 0)
            CHECK_CHILD(run_in_child(check_damage_is_found, store));
    }
    check_context("shard 77");
    atomic_store(owner, lrd__owner_make(77, 0));
    CHECK_CHILD(run_in_child(check_damage_is_found, store));
    check_context("%s", "");
    atomic_store(owner, sound);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- room ---- */

typedef struct chance_meeting {
    lrd_store *store;
    char freed[32], claimer[32]; /* `freed` is a key of shard 0, and `claimer` one of shard 1 */
    pthread_t claiming;
    bool met;
} chance_meeting;

static void *free_pages(void *arg)
{
    chance_meeting *m = arg;
    CHECK_OK(lrd_delete(m->store, m->freed, strlen(m->freed)));
    /* The sweep handles shard 0 only: the claimer has the lock of shard 1. */
    CHECK_CODE(lrd_sweep(m->store, NULL), LRD_EBUSY);
    lrd_thread_leave(m->store);
    return NULL;
}

static void free_pages_meanwhile(const char *name, void *arg)
{
    chance_meeting *m = arg;
    pthread_t freeing;
    if (m->met || strcmp(name, "page_claimed") != 0 || !pthread_equal(pthread_self(), m->claiming))
        return;
    m->met = true;
    CHECK(pthread_create(&freeing, NULL, free_pages, m) == 0);
    CHECK(pthread_join(freeing, NULL) == 0);
}

static void key_of_shard(lrd_store *store, uint32_t shard, char key[32])
{
    for (int i = 0;; i++) {
        snprintf(key, 32, "key %d", i);
        if (lrd__place_of(store, key, strlen(key)).shard_index == shard)
            return;
    }
}

static void a_page_freed_while_a_claimer_raises_the_hint_is_found_again(void **state)
{
    (void)state;
    chance_meeting m = {.store = store_new(LRD_PINNED, MIB, 2), .claiming = pthread_self()};
    uint32_t full = 0;
    key_of_shard(m.store, 0, m.freed);
    key_of_shard(m.store, 1, m.claimer);
    CHECK_OK(put_bytes(m.store, m.freed, 100000)); /* occupies the first two pages */
    CHECK(atomic_load(&m.store->owners[0]) != 0);
    failpoint_hook(free_pages_meanwhile, &m);
    CHECK_OK(put_bytes(m.store, m.claimer, 100));
    failpoint_hook(NULL, NULL);
    CHECK(m.met);
    CHECK_EQ(atomic_load(&m.store->owners[0]), 0);
    for (int i = 0; i < 1000; i++) {
        char key[32];
        snprintf(key, sizeof key, "filler %d", i);
        int code = put_bytes(m.store, key, 4000);
        CHECK(code == LRD_OK || code == LRD_ENOROOM);
        full += code == LRD_ENOROOM;
    }
    CHECK(full > 100);
    for (uint64_t page = 0; page < m.store->geo.pages; page++)
        CHECK(atomic_load(&m.store->owners[page]) != 0);
    CHECK_FSCK(m.store);
    lrd_close(m.store);
}

static void replace_for_ever(void *arg)
{
    for (uint32_t i = (uint32_t)getpid();; i++) {
        char key[32];
        snprintf(key, sizeof key, "k%u", i % 60000);
        put_bytes(arg, key, 900);
    }
}

static int compare_times(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void a_full_pinned_store_refuses_soon_while_others_replace(void **state)
{
    (void)state;
    enum { TRIES = 11 };
    lrd_options options = {
        .policy = LRD_PINNED, .size = 64 * MIB, .shards = 64, .slots = 64, .entries_hint = 200000};
    lrd_store *store;
    uint64_t took[TRIES];
    pid_t writers[2];
    CHECK_OK(lrd_open(&options, &store));
    for (uint32_t i = 0; i < 70000; i++) {
        char key[32];
        snprintf(key, sizeof key, "k%u", i);
        int code = put_bytes(store, key, 900);
        CHECK(code == LRD_OK || code == LRD_ENOROOM);
    }
    for (uint32_t i = 0; i < 4000; i++) {
        char key[32];
        snprintf(key, sizeof key, "k%u", i * 7);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    for (int i = 0; i < 2; i++)
        writers[i] = start_child(replace_for_ever, store);
    sleep_ms(100);
    for (int i = 0; i < TRIES; i++) {
        uint64_t started = real_ms();
        clock_t begun = clock();
        CHECK_CODE(put_bytes(store, "large", MIB), LRD_ENOROOM);
        /* Measure processor time, so that other programs do not matter. */
        took[i] = (uint64_t)(clock() - begun) * 1000 / CLOCKS_PER_SEC;
        CHECK(real_ms() - started < 60000);
        sleep_ms(5);
    }
    for (int i = 0; i < 2; i++)
        stop_child(writers[i]);
    qsort(took, TRIES, sizeof *took, compare_times);
    print_message("refused after %llu ms of CPU time at the median\n",
                  (unsigned long long)took[TRIES / 2]);
    CHECK(took[TRIES / 2] < 50);
    lrd_close(store);
}

typedef struct bustle {
    lrd_store *store;
    char keys[2][32]; /* one key of the first shard, and one of the last */
    pthread_t searching;
    uint32_t locks;
} bustle;

static void *replace_one(void *arg)
{
    bustle *b = arg;
    /* Choose the key of the shard that is not being searched now. */
    const char *key = b->keys[lrd__mutex_owner(&b->store->gates[0].lock) != 0];
    CHECK_OK(put_bytes(b->store, key, 900));
    return NULL;
}

static void replace_meanwhile(const char *name, void *arg)
{
    bustle *b = arg;
    pthread_t other;
    if (strcmp(name, "lock_taken") != 0 || !pthread_equal(pthread_self(), b->searching))
        return;
    if (b->locks++ % 16 != 0)
        return;
    CHECK(pthread_create(&other, NULL, replace_one, b) == 0);
    CHECK(pthread_join(other, NULL) == 0);
}

static void a_search_for_room_ends_though_others_keep_replacing(void **state)
{
    (void)state;
    enum { SHARDS = 64, SIZE = 8 * MIB };
    bustle b = {.store = store_new(LRD_PINNED, SIZE, SHARDS), .searching = pthread_self()};
    for (int i = 0; i < 2; i++) {
        key_of_shard(b.store, i == 0 ? 0 : SHARDS - 1, b.keys[i]);
        CHECK_OK(put_bytes(b.store, b.keys[i], 900));
    }
    for (uint32_t i = 0; i < SIZE / 900; i++) {
        char key[32];
        snprintf(key, sizeof key, "k%u", i);
        int code = put_bytes(b.store, key, 900);
        CHECK(code == LRD_OK || code == LRD_ENOROOM);
    }
    for (int i = 0; i < 2; i++) {
        char key[32];
        for (uint32_t k = 0, gone = 0; gone < 1; k++) {
            snprintf(key, sizeof key, "k%u", k);
            if (lrd__place_of(b.store, key, strlen(key)).shard_index == (i == 0 ? 0 : SHARDS - 1))
                gone += lrd_delete(b.store, key, strlen(key)) == LRD_OK;
        }
    }
    failpoint_hook(replace_meanwhile, &b);
    CHECK_CODE(put_bytes(b.store, "large", MIB), LRD_ENOROOM);
    failpoint_hook(NULL, NULL);
    CHECK(b.locks >= SHARDS);
    CHECK(b.locks < 10 * SHARDS);
    CHECK_FSCK(b.store);
    lrd_close(b.store);
}

/* Fill a pinned store with large values. Then delete them one by one, and put each again. */
static void check_large_values_come_back(uint32_t shards, bool trim)
{
    lrd_store *store = store_new(LRD_PINNED, 4 * MIB, shards);
    static size_t sizes[1000];
    uint64_t chance = 31;
    char key[32];
    int count = 0;
    for (int refused = 0; refused < 100; count++) {
        snprintf(key, sizeof key, "k%d", count);
        sizes[count] = 20000 + random_below(&chance, 180000);
        if (put_bytes(store, key, sizes[count]) == LRD_OK)
            continue;
        sizes[count] = 0;
        refused++;
    }
    for (int round = 0; round < 4 * count; round++) {
        int i = (int)random_below(&chance, (uint64_t)count);
        if (sizes[i] == 0)
            continue;
        snprintf(key, sizeof key, "k%d", i);
        check_context("%u shards, round %d, %zu bytes", shards, round, sizes[i]);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
        CHECK_OK(lrd_sweep(store, NULL));
        for (uint32_t shard = 0; trim && shard < shards; shard++) {
            CHECK_OK(lrd__shard_lock(store, NULL, shard));
            lrd__arena_trim(store, shard);
            lrd__shard_unlock(store, shard);
        }
        CHECK_OK(put_bytes(store, key, sizes[i]));
    }
    check_context("%s", "");
    CHECK_FSCK(store);
    lrd_close(store);
}

static void the_place_of_a_deleted_large_value_is_found_again(void **state)
{
    (void)state;
    for (uint32_t shards = 1; shards <= 4; shards *= 2) {
        check_large_values_come_back(shards, false);
        check_large_values_come_back(shards, true);
    }
}

/* Mini pages come after the zone in memory. A held value in a mini page must not count as near the
 * zone. */
static void nothing_behind_the_zone_is_near_it(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 16 * MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    const lrd__thread *self = lrd__threads[store->id];
    uintptr_t data = (uintptr_t)store->data, zone = lrd__zone_first(store) << LRD__PAGE_BITS;
    uintptr_t size = store->geo.size;
    for (uint64_t bytes = 64; bytes < MIB; bytes *= 2) {
        CHECK(!lrd__zone_near(self, data + zone - bytes - LRD__ZONE_SLACK, bytes));
        CHECK(lrd__zone_near(self, data + zone - bytes + 16, bytes));
        CHECK(lrd__zone_near(self, data + zone, bytes));
        CHECK(lrd__zone_near(self, data + size - bytes, bytes));
        CHECK(lrd__zone_near(self, data + size - bytes, bytes + LRD__ZONE_SLACK));
        CHECK(!lrd__zone_near(self, data + size, bytes));
    }
    lrd_close(store);
}

/* This thread's holds occupy two windows of the zone, which is the maximum. The thread may build a
 * value in a third window, but not hold one there. When it builds nothing any more, the third
 * window must be free again. */
static void building_in_the_zone_gives_no_leave_to_hold_there(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 64u << 20, 0);
    lrd_value value;
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_get(store, "key", 3, 0, &value));
    lrd__thread *self = lrd__threads[store->id];
    uint64_t window[LRD__ZONE_WINDOWS];
    for (uint64_t i = 0; i < LRD__ZONE_WINDOWS; i++)
        window[i] = (lrd__zone_first(store) + i * lrd__zone_pages(store)) << LRD__PAGE_BITS;
    CHECK(lrd__zone_take(self, window[0], 64, false));
    CHECK(lrd__zone_take(self, window[1], 64, false));
    CHECK(!lrd__zone_take(self, window[2], 64, false));
    CHECK(lrd__zone_take(self, window[2], 64, true));
    CHECK(!lrd__zone_take(self, window[2], 64, false));
    CHECK(lrd__zone_take(self, window[1], 64, false));
    CHECK_EQ(atomic_load(&store->quotas[self->slot_index]) >> LRD__QUOTA_BITS, 7);
    CHECK_OK(put_value(store, "other", 100, 1, LRD_SET, 0));
    CHECK_EQ(atomic_load(&store->quotas[self->slot_index]) >> LRD__QUOTA_BITS, 3);
    CHECK_OK(lrd_release(store, &value));
    CHECK_EQ(atomic_load(&store->quotas[self->slot_index]) >> LRD__QUOTA_BITS, 0);
    lrd_close(store);
}

/* A writer finds that the pages of an earlier value of its own are free, and wants to build in them
 * again. Before the writer claims these pages, another shard claims one of them. */
/* number + 1 of the page that the other shard claims; 0 if it claims none */
static uint64_t page_lost;

/* Claim the page for shard 1, in another thread, because a thread may have only one lock of a
 * store. */
static void *take_the_page(void *arg)
{
    lrd_store *store = arg;
    uint32_t page = (uint32_t)page_lost - 1;
    CHECK_EQ(lrd__page_owner(store, page), 0);
    CHECK_OK(lrd__shard_lock(store, NULL, 1));
    CHECK_OK(lrd__pages_claim(store, NULL, 1, page, 1, LRD__CLASS_RUN));
    lrd__shard_unlock(store, 1);
    return NULL;
}

static void lose_a_page(const char *name, void *store)
{
    pthread_t thread;
    if (strcmp(name, "arena_own_seen") != 0 || page_lost == 0)
        return;
    CHECK_EQ(pthread_create(&thread, NULL, take_the_page, store), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    page_lost = 0;
}

static void a_page_that_another_shard_took_meanwhile_is_not_built_in(void **state)
{
    (void)state;
    const size_t size = 200000; /* four pages */
    lrd_store *store = store_new(LRD_VOLATILE, 16 * MIB, 2);
    char key[32];
    key_of_shard(store, 0, key);
    for (int other = 3; other >= 1; other--) {
        lrd_value value;
        CHECK_OK(put_bytes(store, key, size));
        CHECK_OK(lrd_get(store, key, strlen(key), 0, &value));
        uint64_t first = lrd__page_of(store, (value.block - 1) << LRD__GRANULE_BITS);
        CHECK_OK(lrd_release(store, &value));
        CHECK_OK(lrd_delete(store, key, strlen(key)));
        CHECK_OK(lrd_sweep(store, NULL));
        page_lost = first + (uint64_t)other + 1;
        failpoint_hook(lose_a_page, store);
        CHECK_OK(put_bytes(store, key, size));
        failpoint_hook(NULL, NULL);
        CHECK_EQ(page_lost, 0);
        CHECK_FSCK(store);
        CHECK_OK(lrd_sweep(store, NULL));
    }
    lrd_close(store);
}

/* Put values until a page needs memory for its description. The file is closed, so committing this
 * memory fails. */
static void write_without_a_file(void *arg)
{
    lrd_store *store = arg;
    char key[32];
    int rc = put_bytes(store, "child", 2000);
    close(store->fd);
    for (unsigned i = 0; i < 200 && rc == LRD_OK; i++) {
        snprintf(key, sizeof key, "child %u", i);
        rc = put_bytes(store, key, 2000);
    }
    CHECK(rc != LRD_OK && rc != LRD_ENOROOM && rc != LRD_ENOSPC);
}

static void a_page_that_was_not_claimed_is_not_freed(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 64 * MIB, 1);
    char key[32];
    uint32_t high = 0, owned = 0;
    for (unsigned i = 0;; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_bytes(store, key, 2000));
        high = atomic_load(&store->header->pages_high);
        for (; owned < high && lrd__page_owner(store, owned) != 0; owned++)
            continue;
        if (high >= 64 && owned == high && store->pages[high - 1].committed == LRD__PAGE_PARTS)
            break;
    }
    CHECK_CHILD(run_in_child(write_without_a_file, store));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Another thread claims the slot that this thread has just created. */
typedef struct slot_thief {
    lrd_store *store;
    pthread_t thread;
    _Atomic bool has, over;
    bool began;
} slot_thief;

static void *steal_the_slot(void *arg)
{
    slot_thief *thief = arg;
    CHECK_CODE(lrd_has(thief->store, "x", 1), LRD_MISS);
    atomic_store(&thief->has, true);
    while (!atomic_load(&thief->over))
        usleep(100);
    lrd_thread_leave(thief->store);
    return NULL;
}

static void lose_the_slot(const char *name, void *arg)
{
    slot_thief *thief = arg;
    uint32_t high = atomic_load(&thief->store->header->slots_high);
    if (strcmp(name, "slot_high") != 0 || high <= lrd__slots_spare(&thief->store->geo) ||
        thief->began)
        return;
    thief->began = true;
    CHECK_EQ(pthread_create(&thief->thread, NULL, steal_the_slot, thief), 0);
    while (!atomic_load(&thief->has))
        usleep(100);
}

static void who_loses_the_slot_that_it_made_makes_another(void **state)
{
    (void)state;
    lrd_value value;
    slot_thief thief = {.store = store_new(LRD_VOLATILE, 16 * MIB, 1)};
    failpoint_hook(lose_the_slot, &thief);
    int rc = lrd_get(thief.store, "key", 3, 0, &value); /* this thread's first call */
    failpoint_hook(NULL, NULL);
    CHECK(thief.began);
    CHECK_CODE(rc, LRD_MISS);
    CHECK(lrd__threads[thief.store->id]->slot_index >= lrd__slots_spare(&thief.store->geo));
    atomic_store(&thief.over, true);
    CHECK_EQ(pthread_join(thief.thread, NULL), 0);
    CHECK_FSCK(thief.store);
    lrd_close(thief.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_behind_the_zone_is_near_it),
        cmocka_unit_test(building_in_the_zone_gives_no_leave_to_hold_there),
        cmocka_unit_test(a_living_thread_that_proc_hides_is_not_taken_for_dead),
        cmocka_unit_test(a_living_thread_is_not_taken_for_dead_by_one_without_descriptors),
        cmocka_unit_test(a_shard_lock_is_had_again_though_the_kernel_did_not_mark_its_dead_holder),
        cmocka_unit_test(
            a_shard_lock_is_had_again_though_its_unmarked_holder_died_before_it_was_named),
        cmocka_unit_test(a_shard_lock_is_had_again_though_its_unmarked_holder_is_a_zombie),
        cmocka_unit_test(a_shard_lock_is_had_again_after_the_slot_of_its_unmarked_holder_was),
        cmocka_unit_test(the_next_holder_of_a_lock_is_not_dead_as_early_as_the_one_before),
        cmocka_unit_test(who_reaps_a_slot_is_not_dead_as_early_as_its_owner),
        cmocka_unit_test(slots_can_be_claimed_again_though_the_kernel_did_not_mark_a_dead_claimer),
        cmocka_unit_test(what_an_unmarked_dead_thread_held_comes_back),
        cmocka_unit_test(every_death_is_counted_once),
        cmocka_unit_test(what_a_dead_child_held_does_not_wait_for_its_idle_parent),
        cmocka_unit_test(forks_do_not_wait_for_children_that_left_the_store_at_once),
        cmocka_unit_test(children_of_a_thread_that_held_a_lot_hold_no_more_than_is_allowed),
        cmocka_unit_test(children_that_swap_what_they_inherited_hold_no_more_than_is_allowed),
        cmocka_unit_test(a_child_gives_back_the_quota_of_what_it_releases),
        cmocka_unit_test(a_child_inherits_the_age_of_the_request),
        cmocka_unit_test(a_child_in_another_pid_namespace_is_refused_and_does_no_harm),
        cmocka_unit_test(a_child_in_another_time_namespace_is_refused_and_does_no_harm),
        cmocka_unit_test(quota_comes_back_in_whatever_order_values_are_released),
        cmocka_unit_test(the_entries_left_for_builders_are_left_whatever_was_done_before),
        cmocka_unit_test(a_damaged_owner_word_is_found_and_harms_nobody),
        cmocka_unit_test(a_page_freed_while_a_claimer_raises_the_hint_is_found_again),
        cmocka_unit_test(a_full_pinned_store_refuses_soon_while_others_replace),
        cmocka_unit_test(a_search_for_room_ends_though_others_keep_replacing),
        cmocka_unit_test(the_place_of_a_deleted_large_value_is_found_again),
        cmocka_unit_test(a_page_that_another_shard_took_meanwhile_is_not_built_in),
        cmocka_unit_test(a_page_that_was_not_claimed_is_not_freed),
        cmocka_unit_test(who_loses_the_slot_that_it_made_makes_another),
    };
    return cmocka_run_group_tests_name("regression", tests, NULL, NULL);
}
