/* rows.c - evicts runs that lie in a row (room.h). Begin reading at room_take_row(). */
#include "room/rows.h"
#include "room/order.h"
#include "room/pages.h"
#include "ground/word.h"
#include "memory/page.h"
#include "memory/arena.h"
#include "entries/evict.h"
#include "entries/entry.h"

/* evicting a run that was used n times costs (1 + n * ROOM_USE) times as much as an unused one */
#define ROOM_USE 64u
/* number of fraction bits of a row's cost */
#define ROOM_COST_BITS 32u
/* room_choose_row() tries the rows around the next ROOM_ROWS victims of each order. If the best row
 * costs more than evicting one unused run of an order, the function also tries further victims of
 * this order. It tries at most ROOM_ROWS_MOST victims of an order. */
#define ROOM_ROWS 2u
#define ROOM_ROWS_MOST 48u
/* lrd__room_take_rows() evicts rows until it has retired 1/ROOM_SOME_RUNS of the bytes of the new
 * run's order */
#define ROOM_SOME_RUNS 256u

/* a row of units, [first, end), and the cost of evicting its runs */
typedef struct room_row {
    uint64_t first, end, cost;
} room_row;

/* Return the cost of a row per unit. All units of the row count, because other runs can use the
 * units that the new run does not need. */
static uint64_t room_row_rate(const room_row *row) { return row->cost / (row->end - row->first); }

/* If a live run contains the unit, set [*first, *end) to this run, and *live to true. Otherwise set
 * the range to this unit alone, and *live to false. Returns false if the unit cannot be part of a
 * row. */
static bool room_unit(const lrd_store *store, uint32_t shard, uint64_t unit, uint64_t *first,
                      uint64_t *end, bool *live)
{
    uint64_t page = unit / LRD__PAGE_UNITS, bit = 1ull << unit % LRD__PAGE_UNITS;
    const lrd__bits *bits = store->bits + page;
    if (page >= store->geo.pages ||
        lrd__page_owner(store, page) != lrd__owner_make(shard, LRD__CLASS_RUN) ||
        (bits->held[0] & bit) != 0)
        return false;
    *live = (bits->block[0].allocated & ~bits->block[0].retired & bit) != 0;
    *first = *live ? lrd__run_start(store, unit << LRD__UNIT_BITS) >> LRD__UNIT_BITS : unit;
    *end = *live ? *first + lrd__run_units(store, *first) : unit + 1;
    return true;
}

/* Return the cost of evicting an entry with the use count `heat`. `age` is the age of its order's
 * next victim. */
static uint64_t room_use_cost(uint32_t heat, uint64_t age)
{
    return ((1 + (uint64_t)ROOM_USE * heat) << ROOM_COST_BITS) / (age != 0 ? age : 1);
}

/* Return the cost of evicting the run that begins at the unit `first`. */
static uint64_t room_run_cost(const lrd_store *store, uint32_t shard, uint64_t first)
{
    uint64_t offset = first << LRD__UNIT_BITS;
    uint64_t age = lrd__evict_age(store, shard, lrd__order_of(lrd__block_bytes(store, offset)));
    return room_use_cost(lrd__room_block_heat(store, shard, offset), age);
}

/* Extend a row upwards or downwards to `units` units. Returns false if this is impossible, or if
 * the row's rate reaches `most`. */
static bool room_grow_row(const lrd_store *store, uint32_t shard, room_row *row, uint64_t units,
                          bool up, uint64_t most)
{
    uint64_t first, end;
    bool live;
    while (row->end - row->first < units) {
        if ((!up && row->first == 0) ||
            !room_unit(store, shard, up ? row->end : row->first - 1, &first, &end, &live))
            return false;
        row->cost += live ? room_run_cost(store, shard, first) : 0;
        row->first = up ? row->first : first;
        row->end = up ? end : row->end;
        if (row->cost / (2 * units) >= most)
            return false;
    }
    return true;
}

/* Extend a row by the free units beside it, up to `units` units. Call this before room_grow_row(),
 * so that the row needs fewer live runs. */
static void room_widen_row(const lrd_store *store, uint32_t shard, room_row *row, uint64_t units)
{
    uint64_t first, end;
    bool live;
    while (row->end - row->first < units && row->first > 0 &&
           room_unit(store, shard, row->first - 1, &first, &end, &live) && !live)
        row->first = first;
    while (row->end - row->first < units &&
           room_unit(store, shard, row->end, &first, &end, &live) && !live)
        row->end = end;
}

