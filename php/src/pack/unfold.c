/* unfold.c - unpacks a graph (a value with objects or references) into a block for fetch/graph.c;
 * see pack_graph.h. Begin reading at larder_unfold().
 *
 * - If `moves` is true (see pack.h), the block has the parts of a block of put/write.c, perhaps in
 *   another order.
 * - If the bytes are damaged or forged, larder_unfold() returns false, and never reads or writes
 *   out of bounds. */
#include "pack/decode.h"
#include "pack/pack_graph.h"
#include "pack/scratch.h"
#include "php_larder.h"

#define UNFOLD_UNKNOWN 0xffu /* the kind of a node whose kind is not known yet */
/* Maximum size of a block, as a multiple of the size of its encoded bytes. Bytes that claim a
 * larger block are damaged. */
#define UNFOLD_RATIO 128u

typedef struct unfold_work {
    /* `shapes` and `shared` contain arrays of the block; `in.strings` is not used */
    decode_work in;
    decode_list *strings;
    larder_unfolded *out;
    size_t used; /* number of bytes of the block that are in use */
    /* the one empty array of the graph; NULL until it is read */
    zend_array *empty;
    scratch_buffer *pointers; /* offsets of the block's pointers; NULL if they are not needed */
    bool failed;              /* there was no memory for `pointers` */
    /* list of the values that were read as LARDER_PACK_NEXT, the last one first; unfold_nexts()
     * replaces them */
    zval *next;
    uint32_t *stack; /* nodes that have no parent yet */
    uint32_t *uses;  /* for each node: the number of references to it so far */
    uint8_t *kinds;  /* for each node: its kind */
    uint32_t top, node, nodes, classes;
    /* number of enclosing arrays that are not nodes; such an array must not contain a node */
    uint32_t inner;
    const larder_graph_class *class;
} unfold_work;

static bool unfold_value(unfold_work *work, zval *value);

/* ---- memory ---- */

/* Take the next `bytes` bytes of the block; `bytes` must be a multiple of 8. Returns NULL if fewer
 * bytes are left. */
static zend_always_inline void *unfold_take(unfold_work *work, size_t bytes)
{
    if (UNEXPECTED(bytes > work->out->size - work->used))
        return NULL;
    char *at = work->out->block + work->used;
    work->used += bytes;
    return at;
}

static zend_never_inline bool unfold_pointers_grow(unfold_work *work)
{
    scratch_buffer *buffer = work->pointers;
    size_t room = buffer->room * 2 + 64 * sizeof(uint64_t);
    void *at = realloc(buffer->at, room);
    if (at == NULL)
        return false;
    *buffer = (scratch_buffer){.at = at, .room = room};
    return true;
}

static zend_always_inline void unfold_pointer(unfold_work *work, const void *pointer)
{
    larder_unfolded *out = work->out;
    if (EXPECTED(work->pointers == NULL))
        return;
    if (UNEXPECTED(out->pointers_used == work->pointers->room / sizeof(uint64_t)) &&
        !unfold_pointers_grow(work)) {
        work->failed = true;
        return;
    }
    uint64_t *pointers = work->pointers->at;
    pointers[out->pointers_used++] = (uint64_t)((const char *)pointer - out->block);
}

/* ---- strings ---- */

/* Write the header of a string, which contains the hash of the bytes. The caller must have written
 * the bytes. */
static zend_always_inline void unfold_string_head(zend_string *string, size_t length)
{
    ZSTR_VAL(string)[length] = '\0';
    GC_SET_REFCOUNT(string, 2);
    GC_TYPE_INFO(string) = GC_STRING | (IS_STR_INTERNED << GC_FLAGS_SHIFT);
    ZSTR_LEN(string) = length;
    ZSTR_H(string) = zend_hash_func(ZSTR_VAL(string), length);
}

static zend_string *unfold_string_of(unfold_work *work, const char *bytes, size_t length)
{
    zend_string *string;
    if (EXPECTED(!work->out->moves)) {
        string = zend_string_init_fast(bytes, length);
    } else {
        string = unfold_take(work, LARDER_STRING_SIZE(length));
        if (UNEXPECTED(string == NULL))
            return NULL;
        memcpy(ZSTR_VAL(string), bytes, length);
        unfold_string_head(string, length);
    }
    list_add(work->strings, string);
    return string;
}

