/* plan.c - the measuring pass: chooses an offset in the block for each part of a value, without
 * recursion. Begin reading at larder_plan_value().
 *
 * - Arrays are visited in the order in which the walk found them.
 * - Nodes (objects and references) are on a stack: the last one found is visited next; number.c
 *   says why. */
#include "put/plan.h"
#include "format/format.h"
#include "kinds/builtin.h"
#include "kinds/classes.h"
#include "kinds/spl_layout.h"
#include "put/hooks.h"
#include "put/plan_table.h"
#include "zend_enum.h"

/* ---- strings and arrays ---- */

/* Choose an offset for a new string. A string without a cell, or at an offset above 16 GiB, is
 * stored again at each occurrence. */
static LARDER_HOT zend_never_inline larder_measured plan_string_new(larder_plan *plan,
                                                                    larder_cell *cell,
                                                                    const zend_string *string)
{
    size_t at = plan->size;
    bool near = EXPECTED(at / 8 <= LARDER_INDEX_MAX);
    plan_target(plan, at);
    plan->strings[plan->strings_used] = (larder_planned_string){.source = string, .at = at};
    plan->size = at + LARDER_STRING_SIZE(ZSTR_LEN(string));
    plan->strings_used++;
    if (UNEXPECTED(cell == NULL ? !plan_take(plan)
                                : !plan_fill(plan, cell, near ? string : NULL,
                                             near ? (uint32_t)(at / 8) : LARDER_CELL_ADDRESS)))
        return LARDER_NO_MEMORY;
    return EXPECTED(plan->size <= plan->limit) ? LARDER_NATIVE : LARDER_TOO_LARGE;
}

static zend_always_inline larder_measured plan_string(larder_plan *plan, zend_string *string)
{
    if (plan_is_there(plan, string))
        return plan_target_shared(plan, string);
    zend_ulong hash = zend_string_hash_val(string);
    uint32_t mask = plan->cells_room - 1, i = plan_home(plan, hash), same = 0;
    larder_cell *cell = plan->cells + i;
    for (; cell->stamp == plan->stamp; i = (i + 1) & mask, cell = plan->cells + i) {
        const zend_string *placed = cell->source;
        if (EXPECTED(placed == string))
            return plan_target(plan, (size_t)cell->index * 8);
        if ((cell->index & LARDER_CELL_ADDRESS) || ZSTR_H(placed) != hash)
            continue;
        if (EXPECTED(zend_string_equal_content(placed, string)))
            return plan_target(plan, (size_t)cell->index * 8);
        if (UNEXPECTED(++same == LARDER_SAME_HASH))
            return plan_string_new(plan, NULL, string);
    }
    return plan_string_new(plan, cell, string);
}

/* Return the string at `at`, or NULL if there is none. If `keys` is true, `at` is the address of a
 * bucket, and the string is its key. Otherwise, `at` is the address of an element. */
static zend_always_inline zend_string *plan_run_string(const char *at, bool keys)
{
    const zval *element = (const zval *)(const void *)at;
    return keys                             ? ((const Bucket *)(const void *)at)->key
           : Z_TYPE_P(element) == IS_STRING ? Z_STR_P(element)
                                            : NULL;
}

/* Plan many strings at once: the keys of buckets if `keys` is true, otherwise elements, `step`
 * bytes apart. The caller must have made room for the targets, and checks plan->limit later (in
 * larder_plan_value()). Returns `end`, or the first part that plan_run() cannot plan:
 * - an array or an object
 * - a string whose hash equals that of a different string
 * - a string for which the table must grow */
static zend_always_inline const char *plan_run(larder_plan *plan, const char *at, const char *end,
                                               size_t step, bool keys)
{
    LARDER_MOVE(plan->cells, plan->cells_room * sizeof *plan->cells);
    LARDER_MOVE(plan->strings, plan->cells_room / 2 * sizeof *plan->strings);
    larder_cell *const cells = plan->cells;
    larder_planned_string *string = plan->strings + plan->strings_used;
    const larder_planned_string *full =
        /* the first string for which plan_take() would have to grow the table */
        string + (plan->cells_room / 2 - 1 - plan->cells_used);
    const size_t limit = plan->runs;
    size_t *target = plan->targets + plan->targets_used, size = plan->size;
    const uint64_t multiplier = plan->multiplier;
    const uint32_t shift = plan->shift, stamp = plan->stamp, mask = plan->cells_room - 1;
    for (; at != end; at += step) {
        zend_string *source = plan_run_string(at, keys);
        if (UNEXPECTED(source == NULL)) {
            if (keys || Z_TYPE_P((const zval *)(const void *)at) < IS_STRING)
                continue;
            break;
        }
        /* hash inline: a call of zend_string_hash_func() would make the loop save its registers */
        if (ZSTR_H(source) == 0)
            ZSTR_H(source) = zend_inline_hash_func(ZSTR_VAL(source), ZSTR_LEN(source));
        zend_ulong hash = ZSTR_H(source);
        uint32_t i = (uint32_t)(hash * multiplier >> shift);
        larder_cell *cell = cells + i;
        while (cell->stamp == stamp && cell->source != source &&
               ((cell->index & LARDER_CELL_ADDRESS) ||
                ZSTR_H((const zend_string *)cell->source) != hash))
            cell = cells + (i = (i + 1) & mask);
        if (cell->stamp != stamp) {
            if (UNEXPECTED(string == full) || UNEXPECTED(size > limit))
                break;
            *cell = (larder_cell){.source = source, .stamp = stamp, .index = (uint32_t)(size / 8)};
            *string++ = (larder_planned_string){.source = source, .at = size};
            *target++ = size;
            size += LARDER_STRING_SIZE(ZSTR_LEN(source));
        } else if (EXPECTED(cell->source == source) ||
                   EXPECTED(zend_string_equal_content(cell->source, source))) {
            *target++ = (size_t)cell->index * 8;
        } else {
            break;
        }
    }
    uint32_t added = (uint32_t)(string - plan->strings) - plan->strings_used;
    plan->strings_used += added;
    plan->cells_used += added;
    plan->targets_used = (uint32_t)(target - plan->targets);
    plan->size = size;
    return at;
}

