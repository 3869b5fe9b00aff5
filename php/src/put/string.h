/* string.h - writes a string into a block. */
#ifndef LARDER_PUT_STRING_H
#define LARDER_PUT_STRING_H

#include "php_larder.h"
#include "format/format.h"

/* above this number of bytes, lrd_copy() is used, which may bypass processor caches */
#define BUILD_LARGE 4096

/* Copy `size` bytes (at least 1). Up to 32 bytes are copied by overlapping copies of a fixed size,
 * which are faster than memcpy(). */
static zend_always_inline void build_bytes(char *to, const char *from, size_t size)
{
    if (UNEXPECTED(size > BUILD_LARGE)) {
        lrd_copy(to, from, size);
    } else if (size > 32) {
        memcpy(to, from, size);
    } else if (size >= 16) {
        uint64_t words[4];
        memcpy(words, from, 16);
        memcpy(words + 2, from + size - 16, 16);
        memcpy(to, words, 16);
        memcpy(to + size - 16, words + 2, 16);
    } else if (size >= 8) {
        uint64_t words[2];
        memcpy(words, from, 8);
        memcpy(words + 1, from + size - 8, 8);
        memcpy(to, words, 8);
        memcpy(to + size - 8, words + 1, 8);
    } else if (size >= 4) {
        uint32_t words[2];
        memcpy(words, from, 4);
        memcpy(words + 1, from + size - 4, 4);
        memcpy(to, words, 4);
        memcpy(to + size - 4, words + 1, 4);
    } else {
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
}

static zend_always_inline void larder_build_string(const zend_string *source, char *build)
{
    zend_string *string = (zend_string *)(void *)build;
    /* The string must not be permanent: PCRE's cache would keep a pointer to a permanent string
     * after the request, when the block may be freed. */
    uint32_t flags = IS_STR_INTERNED | (GC_FLAGS(source) & IS_STR_VALID_UTF8);
    GC_SET_REFCOUNT(string, 2);
    GC_TYPE_INFO(string) = GC_STRING | (flags << GC_FLAGS_SHIFT);
    ZSTR_H(string) = ZSTR_H(source);
    ZSTR_LEN(string) = ZSTR_LEN(source);
    build_bytes(ZSTR_VAL(string), ZSTR_VAL(source), ZSTR_LEN(source) + 1);
}

/* Write a string whose hash is known into its block. Must not allocate: lrd_put_fill() may hold a
 * lock. */
LARDER_HOT void larder_fill_string(const void *source, void *build, const void *data, size_t size);

#endif
