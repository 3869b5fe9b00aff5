/* identity.h - what identity.c offers. */
#pragma once

#include "ground/private.h"

#include <sys/stat.h>

#define LRD__WHY_MAX 384 /* bytes of a reason, without the file's name */

/* Where a process runs, as far as a segment depends on it. */
typedef struct lrd__identity {
    char boot_id[40];
    uint64_t namespace_device, namespace_inode; /* of the PID namespace */
    uint64_t time_namespace;                    /* inode; 0: the kernel has none */
} lrd__identity;

int lrd__identity_read(lrd__identity *self);
/* Write down the namespaces of the first process that attaches. */
void lrd__namespaces_record(lrd__header *header, const lrd__identity *self);
/* Fill the constant part of a new segment's header, except the state. */
void lrd__header_fill(lrd__header *header, const lrd__geometry *geo, uint64_t base, uint64_t seed,
                      bool fence, const struct stat *file, const lrd_options *options,
                      const lrd__identity *self);
/* Judge a private copy of a header that has our magic. LRD_OK: it is intact, of this build, boot
 * and file, and as the options want it; geo is filled. LRD_EFORMAT: damaged; LRD_EMISMATCH: another
 * build's, boot's or file's, or of other settings. why names the first difference, both values. */
int lrd__header_judge(const lrd__header *header, const struct stat *file,
                      const lrd_options *options, const lrd__identity *self, lrd__geometry *geo,
                      char why[LRD__WHY_MAX]);

/* Set fence mode in this header. No process may use the segment. */
int lrd__header_fence(int fd, const lrd__header *header);
/* Inode of the time namespace that this process reads clocks and start times in; 0: none. */
uint64_t lrd__time_namespace(void);
