/* wide.c - the index of a ledger that has grown; wide.h describes it. */
#include "memory/wide.h"

static void wide_put(lrd__thread *self, uint64_t listing, uint32_t entry)
{
    uint64_t hash = lrd__wide_hash(listing);
    uint32_t at = (uint32_t)(hash % LRD__WIDE);
    for (uint32_t i = 0; i < LRD__WIDE_PROBES; i++) {
        uint32_t next = (uint32_t)((hash + i) % LRD__WIDE), cell = self->wide[next];
        if (cell != 0 && self->holds[cell & UINT16_MAX].listed != 0)
            continue;
        self->wide_noted += cell == 0;
        at = next;
        break;
    }
    self->wide[at] = (uint32_t)(hash >> 16) << 16 | entry;
}

static void wide_begin(lrd__thread *self)
{
    memset(self->wide, 0, sizeof self->wide);
    self->wide_noted = 0;
    self->is_wide = true;
    for (uint32_t entry = 1; entry < self->top; entry++)
        if (self->holds[entry].listed != 0 && !(self->holds[entry].listed & LRD__RESERVED))
            wide_put(self, self->holds[entry].listed, entry);
}

void lrd__wide_anew(lrd__thread *self)
{
    if (!self->is_wide)
        return;
    self->is_wide = self->top > LRD__NARROW + 1;
    if (self->is_wide)
        wide_begin(self);
}

void lrd__wide_note(lrd__thread *self, uint64_t listing, uint32_t entry)
{
    if (self->wide_noted >= LRD__WIDE / 4 * 3)
        wide_begin(self);
    wide_put(self, listing, entry);
}

void lrd__wide_list(lrd__thread *self, uint64_t listing, uint32_t entry)
{
    if (self->is_wide)
        lrd__wide_note(self, listing, entry);
    else
        wide_begin(self);
}
