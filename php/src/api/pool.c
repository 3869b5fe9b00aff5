/* pool.c - pools: separate namespaces in the volatile store. Begin reading at pool_find(). The keys
 * of a pool in the store are:
 *
 *   "\0lrd" r NAME                       its record, a pool_record. Without it, the pool is empty
 *   "\0lrd" e LENGTH NAME GENERATION KEY an entry; GENERATION is a number in the record
 *   "\0lrd" l LENGTH NAME KEY            the key that lock() locks; it never has an entry
 *   "\0lrd" s NAME STATS KIND            a count of uses; STATS is a number in the record
 *
 * - Each operation reads the generation from the record. So clear() only writes a new generation,
 *   and old entries cannot be found any more. In a store with few entries, clear() also removes
 *   them.
 * - Generations are random, so that a new pool cannot find entries of an evicted pool of the same
 *   name.
 * - Uses are counted in the Pool object (larder_pool), and added to the shared counts later.
 * - An entry may be a lease, which is a miss for readers (pool_lease.c). */
#include "api/pool.h"
#include "api/arguments.h"
#include "api/lock.h"
#include "api/remember.h"
#include "fetch/fetch.h"
#include "format/format.h"
#include "put/put.h"
#include "stores/stores.h"

#include <sys/random.h>

/* number of uses after which a pool object adds its counts to the shared counts */
#define POOL_USES 65536u
/* maximum number of attempts to change a record or an entry that other processes change, too */
#define POOL_TRIES 8u
/* initial size of the room for a key in `scratch`, in bytes */
#define POOL_ROOM 128u
/* clear() removes the pool's old entries only if the store has at most this number of entries */
#define POOL_SWEEP 1024u
/* number of index buckets that clear() reads in one step */
#define POOL_BUCKETS 16u

/* the length of "\0lrd" plus one letter */
#define POOL_TAG_LENGTH sizeof LARDER_RESERVED

typedef struct pool_record {
    /* random, never 0; in a larder_pool, 0 means unknown */
    uint64_t generation, stats;
} pool_record;

zend_class_entry *larder_pool_info_class;
static zend_class_entry *pool_class;
static zend_object_handlers pool_handlers;

/* ---- keys ---- */

static char *pool_tag(char *at, char letter)
{
    memcpy(at, LARDER_RESERVED, POOL_TAG_LENGTH - 1);
    at[POOL_TAG_LENGTH - 1] = letter;
    return at + POOL_TAG_LENGTH;
}

static size_t pool_prefix(const larder_pool *pool)
{
    return POOL_TAG_LENGTH + 1 + ZSTR_LEN(pool->name) + sizeof(uint64_t);
}

/* Write the generation to `scratch`. If `scratch` has this generation already, write nothing: the
 * core soon reads these bytes, and a read right after a write is slower. */
static void pool_set_generation(larder_pool *pool, uint64_t generation)
{
    char *at = pool->scratch + pool_prefix(pool) - sizeof generation;
    uint64_t before;
    memcpy(&before, at, sizeof before);
    if (UNEXPECTED(before != generation))
        memcpy(at, &generation, sizeof generation);
}

/* Append `size` bytes to the prefix in pool->scratch. Returns the length of the prefix and the
 * bytes together. */
static zend_always_inline size_t pool_append(larder_pool *pool, const void *bytes, size_t size)
{
    size_t prefix = pool_prefix(pool), length = prefix + size;
    if (UNEXPECTED(length > pool->room)) {
        pool->scratch = erealloc(pool->scratch, length);
        pool->room = length;
    }
    memcpy(pool->scratch + prefix, bytes, size);
    return length;
}

/* Write the key of an entry to pool->scratch: the pool's prefix, then `key`. Returns the length of
 * the whole key. Do not run user code between this call and the use of the key, because user code
 * may overwrite `scratch`. It is faster to call this before pool_find() than after it. */
static size_t pool_compose(larder_pool *pool, const zend_string *key)
{
    return pool_append(pool, ZSTR_VAL(key), ZSTR_LEN(key));
}

zend_string *larder_pool_key(const larder_pool *pool, const zend_string *key)
{
    return zend_string_concat2(pool->scratch, pool_prefix(pool), ZSTR_VAL(key), ZSTR_LEN(key));
}

