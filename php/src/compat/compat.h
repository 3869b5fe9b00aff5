/* compat.h - layers: the APIs of other caches. The setting larder.compat lists the layers to
 * register. */
#ifndef LARDER_COMPAT_H
#define LARDER_COMPAT_H

#include "stores/settings.h"

/* Parse a list of layers, such as "apcu,immutable_cache", into bits. Case is ignored. Returns false
 * if there are unknown names; *unknown then receives the first of them. *layers always receives the
 * bits of the known names. */
bool larder_compat_parse(const char *list, uint32_t *layers, char *unknown, size_t size) ZEND_COLD;
/* Register the layers at module start-up. A layer is left out if its real extension is loaded. */
void larder_compat_startup(uint32_t layers, int module_number) ZEND_COLD;
/* Let the registered layers change the settings. */
void larder_compat_configure(larder_settings *settings) ZEND_COLD;
/* Forget which layers are registered, because a server may start PHP again in the same process. */
void larder_compat_shutdown(void) ZEND_COLD;
/* Write the names of the registered layers, separated by commas. The text is empty if no layer is
 * registered. */
void larder_compat_names(char *names, size_t size);

/* Return true if a layer has work to do before the first request of a process.
 * larder_compat_preload() does this work. */
bool larder_compat_preloads(void) ZEND_COLD;
void larder_compat_preload(void) LARDER_HOT;

#endif
