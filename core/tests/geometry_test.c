/* geometry_test.c - where the areas of a segment lie, and which numbers lrd__geometry_derive()
 * refuses. */
#include "support.h"

#include "internal.h"

#define MIB ((uint64_t)1 << 20)

typedef struct area {
    uint64_t at, bytes, align;
} area;

static lrd__geometry derived(uint64_t size, uint32_t policy, uint32_t shards, uint32_t buckets)
{
    lrd__geometry geo = {
        .size = size, .policy = policy, .shards = shards, .slots = 64, .buckets = buckets};
    CHECK_OK(lrd__geometry_derive(&geo));
    return geo;
}

static void check_areas(const lrd__geometry *geo)
{
    bool evicts = geo->policy == LRD_VOLATILE;
    bool expires = evicts || geo->policy == LRD_SESSION;
    uint64_t buckets = ((uint64_t)geo->homes_max + LRD__OVERHANG) * geo->shards;
    uint64_t words = buckets * LRD__WAYS, chunks = buckets / LRD__TIMER_CHUNK;
    uint64_t ghosts = evicts ? (uint64_t)geo->shards * geo->ghost_sets * LRD__GHOST_WAYS : 0;
    const area areas[] = {
        {0, sizeof(lrd__header), 4096},
        {geo->shards_at, geo->shards * sizeof(lrd__shard), 64},
        {geo->quotas_at, geo->slots * 2, 64},
        {geo->keylock_owners_at, geo->keylock_chunks * 2, 64},
        {geo->slots_at, lrd__slot_begin(geo->slots), 4096},
        {geo->owners_at, geo->pages_all * 4, 4096},
        {geo->pages_at, geo->pages_all * sizeof(lrd__page), 64},
        {geo->bits_at, geo->pages_all * sizeof(lrd__bits), 64},
        {geo->run_len_at, geo->size / LRD__UNIT * 4, 64},
        {geo->buckets_at, buckets * sizeof(lrd__bucket), 4096},
        {geo->links_at, evicts ? words * 4 : 0, 4096},
        {geo->timed_at, expires ? chunks + 1 : 0, 4096},
        {geo->timers_at, expires ? words * sizeof(lrd__timer) : 0, 4096},
        {geo->ghost_at, ghosts * 4, 4096},
        {geo->keylocks_at, (uint64_t)geo->keylock_chunks * 4096, 4096},
        {geo->data_at, geo->data_size, 2 * MIB},
    };
    size_t count = sizeof areas / sizeof *areas;
    for (size_t i = 0; i < count; i++) {
        CHECK_EQ(areas[i].at % areas[i].align, 0);
        CHECK(i + 1 == count || areas[i].at + areas[i].bytes <= areas[i + 1].at);
    }
    CHECK(geo->keylocks_at + (uint64_t)geo->keylock_chunks * 4096 <= geo->control_size);
    CHECK(geo->control_size <= geo->data_at);
    CHECK_EQ(geo->file_size, geo->data_at + geo->data_size);
}

static void areas_are_aligned_in_order_and_do_not_overlap(void **state)
{
    (void)state;
    for (uint32_t policy = 0; policy <= LRD_SESSION; policy++)
        for (uint64_t size = LRD_SIZE_MIN; size <= LRD_SIZE_MAX;
             size = size * 3 / LRD__PAGE * LRD__PAGE)
            for (uint32_t shards = 1; shards <= 256 && shards <= size / LRD__PAGE; shards *= 4)
                for (uint32_t buckets = 16; buckets <= 1u << 26 && buckets <= (1u << 30) / shards;
                     buckets = buckets * 7 + 1) {
                    lrd__geometry geo = derived(size, policy, shards, buckets);
                    CHECK_EQ(1u << geo.shard_bits, shards);
                    CHECK_EQ(geo.homes_max % buckets, 0);
                    CHECK(geo.homes_max / buckets <= 1u << LRD__TAG_HASHED);
                    CHECK((uint64_t)geo.homes_max * LRD__WAYS < LRD__LINK);
                    /* The index has enough slots even if all blocks are of the smallest size,
                     * except in stores larger than most machines' memory. */
                    CHECK(size / shards > 16ull << 30 || size > 256ull << 30 ||
                          (uint64_t)geo.homes_max * shards * LRD__WAYS * 7 >= size / 64 * 10);
                    CHECK_EQ(geo.ghost_sets & (geo.ghost_sets - 1), 0);
                    CHECK((uint64_t)geo.ghost_sets * LRD__GHOST_WAYS >=
                          (uint64_t)geo.homes_max * LRD__WAYS / 2);
                    check_areas(&geo);
                }
}

