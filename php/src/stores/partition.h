/* partition.h - partitions: sets of stores that one process keeps apart, and which of them a
 * request uses. */
#ifndef LARDER_PARTITION_H
#define LARDER_PARTITION_H

#include "stores/stores.h"

#define LARDER_PARTITIONS_MAX 256u
#define LARDER_SCOPE_MAX 64

struct larder_partition {
    larder_place places[LARDER_KINDS];
    /* the larder.scope of its requests, or the name that the host gave it */
    char scope[LARDER_SCOPE_MAX + 1];
    bool host;                             /* made by larder_partition_create() */
    uint32_t number;                       /* 0: the default one */
    struct larder_partition *_Atomic next; /* appended with release, read with acquire */
};
extern struct larder_partition larder_partition_default;

/* Of this request: the host's, that of larder.scope where the SAPI keeps nobody apart, or the
 * default one. NULL: there are too many. */
struct larder_partition *larder_partition_chosen(void);
static zend_always_inline struct larder_partition *larder_partition_now(void)
{
    return EXPECTED(LARDER_G(host_partition) == NULL) && EXPECTED(!larder_configured.shared_sapi)
               ? &larder_partition_default
               : larder_partition_chosen();
}

#endif
