/* encode.c - writes the packed form of a value in one walk; see pack.h. Begin reading at
 * larder_pack().
 *
 * - Strings and arrays get indexes. If one occurs again, only its index is written.
 * - Tables map strings and arrays to indexes. They are not cleared between values. Instead, the
 *   indexes of a new value begin above those of all earlier values, and a table entry with a lower
 *   index counts as free. */
#include "pack/encode.h"
#include "php_larder.h"

#define ENCODE_FIRST 2048u /* initial size of the buffer, in bytes */
/* initial size of the tables of strings and arrays; a power of two */
#define ENCODE_NAMES 128u
/* maximum length in bytes of strings that are compared by content; longer ones by address */
#define ENCODE_CONTENT 64u
/* a flag in the index of an array that is still being written */
#define ENCODE_OPEN 0x80000000u

/* LARDER_PACK_QUICK always compresses an encoded value that is larger than the original size
 * divided by this number. */
#define ENCODE_ENOUGH 2u

#define ENCODE_SAMPLE 1024u /* number of bytes that encode_repeats() compresses */

/* If the strings of one key were new in this number of arrays in a row, encode_column() does not
 * look up this key's strings in the next ENCODE_NOVEL arrays. */
#define ENCODE_NOVEL 16u

/* ---- bytes ---- */

bool larder_encode_grow(encode_work *work, size_t bytes)
{
    size_t used = (size_t)(work->at - work->start), room = (size_t)(work->end - work->start);
    room = MAX(room * 2, used + bytes);
    uint8_t *start = realloc(work->start, room);
    if (start == NULL)
        return false;
    work->start = start;
    work->at = start + used;
    work->end = start + room;
    return true;
}

/* ---- scalars; the caller has made room in the buffer ---- */

static zend_always_inline void encode_int(encode_work *work, zend_long value)
{
    if (EXPECTED(value >= 0)) {
        if (value < 64)
            *work->at++ = (uint8_t)(LARDER_PACK_INT + value);
        else if (value < 64 + 256)
            encode_fixed(work, LARDER_PACK_INT8, (uint64_t)value - 64, 1);
        else if (value <= UINT16_MAX)
            encode_fixed(work, LARDER_PACK_INT16, (uint64_t)value, 2);
        else if (value <= UINT32_MAX)
            encode_fixed(work, LARDER_PACK_INT32, (uint64_t)value, 4);
        else
            encode_fixed(work, LARDER_PACK_INT64, (uint64_t)value, 8);
    } else if (~value < 256) {
        encode_fixed(work, LARDER_PACK_MINUS8, (uint64_t)~value, 1);
    } else if (~value <= UINT32_MAX) {
        encode_fixed(work, LARDER_PACK_MINUS32, (uint64_t)~value, 4);
    } else {
        encode_fixed(work, LARDER_PACK_INT64, (uint64_t)value, 8);
    }
}

static zend_always_inline void encode_double(encode_work *work, double value)
{
    uint64_t bits, back;
    if (value > -1e9 && value < 1e9) {
        double scaled = value * 100.0;
        int64_t hundredths = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
        double again = (double)hundredths / 100.0;
        memcpy(&bits, &value, sizeof bits);
        memcpy(&back, &again, sizeof back);
        if (bits == back) { /* not -0.0 */
            encode_counted(work, LARDER_PACK_HUNDREDTHS,
                           (uint64_t)hundredths << 1 ^ (uint64_t)(hundredths >> 63));
            return;
        }
    }
    memcpy(&bits, &value, sizeof bits);
    encode_fixed(work, LARDER_PACK_DOUBLE, bits, sizeof bits);
}

/* ---- names ---- */

/* Prepare a table for a new value. A new table gets `count` entries; returns false if there is no
 * memory for them. */
static bool names_begin(encode_names *names, uint32_t count)
{
    if (UNEXPECTED(names->at != NULL && names->base + names->used > ENCODE_OPEN / 2))
        larder_names_free(names);
    if (UNEXPECTED(names->at == NULL)) {
        names->at = calloc(count, sizeof *names->at);
        names->mask = count - 1;
        names->base = 1;
    } else {
        names->base += names->used;
    }
    names->used = names->filled = 0;
    return names->at != NULL;
}

static zend_always_inline bool names_is_free(const encode_names *names, const encode_name *name)
{
    return (name->index & ~ENCODE_OPEN) < names->base;
}

