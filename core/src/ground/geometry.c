/* geometry.c - checks options, and computes the offsets and sizes of all areas of a segment.
 * Accesses no shared memory. Read lrd__geometry_derive() first.
 *
 *   0        4 KiB                                         control_size   data_at   file_size
 *   | header | gates, shards | quotas | slots | owners ... rows |    (hole)    |   data   |
 *     `---- committed ---'     `---- committed as used ----'      to 2 MiB      as used */
#include "ground/geometry.h"
#include "ground/queue_layout.h"
#include "ground/error.h"

/* maximum number of shards that a store of queues gets by default */
#define GEOMETRY_QUEUE_SHARDS 8u
#define GEOMETRY_SLOTS_MIN 16u
_Static_assert(LRD__SLOTS_MAX + LRD__SLOTS_SPARE < LRD__TURN_WHO, "a turn names any slot");
#define GEOMETRY_BUCKETS_MIN 16u
/* Maximum number of home buckets of one shard (_MAX), and of all shards (_ALL). Doubling can make
 * homes_max almost twice as large. Even then, the number of an index slot must fit in LRD__LINK,
 * and the number of a bucket in 32 bits. */
#define GEOMETRY_BUCKETS_MAX ((uint32_t)1 << 26)
#define GEOMETRY_BUCKETS_ALL ((uint32_t)1 << 30)
#define GEOMETRY_CONTROL_ALIGN 4096u
#define GEOMETRY_BLOCK 64u /* size in bytes of the smallest block */

/* Append an area at *end, and return its start. geometry_check() limits sizes, so sums cannot
 * overflow. */
static uint64_t geometry_area(uint64_t *end, uint64_t align, uint64_t count, uint64_t stride)
{
    uint64_t start = LRD__ALIGN_UP(*end, align);
    *end = start + count * stride;
    lrd__assert(*end < (uint64_t)1 << 45);
    return start;
}

