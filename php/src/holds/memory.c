/* memory.c - searches this process for pointers into blocks: conservative marking. Read
 * larder_memory_mark() first.
 *
 * A word is taken for a pointer into a block wherever it looks like one: an interior one, one past
 * the end, one with flags in its lower bits. Wrong guesses keep a block longer and do nothing else.
 * No place of PHP's or of an extension's is known here, so none can be forgotten; the claim is that
 * a pointer which the process can still use lies in
 *
 * - a page that belongs to this process alone and was written to. /proc/self/pagemap names them
 *   all, whatever allocated them and whatever they are mapped as: the Zend heap and malloc's, data
 *   and thread-local segments of the program and of every module, stacks of fibers and coroutines,
 *   pages swapped out. A page that is a file's as it was read has no pointer in it that was found
 *   at run time, nor has one of a file's that may only be read: the dynamic linker wrote to it,
 *   before anything ran;
 * - or a register that a called function has to preserve, which our caller has put on the stack.
 *
 * It does not hold, and nothing is let go, where
 * - there is a second thread: it may unmap memory while it is read here, and its registers cannot
 *   be seen. Our own one (statics/clock.c) does nothing of the kind, and never has a value;
 * - such a page cannot be read, or there is no pagemap: a process that has changed its user, a
 *   sandbox;
 * - there is more memory than is worth reading.
 *
 * A pointer in memory that is known to be free keeps nothing: see heap.c. So does one below the
 * frames in use, where what is there is known to be a stack: the process's own, or one that the
 * engine made for a fiber, which has a guard page. An extension may have others within malloc's
 * memory, with all else below them.
 *
 * Reading must not fault. A page that is present may be read where it lies. One that the pagemap
 * calls swapped out may be a guard page: since glibc 2.42 (MADV_GUARD_INSTALL) the guard of a
 * thread's stack lies within a mapping that /proc/self/maps calls writable, also after its thread
 * has ended, and its entry of the pagemap has the same bit. Some kernels tell the two apart by
 * another bit, some do not. So the kernel is asked to read a word of such a page: it reports EFAULT
 * where a load would be SIGSEGV. Nothing can be read there, so no pointer is; the page is passed
 * over. The first page of each mapping is asked about, too: memory may have a protection key.
 * Pointers may be there.
 *
 * Memory shared with other processes is not looked at: it outlives this process, so a pointer to a
 * value of a request has no business there. Pointers are looked for at multiples of four bytes, as
 * in packed structures of the kernel. */
#include "holds/heap.h"
#include "holds/holds.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MEMORY_PAGES 4096u /* whose state is read at once */
#define MEMORY_MAPS (LARDER_MEMORY_SCRATCH - MEMORY_PAGES * sizeof(uint64_t) - sizeof(larder_heap))
#define MEMORY_MAPPED ((size_t)32 << 30)  /* bytes of address space, and ... */
#define MEMORY_LOOKED ((size_t)512 << 20) /* ... of memory, beyond which it is not worth it */

/* Of an entry of the pagemap. */
#define MEMORY_PRESENT ((uint64_t)1 << 63)
#define MEMORY_SWAPPED ((uint64_t)1 << 62) /* or a guard page, or one that has gone bad */
#define MEMORY_FILE ((uint64_t)1 << 61)    /* a file's page, or shared memory */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the upper half of a pointer comes last");

typedef struct memory_search {
    larder_memory *memory;
    uintptr_t min, max;  /* of all blocks */
    uint32_t mask, high; /* what the upper halves of such addresses have in common: these bits */
    int pagemap;
    size_t page;      /* its size */
    uint64_t *states; /* of MEMORY_PAGES pages */
    larder_heap *heap;
} memory_search;

typedef struct memory_mapping {
    uintptr_t from, to;
    bool readable, wanted; /* wanted: private, and not a file's that is only read */
    bool guarded;          /* a mapping that cannot be read ends where this one begins */
} memory_mapping;

/* ---- words ---- */

