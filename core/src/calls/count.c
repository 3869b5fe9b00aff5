/* count.c - changes counters. A call creates its counter if there is none. Read lrd_counter_add()
 * first. */
#include "calls/count.h"
#include "ground/error.h"
#include "ground/map.h"
#include "threads/build.h"
#include "threads/thread.h"
#include "threads/read.h"
#include "calls/write.h"

int64_t lrd_counter_value(const lrd_value *value)
{
    if (value->size != sizeof(int64_t))
        return 0;
    /* acquire: pairs with the release store of the thread that last changed the counter */
    return atomic_load_explicit((const _Atomic int64_t *)value->data, memory_order_acquire);
}

/* Set *out to the address of a counter's number, in a protected block. Returns LRD_OK, LRD_MISS
 * (not live) or LRD_ETYPE (not a counter). */
static int read_counter(lrd_store *store, const lrd__read_found *found, _Atomic int64_t **out)
{
    const lrd__block *block = lrd__block_at(store, found->offset);
    if (!lrd__block_live(store, block))
        return LRD_MISS;
    if (block->type != LRD_TYPE_COUNTER || lrd__block_size(block) != sizeof(int64_t))
        return lrd__fail(LRD_ETYPE, "the entry is of type %d", block->type);
    *out = lrd__block_value(store, found->offset);
    return LRD_OK;
}

/* A planted fault that tests must notice: it stores the number in two halves. */
static void count_control_torn(_Atomic int64_t *counter, int64_t sum)
{
    volatile uint32_t *half = (volatile uint32_t *)(void *)counter;
    half[1] = (uint32_t)((uint64_t)sum >> 32);
    half[0] = (uint32_t)sum;
}

static int read_add(_Atomic int64_t *counter, int64_t step, int64_t *result)
{
    int64_t sum, value = atomic_load_explicit(counter, memory_order_relaxed);
    if (LRD__CONTROL(count_torn) && !__builtin_add_overflow(value, step, &sum))
        return count_control_torn(counter, sum), *result = sum, LRD_OK;
    do {
        if (__builtin_add_overflow(value, step, &sum))
            return lrd__fail(LRD_ERANGE, "%lld + %lld", (long long)value, (long long)step);
    } while (!atomic_compare_exchange_weak_explicit(counter, &value, sum, memory_order_acq_rel,
                                                    memory_order_relaxed));
    LRD__FAILPOINT("counter_added");
    *result = sum;
    return LRD_OK;
}

static int read_swap(_Atomic int64_t *counter, int64_t expected, int64_t wanted)
{
    /* release: a thread that reads the new value also sees what this thread stored before */
    bool swapped = atomic_compare_exchange_strong_explicit(
        counter, &expected, wanted, memory_order_acq_rel, memory_order_acquire);
    LRD__FAILPOINT("counter_swapped");
    return swapped ? LRD_OK : LRD_STALE;
}

/* Add `first` to a live counter, and store the sum in *result. If `result` is NULL, replace the
 * value `first` by `second`. */
static LRD__HOT int read_change(lrd_store *store, const void *key, size_t key_len, int64_t first,
                                int64_t second, int64_t *result)
{
    lrd__thread *self;
    lrd__read_found found;
    _Atomic int64_t *counter;
    int rc = lrd__key_check(key_len);
    if (rc == LRD_OK && !store->listed)
        rc = lrd__fail(LRD_EPOLICY, "counters in an immutable store");
    if (rc != LRD_OK)
        return rc;
    rc = lrd__read_use(store, key, key_len, &self, &found);
    if (rc != LRD_OK)
        return lrd__write_refused_key(store, key, key_len, rc);
    rc = read_counter(store, &found, &counter);
    if (rc == LRD_OK)
        rc = result != NULL ? read_add(counter, first, result) : read_swap(counter, first, second);
    /* a change counts as a use of the entry, like a get */
    lrd__read_use_end(store, self, &found, rc >= LRD_OK && rc != LRD_MISS);
    return rc;
}

int lrd_counter_update(lrd_store *store, const void *key, size_t key_len, int64_t step,
                       int64_t *result)
{
    return read_change(store, key, key_len, step, 0, result);
}

int lrd_counter_swap(lrd_store *store, const void *key, size_t key_len, int64_t expected,
                     int64_t wanted)
{
    return read_change(store, key, key_len, expected, wanted, NULL);
}

int lrd__counter_store(lrd_store *store, const void *key, size_t key_len, int64_t value)
{
    lrd_value found;
    int rc = lrd__segment_look(store);
    if (rc == LRD_OK)
        rc = lrd_get(store, key, key_len, LRD_GET_PLAIN | LRD_GET_NO_COPY, &found);
    if (rc != LRD_OK && rc != LRD_MISS)
        return rc;
    /* The get above was not a call of the program, so take back the hit or miss that it has
     * counted. */
    lrd__slot *slot = lrd__threads[store->id]->slot;
    lrd__add(rc == LRD_OK ? &slot->hits : &slot->misses, (uint64_t)-1);
    if (rc != LRD_OK)
        return rc;
    uint64_t offset = lrd__listing_offset(found.block);
    const lrd__block *block = lrd__block_at(store, offset);
    bool fits = found.type == LRD_TYPE_COUNTER && found.size == sizeof value &&
                atomic_load_explicit(&block->expiry, memory_order_relaxed) == 0;
    if (fits) {
        lrd__segment_touch(store, offset, sizeof(lrd__block));
        _Atomic int64_t *counter = lrd__block_value(store, offset);
        /* release: pairs with the acquire load in lrd_counter_value() */
        atomic_store_explicit(counter, value, memory_order_release);
        LRD__FAILPOINT("counter_stored");
    }
    lrd_release(store, &found);
    return fits ? LRD_OK : LRD_MISS;
}

LRD__HOT int lrd_counter_set(lrd_store *store, const void *key, size_t key_len, int64_t value,
                             uint64_t ttl_ms)
{
    int rc = lrd__write_mode_check(store, LRD_SET, ttl_ms);
    if (rc != LRD_OK)
        return rc;
    if (ttl_ms == 0 && lrd__counter_store(store, key, key_len, value) == LRD_OK)
        return LRD_OK;
    /* After LRD_MISS, this call of lrd_put() creates the counter. After an error, lrd_put() fails
     * as well, and counts the refused write. */
    return lrd_put(store, key, key_len, &value, sizeof value,
                   &(lrd_write){.ttl_ms = ttl_ms, .type = LRD_TYPE_COUNTER});
}

LRD__HOT int lrd_counter_add(lrd_store *store, const void *key, size_t key_len, int64_t step,
                             int64_t initial, uint64_t ttl_ms, int64_t *result)
{
    int64_t value;
    int rc = lrd__write_mode_check(store, LRD_ADD, ttl_ms);
    if (rc != LRD_OK)
        return rc;
    for (;;) {
        rc = lrd_counter_update(store, key, key_len, step, result);
        if (rc != LRD_MISS)
            return rc;
        if (__builtin_add_overflow(initial, step, &value))
            return lrd__fail(LRD_ERANGE, "%lld + %lld", (long long)initial, (long long)step);
        rc = lrd_put(store, key, key_len, &value, sizeof value,
                     &(lrd_write){.ttl_ms = ttl_ms, .mode = LRD_ADD, .type = LRD_TYPE_COUNTER});
        if (rc == LRD_OK)
            *result = value;
        if (rc != LRD_EXISTS)
            return rc;
    }
}
