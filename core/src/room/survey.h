/* survey.h - what survey.c offers. */
#pragma once

#include "ground/private.h"

/* The pages [first, end), and the cost of emptying each: UINT64_MAX if a page has held blocks, is
 * lost, or is collected by another thread. If `rates` is true, these are rates (pages.h) instead of
 * costs. */
typedef struct lrd__region {
    uint64_t first, end;
    uint64_t *costs;
    bool rates;
    /* for each page: 1 if its cost includes the uses of its entries (lrd__room_page_cost()) */
    uint8_t *asked;
    /* true: choose only windows in which each page either has asked == 1 or costs 0 */
    bool asked_only;
} lrd__region;

/* Estimate the costs of emptying the pages [first, end). Returns false, with region->costs == NULL,
 * if memory runs out. The caller frees region->costs; region->asked is in the same allocation. */
bool lrd__room_survey(lrd_store *store, const lrd__thread *self, uint64_t first, uint64_t end,
                      lrd__region *region);
/* Return the first page of the cheapest window of `count` pages, or UINT64_MAX. If `complete` is
 * true, considers only windows that are fully committed. Counts the uses of entries in at most
 * *asks pages. After that, prefers windows in which all uses were counted. Considers
 * only windows that cost less than `most`. */
uint64_t lrd__room_choose_cold(lrd_store *store, lrd__thread *self, lrd__region *region,
                               uint64_t count, bool complete, uint64_t most, uint32_t *asks);
/* Return the page that is cheapest to empty, or UINT64_MAX. It has at least `parts` committed
 * parts, and lies outside the zone and [first, first + count). `region` must begin at page 0. */
uint64_t lrd__room_cheapest(const lrd_store *store, const lrd__region *region, uint32_t parts,
                            uint64_t first, uint64_t count);
/* Exclude the pages of a shard whose lock was not available, so that the search does not wait for
 * it again. */
void lrd__room_bar_shard(const lrd_store *store, lrd__region *region, uint32_t shard);
/* Exclude the pages of all shards whose locks are taken at this moment. */
void lrd__room_bar_busy(lrd_store *store, lrd__thread *self, lrd__region *region);
/* Survey the pages for a window of `count` pages. If `all` is true, survey the whole store,
 * otherwise a part that begins at header->window_rotor. Excludes the pages of the shards in
 * `barred`. */
void lrd__room_survey_part(lrd_store *store, const lrd__thread *self, uint64_t count, bool all,
                           const uint32_t *barred, uint32_t bars, lrd__region *region);
/* Turn the costs of a region into rates. Takes the lock of each shard with pages in the region for
 * a moment, and does not wait for busy ones. Without memory, excludes all pages. [no lock
 * is held] */
void lrd__room_survey_rates(lrd_store *store, lrd__thread *self, lrd__region *region);
