/* table.h - the table of stores: the facts about each before it is opened. A new kind of store
 * is a number in larder_kind, a row here and, where it has a size of its own, a directive in
 * settings.c. */
#ifndef LARDER_STORES_TABLE_H
#define LARDER_STORES_TABLE_H

#include "php_larder.h"

typedef struct larder_store_row {
    /* its name, such as "volatile", in messages and at the end of a named store's file */
    const char *name;
    const char *title;     /* the title of its section of phpinfo() */
    const char *size_name; /* the directive that sets its size */
    const char *size_zero; /* the text for a store that this directive switches off */
    lrd_policy policy;
    const char *value_abi; /* the value ABI; NULL: that of PHP's values */
    /* it has values of programs: it is shown even if it is off, and its graphs may be resident */
    bool caches;
    /* it belongs to a layer: it exists only if larder.compat names the layer */
    bool of_layer;
    bool layer_sizes; /* size_name is a directive of the layer, which reads it */
    bool of_sessions; /* it exists only if PHP has sessions */
} larder_store_row;

extern const larder_store_row larder_store_table[LARDER_KINDS];

#endif
