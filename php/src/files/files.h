/* files.h - the cache behind file_get_contents(): shared by the files of this folder and called by
 * larder.c. Read files.c first (a call), then identity.c (which files a process may read) and
 * file_cache.c (settings, Larder\FileCache). */
#ifndef LARDER_FILES_H
#define LARDER_FILES_H

#include "php_larder.h"

/* ---- file_cache.c ---- */
typedef struct larder_files_settings {
    bool enabled;
    uint64_t ttl_ms; /* 0: for ever */
    /* milliseconds between two checks whether a file has changed; 0: check at each call; < 0: never
     */
    zend_long revalidate_ms;
    size_t max_size; /* bytes of a file */
} larder_files_settings;
extern larder_files_settings larder_files_configured;
void larder_files_register(int module_number) ZEND_COLD;
/* Read the settings. Each FPM worker reads them again. */
void larder_files_configure(void) ZEND_COLD;
/* Serve files without a check for this number of seconds, as APC did; 0: without limit. Larder's
 * own settings override this. */
void larder_files_like_apc(zend_long seconds);
void larder_files_phpinfo(void); /* a row of a table */

/* ---- files.c ---- */
typedef struct larder_files_uses {
    uint64_t hits, misses, revalidations;
} larder_files_uses;
void larder_files_startup(void) ZEND_COLD;
/* Add the uses of this request to the shared counts, at its end. */
void larder_files_rest(void) LARDER_HOT;
/* Free what a thread knows about files, at its end. `files` may be NULL. */
void larder_files_end(struct larder_files *files) ZEND_COLD;
/* Return the uses of all processes, including those of this request. */
void larder_files_count(lrd_store *store, larder_files_uses *uses);
/* Remove the content of a file that is kept for the user of this process. */
bool larder_files_drop(lrd_store *store, const char *path, size_t length);
/* Return true if an entry is that of a file. *bytes: the file's size. */
bool larder_files_entry(const lrd_entry *entry, const lrd_value *value, size_t *bytes);

/* ---- identity.c ---- */
/* a process with more groups than this is not served */
#define LARDER_IDENTITY_GROUPS 32u
typedef struct larder_identity {
    uint64_t generation; /* number of the identity, raised at each change; 0: none */
    size_t size;         /* length of the text in bytes; 0: this process is not served */
    char text[4 * (LARDER_IDENTITY_GROUPS + 4) + 8 * 4];
} larder_identity;
/* Watch PHP functions that change the identity of a process. */
void larder_identity_startup(void) ZEND_COLD;
/* Bring an identity up to date. It consists of the process's ids, groups, capabilities, root and
 * mounts. They decide which file a path means, and if the process may read it. Returns false if
 * they are unknown. */
bool larder_identity_current(larder_identity *identity);
/* Forget the identity at the end of a request, if the server may change ids between requests. */
void larder_identity_rest(larder_identity *identity);

#endif
