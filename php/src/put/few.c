/* few.c - stores values with few parts, in the format of write.c. put/small.c stores smaller
 * values; larger or unusual ones need a plan. Begin reading at larder_few_measure().
 *
 * - The measuring walk and the writing walk visit the parts in the same order.
 * - Nodes are objects, references, and arrays that contain a node.
 * - Enum cases get the lowest numbers; the other nodes are numbered in post-order (see
 *   number.c). */
#include "put/few.h"
#include "format/format.h"
#include "format/hash.h"
#include "kinds/spl_layout.h"
#include "put/parts.h"
#include "put/string.h"
#include "zend_enum.h"

/* maximum number of entries of few_walk.seen */
#define FEW_SEEN 16u
/* number of cells of the hash table of strings; a lookup checks at most two cells */
#define FEW_CELLS 128u
/* number of cells of the table of immutable arrays; an array's address determines its cell */
#define FEW_LITERALS 16u
/* minimum number of elements of a list that few_is_long() checks */
#define FEW_LIST 8u
/* the target of a part that the walk meets for the first time */
#define FEW_NEW 0xffffu
/* few_seen.number of an array that is a node, or that the walk has not left yet */
#define FEW_NODE 0xfffeu
#define FEW_NONE 0u /* the result of few_class() if the value needs a plan */

typedef struct few_string {
    const zend_string *string;
    uint16_t at; /* offset in the block, in words of 8 bytes */
} few_string;

/* An immutable array that the walk has met. The array's address selects its cell in the table. A
 * later array with the same cell overwrites the cell. After that, the first array is stored again
 * when it occurs again. */
typedef struct few_literal {
    const HashTable *array;
    uint16_t at; /* offset in the block, in words of 8 bytes */
} few_literal;

typedef struct few_seen {
    const void *address;
    /* - For an object or a reference: the index of its node in larder_few.node. Until the walk has
     *   left the object or reference, this is FEW_NEW.
     * - For an array: its offset in words of 8 bytes. If the array is a node, or the walk is still
     *   inside it, this is FEW_NODE. */
    uint16_t number;
    /* First link of a list of slots of larder_few.target. When `number` is known, it is written to
     * these slots. A link is the index of a slot, plus 1, or 0 at the end of the list. Until then,
     * each slot contains the link to the next slot. */
    uint16_t waiting;
} few_seen;

/* The state of the walk that measures. */
typedef struct few_walk {
    larder_few *few;
    size_t size;
    uint16_t *target; /* the next one to write */
    uint32_t elements, used_strings, used_seen;
    /* number of occurrences of enum cases outside of slots and collections */
    uint32_t cases;
    /* offset of the empty array in words of 8 bytes, plus 1; 0 until an empty array is met */
    uint16_t empty;
    uint16_t literals_used;                         /* bit i is set if literals[i] is in use */
    const zend_object *enum_case[LARDER_FEW_CASES]; /* for each larder_few.enum_case: its object */
    /* hash table: the index + 1 of a string in `strings`, or 0 if the cell is vacant */
    uint8_t cell[FEW_CELLS];
    few_literal literals[FEW_LITERALS];
    few_string strings[FEW_CELLS];
    few_seen seen[FEW_SEEN];
} few_walk;
_Static_assert(FEW_LITERALS <= 16, "few_walk.literals_used has 16 bits");

static zend_always_inline bool few_is_case(const zval *value)
{
    return Z_TYPE_P(value) == IS_OBJECT && (Z_OBJCE_P(value)->ce_flags & ZEND_ACC_ENUM);
}

/* ---- measure ---- */

static bool few_array(few_walk *walk, const HashTable *array, bool *nodes);
static bool few_object(few_walk *walk, zend_object *object);
static bool few_reference(few_walk *walk, zend_reference *reference);

/* Add a target. The array always has room: LARDER_FEW_TARGETS is enough for LARDER_FEW_ELEMENTS
 * elements. */
static zend_always_inline void few_target(few_walk *walk, size_t target)
{
    *walk->target++ = (uint16_t)target;
}

static zend_always_inline bool few_string_new(few_walk *walk, zend_string *string, uint8_t *cell)
{
    size_t at = walk->size;
    walk->size = at + LARDER_STRING_SIZE(ZSTR_LEN(string));
    if (UNEXPECTED(walk->size > LARDER_FEW_BYTES))
        return false;
    few_target(walk, at / 8);
    if (EXPECTED(cell != NULL)) {
        walk->strings[walk->used_strings] =
            (few_string){.string = string, .at = (uint16_t)(at / 8)};
        *cell = (uint8_t)++walk->used_strings;
    }
    return true;
}

/* Choose the offset of a string if the string's first cell, `index`, is in use. The string's second
 * cell is the neighbour whose index differs in the lowest bit. */
