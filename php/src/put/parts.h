/* parts.h - the parts of a class that are equal in each block with its objects. */
#ifndef LARDER_PUT_PARTS_H
#define LARDER_PUT_PARTS_H

#include "php_larder.h"
#include "format/format.h"

/* in slots; for a class with more of them, the list is made for each object */
#define LARDER_PARTS_SLOTS 64u
/* bytes of the largest list */
#define LARDER_PARTS_LIST_MAX                                                                      \
    (sizeof(HashTable) + LARDER_PARTS_SLOTS * (2 * sizeof(uint32_t) + sizeof(Bucket)))

/* The parts of a class. They are made once per class and request, in the request's memory. */
typedef struct larder_parts {
    /* Of a bare class: the array of its properties without their values. It is copied and given
     * arData, which follows it and its hash part. NULL: the class is not bare, or has too many
     * properties. */
    HashTable *list;
    size_t list_size; /* number of bytes, including the hash part and the buckets */
    size_t keys_at;   /* the offsets of its keys in `strings`, one after the other */
    size_t size;      /* bytes of strings */
    /* the strings as in a block: the name, the name in lower case, the keys */
    _Alignas(8) char strings[];
} larder_parts;

/* NULL: no memory. */
LARDER_HOT larder_parts *larder_parts_make(const zend_class_entry *ce, bool bare);
/* Write a name, and the name in lower case. */
LARDER_HOT void larder_parts_names(const zend_string *name, char *build);

#endif
