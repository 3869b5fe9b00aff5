/* preload.h - reads, parses and stores the serialized values in files that a layer loads before
 * programs use its store. */
#ifndef LARDER_COMPAT_PRELOAD_H
#define LARDER_COMPAT_PRELOAD_H

#include "compat/layer.h"
#include "put/compact.h"

/* Read a file. Returns NULL if this fails; *wrong then receives the reason. Opens only regular
 * files: the size of a folder has no meaning, and opening a pipe would block. */
zend_string *larder_preload_read(const char *path, const char **wrong);
/* Unserialize a text that has one value; only white space may follow the value. No user code runs:
 * no class is looked up, and objects become incomplete objects. Returns false if the text is wrong.
 * *wrong_at receives the offset of the first wrong byte. The caller must destroy *value, even after
 * a failure. */
bool larder_preload_parse(const zend_string *text, zval *value, size_t *wrong_at);
/* Add a parsed value to the store. If the value contains objects, its serialized text is stored
 * instead, because the classes of the objects may not be loaded yet. Each fetch then unserializes
 * the text with the classes that are loaded at that time. Returns LRD_*. */
int larder_preload_add(larder_format format, lrd_store *store, zend_string *key,
                       const zend_string *text, zval *value);

#endif
