/* compat.c - registers the layers of the setting larder.compat. Begin reading at
 * larder_compat_startup().
 *
 * A layer for an extension registers a module with the extension's name, so that extension_loaded()
 * finds it. But if the real extension is loaded, the layer is left out. PHP registers all
 * extensions of php.ini before Larder starts, so this is known. */
#include "compat/compat.h"
#include "compat/layer.h"
#include "fetch/fetch.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "ext/standard/info.h"
#include "zend_exceptions.h"

extern const larder_layer larder_layer_apcu, larder_layer_immutable_cache, larder_layer_memsession,
    larder_layer_opcache, larder_layer_user_cache;

static const larder_layer *const compat_layers[] = {
    &larder_layer_apcu, &larder_layer_immutable_cache, &larder_layer_memsession,
    &larder_layer_opcache, &larder_layer_user_cache};
#define COMPAT_LAYERS (sizeof compat_layers / sizeof *compat_layers)

static zend_module_entry compat_modules[COMPAT_LAYERS];
static uint32_t compat_registered; /* bit i is set if compat_layers[i] is registered */

bool larder_compat_parse(const char *list, uint32_t *layers, char *unknown, size_t size)
{
    static const char between[] = ", \t";
    bool known = true;
    *layers = 0;
    for (list += strspn(list, between); *list != '\0'; list += strspn(list, between)) {
        size_t length = strcspn(list, between), i = 0;
        while (i < COMPAT_LAYERS && (strncasecmp(compat_layers[i]->name, list, length) != 0 ||
                                     compat_layers[i]->name[length] != '\0'))
            i++;
        if (i < COMPAT_LAYERS)
            *layers |= 1u << i;
        else if (known)
            snprintf(unknown, size, "%.*s", (int)(length < size ? length : size), list);
        known = known && i < COMPAT_LAYERS;
        list += length;
    }
    return known;
}

static bool compat_is_present(const larder_layer *layer)
{
    return (layer->module != NULL &&
            zend_hash_str_exists(&module_registry, layer->module, strlen(layer->module))) ||
           (layer->present != NULL && layer->present());
}

/* Register a module with the layer's name, and set *module_number. Returns false on failure. */
static bool compat_register_module(size_t index, int *module_number)
{
    const larder_layer *layer = compat_layers[index];
    zend_module_entry *current = EG(current_module), *module = compat_modules + index;
    *module = (zend_module_entry){STANDARD_MODULE_HEADER,
                                  layer->module,
                                  layer->functions,
                                  NULL,
                                  NULL,
                                  NULL,
                                  NULL,
                                  layer->info,
                                  layer->version,
                                  STANDARD_MODULE_PROPERTIES};
    module = zend_register_internal_module(module);
    EG(current_module) = current;
    if (module == NULL)
        return false;
    *module_number = module->module_number;
    return true;
}

static void compat_start(size_t index, int module_number)
{
    const larder_layer *layer = compat_layers[index];
    if (compat_is_present(layer)) {
        zend_error(E_CORE_WARNING,
                   "larder.compat: %s is loaded, so Larder does not stand in for it%s%s%s",
                   layer->name, layer->module != NULL ? "; switch it off (Debian: phpdismod " : "",
                   layer->module != NULL ? layer->module : "", layer->module != NULL ? ")" : "");
        return;
    }
    if (layer->module != NULL) {
        if (!compat_register_module(index, &module_number)) {
            zend_error(E_CORE_WARNING, "larder.compat: %s cannot be registered", layer->name);
            return;
        }
    } else if (layer->functions != NULL) {
        zend_register_functions(NULL, layer->functions, NULL, MODULE_PERSISTENT);
    }
    if (layer->startup != NULL) {
        zend_module_entry *current = EG(current_module);
        /* the engine takes EG(current_module) as the module of new classes */
        if (layer->module != NULL)
            EG(current_module) =
                zend_hash_str_find_ptr(&module_registry, layer->module, strlen(layer->module));
        layer->startup(module_number);
        EG(current_module) = current;
    }
    compat_registered |= 1u << index;
}

void larder_compat_startup(uint32_t layers, int module_number)
{
    for (size_t i = 0; i < COMPAT_LAYERS; i++)
        if (layers & 1u << i)
            compat_start(i, module_number);
}

void larder_compat_configure(larder_settings *settings)
{
    for (size_t i = 0; i < COMPAT_LAYERS; i++)
        if ((compat_registered & 1u << i) && compat_layers[i]->configure != NULL)
            compat_layers[i]->configure(settings);
}

void larder_compat_shutdown(void) { compat_registered = 0; }

bool larder_compat_preloads(void)
{
    for (size_t i = 0; i < COMPAT_LAYERS; i++)
        if ((compat_registered & 1u << i) && compat_layers[i]->preloads != NULL &&
            compat_layers[i]->preloads())
            return true;
    return false;
}

void larder_compat_preload(void)
{
    for (size_t i = 0; i < COMPAT_LAYERS; i++)
        if ((compat_registered & 1u << i) && compat_layers[i]->preload != NULL)
            compat_layers[i]->preload();
}

void larder_compat_names(char *names, size_t size)
{
    size_t used = 0;
    *names = '\0';
    for (size_t i = 0; i < COMPAT_LAYERS; i++)
        if ((compat_registered & 1u << i) && used < size)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used != 0 ? ", " : "",
                                     compat_layers[i]->name);
}

void larder_layer_info(const char *title, const char *version, larder_kind kind, const char *reason)
{
    bool on = larder_store(kind) != NULL;
    if (reason == NULL)
        reason = larder_place_of(kind)->reason[0] != '\0' ? larder_place_of(kind)->reason
                                                          : "not usable here";
    php_info_print_table_start();
    php_info_print_table_row(2, title, "its API, by Larder " PHP_LARDER_VERSION);
    php_info_print_table_row(2, "Version of the API", version);
    php_info_print_table_row(2, "State", on ? "on" : reason);
    php_info_print_table_end();
}

zend_string *larder_layer_key_escape(const zend_string *key)
{
    zend_string *escaped = zend_string_alloc(ZSTR_LEN(key) + 1, 0);
    ZSTR_VAL(escaped)[0] = '\0';
    memcpy(ZSTR_VAL(escaped) + 1, ZSTR_VAL(key), ZSTR_LEN(key) + 1);
    return escaped;
}

bool larder_layer_has(lrd_store *store, zend_string *key)
{
    if (store == NULL)
        return false;
    zend_string *name = larder_layer_key(key);
    bool found = larder_has(store, name);
    zend_string_release(name);
    return found;
}

bool larder_layer_keep_exception(zend_object **kept)
{
    zend_object *thrown = EG(exception);
    if (LARDER_OUT_OF_MEMORY() || thrown == NULL || zend_is_unwind_exit(thrown) ||
        zend_is_graceful_exit(thrown))
        return false;
    EG(exception) = NULL;
    if (*kept != NULL)
        zend_exception_set_previous(thrown, *kept);
    *kept = thrown;
    return true;
}

void larder_layer_throw_kept(zend_object *kept)
{
    if (EXPECTED(kept == NULL))
        return;
    if (EG(exception))
        OBJ_RELEASE(kept); /* the request ends */
    else
        zend_throw_exception_internal(kept);
}
