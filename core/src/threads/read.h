/* read.h - what read.c offers. */
#pragma once

#include "ground/block.h"
#include "ground/map.h"
#include "memory/ledger.h"
#include "threads/thread.h"

/* Handle every case of lrd_get(). get.c handles the usual cases itself. */
int lrd__read_general(lrd_store *store, const void *key, size_t key_len, unsigned flags,
                      lrd_value *out) __attribute__((noinline));
/* handle of a value for which the caller has no ledger entry to release */
#define LRD__NO_ENTRY 0u

enum lrd__read_protection { LRD__READ_HOLD, LRD__READ_SPARE, LRD__READ_BARE };
enum {
    /* The value was found but not held, for one of three reasons: no ledger entry is free, the
     * thread may not hold more, or a borrow is enough. */
    READ_FULL = LRD_END,
    LRD__READ_AGAIN /* the entry may have moved during the search */
};

typedef struct lrd__read_found {
    uint64_t offset;
    uint64_t hash; /* hash of the key */
    /* with LRD__READ_HOLD: number of the ledger entry that lists the block */
    uint32_t entry;
    /* true if this read has listed the block, false if the thread had listed it before */
    bool fresh;
    _Atomic uint8_t *freq;
} lrd__read_found;

/* Set found->entry to the ledger entry that lists the block. If no entry lists the block, sets
 * found->entry to a free one, where the caller must list the block, and found->fresh to true.
 * Returns false if no entry is free. */
bool lrd__read_enter(lrd__thread *self, lrd__read_found *found);
void lrd__read_unlist(lrd__thread *self, enum lrd__read_protection protection,
                      const lrd__read_found *found);
/* Find the key's block and protect it. The block may be expired or cleared. Returns LRD_OK,
 * LRD_MISS, READ_FULL, or an error of lrd__vet_for_read(). */
int lrd__read_find(lrd_store *store, lrd__thread *self, const void *key, size_t key_len,
                   enum lrd__read_protection protection, lrd__read_found *found);

/* Find the key's block for one use. The block may be expired or cleared. After LRD_OK, the ledger's
 * spare entry protects the block until lrd__read_use_end(). Otherwise, returns a result of
 * lrd__enter(), lrd__segment_look() or lrd__read_find(). */
static inline __attribute__((always_inline)) int lrd__read_use(lrd_store *store, const void *key,
                                                               size_t key_len, lrd__thread **self,
                                                               lrd__read_found *found)
{
    int rc = lrd__enter(store, self);
    if (rc != LRD_OK)
        return rc;
    rc = lrd__segment_look(store);
    if (rc == LRD_OK)
        rc = lrd__read_find(store, *self, key, key_len, LRD__READ_SPARE, found);
    if (rc != LRD_OK)
        lrd__leave(*self);
    return rc;
}
/* End a use that lrd__read_use() has begun. If `counts` is true, raises the entry's use count. */
static inline __attribute__((always_inline)) void lrd__read_use_end(const lrd_store *store,
                                                                    lrd__thread *self,
                                                                    const lrd__read_found *found,
                                                                    bool counts)
{
    if (counts && store->evicts)
        lrd__warm(found->freq);
    lrd__read_unlist(self, LRD__READ_SPARE, found);
    lrd__leave(self);
}

static inline void lrd__read_fill(const lrd_store *store, uint64_t offset, uint32_t handle,
                                  lrd_kind kind, lrd_value *out)
{
    const lrd__block *block = lrd__block_at(store, offset);
    out->data = (const uint8_t *)block + lrd__block_start(block);
    out->size = lrd__block_size(block);
    out->block = lrd__listing(offset);
    out->handle = handle;
    out->kind = (uint8_t)kind;
    out->type = block->type;
}
void *lrd__read_copy_out(const lrd_value *value);
bool lrd__read_may_hold(lrd__thread *self, uint32_t entry, const lrd__block *block);
