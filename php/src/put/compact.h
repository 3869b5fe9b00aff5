/* compact.h - compact storing: the text of a serializer takes less memory, but is decoded at each
 * fetch. Used only if a layer's directive asks for it. */
#ifndef LARDER_COMPACT_H
#define LARDER_COMPACT_H

#include "put/put.h"

typedef enum larder_format {
    LARDER_FORMAT_SHARED,  /* not compact */
    LARDER_FORMAT_PHP,     /* PHP's serializer: LARDER_SERIALIZED */
    LARDER_FORMAT_IGBINARY /* igbinary: LARDER_IGBINARY */
} larder_format;

/* Return the format that a directive such as apc.serializer asks for. If the directive is not
 * set, values are not compact, even if it has a default. Reports at start-up a format that is
 * not available. */
larder_format larder_format_of(const char *directive);

/* Store a value like larder_put(), but arrays and objects in this format. Values that contain a
 * heap keep the usual format: serializers lose the elements of heaps. */
int larder_put_as(larder_format format, const larder_target *to, zval *value,
                  const larder_blame *blame);

#endif
