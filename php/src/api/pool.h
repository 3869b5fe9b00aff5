/* pool.h - namespaces within the volatile store: Larder\Pool, and its functions for the layer
 * user_cache. Read pool.c; the methods are in pool_methods.c. */
#ifndef LARDER_POOL_H
#define LARDER_POOL_H

#include "api/remember.h"
#include "put/put.h"

#define LARDER_POOL_NAME_MAX 255u /* bytes */

/* An object that stands for a pool, and how often it was used. */
typedef struct larder_pool {
    zend_string *name;
    /* the record's key; lrd_get() is fastest if its address does not change */
    zend_string *record;
    char *scratch; /* the prefix of all keys, then the key of the call in progress */
    size_t room;   /* bytes of scratch */
    /* the number that identifies the shared counts; 0: the record was not read yet */
    uint64_t stats;
    uint64_t hits, misses, stores; /* uses that are not yet added to the shared counts */
    uint32_t uses;                 /* since they were */
    larder_form form;              /* the form of the values that it stores */
    bool strict;                   /* keys may not contain the byte 0x1F, as in UserCache */
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
/* Make the objects of a class pools. */
void larder_pool_class(zend_class_entry *class);
void larder_pool_register(zend_class_entry *pool, zend_class_entry *info) ZEND_COLD;
/* Return a new object for the pool of this name. */
void larder_pool_make(zend_class_entry *class, zend_string *name, bool strict, zval *result);
bool larder_pool_name_check(const zend_string *name, uint32_t argument);
/* Throw a ValueError if the string cannot be a key in the pool. */
bool larder_pool_key_check(const larder_pool *pool, const zend_string *key, uint32_t argument);
/* Check a key of an array that is the argument. */
bool larder_pool_keys_check(const larder_pool *pool, const zend_string *key, uint32_t argument);
/* Return an element of an array of keys as a string, which the caller releases. Throws. */
zend_string *larder_pool_key_of(const larder_pool *pool, zval *element, uint32_t argument);
/* Find the current prefix of the keys; create a missing pool. Returns false if that is
 * impossible. */
bool larder_pool_enter(larder_pool *pool, lrd_store *store);
/* Find the pool's generation without creating the pool. LRD_OK; LRD_MISS: there is no pool. */
int larder_pool_find(larder_pool *pool, lrd_store *store, uint64_t *generation);
/* Return the generation of a record; 0 if the value is no record. */
uint64_t larder_pool_generation(const lrd_value *record);
/* Create the pool, or replace it by an empty one, with a time to live. */
int larder_pool_begin(larder_pool *pool, lrd_store *store, uint64_t ttl_ms, uint64_t *generation);
/* Return the key in the store for a key of a pool that was entered. */
zend_string *larder_pool_key(const larder_pool *pool, const zend_string *key);

/* Fetch a key. Returns false on a miss, or if an exception is set. */
bool larder_pool_fetch(larder_pool *pool, zend_string *key, zval *result);
/* Fetch up to LARDER_GROUP keys; the results of missing ones are UNDEF. */
void larder_pool_fetch_group(larder_pool *pool, zend_string *const *keys, uint32_t count,
                             zval *results);
/* True if the key has an entry, whether or not it can be restored here. */
bool larder_pool_has(larder_pool *pool, zend_string *key);
/* True if a fetch of the key returns a value: see larder_has(). */
bool larder_pool_can_read(larder_pool *pool, lrd_store *store, const zend_string *key);
/* Look up the entry or lease of a complete key in the store, without counting it. version 0: a
 * counter, or unknown. Returns LRD_*. */
int larder_pool_look(lrd_store *store, const char *key, size_t length, uint8_t *type,
                     uint64_t *version);
/* These return LRD_*; LRD_MISS also if there is no pool. */
int larder_pool_delete(larder_pool *pool, lrd_store *store, zend_string *key);
int larder_pool_touch(larder_pool *pool, lrd_store *store, zend_string *key, uint64_t ttl_ms);
int larder_pool_lock(const larder_pool *pool, lrd_store *store, zend_string *key,
                     uint64_t lease_ms);
int larder_pool_unlock(const larder_pool *pool, lrd_store *store, zend_string *key);
/* Store in a pool that was entered, like larder_put(). */
int larder_pool_put(larder_pool *pool, lrd_store *store, zend_string *key, zval *value,
                    uint64_t ttl_ms, lrd_mode mode, larder_form form, const larder_blame *blame);
int larder_pool_count(larder_pool *pool, lrd_store *store, zend_string *key, int64_t step,
                      uint64_t ttl_ms, int64_t *sum);
/* Make all entries of the pool / the pool and its entries unreachable, in O(1). */
bool larder_pool_clear(larder_pool *pool, lrd_store *store);
bool larder_pool_drop(larder_pool *pool, lrd_store *store);
/* Compute a value once, like VolatileCache::remember(). */
void larder_pool_remember(larder_pool *pool, zend_string *key, larder_remember_call *call,
                          zval *result);
/* Walk the whole store. keys: an array that receives the pool's keys, or NULL. */
void larder_pool_count_all(larder_pool *pool, zval *keys, larder_pool_numbers *numbers);

#endif
