/* window.c - rate limits with a sliding window, for lrd_throttle(). Begin reading at window_take().
 *
 * Time is divided into parts: 1/WINDOW_PARTS of the window's length. The entry counts the units of
 * the present part and of the WINDOW_PARTS parts before it. A call is admitted if the sum of these
 * units and its cost is at most the limit.
 *
 *         past[]: units of each part                 head
 *   | part - 32 | ... | part - 2 | part - 1 |  part : its units : units of the 32 before it
 *   |<------------------ units of the 32 before it ------------------>|
 *
 * Invariants
 * - All calls of a limit must have parts of the same length, which is stored in the entry.
 * - A call decides by the head's value, and then takes its units by one compare-and-swap of the
 *   head from that value. So a killed process has taken all units of its call, or none.
 * - The head moves to a later part by one compare-and-swap. Before that, the units of the part that
 *   ends are noted in past[]. A note never replaces a greater word, so a process that was stopped
 *   cannot undo a newer note.
 * - An entry never expires before its last unit has left the window: see throttle.c. */
#include "calls/window.h"
#include "calls/write.h"
#include "ground/block.h"
#include "ground/error.h"
#include "ground/map.h"
#include "threads/read.h"
#include "threads/thread.h"

#define WINDOW_PARTS 32u
#define WINDOW_BITS 14u /* width in bits of a number of units */
#define WINDOW_UNITS ((1u << WINDOW_BITS) - 1)

_Static_assert(WINDOW_UNITS == LRD_RATE_SLIDING_MAX, "the largest limit of a sliding window");

/* the value of an entry of type LRD_TYPE_WINDOW */
typedef struct window_state {
    uint64_t part_ns;      /* length of a part */
    _Atomic uint64_t head; /* window_head */
    /* units of earlier parts: element p % WINDOW_PARTS is p << WINDOW_BITS | units of part p */
    _Atomic uint64_t past[WINDOW_PARTS];
} window_state;

/* The fields of window_state.head, highest bits first. Even with the shortest parts, `part` (36
 * bits) overflows only after 68 years. */
typedef struct window_head {
    uint64_t part;
    uint64_t units;  /* units of `part` */
    uint64_t before; /* units of the WINDOW_PARTS parts before `part` */
} window_head;

static window_head window_unpack(uint64_t word)
{
    return (window_head){.part = word >> 2 * WINDOW_BITS,
                         .units = word >> WINDOW_BITS & WINDOW_UNITS,
                         .before = word & WINDOW_UNITS};
}

static uint64_t window_pack(window_head head)
{
    return head.part << 2 * WINDOW_BITS | head.units << WINDOW_BITS | head.before;
}

/* Return the length of a part in nanoseconds, rounded up, so that the parts cover the window. */
static uint64_t window_part_ns(const lrd_rate *rate)
{
    return (rate->per_ns - 1) / WINDOW_PARTS + 1;
}

/* Return the units of `part`, which is earlier than the head's part. Returns 0 if past[] no longer
 * has them. */
static uint64_t window_past(window_state *state, uint64_t part)
{
    /* pairs with the release of window_note() */
    uint64_t note = atomic_load_explicit(&state->past[part % WINDOW_PARTS], memory_order_acquire);
    return note >> WINDOW_BITS == part ? note & WINDOW_UNITS : 0;
}

static void window_note(window_state *state, const window_head *head)
{
    _Atomic uint64_t *place = &state->past[head->part % WINDOW_PARTS];
    uint64_t note = head->part << WINDOW_BITS | head->units;
    uint64_t old = atomic_load_explicit(place, memory_order_relaxed);
    while (old < note && !atomic_compare_exchange_weak_explicit(
                             place, &old, note, memory_order_release, memory_order_relaxed)) {
    }
}

/* Advance the window to `part`, which is later than head->part, and note the units of head->part in
 * past[]. Returns the new head. */
static window_head window_move(window_state *state, const window_head *head, uint64_t part)
{
    window_head next = {.part = part};
    window_note(state, head);
    LRD__FAILPOINT("window_noted");
    for (uint64_t i = 1; i <= WINDOW_PARTS && i <= part; i++)
        next.before += window_past(state, part - i);
    if (next.before > WINDOW_UNITS) /* possible only if the value is damaged */
        next.before = WINDOW_UNITS;
    return next;
}

/* Return the number of nanoseconds until `units` units have left the window. */
static uint64_t window_until(window_state *state, const window_head *head, const lrd_rate *rate,
                             int64_t now, uint64_t units)
{
    uint64_t part = head->part > WINDOW_PARTS ? head->part - WINDOW_PARTS : 0, left = 0;
    for (; part < head->part; part++) {
        left += window_past(state, part);
        if (left >= units)
            break;
    }
    uint64_t part_ns = window_part_ns(rate), most = (2 * WINDOW_PARTS + 1) * part_ns;
    uint64_t wait = (part + WINDOW_PARTS + 1) * part_ns - (uint64_t)now;
    return wait < most ? wait : most; /* a damaged value could give a longer wait than `most` */
}

