/* handler.c - the save handler that session.save_handler = larder selects. Begin reading at
 * handler_read() and handler_write().
 *
 * - A session is locked from its read to its close, by a reservation of its key (lrd_lock()). The
 *   reservation ends when its owner dies.
 * - PHP uses the session's data after the close, so the data is copied.
 * - If the store refuses a write, the old data remains.
 * - An end takes the place of a destroyed session: an entry with the same key and the type
 *   LARDER_ENDED, which lives for LARDER_SESSION_END_MS. A request that saw the session before the
 *   end does not overwrite the end (handler_ended()). Any other request ignores the end.
 * - If the store refuses an end, the session's entry is deleted. So in a store that has refused
 *   writes, a missing entry counts as an end.
 * - ext/session may be absent, so its functions are looked up by name at start-up.
 * - If PHP does not call close(), the end of the request unlocks the session and frees its
 *   memory. */
#include "api/wait.h"
#include "format/format.h"
#include "pack/pack.h"
#include "session/session.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "zend_exceptions.h"

#include <dlfcn.h>
#include <unistd.h>

#if __has_include("ext/session/php_session.h")
#include "ext/session/php_session.h"
#define HANDLER_AVAILABLE 1
#else
#define HANDLER_AVAILABLE 0
#endif

/* Maximum time (ms) that a waiter for a lock sleeps before it checks whether the lock's owner is
 * alive. */
#define HANDLER_STEP_MS 4u
/* Maximum number of attempts to write a session. An attempt fails if another request writes the
 * session, or if its shard stays locked for LRD_LOCK_WAIT_MS. */
#define HANDLER_BUSY_TRIES 50u
#define HANDLER_ID_TRIES 16u
#define HANDLER_PACK_MIN 512u /* minimum size in bytes of a packed (compressed) session */

bool larder_session_present(void)
{
    return HANDLER_AVAILABLE && zend_hash_str_exists(&module_registry, ZEND_STRL("session"));
}

bool larder_session_id_good(const char *id, size_t length)
{
    return length - 1 < LARDER_SESSION_ID_MAX &&
           strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-,") == length;
}

/* ---- locks ---- */

int larder_session_lock(lrd_store *store, const char *key, size_t length, zend_long wait_ms,
                        uint64_t *token, larder_session_step step, void *arg)
{
    int rc;
    LARDER_CALL(rc, lrd_lock(store, key, length, 0, 0, token));
    if (EXPECTED(rc != LRD_HELD && rc != LRD_EBUSY))
        return rc;
    uint64_t start = larder_boot_clock();
    while (rc == LRD_HELD || rc == LRD_EBUSY) {
        uint64_t waited = larder_boot_clock() - start, ms = HANDLER_STEP_MS;
        if (wait_ms >= 0 && waited >= (uint64_t)wait_ms)
            break;
        if (wait_ms >= 0 && (uint64_t)wait_ms - waited < ms)
            ms = (uint64_t)wait_ms - waited;
        if (step != NULL)
            step(arg);
        LARDER_CALL(rc, lrd_lock(store, key, length, 0, ms, token));
        if (EG(exception) != NULL || zend_atomic_bool_load(&EG(timed_out)))
            break;
    }
    return rc;
}

void larder_session_unlock(lrd_store *store, const char *key, size_t length, uint64_t token)
{
    int rc;
    LARDER_CALL(rc, lrd_unlock(store, key, length, token));
    /* Errors need no action. If this is a forked child, it does not own the lock. If the shard is
     * busy, a later call of the core unlocks the key. */
    (void)rc;
}

/* ---- writing ---- */

/* Return true if a session should be packed (compressed). */
static bool handler_packs(lrd_store *store, const char *key, size_t length, size_t bytes)
{
    if (bytes < HANDLER_PACK_MIN || larder_configured.form == LARDER_FORM_READY)
        return false;
    return larder_configured.form == LARDER_FORM_PACKED || lrd_pressed(store, key, length);
}

