/* expiry_test.c - tests the timing wheel without a segment, and the clock. The wheel gets the time
 * as a parameter, so years pass in one call. */
#include "support.h"

#include "internal.h"

#include <stdlib.h>

#define SLOTS 1001u /* a multiple of LRD__WAYS */
#define SHARD 1u
#define TICK_MS (1u << LRD__TICK_BITS)
#define MS(tick) ((uint64_t)(tick) << LRD__TICK_BITS)
#define PLENTY 1000000u
#define JUMP_BITS 37u /* 2^37 ms are more than four years */
#define LAST_TICK (UINT32_MAX - 1)

static lrd_store *store;
static lrd__shard *shard;

static int setup(void **state)
{
    uint32_t shards = SHARD + 1, words = shards * SLOTS, buckets = SLOTS / LRD__WAYS;
    (void)state;
    store = zeroed(1, sizeof *store);
    store->expires = true;
    store->geo.shards = shards;
    store->geo.shard_bits = 1;
    store->shards = zeroed(shards, sizeof(lrd__shard));
    store->header = zeroed(1, sizeof(lrd__header));
    atomic_store(&store->header->view.grown, shards * (buckets - LRD__OVERHANG));
    store->timed = zeroed(words, 1);
    memset((void *)store->timed, 1, words);
    store->timers = zeroed(words, sizeof(lrd__timer));
    shard = &store->shards[SHARD];
    lrd__assert_alone(store);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(store->shards);
    free(store->header);
    free((void *)store->timed);
    free(store->timers);
    free(store);
    return 0;
}

static lrd__timer *timer_of(uint32_t slot)
{
    return &store->timers[lrd__slot_number(store, SHARD, slot)];
}

static void set(uint32_t slot, uint32_t tick)
{
    lrd__wheel_set(store, SHARD, slot, tick);
    CHECK_EQ(timer_of(slot)->tick, tick);
    CHECK_EQ(timer_of(slot)->prev != 0, tick != 0);
}

static uint32_t due(uint64_t now_ms)
{
    uint32_t budget = PLENTY;
    uint32_t slot = lrd__wheel_due(store, SHARD, now_ms, &budget);
    if (slot != LRD__NO_SLOT)
        CHECK_EQ(timer_of(slot)->prev, 0);
    return slot;
}

static void check_none(uint64_t now_ms) { CHECK_EQ(due(now_ms), LRD__NO_SLOT); }

static void check_comes_at(uint32_t slot, uint32_t tick)
{
    check_none(MS(tick) - 1);
    CHECK_EQ(due(MS(tick)), slot);
    check_none(MS(tick));
}

/* ---- when a slot is due ---- */

static void the_tick_of_an_expiry_is_the_first_after_it(void **state)
{
    (void)state;
    CHECK_EQ(lrd__tick_of(0), 0);
    for (uint64_t ms = 1; ms < 5 * TICK_MS; ms++) {
        CHECK(MS(lrd__tick_of(ms)) > ms);
        CHECK(MS(lrd__tick_of(ms)) <= ms + TICK_MS);
    }
    CHECK_EQ(lrd__tick_of(UINT64_MAX), LAST_TICK);
}

static void slots_come_at_their_tick_on_every_level(void **state)
{
    (void)state;
    for (uint32_t start = 0; start < 3; start++)
        for (uint32_t bits = 0; bits < 31; bits++)
            for (uint32_t offset = 0; offset < 3; offset++) {
                uint32_t now = start * 0x2abcdefu;
                uint32_t tick = now + (1u << bits) + offset - 1;
                lrd__wheel_reset(store, SHARD, MS(now));
                set(7, tick != 0 ? tick : 1);
                if (tick > now)
                    check_comes_at(7, tick);
            }
}

