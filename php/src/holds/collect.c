/* collect.c - releases values that a request without end holds but does not use any more. Read
 * larder_holds_collect() first. memory.c says which memory is searched, and why that is all.
 *
 * Every value that a get returns is held (its block is not freed) until the request ends. Strings
 * and arrays in a store have no reference count, so nothing tells when PHP's last variable is gone.
 * A daemon would soon hold as much as it may (larder_host.h), and would get copies from then on. So
 * when a value cannot be held, all memory of the process is searched once for pointers into held
 * values. Values without a pointer are released. A search reads some megabytes, and may release a
 * thousand values.
 *
 * - If a search missed a pointer, memory could be reused while PHP reads it. So the search relies
 *   neither on a list of places where values may be, nor on a promise of the user.
 * - Larder's own memory is searched, too. An address in it, or in a C function further up the
 *   stack, keeps a value. So Larder keeps no address longer than necessary. Before a search, it
 *   frees resident graphs to which PHP does not refer (fetch/resident.c), and erases the tables of
 *   plans (put/plan_memory.c). It erases memory with addresses before it frees it. A table that
 *   finds copies by the address of the original contains the complement of that address
 *   (fetch/copies.c).
 * - No search runs while a request ends. After a fatal error the stacks of fibers are gone, but the
 *   owners of values on them still exist. */
#include "holds/holds.h"
#include "stores/settings.h"

#include "zend_sort.h"

#include <sys/mman.h>
#include <unistd.h>

#define COLLECT_HOLDS (LARDER_KINDS * (size_t)LRD_HOLDS_MAX)
#define COLLECT_OWN (COLLECT_HOLDS * sizeof(lrd_held) + LARDER_MEMORY_SCRATCH)
/* Between two requests a worker searches if the number of values that it holds has risen by this
 * number since the last search. If a search is expensive, the number must have risen by more. */
#define COLLECT_BETWEEN 1024u

/* The time that a get saves if it need not copy the value. The unit of time is that in which a
 * search reads one byte. */
#define COLLECT_SAVES 8192u /* for any value */
/* additional time saved for each byte of the value, in the same unit */
#define COLLECT_SAVES_BYTE 16u
/* after a search that did not pay, the next search waits for this number of copies; the number
 * doubles after each such search */
#define COLLECT_WAIT_MIN 16u
#define COLLECT_WAIT_MAX 16384u /* the most copies for which a search waits */

/* A request without end also searches before it holds its share of a store. Otherwise its unused
 * values would reduce the share of other processes, and nothing can ask an idle process to release
 * them. The first search comes when the request holds the size of the store divided by this
 * number. */
#define COLLECT_LIMIT_PART 64u
/* Later searches come when the process holds twice the bytes that it uses. If there is much memory
 * to read, they come even later, because a search should save this many times the bytes that it
 * reads. */
#define COLLECT_LIMIT_PAYS 4u

static int collect_compare(const void *one, const void *other)
{
    const lrd_held *a = one, *b = other;
    return a->from < b->from ? -1 : a->from > b->from;
}

static void collect_swap(void *one, void *other)
{
    lrd_held held = *(lrd_held *)one;
    *(lrd_held *)one = *(lrd_held *)other;
    *(lrd_held *)other = held;
}

/* Mark the values that are in use. Searches the stack from the frame of the caller on. */
static zend_never_inline bool collect_mark(larder_memory *memory)
{
    memory->frames = __builtin_frame_address(0);
    return larder_memory_mark(memory);
}

static size_t collect_list(lrd_held *held)
{
    size_t count = 0;
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (LARDER_G(active)[kind] != NULL)
            count += lrd_holds(LARDER_G(active)[kind], held + count, LRD_HOLDS_MAX);
    return count;
}

/* Release the values that are not in use. Returns the time that this will save in later gets,
 * in the unit of COLLECT_SAVES. */
static size_t collect_end(const larder_memory *memory)
{
    size_t saves = 0;
    for (size_t i = 0; i < memory->count; i++)
        if (!memory->held[i].used)
            saves +=
                COLLECT_SAVES + (memory->held[i].to - memory->held[i].from) * COLLECT_SAVES_BYTE;
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (LARDER_G(active)[kind] != NULL)
            lrd_holds_end(LARDER_G(active)[kind], memory->held, memory->count);
    return saves;
}

/* Return the scratch memory. It contains addresses that no search may find, not even a search of
 * another thread. So it lies in shared memory, which is not searched. A forked child does not
 * inherit it. NULL: no memory. */