static int handler_put(lrd_store *store, const char *key, size_t length, const zend_string *data,
                       lrd_write how)
{
    int rc = LRD_EBUSY;
    larder_packed packed = {.data = (void *)ZSTR_VAL(data), .size = ZSTR_LEN(data)};
    how.type = LARDER_SHORT;
    if (handler_packs(store, key, length, ZSTR_LEN(data)) &&
        larder_pack_text(ZSTR_VAL(data), ZSTR_LEN(data), LARDER_SHORT, LARDER_PACK_SMALL, &packed))
        how.type = LRD_TYPE_PACKED;
    for (unsigned tries = 0; larder_busy_again(rc, &tries, HANDLER_BUSY_TRIES);)
        LARDER_CALL(rc, lrd_put(store, key, length, packed.data, packed.size, &how));
    return rc;
}

int larder_session_put(lrd_store *store, const char *key, size_t length, const zend_string *data,
                       lrd_mode mode, uint64_t life_ms)
{
    return handler_put(store, key, length, data, (lrd_write){.ttl_ms = life_ms, .mode = mode});
}

zend_string *larder_session_text(const lrd_value *value)
{
    lrd_packed packed;
    if (EXPECTED(value->type != LRD_TYPE_PACKED))
        return zend_string_init(value->data, value->size, 0);
    return lrd_packed_open(value->data, value->size, &packed) == LRD_OK &&
                   packed.type == LARDER_SHORT
               ? larder_unpack_text(&packed)
               : NULL;
}

static bool handler_is_other(int rc)
{
    return rc == LRD_STALE || rc == LRD_MISS || rc == LRD_EXISTS;
}

/* Store a session if no other request has changed it. If `version` is not 0, the session's entry
 * must still have this version. If `version` is 0, there must be no entry. For the result of a
 * refused write, handler_is_other() returns true. */
static int handler_put_over(lrd_store *store, const char *key, size_t length,
                            const zend_string *data, uint64_t version, uint64_t life_ms)
{
    return handler_put(store, key, length, data,
                       (lrd_write){.ttl_ms = life_ms,
                                   .version = version,
                                   .mode = version != 0 ? LRD_REPLACE : LRD_ADD});
}

int larder_session_end(lrd_store *store, const char *key, size_t length)
{
    lrd_value value;
    int found, rc = LRD_EBUSY;
    LARDER_CALL(found, lrd_get(store, key, length,
                               LRD_GET_BORROW | LRD_GET_NO_COPY | LRD_GET_NO_COUNT, &value));
    if (found == LRD_OK && value.type == LARDER_ENDED)
        found = LRD_MISS;
    for (unsigned tries = 0; larder_busy_again(rc, &tries, HANDLER_BUSY_TRIES);)
        LARDER_CALL(rc,
                    lrd_put(store, key, length, NULL, 0,
                            &(lrd_write){.ttl_ms = LARDER_SESSION_END_MS, .type = LARDER_ENDED}));
    if (rc == LRD_OK)
        return found;
    rc = LRD_EBUSY;
    for (unsigned tries = 0; larder_busy_again(rc, &tries, HANDLER_BUSY_TRIES);)
        LARDER_CALL(rc, lrd_delete(store, key, length));
    return rc;
}

zend_string *larder_session_too_large(size_t max, size_t bytes)
{
    return zend_strpprintf(0,
                           "The session has %zu bytes, more than larder.session_max_size = %zu. "
                           "Its last stored content is still there",
                           bytes, max);
}

zend_string *larder_session_unwritten(int rc, size_t bytes)
{
    const char *detail = lrd_error_detail();
    if (rc == LRD_ENOROOM || rc == LRD_ENOINDEX)
        return zend_strpprintf(
            0, "The store of sessions is full, and no session in it has expired: raise "
               "larder.session_size. Its last stored content is still there");
    if (rc == LRD_ESIZE)
        return zend_strpprintf(
            0,
            "The session has %zu bytes, more than a store of larder.session_size can take. Its "
            "last stored content is still there",
            bytes);
    return zend_strpprintf(
        0, "The session cannot be written, what was stored of it is still there: %s%s%s",
        lrd_strerror(rc), *detail != '\0' ? ": " : "", detail);
}

#if HANDLER_AVAILABLE

#if PHP_VERSION_ID >= 80600
#define HANDLER_SAVE_PATH ZSTR_VAL(save_path)
#else
#define HANDLER_SAVE_PATH save_path
#endif

