/* info.h - facts and statistics of stores and entries. */
#ifndef LARDER_API_INFO_H
#define LARDER_API_INFO_H

#include "stores/stores.h"

void larder_info_register(void) ZEND_COLD;
/* Set *result to a case of the enum `type` or to an object of `class`. If `type` or `class` is
 * NULL, uses Larder's own one. Another class may omit the properties after `failure_reason`. */
void larder_store_type(lrd_store *store, zend_string *key, zend_class_entry *type, zval *result);
void larder_cache_info(larder_kind kind, zend_class_entry *class, zval *result);
/* Set *result to a KeyInfo object with facts about an entry, or to null if there is no entry. The
 * object's property `key` becomes `label`. */
void larder_key_info(lrd_store *store, zend_string *key, zend_string *label, zval *result);
void larder_keys(lrd_store *store, zend_string *prefix, zval *result);

/* A store with its statistics. */
typedef struct larder_info_state {
    const larder_place *place;
    lrd_store *store;
    lrd_stats stats;
    lrd_info info;
} larder_info_state;

/* Read the state of a store. If the store is off, only `place` is set, and all numbers are 0. */
void larder_info_read(larder_kind kind, larder_info_state *state);

#endif
