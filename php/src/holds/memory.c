/* memory.c - searches this process for pointers into held blocks: conservative marking, as in some
 * garbage collectors. Begin reading at larder_memory_mark().
 *
 * Every word that looks like a pointer into a block, or to its end, counts as a pointer. A wrong
 * guess only keeps a block longer. The claim: a pointer that the process can still use is in one of
 * two places:
 *
 * - in a page that belongs to this process alone and was written to, as /proc/self/pagemap shows. A
 *   read-only page of a file has no pointer, because only the dynamic linker writes to it;
 * - in a register that a called function must preserve, which collect.c has saved on the stack.
 *
 * In the following cases, no value is released:
 * - An extension passes PHP values between threads (memory_threads_share()).
 * - A private page cannot be read, or there is no pagemap, for example in a sandbox.
 * - The process has more memory than MEMORY_MAPPED or MEMORY_LOOKED allow.
 *
 * The claim is true although other threads run:
 * - Only this thread writes pointers to the values that it holds, and it writes none during the
 *   search. If a coroutine lends a pointer to another thread and waits, its own stack still has the
 *   pointer.
 * - So no such pointer can move to memory that was already searched. A mapping that exists during
 *   the whole search is in /proc/self/maps, even if other mappings change.
 * - Another thread may unmap memory that is about to be read. So process_vm_readv() or, in a
 *   sandbox, /proc/self/mem copies memory.
 * - The PHP heaps of other threads are not read, because their pointers must not keep our holds.
 *
 * Memory below the used frames is skipped only in the process's stack, and in a fiber's stack with
 * the engine's guard page. Any other stack may come from malloc(), next to other data.
 *
 * Reading must not cause a fault:
 * - A page that the pagemap shows as swapped out may be a guard page (MADV_GUARD_INSTALL), as at
 *   the end of a thread's stack from glibc 2.42 on. So we ask the kernel to read it, or skip it.
 * - The first page of each mapping is tested, too. If a protection key forbids reading, the search
 *   fails.
 *
 * Shared memory has no pointers to this request's values. We look at every multiple of 4 bytes,
 * because packed structures of the kernel (epoll_event) may not align pointers to 8. */
#include "holds/heap.h"
#include "holds/holds.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* number of pagemap entries that are read at a time */
#define MEMORY_PAGES 4096u
/* Maximum size in bytes of a copy of memory. */
#define MEMORY_COPIED ((size_t)128 << 10)
/* A pointer may begin in one copy and end in the next. So a search begins this number of bytes
 * earlier. */
#define MEMORY_BEFORE 8u
#define MEMORY_MAPS                                                                                \
    (LARDER_MEMORY_SCRATCH - MEMORY_PAGES * sizeof(uint64_t) - sizeof(larder_heap) -               \
     MEMORY_COPIED - MEMORY_BEFORE)
#define MEMORY_HEAPS 256u /* maximum number of threads whose heaps are recorded */
/* maximum size in bytes of the mappings to search; if they are larger, a search costs more than it
 * gains */
#define MEMORY_MAPPED ((size_t)32 << 30)
/* maximum number of bytes that a search reads; reading more costs more than a search gains */
#define MEMORY_LOOKED ((size_t)512 << 20)

/* Bits of an entry in /proc/self/pagemap. */
#define MEMORY_PRESENT ((uint64_t)1 << 63)
/* the page is swapped out, or is a guard page, or has a memory error */
#define MEMORY_SWAPPED ((uint64_t)1 << 62)
/* the page belongs to a file or to shared memory */
#define MEMORY_FILE ((uint64_t)1 << 61)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the upper half of a pointer comes last");

typedef struct memory_search {
    larder_memory *memory;
    uintptr_t min, max; /* the lowest and the highest address of all held blocks */
    /* A word can point into a held block only if (upper half of the word & mask) == high. */
    uint32_t mask, high;
    int pagemap;
    /* descriptor of /proc/self/mem if process_vm_readv() is denied, otherwise -1 */
    int mem;
    size_t page;      /* the size of a page */
    uint64_t *states; /* room for MEMORY_PAGES entries of /proc/self/pagemap */
    larder_heap *heap;
    /* The buffer in which memory is searched while other threads run, otherwise NULL. */
    char *copy;
    void *mine;  /* this thread's heap; NULL if the thread does not use Zend's allocator */
    bool shared; /* true if memory_heaps contains a heap of another thread */
} memory_search;

