/* evict_test.c - tests eviction (S3-FIFO) without a segment or blocks. An entry is an index word
 * and a place in a queue. The word names a page, whose class is the entry's size. */
#include "support.h"

#include "internal.h"

#include <stdlib.h>

#define BUCKETS 30u
#define SLOTS (BUCKETS * LRD__WAYS)
#define GHOST_SETS 64u
#define PAGES LRD__CLASSES /* one of each class */
#define SHARD 1u
#define CHANCES 1024u /* number of warm entries that a search may pass over */

static lrd_store *store;
static lrd__shard *shard;

/* ---- a store of arrays ---- */

static void store_make(uint32_t buckets)
{
    uint32_t shards = SHARD + 1;
    store = zeroed(1, sizeof *store);
    uint64_t words = (uint64_t)shards * buckets * LRD__WAYS;
    store->evicts = true;
    store->geo.shards = shards;
    store->geo.shard_bits = 1;
    store->buckets_first = 2 * (buckets - LRD__OVERHANG);
    store->header = zeroed(1, sizeof *store->header);
    atomic_store(&store->header->view.grown, 2 * (buckets - LRD__OVERHANG));
    store->geo.ghost_sets = GHOST_SETS;
    store->geo.pages = PAGES;
    store->geo.size = (uint64_t)PAGES << LRD__PAGE_BITS;
    atomic_store(&store->header->pages_high, PAGES);
    store->shards = zeroed(shards, sizeof(lrd__shard));
    store->buckets = zeroed((size_t)shards * buckets, sizeof(lrd__bucket));
    store->links = zeroed(words, sizeof(uint32_t));
    store->ghost = zeroed((size_t)shards * GHOST_SETS * LRD__GHOST_WAYS, sizeof(uint32_t));
    store->owners = zeroed(PAGES, sizeof *store->owners);
    for (uint32_t page = 0; page < PAGES; page++)
        atomic_store(&store->owners[page], LRD__OWNED | SHARD << 8 | page);
    /* evict.c prefetches blocks, but reads none */
    store->window = zeroed(PAGES, LRD__PAGE);
    store->pages = zeroed(PAGES, sizeof *store->pages);
    store->bits = zeroed(PAGES, sizeof *store->bits);
    store->run_len = zeroed(PAGES * LRD__PAGE_UNITS, sizeof *store->run_len);
    store->geo.pages_all = PAGES;
    shard = &store->shards[SHARD];
    shard->ghost_sets = GHOST_SETS;
    lrd__assert_alone(store);
}

static int setup(void **state)
{
    (void)state;
    store_make(BUCKETS);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(store->shards);
    free(store->buckets);
    free(store->header);
    free(store->links);
    free(store->ghost);
    free(store->owners);
    free(store->window);
    free(store->pages);
    free(store->bits);
    free(store->run_len);
    free(store);
    return 0;
}

/* ---- what the callers of evict.c do ---- */

static uint32_t *link_of(uint32_t slot)
{
    return &store->links[lrd__slot_number(store, SHARD, slot)];
}
static uint32_t flags_of(uint32_t slot) { return *link_of(slot) & ~LRD__LINK; }

static void set_freq(uint32_t slot, uint8_t freq)
{
    atomic_store(lrd__index_freq(store, SHARD, slot), freq);
}

static uint8_t freq_of(uint32_t slot) { return atomic_load(lrd__index_freq(store, SHARD, slot)); }

static bool has_word(uint32_t slot)
{
    return atomic_load(lrd__index_word(store, SHARD, slot)) != 0;
}

static void store_word(uint32_t slot, uint32_t size_class)
{
    atomic_store(lrd__index_word(store, SHARD, slot),
                 lrd__word_make(1, 0, (uint64_t)size_class << LRD__PAGE_BITS));
}

static void insert(uint32_t slot, uint32_t key, uint32_t size_class)
{
    store_word(slot, size_class);
    atomic_fetch_add(&shard->live_entries, 1);
    lrd__evict_inserted(store, SHARD, slot, key, lrd__class_size(size_class));
}

static void erase(uint32_t slot, uint32_t size_class)
{
    lrd__evict_removed(store, SHARD, slot, lrd__class_size(size_class));
    atomic_store(lrd__index_word(store, SHARD, slot), 0);
    atomic_fetch_sub(&shard->live_entries, 1);
}

static uint32_t choose(uint32_t order, bool *from_small)
{
    uint32_t chances = CHANCES;
    return lrd__evict_choose(store, SHARD, order, &chances, from_small);
}

/* Choose a victim and remove it from the index. Returns its slot. */
static uint32_t evict(bool *from_small)
{
    uint32_t slot = choose(0, from_small);
    if (slot == LRD__NO_SLOT)
        return slot;
    CHECK(has_word(slot));
    CHECK_EQ(flags_of(slot), 0);
    erase(slot, 0);
    return slot;
}

static void check_evicts(uint32_t slot, bool from_small)
{
    bool small;
    CHECK_EQ(evict(&small), slot);
    CHECK_EQ(small, from_small);
}

static void check_empty(void)
{
    bool small;
    CHECK_EQ(choose(0, &small), LRD__NO_SLOT);
    for (uint32_t i = 0; i < LRD__ORDERS; i++) {
        const lrd__order *o = shard->orders + i;
        CHECK_EQ(o->small_bytes, 0);
        CHECK_EQ(o->main_bytes, 0);
        CHECK_EQ(o->main_count, 0);
        CHECK_EQ(o->count, 0);
        CHECK_EQ(o->small.head | o->small.tail | o->main.head | o->main.tail, 0);
        CHECK_EQ(lrd__evict_age(store, SHARD, i), 0);
    }
}

