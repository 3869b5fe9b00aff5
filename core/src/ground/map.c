/* map.c - the memory of a segment: commits areas (reserves their room in the file system), maps
 * them, and notices changes of the file. Begin reading at lrd__map_commit().
 *
 * A process has three mappings of the file:
 *
 *             access       address        part of the file               used by
 *   control  read-write   any            [0, control_size)              all
 *   data     read only    header->base   [data_at, data_at + size)      hosts
 *   window   read-write   any            the same as data               writers
 *
 * Thread sanitizers see no race between two mappings, so LRD_SINGLE_ALIAS makes data and window
 * one.
 *
 * Invariant: a write to a mapping never fails because the file system has no room.
 * - In a tmpfs, fallocate() has reserved the page.
 * - On a disk, each first write to a page after a writeback needs room for its whole folio (a group
 *   of pages). Without this room, the write raises SIGBUS. So memory is committed and given back
 *   only in aligned parts of store->folio bytes, the size of the largest folio.
 * - lrd__memory_folio() refuses copy-on-write file systems, which cannot promise room. */
#include "ground/map.h"
#include "ground/error.h"
#include "ground/geometry.h"
#include "ground/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Maximum number of bytes that one fallocate() commits: after a signal, some kernels undo the whole
 * call. */
#define MAPPING_STEP ((uint64_t)1 << 20)
#define MAPPING_PIECE ((uint64_t)8 << 10) /* number of bytes that are read at a time */
#define MAPPING_EXTENTS 32u
#define MAPPING_STEP_MIN ((uint64_t)64 << 10)
#ifdef __GLIBC__
#define MAPPING_FIEMAP FS_IOC_FIEMAP
#else
#define MAPPING_FIEMAP (int)FS_IOC_FIEMAP /* musl declares this parameter of ioctl() as an int */
#endif

/* ---- committing ---- */

uint64_t lrd__map_minis(const lrd_store *store)
{
    return store->geo.pages_all > store->geo.pages ? LRD__MINI_READY : 0;
}

/* Report that a call failed for another reason than lack of space, and what to do. */
static int mapping_fail_call(const lrd_store *store, const char *call, int error)
{
    char reason[64];
    const char *text = lrd__errno_text(error, reason, sizeof reason), *cure = "";
    if (error == EOPNOTSUPP)
        cure = "; this file system has no such call: choose one in memory (tmpfs), as /dev/shm";
    else if (error == ENOSYS || error == EPERM)
        cure = "; where a seccomp profile denies the call, allow it";
    return lrd__fail(LRD_ESYS, "%.250s: %s: %s%s", lrd__segment_label(store), call, text, cure);
}

int lrd__map_fail_space(const lrd_store *store, const char *call, uint64_t length)
{
    int error = errno;
    if (error != ENOSPC && error != EDQUOT && error != EFBIG && error != ENOMEM)
        return mapping_fail_call(store, call, error);
    struct statvfs system;
    char reason[64], room[112] = "", needed[32], has[32], left[32];
    const char *text = lrd__errno_text(error, reason, sizeof reason);

    if (fstatvfs(store->fd, &system) == 0 && system.f_blocks != 0)
        snprintf(room, sizeof room, "; the file system has %s, %s of them free",
                 lrd__size_text((uint64_t)system.f_blocks * system.f_frsize, has, sizeof has),
                 lrd__size_text((uint64_t)system.f_bavail * system.f_frsize, left, sizeof left));
    return lrd__fail(LRD_ENOSPC,
                     "%.250s: %llu KiB more: %s; with the most entries and threads, the "
                     "segment takes %s%s",
                     lrd__segment_label(store), (unsigned long long)(length >> 10), text,
                     lrd__need_text(store->geo.file_size, needed, sizeof needed), room);
}

int lrd__segment_full(const lrd_store *store, uint64_t length)
{
    errno = ENOSPC;
    return lrd__map_fail_space(store, "", length);
}

/* Return true if a range of a file on a disk has no hole, so that its room is already reserved. On
 * XFS, fallocate() may fail with ENOSPC even for such a range. */