typedef struct memory_mapping {
    uintptr_t from, to;
    /* `wanted` is true if a search must look at the mapping. It need not look at shared mappings
     * and at read-only mappings of files. */
    bool readable, wanted;
    /* true if a guard page, which cannot be read, lies directly before this mapping */
    bool guarded;
} memory_mapping;

/* ---- words ---- */

/* Examine the word `word`, which was read at the address `at`. If the word points into a block, or
 * to the end of a block, marks the block as used. Does nothing if `at` is in free memory. */
static void memory_word(const memory_search *search, uintptr_t word, uintptr_t at)
{
    lrd_held *held = search->memory->held;
    size_t low = 0, high = search->memory->count;
    if (word - search->min > search->max - search->min)
        return;
    while (low < high) { /* find the first block that begins above the address `word` */
        size_t middle = (low + high) / 2;
        if (held[middle].from <= word)
            low = middle + 1;
        else
            high = middle;
    }
    /* `word` may be the end of one block and the beginning of the next one, so check both blocks */
    for (size_t i = low; i != 0 && i + 2 > low; i--)
        if (word <= held[i - 1].to && !held[i - 1].used)
            held[i - 1].used = !larder_heap_is_free(search->heap, at);
}

/* Number of words (of 4 bytes) that are tested together. Most groups contain nothing that looks
 * like a pointer. */
#define MEMORY_STEP 16u
typedef uint32_t memory_vector __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t memory_halves __attribute__((vector_size(16), may_alias));

static zend_always_inline memory_vector memory_same(memory_vector some, memory_vector mask,
                                                    memory_vector high)
{
    return (memory_vector)((some & mask) == high);
}

/* Return the next group of MEMORY_STEP words that may contain the upper half of a pointer, or
 * `end`. */
static const uint32_t *memory_next(const memory_search *search, const uint32_t *at,
                                   const uint32_t *end)
{
    const uint32_t m = search->mask, h = search->high;
    const memory_vector mask = {m, m, m, m}, high = {h, h, h, h};
    for (; at < end; at += MEMORY_STEP) {
        const memory_vector *four = (const memory_vector *)(const void *)at;
        memory_halves any =
            (memory_halves)(memory_same(four[0], mask, high) | memory_same(four[1], mask, high) |
                            memory_same(four[2], mask, high) | memory_same(four[3], mask, high));
        if (UNEXPECTED((any[0] | any[1]) != 0))
            break;
    }
    return at;
}

/* Search `size` bytes (a multiple of 8) at `from`. `words` points to these bytes or to a copy of
 * them. */
static void memory_look(const memory_search *search, const void *words, uintptr_t from, size_t size)
{
    const uint32_t *first = words, *at = first, *end = first + size / sizeof *first;
    const uint32_t *steps = at + (size_t)(end - at) / MEMORY_STEP * MEMORY_STEP;
    search->memory->looked += size;
    while (at < end) {
        at = memory_next(search, at, steps);
        size_t some = at < steps ? MEMORY_STEP : (size_t)(end - at);
        for (size_t i = at == first ? 1 : 0; i < some; i++)
            if ((at[i] & search->mask) == search->high)
                memory_word(search, (uintptr_t)at[i] << 32 | (at + i)[-1],
                            from + (size_t)(at + i - 1 - first) * sizeof *first);
        at += some;
    }
}

/* ---- pages ---- */

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* since Linux 5.14 */
#endif

/* Return true if the page can be read. Respects protection keys, and works in every sandbox.
 *
 * On kernels without MADV_POPULATE_READ, call rt_sigprocmask with the page as its set of signals.
 * The kernel first reads the set, and returns EFAULT if this fails. Otherwise the kernel refuses
 * the invalid first argument, -1, so no signal is blocked. */
static bool memory_can_load(uintptr_t at, size_t page)
{
    if (madvise((void *)at, page, MADV_POPULATE_READ) == 0)
        return true;
    return errno != EFAULT && syscall(SYS_rt_sigprocmask, -1, at, NULL, sizeof(uint64_t)) != 0 &&
           errno != EFAULT;
}

typedef enum memory_answer {
    MEMORY_NONE,  /* the page cannot contain a pointer, so it is skipped */
    MEMORY_READ,  /* the page must be searched */
    MEMORY_HIDDEN /* the page may contain pointers, but cannot be read, so the search fails */
} memory_answer;