/* For `added`, see larder_is_stored(). */
static zend_always_inline uint32_t plan_count(const HashTable *array, bool added)
{
    if (array->nNumOfElements == 0)
        return 0;
    if (HT_FLAGS(array) & HASH_FLAG_PACKED)
        /* holes of a packed array are stored, too */
        return array->nNumUsed;
    if (EXPECTED(!(HT_FLAGS(array) & HASH_FLAG_HAS_EMPTY_IND)) && EXPECTED(!added))
        return array->nNumOfElements;
    uint32_t count = 0;
    for (uint32_t i = 0; i < array->nNumUsed; i++)
        count += larder_is_stored(&array->arData[i].val, added);
    return count;
}

/* Choose the offset of an array, without its elements. For `added`, see larder_is_stored(). */
static zend_always_inline larder_measured plan_place(larder_plan *plan, const HashTable *array,
                                                     bool added)
{
    LARDER_MOVE(plan->arrays, plan->arrays_room * sizeof *plan->arrays);
    if (UNEXPECTED(plan->arrays_used == plan->arrays_room) &&
        !larder_plan_grow((void **)&plan->arrays, &plan->arrays_room, sizeof *plan->arrays))
        return LARDER_NO_MEMORY;
    uint32_t used = plan_count(array, added);
    larder_planned_array *planned = plan->arrays + plan->arrays_used++;
    planned->source = array;
    planned->at = plan->size;
    planned->used = used;
    planned->uses = 1;
    planned->parent = plan->unit;
    planned->edges = LARDER_NOWHERE;
    planned->node = LARDER_NOWHERE;
    planned->keys = LARDER_NOWHERE;
    planned->target = planned->end = planned->next = planned->after = 0;
    planned->plain = false;
    planned->added = added;
    planned->deep = false;
    /* the undeclared properties of an object are never stored as a constant array */
    planned->varies = added;
    plan->size += sizeof(zend_array);
    if (used == 0 || (HT_FLAGS(array) & HASH_FLAG_PACKED))
        plan->size += HT_HASH_SIZE(HT_MIN_MASK) + used * sizeof(zval);
    else
        plan->size +=
            HT_HASH_SIZE(larder_table_mask(larder_table_size(used))) + used * sizeof(Bucket);
    return EXPECTED(plan->size <= plan->limit) ? LARDER_NATIVE : LARDER_TOO_LARGE;
}

/* Return an unmarked array that contains `array`, or LARDER_NOWHERE. Removes the edges that it
 * tries. */
static uint32_t plan_mark_next(const larder_plan *plan, larder_planned_array *array)
{
    if (array->parent != LARDER_NOWHERE && plan->arrays[array->parent].node == LARDER_NOWHERE)
        return array->parent;
    while (array->edges != LARDER_NOWHERE) {
        larder_planned_edge edge = plan->edges[array->edges];
        array->edges = edge.next;
        if (plan->arrays[edge.parent].node == LARDER_NOWHERE)
            return edge.parent;
    }
    return LARDER_NOWHERE;
}

/* Mark an array that contains a node, and all arrays that contain it directly or indirectly. */
static zend_never_inline void plan_mark_all(larder_plan *plan, uint32_t array)
{
    uint32_t chain = LARDER_NOWHERE;
    for (;;) {
        larder_planned_array *marked = plan->arrays + array;
        marked->node = LARDER_SOMEWHERE;
        plan->marked++;
        marked->marked = chain;
        chain = array;
        do {
            larder_planned_array *from = plan->arrays + chain;
            array = plan_mark_next(plan, from);
            if (array == LARDER_NOWHERE)
                chain = from->marked;
        } while (array == LARDER_NOWHERE && chain != LARDER_NOWHERE);
        if (array == LARDER_NOWHERE)
            return;
    }
}

static zend_always_inline void plan_mark(larder_plan *plan, uint32_t array)
{
    if (array != LARDER_NOWHERE && plan->arrays[array].node == LARDER_NOWHERE)
        plan_mark_all(plan, array);
}

static larder_measured plan_array_again(larder_plan *plan, uint32_t index)
{
    plan->arrays[index].uses++;
    plan->shared = plan->shared || plan->arrays[index].used != 0;
    if (plan->arrays[index].node != LARDER_NOWHERE) {
        plan_mark(plan, plan->unit);
    } else if (plan->unit != LARDER_NOWHERE && plan->arrays[index].used != 0) {
        LARDER_MOVE(plan->edges, plan->edges_room * sizeof *plan->edges);
        if (plan->edges_used == plan->edges_room &&
            !larder_plan_grow((void **)&plan->edges, &plan->edges_room, sizeof *plan->edges))
            return LARDER_NO_MEMORY;
        plan->edges[plan->edges_used] =
            (larder_planned_edge){.parent = plan->unit, .next = plan->arrays[index].edges};
        plan->arrays[index].edges = plan->edges_used++;
    }
    plan_target(plan, index | LARDER_TARGET_ARRAY);
    return UNEXPECTED(plan->shared && plan->referred) ? LARDER_SERIALIZE : LARDER_NATIVE;
}

