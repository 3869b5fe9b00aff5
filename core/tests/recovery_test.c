/* recovery_test.c - a writer dies with a shard's lock, or a test damages a shard. lrd_fsck() must
 * find the damage. The next writer rebuilds the shard or, if that is impossible, empties it. */
#include "support.h"

#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define KEYS 400

static size_t size_of(int i) { return i % 40 == 0 ? 20000 : (size_t)(i % 7) * 150; }

static void fill(lrd_store *store)
{
    lrd_info info;
    char key[32];
    lrd_store_info(store, &info);
    bool expires = info.policy == LRD_VOLATILE || info.policy == LRD_SESSION;
    for (int i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, size_of(i), (uint64_t)i, LRD_ADD,
                           expires && i % 3 == 0 ? 600000 + (uint64_t)i * 1000 : 0));
    }
}

static int count_entries(lrd_store *store)
{
    char key[32];
    int found = 0;
    for (int i = 0; i < KEYS; i++) {
        size_t size;
        snprintf(key, sizeof key, "key %d", i);
        if (get_checked(store, key, &size, NULL) == LRD_MISS)
            continue;
        CHECK_EQ(size, size_of(i));
        found++;
    }
    return found;
}

static void lock_and_die(void *arg)
{
    CHECK_OK(lrd__shard_lock(arg, NULL, 0));
    kill(getpid(), SIGKILL);
}

static void die_in_the_midst_of_timers(const char *name, void *arg)
{
    int *left = arg;
    if (strcmp(name, "recover_timer") == 0 && --*left == 0)
        kill(getpid(), SIGKILL);
}

static int dying_entry; /* the recoverer dies when it has reached this number of entries */

static void recover_and_die(void *arg)
{
    int left = dying_entry;
    failpoint_hook(die_in_the_midst_of_timers, &left);
    touch_all_shards(arg);
}

static void die_with_a_page(const char *name, void *unused)
{
    (void)unused;
    if (strcmp(name, "page_claimed") == 0)
        kill(getpid(), SIGKILL);
}

static void claim_and_die(void *arg)
{
    char key[32];
    failpoint_hook(die_with_a_page, NULL);
    for (unsigned i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "more %u", i);
        put_value(arg, key, 20000, i, LRD_SET, 0);
    }
}

static int violations(lrd_store *store) { return lrd_fsck(store, NULL, NULL); }

/* ---- deaths ---- */

/* A process dies after it claimed a free page that a collector has marked. The recovery gives the
 * page back, and must keep the mark. */
