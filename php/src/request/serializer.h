/* serializer.h - keeps Larder's serialization apart from a serialize() or unserialize() of the
 * program, inside which Larder may be called.
 *
 * If a hook calls serialize() while the engine is serializing, the engine continues the numbering
 * of objects, so that both texts can refer to the same objects. A hook may also use the cache. But
 * a stored value is later read by itself. So its text needs a numbering of its own. After a
 * bailout, the engine resets all this at the next request. */
#ifndef LARDER_REQUEST_SERIALIZER_H
#define LARDER_REQUEST_SERIALIZER_H

#include "php_larder.h"
#include "ext/standard/basic_functions.h"

typedef struct larder_serializer {
    __typeof__(BG(serialize)) serialize;
    __typeof__(BG(unserialize)) unserialize;
    /* Larder was called in a hook of a serialize() or unserialize(), so it needs its own numbering
     */
    bool apart;
} larder_serializer;

/* Begin a new numbering, which lasts until larder_serializer_end(). If no serializer is running, or
 * the engine has locked the numbering, nothing is replaced. Then a fiber may switch before
 * larder_serializer_end(). */
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

/* Call this around hooks and autoloaders. If they serialize, they then use a numbering of their
 * own, as if the engine had called them. */
static zend_always_inline void larder_serializer_lock(void) { BG(serialize_lock)++; }
static zend_always_inline void larder_serializer_unlock(void) { BG(serialize_lock)--; }

#endif