/* Plan an array. If a value contains both a reference to an array and an array that occurs twice,
 * PHP's serializer must store the value. */
static LARDER_HOT zend_never_inline larder_measured plan_array(larder_plan *plan,
                                                               const HashTable *array)
{
    if (plan_is_there(plan, array))
        return plan_target_shared(plan, array);
    if (plan->unit != LARDER_NOWHERE)
        plan->arrays[plan->unit].deep = true;
    /* an array with one owner cannot occur again */
    if (GC_REFCOUNT(array) > 1 || (GC_FLAGS(array) & GC_IMMUTABLE) || plan->arrays_used == 0) {
        larder_cell *cell = plan_find(plan, plan_address_hash(array), array);
        if (cell->stamp == plan->stamp)
            return plan_array_again(plan, cell->index & ~LARDER_CELL_ADDRESS);
        if (!plan_fill(plan, cell, array, plan->arrays_used | LARDER_CELL_ADDRESS))
            return LARDER_NO_MEMORY;
    }
    plan_target(plan, plan->arrays_used | LARDER_TARGET_ARRAY);
    return plan_place(plan, array, false);
}

/* ---- nodes ---- */

/* Add a class to the plan, with room in the block for `size` bytes of data, at the offset *at. The
 * caller fills in the result. Returns NULL if there is no memory. */
static zend_always_inline larder_planned_class *plan_class_add(larder_plan *plan, size_t size,
                                                               size_t *at)
{
    LARDER_MOVE(plan->classes, plan->classes_room * sizeof *plan->classes);
    if (plan->classes_used == plan->classes_room &&
        !larder_plan_grow((void **)&plan->classes, &plan->classes_room, sizeof *plan->classes))
        return NULL;
    *at = plan->size;
    plan->size += size;
    return plan->classes + plan->classes_used++;
}

/* Add an alias of a class to the plan, if it is not there yet. Returns false if there is no
 * memory. */
static bool plan_alias(void *context, const zend_string *name, const zend_class_entry *ce)
{
    larder_plan *plan = context;
    for (uint32_t i = 0; i < plan->classes_used; i++)
        if (plan->classes[i].ce == NULL && zend_string_equals(plan->classes[i].name, name))
            return true;
    size_t at;
    larder_planned_class *planned =
        plan_class_add(plan, 2 * LARDER_STRING_SIZE(ZSTR_LEN(name)), &at);
    if (planned == NULL)
        return false;
    *planned = (larder_planned_class){.name = name,
                                      .fingerprint = larder_class_alias_fingerprint(name, ce),
                                      .at = at,
                                      .kind = LARDER_CLASS_ALIAS,
                                      .resident = true};
    return true;
}

/* Add a class to the plan, and return its index. Returns LARDER_NOWHERE if PHP's serializer must
 * store the objects, or if there is no memory; *rc tells which. */
static LARDER_HOT zend_never_inline uint32_t plan_class_new(larder_plan *plan, zend_class_entry *ce,
                                                            larder_measured *rc)
{
    larder_class *class = larder_class_of(ce);
    *rc = LARDER_NO_MEMORY;
    if (class == NULL)
        return LARDER_NOWHERE;
    if (class->number < plan->classes_used && plan->classes[class->number].ce == ce)
        return class->number;
    class->number = plan->classes_used;
    *rc = LARDER_SERIALIZE;
    if (class->kind == LARDER_CLASS_OTHER)
        return LARDER_NOWHERE;
    *rc = LARDER_NO_MEMORY;
    if (class->parts == NULL && (class->parts = larder_parts_make(ce, class->bare)) == NULL)
        return LARDER_NOWHERE;
    uint32_t number = class->number;
    size_t at;
    larder_planned_class *planned = plan_class_add(plan, class->parts->size, &at);
    if (UNEXPECTED(planned == NULL))
        return LARDER_NOWHERE;
    *planned = (larder_planned_class){.ce = ce,
                                      .name = ce->name,
                                      .parts = class->parts,
                                      .fingerprint = class->fingerprint,
                                      .at = at,
                                      .kind = class->kind,
                                      .keys = LARDER_NOWHERE,
                                      .sleep = class->sleep != NULL,
                                      .resident = class->resident,
                                      .bare = class->bare,
                                      .builtin = class->builtin};
    if (UNEXPECTED(class->names_classes) && !larder_class_aliases(class, plan_alias, plan))
        return LARDER_NOWHERE;
    return number;
}

static zend_always_inline uint32_t plan_class(larder_plan *plan, zend_class_entry *ce,
                                              larder_measured *rc)
{
    uintptr_t address = (uintptr_t)ce;
    uint32_t *hint = plan->class_hints + ((address >> 4 ^ address >> 9) & (LARDER_CLASS_HINTS - 1));
    if (UNEXPECTED(*hint >= plan->classes_used || plan->classes[*hint].ce != ce))
        *hint = plan_class_new(plan, ce, rc);
    return *hint;
}

