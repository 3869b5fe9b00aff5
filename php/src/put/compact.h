/* compact.h - stores values as the text of a serializer, for the layers that replace other caches:
 * smaller, but slower to fetch. */
#ifndef LARDER_COMPACT_H
#define LARDER_COMPACT_H

#include "put/put.h"

typedef enum larder_format {
    LARDER_FORMAT_SHARED,  /* Larder's usual format */
    LARDER_FORMAT_PHP,     /* PHP's serializer: LARDER_SERIALIZED */
    LARDER_FORMAT_IGBINARY /* igbinary: LARDER_IGBINARY */
} larder_format;

/* Return the format that the INI setting `directive` asks for, otherwise LARDER_FORMAT_SHARED.
 * Warns during start-up if the format is unavailable. */
larder_format larder_format_of(const char *directive);

/* Store a value like larder_put(), but write arrays and objects in the format `format`. A value
 * with an SplHeap is stored in Larder's usual format, because serializers lose the elements of the
 * SplHeap. */
int larder_put_as(larder_format format, const larder_target *to, zval *value,
                  const larder_blame *blame);

#endif
