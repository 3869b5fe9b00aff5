/* serializer.h - keeps Larder's serialization apart from a serialize() or unserialize() of the
 * program that may surround it.
 *
 * The engine lets a serialize() inside a Serializable hook continue the numbers of the surrounding
 * one, so that both refer to the same objects. A hook may use the cache. A stored value is read
 * without the surrounding text, so Larder's texts must not take part in that. After a bailout the
 * engine sets all of this to zero with the next request. */
#ifndef LARDER_REQUEST_SERIALIZER_H
#define LARDER_REQUEST_SERIALIZER_H

#include "php_larder.h"
#include "ext/standard/basic_functions.h"

typedef struct larder_serializer {
    __typeof__(BG(serialize)) serialize;
    __typeof__(BG(unserialize)) unserialize;
    bool apart; /* this is a hook that would continue these numbers */
} larder_serializer;

/* Begin a call of a serializer as if no other one were running. Hooks that it calls share its
 * numbers as usual. If the engine has locked the numbers, or no serializer is at work, nothing is
 * replaced: fibers that are switched in between rely on that. */
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

/* Lock the numbers around hooks and autoloaders that Larder calls: they serialize separately, as
 * when the engine calls them. */
static zend_always_inline void larder_serializer_lock(void) { BG(serialize_lock)++; }
static zend_always_inline void larder_serializer_unlock(void) { BG(serialize_lock)--; }

#endif
