/* settings.c - the INI settings of sessions. A change takes effect at the next session_start(). A
 * bad value is refused. */
#include "session/session.h"
#include "stores/settings.h"
#include "ext/standard/info.h"

#define SETTINGS_SIZE_DEFAULT ((size_t)1 << 20)

static ZEND_COLD ZEND_INI_MH(settings_on_wait)
{
    zend_long unused;
    if (larder_setting_number(new_value, -1, &unused))
        return SUCCESS;
    return larder_setting_refuse(entry, new_value, "a number of milliseconds, or -1 for no limit",
                                 stage);
}

static ZEND_COLD ZEND_INI_MH(settings_on_timeout)
{
    if (new_value != NULL && (zend_string_equals_literal(new_value, "fail") ||
                              zend_string_equals_literal(new_value, "readonly")))
        return SUCCESS;
    return larder_setting_refuse(entry, new_value, "fail or readonly", stage);
}

PHP_INI_BEGIN()
    PHP_INI_ENTRY("larder.session_lock", "1", PHP_INI_ALL, larder_setting_switch)
    PHP_INI_ENTRY("larder.session_lock_wait", "30000", PHP_INI_ALL, settings_on_wait)
    PHP_INI_ENTRY("larder.session_lock_timeout", "fail", PHP_INI_ALL, settings_on_timeout)
    PHP_INI_ENTRY("larder.session_max_size", "1M", PHP_INI_ALL, larder_setting_bytes)
PHP_INI_END()

void larder_session_settings_register(int module_number)
{
    zend_register_ini_entries(ini_entries, module_number);
}

void larder_session_settings_read(larder_session_settings *out)
{
    const char *timeout = zend_ini_string_ex(ZEND_STRL("larder.session_lock_timeout"), 0, NULL);
    uint64_t size;
    out->lock = zend_ini_long(ZEND_STRL("larder.session_lock"), 0) != 0;
    out->read_only = timeout != NULL && strcmp(timeout, "readonly") == 0;
    out->wait_ms = zend_ini_long(ZEND_STRL("larder.session_lock_wait"), 0);
    out->max_size = SETTINGS_SIZE_DEFAULT;
    if (larder_setting_quantity(zend_ini_string_ex(ZEND_STRL("larder.session_max_size"), 0, NULL),
                                true, &size))
        out->max_size = size;
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
