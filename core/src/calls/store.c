/* store.c - the calls for a whole store: opening, closing, sweeping, facts and statistics. Read
 * lrd_open() first. */
#include "ground/error.h"
#include "ground/clock.h"
#include "ground/lease.h"
#include "ground/word.h"
#include "memory/page.h"
#include "memory/arena.h"
#include "entries/entry.h"
#include "entries/grow.h"
#include "entries/message.h"
#include "locks/lock.h"
#include "locks/vetting.h"
#include "room/keylist.h"
#include "threads/thread.h"
#include "threads/segment.h"
#include "calls/write.h"

/* maximum number of steps of the timing wheel that a sweep does under one lock (about 1 ms) */
#define STORE_SWEEP_STEPS 4096u

static LRD__HOT int store_open(int fd, const lrd_options *options, lrd_store **out)
{
    static const lrd_options defaults = {.policy = LRD_VOLATILE};
    *out = NULL;
    if (options != NULL && options->struct_size > sizeof *options)
        return lrd__fail(LRD_EINVAL, "lrd_options of %u bytes, this library knows %zu",
                         options->struct_size, sizeof *options);
    lrd_store *store = aligned_alloc(64, LRD__ALIGN_UP(sizeof *store, 64));
    if (store == NULL)
        return lrd__fail(LRD_ENOMEM, "a handle of %zu bytes", sizeof *store);
    memset(store, 0, sizeof *store);
    int rc = lrd__segment_open(store, fd, options != NULL ? options : &defaults);
    if (rc != LRD_OK)
        goto fail;
    rc = lrd__process_join(store);
    if (rc != LRD_OK) {
        lrd__segment_unmap(store);
        goto fail;
    }
    *out = store;
    return LRD_OK;
fail:
    free(store);
    return rc;
}

int lrd_open(const lrd_options *options, lrd_store **out) { return store_open(-1, options, out); }

LRD__HOT int lrd_open_fd(int fd, const lrd_options *options, lrd_store **out)
{
    if (fd < 0) {
        *out = NULL;
        return lrd__fail(LRD_EINVAL, "fd is %d", fd);
    }
    return store_open(fd, options, out);
}

void lrd_close(lrd_store *store)
{
    if (store != NULL)
        lrd__process_leave(store);
}

LRD__HOT void lrd_thread_leave(lrd_store *store)
{
    if (lrd__threads[store->id] != NULL)
        lrd__thread_end(lrd__threads[store->id]);
}

void lrd_thread_leave_closed(void) { lrd__thread_leave_closed(); }

LRD__HOT uint64_t lrd_value_max(const lrd_store *store) { return store->geo.size / 2; }

LRD__HOT void lrd_store_info(const lrd_store *store, lrd_info *out)
{
    (void)lrd__segment_is_truncated(store); /* check the file before value_abi is read from it */
    const lrd__geometry *geo = &store->geo;
    uint64_t words = ((uint64_t)geo->homes_max << geo->shard_bits) * LRD__WAYS;
    *out = (lrd_info){
        .policy = (lrd_policy)geo->policy,
        .size = geo->size,
        .control = geo->control_size,
        .words = words,
        .entries_max = geo->data_size / 64 < words ? geo->data_size / 64 : words,
        .value_max = lrd_value_max(store),
        .shards = geo->shards,
        .slots = geo->slots - lrd__slots_spare(geo),
        .base = store->data,
        .value_abi = store->header->value_abi,
        .fence = store->fence,
        .created = store->created,
    };
}

#define STORE_ADD(field, source) out->field += atomic_load_explicit(&(source), memory_order_relaxed)

