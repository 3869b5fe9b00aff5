/* layer.h - what another cache's API on top of Larder consists of. One file per layer in this folder, with its
 * stub beside it; compat.c registers those that larder.compat names. */
#ifndef LARDER_COMPAT_LAYER_H
#define LARDER_COMPAT_LAYER_H

#include "../php_larder.h"

typedef struct larder_layer {
    const char *name; /* in larder.compat */
    const char
        *module; /* whose API it is, as extension_loaded() knows it; NULL: no module of its own */
    const char *version;                  /* of that module's API; NULL without one */
    const zend_function_entry *functions; /* NULL: none */
    /* Whether the real one is there without being a module of that name; NULL: it is not. */
    bool (*present)(void);
    /* Register INI entries, classes and constants. module_number is the layer's module's, or Larder's. */
    void (*startup)(int module_number);
    /* Its section of phpinfo(); NULL: none. */
    void (*info)(zend_module_entry *module);
    /* The settings were read: say what the layer's stores shall be like. In each FPM worker once more. */
    void (*configure)(larder_settings *settings);
} larder_layer;

/* The first table of a layer's section of phpinfo(): that it is Larder's, and its store, or why that is off; that is
 * NULL where the place of the store says it. */
void larder_layer_info(const char *title, const char *version, larder_kind kind,
                       const char *reason);

#endif
