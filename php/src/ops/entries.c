/* entries.c - walks over the entries of a store, for Larder\Inspector. Read
 * larder_inspect_entries() first.
 *
 * - The walk takes no lock. A binary heap keeps the `limit` records that come first in the
 *   requested order, with the last of them at its top.
 * - The id of a session gives access to it, so it never leaves this file. A session is shown with
 *   its save path as pool, and a short hash as key. */
#include "api/arguments.h"
#include "api/info.h"
#include "format/format.h"
#include "ops/inspector.h"
#include "session/session.h"
#include "ext/standard/sha1.h"
#include "zend_exceptions.h"

#define ENTRIES_POOL 'e' /* marks the key of an entry that belongs to a pool; see pool.c */
#define ENTRIES_HASH 6u  /* the number of bytes of the hash that is shown as a session's key */
/* the longest wait (ms) for a request that has locked the session */
#define ENTRIES_WAIT_MS 1000

typedef struct entries_record {
    zend_string *key; /* the key in the store */
    double rank;      /* a larger rank comes earlier */
    uint64_t size, age_ms, ttl_ms, version;
    uint64_t ready; /* the size of the value when it is not packed */
    uint8_t type, uses;
    bool is_packed;
} entries_record;

typedef struct entries_heap {
    entries_record *records;
    uint64_t count, room, limit;
    larder_order order;
} entries_heap;

/* The name of an entry for programs: its pool and its key. */
typedef struct entries_name {
    const char *pool, *key;
    size_t pool_len, key_len;
    /* true for Larder's own entries, for example the record of a pool */
    bool internal;
} entries_name;

/* Return the name of a session's entry. `pool` is the save path. `key` is the save path with its
 * NUL, but without the id, so that no prefix can select sessions by their ids. */
static entries_name entries_name_of_session(const char *key, size_t length)
{
    const char *end = memchr(key, '\0', length);
    entries_name name = {.pool = key, .key = key, .internal = end == NULL};
    if (end != NULL) {
        name.pool_len = (size_t)(end - key);
        name.key_len = name.pool_len + 1;
    }
    return name;
}

/* Write ENTRIES_HASH bytes of the key's SHA-1 as hexadecimal digits, and a NUL. */
static void entries_hash(const char *key, size_t length, char hash[2 * ENTRIES_HASH + 1])
{
    PHP_SHA1_CTX context;
    unsigned char digest[20];
    PHP_SHA1Init(&context);
    PHP_SHA1Update(&context, (const unsigned char *)key, length);
    PHP_SHA1Final(digest, &context);
    for (size_t i = 0; i < ENTRIES_HASH; i++)
        snprintf(hash + 2 * i, 3, "%02x", digest[i]);
}

static entries_name entries_name_of(const char *key, size_t length, bool sessions)
{
    entries_name name = {.key = key, .key_len = length};
    if (sessions)
        return entries_name_of_session(key, length);
    const size_t head = sizeof LARDER_RESERVED; /* the length of "\0lrd" plus one letter */
    if (!larder_key_reserved(key, length))
        return name;
    size_t pool = length > head + 1 ? (uint8_t)key[head] : 0;
    name.internal = length <= head + 1 || key[head - 1] != ENTRIES_POOL ||
                    length < head + 1 + pool + sizeof(uint64_t);
    if (name.internal)
        return name;
    name.pool = key + head + 1;
    name.pool_len = pool;
    name.key = name.pool + pool + sizeof(uint64_t);
    name.key_len = length - (size_t)(name.key - key);
    return name;
}

/* ---- the heap of the records that come first ---- */

/* Return true if `a` comes after `b` in the order `order`. */
static bool entries_after(larder_order order, const entries_record *a, const entries_record *b)
{
    if (order == LARDER_ORDER_KEY)
        return zend_binary_strcmp(ZSTR_VAL(a->key), ZSTR_LEN(a->key), ZSTR_VAL(b->key),
                                  ZSTR_LEN(b->key)) > 0;
    return a->rank < b->rank;
}

