/* seen.c - records which classes may have an attribute, so that all others cost next to nothing.
 *
 * PHP calls the attribute's validator when it compiles one. Other processes load the compiled
 * code from opcache. So the record lies in a page that is shared in the same way as opcache's
 * memory: mapped at startup, and inherited by forks. Without a Zend extension compiled code is
 * not shared, and the page is the process's own. Each bit stands for all names with one hash;
 * bits are only ever set.
 *
 * Invariant: a class's bit, and then the first word, is set before opcache can give the class to
 * another process. So a process that has the class sees both. */
#include "statics/seen.h"
#include "zend_extensions.h"

#include <sys/mman.h>

/* used if there is no shared page; if mapping it has failed, all bits are set */
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
    /* Release: pairs with larder_seen_any(). */
    atomic_store_explicit(&larder_seen->words[0], 1, memory_order_release);
}

void larder_seen_everything(void)
{
    for (size_t i = LARDER_SEEN_WORDS; i-- > 0;) /* set the first word last */
        atomic_store_explicit(&larder_seen->words[i], UINT64_MAX, memory_order_release);
}
