/* parts.h - the data about a class that a block stores beside objects of this class. */
#ifndef LARDER_PUT_PARTS_H
#define LARDER_PUT_PARTS_H

#include "php_larder.h"
#include "format/format.h"

/* If a class has more slots than this, a plan makes a new array for each object. */
#define LARDER_PARTS_SLOTS 64u
/* maximum value of larder_parts.list_size */
#define LARDER_PARTS_LIST_MAX                                                                      \
    (sizeof(HashTable) + LARDER_PARTS_SLOTS * (2 * sizeof(uint32_t) + sizeof(Bucket)))

/* Data about a class, in memory of the request. */
typedef struct larder_parts {
    /* For a class with __unserialize() but no __serialize(): an array with the names of the
     * properties and without values, which is copied for each object. Its hash part and elements
     * follow it in memory. NULL for other classes, and if there are too many properties. */
    HashTable *list;
    size_t list_size; /* bytes of `list`, including the hash part and the elements */
    /* the property names begin at this offset in `strings`, one after another */
    size_t keys_at;
    size_t size; /* bytes of `strings` */
    /* the name, the name in lower case, and the property names, as they are in a block */
    _Alignas(8) char strings[];
} larder_parts;

/* Make the data about a class. `bare` is true if the class has __unserialize() but no
 * __serialize(). Returns NULL if there is no memory. */
LARDER_HOT larder_parts *larder_parts_make(const zend_class_entry *ce, bool bare);
/* Write the name of a class, and behind it the name in lower case. */
LARDER_HOT void larder_parts_names(const zend_string *name, char *build);

#endif
