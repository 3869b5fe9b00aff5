/* identity.c - decides from a private copy of the header whether a segment belongs to this build,
 * boot and file. Read lrd__header_judge() first. */
#include "ground/identity.h"
#include "ground/error.h"
#include "ground/geometry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include "xxhash.h"

/* Write the reason for a refusal to `why`, and evaluate to false. */
#define IDENTITY_DIFFERS(...) (snprintf(why, LRD__WHY_MAX, __VA_ARGS__), false)

LRD__HOT uint64_t lrd__time_namespace(void)
{
    struct stat info;
    return stat("/proc/self/ns/time", &info) == 0 ? info.st_ino : 0;
}

LRD__HOT int lrd__identity_read(lrd__identity *self)
{
    static const char boot[] = "/proc/sys/kernel/random/boot_id";
    static const char space[] = "/proc/self/ns/pid";
    char reason[64];
    struct stat info;

    memset(self, 0, sizeof *self);
    int fd = open(boot, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, self->boot_id, sizeof self->boot_id - 1) : -1;
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (length < 0)
        return lrd__fail(LRD_ESYS, "%s: %s", boot, lrd__errno_text(error, reason, sizeof reason));
    self->boot_id[strcspn(self->boot_id, "\n")] = '\0';
    if (stat(space, &info) != 0)
        return lrd__fail(LRD_ESYS, "%s: %s", space, lrd__errno_text(errno, reason, sizeof reason));
    self->namespace_device = info.st_dev;
    self->namespace_inode = info.st_ino;
    self->time_namespace = lrd__time_namespace();
    return LRD_OK;
}

void lrd__namespaces_record(lrd__header *header, const lrd__identity *self)
{
    atomic_store_explicit(&header->namespace_device, self->namespace_device, memory_order_relaxed);
    atomic_store_explicit(&header->namespace_inode, self->namespace_inode, memory_order_relaxed);
    atomic_store_explicit(&header->time_namespace, self->time_namespace, memory_order_relaxed);
}

static LRD__HOT uint64_t identity_sum(const lrd__header *header)
{
    const uint8_t *start = (const uint8_t *)&header->size;
    return XXH3_64bits(start, offsetof(lrd__header, sum) - offsetof(lrd__header, size));
}

LRD__HOT void lrd__header_fill(lrd__header *header, const lrd__geometry *geo, uint64_t base,
                               uint64_t seed, bool fence, const struct stat *file,
                               const lrd_options *options, const lrd__identity *self)
{
    header->magic = LRD__MAGIC;
    header->layout = LRD__LAYOUT;
    header->size = geo->size;
    header->base = base;
    header->seed = seed;
    header->file_size = geo->file_size;
    header->device = file->st_dev;
    header->inode = file->st_ino;
    header->policy = geo->policy;
    header->shards = geo->shards;
    header->slots = geo->slots;
    header->buckets = geo->buckets;
    header->fence = fence;
    header->word_size = sizeof(void *);
    memcpy(header->boot_id, self->boot_id, sizeof header->boot_id);
    if (options->value_abi != NULL)
        memcpy(header->value_abi, options->value_abi, strlen(options->value_abi));
    header->sum = identity_sum(header);
}

int lrd__header_fence(int fd, const lrd__header *header)
{
    const size_t from = offsetof(lrd__header, fence), size = offsetof(lrd__header, sum) + 8 - from;
    lrd__header changed;
    memcpy(&changed, header, sizeof changed);
    changed.fence = 1;
    changed.sum = identity_sum(&changed);
    /* Write the flag and the checksum in one call, within one page: even if the process is killed,
     * both are written or none. */
    return pwrite(fd, (const char *)&changed + from, size, (off_t)from) == (ssize_t)size ? LRD_OK
                                                                                         : LRD_ESYS;
}

/* True if this build can read the header; otherwise `why` receives the reason. */
static bool header_readable(const lrd__header *header, char *why)
{
    if (header->layout != LRD__LAYOUT)
        return IDENTITY_DIFFERS("layout version %u, this build has %u", header->layout,
                                LRD__LAYOUT);
    if (header->word_size != sizeof(void *))
        return IDENTITY_DIFFERS("words of %u bytes, this build has %zu", header->word_size,
                                sizeof(void *));
    return true;
}

/* True if the header is finished and intact, and agrees with the file; otherwise `why` receives the
 * reason. */