static void stores_of_queues_have_rows_instead_of_an_index(void **state)
{
    (void)state;
    for (uint64_t size = LRD_SIZE_MIN; size <= 64ull << 30; size *= 4)
        for (uint32_t shards = 1; shards <= 16 && shards <= size / LRD__PAGE; shards *= 4) {
            lrd__geometry geo = derived(size, LRD_QUEUE, shards, 16);
            CHECK_EQ(geo.homes_max, 16);
            CHECK(geo.messages_max % 64 == 0 && geo.messages_max <= 1u << 24);
            CHECK(geo.messages_max >= size / 64 || geo.messages_max == 1u << 24);
            CHECK(geo.queue_shards_at + shards * 64 <= geo.slots_at);
            CHECK(geo.queues_at % 4096 == 0 && geo.queues_at >= geo.keylocks_at);
            CHECK(geo.messages_at % 4096 == 0 && geo.messages_at >= geo.queues_at + 1024 * 512);
            CHECK(geo.messages_at + (uint64_t)shards * geo.messages_max * 64 <= geo.control_size);
            check_areas(&geo);
        }
    lrd__geometry many = {
        .size = 64 * MIB, .policy = LRD_QUEUE, .shards = 32, .slots = 64, .buckets = 16};
    CHECK_CODE(lrd__geometry_derive(&many), LRD_EINVAL);
}

/* lrd__geometry_derive() adds sizes without overflow checks, so the largest sum must fit. */
static void the_largest_numbers_make_a_file_that_can_be(void **state)
{
    (void)state;
    for (uint32_t policy = 0; policy <= LRD_QUEUE; policy++)
        for (uint32_t shards = 1; shards <= (policy == LRD_QUEUE ? 16 : 256); shards *= 2)
            for (uint32_t buckets = 16; buckets <= 1u << 26 && buckets <= (1u << 30) / shards;
                 buckets *= 4) {
                lrd__geometry geo = {.size = LRD_SIZE_MAX,
                                     .policy = policy,
                                     .shards = shards,
                                     .slots = 4096,
                                     .buckets = buckets};
                CHECK_OK(lrd__geometry_derive(&geo));
                CHECK(geo.file_size > LRD_SIZE_MAX && geo.file_size < 1ull << 46);
            }
}

static void the_same_numbers_give_the_same_geometry(void **state)
{
    (void)state;
    lrd__geometry one = derived(64 * MIB, LRD_VOLATILE, 8, 4682), two = one;
    CHECK_OK(lrd__geometry_derive(&two));
    CHECK(memcmp(&one, &two, sizeof one) == 0);
}

static void policies_without_ttl_or_eviction_need_less(void **state)
{
    (void)state;
    lrd__geometry evicting = derived(64 * MIB, LRD_VOLATILE, 8, 4682);
    lrd__geometry session = derived(64 * MIB, LRD_SESSION, 8, 4682);
    lrd__geometry pinned = derived(64 * MIB, LRD_PINNED, 8, 4682);
    lrd__geometry immutable = derived(64 * MIB, LRD_IMMUTABLE, 8, 4682);
    CHECK(session.control_size < evicting.control_size);
    CHECK(pinned.control_size < session.control_size);
    CHECK_EQ(immutable.control_size, pinned.control_size);
}

static void numbers_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    const struct {
        lrd__geometry geo;
        const char *name;
    } rows[] = {
        {{.size = MIB, .policy = LRD_QUEUE + 1, .shards = 1, .slots = 16, .buckets = 16}, "policy"},
        {{.size = MIB, .policy = UINT32_MAX, .shards = 1, .slots = 16, .buckets = 16}, "policy"},
        {{.size = 0, .shards = 1, .slots = 16, .buckets = 16}, "size"},
        {{.size = MIB - LRD__PAGE, .shards = 1, .slots = 16, .buckets = 16}, "size"},
        {{.size = MIB + 1, .shards = 1, .slots = 16, .buckets = 16}, "size"},
        {{.size = LRD_SIZE_MAX + LRD__PAGE, .shards = 1, .slots = 16, .buckets = 16}, "size"},
        {{.size = UINT64_MAX - 65535, .shards = 1, .slots = 16, .buckets = 16}, "size"},
        {{.size = MIB, .shards = 0, .slots = 16, .buckets = 16}, "shards"},
        {{.size = MIB, .shards = 6, .slots = 16, .buckets = 16}, "shards"},
        {{.size = 64 * MIB, .shards = 512, .slots = 16, .buckets = 16}, "shards"},
        {{.size = MIB, .shards = 32, .slots = 16, .buckets = 16}, "shards"},
        {{.size = MIB, .shards = 1, .slots = 15, .buckets = 16}, "slots"},
        {{.size = MIB, .shards = 1, .slots = 4097 + LRD__SLOTS_SPARE, .buckets = 16}, "slots"},
        {{.size = MIB, .shards = 1, .slots = 16, .buckets = 0}, "buckets"},
        {{.size = MIB, .shards = 1, .slots = 16, .buckets = UINT32_MAX}, "buckets"},
        {{.size = MIB, .shards = 1, .slots = 16, .buckets = (1u << 26) + 1}, "buckets"},
        {{.size = MIB, .shards = 16, .slots = 16, .buckets = (1u << 26) + 1}, "buckets"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lrd__geometry geo = rows[i].geo;
        CHECK_CODE(lrd__geometry_derive(&geo), LRD_EINVAL);
        CHECK(strncmp(lrd_error_detail(), rows[i].name, strlen(rows[i].name)) == 0);
    }
}

