/* prefer_test.c - which memory a writer takes first: runs that it wrote last, pages of its own
 * lane, mini pages, larger blocks, or the lowest free pages. Also where searches for free units
 * begin, and how much memory is committed. No other test would notice a wrong choice. */
#include "support.h"

#include "internal.h"

#include <sys/stat.h>

#define MIB (1u << 20)

static lrd__thread *thread_of(const lrd_store *store) { return lrd__threads[store->id]; }

/* ---- own runs ---- */

static lrd_store *own_store(lrd__thread **self)
{
    lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 1);
    CHECK_OK(put_value(store, "large", 400000, 1, LRD_SET, 0));
    *self = thread_of(store);
    return store;
}

static void own_runs_replace_the_oldest_one(void **state)
{
    (void)state;
    lrd__thread *self;
    lrd_store *store = own_store(&self);
    lrd__own_run *own = self->own_runs[0], *next = self->own_runs[1];
    lrd__own_run before[LRD__OWN_RUNS];
    memset(self->own_runs, 0, sizeof self->own_runs);
    for (uint32_t i = 0; i < LRD__OWN_RUNS; i++)
        next[i] = (lrd__own_run){.first = 10 * (i + 1), .units = 90 + i};
    memcpy(before, next, sizeof before);
    own[0].first = 30;
    for (uint32_t i = 1; i <= LRD__OWN_RUNS; i++)
        lrd__own_run_note(self, 0, 10 * i, 20 + i);
    for (uint32_t i = 0; i < LRD__OWN_RUNS; i++) {
        CHECK_EQ(own[i].first, 10 * (i + 1));
        CHECK_EQ(own[i].units, 21 + i);
    }
    lrd__own_run_note(self, 0, 90, 29); /* the oldest run makes room */
    CHECK_EQ(own[0].first, 20);
    CHECK_EQ(own[LRD__OWN_RUNS - 1].first, 90);
    /* the list has this run already, so it only moves to the end */
    lrd__own_run_note(self, 0, 50, 40);
    static const uint32_t firsts[LRD__OWN_RUNS] = {20, 30, 40, 60, 70, 80, 90, 50};
    for (uint32_t i = 0; i < LRD__OWN_RUNS; i++)
        CHECK_EQ(own[i].first, firsts[i]);
    CHECK_EQ(own[LRD__OWN_RUNS - 1].units, 40);
    CHECK_EQ(own[LRD__OWN_RUNS - 2].units, 29);
    CHECK_EQ(memcmp(next, before, sizeof before), 0); /* another shard's runs stay */
    memset(self->own_runs, 0, sizeof self->own_runs);
    lrd_close(store);
}

