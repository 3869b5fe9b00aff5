/* settings.c - the INI settings, read at start-up and again in each FPM worker. */
#include "stores/settings.h"
#include "stores/table.h"
#include "php_ini.h"
#include "SAPI.h"

#include <unistd.h>

#define SETTINGS_INTERVAL_MAX 3600000u /* milliseconds */
#define SETTINGS_INTERVAL_DEFAULT 10u

larder_settings larder_configured;
bool larder_host_opted_in;

PHP_INI_BEGIN()
    PHP_INI_ENTRY("larder.enable", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.enable_cli", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.volatile_size", "64M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.pinned_size", "32M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.immutable_size", "0", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.session_size", "64M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.queue_size", "16M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.resident_size", "32M", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.statics", "0", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.statics_interval", "10", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.path", "", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.scope", "", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.sapi_optin", "", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.collect", "1", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.form", "auto", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.entries_hint", "0", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.pools", "32", PHP_INI_SYSTEM, NULL)
    PHP_INI_ENTRY("larder.compat", "", PHP_INI_SYSTEM, NULL)
PHP_INI_END()

void larder_settings_register(int module_number)
{
    zend_register_ini_entries(ini_entries, module_number);
}

/* Return the value of a setting from php.ini, -d or the FPM pool, but not from [PATH=] and [HOST=],
 * which are for single requests. */
static const char *settings_text(const char *name)
{
    const char *text = zend_ini_string_ex(name, strlen(name), 1, NULL);
    return text != NULL ? text : "";
}

/* Write the error about a bad value to `reason`, or to settings->lesser if `reason` is NULL.
 * `follows` says what Larder does instead. Warns only at start-up, never in the output of a
 * request. */
static void settings_wrong(char *reason, size_t size, const char *follows, const char *format, ...)
{
    larder_settings *settings = &larder_configured;
    char text[LARDER_REASON_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reason == NULL && settings->lesser_count < LARDER_LESSER)
        snprintf(settings->lesser[settings->lesser_count++], LARDER_REASON_MAX, "%s; %s", text,
                 follows);
    else if (reason != NULL && reason[0] == '\0')
        snprintf(reason, size, "%s", text);
    if (php_during_module_startup())
        zend_error(E_CORE_WARNING, "%s; %s", text, follows);
}

/* Return ": write 1G" for a value like "1GB" or "1 gib", and "" for other values. */
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