/* Put n unused entries into the main queue. Their keys were evicted before, so they skip the small
 * queue. */
static void fill_main(uint32_t n)
{
    for (uint32_t slot = 0; slot < n; slot++) {
        lrd__evict_remember(store, SHARD, slot << 20 | slot);
        atomic_store(&shard->live_entries, n);
        insert(slot, slot << 20 | slot, 0);
        CHECK_EQ(flags_of(slot), LRD__IN_MAIN);
    }
    atomic_store(&shard->live_entries, n);
    CHECK_EQ(shard->orders[0].main_count, n);
}

/* ---- order of evictions ---- */

static void cold_entries_leave_in_the_order_they_came(void **state)
{
    (void)state;
    for (uint32_t slot = 50; slot-- > 0;)
        insert(slot, slot, 0);
    CHECK_EQ(shard->orders[0].small_bytes, 50 * lrd__class_size(0));
    for (uint32_t slot = 50; slot-- > 0;)
        check_evicts(slot, true);
    check_empty();
}

static void two_hits_move_an_entry_to_main(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot < 6; slot++)
        insert(slot, slot, 0);
    set_freq(0, 2);
    set_freq(1, 1);
    set_freq(3, 3);
    check_evicts(1, true);
    CHECK_EQ(flags_of(0), LRD__IN_MAIN);
    CHECK_EQ(freq_of(0), 1);
    check_evicts(2, true);
    check_evicts(4, true);
    CHECK_EQ(flags_of(3), LRD__IN_MAIN);
    CHECK_EQ(freq_of(3), 0);
    CHECK_EQ(shard->orders[0].main_count, 2);
    check_evicts(5, true);
    check_evicts(3, false);
    check_evicts(0, false);
    check_empty();
}

static void a_hit_in_main_is_one_more_round(void **state)
{
    (void)state;
    fill_main(4);
    set_freq(0, 1);
    set_freq(1, 3);
    check_evicts(2, false);
    check_evicts(3, false);
    CHECK_EQ(freq_of(0), 0);
    CHECK_EQ(freq_of(1), 2);
    check_evicts(0, false);
    check_evicts(1, false);
    check_empty();
}

static void frequencies_above_the_maximum_count_as_the_maximum(void **state)
{
    (void)state;
    fill_main(2);
    set_freq(0, 255);
    set_freq(1, LRD__FREQ_MAX);
    check_evicts(0, false);
    CHECK_EQ(freq_of(1), 0);
}

static void small_gives_only_what_is_above_a_tenth(void **state)
{
    (void)state;
    fill_main(90);
    for (uint32_t slot = 90; slot < 102; slot++)
        insert(slot, slot, 0);
    /* The small queue gives entries while it has more than a tenth of all entries: 12 of 102, and
     * 11 of 101. With 10 of 100, the main queue must give an entry. */
    check_evicts(90, true);
    check_evicts(91, true);
    check_evicts(0, false);
    check_evicts(92, true);
    check_evicts(1, false);
}

static void insert_run(uint32_t slot, uint32_t page, uint64_t units)
{
    atomic_store(&store->owners[page], lrd__owner_make(SHARD, LRD__CLASS_RUN));
    lrd__run_mark(store, (uint64_t)page * LRD__PAGE_UNITS, units);
    atomic_store(lrd__index_word(store, SHARD, slot),
                 lrd__word_make(1, 0, (uint64_t)page << LRD__PAGE_BITS));
    atomic_fetch_add(&shard->live_entries, 1);
    lrd__evict_inserted(store, SHARD, slot, slot, units << LRD__UNIT_BITS);
}

static void small_is_a_tenth_of_bytes_not_of_entries(void **state)
{
    (void)state;
    bool small;
    uint32_t order = lrd__order_of(32 * LRD__UNIT);
    for (uint32_t slot = 0; slot < 9; slot++)
        lrd__evict_remember(store, SHARD, slot);
    atomic_store(&shard->live_entries, 100);
    for (uint32_t slot = 0; slot < 9; slot++)
        insert_run(slot, slot, 20);
    insert_run(9, 9, 18);
    CHECK_EQ(shard->orders[order].main_count, 9);
    /* The small queue may have a tenth of the bytes. With one run, it has 18 of 198 units:
     * less than a tenth. With two runs, it has 50 of 230 units: more than a tenth. */
    CHECK_EQ(lrd__evict_next(store, SHARD, order), 0);
    insert_run(10, 10, 32);
    CHECK_EQ(shard->orders[order].small_bytes, 50 * LRD__UNIT);
    CHECK_EQ(choose(order, &small), 9);
    CHECK(small);
}

static void each_size_class_has_an_order_and_runs_have_one_for_each_doubling(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < LRD__CLASSES; c++) {
        CHECK_EQ(lrd__order_of(lrd__class_size(c)), c);
        insert(c, c, c);
        CHECK_EQ(shard->orders[c].count, 1);
        CHECK_EQ(shard->orders[c].small_bytes, lrd__class_size(c));
    }
    uint32_t order = LRD__CLASSES;
    for (uint64_t bytes = 32u << 10; bytes <= 8u << 20; bytes *= 2, order++) {
        CHECK_EQ(lrd__order_of(bytes / 2 + LRD__UNIT), order);
        CHECK_EQ(lrd__order_of(bytes), order);
    }
    CHECK_EQ(order, LRD__ORDERS - 1);
    CHECK_EQ(lrd__order_of(9u << 20), order);
    CHECK_EQ(lrd__order_of(1ull << 35), order);
}

