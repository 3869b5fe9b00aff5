/* expiry.c - the timing wheel, by which writers find expired entries. Readers compare the time in
 * the block instead (lrd__block_live() in block.h). Owns the wheel's lists and wheel_tick. Begin
 * reading at lrd__wheel_due(); wheel_place() decides where a slot belongs.
 *
 * The wheel has five levels of 64 lists. A list of level 0 covers one tick of 128 ms, a list of
 * level L covers 64^L ticks. With now = wheel_tick, a slot with tick t lies at the level of the
 * highest group of 6 bits in which t and now differ:
 *
 *          level 4      level 3   level 2   level 1   level 0
 *   now    c4           c3        c2        c1        c0
 *   t      c4           c3        t2        t1        t0
 *
 * Here t2 > c2, so the slot lies on level 2, in list t2. The index of now on level L is cL.
 *
 * Invariants, whenever the shard's lock is free:
 * - a slot is in one list if its timer is committed and its prev is not 0; otherwise it is in no
 *   list. Each slot whose tick is not 0 is in a list;
 * - on the levels 0 to 3, all lists with a lower index than that of now are empty; level 4 is a
 *   ring: its slots are at most 63 lists ahead;
 * - if a list of level 1 to 4 with the index of now is not empty, its slots are being moved to
 *   lower levels. The list of level 0 with the index of now holds only due slots. */
#include "entries/expiry.h"
#include "ground/map.h"

#define WHEEL_BITS 6u
#define WHEEL_MASK (LRD__WHEEL_SLOTS - 1)
#define WHEEL_TOP (LRD__WHEEL_LEVELS - 1)
#define WHEEL_TOP_SHIFT (WHEEL_BITS * WHEEL_TOP)

/* A flag of lrd__timer.prev: the slot is the first of its list. The other bits are then the list's
 * number, level << 6 | index. */
#define WHEEL_HEAD 0x80000000u

_Static_assert(LRD__WHEEL_SLOTS == 1u << WHEEL_BITS, "lists of a level");

/* ---- lists ---- */

static lrd__timer *wheel_timer(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    lrd__assert(shard < store->geo.shards);
    return &store->timers[lrd__slot_number(store, shard, slot)];
}

LRD__HOT int lrd__timer_commit(lrd_store *store, uint32_t shard, uint32_t slot)
{
    lrd__assert(slot < lrd__shard_slots(store));
    lrd__assert(shard < store->geo.shards);
    uint64_t number = lrd__slot_number(store, shard, slot);
    if (lrd__timer_ready(store, number))
        return LRD_OK;
    if (store->evicts && lrd__memory_short(store))
        return LRD_ENOSPC;
    uint64_t bytes = (uint64_t)LRD__TIMER_CHUNK * LRD__WAYS * sizeof(lrd__timer);
    uint64_t chunk = number / LRD__WAYS / LRD__TIMER_CHUNK;
    int rc = lrd__segment_commit_control(store, store->geo.timers_at + chunk * bytes, bytes);
    if (rc == LRD_ENOSPC)
        lrd__memory_note(store);
    if (rc == LRD_OK)
        /* Pairs with the acquire load in lrd__timer_ready(). Two threads may commit one chunk: the
         * second commit changes nothing. */
        atomic_store_explicit(&store->timed[chunk], 1, memory_order_release);
    return rc;
}

LRD__HOT int lrd__timer_want(lrd_store *store, uint32_t shard, uint32_t slot)
{
    lrd__assert_locked(store, shard);
    lrd__assert(slot < lrd__shard_slots(store));
    int rc = lrd__timer_commit(store, shard, slot);
    if (rc != LRD_ENOSPC || !store->evicts)
        return rc;
    store->shards[shard].untimed = 1;
    return LRD_OK;
}

static void wheel_link(lrd_store *store, uint32_t shard, uint32_t level, uint32_t index,
                       uint32_t slot)
{
    uint32_t *head = &store->shards[shard].wheel[level][index];
    lrd__timer *timer = wheel_timer(store, shard, slot);
    timer->next = *head;
    timer->prev = WHEEL_HEAD | level << WHEEL_BITS | index;
    if (*head != 0)
        wheel_timer(store, shard, *head - 1)->prev = slot + 1;
    LRD__FAILPOINT("wheel_link");
    *head = slot + 1;
    store->shards[shard].wheel_count++;
}

static LRD__HOT void wheel_unlink(lrd_store *store, uint32_t shard, uint32_t slot)
{
    lrd__timer *timer = wheel_timer(store, shard, slot);
    uint32_t next = timer->next, prev = timer->prev;
    uint32_t list = prev & ~WHEEL_HEAD;

    if (prev & WHEEL_HEAD)
        store->shards[shard].wheel[list >> WHEEL_BITS][list & WHEEL_MASK] = next;
    else
        wheel_timer(store, shard, prev - 1)->next = next;
    LRD__FAILPOINT("wheel_unlink");
    if (next != 0)
        wheel_timer(store, shard, next - 1)->prev = prev;
    timer->prev = 0;
    store->shards[shard].wheel_count--;
}

