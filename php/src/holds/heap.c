/* heap.c - finds out which memory of PHP's heap and VM stack is free, because old pointers there
 * must not keep values held. Begin reading at larder_heap_look().
 *
 * Only the following memory counts as free:
 *
 * - a page that is free according to its chunk's map, and all pages of chunks that are kept for
 *   later;
 * - a slot in a list of free slots. In such a slot, words that look like the upper half of a
 *   pointer to a value are set to 0, but words that the allocator uses do not change;
 * - the memory above the top of each page of the running fiber's VM stack. The tops of other fibers
 *   are not known.
 *
 * heap_learn() finds the offsets of the allocator's private fields by a test. If a result is
 * unexpected, no memory of the heap counts as free. */
#include "holds/heap.h"

#include "php_globals.h"
#include "zend_sort.h"

#define HEAP_BINS 30u
/* Flag of a page in the map of pages: the page is the first one of a block of whole pages. The low
 * bits give the number of these pages. */
#define HEAP_MAP_LARGE 0x40000000u
/* Flag of a page in the map of pages: the page is the first one of a run of slots. The low bits
 * give the bin (size class) of the slots. */
#define HEAP_MAP_SMALL 0x80000000u
#define HEAP_MAP_BITS (ZEND_MM_PAGES / 8)
#define HEAP_BIN 7u /* the bin of the slots that heap_learn() allocates */
#define HEAP_BIN_SIZE 64u
#define HEAP_LARGE 2u /* number of pages of the block that heap_learn() allocates */
#if ZEND_DEBUG
/* a debug build adds this number of bytes to each allocation */
#define HEAP_EXTRA 32u
#else
#define HEAP_EXTRA 0u
#endif
/* The last HEAP_SHADOW words (of 4 bytes) of each free slot belong to the allocator. */
#define HEAP_SHADOW (PHP_VERSION_ID >= 80300 ? 2u : 0u)

static const uint16_t heap_sizes[] = {
#define HEAP_SIZE(number, size, elements, pages, x, y) size,
    ZEND_MM_BINS_INFO(HEAP_SIZE, , )};
_Static_assert(sizeof heap_sizes / sizeof *heap_sizes == HEAP_BINS, "one list for each bin");

typedef enum heap_state { HEAP_UNKNOWN, HEAP_LEARNING, HEAP_LEARNT, HEAP_STRANGE } heap_state;

/* heap_layout may be read after an acquire load of heap_known_state, which pairs with the release
 * store of the thread that finds the offsets. */
static heap_state heap_known_state;
static struct heap_layout {
    size_t slots;  /* offset of the array with the first free slot of each bin */
    size_t cached; /* offset of the list of chunks kept for later */
    /* offset of the bitmap of used pages in each chunk; the map of the pages (one word each)
     * follows the bitmap */
    size_t map;
} heap_layout;

static void *heap_word(const void *from, size_t at)
{
    void *word;
    memcpy(&word, (const char *)from + at, sizeof word);
    return word;
}

static uintptr_t heap_chunk_of(const void *address)
{
    return (uintptr_t)address & ~(uintptr_t)(ZEND_MM_CHUNK_SIZE - 1);
}

static uint32_t heap_page_word(size_t map, uintptr_t address)
{
    uintptr_t chunk = address & ~(uintptr_t)(ZEND_MM_CHUNK_SIZE - 1);
    uint32_t word;
    memcpy(&word,
           (const char *)chunk + map + HEAP_MAP_BITS +
               (address - chunk) / ZEND_MM_PAGE_SIZE * sizeof word,
           sizeof word);
    return word;
}

static bool heap_page_used(size_t map, uintptr_t address)
{
    uintptr_t chunk = address & ~(uintptr_t)(ZEND_MM_CHUNK_SIZE - 1);
    size_t page = (address - chunk) / ZEND_MM_PAGE_SIZE;
    return ((const uint8_t *)chunk)[map + page / 8] >> page % 8 & 1;
}

/* ---- the layout ---- */

/* Find the offsets of the allocator's private fields. `small` is the first free slot of the bin
 * HEAP_BIN, and `large` is a used block of HEAP_LARGE pages. */