static zend_never_inline bool few_string_again(few_walk *walk, zend_string *string, uint32_t index)
{
    for (uint32_t way = 0; way < 2; way++, index ^= 1) {
        uint8_t *cell = walk->cell + index;
        if (*cell == 0)
            return few_string_new(walk, string, cell);
        const few_string *placed = walk->strings + *cell - 1;
        if (placed->string == string || (ZSTR_H(placed->string) == ZSTR_H(string) &&
                                         zend_string_equal_content(placed->string, string))) {
            few_target(walk, placed->at);
            return true;
        }
    }
    return few_string_new(walk, string, NULL);
}

/* Choose the offset of a string. Equal strings usually get the same offset. */
static zend_always_inline bool few_string_place(few_walk *walk, zend_string *string)
{
    /* Compute the string's hash now, because readers cannot write it into the block later. */
    uint32_t index = (uint32_t)zend_string_hash_val(string) & (FEW_CELLS - 1);
    uint8_t *cell = walk->cell + index;
    if (*cell == 0)
        return few_string_new(walk, string, cell);
    /* compare the addresses first, because rows often share the strings of their keys */
    const few_string *placed = walk->strings + *cell - 1;
    if (UNEXPECTED(placed->string != string))
        return few_string_again(walk, string, index);
    few_target(walk, placed->at);
    return true;
}

/* Choose the offsets of a value and its parts. *nodes becomes true if the value is a node. */
static zend_always_inline bool few_value(few_walk *walk, const zval *value, bool *nodes)
{
    if (Z_TYPE_P(value) <= IS_DOUBLE)
        return Z_TYPE_P(value) != IS_UNDEF;
    if (EXPECTED(Z_TYPE_P(value) == IS_STRING))
        return few_string_place(walk, Z_STR_P(value));
    if (Z_TYPE_P(value) == IS_ARRAY)
        return few_array(walk, Z_ARR_P(value), nodes);
    *nodes = true;
    if (Z_TYPE_P(value) == IS_OBJECT)
        return few_object(walk, Z_OBJ_P(value));
    return Z_TYPE_P(value) == IS_REFERENCE && few_reference(walk, Z_REF_P(value));
}

/* Add a node at the offset `at`. Returns NULL if there are too many nodes. */
static zend_always_inline larder_graph_node *few_node(few_walk *walk, uint64_t at, uint8_t kind)
{
    larder_few *few = walk->few;
    if (UNEXPECTED(few->nodes == LARDER_FEW_NODES))
        return NULL;
    larder_graph_node *node = few->node + few->nodes++;
    *node = (larder_graph_node){.at = at, .uses = 1, .kind = kind};
    return node;
}

static zend_always_inline bool few_has_owners(const HashTable *array)
{
    return GC_REFCOUNT(array) > 1 || (GC_FLAGS(array) & GC_IMMUTABLE);
}

static bool few_empty_array(few_walk *walk)
{
    if (walk->empty == 0) {
        walk->empty = (uint16_t)(walk->size / 8 + 1);
        walk->size += sizeof(zend_array) + HT_HASH_SIZE(HT_MIN_MASK);
    }
    few_target(walk, walk->empty - 1u);
    return walk->size <= LARDER_FEW_BYTES;
}

/* Add a target for an array that the walk has met before. Returns false if the array is a node or
 * contains itself. */
static bool few_array_again(few_walk *walk, uint32_t number)
{
    few_target(walk, number);
    return number != FEW_NODE;
}

/* Add a target for an immutable array. Returns false if the caller must store the array at the end
 * of the block. */
static zend_always_inline bool few_literal_again(few_walk *walk, const HashTable *array)
{
    uint32_t index = larder_hash_address(array) / (UINT32_MAX / FEW_LITERALS + 1);
    few_literal *cell = walk->literals + index;
    if ((walk->literals_used >> index & 1) != 0 && cell->array == array) {
        few_target(walk, cell->at);
        return true;
    }
    walk->literals_used |= (uint16_t)(1u << index);
    *cell = (few_literal){.array = array, .at = (uint16_t)(walk->size / 8)};
    few_target(walk, FEW_NEW);
    return false;
}

/* Guess from an array's first element whether the array has too many elements. `before` is
 * walk->elements before that element. */
static zend_always_inline bool few_is_long(const few_walk *walk, uint32_t used, uint32_t before)
{
    return used >= FEW_LIST &&
           (walk->elements - before) * (used - 1) > LARDER_FEW_ELEMENTS - walk->elements;
}