/* Take all units of a call if the limit admits the call, otherwise none. Fills in *out. */
static void window_take(window_state *state, const lrd_rate *rate, int64_t now, lrd_throttled *out)
{
    uint64_t part = (uint64_t)now / window_part_ns(rate), used;
    /* acquire, here and in the exchange: pairs with the release that moved the head, so past[] is
     * up to date */
    uint64_t word = atomic_load_explicit(&state->head, memory_order_acquire);
    window_head head;
    for (;;) {
        window_head next = head = window_unpack(word);
        if (part > head.part)
            next = window_move(state, &head, part);
        used = next.units + next.before;
        out->allowed = used + rate->cost <= rate->limit;
        if (out->allowed)
            next.units += rate->cost;
        uint64_t to = window_pack(next);
        if (to == word ||
            atomic_compare_exchange_weak_explicit(&state->head, &word, to, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            head = next;
            break;
        }
    }
    LRD__FAILPOINT("window_taken");
    uint64_t rest = used < rate->limit ? rate->limit - used : 0;
    out->remaining = out->allowed ? rest - rate->cost : rest;
    out->retry_ns = out->allowed ? 0 : window_until(state, &head, rate, now, rate->cost - rest);
    used = head.units + head.before;
    out->reset_ns = used != 0 ? window_until(state, &head, rate, now, used) : 0;
}

/* Take the units of a call from an entry's window. Returns LRD_MISS if lrd_clear() has removed the
 * entry. Returns LRD__RATE_PROLONG if the entry would expire while the units are still in the
 * window. */
static int window_entry(lrd_store *store, const lrd__read_found *found, const lrd_rate *rate,
                        int64_t now, lrd_throttled *out)
{
    const lrd__block *block = lrd__block_at(store, found->offset);
    if (!lrd__block_current(store, block))
        return LRD_MISS;
    if (block->type != LRD_TYPE_WINDOW || lrd__block_size(block) != sizeof(window_state))
        return lrd__fail(LRD_ETYPE, "the entry is of type %d", block->type);
    window_state *state = lrd__block_value(store, found->offset);
    if (state->part_ns != window_part_ns(rate))
        return lrd__fail(LRD_ETYPE, "the entry has a window of another length");
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    uint64_t end = (uint64_t)now + (WINDOW_PARTS + 1) * window_part_ns(rate);
    if (rate->cost != 0 && expiry != 0 && expiry < end / LRD__RATE_NS_PER_MS + 1)
        return LRD__RATE_PROLONG;
    window_take(state, rate, now, out);
    return LRD_OK;
}

static int window_once(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                       int64_t now, lrd_throttled *out)
{
    lrd__thread *self;
    lrd__read_found found;
    int rc = lrd__read_use(store, key, key_len, &self, &found);
    if (rc != LRD_OK)
        return rc;
    rc = window_entry(store, &found, rate, now, out);
    lrd__read_use_end(store, self, &found, rc == LRD_OK);
    return rc;
}

/* Create the entry of a limit, and take the first units. Returns LRD_EXISTS if another thread has
 * created the entry meanwhile. */
static int window_make(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                       int64_t now, uint64_t ttl_ms, lrd_throttled *out)
{
    window_state state = {.part_ns = window_part_ns(rate)};
    window_head head = {.part = (uint64_t)now / window_part_ns(rate)};
    atomic_init(&state.head, window_pack(head));
    window_take(&state, rate, now, out);
    if (rate->cost == 0)
        return LRD_OK;
    int rc = lrd_put(store, key, key_len, &state, sizeof state,
                     &(lrd_write){.ttl_ms = ttl_ms, .mode = LRD_ADD, .type = LRD_TYPE_WINDOW});
    LRD__FAILPOINT("window_made");
    return rc;
}

int lrd__window_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                         lrd_throttled *out)
{
    if (rate->per_ns < LRD_RATE_SLIDING_NS_MIN)
        return lrd__fail(LRD_EINVAL, "per_ns is %llu, not at least %llu, in a sliding window",
                         (unsigned long long)rate->per_ns,
                         (unsigned long long)LRD_RATE_SLIDING_NS_MIN);
    if (rate->limit > LRD_RATE_SLIDING_MAX)
        return lrd__fail(LRD_EINVAL, "limit is %llu, not 1 to %u, in a sliding window",
                         (unsigned long long)rate->limit, LRD_RATE_SLIDING_MAX);
    if (rate->wait_ns != 0)
        return lrd__fail(LRD_EINVAL, "wait_ns is %llu, not 0, in a sliding window",
                         (unsigned long long)rate->wait_ns);
    int moved = lrd__segment_look(store); /* check the file before the clock of the store is read */
    if (moved != LRD_OK)
        return moved;
    uint64_t ttl_ms =
        store->expires ? 2 * (rate->per_ns / LRD__RATE_NS_PER_MS) + LRD__RATE_SPARE_MS : 0;
    for (;;) {
        int64_t now = lrd__now_ns(store);
        int rc = window_once(store, key, key_len, rate, now, out);
        if (rc == LRD__RATE_PROLONG)
            rc = lrd__write_prolong(store, key, key_len, ttl_ms);
        else if (rc != LRD_MISS)
            return rc;
        if (rc == LRD_MISS)
            rc = window_make(store, key, key_len, rate, now, ttl_ms, out);
        else if (rc == LRD_OK)
            continue;
        if (rc != LRD_EXISTS)
            return rc;
    }
}