static void a_run_is_taken_again_if_all_its_units_are_free(void **state)
{
    (void)state;
    lrd__thread *self;
    lrd_store *store = own_store(&self);
    lrd__own_run *own = self->own_runs[0];
    uint64_t first = own[LRD__OWN_RUNS - 1].first, found = 0;
    CHECK_EQ(own[LRD__OWN_RUNS - 1].units, lrd__run_units(store, first));
    CHECK(!lrd__own_run_find(store, self, 0, own[LRD__OWN_RUNS - 1].units, &found));
    CHECK_OK(lrd_delete(store, "large", 5));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK(lrd__own_run_find(store, self, 0, own[LRD__OWN_RUNS - 1].units, &found));
    CHECK_EQ(found, first);

    /* These runs begin in one page, and end in the next one. */
    uint64_t page = first / LRD__PAGE_UNITS + 1, start = page * LRD__PAGE_UNITS;
    atomic_store(&store->pages[page].user, self->slot_index + 1);
    memset(self->own_runs, 0, sizeof self->own_runs);
    lrd__own_run_note(self, 0, start + 10, 55);
    lrd__own_run_note(self, 0, start + 12, 30);
    CHECK(lrd__own_run_find(store, self, 0, 55, &found));
    CHECK_EQ(found, start + 10);
    CHECK(lrd__own_run_find(store, self, 0, 30, &found));
    CHECK_EQ(found, start + 12);
    CHECK(!lrd__own_run_find(store, self, 0, 31, &found));
    /* Mark the last unit of the first run, in the next page, as allocated. */
    uint32_t owner = atomic_load(&store->owners[page + 1]);
    uint64_t allocated = store->bits[page + 1].block[0].allocated;
    atomic_store(&store->owners[page + 1], lrd__owner_make(0, LRD__CLASS_RUN));
    store->bits[page + 1].block[0].allocated = 1;
    CHECK(!lrd__own_run_find(store, self, 0, 55, &found));
    lrd__own_run_note(self, 0, start + 9, 55); /* this run ends just before the allocated unit */
    CHECK(lrd__own_run_find(store, self, 0, 55, &found));
    CHECK_EQ(found, start + 9);
    store->bits[page + 1].block[0].allocated = 2;
    CHECK(lrd__own_run_find(store, self, 0, 55, &found));
    CHECK_EQ(found, start + 10);
    store->bits[page + 1].block[0].allocated = allocated;
    atomic_store(&store->owners[page + 1], owner);
    /* another thread has written to the page, so the list forgets the run */
    atomic_store(&store->pages[page].user, self->slot_index + 2);
    CHECK(!lrd__own_run_find(store, self, 0, 30, &found));
    atomic_store(&store->pages[page].user, self->slot_index + 1);
    CHECK(!lrd__own_run_find(store, self, 0, 30, &found));
    memset(self->own_runs, 0, sizeof self->own_runs);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- lanes ---- */

static void a_writer_without_room_in_its_lane_uses_another_lane(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    CHECK_OK(put_value(store, "small", 200, 1, LRD_SET, 0));
    lrd__thread *self = thread_of(store);
    lrd__shard *shard = store->shards;
    uint32_t mine = lrd__lane_of(shard, self), size_class = 0, other = (mine + 1) % LRD__LANES;
    while (shard->avail[mine][size_class] == 0)
        size_class++;
    uint32_t link = shard->avail[mine][size_class], unused = size_class != 0 ? 0 : 1;
    self->astray = 0;
    CHECK_EQ(lrd__lane_other(store, self, 0, mine, size_class), 0);
    CHECK_EQ(lrd__lane_other(store, self, 0, other, unused), 0);
    CHECK_EQ(self->astray, 0);
    for (uint32_t i = 1; i < LRD__LANES; i++) {
        CHECK_EQ(lrd__lane_other(store, self, 0, (mine + i) % LRD__LANES, size_class), link);
        CHECK_EQ(self->astray, 8 * i);
    }
    /* `astray` grows when the thread takes blocks from other lanes. Each block from its own lane
     * lowers it by 1. */
    for (uint32_t astray = 3, i = 0; i < 5; i++) {
        self->astray = astray;
        CHECK_OK(put_value(store, "small", 200, 1, LRD_SET, 0));
        astray -= astray != 0;
        CHECK_EQ(self->astray, astray);
    }
    link = shard->avail[mine][size_class];
    /* The nearest lane comes first. */
    shard->avail[(mine + 3) % LRD__LANES][size_class] = 77;
    CHECK_EQ(lrd__lane_other(store, self, 0, (mine + 2) % LRD__LANES, size_class), 77);
    CHECK_EQ(lrd__lane_other(store, self, 0, other, size_class), 77);
    CHECK_EQ(lrd__lane_other(store, self, 0, (mine + 3) % LRD__LANES, size_class), link);
    shard->avail[(mine + 3) % LRD__LANES][size_class] = 0;
    self->astray = 0;
    lrd_close(store);
}

static void a_writer_that_was_often_without_room_claims_a_page(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 2);
    lrd__shard *shard = store->shards + 1;
    char key[] = "a";
    for (; shard->page_count == 0; key[0]++)
        CHECK_OK(put_value(store, key, 200, 1, LRD_SET, 0));
    lrd__thread *self = thread_of(store);
    uint32_t mine = lrd__lane_of(shard, self), size_class = 0, other = (mine + 1) % LRD__LANES;
    while (shard->avail[mine][size_class] == 0)
        size_class++;
    uint32_t link = shard->avail[mine][size_class];
    uint64_t live = atomic_load(&shard->live_bytes), pages = atomic_load(&shard->page_bytes);
    uint32_t high = atomic_load(&store->header->pages_high);
    atomic_store(&shard->live_bytes, 8000);
    atomic_store(&shard->page_bytes, 8000 + 1000); /* the free room is 1/8 of the live bytes */
    self->astray = LRD__ASTRAY - 1;
    CHECK_EQ(lrd__lane_other(store, self, 1, other, size_class), link);
    self->astray = LRD__ASTRAY;
    CHECK_EQ(lrd__lane_other(store, self, 1, other, size_class), 0);
    CHECK_EQ(self->astray, LRD__ASTRAY);
    atomic_store(&shard->page_bytes, 8000 + 1001);
    CHECK_EQ(lrd__lane_other(store, self, 1, other, size_class), link);
    CHECK_EQ(self->astray, LRD__ASTRAY);
    /* This thread has often used another lane. It now stays in its own lane while the shard has
     * little free room: at most 1/8 of the live bytes, and at most 1/16 of the shard's share of the
     * data. Here 1/16 of the share is less. */
    atomic_store(&shard->live_bytes, 4 * MIB);
    atomic_store(&shard->page_bytes, 4 * MIB + MIB / 32);
    CHECK_EQ(lrd__lane_other(store, self, 1, other, size_class), 0);
    atomic_store(&shard->page_bytes, 4 * MIB + MIB / 32 + 1);
    CHECK_EQ(lrd__lane_other(store, self, 1, other, size_class), link);
    atomic_store(&shard->page_bytes, 4 * MIB);
    shard->one_lane = 1;
    CHECK_EQ(lrd__lane_other(store, self, 1, other, size_class), link);
    shard->one_lane = 0;
    atomic_store(&store->header->pages_high, (uint32_t)store->geo.pages);
    CHECK_EQ(lrd__lane_other(store, self, 1, other, size_class), link);
    atomic_store(&store->header->pages_high, high);
    CHECK_EQ(lrd__lane_other(store, self, 1, other, size_class), 0);
    atomic_store(&shard->live_bytes, live);
    atomic_store(&shard->page_bytes, pages);
    self->astray = 0;
    CHECK_FSCK(store);
    lrd_close(store);
}

