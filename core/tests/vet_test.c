/* vet_test.c - an unused file is adopted at once, and each shard is vetted (checked) at its first
 * use. Every call must vet the shards that it uses, even if other processes use the store, or are
 * killed or stopped. damage_test.c has the kinds of damage. */
#include "support.h"

#include "forbid.h"
#include "internal.h"
#include "values.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define SHARDS 8u
#define ENTRIES 400u
#define TTL 3600000u
#define FAR (LRD_SIZE_MAX - 4096) /* an offset behind the end of every store */

static const char *name_of(uint32_t i)
{
    static char key[16];
    snprintf(key, sizeof key, "key-%u", i);
    return key;
}

static size_t size_of(uint32_t i) { return i % 40 == 39 ? 18000 + i * 10 : i % 7 * 60; }

static lrd_store *open_policy(lrd_policy policy, uint32_t shards, bool created)
{
    lrd_options options = {.policy = policy,
                           .size = 4 * MIB,
                           .shards = shards,
                           .slots = 32,
                           .path = temp_path("vetted")};
    return store_open_named(&options, created);
}

static lrd_store *filled(lrd_policy policy, uint32_t shards, uint32_t entries)
{
    unlink(temp_path("vetted"));
    lrd_store *store = open_policy(policy, shards, true);
    for (uint32_t i = 0; i < entries; i++)
        CHECK_OK(put_value(store, name_of(i), size_of(i), i, LRD_ADD,
                           store->expires && i % 3 == 0 ? TTL : 0));
    return store;
}

static lrd_store *adopt(lrd_store *store)
{
    lrd_policy policy = (lrd_policy)store->geo.policy;
    uint32_t shards = store->geo.shards;
    lrd_close(store);
    return open_policy(policy, shards, false);
}

static uint32_t shard_of(const lrd_store *store, const char *key)
{
    return lrd__place_of(store, key, strlen(key)).shard_index;
}

static bool vetted(const lrd_store *store, uint32_t shard)
{
    return lrd__shard_vetted(store, shard);
}

static uint32_t count_vetted(const lrd_store *store)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < store->geo.shards; i++)
        count += vetted(store, i);
    return count;
}

static void check_entries(lrd_store *store, uint32_t entries)
{
    uint64_t seed;
    size_t size;
    for (uint32_t i = 0; i < entries; i++) {
        CHECK_OK(get_checked(store, name_of(i), &size, &seed));
        CHECK_EQ(size, size_of(i));
        CHECK_EQ(seed, value_cut_seed(size, i));
    }
}

/* ---- when shards are vetted ---- */

