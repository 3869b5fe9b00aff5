/* build.c - reservations (values under construction), and the counting of refused writes. Begin
 * reading at lrd_abort(). */
#include "threads/build.h"
#include "ground/error.h"
#include "ground/clock.h"
#include "ground/place.h"
#include "memory/page.h"
#include "memory/ledger.h"
#include "memory/zone.h"
#include "room/feed.h"
#include "room/keylist.h"
#include "threads/thread.h"

LRD__HOT lrd_refusal lrd__write_refusal(const lrd__thread *self, int code)
{
    switch (code) {
    case LRD_ESIZE:
        return LRD_REFUSED_SIZE;
    case LRD_ENOROOM:
        return self != NULL && self->scattered ? LRD_REFUSED_SCATTERED : LRD_REFUSED_FULL;
    case LRD_ENOINDEX:
        return LRD_REFUSED_INDEX;
    case LRD_EBUSY:
        return LRD_REFUSED_BUSY;
    case LRD_ENOSLOT:
        return LRD_REFUSED_SLOT;
    case LRD_ESTATE:
        return LRD_REFUSED_HOLDS;
    case LRD_ENOSPC:
        return LRD_REFUSED_FILE_SYSTEM;
    case LRD_ENOMEM:
    case LRD_ETRUNCATED:
    case LRD_EMOVED:
    case LRD_EBARRIER:
    case LRD_ESYS:
        return LRD_REFUSED_SYSTEM;
    default:
        return LRD_REFUSALS;
    }
}

__attribute__((noinline, cold)) int lrd__write_refused(lrd__shard *shard, const lrd__thread *self,
                                                       int code)
{
    lrd_refusal cause = lrd__write_refusal(self, code);
    if (cause != LRD_REFUSALS) {
        atomic_fetch_add_explicit(&shard->refused, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&shard->refused_by[cause], 1, memory_order_relaxed);
    }
    return code;
}

__attribute__((noinline, cold)) int lrd__write_refused_key(lrd_store *store, const void *key,
                                                           size_t key_len, int code)
{
    return lrd__write_refused(lrd__place_of(store, key, key_len).shard, NULL, code);
}

LRD__HOT int lrd__write_look(lrd_store *store, lrd__thread *self, uint64_t now)
{
    int rc = lrd__segment_look(store);
    /* check the file if it is not sealed (store->watched), because another process can truncate
     * it */
    if (rc == LRD_OK && store->watched)
        rc = lrd__segment_check_unlocked(store);
    if (rc == LRD_OK)
        self->looked = now;
    return rc;
}

LRD__HOT int lrd__write_chores(lrd_store *store, lrd__thread *self, uint64_t now)
{
    lrd__assert_thread(self);
    if (now - self->checked < LRD__CHORES_MS)
        return LRD_OK;
    int rc = lrd__write_look(store, self, now);
    if (rc != LRD_OK)
        return rc; /* do not change self->checked, so that the next call checks again */
    self->checked = now;
    lrd__clock_refresh(store);
    if (self->guarded != 0)
        lrd__guards_check(self);
    if (self->keylocks.left != 0)
        lrd__keylock_end_left(self);
    if (lrd__zone_hungry(store))
        lrd__room_feed_zone(store, self);
    return LRD_OK;
}

LRD__HOT void lrd__write_cancel(lrd__thread *self, uint32_t entry)
{
    lrd__assert_thread(self);
    lrd__assert(entry <= LRD_HOLDS_MAX);
    self->holds[entry].serial = 0;
    self->reservations--;
    lrd__ledger_drop(self, entry);
    if (__builtin_expect(self->zone != self->zone_held, 0) && self->reservations == 0)
        lrd__zone_built(self);
}

LRD__HOT bool lrd__write_owns(const lrd__thread *self, const lrd_reservation *reservation)
{
    lrd__assert_thread(self);
    uint32_t entry = reservation->handle;
    return entry != 0 && entry < self->n && reservation->serial != 0 &&
           self->holds[entry].serial == reservation->serial;
}

LRD__HOT void lrd__write_close(lrd__thread *self, lrd_reservation *reservation)
{
    lrd__assert_thread(self);
    lrd__write_cancel(self, reservation->handle);
    memset(reservation, 0, sizeof *reservation);
    LRD__FAILPOINT("write_closed");
}

int lrd_abort(lrd_store *store, lrd_reservation *reservation)
{
    lrd__thread *self = lrd__threads[store->id];
    if (self == NULL || self->slot == NULL || !lrd__write_owns(self, reservation))
        return lrd__fail(LRD_ESTATE, "the reservation is not open in this thread");
    if (self->ready == NULL)
        return LRD_EREENTRY;
    /* check the file before this thread writes to its slot */
    (void)lrd__segment_look(store);
    /* the block is retired and no longer listed, so the shard's next reclaim frees it */
    lrd__write_close(self, reservation);
    return LRD_OK;
}
