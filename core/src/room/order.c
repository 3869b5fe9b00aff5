/* order.c - chooses an order (a group of entries, see room.h), and evicts entries from its queues.
 * Begin reading at lrd__room_worst().
 *
 * The cost of keeping an entry is its bytes times its age (lrd__evict_age()). The worst order is
 * the one whose next victim costs most.
 *
 * Invariants
 * - If eviction passes over the next victim of a size class because it was used, another entry
 *   becomes the next victim. The class loses no page before the new next victim is ripe
 *   (room_ripe_age()). */
#include "room/order.h"
#include "memory/page.h"
#include "memory/ledger.h"
#include "memory/arena.h"
#include "entries/evict.h"
#include "entries/form.h"
#include "entries/entry.h"

/* a batch of evictions ends after this number of victims with held blocks */
#define ROOM_FRUITLESS 64u
/* A victim is ripe if its age is at least 1/ROOM_RIPE of the average age of the oldest entries of
 * all orders. */
#define ROOM_RIPE 8u

/* Add an entry's age to the moving average of the ages of evicted entries, which statistics
 * load. */
static void room_count_age(lrd_store *store, uint32_t index, uint32_t slot)
{
    _Atomic uint64_t *mean = &store->shards[index].evicted_age_ms;
    uint64_t age =
        lrd__block_age(store, lrd__block_window(store, lrd__slot_offset(store, index, slot)));
    uint64_t before = atomic_load_explicit(mean, memory_order_relaxed);
    if (age != 0)
        atomic_store_explicit(mean, before == 0 ? age : before - before / 8 + age / 8,
                              memory_order_relaxed);
}

static void room_evict(lrd_store *store, uint32_t index, uint32_t slot)
{
    bool dead = lrd__entry_is_dead(store, index, slot);
    if (!dead)
        room_count_age(store, index, slot);
    lrd__entry_remove(store, index, slot);
    if (dead)
        return;
    lrd__add(&store->shards[index].evicted, 1);
    lrd__form_pressed(store->shards + index);
}

void lrd__room_evict_early(lrd_store *store, uint32_t index, uint32_t slot)
{
    uint32_t ghost = lrd__ghost_key(store, index, slot);
    bool dead = lrd__entry_is_dead(store, index, slot);
    room_evict(store, index, slot);
    if (!dead)
        lrd__evict_remember(store, index, ghost);
}

uint64_t lrd__room_evict_marked(lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes)
{
    uint64_t before = lrd__shard_retired(store, index), evicted = 0;
    uint32_t fruitless = 0, chances = LRD__ROOM_CHANCES;
    while (evicted < bytes && fruitless < ROOM_FRUITLESS && (chances > 0 || evicted == 0)) {
        bool from_small;
        uint32_t slot = lrd__evict_choose(store, index, order, &chances, &from_small);
        if (slot == LRD__NO_SLOT)
            break;
        if (lrd__arena_is_held(store, lrd__slot_offset(store, index, slot))) {
            lrd__evict_put_back(store, index, slot, from_small);
            fruitless++;
            continue;
        }
        if (from_small)
            lrd__room_evict_early(store, index, slot);
        else
            room_evict(store, index, slot);
        evicted = lrd__shard_retired(store, index) - before;
    }
    return evicted;
}

uint64_t lrd__room_evict_batch(lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes)
{
    uint64_t evicted = lrd__room_evict_marked(store, index, order, bytes);
    if (evicted != 0 || lrd__ledger_scan(store, index, false) != LRD_OK)
        return evicted;
    return lrd__room_evict_marked(store, index, order, bytes);
}

/* Return the average number of bytes per entry of an order. For a size class, this includes the
 * free space in its pages. */
static uint64_t room_share(const lrd_store *store, uint32_t index, uint32_t order)
{
    const lrd__shard *shard = store->shards + index;
    const lrd__order *o = shard->orders + order;
    if (o->count == 0)
        return 0;
    uint64_t bytes =
        order < LRD__CLASSES ? shard->class_bytes[order] : o->small_bytes + o->main_bytes;
    return bytes / o->count;
}

uint64_t lrd__room_cost(const lrd_store *store, uint32_t index, uint32_t order, uint64_t bytes)
{
    return lrd__evict_age(store, index, order) * bytes;
}

/* Return the ripe age. An order can be the worst one only if its next victim is at least this old.
 * If an entry is alone in its page, keeping it costs as much as keeping the whole page. Without the
 * ripe age, such an entry would be evicted soon after each put. */
static uint64_t room_ripe_age(const lrd_store *store, uint32_t index)
{
    const lrd__order *orders = store->shards[index].orders;
    uint64_t bytes = 0, sum = 0;
    for (uint32_t k = 0; k < LRD__ORDERS; k++) {
        uint64_t has = (orders[k].small_bytes + orders[k].main_bytes) >> LRD__GRANULE_BITS;
        bytes += has;
        sum += has * lrd__evict_oldest(store, index, k);
    }
    return bytes != 0 ? sum / bytes / ROOM_RIPE : 0;
}

uint64_t lrd__room_next_age(lrd_store *store, uint32_t index, uint32_t order)
{
    return store->shards[index].orders[order].count != 0 &&
                   lrd__evict_next(store, index, order) != LRD__NO_SLOT
               ? lrd__evict_age(store, index, order)
               : 0;
}

/* True if the next victim of an order is not ripe yet. Runs always count as ripe, because large
 * runs never get old. */
static bool room_is_young(const lrd_store *store, uint32_t index, uint32_t order, uint64_t ripe)
{
    return order < LRD__CLASSES && store->shards[index].orders[order].main.head != 0 &&
           lrd__evict_age(store, index, order) < ripe;
}

/* Return the cost of keeping an order's next victim in memory. Returns 0 if the victim has not
 * reached the age `ripe`. */
static uint64_t room_ripe_cost(const lrd_store *store, uint32_t index, uint32_t order,
                               uint64_t ripe)
{
    if (room_is_young(store, index, order, ripe))
        return 0;
    return lrd__room_cost(store, index, order, room_share(store, index, order));
}

uint32_t lrd__room_worst(lrd_store *store, uint32_t index, uint32_t first, uint32_t end,
                         uint32_t *chances, uint64_t *cost)
{
    uint64_t costs[LRD__ORDERS] = {0};
    /* runs are always ripe */
    uint64_t ripe = first < LRD__CLASSES ? room_ripe_age(store, index) : 0;
    uint32_t worst = first;
    for (uint32_t k = first; k < end; k++)
        costs[k] = room_ripe_cost(store, index, k, ripe);
    for (;; *chances -= *chances != 0) {
        for (uint32_t k = first; k < end; k++)
            worst = costs[k] > costs[worst] ? k : worst;
        *cost = costs[worst];
        if (*cost == 0)
            return LRD__ORDERS;
        /* Drop removed entries from the head of the queue: when a page was emptied, its entries
         * stayed in the queue. */
        lrd__room_next_age(store, index, worst);
        costs[worst] = room_ripe_cost(store, index, worst, ripe);
        if (costs[worst] < *cost)
            continue;
        if (*chances == 0 || !lrd__evict_spares_next(store, index, worst))
            break;
        costs[worst] = room_ripe_cost(store, index, worst, ripe);
    }
    return worst;
}