static void a_page_stays_its_collectors_when_who_claimed_it_dies(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 2 * MIB, 1);
    uint64_t free = 0;
    fill(store);
    uint64_t mark = lrd__drain_mark(lrd__threads[store->id]);
    CHECK_OK(lrd__pages_describe(store, store->geo.pages));
    for (uint64_t p = 0; p < store->geo.pages; p++)
        if (lrd__page_owner(store, p) == 0) {
            atomic_store(&store->pages[p].drain, mark);
            free++;
        }
    CHECK(free > 0);
    CHECK_KILLED(run_in_child(claim_and_die, store), SIGKILL);
    touch_all_shards(store);
    CHECK_EQ(stats_of(store).recoveries, 1);
    for (uint64_t p = 0; p < store->geo.pages; p++)
        if (lrd__page_owner(store, p) == 0) {
            CHECK_EQ(atomic_load(&store->pages[p].drain), mark);
            free--;
        }
    CHECK_EQ(free, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void the_next_writer_recovers_and_readers_need_not_wait(void **state)
{
    (void)state;
    for (int policy = LRD_VOLATILE; policy <= LRD_SESSION; policy++) {
        lrd_store *store = store_new((lrd_policy)policy, 2 * MIB, 1);
        lrd_value held;
        fill(store);
        CHECK_OK(lrd_get(store, "key 5", 5, 0, &held));
        uint64_t sum = checksum(held.data, held.size);
        for (int death = 1; death <= 20; death++) {
            CHECK_KILLED(run_in_child(lock_and_die, store), SIGKILL);
            CHECK_EQ(stats_of(store).recoveries, death - 1);
            CHECK_EQ(count_entries(store), KEYS);
            char key[32];
            snprintf(key, sizeof key, "new %d", death);
            CHECK_OK(put_value(store, key, 500, 1, LRD_ADD, 0));
            CHECK_EQ(stats_of(store).recoveries, death);
            CHECK_EQ(stats_of(store).entries, KEYS + death);
            CHECK_EQ(count_entries(store), KEYS);
            CHECK_FSCK(store);
        }
        CHECK_EQ(checksum(held.data, held.size), sum);
        CHECK_OK(lrd_release(store, &held));
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK_EQ(stats_of(store).retired_bytes, 0);
        CHECK_EQ(stats_of(store).emptied_shards, 0);
        CHECK_EQ(allocated_bytes(store), stats_of(store).live_bytes);
        lrd_close(store);
    }
}

static void no_time_to_live_is_lost_when_recoverers_die(void **state)
{
    (void)state;
    enum { ENTRIES = 20 };
    test_clock *clock = clock_new();
    lrd_store *store = store_with_clock(LRD_SESSION, MIB, 1, clock);
    char key[32];
    for (int i = 0; i < ENTRIES; i++) {
        snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(put_value(store, key, 100, 1, LRD_SET, 60000));
    }
    for (dying_entry = 1; dying_entry <= ENTRIES; dying_entry++) {
        check_context("died at entry %d", dying_entry);
        CHECK_KILLED(run_in_child(lock_and_die, store), SIGKILL);
        CHECK_KILLED(run_in_child(recover_and_die, store), SIGKILL);
        touch_all_shards(store);
        CHECK_FSCK(store);
    }
    check_context("%s", "");
    *clock += 120000;
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).entries, 0);
    lrd_close(store);
}

typedef struct scene {
    lrd_store *store;
    gate held, checked;
} scene;

static void hold_deleted_value(void *arg)
{
    scene *s = arg;
    lrd_value value;
    CHECK_OK(lrd_get(s->store, "key 40", 6, 0, &value));
    uint64_t sum = checksum(value.data, value.size);
    gate_open(&s->held);
    gate_wait(&s->checked);
    CHECK_EQ(checksum(value.data, value.size), sum);
    CHECK_OK(lrd_release(s->store, &value));
}

/* Timers have memory beyond the end of the index. A recovery must not change these timers. */
static void timers_behind_the_index_are_left_alone(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_VOLATILE, 2 * MIB, 1);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 60000));
    uint32_t slots = lrd__shard_slots(store);
    CHECK(slots / LRD__WAYS % LRD__TIMER_CHUNK != 0);
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    CHECK_OK(lrd__timer_commit(store, 0, slots - 1));
    lrd__shard_unlock(store, 0);
    lrd__timer *behind = store->timers + lrd__slot_number(store, 0, slots);
    behind->tick = 7;
    CHECK_KILLED(run_in_child(lock_and_die, store), SIGKILL);
    CHECK_OK(put_value(store, "key", 100, 2, LRD_SET, 60000));
    CHECK_EQ(stats_of(store).recoveries, 1);
    CHECK_EQ(behind->tick, 7);
    behind->tick = 0;
    CHECK_FSCK(store);
    lrd_close(store);
}

