/* compat.h - the layers that larder.compat names. */
#ifndef LARDER_COMPAT_H
#define LARDER_COMPAT_H

#include "stores/settings.h"

/* The bits of the layers in a list such as "apcu,immutable_cache", in either case. False: *unknown
 * is no layer; the others count. */
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

/* True if a layer has something to do before a process's first request; the second function does
 * it. */
bool larder_compat_preloads(void) ZEND_COLD;
void larder_compat_preload(void);

#endif