static zend_string *pool_lock_key(const larder_pool *pool, const zend_string *key)
{
    size_t prefix = pool_prefix(pool) - sizeof(uint64_t);
    zend_string *result = zend_string_concat2(pool->scratch, prefix, ZSTR_VAL(key), ZSTR_LEN(key));
    pool_tag(ZSTR_VAL(result), 'l');
    return result;
}

bool larder_pool_name_check(const zend_string *name, uint32_t argument)
{
    if (ZSTR_LEN(name) - 1 < LARDER_POOL_NAME_MAX)
        return true;
    zend_argument_value_error(argument, "must be between 1 and %u bytes long, %zu given",
                              LARDER_POOL_NAME_MAX, ZSTR_LEN(name));
    return false;
}

static bool pool_key_length(const larder_pool *pool, const zend_string *key, size_t *max)
{
    *max = LRD_KEY_MAX - pool_prefix(pool);
    return EXPECTED(ZSTR_LEN(key) - 1 < *max);
}

static bool pool_key_bytes(const larder_pool *pool, const zend_string *key)
{
    return !pool->strict || memchr(ZSTR_VAL(key), 0x1F, ZSTR_LEN(key)) == NULL;
}

bool larder_pool_key_check(const larder_pool *pool, const zend_string *key, uint32_t argument)
{
    size_t max;
    if (!pool_key_length(pool, key, &max))
        zend_argument_value_error(argument, "must be between 1 and %zu bytes long, %zu given", max,
                                  ZSTR_LEN(key));
    else if (!pool_key_bytes(pool, key))
        zend_argument_value_error(argument, "must not contain the byte 0x1F");
    else
        return true;
    return false;
}

bool larder_pool_keys_check(const larder_pool *pool, const zend_string *key, uint32_t argument)
{
    size_t max;
    if (!pool_key_length(pool, key, &max))
        larder_keys_length_error(ZSTR_LEN(key), max, argument);
    else if (!pool_key_bytes(pool, key))
        zend_argument_value_error(argument, "must not contain keys with the byte 0x1F");
    else
        return true;
    return false;
}

zend_string *larder_pool_key_of(const larder_pool *pool, zval *element, uint32_t argument)
{
    ZVAL_DEREF(element);
    if (Z_TYPE_P(element) == IS_LONG)
        return zend_long_to_str(Z_LVAL_P(element));
    if (Z_TYPE_P(element) != IS_STRING) {
        if (pool->strict)
            zend_argument_value_error(argument, "must contain only keys of type string or int");
        else
            zend_argument_type_error(argument,
                                     "must be an array of keys of type string or int, %s given",
                                     zend_zval_type_name(element));
    } else if (larder_pool_keys_check(pool, Z_STR_P(element), argument)) {
        return zend_string_copy(Z_STR_P(element));
    }
    return NULL;
}

/* ---- the record ---- */

static uint64_t pool_random(void)
{
    uint64_t number = 0;
    while (number == 0)
        if (getrandom(&number, sizeof number, 0) != sizeof number)
            number = 0; /* a signal has interrupted getrandom() */
    return number;
}

/* Find the pool's record, and write its generation to pool->scratch. If the pool has no record, the
 * pool is empty, and this returns LRD_MISS. */
static zend_always_inline int pool_find(larder_pool *pool, lrd_store *store)
{
    lrd_value value;
    pool_record record;
    int rc;
    LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(pool->record), ZSTR_LEN(pool->record),
                            LRD_GET_NO_COPY | LRD_GET_PLAIN, &value));
    if (UNEXPECTED(rc != LRD_OK))
        return rc;
    if (UNEXPECTED(value.type != LARDER_POOL || value.size != sizeof record))
        return LRD_MISS;
    memcpy(&record, value.data, sizeof record);
    pool_set_generation(pool, record.generation);
    pool->stats = record.stats;
    return LRD_OK;
}

int larder_pool_find(larder_pool *pool, lrd_store *store, uint64_t *generation)
{
    int rc = pool_find(pool, store);
    memcpy(generation, pool->scratch + pool_prefix(pool) - sizeof *generation, sizeof *generation);
    return rc;
}