static zend_never_inline bool names_grow(encode_names *names)
{
    uint32_t count = (names->mask + 1) * 4;
    encode_name *at = calloc(count, sizeof *at);
    if (at == NULL)
        return false;
    for (uint32_t i = 0; i <= names->mask; i++) {
        if (names_is_free(names, names->at + i))
            continue;
        uint32_t place = names->at[i].hash & (count - 1);
        while (at[place].index != 0)
            place = (place + 1) & (count - 1);
        at[place] = names->at[i];
    }
    larder_names_free(names);
    names->at = at;
    names->mask = count - 1;
    return true;
}

static zend_always_inline uint64_t encode_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Return the hash of a non-empty string. The hash of a long string (more than ENCODE_CONTENT bytes)
 * depends on its address, all others on their content. */
static zend_always_inline uint32_t encode_hash(const zend_string *string)
{
    size_t length = ZSTR_LEN(string);
    const char *bytes = ZSTR_VAL(string);
    uint64_t hash = length, word = 0;
    if (length > ENCODE_CONTENT)
        return (uint32_t)(encode_mix(0, (uintptr_t)string) >> 16);
    for (; length > sizeof word; length -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = encode_mix(hash, word);
    }
    /* this may read 7 bytes after the string, because the size of a string's memory is a multiple
     * of 8 */
    memcpy(&word, bytes, sizeof word);
    if (length < sizeof word)
        word &= ((uint64_t)1 << length * 8) - 1;
    return (uint32_t)(encode_mix(hash, word) >> 16);
}

static zend_always_inline bool encode_same(const zend_string *a, const zend_string *b)
{
    return a == b || (ZSTR_LEN(a) == ZSTR_LEN(b) && ZSTR_LEN(a) <= ENCODE_CONTENT &&
                      memcmp(ZSTR_VAL(a), ZSTR_VAL(b), ZSTR_LEN(a)) == 0);
}

/* Fill a free entry of a table. Returns false if there is no memory. */
static zend_always_inline bool names_add(encode_names *names, encode_name *name, const void *thing,
                                         uint32_t hash, uint32_t flag)
{
    *name =
        (encode_name){.thing = thing, .hash = hash, .index = (names->base + names->used) | flag};
    names->used++;
    return EXPECTED(++names->filled * 2 <= names->mask) || names_grow(names);
}

/* Return the index of a string that was written before. If the string is new, give it the next
 * index, and return UINT32_MAX. Sets `work->failed` if there is no memory. */
static zend_always_inline uint32_t encode_known(encode_work *work, const zend_string *string)
{
    encode_names *names = work->strings;
    uint32_t hash = encode_hash(string), place = hash & names->mask;
    for (; !names_is_free(names, names->at + place); place = (place + 1) & names->mask)
        if (names->at[place].hash == hash && encode_same(names->at[place].thing, string))
            return names->at[place].index - names->base;
    if (!names_add(names, names->at + place, string, hash, 0))
        work->failed = true;
    return UINT32_MAX;
}

/* Return the entry of an array. If the array is new, adds an entry with ENCODE_OPEN, and returns
 * NULL. Sets `work->failed` if there is no memory. */
static encode_name *encode_known_array(encode_work *work, const HashTable *array)
{
    encode_names *names = work->arrays;
    uint32_t hash = (uint32_t)(encode_mix(0, (uintptr_t)array) >> 16), place = hash & names->mask;
    for (; !names_is_free(names, names->at + place); place = (place + 1) & names->mask)
        if (names->at[place].thing == array)
            return names->at + place;
    if (!names_add(names, names->at + place, array, hash, ENCODE_OPEN))
        work->failed = true;
    return NULL;
}

/* ---- strings ---- */

/* Parse `count` decimal digits. Returns UINT64_MAX if one of the characters is not a digit. */
static zend_always_inline uint64_t encode_digits(const char *from, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned digit = (unsigned char)from[i] - (unsigned)'0';
        if (digit > 9)
            return UINT64_MAX;
        number = number * 10 + digit;
    }
    return number;
}

