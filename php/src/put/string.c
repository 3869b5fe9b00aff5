/* string.c - see string.h. */
#include "put/string.h"

void larder_fill_string(const void *source, void *build, const void *data, size_t size)
{
    (void)data;
    (void)size;
    larder_build_string(source, build);
}
