/* wide.h - an index of the entries of a ledger that has outgrown its first memory. For few entries
 * a small cache knows which entry lists a block, and a forgotten block is listed once more. It
 * would forget most of thousands of entries. Read lrd__wide_find() first.
 *
 * Cells of {tag 16, entry 16} by a hash of the listing, probed one after the other; 0: never
 * used. A cell may be out of date: the entry's own listing decides, so nothing is deleted. All
 * of it is private to the thread. */
#pragma once

#include "ground/private.h"

#define LRD__WIDE_PROBES 64u

static inline uint64_t lrd__wide_hash(uint64_t listing)
{
    return listing * 0x9e3779b97f4a7c15ull >> 32;
}

/* Return the entry that lists the block; 0: none is known. */
static inline uint32_t lrd__wide_find(const lrd__thread *self, uint64_t listing)
{
    uint64_t hash = lrd__wide_hash(listing);
    for (uint32_t i = 0; i < LRD__WIDE_PROBES; i++) {
        uint32_t cell = self->wide[(hash + i) % LRD__WIDE], entry = cell & UINT16_MAX;
        if (cell == 0)
            return 0;
        if (cell >> 16 == hash >> 16 && self->holds[entry].listed == listing)
            return entry;
    }
    return 0;
}

/* Remember that an entry lists the block, or is about to. */
void lrd__wide_note(lrd__thread *self, uint64_t listing, uint32_t entry);
/* Note a listing in an entry above the first ones: start the index if there is none, remember
 * the entry, and set how far the fast path may go. */
void lrd__wide_list(lrd__thread *self, uint64_t listing, uint32_t entry)
    __attribute__((noinline, cold));
/* Build the index again, after entries were moved or many cells are out of date. Does nothing if it
 * is no longer needed. */
void lrd__wide_anew(lrd__thread *self);
