/* serializer.h - lets each serialized text of Larder number its objects from the beginning, even if
 * a hook calls Larder while a serialize() or unserialize() of the program is running.
 *
 * If a hook of a running serialize() calls serialize() again, the engine continues the numbering:
 * the inner text may then mention objects of the outer text by their numbers. Larder stores the
 * inner text without the outer one, so the inner text needs its own numbering. After a fatal error,
 * the engine resets all numberings at the next request. */
#ifndef LARDER_REQUEST_SERIALIZER_H
#define LARDER_REQUEST_SERIALIZER_H

#include "php_larder.h"
#include "ext/standard/basic_functions.h"

typedef struct larder_serializer {
    __typeof__(BG(serialize)) serialize;
    __typeof__(BG(unserialize)) unserialize;
    /* true if a serialize() or unserialize() of the program is running; the fields above then
     * contain the program's numbering */
    bool apart;
} larder_serializer;

/* If a serialize() or unserialize() of the program is running, replace its numbering by a new one
 * until larder_serializer_end(). PHP must not switch fibers before that call. Does nothing if the
 * numbering is locked. */
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

/* Call larder_serializer_lock() before a hook or an autoloader, and larder_serializer_unlock()
 * after it. A value that the hook serializes then gets a numbering of its own. */
static zend_always_inline void larder_serializer_lock(void) { BG(serialize_lock)++; }
static zend_always_inline void larder_serializer_unlock(void) { BG(serialize_lock)--; }

#endif