static void slots_come_in_the_order_of_their_ticks(void **state)
{
    (void)state;
    lrd__wheel_reset(store, SHARD, MS(5));
    uint32_t ticks[] = {90, 6, 70000, 64, 65, 4096, 300000, 128};
    uint32_t order[] = {1, 3, 4, 0, 7, 5, 2, 6};
    for (uint32_t slot = 0; slot < 8; slot++)
        set(slot, ticks[slot]);
    for (uint32_t i = 0; i < 8; i++)
        CHECK_EQ(due(MS(1000000)), order[i]);
    check_none(MS(1000000));
    CHECK_EQ(shard->wheel_count, 0);
}

static void what_is_overdue_when_set_comes_at_once(void **state)
{
    (void)state;
    lrd__wheel_reset(store, SHARD, MS(1000));
    set(1, 999);
    set(2, 1000);
    set(3, 1);
    CHECK_EQ(due(MS(1000)) + due(MS(1000)) + due(MS(1000)), 1 + 2 + 3);
    check_none(MS(1000));
}

static void the_far_future_is_reached_in_rounds(void **state)
{
    (void)state;
    uint32_t far[] = {1u << 30, (1u << 30) + 12345, 3u << 30, LAST_TICK - 1, LAST_TICK};
    for (uint32_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        lrd__wheel_reset(store, SHARD, MS(77));
        set(i, far[i]);
        for (uint32_t year = 0; year < far[i] - (1u << 28); year += 1u << 28)
            check_none(MS(77 + year));
        check_comes_at(i, far[i]);
    }
}

static void times_beyond_the_last_tick_are_the_last_tick(void **state)
{
    (void)state;
    lrd__wheel_reset(store, SHARD, UINT64_MAX);
    set(1, LAST_TICK);
    CHECK_EQ(due(UINT64_MAX), 1);
    check_none(UINT64_MAX);
    lrd__wheel_reset(store, SHARD, MS(77));
    set(1, LAST_TICK);
    set(2, 100);
    uint64_t beyond = MS((uint64_t)UINT32_MAX + 10);
    CHECK_EQ(due(beyond), 2);
    CHECK_EQ(due(beyond), 1);
}

static void a_step_back_of_the_clock_hands_out_nothing(void **state)
{
    (void)state;
    lrd__wheel_reset(store, SHARD, MS(1000));
    set(1, 2000);
    check_none(MS(1999));
    set(2, 1500);
    check_none(MS(1499));
    check_none(MS(1998));
    CHECK_EQ(due(MS(1999)), 2);
    check_comes_at(1, 2000);
}

/* ---- slots set again or removed ---- */

static void a_slot_set_again_comes_at_the_new_tick_only(void **state)
{
    (void)state;
    lrd__wheel_reset(store, SHARD, MS(10));
    set(1, 5000);
    set(1, 500);
    check_comes_at(1, 500);
    set(1, 600);
    set(1, 60000);
    check_comes_at(1, 60000);
    set(1, 60100);
    set(1, 60100);
    CHECK_EQ(shard->wheel_count, 1);
    check_comes_at(1, 60100);
}

static void removed_slots_do_not_come(void **state)
{
    (void)state;
    lrd__wheel_reset(store, SHARD, MS(10));
    for (uint32_t slot = 0; slot < 9; slot++)
        set(slot, slot < 5 ? 100 : 200000);
    uint32_t gone[] = {4, 2, 0, 8, 7, 7, 50};
    for (uint32_t i = 0; i < 7; i++)
        set(gone[i], 0);
    CHECK_EQ(shard->wheel_count, 4);
    CHECK_EQ(due(MS(100)) + due(MS(100)), 1 + 3);
    check_none(MS(199999));
    CHECK_EQ(due(MS(200000)) + due(MS(200000)), 5 + 6);
    check_none(MS(200000));
}

