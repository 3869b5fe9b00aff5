/* compact.h - stores values as the text of a serializer, for the layers that replace other caches.
 * The text takes less memory than Larder's usual format, but each fetch must decode it. */
#ifndef LARDER_COMPACT_H
#define LARDER_COMPACT_H

#include "put/put.h"

typedef enum larder_format {
    LARDER_FORMAT_SHARED,  /* Larder's usual format */
    LARDER_FORMAT_PHP,     /* PHP's serializer: LARDER_SERIALIZED */
    LARDER_FORMAT_IGBINARY /* igbinary: LARDER_IGBINARY */
} larder_format;

/* Return the format that the INI setting `directive`, such as apc.serializer, asks for. Returns
 * LARDER_FORMAT_SHARED if the user has not set the directive. Also returns it if the format is
 * unavailable, and warns during start-up. */
larder_format larder_format_of(const char *directive);

/* Store a value like larder_put(), but write arrays and objects in this format. A value with an
 * SplHeap keeps Larder's usual format, because serializers lose its elements. */
int larder_put_as(larder_format format, const larder_target *to, zval *value,
                  const larder_blame *blame);

#endif
