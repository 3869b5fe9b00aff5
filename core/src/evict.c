/* evict.c - chooses the entries that a full volatile store gives up: S3-FIFO, one per shard. Where whole pages are
 * wanted, room.c chooses the pages and what lies in them goes (room_step()).
 *
 * Owns the two queues, their byte counts and the ghost. Its callers own the entries: entry.c and grow.c
 * report every insert, change of size, move and removal, room.c asks for victims and removes them,
 * recover.c fills the queues again. Policy only: no clock, no lock, no memory but the ghost's. Read
 * lrd__evict_choose() first.
 *
 *   inserted --------> small (10 % of bytes) --- warm ---> main --- cold ---> victim
 *      \                  \--- cold ---> victim, remembered    ^ \
 *       \-- remembered by the ghost ---------------------------/   \--- warm ---> main again, at its end
 *
 * The queues hold index slots, linked through store->links. The index is the truth: a slot
 * whose word is 0 stays queued until its turn comes and is dropped then; an entry that moves to another
 * slot (grow.c) gets the place behind the one it left. "Live" below means queued
 * and with a word; an entry of an older epoch is live here until the sweep removes it.
 *
 * Invariants, whenever the shard's lock is free:
 *   - a slot is in the small queue if LRD__IN_SMALL is set in its link, in the main queue if LRD__IN_MAIN is,
 *     never in both, and at most once; the last slot's link is 0; head and tail are both 0 or both not;
 *   - every slot with a word is queued (in a store that evicts);
 *   - small_bytes and main_bytes are the block bytes of the live slots of each queue, main_count
 *     the number of live slots in main;
 *   - ghost entries are guesses: any content is legal.
 */
#include "place.h"

#define EVICT_QUEUED (LRD__IN_SMALL | LRD__IN_MAIN)

enum {
    EVICT_SMALL_DIVISOR = 10, /* small's share of the bytes */
    EVICT_WARM = 2,           /* frequency that moves an entry from small to main */
    /* Second chances one search may give, a cold cache miss or two each: bounds the time under the
     * lock to some 0.2 ms. When so many neighbours are all warm, any of them is as good. */
    EVICT_CHANCES = 1024,
    EVICT_AHEAD = 64,  /* queued slots that are looked at for a live one */
    EVICT_BUCKETS = 8, /* whose links are on their way from memory in a recovery */
    GHOST_SETS_MIN = 16
};

/* ---- where the ghost has a key ----------------------------------------------------------------------- */

static uint32_t *ghost_set(const lrd_store *store, uint32_t shard, uint32_t ghost_key)
{
    uint64_t set = (uint64_t)shard * store->geo.ghost_sets +
                   (ghost_key & (store->shards[shard].ghost_sets - 1));
    return store->ghost + set * LRD__GHOST_WAYS;
}

static uint32_t ghost_key_of(const lrd_store *store, uint32_t shard, uint64_t home, uint32_t tag)
{
    home = home << store->geo.shard_bits | shard;
    home %= store->buckets_first; /* the rest changes as the index grows */
    uint64_t mixed = ((uint64_t)tag << 32 | home) * 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(mixed >> 32);
}

uint32_t lrd__ghost_key(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    uint64_t word = atomic_load_explicit(lrd__index_word(store, shard, slot), memory_order_relaxed);
    return ghost_key_of(store, shard, lrd__word_home(slot, word), lrd__word_tag(word));
}

void lrd__evict_expect(const lrd_store *store, const lrd__place *place)
{
    if (place->shard->ghost_sets == 0)
        return;
    uint64_t home = lrd__place_home(store, place, lrd__shard_homes(place->shard));
    uint32_t key = ghost_key_of(store, place->shard_index, home, place->tag);
    lrd__prefetch_write(ghost_set(store, place->shard_index, key));
}

/* ---- queues ---------------------------------------------------------------------------------- */

static uint32_t *evict_link(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    return &store->links[lrd__slot_number(store, shard, slot)];
}

static void evict_push(const lrd_store *store, uint32_t shard_index, uint32_t slot, uint32_t queue)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t *head = queue == LRD__IN_MAIN ? &shard->main_head : &shard->small_head;
    uint32_t *tail = queue == LRD__IN_MAIN ? &shard->main_tail : &shard->small_tail;

    *evict_link(store, shard_index, slot) = queue;
    LRD__FAILPOINT("evict_push");
    if (*tail == 0)
        *head = slot + 1;
    else
        *evict_link(store, shard_index, *tail - 1) = queue | (slot + 1);
    *tail = slot + 1;
}

