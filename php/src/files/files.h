/* files.h - the cache behind file_get_contents(): shared by the files of this folder and called by
 * larder.c. Read files.c first (a call), then identity.c (who may read) and file_cache.c (settings,
 * Larder\FileCache). */
#ifndef LARDER_FILES_H
#define LARDER_FILES_H

#include "php_larder.h"

/* ---- file_cache.c ---- */
typedef struct larder_files_settings {
    bool enabled;
    uint64_t ttl_ms;         /* 0: for ever */
    zend_long revalidate_ms; /* between two looks at a file; 0: at each call; < 0: never */
    size_t max_size;         /* bytes of a file */
} larder_files_settings;
extern larder_files_settings larder_files_configured;
void larder_files_register(int module_number) ZEND_COLD;
/* Read the settings; in each FPM worker once more. */
void larder_files_configure(void) ZEND_COLD;
/* As APC's patch had it: no look at a file within so many seconds, 0: for ever. Larder's own
 * settings go first. */
void larder_files_like_apc(zend_long seconds);
void larder_files_phpinfo(void); /* a row of a table */

/* ---- files.c ---- */
typedef struct larder_files_uses {
    uint64_t hits, misses, revalidations;
} larder_files_uses;
void larder_files_startup(void) ZEND_COLD;
/* when a request ends: its uses are added to those of all */
void larder_files_rest(void) LARDER_HOT;
/* at the end of a thread; NULL: nothing */
void larder_files_end(struct larder_files *files) ZEND_COLD;
/* The uses of all processes, with those of this request. */
void larder_files_count(lrd_store *store, larder_files_uses *uses);
/* Remove what is kept of a file for the user of this process. */
bool larder_files_drop(lrd_store *store, const char *path, size_t length);
/* True if an entry is a file's; then *bytes is its size. */
bool larder_files_entry(const lrd_entry *entry, const lrd_value *value, size_t *bytes);

/* ---- identity.c ---- */
#define LARDER_IDENTITY_GROUPS 32u /* a process with more groups is not served */
typedef struct larder_identity {
    uint64_t generation; /* of which it is; 0: none */
    size_t size;         /* bytes of text; 0: not to be served */
    char text[4 * (LARDER_IDENTITY_GROUPS + 4) + 8 * 4];
} larder_identity;
/* Watch the functions that change the identity of a process. */
void larder_identity_startup(void) ZEND_COLD;
/* Bring it up to date: the process's ids, groups, capabilities, root and mounts, which decide what
 * a path leads to and who may read it. False: they cannot be told. */
bool larder_identity_current(larder_identity *identity);
/* A request ends: forget it where whoever runs PHP may change ids between requests. */
void larder_identity_rest(larder_identity *identity);

#endif
