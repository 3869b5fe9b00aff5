/* serializer.h - keeps Larder's serialization apart from a serialize() or unserialize() of the
 * program that may surround it.
 *
 * The engine lets a serialize() inside a Serializable hook continue the numbering of the
 * surrounding call, so that both texts can refer to the same objects. A hook may use the cache,
 * but a stored value is read without the surrounding text. So Larder's texts must have a
 * numbering of their own. After a bailout the engine sets all of this to zero with the next
 * request. */
#ifndef LARDER_REQUEST_SERIALIZER_H
#define LARDER_REQUEST_SERIALIZER_H

#include "php_larder.h"
#include "ext/standard/basic_functions.h"

typedef struct larder_serializer {
    __typeof__(BG(serialize)) serialize;
    __typeof__(BG(unserialize)) unserialize;
    bool apart; /* this runs in a hook that would continue the numbering */
} larder_serializer;

/* Begin a call of a serializer as if no other one were running. Hooks that it calls share its
 * numbering as usual. If the engine has locked the numbering, or no serializer is running,
 * nothing is replaced: fibers that switch in between rely on that. */
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

/* Lock the numbering around hooks and autoloaders that Larder calls, so that they serialize
 * separately, as if the engine had called them. */
static zend_always_inline void larder_serializer_lock(void) { BG(serialize_lock)++; }
static zend_always_inline void larder_serializer_unlock(void) { BG(serialize_lock)--; }

#endif
