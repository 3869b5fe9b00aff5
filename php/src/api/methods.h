/* methods.h - bodies of methods that several classes share. */
#ifndef LARDER_API_METHODS_H
#define LARDER_API_METHODS_H

#include "php_larder.h"
#include "stores/settings.h"

/* The bodies of getCacheStoreType() and info(). They return a case of the enum `type` and an object
 * of `class`; NULL selects Larder's own enum and class. */
void larder_cache_type_method(larder_kind kind, zend_class_entry *type,
                              INTERNAL_FUNCTION_PARAMETERS);
void larder_cache_info_method(larder_kind kind, zend_class_entry *class,
                              INTERNAL_FUNCTION_PARAMETERS);

/* ---- multiple.c: calls on a pool, or on the store if `pool` is NULL ---- */
struct larder_pool;
void larder_get_multiple(larder_kind kind, struct larder_pool *pool, INTERNAL_FUNCTION_PARAMETERS);
void larder_set_multiple(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS);
/* Delete the entries of all keys. The result is false if a key had no entry, if the store is off,
 * or after an error. If `lenient` is true, a missing entry and a store that is off count as
 * success. Throws if a key is not allowed. */
void larder_delete_multiple(larder_kind kind, struct larder_pool *pool, bool lenient,
                            INTERNAL_FUNCTION_PARAMETERS);

/* Fetch several keys. A key without an entry gets its value from `defaults`; if `defaults` is NULL,
 * its value is `fallback`. May throw. */
void larder_read_multiple(larder_kind kind, struct larder_pool *pool, HashTable *keys,
                          HashTable *defaults, zval *fallback, zval *result);
/* Store several values. Returns true if all values were stored. Otherwise, an exception may be
 * set. */
bool larder_write_multiple(larder_kind kind, struct larder_pool *pool, HashTable *values,
                           uint64_t ttl_ms, larder_form form);

#endif