bool larder_setting_quantity(const char *text, bool suffix, uint64_t *out)
{
    char *end;
    unsigned shift = 0;
    while (*text == ' ')
        text++;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (suffix && *end != '\0' && *end != ' ') {
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

/* A bad value in php.ini. The warning is raised later, because it names the value that PHP uses
 * instead, and PHP has not set that value yet. */
typedef struct settings_refusal {
    const zend_ini_entry *entry;
    const zend_string *value; /* the text in php.ini; PHP keeps it allocated */
    const char *wanted;
} settings_refusal;

static settings_refusal settings_refusals[16];
static size_t settings_refusal_count LARDER_OF_WORKER;

static void settings_say_refusal(const settings_refusal *refusal)
{
    const zend_string *now = refusal->entry->value;
    zend_error(E_WARNING, "%s = \"%s\": must be %s; it is %s", ZSTR_VAL(refusal->entry->name),
               refusal->value != NULL ? ZSTR_VAL(refusal->value) : "", refusal->wanted,
               now != NULL && ZSTR_LEN(now) != 0 ? ZSTR_VAL(now) : "\"\"");
}

zend_result larder_setting_refuse(const zend_ini_entry *entry, const zend_string *value,
                                  const char *wanted, int stage)
{
    settings_refusal refusal = {.entry = entry, .value = value, .wanted = wanted};
    if (stage == ZEND_INI_STAGE_DEACTIVATE || stage == ZEND_INI_STAGE_SHUTDOWN)
        return FAILURE;
    if (entry->value == NULL &&
        settings_refusal_count < sizeof settings_refusals / sizeof *settings_refusals)
        settings_refusals[settings_refusal_count++] = refusal;
    else
        settings_say_refusal(&refusal);
    return FAILURE;
}

void larder_settings_say_refusals(void)
{
    for (size_t i = 0; i < settings_refusal_count; i++)
        settings_say_refusal(settings_refusals + i);
    settings_refusal_count = 0;
}

bool larder_setting_number(const zend_string *value, zend_long least, zend_long *out)
{
    char *end;
    if (value == NULL || ZSTR_LEN(value) == 0)
        return false;
    errno = 0;
    *out = ZEND_STRTOL(ZSTR_VAL(value), &end, 10);
    return errno == 0 && *end == '\0' && *out >= least;
}

ZEND_COLD ZEND_INI_MH(larder_setting_switch)
{
    if (new_value == NULL || ZSTR_LEN(new_value) == 0 ||
        zend_string_equals_literal(new_value, "0") || zend_string_equals_literal(new_value, "1"))
        return SUCCESS;
    return larder_setting_refuse(entry, new_value, "0 or 1", stage);
}

ZEND_COLD ZEND_INI_MH(larder_setting_bytes)
{
    uint64_t bytes;
    if (new_value != NULL && larder_setting_quantity(ZSTR_VAL(new_value), true, &bytes) &&
        bytes != 0)
        return SUCCESS;
    return larder_setting_refuse(entry, new_value, "a size of at least 1 byte, such as 1M", stage);
}

static uint64_t settings_size(larder_settings *settings, larder_kind kind)
{
    char follows[64], hint[64];
    const char *name = larder_store_table[kind].size_name;
    uint64_t size = 0;
    const char *text = settings_text(name);
    bool number = larder_setting_quantity(text, true, &size);
    if (number && (size == 0 || (size >= LRD_SIZE_MIN && size <= LRD_SIZE_MAX)))
        return size;
    snprintf(follows, sizeof follows, "the %s store is off", larder_store_table[kind].name);
    settings_wrong(settings->wrong[kind], sizeof settings->wrong[kind], follows,
                   "%s = \"%s\": must be 0 or a size from 1M to 1T%s", name, text,
                   number ? "" : settings_size_hint(text, hint, sizeof hint));
    return 0;
}

/* Read a setting that is on or off. An unknown word is an error, although PHP treats it as off. */
static bool settings_on(const char *name, char *reason, const char *follows)
{
    static const char *const words[] = {"1", "on",  "yes", "true",  "",
                                        "0", "off", "no",  "false", "none"};
    const char *text = settings_text(name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return i < 4;
    settings_wrong(reason, LARDER_REASON_MAX, follows, "%s = \"%s\": must be on or off", name,
                   text);
    return false;
}

bool larder_settings_scope_good(const char *scope)
{
    size_t length = strlen(scope);
    return length <= LARDER_SCOPE_MAX && scope[0] != '.' &&
           strspn(scope, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
               length;
}

bool larder_settings_path(larder_kind kind, const char *scope, char *path, size_t size,
                          char *reason, size_t reason_size)
{
    const char *folder = settings_text("larder.path");
    if (scope == NULL)
        scope = settings_text("larder.scope");
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
    if (scope[0] == '\0' || !larder_settings_scope_good(scope)) {
        snprintf(reason, reason_size,
                 "larder.scope = \"%s\": must be %s %d letters, digits, '_', '-' and '.', "
                 "no '.' first",
                 scope, scope[0] == '\0' ? "1 to" : "at most", LARDER_SCOPE_MAX);
        return false;
    }
    int length = snprintf(path, size, "%s/larder-%lu/%s-%s", folder, (unsigned long)geteuid(),
                          scope, larder_store_table[kind].name);
    if (length > 0 && (size_t)length < size)
        return true;
    path[0] = '\0';
    snprintf(reason, reason_size, "larder.path is longer than %zu bytes", size - 100);
    return false;
}

/* Return true if processes of this SAPI serve one site only, or the SAPI separates sites. */
static bool settings_sapi_is_bounded(void)
{
    static const char *const bounded[] = {"cli", "phpdbg", "cli-server", "fpm-fcgi", "cgi-fcgi"};
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
        if (strcmp(sapi_module.name, bounded[i]) == 0)
            return true;
    return false;
}

static bool settings_names(const char *list, const char *name)
{
    static const char between[] = ", \t";
    size_t length;
    for (list += strspn(list, between); *list != '\0';
         list += length + strspn(list + length, between)) {
        length = strcspn(list, between);
        if (strlen(name) == length && strncmp(list, name, length) == 0)
            return true;
    }
    return false;
}

/* Read the settings that list SAPIs. It is no error if they switch Larder off in the current SAPI,
 * because other SAPIs may use the same php.ini. */
static void settings_read_sapi(larder_settings *settings)
{
    if (settings_sapi_is_bounded() || larder_host_opted_in)
        return;
    settings->shared_sapi = true;
    if (settings_names(settings_text("larder.sapi_optin"), sapi_module.name))
        return;
    settings->enabled = false;
    snprintf(settings->sapi_reason, sizeof settings->sapi_reason,
             "the SAPI \"%s\" does not separate users: larder.sapi_optin in php.ini must name it",
             sapi_module.name);
}

LARDER_HOT larder_form larder_form_of(const char *name)
{
    static const char *const names[] = {[LARDER_FORM_AUTO] = "auto",
                                        [LARDER_FORM_READY] = "ready",
                                        [LARDER_FORM_PACKED] = "packed"};
    for (size_t i = LARDER_FORM_AUTO; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return (larder_form)i;
    return LARDER_FORM_UNSET;
}

static void settings_read_form(larder_settings *settings)
{
    const char *text = settings_text("larder.form");
    settings->form = larder_form_of(text);
    if (settings->form != LARDER_FORM_UNSET)
        return;
    settings->form = LARDER_FORM_AUTO;
    settings_wrong(NULL, 0, "it is auto", "larder.form = \"%s\": must be auto, ready or packed",
                   text);
}

static void settings_read_numbers(larder_settings *settings)
{
    uint64_t pools, interval;
    char hint[64];
    if (!larder_setting_quantity(settings_text("larder.entries_hint"), true,
                                 &settings->entries_hint) ||
        settings->entries_hint > UINT32_MAX) {
        settings->entries_hint = 0;
        settings_wrong(NULL, 0, "stores begin small and grow",
                       "larder.entries_hint = \"%s\": must be a number from 0 to 4294967295",
                       settings_text("larder.entries_hint"));
    }
    if (!larder_setting_quantity(settings_text("larder.resident_size"), true,
                                 &settings->resident_size)) {
        settings->resident_size = 0;
        settings_wrong(
            NULL, 0, "no objects are kept in workers",
            "larder.resident_size = \"%s\": must be 0 or a number of bytes%s",
            settings_text("larder.resident_size"),
            settings_size_hint(settings_text("larder.resident_size"), hint, sizeof hint));
    }
    settings_read_form(settings);
    settings->statics = settings_on("larder.statics", NULL, "static properties keep nothing");
    settings->statics_interval = SETTINGS_INTERVAL_DEFAULT * 1000000;
    if (larder_setting_quantity(settings_text("larder.statics_interval"), false, &interval) &&
        interval <= SETTINGS_INTERVAL_MAX)
        settings->statics_interval = interval * 1000000;
    else
        settings_wrong(NULL, 0, "it is 10",
                       "larder.statics_interval = \"%s\": must be a number of milliseconds from 0 "
                       "to 3600000",
                       settings_text("larder.statics_interval"));
    if (larder_setting_quantity(settings_text("larder.pools"), false, &pools) && pools >= 1 &&
        pools <= LARDER_FPM_MAX)
        settings->pools = (uint32_t)pools;
    else
        settings_wrong(settings->fpm_reason, sizeof settings->fpm_reason,
                       "FPM pools have no stores without larder.scope",
                       "larder.pools = \"%s\": must be a number from 1 to %d",
                       settings_text("larder.pools"), LARDER_FPM_MAX);
}

/* Clear the settings, but write to no byte that is zero: a write gives the worker its own copy of
 * the page. */
static void settings_clear(larder_settings *settings)
{
    char *byte = (char *)settings;
    for (size_t i = 0; i < sizeof *settings; i++)
        if (byte[i] != 0)
            byte[i] = 0;
}

void larder_settings_read(void)
{
    larder_settings *settings = &larder_configured;
    char path[512], reason[LARDER_REASON_MAX] = "", unknown[64];
    bool cli = strcmp(sapi_module.name, "cli") == 0 || strcmp(sapi_module.name, "phpdbg") == 0;
    settings_clear(settings);
    settings->enabled = settings_on("larder.enable", settings->reason, "Larder is off");
    settings->endless = cli;
    settings->collect = settings_on("larder.collect", NULL, "values stay held until requests end");
    if (cli)
        settings->enabled = settings->enabled &&
                            settings_on("larder.enable_cli", settings->reason, "Larder is off");
    settings_read_sapi(settings);
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (!larder_store_table[kind].layer_sizes &&
            (!larder_store_table[kind].of_sessions || larder_built_above.sessions()))
            settings->size[kind] = settings_size(settings, (larder_kind)kind);
    settings_read_numbers(settings);
    if (!larder_built_above.layers(settings_text("larder.compat"), &settings->compat, unknown,
                                   sizeof unknown))
        settings_wrong(NULL, 0, "that layer is off",
                       "larder.compat: \"%s\" is none of apcu, immutable_cache, memsession, "
                       "opcache, user_cache",
                       unknown);
    if (!larder_settings_path(LARDER_VOLATILE, NULL, path, sizeof path, reason, sizeof reason))
        settings_wrong(settings->reason, sizeof settings->reason, "Larder is off", "%s", reason);
    larder_built_above.configure(settings);
}