static void who_adopts_leaves_shards_to_who_uses_them(void **state)
{
    (void)state;
    lrd_store *store = adopt(filled(LRD_VOLATILE, SHARDS, ENTRIES));
    CHECK_EQ(count_vetted(store), 0);
    CHECK_OK(get_checked(store, name_of(7), NULL, NULL));
    CHECK(vetted(store, shard_of(store, name_of(7))));
    CHECK_EQ(count_vetted(store), 1);
    /* The fast path is off until all shards are vetted. Each get vets at most one more shard. */
    for (uint32_t calls = 0; count_vetted(store) < SHARDS; calls++) {
        uint32_t before = count_vetted(store);
        CHECK(lrd__threads[store->id]->usual == NULL);
        CHECK_CODE(get_checked(store, "no such key", NULL, NULL), LRD_MISS);
        CHECK(count_vetted(store) - before <= 1);
        CHECK(calls < SHARDS);
    }
    CHECK_CODE(get_checked(store, "no such key", NULL, NULL), LRD_MISS);
    CHECK(lrd__threads[store->id]->usual != NULL && lrd__threads[store->id]->fast);
    CHECK_EQ(store->header->settled, 1);
    check_entries(store, ENTRIES);
    CHECK_EQ(stats_of(store).emptied_shards, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Return the number of mini pages that consist of one block, the largest possible one. */
static uint32_t full_minis(const lrd_store *store)
{
    uint32_t count = 0;
    for (uint64_t page = store->geo.pages; page < store->geo.pages_all; page++) {
        uint32_t owner = atomic_load(&store->owners[page]);
        count += owner != 0 && lrd__class_size(lrd__owner_class(owner)) == LRD__MINI_BLOCK;
    }
    return count;
}

/* Store runs with one byte in their last unit, and blocks as large as a mini page. The adopter must
 * keep all of them. */
static void blocks_that_just_fit_are_kept(void **state)
{
    (void)state;
    lrd_options options = {.policy = LRD_PINNED,
                           .size = 16 * MIB,
                           .shards = 1,
                           .slots = 32,
                           .path = temp_path("fits")};
    lrd_store *store = store_open_named(&options, true);
    static const char *const keys[] = {"mini 1", "mini 2", "run 1", "run 2", "run 3", "run 4"};
    for (unsigned i = 0; i < 2; i++)
        CHECK_OK(put_value(store, keys[i], LRD__MINI_BLOCK - 96, 1, LRD_SET, 0));
    CHECK_EQ(full_minis(store), 2);
    size_t run = 20000;
    CHECK_OK(put_value(store, keys[2], run, 1, LRD_SET, 0));
    uint64_t bytes = stats_of(store).live_bytes;
    while (stats_of(store).live_bytes == bytes)
        CHECK_OK(put_value(store, keys[2], ++run, 1, LRD_SET, 0));
    CHECK_EQ(stats_of(store).live_bytes, bytes + LRD__UNIT);
    for (unsigned i = 3; i < 6; i++)
        CHECK_OK(put_value(store, keys[i], run, 1, LRD_SET, 0));
    CHECK_OK(lrd_sweep(store, NULL));
    bytes = stats_of(store).live_bytes;
    lrd_close(store);
    store = store_open_named(&options, false);
    for (unsigned i = 0; i < 6; i++)
        CHECK_OK(get_checked(store, keys[i], NULL, NULL));
    CHECK_EQ(stats_of(store).live_bytes, bytes);
    CHECK_EQ(stats_of(store).emptied_shards, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static _Atomic uint64_t *word_of(lrd_store *store, uint32_t item)
{
    lrd__place place = lrd__place_of(store, name_of(item), strlen(name_of(item)));
    CHECK_EQ(place.shard_index, 0);
    CHECK_OK(lrd__shard_lock(store, lrd__threads[store->id], 0));
    uint32_t slot = lrd__index_find(store, &place, name_of(item), strlen(name_of(item)));
    CHECK(slot != LRD__NO_SLOT);
    lrd__shard_unlock(store, 0);
    return lrd__index_word(store, 0, slot);
}

/* ---- vetting that fails ---- */

/* To vet a shard, the core commits its pages again. If this fails, the shard stays unvetted, and no
 * entry may be lost. */
static void check_after_failing_calls(lrd_policy policy)
{
    lrd_store *store = adopt(filled(policy, SHARDS, ENTRIES));
    lrd_cursor cursor = {0};
    lrd_value value;
    int fd = store->fd;
    CHECK_OK(lrd_request_begin(store)); /* claims a slot */
    store->fd = -1;
    for (uint32_t i = 0; i < ENTRIES; i++)
        CHECK_CODE(lrd_get(store, name_of(i), strlen(name_of(i)), 0, &value), LRD_ESYS);
    CHECK_CODE(lrd_has(store, name_of(1), strlen(name_of(1))), LRD_ESYS);
    CHECK_CODE(lrd_delete(store, name_of(1), strlen(name_of(1))), LRD_ESYS);
    CHECK_CODE(put_value(store, name_of(1), size_of(1), 9, LRD_SET, 0), LRD_ESYS);
    CHECK_CODE(lrd_next(store, &cursor, &value), LRD_ESYS);
    CHECK_EQ(stats_of(store).busy, 0);
    CHECK_EQ(count_vetted(store), 0);
    store->fd = fd;
    check_entries(store, ENTRIES);
    CHECK_EQ(stats_of(store).emptied_shards, 0);
    CHECK_EQ(count_vetted(store), SHARDS);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_shard_that_cannot_be_checked_now_is_checked_later(void **state)
{
    (void)state;
    check_after_failing_calls(LRD_VOLATILE);
    check_after_failing_calls(LRD_PINNED);
    check_after_failing_calls(LRD_SESSION);
}

/* lrd_entries_few() vets no shard. It returns false until other calls have vetted all shards,
 * because the shards' numbers of entries are not known before. */
static void few_entries_are_known_once_all_shards_are_checked(void **state)
{
    (void)state;
    lrd_store *store = adopt(filled(LRD_VOLATILE, SHARDS, ENTRIES));
    CHECK(!lrd_entries_few(store, UINT64_MAX));
    CHECK_EQ(count_vetted(store), 0);
    check_entries(store, ENTRIES);
    CHECK_EQ(count_vetted(store), SHARDS);
    CHECK(lrd_entries_few(store, ENTRIES));
    CHECK(!lrd_entries_few(store, ENTRIES - 1));
    lrd_close(store);
}

/* An iteration examines all entries in the index. Therefore it is slow while the index contains
 * many cleared entries, even if no entry lives. */
static void cleared_entries_are_not_few_until_they_leave_the_index(void **state)
{
    (void)state;
    uint64_t freed;
    lrd_store *store = filled(LRD_VOLATILE, SHARDS, ENTRIES);
    CHECK(lrd_entries_few(store, ENTRIES) && !lrd_entries_few(store, ENTRIES - 1));
    CHECK_OK(lrd_clear(store));
    CHECK(lrd_entries_few(store, ENTRIES) && !lrd_entries_few(store, ENTRIES - 1));
    CHECK_OK(put_value(store, "new", 100, 1, LRD_SET, 0));
    CHECK(!lrd_entries_few(store, ENTRIES / 2));
    CHECK_OK(lrd_sweep(store, &freed));
    CHECK(!lrd_entries_few(store, 0) && lrd_entries_few(store, 1));
    lrd_close(store);
}

static void forbid_memory(const char *name, void *arg)
{
    (void)arg;
    if (strcmp(name, "vet_adopted") == 0 && !forbid_call(SYS_fallocate, 0, 0, EPERM))
        _exit(EXIT_CANNOT);
}

/* Adopt a store of a kind whose shards are all vetted when it is opened. A filter forbids the call
 * that commits memory, so the opening must fail. */
static void adopt_without_rights(void *arg)
{
    lrd_options options = *(const lrd_options *)arg;
    lrd_store *store;
    failpoint_hook(forbid_memory, NULL);
    CHECK_CODE(lrd_open(&options, &store), LRD_ESYS);
}

static void a_store_that_cannot_be_checked_whole_is_adopted_later(void **state)
{
    (void)state;
    lrd_store *store = filled(LRD_IMMUTABLE, SHARDS, ENTRIES);
    lrd_options options = {.policy = LRD_IMMUTABLE,
                           .size = 4 * MIB,
                           .shards = SHARDS,
                           .slots = 32,
                           .path = temp_path("vetted")};
    lrd_close(store);
    CHECK_CHILD_OR_SKIP(run_in_child(adopt_without_rights, &options), "no seccomp");
    store = open_policy(LRD_IMMUTABLE, SHARDS, false);
    check_entries(store, ENTRIES);
    CHECK_EQ(stats_of(store).emptied_shards, 0);
    CHECK_FSCK(store);
    lrd_close(store);

    lrd_queue queue;
    lrd_message message;
    unlink(temp_path("vetted"));
    store = open_policy(LRD_QUEUE, 1, true);
    CHECK_OK(lrd_queue_open(store, "q", 1, 0, &queue));
    CHECK_OK(lrd_queue_push(store, queue, "body", 4, 1, NULL, NULL));
    lrd_close(store);
    options.policy = LRD_QUEUE;
    options.shards = 1;
    CHECK_CHILD_OR_SKIP(run_in_child(adopt_without_rights, &options), "no seccomp");
    store = open_policy(LRD_QUEUE, 1, false);
    CHECK_OK(lrd_queue_pop(store, queue, LRD_GET_BORROW, 0, 0, &message));
    CHECK_EQ(message.value.size, 4);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* An index word names a block in another shard's page. The adopter must drop the word, and must not
 * change the page. */
static void a_run_in_a_page_of_another_shard_is_dropped(void **state)
{
    (void)state;
    lrd_store *store = filled(LRD_VOLATILE, 2, ENTRIES);
    uint32_t item = 39;
    while (shard_of(store, name_of(item)) != 0) {
        item += 40;
        if (item >= ENTRIES) { /* The hash seed is random. One store in 1,024 has no such key. */
            lrd_close(store);
            store = filled(LRD_VOLATILE, 2, ENTRIES);
            item = 39;
        }
    }
    uint64_t offset = lrd__word_offset(atomic_load(word_of(store, item)));
    uint64_t page = lrd__page_of(store, offset);
    CHECK_EQ(atomic_load(&store->owners[page]), lrd__owner_make(0, LRD__CLASS_RUN));
    atomic_store(&store->owners[page], lrd__owner_make(1, LRD__CLASS_RUN));
    store->bits[page].block[0].allocated = 0;
    store->run_len[offset >> LRD__UNIT_BITS] = 0;
    store = adopt(store);
    CHECK_CODE(get_checked(store, name_of(item), NULL, NULL), LRD_MISS);
    CHECK(vetted(store, 0) && !vetted(store, 1));
    CHECK_EQ(store->run_len[offset >> LRD__UNIT_BITS], 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* An index word names the first byte after the last page. The memory after the owner words looks as
 * if this page existed. */
static void a_block_behind_the_last_page_is_dropped(void **state)
{
    (void)state;
    lrd_options options = {
        .size = 4 * MIB + LRD__PAGE, .shards = 2, .slots = 32, .path = temp_path("behind")};
    lrd_store *store = store_open_named(&options, true);
    uint64_t all = store->geo.pages_all, behind = lrd__page_start(store, all);
    uint32_t item = 0;
    for (uint32_t i = 0; i < ENTRIES; i++)
        CHECK_OK(put_value(store, name_of(i), size_of(i), i, LRD_ADD, 0));
    while (shard_of(store, name_of(item)) != 0)
        item++;
    CHECK(store->geo.owners_at + all * sizeof *store->owners < store->geo.pages_at);
    _Atomic uint64_t *word = word_of(store, item);
    *word = lrd__word_make(lrd__word_tag(*word), lrd__word_displacement(*word), behind);
    atomic_store(&store->owners[all], lrd__owner_make(0, 0));
    /* The vetting of shard 0 resets the descriptions of free pages. Give page 0 to the other shard,
     * so that the vetting does not change page 0. */
    atomic_store(&store->owners[0], lrd__owner_make(1, 0));
    atomic_store(&store->pages[all].committed, LRD__PAGE_PARTS);
    lrd_close(store);
    store = store_open_named(&options, false);
    CHECK_CODE(get_checked(store, name_of(item), NULL, NULL), LRD_MISS);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* The file has quotas of threads that do not exist, and a page of a shard that does not exist. The
 * adopter must reset both. */
static void what_a_damaged_file_says_of_threads_and_owners_does_not_count(void **state)
{
    (void)state;
    lrd_store *store = filled(LRD_VOLATILE, SHARDS, ENTRIES);
    uint64_t high = lrd__pages_high(store), free = 0;
    CHECK_OK(lrd_sweep(store, NULL));
    while (free < high && atomic_load(&store->owners[free]) != 0)
        free++;
    CHECK(free < high);
    atomic_store(&store->owners[free], lrd__owner_make(SHARDS, 3));
    for (uint32_t i = 0; i < store->geo.slots; i++)
        atomic_store(&store->quotas[i], 77);
    store = adopt(store);
    for (uint32_t i = 0; i < store->geo.slots; i++)
        CHECK_EQ(atomic_load(&store->quotas[i]), 0);
    CHECK_EQ(atomic_load(&store->owners[free]), 0);
    check_entries(store, ENTRIES);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Without memory for timers, the adopter must still keep entries with a time to live. */
static void what_expires_is_adopted_though_memory_is_short(void **state)
{
    (void)state;
    lrd_store *store = filled(LRD_VOLATILE, SHARDS, ENTRIES);
    atomic_store(&store->header->memory_until, UINT64_MAX);
    store = adopt(store);
    CHECK_EQ(store->header->memory_until, 0);
    uint64_t buckets = (uint64_t)store->geo.shards * lrd__shard_buckets(store);
    memset((void *)store->timed, 0, (buckets + LRD__TIMER_CHUNK - 1) / LRD__TIMER_CHUNK);
    atomic_store(&store->header->memory_until, UINT64_MAX);
    check_entries(store, ENTRIES);
    CHECK_EQ(stats_of(store).emptied_shards, 0);
    CHECK_FSCK(store);
    atomic_store(&store->header->memory_until, 0);
    lrd_close(store);
}

static void an_immutable_store_is_vetted_whole(void **state)
{
    (void)state;
    lrd_store *store = adopt(filled(LRD_IMMUTABLE, SHARDS, ENTRIES));
    CHECK_EQ(count_vetted(store), SHARDS);
    CHECK_EQ(store->header->settled, 1);
    check_entries(store, ENTRIES);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void adopting_takes_no_memory(void **state)
{
    (void)state;
    struct stat before, after;
    lrd_store *store = filled(LRD_VOLATILE, SHARDS, ENTRIES);
    CHECK_OK(fstat(store->fd, &before));
    store = adopt(store);
    check_entries(store, ENTRIES);
    CHECK_FSCK(store);
    CHECK_OK(fstat(store->fd, &after));
    CHECK(after.st_blocks <= before.st_blocks);
    lrd_close(store);
}

/* ---- each call vets the shards it uses ---- */

#define KEY "key-1"
#define KEY_LEN 5u

static void by_get(lrd_store *store) { CHECK_CODE(get_checked(store, KEY, NULL, NULL), LRD_MISS); }

/* After lrd_holds_end(), gets may use the fast path for another minute. A get from a shard that is
 * not vetted yet must not use the fast path. */
static void by_get_after_holds_end(lrd_store *store)
{
    CHECK_OK(lrd_request_begin(store));
    CHECK_EQ(lrd_holds_end(store, NULL, 0), 0);
    CHECK_CODE(get_checked(store, KEY, NULL, NULL), LRD_MISS);
    CHECK_OK(lrd_request_end(store));
}

static void by_borrow(lrd_store *store)
{
    lrd_value value;
    CHECK_CODE(lrd_get(store, KEY, KEY_LEN, LRD_GET_BORROW, &value), LRD_MISS);
    CHECK_CODE(lrd_get(store, KEY, KEY_LEN, LRD_GET_PLAIN | LRD_GET_NO_COPY, &value), LRD_MISS);
}

static void by_has(lrd_store *store) { CHECK_CODE(lrd_has(store, KEY, KEY_LEN), LRD_MISS); }

static void by_add(lrd_store *store)
{
    CHECK_OK(put_value(store, KEY, 2000, 1, LRD_ADD, 0));
    CHECK_CODE(put_value(store, KEY, 20, 1, LRD_ADD, 0), LRD_EXISTS);
}

static void by_set(lrd_store *store) { CHECK_OK(put_value(store, KEY, 20, 1, LRD_SET, 0)); }

static void by_delete(lrd_store *store) { CHECK_CODE(lrd_delete(store, KEY, KEY_LEN), LRD_MISS); }

static void by_touch(lrd_store *store) { CHECK_CODE(lrd_touch(store, KEY, KEY_LEN, 5), LRD_MISS); }

static void by_counting(lrd_store *store)
{
    int64_t result;
    CHECK_OK(lrd_counter_add(store, KEY, KEY_LEN, 1, 5, 0, &result));
    CHECK_EQ(result, 6);
}

static void by_updating(lrd_store *store)
{
    int64_t result;
    CHECK_CODE(lrd_counter_update(store, KEY, KEY_LEN, 1, &result), LRD_MISS);
}

static void by_swapping(lrd_store *store)
{
    CHECK_CODE(lrd_counter_swap(store, KEY, KEY_LEN, 1, 2), LRD_MISS);
}

static void by_setting_a_counter(lrd_store *store)
{
    CHECK_OK(lrd_counter_set(store, KEY, KEY_LEN, 1, 0));
}

static void by_reserving_the_key(lrd_store *store)
{
    uint64_t token;
    CHECK_OK(lrd_lock(store, KEY, KEY_LEN, 0, 0, &token));
    CHECK_OK(lrd_unlock(store, KEY, KEY_LEN, token));
}

static void by_iterating(lrd_store *store)
{
    lrd_cursor cursor = {0};
    lrd_value value;
    CHECK_CODE(lrd_next(store, &cursor, &value), LRD_END);
    CHECK_EQ(count_vetted(store), SHARDS);
}

static void by_sweeping(lrd_store *store)
{
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(count_vetted(store), SHARDS);
}

static void by_statistics(lrd_store *store)
{
    CHECK_EQ(stats_of(store).entries, 0);
    CHECK_EQ(count_vetted(store), SHARDS);
}

static void by_checking(lrd_store *store)
{
    CHECK_FSCK(store);
    CHECK_EQ(count_vetted(store), SHARDS);
}

static void by_clearing(lrd_store *store)
{
    CHECK_OK(lrd_clear(store));
    by_get(store);
}

/* A value of several pages needs pages of other shards, which must be vetted first. */
static void by_making_room(lrd_store *store)
{
    for (uint32_t i = 0; i < 8; i++)
        CHECK_OK(put_value(store, name_of(i), 600000, i, LRD_SET, 0));
}

/* Make each index word name a place beyond the data. A process that follows such a word crashes. */
static void lead_astray(lrd_store *store)
{
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        for (uint32_t slot = 0; slot < lrd__shard_slots(store); slot++) {
            _Atomic uint64_t *at = lrd__index_word(store, shard, slot);
            uint64_t word = *at;
            if (word != 0)
                *at = lrd__word_make(lrd__word_tag(word), lrd__word_displacement(word), FAR);
        }
}

static void every_way_into_a_shard_vets_it(void **state)
{
    (void)state;
    static void (*const ways[])(lrd_store *) = {by_get,        by_get_after_holds_end,
                                                by_borrow,     by_has,
                                                by_add,        by_set,
                                                by_delete,     by_touch,
                                                by_counting,   by_updating,
                                                by_swapping,   by_iterating,
                                                by_sweeping,   by_statistics,
                                                by_checking,   by_setting_a_counter,
                                                by_clearing,   by_reserving_the_key,
                                                by_making_room};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        lrd_store *store = filled(LRD_VOLATILE, SHARDS, ENTRIES);
        lead_astray(store);
        store = adopt(store);
        ways[i](store);
        CHECK(vetted(store, shard_of(store, KEY)));
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

/* ---- damage ---- */

/* Return a store whose shard 0 is in the middle of a doubling, with entries in old and new
 * homes. */
static lrd_store *doubling(lrd_policy policy, uint32_t *entries)
{
    lrd_store *store = filled(policy, 2, 0);
    uint32_t before = store->geo.buckets;
    for (*entries = 0;
         store->view->mask == store->view->next || store->shards[0].homes < before + 6;
         ++*entries) {
        CHECK(*entries < 10000);
        CHECK_OK(put_value(store, name_of(*entries), 40, *entries, LRD_ADD, 0));
        if (store->view->mask == store->view->next)
            before = store->shards[0].homes;
    }
    return store;
}

/* Damage the first index word of shard 0 in the buckets from `from` to `to` - 1. */
static void damage(lrd_store *store, uint32_t from, uint32_t to)
{
    for (uint32_t slot = from * LRD__WAYS; slot < to * LRD__WAYS; slot++) {
        _Atomic uint64_t *at = lrd__index_word(store, 0, slot);
        if (*at != 0) {
            *at = lrd__word_make(lrd__word_tag(*at), lrd__word_displacement(*at), FAR);
            return;
        }
    }
    CHECK(!"a word to damage");
}

static void a_damaged_table_of_either_generation_is_found(void **state)
{
    (void)state;
    static const lrd_policy policies[] = {LRD_VOLATILE, LRD_PINNED, LRD_SESSION};
    for (size_t p = 0; p < 3; p++)
        /* which homes of shard 0 are damaged; 1: an old one, 2: a new one, 3: one of each */
        for (unsigned which = 1; which < 4; which++) {
            uint32_t entries, missing = 0;
            lrd_store *store = doubling(policies[p], &entries);
            uint32_t homes = store->shards[0].homes;
            uint32_t old = (uint32_t)lrd__grow_homes(&store->geo, store->view->mask);
            if (which & 1)
                damage(store, 0, old);
            if (which & 2)
                damage(store, old, homes);
            store = adopt(store);
            CHECK_EQ(count_vetted(store), 0);
            for (uint32_t i = 0; i < entries; i++) {
                int code = get_checked(store, name_of(i), NULL, NULL);
                missing += code == LRD_MISS;
                if (code == LRD_MISS)
                    CHECK_EQ(shard_of(store, name_of(i)), 0);
            }
            CHECK_EQ(missing, which == 3 ? 2 : 1);
            CHECK_EQ(stats_of(store).emptied_shards, 1);
            CHECK_EQ(stats_of(store).entries, entries - missing);
            CHECK_FSCK(store);
            for (uint32_t i = 0; i < 2 * entries; i++)
                CHECK_OK(put_value(store, name_of(i), 40, i, LRD_SET, 0));
            CHECK(store->view->mask != LRD__MASK_FIRST);
            CHECK_EQ(stats_of(store).entries, 2 * entries);
            CHECK_FSCK(store);
            lrd_close(store);
        }
}

/* The adopter must remove the marks that collectors left in pages. A mark names a slot, and a
 * living process could get the same slot. */
static void marks_of_collectors_do_not_come_back(void **state)
{
    (void)state;
    lrd_store *store = filled(LRD_VOLATILE, SHARDS, ENTRIES);
    uint64_t high = lrd__pages_high(store);
    CHECK_OK(lrd_delete(store, name_of(39), strlen(name_of(39))));
    for (uint64_t p = 0; p < high; p++)
        store->pages[p].drain = (uint64_t)1 << 32 | 1;
    store = adopt(store);
    for (uint64_t p = 0; p < high; p++)
        CHECK_EQ(store->pages[p].drain, 0);
    check_entries(store, 39);
    CHECK_OK(lrd_sweep(store, NULL));
    for (uint64_t p = 0; p < high; p++)
        CHECK_EQ(store->pages[p].drain, 0);
    lrd_close(store);
}

/* The file says that no page was ever described (pages_high is 0), but the descriptions contain
 * nonsense. A shard that claims such a page must not believe its description. */
static void descriptions_that_do_not_count_are_forgotten(void **state)
{
    (void)state;
    lrd_store *store = filled(LRD_VOLATILE, 1, ENTRIES);
    for (uint64_t p = 0; p < lrd__pages_high(store); p++) {
        store->pages[p].next = store->pages[p].next != 0 ? 0x7ffffff0 : 0;
        store->pages[p].committed = UINT8_MAX;
        store->pages[p].drain = (uint64_t)1 << 32 | 1;
    }
    store->header->pages_high = 0;
    store = adopt(store);
    for (uint32_t i = 0; i < 2 * ENTRIES; i++)
        CHECK_OK(put_value(store, name_of(i), 60000, i, LRD_SET, 0));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- other processes that use the store ---- */

static lrd_store *shared_store;

static void stop_here(const char *name, void *arg)
{
    (void)arg;
    if (strcmp(name, "vet_paged") == 0)
        raise(SIGSTOP);
}

static void vet_and_stop(void *arg)
{
    (void)arg;
    failpoint_hook(stop_here, NULL);
    get_checked(shared_store, KEY, NULL, NULL);
}

static void who_is_stopped_while_vetting_stops_one_shard(void **state)
{
    (void)state;
    int status;
    lrd_store *store = shared_store = adopt(filled(LRD_PINNED, SHARDS, ENTRIES));
    pid_t child = start_child(vet_and_stop, NULL);
    CHECK_EQ(waitpid(child, &status, WUNTRACED), child);
    CHECK(WIFSTOPPED(status));
    uint32_t shard = shard_of(store, KEY);
    for (uint32_t i = 0, busy = 0; i < ENTRIES && busy < 2; i++) {
        bool there = shard_of(store, name_of(i)) != shard;
        busy += !there;
        CHECK_CODE(get_checked(store, name_of(i), NULL, NULL), there ? LRD_OK : LRD_EBUSY);
    }
    CHECK(lrd__threads[store->id]->usual == NULL);
    stop_child(child);
    check_entries(store, ENTRIES);
    CHECK_EQ(stats_of(store).recoveries, 1);
    CHECK_EQ(stats_of(store).emptied_shards, 0);
    CHECK(lrd__threads[store->id]->usual != NULL);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* ---- killed processes ---- */

#define FEW 42u

static void read_armed(void *arg)
{
    failpoint_arm(*(const uint64_t *)arg);
    check_entries(shared_store, FEW);
    failpoint_disarm();
}

static void adopt_armed(void *arg)
{
    failpoint_arm(*(const uint64_t *)arg);
    shared_store = open_policy(LRD_SESSION, 2, false);
    check_entries(shared_store, FEW);
    failpoint_disarm();
}

/* Kill a process at its first fail point, the next process at its second fail point, and so on.
 * After most kills, also kill a few later processes. If `beside` is true, this process has adopted
 * the store, and the others read it. Otherwise each of the others adopts it. */
static void kill_everywhere(bool beside)
{
    uint64_t k = 0, second;
    uint32_t deaths = 0, successors = 0;
    do {
        lrd_store *store = filled(LRD_SESSION, 2, FEW);
        if (beside)
            store = shared_store = adopt(store);
        else
            lrd_close(store);
        k++;
        int status = run_in_child(beside ? read_armed : adopt_armed, &k);
        bool fired = failpoint_fired();
        deaths += fired;
        if (!fired)
            CHECK_CHILD(status);
        for (second = 1 + k % 37; fired && second < 400; second += 113) {
            run_in_child(beside ? read_armed : adopt_armed, &second);
            successors += failpoint_fired();
        }
        if (!beside)
            store = open_policy(LRD_SESSION, 2, false);
        check_entries(store, FEW);
        CHECK_EQ(stats_of(store).entries, FEW);
        CHECK_EQ(stats_of(store).emptied_shards, 0);
        CHECK_FSCK(store);
        CHECK_OK(lrd_sweep(store, NULL));
        CHECK_EQ(allocated_bytes(store), stats_of(store).live_bytes);
        lrd_close(store);
        if (!fired)
            break;
    } while (true);
    printf("%s: killed at %u points, %u successors too\n", beside ? "beside" : "alone", deaths,
           successors);
    CHECK(deaths > 100 && successors > 100);
}

static void who_vets_may_be_killed_beside_others(void **state)
{
    (void)state;
    kill_everywhere(true);
}

static void who_adopts_may_be_killed(void **state)
{
    (void)state;
    kill_everywhere(false);
}

/* A block may be freed if a barrier has begun after the block was unlinked. The file has wrong
 * numbers of barriers: with these numbers, the adopter would free blocks in use. The adopter must
 * reset them. */
static void numbers_of_barriers_begin_anew(void **state)
{
    (void)state;
    lrd_store *store = filled(LRD_VOLATILE, SHARDS, ENTRIES);
    atomic_store(&store->header->barriers_begun, 5);
    atomic_store(&store->header->barriers_done, 1000);
    for (uint32_t i = 0; i < SHARDS; i++) {
        store->shards[i].unlinked_at = i * 100;
        store->shards[i].unlinked = 0;
        atomic_store(&store->gates[i].turn, UINT64_MAX);
    }
    store = adopt(store);
    CHECK_EQ(atomic_load(&store->header->barriers_done), 0);
    for (uint32_t i = 0; i < SHARDS; i++) {
        lrd__assert_alone(store);
        CHECK(!lrd__ledger_passed(store, i));
        lrd__assert_alone(NULL);
        CHECK_EQ(atomic_load(&store->gates[i].turn), 0);
    }
    CHECK_FSCK(store);
    CHECK_OK(put_value(store, name_of(1), 100, 2, LRD_SET, 0));
    CHECK_OK(get_checked(store, name_of(1), NULL, NULL));
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_adopts_leaves_shards_to_who_uses_them),
        cmocka_unit_test(what_expires_is_adopted_though_memory_is_short),
        cmocka_unit_test(blocks_that_just_fit_are_kept),
        cmocka_unit_test(what_a_damaged_file_says_of_threads_and_owners_does_not_count),
        cmocka_unit_test(an_immutable_store_is_vetted_whole),
        cmocka_unit_test(adopting_takes_no_memory),
        cmocka_unit_test(every_way_into_a_shard_vets_it),
        cmocka_unit_test(a_damaged_table_of_either_generation_is_found),
        cmocka_unit_test(marks_of_collectors_do_not_come_back),
        cmocka_unit_test(descriptions_that_do_not_count_are_forgotten),
        cmocka_unit_test(who_is_stopped_while_vetting_stops_one_shard),
        cmocka_unit_test(who_vets_may_be_killed_beside_others),
        cmocka_unit_test(who_adopts_may_be_killed),
        cmocka_unit_test(numbers_of_barriers_begin_anew),
        cmocka_unit_test(a_shard_that_cannot_be_checked_now_is_checked_later),
        cmocka_unit_test(a_store_that_cannot_be_checked_whole_is_adopted_later),
        cmocka_unit_test(few_entries_are_known_once_all_shards_are_checked),
        cmocka_unit_test(cleared_entries_are_not_few_until_they_leave_the_index),
        cmocka_unit_test(a_run_in_a_page_of_another_shard_is_dropped),
        cmocka_unit_test(a_block_behind_the_last_page_is_dropped),
    };
    return cmocka_run_group_tests_name("vet", tests, NULL, NULL);
}
