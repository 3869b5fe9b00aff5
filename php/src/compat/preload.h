/* preload.h - reads files with serialized values, which a layer loads before programs use its
 * store. */
#ifndef LARDER_COMPAT_PRELOAD_H
#define LARDER_COMPAT_PRELOAD_H

#include "compat/layer.h"
#include "put/compact.h"

/* Unserialize a text with one value, behind which only white space may follow. Runs no user code:
 * no class is looked up, and objects become incomplete ones. Returns false if the text is wrong;
 * *wrong_at is the first wrong byte. The caller destroys *value in any case. */
bool larder_preload_parse(const zend_string *text, zval *value, size_t *wrong_at);
/* Add a value that was parsed. If it contains objects, its text is stored. Each fetch then restores
 * the objects, when their classes can be loaded. Returns LRD_*. */
int larder_preload_add(larder_format format, lrd_store *store, zend_string *key,
                       const zend_string *text, zval *value);

#endif