static void where_every_page_was_used_all_writers_use_one_lane(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    CHECK_OK(put_value(store, "key", 200, 1, LRD_SET, 0));
    CHECK_EQ(store->shards->one_lane, 0);
    char key[32];
    for (unsigned i = 0; store->shards->one_lane == 0; i++) {
        snprintf(key, sizeof key, "key %u", i);
        int rc = put_value(store, key, 1000, 1, LRD_SET, 0);
        CHECK(rc == LRD_OK || rc == LRD_ENOROOM);
        CHECK(i < 2000);
    }
    CHECK_EQ(atomic_load(&store->header->pages_high), store->geo.pages);
    CHECK_EQ(lrd__lane_of(store->shards, thread_of(store)), 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void the_first_step_of_reclaiming_is_not_too_small(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 64 * MIB, 1);
    CHECK_OK(put_value(store, "key", 200, 1, LRD_SET, 0));
    lrd__shard *shard = store->shards;
    static const uint64_t before[] = {0, LRD__RECLAIM_MIN, 1 << 30};
    uint64_t most = lrd__batch_bytes(store);
    uint64_t after[] = {LRD__RECLAIM_MIN, LRD__RECLAIM_MIN + LRD__RECLAIM_MIN / 32 + 256, most};
    for (unsigned i = 0; i < 3; i++) {
        CHECK_OK(put_value(store, "key", 200, 1, LRD_SET, 0));
        CHECK_OK(lrd__shard_lock(store, thread_of(store), 0));
        CHECK(atomic_load(&shard->retired_bytes) > 0);
        uint32_t high = atomic_load(&store->header->slots_high);
        /* with 20 slots, the thread does not count as alone */
        atomic_store(&store->header->slots_high, 20);
        shard->reclaim_step = before[i];
        lrd__arena_reclaim(store, 0, false);
        CHECK(!atomic_load(&store->alone));
        CHECK_EQ(shard->reclaim_step, after[i]);
        atomic_store(&store->header->slots_high, high);
        lrd__shard_unlock(store, 0);
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- gaps ---- */

static void each_length_of_run_has_its_gap(void **state)
{
    (void)state;
    static lrd__shard shard;
    static const uint64_t units[] = {1, 15, 16, 31, 32, 63, 64, 127, 512, 511, 1023, 1024, 1 << 20};
    static const uint32_t gaps[] = {0, 0, 1, 1, 2, 2, 3, 3, 6, 5, 6, 7, 7};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        CHECK_EQ(lrd__gap_of(&shard, units[i]) - shard.gaps, gaps[i]);
}

static void gaps_are_lowered_to_a_page_that_has_free_units(void **state)
{
    (void)state;
    static lrd__shard shard, wanted;
    static const uint32_t from[LRD__GAPS] = {7, 0, 5, 6, 7, LRD__NO_GAP, 1, 9};
    static const uint32_t lower[LRD__GAPS] = {6, 0, 5, 6, 6, 6, 1, 6};
    memset(&shard, 0xff, sizeof shard);
    memset(&wanted, 0xff, sizeof wanted);
    for (uint32_t i = 0; i < LRD__GAPS; i++) {
        shard.gaps[i].from = from[i];
        wanted.gaps[i].from = lower[i];
    }
    lrd__gaps_lower(&shard, 5);
    CHECK_EQ(memcmp(&shard, &wanted, sizeof shard), 0);
}

static void gaps_leave_a_page_for_the_one_before(void **state)
{
    (void)state;
    static lrd__shard shard, wanted;
    lrd__page page = {.prev = 4};
    static const uint32_t from[LRD__GAPS] = {6, 5, 0, 6, 7, LRD__NO_GAP, 1, 6};
    static const uint32_t left[LRD__GAPS] = {4, 5, 0, 4, 7, LRD__NO_GAP, 1, 4};
    for (size_t at = 0; at < sizeof shard; at += sizeof(uint32_t))
        memcpy((char *)&shard + at, &(uint32_t){6}, sizeof(uint32_t));
    memcpy(&wanted, &shard, sizeof wanted);
    for (uint32_t i = 0; i < LRD__GAPS; i++) {
        shard.gaps[i].from = from[i];
        wanted.gaps[i].from = left[i];
    }
    lrd__gaps_leave(&shard, &page, 5);
    CHECK_EQ(memcmp(&shard, &wanted, sizeof shard), 0);
}

static void a_search_begins_at_the_gap_and_a_little_below(void **state)
{
    (void)state;
    static lrd__shard shard = {.run_pages = 9};
    static lrd__page pages[16];
    static lrd_store store = {.pages = pages};
    lrd__gap gap = {.units = 10, .from = 6};
    for (uint32_t page = 0; page < 16; page++)
        pages[page].prev = page; /* the link of page - 1 */
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 10), 5);
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 63), 5);
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 64), 4);
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 128), 3);
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 640), 1);
    /* The gap was found by a search for 10 units. Smaller runs may fit below the gap, so a search
     * for 9 units does not begin at the gap. */
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 9), 9);
    pages[4].prev = 3;
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 128), 5);
    gap.from = 1;
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 128), 1);
    gap.from = 0;
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 10), 9);
    gap.from = LRD__NO_GAP;
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 10), 0);
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 9), 9);
    gap = (lrd__gap){.units = 0, .from = LRD__NO_GAP};
    CHECK_EQ(lrd__gap_start(&store, &shard, &gap, 10), 9); /* no gap is known */
}

