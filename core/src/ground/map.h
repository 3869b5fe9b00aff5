/* map.h - what map.c offers. */
#pragma once

#include "ground/private.h"

/* Commit the index buckets [before, buckets). The earlier buckets are committed already. */
int lrd__mapping_commit_index(lrd_store *store, uint32_t before, uint32_t buckets);
/* Check the file for changes from now on. Call this if the file has a name, or cannot be sealed. */
void lrd__mapping_watch(lrd_store *store);
/* Unmap the segment and close its file. The store may be opened again. */
void lrd__mapping_drop(lrd_store *store);
void lrd__segment_unmap(lrd_store *store);
/* lrd__segment_commit() commits a range of the data. lrd__segment_commit_slots() commits `count`
 * slots, and maps them if `count` is above 1. Both fail with LRD_ENOSPC or LRD_ETRUNCATED. */
int lrd__segment_commit(lrd_store *store, uint64_t data_offset, uint64_t length);
int lrd__segment_commit_slots(lrd_store *store, uint32_t first, uint32_t count);
/* Commit entries [room, next) of a slot's ledger. Fails with LRD_ENOSPC or LRD_ETRUNCATED. */
int lrd__segment_commit_ledger(lrd_store *store, uint32_t slot, uint32_t room, uint32_t next);
/* Map a committed range of the data before its first use. Fails with LRD_ENOSPC or
 * LRD_ETRUNCATED. */
int lrd__segment_populate(lrd_store *store, uint64_t data_offset, uint64_t length);
/* Call lrd__segment_commit(), and then lrd__segment_populate(). */
int lrd__segment_commit_mapped(lrd_store *store, uint64_t data_offset, uint64_t length);
/* Map a committed block in the window, and the other committed parts of its pages. The caller owns
 * the block. */
void lrd__segment_map(lrd_store *store, uint64_t offset, uint64_t bytes);
/* Map a committed range of the control mapping with one call instead of page faults. */
void lrd__segment_map_control(const lrd_store *store, uint64_t offset, uint64_t bytes);
static inline void lrd__segment_touch(lrd_store *store, uint64_t offset, uint64_t bytes)
{
    if (offset >= store->geo.size &&
        (atomic_load_explicit(&store->mapped_minis, memory_order_relaxed) >>
             ((offset - store->geo.size) >> LRD__PART_BITS) &
         1) != 0)
        return;
    /* This acquire pairs with the compare-and-swap that stores store->mapped. */
    const _Atomic uint16_t *mapped = atomic_load_explicit(&store->mapped, memory_order_acquire);
    if (__builtin_expect(bytes > LRD__SMALL_MAX || mapped == NULL, 0) ||
        __builtin_expect(
            (atomic_load_explicit(mapped + (offset >> LRD__PAGE_BITS), memory_order_relaxed) >>
                 (offset >> LRD__PART_BITS) % LRD__PAGE_PARTS &
             1) == 0,
            0))
        lrd__segment_map(store, offset, bytes);
}
/* Report that there is no space for `length` bytes. Returns LRD_ENOSPC. */
int lrd__segment_full(const lrd_store *store, uint64_t length);
/* True if memory can be given back while the store is used. This is false for a file on a disk:
 * giving memory back would make a hole, which the invariant of map.c forbids. */
static inline bool lrd__segment_gives_back(const lrd_store *store)
{
    return store->folio <= LRD__PART;
}
/* Give a range of the data back to the file system. Fails with LRD_ENOSPC if
 * lrd__segment_gives_back() is false. */
int lrd__segment_punch(lrd_store *store, uint64_t data_offset, uint64_t length);
int lrd__segment_commit_control(lrd_store *store, uint64_t offset, uint64_t length);
/* Commit the memory with which the index grows from `before` to `buckets` buckets. */
int lrd__segment_commit_index(lrd_store *store, uint32_t before, uint32_t buckets);
int lrd__segment_commit_pages(lrd_store *store, uint64_t first, uint64_t end);
/* Check that store->fd is still the segment's file, with its full length. Returns LRD_OK, LRD_ESYS
 * or LRD_ETRUNCATED. */
