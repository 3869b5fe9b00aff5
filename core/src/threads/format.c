/* format.c - formats an empty file as a segment, and maps an existing segment. Read
 * lrd__mapping_create() first, then lrd__mapping_attach(). */
#include "threads/format.h"
#include "ground/queue_layout.h"
#include "ground/error.h"
#include "ground/geometry.h"
#include "ground/clock.h"
#include "ground/lease.h"
#include "ground/memory.h"
#include "memory/page.h"
#include "memory/arena.h"
#include "mending/queue_check.h"
#include "threads/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#define MAPPING_TRIES 64
/* If an address range is in use, the next range that is tried begins this number of bytes after the
 * end of the first one. */
#define MAPPING_GAP ((uint64_t)1 << 30)

#ifdef LRD_SINGLE_ALIAS
#define MAPPING_DATA_ACCESS (PROT_READ | PROT_WRITE)
#else
#define MAPPING_DATA_ACCESS PROT_READ
#endif

/* ---- committing ---- */

/* Commit the header, gates, shards, quotas, and the descriptions of the mini pages. */
static int mapping_commit_control(const lrd_store *store)
{
    const lrd__geometry *geo = &store->geo;
    int code = lrd__map_commit(store, 0, geo->slots_at);
    return code != LRD_OK ? code : lrd__map_commit_pages(store, geo->pages, geo->pages_all);
}

/* Give back the memory of the bytes [from, to) of the file. These bytes then read as zeros. */
static int mapping_forget(const lrd_store *store, uint64_t from, uint64_t to)
{
    /* Give back only whole folios: the first and the last one may have bytes outside the range.
     * Write zeros to the rest. */
    if (from < to && store->folio > LRD__PART) {
        uint64_t first = LRD__ALIGN_UP(from, store->folio), last = to & ~(store->folio - 1);
        int code = lrd__map_wipe(store, from, first < to ? first : to);
        if (code == LRD_OK && last >= first && last < to)
            code = lrd__map_wipe(store, last, to);
        if (code != LRD_OK)
            return code;
        from = first;
        to = last;
    }
    if (from >= to || fallocate(store->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                                (off_t)(to - from)) == 0)
        return LRD_OK;
    return lrd__segment_fail_errno(store, "fallocate");
}

/* Clear the descriptions of all pages from pages_high on, except mini pages. Writers expect empty
 * descriptions there, and vetting (vet.c) does not check them. */
static int mapping_forget_pages(const lrd_store *store)
{
    const lrd__geometry *geo = &store->geo;
    const struct {
        uint64_t at, stride;
    } areas[] = {{geo->owners_at, sizeof(uint32_t)},
                 {geo->pages_at, sizeof(lrd__page)},
                 {geo->bits_at, sizeof(lrd__bits)},
                 {geo->run_len_at, LRD__PAGE_UNITS * sizeof(uint32_t)}};
    int code = LRD_OK;
    for (size_t i = 0; i < sizeof areas / sizeof *areas && code == LRD_OK; i++)
        code = mapping_forget(store, areas[i].at + lrd__pages_high(store) * areas[i].stride,
                              areas[i].at + geo->pages * areas[i].stride);
    return code;
}

/* Clear the buckets that the index does not use yet: vetting (vet.c) does not check them, and old
 * entries in them would appear when the index grows. */
static int mapping_forget_rest(const lrd_store *store, uint64_t buckets)
{
    const lrd__geometry *geo = &store->geo;
    uint64_t chunks = buckets / LRD__TIMER_CHUNK + 1;
    int code =
        mapping_forget(store, geo->buckets_at + buckets * sizeof(lrd__bucket), geo->links_at);
    if (code == LRD_OK && geo->policy == LRD_VOLATILE)
        code = mapping_forget(store, geo->links_at + buckets * LRD__WAYS * sizeof(uint32_t),
                              geo->timed_at);
    if (code == LRD_OK && (geo->policy == LRD_VOLATILE || geo->policy == LRD_SESSION))
        code = mapping_forget(store, geo->timed_at + chunks, geo->timers_at);
    if (code == LRD_OK && (geo->policy == LRD_VOLATILE || geo->policy == LRD_SESSION))
        code = mapping_forget(store, geo->timers_at + buckets * LRD__WAYS * sizeof(lrd__timer),
                              geo->ghost_at);
    return code;
}