/* The state of the handler from open() to close(): PHP's mod_data. */
typedef struct handler_session {
    lrd_store *store;
    larder_session_settings settings;
    /* the id that this session has tried to lock, perhaps in vain; NULL if there is none */
    zend_string *locked;
    uint64_t token; /* token of the lock; 0 if this request has not locked the id */
    pid_t owner;    /* process that has locked the id */
    /* The id of a session that must not be written, because its read has failed; or NULL. */
    zend_string *unread;
    /* the id of a session that this request saw and did not destroy; NULL if there is none */
    zend_string *known;
    uint64_t looked_at; /* time (larder_boot_clock()) of the last look-up of the session `known` */
    size_t watched;     /* length in bytes of the key that handler_watch() looks up */
    /* true if another request has destroyed, or may have destroyed, the session `known` */
    bool ended;
    /* True if another request has destroyed the session `known`. Store nothing under its id. */
    bool gone;
    zend_string *given; /* the id that handler_create_sid() made last; NULL if there is none */
    size_t prefix;      /* length in bytes of the save path with its NUL */
    char key[];         /* the save path with its NUL, followed by memory for an id */
} handler_session;

static __typeof__(php_session_create_id) *handler_create_id;
static __typeof__(php_session_register_module) *handler_register;

/* Write the key of a session id to session->key, and return its length. If the id is not valid,
 * warns and returns 0. If `session` is NULL, returns 0 without a warning. */
static size_t handler_key(handler_session *session, const zend_string *id)
{
    if (session == NULL)
        return 0;
    if (!larder_session_id_good(ZSTR_VAL(id), ZSTR_LEN(id))) {
        php_error_docref(NULL, E_WARNING,
                         "A session ID must be 1 to %u characters of A-Z, a-z, 0-9, \"-\" and "
                         "\",\"; this one, of %zu, is not",
                         LARDER_SESSION_ID_MAX, ZSTR_LEN(id));
        return 0;
    }
    memcpy(session->key + session->prefix, ZSTR_VAL(id), ZSTR_LEN(id));
    return session->prefix + ZSTR_LEN(id);
}

static void handler_complain(const char *what, int rc)
{
    const char *detail = lrd_error_detail();
    php_error_docref(NULL, E_WARNING, "%s: %s%s%s", what, lrd_strerror(rc),
                     *detail != '\0' ? ": " : "", detail);
}

static void handler_warn(zend_string *text)
{
    php_error_docref(NULL, E_WARNING, "%s", ZSTR_VAL(text));
    zend_string_release(text);
}

/* ---- sessions that another request destroys ---- */

static void handler_forget_known(handler_session *session)
{
    if (session->known != NULL)
        zend_string_release(session->known);
    session->known = NULL;
    session->ended = session->gone = false;
}

static bool handler_knew(const handler_session *session, const zend_string *id)
{
    return session->known != NULL && zend_string_equals(session->known, id);
}

/* Make `id` the known session of this request. Does nothing if another request has destroyed the
 * known session (`gone`), so that this request still stores nothing under its id. In this case, PHP
 * may look up `id` only to see whether `id` is free. */
static void handler_know(handler_session *session, zend_string *id, uint64_t now)
{
    if (!handler_knew(session, id)) {
        if (session->gone)
            return;
        handler_forget_known(session);
        session->known = zend_string_copy(id);
    }
    session->looked_at = now;
    session->ended = false;
}

typedef enum handler_state { HANDLER_NOTHING, HANDLER_LIVE, HANDLER_ENDED } handler_state;

/* Look up session->key. Sets *version to the version of its entry, or to 0. */
static handler_state handler_look(const handler_session *session, size_t length, uint64_t *version)
{
    lrd_value value;
    lrd_entry entry;
    int rc;
    *version = 0;
    LARDER_CALL(rc, lrd_get(session->store, session->key, length,
                            LRD_GET_BORROW | LRD_GET_NO_COPY | LRD_GET_NO_COUNT, &value));
    if (rc != LRD_OK)
        return HANDLER_NOTHING;
    if (lrd_value_entry(session->store, &value, &entry) == LRD_OK)
        *version = entry.version;
    handler_state state = value.type == LARDER_ENDED ? HANDLER_ENDED : HANDLER_LIVE;
    LARDER_CALL(rc, lrd_release(session->store, &value));
    return state;
}