/* What eviction costs are misses of the processor's caches, so those of the next victims are under way while one is being
 * evicted: of this slot, whose word and link were asked for as the second one's the last time, its block, its page and its
 * place in the ghost, and the word and the link of the slot behind it. */
static void evict_ahead(const lrd_store *store, uint32_t shard_index, uint32_t slot)
{
    uint64_t word =
        atomic_load_explicit(lrd__index_word(store, shard_index, slot), memory_order_relaxed);
    uint32_t second = *evict_link(store, shard_index, slot) & LRD__LINK;
    if (second != 0) {
        lrd__prefetch_write(evict_link(store, shard_index, second - 1));
        lrd__prefetch_write(lrd__index_word(store, shard_index, second - 1));
    }
    if (word == 0)
        return;
    uint64_t offset = lrd__word_offset(word), page = lrd__page_of(store, offset);
    __builtin_prefetch(lrd__block_window(store, offset));
    if (!lrd__page_is_mini(store, page))
        __builtin_prefetch(store->run_len + (offset >> LRD__UNIT_BITS));
    lrd__prefetch_page(store, page);
    if (store->shards[shard_index].ghost_sets != 0)
        lrd__prefetch_write(
            ghost_set(store, shard_index, lrd__ghost_key(store, shard_index, slot)));
}

static uint32_t evict_pop(const lrd_store *store, uint32_t shard_index, uint32_t queue)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t *head = queue == LRD__IN_MAIN ? &shard->main_head : &shard->small_head;
    uint32_t *tail = queue == LRD__IN_MAIN ? &shard->main_tail : &shard->small_tail;
    uint32_t slot = *head - 1;

    *head = *evict_link(store, shard_index, slot) & LRD__LINK;
    LRD__FAILPOINT("evict_pop");
    if (*head == 0)
        *tail = 0;
    else
        evict_ahead(store, shard_index, *head - 1);
    *evict_link(store, shard_index, slot) = 0;
    return slot;
}

static void evict_add(lrd__shard *shard, uint32_t queue, uint64_t bytes)
{
    if (queue == LRD__IN_MAIN) {
        shard->main_bytes += bytes;
        shard->main_count++;
    } else {
        shard->small_bytes += bytes;
    }
}

static void evict_subtract(lrd__shard *shard, uint32_t queue, uint64_t bytes)
{
    if (queue == LRD__IN_MAIN) {
        shard->main_bytes -= bytes;
        shard->main_count--;
    } else {
        shard->small_bytes -= bytes;
    }
}

static uint64_t evict_bytes(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    uint64_t word = atomic_load_explicit(lrd__index_word(store, shard, slot), memory_order_relaxed);
    return lrd__block_bytes(store, lrd__word_offset(word));
}

/* Readers raise frequencies without a lock and may undo what is stored here: a lost update costs a
 * place in a queue, nothing else, so all accesses are relaxed. */
static uint8_t evict_freq(const lrd_store *store, uint32_t shard, uint32_t slot)
{
    uint8_t freq = atomic_load_explicit(lrd__index_freq(store, shard, slot), memory_order_relaxed);
    return freq < LRD__FREQ_MAX ? freq : LRD__FREQ_MAX;
}

static void evict_set_freq(const lrd_store *store, uint32_t shard, uint32_t slot, uint8_t freq)
{
    atomic_store_explicit(lrd__index_freq(store, shard, slot), freq, memory_order_relaxed);
}

/* ---- the ghost ------------------------------------------------------------------------------- */

/* A set-associative table of {fingerprint 16, stamp 16}; the fingerprint is never 0, an entry of 0
 * is empty. It has no memory before the first eviction, and is made anew, and empty, when the entries have
 * become twice as many as it was made for. The stamp is ghost_seq >> shift. With at most 2^10 sets per unit of the stamp, a full
 * turn of its 16 bits takes at least 64 evictions per set: an entry that old has long been
 * overwritten, so one that looks young after a turn is as good as impossible. The shift also
 * divides 2^32 evenly, so ghost_seq may wrap. */