static bool mapping_has_room(const lrd_store *store, uint64_t from, uint64_t length)
{
    union {
        struct fiemap map;
        uint8_t bytes[sizeof(struct fiemap) + MAPPING_EXTENTS * sizeof(struct fiemap_extent)];
    } ask;
    for (uint64_t end = from + length; from < end;) {
        memset(&ask.map, 0, sizeof ask.map);
        ask.map.fm_start = from;
        ask.map.fm_length = end - from;
        ask.map.fm_extent_count = MAPPING_EXTENTS;
        bool told = store->folio > LRD__PART && ioctl(store->fd, MAPPING_FIEMAP, &ask.map) == 0;
        errno = ENOSPC;
        if (!told || ask.map.fm_mapped_extents == 0)
            return false;
        for (uint32_t i = 0; i < ask.map.fm_mapped_extents && from < end; i++) {
            const struct fiemap_extent *extent = &ask.map.fm_extents[i];
            if (extent->fe_logical > from)
                return false;
            from = extent->fe_logical + extent->fe_length;
        }
    }
    return true;
}

LRD__HOT int lrd__map_commit(const lrd_store *store, uint64_t offset, uint64_t length)
{
    uint64_t end = LRD__ALIGN_UP(offset + length, store->folio), step = MAPPING_STEP;
    if (length == 0)
        return LRD_OK;
    end = end < store->geo.file_size ? end : store->geo.file_size;
    offset &= ~(store->folio - 1);
    length = end - offset;
    while (length > 0) {
        uint64_t part = length < step ? length : step;
        if (fallocate(store->fd, 0, (off_t)offset, (off_t)part) == 0 ||
            (errno == ENOSPC && mapping_has_room(store, offset, part))) {
            offset += part;
            length -= part;
        } else if (errno != EINTR) {
            return lrd__map_fail_space(store, "fallocate", length);
        } else if (step > MAPPING_STEP_MIN) {
            step /= 2;
        }
    }
    return LRD_OK;
}

/* Search [from, to) in pieces of MAPPING_PIECE bytes. Returns the offset of the first piece that is
 * not all 0 or cannot be read; `to` if there is none. */
static uint64_t mapping_written(const lrd_store *store, uint64_t from, uint64_t to)
{
    uint64_t words[MAPPING_PIECE / sizeof(uint64_t)];
    for (; from < to; from += MAPPING_PIECE) {
        uint64_t any = 0, bytes = to - from < MAPPING_PIECE ? to - from : MAPPING_PIECE;
        memset(words, 0, sizeof words);
        if (pread(store->fd, words, bytes, (off_t)from) < 0)
            return from;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            any |= words[i];
        if (any != 0)
            return from;
    }
    return to;
}

bool lrd__map_is_zero(const lrd_store *store, uint64_t from, uint64_t to)
{
    return mapping_written(store, from, to) == to;
}

LRD__HOT int lrd__map_limit(const lrd_store *store, uint64_t end)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        end <= limit.rlim_cur)
        return LRD_OK;
    return lrd__fail(LRD_EFILESIZE,
                     "%.300s: the segment needs %llu KiB, the limit of file sizes (ulimit -f) is "
                     "%llu KiB: raise it",
                     lrd__segment_label(store), (unsigned long long)store->geo.file_size >> 10,
                     (unsigned long long)limit.rlim_cur >> 10);
}

int lrd__map_wipe(const lrd_store *store, uint64_t from, uint64_t to)
{
    static const uint8_t zeros[MAPPING_PIECE];
    for (from = mapping_written(store, from, to); from < to;
         from = mapping_written(store, from, to)) {
        uint64_t bytes = to - from < MAPPING_PIECE ? to - from : MAPPING_PIECE;
        int code = lrd__map_limit(store, from + bytes);
        if (code != LRD_OK)
            return code;
        if (pwrite(store->fd, zeros, bytes, (off_t)from) != (ssize_t)bytes)
            return lrd__segment_fail_errno(store, "write");
        from += bytes;
    }
    return LRD_OK;
}