uint64_t larder_pool_generation(const lrd_value *record)
{
    pool_record content = {.generation = 0};
    if (record->type == LARDER_POOL && record->size == sizeof content)
        memcpy(&content, record->data, sizeof content);
    return content.generation;
}

static int pool_write(larder_pool *pool, lrd_store *store, const pool_record *record, lrd_mode mode,
                      uint64_t ttl_ms)
{
    int rc;
    LARDER_CALL(rc, lrd_put(store, ZSTR_VAL(pool->record), ZSTR_LEN(pool->record), record,
                            sizeof *record,
                            &(lrd_write){.ttl_ms = ttl_ms, .mode = mode, .type = LARDER_POOL}));
    return rc;
}

int larder_pool_renew(const larder_pool *pool, lrd_store *store, const lrd_value *record,
                      uint64_t ttl_ms)
{
    pool_record content;
    lrd_entry entry;
    int rc;
    if (record->kind == LRD_KIND_HELD) {
        LARDER_CALL(rc, lrd_put_held(store, record, ttl_ms));
        return rc;
    }
    /* The thread holds too many values, so the record is only borrowed. Copy it, because the borrow
     * may end at the next call of the core. */
    memcpy(&content, record->data, sizeof content);
    rc = lrd_value_entry(store, record, &entry);
    if (rc == LRD_OK)
        LARDER_CALL(rc, lrd_put(store, ZSTR_VAL(pool->record), ZSTR_LEN(pool->record), &content,
                                sizeof content,
                                &(lrd_write){.ttl_ms = ttl_ms,
                                             .version = entry.version,
                                             .mode = LRD_REPLACE,
                                             .type = LARDER_POOL}));
    return rc;
}

int larder_pool_begin(larder_pool *pool, lrd_store *store, uint64_t ttl_ms, uint64_t *generation)
{
    int rc = pool_find(pool, store);
    pool_record record = {.generation = pool_random(), .stats = pool->stats};
    if (rc != LRD_OK || record.stats == 0)
        record.stats = pool_random();
    *generation = record.generation;
    return pool_write(pool, store, &record, LRD_SET, ttl_ms);
}

bool larder_pool_enter(larder_pool *pool, lrd_store *store)
{
    for (unsigned i = 0; i < POOL_TRIES; i++) {
        if (EXPECTED(pool_find(pool, store) == LRD_OK))
            return true;
        pool_record record = {.generation = pool_random(), .stats = pool_random()};
        int rc = pool_write(pool, store, &record, LRD_ADD, 0);
        if (rc < 0)
            return false;
    }
    return false;
}

/* In a store with few entries, remove the entries of the ended generation. The keys of these
 * entries begin with the prefix in `scratch`. In other stores, these entries wait for eviction. Do
 * not call lrd_stats_get() here: it may check all entries. */
static void pool_sweep(larder_pool *pool, lrd_store *store)
{
    size_t prefix = pool_prefix(pool);
    lrd_cursor cursor = {.most = POOL_BUCKETS};
    lrd_value value;
    lrd_entry entry;
    int rc = LRD_OK;
    bool few;
    LARDER_CALL(few, lrd_entries_few(store, POOL_SWEEP));
    if (!few)
        return;
    /* Limit the number of steps, because the index may be large even if there are few entries. */
    for (uint32_t step = 0; step < 2 * POOL_SWEEP && (rc == LRD_OK || rc == LRD_MISS); step++) {
        LARDER_CALL(rc, lrd_next(store, &cursor, &value));
        if (rc != LRD_OK || lrd_value_entry(store, &value, &entry) != LRD_OK ||
            entry.key_len <= prefix || memcmp(entry.key, pool->scratch, prefix) != 0)
            continue;
        /* copy the key, because its borrow ends at the next call of the core */
        size_t length = pool_append(pool, (const char *)entry.key + prefix, entry.key_len - prefix);
        LARDER_CALL(rc, lrd_delete(store, pool->scratch, length));
    }
}

bool larder_pool_drop(larder_pool *pool, lrd_store *store)
{
    int rc, found = pool_find(pool, store);
    LARDER_CALL(rc, lrd_delete(store, ZSTR_VAL(pool->record), ZSTR_LEN(pool->record)));
    if (found == LRD_OK && rc == LRD_OK)
        pool_sweep(pool, store);
    return rc >= 0;
}