static bool few_array(few_walk *walk, const HashTable *array, bool *nodes)
{
    uint32_t used = array->nNumUsed, seen = FEW_SEEN;
    size_t at = walk->size;
    bool inside = false;
    if (array->nNumOfElements == 0)
        return few_empty_array(walk);
    if (GC_FLAGS(array) & GC_IMMUTABLE) {
        if (few_literal_again(walk, array))
            return true;
    } else if (GC_REFCOUNT(array) > 1) {
        for (seen = 0; seen < walk->used_seen; seen++)
            if (walk->seen[seen].address == array)
                return few_array_again(walk, walk->seen[seen].number);
        if (seen == FEW_SEEN)
            return false;
        few_target(walk, FEW_NEW);
        walk->seen[walk->used_seen++] = (few_seen){.address = array, .number = FEW_NODE};
    }
    /* an array with holes, or with too many elements, needs a plan */
    if (used != array->nNumOfElements || used > LARDER_FEW_ELEMENTS - walk->elements)
        return false;
    uint32_t before = walk->elements += used;
    if (HT_FLAGS(array) & HASH_FLAG_PACKED) {
        walk->size += sizeof(zend_array) + HT_HASH_SIZE(HT_MIN_MASK) + used * sizeof(zval);
        for (const zval *value = array->arPacked, *end = value + used; value != end; value++)
            if (!few_value(walk, value, &inside) ||
                (value == array->arPacked && few_is_long(walk, used, before)))
                return false;
    } else {
        walk->size += sizeof(zend_array) +
                      HT_HASH_SIZE(larder_table_mask(larder_table_size(used))) +
                      used * sizeof(Bucket);
        for (const Bucket *bucket = array->arData, *end = bucket + used; bucket != end; bucket++)
            if ((bucket->key != NULL && !few_string_place(walk, bucket->key)) ||
                !few_value(walk, &bucket->val, &inside) ||
                (bucket == array->arData && few_is_long(walk, used, before)))
                return false;
    }
    if (UNEXPECTED(inside)) {
        ZEND_ASSERT(!(GC_FLAGS(array) & GC_IMMUTABLE));
        *nodes = true;
        if (few_node(walk, at, LARDER_NODE_ARRAY) == NULL)
            return false;
    } else if (seen != FEW_SEEN) {
        walk->seen[seen].number = (uint16_t)(at / 8);
    }
    return walk->size <= LARDER_FEW_BYTES;
}

/* Look up an object or a reference with several owners. If the walk has met it before, adds a
 * target and returns true. Otherwise sets *seen to a new entry and returns false. If walk->seen is
 * full, sets *seen to NULL and returns true. */
static bool few_again(few_walk *walk, const void *address, few_seen **seen)
{
    larder_few *few = walk->few;
    *seen = walk->seen;
    for (uint32_t i = 0; i < walk->used_seen; i++, ++*seen) {
        if ((*seen)->address != address)
            continue;
        few->simple = false;
        few->cyclic = true;
        if ((*seen)->number != FEW_NEW) {
            few->node[(*seen)->number].uses++;
            few_target(walk, (*seen)->number);
        } else {
            few_target(walk, (*seen)->waiting);
            (*seen)->waiting = (uint16_t)(walk->target - few->target);
        }
        return true;
    }
    if (walk->used_seen == FEW_SEEN) {
        *seen = NULL;
        return true;
    }
    few_target(walk, FEW_NEW);
    walk->used_seen++;
    **seen = (few_seen){.address = address, .number = FEW_NEW};
    return false;
}

static void few_number(few_walk *walk, few_seen *seen, larder_graph_node *node)
{
    larder_few *few = walk->few;
    seen->number = (uint16_t)(node - few->node);
    for (uint32_t waiting = seen->waiting; waiting != 0; node->uses++) {
        uint16_t *target = few->target + waiting - 1;
        waiting = *target;
        *target = seen->number;
    }
}

/* Measure a reference. Returns false if the reference needs a plan. */
static bool few_reference(few_walk *walk, zend_reference *reference)
{
    few_seen *seen;
    bool nodes = false;
    if (Z_TYPE(reference->val) > IS_STRING || GC_REFCOUNT(reference) == 1)
        return false;
    if (few_again(walk, reference, &seen))
        return seen != NULL;
    walk->few->simple = walk->few->resident = false;
    size_t at = walk->size;
    walk->size += sizeof(zval);
    if (!few_value(walk, &reference->val, &nodes))
        return false;
    larder_graph_node *node = few_node(walk, at, LARDER_NODE_REFERENCE);
    if (node == NULL)
        return false;
    few_number(walk, seen, node);
    return walk->size <= LARDER_FEW_BYTES;
}

/* Refuse a class with an alias in the type of a property: only a plan can store aliases. */
static bool few_alias(void *context, const zend_string *name, const zend_class_entry *ce)
{
    (void)context, (void)name, (void)ce;
    return false;
}

/* Add a class. Returns its index + 1, or FEW_NONE if the value needs a plan. */
static uint32_t few_class_new(few_walk *walk, zend_class_entry *ce)
{
    larder_few *few = walk->few;
    larder_class *class = larder_class_of(ce);
    if (few->classes == LARDER_FEW_CLASSES || class == NULL ||
        (class->builtin != LARDER_BUILTIN_NONE
             ? larder_object_kinds[class->builtin]->node > LARDER_NODE_CONTENT
             : class->kind == LARDER_CLASS_OTHER || class->kind == LARDER_CLASS_BUILTIN))
        return FEW_NONE;
    if (class->parts == NULL && (class->parts = larder_parts_make(ce, class->bare)) == NULL)
        return FEW_NONE;
    if (class->names_classes && !larder_class_aliases(class, few_alias, NULL))
        return FEW_NONE;
    few->class[few->classes] = class;
    few->class_at[few->classes] = (uint32_t)walk->size;
    walk->size += class->parts->size;
    few->resident &= class->resident;
    return ++few->classes;
}

