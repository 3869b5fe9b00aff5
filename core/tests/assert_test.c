/* assert_test.c - calls core functions without the lock or the slot that they need. In builds for
 * tests, an assertion must stop such a function before it changes anything. */
#include "internal.h"
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#define MIB (1u << 20)

enum { THE_LOCK, ANOTHER_LOCK, NO_LOCK, A_LOCK_GIVEN_BACK, TWO_LOCKS };
static lrd_store *store;
static lrd__place place;

static void quiet(void) { CHECK(freopen("/dev/null", "w", stderr) != NULL); }

static void look(void *how)
{
    int lock = *(const int *)how;
    lrd__thread *self = NULL;
    quiet();
    CHECK_OK(lrd__enter(store, &self));
    uint32_t shard = place.shard_index ^ (lock == ANOTHER_LOCK);
    if (lock != NO_LOCK)
        CHECK_OK(lrd__shard_lock(store, self, shard));
    if (lock == A_LOCK_GIVEN_BACK)
        lrd__shard_unlock(store, shard);
    if (lock == TWO_LOCKS)
        CHECK_OK(lrd__shard_lock(store, self, shard ^ 1));
    CHECK(lrd__index_find(store, &place, "key", 3) != LRD__NO_SLOT);
}

static void a_wrong_lock_is_noticed(void **state)
{
    (void)state;
    store = store_new(LRD_VOLATILE, MIB, 2);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    place = lrd__place_of(store, "key", 3);
    int how = THE_LOCK, status = run_in_child(look, &how);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (how = ANOTHER_LOCK; how <= TWO_LOCKS; how++) {
        status = run_in_child(look, &how);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
    lrd_close(store);
}

static void end_anothers(void *arg)
{
    lrd__thread other = *(const lrd__thread *)arg;
    quiet();
    lrd__ledger_clear(&other);
}

static void the_slot_of_another_thread_is_noticed(void **state)
{
    (void)state;
    store = store_new(LRD_VOLATILE, MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    int status = run_in_child(end_anothers, lrd__threads[store->id]);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_lock_is_noticed),
        cmocka_unit_test(the_slot_of_another_thread_is_noticed),
    };
    return cmocka_run_group_tests_name("assert", tests, NULL, NULL);
}
