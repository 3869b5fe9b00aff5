/* survey.h - what survey.c offers. */
#pragma once

#include "ground/private.h"

/* The pages [first, end), and the cost of emptying each of them. A cost of UINT64_MAX means that
 * the page cannot be emptied: a thread holds a block in the page, the page is lost, or another
 * thread collects the page. */
typedef struct lrd__region {
    uint64_t first, end;
    uint64_t *costs;
    /* for each page: true if the use of its entries was counted, so that its cost is exact
     * (lrd__room_page_cost()) */
    uint8_t *asked;
    bool asked_only; /* if true, choose a page with entries only after their uses were counted */
} lrd__region;

/* Survey the pages [first, end): estimate the cost of emptying each of them. Sets region->costs to
 * NULL and returns false if there is no memory. The caller frees region->costs. */
bool lrd__room_survey(lrd_store *store, const lrd__thread *self, uint64_t first, uint64_t end,
                      lrd__region *region);
/* Return the first page of the cheapest window of `count` pages, or UINT64_MAX if there is none. If
 * `complete` is true, considers only windows whose memory is all committed. Chooses a window by
 * estimated costs, and then counts the uses of the entries in its pages. If this makes the window
 * more expensive, chooses again. Each counted page takes 1 from *asks. When *asks is 0, prefers a
 * window whose pages were all counted, because others may cost more than estimated. */
uint64_t lrd__room_choose_cold(lrd_store *store, lrd__thread *self, lrd__region *region,
                               uint64_t count, bool complete, uint32_t *asks);
/* Return the page that is cheapest to empty, or UINT64_MAX if there is none. The page must have at
 * least `parts` committed parts. It must be outside of [first, first + count), and also outside of
 * the zone, because the zone keeps its memory. `region` must begin at page 0. */
uint64_t lrd__room_cheapest(const lrd_store *store, const lrd__region *region, uint32_t parts,
                            uint64_t first, uint64_t count);
/* Exclude all pages of a shard whose lock was not available. Otherwise the search would wait for
 * the lock again at each of these pages. */
void lrd__room_bar_shard(const lrd_store *store, lrd__region *region, uint32_t shard);
/* Exclude the pages of all shards whose lock another thread has at this moment. */
void lrd__room_bar_busy(lrd_store *store, lrd__thread *self, lrd__region *region);
/* Survey a part of the store, or the whole store if `all` is true. The part begins where the last
 * window was taken. The size of the part does not depend on the size of the store. It usually
 * contains a window that can be emptied. Excludes the pages of the shards in `barred`. Sets
 * region->costs to NULL if there is no memory. The caller frees region->costs. */
void lrd__room_survey_part(lrd_store *store, const lrd__thread *self, uint64_t count, bool all,
                           const uint32_t *barred, uint32_t bars, lrd__region *region);