/* Read a string after its first byte, `kind`. Returns NULL if the bytes are damaged. */
static zend_string *unfold_string(unfold_work *work, uint8_t kind)
{
    uint64_t number;
    if (EXPECTED(kind >= LARDER_PACK_SAME_LOW)) {
        number = kind - (unsigned)LARDER_PACK_SAME_LOW;
    } else if (kind == LARDER_PACK_SAME) {
        if (!decode_number(&work->in, &number))
            return NULL;
    } else if (kind >= LARDER_PACK_SHORT || kind == LARDER_PACK_STRING) {
        number = kind - (unsigned)LARDER_PACK_SHORT;
        if ((kind == LARDER_PACK_STRING && !decode_number(&work->in, &number)) ||
            number > decode_left(&work->in))
            return NULL;
        if (EXPECTED(!work->out->moves) && EXPECTED(number >= 2) && EXPECTED(number < 64))
            return decode_short(&work->in, work->strings, (size_t)number);
        work->in.at += number;
        return unfold_string_of(work, (const char *)work->in.at - number, (size_t)number);
    } else if (kind == LARDER_PACK_TIME) {
        char text[LARDER_PACK_TIME_LENGTH];
        if (!decode_fixed(&work->in, 5, &number))
            return NULL;
        decode_time(number, text);
        return unfold_string_of(work, text, sizeof text);
    } else {
        char text[DECODE_DECIMAL];
        if (kind != LARDER_PACK_DECIMAL || !decode_number(&work->in, &number))
            return NULL;
        const char *at = decode_decimal(number, text);
        return unfold_string_of(work, at, (size_t)(text + sizeof text - at));
    }
    return EXPECTED(number < work->strings->used) ? work->strings->at[number] : NULL;
}

/* Read a key after its first byte, `kind`, and compute its hash. Returns NULL if the bytes are
 * damaged. */
static zend_string *unfold_key_string(unfold_work *work, uint8_t kind)
{
    size_t length;
    zend_string *key;
    if (EXPECTED(!work->out->moves) && EXPECTED(work->in.key_tries != 0) &&
        decode_is_short(&work->in, kind, &length))
        return decode_literal(&work->in, work->strings, length);
    key = unfold_string(work, kind);
    if (EXPECTED(key != NULL))
        zend_string_hash_val(key);
    return key;
}

static zend_string *unfold_any_key(unfold_work *work)
{
    if (UNEXPECTED(work->in.at == work->in.end))
        return NULL;
    uint8_t kind = *work->in.at++;
    return unfold_key_string(work, kind);
}

/* ---- arrays ---- */

/* Take memory for an array, and write its head as put/write.c would. */
static zend_array *unfold_array_new(unfold_work *work, uint32_t count, uint32_t flags)
{
    uint32_t size = larder_table_size(count), mask = HT_MIN_MASK;
    bool hash = flags == HASH_FLAG_STATIC_KEYS;
    if (hash)
        mask = larder_table_mask(size);
    zend_array *array =
        unfold_take(work, sizeof *array + HT_HASH_SIZE(mask) +
                              (size_t)count * (hash ? sizeof(Bucket) : sizeof(zval)));
    if (UNEXPECTED(array == NULL))
        return NULL;
    larder_array_header(array, flags, mask, size, count,
                        (uintptr_t)((char *)(array + 1) + HT_HASH_SIZE(mask)));
    unfold_pointer(work, &array->arData);
    array->nNextFreeElement = zend_empty_array.nNextFreeElement;
    larder_hash_clear((uint32_t *)(void *)(array + 1), mask);
    return array;
}

static zend_array *unfold_list(unfold_work *work, uint32_t count, bool ints)
{
    zend_array *array = unfold_array_new(work, count, HASH_FLAG_STATIC_KEYS | HASH_FLAG_PACKED);
    if (array == NULL || (ints && decode_left(&work->in) / sizeof(uint32_t) < count))
        return NULL;
    array->nNextFreeElement = count;
    for (uint32_t i = 0; i < count; i++) {
        zval *value = array->arPacked + i;
        /* initialised only for gcc: decode_fixed() cannot fail here */
        uint64_t number = 0;
        value->u2.next = 0;
        if (ints) {
            (void)decode_fixed(&work->in, sizeof(uint32_t), &number);
            ZVAL_LONG(value, (zend_long)number);
        } else if (UNEXPECTED(!unfold_value(work, value))) {
            return NULL;
        }
    }
    return array;
}

