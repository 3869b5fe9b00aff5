/* layer.h - a layer: the API of another cache, on top of Larder. Each layer is a file or a folder
 * here, with its stub. compat.c registers the layers that larder.compat names. */
#ifndef LARDER_COMPAT_LAYER_H
#define LARDER_COMPAT_LAYER_H

#include "fetch/fetch.h"
#include "stores/settings.h"

typedef struct larder_layer {
    const char *name; /* its name in larder.compat */
    /* name of its module, for extension_loaded(); NULL: it has no module */
    const char *module;
    /* the version of the API that the module reports; NULL: it has no module */
    const char *version;
    const zend_function_entry *functions; /* NULL: none */
    /* Return true if the real cache exists. May be NULL. The real cache also exists if a module
     * with the name `module` is loaded. */
    bool (*present)(void);
    /* Register INI settings, classes and constants. module_number: that of the layer's module, or
     * Larder's. */
    void (*startup)(int module_number);
    /* print a section of phpinfo(); NULL: there is none */
    void (*info)(zend_module_entry *module);
    /* Change the settings of the layer's stores, after all settings were read. Called again in each
     * FPM worker. */
    void (*configure)(larder_settings *settings);
    /* Return true if preload() must run before the first request of a process. `preloads` may be
     * NULL: it need not. */
    bool (*preloads)(void);
    void (*preload)(void);
} larder_layer;

/* Print the first table of the layer's section in phpinfo(). It says that Larder provides this API,
 * and names the store, or why it is off. reason: NULL if larder_place_of(kind) has the reason. */
void larder_layer_info(const char *title, const char *version, larder_kind kind,
                       const char *reason);

/* Make the key in the store for a key of the layer. The core allows no empty key. So the empty key
 * becomes a NUL, and a key that begins with a NUL gets one more. Different keys stay different. The
 * caller releases the result. */
zend_string *larder_layer_key_escape(const zend_string *key) ZEND_COLD;
static zend_always_inline zend_string *larder_layer_key(zend_string *key)
{
    return EXPECTED(ZSTR_VAL(key)[0] != '\0') ? zend_string_copy(key)
                                              : larder_layer_key_escape(key);
}
/* Fetch the value of a key. Returns false on a miss, or if an exception is set.
 * larder_layer_has() returns true if the key has an entry. Both functions accept NULL for a
 * store that is off. */
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

/* Keep the exception about one element of a list, so that the other elements are still stored.
 * Exceptions that were kept before become its previous ones. Returns false if the request is
 * ending, so nothing more may be stored. */
bool larder_layer_keep_exception(zend_object **kept) ZEND_COLD;
static zend_always_inline bool larder_layer_goes_on(zend_object **kept)
{
    return EXPECTED(!LARDER_MUST_STOP()) || larder_layer_keep_exception(kept);
}
/* Throw the exception that was kept. Call this after the last element of a list. */
void larder_layer_throw_kept(zend_object *kept);

#endif
