/* memory.c - allocates memory that lasts for a request, page by page. The first page has the list
 * of the other pages. */
#include "request/memory.h"

/* size of a page in bytes; with malloc()'s header, it fits in a page of the machine */
#define MEMORY_PAGE 4032u
#define MEMORY_OWN 1024u /* an allocation of more bytes gets its own page */
#define MEMORY_KEPT 16u  /* maximum number of pages that are kept for the next request */
#define MEMORY_ALIGN 16u

typedef struct memory_page {
    struct memory_page *next;
    size_t size; /* size in bytes of `data` */
    _Alignas(MEMORY_ALIGN) char data[];
} memory_page;

struct larder_memory {
    memory_page *used, *kept;
    uint32_t kept_count;
    size_t left; /* number of free bytes in the page that is being filled */
    char *at;
    _Alignas(MEMORY_ALIGN) char data[];
};

#define MEMORY_FIRST (MEMORY_PAGE - sizeof(struct larder_memory))
#define MEMORY_NEXT (MEMORY_PAGE - sizeof(memory_page))

static void memory_begin(struct larder_memory *memory)
{
    memory->at = memory->data;
    memory->left = MEMORY_FIRST;
}

/* Add a page with room for `size` bytes. Returns NULL if this fails. */
static memory_page *memory_page_new(struct larder_memory *memory, size_t size)
{
    memory_page *page = size <= MEMORY_OWN ? memory->kept : NULL;
    if (page != NULL) {
        memory->kept = page->next;
        memory->kept_count--;
    } else {
        size_t wanted = size <= MEMORY_OWN ? MEMORY_NEXT : size;
        page = malloc(sizeof *page + wanted);
        if (page == NULL)
            return NULL;
        page->size = wanted;
    }
    page->next = memory->used;
    memory->used = page;
    return page;
}

/* Allocate from the page that is being filled, which must have room. */
static zend_always_inline void *memory_take(struct larder_memory *memory, size_t size)
{
    void *data = memory->at;
    memory->at += size;
    memory->left -= size;
    return memset(data, 0, size);
}

/* Allocate from a new page. Returns NULL if this fails. */
static zend_never_inline void *memory_more(size_t size)
{
    struct larder_memory *memory = LARDER_G(memory);
    if (memory == NULL) {
        memory = LARDER_G(memory) = calloc(1, MEMORY_PAGE);
        if (memory == NULL)
            return NULL;
        memory_begin(memory);
    }
    if (size <= memory->left)
        return memory_take(memory, size);
    memory_page *page = memory_page_new(memory, size);
    if (page == NULL)
        return NULL;
    if (size > MEMORY_OWN)
        return memset(page->data, 0, size);
    memory->at = page->data;
    memory->left = page->size;
    return memory_take(memory, size);
}

void *larder_request_alloc(size_t size)
{
    struct larder_memory *memory = LARDER_G(memory);
    size = ZEND_MM_ALIGNED_SIZE_EX(size, MEMORY_ALIGN);
    return EXPECTED(memory != NULL) && EXPECTED(size <= memory->left) ? memory_take(memory, size)
                                                                      : memory_more(size);
}

void larder_request_forget(void)
{
    struct larder_memory *memory = LARDER_G(memory);
    memset(&LARDER_G(known), 0, sizeof LARDER_G(known));
    if (memory == NULL)
        return;
    for (memory_page *page = memory->used, *next; page != NULL; page = next) {
        next = page->next;
#ifdef LRD_POISON
        larder_overwrite(page->data, 0xa5, page->size);
#endif
        if (page->size != MEMORY_NEXT || memory->kept_count == MEMORY_KEPT) {
            free(page);
            continue;
        }
        page->next = memory->kept;
        memory->kept = page;
        memory->kept_count++;
    }
    memory->used = NULL;
    memory_begin(memory);
#ifdef LRD_POISON
    larder_overwrite(memory->data, 0xa5, MEMORY_FIRST);
#endif
}

static void memory_free(memory_page *page)
{
    for (memory_page *next; page != NULL; page = next) {
        next = page->next;
        free(page);
    }
}

void larder_request_end(struct larder_memory *memory)
{
    if (memory == NULL)
        return;
    memory_free(memory->used);
    memory_free(memory->kept);
    free(memory);
}
