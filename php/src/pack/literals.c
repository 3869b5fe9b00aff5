/* literals.c - see literals.h. A table of the literals found so far makes most look-ups cheaper: a
 * key in this table needs no search in PHP's table of interned strings. */
#include "pack/literals.h"
#include "request/memory.h"

#define LITERAL_CELLS 128u
struct larder_literals {
    zend_string *at[LITERAL_CELLS]; /* interned strings; NULL if the cell is empty */
};

/* Return the cell for a key of at least two bytes. */
static zend_always_inline zend_string **literal_cell(struct larder_literals *keys,
                                                     const char *bytes, size_t length)
{
    uint64_t first = 0, last = 0;
    if (EXPECTED(length >= 8)) {
        memcpy(&first, bytes, 8);
        memcpy(&last, bytes + length - 8, 8);
    } else if (length >= 4) {
        memcpy(&first, bytes, 4);
        memcpy(&last, bytes + length - 4, 4);
    } else {
        memcpy(&first, bytes, 2);
        memcpy(&last, bytes + length - 2, 2);
    }
    uint64_t mixed = (first * 0x9e3779b97f4a7c15u ^ last) + length;
    return keys->at + (mixed * 0x9e3779b97f4a7c15u >> 32) % LITERAL_CELLS;
}

zend_string *larder_literal(const char *bytes, size_t length, uint32_t *tries)
{
    struct larder_literals *keys = LARDER_G(known).literals;
    if (UNEXPECTED(keys == NULL)) {
        keys = LARDER_G(known).literals = larder_request_alloc(sizeof *keys);
        if (UNEXPECTED(keys == NULL)) {
            *tries = 0;
            return zend_string_init_existing_interned(bytes, length, false);
        }
    }
    zend_string **cell = literal_cell(keys, bytes, length), *key = *cell;
    if (EXPECTED(key != NULL) && EXPECTED(ZSTR_LEN(key) == length) &&
        EXPECTED(memcmp(ZSTR_VAL(key), bytes, length) == 0))
        return key;
    key = zend_string_init_existing_interned(bytes, length, false);
    if (ZSTR_IS_INTERNED(key))
        *cell = key;
    else
        --*tries;
    return key;
}