static zend_always_inline uint32_t few_class(few_walk *walk, zend_class_entry *ce)
{
    for (uint32_t i = 0; i < walk->few->classes; i++)
        if (walk->few->class[i] -> ce == ce)
            return i + 1;
    return few_class_new(walk, ce);
}

/* Make room for an object's slots and for its other properties. */
static bool few_open(few_walk *walk, const zend_object *object, const larder_state *state,
                     larder_graph_node *as)
{
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    bool asleep = larder_state_selects(state);
    if (UNEXPECTED(asleep) && state->named != zend_hash_num_elements(Z_ARR(state->value)))
        return false;
    as->added =
        !asleep && as->kind == LARDER_NODE_OBJECT && larder_has_added(LARDER_BUILTIN_NONE, object);
    /* leave an object with both slots and undeclared properties to a plan */
    if (UNEXPECTED(as->added) && slots != 0)
        return false;
    walk->elements += slots;
    walk->size += (slots + as->added) * sizeof(zval);
    return walk->elements <= LARDER_FEW_ELEMENTS && walk->size <= LARDER_FEW_BYTES;
}

static bool few_slots(few_walk *walk, zend_object *object, const larder_state *state,
                      larder_graph_node *as)
{
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    const zval *slot = object->properties_table;
    bool asleep = larder_state_selects(state), nodes = false;
    for (uint32_t i = 0; i < slots; i++, slot++) {
        bool node = false;
        if (UNEXPECTED(asleep) && !larder_state_names(state, object, i)) {
            if (Z_TYPE_P(slot) == IS_UNDEF)
                return false;
            as->defaults = true;
            continue;
        }
        if (!few_value(walk, slot, &node))
            return false;
        if (node) {
            as->places |= (uint32_t)1 << (i < LARDER_PLACES ? i : LARDER_PLACES - 1);
            walk->cases -= few_is_case(slot);
        }
    }
    return !as->added || few_array(walk, object->properties, &nodes);
}

/* Choose the offsets of the parts of an object of one of PHP's own classes, in the order of
 * serialize(). walk->size already includes larder_object_kind.content. */
static bool few_own(few_walk *walk, zend_object *object, const larder_class *class,
                    larder_graph_node *as)
{
    bool nodes = false;
    if (as->kind == LARDER_NODE_CONTENT)
        return few_open(walk, object, NULL, as) && few_slots(walk, object, NULL, as);
    if (as->kind == LARDER_NODE_WRAP) {
        walk->size += sizeof(zval);
        walk->elements++;
        return few_open(walk, object, NULL, as) &&
               few_value(walk, larder_spl_array(object), &nodes) &&
               few_slots(walk, object, NULL, as);
    }
    larder_spl_cursor cursor = larder_spl_open(class->builtin, object);
    if (cursor.left > LARDER_FEW_ELEMENTS)
        return false;
    walk->elements += cursor.left;
    walk->size += sizeof(larder_list) + cursor.left * sizeof(zval);
    if (!few_open(walk, object, NULL, as))
        return false;
    for (const zval *value; (value = larder_spl_next(&cursor)) != NULL;) {
        if (!few_value(walk, value, &nodes))
            return false;
        walk->cases -= few_is_case(value);
    }
    return few_slots(walk, object, NULL, as);
}

/* Choose the offset of the array from __serialize(), or of the properties of a bare object (see
 * larder_class). */
static bool few_state(few_walk *walk, zend_object *object, const larder_class *class,
                      const larder_state *state)
{
    bool nodes = false;
    walk->size += sizeof(zval);
    if (state != NULL)
        return Z_TYPE(state->value) == IS_ARRAY && few_value(walk, &state->value, &nodes);
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    const zval *slot = object->properties_table;
    size_t at = walk->size;
    if (class->parts->list == NULL || object->properties != NULL ||
        object->handlers != zend_get_std_object_handlers())
        return false;
    walk->elements += slots;
    walk->size += sizeof(zend_array) + HT_HASH_SIZE(larder_table_mask(larder_table_size(slots))) +
                  slots * sizeof(Bucket);
    if (walk->elements > LARDER_FEW_ELEMENTS)
        return false;
    for (uint32_t i = 0; i < slots; i++, slot++)
        if (!few_value(walk, slot, &nodes))
            return false;
    return !nodes || few_node(walk, at, LARDER_NODE_ARRAY) != NULL;
}

