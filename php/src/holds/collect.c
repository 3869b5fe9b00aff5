/* collect.c - releases values that a long-running request holds but no longer uses. Read
 * larder_holds_collect() first.
 *
 * A value is held until the request ends, because PHP does not tell when its last variable is gone.
 * A daemon would soon reach the bounds of larder_host.h. So we search the process's memory for
 * pointers into held values (memory.c), and release the other values.
 *
 * - The search relies on no list of places where values may be, and on no promise of the user.
 * - An address in Larder's own memory would keep a value held. So Larder erases memory with
 *   addresses before it is freed, and frees unused resident graphs before a search.
 * - No search runs during PHP's shutdown of a request. After a fatal error, the stacks of fibers
 *   are gone by then, but objects that use the values may still exist. */
#include "holds/holds.h"
#include "format/format.h"
#include "stores/settings.h"

#include "zend_sort.h"

#include <sys/mman.h>
#include <unistd.h>

#define COLLECT_HOLDS (LARDER_KINDS * (size_t)LRD_HOLDS_MAX)
#define COLLECT_OWN (COLLECT_HOLDS * sizeof(lrd_held) + LARDER_MEMORY_SCRATCH)
/* Between two requests, a worker searches if it holds at least this many more values than after its
 * last search. After an expensive search, a worker waits for more values. */
#define COLLECT_BETWEEN 1024u
/* A search between two requests is assumed to save this much for each value that it releases, in
 * units of about 0.1 ns (see COLLECT_SAVES). */
#define COLLECT_BETWEEN_SAVES 8192u

/* The unit of all costs and savings is the time in which a search reads one byte: about 0.1 ns. A
 * get that returns a value without a copy saves at least COLLECT_SAVES units. */
#define COLLECT_SAVES 1024u
/* If a get returns an array or a graph without a copy, it saves this number of units for each
 * byte. */
#define COLLECT_SAVES_BYTE 1u
/* If a get returns a string without a copy, it saves one unit for each COLLECT_SAVES_STRING
 * bytes. */
#define COLLECT_SAVES_STRING 4u

/* An additional saving for each released value, in the units above: about 5 us. It counts only for
 * a thread that has reached a bound of larder_host.h. */
#define COLLECT_AVOIDS ((size_t)48 << 10)
/* A thread that has reached a bound of larder_host.h must search or copy values. If a search is too
 * expensive, the thread pauses its searches. The first pause ends when the copies have cost
 * 1/COLLECT_WAIT_PART of the search. Each further pause is twice as long. */
#define COLLECT_WAIT_PART 8u
/* Pauses grow up to this multiple of the first pause. */
#define COLLECT_WAIT_MOST 128u
/* the cost from which the length of the next pause is computed if a search is impossible */
#define COLLECT_IMPOSSIBLE ((size_t)1 << 20)

/* A long-running request searches when its held bytes reach a limit: at first, the size of the
 * store divided by this number. */
#define COLLECT_LIMIT_PART 64u
/* If a search saves less than COLLECT_LIMIT_PAYS times its cost, the limit is raised. */
#define COLLECT_LIMIT_PAYS 4u
/* A thread's fair limit is this percentage of its share. The share of a thread is a quarter of the
 * store, minus the bytes that other threads may hold. See holds_fair() and holds_limit_next(). */
#define COLLECT_LIMIT_FAIR 66u
/* The assumed size of the process's memory outside of PHP's heap, until the first search measures
 * it. */
#define COLLECT_BESIDES ((size_t)1 << 20)

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

/* Mark the values to which the process has a pointer. The stack of this thread is searched only
 * from the frame of the caller on, not below it. */
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

/* Return how many units (see COLLECT_SAVES) one get saves by not copying a value of this type and
 * size. */
static size_t collect_worth(uint8_t type, size_t bytes)
{
    return COLLECT_SAVES +
           (type == LARDER_STRING ? bytes / COLLECT_SAVES_STRING : bytes * COLLECT_SAVES_BYTE);
}

/* Release the unused values, and return the estimated saving. Adds another saving to *may, which
 * counts only if the thread has reached a bound of larder_host.h. This saving is larger by
 * COLLECT_AVOIDS for each released value. */
static size_t collect_end(const larder_memory *memory, size_t *may)
{
    size_t saves = 0;
    for (size_t i = 0; i < memory->count; i++) {
        const lrd_held *held = memory->held + i;
        if (held->used)
            continue;
        size_t worth = collect_worth(held->type, held->to - held->from);
        saves += worth;
        *may += worth + COLLECT_AVOIDS;
    }
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (LARDER_G(active)[kind] != NULL)
            lrd_holds_end(LARDER_G(active)[kind], memory->held, memory->count);
    return saves;
}

/* Return the scratch memory of searches, or NULL. It contains addresses of held values. So it is a
 * shared mapping, because searches skip shared mappings. */
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

/* Search, and release the unused values. Returns the cost, or 0 if a search is impossible. For
 * *saves and *may, see collect_end(). */
static zend_never_inline size_t collect(size_t *saves, size_t *may)
{
    larder_memory memory = {.count = 0};
    /* The search for pointers reads only memory. The callers may have pointers in registers, so
     * save all registers in this frame. */
    __builtin_unwind_init();
    *saves = *may = 0;
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
    /* zend_sort() sorts in place. qsort() might leave copies of the addresses in freed memory,
     * where the search would find them. */
    zend_sort(memory.held, memory.count, sizeof *memory.held, collect_compare, collect_swap);
    bool good = collect_mark(&memory);
    if (good)
        *saves = collect_end(&memory, may);
    return good ? memory.looked : 0;
}