int lrd__mapping_commit_used(lrd_store *store)
{
    const lrd__geometry *geo = &store->geo;
    uint32_t grown = atomic_load_explicit(&store->header->view.grown, memory_order_relaxed);
    uint64_t buckets = lrd__buckets_end(geo, grown);
    uint64_t bytes = (uint64_t)LRD__TIMER_CHUNK * LRD__WAYS * sizeof(lrd__timer);
    int code = mapping_forget_rest(store, buckets);
    if (code == LRD_OK)
        code = mapping_forget_pages(store);
    if (code == LRD_OK)
        code = mapping_commit_control(store);
    if (code == LRD_OK)
        code = lrd__map_commit_pages(store, 0, lrd__pages_high(store));
    if (code == LRD_OK)
        code = lrd__mapping_commit_index(store, 0, grown);
    if (code == LRD_OK && store->queues != NULL)
        code = lrd__queue_commit_used(store);
    for (uint64_t i = 0; store->expires && code == LRD_OK && i * LRD__TIMER_CHUNK < buckets; i++)
        if (atomic_load_explicit(&store->timed[i], memory_order_relaxed) != 0)
            code = lrd__map_commit_area(store, geo->timers_at, i, i + 1, bytes);
    /* The first and the last folio of a cleared range may be only partly committed, so commit
     * them. */
    return code == LRD_OK ? lrd__map_commit_touched(store) : code;
}

/* ---- mapping ---- */

#ifdef LRD_FAILPOINTS
/* end of the address space, as mapping_data_at() sees it; tests set it to a lower address */
uint64_t lrd__address_end = UINT64_MAX;
static bool mapping_is_beyond(uint64_t end)
{
    errno = ENOMEM;
    return end > lrd__address_end;
}
#else
static bool mapping_is_beyond(uint64_t end)
{
    (void)end;
    return false;
}
#endif

/* Map the data at the address `base`. After LRD_EADDR, *beyond is false if this process uses a part
 * of the range, and true if no process can use it. */
static LRD__HOT int mapping_data_at(lrd_store *store, uint64_t base, bool *beyond)
{
    char place[48];
    uint64_t size = store->geo.data_size;
    void *memory = MAP_FAILED;
    if (!mapping_is_beyond(base + size))
        memory = mmap((void *)(uintptr_t)base, size, MAPPING_DATA_ACCESS,
                      MAP_SHARED | MAP_FIXED_NOREPLACE, store->fd, (off_t)store->geo.data_at);
    *beyond = memory == MAP_FAILED && errno != EEXIST;

    if (memory == (void *)(uintptr_t)base) {
        store->data = memory;
        madvise(memory, size, MADV_DONTDUMP);
        return LRD_OK;
    }
    snprintf(place, sizeof place, "0x%llx-0x%llx", (unsigned long long)base,
             (unsigned long long)base + size);
    if (*beyond)
        return lrd__map_fail_address(store, place);
    /* Old kernels, and tools that control the address space, take `base` only as a hint, so the
     * mapping may lie at another address. Drop such a mapping. */
    if (memory != MAP_FAILED)
        munmap(memory, size);
    return lrd__fail(LRD_EADDR, "%.300s: %s: taken in this process", lrd__segment_label(store),
                     place);
}

/* Map the data at the first free range of addresses from `base` on, with at most MAPPING_TRIES
 * tries. */
static LRD__HOT int mapping_data_above(lrd_store *store, uint64_t base, bool *beyond)
{
    uint64_t size = store->geo.data_size;
    int code = mapping_data_at(store, base, beyond);
    for (int i = 1; code != LRD_OK && !*beyond && i < MAPPING_TRIES; i++) {
        base += LRD__ALIGN_UP(size, LRD__BASE_STEP) + MAPPING_GAP;
        if (!lrd__base_valid(base, size))
            break;
        code = mapping_data_at(store, base, beyond);
    }
    return code;
}