static void entries_sink(entries_heap *heap, uint64_t count, uint64_t at)
{
    entries_record moved = heap->records[at];
    for (uint64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count &&
            entries_after(heap->order, heap->records + child + 1, heap->records + child))
            child++;
        if (!entries_after(heap->order, heap->records + child, &moved))
            break;
        heap->records[at] = heap->records[child];
        at = child;
    }
    heap->records[at] = moved;
}

static void entries_add(entries_heap *heap, entries_record *record, const char *key, size_t length)
{
    bool full = heap->limit != 0 && heap->count == heap->limit;
    if (full && heap->order == LARDER_ORDER_NONE)
        return;
    if (full && heap->order != LARDER_ORDER_KEY && record->rank <= heap->records[0].rank)
        return;
    record->key = zend_string_init(key, length, 0);
    if (full) {
        if (!entries_after(heap->order, heap->records, record)) {
            zend_string_release(record->key);
            return;
        }
        zend_string_release(heap->records[0].key);
        heap->records[0] = *record;
        entries_sink(heap, heap->count, 0);
        return;
    }
    if (heap->count == heap->room) {
        heap->room = heap->room != 0 ? heap->room * 2 : 64;
        heap->records = safe_erealloc(heap->records, heap->room, sizeof *heap->records, 0);
    }
    heap->records[heap->count++] = *record;
    if (heap->count == heap->limit && heap->order != LARDER_ORDER_NONE)
        for (uint64_t i = heap->count / 2; i-- > 0;)
            entries_sink(heap, heap->count, i);
}

static void entries_sort(entries_heap *heap)
{
    if (heap->order == LARDER_ORDER_NONE)
        return;
    for (uint64_t i = heap->count / 2; i-- > 0;)
        entries_sink(heap, heap->count, i);
    for (uint64_t end = heap->count; end-- > 1;) {
        entries_record last = heap->records[end];
        heap->records[end] = heap->records[0];
        heap->records[0] = last;
        entries_sink(heap, end, 0);
    }
}

/* ---- walking ---- */

static double entries_rank(larder_order order, const entries_record *record)
{
    switch (order) {
    case LARDER_ORDER_SIZE:
        return (double)record->size;
    /* of two entries with equal uses, the larger one comes first */
    case LARDER_ORDER_USES:
        return (double)record->uses * 1e15 + (double)record->size;
    case LARDER_ORDER_AGE:
        return (double)record->age_ms;
    case LARDER_ORDER_TTL:
        return record->ttl_ms == 0 ? -1e18 : -(double)record->ttl_ms;
    default:
        return 0;
    }
}

typedef struct entries_walk {
    const larder_inspector *inspector;
    const zend_string *prefix;
    lrd_cursor cursor;
    /* The key is the name and the generation of a pool that the walk has met. The value is true if
     * the generation is current. */
    HashTable generations;
} entries_walk;

static void entries_walk_begin(entries_walk *walk, const larder_inspector *inspector,
                               const zend_string *prefix)
{
    *walk = (entries_walk){.inspector = inspector, .prefix = prefix};
    zend_hash_init(&walk->generations, 0, NULL, NULL, 0);
}

static void entries_walk_end(entries_walk *walk) { zend_hash_destroy(&walk->generations); }

static bool entries_pool_has(lrd_store *store, const entries_name *name)
{
    char record[sizeof LARDER_RESERVED + 256] = LARDER_RESERVED "r";
    uint64_t generation;
    lrd_value value;
    int rc;
    memcpy(&generation, name->pool + name->pool_len, sizeof generation);
    memcpy(record + sizeof LARDER_RESERVED, name->pool, name->pool_len);
    LARDER_CALL(rc, lrd_get(store, record, sizeof LARDER_RESERVED + name->pool_len,
                            LRD_GET_BORROW | LRD_GET_NO_COUNT, &value));
    return rc == LRD_OK && value.size >= sizeof generation &&
           memcmp(value.data, &generation, sizeof generation) == 0;
}

/* Return true if the entry belongs to no pool, or to its pool's current generation. A cleared pool
 * gets a new generation.
 *
 * The look-up of the pool ends the borrow of *value. So *value, *entry and *name are read again,
 * and the result is false if the entry is gone. */