static void store_stats_shard(const lrd_store *store, const lrd__shard *shard, lrd_stats *out)
{
    /* If the shard's epoch is old, lrd_clear() has removed all entries that the shard still counts
     * as live. Acquire: pairs with the store in lrd__entry_sync(). */
    if (atomic_load_explicit(&shard->epoch, memory_order_acquire) ==
        atomic_load_explicit(&store->header->view.epoch, memory_order_acquire)) {
        STORE_ADD(entries, shard->live_entries);
        STORE_ADD(live_bytes, shard->live_bytes);
        STORE_ADD(packed_entries, shard->packed_entries);
        STORE_ADD(packed_bytes, shard->packed_bytes);
        STORE_ADD(packed_ready, shard->packed_ready);
    } else {
        STORE_ADD(dead_bytes, shard->live_bytes);
    }
    if (store->queues != NULL) {
        const lrd__queue_shard *rows = store->queue_shards + (shard - store->shards);
        STORE_ADD(live_bytes, rows->bytes);
    }
    STORE_ADD(dead_bytes, shard->dead_bytes);
    STORE_ADD(retired_bytes, shard->retired_bytes);
    STORE_ADD(page_bytes, shard->page_bytes);
    STORE_ADD(inserts, shard->inserts);
    STORE_ADD(replaces, shard->replaces);
    STORE_ADD(deletes, shard->deletes);
    STORE_ADD(expired, shard->expired);
    STORE_ADD(evicted, shard->evicted);
    STORE_ADD(ghost_hits, shard->ghost_hits);
    STORE_ADD(packs, shard->packs);
    STORE_ADD(falls, shard->falls);
    STORE_ADD(rises, shard->rises);
    STORE_ADD(refused, shard->refused);
    STORE_ADD(recoveries, shard->recoveries);
    STORE_ADD(emptied_shards, shard->emptied);
    STORE_ADD(busy, shard->busy);
    for (unsigned cause = 0; cause < LRD_REFUSALS; cause++)
        STORE_ADD(refused_by[cause], shard->refused_by[cause]);
    /* average the age of evicted entries over the shards, weighted by their evictions */
    uint64_t evicted = atomic_load_explicit(&shard->evicted, memory_order_relaxed);
    uint64_t age = atomic_load_explicit(&shard->evicted_age_ms, memory_order_relaxed);
    if (evicted != 0) /* out->evicted already includes this shard */
        out->evicted_age_ms =
            (uint64_t)(((double)out->evicted_age_ms * (double)(out->evicted - evicted) +
                        (double)age * (double)evicted) /
                       (double)out->evicted);
}

static uint64_t store_held_quota(const lrd_store *store, uint32_t slot)
{
    uint64_t quota = atomic_load_explicit(&store->quotas[slot], memory_order_relaxed);
    return store->geo.size / LRD__QUOTA_UNITS * (quota & ((1u << LRD__QUOTA_BITS) - 1));
}

LRD__HOT int lrd_stats_get(lrd_store *store, lrd_stats *out)
{
    memset(out, 0, sizeof *out);
    if (lrd__segment_is_truncated(store))
        return LRD_ETRUNCATED;
    lrd__slots_notice(store);
    lrd__vet_all(store);
    for (uint32_t i = 0; i < store->geo.shards; i++)
        store_stats_shard(store, store->shards + i, out);
    /* Limit both sums to the store's size. They include mini pages and rows of messages, which this
     * size does not include. */
    if (out->live_bytes > store->geo.size)
        out->live_bytes = store->geo.size;
    if (out->page_bytes > store->geo.size)
        out->page_bytes = store->geo.size;
    if (out->page_bytes < out->live_bytes)
        out->page_bytes = out->live_bytes;
    const lrd__header *header = store->header;
    STORE_ADD(hits, header->hits);
    STORE_ADD(misses, header->misses);
    STORE_ADD(copies, header->copies);
    STORE_ADD(unpacks, header->unpacks);
    STORE_ADD(copies_by[LRD_COPY_TIME], header->copies_time);
    STORE_ADD(copies_by[LRD_COPY_NUMBER], header->copies_number);
    STORE_ADD(memory_short, header->memory_short);
    STORE_ADD(reaped_slots, header->reaped);
    uint32_t high = atomic_load_explicit(&header->slots_high, memory_order_acquire);
    for (uint32_t i = 0; i < high; i++) {
        const lrd__slot *slot = lrd__slot_at(store, i);
        STORE_ADD(hits, slot->hits);
        STORE_ADD(misses, slot->misses);
        STORE_ADD(copies, slot->copies);
        STORE_ADD(unpacks, slot->unpacks);
        STORE_ADD(copies_by[LRD_COPY_TIME], slot->copies_time);
        STORE_ADD(copies_by[LRD_COPY_NUMBER], slot->copies_number);
        STORE_ADD(slots_used, slot->claimed);
        out->held_quota += store_held_quota(store, i);
    }
    uint64_t other = out->copies_by[LRD_COPY_TIME] + out->copies_by[LRD_COPY_NUMBER];
    /* threads go on counting, so `other` may be greater than `copies` */
    out->copies_by[LRD_COPY_MEMORY] = out->copies > other ? out->copies - other : 0;
    uint64_t now = lrd__clock_boot_ms();
    out->age_ms = now > header->created ? now - header->created : 0;
    /* one death may count both as a reaped slot and as a recovery */
    out->deaths = out->reaped_slots > out->recoveries ? out->reaped_slots : out->recoveries;
    return LRD_OK;
}