/* ---- mini pages ---- */

/* Claim a mini page for shard 0, as if it owned `owned` of them. Returns the page. */
static uint64_t claim_mini(lrd_store *store, uint32_t owned, uint32_t bytes, bool last)
{
    lrd__thread *self = thread_of(store);
    lrd__shard *shard = store->shards;
    CHECK_OK(lrd__shard_lock(store, self, 0));
    uint32_t count = shard->page_count, size_class = lrd__class_of(bytes);
    uint32_t lane = lrd__lane_of(shard, self);
    shard->page_count = owned;
    uint64_t page = lrd__mini_claim(store, self, 0, size_class, last);
    if (page != store->geo.pages_all) {
        CHECK(lrd__page_is_mini(store, page) && page < store->geo.pages_all);
        CHECK_EQ(atomic_load(&store->owners[page]), lrd__owner_make(0, size_class));
        CHECK_EQ(shard->avail[lane][size_class], page + 1);
        CHECK_EQ(shard->page_count, owned + 1);
        count++;
    }
    shard->page_count = count;
    lrd__shard_unlock(store, 0);
    return page;
}

static void a_small_shard_begins_with_mini_pages(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 16 * MIB, 16);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    uint64_t none = store->geo.pages_all;
    _Atomic uint32_t *minis_none = &store->header->minis_none;
    uint32_t freed = atomic_load(&store->header->minis_freed);
    CHECK(claim_mini(store, 0, LRD__MINI_BLOCK, false) != none);
    CHECK_EQ(claim_mini(store, 0, LRD__MINI_BLOCK + 1, false), none); /* too large */
    CHECK_EQ(claim_mini(store, 0, LRD__MINI_BLOCK + 1, true), none);
    CHECK(claim_mini(store, 3, 100, false) != none);
    /* a shard's share is 4 of the 64 mini pages */
    CHECK_EQ(claim_mini(store, 4, 100, false), none);
    CHECK(claim_mini(store, 4, 100, true) != none);
    CHECK(claim_mini(store, 0, 100, true) != none);
    /* Pretend that a search has failed, and that no mini page was freed since. Until one is freed,
     * claims must not search again. */
    atomic_store(minis_none, freed + 1);
    CHECK_EQ(claim_mini(store, 0, 100, false), none);
    atomic_store(minis_none, freed);
    unsigned claimed = 4;
    while (claim_mini(store, 0, 200, false) != none)
        claimed++;
    CHECK_EQ(claimed, LRD__MINIS);
    CHECK_EQ(atomic_load(minis_none), freed + 1);
    lrd_close(store);
}

static void a_shard_of_many_may_own_two_mini_pages(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 64 * MIB, 64);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK(claim_mini(store, 1, 100, false) != store->geo.pages_all);
    CHECK_EQ(claim_mini(store, 2, 100, false), store->geo.pages_all);
    lrd_close(store);
}

static void mini_pages_without_memory_are_searched_again(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 16 * MIB, 16);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    /* On a full file system, only pages with memory can be claimed. */
    atomic_store(&store->header->memory_until, UINT64_MAX);
    CHECK(lrd__memory_short(store));
    uint64_t ready = 0, page;
    for (page = store->geo.pages; page < store->geo.pages_all; page++)
        ready += atomic_load(&store->owners[page]) == 0 && lrd__parts_of(store, page) != 0;
    CHECK(ready != 0 && ready < LRD__MINIS);
    while ((page = claim_mini(store, 0, 200, false)) != store->geo.pages_all) {
        CHECK(lrd__parts_of(store, page) != 0);
        ready--;
    }
    CHECK_EQ(ready, 0);
    CHECK(atomic_load(&store->header->minis_none) != atomic_load(&store->header->minis_freed) + 1);
    lrd_close(store);
}

static void the_last_mini_pages_serve_a_shard_that_finds_no_other_page(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 16 * MIB, 16);
    static const size_t sizes[] = {60000, 9000, 1000};
    char key[32];
    for (unsigned s = 0; s < 3; s++)
        for (unsigned i = 0, refused = 0; refused == 0; i++) {
            snprintf(key, sizeof key, "%zu: key %u", sizes[s], i);
            if (lrd__place_of(store, key, strlen(key)).shard_index == 0)
                refused = put_value(store, key, sizes[s], 1, LRD_SET, 0) == LRD_ENOROOM;
            CHECK(i < 100000);
        }
    for (uint64_t page = store->geo.pages; page < store->geo.pages_all; page++)
        CHECK(lrd__owner_is(atomic_load(&store->owners[page]), 0));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- larger blocks ---- */

