/* decode.h - reads the bytes of a packed value: numbers, and items that have numbers. Used by
 * decode.c, which builds a value of the request, and by unfold.c, which builds a block. All lengths
 * are checked: changed or made-up bytes reach no other memory. */
#ifndef LARDER_PACK_DECODE_H
#define LARDER_PACK_DECODE_H

#include "pack/pack.h"

/* A list of numbered items. The first ones lie in memory of the stack. */
#define DECODE_FIRST 64u
typedef struct decode_list {
    void **at;
    uint32_t used, room;
    void *first[DECODE_FIRST];
} decode_list;

typedef struct decode_work {
    const uint8_t *at, *end;
    uint32_t depth;
    /* the zend_strings; each lives as long as the value that contains it */
    decode_list strings;
    /* zend_arrays: the first one for each list of keys; each lives as long as the value that
     * contains it */
    decode_list shapes;
    decode_list shared; /* zend_array; the same */
} decode_work;

static inline void list_begin(decode_list *list)
{
    list->at = list->first;
    list->used = 0;
    list->room = DECODE_FIRST;
}

static zend_never_inline ZEND_ATTRIBUTE_UNUSED void list_grow(decode_list *list)
{
    void **at = safe_emalloc(list->room, 4 * sizeof *at, 0);
    memcpy(at, list->at, list->used * sizeof *at);
    if (list->at != list->first)
        efree(list->at);
    list->at = at;
    list->room *= 4;
}

static zend_always_inline void list_add(decode_list *list, void *thing)
{
    if (UNEXPECTED(list->used == list->room))
        list_grow(list);
    list->at[list->used++] = thing;
}

static inline void list_end(decode_list *list)
{
    if (list->at != list->first)
        efree(list->at);
}

/* ---- numbers ---- */

static zend_always_inline size_t decode_left(const decode_work *work)
{
    return (size_t)(work->end - work->at);
}

static zend_always_inline bool decode_number(decode_work *work, uint64_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; work->at < work->end && shift < 64; shift += 7) {
        uint8_t byte = *work->at++;
        value |= (uint64_t)(byte & 127u) << shift;
        if (EXPECTED(byte < 128)) {
            *number = value;
            return true;
        }
    }
    return false;
}

/* Read a number of items that take at least one byte each. */
static zend_always_inline bool decode_count(decode_work *work, uint32_t *count)
{
    uint64_t number;
    if (!decode_number(work, &number) || number > decode_left(work) || number > HT_MAX_SIZE / 2)
        return false;
    *count = (uint32_t)number;
    return true;
}

/* Read a number of 1, 2, 4, 5 or 8 bytes, a constant. The parts are put together in registers: a
 * load of eight bytes after stores of fewer waits for them. */
static zend_always_inline bool decode_fixed(decode_work *work, size_t bytes, uint64_t *number)
{
    const uint8_t *at = work->at;
    uint16_t two;
    uint32_t four;
    if (UNEXPECTED(decode_left(work) < bytes))
        return false;
    work->at += bytes;
    switch (bytes) {
    case 1:
        *number = *at;
        return true;
    case 2:
        memcpy(&two, at, sizeof two);
        *number = two;
        return true;
    case 4:
    case 5:
        memcpy(&four, at, sizeof four);
        *number = bytes == 4 ? four : four | (uint64_t)at[4] << 32;
        return true;
    default:
        memcpy(number, at, sizeof *number);
        return true;
    }
}

/* Read an int. Returns false if it is no int. */
static zend_always_inline bool decode_int(decode_work *work, uint8_t kind, zend_long *result)
{
    uint64_t number = 0;
    bool good;
    if (EXPECTED(kind < LARDER_PACK_NULL)) {
        *result = kind;
        return true;
    }
    switch (kind) {
    case LARDER_PACK_INT8:
        good = decode_fixed(work, 1, &number);
        number += 64;
        break;
    case LARDER_PACK_INT16:
        good = decode_fixed(work, 2, &number);
        break;
    case LARDER_PACK_INT32:
        good = decode_fixed(work, 4, &number);
        break;
    case LARDER_PACK_INT64:
        good = decode_fixed(work, 8, &number);
        break;
    case LARDER_PACK_MINUS8:
        good = decode_fixed(work, 1, &number);
        number = ~number;
        break;
    case LARDER_PACK_MINUS32:
        good = decode_fixed(work, 4, &number);
        number = ~number;
        break;
    default:
        return false;
    }
    *result = (zend_long)number;
    return good;
}

/* ---- strings ---- */

static zend_always_inline void decode_two_digits(char *text, uint32_t number)
{
    text[0] = (char)('0' + number / 10);
    text[1] = (char)('0' + number % 10);
}

/* Write the text of a LARDER_PACK_TIME: LARDER_PACK_TIME_LENGTH bytes. Each divisor is a constant,
 * so none of the steps is a division. */
static inline void decode_time(uint64_t number, char *text)
{
    uint32_t second = (uint32_t)(number % 60), minute = (uint32_t)(number / 60 % 60);
    uint32_t hour = (uint32_t)(number / 3600 % 24), days = (uint32_t)(number / 86400);
    uint32_t year = days / (32 * 13) % 10000;
    text[4] = text[7] = '-';
    text[10] = ' ';
    text[13] = text[16] = ':';
    decode_two_digits(text, year / 100);
    decode_two_digits(text + 2, year % 100);
    decode_two_digits(text + 5, days / 32 % 13);
    decode_two_digits(text + 8, days % 32);
    decode_two_digits(text + 11, hour);
    decode_two_digits(text + 14, minute);
    decode_two_digits(text + 17, second);
}

#define DECODE_DECIMAL 20u /* length of the longest text of a number */
/* Write the text of a LARDER_PACK_DECIMAL so that it ends where the buffer ends. Returns its first
 * byte. */
static inline char *decode_decimal(uint64_t number, char text[DECODE_DECIMAL])
{
    char *at = text + DECODE_DECIMAL;
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    return at;
}

/* ---- decode.c ---- */
/* Return the decompressed bytes of a packed value. Valid until this thread unpacks the next value.
 * NULL: they are damaged, or there is no memory. */
const uint8_t *larder_unpacked(const lrd_packed *packed);

#endif
