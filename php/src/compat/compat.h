/* compat.h - the layers that larder.compat names. */
#ifndef LARDER_COMPAT_H
#define LARDER_COMPAT_H

#include "stores/settings.h"

/* Parse a list of layers such as "apcu,immutable_cache", in upper or lower case, into bits.
 * Returns false if a name is no layer: *unknown names it, and the bits have the others. */
bool larder_compat_parse(const char *list, uint32_t *layers, char *unknown, size_t size) ZEND_COLD;
/* Register the layers at module start-up, except those with a loaded real extension. */
void larder_compat_startup(uint32_t layers, int module_number) ZEND_COLD;
/* Let the registered layers change the settings. */
void larder_compat_configure(larder_settings *settings) ZEND_COLD;
/* Forget the layers: a server may start PHP again, and their directives are registered after the
 * settings were read. */
void larder_compat_shutdown(void) ZEND_COLD;
/* Write the names of the registered layers, separated by commas; "": none. */
void larder_compat_names(char *names, size_t size);

/* Return true if a layer has work to do before a process's first request / do this work. */
bool larder_compat_preloads(void) ZEND_COLD;
void larder_compat_preload(void);

#endif