static uint32_t ghost_shift(const lrd__shard *shard)
{
    uint32_t shift = 0;
    while (shard->ghost_sets >> shift > 1024)
        shift++;
    return shift;
}

/* See to it that the ghost has room for as many as there are entries. False: it has no memory at all. */
static bool ghost_ready(lrd_store *store, uint32_t shard_index)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint64_t entries = atomic_load_explicit(&shard->live_entries, memory_order_relaxed);
    uint32_t sets = shard->ghost_sets != 0 ? shard->ghost_sets : GHOST_SETS_MIN;

    if (shard->ghost_sets != 0 && entries <= (uint64_t)2 * LRD__GHOST_WAYS * sets)
        return true;
    while (sets < store->geo.ghost_sets && entries > (uint64_t)LRD__GHOST_WAYS * sets)
        sets *= 2;
    sets = sets < store->geo.ghost_sets ? sets : store->geo.ghost_sets;
    uint64_t from = (uint64_t)shard_index * store->geo.ghost_sets * LRD__GHOST_WAYS;
    uint64_t bytes = (uint64_t)sets * LRD__GHOST_WAYS * sizeof(uint32_t);
    if (sets == shard->ghost_sets ||
        lrd__segment_commit_control(store, store->geo.ghost_at + from * sizeof(uint32_t), bytes) !=
            LRD_OK)
        return shard->ghost_sets != 0;
    shard->ghost_sets = 0;
    memset(store->ghost + from, 0, bytes);
    shard->ghost_seq = 0;
    shard->ghost_sets = sets;
    return true;
}

static uint32_t ghost_fingerprint(uint32_t ghost_key)
{
    uint32_t fingerprint = ghost_key & 0xffff0000u;
    return fingerprint != 0 ? fingerprint : 0x10000u;
}

/* Stamps passed since the entry was made. */
static uint32_t ghost_age(uint32_t entry, uint32_t stamp) { return (stamp - entry) & 0xffffu; }

/* Whether the key was evicted lately; forgets it. Lately: within as many evictions as nine tenths of
 * the live entries. That is what main holds in the long run, but not what it holds at first: with
 * main's own count a loop over slightly more than fits would never get anything into main. */
static bool ghost_recall(const lrd_store *store, uint32_t shard_index, uint32_t ghost_key)
{
    lrd__shard *shard = &store->shards[shard_index];
    if (shard->ghost_sets == 0)
        return false;
    uint32_t *set = ghost_set(store, shard_index, ghost_key);
    uint32_t shift = ghost_shift(shard);
    uint32_t stamp = shard->ghost_seq >> shift;
    uint64_t live = atomic_load_explicit(&shard->live_entries, memory_order_relaxed);
    uint64_t span = (live - live / EVICT_SMALL_DIVISOR) >> shift;

    for (uint32_t way = 0; way < LRD__GHOST_WAYS; way++) {
        uint32_t entry = set[way];
        if ((entry & 0xffff0000u) != ghost_fingerprint(ghost_key))
            continue;
        set[way] = 0;
        return ghost_age(entry, stamp) <= span;
    }
    return false;
}

void lrd__evict_remember(lrd_store *store, uint32_t shard_index, uint32_t ghost_key)
{
    lrd__shard *shard = &store->shards[shard_index];
    if (!ghost_ready(store, shard_index))
        return;
    uint32_t *set = ghost_set(store, shard_index, ghost_key);
    uint32_t stamp = ++shard->ghost_seq >> ghost_shift(shard);
    uint32_t fingerprint = ghost_fingerprint(ghost_key);
    uint32_t oldest = 0, oldest_age = 0;

    for (uint32_t way = 0; way < LRD__GHOST_WAYS; way++) {
        uint32_t age = ghost_age(set[way], stamp);
        if (set[way] == 0 || (set[way] & 0xffff0000u) == fingerprint) {
            oldest = way;
            break;
        }
        if (age >= oldest_age) {
            oldest = way;
            oldest_age = age;
        }
    }
    set[oldest] = fingerprint | (stamp & 0xffffu);
}

/* ---- what happens to entries ----------------------------------------------------------------- */

