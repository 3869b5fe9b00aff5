/* sessions.c - Larder\Sessions: for tools, and for applications that do not use ext/session */
#include "api/arguments.h"
#include "api/info.h"
#include "api/methods.h"
#include "format/format.h"
#include "session/session.h"
#include "stores/stores.h"
#include "zend_exceptions.h"
#include "session/sessions_arginfo.h"

/* Return the prefix of this site's keys: session.save_path with its NUL. Returns NULL if an
 * exception is set. */
static zend_string *sessions_prefix(void)
{
    const char *path = zend_ini_string_ex(ZEND_STRL("session.save_path"), 0, NULL);
    size_t length = path != NULL ? strlen(path) : 0;
    if (length <= LARDER_SESSION_PATH_MAX)
        return zend_string_init(path != NULL ? path : "", length + 1, 0); /* + 1: the NUL */
    zend_throw_exception_ex(larder_exception_class, 0,
                            "session.save_path must be at most %u bytes long, it has %zu",
                            LARDER_SESSION_PATH_MAX, length);
    return NULL;
}

/* Make the key of a session. `path` is the save path; NULL means the save path of this site. In
 * error messages, `id` is argument 1, and `path` is argument number `argument`. Returns NULL if an
 * exception is set. */
static zend_string *sessions_key(const zend_string *id, const zend_string *path, uint32_t argument)
{
    if (!larder_session_id_good(ZSTR_VAL(id), ZSTR_LEN(id))) {
        zend_argument_value_error(1, "must be 1 to %u characters of A-Z, a-z, 0-9, \"-\" and \",\"",
                                  LARDER_SESSION_ID_MAX);
        return NULL;
    }
    if (path != NULL && ZSTR_LEN(path) > LARDER_SESSION_PATH_MAX) {
        zend_argument_value_error(argument, "must be at most %u bytes long",
                                  LARDER_SESSION_PATH_MAX);
        return NULL;
    }
    zend_string *prefix =
        path != NULL ? zend_string_init(ZSTR_VAL(path), ZSTR_LEN(path) + 1, 0) : sessions_prefix();
    if (prefix == NULL)
        return NULL;
    zend_string *key =
        zend_string_concat2(ZSTR_VAL(prefix), ZSTR_LEN(prefix), ZSTR_VAL(id), ZSTR_LEN(id));
    zend_string_release(prefix);
    return key;
}

static void sessions_throw(zend_string *text)
{
    zend_throw_exception(larder_exception_class, ZSTR_VAL(text), 0);
    zend_string_release(text);
}

/* Return the store of sessions. If it is off, throws and returns NULL. */
static lrd_store *sessions_store(void)
{
    lrd_store *store = larder_store(LARDER_SESSIONS);
    const char *reason = larder_place_of(LARDER_SESSIONS)->reason;
    if (store == NULL)
        zend_throw_exception_ex(larder_exception_class, 0, "The store of sessions is off: %s",
                                *reason != '\0' ? reason : "not usable here");
    return store;
}

/* Count the sessions with the prefix, and add their ids to `list` if it is not NULL. */
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
        if (value.type == LARDER_ENDED || lrd_value_entry(store, &value, &entry) != LRD_OK ||
            entry.key_len <= ZSTR_LEN(prefix) ||
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

/* Lock a session. Does nothing if this request has locked the session already, or if locking is
 * off. Returns false after an exception. */
static bool sessions_lock(lrd_store *store, const zend_string *key, uint64_t *token)
{
    larder_session_settings settings;
    *token = 0;
    larder_session_settings_read(&settings);
    if (!settings.lock)
        return true;
    int rc = larder_session_lock(store, ZSTR_VAL(key), ZSTR_LEN(key), settings.wait_ms, token, NULL,
                                 NULL);
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
    zend_string *id, *path = NULL;
    uint64_t token;
    int rc;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(id)
        Z_PARAM_OPTIONAL
        Z_PARAM_PATH_STR_OR_NULL(path)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = larder_store(LARDER_SESSIONS);
    zend_string *key = sessions_key(id, path, 2);
    if (key == NULL)
        RETURN_THROWS();
    RETVAL_FALSE;
    if (store != NULL && sessions_lock(store, key, &token)) {
        rc = larder_session_end(store, ZSTR_VAL(key), ZSTR_LEN(key));
        RETVAL_BOOL(rc == LRD_OK);
        if (token != 0)
            larder_session_unlock(store, ZSTR_VAL(key), ZSTR_LEN(key), token);
        if (rc < 0)
            zend_throw_exception_ex(larder_exception_class, 0, "The session cannot be ended: %s",
                                    lrd_strerror(rc));
    }
    zend_string_release(key);
}

ZEND_METHOD(Larder_Sessions, read)
{
    zend_string *id, *path = NULL;
    lrd_value value;
    int rc;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(id)
        Z_PARAM_OPTIONAL
        Z_PARAM_PATH_STR_OR_NULL(path)
    ZEND_PARSE_PARAMETERS_END();
    zend_string *key = sessions_key(id, path, 2);
    lrd_store *store = key != NULL ? sessions_store() : NULL;
    if (store != NULL) {
        LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(key), ZSTR_LEN(key),
                                LRD_GET_BORROW | LRD_GET_NO_COPY, &value));
        /* A borrowed value is valid until the next call of the core. larder_session_text() does not
         * call the core. */
        zend_string *text =
            rc == LRD_OK && value.type != LARDER_ENDED ? larder_session_text(&value) : NULL;
        if (text != NULL)
            RETVAL_STR(text);
        else if (rc == LRD_OK && value.type != LARDER_ENDED && !LARDER_OUT_OF_MEMORY()) {
            lrd_count_miss(store);
            zend_throw_exception_ex(larder_exception_class, 0, "The session cannot be read: %s",
                                    lrd_strerror(LRD_EFORMAT));
            /* destroy the damaged session, so that the visitor gets a new one */
            (void)larder_session_end(store, ZSTR_VAL(key), ZSTR_LEN(key));
        } else if (rc != LRD_OK && rc != LRD_MISS)
            zend_throw_exception_ex(larder_exception_class, 0, "The session cannot be read: %s",
                                    lrd_strerror(rc));
    }
    if (key != NULL)
        zend_string_release(key);
}

ZEND_METHOD(Larder_Sessions, write)
{
    zend_string *id, *data, *path = NULL;
    zval *ttl;
    uint64_t life_ms;
    larder_session_settings settings;
    ZEND_PARSE_PARAMETERS_START(3, 4)
        Z_PARAM_STR(id)
        Z_PARAM_STR(data)
        Z_PARAM_NUMBER(ttl)
        Z_PARAM_OPTIONAL
        Z_PARAM_PATH_STR_OR_NULL(path)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_milliseconds(ttl, 3, &life_ms))
        RETURN_THROWS();
    zend_string *key = sessions_key(id, path, 4);
    lrd_store *store = key != NULL ? sessions_store() : NULL;
    larder_session_settings_read(&settings);
    if (store != NULL && ZSTR_LEN(data) > settings.max_size) {
        sessions_throw(larder_session_too_large(settings.max_size, ZSTR_LEN(data)));
    } else if (store != NULL) {
        int rc = larder_session_put(store, ZSTR_VAL(key), ZSTR_LEN(key), data, LRD_SET, life_ms);
        if (rc != LRD_OK)
            sessions_throw(larder_session_unwritten(rc, ZSTR_LEN(data)));
    }
    if (key != NULL)
        zend_string_release(key);
}

void larder_sessions_register(void) { register_class_Larder_Sessions(); }