static bool memory_page_private(uint64_t state)
{
    return (state & (MEMORY_PRESENT | MEMORY_SWAPPED)) && !(state & MEMORY_FILE);
}

static bool memory_states(const memory_search *search, uintptr_t at, uint64_t *states, size_t count)
{
    ssize_t want = (ssize_t)(count * sizeof *states);
    return pread(search->pagemap, states, (size_t)want,
                 (off_t)(at / search->page * sizeof *states)) == want;
}

/* ---- searching while other threads run ---- */

/* The PHP heaps of threads, NULL for a free place. A thread records its heap at its first
 * search. */
static void *memory_heaps[MEMORY_HEAPS];

static void memory_note_heap(void *heap)
{
    if (LARDER_G(holds_heap) != NULL || heap == NULL)
        return;
    for (size_t i = 0; i < MEMORY_HEAPS; i++) {
        void *none = NULL;
        if (__atomic_compare_exchange_n(memory_heaps + i, &none, heap, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            LARDER_G(holds_heap) = heap;
            return;
        }
    }
}

void larder_memory_end(void *heap)
{
    for (size_t i = 0; i < MEMORY_HEAPS && heap != NULL; i++)
        if (__atomic_load_n(memory_heaps + i, __ATOMIC_RELAXED) == heap)
            __atomic_store_n(memory_heaps + i, NULL, __ATOMIC_RELAXED);
}

static bool memory_copy(const memory_search *search, void *to, uintptr_t from, size_t size)
{
    struct iovec mine = {to, size}, there = {(void *)from, size};
    if (search->mem >= 0)
        return pread(search->mem, to, size, (off_t)from) == (ssize_t)size;
    return process_vm_readv(getpid(), &mine, 1, &there, 1, 0) == (ssize_t)size;
}

/* Return true if a chunk of another thread's heap begins at `chunk`. The first word of a chunk is
 * the address of its heap. */
static bool memory_is_others(const memory_search *search, uintptr_t chunk)
{
    void *heap;
    if (!search->shared || !memory_copy(search, &heap, chunk, sizeof heap) || heap == search->mine)
        return false;
    for (size_t i = 0; i < MEMORY_HEAPS; i++)
        if (heap == __atomic_load_n(memory_heaps + i, __ATOMIC_RELAXED))
            return heap != NULL;
    return false;
}

/* Copy the pages at `from`, and search the copy. Also searches the last *before bytes of the
 * previous copy again, because a pointer may cross the border. Returns false if a page cannot be
 * read. */
static bool memory_look_copy(const memory_search *search, uintptr_t from, size_t size,
                             size_t *before)
{
    char *copy = search->copy + MEMORY_BEFORE;
    if (!memory_copy(search, copy, from, size))
        return false;
    memory_look(search, copy - *before, from - *before, size + *before);
    memcpy(search->copy, copy + size - MEMORY_BEFORE, MEMORY_BEFORE);
    *before = MEMORY_BEFORE;
    return true;
}

/* Search a single page. Returns false if the page may contain pointers, but cannot be read. */
static bool memory_look_page(const memory_search *search, const memory_mapping *mapping,
                             uintptr_t from, size_t size, size_t *before)
{
    uint64_t state;
    if (memory_look_copy(search, from, size, before))
        return true;
    *before = 0;
    if (!memory_states(search, from / search->page * search->page, &state, 1))
        return false;
    return !memory_page_private(state) || (!(state & MEMORY_PRESENT) && mapping->readable);
}

static bool memory_look_beside(const memory_search *search, const memory_mapping *mapping,
                               uintptr_t from, uintptr_t to)
{
    size_t before = 0;
    while (from < to) {
        uintptr_t end = to - from > MEMORY_COPIED ? from + MEMORY_COPIED : to;
        if (memory_look_copy(search, from, end - from, &before)) {
            from = end;
            continue;
        }
        for (before = 0; from < end;) {
            uintptr_t next = (from / search->page + 1) * search->page;
            next = next < end ? next : end;
            if (!memory_look_page(search, mapping, from, next - from, &before))
                return false;
            from = next;
        }
    }
    return true;
}

/* ---- mappings ---- */

/* Search neighbouring pages, from `from` up to `to`. Returns false if the search fails. */
static bool memory_look_run(const memory_search *search, const memory_mapping *mapping,
                            uintptr_t from, uintptr_t to)
{
    if (search->copy != NULL)
        return memory_look_beside(search, mapping, from, to);
    memory_look(search, (const void *)from, from, to - from);
    return true;
}

/* Decide if a page must be searched, and if it can be read. `first` is true if no page of the
 * mapping was read yet. */
static memory_answer memory_page_state(const memory_search *search, const memory_mapping *mapping,
                                       uint64_t state, uintptr_t at, bool first)
{
    if (!memory_page_private(state))
        return MEMORY_NONE;
    if (search->copy != NULL)
        /* no check is needed: if the page cannot be read, copying it fails */
        return MEMORY_READ;
    if (!(state & MEMORY_PRESENT))
        return !mapping->readable                  ? MEMORY_HIDDEN
               : memory_can_load(at, search->page) ? MEMORY_READ
                                                   : MEMORY_NONE;
    return mapping->readable && (!first || memory_can_load(at, search->page)) ? MEMORY_READ
                                                                              : MEMORY_HIDDEN;
}

/* Return true if the mapping is the process's stack or a fiber's stack. The process's stack
 * contains the kernel's string AT_EXECFN. A fiber's stack lies behind a guard page. */
static bool memory_is_stack(const memory_mapping *mapping)
{
    uintptr_t told = (uintptr_t)getauxval(AT_EXECFN);
    return (told >= mapping->from && told < mapping->to) ||
           (mapping->guarded && EG(current_fiber_context) != EG(main_fiber_context));
}

/* Search the private pages of a mapping. Returns false if a page cannot be read, or MEMORY_LOOKED
 * is exceeded. */
static bool memory_mapping_look(const memory_search *search, const memory_mapping *mapping)
{
    uintptr_t frames = (uintptr_t)search->memory->frames, run = 0, others = 0;
    bool first = true;
    for (uintptr_t at = mapping->from; at < mapping->to;) {
        size_t count = (mapping->to - at) / search->page;
        count = count < MEMORY_PAGES ? count : MEMORY_PAGES;
        if (!memory_states(search, at, search->states, count))
            return false;
        for (size_t i = 0; i < count; i++, at += search->page) {
            if (search->copy != NULL && at % ZEND_MM_CHUNK_SIZE == 0 &&
                mapping->to - at >= ZEND_MM_CHUNK_SIZE && memory_page_private(search->states[i]) &&
                memory_is_others(search, at))
                others = at + ZEND_MM_CHUNK_SIZE;
            memory_answer answer =
                at < others ? MEMORY_NONE
                            : memory_page_state(search, mapping, search->states[i], at, first);
            if (answer == MEMORY_HIDDEN)
                return false;
            if (answer == MEMORY_READ && run == 0)
                run = at;
            first = first && answer != MEMORY_READ;
            if (answer == MEMORY_NONE && run != 0) {
                if (!memory_look_run(search, mapping, run, at))
                    return false;
                run = 0;
            }
            /* Below `frames`, a stack has only frames of calls that have returned. Skip them. */
            if (run != 0 && frames >= at && frames < at + search->page && memory_is_stack(mapping))
                run = frames & ~(uintptr_t)7;
        }
        if (search->memory->looked > MEMORY_LOOKED)
            return false;
    }
    return run == 0 || memory_look_run(search, mapping, run, mapping->to);
}

/* Parse a line of /proc/self/maps. Returns false if the line is malformed. */
static bool memory_parse(const char *line, memory_mapping *mapping)
{
    char *end;
    mapping->from = strtoul(line, &end, 16);
    if (*end != '-')
        return false;
    mapping->to = strtoul(end + 1, &end, 16);
    if (*end != ' ' || strnlen(end + 1, 4) < 4)
        return false;
    mapping->readable = end[1] == 'r';
    mapping->wanted = end[4] == 'p';
    bool written = end[2] == 'w';
    for (int field = 0; field < 3; field++) { /* skip the offset, the device and the inode */
        end = memchr(end + 1, ' ', 32);
        if (end == NULL)
            return false;
    }
    if (!written && strtoul(end, &end, 10) != 0)
        mapping->wanted = false;
    end += strspn(end, " 0123456789");
    /* do not search mappings of the kernel, such as [vdso] and [vvar] */
    if (strncmp(end, "[v", 2) == 0)
        mapping->wanted = false;
    return true;
}

/* Read /proc/self/maps. Returns NULL if it cannot be read, or is too long. */
static const char *memory_maps(char *text, size_t size)
{
    size_t used = 0;
    ssize_t got = -1;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    while (used < size - 1 && (got = read(fd, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    close(fd);
    text[used] = '\0';
    return got == 0 ? text : NULL;
}

static bool memory_look_everywhere(memory_search *search)
{
    const char *line = memory_maps(search->memory->scratch, MEMORY_MAPS);
    size_t mapped = 0;
    /* the end of the previous mapping if that mapping cannot be read, otherwise 0 */
    uintptr_t guarded = 0;
    for (; line != NULL && *line != '\0'; line++) {
        memory_mapping mapping;
        if (!memory_parse(line, &mapping))
            return false;
        mapping.guarded = guarded == mapping.from;
        guarded = mapping.readable ? 0 : mapping.to;
#ifdef LRD_POISON
        if (larder_holds_stressed() == LARDER_HOLDS_BLIND && mapping.guarded)
            mapping.wanted = false;
#endif
        mapped += mapping.wanted ? mapping.to - mapping.from : 0;
        if (mapped > MEMORY_MAPPED || (mapping.wanted && !memory_mapping_look(search, &mapping)))
            return false;
        line = strchr(line, '\n');
        if (line == NULL)
            return false;
    }
    return line != NULL;
}

/* The process that runs Larder's clock thread, or 0. A forked child inherits the variable, but not
 * the thread. */
static pid_t memory_threaded;

void larder_memory_own_thread(bool there)
{
    __atomic_store_n(&memory_threaded, there ? getpid() : 0, __ATOMIC_RELAXED);
}

/* Return true if only this thread and Larder's clock thread run. */
static bool memory_is_single_threaded(void)
{
    struct stat tasks;
    nlink_t ours = __atomic_load_n(&memory_threaded, __ATOMIC_RELAXED) == getpid() ? 2 : 1;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 2 + ours;
}

/* Return true if an extension is loaded that passes PHP values between threads. */
static bool memory_threads_share(void)
{
    static const char *const names[] = {"parallel", "pmmpthread", "pthreads"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (zend_hash_str_exists(&module_registry, names[i], strlen(names[i])))
            return true;
    return false;
}

bool larder_memory_may_mark(void)
{
    return (memory_is_single_threaded() || !memory_threads_share()) &&
           access("/proc/self/pagemap", R_OK) == 0;
}

static void memory_prepare_beside(memory_search *search, char *copy)
{
    search->copy = copy;
    if (!memory_copy(search, copy, (uintptr_t)search, sizeof *search))
        search->mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    search->mine = is_zend_mm() ? (void *)zend_mm_get_heap() : NULL;
    memory_note_heap(search->mine);
    for (size_t i = 0; i < MEMORY_HEAPS; i++) {
        const void *heap = __atomic_load_n(memory_heaps + i, __ATOMIC_RELAXED);
        search->shared = search->shared || (heap != NULL && heap != search->mine);
    }
}

bool larder_memory_mark(larder_memory *memory)
{
    memory_search search = {.memory = memory, .min = UINTPTR_MAX, .mem = -1};
    char *scratch = memory->scratch + MEMORY_MAPS;
    for (size_t i = 0; i < memory->count; i++) {
        search.min = MIN(search.min, memory->held[i].from);
        search.max = MAX(search.max, memory->held[i].to);
    }
    search.mask = UINT32_MAX;
    while (((search.min ^ search.max) >> 32 & search.mask) != 0)
        search.mask <<= 1;
    search.high = (uint32_t)(search.min >> 32) & search.mask;
    search.page = (size_t)sysconf(_SC_PAGESIZE);
    if (memory->count == 0)
        return false;
    search.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (search.pagemap < 0)
        return false;
    search.states = (uint64_t *)(void *)scratch;
    search.heap = (larder_heap *)(void *)(scratch + MEMORY_PAGES * sizeof(uint64_t));
    if (!memory_is_single_threaded())
        memory_prepare_beside(&search, (char *)(search.heap + 1));
    larder_heap_look(search.heap, search.mask, search.high);
    memory->looked += search.heap->looked;
    bool good = memory_look_everywhere(&search);
    close(search.pagemap);
    if (search.mem >= 0)
        close(search.mem);
    return good;
}