static void slots_can_be_removed_while_their_list_moves_down(void **state)
{
    (void)state;
    lrd__wheel_reset(store, SHARD, MS(1));
    for (uint32_t slot = 0; slot < 100; slot++)
        set(slot, 4096 + slot % 2);
    uint32_t budget = 50;
    CHECK_EQ(lrd__wheel_due(store, SHARD, MS(4096), &budget), LRD__NO_SLOT);
    CHECK_EQ(budget, 0);
    for (uint32_t slot = 0; slot < 100; slot += 4)
        set(slot, 0);
    for (uint32_t slot = 1; slot < 100; slot += 4)
        set(slot, 4096 + 2);
    for (uint32_t i = 0; i < 25; i++)
        CHECK_EQ(due(MS(4096)) % 4, 2);
    check_none(MS(4096));
    for (uint32_t i = 0; i < 25; i++)
        CHECK_EQ(due(MS(4097)) % 4, 3);
    check_none(MS(4097));
    for (uint32_t i = 0; i < 25; i++)
        CHECK_EQ(due(MS(4098)) % 4, 1);
    CHECK_EQ(shard->wheel_count, 0);
}

static void reset_keeps_ticks_and_other_shards(void **state)
{
    (void)state;
    lrd__wheel_reset(store, SHARD, MS(10));
    set(1, 100);
    set(2, 100000);
    lrd__timer *other = &store->timers[lrd__slot_number(store, 0, 2)];
    other->prev = 5;
    lrd__wheel_reset(store, SHARD, MS(20));
    CHECK_EQ(shard->wheel_count, 0);
    CHECK_EQ(timer_of(2)->tick, 100000);
    CHECK_EQ(timer_of(2)->prev, 0);
    CHECK_EQ(other->prev, 5);
    check_none(MS(1000000));
    lrd__wheel_reset(store, SHARD, MS(30));
    set(2, timer_of(2)->tick);
    check_comes_at(2, 100000);
}

/* ---- number of steps ---- */

static void idle_time_costs_no_steps(void **state)
{
    (void)state;
    uint32_t day = 24 * 3600 * 1000 / TICK_MS;
    lrd__wheel_reset(store, SHARD, MS(12345));
    check_none(MS(12345 + 100 * day));
    CHECK_EQ(shard->wheel_tick, 12345 + 100 * day);
    set(1, 12345 + 130 * day);
    uint32_t budget = 20;
    CHECK_EQ(lrd__wheel_due(store, SHARD, MS(12345 + 129 * day), &budget), LRD__NO_SLOT);
    CHECK_EQ(lrd__wheel_due(store, SHARD, MS(12345 + 131 * day), &budget), 1);
    CHECK(budget > 0);
    /* LAST_TICK is four times as far away as the wheel reaches. */
    lrd__wheel_reset(store, SHARD, 0);
    set(1, LAST_TICK);
    budget = 20;
    CHECK_EQ(lrd__wheel_due(store, SHARD, MS(LAST_TICK), &budget), 1);
    CHECK(budget > 0);
}

static void a_small_budget_gets_everything_out_in_the_end(void **state)
{
    (void)state;
    uint64_t random = test_seed(2);
    uint32_t came = 0, calls = 0, limit = 1u << 22;
    lrd__wheel_reset(store, SHARD, MS(1));
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        set(slot, 1 + (uint32_t)random_below(&random, limit));
    while (came < SLOTS) {
        uint32_t budget = 2;
        if (lrd__wheel_due(store, SHARD, MS(limit), &budget) != LRD__NO_SLOT) {
            CHECK(budget < 2);
            came++;
        }
        CHECK(budget <= 2);
        calls++;
    }
    /* A slot needs at most ten steps: it moves down at most four levels before it expires, and the
     * wheel jumps over empty time. Each call makes two steps. */
    CHECK(calls <= SLOTS * 5);
    uint32_t none = 0;
    CHECK_EQ(lrd__wheel_due(store, SHARD, MS(limit), &none), LRD__NO_SLOT);
}

/* ---- a naive model ---- */

