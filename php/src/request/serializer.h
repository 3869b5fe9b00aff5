/* serializer.h - gives each serialized text of Larder its own numbering of objects, even inside a
 * serialize() or unserialize() of the program.
 *
 * Otherwise, a text of Larder could refer to objects of the program's text by their numbers. After
 * a fatal error, the engine resets all numberings at the next request. */
#ifndef LARDER_REQUEST_SERIALIZER_H
#define LARDER_REQUEST_SERIALIZER_H

#include "php_larder.h"
#include "ext/standard/basic_functions.h"

typedef struct larder_serializer {
    __typeof__(BG(serialize)) serialize;
    __typeof__(BG(unserialize)) unserialize;
    /* true if a serialize() or unserialize() of the program is running; then `serialize` and
     * `unserialize` contain its numbering */
    bool apart;
} larder_serializer;

/* Begin a new numbering. If a serialize() or unserialize() of the program is running, saves its
 * numbering in *outer until larder_serializer_end(); PHP must not switch fibers before that call.
 * Does nothing while BG(serialize_lock) is set, because the engine then begins a new numbering for
 * each text. */
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

/* Call these before and after a hook or an autoloader that runs while a value is being serialized
 * or unserialized. If the hook serializes other values, the engine then numbers their parts
 * separately. */
static zend_always_inline void larder_serializer_lock(void) { BG(serialize_lock)++; }
static zend_always_inline void larder_serializer_unlock(void) { BG(serialize_lock)--; }

#endif
