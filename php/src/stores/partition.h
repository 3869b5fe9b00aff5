/* partition.h - partitions: sets of stores that a process keeps apart. Each request uses one of
 * them. */
#ifndef LARDER_PARTITION_H
#define LARDER_PARTITION_H

#include "stores/settings.h"

#include <stdatomic.h>

#define LARDER_PARTITIONS_MAX 256u

/* The texts of a place. They are allocated when the first of them is set, because most places never
 * have one. */
typedef struct larder_place_text {
    char path[512], reason[768];
} larder_place_text;

typedef struct larder_place {
    lrd_store *store; /* NULL while the store is off or not opened yet */
    /* true if the next use in this process opens the store */
    bool lazy;
    bool pool;         /* true if the store is in the memory of this worker's FPM pool */
    uint32_t failures; /* number of failed attempts to open the store */
    /* the monotonic time (ms) of the next attempt to open the store; 0 if the last attempt did not
     * fail */
    uint64_t retry_at;
    /* the descriptor for an anonymous store that is not opened yet, or -1 */
    int fd;
    uint64_t device, inode; /* identify the file behind `fd` */
    /* True if this process need not preload entries of this store. Any thread may set this. */
    bool prepared;
    const char *path;        /* path of a named store's file, or "" */
    const char *reason;      /* the reason if the store is off, or "" */
    larder_place_text *text; /* NULL until a text is set */
} larder_place;

struct larder_partition {
    larder_place places[LARDER_KINDS];
    /* the larder.scope of the partition's requests, or the name that the embedding program has
     * given */
    char scope[LARDER_SCOPE_MAX + 1];
    /* true if a program that embeds PHP has made the partition (larder_partition_create()) */
    bool host;
    uint32_t number; /* 0 for the default partition */
    /* the next partition, stored with release and read with acquire */
    struct larder_partition *_Atomic next;
};
extern struct larder_partition larder_partition_default;

/* Initialise all places, without stores. */
void larder_places_clear(larder_place places[LARDER_KINDS]) ZEND_COLD;
/* Add a partition. If `host` is true, `scope` is the partition's name; otherwise, `scope` is its
 * larder.scope. Returns NULL if there are too many partitions, or no memory or descriptor is
 * left. */
struct larder_partition *larder_partition_add(const char *scope, bool host);
/* Decide where the stores of a new partition will be (in stores.c). Returns false if a descriptor
 * could not be made. */
bool larder_stores_locate(struct larder_partition *partition);

/* Record the environment's scope when a request begins. */
void larder_partition_begin(void);
/* Choose the partition of this request: the one that the embedding program has selected, otherwise
 * that of the request's scope, otherwise the default one. Returns NULL if there are too many
 * partitions. */
struct larder_partition *larder_partition_chosen(void);
static zend_always_inline struct larder_partition *larder_partition_now(void)
{
    return EXPECTED(LARDER_G(host_partition) == NULL) && EXPECTED(!larder_configured.shared_sapi)
               ? &larder_partition_default
               : larder_partition_chosen();
}

#endif
