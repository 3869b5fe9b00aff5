/* settings.h - the values of the INI settings. */
#ifndef LARDER_STORES_SETTINGS_H
#define LARDER_STORES_SETTINGS_H

#include "php_larder.h"

#define LARDER_REASON_MAX 256
#define LARDER_SCOPE_MAX 64 /* maximum length of a scope in bytes */
#define LARDER_FPM_MAX 1024 /* maximum number of FPM pools with stores of their own */
/* keep at most this many messages about bad values that switch no store off */
#define LARDER_LESSER 8

/* The form in which values are stored: from larder.form, or from $form of a call. */
typedef enum larder_form {
    LARDER_FORM_UNSET, /* in a call or a pool: the form that larder.form selects */
    LARDER_FORM_AUTO,  /* ready (read in place), but packed (compressed) while memory is short */
    LARDER_FORM_READY, /* read in place */
    LARDER_FORM_PACKED /* see pack/pack.h */
} larder_form;

typedef struct larder_settings {
    bool enabled;
    /* the SAPI does not separate sites, so larder.scope does, for each request */
    bool shared_sapi;
    bool endless; /* this process is a command, whose request may last as long as the process */
    bool collect; /* holds/collect.c may release values before their request ends */
    uint64_t size[LARDER_KINDS]; /* size of the store in bytes; 0: the store is off */
    uint64_t entries_hint;
    /* resident graphs (fetch/resident.h) of a thread take at most this many bytes; 0: off */
    uint64_t resident_size;
    bool statics; /* the attributes that keep static properties are on */
    /* nanoseconds between two writes of a static property to its store */
    uint64_t statics_interval;
    larder_form form;
    uint32_t compat; /* the requested layers for other caches; see compat/compat.c */
    /* number of FPM pools that get stores; 0: a bad value */
    uint32_t pools;
    char reason[LARDER_REASON_MAX]; /* why a bad value has switched all stores off; "": none has */
    /* why a bad value has switched this store off; "": none has */
    char wrong[LARDER_KINDS][LARDER_REASON_MAX];
    /* why a bad value has switched off the stores of FPM pools; "": none has */
    char fpm_reason[LARDER_REASON_MAX];
    char sapi_reason[160]; /* why Larder is off under this SAPI; "": it is on */
    /* messages about bad values that leave all stores on */
    char lesser[LARDER_LESSER][LARDER_REASON_MAX];
    uint32_t lesser_count;
} larder_settings;
extern larder_settings larder_configured;
/* Functions of folders that use this one. They contribute to the settings, or run before the first
 * request of a process. This folder must not include headers of those folders, so larder.c fills
 * this table. */
typedef struct larder_above {
    bool (*sessions)(void); /* return true if this PHP has sessions */
    /* parse a list of layers for other caches; see compat/compat.h */
    bool (*layers)(const char *list, uint32_t *layers, char *unknown, size_t size);
    void (*configure)(larder_settings *settings); /* called after the settings were read */
    /* return true if preload() has work before the first request */
    bool (*preloads)(void);
    void (*preload)(void);                /* does the work for which preloads() returns true */
    void (*left)(const lrd_store *store); /* called when this request gives up a store */
    /* called when a command uses a store: its request may last as long as the process */
    void (*endless)(larder_kind kind, lrd_store *store);
    /* Store an unpacked value in its ready form, if its entry still has this version. Only for
     * values of strings and arrays. */
    void (*ready)(lrd_store *store, zend_string *key, uint64_t version, zval *value);
    /* erase pointers to values that are not needed, before the process is searched for such
     * pointers */
    void (*unused)(void);
} larder_above;
extern const larder_above larder_built_above;
/* Return the form with this name; LARDER_FORM_UNSET: there is none. */
larder_form larder_form_of(const char *name);
void larder_settings_register(int module_number) ZEND_COLD;
/* Read and check all settings. For a bad value, its feature is switched off, or the default
 * applies. At start-up a bad value is reported (E_CORE_WARNING). */
void larder_settings_read(void) ZEND_COLD;
/* Parse the value of a setting: digits and, if `suffix`, an optional K, M, G or T. Used for
 * settings that are checked when they are set. */
bool larder_setting_quantity(const char *text, bool suffix, uint64_t *out) ZEND_COLD;
/* Parse a whole number of at least `least`. */
bool larder_setting_number(const zend_string *value, zend_long least, zend_long *out) ZEND_COLD;
/* Refuse the value of a setting. A warning names the previous value, which still applies. Returns
 * FAILURE. */
zend_result larder_setting_refuse(const zend_ini_entry *entry, const zend_string *value,
                                  const char *wanted, int stage);
/* Raise the warnings that were put off during start-up. All settings must be registered. */
void larder_settings_say_refusals(void) ZEND_COLD;
ZEND_INI_MH(larder_setting_switch); /* 0 or 1 */
ZEND_INI_MH(larder_setting_bytes);  /* a quantity above 0 */
extern bool larder_host_opted_in;   /* see larder_api.h */
/* Return the file of a named store; "": the store is anonymous. scope: NULL means larder.scope.
 * Returns false, and a reason, if a setting is bad. */
bool larder_settings_path(larder_kind kind, const char *scope, char *path, size_t size,
                          char *reason, size_t reason_size) ZEND_COLD;
bool larder_settings_scope_good(const char *scope);
/* Return the file that a named store with this folder and scope has. The settings larder.path and
 * larder.scope are not used. */
bool larder_settings_path_of(const char *folder, const char *scope, larder_kind kind, char *path,
                             size_t size, char *reason, size_t reason_size);

#endif
