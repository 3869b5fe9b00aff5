/* layer.h - describes a layer: the API of another cache, on top of Larder. compat.c registers
 * layers. */
#ifndef LARDER_COMPAT_LAYER_H
#define LARDER_COMPAT_LAYER_H

#include "fetch/fetch.h"
#include "stores/settings.h"

typedef struct larder_layer {
    const char *name; /* the layer's name in larder.compat */
    /* name of the layer's module, for extension_loaded(); NULL if the layer has no module */
    const char *module;
    /* version that the module reports; NULL if the layer has no module */
    const char *version;
    const zend_function_entry *functions; /* NULL if the layer has no functions */
    /* Return true if another extension has registered the cache's API. (compat.c itself checks
     * whether `module` is loaded.) `present` may be NULL. */
    bool (*present)(void);
    /* Register INI settings, classes and constants. `module_number` is the number of the layer's
     * module, or Larder's if the layer has no module. `startup` may be NULL. */
    void (*startup)(int module_number);
    /* Print the layer's section of phpinfo(). `info` is NULL if the layer has no section. */
    void (*info)(zend_module_entry *module);
    /* Change the settings of the layer's stores. Called again in each FPM worker. `configure` may
     * be NULL. */
    void (*configure)(larder_settings *settings);
    /* Return true if preload() must run before the first request of a process. NULL means never. */
    bool (*preloads)(void);
    void (*preload)(void);
} larder_layer;

/* Print the first table of the layer's section in phpinfo(). `reason` says why the store is off;
 * NULL selects the reason in larder_place_of(kind). */
void larder_layer_info(const char *title, const char *version, larder_kind kind,
                       const char *reason);

/* Return the store's key for a key of the layer. The caller releases the result. The core does not
 * allow empty keys, so an empty key gets a NUL in front. A key that begins with a NUL gets another
 * NUL in front, because otherwise "\0" and the empty key would be the same. */
zend_string *larder_layer_key_escape(const zend_string *key) ZEND_COLD;
static zend_always_inline zend_string *larder_layer_key(zend_string *key)
{
    return EXPECTED(ZSTR_VAL(key)[0] != '\0') ? zend_string_copy(key)
                                              : larder_layer_key_escape(key);
}
/* Fetch the value of a key. Returns false if the key has no entry, if `store` is NULL, or if an
 * exception is set. */
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

/* Call this after each element of a list. If an exception is set, moves the exception to *kept, so
 * that the caller can store the remaining elements. Earlier kept exceptions become previous
 * exceptions of the new one. Returns false if the request is ending; the caller must then store no
 * more elements. */
bool larder_layer_keep_exception(zend_object **kept) ZEND_COLD;
static zend_always_inline bool larder_layer_goes_on(zend_object **kept)
{
    return EXPECTED(!LARDER_MUST_STOP()) || larder_layer_keep_exception(kept);
}
/* Throw the exception that larder_layer_goes_on() kept, if any. Call this after the last
 * element. */
void larder_layer_throw_kept(zend_object *kept);

#endif