/* Write a string of the form YYYY-MM-DD HH:MM:SS as a number. Returns false if the form differs. */
static zend_never_inline bool encode_time(encode_work *work, const char *at)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    for (size_t i = 0; i < LARDER_PACK_TIME_LENGTH; i++)
        if (form[i] != 'd' && at[i] != form[i])
            return false;
    uint64_t year = encode_digits(at, 4), month = encode_digits(at + 5, 2),
             day = encode_digits(at + 8, 2), hour = encode_digits(at + 11, 2),
             minute = encode_digits(at + 14, 2), second = encode_digits(at + 17, 2);
    if (year > 9999 || month > 12 || day > 31 || hour > 23 || minute > 59 || second > 59)
        return false;
    uint64_t days = (year * 13 + month) * 32 + day;
    encode_fixed(work, LARDER_PACK_TIME, ((days * 24 + hour) * 60 + minute) * 60 + second, 5);
    return true;
}

static zend_always_inline void encode_bytes(encode_work *work, const zend_string *string)
{
    size_t length = ZSTR_LEN(string);
    if (length < 64)
        *work->at++ = (uint8_t)(LARDER_PACK_SHORT + length);
    else
        encode_counted(work, LARDER_PACK_STRING, length);
    memcpy(work->at, ZSTR_VAL(string), length);
    work->at += length;
}

/* The caller has made room. */
static zend_always_inline void encode_new(encode_work *work, const zend_string *string)
{
    size_t length = ZSTR_LEN(string);
    const char *bytes = ZSTR_VAL(string);
    work->ready += LARDER_STRING_SIZE(length);
    if ((unsigned char)bytes[0] - (unsigned)'1' <= 8) {
        if (length == LARDER_PACK_TIME_LENGTH && encode_time(work, bytes))
            return;
        if (length > 2 && length <= LARDER_PACK_DECIMAL_MAX) {
            uint64_t decimal = encode_digits(bytes, length);
            if (decimal != UINT64_MAX) {
                encode_counted(work, LARDER_PACK_DECIMAL, decimal);
                return;
            }
        }
    }
    encode_bytes(work, string);
}

bool larder_encode_string(encode_work *work, const zend_string *string)
{
    size_t length = ZSTR_LEN(string);
    if (!encode_room(work, length + ENCODE_NUMBER_MAX + 1))
        return false;
    if (length < 2 && work->fold == NULL) {
        encode_bytes(work, string);
        return true;
    }
    uint32_t index = encode_known(work, string);
    if (UNEXPECTED(work->failed))
        return false;
    if (index == UINT32_MAX)
        encode_new(work, string);
    else if (index < 64)
        *work->at++ = (uint8_t)(LARDER_PACK_SAME_LOW + index);
    else
        encode_counted(work, LARDER_PACK_SAME, index);
    return true;
}

/* Write a string that is an array's element under a key of a known shape. The string is looked up
 * among the strings that were written before, to write it only once. *novel counts the consecutive
 * arrays in which this key's string was new or was not looked up. From ENCODE_NOVEL on, short
 * strings are written without a look-up in the next ENCODE_NOVEL arrays. Long strings are always
 * looked up, because writing them twice would cost much. */
static zend_always_inline bool encode_column(encode_work *work, const zend_string *string,
                                             uint8_t *novel)
{
    size_t length = ZSTR_LEN(string);
    if (*novel >= ENCODE_NOVEL && *novel < 2 * ENCODE_NOVEL && length >= 2 &&
        length <= ENCODE_CONTENT) {
        if (!encode_room(work, length + ENCODE_NUMBER_MAX + 1))
            return false;
        work->strings->used++; /* the string gets an index, but no entry in the table */
        encode_new(work, string);
        ++*novel;
        return true;
    }
    uint32_t before = work->strings->used;
    bool good = larder_encode_string(work, string);
    bool is_new = work->strings->used != before;
    *novel = is_new ? (uint8_t)MIN(*novel + 1u, ENCODE_NOVEL) : 0;
    return good;
}

/* ---- arrays ---- */

/* Return the value of an element. Follows an INDIRECT, and a PHP reference with one owner. */
static zend_always_inline const zval *encode_element(const zval *value)
{
    if (UNEXPECTED(Z_TYPE_P(value) == IS_INDIRECT))
        value = Z_INDIRECT_P(value);
    if (UNEXPECTED(Z_ISREF_P(value)) && Z_REFCOUNT_P(value) == 1)
        value = Z_REFVAL_P(value);
    return value;
}

/* Return true if a list is probably shortest as a LARDER_PACK_INTS, with 4 bytes for each int. */
static bool encode_are_ints(const HashTable *array)
{
    if (array->nNumUsed < 8)
        return false;
    for (uint32_t i = 0; i < array->nNumUsed; i++)
        if (Z_TYPE(array->arPacked[i]) != IS_LONG || Z_LVAL(array->arPacked[i]) < 0 ||
            Z_LVAL(array->arPacked[i]) > UINT32_MAX)
            return false;
    return Z_LVAL(array->arPacked[0]) > UINT16_MAX;
}

