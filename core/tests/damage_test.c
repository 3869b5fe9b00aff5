/* damage_test.c - damages an unused segment and adopts it. The adopter must keep the sound entries,
 * drop the damaged ones, and neither fault nor loop. fuzz_attach.c uses random damage. */
#include "apart.h"
#include "forbid.h"
#include "support.h"

#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)

static lrd_store *open_policy(lrd_policy policy, bool created)
{
    lrd_options options = {
        .policy = policy, .size = MIB, .shards = 1, .slots = 16, .path = temp_path("damaged")};
    return store_open_named(&options, created);
}

static lrd_store *fresh(lrd_policy policy)
{
    unlink(temp_path("damaged"));
    return open_policy(policy, true);
}

/* Close and open again. */
static lrd_store *adopt(lrd_store *store)
{
    lrd_policy policy = (lrd_policy)store->geo.policy;
    lrd_close(store);
    store = open_policy(policy, false);
    CHECK_FSCK(store);
    return store;
}

static uint32_t slot_of(const lrd_store *store, const char *key)
{
    lrd__place place = lrd__place_of(store, key, strlen(key));
    lrd__assert_alone(store);
    uint32_t slot = lrd__index_find(store, &place, key, strlen(key));
    lrd__assert_alone(NULL);
    CHECK(slot != LRD__NO_SLOT);
    return slot;
}

static lrd__block *block_of(const lrd_store *store, const char *key)
{
    return lrd__block_window(store, lrd__slot_offset(store, 0, slot_of(store, key)));
}

/* Set a wrong key length and size in the header of a block. */
static void block_claims(lrd__block *block, size_t key_len, uint64_t size)
{
    if (key_len <= LRD__BLOCK_KEY_MAX && size <= UINT32_MAX) {
        block->size = (uint32_t)size;
        block->key_len = (uint8_t)key_len;
        return;
    }
    block->size = 0;
    block->key_len = 0;
    block->long_key_len = (uint16_t)key_len;
    memcpy((uint8_t *)block + LRD__BLOCK_LONG_SIZE, &size, sizeof size);
}

/* ---- index words ---- */

/* Move the word of a key from the last home bucket to the next bucket, and put a word with a bad
 * offset in its place. Check that an adopter keeps the key if `kept` is true. */
static void check_last_bucket(uint64_t bad_offset, bool kept)
{
    lrd_store *store = fresh(LRD_VOLATILE);
    lrd__place place;
    char key[16];
    for (unsigned i = 0;; i++) {
        snprintf(key, sizeof key, "key-%u", i);
        place = lrd__place_of(store, key, strlen(key));
        if (lrd__place_home(store, &place, store->geo.buckets) == store->geo.buckets - 1)
            break;
    }
    CHECK_OK(put_value(store, key, 100, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "other", 100, 2, LRD_SET, 0));
    uint32_t slot = slot_of(store, key);
    uint64_t offset = lrd__slot_offset(store, 0, slot);
    *lrd__index_word(store, 0, (store->geo.buckets + 1) * LRD__WAYS - 1) =
        lrd__word_make(place.tag, 1, offset);
    *lrd__index_word(store, 0, slot) = lrd__word_make(place.tag, 0, bad_offset);
    store = adopt(store);
    CHECK_CODE(get_checked(store, key, NULL, NULL), kept ? LRD_OK : LRD_MISS);
    CHECK_OK(get_checked(store, "other", NULL, NULL));
    lrd_close(store);
}

static void a_word_beyond_the_data_does_not_hide_a_sound_one(void **state)
{
    (void)state;
    check_last_bucket(LRD_SIZE_MAX - 4096, true);
    check_last_bucket(MIB, true);
    check_last_bucket(MIB - 16, true);
}

static void two_words_of_one_block_leave_one(void **state)
{
    (void)state;
    lrd_store *store = fresh(LRD_VOLATILE);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    uint32_t slot = slot_of(store, "key");
    uint32_t second = slot / LRD__WAYS * LRD__WAYS + (slot + 1) % LRD__WAYS;
    *lrd__index_word(store, 0, second) = *lrd__index_word(store, 0, slot);
    store = adopt(store);
    CHECK_EQ(stats_of(store).entries, 1);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_OK(lrd_delete(store, "key", 3));
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    lrd_close(store);
}

