/* preload.h - reads, parses and stores serialized values from files, before programs use a layer's
 * store. */
#ifndef LARDER_COMPAT_PRELOAD_H
#define LARDER_COMPAT_PRELOAD_H

#include "compat/layer.h"
#include "put/compact.h"

/* Read a regular file. On failure, returns NULL, and *wrong is the reason. */
zend_string *larder_preload_read(const char *path, const char **wrong);
/* Unserialize a text that contains one value. Only white space may follow the value. Objects become
 * incomplete objects, so no user code runs. If the text is wrong, returns false, and *wrong_at is
 * the offset of the first wrong byte. The caller must always destroy *value. */
bool larder_preload_parse(const zend_string *text, zval *value, size_t *wrong_at);
/* Store a value. If it contains objects, their classes may not be loaded yet, so `text` is stored
 * instead of the value. Returns LRD_OK, LRD_EXISTS if the key has an entry, or an error. */
int larder_preload_add(larder_format format, lrd_store *store, zend_string *key,
                       const zend_string *text, zval *value);

#endif
