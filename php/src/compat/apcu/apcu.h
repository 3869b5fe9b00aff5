/* apcu.h - declarations of the layer for APCu. Read apcu.c first. Messages have APCu's text,
 * because programs may compare it. */
#ifndef LARDER_COMPAT_APCU_H
#define LARDER_COMPAT_APCU_H

#include "compat/layer.h"
#include "put/compact.h"
#include "stores/settings.h"

#define APCU_API_VERSION "5.1.24"

/* ---- setup.c ---- */
extern zend_long apcu_start_time; /* time at which this server started, in seconds since 1970 */
extern larder_format apcu_format; /* the format of arrays and objects, set by apc.serializer */
void apcu_startup(int module_number);
void apcu_configure(larder_settings *settings);
void apcu_module_info(zend_module_entry *module);
/* Return why the cache is off. The text is valid until the next call that opens a store. */
const char *apcu_off_reason(void);
/* Return the store of this layer, or NULL if the cache is off. The first call in a process may load
 * the files in apc.preload_path. */
lrd_store *apcu_activate(void) ZEND_COLD;
static zend_always_inline lrd_store *apcu_use(void)
{
    lrd_store *store = LARDER_G(active)[LARDER_APCU];
    return EXPECTED(store != NULL) ? store : apcu_activate();
}

/* ---- apcu.c ---- */
bool apcu_remove(lrd_store *store, zend_string *key);

/* ---- info.c ---- */
/* Look up an entry without counting a use. The caller must release or take *value. Sets *left to
 * the remaining time to live in seconds. */
bool apcu_look(lrd_store *store, zend_string *key, lrd_value *value, zend_long *left);

/* ---- iterator.c ---- */
extern zend_class_entry *apcu_iterator_class;
void apcu_iterator_setup(void); /* call this after the class was registered */
/* Delete the entries that an APCUIterator selects. Returns false if an exception is set. */
bool apcu_iterator_delete(zend_object *object);

#endif