LRD__HOT int lrd__map_commit_touched(const lrd_store *store)
{
    uint64_t at = 0;
    while (store->folio > LRD__PART && at < store->geo.file_size) {
        off_t data = lseek(store->fd, (off_t)at, SEEK_DATA);
        if (data < 0 && errno == ENXIO) /* no more data */
            return LRD_OK;
        if (data < 0)
            return lrd__segment_fail_errno(store, "lseek");
        at = (uint64_t)data & ~(store->folio - 1);
        int code = lrd__map_commit(store, at, store->folio);
        /* A folio of zeros was never written to, so it need not be committed. */
        if (code != LRD_OK && (code != LRD_ENOSPC ||
                               mapping_written(store, at, at + store->folio) < at + store->folio))
            return code;
        at += store->folio;
    }
    return LRD_OK;
}

LRD__HOT int lrd__map_populate(lrd_store *store, uint8_t *memory, uint64_t offset, uint64_t length,
                               bool *mapped)
{
    *mapped = false;
#ifndef LRD_SINGLE_ALIAS
    uint64_t from = offset & ~(LRD__PART - 1);
    uint64_t bytes = LRD__ALIGN_UP(offset + length, LRD__PART) - from;
    *mapped = madvise(memory + from, bytes, MADV_POPULATE_WRITE) == 0;
    if (*mapped || errno != EFAULT)
        return LRD_OK;
    int code = lrd__segment_check(store);
    return code != LRD_OK ? code : lrd__segment_full(store, bytes);
#else
    (void)store, (void)memory, (void)offset, (void)length;
    return LRD_OK;
#endif
}

int lrd__map_commit_area(const lrd_store *store, uint64_t at, uint64_t before, uint64_t next,
                         uint64_t stride)
{
    return lrd__map_commit(store, at + before * stride, (next - before) * stride);
}

LRD__HOT int lrd__map_commit_pages(const lrd_store *store, uint64_t first, uint64_t end)
{
    const lrd__geometry *geo = &store->geo;
    int code = lrd__map_commit_area(store, geo->owners_at, first, end, sizeof(uint32_t));
    if (code == LRD_OK)
        code = lrd__map_commit_area(store, geo->pages_at, first, end, sizeof(lrd__page));
    if (code == LRD_OK)
        code = lrd__map_commit_area(store, geo->bits_at, first, end, sizeof(lrd__bits));
    if (code == LRD_OK && first < geo->pages) /* mini pages have no runs */
        code = lrd__map_commit_area(store, geo->run_len_at, first * LRD__PAGE_UNITS,
                                    end * LRD__PAGE_UNITS, sizeof(uint32_t));
    return code;
}

int lrd__segment_commit_pages(lrd_store *store, uint64_t first, uint64_t end)
{
    int code = lrd__segment_check(store);
    return code != LRD_OK ? code : lrd__map_commit_pages(store, first, end);
}

LRD__HOT int lrd__mapping_commit_index(lrd_store *store, uint32_t before, uint32_t buckets)
{
    const lrd__geometry *geo = &store->geo;
    uint64_t from = before != 0 ? lrd__buckets_end(geo, before) : 0;
    uint64_t to = lrd__buckets_end(geo, buckets);
    int code = lrd__map_commit_area(store, geo->buckets_at, from, to, sizeof(lrd__bucket));
    if (code == LRD_OK && geo->policy == LRD_VOLATILE)
        code = lrd__map_commit_area(store, geo->links_at, from * LRD__WAYS, to * LRD__WAYS,
                                    sizeof(uint32_t));
    if (code == LRD_OK && (geo->policy == LRD_VOLATILE || geo->policy == LRD_SESSION))
        code = lrd__map_commit_area(store, geo->timed_at, from / LRD__TIMER_CHUNK,
                                    to / LRD__TIMER_CHUNK + 1, sizeof(uint8_t));
    return code;
}

int lrd__segment_commit_index(lrd_store *store, uint32_t before, uint32_t buckets)
{
    int code = lrd__segment_check(store);
    return code != LRD_OK ? code : lrd__mapping_commit_index(store, before, buckets);
}

