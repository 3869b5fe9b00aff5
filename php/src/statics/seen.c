/* seen.c - records which classes may have one of Larder's attributes, so that all others cost next
 * to nothing.
 *
 * When PHP compiles an attribute, it calls the attribute's validator, which records the class.
 * Other processes load the compiled code from opcache without this call. So the record lies in a
 * page that processes share as they share opcache's memory: mapped at startup, and inherited by
 * forks. Without opcache, compiled code is not shared, and the page is private. A class's bit is
 * chosen by the hash of its name, so several classes may share a bit. Bits are never cleared.
 *
 * Invariant: a class's bit is set, and then the first word, before opcache can give the class to
 * another process. So a process that has the class sees both. */
#include "statics/seen.h"
#include "zend_extensions.h"

#include <sys/mman.h>

/* used if there is no shared page; if the page could not be mapped, all bits are set */
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
    for (size_t i = LARDER_SEEN_WORDS; i-- > 0;) /* set the first word last */
        atomic_store_explicit(&larder_seen->words[i], UINT64_MAX, memory_order_release);
}