/* The store computes the age of the entry at a queue's head from the number of later insertions.
 * This is nearly right if insertions come at an even pace. */
static void the_age_of_what_goes_next_is_known(void **state)
{
    (void)state;
    bool small;
    uint32_t other = 100, came[64];
    CHECK_EQ(lrd__evict_age(store, SHARD, 0), 0);
    for (uint32_t i = 0; i < 2000; i++) {
        insert(i % 64, i, 0);
        came[i % 64] = i * 2;
        insert(other, other, 3);
        erase(other, 3);
        uint32_t age = lrd__evict_age(store, SHARD, 0), head = i < 63 ? 0 : (i + 1) % 64;
        uint32_t is = 2 * i + 2 - came[head];
        if (age + 10 < is || age > is + 10)
            check_failed(__FILE__, __LINE__, "after %u: age %u is %u", i, is, age);
        if (i >= 63) {
            CHECK_EQ(choose(0, &small), head);
            erase(head, 0);
        }
    }
}

static void looking_at_the_next_victim_leaves_it_queued(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot < 4; slot++)
        insert(slot, slot, 0);
    set_freq(1, 2);
    erase(0, 0);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(lrd__evict_next(store, SHARD, 0), 1);
    CHECK_EQ(freq_of(1), 2);
    CHECK_EQ(flags_of(1), LRD__IN_SMALL);
    CHECK_EQ(flags_of(0), 0);
    CHECK_EQ(shard->orders[0].count, 3);
    CHECK(lrd__evict_spares_next(store, SHARD, 0));
    CHECK_EQ(flags_of(1), LRD__IN_MAIN);
    CHECK(!lrd__evict_spares_next(store, SHARD, 0));
    check_evicts(2, true);
    check_evicts(3, true);
    CHECK_EQ(lrd__evict_next(store, SHARD, 0), 1);
    check_evicts(1, false);
    CHECK_EQ(lrd__evict_next(store, SHARD, 0), LRD__NO_SLOT);
    check_empty();
}

/* An order is a range of sizes, and here has only one entry. The entry is warm, so a search spares
 * it and moves it to the end of its queue. The age of the order must then begin again. */
static void a_chance_makes_an_order_young(void **state)
{
    (void)state;
    insert(0, 0, 0);
    for (uint32_t i = 0; i < 100; i++) {
        insert(100, 100, 3);
        erase(100, 3);
    }
    CHECK_EQ(lrd__evict_age(store, SHARD, 0), 101);
    set_freq(0, LRD__FREQ_MAX);
    CHECK(lrd__evict_spares_next(store, SHARD, 0));
    CHECK_EQ(lrd__evict_age(store, SHARD, 0), 1);
}

static void what_has_another_size_moves_to_its_own_order(void **state)
{
    (void)state;
    bool small;
    for (uint32_t slot = 0; slot < 3; slot++)
        insert(slot, slot, 0);
    store_word(0, 5);
    lrd__evict_resized(store, SHARD, 0, lrd__class_size(0), lrd__class_size(5));
    CHECK_EQ(shard->orders[0].count, 2);
    CHECK_EQ(shard->orders[5].count, 1);
    CHECK_EQ(choose(5, &small), 0);
    CHECK(small);
    erase(0, 5);
    check_evicts(1, true);
    check_evicts(2, true);
    check_empty();
}

/* Reuse a queued slot often enough for the sweep to visit all queues. */
static void sweep_all(uint32_t slot)
{
    for (uint32_t i = 0; i < SLOTS + 2 * LRD__ORDERS; i++) {
        erase(slot, 1);
        insert(slot, slot, 1);
    }
}

static void the_sweep_frees_slots_without_entries_and_moves_the_others(void **state)
{
    (void)state;
    enum { ENTRIES = 100 };
    bool small;
    insert(ENTRIES, ENTRIES, 1);
    for (uint32_t slot = 0; slot < ENTRIES; slot++)
        insert(slot, slot, 0);
    for (uint32_t slot = 0; slot < ENTRIES; slot++)
        if (slot % 3 == 0)
            erase(slot, 0);
    store_word(50, 5);
    lrd__evict_resized(store, SHARD, 50, lrd__class_size(0), lrd__class_size(5));
    sweep_all(ENTRIES);
    for (uint32_t slot = 0; slot < ENTRIES; slot++)
        CHECK_EQ(flags_of(slot), slot % 3 == 0 ? 0 : LRD__IN_SMALL);
    CHECK_EQ(shard->orders[0].small.in - shard->orders[0].small.out, ENTRIES - 34 - 1);
    CHECK_EQ(choose(5, &small), 50);
    for (uint32_t slot = 0; slot < ENTRIES; slot++)
        if (slot % 3 != 0 && slot != 50)
            check_evicts(slot, true);
    CHECK_EQ(choose(0, &small), LRD__NO_SLOT);
}