static void words_of_random_bits_are_dropped(void **state)
{
    (void)state;
    uint64_t random = test_seed(77);
    for (int round = 0; round < 20; round++) {
        lrd_store *store = fresh(LRD_VOLATILE);
        CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
        uint32_t kept = slot_of(store, "key");
        for (uint32_t slot = 0; slot < lrd__shard_slots(store); slot++)
            if (slot != kept && random_below(&random, 2))
                *lrd__index_word(store, 0, slot) =
                    random_next(&random) >> (round % 2 ? 0 : random_below(&random, 64));
        store = adopt(store);
        CHECK_OK(get_checked(store, "key", NULL, NULL));
        CHECK_OK(put_value(store, "another", 50000, 1, LRD_SET, 0));
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

/* ---- blocks ---- */

/* A value of an immutable store may point to blocks of other entries. If only some entries were
 * dropped, these blocks could be overwritten. */
static void an_immutable_store_that_was_damaged_keeps_nothing(void **state)
{
    (void)state;
    lrd_store *store = fresh(LRD_IMMUTABLE);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_ADD, 0));
    CHECK_OK(put_value(store, "other", 100, 2, LRD_ADD, 0));
    store = adopt(store);
    CHECK_EQ(stats_of(store).entries, 2);
    block_of(store, "key")->key_len = 0;
    store = adopt(store);
    CHECK_EQ(stats_of(store).entries, 0);
    CHECK_CODE(get_checked(store, "other", NULL, NULL), LRD_MISS);
    CHECK_OK(put_value(store, "other", 100, 3, LRD_ADD, 0));
    store = adopt(store);
    CHECK_OK(get_checked(store, "other", NULL, NULL));
    lrd_close(store);
}

static void adopt_armed(void *k)
{
    failpoint_arm(*(uint64_t *)k);
    lrd_close(open_policy(LRD_IMMUTABLE, false));
    failpoint_disarm();
}

static void whoever_drops_a_damaged_immutable_store_may_die(void **state)
{
    (void)state;
    uint64_t k = 0;
    do {
        lrd_store *store = fresh(LRD_IMMUTABLE);
        for (unsigned i = 0; i < 20; i++) {
            char key[16];
            snprintf(key, sizeof key, "key-%u", i);
            CHECK_OK(put_value(store, key, 100, i, LRD_ADD, 0));
        }
        block_of(store, "key-7")->key_len = 0;
        lrd_close(store);
        k++;
        int status = run_in_child(adopt_armed, &k);
        if (!failpoint_fired())
            CHECK_CHILD(status);
        store = open_policy(LRD_IMMUTABLE, false);
        CHECK_FSCK(store);
        CHECK_EQ(stats_of(store).entries, 0);
        lrd_close(store);
    } while (failpoint_fired());
    CHECK(k > 5);
}

static void a_block_of_a_later_epoch_is_dropped(void **state)
{
    (void)state;
    static const uint32_t epochs[] = {0, 2, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        lrd_store *store = fresh(LRD_PINNED);
        CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
        CHECK_OK(put_value(store, "other", 100, 2, LRD_SET, 0));
        block_of(store, "key")->epoch = epochs[i];
        store = adopt(store);
        CHECK_EQ(stats_of(store).entries, 1);
        CHECK_OK(get_checked(store, "other", NULL, NULL));
        lrd_close(store);
    }
}