/* Look up a session before it is locked. If it exists, make it the known session and return
 * true. */
static bool handler_see(handler_session *session, zend_string *id, size_t length)
{
    uint64_t now = larder_boot_clock(), version;
    if (!session->gone)
        handler_forget_known(session);
    if (handler_look(session, length, &version) != HANDLER_LIVE)
        return false;
    handler_know(session, id, now);
    return true;
}

/* Set session->ended if another request has destroyed the session. The end that the other request
 * has stored (an entry of type LARDER_ENDED) may expire during the wait for the lock, so this runs
 * repeatedly. */
static void handler_watch(void *arg)
{
    handler_session *session = arg;
    uint64_t now = larder_boot_clock(), version;
    handler_state state = handler_look(session, session->watched, &version);
    /* Another request may have stored an end that has expired since the previous look-up. If the
     * previous look-up was long ago, assume so. If the session's key has an entry now, the type of
     * the entry decides. */
    if (now - session->looked_at >= LARDER_SESSION_END_MS / 2)
        session->ended = true;
    if (state != HANDLER_NOTHING)
        session->ended = state == HANDLER_ENDED;
    session->looked_at = now;
}

/* Return true if the store may have refused to store an end (an entry of type LARDER_ENDED).
 * Refusals because of a value's size do not count, because an end is small. */
static bool handler_has_refused(lrd_store *store)
{
    lrd_stats stats;
    int rc;
    LARDER_CALL(rc, lrd_stats_get(store, &stats));
    return rc != LRD_OK || stats.refused != stats.refused_by[LRD_REFUSED_SIZE];
}

/* Return true if another request may have destroyed the session `id` since this request saw it. In
 * this case, this request must store nothing under the id. Call this only if there is no live
 * entry. */
static bool handler_ended(handler_session *session, const zend_string *id, handler_state state)
{
    if (!handler_knew(session, id))
        return false;
    return state == HANDLER_ENDED || session->ended ||
           larder_boot_clock() - session->looked_at >= LARDER_SESSION_END_MS / 2 ||
           handler_has_refused(session->store);
}

/* ---- the lock of this session ---- */

static void handler_unlock(handler_session *session)
{
    if (session->locked == NULL)
        return;
    if (session->token != 0 && session->owner == getpid()) {
        memcpy(session->key + session->prefix, ZSTR_VAL(session->locked),
               ZSTR_LEN(session->locked));
        larder_session_unlock(session->store, session->key,
                              session->prefix + ZSTR_LEN(session->locked), session->token);
    }
    zend_string_release(session->locked);
    session->locked = NULL;
    session->token = 0;
}

/* Return true if this read is part of session_start(["read_and_close" => true]). A session handler
 * written in PHP may lie between session_start() and this read. */
static bool handler_only_reads(void)
{
    const zend_execute_data *frame = EG(current_execute_data);
    for (; frame != NULL; frame = frame->prev_execute_data) {
        const zend_function *function = frame->func;
        if (function == NULL || function->type != ZEND_INTERNAL_FUNCTION ||
            function->common.scope != NULL || function->common.function_name == NULL ||
            !zend_string_equals_literal(function->common.function_name, "session_start"))
            continue;
        const zval *options = ZEND_CALL_NUM_ARGS(frame) > 0 ? ZEND_CALL_ARG(frame, 1) : NULL;
        if (options == NULL || Z_TYPE_P(options) != IS_ARRAY)
            return false;
        zval *wanted = zend_hash_str_find(Z_ARRVAL_P(options), ZEND_STRL("read_and_close"));
        return wanted != NULL && zval_get_long(wanted) > 0;
    }
    return false;
}

static void handler_say_held(const handler_session *session, bool fails)
{
    if (fails)
        php_error_docref(NULL, E_WARNING,
                         "Another request has this session for longer than "
                         "larder.session_lock_wait = " ZEND_LONG_FMT " ms",
                         session->settings.wait_ms);
    else
        php_error_docref(NULL, E_NOTICE,
                         "Another request has this session for longer than "
                         "larder.session_lock_wait = " ZEND_LONG_FMT
                         " ms; this one can only read it",
                         session->settings.wait_ms);
}