static char *collect_own(void)
{
    void *own = LARDER_G(holds_own);
    if (own != NULL && LARDER_G(holds_own_of) == getpid())
        return own;
    LARDER_G(holds_own) = NULL;
    own = mmap(NULL, COLLECT_OWN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        return NULL;
    if (madvise(own, COLLECT_OWN, MADV_DONTFORK) != 0) {
        munmap(own, COLLECT_OWN);
        return NULL;
    }
    LARDER_G(holds_own_of) = getpid();
    return LARDER_G(holds_own) = own;
}

void larder_holds_end(zend_larder_globals *globals)
{
    larder_memory_end(globals->holds_heap);
    if (globals->holds_own != NULL && globals->holds_own_of == getpid())
        munmap(globals->holds_own, COLLECT_OWN);
}

/* Search, and release the values that are not in use. Returns the number of bytes that were read;
 * 0: a search is impossible. *saves: see collect_end(). */
static zend_never_inline size_t collect(size_t *saves)
{
    larder_memory memory = {.count = 0};
    /* save the registers of the callers in this frame, so that the search finds them */
    __builtin_unwind_init();
    *saves = 0;
    if (!larder_configured.collect || CG(unclean_shutdown) || (EG(flags) & EG_FLAGS_IN_SHUTDOWN) ||
        !EG(current_execute_data))
        return 0;
    char *own = collect_own();
    if (own == NULL || !larder_memory_may_mark())
        return 0;
    larder_built_above.unused();
    memory.held = (lrd_held *)(void *)own;
    memory.scratch = own + COLLECT_HOLDS * sizeof(lrd_held);
    memory.count = collect_list(memory.held);
    /* Sort in place. qsort() would leave addresses in freed memory, where the search would find
     * them. */
    zend_sort(memory.held, memory.count, sizeof *memory.held, collect_compare, collect_swap);
    bool good = collect_mark(&memory);
    if (good)
        *saves = collect_end(&memory);
    return good ? memory.looked : 0;
}

/* Search, unless a signal handler has interrupted a call of the core, because the values that this
 * call uses would be released. */
static zend_always_inline size_t collect_guarded(size_t *saves)
{
    *saves = 0;
    if (!larder_enter())
        return 0;
    size_t looked = collect(saves);
    larder_leave();
    return looked;
}

bool larder_holds_collect(void)
{
    size_t saves;
    return collect_guarded(&saves) != 0;
}

static uint64_t holds_limit_min(const lrd_store *store)
{
    lrd_info info;
    lrd_store_info(store, &info);
    return info.size / COLLECT_LIMIT_PART;
}

void larder_holds_limit(larder_kind kind, lrd_store *store)
{
    LARDER_G(holds_limit)[kind] = holds_limit_min(store);
    if (larder_enter()) {
        lrd_holds_limit(store, LARDER_G(holds_limit)[kind]);
        larder_leave();
    }
}

/* Search because this process holds more than its own limit. Then set the next limit. */
static zend_never_inline void holds_at_limit(lrd_store *store, size_t bytes)
{
    int kind = 0;
    while (kind < LARDER_KINDS - 1 && LARDER_G(active)[kind] != store)
        kind++;
    uint64_t limit = LARDER_G(holds_limit)[kind], held;
    size_t saves, looked = collect_guarded(&saves);
    lrd_holds_limited(store, &held);
    held += bytes;
    if (looked == 0)
        limit = 0; /* a search is impossible here */
    else if (saves / COLLECT_LIMIT_PAYS < looked)
        limit *= 2;
    else if (saves / COLLECT_LIMIT_PAYS / 4 > looked)
        limit = MAX(limit / 2, holds_limit_min(store));
    if (limit != 0 && limit < 2 * held)
        limit = 2 * held;
    LARDER_G(holds_limit)[kind] = limit;
    if (larder_enter()) {
        lrd_holds_limit(store, limit);
        larder_leave();
    }
}

bool larder_holds_make_room(lrd_store *store, size_t bytes)
{
    size_t saves, looked;
    uint64_t held;
    if (lrd_holds_limited(store, &held)) {
        holds_at_limit(store, bytes);
        return true;
    }
    if (LARDER_G(holds_wait) != 0) {
        size_t worth = 1 + bytes * COLLECT_SAVES_BYTE / COLLECT_SAVES;
        LARDER_G(holds_wait) -= (uint32_t)MIN(worth, LARDER_G(holds_wait));
        return false;
    }
    looked = collect_guarded(&saves);
    if (looked != 0 && saves >= looked) {
        LARDER_G(holds_waited) = 0;
        return true;
    }
    uint32_t waited = MAX(2 * LARDER_G(holds_waited), COLLECT_WAIT_MIN);
    LARDER_G(holds_wait) = LARDER_G(holds_waited) = MIN(waited, COLLECT_WAIT_MAX);
    return saves != 0;
}

size_t larder_holds_count(void)
{
    size_t count = 0;
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (LARDER_G(active)[kind] != NULL)
            count += lrd_holds(LARDER_G(active)[kind], NULL, 0);
    return count;
}

void larder_holds_between_requests(void)
{
    for (uint32_t kind = 0; kind < LARDER_KINDS; kind++)
        if (LARDER_G(active)[kind] != NULL && !(LARDER_G(holds_worker) >> kind & 1)) {
            LARDER_G(holds_worker) |= 1u << kind;
            if (!larder_configured.endless)
                larder_holds_limit((larder_kind)kind, LARDER_G(active)[kind]);
        }
    size_t saves, looked, count = larder_holds_count();
    if (count < MAX(LARDER_G(holds_at), COLLECT_BETWEEN))
        return;
    looked = collect_guarded(&saves);
    size_t more = looked != 0 ? looked / COLLECT_SAVES * COLLECT_LIMIT_PAYS : count;
    LARDER_G(holds_at) = larder_holds_count() + MIN(MAX(more, COLLECT_BETWEEN), LRD_HOLDS_MAX / 4);
}

#ifdef LRD_POISON
larder_holds_mode larder_holds_stressed(void)
{
    static larder_holds_mode mode = LARDER_HOLDS_UNKNOWN;
    if (mode == LARDER_HOLDS_UNKNOWN) {
        const char *text = getenv("LARDER_COLLECT");
        mode = text == NULL                  ? LARDER_HOLDS_USUAL
               : strcmp(text, "blind") == 0  ? LARDER_HOLDS_BLIND
               : strcmp(text, "bold") == 0   ? LARDER_HOLDS_BOLD
               : strcmp(text, "hasty") == 0  ? LARDER_HOLDS_HASTY
               : strcmp(text, "always") == 0 ? LARDER_HOLDS_ALWAYS
                                             : LARDER_HOLDS_USUAL;
    }
    return mode;
}

void larder_holds_stress(void)
{
    if (larder_holds_stressed() != LARDER_HOLDS_USUAL)
        larder_holds_collect();
}
#endif
