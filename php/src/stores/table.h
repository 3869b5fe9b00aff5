/* table.h - the table of stores: facts about each kind of store before it is opened. A new kind
 * needs a number in larder_kind and a row here. If it has its own size, it also needs a setting in
 * settings.c. */
#ifndef LARDER_STORES_TABLE_H
#define LARDER_STORES_TABLE_H

#include "php_larder.h"

typedef struct larder_store_row {
    /* name in messages, and at the end of a named store's file name, such as "volatile" */
    const char *name;
    const char *title;     /* title of its section in phpinfo() */
    const char *size_name; /* the INI setting of its size */
    const char *size_zero; /* why the store is off if this setting is 0 */
    lrd_policy policy;
    const char *value_abi; /* NULL: the value ABI of PHP's values */
    /* a cache of Larder's own API: phpinfo() shows it even if it is off */
    bool caches;
    /* it belongs to a layer for another cache, and exists only if larder.compat names the layer */
    bool of_layer;
    bool layer_sizes; /* size_name is a setting of the layer, which the layer itself reads */
    bool of_sessions; /* it exists only if PHP has sessions */
} larder_store_row;

extern const larder_store_row larder_store_table[LARDER_KINDS];

#endif
