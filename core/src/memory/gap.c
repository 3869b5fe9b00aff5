/* gap.c - remembers where a shard's last search for a free run ended: the gap. A shard has one gap
 * for each range of lengths (LRD__GAPS). The next search for such a length begins at the gap. No
 * free run that is long enough begins below it, because freeing units lowers the gap. Only the
 * holder of the shard's lock uses gaps. */
#include "memory/gap.h"

lrd__gap *lrd__gap_of(lrd__shard *shard, uint64_t units)
{
    lrd__assert(units != 0);
    uint32_t number = 0;
    while (number + 1 < LRD__GAPS && units >> (number + 4) != 0)
        number++;
    return shard->gaps + number;
}

void lrd__gaps_lower(lrd__shard *shard, uint32_t page)
{
    for (uint32_t i = 0; i < LRD__GAPS; i++)
        if (shard->gaps[i].from > page + 1)
            shard->gaps[i].from = page + 1;
}

void lrd__gaps_leave(lrd__shard *shard, const lrd__page *p, uint32_t page)
{
    for (uint32_t i = 0; i < LRD__GAPS; i++)
        if (shard->gaps[i].from == page + 1)
            shard->gaps[i].from = p->prev;
}

LRD__HOT uint32_t lrd__gap_start(const lrd_store *store, const lrd__shard *shard,
                                 const lrd__gap *gap, uint64_t units)
{
    lrd__assert(units != 0);
    uint32_t link = gap->from;
    if (gap->units == 0 || units < gap->units || link == 0)
        return shard->run_pages;
    if (link == LRD__NO_GAP)
        return 0;
    /* a free run may begin in the pages directly below, and continue in this page */
    for (uint64_t steps = units / LRD__PAGE_UNITS + 1; steps > 0; steps--) {
        if (store->pages[link - 1].prev != link - 1 || link == 1)
            break;
        link--;
    }
    return link;
}
