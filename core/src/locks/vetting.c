/* vetting.c - makes sure that a shard is vetted (vet.c) before a thread searches it without its
 * lock. Begin reading at lrd__vet_for_read(). */
#include "locks/vetting.h"
#include "ground/lease.h"
#include "memory/slot.h"
#include "memory/ledger.h"
#include "locks/lock.h"

/* Threads in neighbouring slots begin to vet at shards that are this number apart. The number is
 * odd, because the number of shards is a power of two. */
#define VET_STRIDE 41u
/* maximum number of times that a reader waits, each time for up to LRD_LOCK_WAIT_MS, for a shard
 * that another thread may be vetting */
#define VET_WAITS 10u

static uint32_t vet_next(const lrd_store *store, const lrd__thread *self)
{
    return (self->vet_seen + self->slot_index * VET_STRIDE) & (store->geo.shards - 1);
}

/* Move self->vet_seen past vetted shards. Returns true if all are vetted. */
static bool vet_look(lrd_store *store, lrd__thread *self)
{
    while (self->vet_seen < store->geo.shards && lrd__shard_vetted(store, vet_next(store, self)))
        self->vet_seen++;
    if (self->vet_seen < store->geo.shards)
        return false;
    /* This release pairs with the acquire load in lrd__vet_begin(). */
    atomic_store_explicit(&store->header->settled, 1, memory_order_release);
    return true;
}

/* Let the thread use the fast path, if its request is not too old. */
static void vet_settle(lrd__thread *self)
{
    self->usual = self->slot;
    if (lrd__request_may_hold(self))
        lrd__ledger_fast(self);
}

LRD__HOT void lrd__vet_begin(lrd__thread *self)
{
    lrd_store *store = self->store;
    self->vet_seen = 0;
    self->usual = NULL;
    if (atomic_load_explicit(&store->header->settled, memory_order_acquire) != 0)
        self->usual = self->slot;
}

int lrd__vet_for_read(lrd_store *store, lrd__thread *self, uint32_t index)
{
    if (!lrd__shard_vetted(store, index)) {
        int rc = LRD_EBUSY;
        for (uint32_t i = 0; i < VET_WAITS && rc == LRD_EBUSY; i++) {
            rc = lrd__shard_lock(store, self, index);
            if (rc == LRD_EBUSY && lrd__shard_was_vain(store, index))
                break;
        }
        if (rc == LRD_OK)
            lrd__shard_unlock(store, index);
        return rc; /* one call vets at most one shard */
    }
    if (!vet_look(store, self)) {
        uint32_t next = vet_next(store, self);
        if (lrd__shard_try(store, self, next) == LRD_OK)
            lrd__shard_unlock(store, next);
    }
    if (vet_look(store, self))
        vet_settle(self);
    return LRD_OK;
}

LRD__HOT void lrd__vet_all(lrd_store *store)
{
    lrd__thread *self = lrd__threads[store->id];
    if (atomic_load_explicit(&store->header->settled, memory_order_acquire) != 0)
        return;
    if (self != NULL && self->slot == NULL)
        self = NULL;
    if (self == NULL && (store->barred || !lrd__process_sound()))
        return; /* this process must not take locks */
    for (uint32_t i = 0; i < store->geo.shards; i++)
        if (!lrd__shard_vetted(store, i) && lrd__shard_try(store, self, i) == LRD_OK)
            lrd__shard_unlock(store, i);
}