static void recovery_keeps_what_is_held_and_frees_what_is_not(void **state)
{
    (void)state;
    scene *s = shared_memory(sizeof *s);
    lrd_store *store = s->store = store_new(LRD_PINNED, 2 * MIB, 1);
    fill(store);
    pid_t holder = start_child(hold_deleted_value, s);
    gate_wait(&s->held);
    CHECK_OK(lrd_delete(store, "key 40", 6)); /* another process holds this value */
    CHECK_OK(lrd_delete(store, "key 80", 6)); /* no process holds this value */
    CHECK_KILLED(run_in_child(lock_and_die, store), SIGKILL);
    touch_all_shards(store);
    CHECK(stats_of(store).retired_bytes >= 20000);
    CHECK(stats_of(store).retired_bytes < 25000);
    for (int i = 0; i < 20; i++) {
        char key[32];
        snprintf(key, sizeof key, "new %d", i);
        CHECK_OK(put_value(store, key, 20000, 1, LRD_SET, 0));
    }
    gate_open(&s->checked);
    CHECK_CHILD(wait_child(holder));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_EQ(count_entries(store), KEYS - 2);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void take_the_lock_armed(void *arg)
{
    scene *s = arg;
    failpoint_arm((uint64_t)atomic_load(&s->held));
    touch_all_shards(s->store);
    failpoint_disarm();
}

static void recoverers_may_die_too(void **state)
{
    (void)state;
    scene *s = shared_memory(sizeof *s);
    uint32_t k = 0;
    s->store = store_new(LRD_VOLATILE, 2 * MIB, 1);
    fill(s->store);
    uint64_t before = content_of(s->store);
    CHECK_KILLED(run_in_child(lock_and_die, s->store), SIGKILL);
    do {
        atomic_store(&s->held, ++k);
        int status = run_in_child(take_the_lock_armed, s);
        if (!failpoint_fired())
            CHECK_CHILD(status);
        CHECK_EQ(count_entries(s->store), KEYS);
    } while (failpoint_fired());
    CHECK(k > 5);
    CHECK_FSCK(s->store);
    CHECK_EQ(content_of(s->store), before);
    lrd_close(s->store);
}

/* ---- damage ---- */

/* Return the first index slot, from `from` on, whose entry is a run or, if run is false, a small
 * block. */
static uint32_t some_slot(const lrd_store *store, uint32_t from, bool run)
{
    for (uint32_t slot = from; slot < lrd__shard_slots(store); slot++) {
        uint64_t word = atomic_load(lrd__index_word(store, 0, slot));
        if (word == 0)
            continue;
        uint32_t owner = atomic_load(&store->owners[lrd__page_of(store, lrd__word_offset(word))]);
        if ((lrd__owner_class(owner) == LRD__CLASS_RUN) == run)
            return slot;
    }
    fail_msg("no such entry");
    return 0;
}

static uint64_t offset_of(const lrd_store *store, uint32_t slot)
{
    return lrd__word_offset(atomic_load(lrd__index_word(store, 0, slot)));
}

static lrd__page *page_of(const lrd_store *store, uint32_t slot)
{
    return &store->pages[lrd__page_of(store, offset_of(store, slot))];
}

/* Return the number of the block in its page. */
static uint32_t bit_of(const lrd_store *store, uint64_t offset)
{
    uint32_t owner = atomic_load(&store->owners[lrd__page_of(store, offset)]);
    return (uint32_t)(offset & (LRD__PAGE - 1)) / lrd__class_size(lrd__owner_class(owner));
}

static void flip(uint64_t *word, uint64_t bit) { *word ^= 1ull << bit % 64; }

static void word_to_a_free_block(lrd_store *store)
{
    uint32_t slot = some_slot(store, 0, false);
    uint64_t word = atomic_load(lrd__index_word(store, 0, slot));
    uint64_t last = store->geo.size - LRD__PAGE;
    CHECK_EQ(atomic_load(&store->owners[last >> LRD__PAGE_BITS]), 0);
    atomic_store(lrd__index_word(store, 0, slot),
                 lrd__word_make(lrd__word_tag(word), lrd__word_displacement(word), last));
}
static void word_beyond_the_data(lrd_store *store)
{
    uint32_t slot = some_slot(store, 0, false);
    atomic_store(lrd__index_word(store, 0, slot),
                 atomic_load(lrd__index_word(store, 0, slot)) | 0xfffffffffull);
}
static void word_into_a_block(lrd_store *store)
{
    uint32_t slot = some_slot(store, 0, false);
    atomic_fetch_add(lrd__index_word(store, 0, slot), 1);
}
static void two_words_of_one_block(lrd_store *store)
{
    uint32_t slot = some_slot(store, 0, false), other = some_slot(store, slot + 1, false);
    atomic_store(lrd__index_word(store, 0, other), atomic_load(lrd__index_word(store, 0, slot)));
}
static void wrong_tag(lrd_store *store)
{
    atomic_fetch_xor(lrd__index_word(store, 0, some_slot(store, 0, false)), 1ull << 50);
}
static void wrong_displacement(lrd_store *store)
{
    atomic_fetch_xor(lrd__index_word(store, 0, some_slot(store, 0, false)), 1ull << 36);
}
static unsigned entries_of(const lrd_store *store, uint64_t page)
{
    unsigned count = 0;
    for (uint32_t slot = 0; slot < lrd__shard_slots(store); slot++)
        if (atomic_load(lrd__index_word(store, 0, slot)) != 0)
            count += lrd__page_of(store, offset_of(store, slot)) == page;
    return count;
}

/* Return the owner word of a page of small blocks, for a test that damages the word. The page must
 * not contain the held value, because a recovery cannot protect held blocks in a page without an
 * owner word. The page must have at least 16 entries: the blocks of fewer entries could be valid in
 * another size class, too. */
static _Atomic uint32_t *some_owner(lrd_store *store)
{
    lrd_value held;
    CHECK_OK(lrd_get(store, "key 12", 6, LRD_GET_NO_COUNT, &held));
    uint64_t page =
        lrd__page_of(store, (uint64_t)((const char *)held.data - (const char *)store->data));
    CHECK_OK(lrd_release(store, &held));
    uint32_t slot = some_slot(store, 0, false);
    while (lrd__page_of(store, offset_of(store, slot)) == page ||
           entries_of(store, lrd__page_of(store, offset_of(store, slot))) < 16)
        slot = some_slot(store, slot + 1, false);
    return &store->owners[lrd__page_of(store, offset_of(store, slot))];
}
static void page_of_nobody(lrd_store *store) { atomic_store(some_owner(store), 0); }
static void page_of_another_class(lrd_store *store) { atomic_fetch_add(some_owner(store), 3); }

static void live_block_not_allocated(lrd_store *store)
{
    uint64_t offset = offset_of(store, some_slot(store, 0, false));
    uint32_t bit = bit_of(store, offset);
    flip(&store->bits[lrd__page_of(store, offset)].block[bit / 64].allocated, bit);
}
static void live_block_retired(lrd_store *store)
{
    uint64_t offset = offset_of(store, some_slot(store, 0, false));
    uint32_t bit = bit_of(store, offset);
    flip(&store->bits[lrd__page_of(store, offset)].block[bit / 64].retired, bit);
}
static void live_run_retired(lrd_store *store)
{
    uint64_t offset = offset_of(store, some_slot(store, 0, true));
    flip(&store->bits[lrd__page_of(store, offset)].block[0].retired, offset >> LRD__UNIT_BITS);
}
static void leaked_block(lrd_store *store)
{
    uint64_t page = lrd__page_of(store, offset_of(store, some_slot(store, 0, false)));
    uint32_t bit = 0;
    while (store->bits[page].block[bit / 64].allocated >> bit % 64 & 1)
        bit++;
    flip(&store->bits[page].block[bit / 64].allocated, bit);
    store->pages[page].used++;
}
static void wrong_used_count(lrd_store *store)
{
    page_of(store, some_slot(store, 0, false))->used++;
}
static void wrong_retired_count(lrd_store *store)
{
    page_of(store, some_slot(store, 0, false))->retired++;
}
static void page_out_of_its_list(lrd_store *store) { store->shards[0].small_pages = 0; }
static void run_page_out_of_its_list(lrd_store *store) { store->shards[0].run_pages = 0; }
static void page_list_in_a_circle(lrd_store *store)
{
    uint32_t head = store->shards[0].small_pages;
    store->pages[head - 1].next = head;
}
static void page_list_out_of_range(lrd_store *store)
{
    store->pages[store->shards[0].small_pages - 1].next = UINT32_MAX;
}
static void no_pages_with_room(lrd_store *store)
{
    memset(store->shards[0].avail, 0, sizeof store->shards[0].avail);
}
static void page_of_another_lane(lrd_store *store)
{
    for (uint32_t c = 0; c < LRD__CLASSES; c++)
        if (store->shards[0].avail[0][c] != 0)
            store->pages[store->shards[0].avail[0][c] - 1].lane = 200;
}
static void wrong_live_bytes(lrd_store *store)
{
    atomic_fetch_add(&store->shards[0].live_bytes, 64);
}
static void wrong_live_entries(lrd_store *store)
{
    atomic_fetch_sub(&store->shards[0].live_entries, 1);
}
static void wrong_retired_bytes(lrd_store *store)
{
    atomic_fetch_add(&store->shards[0].retired_bytes, 1);
}
static void wrong_page_bytes(lrd_store *store)
{
    atomic_fetch_sub(&store->shards[0].page_bytes, LRD__PAGE);
}
static void displaced_count_too_low(lrd_store *store)
{
    for (uint32_t slot = 0; slot < lrd__shard_slots(store); slot++)
        if (lrd__word_displacement(atomic_load(lrd__index_word(store, 0, slot))) > 0) {
            uint32_t bucket = slot / LRD__WAYS - 1;
            atomic_store(&lrd__bucket_of(store, 0, bucket)->displaced, 0);
            return;
        }
    fail_msg("no displaced entry");
}
static lrd__order *queued_most(lrd_store *store)
{
    lrd__order *most = store->shards[0].orders;
    for (uint32_t i = 0; i < LRD__ORDERS; i++)
        if (store->shards[0].orders[i].count > most->count)
            most = store->shards[0].orders + i;
    return most;
}
static void queue_cut(lrd_store *store) { queued_most(store)->small.head = 0; }
static void queue_in_a_circle(lrd_store *store)
{
    uint32_t head = queued_most(store)->small.head;
    store->links[lrd__slot_number(store, 0, head - 1)] = LRD__IN_SMALL | head;
}
static void sweep_in_no_queue(lrd_store *store)
{
    store->shards[0].sweeps = 0;
    store->shards[0].swept = lrd__shard_slots(store);
}
static void queue_bytes_wrong(lrd_store *store) { queued_most(store)->small_bytes += 64; }
static void page_of_no_class(lrd_store *store) { store->shards[0].class_bytes[7] += LRD__PAGE; }
static void wheel_cut(lrd_store *store)
{
    memset(store->shards[0].wheel, 0, sizeof store->shards[0].wheel);
}
static void wheel_tick_wrong(lrd_store *store)
{
    for (uint32_t slot = 0; slot < lrd__shard_slots(store); slot++)
        if (store->timers[lrd__slot_number(store, 0, slot)].tick != 0) {
            store->timers[lrd__slot_number(store, 0, slot)].tick += 1000;
            return;
        }
    fail_msg("no entry with a time to live");
}

static lrd__page *page_in_use(lrd_store *store)
{
    for (uint32_t slot = 0; slot < lrd__shard_slots(store); slot++) {
        uint64_t word = atomic_load(lrd__index_word(store, 0, slot));
        if (word != 0)
            return store->pages + lrd__page_of(store, lrd__word_offset(word));
    }
    fail_msg("no entry");
    return NULL;
}
static void page_with_too_little_memory(lrd_store *store) { page_in_use(store)->committed = 0; }
static void page_with_too_much_memory(lrd_store *store)
{
    page_in_use(store)->committed = LRD__PAGE_PARTS + 1;
}
static void run_page_with_too_little_memory(lrd_store *store)
{
    store->pages[store->shards[0].run_pages - 1].committed = LRD__PAGE_PARTS - 1;
}
static void pages_described_in_part(lrd_store *store) { store->header->pages_high |= 1; }
static void reclaim_step_too_large(lrd_store *store)
{
    store->shards[0].reclaim_step = lrd__batch_most(store) + 1;
}

static void waiting_pages_lost(lrd_store *store) { store->shards[0].waiting = 0; }
static void runs_sought_too_far_up(lrd_store *store)
{
    store->shards[0].gaps[0] = (lrd__gap){.units = 1, .from = LRD__NO_GAP};
}
static void held_bits_of_no_scan(lrd_store *store)
{
    store->bits[page_in_use(store) - store->pages].held[0] = 1;
}
static void unlinked_in_the_future(lrd_store *store)
{
    store->shards[0].unlinked_at = atomic_load(&store->header->barriers_begun) + 1;
}

typedef struct damage {
    const char *name;
    void (*inflict)(lrd_store *store);
    /* 1: recovery repairs the damage; 0: it empties the shard; -1: it cannot notice the damage */
    int rebuilt;
} damage;

#define DAMAGE(name, rebuilt)                                                                      \
    {                                                                                              \
#name, name, rebuilt                                                                       \
    }
static const damage damages[] = {
    DAMAGE(word_to_a_free_block, 0),
    DAMAGE(word_beyond_the_data, 0),
    DAMAGE(word_into_a_block, 0),
    DAMAGE(two_words_of_one_block, 0),
    DAMAGE(page_of_nobody, 0),
    DAMAGE(page_of_another_class, 0),
    DAMAGE(wrong_tag, -1),
    DAMAGE(wrong_displacement, -1),
    DAMAGE(live_block_not_allocated, 1),
    DAMAGE(live_block_retired, 1),
    DAMAGE(live_run_retired, 1),
    DAMAGE(leaked_block, 1),
    DAMAGE(wrong_used_count, 1),
    DAMAGE(wrong_retired_count, 1),
    DAMAGE(page_out_of_its_list, 1),
    DAMAGE(run_page_out_of_its_list, 1),
    DAMAGE(page_list_in_a_circle, 1),
    DAMAGE(page_list_out_of_range, 1),
    DAMAGE(no_pages_with_room, 1),
    DAMAGE(page_of_another_lane, 1),
    DAMAGE(wrong_live_bytes, 1),
    DAMAGE(wrong_live_entries, 1),
    DAMAGE(wrong_retired_bytes, 1),
    DAMAGE(wrong_page_bytes, 1),
    DAMAGE(displaced_count_too_low, 1),
    DAMAGE(queue_cut, 1),
    DAMAGE(queue_in_a_circle, 1),
    DAMAGE(sweep_in_no_queue, 1),
    DAMAGE(queue_bytes_wrong, 1),
    DAMAGE(page_of_no_class, 1),
    DAMAGE(wheel_cut, 1),
    DAMAGE(wheel_tick_wrong, -1),
    DAMAGE(page_with_too_little_memory, -1),
    DAMAGE(page_with_too_much_memory, -1),
    DAMAGE(run_page_with_too_little_memory, -1),
    DAMAGE(pages_described_in_part, -1),
    DAMAGE(reclaim_step_too_large, -1),
    DAMAGE(waiting_pages_lost, 1),
    DAMAGE(runs_sought_too_far_up, 1),
    DAMAGE(held_bits_of_no_scan, 1),
    DAMAGE(unlinked_in_the_future, 1),
};
#define DAMAGES (sizeof damages / sizeof *damages)

static bool has_displaced_entry(const lrd_store *store)
{
    for (uint32_t slot = 0; slot < lrd__shard_slots(store); slot++)
        if (lrd__word_displacement(atomic_load(lrd__index_word(store, 0, slot))) > 0)
            return true;
    return false;
}

/* Return a store in which some entry is not in its home bucket. The hash seed decides, so try until
 * there is one. */
static lrd_store *store_to_damage(lrd_policy policy)
{
    lrd_options options = {
        .policy = policy, .size = 4 * MIB, .shards = 1, .slots = 16, .entries_hint = 500};
    lrd_store *store;
    for (int tries = 0; tries < 1000; tries++) {
        CHECK_OK(lrd_open(&options, &store));
        fill(store);
        if (has_displaced_entry(store))
            return store;
        lrd_close(store);
    }
    fail_msg("no displaced entry in a thousand stores");
    return NULL;
}

static void the_checker_finds_every_kind_of_damage(void **state)
{
    (void)state;
    int unseen = 0;
    for (size_t i = 0; i < DAMAGES; i++) {
        lrd_store *store = store_to_damage(LRD_VOLATILE);
        CHECK_FSCK(store);
        damages[i].inflict(store);
        int found = violations(store);
        if (found <= 0)
            print_error("%s: lrd_fsck() gave %d\n", damages[i].name, found);
        unseen += found <= 0;
        lrd_close(store);
    }
    CHECK_EQ(unseen, 0);
}

static void recovery_rebuilds_what_can_be_derived(void **state)
{
    (void)state;
    for (size_t i = 0; i < DAMAGES; i++) {
        if (damages[i].rebuilt != 1)
            continue;
        lrd_store *store = store_to_damage(LRD_VOLATILE);
        damages[i].inflict(store);
        CHECK_KILLED(run_in_child(lock_and_die, store), SIGKILL);
        touch_all_shards(store);
        int found = violations(store);
        if (found != 0)
            check_failed(__FILE__, __LINE__, "%s: %d violations after recovery", damages[i].name,
                         found);
        CHECK_EQ(stats_of(store).emptied_shards, 0);
        CHECK_EQ(stats_of(store).entries, KEYS);
        CHECK_EQ(count_entries(store), KEYS);
        lrd_close(store);
    }
}

static void move_holds(const char *name, void *arg)
{
    lrd_store *store = arg;
    if (strcmp(name, "ledger_read") == 0)
        atomic_fetch_add(&store->header->handovers, 1);
}

/* Holds keep moving, so the recoverer's scans of ledgers fail. The recoverer must then treat all
 * blocks without an index word as held. The next scan frees these blocks. */
static void a_recovery_whose_scans_fail_frees_nothing(void **state)
{
    (void)state;
    lrd_store *store = store_new(LRD_PINNED, MIB, 1);
    char key[32];
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, i % 150, i, LRD_SET, 0));
    }
    for (unsigned scans = 0; scans < 2; scans++) {
        CHECK_KILLED(run_in_child(lock_and_die, store), SIGKILL);
        if (scans == 0)
            failpoint_hook(move_holds, store);
        CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
        failpoint_hook(NULL, NULL);
        const lrd__shard *shard = store->shards;
        uint64_t retired = atomic_load(&shard->retired_bytes);
        CHECK((retired > 0) == (scans == 0));
        for (uint64_t page = 0; scans == 0 && page < store->geo.pages_all; page++) {
            uint32_t owner = atomic_load(&store->owners[page]), places = 0;
            for (unsigned i = 0; owner != 0 && i < LRD__PAGE_WORDS; i++)
                places += (uint32_t)__builtin_popcountll(store->bits[page].block[i].allocated);
            CHECK_EQ(places,
                     owner != 0 ? lrd__page_blocks(store, page, lrd__owner_class(owner)) : 0);
        }
        CHECK_EQ(shard->reclaim_at, retired + lrd__batch_bytes(store));
        lrd__shard_unlock(store, 0);
        CHECK_EQ(violations(store), 0);
    }
    CHECK_EQ(stats_of(store).entries, 3000);
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_shard_that_contradicts_itself_is_emptied_and_serves_again(void **state)
{
    (void)state;
    for (int policy = LRD_VOLATILE; policy <= LRD_SESSION; policy++)
        for (size_t i = 0; i < DAMAGES; i++) {
            if (damages[i].rebuilt != 0)
                continue;
            lrd_store *store = store_to_damage((lrd_policy)policy);
            lrd_value held;
            CHECK_OK(lrd_get(store, "key 12", 6, 0, &held));
            uint64_t sum = checksum(held.data, held.size);
            damages[i].inflict(store);
            CHECK_KILLED(run_in_child(lock_and_die, store), SIGKILL);
            touch_all_shards(store);
            if (stats_of(store).emptied_shards != 1)
                check_failed(__FILE__, __LINE__, "%s: not emptied", damages[i].name);
            CHECK_EQ(stats_of(store).entries, 0);
            CHECK_EQ(count_entries(store), 0);
            CHECK_FSCK(store);
            if (policy == LRD_IMMUTABLE)
                CHECK(stats_of(store).page_bytes == 0);
            fill(store);
            CHECK_EQ(count_entries(store), KEYS);
            CHECK_EQ(checksum(held.data, held.size), sum);
            CHECK_OK(lrd_release(store, &held));
            CHECK_OK(lrd_sweep(store, NULL));
            CHECK_EQ(allocated_bytes(store), stats_of(store).live_bytes);
            CHECK_FSCK(store);
            lrd_close(store);
        }
}