static zend_always_inline void unfold_key(unfold_work *work, zend_array *array, uint32_t i,
                                          zend_string *key, zend_ulong h)
{
    Bucket *bucket = array->arData + i;
    bucket->h = h;
    bucket->key = key;
    if (key != NULL)
        unfold_pointer(work, &bucket->key);
    larder_hash_chain(array->arData, array->nTableMask, i);
}

static zend_array *unfold_elements(unfold_work *work, zend_array *array)
{
    for (uint32_t i = 0; i < array->nNumUsed; i++)
        if (UNEXPECTED(!unfold_value(work, &array->arData[i].val)))
            return NULL;
    return array;
}

static zend_array *unfold_map(unfold_work *work, uint32_t count)
{
    zend_array *array = unfold_array_new(work, count, HASH_FLAG_STATIC_KEYS);
    if (array == NULL)
        return NULL;
    array->nNextFreeElement = ZEND_LONG_MIN;
    for (uint32_t i = 0; i < count; i++) {
        zend_string *key = unfold_any_key(work);
        if (UNEXPECTED(key == NULL))
            return NULL;
        unfold_key(work, array, i, key, ZSTR_H(key));
    }
    if (count <= LARDER_PACK_KEYS_MAX)
        list_add(&work->in.shapes, array);
    return unfold_elements(work, array);
}

/* Read a LARDER_PACK_ROW after its first byte. The keys are those of an earlier array, so copy the
 * hash part of that array. Then read the values. */
static zend_array *unfold_row(unfold_work *work)
{
    uint64_t number;
    if (!decode_number(&work->in, &number) || number >= work->in.shapes.used)
        return NULL;
    const zend_array *first = work->in.shapes.at[number];
    uint32_t count = first->nNumUsed;
    if (count > decode_left(&work->in))
        return NULL;
    zend_array *array = unfold_array_new(work, count, HASH_FLAG_STATIC_KEYS);
    if (array == NULL)
        return NULL;
    array->nNextFreeElement = ZEND_LONG_MIN;
    memcpy(HT_GET_DATA_ADDR(array), HT_GET_DATA_ADDR(first), HT_HASH_SIZE(first->nTableMask));
    for (uint32_t i = 0; i < count; i++) {
        array->arData[i].h = first->arData[i].h;
        array->arData[i].key = first->arData[i].key;
        unfold_pointer(work, &array->arData[i].key);
        Z_NEXT(array->arData[i].val) = Z_NEXT(first->arData[i].val);
    }
    return unfold_elements(work, array);
}

static zend_array *unfold_mixed(unfold_work *work, uint32_t count)
{
    zend_array *array = unfold_array_new(work, count, HASH_FLAG_STATIC_KEYS);
    if (array == NULL)
        return NULL;
    zend_long next = ZEND_LONG_MIN;
    for (uint32_t i = 0; i < count && work->in.at < work->in.end; i++) {
        uint8_t kind = *work->in.at++;
        zend_long index = 0;
        zend_string *key = NULL;
        if (!decode_int(&work->in, kind, &index) && (key = unfold_key_string(work, kind)) == NULL)
            return NULL;
        unfold_key(work, array, i, key, key != NULL ? ZSTR_H(key) : (zend_ulong)index);
        if (key == NULL && index >= next)
            next = index != ZEND_LONG_MAX ? index + 1 : index;
        if (!unfold_value(work, &array->arData[i].val))
            return NULL;
        array->nNextFreeElement = next;
        if (i + 1 == count)
            return array;
    }
    return NULL;
}

/* Read an array after its first byte, `kind`. Returns NULL if the bytes are damaged. */
static zend_array *unfold_array(unfold_work *work, uint8_t kind)
{
    uint32_t count;
    zend_array *array = NULL;
    if (UNEXPECTED(work->in.depth == 2 * LARDER_PACK_DEPTH))
        return NULL;
    work->in.depth++;
    if (kind == LARDER_PACK_ROW)
        array = unfold_row(work);
    else if (!decode_count(&work->in, &count) || count == 0)
        array = NULL;
    else if (kind == LARDER_PACK_LIST || kind == LARDER_PACK_INTS)
        array = unfold_list(work, count, kind == LARDER_PACK_INTS);
    else if (kind == LARDER_PACK_MAP)
        array = unfold_map(work, count);
    else if (kind == LARDER_PACK_MIXED)
        array = unfold_mixed(work, count);
    work->in.depth--;
    return array;
}

/* Mark an array that occurs several times in the value. `array` may be NULL. If work->out->moves is
 * true, the mark is not needed. */
