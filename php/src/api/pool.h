/* pool.h - pools: separate namespaces in the volatile store. Begin reading in pool.c. */
#ifndef LARDER_POOL_H
#define LARDER_POOL_H

#include "api/remember.h"
#include "put/put.h"

#define LARDER_POOL_NAME_MAX 255u /* bytes */

typedef struct larder_pool {
    zend_string *name;
    /* Key of the pool's record. The string keeps its address, because lrd_get() is fastest with an
     * unchanged address. */
    zend_string *record;
    /* key of an entry: the prefix of the pool's keys, then the key of the current call */
    char *scratch;
    size_t room; /* size of `scratch` in bytes */
    /* random number in the keys of the shared counts (STATS in pool.c); 0 if not known yet */
    uint64_t stats;
    /* numbers of uses that were not added to the shared counts yet */
    uint64_t hits, misses, stores;
    /* number of uses since `hits`, `misses` and `stores` were last added to the shared counts */
    uint32_t uses;
    /* default form of the values that this object stores */
    larder_form form;
    bool strict; /* keys must not contain the byte 0x1F, as in UserCache */
    zend_object std;
} larder_pool;

typedef struct larder_pool_numbers {
    uint64_t entries, bytes, hits, misses, stores;
} larder_pool_numbers;

static inline larder_pool *larder_pool_of(zend_object *object)
{
    return (larder_pool *)((char *)object - offsetof(larder_pool, std));
}

extern zend_class_entry *larder_pool_info_class;
/* Make each new object of the class a larder_pool. */
void larder_pool_class(zend_class_entry *class);
void larder_pool_register(zend_class_entry *pool, zend_class_entry *info) ZEND_COLD;
void larder_pool_make(zend_class_entry *class, zend_string *name, bool strict, zval *result);
bool larder_pool_name_check(const zend_string *name, uint32_t argument);
/* Returns false after a ValueError. */
bool larder_pool_key_check(const larder_pool *pool, const zend_string *key, uint32_t argument);
/* Check a key that is an element of an array. `argument` is the position of the array among the
 * arguments. Returns false after a ValueError. */
bool larder_pool_keys_check(const larder_pool *pool, const zend_string *key, uint32_t argument);
/* Return the key that `element` contains; the caller must release it. Returns NULL if an exception
 * is set. */
zend_string *larder_pool_key_of(const larder_pool *pool, zval *element, uint32_t argument);
/* Write the pool's generation to pool->scratch. Creates a missing pool; returns false if that
 * fails. */
bool larder_pool_enter(larder_pool *pool, lrd_store *store);
/* Read the pool's generation from its record. Returns LRD_OK, or LRD_MISS if there is no pool. */
int larder_pool_find(larder_pool *pool, lrd_store *store, uint64_t *generation);
/* Return the generation in a pool's record, or 0 if the value is not a record. */
uint64_t larder_pool_generation(const lrd_value *record);
/* Make the pool with this record end after `ttl_ms` milliseconds. Returns LRD_STALE if another
 * process has replaced the record, even with the same generation. */
int larder_pool_renew(const larder_pool *pool, lrd_store *store, const lrd_value *record,
                      uint64_t ttl_ms);
/* Create the pool, or empty it if it exists. The pool ends after ttl_ms. *generation receives its
 * new generation. */
int larder_pool_begin(larder_pool *pool, lrd_store *store, uint64_t ttl_ms, uint64_t *generation);
/* Return the store's key for a key of the pool. Call larder_pool_enter() or larder_pool_find()
 * first. */
zend_string *larder_pool_key(const larder_pool *pool, const zend_string *key);

/* Fetch the value of a key of the pool. Returns false on a miss, or if an exception is set. */
bool larder_pool_fetch(larder_pool *pool, zend_string *key, zval *result);
/* Fetch at most LARDER_GROUP keys. The result of a missing key is UNDEF. */
void larder_pool_fetch_group(larder_pool *pool, zend_string *const *keys, uint32_t count,
                             zval *results);
/* Return true if the key has an entry, even if this process cannot restore its value. */
bool larder_pool_has(larder_pool *pool, zend_string *key);
/* Like larder_has(). */
bool larder_pool_can_read(larder_pool *pool, lrd_store *store, const zend_string *key);
/* Look up an entry or a lease, without counting a use. Sets *type and *version; the version of a
 * counter is 0. Returns LRD_OK, LRD_MISS or an error. */
int larder_pool_look(lrd_store *store, const char *key, size_t length, uint8_t *type,
                     uint64_t *version);
/* Return LRD_OK, LRD_MISS or an error. The result is LRD_STALE if other processes keep replacing
 * the entry. */
int larder_pool_delete(larder_pool *pool, lrd_store *store, zend_string *key);
int larder_pool_touch(larder_pool *pool, lrd_store *store, zend_string *key, uint64_t ttl_ms);
/* Return the results of larder_lock() and larder_unlock(). */
int larder_pool_lock(const larder_pool *pool, lrd_store *store, zend_string *key,
                     uint64_t lease_ms);
int larder_pool_unlock(const larder_pool *pool, lrd_store *store, zend_string *key);
/* Store a value like larder_put(), after larder_pool_enter(). */
int larder_pool_put(larder_pool *pool, lrd_store *store, zend_string *key, zval *value,
                    uint64_t ttl_ms, lrd_mode mode, larder_form form, const larder_blame *blame);
int larder_pool_count(larder_pool *pool, lrd_store *store, zend_string *key, int64_t step,
                      uint64_t ttl_ms, int64_t *sum);
/* Make all entries of the pool invalid. larder_pool_drop() also removes the pool's record. In a
 * store with many entries, the invalid entries stay in memory until they are evicted. */
bool larder_pool_clear(larder_pool *pool, lrd_store *store);
bool larder_pool_drop(larder_pool *pool, lrd_store *store);
/* Like VolatileCache::remember(). */
void larder_pool_remember(larder_pool *pool, zend_string *key, larder_remember_call *call,
                          zval *result);
/* Count the pool's entries, and add their keys to `keys` unless `keys` is NULL. Walks over the
 * whole store. */
void larder_pool_count_all(larder_pool *pool, zval *keys, larder_pool_numbers *numbers);

#endif
