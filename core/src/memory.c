/* memory.c - refuses a size that a store can never have. Called once, before a segment is made: memory is taken as it is
 * used, so a size above the machine's would end with the OOM killer, which takes other people's processes. Reads
 * /proc and the cgroup; a file that cannot be read sets no limit.
 */
#include "segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define MEMORY_AVAILABLE "MemAvailable:"
#define MEMORY_TMPFS 0x01021994 /* f_type; of a memfd, too */
#define MEMORY_RAMFS 0x858458f6
#define MEMORY_GROUP_MS                                                                            \
    1000u /* so long is what the cgroup said remembered: a process opens several stores at once */
#define MEMORY_SLOTS 64u /* that a store is likely to need, of those that it could have */

#ifdef LRD_FAILPOINTS
uint64_t lrd__test_memory; /* as if the machine had so much, bytes; 0: it has what it has */
#endif

/* The beginning of a file as a text; "" where it cannot be read. */
static void memory_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, size - 1) : 0;
    text[length > 0 ? length : 0] = 0;
    if (fd >= 0)
        close(fd);
}

/* What the file of a limit says: a number, or "max". */
static uint64_t memory_limit(const char *path)
{
    char text[64];
    memory_read(path, text, sizeof text);
    uint64_t limit = strtoull(text, NULL, 10);
    return limit != 0 ? limit : UINT64_MAX;
}

/* The least limit of a cgroup and those above it: path is below root, file the name of the limit. */
static uint64_t memory_group(const char *root, char *path, const char *file)
{
    char full[512];
    uint64_t least = UINT64_MAX;
    for (;;) {
        snprintf(full, sizeof full, "%s%s/%s", root, path, file);
        uint64_t limit = memory_limit(full);
        least = limit < least ? limit : least;
        char *last = strrchr(path, '/');
        if (last == NULL)
            return least;
        *last = 0;
    }
}

/* The limit of this process's cgroup, version 2 or 1; in a container the file at the root is its own. */
static uint64_t memory_ask_group(void)
{
    char groups[2048], path[300];
    uint64_t least = UINT64_MAX;
    memory_read("/proc/self/cgroup", groups, sizeof groups);
    for (char *save, *line = strtok_r(groups, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        char *at = strstr(line, ":memory:");
        bool second = strncmp(line, "0::", 3) == 0;
        if (at == NULL && !second)
            continue;
        snprintf(path, sizeof path, "%s", second ? line + 3 : at + strlen(":memory:"));
        uint64_t limit = second
                             ? memory_group("/sys/fs/cgroup", path, "memory.max")
                             : memory_group("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
        least = limit < least ? limit : least;
    }
    return least;
}

/* The same, not asked for again at once by this process if so much fits. Two threads may both ask. */
static uint64_t memory_of_group(uint64_t wanted)
{
    static _Atomic uint64_t known, until;
    static _Atomic int asked;
    uint64_t now = lrd__clock_coarse();
    int process = (int)getpid();
    /* Pairs with the release below. */
    if (process == atomic_load_explicit(&asked, memory_order_acquire) &&
        now < atomic_load_explicit(&until, memory_order_relaxed) &&
        wanted <= atomic_load_explicit(&known, memory_order_relaxed))
        return atomic_load_explicit(&known, memory_order_relaxed);
    uint64_t limit = memory_ask_group();
    atomic_store_explicit(&known, limit, memory_order_relaxed);
    atomic_store_explicit(&until, now + MEMORY_GROUP_MS, memory_order_relaxed);
    atomic_store_explicit(&asked, process, memory_order_release);
    return limit;
}

/* What the machine could give: what is free, if that is enough, as asking what could be freed costs as much as making a
 * small store. UINT64_MAX: unknown. */
static uint64_t memory_available(const struct sysinfo *machine, uint64_t wanted)
{
    char info[4096];
    uint64_t unused = (uint64_t)machine->freeram * machine->mem_unit;
    if (unused >= wanted)
        return unused;
    memory_read("/proc/meminfo", info, sizeof info);
    const char *at = strstr(info, MEMORY_AVAILABLE);
    return at != NULL ? strtoull(at + strlen(MEMORY_AVAILABLE), NULL, 10) << 10 : UINT64_MAX;
}

static unsigned long long memory_mib(uint64_t bytes) { return bytes >> 20; }

int lrd__memory_judge(lrd_store *store)
{
    struct sysinfo memory;
    struct statfs system;
    struct statvfs room;
    store->warning[0] = 0;
    if (fstatfs(store->fd, &system) != 0 ||
        ((uint32_t)system.f_type != MEMORY_TMPFS && (uint32_t)system.f_type != MEMORY_RAMFS))
        return LRD_OK; /* a file of a disk does not need memory for good */
    uint64_t wanted = store->geo.data_size, group = memory_of_group(wanted);
    bool known = sysinfo(&memory) == 0;
    uint64_t machine =
        known ? ((uint64_t)memory.totalram + memory.totalswap) * memory.mem_unit : UINT64_MAX;
    uint64_t available = known ? memory_available(&memory, wanted) : UINT64_MAX;
#ifdef LRD_FAILPOINTS
    if (lrd__test_memory != 0)
        machine = available = lrd__test_memory;
#endif
    if (wanted > machine)
        return lrd__fail(LRD_ENOSPC,
                         "%.250s: a store of %llu MiB does not fit the %llu MiB of memory and swap "
                         "that this machine has",
                         lrd__segment_label(store), memory_mib(wanted), memory_mib(machine));
    if (wanted > group)
        return lrd__fail(LRD_ENOSPC,
                         "%.250s: a store of %llu MiB does not fit the limit of this cgroup, %llu "
                         "MiB of memory",
                         lrd__segment_label(store), memory_mib(wanted), memory_mib(group));
    bool limited = fstatvfs(store->fd, &room) == 0 && room.f_blocks != 0;
    uint64_t bytes_free = limited ? (uint64_t)room.f_bavail * room.f_frsize : UINT64_MAX;
    uint64_t slots = store->geo.slots > MEMORY_SLOTS ? store->geo.slots - MEMORY_SLOTS : 0;
    store->scarce = bytes_free < store->geo.file_size - slots * LRD__SLOT_SIZE;
    if (bytes_free < wanted)
        snprintf(store->warning, sizeof store->warning,
                 "%.250s: a store of %llu MiB on a file system of %llu MiB, of which %llu MiB are "
                 "free, holds only that much",
                 lrd__segment_label(store), memory_mib(wanted),
                 memory_mib((uint64_t)room.f_blocks * room.f_frsize),
                 memory_mib((uint64_t)room.f_bavail * room.f_frsize));
    else if (wanted > available)
        snprintf(store->warning, sizeof store->warning,
                 "%.250s: a store of %llu MiB where %llu MiB of memory are available now",
                 lrd__segment_label(store), memory_mib(wanted), memory_mib(available));
    return LRD_OK;
}

const char *lrd_store_warning(const lrd_store *store) { return store->warning; }
