/* zone.c - the zone: the last pages of a store that evicts, cut into windows. A held block occupies
 * the windows that it touches. An occupied window cannot be emptied. Read lrd__zone_take() first.
 *
 * Invariants
 * - Holds occupy at most LRD__ZONE_OCCUPIED windows of the zone. So another window can always be
 *   emptied for a large value (room.c). A thread records a block's windows in its quota, and then
 *   counts the windows in all quotas. While lrd__zone_hungry(), no thread may hold a block in the
 *   zone. */
#include "memory/zone.h"
#include "memory/quota.h"

uint32_t lrd__zone_windows(const lrd_store *store, uint64_t offset, uint64_t bytes)
{
    lrd__assert_offset(store, offset);
    uint64_t first = lrd__zone_first(store), pages = lrd__zone_pages(store);
    uint64_t from = lrd__page_of(store, offset), to = lrd__page_of(store, offset + bytes - 1);
    uint32_t windows = 0;
    for (uint64_t p = from > first ? from : first; p <= to && p < store->geo.pages; p += pages)
        windows |= 1u << (p - first) / pages;
    if (to >= first && to < store->geo.pages)
        windows |= 1u << (to - first) / pages;
    return windows;
}

/* True if all threads together have recorded at most LRD__ZONE_OCCUPIED windows. */
static bool zone_allowed(const lrd_store *store)
{
    uint32_t all = 0;
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_seq_cst);
    for (uint32_t i = 0; i < high; i++)
        all |= atomic_load_explicit(&store->quotas[i], memory_order_seq_cst) >> LRD__QUOTA_BITS;
    return __builtin_popcount(all) <= (int)LRD__ZONE_OCCUPIED;
}

bool lrd__zone_take(lrd__thread *self, uint64_t offset, uint64_t bytes, bool must)
{
    lrd__assert_offset(self->store, offset);
    lrd_store *store = self->store;
    uint32_t before = self->zone, windows = lrd__zone_windows(store, offset, bytes);
    uint32_t wanted = before | windows;
    /* Hold nothing in the zone while it is hungry: perhaps only one window has memory, and a large
     * value will need this window. */
    if (!must && lrd__zone_hungry(store) && !LRD__CONTROL(no_zone))
        return false;
    /* Nothing is left to do if zone_held already contains these windows. For a block that is being
     * built (`must`), it is enough that the quota word already records them. */
    if ((windows & ~(must ? before : self->zone_held)) == 0 || LRD__CONTROL(no_zone))
        return true;
    _Atomic uint16_t *quota = &store->quotas[self->slot_index];
    uint16_t units = atomic_load_explicit(quota, memory_order_relaxed) & LRD__QUOTA_MOST;
    self->zone = wanted;
    /* seq_cst as in quota_try(): of two racing threads, at least one sees the other's windows */
    atomic_store_explicit(quota, lrd__quota_word(self, units), memory_order_seq_cst);
    self->untidy = true;
    if (must)
        return true;
    if (zone_allowed(store) || (lrd__quota_notice(store) && zone_allowed(store))) {
        self->zone_held |= windows;
        return true;
    }
    self->zone = before;
    atomic_store_explicit(quota, lrd__quota_word(self, units), memory_order_release);
    return false;
}

void lrd__zone_rebar(lrd__thread *self, uint32_t windows)
{
    _Atomic uint16_t *quota = &self->store->quotas[self->slot_index];
    uint16_t units = atomic_load_explicit(quota, memory_order_relaxed) & LRD__QUOTA_MOST;
    self->zone_held = windows;
    if (self->zone == windows || self->reservations != 0)
        return;
    self->zone = windows;
    atomic_store_explicit(quota, lrd__quota_word(self, units), memory_order_release);
}

void lrd__zone_built(lrd__thread *self) { lrd__zone_rebar(self, self->zone_held); }