/* Add a target for an object or a reference with `count` owners. If the plan has no node for it
 * yet, adds one, and sets *out to it: the caller must fill it in. Otherwise sets *out to NULL. */
static zend_always_inline larder_measured plan_node(larder_plan *plan, const void *address,
                                                    uint32_t count, uint8_t kind,
                                                    larder_planned_node **out)
{
    *out = NULL;
    plan_mark(plan, plan->unit);
    if (kind != LARDER_NODE_CASE && plan->unit != LARDER_NOWHERE)
        plan->arrays[plan->unit].varies = true;
    /* a node with one owner cannot occur again */
    if (count > 1) {
        larder_cell *cell = plan_find(plan, plan_address_hash(address), address);
        if (cell->stamp == plan->stamp) {
            uint32_t index = cell->index & ~LARDER_CELL_ADDRESS;
            plan->nodes[index].uses++;
            plan->again |= kind != LARDER_NODE_CASE;
            return plan_target(plan, index | LARDER_TARGET_NODE);
        }
        if (!plan_fill(plan, cell, address, plan->nodes_used | LARDER_CELL_ADDRESS))
            return LARDER_NO_MEMORY;
    }
    plan_target(plan, plan->nodes_used | LARDER_TARGET_NODE);
    LARDER_MOVE(plan->nodes, plan->nodes_room * sizeof *plan->nodes);
    LARDER_MOVE(plan->visited, plan->nodes_room * sizeof *plan->visited);
    if (UNEXPECTED(plan->nodes_used == plan->nodes_room) && !larder_plan_grow_nodes(plan))
        return LARDER_NO_MEMORY;
    if (UNEXPECTED(!plan_orders(plan, (size_t)plan->order_used + 1)))
        return LARDER_NO_MEMORY;
    plan->mixed |= plan->found != plan->unit && plan->found != LARDER_SOMEWHERE;
    plan->found = plan->unit;
    larder_planned_node *node = *out = plan->nodes + plan->nodes_used++;
    node->state = NULL;
    node->uses = 1;
    node->class_index = 0;
    node->kind = kind;
    node->builtin = LARDER_BUILTIN_NONE;
    node->added = false;
    node->next = LARDER_NOWHERE;
    plan->order[plan->order_used++] = plan->nodes_used - 1;
    return LARDER_NATIVE;
}

/* Set *state to the result of an object's hook. If no hooks were called yet, record that this
 * object has one. `asked` is true if the object cannot be planned without the result of its hook.
 * Returns true if the caller must return *rc now. */
static zend_always_inline bool plan_hooked(larder_plan *plan, bool asked, const zend_object *object,
                                           const larder_state **state, larder_measured *rc)
{
    if (plan->states != NULL) {
        *state = larder_states_find(plan->states, object);
        /* The walk of hooks.c has not met this object: a hook has created the object later. So
         * another walk must call the object's hook. */
        *rc = LARDER_HOOKS;
        return *state == NULL;
    }
    plan->hooks = true;
    *rc = LARDER_NATIVE;
    return asked;
}

/* Return true if an object of a bare class (with __unserialize(), but without __serialize()) can be
 * planned without the walk in hooks.c. */
static bool plan_takes_bare(const larder_plan *plan, const zend_object *object)
{
    size_t slots = (size_t)object->ce->default_properties_count;
    return plan->states == NULL && !plan->hooks &&
           object->handlers == zend_get_std_object_handlers() &&
           sizeof(HashTable) + slots * sizeof(Bucket) <= LARDER_PLANNED_PAGE &&
           !larder_has_added(LARDER_BUILTIN_NONE, object);
}

static LARDER_HOT zend_never_inline larder_measured plan_object(larder_plan *plan,
                                                                zend_object *object)
{
    larder_measured rc = LARDER_NATIVE;
    larder_planned_node *node;
    const larder_state *state = NULL;
    uint8_t node_kind = LARDER_NODE_OBJECT;
    uint32_t number = plan_class(plan, object->ce, &rc);
    if (UNEXPECTED(number == LARDER_NOWHERE))
        return rc;
    uint32_t kind = plan->classes[number].kind;
    /* Only PHP's serializer can store this lazy object. Decide this before any hook runs, because
     * the serializer calls __sleep() itself. */
    if (larder_is_lazy(object) && (kind != LARDER_CLASS_STATE || plan->classes[number].bare))
        return LARDER_SERIALIZE;
    larder_builtin builtin = plan->classes[number].builtin;
    if (builtin != LARDER_BUILTIN_NONE)
        builtin = larder_builtin_way(builtin, object);
    if (builtin != LARDER_BUILTIN_NONE) {
        node_kind = larder_object_kinds[builtin]->node;
    } else if (kind == LARDER_CLASS_ENUM) {
        node_kind = LARDER_NODE_CASE;
    } else if (kind == LARDER_CLASS_STATE || kind == LARDER_CLASS_BUILTIN) {
        node_kind = LARDER_NODE_STATE;
        if (!(plan->classes[number].bare && plan_takes_bare(plan, object)) &&
            plan_hooked(plan, true, object, &state, &rc))
            return rc;
    } else if (kind == LARDER_CLASS_SLEEP &&
               plan_hooked(plan, plan->classes[number].sleep, object, &state, &rc)) {
        return rc;
    } else if (UNEXPECTED(!larder_has_plain_handlers(object))) {
        return LARDER_SERIALIZE;
    }
    rc = plan_node(plan, object, GC_REFCOUNT(object), node_kind, &node);
    if (node != NULL) {
        node->source.object = object;
        node->class_index = number;
        node->builtin = (uint8_t)builtin;
        node->state = state;
        plan->calls += larder_node_is_called(node);
    }
    return rc;
}

