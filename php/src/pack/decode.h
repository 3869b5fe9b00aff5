/* decode.h - reads the bytes of a packed value. The bytes may be damaged or forged, so no function
 * may access memory beyond them. */
#ifndef LARDER_PACK_DECODE_H
#define LARDER_PACK_DECODE_H

#include "pack/list.h"
#include "pack/literals.h"
#include "pack/pack.h"

typedef struct decode_work {
    const uint8_t *at, *end;
    uint32_t depth;
    uint32_t key_tries; /* of larder_literal() */
    /* owned by the restored value */
    decode_list strings;
    /* for each list of keys, the first array with these keys; owned by the restored value */
    decode_list shapes;
    decode_list shared; /* arrays that may occur again; owned by the restored value */
} decode_work;

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

/* Read a number of items. Each item takes at least one byte. So a number that is larger than the
 * number of remaining bytes is refused. */
static zend_always_inline bool decode_count(decode_work *work, uint32_t *count)
{
    uint64_t number;
    if (!decode_number(work, &number) || number > decode_left(work) || number > HT_MAX_SIZE / 2)
        return false;
    *count = (uint32_t)number;
    return true;
}

/* Read a number of 1, 2, 4, 5 or 8 bytes. Reading 4 bytes and 1 is faster than copying 5. */
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

/* Read an int after its first byte, `kind`. Returns false if the bytes are damaged. */
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

/* Copy 2 to 63 bytes in overlapping parts: faster than a memcpy() of variable length. */
static zend_always_inline void decode_copy_short(char *to, const char *from, size_t length)
{
    if (length < 4) {
        memcpy(to, from, 2);
        memcpy(to + length - 2, from + length - 2, 2);
    } else if (length < 8) {
        memcpy(to, from, 4);
        memcpy(to + length - 4, from + length - 4, 4);
    } else if (length <= 16) {
        memcpy(to, from, 8);
        memcpy(to + length - 8, from + length - 8, 8);
    } else {
        memcpy(to, from, 16);
        if (length > 32) {
            memcpy(to + 16, from + 16, 16);
            memcpy(to + length - 32, from + length - 32, 16);
        }
        memcpy(to + length - 16, from + length - 16, 16);
    }
}

/* Read a string of `length` bytes, from 2 to 63, and give it an index. The caller must have checked
 * that these bytes are left. */
static zend_always_inline zend_string *decode_short(decode_work *work, decode_list *strings,
                                                    size_t length)
{
    zend_string *string = zend_string_alloc(length, 0);
    decode_copy_short(ZSTR_VAL(string), (const char *)work->at, length);
    ZSTR_VAL(string)[length] = '\0';
    work->at += length;
    list_add(strings, string);
    return string;
}

/* Return true if `kind` begins a complete string of 2 to 63 bytes, and set *length. */
static zend_always_inline bool decode_is_short(const decode_work *work, uint8_t kind,
                                               size_t *length)
{
    *length = kind - (size_t)LARDER_PACK_SHORT;
    return EXPECTED(kind >= LARDER_PACK_SHORT + 2) && EXPECTED(kind < LARDER_PACK_SAME_LOW) &&
           EXPECTED(*length <= decode_left(work));
}

/* Read a short key with its hash, and give it an index. `work->key_tries` must not be 0. */
static zend_always_inline zend_string *decode_literal(decode_work *work, decode_list *strings,
                                                      size_t length)
{
    zend_string *key = larder_literal((const char *)work->at, length, &work->key_tries);
    work->at += length;
    list_add(strings, key);
    return key;
}

static const char decode_digits[] = "0001020304050607080910111213141516171819"
                                    "2021222324252627282930313233343536373839"
                                    "4041424344454647484950515253545556575859"
                                    "6061626364656667686970717273747576777879"
                                    "8081828384858687888990919293949596979899";

static zend_always_inline void decode_two_digits(char *text, uint32_t number)
{
    memcpy(text, decode_digits + 2 * (size_t)number, 2);
}

/* Write the time `number` as the text YYYY-MM-DD HH:MM:SS. All divisors are constants, so the
 * compiler emits multiplications instead of slow divisions. */
static zend_always_inline void decode_time(uint64_t number, char *text)
{
    uint32_t days = (uint32_t)(number / 86400);
    uint32_t second = (uint32_t)(number - (uint64_t)days * 86400), minute = second / 60;
    uint32_t month = days / 32, year = month / 13 % 10000, hour = minute / 60;
    decode_two_digits(text, year / 100);
    decode_two_digits(text + 2, year % 100);
    text[4] = '-';
    decode_two_digits(text + 5, month % 13);
    text[7] = '-';
    decode_two_digits(text + 8, days % 32);
    text[10] = ' ';
    decode_two_digits(text + 11, hour);
    text[13] = ':';
    decode_two_digits(text + 14, minute - hour * 60);
    text[16] = ':';
    decode_two_digits(text + 17, second - minute * 60);
}

#define DECODE_DECIMAL 20u /* length in bytes of the longest decimal number */
/* Write a number in decimal digits at the end of `text`. Return the address of the first digit. */
static inline char *decode_decimal(uint64_t number, char text[DECODE_DECIMAL])
{
    char *at = text + DECODE_DECIMAL;
    for (; number >= 100; number /= 100)
        decode_two_digits(at -= 2, (uint32_t)(number % 100));
    if (number < 10)
        *--at = (char)('0' + number);
    else
        decode_two_digits(at -= 2, (uint32_t)number);
    return at;
}

/* ---- decode.c ---- */
/* Return the decompressed bytes, which are valid until this thread unpacks another value. Returns
 * NULL if the packed bytes are damaged, or if there is no memory. */
const uint8_t *larder_unpacked(const lrd_packed *packed);

#endif
