/* left.h - checks a store after all of its other users have died. */
#ifndef LRD_TESTS_LEFT_H
#define LRD_TESTS_LEFT_H

#include "internal.h"

#include <stdio.h>

/* Count the leaks after a sweep: slots and memory of dead threads, and blocks of removed entries
 * that are not free. Prints each leak, and returns the number of leaks. */
static inline unsigned left_behind(const lrd_store *store, const char *name, const lrd_stats *stats)
{
    /* Count the live bytes here: stats->live_bytes is capped at the size, which would hide
     * leaks. */
    uint64_t allocated = 0, live = 0;
    unsigned leaks = 0;
    for (uint32_t i = 0; i < store->geo.shards; i++)
        live += atomic_load(&store->shards[i].live_bytes);
    for (uint64_t page = 0; page < store->geo.pages_all; page++) {
        uint32_t owner = lrd__page_owner(store, page);
        if (owner != 0)
            allocated +=
                (uint64_t)lrd__class_size(lrd__owner_class(owner)) * store->pages[page].used;
    }
    const struct {
        const char *what;
        uint64_t is, should;
    } facts[] = {{"retired bytes", stats->retired_bytes, 0},
                 {"dead bytes", stats->dead_bytes, 0},
                 {"allocated bytes", allocated, live},
                 {"slots in use", stats->slots_used, 1},
                 {"emptied shards", stats->emptied_shards, 0}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i].is != facts[i].should) {
            fprintf(stderr, "leak: %s: %s are %llu, should be %llu\n", name, facts[i].what,
                    (unsigned long long)facts[i].is, (unsigned long long)facts[i].should);
            leaks++;
        }
    return leaks;
}

#endif