static larder_measured plan_reference(larder_plan *plan, zend_reference *reference)
{
    larder_planned_node *node;
    plan->referred = plan->referred || Z_TYPE(reference->val) == IS_ARRAY;
    plan->references = true;
    if (UNEXPECTED(plan->shared && plan->referred))
        return LARDER_SERIALIZE;
    larder_measured rc =
        plan_node(plan, reference, GC_REFCOUNT(reference), LARDER_NODE_REFERENCE, &node);
    if (node != NULL)
        node->source.reference = reference;
    return rc;
}

static zend_always_inline larder_measured plan_direct(larder_plan *plan, const zval *value)
{
    switch (Z_TYPE_P(value)) {
    case IS_STRING:
        return plan_string(plan, Z_STR_P(value));
    case IS_ARRAY:
        return plan_array(plan, Z_ARR_P(value));
    case IS_OBJECT:
        return plan_object(plan, Z_OBJ_P(value));
    default:
        return EXPECTED(Z_TYPE_P(value) <= IS_DOUBLE) ? LARDER_NATIVE : LARDER_SERIALIZE;
    }
}

static zend_never_inline larder_measured plan_indirect(larder_plan *plan, const zval *element)
{
    const zval *value = larder_element(element);
    if (Z_TYPE_P(value) == IS_REFERENCE)
        return plan_reference(plan, Z_REF_P(value));
    if (Z_TYPE_P(value) == IS_ARRAY && Z_ISREF_P(element)) {
        plan->referred = true;
        if (plan->shared)
            return LARDER_SERIALIZE;
    }
    return plan_direct(plan, value);
}

/* Plan one value. The caller must have made room for its target. */
static zend_always_inline larder_measured plan_value(larder_plan *plan, const zval *element)
{
    if (EXPECTED(Z_TYPE_P(element) <= IS_OBJECT))
        return plan_direct(plan, element);
    return plan_indirect(plan, element);
}

/* Plan the slots of an object, beginning with the slot `first`, then the object's undeclared
 * properties. */
static zend_always_inline larder_measured plan_slots(larder_plan *plan, uint32_t index,
                                                     uint32_t first)
{
    zend_object *object = plan->nodes[index].source.object;
    const zval *slot = object->properties_table + first;
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    larder_measured rc;
    const larder_state *state = plan->nodes[index].state;
    bool asleep = larder_state_selects(state);
    bool added = !asleep && plan->nodes[index].kind == LARDER_NODE_OBJECT &&
                 larder_has_added(LARDER_BUILTIN_NONE, object);
    plan->nodes[index].size += (uint32_t)((slots - first + added) * sizeof(zval));
    /* __sleep() has named undeclared properties */
    if (UNEXPECTED(asleep) && state->named != zend_hash_num_elements(Z_ARR(state->value)))
        return LARDER_SERIALIZE;
    if (UNEXPECTED(!plan_targets(plan, (size_t)slots + added)))
        return LARDER_NO_MEMORY;
    for (uint32_t i = first; i < slots; i++, slot++) {
        if (UNEXPECTED(asleep) && larder_slot_is_default(object, state, i))
            continue;
        if (UNEXPECTED((rc = plan_value(plan, slot)) != LARDER_NATIVE))
            return rc;
    }
    if (EXPECTED(!added))
        return LARDER_NATIVE;
    plan->nodes[index].added = true;
    plan_target(plan, plan->arrays_used | LARDER_TARGET_ARRAY);
    return plan_place(plan, object->properties, true);
}

static LARDER_HOT larder_measured plan_properties(larder_plan *plan, uint32_t index)
{
    return plan_slots(plan, index, 0);
}

/* Plan the array of an object, then the object's properties, as serialize() does. */
static larder_measured plan_wrap(larder_plan *plan, uint32_t index)
{
    plan->nodes[index].size = sizeof(zval);
    if (!plan_targets(plan, 1))
        return LARDER_NO_MEMORY;
    larder_measured rc = plan_value(plan, larder_spl_array(plan->nodes[index].source.object));
    return rc == LARDER_NATIVE ? plan_properties(plan, index) : rc;
}

/* Plan the elements of an object, then the object's properties, as serialize() does. */
static larder_measured plan_list(larder_plan *plan, uint32_t index)
{
    larder_planned_node *node = plan->nodes + index;
    larder_spl_cursor cursor = larder_spl_open(node->builtin, node->source.object);
    size_t size = sizeof(larder_list) + cursor.left * sizeof(zval);
    if (size > UINT32_MAX / 2 || size > plan->limit)
        return LARDER_TOO_LARGE;
    node->size = (uint32_t)size;
    if (!plan_targets(plan, cursor.left))
        return LARDER_NO_MEMORY;
    larder_measured rc = LARDER_NATIVE;
    for (const zval *value; rc == LARDER_NATIVE && (value = larder_spl_next(&cursor)) != NULL;)
        rc = plan_value(plan, value);
    return rc == LARDER_NATIVE ? plan_properties(plan, index) : rc;
}