/* Measure an enum case. It is stored as a zval that points to the name of the case. */
static bool few_case(few_walk *walk, zend_object *object)
{
    larder_few *few = walk->few;
    walk->cases++;
    for (uint32_t i = 0; i < few->cases; i++)
        if (walk->enum_case[i] == object) {
            few->enum_case[i].uses++;
            few_target(walk, i);
            return true;
        }
    if (few->cases == LARDER_FEW_CASES)
        return false;
    few_target(walk, FEW_NEW);
    uint32_t number = few_class(walk, object->ce);
    if (number == FEW_NONE)
        return false;
    walk->enum_case[few->cases] = object;
    few->enum_case[few->cases++] = (larder_graph_node){
        .at = walk->size, .uses = 1, .class_index = number - 1, .kind = LARDER_NODE_CASE};
    few->simple = false;
    walk->size += sizeof(zval);
    return few_string_place(walk, Z_STR_P(zend_enum_fetch_case_name(object)));
}

/* Return the kind of node for an object, or LARDER_NODE_ARRAY if the value needs a plan. */
static zend_always_inline uint8_t few_object_kind(const larder_class *class, zend_object *object)
{
    if (EXPECTED(class->builtin == LARDER_BUILTIN_NONE))
        return class->kind == LARDER_CLASS_STATE ? LARDER_NODE_STATE : LARDER_NODE_OBJECT;
    return larder_builtin_way(class->builtin, object) == class->builtin
               ? (uint8_t)larder_object_kinds[class->builtin]->node
               : LARDER_NODE_ARRAY;
}

static bool few_object(few_walk *walk, zend_object *object)
{
    larder_few *few = walk->few;
    const larder_state *state = NULL;
    few_seen *seen = NULL;
    if (UNEXPECTED(object->ce->ce_flags & ZEND_ACC_ENUM))
        return few_case(walk, object);
    if (GC_REFCOUNT(object) > 1) {
        if (few_again(walk, object, &seen))
            return seen != NULL;
    } else {
        few_target(walk, FEW_NEW);
    }
    uint32_t number = few_class(walk, object->ce);
    if (number == FEW_NONE)
        return false;
    const larder_class *class = few->class[number - 1];
    /* a lazy object can be stored here only if its class has __serialize(): then the array from
     * this hook is stored */
    if (larder_is_lazy(object) && (class->kind != LARDER_CLASS_STATE || class->bare))
        return false;
    larder_graph_node as = {.at = walk->size,
                            .uses = 1,
                            .class_index = number - 1,
                            .kind = few_object_kind(class, object)};
    bool own = class->builtin != LARDER_BUILTIN_NONE;
    if (UNEXPECTED(own)) {
        if (as.kind == LARDER_NODE_ARRAY)
            return false;
        walk->size += larder_object_kinds[class->builtin]->content;
    } else if (class->kind != LARDER_CLASS_PLAIN && !(class->bare && few->states == NULL)) {
        state = few->states != NULL ? larder_states_find(few->states, object) : NULL;
        if (state == NULL)
            return false; /* the object has a hook that was not called */
    }
    if (class->kind == LARDER_CLASS_PLAIN && !larder_has_plain_handlers(object))
        return false;
    bool told = as.kind == LARDER_NODE_STATE;
    if (told  ? !few_state(walk, object, class, state)
        : own ? !few_own(walk, object, class, &as)
              : !few_open(walk, object, state, &as) || !few_slots(walk, object, state, &as))
        return false;
    larder_graph_node *node = few_node(walk, 0, 0);
    if (node == NULL)
        return false;
    *node = as;
    if (seen != NULL)
        few_number(walk, seen, node);
    if (told || state != NULL)
        few->call[few->calls++] = (uint32_t)(node - few->node);
    few->made |= as.kind != LARDER_NODE_OBJECT;
    few->added |= as.added;
    few->resident &= !as.added;
    few->simple &= as.kind == LARDER_NODE_OBJECT && !as.added && !as.defaults;
    return walk->size <= LARDER_FEW_BYTES;
}

static zend_always_inline size_t few_tables(const larder_few *few)
{
    return few->classes * sizeof(larder_graph_class) +
           (few->cases + few->nodes) * sizeof(larder_graph_node) +
           ZEND_MM_ALIGNED_SIZE_EX(few->calls * sizeof(uint32_t), 8) + sizeof(larder_graph);
}

bool larder_few_measure(larder_few *few, const zval *value, const larder_states *states)
{
    few_walk walk;
    bool nodes = false;
    if (Z_TYPE_P(value) != IS_ARRAY && Z_TYPE_P(value) != IS_OBJECT)
        return false;
    walk.few = few;
    walk.size = 0;
    walk.elements = walk.used_strings = walk.used_seen = 0;
    walk.cases = 0;
    walk.empty = 0;
    memset(walk.cell, 0, sizeof walk.cell);
    walk.literals_used = 0;
    few->value = value;
    few->states = states;
    walk.target = few->target;
    few->nodes = few->cases = few->classes = few->calls = 0;
    few->simple = few->resident = true;
    few->cyclic = few->made = few->added = false;
    if (!few_value(&walk, value, &nodes))
        return false;
    few->size = walk.size;
    few->targets = (uint32_t)(walk.target - few->target);
    few->resident &= few->nodes != 0;
    if (EXPECTED(!nodes))
        return true;
    /* The value contains an enum case outside of slots, perhaps in an array of constants. Only a
     * plan finds constant arrays, so this code leaves the value to a plan. A value that is itself
     * an enum case is no problem. */
    if (walk.cases != few_is_case(value))
        return false;
    few->simple &= few->calls == 0;
    few->size += few_tables(few);
    return true;
}

