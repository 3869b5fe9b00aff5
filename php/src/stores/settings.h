/* settings.h - the values of the INI directives. */
#ifndef LARDER_STORES_SETTINGS_H
#define LARDER_STORES_SETTINGS_H

#include "php_larder.h"

#define LARDER_REASON_MAX 256
#define LARDER_SCOPE_MAX 64 /* the longest scope, in bytes */
#define LARDER_FPM_MAX 1024 /* the most pools of one FPM master that get stores */
/* the most kept texts about bad values; these are values that switch off no store */
#define LARDER_LESSER 8

/* The form in which values are stored: larder.form, or $form of a call. */
typedef enum larder_form {
    LARDER_FORM_UNSET, /* the form that larder.form selects, for a call or a pool */
    LARDER_FORM_AUTO,  /* ready, but packed while memory is short */
    LARDER_FORM_READY, /* read in place */
    LARDER_FORM_PACKED /* see pack/pack.h */
} larder_form;

typedef struct larder_settings {
    bool enabled;
    /* the SAPI does not separate sites, so larder.scope does, for each request */
    bool shared_sapi;
    bool endless; /* this is a command, whose request may last as long as the process */
    uint64_t size[LARDER_KINDS]; /* size of the store in bytes; 0: the store is off */
    uint64_t entries_hint;
    /* bytes of a thread's private memory for resident graphs; 0: off */
    uint64_t resident_size;
    bool statics;              /* the attributes of static properties work */
    uint64_t statics_interval; /* nanoseconds between two publications of a static */
    larder_form form;
    uint32_t compat; /* the requested layers; see compat/compat.c */
    /* number of FPM pools that get stores; 0: the value was bad */
    uint32_t pools;
    char reason[LARDER_REASON_MAX]; /* reason why a bad value switched all stores off; "": none did
                                     */
    /* reason why a bad value switched that store off; "": none did */
    char wrong[LARDER_KINDS][LARDER_REASON_MAX];
    /* reason why a bad value switched off the stores of FPM's pools; "": none did */
    char fpm_reason[LARDER_REASON_MAX];
    char sapi_reason[160]; /* reason why Larder is off under this SAPI; "": it is not */
    /* texts about bad values that switched off no store, and their consequences */
    char lesser[LARDER_LESSER][LARDER_REASON_MAX];
    uint32_t lesser_count;
} larder_settings;
extern larder_settings larder_configured;
/* Functions of the folders built on this one, which contribute to the settings, and run before a
 * process's first request. This folder knows none of them: larder.c fills the table. */
typedef struct larder_above {
    bool (*sessions)(void); /* returns true if this PHP has sessions */
    /* parses a list of layers; see compat/compat.h */
    bool (*layers)(const char *list, uint32_t *layers, char *unknown, size_t size);
    void (*configure)(larder_settings *settings); /* called after the settings were read */
    /* returns true if preload() has work before a first request */
    bool (*preloads)(void);
    void (*preload)(void);                /* does this work */
    void (*left)(const lrd_store *store); /* called when this request leaves a store */
    /* called when a store is used by a command, whose request may last as long as the process */
    void (*endless)(larder_kind kind, lrd_store *store);
    /* Store an unpacked value in its ready form, if its entry still has this version. The value
     * has only strings and arrays. */
    void (*ready)(lrd_store *store, zend_string *key, uint64_t version, zval *value);
    /* Erase unneeded pointers to values before the process is searched for them. */
    void (*unused)(void);
} larder_above;
extern const larder_above larder_built_above;
/* Return the form of that name; LARDER_FORM_UNSET: no form has it. */
larder_form larder_form_of(const char *name);
void larder_settings_register(int module_number) ZEND_COLD;
/* Read and check all directives. A bad value switches off the feature that it sets, or leaves the
 * default, and is reported (E_CORE_WARNING) at start-up. */
void larder_settings_read(void) ZEND_COLD;
/* Parse the value of a directive that is checked when it is set: digits, and a suffix of K, M, G or
 * T if `suffix` allows it. */
bool larder_setting_quantity(const char *text, bool suffix, uint64_t *out) ZEND_COLD;
/* Parse a whole number that is at least `least`. */
bool larder_setting_number(const zend_string *value, zend_long least, zend_long *out) ZEND_COLD;
/* Refuse a value of such a directive with a warning that names the valid value, which is the
 * previous one. Returns FAILURE. */
zend_result larder_setting_refuse(const zend_ini_entry *entry, const zend_string *value,
                                  const char *wanted, int stage);
/* Raise the postponed warnings at start-up, once all directives are registered. */
void larder_settings_say_refusals(void) ZEND_COLD;
ZEND_INI_MH(larder_setting_switch); /* 0 or 1 */
ZEND_INI_MH(larder_setting_bytes);  /* a quantity above 0 */
extern bool larder_host_opted_in;   /* see larder_api.h */
/* Get the file of a named store, or "" for an anonymous one. scope NULL means the configured
 * one. Returns false, and a reason, if the setting is bad. */
bool larder_settings_path(larder_kind kind, const char *scope, char *path, size_t size,
                          char *reason, size_t reason_size) ZEND_COLD;
bool larder_settings_scope_good(const char *scope);
/* Return the path for a folder and a scope that do not come from the settings. */
bool larder_settings_path_of(const char *folder, const char *scope, larder_kind kind, char *path,
                             size_t size, char *reason, size_t reason_size);

#endif
