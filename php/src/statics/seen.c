/* seen.c - which classes may have an attribute, so that all the others cost next to nothing.
 *
 * PHP tells the attribute's validator when it compiles one. What one process has compiled others
 * load from opcache, so what is seen is kept in a page that is shared as opcache's memory is:
 * mapped at startup, inherited by forks. Without a Zend extension nobody shares what is compiled,
 * and the page is the process's own. A bit of it stands for the names with one hash; bits are only
 * ever set.
 *
 * Invariant: a class's bit, and then the first word, is set before opcache can give the class to
 * another process, so who has the class sees both. */
#include "statics/seen.h"
#include "zend_extensions.h"

#include <sys/mman.h>

/* where no page is shared; where one should be, all bits are set */
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
    /* Pairs with larder_seen_any(). */
    atomic_store_explicit(&larder_seen->words[0], 1, memory_order_release);
}

void larder_seen_everything(void)
{
    for (size_t i = LARDER_SEEN_WORDS; i-- > 0;) /* the first word last */
        atomic_store_explicit(&larder_seen->words[i], UINT64_MAX, memory_order_release);
}
