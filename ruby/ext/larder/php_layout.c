/* php_layout.c - reads strings and flat arrays of PHP in place, in a store that PHP has made. All
 * other values are unreadable. The layouts are those of PHP 8.2 to 8.4 (php/src/format/format.h).
 * Pointers are followed only within the block. */
#include "larder_ruby.h"

#include <string.h>

/* zend_string */
typedef struct php_string {
    uint32_t references, type_info;
    uint64_t hash, len;
    char bytes[];
} php_string;
_Static_assert(sizeof(php_string) == 24, "as PHP has it");

/* A zval. Each Bucket begins with a zval. */
typedef struct php_value {
    union {
        int64_t number;
        double real;
        const php_string *string;
    } as;
    uint32_t type_info, extra;
} php_value;
_Static_assert(sizeof(php_value) == 16, "as PHP has it");

typedef struct php_bucket {
    php_value value;
    int64_t index; /* the int key, or the hash of the string key */
    const php_string *key;
} php_bucket;
_Static_assert(sizeof(php_bucket) == 32, "as PHP has it");

/* zend_array */
typedef struct php_array {
    uint32_t references, type_info, flags, table_mask;
    const void *elements;
    uint32_t used, count, table_size, internal;
    int64_t next_index;
    void *destructor;
} php_array;
_Static_assert(sizeof(php_array) == 56, "as PHP has it");

#define PHP_PACKED (1u << 2)
enum { PHP_UNDEF, PHP_NULL, PHP_FALSE, PHP_TRUE, PHP_LONG, PHP_DOUBLE, PHP_STRING };

/* Return the address of the `size` bytes that `pointer` refers to, or NULL if any of them lies
 * outside the block. A copy's pointers refer to the original at block->origin, but the result is an
 * address in the copy. */
static const void *php_at(const larder_block *block, const void *pointer, size_t size)
{
    uintptr_t at = (uintptr_t)pointer, begin = (uintptr_t)block->origin;
    if (at < begin || at - begin > block->size || block->size - (at - begin) < size || at % 8 != 0)
        return NULL;
    return block->data + (at - begin);
}

/* Return the string that a pointer refers to, or NULL if any part of it lies outside the block. */
static const php_string *php_string_at(const larder_block *block, const void *pointer)
{
    const php_string *string = php_at(block, pointer, sizeof *string);
    if (string == NULL || string->len > block->size - sizeof *string ||
        php_at(block, pointer, sizeof *string + string->len) == NULL)
        return NULL;
    return string;
}

static VALUE php_string_value(const larder_block *block, const void *pointer)
{
    const php_string *string = php_string_at(block, pointer);
    return string != NULL ? larder_php_bytes(string->bytes, string->len) : Qundef;
}

static VALUE php_simple_value(const larder_block *block, const php_value *value)
{
    switch (value->type_info & 0xff) {
    case PHP_NULL:
        return Qnil;
    case PHP_FALSE:
        return Qfalse;
    case PHP_TRUE:
        return Qtrue;
    case PHP_LONG:
        return LL2NUM(value->as.number);
    case PHP_DOUBLE:
        return DBL2NUM(value->as.real);
    case PHP_STRING:
        return php_string_value(block, value->as.string);
    default:
        return Qundef;
    }
}

static const php_value *php_element(const php_array *array, const void *elements, uint32_t i)
{
    return (array->flags & PHP_PACKED) ? (const php_value *)elements + i
                                       : &((const php_bucket *)elements)[i].value;
}

static bool php_is_undefined(const php_value *value)
{
    return (value->type_info & 0xff) == PHP_UNDEF;
}

/* Return true if the keys are 0, 1, 2 and so on. */
static bool php_is_list(const php_array *array, const void *elements)
{
    int64_t next = 0;
    for (uint32_t i = 0; i < array->used; i++) {
        const php_bucket *bucket = (const php_bucket *)elements + i;
        bool packed = array->flags & PHP_PACKED;
        if (php_is_undefined(php_element(array, elements, i))) {
            if (packed)
                return false;
            continue;
        }
        if (!packed && (bucket->key != NULL || bucket->index != next))
            return false;
        next++;
    }
    return true;
}

static VALUE php_key(const larder_block *block, const php_array *array, const void *elements,
                     uint32_t i)
{
    const php_bucket *bucket = (const php_bucket *)elements + i;
    if (array->flags & PHP_PACKED)
        return UINT2NUM(i);
    return bucket->key == NULL ? LL2NUM(bucket->index) : php_string_value(block, bucket->key);
}

static VALUE php_elements(const larder_block *block, const php_array *array, const void *elements)
{
    bool list = php_is_list(array, elements);
    VALUE result = list ? rb_ary_new() : rb_hash_new();
    for (uint32_t i = 0; i < array->used; i++) {
        const php_value *element = php_element(array, elements, i);
        if (php_is_undefined(element))
            continue;
        VALUE key = list ? Qnil : php_key(block, array, elements, i);
        VALUE value = key == Qundef ? Qundef : php_simple_value(block, element);
        if (value == Qundef)
            return Qundef;
        if (list)
            rb_ary_push(result, value);
        else
            rb_hash_aset(result, key, value);
    }
    return result;
}

bool larder_php_string_bytes(const larder_cache *cache, const char **data, size_t *size)
{
    larder_block block = {.data = *data, .size = *size, .origin = *data};
    const php_string *string = cache->php ? php_string_at(&block, *data) : NULL;
    if (string == NULL)
        return false;
    *data = string->bytes;
    *size = string->len;
    return true;
}

VALUE larder_php_string(const larder_cache *cache, const char *data, size_t size)
{
    return larder_php_string_bytes(cache, &data, &size) ? larder_php_bytes(data, size) : Qundef;
}

VALUE larder_php_array(const larder_cache *cache, const larder_block *block)
{
    const php_array *array = cache->php ? php_at(block, block->origin, sizeof *array) : NULL;
    if (array == NULL)
        return Qundef;
    size_t each = (array->flags & PHP_PACKED) ? sizeof(php_value) : sizeof(php_bucket);
    const void *elements = array->elements;
    if (array->used != 0) {
        elements = php_at(block, array->elements, (size_t)array->used * each);
        if (elements == NULL)
            return Qundef;
    }
    return php_elements(block, array, elements);
}