/* Plan the array from the __serialize() of one of PHP's own classes. */
static larder_measured plan_told(larder_plan *plan, zend_object *object)
{
    larder_planned_list *list = malloc(sizeof *list);
    if (list == NULL)
        return LARDER_NO_MEMORY;
    list->next = plan->lists;
    ZVAL_UNDEF(&list->told);
    /* add the list before the call: if the call ends the request, only plan->lists is freed */
    plan->lists = list;
    if (!larder_builtin_call(object, object->ce->__serialize, NULL, &list->told))
        /* an exception is set, so larder_serializable() will refuse the value */
        return LARDER_SERIALIZE;
    return plan_value(plan, &list->told);
}

static zend_always_inline Bucket *plan_bare_property(Bucket *bucket, zend_string *name,
                                                     const zval *value)
{
    if (Z_TYPE_P(value) == IS_UNDEF)
        return bucket;
    ZVAL_COPY_VALUE(&bucket->val, value);
    bucket->key = name;
    bucket->h = zend_string_hash_val(name);
    return bucket + 1;
}

/* Plan an array for a bare object's __unserialize(). Its keys are the mangled names of the
 * properties. The array belongs to the plan, and owns no references to the values. */
static larder_measured plan_bare_named(larder_plan *plan, zend_object *object)
{
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    HashTable *list = larder_plan_keep(plan, sizeof *list + slots * sizeof(Bucket));
    if (list == NULL)
        return LARDER_NO_MEMORY;
    Bucket *bucket = (Bucket *)(void *)(list + 1);
    /* write.c makes the hash part of the stored array */
    *list = (HashTable){.arData = bucket};
    /* The order of the table of properties may differ from that of the slots. So if the object has
     * a table, take the order of the table. */
    const HashTable *named = object->properties;
    for (uint32_t i = 0; named != NULL && i < named->nNumUsed; i++)
        if (Z_TYPE(named->arData[i].val) == IS_INDIRECT)
            bucket =
                plan_bare_property(bucket, named->arData[i].key, Z_INDIRECT(named->arData[i].val));
    for (uint32_t i = 0; named == NULL && i < slots; i++) {
        const zend_property_info *info = object->ce->properties_info_table[i];
        if (info != NULL)
            bucket = plan_bare_property(bucket, info->name, OBJ_PROP(object, info->offset));
    }
    list->nNumUsed = list->nNumOfElements = (uint32_t)(bucket - list->arData);
    plan_target(plan, plan->arrays_used | LARDER_TARGET_ARRAY);
    return plan_place(plan, list, false);
}

/* Plan the array of a bare object's properties, if possible as a copy of larder_parts.list. */
static larder_measured plan_bare_state(larder_plan *plan, uint32_t index)
{
    zend_object *object = plan->nodes[index].source.object;
    larder_planned_class *class = plan->classes + plan->nodes[index].class_index;
    const larder_parts *parts = class->parts;
    const zval *slot = object->properties_table;
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    if (parts->list == NULL || object->properties != NULL)
        return plan_bare_named(plan, object);
    for (uint32_t i = 0; i < slots; i++)
        if (Z_TYPE(slot[i]) == IS_UNDEF)
            return plan_bare_named(plan, object);
    HashTable *list = larder_plan_keep(plan, parts->list_size);
    if (list == NULL || !plan_targets(plan, (size_t)slots + 1))
        return LARDER_NO_MEMORY;
    memcpy(list, parts->list, parts->list_size);
    Bucket *bucket = (Bucket *)(void *)((char *)list + parts->list_size) - slots;
    list->arData = bucket;
    for (uint32_t i = 0; i < slots; i++, bucket++)
        ZVAL_COPY_VALUE(&bucket->val, slot + i);
    plan_target(plan, plan->arrays_used | LARDER_TARGET_ARRAY);
    if (class->keys == LARDER_NOWHERE) {
        size_t at = class->at + parts->keys_at;
        class->keys = plan->targets_used;
        for (bucket = list->arData; slots != 0; slots--, bucket++) {
            plan_target(plan, at);
            at += LARDER_STRING_SIZE(ZSTR_LEN(bucket->key));
        }
    }
    larder_measured rc = plan_place(plan, list, false);
    if (EXPECTED(rc == LARDER_NATIVE))
        plan->arrays[plan->arrays_used - 1].keys = class->keys;
    return rc;
}

static larder_measured plan_inside(larder_plan *plan, uint32_t index)
{
    larder_planned_node *node = plan->nodes + index;
    node->target = plan->targets_used;
    node->size = 0;
    if (EXPECTED(node->kind == LARDER_NODE_OBJECT))
        return plan_properties(plan, index);
    if (larder_node_has_content(node->kind)) {
        const larder_object_kind *kind = larder_object_kinds[node->builtin];
        node->size = kind->content;
        return node->kind == LARDER_NODE_CARBON ? LARDER_NATIVE
                                                : plan_slots(plan, index, kind->made);
    }
    if (node->kind == LARDER_NODE_WRAP)
        return plan_wrap(plan, index);
    if (node->kind == LARDER_NODE_LIST)
        return plan_list(plan, index);
    node->size = sizeof(zval);
    if (UNEXPECTED(!plan_targets(plan, 1)))
        return LARDER_NO_MEMORY;
    if (node->kind == LARDER_NODE_STATE)
        return node->state != NULL         ? plan_value(plan, &node->state->value)
               : larder_node_is_bare(node) ? plan_bare_state(plan, index)
                                           : plan_told(plan, node->source.object);
    if (node->kind == LARDER_NODE_CASE) {
        plan->cases = true;
        return plan_string(plan, Z_STR_P(zend_enum_fetch_case_name(node->source.object)));
    }
    return plan_value(plan, &node->source.reference->val);
}