static bool header_intact(const lrd__header *header, const struct stat *file, lrd__geometry *geo,
                          char *why)
{
    uint32_t state = atomic_load_explicit(&header->state, memory_order_relaxed);
    if (state != LRD__STATE_READY)
        return IDENTITY_DIFFERS("its state is 0x%x, that of a finished segment is 0x%x", state,
                                (unsigned)LRD__STATE_READY);
    if (header->sum != identity_sum(header))
        return IDENTITY_DIFFERS("the header's checksum is %016llx, its content has %016llx",
                                (unsigned long long)header->sum,
                                (unsigned long long)identity_sum(header));
    *geo = (lrd__geometry){.size = header->size,
                           .policy = header->policy,
                           .shards = header->shards,
                           .slots = header->slots,
                           .buckets = header->buckets};
    if (lrd__geometry_derive(geo) != LRD_OK)
        return IDENTITY_DIFFERS("the header says: %.200s", lrd_error_detail());
    if (header->file_size != geo->file_size)
        return IDENTITY_DIFFERS("the header says %llu bytes, its settings make %llu",
                                (unsigned long long)header->file_size,
                                (unsigned long long)geo->file_size);
    if (!lrd__base_valid(header->base, geo->data_size))
        return IDENTITY_DIFFERS("base 0x%llx cannot be", (unsigned long long)header->base);
    if ((uint64_t)file->st_size != geo->file_size)
        return IDENTITY_DIFFERS("the file has %lld bytes, its header says %llu",
                                (long long)file->st_size, (unsigned long long)geo->file_size);
    return true;
}

/* True if the segment was created in this boot, for this file, and with value_abi `abi` (NULL:
 * any). Otherwise `why` receives the reason. */
static bool header_related(const lrd__header *header, const struct stat *file, const char *abi,
                           const lrd__identity *self, char *why)
{
    if (memcmp(header->boot_id, self->boot_id, sizeof self->boot_id) != 0)
        return IDENTITY_DIFFERS("made in boot %.39s, this is boot %s", header->boot_id,
                                self->boot_id);
    if (header->device != file->st_dev || header->inode != file->st_ino)
        return IDENTITY_DIFFERS("a copy: made as inode %llu of device %llu, this is inode %llu of "
                                "device %llu",
                                (unsigned long long)header->inode,
                                (unsigned long long)header->device,
                                (unsigned long long)file->st_ino, (unsigned long long)file->st_dev);
    if (abi != NULL && strncmp(header->value_abi, abi, sizeof header->value_abi) != 0)
        return IDENTITY_DIFFERS("value ABI \"%.63s\", this process has \"%s\"", header->value_abi,
                                abi);
    return true;
}

/* True if the segment has the settings that the options demand. An option that is 0 allows any
 * value. Only `policy` must always agree. If the result is false, `why` receives the reason. */
static bool header_wanted(const lrd__header *header, const lrd__geometry *geo,
                          const lrd_options *options, char *why)
{
    uint64_t size = options->accept_size ? 0 : LRD__ALIGN_UP(options->size, LRD__PAGE);
    const struct {
        const char *name;
        uint64_t has, wanted;
    } settings[] = {{"size", header->size, size},
                    {"shards", header->shards, options->shards},
                    {"slots", geo->slots - lrd__slots_spare(geo), options->slots}};
    if (header->policy != (uint32_t)options->policy)
        return IDENTITY_DIFFERS("policy %u, the options ask for %u", header->policy,
                                (unsigned)options->policy);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (settings[i].wanted != 0 && settings[i].has != settings[i].wanted)
            return IDENTITY_DIFFERS("%s %llu, the options ask for %llu", settings[i].name,
                                    (unsigned long long)settings[i].has,
                                    (unsigned long long)settings[i].wanted);
    if (options->base != 0 && header->base != options->base)
        return IDENTITY_DIFFERS("base 0x%llx, the options ask for 0x%llx",
                                (unsigned long long)header->base,
                                (unsigned long long)options->base);
    if (options->fence && header->fence == 0)
        return IDENTITY_DIFFERS("fence mode off, the options ask for it");
    return true;
}

LRD__HOT int lrd__header_judge(const lrd__header *header, const struct stat *file,
                               const lrd_options *options, const lrd__identity *self,
                               lrd__geometry *geo, char why[LRD__WHY_MAX])
{
    const char *abi = options->accept_abi || options->open_only ? NULL
                      : options->value_abi != NULL              ? options->value_abi
                                                                : "";
    if (!header_readable(header, why))
        return LRD_EMISMATCH;
    if (!header_intact(header, file, geo, why))
        return LRD_EFORMAT;
    if (!header_related(header, file, abi, self, why) ||
        (!options->open_only && !header_wanted(header, geo, options, why)))
        return LRD_EMISMATCH;
    return LRD_OK;
}