LRD__HOT int lrd__segment_commit_control(lrd_store *store, uint64_t offset, uint64_t length)
{
    int code = lrd__segment_check(store);
    if (code == LRD_OK)
        code = lrd__map_commit(store, offset, length);
    bool mapped;
    if (code == LRD_OK && length <= LRD__MAP_WARM)
        code = lrd__map_populate(store, store->control, offset, length, &mapped);
    return code;
}

LRD__HOT int lrd__segment_check(lrd_store *store)
{
    struct stat file;
    if (fstat(store->fd, &file) != 0)
        return lrd__segment_fail_errno(store, "its descriptor");
    /* If the host closed its descriptors, `fd` may be another file now. */
    if (file.st_dev != store->device || file.st_ino != store->inode)
        return lrd__fail(LRD_ESYS, "%.300s: descriptor %d was closed and is another file now",
                         lrd__segment_label(store), store->fd);
    if ((uint64_t)file.st_size < store->geo.file_size)
        return lrd__fail(LRD_ETRUNCATED, "%.300s: has %lld bytes, was made with %llu",
                         lrd__segment_label(store), (long long)file.st_size,
                         (unsigned long long)store->geo.file_size);
    return LRD_OK;
}

/* ---- changes of the file ---- */

/* Get this process's root directory; 0 if unknown. Under another root, the store's path may lead to
 * another file. */
static void mapping_root(uint64_t *device, uint64_t *inode)
{
    struct stat root;
    bool known = stat("/", &root) == 0;
    *device = known ? root.st_dev : 0;
    *inode = known ? root.st_ino : 0;
}

/* Replace the control mapping, or only its part after the slots, by zeroed private memory. Do not
 * unmap it: its leases are linked into the robust lists of threads, and the C library writes to
 * these links. */
