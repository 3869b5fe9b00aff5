/* throttle.c - rate limits: lrd_throttle(). Begin reading at throttle_once(). window.c has limits
 * with a sliding window.
 *
 * The state of a limit is the value of a counter entry: the time at which the limit is unused
 * again, in nanoseconds of the store's clock. (GCRA calls it the theoretical arrival time, TAT.) An
 * admitted call adds cost * interval to the TAT, or to the present time if the TAT has passed.
 *
 *          now                 TAT              now + window
 *   --------|==== in use =======|---- remaining ----|------> time        interval = per / limit
 *                                                                        window = interval * limit
 *
 * Invariants
 * - A call decides by the word's value, and then changes the word by one compare-and-swap from that
 *   value. So a killed process has taken all units of its call, or none.
 * - An entry never expires before its TAT, so it expires only when its limit is unused. Before a
 *   call moves the TAT beyond the expiry, it prolongs the entry's time to live. No call shortens
 *   this time.
 * - If an entry is removed while a call changes its word, the units of this call are lost. */
#include "calls/window.h"
#include "calls/write.h"
#include "ground/block.h"
#include "ground/clock.h"
#include "ground/error.h"
#include "ground/map.h"
#include "threads/read.h"
#include "threads/thread.h"

/* a rate limit in the form that the algorithm needs; all times are in nanoseconds */
typedef struct throttle_plan {
    /* time between two units, rounded up, so that the limit is never exceeded */
    int64_t interval;
    int64_t window; /* interval * limit */
    int64_t step;   /* interval * cost */
    int64_t wait;
} throttle_plan;

/* The last valid rate that this thread has used, and the plan that was made for it. A call with the
 * same rate needs no checks and no divisions. The initial rate is valid, too. */
static _Thread_local struct {
    uint64_t limit, per_ns, cost, wait_ns;
    throttle_plan plan;
} throttle_last LRD__TLS_STATIC = {.limit = 1, .per_ns = 1, .plan = {.interval = 1, .window = 1}};

static __attribute__((noinline)) int throttle_plan_make(const lrd_rate *rate)
{
    if (rate->per_ns == 0 || rate->per_ns > LRD_RATE_NS_MAX)
        return lrd__fail(LRD_EINVAL, "per_ns is %llu, not 1 to %llu",
                         (unsigned long long)rate->per_ns, (unsigned long long)LRD_RATE_NS_MAX);
    if (rate->limit == 0 || rate->limit > rate->per_ns)
        return lrd__fail(LRD_EINVAL, "limit is %llu, not 1 to %llu, one a nanosecond",
                         (unsigned long long)rate->limit, (unsigned long long)rate->per_ns);
    if (rate->cost > rate->limit)
        return lrd__fail(LRD_EINVAL, "cost is %llu, not 0 to %llu, the limit",
                         (unsigned long long)rate->cost, (unsigned long long)rate->limit);
    if (rate->wait_ns > LRD_RATE_NS_MAX)
        return lrd__fail(LRD_EINVAL, "wait_ns is %llu, not 0 to %llu",
                         (unsigned long long)rate->wait_ns, (unsigned long long)LRD_RATE_NS_MAX);
    uint64_t interval = (rate->per_ns - 1) / rate->limit + 1;
    throttle_last.limit = rate->limit;
    throttle_last.per_ns = rate->per_ns;
    throttle_last.cost = rate->cost;
    throttle_last.wait_ns = rate->wait_ns;
    throttle_last.plan = (throttle_plan){.interval = (int64_t)interval,
                                         .window = (int64_t)(interval * rate->limit),
                                         .step = (int64_t)(interval * rate->cost),
                                         .wait = (int64_t)rate->wait_ns};
    return LRD_OK;
}

static inline int throttle_plan_get(const lrd_rate *rate, throttle_plan *out)
{
    int rc = LRD_OK;
    if (__builtin_expect(
            ((rate->limit ^ throttle_last.limit) | (rate->per_ns ^ throttle_last.per_ns) |
             (rate->cost ^ throttle_last.cost) | (rate->wait_ns ^ throttle_last.wait_ns)) != 0,
            0))
        rc = throttle_plan_make(rate);
    *out = throttle_last.plan;
    return rc;
}

/* Decide whether the call is admitted (out->allowed). Returns the new TAT, or `tat` if the call
 * takes no unit. Sets *excess to the nanoseconds by which the call is too early. */
static inline int64_t throttle_decide(const throttle_plan *plan, int64_t tat, int64_t now,
                                      int64_t *excess, lrd_throttled *out)
{
    int64_t to;
    *excess = INT64_MAX;
    if (!__builtin_add_overflow(tat > now ? tat : now, plan->step, &to))
        *excess = to - now - plan->window;
    out->allowed = *excess <= plan->wait;
    return out->allowed && plan->step != 0 ? to : tat;
}

/* Fill in all fields of an answer except `allowed`. `tat` is the theoretical arrival time (see
 * above) after the decision. */