static void the_sweep_begins_again_if_its_place_is_gone(void **state)
{
    (void)state;
    bool small;
    for (uint32_t slot = 0; slot < 20; slot++)
        insert(slot, slot, 0);
    erase(19, 0);
    CHECK_EQ(shard->swept, 2);
    check_evicts(0, true);
    CHECK_EQ(shard->swept, 2);
    check_evicts(1, true);
    CHECK_EQ(shard->swept, 0);
    erase(18, 0);
    CHECK_EQ(shard->swept, 4);
    CHECK_EQ(shard->passed, 4);
    for (uint32_t slot = 2; slot < 18; slot++)
        check_evicts(slot, true);
    CHECK_EQ(choose(0, &small), LRD__NO_SLOT);
}

static void ages_stay_right_while_slots_leave_the_middle_of_a_queue(void **state)
{
    (void)state;
    insert(100, 100, 1);
    for (uint32_t slot = 0; slot < 100; slot++)
        insert(slot, slot, 0);
    for (uint32_t slot = 1; slot < 100; slot += 2)
        erase(slot, 0);
    uint32_t clock = shard->clock;
    sweep_all(100);
    shard->clock = clock; /* the insertions of sweep_all() must not age the entries */
    for (uint32_t slot = 0; slot < 100; slot += 2) {
        uint32_t age = lrd__evict_age(store, SHARD, 0), is = clock - (slot + 2) + 1;
        CHECK(age + 3 > is && age < is + 3);
        check_evicts(slot, true);
    }
}

static void a_hot_queue_yields_a_victim_in_bounded_time(void **state)
{
    bool small;
    uint32_t slots, spent = 0;
    teardown(state);
    store_make(2000);
    slots = lrd__shard_slots(store);
    for (uint32_t slot = 0; slot < slots; slot++) {
        store_word(slot, 0);
        set_freq(slot, LRD__FREQ_MAX);
    }
    for (uint32_t bucket = slots / LRD__WAYS; bucket-- > 0;)
        lrd__evict_recover(store, SHARD, bucket, (1u << LRD__WAYS) - 1);
    CHECK(choose(0, &small) != LRD__NO_SLOT);
    for (uint32_t slot = 0; slot < slots; slot++)
        spent += LRD__FREQ_MAX - freq_of(slot);
    CHECK_EQ(spent, CHANCES);
}

static void links_in_a_ring_do_not_hang(void **state)
{
    bool small;
    (void)state;
    for (uint32_t slot = 0; slot < 10; slot++)
        insert(slot, slot, 0);
    for (uint32_t slot = 0; slot < 10; slot++)
        erase(slot, 0);
    *link_of(9) |= 1;
    CHECK_EQ(choose(0, &small), LRD__NO_SLOT);
}

/* ---- evicted keys ---- */

static void what_comes_back_soon_goes_to_main(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot < 20; slot++)
        insert(slot, 1000 + slot, 0);
    check_evicts(0, true);
    lrd__evict_remember(store, SHARD, 1000);
    insert(0, 1000, 0);
    CHECK_EQ(flags_of(0), LRD__IN_MAIN);
    CHECK_EQ(atomic_load(&shard->ghost_hits), 1);

    check_evicts(1, true);
    lrd__evict_remember(store, SHARD, 1001);
    insert(1, 77, 0);
    CHECK_EQ(flags_of(1), LRD__IN_SMALL);
    CHECK_EQ(atomic_load(&shard->ghost_hits), 1);
}

static void the_ghost_forgets_what_it_gave_back(void **state)
{
    (void)state;
    fill_main(10);
    lrd__evict_remember(store, SHARD, 5);
    insert(20, 5, 0);
    CHECK_EQ(flags_of(20), LRD__IN_MAIN);
    insert(21, 5, 0);
    CHECK_EQ(flags_of(21), LRD__IN_SMALL);
}

static void the_ghost_remembers_about_as_many_as_live(void **state)
{
    (void)state;
    uint32_t key = 0xabc00000u;
    fill_main(100);
    lrd__evict_remember(store, SHARD, key);
    for (uint32_t i = 1; i <= 90; i++)
        lrd__evict_remember(store, SHARD, i << 22 | (i & 63));
    insert(150, key, 0);
    CHECK_EQ(flags_of(150), LRD__IN_MAIN);

    atomic_store(&shard->live_entries, 100);
    lrd__evict_remember(store, SHARD, key);
    for (uint32_t i = 1; i <= 95; i++)
        lrd__evict_remember(store, SHARD, i << 22 | (i & 63));
    insert(151, key, 0);
    CHECK_EQ(flags_of(151), LRD__IN_SMALL);
}

static void the_oldest_ghost_of_a_set_makes_room(void **state)
{
    (void)state;
    fill_main(100);
    for (uint32_t i = 1; i <= LRD__GHOST_WAYS + 2; i++)
        lrd__evict_remember(store, SHARD, i << 20);
    for (uint32_t i = 1; i <= LRD__GHOST_WAYS + 2; i++) {
        insert(150 + i, i << 20, 0);
        CHECK_EQ(flags_of(150 + i), i <= 2 ? LRD__IN_SMALL : LRD__IN_MAIN);
    }
}

static void the_ghost_remembers_a_key_once(void **state)
{
    (void)state;
    fill_main(100);
    lrd__evict_remember(store, SHARD, 1 << 20);
    lrd__evict_remember(store, SHARD, 1 << 20);
    insert(150, 1 << 20, 0);
    insert(151, 1 << 20, 0);
    CHECK_EQ(flags_of(150), LRD__IN_MAIN);
    CHECK_EQ(flags_of(151), LRD__IN_SMALL);
}

