/* compact.h - compact storing: the text of a serializer, which takes less memory and has to be
 * decoded at each fetch. Only where a layer's directive asks for it. */
#ifndef LARDER_COMPACT_H
#define LARDER_COMPACT_H

#include "put/put.h"

typedef enum larder_format {
    LARDER_FORMAT_SHARED,  /* not compact */
    LARDER_FORMAT_PHP,     /* PHP's serializer: LARDER_SERIALIZED */
    LARDER_FORMAT_IGBINARY /* igbinary: LARDER_IGBINARY */
} larder_format;

/* The format that a directive such as apc.serializer asks for. Where nobody has set it values are
 * not compact, whatever it says. Says at start-up what it cannot do. */
larder_format larder_format_of(const char *directive);

/* As larder_put(), but that arrays and objects are stored in this format. What has a heap in it is
 * not: serializers lose what lies in heaps. */
int larder_put_as(larder_format format, const larder_target *to, zval *value,
                  const larder_blame *blame);

#endif
