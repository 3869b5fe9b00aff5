/* quota.c - limits how much threads hold. A thread holds blocks up to its quota without looking at
 * others. To hold more, a thread raises its quota and checks the sum of all quotas. Begin reading
 * at lrd__quota_raise().
 *
 * Invariants
 * - All threads together hold at most half of the data. Three things may still exceed this
 *   bound: the unit that each idle thread keeps, blocks being built, and holds that a forked child
 *   inherits. A thread raises its quota before it adds up all quotas, and lowers its quota after
 *   holds have ended. */
#include "memory/quota.h"
#include "memory/slot.h"

#define QUOTA_SLOT (LRD__QUOTA_UNITS / 4) /* a thread may hold a quarter of the data */
#define QUOTA_ALL (LRD__QUOTA_UNITS / 2)  /* all threads together may hold half of the data */

_Static_assert(LRD__QUOTA_BITS + LRD__ZONE_WINDOWS <= 16, "quotas are 16 bits");
_Static_assert(QUOTA_ALL <= LRD__QUOTA_MOST, "a quota holds what a thread may ask for");

static uint64_t quota_unit(const lrd__thread *self)
{
    return self->store->geo.size / LRD__QUOTA_UNITS;
}

/* Reap the slots of dead threads, whose quotas still count towards QUOTA_ALL. Threads that only
 * read notice deaths in no other way. */
bool lrd__quota_notice(lrd_store *store)
{
    if (!lrd__slots_look_due(store))
        return false;
    lrd__slots_notice(store);
    return true;
}

/* Raise the thread's quota to `units`. Returns false if the sum of all quotas would exceed
 * QUOTA_ALL. If `alone` is true, the sum leaves out the small quotas that idle threads keep. */
static LRD__HOT bool quota_try(lrd__thread *self, uint64_t units, bool alone)
{
    lrd_store *store = self->store;
    _Atomic uint16_t *quota = &store->quotas[self->slot_index];
    uint64_t sum = units;
    /* seq_cst here and below: of two racing threads, at least one sees the other's new quota, even
     * in a slot that was just created. */
    uint16_t before =
        atomic_exchange_explicit(quota, lrd__quota_word(self, units), memory_order_seq_cst);
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_seq_cst);
    for (uint32_t i = 0; i < high; i++) {
        uint64_t taken =
            atomic_load_explicit(&store->quotas[i], memory_order_seq_cst) & LRD__QUOTA_MOST;
        bool ignored = i == self->slot_index || (alone && taken <= LRD__QUOTA_KEEP);
        sum += ignored ? 0 : taken;
    }
    if (sum <= QUOTA_ALL) {
        self->quota_bytes = units * quota_unit(self);
        self->quota_inherited = 0;
        return true;
    }
    atomic_store_explicit(quota, before, memory_order_release);
    return false;
}

LRD__HOT void lrd__quota_lower(lrd__thread *self)
{
    if (self->quota_bytes <= self->quota_keep && self->zone == 0)
        return;
    if (self->quota_bytes <= self->quota_keep) {
        uint16_t units =
            atomic_load_explicit(&self->store->quotas[self->slot_index], memory_order_relaxed) &
            LRD__QUOTA_MOST;
        self->zone = self->zone_held = 0;
        atomic_store_explicit(&self->store->quotas[self->slot_index], units, memory_order_release);
        return;
    }
    self->zone = self->zone_held = 0;
    self->quota_bytes = self->quota_keep;
    self->quota_inherited = 0;
    atomic_store_explicit(&self->store->quotas[self->slot_index], LRD__QUOTA_KEEP,
                          memory_order_release);
}

LRD__HOT bool lrd__quota_raise(lrd__thread *self, uint64_t total)
{
    uint64_t unit = quota_unit(self), need = (total + unit - 1) / unit;
    bool alone = lrd__ledger_live(self) <= 1;
    /* A thread that holds nothing else may hold even the largest value. The block of this value
     * needs a little more than QUOTA_ALL, so count it as QUOTA_ALL. */
    if (alone && need > QUOTA_ALL)
        need = QUOTA_ALL;
    if (need > QUOTA_SLOT && !alone)
        return false;
    if (self->holds_most != 0 && total > self->holds_most && !alone) {
        self->limited = self->limited_now = true;
        return false;
    }
    /* Raising a quota is slow, because it reads all other quotas. So first try to double the quota,
     * which makes later raises rarer. */
    uint64_t ample = self->quota_bytes / unit * 2;
    ample = ample < QUOTA_SLOT ? ample : QUOTA_SLOT;
    if (self->holds_most != 0 && ample > self->holds_most / unit)
        ample = self->holds_most / unit;
    if (!(ample > need && quota_try(self, ample, alone)) && !quota_try(self, need, alone))
        return false;
    if (self->quota_bytes < total)
        self->quota_bytes = total;
    self->untidy = true;
    return true;
}

LRD__HOT void lrd__quota_shrink(lrd__thread *self)
{
    uint64_t unit = quota_unit(self), ample = (2 * self->held_bytes + unit - 1) / unit * unit;
    uint64_t fits = ample > self->quota_keep ? ample : self->quota_keep;
    if (fits >= self->quota_bytes + self->quota_inherited)
        return;
    self->quota_bytes = fits < self->quota_bytes ? fits : self->quota_bytes;
    self->quota_inherited = fits - self->quota_bytes;
    /* Release is enough. Another thread may still load the old, larger value, but this only makes
     * its sum of all quotas too large. */
    atomic_store_explicit(&self->store->quotas[self->slot_index],
                          lrd__quota_word(self, fits / unit), memory_order_release);
}