static void ghost_ages_survive_the_wrap_of_their_counter(void **state)
{
    (void)state;
    fill_main(100);
    shard->ghost_seq = UINT32_MAX - 3;
    lrd__evict_remember(store, SHARD, 0x7700001);
    for (uint32_t i = 0; i < 10; i++)
        lrd__evict_remember(store, SHARD, i << 20 | 2);
    CHECK(shard->ghost_seq < 10);
    insert(150, 0x7700001, 0);
    CHECK_EQ(flags_of(150), LRD__IN_MAIN);
}

static void the_ghost_key_follows_from_tag_and_home_bucket(void **state)
{
    (void)state;
    uint32_t keys[2][LRD__PROBES];
    for (uint32_t home = 0; home < 2; home++)
        for (uint32_t away = 0; away < LRD__PROBES; away++) {
            uint32_t bucket = home * (BUCKETS - LRD__OVERHANG - 1) + away;
            uint32_t slot = bucket * LRD__WAYS + away % LRD__WAYS;
            atomic_store(lrd__index_word(store, SHARD, slot), lrd__word_make(7, away, 64));
            keys[home][away] = lrd__ghost_key(store, SHARD, slot);
            CHECK_EQ(keys[home][away], keys[home][0]);
            atomic_store(lrd__index_word(store, SHARD, slot), lrd__word_make(8, away, 64));
            CHECK(lrd__ghost_key(store, SHARD, slot) != keys[home][0]);
        }
    CHECK(keys[0][0] != keys[1][0]);
}

/* ---- removal, reuse, putting back ---- */

static void removed_entries_are_skipped(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot < 6; slot++)
        insert(slot, slot, 0);
    erase(0, 0);
    erase(3, 0);
    erase(5, 0);
    CHECK_EQ(shard->orders[0].small_bytes, 3 * lrd__class_size(0));
    check_evicts(1, true);
    check_evicts(2, true);
    check_evicts(4, true);
    check_empty();
}

static void a_reused_slot_keeps_its_place(void **state)
{
    (void)state;
    fill_main(2);
    for (uint32_t slot = 10; slot < 13; slot++)
        insert(slot, slot, 0);
    set_freq(0, 3);
    set_freq(10, 3);
    /* let the sweep visit an empty queue, so that these slots stay where they are */
    shard->sweeps = 2 * LRD__ORDERS - 1;
    erase(0, 0);
    shard->sweeps = 2 * LRD__ORDERS - 1;
    erase(10, 0);
    shard->sweeps = 2 * LRD__ORDERS - 1;
    insert(0, 500, 0);
    shard->sweeps = 2 * LRD__ORDERS - 1;
    insert(10, 501, 0);
    CHECK_EQ(flags_of(0), LRD__IN_MAIN);
    CHECK_EQ(flags_of(10), LRD__IN_SMALL);
    CHECK_EQ(freq_of(0) + freq_of(10), 0);
    CHECK_EQ(shard->orders[0].main_bytes, 2 * lrd__class_size(0));
    CHECK_EQ(shard->orders[0].main_count, 2);
    CHECK_EQ(shard->orders[0].small_bytes, 3 * lrd__class_size(0));
    check_evicts(10, true);
}

static void fill_bucket(uint32_t bucket)
{
    for (uint32_t way = 0; way < LRD__WAYS; way++)
        insert(bucket * LRD__WAYS + way, bucket * LRD__WAYS + way, 0);
}

/* A new entry takes an empty slot that is in no queue. The search ends at the first bucket with an
 * empty slot, or one bucket later if the shard has evicted. If all empty slots that it finds are in
 * queues, the entry takes the first of them. */
static void a_new_entry_avoids_slots_that_are_queued(void **state)
{
    (void)state;
    for (uint32_t bucket = 2; bucket < 5; bucket++)
        fill_bucket(bucket);
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 2, 2), 5 * LRD__WAYS);
    erase(3 * LRD__WAYS + 1, 0);
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 2, 2), 3 * LRD__WAYS + 1);
    erase(4 * LRD__WAYS + 6, 0);
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 2, 2), 3 * LRD__WAYS + 1);
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 4, 4), 4 * LRD__WAYS + 6);
    atomic_store(&shard->evicted, 1);
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 4, 4), 5 * LRD__WAYS);
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 2, 2), 3 * LRD__WAYS + 1);
    /* remove the slot from its queue */
    store->links[lrd__slot_number(store, SHARD, 4 * LRD__WAYS + 6)] = 0;
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 2, 2), 4 * LRD__WAYS + 6);
    store->evicts = false; /* a store that does not evict has no queues */
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 2, 2), 3 * LRD__WAYS + 1);
}

static void a_key_is_put_no_further_than_its_last_bucket(void **state)
{
    (void)state;
    for (uint32_t bucket = 0; bucket < LRD__PROBES; bucket++)
        fill_bucket(bucket);
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 0, 0), LRD__NO_SLOT);
    erase((LRD__PROBES - 1) * LRD__WAYS, 0);
    CHECK_EQ(lrd__index_vacant_at(store, SHARD, 0, 0), (LRD__PROBES - 1) * LRD__WAYS);
}

static void a_remembered_key_in_a_place_of_small_passes_to_main(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot < 5; slot++)
        insert(slot, slot, 0);
    erase(0, 0);
    lrd__evict_remember(store, SHARD, 900);
    insert(0, 900, 0);
    CHECK_EQ(flags_of(0), LRD__IN_SMALL);
    check_evicts(1, true);
    CHECK_EQ(flags_of(0), LRD__IN_MAIN);
}

