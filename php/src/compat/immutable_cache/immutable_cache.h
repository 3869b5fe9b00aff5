/* immutable_cache.h - declarations of the layer for immutable_cache. */
#ifndef LARDER_IMMUTABLE_CACHE_H
#define LARDER_IMMUTABLE_CACHE_H

#include "compat/layer.h"
#include "put/compact.h"

/* ---- immutable_cache.c ---- */
/* the format of arrays and objects, set by immutable_cache.serializer */
extern larder_format larder_immutable_format;

/* ---- preload.c: work that is done once for each store ---- */
lrd_store *larder_immutable_prepare(void) ZEND_COLD;
/* Return the store of this layer, or NULL if the store is off. The first call preloads the
 * files. */
static zend_always_inline lrd_store *larder_immutable_store(void)
{
    lrd_store *store = LARDER_G(active)[LARDER_IMMUTABLE];
    return EXPECTED(store != NULL) && EXPECTED(LARDER_G(immutable_prepared))
               ? store
               : larder_immutable_prepare();
}
/* Return true if files must be loaded before the first request. */
bool larder_immutable_preloads(void);
void larder_immutable_preload(void);
/* Return the time of the store's first use, in seconds since 1970, or 0 if it is not known. */
zend_long larder_immutable_started(lrd_store *store);

/* Return the number of the layer's own entries, such as preload_mark. `entries` is the number of
 * all entries in the store. */
uint64_t larder_immutable_own(lrd_store *store, uint64_t entries);

/* Step to the next entry of the program, and skip the layer's own entries. entry->key becomes the
 * program's key. Returns false at the end. */
bool larder_immutable_next(lrd_store *store, lrd_cursor *cursor, lrd_value *value,
                           lrd_entry *entry);

/* ---- iterator.c ---- */
#define LARDER_ITER_TYPE (1u << 0)
#define LARDER_ITER_KEY (1u << 1)
#define LARDER_ITER_VALUE (1u << 2)
#define LARDER_ITER_NUM_HITS (1u << 3)
#define LARDER_ITER_CTIME (1u << 5)
#define LARDER_ITER_ATIME (1u << 7)
#define LARDER_ITER_REFCOUNT (1u << 8) /* no effect, as in the original */
#define LARDER_ITER_MEM_SIZE (1u << 9)
#define LARDER_ITER_ALL UINT32_MAX
#define LARDER_LIST_ACTIVE 1
#define LARDER_LIST_DELETED 2
void larder_immutable_iterator_register(zend_class_entry *ce, int module_number);

#endif
