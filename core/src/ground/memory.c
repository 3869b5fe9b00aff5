/* memory.c - refuses to create a segment for which the OOM killer would later end processes. Limits
 * come from /proc and the cgroup's files; an unreadable file sets no limit. Also finds out whether
 * a file is on a disk or in memory. */
#include "ground/memory.h"
#include "ground/error.h"
#include "ground/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define MEMORY_AVAILABLE "MemAvailable:"
#define MEMORY_TMPFS 0x01021994 /* f_type of a tmpfs or memfd */
#define MEMORY_RAMFS 0x858458f6
/* time (ms) for which a process remembers that its cgroup has no limit */
#define MEMORY_GROUP_MS 1000u
/* A limit of at least this number of bytes means "no limit": cgroups version 1 has no other way to
 * say it. */
#define MEMORY_NO_LIMIT (1ull << 60)
/* usual ratio of the data's size to the index's size */
#define MEMORY_INDEX 8u
#define MEMORY_SLOTS 64u /* number of slots that a store is likely to use */

#ifdef LRD_FAILPOINTS
bool lrd__test_disk; /* tests: treat all files as files on a disk */
/* tests: the machine's memory in bytes; 0 for the real memory */
uint64_t lrd__test_memory;
#endif

/* Read the beginning of a file; "" if that fails. */
static void memory_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, size - 1) : 0;
    text[length > 0 ? length : 0] = 0;
    if (fd >= 0)
        close(fd);
}

/* Read a limit from a file, which has a number or "max". Returns UINT64_MAX if there is no limit,
 * or if the file cannot be read. */
static uint64_t memory_limit(const char *path)
{
    char text[64];
    memory_read(path, text, sizeof text);
    uint64_t limit = strtoull(text, NULL, 10);
    return limit != 0 ? limit : UINT64_MAX;
}

/* limit: the lowest limit (bytes) of this process's cgroup and its ancestors. left: number of bytes
 * that can be used before the first limit is reached. Both are UINT64_MAX without a limit. */
typedef struct memory_group {
    uint64_t limit, left;
} memory_group;

typedef struct memory_files {
    const char *root, *limit, *used, *cached[2];
} memory_files;
static const memory_files memory_first = {"/sys/fs/cgroup/memory",
                                          "memory.limit_in_bytes",
                                          "memory.usage_in_bytes",
                                          {"\ntotal_inactive_file ", "\ntotal_active_file "}};
static const memory_files memory_second = {
    "/sys/fs/cgroup", "memory.max", "memory.current", {"\ninactive_file ", "\nactive_file "}};

/* Return a cgroup's used memory in bytes, without the file cache, which the kernel can drop. */
static uint64_t memory_used(const memory_files *files, const char *path)
{
    char full[512], text[4096];
    snprintf(full, sizeof full, "%s%s/%s", files->root, path, files->used);
    memory_read(full, text, sizeof text);
    uint64_t used = strtoull(text, NULL, 10);
    snprintf(full, sizeof full, "%s%s/memory.stat", files->root, path);
    memory_read(full, text, sizeof text);
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(text, files->cached[i]);
        uint64_t cached = at != NULL ? strtoull(at + strlen(files->cached[i]), NULL, 10) : 0;
        used -= cached < used ? cached : used;
    }
    return used;
}

/* Read the limits of a cgroup and of its ancestors. `path` is the cgroup's path within
 * files->root. */
static void memory_walk(const memory_files *files, char *path, memory_group *group)
{
    char full[512];
    for (;;) {
        snprintf(full, sizeof full, "%s%s/%s", files->root, path, files->limit);
        uint64_t limit = memory_limit(full);
        if (limit < MEMORY_NO_LIMIT) {
            uint64_t used = memory_used(files, path), left = used < limit ? limit - used : 0;
            group->limit = limit < group->limit ? limit : group->limit;
            group->left = left < group->left ? left : group->left;
        }
        char *last = strrchr(path, '/');
        if (last == NULL)
            return;
        *last = 0;
    }
}