static void resizing_moves_bytes_only(void **state)
{
    (void)state;
    fill_main(1);
    insert(10, 10, 0);
    store_word(0, 5);
    lrd__evict_resized(store, SHARD, 0, lrd__class_size(0), lrd__class_size(5));
    store_word(10, 9);
    lrd__evict_resized(store, SHARD, 10, lrd__class_size(0), lrd__class_size(9));
    CHECK_EQ(shard->orders[5].main_bytes, lrd__class_size(5));
    CHECK_EQ(shard->orders[9].small_bytes, lrd__class_size(9));
    CHECK_EQ(shard->orders[5].main_count, 1);
    CHECK_EQ(shard->orders[0].count, 0);
}

static void held_victims_are_put_back_at_the_end(void **state)
{
    bool small;
    (void)state;
    for (uint32_t slot = 0; slot < 3; slot++)
        insert(slot, slot, 0);
    uint64_t bytes = shard->orders[0].small_bytes;
    uint32_t slot = choose(0, &small);
    CHECK_EQ(slot, 0);
    CHECK_EQ(shard->orders[0].small_bytes, bytes - lrd__class_size(0));
    lrd__evict_put_back(store, SHARD, slot, small);
    CHECK_EQ(shard->orders[0].small_bytes, bytes);
    CHECK_EQ(flags_of(0), LRD__IN_SMALL);
    check_evicts(1, true);

    slot = choose(0, &small);
    CHECK_EQ(slot, 2);
    lrd__evict_put_back(store, SHARD, slot, false);
    CHECK_EQ(flags_of(2), LRD__IN_MAIN);
    CHECK_EQ(shard->orders[0].main_bytes, lrd__class_size(0));
    CHECK_EQ(shard->orders[0].main_count, 1);
}

/* ---- recovery ---- */

static void reset_forgets_one_shard_and_nothing_else(void **state)
{
    (void)state;
    fill_main(20);
    insert(30, 30, 0);
    lrd__evict_remember(store, SHARD, 99);
    uint32_t *other = &store->links[lrd__slot_number(store, 0, 5)];
    *other = LRD__IN_SMALL;
    store->ghost[SHARD * GHOST_SETS * LRD__GHOST_WAYS - 1] = 7;
    lrd__evict_reset(store, SHARD);
    for (uint32_t bucket = BUCKETS; bucket-- > 0;)
        lrd__evict_recover(store, SHARD, bucket, 0);
    check_empty();
    CHECK_EQ(shard->ghost_seq, 0);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        CHECK_EQ(*link_of(slot), 0);
    CHECK_EQ(shard->ghost_sets, 0);
    CHECK_EQ(*other, LRD__IN_SMALL);
    CHECK_EQ(store->ghost[SHARD * GHOST_SETS * LRD__GHOST_WAYS - 1], 7);
}

static void recovered_entries_are_old_inhabitants(void **state)
{
    (void)state;
    static const uint32_t all = (1u << LRD__WAYS) - 1, last = LRD__WAYS - 1;
    static const uint32_t slots[] = {1, 3, last, 2 * LRD__WAYS, 2 * LRD__WAYS + last};
    const uint32_t used[] = {1u << 1 | 1u << 3 | 1u << last, 0, 1u | 1u << last, all, all};
    uint64_t count = 0;
    for (uint32_t bucket = BUCKETS; bucket-- > 0;) {
        uint32_t bits = bucket < sizeof used / sizeof *used ? used[bucket] : 0;
        uint64_t one = (uint64_t)__builtin_popcount(bits);
        for (uint32_t way = 0; way < LRD__WAYS; way++)
            if ((bits >> way & 1) != 0)
                store_word(bucket * LRD__WAYS + way, 0);
        lrd__evict_recover(store, SHARD, bucket, bits);
        count += one;
    }
    CHECK_EQ(shard->orders[0].main_count, count);
    CHECK_EQ(shard->orders[0].main_bytes, count * lrd__class_size(0));
    insert(50, 50, 0);
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        check_evicts(slots[i], false);
    CHECK_EQ(flags_of(50), LRD__IN_SMALL);
}

/* ---- a naive model ---- */

enum { MODEL_CLASSES = 5 };

typedef struct model_queue {
    uint32_t slot[SLOTS];
    uint32_t length;
} model_queue;

static struct {
    model_queue small[MODEL_CLASSES], main[MODEL_CLASSES];
    uint32_t size_class[SLOTS];
    bool live[SLOTS];
    uint8_t freq[SLOTS];
    bool remembered[4096];
    /* the queue that the sweep is in: 2 * class for the small queue of a size class, 2 * class + 1
     * for its main queue */
    uint32_t sweep_queue;
    uint32_t swept; /* slot + 1 of the slot at which the sweep stopped; 0: it begins at the head */
} model;

static uint32_t model_take(model_queue *queue, uint32_t at)
{
    uint32_t slot = queue->slot[at];
    memmove(queue->slot + at, queue->slot + at + 1, (--queue->length - at) * sizeof slot);
    if (model.swept == slot + 1)
        model.swept = 0;
    return slot;
}

static uint32_t model_pop(model_queue *queue) { return model_take(queue, 0); }

static void model_push(model_queue *queue, uint32_t slot) { queue->slot[queue->length++] = slot; }

static bool model_holds(const model_queue *queue, uint32_t slot)
{
    for (uint32_t i = 0; i < queue->length; i++)
        if (queue->slot[i] == slot)
            return true;
    return false;
}

