/* seen.h - tells all processes that share opcache's memory which classes may have one of Larder's
 * attributes. */
#ifndef LARDER_STATICS_SEEN_H
#define LARDER_STATICS_SEEN_H

#include "php_larder.h"

#include <stdatomic.h>

#define LARDER_SEEN_SIZE 4096 /* in bytes: one page */
#define LARDER_SEEN_WORDS (LARDER_SEEN_SIZE / 8)

/* A set of the classes that may have an attribute: the hash of a class's name chooses a bit in
 * words 1 and up. Word 0 is not part of the set. It is 1 if any attribute was compiled. */
struct larder_seen {
    _Atomic uint64_t words[LARDER_SEEN_WORDS];
};
_Static_assert(sizeof(struct larder_seen) == LARDER_SEEN_SIZE, "one page");
extern struct larder_seen *larder_seen;

/* Return the bit of a class within its word. Sets *word to the index of this word, which is never
 * 0. */
static zend_always_inline uint64_t larder_seen_bit(zend_string *class, size_t *word)
{
    zend_ulong hash = zend_string_hash_val(class);
    *word = (hash >> 6) % LARDER_SEEN_WORDS | 1;
    return (uint64_t)1 << (hash & 63);
}

void larder_seen_startup(void) ZEND_COLD; /* call this before any code is compiled */
/* Record that PHP compiles an attribute in `class`. NULL means that the attribute is outside of
 * classes. */
void larder_seen_mark(zend_string *class);
/* Record that every class may have an attribute. Call this if PHP may load code that a process
 * without access to `larder_seen` has compiled. */
void larder_seen_everything(void);
/* Return true if any attribute was compiled. Must be fast: called for each request and each
 * file. */
static zend_always_inline bool larder_seen_any(void)
{
    return atomic_load_explicit(&larder_seen->words[0], memory_order_acquire) != 0;
}
/* Return false if the class certainly declares no attribute. */
static zend_always_inline bool larder_seen_class(const zend_class_entry *ce)
{
    size_t word;
    /* Attributes in a trait are recorded under the name of the trait, so a class with traits may
     * have them. */
    if (ce->num_traits != 0)
        return true;
    uint64_t bit = larder_seen_bit(ce->name, &word);
    return (atomic_load_explicit(&larder_seen->words[word], memory_order_relaxed) & bit) != 0;
}

#endif