static zend_array *unfold_again(const unfold_work *work, zend_array *array)
{
    if (array != NULL && !work->out->moves)
        GC_SET_REFCOUNT(array, LARDER_UNFOLDED_AGAIN);
    return array;
}

/* Read an array that is not a node. */
static zend_array *unfold_inner_array(unfold_work *work, uint8_t kind)
{
    uint64_t number;
    if (kind == LARDER_PACK_EMPTY) {
        if (work->empty == NULL)
            return work->empty = unfold_array_new(work, 0, HASH_FLAG_UNINITIALIZED);
        return unfold_again(work, work->empty);
    }
    /* the entry of an array is NULL until the array was read, so no array can contain itself */
    if (kind == LARDER_PACK_AGAIN)
        return decode_number(&work->in, &number) && number < work->in.shared.used
                   ? unfold_again(work, work->in.shared.at[number])
                   : NULL;
    uint32_t own = work->in.shared.used;
    list_add(&work->in.shared, NULL);
    work->inner++;
    zend_array *array = unfold_array(work, kind);
    work->inner--;
    work->in.shared.at[own] = array;
    return array;
}

/* ---- values ---- */

/* Read a LARDER_PACK_NODE after its first byte. */
static bool unfold_node_named(unfold_work *work, zval *value)
{
    uint64_t index;
    if (!decode_number(&work->in, &index) || index >= work->nodes || work->inner != 0)
        return false;
    if (index >= work->node) {
        uint64_t kind;
        if (!decode_fixed(&work->in, 1, &kind) || kind > LARDER_NODE_REFERENCE ||
            (work->kinds[index] != UNFOLD_UNKNOWN && work->kinds[index] != kind))
            return false;
        work->kinds[index] = (uint8_t)kind;
    }
    work->uses[index]++;
    larder_node_set(value, (uint32_t)index, work->kinds[index]);
    return true;
}

static bool unfold_double(unfold_work *work, uint8_t kind, zval *value)
{
    uint64_t bits;
    if (kind == LARDER_PACK_DOUBLE) {
        double number;
        if (!decode_fixed(&work->in, sizeof bits, &bits))
            return false;
        memcpy(&number, &bits, sizeof number);
        ZVAL_DOUBLE(value, number);
        return true;
    }
    if (!decode_number(&work->in, &bits))
        return false;
    int64_t hundredths = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
    ZVAL_DOUBLE(value, (double)hundredths / 100.0);
    return true;
}

static bool unfold_other(unfold_work *work, uint8_t kind, zval *value)
{
    zend_array *array;
    switch (kind) {
    case LARDER_PACK_NULL:
    case LARDER_PACK_FALSE:
    case LARDER_PACK_TRUE:
        Z_LVAL_P(value) = 0;
        Z_TYPE_INFO_P(value) = kind == LARDER_PACK_NULL    ? IS_NULL
                               : kind == LARDER_PACK_FALSE ? IS_FALSE
                                                           : IS_TRUE;
        return true;
    case LARDER_PACK_DOUBLE:
    case LARDER_PACK_HUNDREDTHS:
        return unfold_double(work, kind, value);
    case LARDER_PACK_NEXT: /* unfold_nexts() will set *value to a child */
        if (UNEXPECTED(work->inner != 0))
            return false;
        Z_PTR_P(value) = work->next;
        Z_TYPE_INFO_P(value) = LARDER_NODE;
        work->next = value;
        return true;
    case LARDER_PACK_NODE:
        return unfold_node_named(work, value);
    default:
        array = unfold_inner_array(work, kind);
        if (array == NULL)
            return false;
        Z_ARR_P(value) = array;
        Z_TYPE_INFO_P(value) = IS_ARRAY;
        unfold_pointer(work, value);
        return true;
    }
}

/* Read a value. Sets only the value and the type of *value, not its other fields. */
static bool unfold_value(unfold_work *work, zval *value)
{
    zend_long number;
    Z_LVAL_P(value) = 0;
    Z_TYPE_INFO_P(value) = IS_NULL;
    if (UNEXPECTED(work->in.at == work->in.end))
        return false;
    uint8_t kind = *work->in.at++;
    if (kind >= LARDER_PACK_SHORT || (kind >= LARDER_PACK_STRING && kind <= LARDER_PACK_TIME)) {
        zend_string *string = unfold_string(work, kind);
        if (UNEXPECTED(string == NULL))
            return false;
        Z_STR_P(value) = string;
        Z_TYPE_INFO_P(value) = IS_STRING;
        unfold_pointer(work, value);
        return true;
    }
    if (kind < LARDER_PACK_NULL || (kind >= LARDER_PACK_INT8 && kind <= LARDER_PACK_MINUS32)) {
        if (UNEXPECTED(!decode_int(&work->in, kind, &number)))
            return false;
        ZVAL_LONG(value, number);
        return true;
    }
    return unfold_other(work, kind, value);
}