bool lrd_entries_few(const lrd_store *store, uint64_t most)
{
    uint64_t entries = 0;
    if (lrd__segment_is_truncated(store))
        return false;
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        const lrd__shard *shard = store->shards + i;
        if (!lrd__shard_vetted(store, i))
            return false;
        entries += atomic_load_explicit(&shard->live_entries, memory_order_relaxed) +
                   lrd__shard_dead(shard);
    }
    return entries <= most;
}

bool lrd_refusal_is_news(lrd_store *store, int cause)
{
    if (cause < 0 || cause >= (int)LRD_REFUSALS)
        return false;
    /* check the file before `said` is read from it; the refused call may not have checked it */
    (void)lrd__segment_look(store);
    uint32_t bit = 1u << cause;
    return (atomic_load_explicit(&store->header->said, memory_order_relaxed) & bit) == 0 &&
           (atomic_fetch_or_explicit(&store->header->said, bit, memory_order_relaxed) & bit) == 0;
}

_Static_assert(LRD_USERS_MAX == LRD__SLOTS_MAX + LRD__SLOTS_SPARE, "a user for each slot");

int lrd_users(lrd_store *store, void (*report)(void *arg, const lrd_user *user), void *arg)
{
    if (lrd__segment_is_truncated(store))
        return LRD_ETRUNCATED;
    lrd__slots_notice(store);
    uint32_t high = atomic_load_explicit(&store->header->slots_high, memory_order_acquire);
    int count = 0;
    for (uint32_t i = 0; i < high; i++) {
        const lrd__slot *slot = lrd__slot_at(store, i);
        lrd_user user = {.thread = lrd__who_tid(&slot->who),
                         .hits = atomic_load_explicit(&slot->hits, memory_order_relaxed),
                         .misses = atomic_load_explicit(&slot->misses, memory_order_relaxed),
                         .copies = atomic_load_explicit(&slot->copies, memory_order_relaxed),
                         .held_quota = store_held_quota(store, i)};
        if (atomic_load_explicit(&slot->claimed, memory_order_relaxed) == 0 || user.thread <= 0)
            continue;
        report(arg, &user);
        count++;
    }
    return count;
}

/* Sweep a small part of one shard. Sets *more to true if the shard has more to sweep, otherwise to
 * false. If the shard is busy, *more does not change. [no lock is held] */
static int store_sweep_part(lrd_store *store, lrd__thread *self, uint32_t shard, uint64_t now,
                            uint64_t *freed, bool *more)
{
    int rc = lrd__shard_lock(store, self, shard);
    if (rc != LRD_OK)
        return rc;
    lrd__entry_sync(store, shard);
    uint64_t removed = lrd__room_sweep_dead(store, shard, lrd__batch_bytes(store));
    removed += lrd__room_expire(store, shard, STORE_SWEEP_STEPS);
    if (store->queues != NULL)
        removed += lrd__queue_sweep(store, shard, now);
    *freed += lrd__arena_reclaim(store, shard, false);
    lrd__arena_trim(store, shard);
    *more = removed != 0 || lrd__room_sweeps(store, shard) ||
            (store->queues != NULL && lrd__queue_overdue(store, shard, now)) ||
            (lrd__grow_pending(store) && lrd__grow_push(store, shard));
    lrd__shard_unlock(store, shard);
    /* help a doubling of the index, which otherwise continues only with the next write */
    if (lrd__grow_pending(store))
        lrd__write_help_grow(store, self, shard);
    return LRD_OK;
}

int lrd_sweep(lrd_store *store, uint64_t *freed)
{
    lrd__thread *self;
    uint64_t bytes = 0;
    int rc = lrd__segment_look(store);
    if (rc == LRD_OK)
        rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc;
    lrd__guards_check(self);
    lrd__slots_bury(store);
    if (self->keylocks.left != 0)
        lrd__keylock_end_left(self);
    /* read the clock once, so that messages that expire meanwhile cannot prolong the sweep */
    uint64_t now = lrd__now(store);
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        int code = LRD_OK;
        for (bool more = true; more && code == LRD_OK;)
            code = store_sweep_part(store, self, i, now, &bytes, &more);
        /* continue after a busy shard, but return the code of the first one */
        rc = rc != LRD_OK ? rc : code;
    }
    if (freed != NULL)
        *freed = bytes;
    lrd__leave(self);
    return rc;
}
