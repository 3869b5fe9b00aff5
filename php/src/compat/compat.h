/* compat.h - layers: the APIs of other caches. larder.compat names the ones that are registered. */
#ifndef LARDER_COMPAT_H
#define LARDER_COMPAT_H

#include "stores/settings.h"

/* Parse a list of layers, such as "apcu,immutable_cache", into bits. Upper and lower case are the
 * same. Returns false if a name in the list is that of no layer. *unknown receives this name, and
 * *layers the bits of the other names. */
bool larder_compat_parse(const char *list, uint32_t *layers, char *unknown, size_t size) ZEND_COLD;
/* Register the layers when modules start. A layer whose real extension is loaded is left out. */
void larder_compat_startup(uint32_t layers, int module_number) ZEND_COLD;
/* Let the registered layers change the settings. */
void larder_compat_configure(larder_settings *settings) ZEND_COLD;
/* Forget the layers. A server may start PHP again, and then reads Larder's settings before those
 * of the layers are registered. */
void larder_compat_shutdown(void) ZEND_COLD;
/* Write the names of the registered layers, separated by commas. "": there are none. */
void larder_compat_names(char *names, size_t size);

/* Return true if a layer has work before the first request of a process. larder_compat_preload()
 * does this work. */
bool larder_compat_preloads(void) ZEND_COLD;
void larder_compat_preload(void) LARDER_HOT;

#endif