static bool entries_current(entries_walk *walk, lrd_value *value, lrd_entry *entry,
                            entries_name *name)
{
    lrd_store *store = walk->inspector->store;
    int rc;
    if (name->pool == NULL || walk->inspector->policy == LRD_SESSION)
        return true;
    size_t length = name->pool_len + sizeof(uint64_t);
    zval is_current, *known = zend_hash_str_find(&walk->generations, name->pool, length);
    if (known != NULL)
        return Z_TYPE_P(known) == IS_TRUE;
    zend_string *key = zend_string_init(entry->key, entry->key_len, 0);
    *name = entries_name_of(ZSTR_VAL(key), ZSTR_LEN(key), false);
    ZVAL_BOOL(&is_current, entries_pool_has(store, name));
    zend_hash_str_add(&walk->generations, name->pool, length, &is_current);
    LARDER_CALL(
        rc, lrd_get(store, ZSTR_VAL(key), ZSTR_LEN(key), LRD_GET_BORROW | LRD_GET_NO_COUNT, value));
    zend_string_release(key);
    if (rc != LRD_OK || lrd_value_entry(store, value, entry) != LRD_OK)
        return false;
    *name = entries_name_of(entry->key, entry->key_len, false);
    return Z_TYPE(is_current) == IS_TRUE;
}

/* Find the next entry with the prefix, but skip those of cleared pools. The key is valid until the
 * next call of the core. */
static bool entries_next(entries_walk *walk, lrd_value *value, lrd_entry *entry, entries_name *name)
{
    const bool sessions = walk->inspector->policy == LRD_SESSION;
    const zend_string *prefix = walk->prefix;
    lrd_store *store = walk->inspector->store;
    int rc;
    for (;;) {
        LARDER_CALL(rc, lrd_next(store, &walk->cursor, value));
        if (rc != LRD_OK || LARDER_OUT_OF_MEMORY())
            return false;
        if ((sessions && value->type == LARDER_ENDED) ||
            lrd_value_entry(store, value, entry) != LRD_OK)
            continue;
        *name = entries_name_of(entry->key, entry->key_len, sessions);
        if (!name->internal && name->key_len >= ZSTR_LEN(prefix) &&
            memcmp(name->key, ZSTR_VAL(prefix), ZSTR_LEN(prefix)) == 0 &&
            entries_current(walk, value, entry, name))
            return true;
    }
}

static bool entries_in_pool(const entries_name *name, const zend_string *pool)
{
    if (pool == NULL)
        return true;
    return name->pool == NULL ? ZSTR_LEN(pool) == 0
                              : zend_string_equals_cstr(pool, name->pool, name->pool_len);
}

static uint64_t entries_bytes(size_t key_len, uint64_t size)
{
    uint64_t head = key_len > 255 || size > UINT32_MAX ? 40 : 26;
    return ((head + key_len + 15) & ~(uint64_t)15) + size;
}

static const char *entries_type(uint8_t type)
{
    switch (type) {
    case LARDER_ARRAY:
    case LARDER_EMPTY_ARRAY:
        return "array";
    case LARDER_STRING:
    case LARDER_SHORT:
        return "string";
    case LARDER_SERIALIZED:
        return "serialized";
    case LARDER_GRAPH:
        return "objects";
    case LRD_TYPE_PACKED:
        return "damaged";
    case LARDER_ALIAS:
        return "alias";
    case LARDER_NULL:
        return "null";
    case LARDER_FALSE:
    case LARDER_TRUE:
        return "bool";
    case LARDER_DOUBLE:
        return "float";
    case LRD_TYPE_COUNTER:
        return "int";
    default:
        return "other";
    }
}

/* Describe a value by its size and the type that it has when unpacked. */
static void entries_describe(const lrd_value *value, entries_record *record)
{
    lrd_packed packed;
    record->size = record->ready = value->size;
    record->type = value->type;
    record->is_packed = value->type == LRD_TYPE_PACKED;
    if (record->is_packed && lrd_packed_look(value->data, value->size, &packed) == LRD_OK) {
        record->ready = packed.ready;
        record->type = packed.type;
    }
}