static bool encode_list(encode_work *work, const HashTable *array)
{
    uint32_t count = array->nNumUsed;
    work->ready += (uint64_t)count * sizeof(zval);
    if (encode_are_ints(array)) {
        if (!encode_room(work, ENCODE_NUMBER_MAX + 1 + (size_t)count * sizeof(uint32_t)))
            return false;
        encode_counted(work, LARDER_PACK_INTS, count);
        for (uint32_t i = 0; i < count; i++, work->at += sizeof(uint32_t)) {
            uint32_t number = (uint32_t)Z_LVAL(array->arPacked[i]);
            memcpy(work->at, &number, sizeof number);
        }
        return true;
    }
    encode_counted(work, LARDER_PACK_LIST, count);
    for (uint32_t i = 0; i < count; i++)
        if (!larder_encode_value(work, array->arPacked + i))
            return false;
    return true;
}

static bool encode_same_keys(const HashTable *a, const HashTable *b)
{
    const Bucket *one = a->arData, *two = b->arData;
    if (a->nNumUsed != b->nNumUsed)
        return false;
    for (uint32_t i = 0; i < a->nNumUsed; i++)
        if (one[i].key != two[i].key && !encode_same(one[i].key, two[i].key))
            return false;
    return true;
}

/* Find the list of an array's keys among the lists that were written before, and return the index
 * of the list. If the list is new, gives it the next index, and returns UINT32_MAX. */
static uint32_t encode_shape_of(encode_work *work, const HashTable *array)
{
    if (work->latest != NULL && encode_same_keys(work->latest, array))
        return work->latest_index;
    const zend_string *first = array->arData[0].key, *last = array->arData[array->nNumUsed - 1].key;
    uint32_t hash = encode_hash(first) + encode_hash(last) * 3 + array->nNumUsed * 7;
    for (uint32_t tries = 0; tries < ENCODE_SHAPES; tries++) {
        encode_shape *shape = work->shapes + ((hash + tries) & (ENCODE_SHAPES - 1));
        bool found = shape->array != NULL;
        if (found && !encode_same_keys(shape->array, array))
            continue;
        if (!found) {
            *shape = (encode_shape){.array = array, .index = work->shapes_used};
            if (work->shapes_used < ENCODE_SHAPES)
                memset(work->novel[work->shapes_used], 0, array->nNumUsed);
        }
        work->latest = array;
        work->latest_index = shape->index;
        if (found)
            return shape->index;
        break;
    }
    work->shapes_used++;
    return UINT32_MAX;
}

static bool encode_has_names(const HashTable *array)
{
    for (uint32_t i = 0; i < array->nNumUsed; i++)
        if (array->arData[i].key == NULL || Z_TYPE(array->arData[i].val) == IS_UNDEF)
            return false;
    return true;
}

static bool encode_map(encode_work *work, const HashTable *array)
{
    uint32_t count = array->nNumUsed, index = UINT32_MAX;
    if (count <= LARDER_PACK_KEYS_MAX)
        index = encode_shape_of(work, array);
    if (index != UINT32_MAX) {
        encode_counted(work, LARDER_PACK_ROW, index);
    } else {
        encode_counted(work, LARDER_PACK_MAP, count);
        for (uint32_t i = 0; i < count; i++)
            if (!larder_encode_string(work, array->arData[i].key))
                return false;
    }
    uint8_t *novel = index < ENCODE_SHAPES && work->fold == NULL ? work->novel[index] : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const zval *value = encode_element(&array->arData[i].val);
        bool good = novel != NULL && Z_TYPE_P(value) == IS_STRING
                        ? encode_column(work, Z_STR_P(value), novel + i)
                        : larder_encode_value(work, value);
        if (!good)
            return false;
    }
    return true;
}

static bool encode_mixed(encode_work *work, const HashTable *array)
{
    encode_counted(work, LARDER_PACK_MIXED, array->nNumOfElements);
    for (uint32_t i = 0; i < array->nNumUsed; i++) {
        bool packed = (HT_FLAGS(array) & HASH_FLAG_PACKED) != 0;
        const zval *value = packed ? array->arPacked + i : &array->arData[i].val;
        if (Z_TYPE_P(value) == IS_UNDEF)
            continue;
        if (!encode_room(work, 2 * ENCODE_NUMBER_MAX))
            return false;
        bool good = true;
        if (packed)
            encode_int(work, (zend_long)i);
        else if (array->arData[i].key == NULL)
            encode_int(work, (zend_long)array->arData[i].h);
        else
            good = larder_encode_string(work, array->arData[i].key);
        if (!good || !larder_encode_value(work, value))
            return false;
    }
    return true;
}