static bool heap_find(struct heap_layout *layout, const void *heap, const void *small,
                      const void *large)
{
    uintptr_t main = heap_chunk_of(heap);
    size_t at = 0;
    while (at < 128 && heap_word(heap, at + HEAP_BIN * sizeof(void *)) != small)
        at += sizeof(void *);
    layout->slots = at;
    if (at == 128)
        return false;
    for (at += HEAP_BINS * sizeof(void *); (uintptr_t)heap_word(heap, at) != main;)
        if ((at += sizeof(void *)) > layout->slots + 400)
            return false;
    /* The pointer to the list of kept chunks follows the pointer to the main chunk. */
    layout->cached = at + sizeof(void *);
    const size_t end = ZEND_MM_PAGE_SIZE - HEAP_MAP_BITS - ZEND_MM_PAGES * sizeof(uint32_t);
    for (at = (uintptr_t)heap - main + layout->cached; at <= end; at += sizeof(void *))
        if (heap_page_word(at, main) == (HEAP_MAP_LARGE | 1u) &&
            heap_page_word(at, (uintptr_t)small) == (HEAP_MAP_SMALL | HEAP_BIN) &&
            heap_page_word(at, (uintptr_t)large) == (HEAP_MAP_LARGE | HEAP_LARGE) &&
            heap_page_used(at, main) && heap_page_used(at, (uintptr_t)small) &&
            heap_page_used(at, (uintptr_t)large))
            break;
    layout->map = at;
    return at <= end;
}

/* Find out how PHP's memory manager lays out its heap. Does nothing if memory_limit is near,
 * because an allocation might end the request. */