/* at: where the word lies. */
static void memory_word(const memory_search *search, uintptr_t word, uintptr_t at)
{
    lrd_held *held = search->memory->held;
    size_t low = 0, high = search->memory->count;
    if (word - search->min > search->max - search->min)
        return;
    while (low < high) { /* the first that begins behind it */
        size_t middle = (low + high) / 2;
        if (held[middle].from <= word)
            low = middle + 1;
        else
            high = middle;
    }
    /* One block may end where the next one begins. */
    for (size_t i = low; i != 0 && i + 2 > low; i--)
        if (word <= held[i - 1].to && !held[i - 1].used)
            held[i - 1].used = !larder_heap_is_free(search->heap, at);
}

/* 16 words of 4 bytes at a time: most memory has nothing in it that looks like a pointer to us. */
#define MEMORY_STEP 16u
typedef uint32_t memory_vector __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t memory_halves __attribute__((vector_size(16), may_alias));

static zend_always_inline memory_vector memory_same(memory_vector some, memory_vector mask,
                                                    memory_vector high)
{
    return (memory_vector)((some & mask) == high);
}

/* The next of the steps in which an upper half of a pointer may be, or `end`. */
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

/* from, to: multiples of 8. */
static void memory_look(const memory_search *search, uintptr_t from, uintptr_t to)
{
    const uint32_t *first = (const uint32_t *)from, *at = first, *end = (const uint32_t *)to;
    const uint32_t *steps = at + (size_t)(end - at) / MEMORY_STEP * MEMORY_STEP;
    search->memory->looked += to - from;
    while (at < end) {
        at = memory_next(search, at, steps);
        size_t some = at < steps ? MEMORY_STEP : (size_t)(end - at);
        for (size_t i = at == first ? 1 : 0; i < some; i++)
            if ((at[i] & search->mask) == search->high)
                memory_word(search, (uintptr_t)at[i] << 32 | (at + i)[-1], (uintptr_t)(at + i - 1));
        at += some;
    }
}

/* ---- pages ---- */

/* Memory of our own: not to be looked at. */
static void memory_look_around_own(const memory_search *search, uintptr_t from, uintptr_t to)
{
    const larder_memory *memory = search->memory;
    uintptr_t own = (uintptr_t)memory->own, own_end = own + memory->own_size;
    if (own_end <= from || own >= to) {
        memory_look(search, from, to);
        return;
    }
    if (from < own)
        memory_look(search, from, own);
    if (own_end < to)
        memory_look(search, own_end, to);
}

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* since Linux 5.14 */
#endif

/* Return whether a load from the page succeeds. Makes the kernel load from it, in ways that every
 * sandbox allows and that obey protection keys. Where the first one, which older kernels lack, says
 * anything but EFAULT, the second one copies a signal set from there and does nothing with it,
 * because no method has this number. It comes second since valgrind remarks on the number. */
static bool memory_can_load(uintptr_t at, size_t page)
{
    if (madvise((void *)at, page, MADV_POPULATE_READ) == 0)
        return true;
    return errno != EFAULT && syscall(SYS_rt_sigprocmask, -1, at, NULL, sizeof(uint64_t)) != 0 &&
           errno != EFAULT;
}

typedef enum memory_answer {
    MEMORY_NONE,  /* nothing of ours can be there */
    MEMORY_READ,  /* it is to be read */
    MEMORY_HIDDEN /* pointers may be there, and cannot be read */
} memory_answer;

/* first: no page of the mapping has been read yet. */
static memory_answer memory_page_state(const memory_search *search, const memory_mapping *mapping,
                                       uint64_t state, uintptr_t at, bool first)
{
    if (!(state & (MEMORY_PRESENT | MEMORY_SWAPPED)) || (state & MEMORY_FILE))
        return MEMORY_NONE;
    if (!(state & MEMORY_PRESENT))
        return !mapping->readable                  ? MEMORY_HIDDEN
               : memory_can_load(at, search->page) ? MEMORY_READ
                                                   : MEMORY_NONE;
    return mapping->readable && (!first || memory_can_load(at, search->page)) ? MEMORY_READ
                                                                              : MEMORY_HIDDEN;
}

/* Return whether memory of a mapping below the frames in use, which are in it, is an unused part of
 * their stack. What the kernel told a new process lies at the upper end of its stack. */