static uint32_t allocate(lrd_store *store, uint64_t bytes)
{
    lrd__thread *self = thread_of(store);
    uint64_t offset = 0;
    uint32_t entry = 0;
    CHECK_OK(lrd__shard_lock(store, self, 0));
    CHECK_OK(lrd__arena_try(store, self, 0, bytes, &offset, &entry));
    lrd__ledger_drop(self, entry);
    lrd__shard_unlock(store, 0);
    return lrd__owner_class(atomic_load(&store->owners[lrd__page_of(store, offset)]));
}

static void a_young_shard_takes_a_larger_block_before_it_begins_a_page(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 32 * MIB, 1);
    lrd__shard *shard = store->shards;
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK_EQ(allocate(store, 1280), lrd__class_of(1280));
    uint32_t begun = shard->page_count;
    /* A block of 1280 bytes is larger than 1024 by a quarter, which is allowed. */
    CHECK_EQ(allocate(store, 1024), lrd__class_of(1280));
    CHECK_EQ(shard->page_count, begun);
    CHECK(lrd__class_of(1023) == lrd__class_of(1024));
    /* A block of 1280 bytes is larger than 1023 by more than a quarter, which is not allowed. */
    CHECK_EQ(allocate(store, 1023), lrd__class_of(1023));
    CHECK_EQ(shard->page_count, begun + 1);
    CHECK_EQ(allocate(store, 1024), lrd__class_of(1024));
    /* A shard with at least 1/8 of its share of pages begins a page for each size class. */
    shard->page_count = (uint32_t)(store->geo.pages / 8);
    CHECK_EQ(allocate(store, 800), lrd__class_of(800));
    CHECK_EQ(shard->page_count, (uint32_t)(store->geo.pages / 8) + 1);
    shard->page_count = (uint32_t)(store->geo.pages / 8) - 1;
    CHECK_EQ(allocate(store, 700), lrd__class_of(800));
    CHECK_EQ(shard->page_count, (uint32_t)(store->geo.pages / 8) - 1);
    lrd_close(store);
}

/* All pages are in use. The pages of large values have many free units, and no page has room for
 * the new values' size class. A store that has evicted nothing uses these units, and still evicts
 * nothing. */
