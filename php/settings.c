/* settings.c - the INI directives: reads them at start-up, and once more in each FPM worker, whose pool
 * may have its own; says what is wrong with them. A bad value switches off what it is about, instead of
 * guessing what was meant. */
#include "php_larder.h"
#include "pools.h"
#include "compat/compat.h"
#include "php_ini.h"
#include "SAPI.h"

#include <unistd.h>

#define SETTINGS_SCOPE_MAX 64
/* Sizes below are not compared with the memory there is: every start of PHP would pay for it. */
#define SETTINGS_MEMORY_USUAL ((uint64_t)1 << 30)

larder_settings larder_configured;

PHP_INI_BEGIN()
    PHP_INI_ENTRY("larder.enable", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.enable_cli", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.volatile_size", "64M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.pinned_size", "32M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.immutable_size", "0", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.resident_size", "32M", PHP_INI_SYSTEM, NULL)
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

/* *reason gets what is wrong; at start-up it is said, with what follows. A worker's reasons are logged by
 * stores.c: nothing may be put out in a request. */
static void settings_wrong(char *reason, size_t size, const char *follows, const char *format, ...)
{
    char text[LARDER_REASON_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reason != NULL && reason[0] == '\0')
        snprintf(reason, size, "%s", text);
    if (php_during_module_startup())
        zend_error(E_CORE_WARNING, "%s; %s", text, follows);
}

/* "write 1G" for a value like "1GB" or "1 gib", else "". */
static const char *settings_size_hint(const char *text, char *hint, size_t size)
{
    size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits + strspn(text + digits, " ");
    hint[0] = '\0';
    if (digits == 0 || digits > 9 || strchr("KMGTkmgt", *unit) == NULL || *unit == '\0')
        return hint;
    if (strcasecmp(unit + 1, "") == 0 || strcasecmp(unit + 1, "b") == 0 ||
        strcasecmp(unit + 1, "ib") == 0)
        snprintf(hint, size, ": write %.*s%c", (int)digits, text, *unit & ~0x20);
    return hint;
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

static uint64_t settings_size(larder_settings *settings, larder_kind kind)
{
    char name[64], follows[64], hint[64];
    uint64_t size = 0;
    snprintf(name, sizeof name, "larder.%s_size", larder_places[kind].name);
    const char *text = settings_text(name);
    bool number = settings_quantity(text, true, &size);
    if (number && (size == 0 || (size >= LRD_SIZE_MIN && size <= LRD_SIZE_MAX)))
        return size;
    snprintf(follows, sizeof follows, "the %s store is off", larder_places[kind].name);
    settings_wrong(settings->wrong[kind], sizeof settings->wrong[kind], follows,
                   "%s = \"%s\": must be 0 or a size from 1M to 1T%s", name, text,
                   number ? "" : settings_size_hint(text, hint, sizeof hint));
    return 0;
}

/* Anything but the words that php.ini has for on and off would silently be off. */
static bool settings_on(larder_settings *settings, const char *name)
{
    static const char *const words[] = {"1", "on",  "yes", "true",  "",
                                        "0", "off", "no",  "false", "none"};
    const char *text = settings_text(name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return i < 4;
    settings_wrong(settings->reason, sizeof settings->reason, "Larder is off",
                   "%s = \"%s\": must be on or off", name, text);
    return false;
}

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
    return larder_settings_path_of(folder[0] != '\0' ? folder : "/dev/shm",
                                   scope[0] != '\0' ? scope : "default", kind, path, size, reason,
                                   reason_size);
}

bool larder_settings_path_of(const char *folder, const char *scope, larder_kind kind, char *path,
                             size_t size, char *reason, size_t reason_size)
{
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
    int length = snprintf(path, size, "%s/larder-%lu/%s-%s", folder, (unsigned long)geteuid(),
                          scope, larder_places[kind].name);
    if (length > 0 && (size_t)length < size)
        return true;
    path[0] = '\0';
    snprintf(reason, reason_size, "larder.path is longer than %zu bytes", size - 100);
    return false;
}

/* The least of the machine's memory and that of the container. */
static uint64_t settings_memory(void)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    unsigned long long limit;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    if (file == NULL)
        return memory;
    if (fscanf(file, "%llu", &limit) == 1 && limit < memory)
        memory = limit;
    fclose(file);
    return memory;
}

/* A store takes memory as it is filled: too large a one does well until the kernel ends processes. */
static void settings_check_memory(const larder_settings *settings)
{
    for (int kind = 0; kind <= LARDER_IMMUTABLE; kind++) {
        char name[64];
        if (settings->size[kind] < SETTINGS_MEMORY_USUAL ||
            settings->size[kind] <= settings_memory())
            continue;
        snprintf(name, sizeof name, "larder.%s_size", larder_places[kind].name);
        zend_error(E_CORE_WARNING,
                   "%s = \"%s\" is more than the %llu MiB of memory that there are: once so much "
                   "is stored, the kernel ends processes (out of memory)",
                   name, settings_text(name), (unsigned long long)settings_memory() >> 20);
    }
}

static void settings_read_numbers(larder_settings *settings)
{
    uint64_t pools;
    if (!settings_quantity(settings_text("larder.entries_hint"), true, &settings->entries_hint) ||
        settings->entries_hint > UINT32_MAX) {
        settings->entries_hint = 0;
        settings_wrong(NULL, 0, "stores begin small and grow",
                       "larder.entries_hint = \"%s\": must be a number from 0 to 4294967295",
                       settings_text("larder.entries_hint"));
    }
    if (!settings_quantity(settings_text("larder.resident_size"), true, &settings->resident_size)) {
        settings->resident_size = 0;
        settings_wrong(NULL, 0, "no objects are kept in workers",
                       "larder.resident_size = \"%s\": must be 0 or a number of bytes",
                       settings_text("larder.resident_size"));
    }
    if (settings_quantity(settings_text("larder.pools"), false, &pools) && pools >= 1 &&
        pools <= LARDER_POOLS_MAX)
        settings->pools = (uint32_t)pools;
    else
        settings_wrong(settings->pools_reason, sizeof settings->pools_reason,
                       "FPM pools have no stores without larder.scope",
                       "larder.pools = \"%s\": must be a number from 1 to %d",
                       settings_text("larder.pools"), LARDER_POOLS_MAX);
}

void larder_settings_read(void)
{
    larder_settings *settings = &larder_configured;
    char path[512], reason[LARDER_REASON_MAX] = "", unknown[64];
    bool cli = strcmp(sapi_module.name, "cli") == 0 || strcmp(sapi_module.name, "phpdbg") == 0;
    memset(settings, 0, sizeof *settings);
    settings->enabled = settings_on(settings, "larder.enable");
    if (cli)
        settings->enabled = settings->enabled && settings_on(settings, "larder.enable_cli");
    for (int kind = 0; kind <= LARDER_IMMUTABLE; kind++)
        settings->size[kind] = settings_size(settings, (larder_kind)kind);
    settings_read_numbers(settings);
    if (!larder_compat_parse(settings_text("larder.compat"), &settings->compat, unknown,
                             sizeof unknown))
        settings_wrong(
            NULL, 0, "that layer is off",
            "larder.compat: \"%s\" is none of apcu, immutable_cache, opcache, user_cache", unknown);
    if (!larder_settings_path(LARDER_VOLATILE, path, sizeof path, reason, sizeof reason))
        settings_wrong(settings->reason, sizeof settings->reason, "Larder is off", "%s", reason);
    if (php_during_module_startup())
        settings_check_memory(settings);
    larder_compat_configure(settings);
}
