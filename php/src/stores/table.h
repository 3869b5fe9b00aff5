/* table.h - facts about each kind of store. A new kind needs a number in larder_kind, a row in
 * table.c and perhaps a size in settings.c. */
#ifndef LARDER_STORES_TABLE_H
#define LARDER_STORES_TABLE_H

#include "php_larder.h"

typedef struct larder_store_row {
    /* the name in messages and at the end of a file's name, such as "volatile" */
    const char *name;
    const char *title;     /* the title of the store's section in phpinfo() */
    const char *size_name; /* the INI setting of the store's size */
    const char *size_zero; /* text for the user: why the store is off if its size is 0 */
    lrd_policy policy;
    const char *value_abi; /* the value ABI of the store; NULL means the ABI of PHP's values */
    /* true for a cache of Larder's own API, which phpinfo() shows even when off */
    bool caches;
    /* true if the store is on only while larder.compat names its layer */
    bool of_layer;
    bool layer_sizes; /* true if the layer reads the setting size_name itself */
    bool of_sessions; /* true if the store exists only in a PHP with sessions */
} larder_store_row;

extern const larder_store_row larder_store_table[LARDER_KINDS];

#endif