static void values_use_free_units_before_entries_are_evicted(void **state)
{
    (void)state;
    enum { NEW = 400 };
    lrd_store *store = store_new(LRD_VOLATILE, 16 * MIB, 1);
    unsigned count = 0;
    char key[32];
    for (; lrd_pressed(store, "k", 1) == LRD_PRESSURE_NONE; count++) {
        snprintf(key, sizeof key, "large %u", count);
        CHECK_OK(put_value(store, key, 20000, count, LRD_SET, 0));
    }
    /* a page has room for three of these values: delete two of them */
    for (unsigned i = 0; i < count; i++) {
        snprintf(key, sizeof key, "large %u", i);
        if (i % 3 != 0)
            CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    uint64_t live = stats_of(store).live_bytes;
    CHECK(live < 6 * MIB);
    for (unsigned i = 0; i < NEW; i++) {
        snprintf(key, sizeof key, "new %u", i);
        CHECK_OK(put_value(store, key, 7500, i, LRD_SET, 0));
    }
    CHECK_EQ(stats_of(store).evicted, 0);
    CHECK_EQ(stats_of(store).entries, (count + 2) / 3 + NEW);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- free pages ---- */

/* Claim between `count` and `most` neighbouring pages for runs of shard 0. Returns the first
 * page. */
static uint64_t claim_runs(lrd_store *store, uint32_t count, uint32_t most)
{
    uint64_t first = 0;
    CHECK_OK(lrd__shard_lock(store, thread_of(store), 0));
    CHECK_OK(lrd__claim_lowest(store, thread_of(store), 0, count, most, LRD__CLASS_RUN, &first));
    lrd__shard_unlock(store, 0);
    return first;
}

static uint32_t hint_of(const lrd_store *store)
{
    return (uint32_t)atomic_load(&store->header->pages_hint);
}

static bool owned(const lrd_store *store, uint64_t page)
{
    return atomic_load(&store->owners[page]) == lrd__owner_make(0, LRD__CLASS_RUN);
}

static void pages_are_claimed_from_the_lowest_free_one_on(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 1);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK(owned(store, 0) && !owned(store, 1));
    CHECK_EQ(claim_runs(store, 1, 1), 1);
    CHECK_EQ(hint_of(store), 2);
    CHECK_EQ(claim_runs(store, 2, 3), 2);
    CHECK(owned(store, 4) && !owned(store, 5));
    CHECK_EQ(hint_of(store), 5);
    for (uint64_t page = 6; page < 12; page += 2)
        atomic_store(&store->owners[page], lrd__owner_make(0, LRD__CLASS_RUN));
    CHECK_EQ(claim_runs(store, 2, 4), 11);
    CHECK(owned(store, 14) && !owned(store, 15));
    CHECK_EQ(hint_of(store), 5);
    CHECK_EQ(claim_runs(store, 1, 9), 5);
    CHECK_EQ(hint_of(store), 6);
    CHECK_EQ(claim_runs(store, 1, 1), 7);
    CHECK_EQ(hint_of(store), 8);
    lrd_close(store);
}

static void a_page_is_a_collectors_as_long_as_it_lives(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    const lrd__thread *self = thread_of(store);
    lrd__thread other = {.slot_index = self->slot_index + 1};
    uint64_t mark = lrd__drain_mark(self);
    CHECK(lrd__page_collected(store, NULL, mark));
    CHECK(lrd__page_collected(store, &other, mark));
    CHECK(!lrd__page_collected(store, self, mark));
    CHECK(!lrd__page_collected(store, NULL, 0));
    CHECK(!lrd__page_collected(store, &other, 0));
    CHECK(!lrd__page_collected(store, NULL, mark + 1));
    CHECK(!lrd__page_collected(store, NULL, mark + ((uint64_t)1 << 32)));
    /* no slot has this number */
    CHECK(!lrd__page_collected(store, NULL, (uint64_t)(store->geo.slots + 1) << 32));
    lrd_close(store);
}

static void take_page_7(const char *name, void *arg)
{
    lrd_store *store = arg;
    if (strcmp(name, "page_claimed") == 0)
        atomic_store(&store->owners[7], lrd__owner_make(0, LRD__CLASS_RUN));
}

static void without_memory_only_whole_pages_are_claimed(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 1);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK_OK(lrd__pages_describe(store, 20));
    for (uint64_t page = 1; page < store->geo.pages; page++)
        atomic_store(&store->pages[page].committed,
                     page == 9 || page == 11 || page == 12 ? 16 : 15);
    atomic_store(&store->header->memory_until, UINT64_MAX);
    CHECK_EQ(claim_runs(store, 1, 9), 9);
    CHECK_EQ(claim_runs(store, 1, 9), 11);
    CHECK(owned(store, 9) && !owned(store, 10) && owned(store, 12) && !owned(store, 13));
    uint64_t first = 0;
    CHECK_OK(lrd__shard_lock(store, thread_of(store), 0));
    CHECK_CODE(lrd__claim_lowest(store, thread_of(store), 0, 1, 1, LRD__CLASS_RUN, &first),
               LRD_ENOSPC);
    lrd__shard_unlock(store, 0);
    CHECK_EQ(first, store->geo.pages);
    lrd_close(store);
}

static void a_claim_is_content_with_fewer_pages_if_another_was_faster(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 1);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK_EQ(claim_runs(store, 4, 4), 1);
    failpoint_hook(take_page_7, store);
    CHECK_EQ(claim_runs(store, 1, 3), 5);
    failpoint_hook(NULL, NULL);
    CHECK(owned(store, 5) && !owned(store, 6) && owned(store, 7));
    CHECK_EQ(claim_runs(store, 1, 3), 6);
    CHECK_EQ(hint_of(store), 7);
    lrd_close(store);
}

static void a_search_for_neighbours_leaves_a_single_page_to_others(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 64 * MIB, 1);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK_OK(lrd__pages_describe(store, store->geo.pages));
    for (uint64_t page = 1; page < store->geo.pages; page++)
        if (page != 5 && page != 300 && page != 301)
            atomic_store(&store->owners[page], lrd__owner_make(0, LRD__CLASS_RUN));
    CHECK_EQ(claim_runs(store, 2, 2), 300); /* the pages are in the second part of the search */
    CHECK_EQ(atomic_load(&store->header->neighbours), 300); /* the next search begins at page 300 */
    CHECK_EQ(hint_of(store), 5);
    CHECK_EQ(claim_runs(store, 1, 1), 5);
    lrd_close(store);
}

static void a_store_that_evicts_searches_a_part_of_its_pages(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 64 * MIB, 1);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    uint64_t pages = store->geo.pages;
    CHECK_EQ(pages, 1024);
    uint32_t high = atomic_load(&store->header->pages_high);
    CHECK(high < pages);
    /* search all pages, because some were never used */
    CHECK_EQ(lrd__claim_search_end(store, 100, 1, 0), pages);
    CHECK_EQ(lrd__claim_search_end(store, 100, 1, 1), 100 + 256);
    CHECK_EQ(lrd__claim_search_end(store, 100, 2, 0), 100 + 256);
    CHECK_EQ(lrd__claim_search_end(store, 100, 100, 0), 100 + 400);
    CHECK_EQ(lrd__claim_search_end(store, 900, 2, 0), pages);
    atomic_store(&store->header->pages_high, (uint32_t)pages);
    CHECK_EQ(lrd__claim_search_end(store, 100, 1, 0), 100 + 256);
    atomic_store(&store->header->pages_high, high);
    lrd_close(store);
    store = store_new(LRD_PINNED, 64 * MIB, 1);
    CHECK_EQ(lrd__claim_search_end(store, 100, 2, 16), pages);
    lrd_close(store);
}