static bool memory_is_stack(const memory_mapping *mapping)
{
    uintptr_t told = (uintptr_t)getauxval(AT_EXECFN);
    return (told >= mapping->from && told < mapping->to) ||
           (mapping->guarded && EG(current_fiber_context) != EG(main_fiber_context));
}

/* The pages of a mapping that were written to. False: they cannot be read, or are too many. */
static bool memory_mapping_look(const memory_search *search, const memory_mapping *mapping)
{
    uintptr_t frames = (uintptr_t)search->memory->frames, run = 0;
    bool first = true;
    for (uintptr_t at = mapping->from; at < mapping->to;) {
        size_t count = (mapping->to - at) / search->page;
        count = count < MEMORY_PAGES ? count : MEMORY_PAGES;
        ssize_t want = (ssize_t)(count * sizeof(uint64_t));
        if (pread(search->pagemap, search->states, (size_t)want,
                  (off_t)(at / search->page * sizeof(uint64_t))) != want)
            return false;
        for (size_t i = 0; i < count; i++, at += search->page) {
            memory_answer answer = memory_page_state(search, mapping, search->states[i], at, first);
            if (answer == MEMORY_HIDDEN)
                return false;
            if (answer == MEMORY_READ && run == 0)
                run = at;
            first = first && answer != MEMORY_READ;
            if (answer == MEMORY_NONE && run != 0) {
                memory_look_around_own(search, run, at);
                run = 0;
            }
            /* Below the frames in use there is only what has been. */
            if (run != 0 && frames >= at && frames < at + search->page && memory_is_stack(mapping))
                run = frames & ~(uintptr_t)7;
        }
        if (search->memory->looked > MEMORY_LOOKED)
            return false;
    }
    if (run != 0)
        memory_look_around_own(search, run, mapping->to);
    return true;
}

/* A line of /proc/self/maps. False: it is not one. */
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
    for (int field = 0; field < 3; field++) { /* the offset, the device, the inode */
        end = memchr(end + 1, ' ', 32);
        if (end == NULL)
            return false;
    }
    if (!written && strtoul(end, &end, 10) != 0)
        mapping->wanted = false;
    end += strspn(end, " 0123456789");
    if (strncmp(end, "[v", 2) == 0) /* the kernel's: vdso, vvar, vsyscall */
        mapping->wanted = false;
    return true;
}

/* The lines of /proc/self/maps, with a 0 at the end. NULL: they cannot be read, or are too many. */
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
    uintptr_t guarded = 0; /* where what could not be read ended */
    search->states = (uint64_t *)(void *)(search->memory->scratch + MEMORY_MAPS);
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

static pid_t memory_threaded; /* the process that has a thread of our own; 0: none */

void larder_memory_own_thread(bool there)
{
    __atomic_store_n(&memory_threaded, there ? getpid() : 0, __ATOMIC_RELAXED);
}

/* But for our own. */
static bool memory_is_single_threaded(void)
{
    struct stat tasks;
    nlink_t ours = __atomic_load_n(&memory_threaded, __ATOMIC_RELAXED) == getpid() ? 2 : 1;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 2 + ours;
}

bool larder_memory_may_mark(void)
{
    return memory_is_single_threaded() && access("/proc/self/pagemap", R_OK) == 0;
}

bool larder_memory_mark(larder_memory *memory)
{
    memory_search search = {.memory = memory, .min = UINTPTR_MAX};
    for (size_t i = 0; i < memory->count; i++) {
        search.min = MIN(search.min, memory->held[i].from);
        search.max = MAX(search.max, memory->held[i].to);
    }
    search.mask = UINT32_MAX;
    while (((search.min ^ search.max) >> 32 & search.mask) != 0)
        search.mask <<= 1;
    search.high = (uint32_t)(search.min >> 32) & search.mask;
    search.page = (size_t)sysconf(_SC_PAGESIZE);
    if (memory->count == 0 || !memory_is_single_threaded())
        return false;
    search.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (search.pagemap < 0)
        return false;
    search.heap =
        (larder_heap *)(void *)(memory->scratch + MEMORY_MAPS + MEMORY_PAGES * sizeof(uint64_t));
    larder_heap_look(search.heap, search.mask, search.high);
    memory->looked += search.heap->looked;
    bool good = memory_look_everywhere(&search);
    close(search.pagemap);
    return good;
}