/* Like collect(), but returns 0 in a signal handler that has interrupted a call of the core. */
static zend_always_inline size_t collect_guarded(size_t *saves, size_t *may)
{
    *saves = *may = 0;
    if (!larder_enter())
        return 0;
    size_t looked = collect(saves, may);
    larder_leave();
    if (looked != 0)
        LARDER_G(holds_looked) = looked;
    return looked;
}

bool larder_holds_collect(void)
{
    size_t saves, may;
    return collect_guarded(&saves, &may) != 0;
}

static uint64_t holds_limit_min(const lrd_store *store)
{
    lrd_info info;
    lrd_store_info(store, &info);
    return info.size / COLLECT_LIMIT_PART;
}

LARDER_HOT void larder_holds_limit(larder_kind kind, lrd_store *store)
{
    LARDER_G(holds_limit)[kind] = holds_limit_min(store);
    if (larder_enter()) {
        lrd_holds_limit(store, LARDER_G(holds_limit)[kind]);
        larder_leave();
    }
}

typedef struct holds_others {
    int thread;     /* the id of this thread, whose bytes are not counted */
    uint64_t bytes; /* bytes that all other threads may hold */
} holds_others;

static void holds_add_other(void *arg, const lrd_user *user)
{
    holds_others *others = arg;
    if (user->thread != others->thread)
        others->bytes += user->held_quota;
}

static uint64_t holds_fair(lrd_store *store)
{
    holds_others others = {.thread = (int)gettid()};
    if (larder_enter()) {
        (void)lrd_users(store, holds_add_other, &others);
        larder_leave();
    }
    uint64_t least = holds_limit_min(store), quarter = least * (COLLECT_LIMIT_PART / 4);
    uint64_t left = quarter > others.bytes ? quarter - others.bytes : 0;
    return MAX(left / 100 * COLLECT_LIMIT_FAIR, least);
}

/* Return the cost of the last search, or an estimate if there was none. */
static size_t holds_cost(void)
{
    return LARDER_G(holds_looked) != 0 ? LARDER_G(holds_looked)
                                       : zend_memory_usage(true) + COLLECT_BESIDES;
}

/* Return the next limit, after a search at the limit `limit` that has cost `looked`. collect_end()
 * describes `saves` and `may`. */
static uint64_t holds_limit_next(const lrd_store *store, uint64_t limit, uint64_t fair,
                                 size_t saves, size_t may, size_t looked)
{
    if (looked == 0)
        return 0; /* a search is impossible here */
    if (may < looked)
        return limit * 2;
    if (limit > fair)
        return may / 2 < looked ? limit : MAX(limit / 2, fair);
    if (saves / COLLECT_LIMIT_PAYS < looked)
        return MIN(limit * 2, fair);
    if (saves / COLLECT_LIMIT_PAYS / 4 > looked)
        return MAX(limit / 2, holds_limit_min(store));
    return limit;
}

/* Handle a get that would exceed this thread's own limit. Searches, or raises the limit if a search
 * would cost too much. */
static zend_never_inline void holds_at_limit(lrd_store *store, uint64_t held,
                                             const lrd_value *value)
{
    int kind = 0;
    while (kind < LARDER_KINDS - 1 && LARDER_G(active)[kind] != store)
        kind++;
    uint64_t limit = LARDER_G(holds_limit)[kind], fair = holds_fair(store);
    size_t count = lrd_holds(store, NULL, 0), saves, may, looked = holds_cost();
    size_t expected = count * COLLECT_SAVES + collect_worth(value->type, held);
    if (held + value->size < fair && limit < fair && expected / COLLECT_LIMIT_PAYS < looked) {
        limit = MAX(limit * 2, limit * (looked * COLLECT_LIMIT_PAYS / expected));
        limit = MIN(limit, fair);
    } else {
        looked = collect_guarded(&saves, &may);
        limit = holds_limit_next(store, limit, fair, saves, may, looked);
        lrd_holds_limited(store, &held);
    }
    if (limit != 0 && limit < 2 * (held + value->size))
        limit = 2 * (held + value->size);
    LARDER_G(holds_limit)[kind] = limit;
    if (larder_enter()) {
        lrd_holds_limit(store, limit);
        larder_leave();
    }
}

bool larder_holds_make_room(lrd_store *store, const lrd_value *value)
{
    size_t saves, may, looked;
    uint64_t held;
    if (lrd_holds_limited(store, &held)) {
        holds_at_limit(store, held, value);
        return true;
    }
    if (LARDER_G(holds_wait) != 0) {
        size_t might = collect_worth(value->type, value->size) + COLLECT_AVOIDS;
        LARDER_G(holds_wait) -= MIN(might, LARDER_G(holds_wait));
        return false;
    }
    looked = collect_guarded(&saves, &may);
    if (looked != 0 && may >= looked) {
        LARDER_G(holds_waits) = 0;
        return true;
    }
    uint32_t waits = MIN(MAX(2 * LARDER_G(holds_waits), 1), COLLECT_WAIT_MOST);
    LARDER_G(holds_wait) = (looked != 0 ? looked : COLLECT_IMPOSSIBLE) / COLLECT_WAIT_PART * waits;
    LARDER_G(holds_waits) = waits;
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
    size_t saves, may, looked, count = larder_holds_count();
    if (count < MAX(LARDER_G(holds_at), COLLECT_BETWEEN))
        return;
    looked = collect_guarded(&saves, &may);
    size_t more = looked != 0 ? looked / COLLECT_BETWEEN_SAVES * COLLECT_LIMIT_PAYS : count;
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