static bool unfold_slot(unfold_work *work, zval *value)
{
    uint64_t number;
    value->u2.extra = 0;
    if (EXPECTED(work->in.at == work->in.end) || EXPECTED(*work->in.at < LARDER_PACK_DEFAULT) ||
        EXPECTED(*work->in.at > LARDER_PACK_UNDEF))
        return unfold_value(work, value);
    Z_LVAL_P(value) = 0;
    if (*work->in.at++ == LARDER_PACK_DEFAULT) {
        Z_TYPE_INFO_P(value) = LARDER_DEFAULT;
        return true;
    }
    if (!decode_number(&work->in, &number) || number > UINT32_MAX)
        return false;
    ZVAL_UNDEF(value);
    value->u2.extra = (uint32_t)number;
    return true;
}

/* ---- nodes ---- */

/* Read `count` slots. */
static bool unfold_slots(unfold_work *work, zval *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (UNEXPECTED(!unfold_slot(work, value + i)))
            return false;
    return true;
}

/* Read `count` slots into new memory of the block. Returns NULL if the block is too small, or the
 * bytes are damaged. */
static zval *unfold_values(unfold_work *work, uint32_t count)
{
    if (count > decode_left(&work->in))
        return NULL;
    zval *value = unfold_take(work, (size_t)count * sizeof *value);
    return value != NULL && unfold_slots(work, value, count) ? value : NULL;
}

static bool unfold_words(unfold_work *work, char *to, size_t size)
{
    memset(to, 0, size);
    for (size_t i = 0; i < size; i += 8) {
        if (work->in.at == work->in.end)
            return false;
        unsigned bits = *work->in.at++;
        for (size_t j = i; bits != 0; bits >>= 1, j++) {
            if (!(bits & 1))
                continue;
            if (work->in.at == work->in.end)
                return false;
            to[j] = (char)*work->in.at++;
        }
    }
    return true;
}

static bool unfold_is_array(const zval *value)
{
    return Z_TYPE_INFO_P(value) == IS_ARRAY ||
           (Z_TYPE_INFO_P(value) == LARDER_NODE && larder_node_kind_of(value) == LARDER_NODE_ARRAY);
}

/* Replace each value that was read as LARDER_PACK_NEXT by a child from the stack. The value that
 * was read last gets the topmost child. */
static bool unfold_nexts(unfold_work *work)
{
    for (zval *value = work->next, *before; value != NULL; value = before) {
        if (work->top == 0)
            return false;
        before = Z_PTR_P(value);
        uint32_t index = work->stack[--work->top];
        work->uses[index]++;
        larder_node_set(value, index, work->kinds[index]);
    }
    work->next = NULL;
    return true;
}

static zval *unfold_list_node(unfold_work *work, uint32_t slots)
{
    uint32_t count;
    uint64_t flags;
    if (!decode_count(&work->in, &count) || !decode_number(&work->in, &flags) ||
        slots > decode_left(&work->in))
        return NULL;
    zval *value = unfold_take(work, ((size_t)slots + 1 + count) * sizeof *value);
    if (value == NULL || !unfold_slots(work, value, slots))
        return NULL;
    larder_list *list = (larder_list *)(void *)(value + slots);
    *list = (larder_list){.count = count, .flags = (int32_t)(uint32_t)flags};
    if (!unfold_slots(work, value + slots + 1, count))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        list->nodes |= Z_TYPE_INFO(value[slots + 1 + i]) == LARDER_NODE;
    return value;
}

