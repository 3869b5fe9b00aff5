/* serializer.h - keeps a serialize() or unserialize() of the program, inside of which we may be, apart from what we do.
 *
 * The engine lets a serialize() inside of a Serializable hook go on with the numbers of the one around it, so that both refer
 * to the same objects. A hook may use the cache. What is stored there is read without the text around it, so nothing of
 * ours may take part in that. After a bailout the engine sets all of it to zero with the next request. */
#ifndef LARDER_REQUEST_SERIALIZER_H
#define LARDER_REQUEST_SERIALIZER_H

#include "php_larder.h"
#include "ext/standard/basic_functions.h"

typedef struct larder_serializer {
    __typeof__(BG(serialize)) serialize;
    __typeof__(BG(unserialize)) unserialize;
    __typeof__(BG(serialize_lock)) lock;
} larder_serializer;

/* Around a call of a serializer: as if none were at work. Hooks that it calls share its numbers as they always do. */
static inline void larder_serializer_begin(larder_serializer *outer)
{
    *outer = (larder_serializer){
        .serialize = BG(serialize), .unserialize = BG(unserialize), .lock = BG(serialize_lock)};
    memset(&BG(serialize), 0, sizeof BG(serialize));
    memset(&BG(unserialize), 0, sizeof BG(unserialize));
    BG(serialize_lock) = 0;
}

static inline void larder_serializer_end(const larder_serializer *outer)
{
    BG(serialize) = outer->serialize;
    BG(unserialize) = outer->unserialize;
    BG(serialize_lock) = outer->lock;
}

/* Around hooks and autoloaders that we call ourselves: what they serialize is by itself, as where the engine calls
 * them. */
static zend_always_inline void larder_serializer_lock(void) { BG(serialize_lock)++; }
static zend_always_inline void larder_serializer_unlock(void) { BG(serialize_lock)--; }

#endif
