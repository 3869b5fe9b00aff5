/* compat.h - layers: the APIs of other caches, listed in the setting larder.compat. */
#ifndef LARDER_COMPAT_H
#define LARDER_COMPAT_H

#include "stores/settings.h"

/* Parse a list such as "apcu,immutable_cache" into bits, without regard to case. If a name is
 * unknown, returns false, and sets *unknown to the first unknown name. *layers always receives the
 * known layers. */
bool larder_compat_parse(const char *list, uint32_t *layers, char *unknown, size_t size) ZEND_COLD;
/* Register the layers whose bits are set in `layers`, except those whose real extension is
 * loaded. */
void larder_compat_startup(uint32_t layers, int module_number) ZEND_COLD;
/* Let the registered layers change the settings. */
void larder_compat_configure(larder_settings *settings) ZEND_COLD;
/* Forget the registered layers, because a server may start PHP again in the same process. */
void larder_compat_shutdown(void) ZEND_COLD;
/* Write the names of the registered layers, separated by commas. */
void larder_compat_names(char *names, size_t size);

/* Return true if larder_compat_preload() has work to do before the first request of a process. */
bool larder_compat_preloads(void) ZEND_COLD;
void larder_compat_preload(void) LARDER_HOT;

#endif