static void a_version_that_cannot_be_is_dropped(void **state)
{
    (void)state;
    for (int damaged = 0; damaged < 2; damaged++) {
        lrd_store *store = fresh(LRD_PINNED);
        lrd_value value;
        lrd_entry entry;
        CHECK_OK(put_value(store, "good", 100, 1, LRD_SET, 0));
        CHECK_OK(put_value(store, "bad", 100, 2, LRD_SET, 0));
        if (damaged == 0)
            block_of(store, "bad")->version = UINT64_MAX;
        else
            store->shards[0].version = UINT64_MAX;
        store = adopt(store);
        CHECK_CODE(get_checked(store, "bad", NULL, NULL), damaged == 0 ? LRD_MISS : LRD_OK);
        CHECK_OK(get_checked(store, "good", NULL, NULL));
        /* The version after UINT64_MAX must not be 0, which means "no version". */
        CHECK_OK(put_value(store, "next", 100, 3, LRD_SET, 0));
        CHECK_OK(lrd_get(store, "next", 4, 0, &value));
        CHECK_OK(lrd_value_entry(store, &value, &entry));
        CHECK(entry.version != 0 && entry.version != UINT64_MAX);
        CHECK_OK(lrd_release(store, &value));
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static uint64_t late_ms(void *ms) { return *(uint64_t *)ms; }

static void entries_of_the_last_time_that_may_be_are_adopted(void **state)
{
    (void)state;
    for (uint32_t bits = 37; bits < 40; bits++) {
        uint64_t now = (1ull << bits) - 1000;
        lrd_options options = {.policy = LRD_PINNED,
                               .size = MIB,
                               .slots = 16,
                               .path = temp_path("late"),
                               .clock_ms = late_ms,
                               .clock_arg = &now};
        lrd_store *store = store_open_named(&options, true);
        for (uint32_t i = 0; i < 20; i++)
            CHECK_OK(put_value(store, (char[]){(char)('a' + i), 0}, 100, i, LRD_SET, 0));
        now += 999;
        CHECK_OK(put_value(store, "last", 100, 1, LRD_SET, 0));
        lrd_close(store);
        store = store_open_named(&options, false);
        for (uint32_t i = 0; i < 20; i++)
            CHECK_OK(get_checked(store, (char[]){(char)('a' + i), 0}, NULL, NULL));
        CHECK_OK(get_checked(store, "last", NULL, NULL));
        CHECK_EQ(stats_of(store).emptied_shards, 0);
        CHECK_FSCK(store);
        lrd_close(store);
        unlink(temp_path("late"));
    }
}

/* If the adopter believed the damaged offset, every entry would look expired. */
static void an_offset_of_the_clock_that_cannot_be_is_not_believed(void **state)
{
    (void)state;
    for (uint32_t bits = 20; bits < 64; bits += 4) {
        lrd_store *store = fresh(LRD_SESSION);
        uint64_t offset = atomic_load(&store->header->clock_offset);
        CHECK_OK(put_value(store, "old", 100, 1, LRD_SET, 600000));
        atomic_store(&store->header->clock_offset, offset + (1ull << bits));
        store = adopt(store);
        CHECK(atomic_load(&store->header->clock_offset) <= offset + 100);
        CHECK_OK(get_checked(store, "old", NULL, NULL));
        CHECK_OK(put_value(store, "new", 100, 2, LRD_SET, 600000));
        store = adopt(store);
        CHECK_OK(get_checked(store, "old", NULL, NULL));
        CHECK_OK(get_checked(store, "new", NULL, NULL));
        CHECK_EQ(stats_of(store).emptied_shards, 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void a_clear_after_the_last_epoch_begins_with_the_first(void **state)
{
    (void)state;
    lrd_store *store = fresh(LRD_VOLATILE);
    atomic_store(&store->header->view.epoch, UINT32_MAX);
    CHECK_OK(put_value(store, "old", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_clear(store));
    CHECK_CODE(get_checked(store, "old", NULL, NULL), LRD_MISS);
    CHECK_OK(put_value(store, "new", 100, 2, LRD_SET, 0));
    store = adopt(store);
    CHECK_CODE(get_checked(store, "old", NULL, NULL), LRD_MISS);
    CHECK_OK(get_checked(store, "new", NULL, NULL));
    lrd_close(store);
}

static void a_block_without_ttl_gets_none(void **state)
{
    (void)state;
    lrd_store *store = fresh(LRD_PINNED);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    block_of(store, "key")->expiry = 1;
    store = adopt(store);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    lrd_close(store);
}

/* Values have no checksum, so an adopter accepts a wrong size that fits in the block. */
static void blocks_that_claim_too_much_harm_nobody(void **state)
{
    (void)state;
    lrd_value value;
    static const uint64_t sizes[] = {101, 200, 65536, MIB / 2, MIB, UINT64_MAX, UINT64_MAX - 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int large = 0; large < 2; large++) {
            lrd_store *store = fresh(LRD_VOLATILE);
            size_t size = large ? 70000 : 100;
            CHECK_OK(put_value(store, "key", size, 1, LRD_SET, 0));
            CHECK_OK(put_value(store, "after", size, 1, LRD_SET, 0));
            block_claims(block_of(store, "key"), i % 2 ? 3 : 65535, size + sizes[i]);
            store = adopt(store);
            CHECK(stats_of(store).entries <= 2);
            if (sizes[i] > MIB / 4)
                CHECK_OK(get_checked(store, "after", NULL, NULL));
            if (lrd_get(store, "key", 3, 0, &value) == LRD_OK) {
                checksum(value.data, value.size);
                CHECK_OK(lrd_release(store, &value));
            }
            CHECK_OK(put_value(store, "key", size, 2, LRD_SET, 0));
            CHECK_OK(get_checked(store, "key", NULL, NULL));
            CHECK_FSCK(store);
            lrd_close(store);
        }
}

/* ---- one kind of damage at a time ---- */

static _Atomic uint64_t *word_of(const lrd_store *store, const char *key)
{
    return lrd__index_word(store, 0, slot_of(store, key));
}
static uint64_t offset_of(const lrd_store *store, const char *key)
{
    return lrd__word_offset(*word_of(store, key));
}
static uint64_t page_of(const lrd_store *store, const char *key)
{
    return lrd__page_of(store, offset_of(store, key));
}

static void point_to(lrd_store *store, const char *key, uint64_t offset)
{
    uint64_t word = *word_of(store, key);
    *word_of(store, key) =
        lrd__word_make(lrd__word_tag(word), lrd__word_displacement(word), offset);
}

static void block_within_another(lrd_store *store)
{
    uint64_t offset = offset_of(store, "key") + 16;
    lrd__block *block = block_of(store, "key");
    point_to(store, "key", offset);
    memmove(store->window + offset, block, 80);
}
static void block_in_a_free_page(lrd_store *store)
{
    uint64_t page = 0;
    while (lrd__page_owner(store, page) != 0)
        page++;
    memcpy(store->window + lrd__page_start(store, page), block_of(store, "key"), 140);
    point_to(store, "key", lrd__page_start(store, page));
}
static void block_in_the_page_of_no_shard(lrd_store *store)
{
    atomic_store(&store->owners[page_of(store, "run")], lrd__owner_make(7, LRD__CLASS_RUN));
}
static void page_of_no_class(lrd_store *store)
{
    atomic_store(&store->owners[page_of(store, "run")], lrd__owner_make(0, LRD__CLASS_RUN + 1));
}
static void page_that_is_not_owned(lrd_store *store)
{
    atomic_store(&store->owners[page_of(store, "run")], 1u << 8);
}
static void page_that_was_lost(lrd_store *store)
{
    atomic_store(&store->owners[page_of(store, "run")], LRD__OWNER_LOST);
}
static void mini_page_with_a_run(lrd_store *store)
{
    CHECK(lrd__page_is_mini(store, page_of(store, "key")));
    atomic_store(&store->owners[page_of(store, "key")], lrd__owner_make(0, LRD__CLASS_RUN));
}
static void mini_page_with_large_blocks(lrd_store *store)
{
    atomic_store(&store->owners[page_of(store, "key")], lrd__owner_make(0, LRD__CLASSES - 1));
}
static void header_without_memory(lrd_store *store)
{
    atomic_store(&store->pages[page_of(store, "run")].committed, 0);
}
static void counter_of_another_size(lrd_store *store) { block_of(store, "n")->size = 7; }
static void long_form_of_a_short_key(lrd_store *store)
{
    block_claims(block_of(store, "key"), 300, 100);
}
static void short_form_in_the_long_one(lrd_store *store)
{
    lrd__block *block = block_of(store, "key");
    uint64_t size = 50;
    block->key_len = 0;
    block->long_key_len = 3;
    memcpy((uint8_t *)block + LRD__BLOCK_LONG_SIZE, &size, sizeof size);
    memcpy((uint8_t *)block + LRD__BLOCK_LONG_KEY, "key", 3);
}
static void tag_of_another_key(lrd_store *store) { *word_of(store, "key") ^= 1ull << 45; }
static void word_in_another_bucket(lrd_store *store)
{
    uint32_t slots = lrd__shard_slots(store), slot = slot_of(store, "key");
    uint32_t far = (slot + slots / 2) % slots;
    while (*lrd__index_word(store, 0, far) != 0)
        far = (far + 1) % slots;
    *lrd__index_word(store, 0, far) = *word_of(store, "key");
    *lrd__index_word(store, 0, slot) = 0;
}
static void run_within_a_run(lrd_store *store)
{
    uint64_t inner = offset_of(store, "run") + 10 * LRD__UNIT;
    memcpy(store->window + inner, block_of(store, "inner"), 20100);
    point_to(store, "inner", inner);
}
static void first_epoch(lrd_store *store) { atomic_store(&store->header->view.epoch, 0); }
static void step_of_reclaiming(lrd_store *store) { store->shards[0].reclaim_step = UINT64_MAX; }
static void count_of_packed_values(lrd_store *store) { atomic_store(&store->shards[0].packs, 0); }

enum { KEY = 1, N = 2, RUN = 4, INNER = 8, ONE_OF_THE_RUNS = 16, ALL = KEY | N | RUN | INNER };
static const struct {
    const char *name;
    void (*damage)(lrd_store *store);
    unsigned kept; /* entries that the adopter keeps, besides "other" and "packed" */
} one_damages[] = {
    {"block_within_another", block_within_another, ALL & ~KEY},
    {"block_in_a_free_page", block_in_a_free_page, ALL & ~KEY},
    {"block_in_the_page_of_no_shard", block_in_the_page_of_no_shard, ALL & ~RUN},
    {"page_of_no_class", page_of_no_class, ALL & ~RUN},
    {"page_that_is_not_owned", page_that_is_not_owned, ALL & ~RUN},
    {"page_that_was_lost", page_that_was_lost, ALL & ~RUN},
    {"mini_page_with_a_run", mini_page_with_a_run, ALL & ~KEY},
    {"mini_page_with_large_blocks", mini_page_with_large_blocks, ALL & ~KEY},
    {"header_without_memory", header_without_memory, ALL & ~RUN},
    {"counter_of_another_size", counter_of_another_size, ALL & ~N},
    {"long_form_of_a_short_key", long_form_of_a_short_key, ALL & ~KEY},
    {"short_form_in_the_long_one", short_form_in_the_long_one, ALL & ~KEY},
    {"tag_of_another_key", tag_of_another_key, ALL & ~KEY},
    {"word_in_another_bucket", word_in_another_bucket, ALL & ~KEY},
    {"run_within_a_run", run_within_a_run, KEY | N | ONE_OF_THE_RUNS},
    {"first_epoch", first_epoch, ALL},
    {"step_of_reclaiming", step_of_reclaiming, ALL},
    {"count_of_packed_values", count_of_packed_values, ALL},
};

static unsigned kept_of(lrd_store *store, const char *key, unsigned bit)
{
    int code = lrd_has(store, key, strlen(key));
    CHECK(code == LRD_OK || code == LRD_MISS);
    return code == LRD_OK ? bit : 0;
}

static void an_adopter_drops_what_is_damaged_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof one_damages / sizeof *one_damages; i++) {
        uint8_t text[900] = {1}, packed[1000];
        check_context("%s", one_damages[i].name);
        lrd_store *store = fresh(LRD_VOLATILE);
        size_t size = lrd_pack(packed, text, sizeof text, 0, sizeof text, LRD_COMPRESS_SMALL);
        CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
        CHECK_OK(put_value(store, "other", 3000, 2, LRD_SET, 0));
        CHECK_OK(lrd_counter_set(store, "n", 1, 5, 0));
        CHECK_OK(put_value(store, "run", 65000, 3, LRD_SET, 0));
        CHECK_OK(put_value(store, "inner", 20000, 4, LRD_SET, 0));
        CHECK_OK(lrd_put(store, "packed", 6, packed, size, &(lrd_write){.type = LRD_TYPE_PACKED}));
        one_damages[i].damage(store);
        store = adopt(store);
        unsigned kept = kept_of(store, "key", KEY) | kept_of(store, "n", N) |
                        kept_of(store, "run", RUN) | kept_of(store, "inner", INNER);
        if ((one_damages[i].kept & ONE_OF_THE_RUNS) != 0) {
            CHECK((kept & (RUN | INNER)) == RUN || (kept & (RUN | INNER)) == INNER);
            kept = (kept & ~(unsigned)(RUN | INNER)) | ONE_OF_THE_RUNS;
        }
        CHECK_EQ(kept, one_damages[i].kept);
        CHECK_OK(get_checked(store, "other", NULL, NULL));
        lrd_stats stats = stats_of(store);
        CHECK_EQ(stats.packed_entries, 1);
        CHECK_EQ(stats.emptied_shards, one_damages[i].kept != ALL);
        for (int n = 0; n < 20; n++) /* reuse the dropped memory */
            CHECK_OK(put_value(store, (char[]){(char)('A' + n), 0}, 20000, 1, LRD_SET, 0));
        CHECK_FSCK(store);
        lrd_close(store);
    }
    check_context("%s", "");
}

/* Adopt a store whose timers have no memory. Each later commit of memory for timers fails with
 * `error`. */
static lrd_store *adopt_without_timers(lrd_policy policy, unsigned error)
{
    lrd_store *store = fresh(policy);
    CHECK_OK(put_value(store, "stays", 100, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "expires", 100, 2, LRD_SET, 600000));
    lrd_close(store);
    store = open_policy(policy, false);
    uint64_t buckets = (uint64_t)store->geo.shards * lrd__shard_buckets(store);
    memset((void *)store->timed, 0, (buckets + LRD__TIMER_CHUNK - 1) / LRD__TIMER_CHUNK);
    uint64_t pages = 0; /* the offsets of all pages, combined by OR */
    for (uint64_t page = 0; page < store->geo.pages_all; page++)
        if (lrd__page_owner(store, page) != 0)
            pages |= store->geo.data_at + lrd__page_start(store, page);
    unsigned mask = (unsigned)(store->geo.timers_at & ~pages);
    CHECK(mask != 0);
    if (!forbid_call(SYS_fallocate, 2, mask, error))
        _exit(EXIT_CANNOT);
    return store;
}

/* A session store does not evict, so each entry with a time to live needs a timer. */
static void adopt_without_memory_for_timers(void *arg)
{
    (void)arg;
    lrd_store *store = adopt_without_timers(LRD_SESSION, ENOSPC);
    CHECK_OK(get_checked(store, "stays", NULL, NULL));
    CHECK_CODE(lrd_has(store, "expires", 7), LRD_MISS);
    CHECK_EQ(stats_of(store).emptied_shards, 1);
    lrd_close(store);
}

static void what_expires_is_dropped_where_its_timer_has_no_memory(void **state)
{
    (void)state;
    CHECK_CHILD_OR_SKIP(run_in_child(adopt_without_memory_for_timers, NULL), "no seccomp");
}

static void adopt_without_rights_to_timers(void *policy)
{
    lrd_store *store = adopt_without_timers(*(lrd_policy *)policy, EPERM);
    CHECK_CODE(lrd_has(store, "expires", 7), LRD_ESYS);
    lrd_close(store);
}

static void what_expires_stays_where_its_timer_cannot_be_asked_for(void **state)
{
    (void)state;
    lrd_policy policies[] = {LRD_SESSION, LRD_VOLATILE};
    for (unsigned i = 0; i < 2; i++) {
        /* Create the folder here: a child would not remove it. */
        lrd_close(fresh(policies[i]));
        CHECK_CHILD_OR_SKIP(run_in_child(adopt_without_rights_to_timers, policies + i),
                            "no seccomp");
        lrd_store *store = open_policy(policies[i], false);
        CHECK_OK(get_checked(store, "stays", NULL, NULL));
        CHECK_OK(get_checked(store, "expires", NULL, NULL));
        CHECK_EQ(stats_of(store).emptied_shards, 0);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

/* ---- holes ---- */

static void fill_file_system(void)
{
    int fd = open(temp_path("filler"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    for (off_t at = 0; fallocate(fd, 0, at, 4096) == 0; at += 4096)
        continue;
    close(fd);
}

/* Adopt a file with a run, on a full file system. The key length of the run is damaged, so that the
 * key seems to reach into a hole of the file. */
static void adopt_a_key_over_a_hole(void *arg)
{
    (void)arg;
    if (!apart_tmpfs_of(temp_path("damaged"), "size=3m"))
        _exit(EXIT_CANNOT);
    lrd_store *store = fresh(LRD_VOLATILE);
    CHECK_OK(put_value(store, "key", 20000, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "other", 100, 1, LRD_SET, 0));
    lrd__block *block = block_of(store, "key");
    uint64_t page = lrd__page_of(store, lrd__slot_offset(store, 0, slot_of(store, "key")));
    block_claims(block, UINT16_MAX, block->size);
    for (uint64_t p = page + 1; p < lrd__pages_high(store); p++)
        atomic_store(&store->owners[p], 0);
    CHECK_OK(fallocate(store->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                       (off_t)(store->geo.data_at + ((page + 1) << LRD__PAGE_BITS)),
                       (off_t)((store->geo.pages - page - 1) << LRD__PAGE_BITS)));
    fill_file_system();
    store = adopt(store);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    lrd_close(store);
}

static void adopt_a_page_without_memory(void *arg)
{
    (void)arg;
    if (!apart_tmpfs_of(temp_path("damaged"), "size=3m"))
        _exit(EXIT_CANNOT);
    lrd_store *store = fresh(LRD_VOLATILE);
    CHECK_OK(put_value(store, "key", 60000, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "other", 100, 1, LRD_SET, 0));
    uint64_t page = page_of(store, "key");
    CHECK_OK(fallocate(store->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                       (off_t)(store->geo.data_at + lrd__page_start(store, page)), LRD__PAGE));
    fill_file_system();
    store = adopt(store);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    CHECK_OK(get_checked(store, "other", NULL, NULL));
    CHECK_EQ(lrd__page_owner(store, page), 0);
    CHECK_EQ(stats_of(store).emptied_shards, 1);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_page_that_gets_no_memory_becomes_free(void **state)
{
    (void)state;
    CHECK_CHILD_OR_SKIP(run_in_child(adopt_a_page_without_memory, NULL), "no right to mount");
}

static void a_key_over_missing_pages_does_not_fault(void **state)
{
    (void)state;
    CHECK_CHILD_OR_SKIP(run_in_child(adopt_a_key_over_a_hole, NULL), "no right to mount");
}

/* Adopt a queue whose message lies in a partly committed page. */
static void adopt_a_message_in_a_hole(void *arg)
{
    (void)arg;
    static char body[3000];
    lrd_queue q;
    if (!apart_tmpfs_of(temp_path("damaged"), "size=3m"))
        _exit(EXIT_CANNOT);
    lrd_store *store = fresh(LRD_QUEUE);
    CHECK_OK(lrd_queue_open(store, "q", 1, 0, &q));
    CHECK_OK(lrd_queue_push(store, q, body, sizeof body, 1, NULL, NULL));
    CHECK_OK(lrd_queue_push(store, q, "sound", 5, 1, NULL, NULL));
    lrd__message *m = lrd__message_at(store, 0, 1);
    uint64_t page = lrd__page_of(store, lrd__message_offset(m));
    uint32_t size = lrd__class_size(lrd__owner_class(lrd__page_owner(store, page)));
    CHECK(store->pages[page].committed < 5 * size >> LRD__PART_BITS);
    m->listing = lrd__listing(lrd__page_start(store, page) + 10 * (uint64_t)size);
    lrd_close(store);
    fill_file_system();
    store = open_policy(LRD_QUEUE, false);
    CHECK_FSCK(store);
    lrd_message got;
    CHECK_OK(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &got));
    CHECK_EQ(got.value.size, 5);
    CHECK_CODE(lrd_queue_pop(store, q, LRD_GET_BORROW, 0, 0, &got), LRD_MISS);
    lrd_close(store);
}

static void a_message_in_a_hole_does_not_fault(void **state)
{
    (void)state;
    CHECK_CHILD_OR_SKIP(run_in_child(adopt_a_message_in_a_hole, NULL), "no right to mount");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_beyond_the_data_does_not_hide_a_sound_one),
        cmocka_unit_test(two_words_of_one_block_leave_one),
        cmocka_unit_test(words_of_random_bits_are_dropped),
        cmocka_unit_test(an_immutable_store_that_was_damaged_keeps_nothing),
        cmocka_unit_test(whoever_drops_a_damaged_immutable_store_may_die),
        cmocka_unit_test(a_block_of_a_later_epoch_is_dropped),
        cmocka_unit_test(a_version_that_cannot_be_is_dropped),
        cmocka_unit_test(entries_of_the_last_time_that_may_be_are_adopted),
        cmocka_unit_test(an_offset_of_the_clock_that_cannot_be_is_not_believed),
        cmocka_unit_test(a_clear_after_the_last_epoch_begins_with_the_first),
        cmocka_unit_test(a_block_without_ttl_gets_none),
        cmocka_unit_test(blocks_that_claim_too_much_harm_nobody),
        cmocka_unit_test(an_adopter_drops_what_is_damaged_and_nothing_else),
        cmocka_unit_test(what_expires_is_dropped_where_its_timer_has_no_memory),
        cmocka_unit_test(what_expires_stays_where_its_timer_cannot_be_asked_for),
        cmocka_unit_test(a_page_that_gets_no_memory_becomes_free),
        cmocka_unit_test(a_key_over_missing_pages_does_not_fault),
        cmocka_unit_test(a_message_in_a_hole_does_not_fault),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