/* The second half of a page of the shard is free, and so is the whole page after it. A run of more
 * than one page must use both. Memory is short, so the run can use only pages that already have
 * memory. */
static void a_run_extends_into_a_free_page_if_memory_is_short(void **state)
{
    (void)state;
    enum { HALF = 32000, LONG = 80000 };
    lrd_store *store = store_new(LRD_PINNED, 4 * MIB, 1);
    char key[16];
    unsigned count = 0;
    for (int code = LRD_OK; code == LRD_OK; count += code == LRD_OK) {
        snprintf(key, sizeof key, "half %u", count);
        code = put_value(store, key, HALF, 1, LRD_SET, 0);
    }
    CHECK(count > 100);
    for (unsigned i = 51; i < 54; i++) {
        snprintf(key, sizeof key, "half %u", i);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    CHECK_OK(lrd_sweep(store, NULL));
    atomic_store(&store->header->memory_until, UINT64_MAX);
    CHECK_OK(put_value(store, "long", LONG, 1, LRD_SET, 0));
    CHECK_FSCK(store);
    atomic_store(&store->header->memory_until, 0);
    lrd_close(store);
}

static void pages_need_memory_only_if_memory_is_short(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 1);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK_EQ(lrd__parts_wanted(store, LRD__CLASS_RUN), 0);
    atomic_store(&store->header->memory_until, UINT64_MAX);
    CHECK_EQ(lrd__parts_wanted(store, LRD__CLASS_RUN), 16);
    CHECK_EQ(lrd__parts_wanted(store, 0), 1);
    CHECK_EQ(lrd__parts_wanted(store, lrd__class_of(4096)), 1);
    CHECK_EQ(lrd__parts_wanted(store, lrd__class_of(4097)), 2);
    CHECK_EQ(lrd__parts_wanted(store, lrd__class_of(8192)), 2);
    atomic_store(&store->header->memory_until, 0);
    uint64_t high = atomic_load(&store->header->pages_high), mini = store->geo.pages;
    CHECK_OK(lrd__pages_describe(store, high + 2));
    atomic_store(&store->pages[high].committed, 5);
    CHECK_EQ(lrd__parts_of(store, high), 5);
    atomic_store(&store->header->pages_high, (uint32_t)high);
    CHECK_EQ(lrd__parts_of(store, high), 0); /* the page counts as never used */
    CHECK_EQ(lrd__parts_of(store, mini), atomic_load(&store->pages[mini].committed));
    CHECK(lrd__parts_of(store, mini) != 0);
    CHECK_EQ(lrd__parts_of(store, 0), atomic_load(&store->pages[0].committed));
    CHECK(lrd__parts_of(store, 0) >= 5);
    lrd_close(store);
}

static uint8_t parts_at(const lrd_store *store, uint64_t page)
{
    return atomic_load(&store->pages[page].committed);
}

/* Return true if the kernel can map memory before it is written. */
static bool can_populate(const lrd_store *store)
{
#ifndef LRD_SINGLE_ALIAS
    return madvise(store->window, LRD__PART, MADV_POPULATE_WRITE) == 0;
#else
    (void)store;
    return false;
#endif
}

static void a_page_is_committed_part_by_part(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 1);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    store->folio = 0; /* act as on a file system without large folios */
    uint32_t page = 20;
    CHECK_EQ(parts_at(store, page), 0);
    CHECK_OK(lrd__commit_parts(store, page, 4096));
    CHECK_EQ(parts_at(store, page), 1);
    CHECK_OK(lrd__commit_parts(store, page, 4097));
    CHECK_EQ(parts_at(store, page), 2);
    /* a commit at least doubles the number of parts */
    CHECK_OK(lrd__commit_parts(store, page, 8193));
    CHECK_EQ(parts_at(store, page), 4);
    CHECK_OK(lrd__commit_parts(store, page, 9 * 4096 + 1));
    CHECK_EQ(parts_at(store, page), 10);
    CHECK_OK(lrd__commit_parts(store, page, 10 * 4096 + 1));
    CHECK_EQ(parts_at(store, page), 16);
    CHECK_EQ(parts_at(store, page - 1), 0);
    CHECK_EQ(parts_at(store, page + 1), 0);
    /* Mini pages are committed in groups of eight. The last group ends with the last mini page. */
    uint32_t mini = (uint32_t)store->geo.pages_all - 20;
    CHECK_EQ(parts_at(store, mini), 0);
    CHECK_OK(lrd__commit_parts(store, mini, 100));
    for (uint32_t i = 0; i < 20; i++)
        CHECK_EQ(parts_at(store, mini + i), i < 8);
    /* The committed mini pages are mapped, too, if the kernel can map memory before it is
     * written. */
    for (uint32_t i = 0; i < 20; i++)
        CHECK_EQ(atomic_load(&store->mapped_minis) >> (mini + i - store->geo.pages) & 1,
                 i < 8 && can_populate(store));
    struct stat before, after;
    /* the bytes after the last page's description */
    char behind[LRD__MINI_STEP * sizeof(lrd__page)];
    memcpy(behind, store->pages + store->geo.pages_all, sizeof behind);
    CHECK_EQ(fstat(store->fd, &before), 0);
    CHECK_OK(lrd__commit_parts(store, mini + 17, 100));
    CHECK_EQ(fstat(store->fd, &after), 0);
    CHECK_EQ(after.st_size, before.st_size); /* the file already ended with the last mini page */
    CHECK_EQ(memcmp(behind, store->pages + store->geo.pages_all, sizeof behind), 0);
    for (uint32_t i = 0; i < 20; i++)
        CHECK_EQ(parts_at(store, mini + i), i < 8 || i >= 17);
    atomic_store(&store->header->memory_until, UINT64_MAX);
    CHECK_CODE(lrd__commit_parts(store, page + 1, 100), LRD_ENOSPC);
    CHECK_EQ(parts_at(store, page + 1), 0);
    lrd_close(store);
}