static larder_measured plan_finish_graph(larder_plan *plan)
{
    /* A fetch makes one copy of an array for each occurrence, and the copies would not share the
     * references that they contain. So serialize a value in which such an array occurs twice. */
    if (UNEXPECTED(plan->references))
        for (uint32_t i = 0; i < plan->arrays_used; i++)
            if (plan->arrays[i].uses > 1 && plan->arrays[i].node != LARDER_NOWHERE)
                return LARDER_SERIALIZE;
    if (UNEXPECTED(!plan_orders(plan, (size_t)plan->nodes_used + plan->marked)))
        return LARDER_NO_MEMORY;
    larder_plan_order(plan);
    if (UNEXPECTED(!larder_plan_calls(plan)))
        return LARDER_NO_MEMORY;
    plan->classes_at = plan->size;
    plan->nodes_at = plan->classes_at + plan->classes_used * sizeof(larder_graph_class);
    plan->calls_at = plan->nodes_at + plan->order_used * sizeof(larder_graph_node);
    plan->size = plan->calls_at + ZEND_MM_ALIGNED_SIZE_EX(plan->calls * sizeof(uint32_t), 8) +
                 sizeof(larder_graph);
    return plan->size <= plan->limit ? LARDER_NATIVE : LARDER_TOO_LARGE;
}

static bool plan_is_plain(const HashTable *array)
{
    bool others = false;
    for (uint32_t i = 0; i < array->nNumUsed; i++)
        others |= Z_TYPE(array->arPacked[i]) > IS_DOUBLE;
    return !others;
}

/* Return an earlier array with the same key strings, or NULL. Compares only addresses: rows of a
 * query result share their key strings. */
static zend_always_inline const larder_planned_array *
plan_like(larder_plan *plan, uint32_t index, const Bucket *bucket, uint32_t count)
{
    uint32_t *hint = plan->keys_hints + (((uintptr_t)bucket->key >> 4 ^
                                          (uintptr_t)bucket[count - 1].key >> 5 ^ count) &
                                         (LARDER_KEYS_HINTS - 1));
    const larder_planned_array *like = plan->arrays + *hint;
    if (UNEXPECTED(*hint >= index) || like->keys == LARDER_NOWHERE || like->used != count ||
        like->source->nNumUsed != count) {
        *hint = index;
        return NULL;
    }
    const Bucket *other = like->source->arData;
    for (uint32_t i = 0; i < count; i++)
        if (UNEXPECTED(bucket[i].key != other[i].key)) {
            *hint = index;
            return NULL;
        }
    return like;
}

/* minimum number of elements of an array for plan_run(), which is slower for fewer elements */
#define PLAN_RUN_MIN 4u
static zend_always_inline bool plan_runs(const larder_plan *plan, const HashTable *array)
{
    return array->nNumUsed >= PLAN_RUN_MIN && EXPECTED(plan->runs != 0);
}

/* The next three functions pass constants to plan_run(), so the compiler makes a fast version for
 * each. */
static LARDER_HOT zend_never_inline const Bucket *
plan_run_keys(larder_plan *plan, const Bucket *bucket, const Bucket *end)
{
    return (const Bucket *)(const void *)plan_run(plan, (const char *)bucket, (const char *)end,
                                                  sizeof *bucket, true);
}

static LARDER_HOT zend_never_inline const zval *plan_run_values(larder_plan *plan,
                                                                const zval *value, const zval *end)
{
    return (const zval *)(const void *)plan_run(plan, (const char *)value, (const char *)end,
                                                sizeof *value, false);
}

static LARDER_HOT zend_never_inline const Bucket *
plan_run_buckets(larder_plan *plan, const Bucket *bucket, const Bucket *end)
{
    return (const Bucket *)(const void *)plan_run(plan, (const char *)&bucket->val,
                                                  (const char *)&end->val, sizeof *bucket, false);
}

/* Plan the keys of an array. `all` is true if all of its buckets are stored. The caller must have
 * made room for the targets. */
static zend_always_inline larder_measured plan_keys(larder_plan *plan, uint32_t index, bool all)
{
    larder_planned_array *planned = plan->arrays + index;
    const HashTable *array = planned->source;
    const larder_planned_array *like =
        EXPECTED(all) ? plan_like(plan, index, array->arData, array->nNumUsed) : NULL;
    larder_measured rc;
    if (like != NULL) {
        planned->keys = like->keys;
        return LARDER_NATIVE;
    }
    planned->keys = plan->targets_used;
    for (const Bucket *bucket = array->arData, *end = bucket + array->nNumUsed; bucket != end;
         bucket++) {
        if (all && plan_runs(plan, array) && (bucket = plan_run_keys(plan, bucket, end)) == end)
            break;
        if (bucket->key != NULL &&
            (EXPECTED(all) || larder_is_stored(&bucket->val, planned->added)) &&
            UNEXPECTED((rc = plan_string(plan, bucket->key)) != LARDER_NATIVE))
            return rc;
    }
    return LARDER_NATIVE;
}

static zend_always_inline bool plan_skips(const zval *value)
{
    return Z_TYPE_P(value) <= IS_STRING ||
           (Z_TYPE_P(value) == IS_ARRAY && Z_REFCOUNTED_P(value) && Z_REFCOUNT_P(value) == 1 &&
            larder_is_flat(Z_ARR_P(value), 0));
}