/* ---- write ---- */

typedef struct few_work {
    const larder_few *few;
    char *build;
    const char *data;       /* the address at which readers see `build` */
    const uint16_t *target; /* the next target */
    size_t at;              /* offset of the next byte to write */
    uint32_t nodes;         /* number of nodes written; enum cases are counted in `cases` */
    uint32_t cases;         /* number of enum cases written */
    uint32_t classes;       /* number of classes whose data was written */
} few_work;

static bool few_write_array(few_work *work, const HashTable *source, const zval *slots,
                            size_t keys);
static void few_write_case(few_work *work, zend_object *object);
static void few_write_object(few_work *work, zend_object *object);
static bool few_write_part(few_work *work, const zval *source, zval *value);

static zend_always_inline void few_write_node(const few_work *work, zval *value, uint32_t index)
{
    larder_node_set(value, work->few->cases + index, work->few->node[index].kind);
}

static zend_always_inline const void *few_write_string(few_work *work, const zend_string *source)
{
    size_t at = (size_t)*work->target++ * 8;
    /* if `at` is lower, an equal string was written before */
    if (at == work->at) {
        work->at = at + LARDER_STRING_SIZE(ZSTR_LEN(source));
        larder_build_string(source, work->build + at);
    }
    return work->data + at;
}

/* Write an element to *value. Returns true if the element is a node. */
static zend_always_inline bool few_write_value(few_work *work, const zval *source, zval *value)
{
    uint32_t type = Z_TYPE_P(source);
    if (EXPECTED(type <= IS_DOUBLE)) {
        /* null, false and true have no value: write 0 over old bytes */
        Z_LVAL_P(value) = UNEXPECTED(type < IS_LONG) ? 0 : Z_LVAL_P(source);
        Z_TYPE_INFO_P(value) = type;
        return false;
    }
    if (EXPECTED(type == IS_STRING)) {
        Z_PTR_P(value) = (void *)(uintptr_t)few_write_string(work, Z_STR_P(source));
        Z_TYPE_INFO_P(value) = IS_STRING;
        return false;
    }
    return few_write_part(work, source, value);
}

/* Write a value that is neither scalar nor string. Returns true if it is a node. */
static bool few_write_part(few_work *work, const zval *source, zval *value)
{
    if (Z_TYPE_P(source) == IS_ARRAY) {
        size_t at = work->at;
        if (Z_ARR_P(source)->nNumOfElements == 0) {
            at = (size_t)*work->target * 8;
        } else if (few_has_owners(Z_ARR_P(source)) && *work->target++ != FEW_NEW) {
            Z_TYPE_INFO_P(value) = IS_ARRAY;
            Z_PTR_P(value) = (void *)(uintptr_t)(work->data + (size_t)work->target[-1] * 8);
            return false;
        }
        if (few_write_array(work, Z_ARR_P(source), NULL, 0)) {
            few_write_node(work, value, work->nodes - 1);
            return true;
        }
        Z_TYPE_INFO_P(value) = IS_ARRAY;
        Z_PTR_P(value) = (void *)(uintptr_t)(work->data + at);
        return false;
    }
    uint32_t number = *work->target++;
    if (UNEXPECTED(few_is_case(source))) {
        if (number == FEW_NEW) {
            few_write_case(work, Z_OBJ_P(source));
            number = work->cases++;
        }
        larder_node_set(value, number, LARDER_NODE_CASE);
        return true;
    }
    if (number == FEW_NEW) {
        if (Z_TYPE_P(source) == IS_OBJECT) {
            few_write_object(work, Z_OBJ_P(source));
        } else {
            zval *content = (zval *)(void *)(work->build + work->at);
            work->at += sizeof *content;
            few_write_value(work, Z_REFVAL_P(source), content);
            content->u2.extra = 0;
            work->nodes++;
        }
        number = work->nodes - 1;
    }
    few_write_node(work, value, number);
    return true;
}

/* Write an array. If `slots` is NULL, the values and keys come from `source`. Otherwise the values
 * come from `slots`, and the keys are in the block already, from the offset `keys` on. Returns true
 * if the array is a node. */
