/* settings.c - the INI directives: reads them at start-up, and once more in each FPM worker, whose pool
 * may have its own; says what is wrong with them. A bad value switches the stores off instead of
 * guessing what was meant. */
#include "php_larder.h"
#include "pools.h"
#include "compat/compat.h"
#include "php_ini.h"
#include "SAPI.h"

#include <unistd.h>

#define SETTINGS_SCOPE_MAX 64
#define SETTINGS_INTERVAL_MAX 3600000u /* milliseconds */

larder_settings larder_configured;

PHP_INI_BEGIN()
    PHP_INI_ENTRY("larder.enable", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.enable_cli", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.volatile_size", "64M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.pinned_size", "32M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.immutable_size", "0", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.resident_size", "32M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.statics", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.statics_interval", "10", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.path", "", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.scope", "", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.entries_hint", "0", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.pools", "32", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.compat", "", PHP_INI_SYSTEM, NULL)
PHP_INI_END()

void larder_settings_register(int module_number)
{
    zend_register_ini_entries(ini_entries, module_number);
}

/* As php.ini, -d and the FPM pool say: a [PATH=] or [HOST=] section holds for one request only, and the
 * first one of a worker must not decide for the others. */
static const char *settings_text(const char *name)
{
    const char *text = zend_ini_string_ex(name, strlen(name), 1, NULL);
    return text != NULL ? text : "";
}

/* A worker's reason is logged by stores.c: nothing may be put out in a request. */
static void settings_off(const char *reason)
{
    larder_settings *settings = &larder_configured;
    if (settings->reason[0] == '\0')
        snprintf(settings->reason, sizeof settings->reason, "%s", reason);
    if (php_during_module_startup())
        zend_error(E_CORE_WARNING, "%s; Larder is off", reason);
}

static void settings_bad(const char *name, const char *wanted)
{
    char reason[sizeof larder_configured.reason];
    snprintf(reason, sizeof reason, "%s = \"%s\": must be %s", name, settings_text(name), wanted);
    settings_off(reason);
}

/* Digits and an optional suffix. False: not a number, or beyond 2^63. */
static bool settings_quantity(const char *text, bool suffix, uint64_t *out)
{
    char *end;
    unsigned shift = 0;
    while (*text == ' ')
        text++;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (suffix && *end != '\0') {
        static const char letters[] = "KMGT";
        const char *letter = strchr(letters, *end & ~0x20);
        if (letter == NULL || letter == letters + 4)
            return false;
        shift = 10 * (unsigned)(letter - letters + 1);
        end++;
    }
    while (*end == ' ')
        end++;
    if (errno != 0 || *end != '\0' || value > (unsigned long long)INT64_MAX >> shift)
        return false;
    *out = (uint64_t)value << shift;
    return true;
}

static uint64_t settings_size(const char *name)
{
    uint64_t size = 0;
    if (!settings_quantity(settings_text(name), true, &size) ||
        (size != 0 && (size < LRD_SIZE_MIN || size > LRD_SIZE_MAX)))
        settings_bad(name, "0 or a size from 1M to 1T");
    return size;
}

static bool settings_on(const char *name) { return zend_ini_long(name, strlen(name), 1) != 0; }

static bool settings_scope_good(const char *scope)
{
    size_t length = strlen(scope);
    return length <= SETTINGS_SCOPE_MAX && scope[0] != '.' &&
           strspn(scope, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
               length;
}

bool larder_settings_path(larder_kind kind, char *path, size_t size, char *reason,
                          size_t reason_size)
{
    const char *folder = settings_text("larder.path"), *scope = settings_text("larder.scope");
    path[0] = '\0';
    if (folder[0] == '\0' && scope[0] == '\0')
        return true;
    if (folder[0] == '\0')
        folder = "/dev/shm";
    if (scope[0] == '\0')
        scope = "default";
    if (folder[0] != '/') {
        snprintf(reason, reason_size, "larder.path = \"%s\": must be an absolute path", folder);
        return false;
    }
    if (!settings_scope_good(scope)) {
        snprintf(reason, reason_size,
                 "larder.scope = \"%s\": must be at most %d letters, digits, '_', '-' and '.'",
                 scope, SETTINGS_SCOPE_MAX);
        return false;
    }
    int length = snprintf(path, size, "%s/larder-%lu-%s-%s", folder, (unsigned long)geteuid(),
                          scope, larder_places[kind].name);
    if (length > 0 && (size_t)length < size)
        return true;
    path[0] = '\0';
    snprintf(reason, reason_size, "larder.path is longer than %zu bytes", size - 100);
    return false;
}

void larder_settings_read(void)
{
    larder_settings *settings = &larder_configured;
    char path[512], reason[256] = "";
    uint64_t pools, interval;
    memset(settings, 0, sizeof *settings);
    settings->enabled = settings_on("larder.enable");
    if (strcmp(sapi_module.name, "cli") == 0 || strcmp(sapi_module.name, "phpdbg") == 0)
        settings->enabled = settings->enabled && settings_on("larder.enable_cli");
    settings->size[LARDER_VOLATILE] = settings_size("larder.volatile_size");
    settings->size[LARDER_PINNED] = settings_size("larder.pinned_size");
    settings->size[LARDER_IMMUTABLE] = settings_size("larder.immutable_size");
    if (!settings_quantity(settings_text("larder.entries_hint"), true, &settings->entries_hint) ||
        settings->entries_hint > UINT32_MAX)
        settings_bad("larder.entries_hint", "a number from 0 to 4294967295");
    if (!settings_quantity(settings_text("larder.resident_size"), true, &settings->resident_size))
        settings_bad("larder.resident_size", "0 or a number of bytes");
    settings->statics = settings_on("larder.statics");
    if (!settings_quantity(settings_text("larder.statics_interval"), false, &interval) ||
        interval > SETTINGS_INTERVAL_MAX)
        settings_bad("larder.statics_interval", "a number of milliseconds from 0 to 3600000");
    else
        settings->statics_interval = interval * 1000000;
    if (!settings_quantity(settings_text("larder.pools"), false, &pools) || pools < 1 ||
        pools > LARDER_POOLS_MAX)
        settings_bad("larder.pools", "a number from 1 to 1024");
    else
        settings->pools = (uint32_t)pools;
    if (!larder_compat_parse(settings_text("larder.compat"), &settings->compat))
        settings_bad("larder.compat", "a list of apcu, immutable_cache, opcache, user_cache");
    if (!larder_settings_path(LARDER_VOLATILE, path, sizeof path, reason, sizeof reason))
        settings_off(reason);
    larder_compat_configure(settings);
}