static void heap_learn(void)
{
    struct heap_layout layout = {0};
    heap_state unknown = HEAP_UNKNOWN;
    zend_long limit = PG(memory_limit);
    if (limit > 0 && zend_memory_usage(true) + ZEND_MM_CHUNK_SIZE > (size_t)limit)
        return;
    if (!__atomic_compare_exchange_n(&heap_known_state, &unknown, HEAP_LEARNING, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    void *large = emalloc(HEAP_LARGE * ZEND_MM_PAGE_SIZE - HEAP_BIN_SIZE);
    void *one = emalloc(HEAP_BIN_SIZE - HEAP_EXTRA), *other = emalloc(HEAP_BIN_SIZE - HEAP_EXTRA);
    efree(other);
    efree(one);
    bool good = heap_word(one, 0) == other && heap_find(&layout, zend_mm_get_heap(), one, large);
    efree(large);
    good = good && !heap_page_used(layout.map, (uintptr_t)large);
    heap_layout = layout;
    __atomic_store_n(&heap_known_state, good ? HEAP_LEARNT : HEAP_STRANGE, __ATOMIC_RELEASE);
}

/* ---- chunks ---- */

static int heap_compare(const void *one, const void *other)
{
    uintptr_t a = *(const uintptr_t *)one, b = *(const uintptr_t *)other;
    return a < b ? -1 : a > b;
}

static void heap_swap(void *one, void *other)
{
    uintptr_t word = *(uintptr_t *)one;
    *(uintptr_t *)one = *(uintptr_t *)other;
    *(uintptr_t *)other = word;
}

/* List the chunks. A chunk's first word points to its heap, its second word to the next chunk. */
static bool heap_list_chunks(larder_heap *out, void *heap)
{
    const void *main = (const void *)heap_chunk_of(heap), *chunk = main;
    do {
        if (chunk == NULL || heap_word(chunk, 0) != heap ||
            heap_page_word(heap_layout.map, (uintptr_t)chunk) != (HEAP_MAP_LARGE | 1u) ||
            out->count == LARDER_HEAP_CHUNKS)
            return false;
        out->chunks[out->count++] = (uintptr_t)chunk;
        chunk = heap_word(chunk, sizeof(void *));
    } while (chunk != main);
    for (chunk = heap_word(heap, heap_layout.cached); chunk != NULL;
         chunk = heap_word(chunk, sizeof(void *))) {
        if (heap_chunk_of(chunk) != (uintptr_t)chunk || out->count == LARDER_HEAP_CHUNKS)
            return false;
        out->chunks[out->count++] = (uintptr_t)chunk | 1;
    }
    zend_sort(out->chunks, out->count, sizeof *out->chunks, heap_compare, heap_swap);
    return true;
}

/* Return the chunk's element of heap->chunks, or 0 if the heap has no such chunk. */
static uintptr_t heap_known(const larder_heap *heap, uintptr_t chunk)
{
    uint32_t low = 0, high = heap->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if ((heap->chunks[middle] & ~(uintptr_t)1) < chunk)
            low = middle + 1;
        else
            high = middle;
    }
    return low < heap->count && (heap->chunks[low] & ~(uintptr_t)1) == chunk ? heap->chunks[low]
                                                                             : 0;
}

/* ---- free slots ---- */

/* Erase old pointers in a free slot of `words` words (of 4 bytes). Words 0 and 1 belong to the
 * allocator, so the upper half of a pointer is at word 3 or later. */
static void heap_erase(const larder_heap *heap, void *slot, uint32_t words)
{
    uint32_t *word = slot;
    for (uint32_t i = 3; i < words; i++)
        if (UNEXPECTED((word[i] & heap->mask) == heap->high))
            word[i] = 0;
}

static void heap_erase_all(larder_heap *out, const void *heap)
{
    for (uint32_t bin = 0; bin < HEAP_BINS; bin++) {
        uint32_t words = heap_sizes[bin] / sizeof(uint32_t) - HEAP_SHADOW;
        uintptr_t chunk = 0;
        void *slot = heap_word(heap, heap_layout.slots + bin * sizeof(void *));
        for (; slot != NULL && heap_sizes[bin] > 16; slot = heap_word(slot, 0)) {
            if (heap_chunk_of(slot) != chunk) {
                chunk = heap_known(out, heap_chunk_of(slot));
                if (chunk == 0 || (chunk & 1))
                    return;
            }
            heap_erase(out, slot, words);
            out->looked += heap_sizes[bin];
        }
    }
}

/* ---- the VM stack ---- */

static void heap_stack(larder_heap *out)
{
    zend_vm_stack page = EG(vm_stack);
    uintptr_t from = (uintptr_t)EG(vm_stack_top), to = (uintptr_t)EG(vm_stack_end);
    while (page != NULL && out->unused_count < LARDER_HEAP_STACKS) {
        if (from < (uintptr_t)page || from > to)
            return;
        out->unused[out->unused_count++] = (larder_unused){from, to};
        page = page->prev;
        if (page == NULL)
            return;
        from = (uintptr_t)page->top;
        to = (uintptr_t)page->end;
    }
}

void larder_heap_look(larder_heap *out, uint32_t mask, uint32_t high)
{
    out->mask = mask;
    out->high = high;
    out->count = out->unused_count = 0;
    out->looked = 0;
    heap_stack(out);
    if (!is_zend_mm())
        return;
    if (__atomic_load_n(&heap_known_state, __ATOMIC_RELAXED) == HEAP_UNKNOWN)
        heap_learn();
    if (__atomic_load_n(&heap_known_state, __ATOMIC_ACQUIRE) != HEAP_LEARNT)
        return;
    void *heap = zend_mm_get_heap();
    if (heap_list_chunks(out, heap))
        heap_erase_all(out, heap);
    else
        out->count = 0;
}

bool larder_heap_is_free(const larder_heap *heap, uintptr_t at)
{
    for (uint32_t i = 0; i < heap->unused_count; i++)
        if (at - heap->unused[i].from < heap->unused[i].to - heap->unused[i].from)
            return true;
    uintptr_t chunk = heap_known(heap, at & ~(uintptr_t)(ZEND_MM_CHUNK_SIZE - 1));
    if (chunk == 0)
        return false;
#ifdef LRD_POISON
    if (larder_holds_stressed() == LARDER_HOLDS_BOLD &&
        heap_page_word(heap_layout.map, at) >= HEAP_MAP_SMALL)
        return true;
#endif
    return (chunk & 1) || !heap_page_used(heap_layout.map, at);
}
