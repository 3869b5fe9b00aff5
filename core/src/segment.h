/* segment.h - shared by segment.c, mapping.c, identity.c and geometry.c only: the making of
 * segments. */
#ifndef LRD_SEGMENT_H
#define LRD_SEGMENT_H

#include "internal.h"

#include <sys/stat.h>

#define LRD__BASE_STEP ((uint64_t)2 << 20)  /* bases and data_at are multiples of it */
#define LRD__BASE_DEFAULT 0x550000000000ull /* free on x86-64, plain and under sanitizers */
#define LRD__USER_END 0x7fff00000000ull     /* no data at or above */
#define LRD__WHY_MAX 384                    /* bytes of a reason, without the file's name */

/* Where a process runs, as far as a segment depends on it. */
typedef struct lrd__identity {
    char boot_id[40];
    char libc[32];
    uint64_t namespace_device, namespace_inode; /* of the PID namespace */
    uint64_t time_namespace;                    /* inode; 0: the kernel has none */
} lrd__identity;

/* One call of lrd_open(): what is wanted, and by whom. */
typedef struct lrd__request {
    const lrd_options *options;
    lrd__geometry geo; /* of a new segment */
    lrd__identity self;
} lrd__request;

/* ---- geometry.c ---- */
/* Check every field of the options and fill geo with what a new segment would have. LRD_EINVAL, the
 * detail names the field. */
int lrd__geometry_choose(const lrd_options *options, lrd__geometry *geo);
/* Buckets of each shard to begin with for a number of entries (0: as few as can be). */
uint32_t lrd__geometry_buckets(uint64_t entries_hint, uint64_t size, uint32_t shards);
/* True if size bytes of data can lie at base. */
bool lrd__base_valid(uint64_t base, uint64_t size);
/* Where to begin to look for a base in an address space of so many bits, instead of at from. Bases
 * up to 2 TiB (42 bits) or 256 GiB (39 bits) above LRD__BASE_DEFAULT keep a quarter of their
 * distance. */
uint64_t lrd__base_within(uint64_t from, uint32_t bits);

/* ---- identity.c ---- */
int lrd__identity_read(lrd__identity *self);
/* Write down the namespaces of the first process that attaches. */
void lrd__namespaces_record(lrd__header *header, const lrd__identity *self);
/* Fill the constant part of a new segment's header, but for the state. */
void lrd__header_fill(lrd__header *header, const lrd__geometry *geo, uint64_t base, uint64_t seed,
                      bool fence, const struct stat *file, const lrd_options *options,
                      const lrd__identity *self);
/* Judge a private copy of a header that has our magic. LRD_OK: it is intact, of this build, boot
 * and file, and as the options want it; geo is filled. LRD_EFORMAT: damaged; LRD_EMISMATCH: another
 * build's, boot's or file's, or of other settings. why names the first difference, both values. */
int lrd__header_judge(const lrd__header *header, const struct stat *file,
                      const lrd_options *options, const lrd__identity *self, lrd__geometry *geo,
                      char why[LRD__WHY_MAX]);

/* Nobody uses the segment that has this header: it is in fence mode from now on. */
int lrd__header_fence(int fd, const lrd__header *header);

/* ---- mapping.c: store->fd is open, store->path says its name ---- */
/* Make the empty file a segment and map it. Its state is READY when this returns LRD_OK. */
int lrd__mapping_create(lrd_store *store, const lrd__request *request);
/* Map the segment with this header (a judged copy); store->geo is set. alone: under the exclusive
 * lock; then it becomes one in fence mode, where this process can have no other. */
int lrd__mapping_attach(lrd_store *store, const lrd__request *request, const lrd__header *header,
                        bool alone);
/* Put file system pages behind what a segment that was left uses of its control mapping, but for
 * the slots: nothing in it proves that they are there. */
int lrd__mapping_commit_used(lrd_store *store);
/* ... and behind an index of so many buckets, where so many before have it (0: none). */
int lrd__mapping_commit_index(lrd_store *store, uint32_t before, uint32_t buckets);
/* From now on its file may change: it is a named one, or one that cannot be sealed. */
void lrd__mapping_watch(lrd_store *store);
/* Unmap and close what there is; the store may be opened again. */
void lrd__mapping_drop(lrd_store *store);
/* The segment's name in messages. */
const char *lrd__segment_label(const lrd_store *store);
/* LRD_ESYS, from errno. */
int lrd__segment_fail_errno(const lrd_store *store, const char *what);

#endif