static bool few_write_array(few_work *work, const HashTable *source, const zval *slots, size_t keys)
{
    uint32_t used = source->nNumUsed, size = larder_table_size(used), mask = HT_MIN_MASK;
    bool packed = HT_FLAGS(source) & HASH_FLAG_PACKED, nodes = false;
    size_t at = work->at;
    zend_array *array = (zend_array *)(void *)(work->build + at);
    uint32_t *hash = (uint32_t *)(void *)(array + 1);
    if (UNEXPECTED(source->nNumOfElements == 0)) {
        if ((size_t)*work->target++ * 8 != at)
            return false; /* the empty array was written before */
        work->at = at + sizeof *array + HT_HASH_SIZE(mask);
        larder_array_header(array, HASH_FLAG_UNINITIALIZED, mask, larder_table_size(0), 0,
                            (uintptr_t)(work->data + work->at));
        hash[0] = hash[1] = HT_INVALID_IDX;
        array->nNextFreeElement = zend_empty_array.nNextFreeElement;
        return false;
    }
    if (!packed)
        mask = larder_table_mask(size);
    at += sizeof *array + HT_HASH_SIZE(mask);
    larder_array_header(array, HASH_FLAG_STATIC_KEYS | (packed ? HASH_FLAG_PACKED : 0), mask, size,
                        used, (uintptr_t)(work->data + at));
    if (packed) {
        zval *value = (zval *)(void *)(work->build + at);
        work->at = at + used * sizeof *value;
        hash[0] = hash[1] = HT_INVALID_IDX;
        array->nNextFreeElement = (zend_long)used;
        for (const zval *from = source->arPacked, *end = from + used; from != end;
             from++, value++) {
            nodes |= few_write_value(work, from, value);
            value->u2.next = 0;
        }
        work->nodes += nodes;
        return nodes;
    }
    Bucket *buckets = (Bucket *)(void *)(work->build + at);
    const Bucket *from = source->arData;
    zend_long next = ZEND_LONG_MIN;
    work->at = at + used * sizeof *buckets;
    larder_hash_clear(hash, mask);
    for (uint32_t i = 0; i < used; i++, from++) {
        Bucket *bucket = buckets + i;
        bucket->h = from->h;
        if (UNEXPECTED(from->key == NULL)) {
            bucket->key = NULL;
            next = larder_next_key(next, (zend_long)from->h);
        } else if (slots != NULL) {
            bucket->key = (zend_string *)(uintptr_t)(work->data + keys);
            keys += LARDER_STRING_SIZE(ZSTR_LEN(from->key));
        } else {
            bucket->key = (zend_string *)(uintptr_t)few_write_string(work, from->key);
        }
        nodes |= few_write_value(work, slots != NULL ? slots + i : &from->val, &bucket->val);
        larder_hash_chain(buckets, mask, i);
    }
    array->nNextFreeElement = next;
    work->nodes += nodes;
    return nodes;
}

static void few_write_state(few_work *work, zend_object *object, const larder_state *state,
                            const larder_class *class, size_t class_at)
{
    zval *value = (zval *)(void *)(work->build + work->at);
    work->at += sizeof *value;
    if (state != NULL) {
        few_write_value(work, &state->value, value);
    } else {
        size_t at = work->at;
        if (few_write_array(work, class->parts->list, object->properties_table,
                            class_at + class->parts->keys_at)) {
            few_write_node(work, value, work->nodes - 1);
        } else {
            Z_PTR_P(value) = (void *)(uintptr_t)(work->data + at);
            Z_TYPE_INFO_P(value) = IS_ARRAY;
        }
    }
    value->u2.extra = 0;
}

/* Return the index of a class. For its first object, also write the data of the class. */
static zend_always_inline uint32_t few_write_class(few_work *work, const zend_class_entry *ce)
{
    const larder_few *few = work->few;
    uint32_t index = 0;
    while (few->class[index] -> ce != ce)
        index++;
    if (index == work->classes) {
        const larder_parts *parts = few->class[index]->parts;
        memcpy(work->build + work->at, parts->strings, parts->size);
        work->at += parts->size;
        work->classes++;
    }
    return index;
}

static void few_write_case(few_work *work, zend_object *object)
{
    few_write_class(work, object->ce);
    zval *value = (zval *)(void *)(work->build + work->at);
    work->at += sizeof *value;
    few_write_value(work, zend_enum_fetch_case_name(object), value);
    value->u2.extra = 0;
}

/* Write the elements of a collection. */
static void few_write_list(few_work *work, larder_spl_cursor *cursor, zval *value)
{
    larder_list *list = (larder_list *)(void *)value++;
    *list = (larder_list){.count = cursor->left, .flags = cursor->flags};
    for (const zval *element; (element = larder_spl_next(cursor)) != NULL; value++) {
        list->nodes |= few_write_value(work, element, value);
        value->u2.extra = 0;
    }
}

