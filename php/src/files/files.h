/* files.h - the cache behind file_get_contents(). Read files.c (what a call does), then identity.c
 * (which files a process may read). */
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
/* Turn the file cache on, because a setting of APC asks for it. Does nothing if Larder's settings
 * have turned it on. Files are kept for `seconds` (0: without limit), and not checked for
 * changes. */
void larder_files_like_apc(zend_long seconds);
void larder_files_phpinfo(void); /* prints one row of the table in phpinfo() */

/* ---- files.c ---- */
typedef struct larder_files_uses {
    uint64_t hits, misses, revalidations;
} larder_files_uses;
void larder_files_startup(void) ZEND_COLD;
/* Add the uses of this request to the shared counts, at the end of the request. */
void larder_files_rest(void) LARDER_HOT;
/* Free the file cache's data of a thread that ends. `files` may be NULL. */
void larder_files_end(struct larder_files *files) ZEND_COLD;
/* Return the counts of uses by all processes, including this request. */
void larder_files_count(lrd_store *store, larder_files_uses *uses);
/* Remove a file from this user's cache. Returns true if it was cached. */
bool larder_files_drop(lrd_store *store, const char *path, size_t length);
/* Return true if an entry contains a file, and set *bytes to the file's size. */
bool larder_files_entry(const lrd_entry *entry, const lrd_value *value, size_t *bytes);

/* ---- identity.c ---- */
/* a process with more supplementary groups than this gets no files from the cache */
#define LARDER_IDENTITY_GROUPS 32u
typedef struct larder_identity {
    /* the value of identity_generation when the identity was read; 0 if it was not read */
    uint64_t generation;
    /* length in bytes of `text`; 0 if the identity is unknown, so the process gets no files */
    size_t size;
    char text[4 * (LARDER_IDENTITY_GROUPS + 4) + 8 * 4];
} larder_identity;
/* Replace the handlers of the PHP functions that change the identity of a process. */
void larder_identity_startup(void) ZEND_COLD;
/* Bring an identity up to date. Returns false if a part of it is unknown. */
bool larder_identity_current(larder_identity *identity);
/* At the end of a request, forget the identity if the server may change the ids of its
 * processes. */
void larder_identity_rest(larder_identity *identity);

#endif