/* Plan the elements of `array` only to find a part that needs PHP's serializer. Called after an
 * object with a hook was found, so the plan will be discarded. */
static larder_measured plan_search(larder_plan *plan, const HashTable *array, bool added)
{
    bool packed = HT_FLAGS(array) & HASH_FLAG_PACKED;
    size_t step = packed ? sizeof(zval) : sizeof(Bucket);
    const char *at = packed ? (const char *)array->arPacked : (const char *)&array->arData->val;
    if (!plan_targets(plan, array->nNumUsed))
        return LARDER_NO_MEMORY;
    for (uint32_t left = array->nNumUsed; left != 0; left--, at += step) {
        const zval *value = (const zval *)(const void *)at;
        larder_measured rc;
        if (!plan_skips(value) && larder_is_stored(value, added) &&
            (rc = plan_value(plan, value)) != LARDER_NATIVE)
            return rc;
    }
    return LARDER_NATIVE;
}

static larder_measured plan_elements(larder_plan *plan, uint32_t index)
{
    larder_planned_array *planned = plan->arrays + index;
    const HashTable *array = planned->source;
    bool added = planned->added, all = planned->used == array->nNumUsed;
    larder_measured rc;
    plan->unit = index;
    planned->target = plan->targets_used;
    if (UNEXPECTED(plan->hooks))
        return plan_search(plan, array, added);
    if (HT_FLAGS(array) & HASH_FLAG_PACKED) {
        planned->plain = plan_is_plain(array);
        if (planned->plain)
            return LARDER_NATIVE;
        if (UNEXPECTED(!plan_targets(plan, array->nNumUsed)))
            return LARDER_NO_MEMORY;
        for (const zval *value = array->arPacked, *end = value + array->nNumUsed; value != end;
             value++) {
            if (Z_TYPE_P(value) == IS_STRING && plan_runs(plan, array) &&
                (value = plan_run_values(plan, value, end)) == end)
                break;
            if (UNEXPECTED((rc = plan_value(plan, value)) != LARDER_NATIVE))
                return rc;
        }
        return LARDER_NATIVE;
    }
    if (UNEXPECTED(!plan_targets(plan, (size_t)array->nNumUsed * 2)))
        return LARDER_NO_MEMORY;
    if (EXPECTED(planned->keys == LARDER_NOWHERE) &&
        UNEXPECTED((rc = plan_keys(plan, index, all)) != LARDER_NATIVE))
        return rc;
    planned->target = plan->targets_used;
    for (const Bucket *bucket = array->arData, *end = bucket + array->nNumUsed; bucket != end;
         bucket++) {
        if (Z_TYPE(bucket->val) == IS_STRING && EXPECTED(all) && plan_runs(plan, array) &&
            (bucket = plan_run_buckets(plan, bucket, end)) == end)
            break;
        if (UNEXPECTED(!all) && !larder_is_stored(&bucket->val, added))
            continue;
        if (UNEXPECTED((rc = plan_value(plan, &bucket->val)) != LARDER_NATIVE))
            return rc;
    }
    return LARDER_NATIVE;
}

larder_measured larder_plan_value(const zval *value, const larder_states *states, size_t limit,
                                  const lrd_store *reuse, larder_plan **out)
{
    larder_plan *plan = *out = larder_plan_begin(limit, reuse);
    if (plan == NULL || !plan_targets(plan, 1))
        return LARDER_NO_MEMORY;
    plan->states = states;
    larder_measured rc = plan_value(plan, value);
    if (rc != LARDER_NATIVE)
        return rc;
    if (UNEXPECTED(plan->targets_used == 0))
        /* the value is an object whose hooks must be called first */
        return LARDER_HOOKS;
    plan->root = plan->targets[0];
    plan->targets_used = 0;
    for (uint32_t array = 0; rc == LARDER_NATIVE;) {
        if (array < plan->arrays_used) {
            if (array + LARDER_AHEAD < plan->arrays_used)
                larder_prefetch_array(plan->arrays + array + LARDER_AHEAD);
            plan->arrays[array].after = plan->visited_used;
            if (plan->arrays[array].used != 0) {
                rc = plan_elements(plan, array);
                plan->arrays[array].next = plan->arrays[array].target;
                plan->arrays[array].end = plan->targets_used;
            }
            array++;
        } else if (plan->order_used != 0) {
            uint32_t node = plan->order[--plan->order_used];
            if (plan->order_used >= LARDER_AHEAD)
                __builtin_prefetch(
                    plan->nodes[plan->order[plan->order_used - LARDER_AHEAD]].source.object);
            plan->visited[plan->visited_used++] = node;
            plan->unit = LARDER_NOWHERE;
            plan->found = LARDER_SOMEWHERE;
            rc = plan_inside(plan, node);
            plan->nodes[node].end = plan->targets_used;
        } else {
            break;
        }
    }
    if (rc == LARDER_NATIVE && plan->size > plan->limit)
        rc = LARDER_TOO_LARGE;
    if (UNEXPECTED(plan->hooks) && (rc == LARDER_NATIVE || rc == LARDER_TOO_LARGE))
        return LARDER_HOOKS;
    return rc == LARDER_NATIVE && larder_plan_is_graph(plan) ? plan_finish_graph(plan) : rc;
}
