/* next.c - lrd_next(): iteration, and the search for values to pack. Begin reading at
 * next_of_home(). */
#include "ground/place.h"
#include "ground/map.h"
#include "entries/form.h"
#include "locks/vetting.h"
#include "threads/thread.h"
#include "threads/read.h"

/* An iteration orders entries by home bucket, then tag, then hash. cursor->mask keeps a cursor
 * valid while the index grows. */

/* an entry that may be the next one of the iteration */
typedef struct next_candidate {
    _Atomic uint64_t *at;
    uint64_t word, hash;
    uint32_t tag;
    bool hashed; /* true if the block was read, so the hash of its key is known */
} next_candidate;

/* Protect the block of a candidate, and compute the hash of the block's key. Returns false if the
 * index word no longer names the block. */
static bool next_look(lrd_store *store, lrd__thread *self, next_candidate *candidate)
{
    uint64_t offset = lrd__word_offset(candidate->word);
    if (store->listed && lrd__protect(self, true, 0, lrd__listing(offset), candidate->at,
                                      store->fence) != candidate->word)
        return false;
    const lrd__block *block = lrd__block_at(store, offset);
    candidate->hash = lrd__hash(store, lrd__block_key(block), lrd__block_key_len(block));
    candidate->hashed = true;
    return true;
}

/* Replace *best by the candidate if the candidate comes after the cursor and before *best. Returns
 * false if an index word has changed. */
static bool next_compare(lrd_store *store, lrd__thread *self, const lrd_cursor *cursor,
                         next_candidate candidate, next_candidate *best)
{
    uint32_t last = lrd__hash_mark(cursor->hash) >> 4;
    if ((cursor->inside && candidate.tag < last) || (best->at != NULL && candidate.tag > best->tag))
        return true;
    bool same_as_last = cursor->inside && candidate.tag == last;
    bool same_as_best = best->at != NULL && candidate.tag == best->tag;
    if ((same_as_last || same_as_best) && !next_look(store, self, &candidate))
        return false;
    if (same_as_last && candidate.hash <= cursor->hash)
        return true;
    if (same_as_best) {
        if (!best->hashed && !next_look(store, self, best))
            return false;
        if (candidate.hash >= best->hash)
            return true;
    }
    *best = candidate;
    return true;
}

/* Find the next entry with less than `below` uses whose home is the cursor's bucket, and protect
 * its block. Returns LRD_MISS, or LRD__READ_AGAIN if an entry was moving. */
static int next_of_home(lrd_store *store, lrd__thread *self, const lrd_cursor *cursor,
                        uint8_t below, next_candidate *best)
{
    /* number of homes when the iteration began */
    uint64_t homes = lrd__bucket_at(store, cursor->mask, cursor->mask) + 1;
    uint32_t grown = atomic_load_explicit(&store->view->grown, memory_order_acquire);
    uint64_t next = atomic_load_explicit(&store->view->next, memory_order_acquire);
    *best = (next_candidate){.at = NULL};
    for (uint64_t home = cursor->home; home < grown; home += homes) {
        lrd__bucket *bucket = store->buckets + home;
        for (uint32_t d = 0; d < LRD__PROBES; d++, bucket += store->geo.shards) {
            for (uint32_t way = 0; way < LRD__WAYS; way++) {
                next_candidate candidate = {.at = &bucket->word[way]};
                candidate.word = atomic_load_explicit(candidate.at, memory_order_acquire);
                candidate.tag = lrd__word_tag(candidate.word);
                if (candidate.word != 0 && lrd__word_displacement(candidate.word) == d &&
                    lrd__freq(&bucket->freq[way]) < below &&
                    !next_compare(store, self, cursor, candidate, best))
                    return LRD__READ_AGAIN;
            }
            if (atomic_load_explicit(&bucket->displaced, memory_order_acquire) == 0)
                break;
        }
    }
    /* if the index has grown meanwhile, an entry may have moved, and the search may have missed
     * it */
    if (atomic_load_explicit(&store->view->grown, memory_order_acquire) != grown ||
        atomic_load_explicit(&store->view->next, memory_order_acquire) != next)
        return LRD__READ_AGAIN;
    if (best->at == NULL)
        return LRD_MISS;
    return next_look(store, self, best) ? LRD_OK : LRD__READ_AGAIN;
}

/* Return the number of uses from which on a search for values to pack skips an entry. */
static uint8_t next_below(lrd_pressure pressure)
{
    static const uint8_t below[] = {[LRD_PRESSURE_NONE] = 0,
                                    [LRD_PRESSURE_SHORT] = 1,
                                    [LRD_PRESSURE_EVICTS] = 1,
                                    [LRD_PRESSURE_MISSED] = LRD_USES_OFTEN};
    return below[pressure];
}