static struct {
    uint32_t tick[SLOTS]; /* 0: not in the wheel */
    uint32_t count;
    uint64_t now_ms;
    uint64_t came;
} model;

static void model_set(uint32_t slot, uint32_t tick)
{
    set(slot, tick);
    model.count += (tick != 0) - (model.tick[slot] != 0);
    model.tick[slot] = tick;
}

static uint32_t model_first(void)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (model.tick[slot] != 0 && model.tick[slot] < first)
            first = model.tick[slot];
    return first;
}

/* Advance the time, and take out due slots. If the budget is not used up, no due slot may be
 * left. */
static void model_advance(uint64_t ms, uint32_t budget)
{
    model.now_ms += ms;
    uint32_t now = (uint32_t)(model.now_ms >> LRD__TICK_BITS), slot;
    while ((slot = lrd__wheel_due(store, SHARD, model.now_ms, &budget)) != LRD__NO_SLOT) {
        CHECK(model.tick[slot] != 0 && model.tick[slot] <= now);
        model.tick[slot] = 0;
        model.count--;
        model.came++;
    }
    CHECK_EQ(shard->wheel_count, model.count);
    if (budget > 0)
        CHECK(model_first() > now);
}

static void model_step(uint64_t *random)
{
    uint32_t slot = (uint32_t)random_below(random, SLOTS);
    uint64_t dice = random_below(random, 1000);
    uint64_t scale = (uint64_t)1 << random_below(random, dice % 8 == 0 ? JUMP_BITS : 22);

    if (dice < 850)
        model_set(slot, lrd__tick_of(model.now_ms + 1 + random_below(random, scale)));
    else if (dice < 930)
        model_set(slot, 0);
    else if (dice < 960)
        model_advance(random_below(random, scale), (uint32_t)random_below(random, 100));
    else
        model_advance(random_below(random, 3000), PLENTY);
    if (model.now_ms > MS(LAST_TICK) - ((uint64_t)1 << JUMP_BITS)) {
        memset(&model.tick, 0, sizeof model.tick);
        model.count = 0;
        model.now_ms = random_below(random, 1 << 20);
        lrd__wheel_reset(store, SHARD, model.now_ms);
    }
}

static void agrees_with_a_naive_model(void **state)
{
    (void)state;
    uint64_t random = test_seed(3);
    memset(&model, 0, sizeof model);
    lrd__wheel_reset(store, SHARD, model.now_ms = 4711);
    for (uint32_t i = 0; i < 1000000; i++)
        model_step(&random);
    CHECK(model.came > 100000);
    while (model.count > 0)
        model_advance(MS(1u << 24), PLENTY);
}

/* ---- the clock ---- */

static uint64_t boot_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void the_given_clock_is_used_and_never_zero(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    store->clock_ms = clock_read;
    store->clock_arg = clock;
    atomic_store(clock, 123456);
    CHECK_EQ(lrd__now(store), 123456);
    atomic_store(clock, 0);
    CHECK_EQ(lrd__now(store), 1);
    lrd__clock_refresh(store);
    CHECK_EQ(atomic_load(&store->header->clock_offset), 0);
}

static void what_never_expires_leaves_an_empty_wheel_as_it_is(void **state)
{
    (void)state;
    test_clock *clock = clock_new();
    lrd_store *timed = store_with_clock(LRD_VOLATILE, 1u << 20, 1, clock);
    const uint32_t *now = &timed->shards->wheel_tick;
    CHECK_OK(put_value(timed, "key", 100, 1, LRD_SET, 1000));
    CHECK_OK(lrd_delete(timed, "key", 3));
    CHECK_EQ(timed->shards->wheel_count, 0);
    uint32_t before = *now;
    *clock += 1000000;
    CHECK_OK(put_value(timed, "key", 100, 2, LRD_SET, 0));
    CHECK_EQ(*now, before);
    CHECK_OK(put_value(timed, "key", 100, 3, LRD_SET, 1000));
    CHECK_EQ(*now, *clock >> LRD__TICK_BITS);
    lrd_close(timed);
}