static bool unfold_node_values(unfold_work *work, larder_graph_node *node)
{
    uint32_t slots = node->kind <= LARDER_NODE_CASE ? work->class[node->class_index].slots : 0;
    uint32_t count = 1, made = 0;
    node->at = work->used;
    if (node->kind == LARDER_NODE_ARRAY) {
        if (work->in.at == work->in.end)
            return false;
        uint8_t kind = *work->in.at++;
        const zend_array *array = unfold_array(work, kind);
        node->at = array != NULL ? (uint64_t)((const char *)array - work->out->block) : 0;
        return array != NULL && unfold_nexts(work);
    }
    if (node->kind <= LARDER_NODE_LIST)
        count = slots + (node->added || node->kind == LARDER_NODE_WRAP);
    if (larder_node_has_content(node->kind)) {
        size_t size = larder_content_size(node->kind);
        char *content = unfold_take(work, size);
        if (content == NULL || !unfold_words(work, content, size))
            return false;
        count = larder_content_slots(node->kind, slots);
        made = slots - count;
    }
    const zval *value =
        node->kind == LARDER_NODE_LIST ? unfold_list_node(work, slots) : unfold_values(work, count);
    if (value == NULL)
        return false;
    for (uint32_t i = made; i < slots && i - made < count && node->kind != LARDER_NODE_STATE; i++)
        if (Z_TYPE_INFO(value[i - made]) == LARDER_NODE)
            node->places |= (uint32_t)1 << (i < LARDER_PLACES ? i : LARDER_PLACES - 1);
    if (!unfold_nexts(work))
        return false;
    if (node->kind == LARDER_NODE_CASE)
        return Z_TYPE_INFO_P(value) == IS_STRING;
    if (node->kind == LARDER_NODE_STATE)
        return unfold_is_array(value);
    return count <= slots || node->kind == LARDER_NODE_REFERENCE || unfold_is_array(value + slots);
}

/* Pop nodes until the topmost one has no parent. */
static void unfold_drop_used(unfold_work *work)
{
    while (work->top != 0 && work->uses[work->stack[work->top - 1]] != 0)
        work->top--;
}

static bool unfold_node(unfold_work *work, larder_graph_node *node, uint32_t first)
{
    uint64_t uses = 1, class = 0;
    if (work->in.at == work->in.end)
        return false;
    uint8_t head = *work->in.at++, kind = head & LARDER_PACK_KIND;
    bool in_first = work->node < first;
    if (kind > LARDER_NODE_REFERENCE ||
        (work->kinds[work->node] != UNFOLD_UNKNOWN && work->kinds[work->node] != kind) ||
        ((head & LARDER_PACK_ADDED) && kind != LARDER_NODE_OBJECT) ||
        (in_first && kind != LARDER_NODE_CASE && kind != LARDER_NODE_ARRAY) ||
        (!in_first && kind == LARDER_NODE_CASE) ||
        ((head & LARDER_PACK_USES) && !decode_number(&work->in, &uses)) || uses > UINT32_MAX ||
        (kind <= LARDER_NODE_CASE && !decode_number(&work->in, &class)) ||
        (kind <= LARDER_NODE_CASE && class >= work->classes))
        return false;
    work->kinds[work->node] = kind;
    *node = (larder_graph_node){.uses = (uint32_t)uses,
                                .class_index = (uint32_t) class,
                                .kind = kind,
                                .added = (head & LARDER_PACK_ADDED) != 0,
                                .defaults = (head & LARDER_PACK_DEFAULTS) != 0,
                                .constant = (head & LARDER_PACK_CONSTANT) != 0};
    unfold_drop_used(work);
    if (!unfold_node_values(work, node))
        return false;
    work->stack[work->top++] = work->node;
    return true;
}

static bool unfold_class(unfold_work *work, larder_graph_class *class)
{
    uint64_t kind, slots, fingerprint;
    if (!decode_fixed(&work->in, 1, &kind) || kind > LARDER_CLASS_ALIAS ||
        !decode_number(&work->in, &slots) || slots > INT32_MAX ||
        !decode_fixed(&work->in, sizeof fingerprint, &fingerprint))
        return false;
    zend_string *name = unfold_any_key(work);
    if (name == NULL)
        return false;
    zend_string *lower = unfold_take(work, LARDER_STRING_SIZE(ZSTR_LEN(name)));
    if (lower == NULL)
        return false;
    memcpy(ZSTR_VAL(lower), ZSTR_VAL(name), ZSTR_LEN(name));
    zend_str_tolower(ZSTR_VAL(lower), ZSTR_LEN(name));
    unfold_string_head(lower, ZSTR_LEN(name));
    *class = (larder_graph_class){.name = name,
                                  .lower = lower,
                                  .fingerprint = fingerprint,
                                  .slots = (uint32_t)slots,
                                  .kind = (uint32_t)kind};
    unfold_pointer(work, &class->name);
    unfold_pointer(work, &class->lower);
    return true;
}