static void entries_give(const larder_inspector *inspector, const entries_record *record,
                         zval *result)
{
    zval one;
    const bool sessions = inspector->policy == LRD_SESSION;
    entries_name name = entries_name_of(ZSTR_VAL(record->key), ZSTR_LEN(record->key), sessions);
    char hash[2 * ENTRIES_HASH + 1];
    array_init_size(&one, 11);
    if (sessions) {
        entries_hash(ZSTR_VAL(record->key), ZSTR_LEN(record->key), hash);
        add_assoc_string(&one, "key", hash);
    } else {
        add_assoc_stringl(&one, "key", name.key, name.key_len);
    }
    if (name.pool != NULL)
        add_assoc_stringl(&one, "pool", name.pool, name.pool_len);
    else
        add_assoc_null(&one, "pool");
    add_assoc_string(&one, "type", sessions ? "session" : entries_type(record->type));
    add_assoc_long(&one, "size", (zend_long)record->size);
    add_assoc_long(&one, "bytes", (zend_long)entries_bytes(ZSTR_LEN(record->key), record->size));
    add_assoc_string(&one, "form", record->is_packed ? "packed" : "ready");
    add_assoc_long(&one, "ready", (zend_long)record->ready);
    if (record->version != 0)
        add_assoc_double(&one, "age", (double)record->age_ms / 1000);
    else
        add_assoc_null(&one, "age");
    if (record->ttl_ms != 0)
        add_assoc_double(&one, "ttl", (double)record->ttl_ms / 1000);
    else
        add_assoc_null(&one, "ttl");
    add_assoc_long(&one, "uses", record->uses);
    add_assoc_long(&one, "version", (zend_long)record->version);
    add_next_index_zval(result, &one);
}

void larder_inspect_entries(const larder_inspector *inspector, const zend_string *prefix,
                            larder_order order, uint64_t limit, const zend_string *pool,
                            zval *result)
{
    entries_heap heap = {.limit = limit, .order = order};
    entries_walk walk;
    lrd_value value;
    lrd_entry entry;
    entries_name name;
    entries_walk_begin(&walk, inspector, prefix);
    while (entries_next(&walk, &value, &entry, &name)) {
        if (!entries_in_pool(&name, pool))
            continue;
        entries_record record = {.age_ms = entry.age_ms,
                                 .ttl_ms = entry.ttl_ms,
                                 .version = entry.version,
                                 .uses = walk.cursor.uses};
        entries_describe(&value, &record);
        record.rank = entries_rank(order, &record);
        entries_add(&heap, &record, entry.key, entry.key_len);
        if (order == LARDER_ORDER_NONE && limit != 0 && heap.count == limit)
            break;
    }
    entries_walk_end(&walk);
    entries_sort(&heap);
    array_init(result);
    for (uint64_t i = 0; i < heap.count; i++) {
        if (!LARDER_OUT_OF_MEMORY())
            entries_give(inspector, heap.records + i, result);
        zend_string_release(heap.records[i].key);
    }
    if (heap.records != NULL)
        efree(heap.records);
}

void larder_inspect_keys(const larder_inspector *inspector, const zend_string *prefix,
                         uint64_t limit, const zend_string *pool, bool named, zval *result)
{
    entries_walk walk;
    lrd_value value;
    lrd_entry entry;
    entries_name name;
    char hash[2 * ENTRIES_HASH + 1];
    array_init(result);
    entries_walk_begin(&walk, inspector, prefix);
    while ((limit == 0 || zend_hash_num_elements(Z_ARRVAL_P(result)) < limit) &&
           entries_next(&walk, &value, &entry, &name)) {
        if (!entries_in_pool(&name, pool))
            continue;
        if (inspector->policy == LRD_SESSION) {
            entries_hash(entry.key, entry.key_len, hash);
            add_next_index_string(result, hash);
        } else if (named && name.pool != NULL) {
            add_next_index_str(result, zend_string_concat3(name.pool, name.pool_len, "/", 1,
                                                           name.key, name.key_len));
        } else {
            add_next_index_stringl(result, name.key, name.key_len);
        }
    }
    entries_walk_end(&walk);
}

