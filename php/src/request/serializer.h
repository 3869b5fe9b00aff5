/* serializer.h - keeps a serialize() or unserialize() of the program, inside of which we may be,
 * apart from what we do.
 *
 * The engine lets a serialize() inside of a Serializable hook go on with the numbers of the one
 * around it, so that both refer to the same objects. A hook may use the cache. What is stored there
 * is read without the text around it, so nothing of ours may take part in that. After a bailout the
 * engine sets all of it to zero with the next request. */
#ifndef LARDER_REQUEST_SERIALIZER_H
#define LARDER_REQUEST_SERIALIZER_H

#include "php_larder.h"
#include "ext/standard/basic_functions.h"

typedef struct larder_serializer {
    __typeof__(BG(serialize)) serialize;
    __typeof__(BG(unserialize)) unserialize;
    bool apart; /* we are in a hook that would go on with these numbers */
} larder_serializer;

/* Around a call of a serializer: as if none were at work. Hooks that it calls share its numbers as
 * they always do. Where the engine has locked them, or none is at work, nothing is replaced: fibers
 * that are switched in between count on it. */
static zend_always_inline void larder_serializer_begin(larder_serializer *outer)
{
    outer->apart =
        BG(serialize_lock) == 0 && (BG(serialize).level != 0 || BG(unserialize).level != 0);
    if (EXPECTED(!outer->apart))
        return;
    outer->serialize = BG(serialize);
    outer->unserialize = BG(unserialize);
    memset(&BG(serialize), 0, sizeof BG(serialize));
    memset(&BG(unserialize), 0, sizeof BG(unserialize));
}

static zend_always_inline void larder_serializer_end(const larder_serializer *outer)
{
    if (EXPECTED(!outer->apart))
        return;
    BG(serialize) = outer->serialize;
    BG(unserialize) = outer->unserialize;
}

/* Around hooks and autoloaders that we call ourselves: what they serialize is by itself, as where
 * the engine calls them. */
static zend_always_inline void larder_serializer_lock(void) { BG(serialize_lock)++; }
static zend_always_inline void larder_serializer_unlock(void) { BG(serialize_lock)--; }

#endif
