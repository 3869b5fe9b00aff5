/* partition.h - partitions: sets of stores that one process keeps apart, and which of them a
 * request uses. */
#ifndef LARDER_PARTITION_H
#define LARDER_PARTITION_H

#include "stores/settings.h"

#include <stdatomic.h>

#define LARDER_PARTITIONS_MAX 256u

/* Texts of a place. They are allocated with the first text, because few places need them, and
 * start-up should touch few pages. */
typedef struct larder_place_text {
    char path[512], reason[768];
} larder_place_text;

typedef struct larder_place {
    lrd_store *store;  /* the open store; NULL: off, or not opened yet */
    bool lazy;         /* it is opened at first use, by the process that uses it */
    bool pool;         /* it lies in the memory of this worker's FPM pool */
    uint32_t failures; /* openings that failed */
    /* monotonic milliseconds at which opening is tried again; 0: it has not failed */
    uint64_t retry_at;
    /* descriptor for an anonymous store that is not open yet; -1: none */
    int fd;
    uint64_t device, inode; /* of fd */
    /* this process has done the layer's work for each store; any thread stores (release) */
    bool prepared;
    const char *path;        /* of a named store; "" */
    const char *reason;      /* why it is off; "" */
    larder_place_text *text; /* NULL: none yet */
} larder_place;

struct larder_partition {
    larder_place places[LARDER_KINDS];
    /* the larder.scope of its requests, or the name that the host gave it */
    char scope[LARDER_SCOPE_MAX + 1];
    bool host;       /* larder_partition_create() made it */
    uint32_t number; /* 0: the default one */
    /* the next partition: appended with release, read with acquire */
    struct larder_partition *_Atomic next;
};
extern struct larder_partition larder_partition_default;

/* Initialise all places: no store yet. */
void larder_places_clear(larder_place places[LARDER_KINDS]) ZEND_COLD;
/* Add a partition with this scope, or for a host by this name. NULL: there are too many, or no
 * memory or no descriptors. */
struct larder_partition *larder_partition_add(const char *scope, bool host);
/* Find the places of a new partition's stores, without opening them. Returns false if there are no
 * descriptors. stores.c, which is built on this file, defines it. */
bool larder_stores_locate(struct larder_partition *partition);

/* Return the partition of this request: the host's, that of larder.scope if the SAPI does not
 * separate sites, or the default one. NULL: there are too many. */
struct larder_partition *larder_partition_chosen(void);
static zend_always_inline struct larder_partition *larder_partition_now(void)
{
    return EXPECTED(LARDER_G(host_partition) == NULL) && EXPECTED(!larder_configured.shared_sapi)
               ? &larder_partition_default
               : larder_partition_chosen();
}

#endif
