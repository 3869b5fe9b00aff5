/* settings.c - the directives of sessions. They hold from the next session_start() on, wherever they are set; a bad
 * value is refused by name, and the one before stays. */
#include "session.h"
#include "ext/standard/info.h"

#define SETTINGS_SIZE_DEFAULT ((size_t)1 << 20)

/* stage tells who asks: while PHP ends a request it only puts back what was there. */
static int settings_refuse(const zend_ini_entry *entry, const zend_string *value,
                           const char *wanted, int stage)
{
    if (stage != ZEND_INI_STAGE_DEACTIVATE && stage != ZEND_INI_STAGE_SHUTDOWN)
        zend_error(E_WARNING, "%s = \"%s\": must be %s", ZSTR_VAL(entry->name),
                   value != NULL ? ZSTR_VAL(value) : "", wanted);
    return FAILURE;
}

static bool settings_number(const zend_string *value, zend_long least, zend_long *out)
{
    char *end;
    if (value == NULL || ZSTR_LEN(value) == 0)
        return false;
    errno = 0;
    *out = ZEND_STRTOL(ZSTR_VAL(value), &end, 10);
    return errno == 0 && *end == '\0' && *out >= least;
}

static ZEND_INI_MH(settings_on_wait)
{
    zend_long unused;
    if (settings_number(new_value, -1, &unused))
        return SUCCESS;
    return settings_refuse(entry, new_value, "a number of milliseconds, or -1 for no limit", stage);
}

static ZEND_INI_MH(settings_on_timeout)
{
    if (new_value != NULL && (zend_string_equals_literal(new_value, "fail") ||
                              zend_string_equals_literal(new_value, "readonly")))
        return SUCCESS;
    return settings_refuse(entry, new_value, "fail or readonly", stage);
}

/* Bytes, with K, M or G. False: not that, or not above 0. */
static bool settings_bytes(const char *text, size_t *out)
{
    static const char letters[] = "KMG";
    char *end;
    unsigned shift = 0;
    if (text == NULL || *text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long bytes = strtoull(text, &end, 10);
    const char *letter = *end != '\0' ? strchr(letters, *end & ~0x20) : NULL;
    if (letter != NULL && *letter != '\0') {
        shift = 10 * (unsigned)(letter - letters + 1);
        end++;
    }
    if (errno != 0 || *end != '\0' || bytes == 0 ||
        bytes > (unsigned long long)ZEND_LONG_MAX >> shift)
        return false;
    *out = (size_t)bytes << shift;
    return true;
}

static ZEND_INI_MH(settings_on_size)
{
    size_t unused;
    if (new_value != NULL && settings_bytes(ZSTR_VAL(new_value), &unused))
        return SUCCESS;
    return settings_refuse(entry, new_value, "a size of at least 1 byte, such as 1M", stage);
}

static ZEND_INI_MH(settings_on_lock)
{
    if (new_value != NULL &&
        (ZSTR_LEN(new_value) == 0 || zend_string_equals_literal(new_value, "0") ||
         zend_string_equals_literal(new_value, "1")))
        return SUCCESS;
    return settings_refuse(entry, new_value, "0 or 1", stage);
}

PHP_INI_BEGIN()
    PHP_INI_ENTRY("larder.session_lock", "1", PHP_INI_ALL, settings_on_lock)
    PHP_INI_ENTRY("larder.session_lock_wait", "30000", PHP_INI_ALL, settings_on_wait)
    PHP_INI_ENTRY("larder.session_lock_timeout", "fail", PHP_INI_ALL, settings_on_timeout)
    PHP_INI_ENTRY("larder.session_max_size", "1M", PHP_INI_ALL, settings_on_size)
PHP_INI_END()

void larder_session_settings_register(int module_number)
{
    zend_register_ini_entries(ini_entries, module_number);
}

void larder_session_settings_read(larder_session_settings *out)
{
    const char *timeout = INI_STR("larder.session_lock_timeout");
    out->lock = INI_BOOL("larder.session_lock");
    out->read_only = timeout != NULL && strcmp(timeout, "readonly") == 0;
    out->wait_ms = INI_INT("larder.session_lock_wait");
    out->max_size = SETTINGS_SIZE_DEFAULT;
    settings_bytes(INI_STR("larder.session_max_size"), &out->max_size);
}

void larder_session_phpinfo(void)
{
    const char *path = zend_ini_string_ex(ZEND_STRL("session.save_path"), 0, NULL);
    larder_session_settings settings;
    char text[96];
    larder_session_settings_read(&settings);
    php_info_print_table_row(2, "Sessions are those of session.save_path",
                             path != NULL && *path != '\0' ? path : "(none)");
    if (!settings.lock)
        snprintf(text, sizeof text, "none (larder.session_lock is 0)");
    else if (settings.wait_ms < 0)
        snprintf(text, sizeof text, "one request at a time, waits without a limit");
    else
        snprintf(text, sizeof text,
                 "one request at a time, waits up to " ZEND_LONG_FMT " ms, then %s",
                 settings.wait_ms, settings.read_only ? "reads only" : "fails");
    php_info_print_table_row(2, "Lock of a session", text);
}