static void few_write_object(few_work *work, zend_object *object)
{
    const larder_few *few = work->few;
    uint32_t index = few_write_class(work, object->ce);
    const larder_class *class = few->class[index];
    const larder_state *state = few->states != NULL && class->kind != LARDER_CLASS_PLAIN &&
                                        class->builtin == LARDER_BUILTIN_NONE
                                    ? larder_states_find(few->states, object)
                                    : NULL;
    if (class->kind == LARDER_CLASS_STATE && class->builtin == LARDER_BUILTIN_NONE) {
        few_write_state(work, object, state, class, few->class_at[index]);
        work->nodes++;
        return;
    }
    bool own = class->builtin != LARDER_BUILTIN_NONE;
    const larder_object_kind *kind = larder_object_kinds[class->builtin];
    if (UNEXPECTED(kind->content != 0)) {
        kind->write(object, work->build + work->at);
        work->at += kind->content;
    }
    zval *value = (zval *)(void *)(work->build + work->at);
    const zval *slot = object->properties_table;
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    bool asleep = larder_state_selects(state);
    bool added = !asleep && !own && larder_has_added(LARDER_BUILTIN_NONE, object);
    larder_spl_cursor cursor = {.left = 0};
    work->at += (slots + added + (kind->node == LARDER_NODE_WRAP)) * sizeof *value;
    if (kind->node == LARDER_NODE_LIST) {
        cursor = larder_spl_open(class->builtin, object);
        work->at += sizeof(larder_list) + cursor.left * sizeof *value;
    }
    if (kind->node == LARDER_NODE_WRAP) {
        few_write_value(work, larder_spl_array(object), value + slots);
        value[slots].u2.extra = 0;
    } else if (kind->node == LARDER_NODE_LIST) {
        few_write_list(work, &cursor, value + slots);
    }
    for (uint32_t i = 0; i < slots; i++, value++, slot++) {
        if (UNEXPECTED(asleep) && !larder_state_names(state, object, i)) {
            Z_LVAL_P(value) = 0;
            Z_TYPE_INFO_P(value) = LARDER_DEFAULT;
        } else {
            few_write_value(work, slot, value);
        }
        value->u2.extra = 0;
    }
    if (UNEXPECTED(added)) {
        zval properties;
        ZVAL_ARR(&properties, object->properties);
        few_write_part(work, &properties, value);
        value->u2.extra = 0;
    }
    work->nodes++;
}

static void few_write_graph(const few_work *work, const zval *root)
{
    const larder_few *few = work->few;
    size_t nodes_at = work->at + few->classes * sizeof(larder_graph_class);
    size_t calls_at = nodes_at + (few->cases + few->nodes) * sizeof(larder_graph_node);
    larder_graph_class *class = (larder_graph_class *)(void *)(work->build + work->at);
    larder_graph *graph = (larder_graph *)(void *)(work->build + few->size - sizeof(larder_graph));
    for (uint32_t i = 0; i < few->classes; i++) {
        const char *name = work->data + few->class_at[i];
        const zend_class_entry *ce = few->class[i]->ce;
        class[i] = (larder_graph_class){
            .name = (zend_string *)(uintptr_t)name,
            .lower = (zend_string *)(uintptr_t)(name + LARDER_STRING_SIZE(ZSTR_LEN(ce->name))),
            .fingerprint = few->class[i] -> fingerprint,
            .slots = (uint32_t)ce->default_properties_count,
            .kind = few->class[i] -> kind,
        };
    }
    char *nodes = work->build + nodes_at;
    if (UNEXPECTED(few->cases != 0))
        memcpy(nodes, few->enum_case, few->cases * sizeof *few->enum_case);
    memcpy(nodes + few->cases * sizeof *few->node, few->node, few->nodes * sizeof *few->node);
    uint32_t *calls = (uint32_t *)(void *)(work->build + calls_at);
    /* clear the 4 bytes of padding, which may contain old data */
    if (few->calls % 2 != 0)
        calls[few->calls] = 0;
    for (uint32_t i = 0; i < few->calls; i++)
        calls[i] = few->cases + few->call[i];
    *graph = (larder_graph){
        .classes = few->classes,
        .nodes = few->cases + few->nodes,
        .calls = few->calls,
        .cases = few->cases,
        .first = few->cases,
        .built = few->built,
        .flags = (few->simple ? LARDER_GRAPH_SIMPLE : 0) | (few->cyclic ? LARDER_GRAPH_CYCLIC : 0) |
                 (few->made ? LARDER_GRAPH_MADE : 0) | (few->added ? LARDER_GRAPH_ADDED : 0) |
                 (few->built != 0 ? LARDER_GRAPH_RESIDENT : 0),
        .classes_at = work->at,
        .nodes_at = nodes_at,
        .calls_at = calls_at,
    };
    ZVAL_COPY_VALUE(&graph->root, root);
    graph->root.u2.extra = 0;
}

void larder_fill_few(const void *from, void *build, const void *data, size_t size)
{
    const larder_few *few = from;
    few_work work = {.few = few, .build = build, .data = data, .target = few->target};
    zval root;
    (void)size;
    few_write_part(&work, few->value, &root);
    ZEND_ASSERT(work.target == few->target + few->targets);
    ZEND_ASSERT(work.nodes == few->nodes);
    ZEND_ASSERT(work.cases == few->cases);
    if (larder_few_is_graph(few))
        few_write_graph(&work, &root);
    else
        ZEND_ASSERT(work.at == size);
}