int lrd__segment_check(lrd_store *store);
/* Call lrd__segment_check(). If the file was truncated, also replace its lost memory. [no lock is
 * held] */
int lrd__segment_check_unlocked(lrd_store *store);
/* Check, at most once a second, whether the store's name still leads to its file. Returns LRD_OK,
 * LRD_EMOVED or LRD_ETRUNCATED. The lost memory of a truncated file is replaced by private memory.
 * [no lock is held] */
int lrd__segment_look_due(lrd_store *store);
static inline int lrd__segment_look(lrd_store *store)
{
    return store->watched ? lrd__segment_look_due(store) : LRD_OK;
}
/* True if lrd__segment_look() finds the file truncated or overwritten. For calls that still work if
 * the file was moved. [no lock is held] */
static inline bool lrd__segment_is_truncated(const lrd_store *store)
{
    /* The cast is safe, because the check changes only private memory. */
    return lrd__segment_look((lrd_store *)(uintptr_t)store) == LRD_ETRUNCATED;
}
/* Check like lrd__segment_look_due(), but without the limit of once a second. */
int lrd__segment_look_now(lrd_store *store);
static inline uint32_t lrd__segment_lost(const lrd_store *store)
{
    return atomic_load_explicit(&store->lost, memory_order_relaxed);
}

static inline void lrd__prefetch_write(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}
/* Register this process for membarrier, and test it. Returns LRD_OK or LRD_EBARRIER. */
int lrd__ledger_register_barrier(void);
/* True if the file system was full a moment ago. The caller should then commit no memory. */
bool lrd__memory_short(const lrd_store *store);
/* Record that the file system is full, and count this event. */
void lrd__memory_note(lrd_store *store);
/* an area of at most this number of bytes is mapped when it is committed */
#define LRD__MAP_WARM ((uint64_t)64 << 10)
/* Return the number of mini pages that are committed with a new segment. */
uint64_t lrd__map_minis(const lrd_store *store);
/* Report a failure of fallocate() or ftruncate(); errno has the reason. Returns LRD_ENOSPC if there
 * is no space, otherwise LRD_ESYS. */
int lrd__map_fail_space(const lrd_store *store, const char *call, uint64_t length);
int lrd__map_commit(const lrd_store *store, uint64_t offset, uint64_t length);
/* Check that RLIMIT_FSIZE allows writes up to `end`: beyond it, SIGXFSZ would end the host. Returns
 * LRD_OK or LRD_EFILESIZE. */
int lrd__map_limit(const lrd_store *store, uint64_t end);
/* Clear the bytes [from, to) of the file, but keep their room. Holes remain holes. */
int lrd__map_wipe(const lrd_store *store, uint64_t from, uint64_t to);
/* True if all bytes [from, to) of the file are 0. Commits no memory for holes in this range. */
bool lrd__map_is_zero(const lrd_store *store, uint64_t from, uint64_t to);
/* In a file on a disk, commit every folio that contains written data. After a sparse copy of the
 * file, such a folio may have holes. The invariant in map.c forbids these holes. */
int lrd__map_commit_touched(const lrd_store *store);
/* Map a range that was just committed. *mapped is false if the kernel lacks MADV_POPULATE_WRITE.
 * Fails with LRD_ENOSPC or LRD_ETRUNCATED if a write would raise SIGBUS. */
int lrd__map_populate(lrd_store *store, uint8_t *memory, uint64_t offset, uint64_t length,
                      bool *mapped);
int lrd__map_commit_area(const lrd_store *store, uint64_t at, uint64_t before, uint64_t next,
                         uint64_t stride);
int lrd__map_commit_pages(const lrd_store *store, uint64_t first, uint64_t end);
/* Report that mapping `what` failed; errno has the reason. Returns LRD_EADDR. */
int lrd__map_fail_address(const lrd_store *store, const char *what);
/* Map memory for reading and writing. On an error, returns NULL and sets *code. */
uint8_t *lrd__map_any(const lrd_store *store, uint64_t offset, uint64_t length, int *code);