void lrd__evict_inserted(lrd_store *store, uint32_t shard_index, uint32_t slot, uint32_t ghost_key,
                         uint64_t bytes)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t queue = *evict_link(store, shard_index, slot) & EVICT_QUEUED;
    bool known = ghost_recall(store, shard_index, ghost_key);
    uint8_t freq = 0;

    if (known)
        atomic_store_explicit(&shard->ghost_hits,
                              atomic_load_explicit(&shard->ghost_hits, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    if (queue == 0) {
        queue = known ? LRD__IN_MAIN : LRD__IN_SMALL;
        evict_push(store, shard_index, slot, queue);
    } else if (known && queue == LRD__IN_SMALL) {
        /* It inherits the place of a removed entry, which a single link cannot leave: let it pass
         * to main when its turn comes. */
        freq = EVICT_WARM;
    }
    evict_set_freq(store, shard_index, slot, freq);
    evict_add(shard, queue, bytes);
}

void lrd__evict_resized(lrd_store *store, uint32_t shard_index, uint32_t slot, uint64_t old_bytes,
                        uint64_t new_bytes)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t queue = *evict_link(store, shard_index, slot) & EVICT_QUEUED;

    if (queue == LRD__IN_MAIN)
        shard->main_bytes += new_bytes - old_bytes;
    else if (queue == LRD__IN_SMALL)
        shard->small_bytes += new_bytes - old_bytes;
}

void lrd__evict_removed(lrd_store *store, uint32_t shard, uint32_t slot, uint64_t bytes)
{
    uint32_t queue = *evict_link(store, shard, slot) & EVICT_QUEUED;

    if (queue != 0)
        evict_subtract(&store->shards[shard], queue, bytes);
}

void lrd__evict_moved(lrd_store *store, uint32_t shard_index, uint32_t from, uint32_t to)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t *link = evict_link(store, shard_index, from);
    uint32_t *other = evict_link(store, shard_index, to);
    uint32_t queue = *link & EVICT_QUEUED, *tail;

    if (*other &
        EVICT_QUEUED) { /* the place of a removed entry, which a single link cannot leave */
        uint64_t bytes = evict_bytes(store, shard_index, to);
        evict_subtract(shard, queue, bytes);
        evict_add(shard, *other & EVICT_QUEUED, bytes);
        return;
    }
    *other = *link;
    LRD__FAILPOINT("evict_moving");
    *link = queue | (to + 1);
    tail = queue == LRD__IN_MAIN ? &shard->main_tail : &shard->small_tail;
    if (*tail == from + 1)
        *tail = to + 1;
}

/* ---- victims --------------------------------------------------------------------------------- */

/* The queue whose turn it is; 0 when both are empty. */
static uint32_t evict_turn(const lrd__shard *shard)
{
    uint64_t total = shard->small_bytes + shard->main_bytes;

    if (shard->small_head != 0 &&
        (shard->main_head == 0 || shard->small_bytes > total / EVICT_SMALL_DIVISOR))
        return LRD__IN_SMALL;
    return shard->main_head != 0 ? LRD__IN_MAIN : 0;
}

/* A second chance for a warm slot that was just taken from a queue: whether it went back. */
static bool evict_spare(const lrd_store *store, uint32_t shard_index, uint32_t slot, uint32_t queue)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint8_t freq = evict_freq(store, shard_index, slot);

    if (queue == LRD__IN_MAIN) {
        if (freq == 0)
            return false;
        freq--;
    } else {
        if (freq < EVICT_WARM)
            return false;
        uint64_t bytes = evict_bytes(store, shard_index, slot);
        evict_subtract(shard, LRD__IN_SMALL, bytes);
        evict_add(shard, LRD__IN_MAIN, bytes);
        freq = 0;
    }
    evict_set_freq(store, shard_index, slot, freq);
    evict_push(store, shard_index, slot, LRD__IN_MAIN);
    return true;
}

/* The loop ends: each pass takes one slot from a queue. While chances last the slot may go back,
 * but then a chance is spent; afterwards each pass either returns or makes the queues shorter, and
 * together they hold at most lrd__shard_slots(). Written as a bound of the loop, this holds even if
 * the links were damaged into a ring. */
