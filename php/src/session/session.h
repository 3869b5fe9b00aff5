/* session.h - sessions in shared memory: shared by the files of this folder and called by larder.c.
 * Read handler.c first (PHP's callbacks), then settings.c and sessions.c (Larder\Sessions).
 *
 * A session is an entry of the store of sessions: key "SAVE_PATH\0ID", value the bytes that
 * session.serialize_handler made, time to live session.gc_maxlifetime. Its lock is the core's
 * reservation of the same key. A save path has no NUL in it, so the sites that have different ones
 * never meet. An entry of the type LARDER_ENDED is no session: one was destroyed there. */
#ifndef LARDER_SESSION_H
#define LARDER_SESSION_H

#include "php_larder.h"

/* number of characters of an id; that of PHP's own handlers */
#define LARDER_SESSION_ID_MAX 256u
/* ms that an end lives; a waiting request looks for one every few milliseconds */
#define LARDER_SESSION_END_MS 60000u
#define LARDER_SESSION_PATH_MAX (LRD_KEY_MAX - LARDER_SESSION_ID_MAX - 1)

/* ---- handler.c ---- */
/* Register the save handler, the directives and the class. Without ext/session there is no
 * handler. */
void larder_session_startup(int module_number) ZEND_COLD;
/* True if this PHP has sessions, from the start of the modules on. */
bool larder_session_present(void) ZEND_COLD;
/* Register the same handler under another name, which is static. */
void larder_session_register(const char *name) ZEND_COLD;
bool larder_session_id_good(const char *id, size_t length);
/* A function that is called before each step of a wait for a session. */
typedef void (*larder_session_step)(void *arg);
/* Reserve a session's key for this thread, waiting in steps that let signals and time limits
 * through. wait_ms < 0: for ever. step may be NULL. LRD_HELD: another request still has it. */
int larder_session_lock(lrd_store *store, const char *key, size_t length, zend_long wait_ms,
                        uint64_t *token, larder_session_step step, void *arg);
void larder_session_unlock(lrd_store *store, const char *key, size_t length, uint64_t token);
/* Store a session, packed if memory is short; see larder.form. life_ms 0: no limit. */
int larder_session_put(lrd_store *store, const char *key, size_t length, const zend_string *data,
                       lrd_mode mode, uint64_t life_ms);
/* Return the text of a session in memory of the request. NULL: it is damaged, or there is no
 * memory. */
zend_string *larder_session_text(const lrd_value *value);
/* Destroy a session. LRD_MISS: there was none. Even then it leaves an end, for requests that saw
 * one before it expired. */
int larder_session_end(lrd_store *store, const char *key, size_t length);
/* Return the message for a session of `bytes` bytes that was not written. The caller releases
 * it. */
zend_string *larder_session_unwritten(int rc, size_t bytes) ZEND_COLD;
zend_string *larder_session_too_large(size_t max, size_t bytes) ZEND_COLD;

/* ---- settings.c ---- */
typedef struct larder_session_settings {
    bool lock;
    bool read_only;    /* read the session without the lock if the lock is not available */
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
