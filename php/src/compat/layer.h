/* layer.h - a layer: another cache's API on top of Larder. One file per layer in this folder, or
 * a folder of its own, with its stub beside it; compat.c registers the layers that larder.compat
 * names. */
#ifndef LARDER_COMPAT_LAYER_H
#define LARDER_COMPAT_LAYER_H

#include "fetch/fetch.h"
#include "stores/settings.h"

typedef struct larder_layer {
    const char *name; /* its name in larder.compat */
    /* the name of the module for extension_loaded(); NULL: no module of its own */
    const char *module;
    /* version of that module's API; NULL without a module */
    const char *version;
    const zend_function_entry *functions; /* NULL: none */
    /* Return true if the real cache exists, although no module has that name. NULL: it never
     * does. */
    bool (*present)(void);
    /* Register INI entries, classes and constants. module_number: that of the layer's module, or
     * Larder's. */
    void (*startup)(int module_number);
    /* Print its section of phpinfo(); NULL: none. */
    void (*info)(zend_module_entry *module);
    /* Set the properties of the layer's stores, after the settings were read. Called again in each
     * FPM worker. */
    void (*configure)(larder_settings *settings);
    /* Return true if a process has something to do before its first request; preload() does it.
     * NULL: there is nothing to do. */
    bool (*preloads)(void);
    void (*preload)(void);
} larder_layer;

/* Print the first table of a layer's section of phpinfo(). It says that the layer is Larder's,
 * and names the store, or the reason why it is off. The reason is NULL if the place of the store
 * tells it. */
void larder_layer_info(const char *title, const char *version, larder_kind kind,
                       const char *reason);

/* Make the core's key for a key of the layer. The core has no empty key, so the empty key is
 * stored as a NUL, and a key that begins with a NUL gets another one. So different keys stay
 * different. The caller releases the result. */
zend_string *larder_layer_key_escape(const zend_string *key) ZEND_COLD;
static zend_always_inline zend_string *larder_layer_key(zend_string *key)
{
    return EXPECTED(ZSTR_VAL(key)[0] != '\0') ? zend_string_copy(key)
                                              : larder_layer_key_escape(key);
}
/* Fetch the value of a layer's key / check if the key has an entry. A store that is off (NULL)
 * has none. get returns false on a miss, or if an exception is set. */
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

/* Keep the exception of an element of a list, so that the other elements are still stored.
 * Exceptions that were kept earlier become its previous ones. Returns false if the request ends
 * and nothing more may be stored. */
bool larder_layer_keep_exception(zend_object **kept) ZEND_COLD;
static zend_always_inline bool larder_layer_goes_on(zend_object **kept)
{
    return EXPECTED(!LARDER_MUST_STOP()) || larder_layer_keep_exception(kept);
}
/* Throw the kept exception, at the end of the list. */
void larder_layer_throw_kept(zend_object *kept);

#endif
