/* settings.h - the values of the INI settings. */
#ifndef LARDER_STORES_SETTINGS_H
#define LARDER_STORES_SETTINGS_H

#include "php_larder.h"

#define LARDER_REASON_MAX 256
#define LARDER_SCOPE_MAX 64 /* the maximum length of a scope in bytes */
#define LARDER_FPM_MAX 1024 /* the maximum number of FPM pools that have their own stores */
/* the maximum number of warnings in `lesser` */
#define LARDER_LESSER 8

/* The form in which values are stored: from larder.form, or from $form of a call. */
typedef enum larder_form {
    LARDER_FORM_UNSET, /* larder.form decides */
    LARDER_FORM_AUTO,  /* ready, or packed (compressed) while memory is short */
    LARDER_FORM_READY, /* stored so that PHP reads it in place */
    LARDER_FORM_PACKED /* compressed; see pack/pack.h */
} larder_form;

typedef struct larder_settings {
    bool enabled;
    /* true if the SAPI does not separate sites, so larder.scope is read for each request */
    bool shared_sapi;
    /* true if this process is a command; its only request may run for hours */
    bool endless;
    bool collect; /* true if holds/collect.c may release values before their request ends */
    uint64_t size[LARDER_KINDS]; /* size of each store in bytes; 0 switches a store off */
    uint64_t entries_hint;
    /* The maximum size in bytes of a thread's resident graphs (fetch/resident.h), or 0. */
    uint64_t resident_size;
    bool statics; /* true if the attributes for static properties and variables are on */
    /* minimum time (ns) between two writes of a volatile static to its store */
    uint64_t statics_interval;
    larder_form form;
    /* one bit for each layer (the API of another cache) that larder.compat lists; see
     * compat/compat.c */
    uint32_t compat;
    /* number of FPM pools that get stores, or 0 if the setting has a bad value */
    uint32_t pools;
    /* the error about the setting that has switched all stores off, or "" */
    char reason[LARDER_REASON_MAX];
    /* for each store, the error about the setting that has switched it off, or "" */
    char wrong[LARDER_KINDS][LARDER_REASON_MAX];
    /* the error about the setting that has switched off the stores of FPM pools, or "" */
    char fpm_reason[LARDER_REASON_MAX];
    char sapi_reason[160]; /* the reason if Larder is off under this SAPI, or "" */
    /* warnings about settings that are bad, but switch no store off */
    char lesser[LARDER_LESSER][LARDER_REASON_MAX];
    uint32_t lesser_count;
} larder_settings;
extern larder_settings larder_configured;
/* Functions of other folders. Code in stores/ calls them through this table, because it does not
 * include headers of those folders. larder.c fills the table. */
typedef struct larder_above {
    bool (*sessions)(void); /* return true if this PHP has sessions */
    /* parse a list of layers for other caches; see compat/compat.h */
    bool (*layers)(const char *list, uint32_t *layers, char *unknown, size_t size);
    void (*configure)(larder_settings *settings); /* called after the settings were read */
    /* return true if preload() must be called before the first request */
    bool (*preloads)(void);
    /* do the layers' work before the first request; called if preloads() has returned true */
    void (*preload)(void);
    void (*left)(const lrd_store *store); /* called when this request gives up a store */
    /* Called when a command begins to use a store, to limit the values that the command may
     * hold. */
    void (*endless)(larder_kind kind, lrd_store *store);
    /* Called when a packed value was unpacked. If `value` is a string or an array, and the entry
     * still has this version, stores `value` in the entry. */
    void (*ready)(lrd_store *store, zend_string *key, uint64_t version, zval *value);
    /* Erase old addresses of values from unused memory, where a search would count them as uses. */
    void (*unused)(void);
} larder_above;
extern const larder_above larder_built_above;
/* Return the form with this name, or LARDER_FORM_UNSET. */
larder_form larder_form_of(const char *name);
void larder_settings_register(int module_number) ZEND_COLD;
/* Read and check all settings. A bad value switches its store or feature off, or is replaced by the
 * default, and warns at start-up (E_CORE_WARNING). */
void larder_settings_read(void) ZEND_COLD;
/* Parse digits and, if `suffix` is true, an optional K, M, G or T. Returns false if the text is
 * bad, or the number is 2^63 or more. */
bool larder_setting_quantity(const char *text, bool suffix, uint64_t *out) ZEND_COLD;
/* Parse a whole number of at least `least`. */
bool larder_setting_number(const zend_string *value, zend_long least, zend_long *out) ZEND_COLD;
/* Refuse the value of a setting, and return FAILURE. A warning names the previous value, which
 * remains. */
zend_result larder_setting_refuse(const zend_ini_entry *entry, const zend_string *value,
                                  const char *wanted, int stage);
/* Raise the warnings that larder_setting_refuse() has put off. Call this when all settings are
 * registered. */
void larder_settings_say_refusals(void) ZEND_COLD;
ZEND_INI_MH(larder_setting_switch); /* 0 or 1 */
ZEND_INI_MH(larder_setting_bytes);  /* a quantity above 0 */
extern bool larder_host_opted_in;   /* see larder_api.h */
/* Write the path of a named store's file, or "" for an anonymous store. `scope` NULL means
 * larder.scope. Returns false, and a reason, if a setting is bad. */
bool larder_settings_path(larder_kind kind, const char *scope, char *path, size_t size,
                          char *reason, size_t reason_size) ZEND_COLD;
bool larder_settings_scope_good(const char *scope);
/* Write the path of a named store's file in this folder and scope. */
bool larder_settings_path_of(const char *folder, const char *scope, larder_kind kind, char *path,
                             size_t size, char *reason, size_t reason_size);

#endif
