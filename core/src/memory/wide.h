/* wide.h - an index of the entries of a large ledger. The thread's small cache cannot remember
 * thousands of entries, so without this index many blocks would be listed twice. Begin reading at
 * lrd__wide_find().
 *
 * The index is private to the thread. It is an array of cells. A cell has a tag (16 bits) and the
 * number of a ledger entry (16 bits), or is 0 if it was never used. A hash of the listing selects
 * the cell where a search begins. Cells are never deleted, so a cell may be out of date, and a
 * search checks the ledger entry. */
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

/* Record that ledger entry `entry` lists the block. The caller may list the block in this entry
 * before this call, or right after it. */
void lrd__wide_note(lrd__thread *self, uint64_t listing, uint32_t entry);
/* Do the work of lrd__wide_note() for a ledger that has grown beyond its first entries. Builds the
 * index if there is none yet. */
void lrd__wide_list(lrd__thread *self, uint64_t listing, uint32_t entry)
    __attribute__((noinline, cold));
/* Build the index again after entries were moved. Does nothing if the index is no longer needed. */
void lrd__wide_anew(lrd__thread *self);