/* Lock a session id, and unlock any other one. Writes the key to session->key. Returns false if an
 * error was raised. session->token is 0 if locking is off, or if the session may only be read. */
static bool handler_lock(handler_session *session, zend_string *id, size_t length)
{
    if (!session->settings.lock)
        return true;
    if (session->locked != NULL && zend_string_equals(session->locked, id))
        return true;
    handler_unlock(session);
    memcpy(session->key + session->prefix, ZSTR_VAL(id), ZSTR_LEN(id));
    session->watched = length;
    int rc = larder_session_lock(session->store, session->key, length, session->settings.wait_ms,
                                 &session->token, handler_knew(session, id) ? handler_watch : NULL,
                                 session);
    if (rc == LRD_OK) {
        session->locked = zend_string_copy(id);
        session->owner = getpid();
        return true;
    }
    session->token = 0;
    if (EG(exception) != NULL)
        return false;
    if (rc != LRD_HELD && rc != LRD_EBUSY) {
        handler_complain("The session cannot be locked", rc);
        return false;
    }
    handler_say_held(session, !session->settings.read_only);
    if (!session->settings.read_only)
        return false;
    session->locked = zend_string_copy(id);
    return true;
}

/* Return true if this request may change the session: it has the lock, or locking is off. Otherwise
 * warns. */
static bool handler_may_change(const handler_session *session, const char *how)
{
    if (!session->settings.lock)
        return true;
    if (session->token == 0) {
        php_error_docref(NULL, E_WARNING,
                         "The session is not %s: another request had it, and "
                         "larder.session_lock_timeout is readonly",
                         how);
        return false;
    }
    if (session->owner == getpid())
        return true;
    php_error_docref(NULL, E_WARNING,
                     "The session is not %s: the process that forked this one has it", how);
    return false;
}

/* ---- sessions that must not be written ---- */

static void handler_read_ended(handler_session *session)
{
    if (session->unread != NULL)
        zend_string_release(session->unread);
    session->unread = NULL;
}

/* Forbid writing a session until its read has succeeded. Otherwise PHP might write an empty session
 * after a failed read. */
static void handler_read_begins(handler_session *session, zend_string *id)
{
    handler_read_ended(session);
    session->unread = zend_string_copy(id);
}

/* Return true if PHP writes an empty text because it could not serialize the session: the name of a
 * variable contains "|". */
static bool handler_gave_up(const zend_string *data)
{
    zval *session = zend_hash_str_find(&EG(symbol_table), ZEND_STRL("_SESSION"));
    zend_string *name;
    if (ZSTR_LEN(data) != 0 || session == NULL)
        return false;
    ZVAL_DEINDIRECT(session);
    ZVAL_DEREF(session);
    if (Z_TYPE_P(session) != IS_ARRAY)
        return false;
    ZEND_HASH_FOREACH_STR_KEY(Z_ARRVAL_P(session), name)
        {
            if (name != NULL && memchr(ZSTR_VAL(name), '|', ZSTR_LEN(name)) != NULL)
                return true;
        }
    ZEND_HASH_FOREACH_END();
    return false;
}

/* Return true if `data` may replace the stored text. Otherwise warns. */
static bool handler_whole(const handler_session *session, const zend_string *id,
                          const zend_string *data)
{
    if (session->unread != NULL && zend_string_equals(session->unread, id)) {
        php_error_docref(NULL, E_WARNING,
                         "The session is not written, because it could not be read. Its last "
                         "stored content is still there");
        return false;
    }
    if (ZSTR_LEN(data) > session->settings.max_size) {
        handler_warn(larder_session_too_large(session->settings.max_size, ZSTR_LEN(data)));
        return false;
    }
    if (handler_gave_up(data)) {
        php_error_docref(NULL, E_WARNING,
                         "The session is not written, because one of its names has a \"|\", which "
                         "session.serialize_handler = php cannot store. Its last stored content "
                         "is still there");
        return false;
    }
    return true;
}

/* ---- new ids ---- */

static void handler_forget_given(handler_session *session)
{
    if (session->given != NULL)
        zend_string_release(session->given);
    session->given = NULL;
}