/* Map the data at the address `wanted`. If `wanted` is 0, map it at the first free range of
 * addresses from `from` on. If there is none, search lower: on aarch64, the address space may have
 * only 42 or 39 bits. */
static LRD__HOT int mapping_data(lrd_store *store, uint64_t wanted, uint64_t from)
{
    static const uint32_t smaller[] = {42, 39};
    bool beyond = false;
    int code = wanted != 0 ? mapping_data_at(store, wanted, &beyond)
                           : mapping_data_above(store, from, &beyond);
    for (size_t i = 0; code != LRD_OK && wanted == 0 && i < sizeof smaller / sizeof *smaller; i++)
        code = mapping_data_above(store, lrd__base_within(from, smaller[i]), &beyond);
    if (code != LRD_OK)
        return code;
#ifdef LRD_SINGLE_ALIAS
    store->window = store->data;
#else
    store->window = lrd__map_any(store, store->geo.data_at, store->geo.data_size, &code);
#endif
    return code;
}

/* Set the fields of the store that follow from its geometry and from the header of the segment. */
static LRD__HOT void mapping_fill(lrd_store *store, uint64_t seed, bool fence)
{
    const lrd__geometry *geo = &store->geo;
    uint8_t *control = store->control;

    store->seed = seed;
    store->device = store->header->device;
    store->inode = store->header->inode;
    atomic_store_explicit(&store->look_at, UINT64_MAX, memory_order_relaxed);
    store->fence = fence;
    store->buckets_first = (uint64_t)geo->buckets << geo->shard_bits;
    store->view = &store->header->view;
    store->listed = geo->policy != LRD_IMMUTABLE;
    store->evicts = geo->policy == LRD_VOLATILE;
    store->expires = geo->policy == LRD_VOLATILE || geo->policy == LRD_SESSION;
    store->gates = (lrd__gate *)(control + geo->gates_at);
    store->shards = (lrd__shard *)(control + geo->shards_at);
    store->quotas = (_Atomic uint16_t *)(control + geo->quotas_at);
    store->keylock_owners = (_Atomic uint16_t *)(control + geo->keylock_owners_at);
    store->keylock_heads = (uint32_t *)(control + geo->keylock_heads_at);
    store->keylocks = (lrd__keylock *)(control + geo->keylocks_at);
    store->owners = (_Atomic uint32_t *)(control + geo->owners_at);
    store->pages = (lrd__page *)(control + geo->pages_at);
    store->bits = (lrd__bits *)(control + geo->bits_at);
    store->run_len = (_Atomic uint32_t *)(control + geo->run_len_at);
    store->buckets = (lrd__bucket *)(control + geo->buckets_at);
    if (geo->policy == LRD_QUEUE) {
        store->queue_shards = (lrd__queue_shard *)(control + geo->queue_shards_at);
        store->queues = (lrd__queue *)(control + geo->queues_at);
        store->messages = (lrd__message *)(control + geo->messages_at);
    }
    if (store->expires) {
        store->timed = (_Atomic uint8_t *)(control + geo->timed_at);
        store->timers = (lrd__timer *)(control + geo->timers_at);
    }
    if (store->evicts) {
        store->links = (uint32_t *)(control + geo->links_at);
        store->ghost = (uint32_t *)(control + geo->ghost_at);
    }
}

LRD__HOT int lrd__mapping_attach(lrd_store *store, const lrd__request *request,
                                 const lrd__header *header, bool alone)
{
    int code = LRD_OK;
    bool fence = header->fence != 0;
    if (!fence && lrd__ledger_register_barrier() != LRD_OK) {
        if (!alone || request->options->open_only)
            return lrd__fail(
                LRD_EBARRIER,
                "%.300s: created without fence mode, but membarrier(2) is not available here",
                lrd__segment_label(store));
        /* turn on fence mode for every process that uses the segment from now on */
        fence = true;
        code = lrd__map_limit(store, sizeof *header);
        if (code != LRD_OK)
            return code;
        if (lrd__header_fence(store->fd, header) != LRD_OK)
            return lrd__segment_fail_errno(store, "write");
    }
    store->created = false;
    store->clock_ms = request->options->clock_ms;
    store->clock_arg = request->options->clock_arg;
    code = lrd__memory_folio(store);
    if (code == LRD_OK)
        code = lrd__map_commit_touched(store);
    if (code != LRD_OK)
        return code;
    store->control = lrd__map_any(store, 0, store->geo.control_size, &code);
    if (store->control == NULL)
        return code;
    store->header = (lrd__header *)store->control;
    code = mapping_data(store, header->base, 0);
    if (code != LRD_OK)
        return code;
    mapping_fill(store, header->seed, fence);
    return LRD_OK;
}

