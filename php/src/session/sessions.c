/* sessions.c - Larder\Sessions: lists sessions for tools, and ends them. */
#include "api/info.h"
#include "api/methods.h"
#include "session/session.h"
#include "stores/stores.h"
#include "zend_exceptions.h"
#include "session/sessions_arginfo.h"

/* The part of a key that is the same for all sessions of this site; NULL: an exception is set. */
static zend_string *sessions_prefix(void)
{
    const char *path = zend_ini_string_ex(ZEND_STRL("session.save_path"), 0, NULL);
    size_t length = path != NULL ? strlen(path) : 0;
    if (length <= LARDER_SESSION_PATH_MAX)
        return zend_string_init(path != NULL ? path : "", length + 1, 0); /* with its NUL */
    zend_throw_exception_ex(larder_exception_class, 0,
                            "session.save_path must be at most %u bytes long, it has %zu",
                            LARDER_SESSION_PATH_MAX, length);
    return NULL;
}

/* Count the sessions with a prefix, and list their ids where there is a list. */
static zend_long sessions_walk(const zend_string *prefix, zval *list)
{
    lrd_store *store = larder_store(LARDER_SESSIONS);
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    zend_long count = 0;
    while (store != NULL && !LARDER_OUT_OF_MEMORY()) {
        int rc;
        LARDER_CALL(rc, lrd_next(store, &cursor, &value));
        if (rc != LRD_OK)
            break;
        if (lrd_value_entry(store, &value, &entry) != LRD_OK || entry.key_len <= ZSTR_LEN(prefix) ||
            memcmp(entry.key, ZSTR_VAL(prefix), ZSTR_LEN(prefix)) != 0)
            continue;
        count++;
        if (list != NULL)
            add_next_index_stringl(list, (const char *)entry.key + ZSTR_LEN(prefix),
                                   entry.key_len - ZSTR_LEN(prefix));
    }
    return count;
}

ZEND_METHOD(Larder_Sessions, __construct) {}

ZEND_METHOD(Larder_Sessions, info)
{
    larder_cache_info_method(LARDER_SESSIONS, NULL, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(Larder_Sessions, count)
{
    ZEND_PARSE_PARAMETERS_NONE();
    zend_string *prefix = sessions_prefix();
    if (prefix == NULL)
        RETURN_THROWS();
    RETVAL_LONG(sessions_walk(prefix, NULL));
    zend_string_release(prefix);
}

ZEND_METHOD(Larder_Sessions, ids)
{
    ZEND_PARSE_PARAMETERS_NONE();
    zend_string *prefix = sessions_prefix();
    if (prefix == NULL)
        RETURN_THROWS();
    array_init(return_value);
    sessions_walk(prefix, return_value);
    zend_string_release(prefix);
}

/* The session's lock, unless this request has it anyway. False: an exception is set. */
static bool sessions_lock(lrd_store *store, const zend_string *key, uint64_t *token)
{
    larder_session_settings settings;
    *token = 0;
    larder_session_settings_read(&settings);
    if (!settings.lock)
        return true;
    int rc = larder_session_lock(store, ZSTR_VAL(key), ZSTR_LEN(key), settings.wait_ms, token);
    if (rc == LRD_OK || rc == LRD_EDEADLK)
        return true;
    if (EG(exception) == NULL && rc == LRD_HELD)
        zend_throw_exception_ex(larder_exception_class, 0,
                                "Another request has this session for longer than "
                                "larder.session_lock_wait = " ZEND_LONG_FMT " ms",
                                settings.wait_ms);
    else if (EG(exception) == NULL)
        zend_throw_exception_ex(larder_exception_class, 0, "The session cannot be locked: %s",
                                lrd_strerror(rc));
    return false;
}

ZEND_METHOD(Larder_Sessions, destroy)
{
    zend_string *id;
    uint64_t token;
    int rc;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(id)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_session_id_good(ZSTR_VAL(id), ZSTR_LEN(id))) {
        zend_argument_value_error(1, "must be 1 to %u characters of A-Z, a-z, 0-9, \"-\" and \",\"",
                                  LARDER_SESSION_ID_MAX);
        RETURN_THROWS();
    }
    lrd_store *store = larder_store(LARDER_SESSIONS);
    zend_string *prefix = sessions_prefix();
    if (prefix == NULL)
        RETURN_THROWS();
    zend_string *key =
        zend_string_concat2(ZSTR_VAL(prefix), ZSTR_LEN(prefix), ZSTR_VAL(id), ZSTR_LEN(id));
    zend_string_release(prefix);
    RETVAL_FALSE;
    if (store != NULL && sessions_lock(store, key, &token)) {
        LARDER_CALL(rc, lrd_delete(store, ZSTR_VAL(key), ZSTR_LEN(key)));
        RETVAL_BOOL(rc == LRD_OK);
        if (token != 0)
            larder_session_unlock(store, ZSTR_VAL(key), ZSTR_LEN(key), token);
        if (rc < 0)
            zend_throw_exception_ex(larder_exception_class, 0, "The session cannot be ended: %s",
                                    lrd_strerror(rc));
    }
    zend_string_release(key);
}

void larder_sessions_register(void) { register_class_Larder_Sessions(); }