/* Return true if handler_read() must store an empty session under `id`. In strict mode, PHP accepts
 * only ids that have an entry, so this handler stores an entry for each id that it has just made.
 * An id that a client sends must not get an entry here, because an attacker may have chosen it. */
static bool handler_gives_out(const handler_session *session, const zend_string *id)
{
    return session->given != NULL && zend_string_equals(session->given, id) &&
           zend_ini_long(ZEND_STRL("session.use_strict_mode"), 0) != 0;
}

/* ---- PHP's callbacks ---- */

static zend_result handler_close(PS_CLOSE_ARGS)
{
    handler_session *session = PS_GET_MOD_DATA();
    if (session != NULL) {
        handler_unlock(session);
        handler_read_ended(session);
        handler_forget_known(session);
        handler_forget_given(session);
        efree(session);
    }
    PS_SET_MOD_DATA(NULL);
    return SUCCESS;
}

static zend_result handler_open(PS_OPEN_ARGS)
{
    const char *path = HANDLER_SAVE_PATH;
    size_t length = strlen(path);
    lrd_store *store = larder_store(LARDER_SESSIONS);
    handler_close(mod_data);
    if (store == NULL) {
        const char *reason = larder_place_of(LARDER_SESSIONS)->reason;
        php_error_docref(NULL, E_WARNING, "The store of sessions is off: %s",
                         *reason != '\0' ? reason : "not usable here");
        return FAILURE;
    }
    if (length > LARDER_SESSION_PATH_MAX) {
        php_error_docref(NULL, E_WARNING,
                         "session.save_path must be at most %u bytes long, it has %zu",
                         LARDER_SESSION_PATH_MAX, length);
        return FAILURE;
    }
    handler_session *session = emalloc(sizeof *session + length + 1 + LARDER_SESSION_ID_MAX);
    *session = (handler_session){.store = store, .prefix = length + 1};
    memcpy(session->key, path, length + 1);
    larder_session_settings_read(&session->settings);
    PS_SET_MOD_DATA(session);
    return SUCCESS;
}

static uint64_t handler_life_ms(zend_long seconds)
{
    return seconds < 1 ? 1000 : seconds > 9000000000000 ? (uint64_t)9e15 : (uint64_t)seconds * 1000;
}

static zend_result handler_read(PS_READ_ARGS)
{
    handler_session *session = PS_GET_MOD_DATA();
    size_t length = handler_key(session, key);
    lrd_value value;
    int rc;
    if (length == 0)
        return FAILURE;
    handler_read_begins(session, key);
    if (session->settings.lock && !handler_only_reads()) {
        if (!handler_knew(session, key))
            (void)handler_see(session, key, length);
        if (!handler_lock(session, key, length))
            return FAILURE;
    }
    uint64_t now = larder_boot_clock();
    LARDER_CALL(rc, lrd_get(session->store, session->key, length, LRD_GET_BORROW | LRD_GET_NO_COPY,
                            &value));
    if (rc != LRD_OK && rc != LRD_MISS) {
        handler_complain("The session cannot be read", rc);
        return FAILURE;
    }
    bool live = rc == LRD_OK && value.type != LARDER_ENDED;
    /* a borrowed value is valid only until the next call of the core */
    *val = live ? larder_session_text(&value) : ZSTR_EMPTY_ALLOC();
    if (*val == NULL && !LARDER_OUT_OF_MEMORY()) {
        lrd_count_miss(session->store);
        handler_complain("The session cannot be read", LRD_EFORMAT);
        /* destroy the damaged session, so that the visitor gets a new one */
        (void)larder_session_end(session->store, session->key, length);
        return FAILURE;
    }
    if (live)
        handler_know(session, key, now);
    else if (handler_ended(session, key, rc == LRD_OK ? HANDLER_ENDED : HANDLER_NOTHING))
        session->gone = true;
    /* Ignore an error: if the empty session cannot be stored now, handler_write() will fail, too,
     * and raise a warning. */
    else if (handler_gives_out(session, key))
        (void)larder_session_put(session->store, session->key, length, ZSTR_EMPTY_ALLOC(),
                                 rc == LRD_OK ? LRD_SET : LRD_ADD, handler_life_ms(maxlifetime));
    /* PHP would destroy a session whose text is incomplete. So return no text. */
    if (LARDER_OUT_OF_MEMORY()) {
        if (*val != NULL)
            zend_string_release(*val);
        *val = NULL;
        return FAILURE;
    }
    handler_read_ended(session);
    return SUCCESS;
}