/* Read the limits of this process's cgroup (version 1 or 2). */
static LRD__HOT memory_group memory_ask_group(void)
{
    char groups[2048], path[300];
    memory_group group = {UINT64_MAX, UINT64_MAX};
    memory_read("/proc/self/cgroup", groups, sizeof groups);
    for (char *save, *line = strtok_r(groups, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        char *at = strstr(line, ":memory:");
        bool second = strncmp(line, "0::", 3) == 0;
        if (at == NULL && !second)
            continue;
        snprintf(path, sizeof path, "%s", second ? line + 3 : at + strlen(":memory:"));
        memory_walk(second ? &memory_second : &memory_first, path, &group);
    }
    return group;
}

/* Call memory_ask_group(). If there is no limit, remember this for MEMORY_GROUP_MS. */
static memory_group memory_of_group(void)
{
    static _Atomic uint64_t unlimited_until LRD__OF_WORKER;
    static _Atomic int asked LRD__OF_WORKER;
    uint64_t now = lrd__clock_coarse();
    int process = (int)getpid();
    /* pairs with the release store to `asked` below */
    if (process == atomic_load_explicit(&asked, memory_order_acquire) &&
        now < atomic_load_explicit(&unlimited_until, memory_order_relaxed))
        return (memory_group){UINT64_MAX, UINT64_MAX};
    memory_group group = memory_ask_group();
    atomic_store_explicit(&unlimited_until, group.limit == UINT64_MAX ? now + MEMORY_GROUP_MS : 0,
                          memory_order_relaxed);
    atomic_store_explicit(&asked, process, memory_order_release);
    return group;
}

/* Return how many bytes are available; UINT64_MAX if unknown. Reads the slow /proc/meminfo only if
 * fewer than `wanted` bytes are free. */
static LRD__HOT uint64_t memory_available(const struct sysinfo *machine, uint64_t wanted)
{
    char info[4096];
    uint64_t unused = (uint64_t)machine->freeram * machine->mem_unit;
    if (unused >= wanted)
        return unused;
    memory_read("/proc/meminfo", info, sizeof info);
    const char *at = strstr(info, MEMORY_AVAILABLE);
    return at != NULL ? strtoull(at + strlen(MEMORY_AVAILABLE), NULL, 10) << 10 : UINT64_MAX;
}

static bool memory_is_memory(const struct statfs *system)
{
    uint32_t type = (uint32_t)system->f_type;
    return type == MEMORY_TMPFS || type == MEMORY_RAMFS;
}

LRD__HOT int lrd__memory_folio(lrd_store *store)
{
    /* These file systems copy on write: each write to a page of a file may need new disk space. */
    static const struct {
        uint32_t type;
        const char *name;
    } copiers[] = {
        {0x9123683e, "Btrfs"}, {0xca451a4e, "bcachefs"}, {0x2fc12fc1, "ZFS"}, {0x3434, "NILFS2"}};
    struct statfs system;
    if (fstatfs(store->fd, &system) != 0)
        return lrd__segment_fail_errno(store, "fstatfs");
    for (size_t i = 0; i < sizeof copiers / sizeof *copiers; i++)
        if ((uint32_t)system.f_type == copiers[i].type)
            return lrd__fail(LRD_ESYS,
                             "%.250s: is on %s, which cannot promise room for a write to a mapped "
                             "file: choose a folder in memory (tmpfs), as /dev/shm",
                             lrd__segment_label(store), copiers[i].name);
#ifdef LRD_FAILPOINTS
    if (lrd__test_disk)
        system.f_type = 0;
#endif
    /* In a file system in memory, each part of 4 KiB has room of its own. On a disk, assume the
     * largest folio: a huge page, or 2,048 pages if pages are larger than 4 KiB. */
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    store->folio = memory_is_memory(&system) ? LRD__PART
                   : page == LRD__PART       ? (uint64_t)2 << 20
                                             : page << 11;
    return LRD_OK;
}

static unsigned long long memory_mib(uint64_t bytes) { return bytes >> 20; }

LRD__HOT int lrd__memory_judge(lrd_store *store, uint64_t beside)
{
    struct sysinfo memory;
    struct statfs system;
    struct statvfs room;
    char index[32], has[32], left[32];
    store->warning[0] = 0;
    if (fstatfs(store->fd, &system) != 0 || !memory_is_memory(&system))
        /* a store on a disk needs memory only as a cache, which the kernel can free */
        return LRD_OK;
    uint64_t wanted = store->geo.data_size, indexed = wanted + wanted / MEMORY_INDEX;
    memory_group group = memory_of_group();
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
    if (wanted > group.limit)
        return lrd__fail(LRD_ENOSPC,
                         "%.250s: a store of %llu MiB does not fit the limit of this cgroup, %llu "
                         "MiB of memory",
                         lrd__segment_label(store), memory_mib(wanted), memory_mib(group.limit));
    bool limited = fstatvfs(store->fd, &room) == 0 && room.f_blocks != 0;
    uint64_t bytes_free = limited ? (uint64_t)room.f_bavail * room.f_frsize : UINT64_MAX;
    uint64_t slots = store->geo.slots < MEMORY_SLOTS ? store->geo.slots : MEMORY_SLOTS;
    uint64_t sparse = lrd__slot_begin(store->geo.slots) - slots * LRD__SLOT_FIRST;
    store->scarce = bytes_free < store->geo.file_size - sparse;
    if (bytes_free < wanted)
        snprintf(store->warning, sizeof store->warning,
                 "%.250s: a store of %llu MiB on a file system of %s, of which %s are free, "
                 "holds only that much",
                 lrd__segment_label(store), memory_mib(wanted),
                 lrd__size_text((uint64_t)room.f_blocks * room.f_frsize, has, sizeof has),
                 lrd__size_text(bytes_free, left, sizeof left));
    else if (indexed + beside > group.left)
        snprintf(store->warning, sizeof store->warning,
                 "%.250s: a store of %llu MiB, and %s for its index and other stores, "
                 "but the limit of this cgroup leaves %llu of %llu MiB. When that "
                 "is used up the kernel ends processes",
                 lrd__segment_label(store), memory_mib(wanted),
                 lrd__need_text(indexed + beside - wanted, index, sizeof index),
                 memory_mib(group.left), memory_mib(group.limit));
    else if (wanted > available)
        snprintf(store->warning, sizeof store->warning,
                 "%.250s: a store of %llu MiB where %llu MiB of memory are available now",
                 lrd__segment_label(store), memory_mib(wanted), memory_mib(available));
    return LRD_OK;
}

LRD__HOT const char *lrd_store_warning(const lrd_store *store) { return store->warning; }
