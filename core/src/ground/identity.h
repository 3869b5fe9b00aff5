/* identity.h - what identity.c offers. */
#pragma once

#include "ground/private.h"

#include <sys/stat.h>

/* what a segment depends on in a process's environment */
typedef struct lrd__identity {
    char boot_id[40];
    uint64_t namespace_device, namespace_inode; /* device and inode of the PID namespace */
    /* inode of the time namespace; 0 if the kernel has none */
    uint64_t time_namespace;
} lrd__identity;

int lrd__identity_read(lrd__identity *self);
/* Record this process's namespaces in the header. Only the first process that attaches may call
 * this. */
void lrd__namespaces_record(lrd__header *header, const lrd__identity *self);
/* Fill the constant part of a new segment's header. Does not set `state`. */
void lrd__header_fill(lrd__header *header, const lrd__geometry *geo, uint64_t base, uint64_t seed,
                      bool fence, const struct stat *file, const lrd_options *options,
                      const lrd__identity *self);
/* Judge a private copy of a header that has Larder's magic number. Returns LRD_OK and fills *geo,
 * or returns:
 * - LRD_EFORMAT if the header is damaged;
 * - LRD_EMISMATCH if it belongs to another build, boot or file, or lacks settings that the options
 *   demand.
 *
 * After a failure, `why` describes the first difference. */
int lrd__header_judge(const lrd__header *header, const struct stat *file,
                      const lrd_options *options, const lrd__identity *self, lrd__geometry *geo,
                      char why[LRD__WHY_MAX]);

/* Turn on fence mode in a segment that no process uses. */
int lrd__header_fence(int fd, const lrd__header *header);
/* Return the inode of this process's time namespace; 0 if the kernel has none. */
uint64_t lrd__time_namespace(void);