/* Return true if another request has, or may have, destroyed the session that this request writes.
 * If the session is locked and has no entry, it has only expired. If locking is off, the entry may
 * also be missing because the mark of a destroyed session has expired; then handler_ended()
 * decides. */
static bool handler_is_destroyed(handler_session *session, const zend_string *id,
                                 handler_state state)
{
    if (state == HANDLER_LIVE || !handler_knew(session, id))
        return false;
    return state == HANDLER_ENDED || (!session->settings.lock && handler_ended(session, id, state));
}

static zend_result handler_write(PS_WRITE_ARGS)
{
    handler_session *session = PS_GET_MOD_DATA();
    size_t length = handler_key(session, key);
    /* If an exception is set, PHP could not serialize the session, so there is nothing to store. */
    if (length == 0 || EG(exception) != NULL)
        return FAILURE;
    if (session->gone && handler_knew(session, key))
        return SUCCESS;
    if (!handler_whole(session, key, val) || !handler_lock(session, key, length) ||
        !handler_may_change(session, "written"))
        return FAILURE;
    int rc = LRD_STALE;
    for (unsigned tries = 0; handler_is_other(rc) && tries < HANDLER_BUSY_TRIES; tries++) {
        uint64_t version;
        handler_state state = handler_look(session, length, &version);
        if (handler_is_destroyed(session, key, state)) {
            session->gone = true;
            return SUCCESS;
        }
        rc = handler_put_over(session->store, session->key, length, val, version,
                              handler_life_ms(maxlifetime));
    }
    if (rc == LRD_OK)
        return SUCCESS;
    handler_warn(larder_session_unwritten(rc, ZSTR_LEN(val)));
    return FAILURE;
}

/* Extend the life of an unchanged session. If the session has expired, or if this request has
 * destroyed it, store it again. If another request has destroyed the session, leave the end (an
 * entry of type LARDER_ENDED) in the store, because other requests must find it. */
static zend_result handler_update_timestamp(PS_UPDATE_TIMESTAMP_ARGS)
{
    handler_session *session = PS_GET_MOD_DATA();
    size_t length = handler_key(session, key);
    uint64_t version;
    int rc = LRD_EBUSY;
    if (length == 0)
        return FAILURE;
    if (handler_look(session, length, &version) == HANDLER_ENDED)
        return handler_write(mod_data, key, val, maxlifetime);
    for (unsigned tries = 0; larder_busy_again(rc, &tries, HANDLER_BUSY_TRIES);)
        LARDER_CALL(rc,
                    lrd_touch(session->store, session->key, length, handler_life_ms(maxlifetime)));
    if (rc == LRD_OK)
        return SUCCESS;
    if (rc == LRD_MISS)
        return handler_write(mod_data, key, val, maxlifetime);
    handler_complain("The life of the session cannot be prolonged", rc);
    return FAILURE;
}

static bool handler_is_named(const zend_execute_data *frame, const char *name)
{
    return strcasecmp(ZSTR_VAL(frame->func->common.function_name), name) == 0;
}

/* Return true if PHP itself destroys the session, after a fatal error during its decoding. A
 * session handler written in PHP may lie between PHP's call and this file, so search the whole
 * stack. */
static bool handler_cut_short(void)
{
    const zend_execute_data *first = NULL;
    if (EXPECTED(!CG(unclean_shutdown) && !LARDER_OUT_OF_MEMORY()))
        return false;
    for (const zend_execute_data *frame = EG(current_execute_data); frame != NULL;
         frame = frame->prev_execute_data) {
        if (frame->func == NULL || frame->func->common.function_name == NULL)
            continue;
        if (handler_is_named(frame, "session_destroy") ||
            handler_is_named(frame, "session_regenerate_id"))
            return false;
        first = frame;
    }
    return !CG(unclean_shutdown) || first == NULL ||
           (first->func->common.scope != NULL && handler_is_named(first, "destroy"));
}