/* Return the bytes of the live entries of a class. Each of these entries may be in the queue of any
 * class. */
static uint64_t model_bytes(const model_queue *queues, uint32_t size_class, uint32_t *count)
{
    *count = 0;
    for (uint32_t k = 0; k < MODEL_CLASSES; k++)
        for (uint32_t i = 0; i < queues[k].length; i++)
            *count +=
                model.live[queues[k].slot[i]] && model.size_class[queues[k].slot[i]] == size_class;
    return (uint64_t)*count * lrd__class_size(size_class);
}

static bool model_has(const model_queue *queues, uint32_t slot)
{
    for (uint32_t k = 0; k < MODEL_CLASSES; k++)
        if (model_holds(queues + k, slot))
            return true;
    return false;
}

/* Two steps of the sweep. */
static void model_sweep(void)
{
    for (int step = 0; step < 2; step++) {
        uint32_t k = model.sweep_queue / 2, at = 0;
        model_queue *queues = model.sweep_queue % 2 == 0 ? model.small : model.main;
        while (k < MODEL_CLASSES && model.swept != 0 && queues[k].slot[at++] != model.swept - 1)
            ;
        if (k >= MODEL_CLASSES || at == queues[k].length) {
            model.sweep_queue = (model.sweep_queue + 1) % (2 * LRD__ORDERS);
            model.swept = 0;
            continue;
        }
        uint32_t slot = queues[k].slot[at], own = model.size_class[slot];
        if (model.live[slot] && own == k) {
            model.swept = slot + 1;
            continue;
        }
        model_take(queues + k, at);
        if (model.live[slot])
            model_push(queues + own, slot);
    }
}

static uint32_t model_choose(uint32_t k, bool *from_small)
{
    while (model.small[k].length + model.main[k].length > 0) {
        uint32_t count;
        uint64_t small = model_bytes(model.small, k, &count),
                 main = model_bytes(model.main, k, &count);
        *from_small =
            model.small[k].length > 0 && (model.main[k].length == 0 || small > (small + main) / 10);
        uint32_t slot = model_pop(*from_small ? model.small + k : model.main + k);
        uint32_t own = model.size_class[slot];
        if (!model.live[slot])
            continue;
        if (own != k) {
            model_push(*from_small ? model.small + own : model.main + own, slot);
            continue;
        }
        if (*from_small && model.freq[slot] >= 2)
            model.freq[slot] = model.main[k].length == 0 ? 1 : 0;
        else if (!*from_small && model.freq[slot] > 0)
            model.freq[slot]--;
        else
            return slot;
        model_push(model.main + k, slot);
    }
    return LRD__NO_SLOT;
}

static void model_insert(uint32_t slot, uint32_t key, uint32_t size_class)
{
    bool queued = model_has(model.small, slot) || model_has(model.main, slot);
    uint64_t hits = atomic_load(&shard->ghost_hits);
    insert(slot, key, size_class);
    bool known = atomic_load(&shard->ghost_hits) != hits;
    /* Each key has its own fingerprint (16 bits), so a ghost hit means that this key was
     * remembered. */
    CHECK(!known || model.remembered[key >> 20]);
    if (known)
        model.remembered[key >> 20] = false;
    bool small = queued ? model_has(model.small, slot) : !known;
    if (!queued)
        model_push(small ? model.small + size_class : model.main + size_class, slot);
    model.freq[slot] = queued && small && known ? 2 : 0;
    model.live[slot] = true;
    model.size_class[slot] = size_class;
    CHECK_EQ(flags_of(slot), small ? LRD__IN_SMALL : LRD__IN_MAIN);
    if (queued)
        model_sweep();
}

static void model_evict(uint64_t *random, uint32_t k)
{
    bool small = false, model_small = false;
    uint32_t slot = choose(k, &small);
    CHECK_EQ(slot, model_choose(k, &model_small));
    if (slot == LRD__NO_SLOT)
        return;
    CHECK_EQ(small, model_small);
    if (random_below(random, 8) == 0) {
        lrd__evict_put_back(store, SHARD, slot, small);
        model_push(small ? model.small + k : model.main + k, slot);
        return;
    }
    uint32_t key = (uint32_t)random_below(random, 4096);
    lrd__evict_remember(store, SHARD, key << 20 | (key & 63));
    model.remembered[key] = true;
    erase(slot, model.size_class[slot]);
    model.live[slot] = false;
}

static void model_check(void)
{
    uint32_t small, main;
    for (uint32_t k = 0; k < MODEL_CLASSES; k++) {
        CHECK_EQ(shard->orders[k].small_bytes, model_bytes(model.small, k, &small));
        CHECK_EQ(shard->orders[k].main_bytes, model_bytes(model.main, k, &main));
        CHECK_EQ(shard->orders[k].main_count, main);
        CHECK_EQ(shard->orders[k].count, small + main);
    }
}

