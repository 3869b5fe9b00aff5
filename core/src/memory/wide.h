/* wide.h - an index of the entries of a large ledger, for which the thread's cache is too small.
 * Begin reading at lrd__wide_find().
 *
 * The index is private to the thread. A cell is 0 if it was never used, or has a tag (16 bits) and
 * the number of a ledger entry (16 bits). A search begins at the cell that the listing's hash
 * selects. Cells are never deleted, so a search checks the ledger entry. */
#pragma once

#include "ground/private.h"

#define LRD__WIDE_PROBES 64u

static inline uint64_t lrd__wide_hash(uint64_t listing)
{
    return listing * 0x9e3779b97f4a7c15ull >> 32;
}

/* Return the number of the ledger entry that lists the block, or 0 if the index has none. */
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

/* Record that ledger entry `entry` lists the block, or will list it right after this call. */
void lrd__wide_note(lrd__thread *self, uint64_t listing, uint32_t entry);
/* Do the same as lrd__wide_note() for a ledger that has grown beyond its first entries. If the
 * ledger has no index yet, builds one. */
void lrd__wide_list(lrd__thread *self, uint64_t listing, uint32_t entry)
    __attribute__((noinline, cold));
/* Build the ledger's index again after ledger entries were moved. If the ledger needs no index any
 * more, build none. */
void lrd__wide_anew(lrd__thread *self);