static void a_run_is_committed_where_it_has_no_memory(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, 8 * MIB, 1);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    store->folio = 0;
    uint64_t page = 20, offset = page << LRD__PAGE_BITS, bare = 1;
    uint64_t bytes = 3 * LRD__PAGE + 4097; /* three pages and two parts */
    CHECK_OK(lrd__commit_run(store, offset, bytes, &bare));
    CHECK_EQ(bare, offset); /* the whole run was uncommitted */
    static const uint8_t parts[] = {16, 16, 16, 2, 0};
    for (uint64_t i = 0; i < sizeof parts; i++)
        CHECK_EQ(parts_at(store, page + i), parts[i]);
    bare = 1;
    CHECK_OK(lrd__commit_run(store, offset, bytes, &bare));
    CHECK_EQ(bare, 1);
    atomic_store(&store->pages[page + 1].committed, 3);
    CHECK_OK(lrd__commit_run(store, offset, bytes, &bare));
    CHECK_EQ(bare, offset + LRD__PAGE + 3 * LRD__PART);
    for (uint64_t i = 0; i < sizeof parts; i++)
        CHECK_EQ(parts_at(store, page + i), parts[i]);
    atomic_store(&store->pages[page].committed, 15);
    atomic_store(&store->pages[page + 3].committed, 1);
    CHECK_OK(lrd__commit_run(store, offset, bytes, &bare));
    CHECK_EQ(bare, offset + 3 * LRD__PAGE + LRD__PART); /* the second of two uncommitted pieces */
    CHECK_EQ(parts_at(store, page), 16);
    CHECK_EQ(parts_at(store, page + 3), 2);
    CHECK_OK(lrd__commit_run(store, offset, bytes - 1, &bare));
    CHECK_EQ(parts_at(store, page + 3), 2);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_runs_replace_the_oldest_one),
        cmocka_unit_test(a_run_is_taken_again_if_all_its_units_are_free),
        cmocka_unit_test(a_writer_without_room_in_its_lane_uses_another_lane),
        cmocka_unit_test(a_writer_that_was_often_without_room_claims_a_page),
        cmocka_unit_test(where_every_page_was_used_all_writers_use_one_lane),
        cmocka_unit_test(the_first_step_of_reclaiming_is_not_too_small),
        cmocka_unit_test(each_length_of_run_has_its_gap),
        cmocka_unit_test(gaps_are_lowered_to_a_page_that_has_free_units),
        cmocka_unit_test(gaps_leave_a_page_for_the_one_before),
        cmocka_unit_test(a_search_begins_at_the_gap_and_a_little_below),
        cmocka_unit_test(a_small_shard_begins_with_mini_pages),
        cmocka_unit_test(a_shard_of_many_may_own_two_mini_pages),
        cmocka_unit_test(mini_pages_without_memory_are_searched_again),
        cmocka_unit_test(the_last_mini_pages_serve_a_shard_that_finds_no_other_page),
        cmocka_unit_test(values_use_free_units_before_entries_are_evicted),
        cmocka_unit_test(a_young_shard_takes_a_larger_block_before_it_begins_a_page),
        cmocka_unit_test(pages_are_claimed_from_the_lowest_free_one_on),
        cmocka_unit_test(a_page_is_a_collectors_as_long_as_it_lives),
        cmocka_unit_test(without_memory_only_whole_pages_are_claimed),
        cmocka_unit_test(a_claim_is_content_with_fewer_pages_if_another_was_faster),
        cmocka_unit_test(a_search_for_neighbours_leaves_a_single_page_to_others),
        cmocka_unit_test(a_store_that_evicts_searches_a_part_of_its_pages),
        cmocka_unit_test(pages_need_memory_only_if_memory_is_short),
        cmocka_unit_test(a_page_is_committed_part_by_part),
        cmocka_unit_test(a_run_is_committed_where_it_has_no_memory),
        cmocka_unit_test(a_run_extends_into_a_free_page_if_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
