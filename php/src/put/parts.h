/* parts.h - the data about a class that is part of each block with objects of this class. It is
 * made once, and then copied into the blocks. */
#ifndef LARDER_PUT_PARTS_H
#define LARDER_PUT_PARTS_H

#include "php_larder.h"
#include "format/format.h"

/* If a class has at most this many slots (declared properties), its list of properties is made
 * once. For other classes, a list is made for each object. */
#define LARDER_PARTS_SLOTS 64u
/* the largest size of a list, in bytes */
#define LARDER_PARTS_LIST_MAX                                                                      \
    (sizeof(HashTable) + LARDER_PARTS_SLOTS * (2 * sizeof(uint32_t) + sizeof(Bucket)))

/* The data about a class that blocks contain. It is made once per class and request, in the
 * request's memory. */
typedef struct larder_parts {
    /* The properties of a bare class, as an array without their values. Its hash part and elements
     * follow it in memory. Each copy gets its own arData. NULL: the class is not bare, or has too
     * many properties. (An object of a bare class is stored as such an array, because the class has
     * only __unserialize().) */
    HashTable *list;
    size_t list_size; /* size of `list` in bytes, with its hash part and elements */
    size_t keys_at;   /* offset in `strings` of the property names, which follow one another */
    size_t size;      /* bytes of `strings` */
    /* the name of the class, the name in lower case, and the property names, in the form that they
     * have in a block */
    _Alignas(8) char strings[];
} larder_parts;

/* Make the data about a class. bare: it has __unserialize() but no __serialize(). NULL: no
 * memory. */
LARDER_HOT larder_parts *larder_parts_make(const zend_class_entry *ce, bool bare);
/* Write the name of a class, and behind it the name in lower case. */
LARDER_HOT void larder_parts_names(const zend_string *name, char *build);

#endif
