/* serializer.h - numbers the objects in Larder's serialized texts separately, even if a hook calls
 * Larder while a serialize() or unserialize() of the program is running.
 *
 * PHP numbers the objects in a serialized text, and a later mention of an object is just its
 * number. If a hook of a running serialize() calls serialize() again, the engine continues the
 * numbering: the inner text may then mention objects of the outer text. Larder stores and reads a
 * text alone, so the text needs its own numbering. After a fatal error, the engine resets all
 * numberings at the next request. */
#ifndef LARDER_REQUEST_SERIALIZER_H
#define LARDER_REQUEST_SERIALIZER_H

#include "php_larder.h"
#include "ext/standard/basic_functions.h"

typedef struct larder_serializer {
    __typeof__(BG(serialize)) serialize;
    __typeof__(BG(unserialize)) unserialize;
    /* true if a hook of a running serialize() or unserialize() has called Larder; `serialize` and
     * `unserialize` above then keep the numbering of that call */
    bool apart;
} larder_serializer;

/* If a serialize() or unserialize() of the program is running, replace its numbering of values by a
 * new one until larder_serializer_end() is called. In between, PHP must not switch fibers. Does
 * nothing if no such call is running, or if the numbering is locked. */
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

/* Call larder_serializer_lock() before you call a hook or an autoloader, and
 * larder_serializer_unlock() after it. If the hook or the autoloader serializes a value, PHP then
 * uses a separate numbering for this value, as it does when the engine calls the hook. */
static zend_always_inline void larder_serializer_lock(void) { BG(serialize_lock)++; }
static zend_always_inline void larder_serializer_unlock(void) { BG(serialize_lock)--; }

#endif
