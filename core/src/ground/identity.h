/* identity.h - what identity.c offers. */
#pragma once

#include "ground/private.h"

#include <sys/stat.h>

/* maximum size in bytes of the reason for a refusal, without the file's name */
#define LRD__WHY_MAX 384

/* The parts of a process's environment that a segment depends on. */
typedef struct lrd__identity {
    char boot_id[40];
    uint64_t namespace_device, namespace_inode; /* of the PID namespace */
    /* inode of the time namespace; 0: the kernel has no time namespaces */
    uint64_t time_namespace;
} lrd__identity;

int lrd__identity_read(lrd__identity *self);
/* Record the namespaces of this process in the header. Only the first process that attaches calls
 * this. */
void lrd__namespaces_record(lrd__header *header, const lrd__identity *self);
/* Fill the constant part of a new segment's header, except the state. */
void lrd__header_fill(lrd__header *header, const lrd__geometry *geo, uint64_t base, uint64_t seed,
                      bool fence, const struct stat *file, const lrd_options *options,
                      const lrd__identity *self);
/* Judge a private copy of a header that has our magic. Returns LRD_OK if the header is intact,
 * belongs to this build, boot and file, and has the settings that the options ask for; *geo is then
 * filled. Returns LRD_EFORMAT if the header is damaged. Returns LRD_EMISMATCH if the header belongs
 * to another build, boot or file, or has other settings. `why` receives the first difference with
 * both values. */
int lrd__header_judge(const lrd__header *header, const struct stat *file,
                      const lrd_options *options, const lrd__identity *self, lrd__geometry *geo,
                      char why[LRD__WHY_MAX]);

/* Set fence mode in this header. Call this only while no process uses the segment. */
int lrd__header_fence(int fd, const lrd__header *header);
/* Return the inode of the time namespace in which this process reads clocks and start times; 0: the
 * kernel has no time namespaces. */
uint64_t lrd__time_namespace(void);