static void mapping_lose(lrd_store *store, enum lrd__lost lost)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t from = lost == LRD__LOST_LEASES ? 0 : LRD__ALIGN_UP(store->geo.owners_at, page);
    if (lrd__segment_lost(store) < (uint32_t)lost &&
        mmap(store->control + from, store->geo.control_size - from, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
        atomic_store_explicit(&store->lost, lost, memory_order_relaxed);
}

/* If the file was truncated or overwritten, replace the lost memory. Returns LRD_OK or
 * LRD_ETRUNCATED. */
static int mapping_judge(lrd_store *store, const struct stat *file)
{
    uint64_t size = (uint64_t)file->st_size;
    if (size < store->geo.control_size || store->header->magic != LRD__MAGIC ||
        store->header->seed != store->seed)
        mapping_lose(store, LRD__LOST_LEASES);
    else if (size < store->geo.file_size)
        mapping_lose(store, LRD__LOST_INDEX);
    return lrd__segment_lost(store) == LRD__LOST_NOTHING && size >= store->geo.file_size
               ? LRD_OK
               : LRD_ETRUNCATED;
}

int lrd__segment_check_unlocked(lrd_store *store)
{
    struct stat file;
    int code = lrd__segment_check(store);
    if (code == LRD_ETRUNCATED && fstat(store->fd, &file) == 0)
        /* Replace the lost memory of the file now. Otherwise the caller could raise SIGBUS when it
         * counts the refusal in the control mapping. */
        (void)mapping_judge(store, &file);
    return code;
}

static int mapping_look(lrd_store *store)
{
    struct stat file;
    if (store->path == NULL) /* the store was opened by a descriptor */
        return fstat(store->fd, &file) == 0 && file.st_dev == store->device &&
                       file.st_ino == store->inode
                   ? mapping_judge(store, &file)
                   : LRD_OK;
    if (lstat(store->path, &file) == 0) {
        if (file.st_dev == store->device && file.st_ino == store->inode)
            return mapping_judge(store, &file);
    } else if (errno != ENOENT && errno != ENOTDIR) {
        return LRD_OK; /* other errors do not prove that the file is gone */
    }
    uint64_t device, inode;
    mapping_root(&device, &inode);
    return device == store->root_device && inode == store->root_inode ? LRD_EMOVED : LRD_OK;
}

static int mapping_look_fail(const lrd_store *store, int code)
{
    if (code == LRD_ETRUNCATED)
        return lrd__fail(code, "%.300s: is not the file of %llu bytes any more that it was",
                         lrd__segment_label(store), (unsigned long long)store->geo.file_size);
    return lrd__fail(code, "%.300s: is gone, or another file now", lrd__segment_label(store));
}

LRD__HOT int lrd__segment_look_now(lrd_store *store)
{
    if (atomic_load_explicit(&store->look_at, memory_order_relaxed) == UINT64_MAX)
        return LRD_OK;
    int code = mapping_look(store);
    atomic_store_explicit(&store->look_code, code, memory_order_relaxed);
    return code == LRD_OK ? LRD_OK : mapping_look_fail(store, code);
}

int lrd__segment_look_due(lrd_store *store)
{
    uint64_t at = atomic_load_explicit(&store->look_at, memory_order_relaxed);
    uint64_t ms = lrd__clock_coarse();
    /* If several threads come here together, only the one that changes look_at checks the file. */
    if (ms >= at &&
        atomic_compare_exchange_strong_explicit(&store->look_at, &at, ms + LRD__LOOK_MS,
                                                memory_order_relaxed, memory_order_relaxed))
        return lrd__segment_look_now(store);
    int code = lrd__segment_lost(store) != LRD__LOST_NOTHING
                   ? LRD_ETRUNCATED
                   : atomic_load_explicit(&store->look_code, memory_order_relaxed);
    return code == LRD_OK ? LRD_OK : mapping_look_fail(store, code);
}

void lrd__mapping_watch(lrd_store *store)
{
    store->watched = true;
    mapping_root(&store->root_device, &store->root_inode);
    atomic_store_explicit(&store->look_at, lrd__clock_monotonic_ms() + LRD__LOOK_MS,
                          memory_order_relaxed);
}

/* ---- what is mapped ---- */

static size_t mapping_mapped_bytes(const lrd_store *store)
{
    return (size_t)(store->geo.data_size >> LRD__PAGE_BITS) * sizeof(uint16_t) + sizeof(uint16_t);
}

/* Allocate store->mapped: one bit for each part. Returns NULL if there is no memory. */
static _Atomic uint16_t *mapping_mapped_new(lrd_store *store)
{
    _Atomic uint16_t *mapped = NULL;
    size_t bytes = mapping_mapped_bytes(store);
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    /* In a forked child, no part is mapped yet, so let the kernel clear this bitmap there. */
    madvise(made, bytes, MADV_WIPEONFORK);
    /* This release pairs with the acquire loads of store->mapped. */
    if (atomic_compare_exchange_strong_explicit(&store->mapped, &mapped, made, memory_order_acq_rel,
                                                memory_order_acquire))
        return made;
    munmap(made, bytes);
    return mapped;
}

static void mapping_mapped_drop(lrd_store *store)
{
    _Atomic uint16_t *mapped = atomic_load_explicit(&store->mapped, memory_order_relaxed);
    if (mapped != NULL)
        munmap((void *)mapped, mapping_mapped_bytes(store));
    atomic_store_explicit(&store->mapped, NULL, memory_order_relaxed);
}

/* Return a mask of the parts [part, end), cut at the end of the page that contains `part`. Store
 * the number of these parts in *count. */
static uint32_t mapping_bits(uint64_t part, uint64_t end, uint64_t *count)
{
    uint64_t first = part % LRD__PAGE_PARTS;
    *count = end - part < LRD__PAGE_PARTS - first ? end - part : LRD__PAGE_PARTS - first;
    return ((1u << *count) - 1) << first;
}

static LRD__HOT void mapping_mapped_note(lrd_store *store, uint64_t offset, uint64_t bytes,
                                         bool are_mapped)
{
    _Atomic uint16_t *mapped = atomic_load_explicit(&store->mapped, memory_order_acquire);
    uint64_t part = offset >> LRD__PART_BITS, end = ((offset + bytes - 1) >> LRD__PART_BITS) + 1;
    for (uint64_t next; mapped != NULL && part < end; part += next) {
        uint32_t bits = mapping_bits(part, end, &next);
        _Atomic uint16_t *word = mapped + part / LRD__PAGE_PARTS;
        if (are_mapped)
            atomic_fetch_or_explicit(word, (uint16_t)bits, memory_order_relaxed);
        else
            atomic_fetch_and_explicit(word, (uint16_t)~bits, memory_order_relaxed);
    }
}

/* Map the committed parts [from, to) before they are written. Returns false if the kernel
 * cannot. */
static bool mapping_map(const uint8_t *memory, uint64_t from, uint64_t to)
{
#ifndef LRD_SINGLE_ALIAS
    return from == to || madvise((void *)(uintptr_t)(memory + (from << LRD__PART_BITS)),
                                 (to - from) << LRD__PART_BITS, MADV_POPULATE_READ) == 0;
#else
    (void)memory;
    return from == to;
#endif
}

/* Map a range by reading, for kernels without MADV_POPULATE_READ. */
static void mapping_read(const uint8_t *memory, uint64_t offset, uint64_t bytes)
{
    for (uint64_t at = offset; at < offset + bytes; at = LRD__ALIGN_UP(at + 1, LRD__PART))
        (void)*(const volatile uint8_t *)(memory + at);
}

void lrd__segment_map_control(const lrd_store *store, uint64_t offset, uint64_t bytes)
{
    (void)mapping_map(store->control, offset >> LRD__PART_BITS,
                      ((offset + bytes - 1) >> LRD__PART_BITS) + 1);
}

/* Return a bitmap of a page's committed parts. The caller owns a block in the page, so the parts
 * stay committed. */
static uint32_t mapping_parts(const lrd_store *store, uint64_t page)
{
    uint16_t committed = atomic_load_explicit(&store->pages[page].committed, memory_order_relaxed);
    return (1u << committed) - 1;
}

static uint64_t mapping_mini_bits(const lrd_store *store, uint64_t offset, uint64_t bytes)
{
    uint64_t first = (offset - store->geo.size) >> LRD__PART_BITS;
    lrd__assert(first < LRD__MINIS);
    lrd__assert(bytes != 0 && bytes >> LRD__PART_BITS <= LRD__MINI_STEP);
    return ((1ull << (bytes >> LRD__PART_BITS)) - 1) << first;
}

/* Map a mini page. Mini pages that were committed with the segment are mapped together. `mapped` is
 * store->mapped, which is still NULL in a process that has written only to mini pages. */
static void mapping_map_mini(lrd_store *store, uint64_t offset, _Atomic uint16_t *mapped)
{
    uint64_t part = offset >> LRD__PART_BITS;
    uint64_t first = store->geo.size >> LRD__PART_BITS, ready = lrd__map_minis(store);
    uint64_t from = part - first < ready ? first : part;
    uint64_t count = part - first < ready ? ready : 1;
    uint64_t had = atomic_load_explicit(&store->mapped_minis, memory_order_relaxed);
    if ((had >> (part - first) & 1) == 0) {
        atomic_fetch_or_explicit(&store->mapped_minis, ((1ull << count) - 1) << (from - first),
                                 memory_order_relaxed);
        if (!mapping_map(store->window, from, from + count))
            mapping_read(store->window, offset, 1);
    }
    if (mapped != NULL)
        atomic_fetch_or_explicit(mapped + part / LRD__PAGE_PARTS,
                                 (uint16_t)(1u << part % LRD__PAGE_PARTS), memory_order_relaxed);
}

/* Map all committed parts that are not mapped yet, in all pages of the range. Maps by writing: in
 * some virtual machines, the first write to a part that was mapped by reading faults again. */
LRD__HOT void lrd__segment_map(lrd_store *store, uint64_t offset, uint64_t bytes)
{
    uint64_t part = offset >> LRD__PART_BITS, end = ((offset + bytes - 1) >> LRD__PART_BITS) + 1;
    uint64_t from = part, to = part;
    bool known = true;
    _Atomic uint16_t *mapped = atomic_load_explicit(&store->mapped, memory_order_acquire);
    if (offset >= store->geo.size) { /* the block is in a mini page */
        mapping_map_mini(store, offset, mapped);
        return;
    }
    if (mapped == NULL)
        mapped = mapping_mapped_new(store);
    for (uint64_t next; part < end; part += next) {
        uint64_t page = part / LRD__PAGE_PARTS;
        uint32_t wanted = mapping_bits(part, end, &next), has = 0, lacks;
        if (mapped != NULL)
            has = atomic_load_explicit(mapped + page, memory_order_relaxed);
        /* Prefetch a line of each part of a large block, so that the processor loads the page table
         * entries of the parts in parallel. */
        for (uint32_t left = bytes > LRD__PAGE ? wanted & has : 0; left != 0; left &= left - 1)
            lrd__prefetch_write(
                store->window +
                ((page * LRD__PAGE_PARTS + (uint32_t)__builtin_ctz(left)) << LRD__PART_BITS));
        if ((wanted & ~has) != 0) {
            lacks = (wanted | mapping_parts(store, page)) & ~has;
            uint64_t start = page * LRD__PAGE_PARTS;
            uint64_t lowest = start + (uint32_t)__builtin_ctz(lacks);
            if (lowest != to) {
                known = mapping_map(store->window, from, to) && known;
                from = lowest;
            }
            to = start + 32 - (uint32_t)__builtin_clz(lacks);
            if (mapped != NULL)
                atomic_fetch_or_explicit(mapped + page, (uint16_t)lacks, memory_order_relaxed);
        }
    }
    if (!mapping_map(store->window, from, to) || !known)
        mapping_read(store->window, offset, bytes);
}

/* ---- committing memory for stored data ---- */

LRD__HOT int lrd__segment_commit(lrd_store *store, uint64_t data_offset, uint64_t length)
{
    int code = lrd__segment_check(store);
    if (code == LRD_OK)
        code = lrd__map_commit(store, store->geo.data_at + data_offset, length);
    if (code == LRD_OK)
        /* The range may have been committed and mapped earlier, and then given back. So mark it as
         * not mapped. */
        mapping_mapped_note(store, data_offset, length, false);
    return code;
}

LRD__HOT int lrd__segment_populate(lrd_store *store, uint64_t data_offset, uint64_t length)
{
    bool mapped;
    int code = lrd__map_populate(store, store->window, data_offset, length, &mapped);
    if (code == LRD_OK && mapped) {
        mapping_mapped_note(store, data_offset, length, true);
        if (data_offset >= store->geo.size)
            atomic_fetch_or_explicit(&store->mapped_minis,
                                     mapping_mini_bits(store, data_offset, length),
                                     memory_order_relaxed);
    }
    return code;
}

LRD__HOT int lrd__segment_commit_mapped(lrd_store *store, uint64_t data_offset, uint64_t length)
{
    int code = lrd__segment_commit(store, data_offset, length);
    return code == LRD_OK ? lrd__segment_populate(store, data_offset, length) : code;
}

int lrd__segment_punch(lrd_store *store, uint64_t data_offset, uint64_t length)
{
    int code = lrd__segment_check(store);
    if (code != LRD_OK)
        return code;
    if (!lrd__segment_gives_back(store))
        return lrd__segment_full(store, length);
    if (fallocate(store->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)(store->geo.data_at + data_offset), (off_t)length) != 0)
        return lrd__segment_fail_errno(store, "giving memory back");
    return LRD_OK;
}

