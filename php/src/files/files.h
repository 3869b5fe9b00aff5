/* files.h - the cache behind file_get_contents(). Read files.c first (what a call does), then
 * identity.c (which files a process may read). */
#ifndef LARDER_FILES_H
#define LARDER_FILES_H

#include "php_larder.h"

/* ---- file_cache.c ---- */
typedef struct larder_files_settings {
    bool enabled;
    uint64_t ttl_ms; /* time to live (ms) of a kept file; 0 means no limit */
    /* minimum time (ms) between two checks of a file; 0: check at each call; < 0: never check */
    zend_long revalidate_ms;
    size_t max_size; /* maximum size in bytes of a file that is kept */
} larder_files_settings;
extern larder_files_settings larder_files_configured;
void larder_files_register(int module_number) ZEND_COLD;
/* Read the settings. Each FPM worker reads them again. */
void larder_files_configure(void) ZEND_COLD;
/* Turn the cache on because a setting of APC asks for it. Files are then kept for `seconds` (0:
 * without limit), and not checked for changes. Does nothing if Larder's settings have turned the
 * cache on. */
void larder_files_like_apc(zend_long seconds);
void larder_files_phpinfo(void); /* prints one row of the table in phpinfo() */

/* ---- files.c ---- */
typedef struct larder_files_uses {
    uint64_t hits, misses, revalidations;
} larder_files_uses;
void larder_files_startup(void) ZEND_COLD;
/* Add the uses of this request to the shared counts. Call this at the end of the request. */
void larder_files_rest(void) LARDER_HOT;
/* Free `files`, the file cache's data of one thread. Call this when the thread ends. `files` may be
 * NULL. */
void larder_files_end(struct larder_files *files) ZEND_COLD;
/* Return the counts of uses by all processes. They include the uses by this request. */
void larder_files_count(lrd_store *store, larder_files_uses *uses);
/* Remove a file that is cached for this process's user. Returns true if the file was cached. */
bool larder_files_drop(lrd_store *store, const char *path, size_t length);
/* Return true if an entry contains a file, and set *bytes to the file's size. */
bool larder_files_entry(const lrd_entry *entry, const lrd_value *value, size_t *bytes);

/* ---- identity.c ---- */
/* a process with more supplementary groups than this gets no files from the cache */
#define LARDER_IDENTITY_GROUPS 32u
typedef struct larder_identity {
    /* the value of identity_generation when the identity was read; 0 if it was not read */
    uint64_t generation;
    /* length in bytes of `text`; if it is 0, the identity is unknown, and the process gets no files
     * from the cache */
    size_t size;
    char text[4 * (LARDER_IDENTITY_GROUPS + 4) + 8 * 4];
} larder_identity;
/* Replace the handlers of those PHP functions that change the identity of a process. */
void larder_identity_startup(void) ZEND_COLD;
/* Bring an identity up to date: ids, groups, capabilities, root and mounts. Returns false if a part
 * of it is unknown. */
bool larder_identity_current(larder_identity *identity);
/* Call this at the end of a request. If the server may change the ids of its processes, the
 * identity is forgotten, and the next request reads it again. */
void larder_identity_rest(larder_identity *identity);

#endif