static inline void throttle_answer(const throttle_plan *plan, int64_t tat, int64_t now,
                                   int64_t excess, lrd_throttled *out)
{
    int64_t used = tat > now ? tat - now : 0, left = plan->window - used;
    out->retry_ns = excess > 0 ? (uint64_t)excess : 0;
    out->remaining = left > 0 ? (uint64_t)left / (uint64_t)plan->interval : 0;
    out->reset_ns = (uint64_t)used;
}

/* Take the units of a call from an entry's word. Returns LRD_MISS if lrd_clear() has removed the
 * entry, or LRD__RATE_PROLONG if the entry would expire before its new TAT. */
static int throttle_word(lrd_store *store, const lrd__read_found *found, const throttle_plan *plan,
                         int64_t now, lrd_throttled *out)
{
    const lrd__block *block = lrd__block_at(store, found->offset);
    if (!lrd__block_current(store, block))
        return LRD_MISS;
    if (block->type != LRD_TYPE_COUNTER || lrd__block_size(block) != sizeof(int64_t))
        return lrd__fail(LRD_ETYPE, "the entry is of type %d", block->type);
    _Atomic int64_t *word = lrd__block_value(store, found->offset);
    uint64_t expiry = atomic_load_explicit(&block->expiry, memory_order_relaxed);
    /* relaxed is enough, because no other data depends on the word */
    int64_t tat = atomic_load_explicit(word, memory_order_relaxed), to, excess;
    do {
        to = throttle_decide(plan, tat, now, &excess, out);
        if (to == tat)
            break;
        if (__builtin_expect(expiry != 0 && expiry < UINT64_MAX / LRD__RATE_NS_PER_MS &&
                                 expiry * LRD__RATE_NS_PER_MS < (uint64_t)to,
                             0))
            return LRD__RATE_PROLONG;
    } while (!atomic_compare_exchange_weak_explicit(word, &tat, to, memory_order_relaxed,
                                                    memory_order_relaxed));
    LRD__FAILPOINT("throttle_taken");
    /* compute the answer after the loop, because it needs a slow division */
    throttle_answer(plan, to, now, excess, out);
    return LRD_OK;
}

/* Find the entry, read the clock into *now, and change the word. */
LRD__HOT static int throttle_once(lrd_store *store, const void *key, size_t key_len,
                                  const throttle_plan *plan, int64_t *now, lrd_throttled *out)
{
    lrd__thread *self;
    lrd__read_found found;
    int rc = lrd__read_use(store, key, key_len, &self, &found);
    if (rc != LRD_OK)
        return rc;
    *now = lrd__now_ns(store);
    rc = throttle_word(store, &found, plan, *now, out);
    lrd__read_use_end(store, self, &found, rc == LRD_OK);
    return rc;
}

/* Return the entry's time to live in milliseconds. Both terms of the sum are below 2^60. */
static uint64_t throttle_ttl(const lrd_store *store, const throttle_plan *plan)
{
    uint64_t longest = (uint64_t)plan->window + (uint64_t)plan->wait;
    return store->expires ? 2 * (longest / LRD__RATE_NS_PER_MS) + LRD__RATE_SPARE_MS : 0;
}

LRD__HOT int lrd_throttle(lrd_store *store, const void *key, size_t key_len, const lrd_rate *rate,
                          lrd_throttled *out)
{
    throttle_plan plan;
    int rc = throttle_plan_get(rate, &plan);
    if (rc == LRD_OK)
        rc = lrd__key_check(key_len);
    if (rc != LRD_OK)
        return rc;
    if (!store->listed)
        return lrd__fail(LRD_EPOLICY, "rate limits in an immutable store");
    if (__builtin_expect(rate->sliding, 0))
        return lrd__window_throttle(store, key, key_len, rate, out);
    for (;;) {
        int64_t now = 0;
        rc = throttle_once(store, key, key_len, &plan, &now, out);
        if (__builtin_expect(rc == LRD_OK, 1))
            return rc;
        if (rc == LRD__RATE_PROLONG) {
            LRD__FAILPOINT("throttle_prolong");
            rc = lrd__write_prolong(store, key, key_len, throttle_ttl(store, &plan));
            if (rc == LRD_OK)
                continue;
        }
        if (rc != LRD_MISS)
            return rc;
        if (now == 0)
            now = lrd__now_ns(store);
        int64_t excess, tat = throttle_decide(&plan, 0, now, &excess, out);
        throttle_answer(&plan, tat, now, excess, out);
        /* if no unit is in use, the limit needs no entry */
        if (tat == 0)
            return LRD_OK;
        rc = lrd_put(store, key, key_len, &tat, sizeof tat,
                     &(lrd_write){.ttl_ms = throttle_ttl(store, &plan),
                                  .mode = LRD_ADD,
                                  .type = LRD_TYPE_COUNTER});
        LRD__FAILPOINT("throttle_made");
        if (rc != LRD_EXISTS)
            return rc;
    }
}