/* Set *ttl_ms to the time until the pool ends; 0 means never. Returns LRD_MISS if the pool has
 * ended. */
static int pool_time_left(const larder_pool *pool, lrd_store *store, uint64_t *ttl_ms)
{
    lrd_value value;
    lrd_entry entry = {.ttl_ms = 0};
    int rc;
    LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(pool->record), ZSTR_LEN(pool->record),
                            LRD_GET_BORROW | LRD_GET_NO_COUNT, &value));
    if (rc != LRD_OK)
        return rc;
    (void)lrd_value_entry(store, &value, &entry);
    *ttl_ms = entry.ttl_ms;
    LARDER_CALL(rc, lrd_release(store, &value));
    return LRD_OK;
}

bool larder_pool_clear(larder_pool *pool, lrd_store *store)
{
    uint64_t ttl_ms = 0;
    int rc = pool_find(pool, store);
    if (rc == LRD_OK)
        rc = pool_time_left(pool, store, &ttl_ms);
    if (rc != LRD_OK)
        return rc == LRD_MISS; /* a pool that does not exist is empty already */
    pool_record record = {.generation = pool_random(), .stats = pool->stats};
    rc = pool_write(pool, store, &record, LRD_SET, ttl_ms);
    if (EXPECTED(rc == LRD_OK))
        pool_sweep(pool, store);
    return rc == LRD_OK || (rc != LRD_EBUSY && larder_pool_drop(pool, store));
}

/* ---- counts of uses ---- */

static size_t pool_stats_key(const larder_pool *pool, char kind, char *key)
{
    char *at = pool_tag(key, 's');
    memcpy(at, ZSTR_VAL(pool->name), ZSTR_LEN(pool->name));
    at += ZSTR_LEN(pool->name);
    memcpy(at, &pool->stats, sizeof pool->stats);
    at[sizeof pool->stats] = kind;
    return (size_t)(at - key) + sizeof pool->stats + 1;
}

static void pool_add(const larder_pool *pool, lrd_store *store, char kind, uint64_t *count)
{
    char key[POOL_TAG_LENGTH + LARDER_POOL_NAME_MAX + sizeof pool->stats + 1];
    int64_t sum;
    int rc;
    if (*count == 0)
        return;
    size_t length = pool_stats_key(pool, kind, key);
    LARDER_CALL(rc, lrd_counter_add(store, key, length, (int64_t)*count, 0, 0, &sum));
    (void)rc; /* if the store is full or busy, these counts are lost */
    *count = 0;
}

static void pool_add_all(larder_pool *pool, lrd_store *store)
{
    pool->uses = 0;
    if (store == NULL || pool->stats == 0)
        return;
    pool_add(pool, store, 'h', &pool->hits);
    pool_add(pool, store, 'm', &pool->misses);
    pool_add(pool, store, 's', &pool->stores);
}

static uint64_t pool_counted(const larder_pool *pool, lrd_store *store, char kind)
{
    char key[POOL_TAG_LENGTH + LARDER_POOL_NAME_MAX + sizeof pool->stats + 1];
    lrd_value value;
    int rc;
    if (pool->stats == 0)
        return 0;
    size_t length = pool_stats_key(pool, kind, key);
    LARDER_CALL(rc, lrd_get(store, key, length, LRD_GET_BORROW | LRD_GET_NO_COUNT, &value));
    if (rc != LRD_OK || value.type != LRD_TYPE_COUNTER)
        return 0;
    uint64_t count = (uint64_t)lrd_counter_value(&value);
    LARDER_CALL(rc, lrd_release(store, &value));
    return count;
}

static zend_always_inline void pool_used(larder_pool *pool, lrd_store *store, uint64_t *count)
{
    ++*count;
    if (UNEXPECTED(++pool->uses == POOL_USES))
        pool_add_all(pool, store);
}

