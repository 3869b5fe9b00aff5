/* setup.c - the INI settings of APCu, and entries from files. Read apcu_startup(), apcu_configure()
 * and apcu_activate() first. */
#include "compat/apcu/apcu.h"
#include "compat/layer.h"
#include "compat/preload.h"
#include "files/files.h"
#include "stores/log.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "php_ini.h"
#include "SAPI.h"

#include <dirent.h>
#include <time.h>

#define APCU_SIZE_DEFAULT (32u << 20)

zend_long apcu_start_time;
larder_format apcu_format LARDER_OF_WORKER;

/* ---- directives ---- */

/* PHP needs this handler to restore a setting that was changed at run time. */
static ZEND_INI_MH(apcu_agree) { return SUCCESS; }

#define APCU_DIRECTIVE(text, initial, who)                                                         \
    {                                                                                              \
        .name = (text), .value = (initial), .value_length = sizeof(initial) - 1,                   \
        .name_length = sizeof(text) - 1, .modifiable = (who), .on_modify = apcu_agree              \
    }

/* The initial values. If larder.enable or larder.enable_cli is 0, apc.enabled or apc.enable_cli is
 * also set to 0, because programs check these settings. */
static const zend_ini_entry_def apcu_directives[] = {
    APCU_DIRECTIVE("apc.enabled", "1", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.enable_cli", "1", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.shm_size", "32M", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.preload_path", "", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.ttl", "0", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.shm_segments", "1", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.entries_hint", "4096", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.gc_ttl", "3600", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.smart", "0", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.mmap_file_mask", "", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.mmap_hugepage_size", "0", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.slam_defense", "0", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.coredump_unmap", "0", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.use_request_time", "0", ZEND_INI_ALL),
    APCU_DIRECTIVE("apc.serializer", "php", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.cache_static_contents", "0", ZEND_INI_SYSTEM),
    APCU_DIRECTIVE("apc.user_ttl", "0", ZEND_INI_SYSTEM),
};
#define APCU_DIRECTIVES (sizeof apcu_directives / sizeof *apcu_directives)

/* Read a setting from php.ini, -d or the FPM pool; see settings_text() in stores/settings.c. */
static const char *apcu_text(const char *name)
{
    const char *text = zend_ini_string_ex(name, strlen(name), 1, NULL);
    return text != NULL ? text : "";
}

static bool apcu_on(const char *name) { return zend_ini_long(name, strlen(name), 1) != 0; }

void apcu_startup(int module_number)
{
    static zend_ini_entry_def absent[APCU_DIRECTIVES + 1]; /* PHP keeps pointers to these */
    size_t count = 0;
    for (size_t i = 0; i < APCU_DIRECTIVES; i++)
        if (!zend_hash_str_exists(EG(ini_directives), apcu_directives[i].name,
                                  apcu_directives[i].name_length))
            absent[count++] = apcu_directives[i];
    absent[count].name = NULL;
    for (size_t i = 0; i < count; i++)
        if ((strcmp(absent[i].name, "apc.enabled") == 0 && !apcu_on("larder.enable")) ||
            (strcmp(absent[i].name, "apc.enable_cli") == 0 && !apcu_on("larder.enable_cli")))
            absent[i].value = "0";
    zend_register_ini_entries(absent, module_number);
    apcu_start_time = (zend_long)time(NULL);
}

/* Parse a size in bytes. A number below 1M without a suffix is a number of megabytes. Returns 0 for
 * a bad value. */
static uint64_t apcu_size(const char *text)
{
    zend_string *string = zend_string_init(text, strlen(text), 1), *error = NULL;
    zend_long size = zend_ini_parse_quantity(string, &error);
    zend_string_release_ex(string, 1);
    if (error != NULL)
        zend_string_release(error);
    if (error != NULL || size <= 0)
        return 0;
    if (size < 1 << 20 && text[strspn(text, " 0123456789")] == '\0')
        size = size << 20;
    bool small = size < LRD_SIZE_MIN;
    bool large = (uint64_t)size > LRD_SIZE_MAX;
    if ((small || large) && php_during_module_startup())
        zend_error(E_CORE_WARNING, "apc.shm_size = \"%s\": %s; %s is used", text,
                   small ? "too small for the structures of a store" : "more than a store can have",
                   small ? "1M" : "1024G");
    return small ? LRD_SIZE_MIN : large ? LRD_SIZE_MAX : (uint64_t)size;
}

void apcu_configure(larder_settings *settings)
{
    bool cli = strcmp(sapi_module.name, "cli") == 0 || strcmp(sapi_module.name, "phpdbg") == 0;
    if (!apcu_on("apc.enabled") || (cli && !apcu_on("apc.enable_cli")))
        return;
    if (apcu_on("apc.cache_static_contents"))
        larder_files_like_apc(zend_ini_long(ZEND_STRL("apc.user_ttl"), 1));
    apcu_format = larder_format_of("apc.serializer");
    settings->size[LARDER_APCU] = apcu_size(apcu_text("apc.shm_size"));
    if (settings->size[LARDER_APCU] != 0)
        return;
    settings->size[LARDER_APCU] = APCU_SIZE_DEFAULT;
    if (php_during_module_startup())
        zend_error(E_CORE_WARNING,
                   "apc.shm_size = \"%s\": must be a size such as 32M, which is used",
                   apcu_text("apc.shm_size"));
}

const char *apcu_off_reason(void)
{
    if (larder_configured.enabled && larder_configured.size[LARDER_APCU] == 0)
        return "apc.enabled or apc.enable_cli is 0";
    const larder_place *place = larder_place_of(LARDER_APCU);
    return place->reason[0] != '\0' ? place->reason : "not usable here";
}

void apcu_module_info(zend_module_entry *module)
{
    bool on = apcu_use() != NULL;
    larder_layer_info("APCu", APCU_API_VERSION, LARDER_APCU, on ? NULL : apcu_off_reason());
    display_ini_entries(module);
}

/* ---- apc.preload_path ---- */

static void preload_complain(const char *path, const char *what)
{
    char text[2048];
    snprintf(text, sizeof text, "Larder: apc.preload_path: %s %s", path, what);
    larder_log(text);
}

static void preload_file(lrd_store *store, const char *path, const char *name, size_t length)
{
    zval value;
    size_t wrong_at;
    const char *wrong;
    zend_string *text = larder_preload_read(path, &wrong);
    if (text == NULL) {
        preload_complain(path, wrong);
        return;
    }
    bool good = larder_preload_parse(text, &value, &wrong_at);
    if (good) {
        zend_string *key = zend_string_init(name, length, 0);
        int rc = larder_preload_add(apcu_format, store, key, text, &value);
        if (rc != LRD_OK && rc != LRD_EXISTS)
            preload_complain(path, lrd_strerror(rc));
        zend_string_release(key);
    } else if (!LARDER_OUT_OF_MEMORY()) {
        preload_complain(path, "does not hold a serialized value");
    }
    zval_ptr_dtor(&value);
    zend_string_release(text);
}

static int preload_is_data(const struct dirent *entry)
{
    static const char suffix[] = ".data";
    size_t length = strlen(entry->d_name);
    return length >= sizeof suffix &&
           strcmp(entry->d_name + length - (sizeof suffix - 1), suffix) == 0;
}

/* Load the files in the order of their names. */
static void preload_folder(lrd_store *store, const char *folder)
{
    char path[MAXPATHLEN];
    struct dirent **files;
    int count = scandir(folder, &files, preload_is_data, alphasort);
    if (count < 0) {
        preload_complain(folder, strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *name = files[i]->d_name;
        if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
            preload_file(store, path, name, strlen(name) - strlen(".data"));
        else
            preload_complain(name, "has a path that is too long");
        free(files[i]);
    }
    free(files);
}

lrd_store *apcu_activate(void)
{
    lrd_info info;
    lrd_store *store = larder_activate(LARDER_APCU);
    /* only the first caller goes on, and only the creator of the store loads the files */
    if (store == NULL ||
        __atomic_exchange_n(&larder_place_of(LARDER_APCU)->prepared, true, __ATOMIC_RELAXED))
        return store;
    lrd_store_info(store, &info);
    if (info.created && apcu_text("apc.preload_path")[0] != '\0')
        preload_folder(store, apcu_text("apc.preload_path"));
    return store;
}
