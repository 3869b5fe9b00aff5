/* parts.c - makes the data about a class that a block stores beside objects of this class. Begin
 * reading at larder_parts_make(). */
#include "put/parts.h"
#include "put/string.h"
#include "request/memory.h"

/* Must not allocate, because it may run while a block is written. */
void larder_parts_names(const zend_string *name, char *build)
{
    zend_string *built = (zend_string *)(void *)build;
    zend_string *lower = (zend_string *)(void *)(build + LARDER_STRING_SIZE(ZSTR_LEN(name)));
    larder_fill_string(name, built, NULL, 0);
    larder_fill_string(name, lower, NULL, 0);
    zend_str_tolower(ZSTR_VAL(lower), ZSTR_LEN(lower));
    /* compute the hashes now, because readers cannot write them into the block later */
    ZSTR_H(built) = zend_hash_func(ZSTR_VAL(built), ZSTR_LEN(built));
    ZSTR_H(lower) = zend_hash_func(ZSTR_VAL(lower), ZSTR_LEN(lower));
}

/* Return the size in bytes of the property names in a block. Returns 0 if the class gets no list of
 * properties. */
static size_t parts_keys(const zend_class_entry *ce)
{
    size_t size = 0;
    if ((uint32_t)ce->default_properties_count > LARDER_PARTS_SLOTS)
        return 0;
    for (int slot = 0; slot < ce->default_properties_count; slot++) {
        const zend_property_info *info = ce->properties_info_table[slot];
        if (info == NULL)
            return 0;
        size += LARDER_STRING_SIZE(ZSTR_LEN(info->name));
    }
    return size;
}

static size_t parts_list_size(uint32_t slots)
{
    return sizeof(HashTable) + HT_HASH_SIZE(HT_SIZE_TO_MASK(larder_table_size(slots))) +
           slots * sizeof(Bucket);
}

static void parts_list(larder_parts *parts, const zend_class_entry *ce)
{
    uint32_t slots = (uint32_t)ce->default_properties_count, size = larder_table_size(slots);
    uint32_t mask = HT_SIZE_TO_MASK(size);
    uint32_t *hash = (uint32_t *)(void *)(parts->list + 1);
    Bucket *bucket = (Bucket *)(void *)((char *)hash + HT_HASH_SIZE(mask));
    char *string = parts->strings + parts->keys_at;
    *parts->list = (HashTable){.nTableMask = mask,
                               .nTableSize = size,
                               .nNumUsed = slots,
                               .nNumOfElements = slots,
                               .arData = bucket};
    larder_hash_clear(hash, mask);
    for (uint32_t i = 0; i < slots; i++) {
        zend_string *name = ce->properties_info_table[i]->name;
        bucket[i].key = name;
        bucket[i].h = zend_string_hash_val(name);
        larder_hash_chain(bucket, mask, i);
        larder_fill_string(name, string, NULL, 0);
        string += LARDER_STRING_SIZE(ZSTR_LEN(name));
    }
}

larder_parts *larder_parts_make(const zend_class_entry *ce, bool bare)
{
    size_t names = 2 * LARDER_STRING_SIZE(ZSTR_LEN(ce->name)), keys = bare ? parts_keys(ce) : 0;
    size_t list = keys != 0 ? parts_list_size((uint32_t)ce->default_properties_count) : 0;
    larder_parts *parts = larder_request_alloc(sizeof *parts + names + keys + list);
    if (parts == NULL)
        return NULL;
    parts->keys_at = names;
    parts->size = names + keys;
    larder_parts_names(ce->name, parts->strings);
    if (keys != 0) {
        parts->list = (HashTable *)(void *)(parts->strings + parts->size);
        parts->list_size = list;
        parts_list(parts, ce);
    }
    return parts;
}