LRD__HOT int lrd__segment_commit_slots(lrd_store *store, uint32_t first, uint32_t count)
{
    int code = lrd__segment_check(store);
    for (uint32_t i = 0; i < count && code == LRD_OK; i++) {
        uint64_t at = store->geo.slots_at + lrd__slot_begin(first + i);
        code = lrd__map_commit(store, at, LRD__SLOT_FIRST);
        /* Do not map a single slot: this thread holds slots_lock, and another process will often
         * claim the slot. If there are several slots, map only the part where each ledger
         * begins. */
        bool mapped;
        if (code == LRD_OK && count > 1)
            code = lrd__map_populate(store, store->control, at, LRD__PART, &mapped);
    }
    return code;
}

int lrd__segment_commit_ledger(lrd_store *store, uint32_t slot, uint32_t room, uint32_t next)
{
    lrd__assert(next <= lrd__slot_entries(slot));
    uint64_t at = store->geo.slots_at + lrd__slot_begin(slot) + offsetof(lrd__slot, ledger);
    int code = lrd__segment_check(store);
    return code == LRD_OK ? lrd__map_commit_area(store, at, room, next, sizeof(uint64_t)) : code;
}

/* ---- mapping ---- */

int lrd__map_fail_address(const lrd_store *store, const char *what)
{
    int error = errno;
    struct rlimit limit;
    char reason[64], needed[32], most[32], cure[160] = "";
    const char *text = lrd__errno_text(error, reason, sizeof reason);
    uint64_t size = store->geo.control_size + 2 * store->geo.data_size; /* data and window */
    if (error == ENOMEM && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(cure, sizeof cure,
                 "; the store needs %s of address space, this process may have %s in all "
                 "(ulimit -v)",
                 lrd__need_text(size, needed, sizeof needed),
                 lrd__size_text(limit.rlim_cur, most, sizeof most));
    return lrd__fail(LRD_EADDR, "%.250s: %s: %s%s", lrd__segment_label(store), what, text, cure);
}

LRD__HOT uint8_t *lrd__map_any(const lrd_store *store, uint64_t offset, uint64_t length, int *code)
{
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, store->fd, (off_t)offset);
    if (memory == MAP_FAILED) {
        *code = errno == ENOMEM ? lrd__map_fail_address(store, "mmap")
                                : lrd__segment_fail_errno(store, "mmap");
        return NULL;
    }
    madvise(memory, length, MADV_DONTDUMP);
    return memory;
}

