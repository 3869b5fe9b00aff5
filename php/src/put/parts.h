/* parts.h - makes the data about a class. The data is made once, and then copied into each block
 * that contains objects of the class. */
#ifndef LARDER_PUT_PARTS_H
#define LARDER_PUT_PARTS_H

#include "php_larder.h"
#include "format/format.h"

/* If a class has at most this number of slots (declared properties), its list of properties is made
 * once. Otherwise a list is made for each object. */
#define LARDER_PARTS_SLOTS 64u
/* maximum size of a list in bytes */
#define LARDER_PARTS_LIST_MAX                                                                      \
    (sizeof(HashTable) + LARDER_PARTS_SLOTS * (2 * sizeof(uint32_t) + sizeof(Bucket)))

/* The data about a class that blocks contain. It is made once per class and request, in memory of
 * the request. */
typedef struct larder_parts {
    /* An array of the property names of a bare class (with __unserialize() but no __serialize()),
     * without values. In a block, each object of the class is stored as a copy of this array with
     * the object's values. NULL for other classes, and if there are too many properties. In memory,
     * the hash part and the elements come directly after the HashTable. */
    HashTable *list;
    size_t list_size; /* size of `list` in bytes, including the hash part and the elements */
    /* offset in `strings` of the property names, which are stored one after another */
    size_t keys_at;
    size_t size; /* bytes of `strings` */
    /* the name of the class, the name in lower case, and the property names, as a block contains
     * them */
    _Alignas(8) char strings[];
} larder_parts;

/* Make the data about a class. `bare` is true if the class has __unserialize() but no
 * __serialize(). Returns NULL if there is no memory. */
LARDER_HOT larder_parts *larder_parts_make(const zend_class_entry *ce, bool bare);
/* Write the name of a class, and behind it the name in lower case, to `build`. */
LARDER_HOT void larder_parts_names(const zend_string *name, char *build);

#endif