/* ---- formatting ---- */

static int mapping_size_file(lrd_store *store)
{
    uint64_t size = store->geo.file_size;
    int code = lrd__map_limit(store, size);
    if (code != LRD_OK)
        return code;
    if (ftruncate(store->fd, (off_t)size) != 0)
        return lrd__map_fail_space(store, "ftruncate", size);
    return LRD_OK;
}

#ifdef LRD_FAILPOINTS
uint64_t lrd__test_hash_seed;
#endif

static int mapping_seed(const lrd_store *store, uint64_t *seed)
{
    ssize_t got;
#ifdef LRD_FAILPOINTS
    *seed = lrd__test_hash_seed;
    if (*seed != 0)
        return LRD_OK;
#endif
    do
        got = getrandom(seed, sizeof *seed, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *seed ? LRD_OK : lrd__segment_fail_errno(store, "getrandom");
}

static int mapping_format_header(lrd_store *store, const lrd__request *request)
{
    struct stat file;
    uint64_t seed = 0;
    lrd__header *header = store->header;
    bool fence = request->options->fence || lrd__ledger_register_barrier() != LRD_OK;

    if (fstat(store->fd, &file) != 0)
        return lrd__segment_fail_errno(store, "fstat");
    int code = mapping_seed(store, &seed);
    if (code != LRD_OK)
        return code;
    lrd__header_fill(header, &store->geo, (uint64_t)(uintptr_t)store->data, seed, fence, &file,
                     request->options, &request->self);
    lrd__namespaces_record(header, &request->self);
    header->created = lrd__clock_boot_ms();
    lrd__view *view = &header->view;
    atomic_store_explicit(&view->epoch, 1, memory_order_relaxed);
    atomic_store_explicit(&view->grown, store->geo.buckets << store->geo.shard_bits,
                          memory_order_relaxed);
    atomic_store_explicit(&view->mask, LRD__MASK_FIRST, memory_order_relaxed);
    atomic_store_explicit(&view->next, LRD__MASK_FIRST, memory_order_relaxed);
    mapping_fill(store, seed, fence);
    lrd__mutex_init(&header->slots_lock);
    return LRD_OK;
}

/* Initialise the gates. The first holder of a shard's lock initialises the rest of the shard. */
static void mapping_format_gates(lrd_store *store)
{
    for (uint32_t i = 0; i < store->geo.shards; i++) {
        lrd__mutex_init(&store->gates[i].lock);
        atomic_store_explicit(&store->gates[i].vetted, 1, memory_order_relaxed);
    }
    atomic_store_explicit(&store->header->settled, 1, memory_order_relaxed);
}

/* Map the memory that every process with a new segment uses: header, gates and shards. */
static int mapping_warm_control(lrd_store *store)
{
    bool mapped;
    return store->geo.quotas_at > LRD__MAP_WARM
               ? LRD_OK
               : lrd__map_populate(store, store->control, 0, store->geo.quotas_at, &mapped);
}

/* Map the memory that the first values will use. Otherwise the first writes cause page faults. */
static int mapping_warm(lrd_store *store)
{
    bool mapped;
    const lrd__geometry *geo = &store->geo;
    uint64_t buckets = lrd__buckets_end(geo, (uint64_t)geo->buckets << geo->shard_bits);
    const struct {
        uint64_t at, bytes;
    } areas[] = {
        {geo->owners_at + geo->pages * sizeof(uint32_t),
         (geo->pages_all - geo->pages) * sizeof(uint32_t)},
        {geo->pages_at + geo->pages * sizeof(lrd__page),
         (geo->pages_all - geo->pages) * sizeof(lrd__page)},
        {geo->bits_at + geo->pages * sizeof(lrd__bits), lrd__map_minis(store) * sizeof(lrd__bits)},
        {geo->buckets_at, buckets * sizeof(lrd__bucket)},
        {geo->links_at, store->evicts ? buckets * LRD__WAYS * sizeof(uint32_t) : 0},
    };
    int code = LRD_OK;
    for (size_t i = 0; i < sizeof areas / sizeof *areas && code == LRD_OK; i++)
        if (areas[i].bytes <= LRD__MAP_WARM)
            code = lrd__map_populate(store, store->control, areas[i].at, areas[i].bytes, &mapped);
    if (code == LRD_OK)
        code = lrd__map_populate(store, store->window, geo->size, lrd__map_minis(store) * LRD__PART,
                                 &mapped);
    store->mapped_minis = (1ull << lrd__map_minis(store)) - 1;
#ifndef LRD_SINGLE_ALIAS
    madvise(store->data + geo->size, lrd__map_minis(store) * LRD__PART, MADV_POPULATE_READ);
#endif
    return code;
}

LRD__HOT int lrd__mapping_create(lrd_store *store, const lrd__request *request)
{
    store->geo = request->geo;
    store->clock_ms = request->options->clock_ms;
    store->clock_arg = request->options->clock_arg;
    int code = lrd__memory_folio(store);
    if (code == LRD_OK)
        code = lrd__memory_judge(store, request->options->reserve_for_others);
    if (code == LRD_OK)
        code = mapping_size_file(store);
    if (code != LRD_OK)
        return code;
    LRD__FAILPOINT("segment_sized");
    code = mapping_commit_control(store);
    if (code == LRD_OK)
        code = lrd__mapping_commit_index(store, 0, store->geo.buckets << store->geo.shard_bits);
    if (code == LRD_OK)
        code = lrd__map_commit(store, store->geo.data_at + store->geo.size,
                               lrd__map_minis(store) * LRD__PART);
    if (code != LRD_OK)
        return code;
    LRD__FAILPOINT("segment_committed");
    store->control = lrd__map_any(store, 0, store->geo.control_size, &code);
    if (store->control == NULL)
        return code;
    store->header = (lrd__header *)store->control;
    code = mapping_warm_control(store);
    if (code != LRD_OK)
        return code;
    /* Store the magic number early, so that the file is recognised as Larder's even if this process
     * is killed. */
    store->header->magic = LRD__MAGIC;
    code = mapping_data(store, request->options->base,
                        request->options->base_from != 0 ? request->options->base_from
                                                         : LRD__BASE_DEFAULT);
    if (code != LRD_OK)
        return code;
    LRD__FAILPOINT("segment_mapped");
    code = mapping_format_header(store, request);
    if (code != LRD_OK)
        return code;
    lrd__clock_refresh(store);
    mapping_format_gates(store);
    for (uint32_t i = 0; i < lrd__map_minis(store); i++)
        atomic_store_explicit(&store->pages[store->geo.pages + i].committed, 1,
                              memory_order_relaxed);
    LRD__FAILPOINT("segment_formatted");
    if (store->scarce && store->geo.policy == LRD_VOLATILE) {
        /* In a small file system, the zone may use up the space. A thread cannot use the zone
         * without a slot, so commit a few slots first. */
        code = lrd__slots_prepare(store);
        if (code != LRD_OK)
            return code;
        code = lrd__zone_reserve(store);
        if (code != LRD_OK && code != LRD_ENOSPC)
            return code;
    }
    /* Other processes read the state under the file's lock. A process that reads LRD__STATE_READY
     * also sees everything that was written before. */
    atomic_store_explicit(&store->header->state, LRD__STATE_READY, memory_order_release);
    store->created = true;
    code = mapping_warm(store);
    LRD__FAILPOINT("segment_ready");
    return code;
}