static void die_while_emptying(const char *name, void *arg)
{
    int *left = arg;
    if (strcmp(name, "recover_emptied") == 0 && --*left == 0)
        kill(getpid(), SIGKILL);
}

static void empty_and_die(void *arg)
{
    int left = dying_entry;
    failpoint_hook(die_while_emptying, &left);
    touch_all_shards(arg);
}

/* In an immutable store, the core does not know which values are being read. So processes that die
 * while they empty a damaged shard must not free its pages. */
static void what_is_read_stays_when_an_immutable_shard_is_emptied_by_many(void **state)
{
    (void)state;
    static const int deaths[] = {1, 1, KEYS / 2, KEYS - KEYS / 2 - 2};
    for (size_t i = 0; i < DAMAGES; i++) {
        if (damages[i].rebuilt != 0)
            continue;
        lrd_store *store = store_to_damage(LRD_IMMUTABLE);
        lrd_value held;
        CHECK_OK(lrd_get(store, "key 12", 6, 0, &held));
        uint64_t sum = checksum(held.data, held.size);
        damages[i].inflict(store);
        CHECK_KILLED(run_in_child(lock_and_die, store), SIGKILL);
        for (size_t d = 0; d < sizeof deaths / sizeof *deaths; d++) {
            check_context("%s: death %zu", damages[i].name, d);
            dying_entry = deaths[d];
            CHECK_KILLED(run_in_child(empty_and_die, store), SIGKILL);
        }
        check_context("%s", damages[i].name);
        touch_all_shards(store);
        CHECK_EQ(stats_of(store).entries, 0);
        CHECK(stats_of(store).emptied_shards >= 1);
        CHECK_FSCK(store);
        fill(store);
        CHECK_EQ(count_entries(store), KEYS);
        CHECK_EQ(checksum(held.data, held.size), sum);
        CHECK_OK(lrd_release(store, &held));
        CHECK_FSCK(store);
        lrd_close(store);
        check_context("%s", "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_writer_recovers_and_readers_need_not_wait),
        cmocka_unit_test(a_page_stays_its_collectors_when_who_claimed_it_dies),
        cmocka_unit_test(recovery_keeps_what_is_held_and_frees_what_is_not),
        cmocka_unit_test(recoverers_may_die_too),
        cmocka_unit_test(no_time_to_live_is_lost_when_recoverers_die),
        cmocka_unit_test(the_checker_finds_every_kind_of_damage),
        cmocka_unit_test(recovery_rebuilds_what_can_be_derived),
        cmocka_unit_test(a_recovery_whose_scans_fail_frees_nothing),
        cmocka_unit_test(a_shard_that_contradicts_itself_is_emptied_and_serves_again),
        cmocka_unit_test(what_is_read_stays_when_an_immutable_shard_is_emptied_by_many),
        cmocka_unit_test(timers_behind_the_index_are_left_alone),
    };
    return cmocka_run_group_tests_name("recovery", tests, NULL, NULL);
}