void larder_pool_count_all(larder_pool *pool, zval *keys, larder_pool_numbers *numbers)
{
    lrd_store *store = larder_store(LARDER_VOLATILE);
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    size_t prefix = pool_prefix(pool);
    *numbers = (larder_pool_numbers){.entries = 0};
    bool there = store != NULL && pool_find(pool, store) == LRD_OK;
    if (store != NULL) {
        numbers->hits = pool->hits + pool_counted(pool, store, 'h');
        numbers->misses = pool->misses + pool_counted(pool, store, 'm');
        numbers->stores = pool->stores + pool_counted(pool, store, 's');
    }
    while (there && !LARDER_OUT_OF_MEMORY()) {
        int rc;
        LARDER_CALL(rc, lrd_next(store, &cursor, &value));
        if (rc != LRD_OK)
            return;
        if (lrd_value_entry(store, &value, &entry) != LRD_OK || entry.key_len <= prefix ||
            memcmp(entry.key, pool->scratch, prefix) != 0 || value.type == LARDER_LEASE)
            continue;
        numbers->entries++;
        numbers->bytes += entry.key_len + value.size;
        if (keys != NULL)
            add_next_index_stringl(keys, (const char *)entry.key + prefix, entry.key_len - prefix);
    }
}

/* ---- operations ---- */

bool larder_pool_fetch(larder_pool *pool, zend_string *key, zval *result)
{
    lrd_store *store = larder_store(LARDER_VOLATILE);
    lrd_value value;
    if (UNEXPECTED(store == NULL))
        return false;
    size_t length = pool_compose(pool, key);
    int rc = pool_find(pool, store);
    if (EXPECTED(rc == LRD_OK))
        LARDER_CALL(rc,
                    lrd_get(store, pool->scratch, length, LRD_GET_NO_COPY | LRD_GET_PLAIN, &value));
    if (EXPECTED(rc == LRD_OK) && EXPECTED(larder_take_fast(store, &value, result))) {
        pool_used(pool, store, &pool->hits);
        return true;
    }
    pool_used(pool, store, &pool->misses);
    return false;
}

void larder_pool_fetch_group(larder_pool *pool, zend_string *const *keys, uint32_t count,
                             zval *results)
{
    lrd_store *store = larder_store(LARDER_VOLATILE);
    zend_string *names[LARDER_GROUP];
    bool there = store != NULL && pool_find(pool, store) == LRD_OK;
    for (uint32_t i = 0; i < count; i++)
        if (there)
            names[i] = larder_pool_key(pool, keys[i]);
        else
            ZVAL_UNDEF(results + i);
    if (there)
        larder_fetch_group(store, names, count, results);
    for (uint32_t i = 0; i < count; i++) {
        if (there)
            zend_string_release(names[i]);
        if (store != NULL)
            pool_used(pool, store, Z_TYPE(results[i]) != IS_UNDEF ? &pool->hits : &pool->misses);
    }
}

int larder_pool_look(lrd_store *store, const char *key, size_t length, uint8_t *type,
                     uint64_t *version)
{
    lrd_value value;
    lrd_entry entry;
    int rc;
    LARDER_CALL(rc, lrd_get(store, key, length, LRD_GET_BORROW | LRD_GET_NO_COUNT, &value));
    if (rc != LRD_OK)
        return rc;
    *type = value.type;
    *version = lrd_value_entry(store, &value, &entry) == LRD_OK ? entry.version : 0;
    LARDER_CALL(rc, lrd_release(store, &value));
    return LRD_OK;
}

bool larder_pool_has(larder_pool *pool, zend_string *key)
{
    lrd_store *store = larder_store(LARDER_VOLATILE);
    uint64_t version;
    uint8_t type;
    if (store == NULL || pool_find(pool, store) != LRD_OK)
        return false;
    size_t length = pool_compose(pool, key);
    return larder_pool_look(store, pool->scratch, length, &type, &version) == LRD_OK &&
           type != LARDER_LEASE;
}

bool larder_pool_can_read(larder_pool *pool, lrd_store *store, const zend_string *key)
{
    if (pool_find(pool, store) != LRD_OK)
        return false;
    /* Build the key in a new string, because larder_has() may run user code that overwrites
     * `scratch`. */
    zend_string *full = larder_pool_key(pool, key);
    bool found = larder_has(store, full);
    zend_string_release(full);
    return found;
}