void larder_inspect_totals(const larder_inspector *inspector, const zend_string *prefix,
                           zval *result)
{
    entries_walk walk;
    lrd_value value;
    lrd_entry entry;
    entries_name name;
    /* Totals of the entries without a pool. They are added to *result at the end, which saves a
     * look-up for most entries. */
    uint64_t entries = 0, bytes = 0;
    array_init(result);
    entries_walk_begin(&walk, inspector, prefix);
    while (entries_next(&walk, &value, &entry, &name)) {
        zval *one, fresh;
        uint64_t size = entries_bytes(entry.key_len, value.size);
        /* for a session, name.pool is the save path, which may be empty */
        if (name.pool == NULL || name.pool_len == 0) {
            entries++;
            bytes += size;
            continue;
        }
        one = zend_hash_str_find(Z_ARRVAL_P(result), name.pool, name.pool_len);
        if (one == NULL) {
            array_init_size(&fresh, 2);
            add_assoc_long(&fresh, "entries", 0);
            add_assoc_long(&fresh, "bytes", 0);
            one = zend_hash_str_update(Z_ARRVAL_P(result), name.pool, name.pool_len, &fresh);
        }
        Z_LVAL_P(zend_hash_str_find(Z_ARRVAL_P(one), "entries", 7)) += 1;
        Z_LVAL_P(zend_hash_str_find(Z_ARRVAL_P(one), "bytes", 5)) += (zend_long)size;
    }
    entries_walk_end(&walk);
    zval none;
    array_init_size(&none, 2);
    add_assoc_long(&none, "entries", (zend_long)entries);
    add_assoc_long(&none, "bytes", (zend_long)bytes);
    zend_hash_str_update(Z_ARRVAL_P(result), "", 0, &none);
}

uint64_t larder_inspect_clear(const larder_inspector *inspector, const zend_string *prefix)
{
    entries_walk walk;
    lrd_value value;
    lrd_entry entry;
    entries_name name;
    char key[LRD_KEY_MAX];
    uint64_t deleted = 0;
    int rc;
    entries_walk_begin(&walk, inspector, prefix);
    while (entries_next(&walk, &value, &entry, &name)) {
        size_t length = entry.key_len;
        if (name.pool != NULL && inspector->policy != LRD_SESSION)
            continue;
        memcpy(key, entry.key, length);
        if (inspector->policy == LRD_SESSION)
            rc = larder_session_end(inspector->store, key, length);
        else
            LARDER_CALL(rc, lrd_delete(inspector->store, key, length));
        deleted += rc == LRD_OK;
    }
    entries_walk_end(&walk);
    return deleted;
}

/* Find the session key with this hash. Returns its length, or 0. */
static size_t entries_session(const larder_inspector *inspector, const zend_string *hash,
                              char key[LRD_KEY_MAX])
{
    entries_walk walk;
    lrd_value value;
    lrd_entry entry;
    entries_name name;
    char other[2 * ENTRIES_HASH + 1];
    size_t length = 0;
    entries_walk_begin(&walk, inspector, ZSTR_EMPTY_ALLOC());
    while (length == 0 && entries_next(&walk, &value, &entry, &name)) {
        entries_hash(entry.key, entry.key_len, other);
        if (zend_string_equals_cstr(hash, other, 2 * ENTRIES_HASH)) {
            memcpy(key, entry.key, entry.key_len);
            length = entry.key_len;
        }
    }
    entries_walk_end(&walk);
    return length;
}

bool larder_inspect_end_session(const larder_inspector *inspector, const zend_string *hash)
{
    char key[LRD_KEY_MAX];
    uint64_t token = 0;
    size_t length = entries_session(inspector, hash, key);
    if (length == 0)
        return false;
    int rc =
        larder_session_lock(inspector->store, key, length, ENTRIES_WAIT_MS, &token, NULL, NULL);
    /* LRD_EDEADLK: this request itself has locked the session. */
    if (rc == LRD_OK || rc == LRD_EDEADLK) {
        rc = larder_session_end(inspector->store, key, length);
        if (token != 0)
            larder_session_unlock(inspector->store, key, length, token);
    }
    if (rc < 0 || rc == LRD_HELD)
        zend_throw_exception_ex(larder_exception_class, 0,
                                rc < 0 ? "the session cannot be ended: %s"
                                       : "a request has the session: try again, %s",
                                lrd_strerror(rc));
    return rc == LRD_OK;
}
