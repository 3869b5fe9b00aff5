/* seen.c - records which classes may have one of Larder's attributes, so that other classes cost
 * next to nothing.
 *
 * - The validator of an attribute records the class. Code from opcache is not validated again. So
 *   all processes that share opcache's memory share the page with the record: it is mapped at
 *   startup, and forks inherit it.
 * - The hash of a class's name selects its bit. Bits are never cleared.
 * - Invariant: set the bit of a class first, then the first word, which says that the record is not
 *   empty. Do both before opcache can give the class to another process. */
#include "statics/seen.h"
#include "zend_extensions.h"

#include <sys/mman.h>

/* The record of a process without opcache. It is also used if the shared page cannot be mapped;
 * then all its bits are set. */
static struct larder_seen seen_alone;
struct larder_seen *larder_seen = &seen_alone;

void larder_seen_startup(void)
{
    if (zend_extensions.count == 0)
        return;
    void *page =
        mmap(NULL, sizeof *larder_seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED)
        larder_seen = page;
    else
        larder_seen_everything();
}

void larder_seen_mark(zend_string *class)
{
    size_t word;
    if (class != NULL) {
        uint64_t bit = larder_seen_bit(class, &word);
        atomic_fetch_or_explicit(&larder_seen->words[word], bit, memory_order_relaxed);
    }
    /* Release: pairs with the load in larder_seen_any(). */
    atomic_store_explicit(&larder_seen->words[0], 1, memory_order_release);
}

void larder_seen_everything(void)
{
    /* Set the first word last, because larder_seen_any() reads only this word. */
    for (size_t i = LARDER_SEEN_WORDS; i-- > 0;)
        atomic_store_explicit(&larder_seen->words[i], UINT64_MAX, memory_order_release);
}