int larder_pool_delete(larder_pool *pool, lrd_store *store, zend_string *key)
{
    int rc = pool_find(pool, store);
    if (rc != LRD_OK)
        return rc;
    size_t length = pool_compose(pool, key);
    LARDER_CALL(rc, lrd_delete(store, pool->scratch, length));
    return rc;
}

int larder_pool_put(larder_pool *pool, lrd_store *store, zend_string *key, zval *value,
                    uint64_t ttl_ms, lrd_mode mode, larder_form form, const larder_blame *blame)
{
    /* larder_put() may run user code that overwrites `scratch` */
    zend_string *full = larder_pool_key(pool, key);
    larder_target to = {.store = store, .key = full, .ttl_ms = ttl_ms, .mode = mode, .form = form};
    int rc = larder_put(&to, value, blame);
    while (mode == LRD_ADD && UNEXPECTED(larder_put_over(&to, rc)))
        rc = larder_put(&to, value, blame);
    zend_string_release(full);
    if (rc == LRD_OK)
        pool_used(pool, store, &pool->stores);
    return rc;
}

/* Change the time to live of an entry with a value. Returns LRD_MISS if the key has only a lease.
 * Returns LRD_STALE if another process has replaced the entry meanwhile. */
static int pool_touch_value(lrd_store *store, const char *key, size_t length, uint64_t ttl_ms)
{
    lrd_value value;
    int rc, released;
    LARDER_CALL(rc, lrd_get(store, key, length, LRD_GET_NO_COPY | LRD_GET_NO_COUNT, &value));
    if (rc != LRD_OK)
        return rc;
    if (value.type == LARDER_LEASE)
        rc = LRD_MISS;
    else if (EXPECTED(value.kind == LRD_KIND_HELD))
        LARDER_CALL(rc, lrd_put_held(store, &value, ttl_ms));
    else /* the request has too many held values, so the value is only borrowed */
        LARDER_CALL(rc, lrd_touch(store, key, length, ttl_ms));
    LARDER_CALL(released, lrd_release(store, &value));
    (void)released;
    return rc;
}

int larder_pool_touch(larder_pool *pool, lrd_store *store, zend_string *key, uint64_t ttl_ms)
{
    int rc = pool_find(pool, store);
    if (rc != LRD_OK)
        return rc;
    size_t length = pool_compose(pool, key);
    for (unsigned i = 0; i < POOL_TRIES; i++) {
        rc = pool_touch_value(store, pool->scratch, length, ttl_ms);
        if (EXPECTED(rc != LRD_STALE))
            break;
    }
    return rc;
}

int larder_pool_lock(const larder_pool *pool, lrd_store *store, zend_string *key, uint64_t lease_ms)
{
    zend_string *full = pool_lock_key(pool, key);
    int rc = larder_lock(store, full, lease_ms);
    zend_string_release(full);
    return rc;
}

int larder_pool_unlock(const larder_pool *pool, lrd_store *store, zend_string *key)
{
    zend_string *full = pool_lock_key(pool, key);
    int rc = larder_unlock(store, full);
    zend_string_release(full);
    return rc;
}

/* Replace a key's lease by a counter with the value `step`, because a leased key counts as having
 * no entry. Call this after lrd_counter_add() has returned LRD_ETYPE. Returns LRD_STALE if the
 * lease has ended. */
static ZEND_COLD int pool_count_leased(lrd_store *store, const char *key, size_t length,
                                       int64_t step, uint64_t ttl_ms, int64_t *sum)
{
    uint64_t version;
    uint8_t type;
    int rc = larder_pool_look(store, key, length, &type, &version);
    if (rc != LRD_OK)
        return rc == LRD_MISS ? LRD_STALE : rc;
    if (type != LARDER_LEASE)
        return type == LRD_TYPE_COUNTER ? LRD_STALE : LRD_ETYPE;
    LARDER_CALL(rc, lrd_put(store, key, length, &step, sizeof step,
                            &(lrd_write){.ttl_ms = ttl_ms,
                                         .version = version,
                                         .mode = LRD_REPLACE,
                                         .type = LRD_TYPE_COUNTER}));
    if (rc == LRD_OK)
        *sum = step;
    return rc == LRD_MISS || rc == LRD_ETYPE ? LRD_STALE : rc;
}

