/* map.h - what map.c offers. */
#pragma once

#include "ground/private.h"

/* Commit memory for an index of `buckets` buckets. The first `before` buckets are committed
 * already. */
int lrd__mapping_commit_index(lrd_store *store, uint32_t before, uint32_t buckets);
/* Record that other programs may change the file, because it has a name or cannot be sealed. */
void lrd__mapping_watch(lrd_store *store);
/* Unmap and close everything; the store may be opened again. */
void lrd__mapping_drop(lrd_store *store);
void lrd__segment_unmap(lrd_store *store);
/* Commit a range of the data, or `count` slots. If `count` is above 1, the slots are also mapped.
 * Errors: LRD_ENOSPC, LRD_ETRUNCATED. */
int lrd__segment_commit(lrd_store *store, uint64_t data_offset, uint64_t length);
int lrd__segment_commit_slots(lrd_store *store, uint32_t first, uint32_t count);
/* Commit entries [room, next) of a slot's ledger. Errors: LRD_ENOSPC, LRD_ETRUNCATED. */
int lrd__segment_commit_ledger(lrd_store *store, uint32_t slot, uint32_t room, uint32_t next);
/* Clear a committed range of the data that was never touched and will be written next, and map it
 * in the window. This one call is cheaper than a fault for each part. Returns LRD_ETRUNCATED if the
 * file has become shorter. */
int lrd__segment_populate(lrd_store *store, uint64_t data_offset, uint64_t length);
/* Do lrd__segment_commit(), then lrd__segment_populate(). */
int lrd__segment_commit_mapped(lrd_store *store, uint64_t data_offset, uint64_t length);
/* Map the caller's committed block in the window before the caller writes it, together with the
 * other committed parts of its pages. */
void lrd__segment_map(lrd_store *store, uint64_t offset, uint64_t bytes);
/* Map a committed range of the control mapping before it is written. This one call is cheaper than
 * a fault for each part. */
void lrd__segment_map_control(const lrd_store *store, uint64_t offset, uint64_t bytes);
static inline void lrd__segment_touch(lrd_store *store, uint64_t offset, uint64_t bytes)
{
    if (offset >= store->geo.size &&
        (atomic_load_explicit(&store->mapped_minis, memory_order_relaxed) >>
             ((offset - store->geo.size) >> LRD__PART_BITS) &
         1) != 0)
        return;
    /* Pairs with the compare-and-swap of the thread that allocated the map. */
    const _Atomic uint16_t *mapped = atomic_load_explicit(&store->mapped, memory_order_acquire);
    if (__builtin_expect(bytes > LRD__SMALL_MAX || mapped == NULL, 0) ||
        __builtin_expect(
            (atomic_load_explicit(mapped + (offset >> LRD__PAGE_BITS), memory_order_relaxed) >>
                 (offset >> LRD__PART_BITS) % LRD__PAGE_PARTS &
             1) == 0,
            0))
        lrd__segment_map(store, offset, bytes);
}
/* Return LRD_ENOSPC, with the figures of the file system in the detail. */
int lrd__segment_full(const lrd_store *store, uint64_t length);
/* Return true if memory can be given back while the store is used. False for a file on a disk: a
 * hole there would endanger writes to the rest of its folio; see map.c. */
static inline bool lrd__segment_gives_back(const lrd_store *store)
{
    return store->folio <= LRD__PART;
}
/* Give the file's memory back to the file system. Fails with LRD_ENOSPC if
 * lrd__segment_gives_back() returns false. */
int lrd__segment_punch(lrd_store *store, uint64_t data_offset, uint64_t length);
/* Commit a range of the control mapping. `offset` is relative to its start. */
int lrd__segment_commit_control(lrd_store *store, uint64_t offset, uint64_t length);
/* Commit the parts of the control mapping that an index of `buckets` buckets needs in addition to
 * an index of `before` buckets. */
int lrd__segment_commit_index(lrd_store *store, uint32_t before, uint32_t buckets);
/* Commit the descriptions of pages [first, end). */
int lrd__segment_commit_pages(lrd_store *store, uint64_t first, uint64_t end);
/* Check that the descriptor still refers to our segment, and that the file has its full length.
 * Returns LRD_OK, LRD_ESYS or LRD_ETRUNCATED. */
int lrd__segment_check(lrd_store *store);
/* Check the file like lrd__segment_check(). If its memory was lost, also replace the lost memory,
 * as lrd__segment_look_due() does. [no lock is held] */
int lrd__segment_check_unlocked(lrd_store *store);
/* Check whether the store's name still leads to its file, at most once a second. Returns LRD_OK,
 * LRD_EMOVED or LRD_ETRUNCATED. If the file was truncated, private memory replaces the index, so
 * that no lost block is found. If the slots are lost too, private memory replaces them and their
 * leases. [no lock is held] */
int lrd__segment_look_due(lrd_store *store);
static inline int lrd__segment_look(lrd_store *store)
{
    return store->watched ? lrd__segment_look_due(store) : LRD_OK;
}
/* Check now whether the store's name still leads to its file. */
int lrd__segment_look_now(lrd_store *store);
static inline uint32_t lrd__segment_lost(const lrd_store *store)
{
    return atomic_load_explicit(&store->lost, memory_order_relaxed);
}

/* Prefetch a cache line that is about to be written. */
static inline void lrd__prefetch_write(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}
/* Register this process for membarrier, and check that membarrier works. Returns LRD_OK or
 * LRD_EBARRIER. */
int lrd__ledger_register_barrier(void);
/* Return true if the file system was full a moment ago, so that the caller should use only memory
 * that is committed already. */
bool lrd__memory_short(const lrd_store *store);
/* Record that the file system is full, and count it. */
void lrd__memory_note(lrd_store *store);
/* areas larger than this number of bytes are not touched when a segment is created */
#define LRD__MAP_WARM ((uint64_t)64 << 10)
/* Return the number of mini pages that are committed when a segment is created. */
uint64_t lrd__map_minis(const lrd_store *store);
/* Return the code for an fallocate() or ftruncate() that failed with errno. */
int lrd__map_fail_space(const lrd_store *store, const char *call, uint64_t length);
int lrd__map_commit(const lrd_store *store, uint64_t offset, uint64_t length);
/* Clear the bytes [from, to) of the file, but keep their room in the file system. Holes stay
 * holes. */
int lrd__map_wipe(const lrd_store *store, uint64_t from, uint64_t to);
/* Fill the holes beside written parts of a file on a disk. A sparse copy of a segment has such
 * holes, and so have files of older versions. */
int lrd__map_commit_touched(const lrd_store *store);
/* Clear a range that was just committed, and map it so that it can be written. This one call is
 * cheaper than a fault for each part. *mapped becomes false if the kernel does not know the call;
 * each part then faults at its first write. Returns LRD_ENOSPC or LRD_ETRUNCATED if a write to the
 * range would raise SIGBUS. */
int lrd__map_populate(lrd_store *store, uint8_t *memory, uint64_t offset, uint64_t length,
                      bool *mapped);
/* Commit memory for elements [before, next) of an area, and for the rest of the page that has the
 * first of these elements. */
int lrd__map_commit_area(const lrd_store *store, uint64_t at, uint64_t before, uint64_t next,
                         uint64_t stride);
int lrd__map_commit_pages(const lrd_store *store, uint64_t first, uint64_t end);
/* Map memory read-write at any address. Returns NULL after an error; *code has the error. */
uint8_t *lrd__map_any(const lrd_store *store, uint64_t offset, uint64_t length, int *code);