/* Link a slot in the list of its tick. If the tick lies beyond the top level, the slot goes to the
 * furthest list. When that list is due, the slot is placed again. */
static LRD__HOT void wheel_place(lrd_store *store, uint32_t shard, uint32_t slot)
{
    uint32_t now = store->shards[shard].wheel_tick;
    uint32_t wanted = wheel_timer(store, shard, slot)->tick, tick = wanted > now ? wanted : now;
    uint32_t level = 0;

    while (level < WHEEL_TOP && (tick ^ now) >> (WHEEL_BITS * (level + 1)) != 0)
        level++;
    uint32_t group = tick >> (WHEEL_BITS * level);
    if (level == WHEEL_TOP && group - (now >> WHEEL_TOP_SHIFT) > WHEEL_MASK)
        group = (now >> WHEEL_TOP_SHIFT) + WHEEL_MASK;
    wheel_link(store, shard, level, group & WHEEL_MASK, slot);
}

LRD__HOT void lrd__wheel_set(lrd_store *store, uint32_t shard, uint32_t slot, uint32_t tick)
{
    lrd__assert_locked(store, shard);
    lrd__assert(slot < lrd__shard_slots(store));
    lrd__timer *timer = wheel_timer(store, shard, slot);
    if (timer->prev != 0)
        wheel_unlink(store, shard, slot);
    if (tick != 0)
        store->shards[shard].timed = 1;
    timer->tick = tick;
    if (tick != 0)
        wheel_place(store, shard, slot);
}

/* ---- time passes ---- */

/* Return the next tick after shard->wheel_tick with a list to handle, or UINT64_MAX if all lists
 * are empty. */
static uint64_t wheel_next_event(const lrd__shard *shard)
{
    for (uint32_t level = 0; level < LRD__WHEEL_LEVELS; level++) {
        uint64_t group = shard->wheel_tick >> (WHEEL_BITS * level);
        uint64_t last = level == WHEEL_TOP ? group + WHEEL_MASK : group | WHEEL_MASK;
        while (++group <= last)
            if (shard->wheel[level][group & WHEEL_MASK] != 0)
                return group << (WHEEL_BITS * level);
    }
    return UINT64_MAX;
}

/* Return a slot that must move to a lower level because wheel_tick has reached its list, or
 * LRD__NO_SLOT. */
static uint32_t wheel_reached(const lrd__shard *shard)
{
    for (uint32_t level = WHEEL_TOP; level > 0; level--) {
        uint32_t index = shard->wheel_tick >> (WHEEL_BITS * level) & WHEEL_MASK;
        if (shard->wheel[level][index] != 0)
            return shard->wheel[level][index] - 1;
    }
    return LRD__NO_SLOT;
}

static uint32_t wheel_tick_now(uint64_t now_ms)
{
    uint64_t tick = now_ms >> LRD__TICK_BITS;

    return tick < UINT32_MAX - 1 ? (uint32_t)tick : UINT32_MAX - 1;
}

/* Each unit of *budget pays for one step: move a slot to a lower level, go on to the next list, or
 * return a slot. */
LRD__HOT uint32_t lrd__wheel_due(lrd_store *store, uint32_t shard_index, uint64_t now_ms,
                                 uint32_t *budget)
{
    lrd__assert_locked(store, shard_index);
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t now = wheel_tick_now(now_ms);

    if (shard->wheel_count == 0) {
        shard->wheel_tick = now;
        return LRD__NO_SLOT;
    }
    for (; *budget > 0 && shard->wheel_tick <= now; --*budget) {
        uint32_t down = wheel_reached(shard);
        uint32_t due = shard->wheel[0][shard->wheel_tick & WHEEL_MASK];
        if (down != LRD__NO_SLOT) {
            wheel_unlink(store, shard_index, down);
            wheel_place(store, shard_index, down);
        } else if (due != 0) {
            wheel_unlink(store, shard_index, due - 1);
            --*budget;
            return due - 1;
        } else if (shard->wheel_tick == now) {
            break;
        } else {
            uint64_t event = wheel_next_event(shard);
            shard->wheel_tick = event < now ? (uint32_t)event : now;
        }
    }
    return LRD__NO_SLOT;
}

void lrd__wheel_reset(lrd_store *store, uint32_t shard_index, uint64_t now_ms)
{
    lrd__assert_locked(store, shard_index);
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t slots = lrd__shard_slots(store);
    for (uint32_t slot = 0; slot < slots && shard->timed != 0; slot++)
        if (lrd__timer_ready(store, lrd__slot_number(store, shard_index, slot)))
            wheel_timer(store, shard_index, slot)->prev = 0;
    memset(shard->wheel, 0, sizeof shard->wheel);
    shard->wheel_count = 0;
    shard->wheel_tick = wheel_tick_now(now_ms);
}