static zend_result handler_destroy(PS_DESTROY_ARGS)
{
    handler_session *session = PS_GET_MOD_DATA();
    size_t length = handler_key(session, key);
    if (length == 0 || handler_cut_short())
        return FAILURE;
    if (session->locked != NULL && zend_string_equals(session->locked, key) &&
        !handler_may_change(session, "destroyed"))
        return FAILURE;
    int rc = larder_session_end(session->store, session->key, length);
    /* This request has destroyed the session itself, so forget that it knew the session. Otherwise
     * it would refuse to store the session again. */
    if (handler_knew(session, key))
        handler_forget_known(session);
    if (rc >= 0)
        return SUCCESS;
    handler_complain("The session cannot be destroyed", rc);
    return FAILURE;
}

/* Free expired sessions now, and return their number. The store would free them later. */
static zend_long handler_gc(PS_GC_ARGS)
{
    handler_session *session = PS_GET_MOD_DATA();
    lrd_stats before = {0}, after = {0};
    int rc;
    *nrdels = -1;
    if (session == NULL)
        return -1;
    LARDER_CALL(rc, lrd_stats_get(session->store, &before));
    /* lrd_sweep() skips busy shards, which a later call sweeps */
    LARDER_CALL(rc, lrd_sweep(session->store, NULL));
    LARDER_CALL(rc, lrd_stats_get(session->store, &after));
    (void)rc;
    return *nrdels = (zend_long)(after.expired - before.expired);
}

/* PHP calls this for the id of a session, and also to find out whether a new id is free. So if a
 * session is known already, the session of `key` does not replace it. */
static zend_result handler_validate_sid(PS_VALIDATE_SID_ARGS)
{
    handler_session *session = PS_GET_MOD_DATA();
    uint64_t version;
    if (session == NULL || !larder_session_id_good(ZSTR_VAL(key), ZSTR_LEN(key)))
        return FAILURE;
    size_t length = handler_key(session, key);
    bool live = session->known == NULL ? handler_see(session, key, length)
                                       : handler_look(session, length, &version) == HANDLER_LIVE;
    return live ? SUCCESS : FAILURE;
}

static zend_string *handler_create_sid(PS_CREATE_SID_ARGS)
{
    handler_session *session = PS_GET_MOD_DATA();
    for (unsigned tries = 0; tries < HANDLER_ID_TRIES; tries++) {
        zend_string *id = handler_create_id(mod_data);
        if (id == NULL || session == NULL)
            return id;
        if (handler_validate_sid(mod_data, id) == FAILURE) {
            handler_forget_given(session);
            session->given = id;
            return zend_string_copy(id);
        }
        zend_string_release(id);
    }
    php_error_docref(NULL, E_WARNING, "%u session IDs in a row were taken already",
                     HANDLER_ID_TRIES);
    return NULL;
}

#define HANDLER_MODULE(name)                                                                       \
    {                                                                                              \
        (name), handler_open, handler_close, handler_read, handler_write, handler_destroy,         \
            handler_gc, handler_create_sid, handler_validate_sid, handler_update_timestamp         \
    }

/* The modules for the two names of the save handler. ext/session keeps pointers to them. */
static ps_module handler_modules[2] = {HANDLER_MODULE(NULL), HANDLER_MODULE(NULL)};

static bool handler_find(void)
{
    handler_register =
        (__typeof__(handler_register))dlsym(RTLD_DEFAULT, "php_session_register_module");
    handler_create_id = (__typeof__(handler_create_id))dlsym(RTLD_DEFAULT, "php_session_create_id");
    return handler_register != NULL && handler_create_id != NULL;
}

void larder_session_register(const char *name)
{
    static size_t used;
    if (!larder_session_present() || !handler_find() ||
        used == sizeof handler_modules / sizeof *handler_modules)
        return;
    handler_modules[used].s_name = name;
    if (handler_register(&handler_modules[used]) == SUCCESS)
        used++;
    else
        zend_error(E_CORE_WARNING, "Larder: PHP takes no further session handler");
}

#else

void larder_session_register(const char *name) {}

#endif

void larder_session_startup(int module_number)
{
    larder_session_settings_register(module_number);
    larder_sessions_register();
    larder_session_register("larder");
}