static void model_step(uint64_t *random)
{
    uint32_t slot = (uint32_t)random_below(random, SLOTS);
    uint32_t size_class = (uint32_t)random_below(random, MODEL_CLASSES);
    uint32_t key = (uint32_t)random_below(random, 4096);
    uint64_t dice = random_below(random, 100);

    if (dice < 25 && !model.live[slot]) {
        model_insert(slot, key << 20 | (key & 63), size_class);
    } else if (dice < 60 && model.live[slot]) {
        if (model.freq[slot] < LRD__FREQ_MAX)
            set_freq(slot, ++model.freq[slot]);
    } else if (dice < 70 && model.live[slot]) {
        store_word(slot, size_class);
        lrd__evict_resized(store, SHARD, slot, lrd__class_size(model.size_class[slot]),
                           lrd__class_size(size_class));
        bool other = model.size_class[slot] != size_class;
        model.size_class[slot] = size_class;
        if (other)
            model_sweep();
    } else if (dice < 75 && model.live[slot]) {
        erase(slot, model.size_class[slot]);
        model_sweep(); /* the sweep runs before the entry is removed */
        model.live[slot] = false;
    } else if (dice >= 85) {
        model_evict(random, size_class);
    }
}

static void agrees_with_a_naive_model(void **state)
{
    (void)state;
    uint64_t random = test_seed(1);
    memset(&model, 0, sizeof model);
    for (uint32_t i = 0; i < 1000000; i++) {
        model_step(&random);
        if (i % 16 == 0)
            model_check();
    }
    CHECK(atomic_load(&shard->ghost_hits) > 1000);
    /* An entry may move to another class that is empty already, so one round is not enough. */
    for (uint32_t round = 0; round < MODEL_CLASSES; round++)
        for (uint32_t k = 0; k < MODEL_CLASSES; k++)
            while (model.small[k].length + model.main[k].length > 0)
                model_evict(&random, k);
    check_empty();
}

/* ---- a lack of memory ---- */

/* Memory is short, and most free pages have no memory, so they cannot be used. A page that an
 * eviction has emptied still has its memory. The writer must find this page for its new value,
 * instead of evicting more. */
static void an_emptied_page_is_found_among_many_without_memory(void **state)
{
    (void)state;
    enum { VALUES = 25000, LOW = 540, NEW = 200 };
    lrd_store *store = store_new(LRD_VOLATILE, 80u << 20, 1);
    char key[32];
    for (unsigned i = 0; i < VALUES; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 3000, i, LRD_SET, 0));
    }
    for (unsigned i = 0; i < VALUES; i++) {
        lrd_value value;
        snprintf(key, sizeof key, "key %u", i);
        if (lrd_get(store, key, strlen(key), 0, &value) == LRD_MISS)
            continue;
        uint64_t page = lrd__page_of(store, (value.block - 1) << LRD__GRANULE_BITS);
        CHECK_OK(lrd_release(store, &value));
        if (page < LOW)
            CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    CHECK_OK(lrd_sweep(store, NULL));
    unsigned bare = 0;
    for (uint64_t page = 0; page < LOW; page++)
        if (lrd__page_owner(store, page) == 0) {
            store->pages[page].committed = 0;
            bare++;
        }
    CHECK(bare > 500);
    atomic_store(&store->header->memory_until, UINT64_MAX);
    lrd_stats before = stats_of(store);
    for (unsigned i = 0; i < NEW; i++) {
        snprintf(key, sizeof key, "new %u", i);
        CHECK_OK(put_value(store, key, 5500, i, LRD_SET, 0));
    }
    lrd_stats after = stats_of(store);
    /* The puts evict one batch in queue order, and now and then all entries of a page. */
    CHECK(after.evicted - before.evicted <= NEW + lrd__batch_bytes(store) / 3072 + 40);
    atomic_store(&store->header->memory_until, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(cold_entries_leave_in_the_order_they_came),
        TEST(two_hits_move_an_entry_to_main),
        TEST(a_hit_in_main_is_one_more_round),
        TEST(frequencies_above_the_maximum_count_as_the_maximum),
        TEST(small_gives_only_what_is_above_a_tenth),
        TEST(small_is_a_tenth_of_bytes_not_of_entries),
        TEST(each_size_class_has_an_order_and_runs_have_one_for_each_doubling),
        TEST(the_age_of_what_goes_next_is_known),
        TEST(looking_at_the_next_victim_leaves_it_queued),
        TEST(a_chance_makes_an_order_young),
        TEST(what_has_another_size_moves_to_its_own_order),
        TEST(the_sweep_frees_slots_without_entries_and_moves_the_others),
        TEST(the_sweep_begins_again_if_its_place_is_gone),
        TEST(ages_stay_right_while_slots_leave_the_middle_of_a_queue),
        TEST(a_hot_queue_yields_a_victim_in_bounded_time),
        TEST(links_in_a_ring_do_not_hang),
        TEST(what_comes_back_soon_goes_to_main),
        TEST(the_ghost_forgets_what_it_gave_back),
        TEST(the_ghost_remembers_about_as_many_as_live),
        TEST(the_oldest_ghost_of_a_set_makes_room),
        TEST(the_ghost_remembers_a_key_once),
        TEST(ghost_ages_survive_the_wrap_of_their_counter),
        TEST(the_ghost_key_follows_from_tag_and_home_bucket),
        TEST(removed_entries_are_skipped),
        TEST(a_reused_slot_keeps_its_place),
        TEST(a_new_entry_avoids_slots_that_are_queued),
        TEST(a_key_is_put_no_further_than_its_last_bucket),
        TEST(a_remembered_key_in_a_place_of_small_passes_to_main),
        TEST(resizing_moves_bytes_only),
        TEST(held_victims_are_put_back_at_the_end),
        TEST(reset_forgets_one_shard_and_nothing_else),
        TEST(recovered_entries_are_old_inhabitants),
        TEST(agrees_with_a_naive_model),
        cmocka_unit_test(an_emptied_page_is_found_among_many_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
