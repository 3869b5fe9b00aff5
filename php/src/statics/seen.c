/* seen.c - which classes may have an attribute, so that all the others cost next to nothing.
 *
 * PHP tells the attribute's validator when it compiles one. What one process has compiled others load from opcache, so what is
 * seen is kept in a page that is shared as opcache's memory is: mapped at startup, inherited by forks. A bit of
 * it stands for the names with one hash; bits are only ever set.
 *
 * Invariant: a class's bit, and then `any`, is set before opcache can give the class to another process, so who has the class
 * sees both. */
#include "statics/seen.h"

#include <stdatomic.h>
#include <sys/mman.h>

#define SEEN_SIZE 4096 /* bytes: a page */
#define SEEN_WORDS (SEEN_SIZE / 8 - 1)

struct seen {
    _Atomic uint64_t any;              /* 0: no attribute yet */
    _Atomic uint64_t bits[SEEN_WORDS]; /* by the hash of a class's name */
};
_Static_assert(sizeof(struct seen) == SEEN_SIZE, "one page");

static struct seen *seen; /* NULL: everything is */

void larder_seen_startup(void)
{
    void *page = mmap(NULL, SEEN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    seen = page != MAP_FAILED ? page : NULL;
}

static uint64_t seen_bit(zend_string *class, size_t *word)
{
    zend_ulong hash = zend_string_hash_val(class);
    *word = (hash >> 6) % SEEN_WORDS;
    return (uint64_t)1 << (hash & 63);
}

void larder_seen_mark(zend_string *class)
{
    size_t word;
    if (seen == NULL)
        return;
    if (class != NULL) {
        uint64_t bit = seen_bit(class, &word);
        atomic_fetch_or_explicit(&seen->bits[word], bit, memory_order_relaxed);
    }
    /* Pairs with larder_seen_any(). */
    atomic_store_explicit(&seen->any, 1, memory_order_release);
}

void larder_seen_everything(void)
{
    if (seen == NULL)
        return;
    for (size_t i = 0; i < SEEN_WORDS; i++)
        atomic_store_explicit(&seen->bits[i], UINT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&seen->any, 1, memory_order_release);
}

bool larder_seen_any(void)
{
    return seen == NULL || atomic_load_explicit(&seen->any, memory_order_acquire) != 0;
}

bool larder_seen_class(zend_class_entry *ce)
{
    size_t word;
    if (seen == NULL || ce->num_traits != 0) /* a trait's are seen under its own name */
        return true;
    uint64_t bit = seen_bit(ce->name, &word);
    return (atomic_load_explicit(&seen->bits[word], memory_order_relaxed) & bit) != 0;
}