static bool unfold_calls(unfold_work *work, const larder_graph *graph)
{
    uint32_t *calls = (uint32_t *)(void *)(work->out->block + graph->calls_at);
    uint32_t call = 0;
    for (uint32_t i = 0; i < graph->calls; i++) {
        uint64_t step;
        if (!decode_number(&work->in, &step) || step > UINT32_MAX)
            return false;
        call += (uint32_t)step;
        if (call >= graph->nodes || work->kinds[call] > LARDER_NODE_CARBON)
            return false;
        /* Damaged bytes may contain a second call for the same node, which would free the node's
         * state twice. After this assignment, the check above refuses a second call. */
        work->kinds[call] = UNFOLD_UNKNOWN;
        calls[i] = call;
    }
    return true;
}

/* Return true if the head of each node has the right number of references to the node. */
static bool unfold_uses_fit(const unfold_work *work, const larder_graph_node *node)
{
    for (uint32_t i = 0; i < work->nodes; i++)
        if (node[i].uses != work->uses[i])
            return false;
    return true;
}

/* Return true if the flags match the nodes, as fetch/graph_build.c requires. */
static bool unfold_flags_fit(const larder_graph *graph, const larder_graph_node *node)
{
    uint32_t needed = 0;
    bool simple = graph->calls == 0, suits = true;
    for (const larder_graph_node *end = node + graph->nodes; node != end; node++) {
        if (node->uses > 1 && node->kind != LARDER_NODE_CASE)
            needed |= LARDER_GRAPH_CYCLIC;
        if (node->kind > LARDER_NODE_OBJECT && node->kind < LARDER_NODE_CASE)
            needed |= LARDER_GRAPH_MADE;
        if (node->added)
            needed |= LARDER_GRAPH_ADDED;
        simple &= node->kind == LARDER_NODE_ARRAY
                      ? node->uses <= 1
                      : node->kind == LARDER_NODE_OBJECT && node->uses == 1 && !node->added &&
                            !node->defaults;
        suits &= (node->kind == LARDER_NODE_OBJECT || node->kind == LARDER_NODE_CASE ||
                  node->kind == LARDER_NODE_ARRAY) &&
                 !node->added && !node->defaults;
    }
    needed |= simple ? LARDER_GRAPH_SIMPLE : 0;
    uint32_t others = LARDER_GRAPH_CONSTANTS | LARDER_GRAPH_LIVES;
    others |= suits ? LARDER_GRAPH_RESIDENT : 0;
    return (graph->flags & ~others) == needed;
}

/* Return true if the undeclared properties of each object with slots have string keys, as
 * fetch/graph_build.c requires. */
static bool unfold_added_fit(const unfold_work *work, const larder_graph_node *nodes)
{
    for (uint32_t i = 0; i < work->nodes; i++) {
        uint32_t slots = nodes[i].added ? work->class[nodes[i].class_index].slots : 0;
        if (slots == 0)
            continue;
        const char *block = work->out->block;
        const zval *value = (const zval *)(const void *)(block + nodes[i].at) + slots;
        const void *at = Z_TYPE_INFO_P(value) == LARDER_NODE
                             ? block + nodes[larder_node_index(value)].at
                             : (const void *)Z_ARR_P(value);
        const zend_array *array = at;
        if (HT_FLAGS(array) & HASH_FLAG_PACKED)
            return false;
        for (uint32_t j = 0; j < array->nNumUsed; j++)
            if (array->arData[j].key == NULL)
                return false;
    }
    return true;
}

static bool unfold_tables(unfold_work *work, larder_graph *graph)
{
    larder_graph_class *class = unfold_take(work, graph->classes * sizeof *class);
    graph->nodes_at = work->used;
    larder_graph_node *node = unfold_take(work, graph->nodes * sizeof *node);
    graph->calls_at = work->used;
    if (class == NULL || node == NULL ||
        unfold_take(work, ZEND_MM_ALIGNED_SIZE_EX(graph->calls * sizeof(uint32_t), 8)) == NULL)
        return false;
    work->class = class;
    for (uint32_t i = 0; i < graph->classes; i++)
        if (!unfold_class(work, class + i))
            return false;
    for (work->node = 0; work->node < graph->nodes; work->node++) {
        if (!unfold_node(work, node + work->node, graph->first))
            return false;
        graph->cases += node[work->node].kind == LARDER_NODE_CASE;
    }
    unfold_drop_used(work);
    return unfold_slot(work, &graph->root) && unfold_nexts(work) &&
           Z_TYPE_INFO(graph->root) == LARDER_NODE && unfold_uses_fit(work, node) &&
           unfold_flags_fit(graph, node) && unfold_added_fit(work, node) &&
           unfold_calls(work, graph);
}