int larder_pool_count(larder_pool *pool, lrd_store *store, zend_string *key, int64_t step,
                      uint64_t ttl_ms, int64_t *sum)
{
    int rc = LRD_STALE;
    if (!larder_pool_enter(pool, store))
        return LRD_EBUSY;
    size_t length = pool_compose(pool, key);
    for (unsigned i = 0; rc == LRD_STALE && i < POOL_TRIES; i++) {
        LARDER_CALL(rc, lrd_counter_add(store, pool->scratch, length, step, 0, ttl_ms, sum));
        if (UNEXPECTED(rc == LRD_ETYPE))
            rc = pool_count_leased(store, pool->scratch, length, step, ttl_ms, sum);
    }
    if (rc == LRD_OK)
        pool_used(pool, store, &pool->stores);
    return rc;
}

void larder_pool_remember(larder_pool *pool, zend_string *key, larder_remember_call *call,
                          zval *result)
{
    call->store = larder_store(LARDER_VOLATILE);
    if (call->store != NULL && !larder_pool_enter(pool, call->store))
        call->store = NULL;
    call->label = key;
    call->key = larder_pool_key(pool, key);
    call->lock = pool_lock_key(pool, key);
    larder_remember_run(call, result);
    pool_used(pool, LARDER_G(active)[LARDER_VOLATILE],
              call->computed ? &pool->misses : &pool->hits);
    if (call->computed && call->store != NULL && !EG(exception))
        pool->stores++;
    zend_string_release(call->key);
    zend_string_release(call->lock);
}

/* ---- objects ---- */

static zend_object *pool_create(zend_class_entry *class)
{
    larder_pool *pool = zend_object_alloc(sizeof *pool, class);
    memset(pool, 0, offsetof(larder_pool, std));
    zend_object_std_init(&pool->std, class);
    object_properties_init(&pool->std, class);
    pool->std.handlers = &pool_handlers;
    return &pool->std;
}

/* Free a pool object. If the store is open, first adds the object's counts to the shared counts.
 * Otherwise these counts are lost: opening the store here is not safe, because the request may be
 * about to end. */
static void pool_free(zend_object *object)
{
    larder_pool *pool = larder_pool_of(object);
    if (pool->name != NULL) {
        pool_add_all(pool, LARDER_G(active)[LARDER_VOLATILE]);
        zend_string_release(pool->name);
        zend_string_release(pool->record);
        efree(pool->scratch);
    }
    zend_object_std_dtor(object);
}

void larder_pool_make(zend_class_entry *class, zend_string *name, bool strict, zval *result)
{
    object_init_ex(result, class != NULL ? class : pool_class);
    larder_pool *pool = larder_pool_of(Z_OBJ_P(result));
    char tag[POOL_TAG_LENGTH];
    pool->strict = strict;
    pool_tag(tag, 'r');
    pool->record = zend_string_concat2(tag, sizeof tag, ZSTR_VAL(name), ZSTR_LEN(name));
    pool->room = POOL_TAG_LENGTH + 1 + ZSTR_LEN(name) + sizeof(uint64_t) + POOL_ROOM;
    pool->scratch = emalloc(pool->room);
    /* set the name last: pool_free() takes it as a sign that the object is complete */
    pool->name = zend_string_copy(name);
    char *at = pool_tag(pool->scratch, 'e');
    *at = (char)(unsigned char)ZSTR_LEN(name);
    memcpy(at + 1, ZSTR_VAL(name), ZSTR_LEN(name));
    memset(at + 1 + ZSTR_LEN(name), 0, sizeof(uint64_t)); /* the generation */
}

void larder_pool_class(zend_class_entry *class) { class->create_object = pool_create; }

void larder_pool_register(zend_class_entry *pool, zend_class_entry *info)
{
    pool_class = pool;
    larder_pool_info_class = info;
    pool_handlers = *zend_get_std_object_handlers();
    pool_handlers.offset = offsetof(larder_pool, std);
    pool_handlers.free_obj = pool_free;
    pool_handlers.clone_obj = NULL;
    pool_handlers.compare = zend_objects_not_comparable;
    larder_pool_class(pool);
}
