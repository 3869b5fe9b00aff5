/* compact.h - stores values as the text of a serializer. The text takes less memory than Larder's
 * usual format, but each fetch must decode it. Only the layers that replace other caches use this
 * format. */
#ifndef LARDER_COMPACT_H
#define LARDER_COMPACT_H

#include "put/put.h"

typedef enum larder_format {
    LARDER_FORMAT_SHARED,  /* Larder's usual format */
    LARDER_FORMAT_PHP,     /* PHP's serializer: LARDER_SERIALIZED */
    LARDER_FORMAT_IGBINARY /* igbinary: LARDER_IGBINARY */
} larder_format;

/* Return the format that the INI setting `directive`, such as apc.serializer, asks for. Returns
 * LARDER_FORMAT_SHARED if the user has not set the directive, or if the format is not available. An
 * unavailable format raises a warning during start-up. */
larder_format larder_format_of(const char *directive);

/* Store a value like larder_put(), but write arrays and objects in the format `format`. A value
 * that contains an SplHeap keeps Larder's usual format, because serializers lose its elements. */
int larder_put_as(larder_format format, const larder_target *to, zval *value,
                  const larder_blame *blame);

#endif
