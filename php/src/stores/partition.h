/* partition.h - partitions: sets of stores that a process keeps apart from one another. Each
 * request uses one of them. */
#ifndef LARDER_PARTITION_H
#define LARDER_PARTITION_H

#include "stores/settings.h"

#include <stdatomic.h>

#define LARDER_PARTITIONS_MAX 256u

/* Texts of a place. They are allocated when there is a text, because most places have none, and
 * start-up should touch little memory. */
typedef struct larder_place_text {
    char path[512], reason[768];
} larder_place_text;

typedef struct larder_place {
    lrd_store *store;  /* NULL: the store is off, or not opened yet */
    bool lazy;         /* the store is opened at its first use, by the process that uses it */
    bool pool;         /* the store is in the memory of this worker's FPM pool */
    uint32_t failures; /* openings that failed */
    /* when opening may be tried again, in monotonic milliseconds; 0: no attempt has failed */
    uint64_t retry_at;
    /* descriptor for an anonymous store that is not opened yet; -1: none */
    int fd;
    uint64_t device, inode; /* of fd */
    /* a layer's work for this store (preloading) was done in this process; any thread may set this
     * (release) */
    bool prepared;
    const char *path;        /* of a named store; "": none */
    const char *reason;      /* why the store is off; "": no reason */
    larder_place_text *text; /* NULL: none yet */
} larder_place;

struct larder_partition {
    larder_place places[LARDER_KINDS];
    /* the larder.scope of its requests, or the name that the embedding program gave it */
    char scope[LARDER_SCOPE_MAX + 1];
    bool host;       /* a program that embeds PHP made it: larder_partition_create() */
    uint32_t number; /* 0: the default one */
    /* appended with release, read with acquire */
    struct larder_partition *_Atomic next;
};
extern struct larder_partition larder_partition_default;

/* Initialise all places: no store yet. */
void larder_places_clear(larder_place places[LARDER_KINDS]) ZEND_COLD;
/* Add a partition. scope: its larder.scope, or a name if an embedding program (host) makes it.
 * NULL: there are too many, or there is no memory or no descriptor. */
struct larder_partition *larder_partition_add(const char *scope, bool host);
/* Set the places of a new partition, without opening its stores. Returns false if there are no
 * descriptors. Defined in stores.c, which uses this file. */
bool larder_stores_locate(struct larder_partition *partition);

/* Record the scope of the request that begins. Only a scope from the environment is recorded. */
void larder_partition_begin(void);
/* Choose the partition of this request. It is the one that the embedding program has set, or that
 * of larder.scope if the SAPI does not separate sites, or the default one. NULL: there are too
 * many. */
struct larder_partition *larder_partition_chosen(void);
static zend_always_inline struct larder_partition *larder_partition_now(void)
{
    return EXPECTED(LARDER_G(host_partition) == NULL) && EXPECTED(!larder_configured.shared_sapi)
               ? &larder_partition_default
               : larder_partition_chosen();
}

#endif