/* Write an array that may occur again later. Returns false if the array contains itself, or if
 * writing failed. */
static zend_never_inline bool encode_shared(encode_work *work, const HashTable *array)
{
    encode_name *name = encode_known_array(work, array);
    if (work->failed || (name != NULL && (name->index & ENCODE_OPEN)))
        return false;
    if (name != NULL) {
        encode_counted(work, LARDER_PACK_AGAIN, name->index - work->arrays->base);
        return true;
    }
    /* in a graph, an array gets an index even without LARDER_PACK_SHARED */
    if (work->fold == NULL)
        *work->at++ = LARDER_PACK_SHARED;
    if (!larder_encode_array(work, array))
        return false;
    encode_known_array(work, array)->index &= ~ENCODE_OPEN;
    return true;
}

bool larder_encode_array(encode_work *work, const HashTable *array)
{
    bool good;
    if (UNEXPECTED(work->depth == LARDER_PACK_DEPTH) || !encode_room(work, 2 * ENCODE_NUMBER_MAX))
        return false;
    work->depth++;
    work->ready += sizeof(zend_array) + 2 * sizeof(uint32_t);
    if ((HT_FLAGS(array) & HASH_FLAG_PACKED) && HT_IS_WITHOUT_HOLES(array)) {
        good = encode_list(work, array);
    } else {
        uint32_t count = array->nNumOfElements, mask = larder_table_mask(larder_table_size(count));
        work->ready += (uint64_t)count * sizeof(Bucket) + HT_HASH_SIZE(mask) - 2 * sizeof(uint32_t);
        good = !(HT_FLAGS(array) & HASH_FLAG_PACKED) && encode_has_names(array)
                   ? encode_map(work, array)
                   : encode_mixed(work, array);
    }
    work->depth--;
    return good;
}

bool larder_encode_value(encode_work *work, const zval *value)
{
    value = encode_element(value);
    if (!encode_room(work, 2 * ENCODE_NUMBER_MAX))
        return false;
    switch (Z_TYPE_P(value)) {
    case IS_NULL:
        *work->at++ = LARDER_PACK_NULL;
        return true;
    case IS_FALSE:
    case IS_TRUE:
        *work->at++ = Z_TYPE_P(value) == IS_TRUE ? LARDER_PACK_TRUE : LARDER_PACK_FALSE;
        return true;
    case IS_LONG:
        encode_int(work, Z_LVAL_P(value));
        return true;
    case IS_DOUBLE:
        encode_double(work, Z_DVAL_P(value));
        return true;
    case IS_STRING:
        return larder_encode_string(work, Z_STR_P(value));
    case IS_ARRAY: {
        const HashTable *array = Z_ARR_P(value);
        if (array->nNumOfElements == 0) {
            *work->at++ = LARDER_PACK_EMPTY;
            /* the block of a graph contains only one empty array */
            if (work->fold == NULL || !work->empty)
                work->ready += sizeof(zend_array) + 2 * sizeof(uint32_t);
            work->empty = true;
            return true;
        }
        return work->fold != NULL || (work->depth != 0 &&
                                      (GC_REFCOUNT(array) > 1 || (GC_FLAGS(array) & GC_IMMUTABLE)))
                   ? encode_shared(work, array)
                   : larder_encode_array(work, array);
    }
    default: /* objects, PHP references, resources, and INDIRECTs to unset properties */
        return larder_fold_node(work, value);
    }
}

/* Make the packed value *out from the encoded bytes. Returns false if packing saves too little, or
 * there is no memory. */
static bool encode_end(struct larder_scratch *own, const void *from, size_t size, uint8_t type,
                       uint64_t ready, lrd_compression compression, larder_packed *out)
{
    void *to = size <= INT32_MAX ? scratch_room(&own->packed, lrd_pack_bound(size)) : NULL;
    if (to == NULL)
        return false;
    out->data = to;
    out->size = lrd_pack(to, from, size, type, ready, compression);
    return out->size <= ready - ready / 8;
}