/* True if store->fd still seems to be the store's file; see lrd__segment_check(). */
static bool mapping_has_descriptor(const lrd_store *store)
{
    struct stat file;
    if (store->fd < 0 || store->inode == 0)
        return store->fd >= 0;
    return fstat(store->fd, &file) == 0 && file.st_dev == store->device &&
           file.st_ino == store->inode;
}

void lrd__mapping_drop(lrd_store *store)
{
    mapping_mapped_drop(store);
    if (store->window != NULL && store->window != store->data)
        munmap(store->window, store->geo.data_size);
    if (store->data != NULL)
        munmap(store->data, store->geo.data_size);
    /* Threads' robust lists may still point to lost leases in this mapping. Keep it until the
     * process ends. */
    if (store->control != NULL && lrd__segment_lost(store) != LRD__LOST_LEASES)
        munmap(store->control, store->geo.control_size);
    if (mapping_has_descriptor(store))
        close(store->fd);
    store->device = store->inode = 0;
    store->window = NULL;
    store->data = NULL;
    store->control = NULL;
    store->header = NULL;
    store->fd = -1;
}

void lrd__segment_unmap(lrd_store *store)
{
    lrd__mapping_drop(store);
    free(store->path);
    store->path = NULL;
}

static int slot_membarrier(int command) { return (int)syscall(SYS_membarrier, command, 0, 0); }

LRD__HOT int lrd__ledger_register_barrier(void)
{
    int supported = slot_membarrier(MEMBARRIER_CMD_QUERY);
    if (supported < 0 || !(supported & MEMBARRIER_CMD_GLOBAL_EXPEDITED) ||
        slot_membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) != 0 ||
        slot_membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0)
        return lrd__fail(LRD_EBARRIER, "membarrier(2): %s; allow it, or create in fence mode",
                         strerror(errno));
    return LRD_OK;
}

LRD__HOT bool lrd__memory_short(const lrd_store *store)
{
    uint64_t until = atomic_load_explicit(&store->header->memory_until, memory_order_relaxed);
    return __builtin_expect(until != 0, 0) && lrd__clock_monotonic_ms() < until;
}

void lrd__memory_note(lrd_store *store)
{
    atomic_store_explicit(&store->header->memory_until, lrd__clock_monotonic_ms() + LRD__MEMORY_MS,
                          memory_order_relaxed);
    atomic_fetch_add_explicit(&store->header->memory_short, 1, memory_order_relaxed);
}