uint32_t lrd__evict_choose(lrd_store *store, uint32_t shard_index, bool *from_small)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint64_t passes = (uint64_t)EVICT_CHANCES + lrd__shard_slots(store);
    uint32_t chances = EVICT_CHANCES;

    for (; passes > 0; passes--) {
        uint32_t queue = evict_turn(shard);
        if (queue == 0)
            break;
        uint32_t slot = evict_pop(store, shard_index, queue);
        if (atomic_load_explicit(lrd__index_word(store, shard_index, slot), memory_order_relaxed) ==
            0)
            continue;
        if (chances > 0 && evict_spare(store, shard_index, slot, queue)) {
            chances--;
            continue;
        }
        evict_subtract(shard, queue, evict_bytes(store, shard_index, slot));
        *from_small = queue == LRD__IN_SMALL;
        return slot;
    }
    return LRD__NO_SLOT;
}

void lrd__evict_next(const lrd_store *store, uint32_t shard_index, uint32_t slots[2])
{
    const lrd__shard *shard = &store->shards[shard_index];
    const uint32_t heads[2] = {shard->small_head, shard->main_head};
    for (int i = 0; i < 2; i++) {
        uint32_t link = heads[i];
        slots[i] = LRD__NO_SLOT;
        for (uint32_t steps = 0; link != 0 && steps < EVICT_AHEAD; steps++) {
            if (atomic_load_explicit(lrd__index_word(store, shard_index, link - 1),
                                     memory_order_relaxed) != 0) {
                slots[i] = link - 1;
                break;
            }
            link = *evict_link(store, shard_index, link - 1) & LRD__LINK;
        }
    }
}

void lrd__evict_put_back(lrd_store *store, uint32_t shard, uint32_t slot, bool to_small)
{
    uint32_t queue = to_small ? LRD__IN_SMALL : LRD__IN_MAIN;

    evict_push(store, shard, slot, queue);
    evict_add(&store->shards[shard], queue, evict_bytes(store, shard, slot));
}

void lrd__evict_cool(lrd_store *store, uint32_t shard, uint64_t pages)
{
    uint64_t buckets = lrd__shard_buckets(store), all = store->geo.pages / store->geo.shards;
    uint64_t some = buckets * pages / (all != 0 ? all : 1) + 1;
    uint64_t from = atomic_fetch_add_explicit(&store->cooled, some, memory_order_relaxed);
    for (uint64_t i = 0; i < some && i < buckets; i++)
        for (uint32_t way = 0; way < LRD__WAYS; way++) {
            uint32_t slot = (uint32_t)((from + i) % buckets) * LRD__WAYS + way;
            uint8_t freq = evict_freq(store, shard, slot);
            if (freq != 0)
                evict_set_freq(store, shard, slot, freq - 1);
        }
}

/* ---- recovery -------------------------------------------------------------------------------- */

void lrd__evict_reset(lrd_store *store, uint32_t shard_index)
{
    lrd__shard *shard = &store->shards[shard_index];

    shard->small_head = shard->small_tail = shard->main_head = shard->main_tail = 0;
    shard->small_bytes = shard->main_bytes = 0;
    shard->main_count = 0;
    shard->ghost_sets = shard->ghost_seq = 0;
}

/* What outlived a writer goes to main, before what came from the calls so far: small is for what is new. The
 * frequency is the caller's to keep or to clear. */
void lrd__evict_recover(lrd_store *store, uint32_t shard_index, uint32_t bucket, uint32_t used,
                        uint64_t bytes)
{
    lrd__shard *shard = &store->shards[shard_index];
    uint32_t first = bucket * LRD__WAYS, head = shard->main_head;
    uint32_t *links = evict_link(store, shard_index, first);

    lrd__prefetch_write(links - ((uint64_t)EVICT_BUCKETS << store->geo.shard_bits) * LRD__WAYS);
    (void)*(
        volatile uint32_t *)links; /* the fault of a load maps many pages, that of a store one */
    if (head == 0 && used != 0)
        shard->main_tail = first + (32 - (uint32_t)__builtin_clz(used));
    for (uint32_t way = LRD__WAYS; way-- > 0;) {
        bool queued = (used >> way & 1) != 0;
        links[way] = queued ? LRD__IN_MAIN | head : 0;
        head = queued ? first + way + 1 : head;
    }
    shard->main_head = head;
    shard->main_bytes += bytes;
    shard->main_count += (uint32_t)__builtin_popcount(used);
    LRD__FAILPOINT("evict_recover");
}
