/* layer.h - a layer: the API of another cache, on top of Larder. */
#ifndef LARDER_COMPAT_LAYER_H
#define LARDER_COMPAT_LAYER_H

#include "fetch/fetch.h"
#include "stores/settings.h"

typedef struct larder_layer {
    const char *name; /* in larder.compat */
    /* name of the layer's module, for extension_loaded(), or NULL */
    const char *module;
    /* version of the module, or NULL */
    const char *version;
    const zend_function_entry *functions; /* NULL if there are none */
    /* Return true if another extension has registered the cache's API under another module name.
     * compat.c itself looks for a module with the name `module`. May be NULL. */
    bool (*present)(void);
    /* Called at startup with the number of the layer's module, or of Larder's module if the layer
     * has none. May be NULL. */
    void (*startup)(int module_number);
    /* Print the layer's section of phpinfo(). May be NULL. */
    void (*info)(zend_module_entry *module);
    /* Change the settings for this layer. Each FPM worker calls this again. May be NULL. */
    void (*configure)(larder_settings *settings);
    /* Return true if preload() must run before the first request of a process. NULL means never. */
    bool (*preloads)(void);
    void (*preload)(void);
} larder_layer;

/* Print the first table of a section of phpinfo(). `reason` says why the store is off; NULL selects
 * the reason in larder_place_of(kind). */
void larder_layer_info(const char *title, const char *version, larder_kind kind,
                       const char *reason);

/* Return the store's key for a program's key; the caller must release it. The core refuses empty
 * keys, and keys of Larder's own entries begin with a NUL. So a key that is empty or begins with a
 * NUL gets a NUL in front. */
zend_string *larder_layer_key_escape(const zend_string *key) ZEND_COLD;
static zend_always_inline zend_string *larder_layer_key(zend_string *key)
{
    return EXPECTED(ZSTR_VAL(key)[0] != '\0') ? zend_string_copy(key)
                                              : larder_layer_key_escape(key);
}
/* Fetch the value of a program's key. Returns false if the key has no entry, if `store` is NULL, or
 * if an exception is set. */
static zend_always_inline bool larder_layer_get(lrd_store *store, zend_string *key, zval *result)
{
    if (UNEXPECTED(store == NULL))
        return false;
    if (EXPECTED(ZSTR_VAL(key)[0] != '\0'))
        return larder_fetch(store, key, result);
    zend_string *name = larder_layer_key_escape(key);
    bool found = larder_fetch(store, name, result);
    zend_string_release(name);
    return found;
}
bool larder_layer_has(lrd_store *store, zend_string *key);

/* Call this at the end of each round of a loop. It moves an exception to *kept, with earlier ones
 * as its previous exceptions. If it returns false, the request is ending, and the caller must stop.
 */
bool larder_layer_keep_exception(zend_object **kept) ZEND_COLD;
static zend_always_inline bool larder_layer_goes_on(zend_object **kept)
{
    return EXPECTED(!LARDER_MUST_STOP()) || larder_layer_keep_exception(kept);
}
/* Call this after the loop. Throws `kept`, the exception that larder_layer_goes_on() has kept. Does
 * nothing if `kept` is NULL. */
void larder_layer_throw_kept(zend_object *kept);

#endif