static void the_clock_is_boot_time(void **state)
{
    (void)state;
    lrd__clock_refresh(store);
    uint64_t before = boot_ms(), now = lrd__now(store), after = boot_ms();
    CHECK(now <= after + 1);
    CHECK(now + 50 >= before);
}

static void the_clock_never_goes_back(void **state)
{
    (void)state;
    lrd__clock_refresh(store);
    uint64_t offset = atomic_load(&store->header->clock_offset), before = lrd__now(store);
    for (uint32_t i = 0; i < 100000; i++) {
        lrd__clock_refresh(store);
        uint64_t now = lrd__now(store);
        CHECK(now >= before);
        before = now;
    }
    CHECK(atomic_load(&store->header->clock_offset) <= offset + 1);
    /* Pretend that another process has noticed a suspend of 5 s, which this process must not
     * undo. */
    atomic_store(&store->header->clock_offset, offset + 5000);
    lrd__clock_refresh(store);
    CHECK_EQ(atomic_load(&store->header->clock_offset), offset + 5000);
}

/* Pretend that the machine slept for 100 s. A process notices a suspend when it writes or begins a
 * request, and until then finds the expired entry. */
static void a_request_knows_of_a_suspend(void **state)
{
    (void)state;
    lrd_store *slept = store_new(LRD_VOLATILE, 2u << 20, 1);
    lrd_value value;
    CHECK_OK(put_value(slept, "key", 100, 1, LRD_SET, 100000));
    CHECK_OK(lrd_get(slept, "key", 3, 0, &value));
    lrd__block *block = lrd__block_window(slept, (value.block - 1) << LRD__GRANULE_BITS);
    atomic_fetch_sub(&block->expiry, 160000);
    atomic_fetch_sub(&slept->header->clock_offset, 100000);
    CHECK_OK(lrd_release(slept, &value));
    CHECK_OK(get_checked(slept, "key", NULL, NULL));
    CHECK_OK(lrd_request_begin(slept));
    CHECK_CODE(get_checked(slept, "key", NULL, NULL), LRD_MISS);
    CHECK_OK(lrd_request_end(slept));
    /* A later request notices a suspend only after a tick of the coarse clock. */
    uint64_t offset = atomic_load(&slept->header->clock_offset), at = lrd__clock_coarse();
    atomic_fetch_sub(&slept->header->clock_offset, 100000);
    while (lrd__clock_coarse() == at)
        ;
    CHECK_OK(lrd_request_begin(slept));
    CHECK(atomic_load(&slept->header->clock_offset) - offset + 10 < 20);
    CHECK_OK(lrd_request_end(slept));
    lrd_close(slept);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_tick_of_an_expiry_is_the_first_after_it),
        TEST(slots_come_at_their_tick_on_every_level),
        TEST(slots_come_in_the_order_of_their_ticks),
        TEST(what_is_overdue_when_set_comes_at_once),
        TEST(the_far_future_is_reached_in_rounds),
        TEST(times_beyond_the_last_tick_are_the_last_tick),
        TEST(a_step_back_of_the_clock_hands_out_nothing),
        TEST(a_slot_set_again_comes_at_the_new_tick_only),
        TEST(removed_slots_do_not_come),
        TEST(slots_can_be_removed_while_their_list_moves_down),
        TEST(reset_keeps_ticks_and_other_shards),
        TEST(idle_time_costs_no_steps),
        TEST(a_small_budget_gets_everything_out_in_the_end),
        TEST(agrees_with_a_naive_model),
        TEST(the_given_clock_is_used_and_never_zero),
        TEST(the_clock_is_boot_time),
        TEST(the_clock_never_goes_back),
        cmocka_unit_test(a_request_knows_of_a_suspend),
        cmocka_unit_test(what_never_expires_leaves_an_empty_wheel_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
