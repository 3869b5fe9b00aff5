/* table.h - facts about each kind of store that are known before the store is opened. A new kind
 * needs a number in larder_kind and a row in table.c. If the kind has a size of its own in php.ini,
 * it also needs a setting in settings.c. */
#ifndef LARDER_STORES_TABLE_H
#define LARDER_STORES_TABLE_H

#include "php_larder.h"

typedef struct larder_store_row {
    /* the name in messages, such as "volatile"; also the end of the file name of a named store */
    const char *name;
    const char *title;     /* the title of the store's section in phpinfo() */
    const char *size_name; /* the INI setting of the store's size */
    const char *size_zero; /* the reason to give if the store is off because its size is 0 */
    lrd_policy policy;
    const char *value_abi; /* the value ABI of the store; NULL means the ABI of PHP's values */
    /* true for a cache of Larder's own API, which phpinfo() shows even if it is off */
    bool caches;
    /* true if the store belongs to a layer, and exists only if larder.compat names the layer */
    bool of_layer;
    bool layer_sizes; /* true if the layer reads the setting size_name itself */
    bool of_sessions; /* true if the store exists only in a PHP with sessions */
} larder_store_row;

extern const larder_store_row larder_store_table[LARDER_KINDS];

#endif
