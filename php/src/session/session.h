/* session.h - sessions in shared memory: shared by the files of this folder, and called by
 * larder.c. Read handler.c first (PHP's callbacks), then settings.c and sessions.c
 * (Larder\Sessions).
 *
 * A session is an entry of the store of sessions. Its key is "SAVE_PATH\0ID". Its value is the text
 * that session.serialize_handler has made. Its time to live is session.gc_maxlifetime. Its lock is
 * a reservation of this key in the core. A save path contains no NUL, so sites with different paths
 * never share a key. An entry of the type LARDER_ENDED, called an end, is no session: it says that
 * a session was destroyed. */
#ifndef LARDER_SESSION_H
#define LARDER_SESSION_H

#include "php_larder.h"

/* an id has at most this many characters, as in PHP's own handlers */
#define LARDER_SESSION_ID_MAX 256u
/* time to live of the mark of a destroyed session (an end), in ms; a waiting request looks for it
 * every few milliseconds */
#define LARDER_SESSION_END_MS 60000u
#define LARDER_SESSION_PATH_MAX (LRD_KEY_MAX - LARDER_SESSION_ID_MAX - 1)

/* ---- handler.c ---- */
/* Register the save handler, the INI settings and the class. Without ext/session there is no save
 * handler. */
void larder_session_startup(int module_number) ZEND_COLD;
/* Return true if this PHP has sessions. May be called when modules start. */
bool larder_session_present(void) ZEND_COLD;
/* Register the save handler under another name. The name must be static. */
void larder_session_register(const char *name) ZEND_COLD;
bool larder_session_id_good(const char *id, size_t length);
/* Called before each step of a wait for a session's lock. */
typedef void (*larder_session_step)(void *arg);
/* Lock the key of a session for this thread. Waits in steps, so that signals and time limits take
 * effect. wait_ms < 0: no limit. `step` may be NULL. LRD_HELD: another request still has the lock.
 */
int larder_session_lock(lrd_store *store, const char *key, size_t length, zend_long wait_ms,
                        uint64_t *token, larder_session_step step, void *arg);
void larder_session_unlock(lrd_store *store, const char *key, size_t length, uint64_t token);
/* Store a session. It is packed (compressed) if memory is short; see larder.form. life_ms: time to
 * live; 0: no limit. */
int larder_session_put(lrd_store *store, const char *key, size_t length, const zend_string *data,
                       lrd_mode mode, uint64_t life_ms);
/* Copy the text of a session into memory of the request. NULL: it is damaged, or there is no
 * memory. */
zend_string *larder_session_text(const lrd_value *value);
/* Destroy a session, and leave an end mark. LRD_MISS: there was no session. The mark is left then,
 * too, for requests that saw the session before it expired. */
int larder_session_end(lrd_store *store, const char *key, size_t length);
/* Make the message for a session that was not written. bytes: its size. The caller releases the
 * message. */
zend_string *larder_session_unwritten(int rc, size_t bytes) ZEND_COLD;
zend_string *larder_session_too_large(size_t max, size_t bytes) ZEND_COLD;

/* ---- settings.c ---- */
typedef struct larder_session_settings {
    bool lock;
    bool read_only;    /* read the session without its lock if another request has the lock */
    zend_long wait_ms; /* < 0: for ever */
    size_t max_size;   /* bytes of a session */
} larder_session_settings;
void larder_session_settings_register(int module_number) ZEND_COLD;
void larder_session_settings_read(larder_session_settings *out);
/* Rows of a table. */
void larder_session_phpinfo(void);

/* ---- sessions.c ---- */
void larder_sessions_register(void) ZEND_COLD;

#endif