static bool unfold_head(unfold_work *work, larder_graph *graph)
{
    uint32_t *const counts[] = {&graph->classes, &graph->nodes, &graph->calls, &graph->first};
    uint64_t number;
    memset(graph, 0, sizeof *graph);
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (!decode_number(&work->in, &number) || number > decode_left(&work->in))
            return false;
        *counts[i] = (uint32_t)number;
    }
    if (!decode_number(&work->in, &number) || number > UINT32_MAX)
        return false;
    graph->flags = (uint32_t)number;
    return graph->nodes != 0 && graph->first <= graph->nodes;
}

/* Return the current time if a worker may keep a part of the graph, otherwise 0. */
static uint64_t unfold_built(const larder_graph *graph)
{
    const uint32_t parts = LARDER_GRAPH_RESIDENT | LARDER_GRAPH_CONSTANTS | LARDER_GRAPH_LIVES;
    return (graph->flags & parts) != 0 ? larder_built_now() : 0;
}

/* Unpack a graph. Returns false if it does not consist of exactly these bytes. */
static bool unfold_bytes(const uint8_t *from, size_t size, larder_unfolded *out)
{
    struct larder_scratch *own = larder_scratch();
    unfold_work work = {.in = {.at = from, .end = from + size},
                        .out = out,
                        .strings = &out->strings,
                        .pointers = out->moves ? &own->pointers : NULL};
    larder_graph *graph;
    if (out->size < sizeof *graph || out->size % 8 != 0)
        return false;
    graph = (larder_graph *)(void *)(out->block + out->size - sizeof *graph);
    if (!unfold_head(&work, graph))
        return false;
    if (out->moves)
        graph->built = unfold_built(graph);
    out->size -= sizeof *graph; /* the other parts end where the larder_graph begins */
    work.nodes = graph->nodes;
    work.classes = graph->classes;
    work.stack = scratch_room(&own->nodes, (size_t)graph->nodes * (2 * sizeof(uint32_t) + 1));
    if (work.stack == NULL)
        return false;
    work.uses = work.stack + graph->nodes;
    work.kinds = (uint8_t *)(work.uses + graph->nodes);
    memset(work.uses, 0, graph->nodes * sizeof *work.uses);
    memset(work.kinds, UNFOLD_UNKNOWN, graph->nodes);
    work.in.key_tries = LARDER_LITERAL_TRIES;
    list_begin(&work.in.shapes);
    list_begin(&work.in.shared);
    bool good = unfold_tables(&work, graph) && work.in.at == work.in.end &&
                (work.used == out->size || !out->moves) && !work.failed;
    list_end(&work.in.shared);
    list_end(&work.in.shapes);
    out->size += sizeof *graph;
    out->pointers = own->pointers.at;
    return good;
}

void larder_unfolded_free(larder_unfolded *unfolded)
{
    larder_scratch_free_block(unfolded->block);
    if (!unfolded->moves)
        for (uint32_t i = 0; i < unfolded->strings.used; i++)
            zend_string_release(unfolded->strings.at[i]);
    list_end(&unfolded->strings);
}

bool larder_unfold(const lrd_packed *packed, bool moves, larder_unfolded *out)
{
    out->size = packed->ready;
    out->pointers_used = 0;
    out->moves = moves;
    if (packed->type != LARDER_GRAPH || packed->ready == UINT32_MAX ||
        packed->ready / UNFOLD_RATIO > packed->raw ||
        (out->block = larder_scratch_block(out->size)) == NULL)
        return false;
    list_begin(&out->strings);
    const uint8_t *bytes = larder_unpacked(packed);
    bool good = bytes != NULL && unfold_bytes(bytes, packed->raw, out);
    if (UNEXPECTED(!good))
        larder_unfolded_free(out);
    return good;
}

void larder_fill_unfolded(const void *unfolded, void *build, const void *data, size_t size)
{
    const larder_unfolded *from = unfolded;
    uintptr_t old = (uintptr_t)from->block, new = (uintptr_t)data;
    lrd_copy(build, from->block, size);
    for (size_t i = 0; i < from->pointers_used; i++) {
        uintptr_t *pointer = (uintptr_t *)(void *)((char *)build + from->pointers[i]);
        *pointer += new - old;
    }
}