static void shards_default_to_one_for_each_16_mib(void **state)
{
    (void)state;
    const struct {
        uint64_t mib;
        uint32_t shards;
    } rows[] = {{1, 1}, {31, 1}, {32, 2}, {63, 2}, {64, 4}, {127, 4}, {128, 8}, {200, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lrd_store *store;
        lrd_options options = {.size = rows[i].mib * MIB, .slots = 16, .policy = LRD_PINNED};
        CHECK_OK(lrd_open(&options, &store));
        CHECK_EQ(store->geo.shards, rows[i].shards);
        lrd_close(store);
    }
}

static void stores_of_queues_have_8_shards_at_most_unless_asked(void **state)
{
    (void)state;
    for (uint32_t shards = 0; shards <= 16; shards += 16) {
        lrd_store *store;
        lrd_options options = {
            .size = 512 * MIB, .slots = 16, .policy = LRD_QUEUE, .shards = shards};
        CHECK_OK(lrd_open(&options, &store));
        CHECK_EQ(store->geo.shards, shards == 0 ? 8 : 16);
        lrd_close(store);
    }
}

static void bases_must_leave_room_for_the_size(void **state)
{
    (void)state;
    CHECK(lrd__base_valid(LRD__BASE_DEFAULT, 2 * MIB));
    CHECK(!lrd__base_valid(0, 2 * MIB));
    CHECK(!lrd__base_valid(LRD__BASE_DEFAULT + 4096, 2 * MIB));
    CHECK(!lrd__base_valid(LRD__USER_END, 2 * MIB));
    uint64_t last = (LRD__USER_END - 2 * MIB) & ~(LRD__BASE_STEP - 1);
    CHECK(lrd__base_valid(last, LRD__USER_END - last));
    CHECK(!lrd__base_valid(last, LRD__USER_END - last + 1));
}

static void a_hint_says_how_large_the_index_is_at_first(void **state)
{
    (void)state;
    for (uint64_t hint = 1; hint < UINT64_MAX / 4; hint = hint * 3 + 1) {
        lrd_store *store;
        lrd_info info;
        lrd_options options = {.size = MIB, .slots = 16, .shards = 8, .entries_hint = hint};
        CHECK_OK(lrd_open(&options, &store));
        lrd_store_info(store, &info);
        uint64_t homes = store->geo.buckets;
        CHECK(info.entries_max >= MIB / 64);
        CHECK(homes * 8 * LRD__WAYS * 6 >= (hint < 10000 ? hint : 10000) * 10);
        CHECK(homes <= store->geo.homes_max);
        CHECK(hint > 500 || homes < 32);
        lrd_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_aligned_in_order_and_do_not_overlap),
        cmocka_unit_test(stores_of_queues_have_rows_instead_of_an_index),
        cmocka_unit_test(the_largest_numbers_make_a_file_that_can_be),
        cmocka_unit_test(the_same_numbers_give_the_same_geometry),
        cmocka_unit_test(policies_without_ttl_or_eviction_need_less),
        cmocka_unit_test(numbers_out_of_range_are_refused_by_name),
        cmocka_unit_test(shards_default_to_one_for_each_16_mib),
        cmocka_unit_test(stores_of_queues_have_8_shards_at_most_unless_asked),
        cmocka_unit_test(bases_must_leave_room_for_the_size),
        cmocka_unit_test(a_hint_says_how_large_the_index_is_at_first),
    };
    return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