/* Return the method for encoded arrays and graphs. */
static lrd_compression encode_compression(larder_effort effort)
{
    return effort == LARDER_PACK_QUICK ? LRD_COMPRESS_QUICK : LRD_COMPRESS_SMALL;
}

/* Compress a sample, and return true if this saves much. Returns true at once if there are too few
 * bytes for a sample. */
static bool encode_repeats(struct larder_scratch *own, const void *from, size_t size,
                           lrd_compression compression)
{
    if (size < 2 * ENCODE_SAMPLE)
        return true;
    void *to = scratch_room(&own->packed, lrd_pack_bound(ENCODE_SAMPLE));
    return to != NULL && lrd_pack(to, (const char *)from + size / 2, ENCODE_SAMPLE, 0, 0,
                                  compression) < LRD_PACKED_HEAD + ENCODE_SAMPLE / 5 * 4;
}

/* Prepare `work` for a new value. Returns false if there is no memory. */
static bool encode_begin(struct larder_scratch *own, encode_work *work)
{
    uint8_t *bytes = scratch_room(&own->bytes, ENCODE_FIRST);
    if (bytes == NULL || !names_begin(&own->strings, ENCODE_NAMES) ||
        !names_begin(&own->arrays, ENCODE_NAMES))
        return false;
    work->start = work->at = bytes;
    work->end = bytes + own->bytes.room;
    work->failed = work->empty = false;
    work->ready = 0;
    work->fold = NULL;
    work->strings = &own->strings;
    work->arrays = &own->arrays;
    work->latest = NULL;
    work->shapes_used = work->depth = 0;
    memset(work->shapes, 0, sizeof work->shapes);
    return true;
}

/* Pack the encoded bytes into *out. `good` is false if encoding has failed; then nothing is packed,
 * and the result is false. */
static bool encode_done(struct larder_scratch *own, const encode_work *work, bool good,
                        uint8_t type, larder_effort effort, larder_packed *out)
{
    size_t size = (size_t)(work->at - work->start);
    own->bytes.at = work->start; /* encoding may have moved the buffer */
    own->bytes.room = (size_t)(work->end - work->start);
    if (!good)
        return false;
    lrd_compression compression = encode_compression(effort);
    bool compress = effort == LARDER_PACK_SMALL || size > work->ready / ENCODE_ENOUGH ||
                    encode_repeats(own, work->start, size, compression);
    return encode_end(own, work->start, size, type, work->ready,
                      compress ? compression : LRD_COMPRESS_NONE, out);
}

bool larder_pack(const zval *value, larder_effort effort, larder_packed *out)
{
    encode_work work;
    struct larder_scratch *own = larder_scratch();
    if (own == NULL)
        return false;
    if (Z_TYPE_P(value) == IS_STRING)
        return Z_STRLEN_P(value) >= LARDER_PACK_STRING_MIN &&
               encode_end(own, Z_STRVAL_P(value), Z_STRLEN_P(value), LARDER_STRING,
                          LARDER_STRING_SIZE(Z_STRLEN_P(value)), LRD_COMPRESS_SMALL, out);
    return Z_TYPE_P(value) == IS_ARRAY && zend_hash_num_elements(Z_ARR_P(value)) != 0 &&
           encode_begin(own, &work) &&
           encode_done(own, &work, larder_encode_value(&work, value), LARDER_ARRAY, effort, out);
}

bool larder_pack_text(const void *text, size_t size, uint8_t type, larder_effort effort,
                      larder_packed *out)
{
    struct larder_scratch *own = larder_scratch();
    lrd_compression compression =
        effort == LARDER_PACK_SMALL ? LRD_COMPRESS_SMALL : LRD_COMPRESS_QUICK;
    return own != NULL && size >= LARDER_PACK_STRING_MIN &&
           (effort == LARDER_PACK_SMALL || encode_repeats(own, text, size, compression)) &&
           encode_end(own, text, size, type, size, compression, out);
}

void *larder_pack_block(size_t size)
{
    struct larder_scratch *own = larder_scratch();
    return own != NULL ? scratch_room(&own->block, size) : NULL;
}

bool larder_pack_graph(const void *block, size_t size, larder_effort effort, larder_packed *out)
{
    encode_work work;
    struct larder_scratch *own = larder_scratch();
    return own != NULL && encode_begin(own, &work) &&
           encode_done(own, &work, larder_fold(&work, own, block, size), LARDER_GRAPH, effort, out);
}