static bool geometry_is_power(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

static uint32_t geometry_power_up(uint32_t value)
{
    uint32_t power = 1;
    while (power < value)
        power *= 2;
    return power;
}

static uint32_t geometry_log2(uint32_t value)
{
    uint32_t bits = 0;
    while (value >> bits > 1)
        bits++;
    return bits;
}

static uint32_t geometry_buckets_max(uint32_t shards)
{
    uint32_t share = GEOMETRY_BUCKETS_ALL / shards;
    return share < GEOMETRY_BUCKETS_MAX ? share : GEOMETRY_BUCKETS_MAX;
}

/* Return the number of home buckets that a shard needs in a full store of the smallest blocks, at a
 * load of 0.7. */
static uint32_t geometry_homes(uint64_t size, uint32_t shards)
{
    uint64_t words = (size / GEOMETRY_BLOCK * 10 + 6) / 7;
    uint64_t homes = (words / LRD__WAYS + shards) / shards;
    uint32_t most = geometry_buckets_max(shards);
    return homes < GEOMETRY_BUCKETS_MIN ? GEOMETRY_BUCKETS_MIN
           : homes < most               ? (uint32_t)homes
                                        : most;
}

static LRD__HOT int geometry_check(const lrd__geometry *geo)
{
    if (geo->policy > LRD_QUEUE)
        return lrd__fail(LRD_EINVAL, "policy is %u; it must be 0 to %u", geo->policy,
                         (unsigned)LRD_QUEUE);
    if (geo->size < LRD_SIZE_MIN || geo->size > LRD_SIZE_MAX || geo->size % LRD__PAGE != 0)
        return lrd__fail(LRD_EINVAL, "size is %llu; it must be %llu to %llu, a multiple of %llu",
                         (unsigned long long)geo->size, (unsigned long long)LRD_SIZE_MIN,
                         (unsigned long long)LRD_SIZE_MAX, (unsigned long long)LRD__PAGE);
    if (!geometry_is_power(geo->shards) || geo->shards > LRD__SHARDS_MAX)
        return lrd__fail(LRD_EINVAL, "shards is %u; it must be a power of two from 1 to %u",
                         geo->shards, LRD__SHARDS_MAX);
    if (geo->shards > geo->size / LRD__PAGE)
        return lrd__fail(LRD_EINVAL, "shards is %u; a size of %llu has pages for at most %llu",
                         geo->shards, (unsigned long long)geo->size,
                         (unsigned long long)(geo->size / LRD__PAGE));
    if (geo->policy == LRD_QUEUE && geo->shards > LRD__QUEUE_SHARDS_MAX)
        return lrd__fail(LRD_EINVAL, "shards is %u; a store of queues has at most %u", geo->shards,
                         LRD__QUEUE_SHARDS_MAX);
    if (geo->slots < GEOMETRY_SLOTS_MIN || geo->slots > LRD__SLOTS_MAX + lrd__slots_spare(geo))
        return lrd__fail(LRD_EINVAL, "slots is %u; it must be %u to %u", geo->slots,
                         GEOMETRY_SLOTS_MIN, LRD__SLOTS_MAX);
    uint32_t most = geometry_buckets_max(geo->shards);
    if (geo->buckets < GEOMETRY_BUCKETS_MIN || geo->buckets > most)
        return lrd__fail(LRD_EINVAL, "buckets (of a shard) is %u; it must be %u to %u",
                         geo->buckets, GEOMETRY_BUCKETS_MIN, most);
    return LRD_OK;
}

/* Choose the offsets of the areas in the control mapping. Returns the end of the last area. */
static uint64_t geometry_place(lrd__geometry *geo)
{
    uint64_t end = sizeof(lrd__header);
    bool evicts = geo->policy == LRD_VOLATILE;
    bool expires = evicts || geo->policy == LRD_SESSION, queues = geo->policy == LRD_QUEUE;
    uint64_t buckets = lrd__buckets_end(geo, (uint64_t)geo->homes_max << geo->shard_bits);
    uint64_t chunks = expires ? (buckets + LRD__TIMER_CHUNK - 1) / LRD__TIMER_CHUNK : 0;
    uint64_t ghosts = evicts ? (uint64_t)geo->shards * geo->ghost_sets * LRD__GHOST_WAYS : 0;

    geo->gates_at = geometry_area(&end, 4096, geo->shards, sizeof(lrd__gate));
    geo->shards_at = geometry_area(&end, 64, geo->shards, sizeof(lrd__shard));
    geo->quotas_at = geometry_area(&end, 64, geo->slots, sizeof(uint16_t));
    geo->keylock_owners_at = geometry_area(&end, 64, geo->keylock_chunks, sizeof(uint16_t));
    geo->queue_shards_at =
        geometry_area(&end, 64, queues ? geo->shards : 0, sizeof(lrd__queue_shard));
    geo->slots_at = geometry_area(&end, 4096, lrd__slot_begin(geo->slots), 1);
    geo->owners_at = geometry_area(&end, 4096, geo->pages_all, sizeof(uint32_t));
    geo->pages_at = geometry_area(&end, 64, geo->pages_all, sizeof(lrd__page));
    geo->bits_at = geometry_area(&end, 64, geo->pages_all, sizeof(lrd__bits));
    geo->run_len_at = geometry_area(&end, 64, geo->size >> LRD__UNIT_BITS, sizeof(uint32_t));
    geo->buckets_at = geometry_area(&end, 4096, buckets, sizeof(lrd__bucket));
    geo->links_at = geometry_area(&end, 4096, evicts ? buckets * LRD__WAYS : 0, sizeof(uint32_t));
    geo->timed_at = geometry_area(&end, 4096, chunks, sizeof(uint8_t));
    geo->timers_at =
        geometry_area(&end, 4096, chunks * LRD__TIMER_CHUNK * LRD__WAYS, sizeof(lrd__timer));
    geo->ghost_at = geometry_area(&end, 4096, ghosts, sizeof(uint32_t));
    geo->keylock_heads_at =
        geometry_area(&end, 4096, geo->shards, LRD__KEYLOCK_HEADS * sizeof(uint32_t));
    geo->keylocks_at =
        geometry_area(&end, 4096, geo->keylock_chunks, LRD__KEYLOCK_CHUNK * sizeof(lrd__keylock));
    geo->queues_at = geometry_area(&end, 4096, queues ? LRD__QUEUES : 0, sizeof(lrd__queue));
    geo->messages_at = geometry_area(&end, 4096, queues ? geo->shards : 0,
                                     (uint64_t)geo->messages_max * sizeof(lrd__message));
    return end;
}

LRD__HOT int lrd__geometry_derive(lrd__geometry *geo)
{
    int code = geometry_check(geo);
    if (code != LRD_OK)
        return code;

    geo->pages = geo->size / LRD__PAGE;
    /* The largest store has no mini pages: its data already uses all offsets. */
    geo->pages_all = geo->pages + (geo->size < LRD_SIZE_MAX ? LRD__MINIS : 0);
    geo->data_size = geo->size + (geo->pages_all - geo->pages) * LRD__PART;
    geo->shard_bits = geometry_log2(geo->shards);
    geo->keylock_chunks = LRD__KEYLOCK_CHUNKS + geo->shards;
    /* All messages may go to one shard. So give each shard enough rows for all messages, in steps
     * of LRD__MESSAGES_STEP rows. */
    uint64_t messages = geo->data_size / GEOMETRY_BLOCK & ~(uint64_t)(LRD__MESSAGES_STEP - 1);
    geo->messages_max = messages < LRD__MESSAGES_MAX ? (uint32_t)messages : LRD__MESSAGES_MAX;
    geo->homes_max = geo->buckets;
    /* the index of a store of queues stays small */
    while (geo->policy != LRD_QUEUE && geo->homes_max < geometry_homes(geo->size, geo->shards))
        geo->homes_max *= 2;
    /* one ghost (a remembered evicted key) for each entry of a full store of the smallest blocks */
    geo->ghost_sets = geometry_power_up(
        (uint32_t)((uint64_t)geo->homes_max * LRD__WAYS * 7 / 10 / LRD__GHOST_WAYS + 1));
    geo->control_size = LRD__ALIGN_UP(geometry_place(geo), GEOMETRY_CONTROL_ALIGN);
    geo->data_at = LRD__ALIGN_UP(geo->control_size, LRD__BASE_STEP);
    geo->file_size = geo->data_at + geo->data_size;
    return LRD_OK;
}

bool lrd__base_valid(uint64_t base, uint64_t size)
{
    return base != 0 && base % LRD__BASE_STEP == 0 && base < LRD__USER_END &&
           size <= LRD__USER_END - base;
}

/* Return an address from which to search for a free range, in an address space of `bits` bits. The
 * addresses between 1/2 and 5/8 of the address space are usually free. */
uint64_t lrd__base_within(uint64_t from, uint32_t bits)
{
    uint64_t middle = (uint64_t)1 << (bits - 1), room = (uint64_t)1 << (bits - 3);
    return middle + ((from - LRD__BASE_DEFAULT) / 4 & (room - 1) & ~(LRD__BASE_STEP - 1));
}

LRD__HOT uint32_t lrd__geometry_buckets(uint64_t entries_hint, uint64_t size, uint32_t shards)
{
    uint32_t most = geometry_homes(size, shards);
    /* Keys spread unevenly over the shards, so add four standard deviations. */
    uint64_t entries = entries_hint / shards + 1, deviation = 1;
    if (entries_hint > size)
        return most;
    while (shards > 1 && deviation * deviation < entries)
        deviation++;
    uint64_t words = ((entries + 4 * deviation) * 10 + 5) / 6; /* a load of 0.6, rounded up */
    uint64_t least = entries_hint != 0 ? (words + LRD__WAYS - 1) / LRD__WAYS : 0;
    uint32_t doublings = 0;
    least = least > GEOMETRY_BUCKETS_MIN ? least : GEOMETRY_BUCKETS_MIN;
    while (most >> (doublings + 1) >= least)
        doublings++;
    return (most >> doublings) + ((most & ((1u << doublings) - 1)) != 0);
}

/* Return the default number of shards: a power of two, about one shard per 16 MiB. */
static uint32_t geometry_shards(uint64_t size)
{
    uint32_t shards = 1;
    while (shards < LRD__SHARDS_MAX && size >> 25 >= shards)
        shards *= 2;
    return shards;
}

/* Check some options before rounding, so that messages contain the caller's own numbers. */
static int geometry_check_options(const lrd_options *options)
{
    if (options->size != 0 && (options->size < LRD_SIZE_MIN || options->size > LRD_SIZE_MAX))
        return lrd__fail(LRD_EINVAL, "size is %llu; it must be %llu to %llu",
                         (unsigned long long)options->size, (unsigned long long)LRD_SIZE_MIN,
                         (unsigned long long)LRD_SIZE_MAX);
    if (options->slots > LRD__SLOTS_MAX)
        return lrd__fail(LRD_EINVAL, "slots is %u; it must be %u to %u", options->slots,
                         GEOMETRY_SLOTS_MIN, LRD__SLOTS_MAX);
    if (options->value_abi != NULL &&
        strnlen(options->value_abi, sizeof(((lrd__header *)0)->value_abi)) ==
            sizeof(((lrd__header *)0)->value_abi))
        return lrd__fail(LRD_EINVAL, "value_abi is longer than 63 bytes");
    if (options->path != NULL && options->path[0] == '\0')
        return lrd__fail(LRD_EINVAL, "path is empty; NULL makes an anonymous store");
    return LRD_OK;
}

LRD__HOT int lrd__geometry_choose(const lrd_options *options, lrd__geometry *geo)
{
    int code = geometry_check_options(options);
    if (code != LRD_OK)
        return code;

    *geo = (lrd__geometry){.policy = (uint32_t)options->policy,
                           .shards = options->shards,
                           .slots = options->slots != 0 ? options->slots : LRD__SLOTS_MAX,
                           .buckets = GEOMETRY_BUCKETS_MIN};
    geo->size = LRD__ALIGN_UP(options->size != 0 ? options->size : 64u << 20, LRD__PAGE);
    if (geo->shards == 0)
        geo->shards = geometry_shards(geo->size);
    if (options->shards == 0 && geo->policy == LRD_QUEUE && geo->shards > GEOMETRY_QUEUE_SHARDS)
        geo->shards = GEOMETRY_QUEUE_SHARDS;
    code = geometry_check(geo);
    if (code != LRD_OK)
        return code;
    geo->slots += lrd__slots_spare(geo);
    geo->buckets = lrd__geometry_buckets(options->entries_hint, geo->size, geo->shards);
    if (options->base != 0 &&
        !lrd__base_valid(options->base, LRD__ALIGN_UP(geo->size, LRD__BASE_STEP)))
        return lrd__fail(LRD_EINVAL,
                         "base is 0x%llx; it must be a multiple of 2 MiB and end, with "
                         "the size, below 0x%llx",
                         (unsigned long long)options->base, LRD__USER_END);
    if (options->base_from != 0 &&
        !lrd__base_valid(options->base_from, LRD__ALIGN_UP(geo->size, LRD__BASE_STEP)))
        return lrd__fail(LRD_EINVAL, "base_from is 0x%llx; it must be a multiple of 2 MiB",
                         (unsigned long long)options->base_from);
    return lrd__geometry_derive(geo);
}