/* Go to the next entry. If `pressure` is not NULL, skip the entries that lrd_fall_next() skips, and
 * set *pressure to the pressure of the entry's shard. */
static int next_find(lrd_store *store, lrd_cursor *cursor, lrd_pressure *pressure, lrd_value *out)
{
    lrd__thread *self;
    next_candidate best;
    out->kind = LRD_KIND_NONE;
    if (lrd__segment_is_truncated(store))
        return LRD_END;
    int rc = lrd__enter(store, &self);
    if (rc != LRD_OK)
        return rc == LRD_ETRUNCATED ? LRD_END : rc;
    if (cursor->mask == 0)
        cursor->mask = atomic_load_explicit(&store->view->mask, memory_order_acquire);
    uint64_t homes = lrd__bucket_at(store, cursor->mask, cursor->mask) + 1, first = cursor->home;
    while (cursor->home < homes) {
        if (cursor->most != 0 && cursor->home - first >= cursor->most)
            break;
        if (self->usual == NULL &&
            (rc = lrd__vet_for_read(store, self,
                                    (uint32_t)cursor->home & (store->geo.shards - 1))) != LRD_OK) {
            lrd__leave(self);
            return rc;
        }
        uint8_t below = UINT8_MAX;
        if (pressure != NULL) {
            *pressure = lrd__form_pressure(
                store, store->shards + ((uint32_t)cursor->home & (store->geo.shards - 1)));
            below = next_below(*pressure);
        }
        rc = below != 0 ? next_of_home(store, self, cursor, below, &best) : LRD_MISS;
        if (rc == LRD_MISS) {
            cursor->home++;
            cursor->inside = false;
        }
        if (rc != LRD_OK)
            continue;
        cursor->inside = true;
        cursor->hash = best.hash;
        uint64_t offset = lrd__word_offset(best.word);
        if (lrd__block_live(store, lrd__block_at(store, offset))) {
            lrd__read_fill(store, offset, LRD__NO_ENTRY,
                           store->listed ? LRD_KIND_BORROWED : LRD_KIND_HELD, out);
            cursor->uses = lrd__freq(lrd__word_freq(best.at));
            lrd__leave(self);
            return LRD_OK;
        }
    }
    atomic_store_explicit(&self->slot->spare, 0, memory_order_release);
    lrd__leave(self);
    return cursor->home < homes ? LRD_MISS : LRD_END;
}

int lrd_next(lrd_store *store, lrd_cursor *cursor, lrd_value *out)
{
    return next_find(store, cursor, NULL, out);
}

/* ---- a search for values to pack ---- */

/* maximum number of index buckets that are searched for the next entry */
#define FALL_MOST 64u
/* A try is vain if its value could not be packed. After FALL_TRIES vain tries in a row, and again
 * after each further FALL_TRIES, lrd_fall_due() returns false for a number of writes. This number
 * is 1/FALL_SHARE of the vain tries in a row, and at most FALL_REST. */
#define FALL_TRIES 32u
/* A try examines FALL_LOOKS entries, but only half as many after FALL_FEW vain tries in a row. The
 * first FALL_FEW tries after a pause examine FALL_LOOKS entries again. */
#define FALL_LOOKS 8u
#define FALL_FEW 2u
#define FALL_SHARE 8u
#define FALL_REST 1024u

unsigned lrd_fall_due(lrd_fall *fall, const lrd_store *store)
{
    if (fall->store != store)
        *fall = (lrd_fall){.store = store, .cursor.most = FALL_MOST};
    if (fall->rest == 0)
        return fall->vain % FALL_TRIES < FALL_FEW ? FALL_LOOKS : FALL_LOOKS / 2;
    fall->rest--;
    return 0;
}

int lrd_fall_next(lrd_fall *fall, lrd_store *store, lrd_value *out)
{
    int rc = next_find(store, &fall->cursor, &fall->pressure, out);
    if (rc == LRD_END)
        fall->cursor = (lrd_cursor){.most = FALL_MOST};
    return rc;
}

void lrd_fall_tried(lrd_fall *fall, bool packed)
{
    fall->vain = packed ? 0 : fall->vain + 1;
    if (fall->vain % FALL_TRIES == 0)
        fall->rest = fall->vain / FALL_SHARE < FALL_REST ? fall->vain / FALL_SHARE : FALL_REST;
}
