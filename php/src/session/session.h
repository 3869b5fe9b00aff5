/* session.h - the interface of sessions in shared memory. Read handler.c first.
 *
 * A session is an entry of the store of sessions:
 * - Its key is "SAVE_PATH\0ID". A save path contains no NUL.
 * - Its value is the text that session.serialize_handler has made.
 * - Its time to live is session.gc_maxlifetime.
 * - An entry of the type LARDER_ENDED, called an end, marks a session that was destroyed. */
#ifndef LARDER_SESSION_H
#define LARDER_SESSION_H

#include "php_larder.h"

/* maximum number of characters of an id, as in PHP's own handlers */
#define LARDER_SESSION_ID_MAX 256u
/* Time to live (ms) of the mark that a destroyed session leaves in the store. The mark must outlive
 * the pauses of waiting requests, which look for it every few milliseconds. */
#define LARDER_SESSION_END_MS 60000u
#define LARDER_SESSION_PATH_MAX (LRD_KEY_MAX - LARDER_SESSION_ID_MAX - 1)

/* ---- handler.c ---- */
/* Register the save handler (if ext/session is there), the INI settings and the class. */
void larder_session_startup(int module_number) ZEND_COLD;
/* Return true if this PHP has ext/session. May be called while modules start. */
bool larder_session_present(void) ZEND_COLD;
/* Register the save handler under a second name. PHP keeps the pointer, so the name must stay valid
 * until PHP ends. */
void larder_session_register(const char *name) ZEND_COLD;
bool larder_session_id_good(const char *id, size_t length);
/* Called before each sleep of larder_session_lock(). */
typedef void (*larder_session_step)(void *arg);
/* Lock the key of a session for this thread. Waits up to `wait_ms` (negative: without limit), while
 * signals and time limits take effect. `step` may be NULL. Returns LRD_HELD if the wait ends
 * without the lock. */
int larder_session_lock(lrd_store *store, const char *key, size_t length, zend_long wait_ms,
                        uint64_t *token, larder_session_step step, void *arg);
void larder_session_unlock(lrd_store *store, const char *key, size_t length, uint64_t token);
/* Store a session, packed if memory is short (see larder.form). `life_ms` 0 means no limit. */
int larder_session_put(lrd_store *store, const char *key, size_t length, const zend_string *data,
                       lrd_mode mode, uint64_t life_ms);
/* Copy a session's text into memory of the request. Returns NULL if the text is damaged, or there
 * is no memory. */
zend_string *larder_session_text(const lrd_value *value);
/* Destroy a session, and store an end (the mark of a destroyed session) in its place. Other
 * requests that have seen the session notice the end, so it is stored even if the session has
 * expired. Returns LRD_MISS if there was no session. */
int larder_session_end(lrd_store *store, const char *key, size_t length);
/* Return why a session of `bytes` bytes was not written. The caller releases the message. */
zend_string *larder_session_unwritten(int rc, size_t bytes) ZEND_COLD;
zend_string *larder_session_too_large(size_t max, size_t bytes) ZEND_COLD;

/* ---- settings.c ---- */
typedef struct larder_session_settings {
    bool lock;
    /* true if a session that another request has locked may be read without its lock */
    bool read_only;
    zend_long wait_ms; /* longest wait for a lock (ms); negative means no limit */
    size_t max_size;   /* maximum size in bytes of a session's text */
} larder_session_settings;
void larder_session_settings_register(int module_number) ZEND_COLD;
void larder_session_settings_read(larder_session_settings *out);
/* Print the rows about sessions in the table of phpinfo(). */
void larder_session_phpinfo(void);

/* ---- sessions.c ---- */
void larder_sessions_register(void) ZEND_COLD;

#endif