/* Try two rows around this entry's run, one upwards and one downwards. A row with a rate below
 * *rate becomes *best. */
static void room_try_row(const lrd_store *store, uint32_t shard, uint32_t slot, uint64_t units,
                         room_row *best, uint64_t *rate)
{
    uint64_t word = lrd__slot_word(store, shard, slot);
    room_row row = {0, 0, 0}, both;
    bool live;
    if (word == 0 ||
        !room_unit(store, shard, lrd__word_offset(word) >> LRD__UNIT_BITS, &row.first, &row.end,
                   &live) ||
        !live)
        return;
    row.cost = room_run_cost(store, shard, row.first);
    room_widen_row(store, shard, &row, units);
    for (int up = 0; up < 2; up++) {
        both = row;
        if (!room_grow_row(store, shard, &both, units, up, *rate) || room_row_rate(&both) >= *rate)
            continue;
        *best = both;
        *rate = room_row_rate(&both);
    }
}

/* Return the row of at least `units` units with the lowest rate. Tries only rows around the next
 * victims of the orders. Returns an empty row if there is none. */
static room_row room_choose_row(lrd_store *store, uint32_t shard, uint64_t units)
{
    room_row best = {0, 0, 0};
    uint64_t rate = UINT64_MAX;
    uint32_t slots[LRD__RUN_ORDERS] = {0};
    uint64_t unused[LRD__RUN_ORDERS] = {0}; /* for each order: cost of evicting one unused run */
    bool more = true;
    for (uint32_t n = 0; n < ROOM_ROWS_MOST && more; n++) {
        more = false;
        for (uint32_t k = 0; k < LRD__RUN_ORDERS; k++) {
            if (n == 0) {
                slots[k] = lrd__evict_next(store, shard, LRD__CLASSES + k);
                unused[k] = room_use_cost(0, lrd__evict_age(store, shard, LRD__CLASSES + k));
            } else if (slots[k] != LRD__NO_SLOT) {
                slots[k] = lrd__evict_after(store, shard, slots[k]);
            }
            if (slots[k] == LRD__NO_SLOT ||
                (n >= ROOM_ROWS && best.end != 0 && best.cost <= unused[k]))
                continue;
            room_try_row(store, shard, slots[k], units, &best, &rate);
            more = true;
        }
    }
    return best;
}

/* Choose a row of at least `units` units, and evict all runs in this row. Returns false if there is
 * no such row. */
static bool room_take_row(lrd_store *store, uint32_t shard, uint64_t units)
{
    room_row best = room_choose_row(store, shard, units);
    for (uint64_t at = best.first; at < best.end;) {
        uint64_t first, end;
        bool live;
        if (!room_unit(store, shard, at, &first, &end, &live))
            break;
        uint32_t slot =
            live ? lrd__entry_of_block(store, shard, first << LRD__UNIT_BITS) : LRD__NO_SLOT;
        if (slot != LRD__NO_SLOT)
            lrd__room_evict_early(store, shard, slot);
        at = end;
    }
    return best.end != 0;
}

uint64_t lrd__room_rows_rate(lrd_store *store, uint32_t shard, uint64_t units)
{
    room_row best = room_choose_row(store, shard, units);
    return best.end != 0
               ? (room_row_rate(&best) >> (ROOM_COST_BITS - LRD__ROOM_RATE_BITS)) * LRD__ROOM_ENTRY
               : UINT64_MAX;
}

bool lrd__room_take_rows(lrd_store *store, uint32_t shard, uint64_t units, uint32_t *chances)
{
    const lrd__order *order = store->shards[shard].orders + lrd__order_of(units << LRD__UNIT_BITS);
    uint64_t some = (order->small_bytes + order->main_bytes) / ROOM_SOME_RUNS, cost;
    uint64_t begin = lrd__shard_retired(store, shard), before = begin, after;
    if (!room_take_row(store, shard, units))
        return false;
    /* stop if a row has retired nothing: the store is damaged, and the next choice would be this
     * row again */
    while ((after = lrd__shard_retired(store, shard)) - begin < some && after != before &&
           *chances > 0) {
        before = after;
        lrd__room_worst(store, shard, LRD__CLASSES, LRD__ORDERS, chances, &cost);
        if (!room_take_row(store, shard, units))
            break;
    }
    return true;
}
