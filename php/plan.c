/* plan.c - the measuring pass: walks a value, breadth first and without recursion, and decides where
 * each part of it will lie. Read larder_plan_value() first; build.c walks the same way.
 *
 * The scratch memory belongs to the thread, comes from malloc and outlives requests, so that a
 * bailout cannot leak it and storing does not touch the request's memory. */
#include "plan.h"
#include "zend_enum.h"

#define PLAN_KEEP_MAX                                                                              \
    (1u << 20) /* scratch memory above this is given back after the request; bytes */

static bool plan_grow(void **memory, size_t *room, size_t least, size_t element)
{
    size_t wanted = *room * 2 > least ? *room * 2 : least;
    if (wanted < 64)
        wanted = 64;
    void *grown = wanted <= SIZE_MAX / element ? realloc(*memory, wanted * element) : NULL;
    if (grown == NULL)
        return false;
    *memory = grown;
    *room = wanted;
    return true;
}

static bool plan_grow32(void **memory, uint32_t *room, size_t element)
{
    size_t wide = *room;
    if (*room >= LARDER_CELL_NODE / 2 || !plan_grow(memory, &wide, 0, element))
        return false;
    *room = (uint32_t)wide;
    return true;
}

static zend_always_inline bool plan_target(larder_plan *plan, size_t at)
{
    if (UNEXPECTED(plan->targets_used == plan->targets_room) &&
        !plan_grow((void **)&plan->targets, &plan->targets_room, 0, sizeof *plan->targets))
        return false;
    plan->targets[plan->targets_used++] = at;
    return true;
}

/* Whether it lies in the store that the plan is for: a string with its hash, or an array with no node. */
static zend_always_inline bool plan_is_there(const larder_plan *plan, const void *address)
{
    return UNEXPECTED((uintptr_t)address - plan->reuse < plan->reuse_size);
}

static bool plan_target_shared(larder_plan *plan, const void *address)
{
    return plan_target(plan, (size_t)(uintptr_t)address | LARDER_TARGET_SHARED);
}

/* ---- the table of what is placed already ------------------------------------------------------ */

static zend_ulong plan_address_hash(const void *address)
{
    return ((zend_ulong)(uintptr_t)address >> 4) * (zend_ulong)0x9e3779b97f4a7c15ull >> 16;
}

static zend_ulong plan_cell_hash(const larder_plan *plan, const larder_cell *cell)
{
    uint32_t index = cell->index & ~LARDER_CELL_KIND;
    if (cell->index & LARDER_CELL_ARRAY)
        return plan_address_hash(plan->arrays[index].source);
    if (cell->index & LARDER_CELL_NODE)
        return plan_address_hash(plan->nodes[index].source.object);
    return ZSTR_H(plan->strings[cell->index].source);
}

static larder_cell *plan_vacant(larder_plan *plan, zend_ulong hash)
{
    uint32_t mask = plan->cells_room - 1, i = (uint32_t)(hash ^ hash >> 29) & mask;
    while (plan->cells[i].stamp == plan->stamp)
        i = (i + 1) & mask;
    return plan->cells + i;
}

static bool plan_rehash(larder_plan *plan)
{
    larder_cell *old = plan->cells;
    uint32_t old_room = plan->cells_room, room = old_room != 0 ? old_room * 2 : 256;
    larder_cell *cells = calloc(room, sizeof *cells);
    if (cells == NULL)
        return false;
    plan->cells = cells;
    plan->cells_room = room;
    for (uint32_t i = 0; i < old_room; i++)
        if (old[i].stamp == plan->stamp)
            *plan_vacant(plan, plan_cell_hash(plan, old + i)) = old[i];
    free(old);
    return true;
}

static zend_always_inline bool plan_room_in_table(larder_plan *plan)
{
    return EXPECTED(plan->cells_used < plan->cells_room / 2) || plan_rehash(plan);
}

/* ---- strings and arrays ------------------------------------------------------------------------ */

static zend_always_inline larder_measured plan_string(larder_plan *plan, zend_string *string)
{
    if (plan_is_there(plan, string))
        return plan_target_shared(plan, string) ? LARDER_NATIVE : LARDER_NO_MEMORY;
    zend_ulong hash = zend_string_hash_val(string);
    if (UNEXPECTED(!plan_room_in_table(plan)))
        return LARDER_NO_MEMORY;
    uint32_t mask = plan->cells_room - 1, i = (uint32_t)(hash ^ hash >> 29) & mask;
    for (; plan->cells[i].stamp == plan->stamp; i = (i + 1) & mask) {
        if (plan->cells[i].index & LARDER_CELL_KIND)
            continue;
        const larder_planned_string *placed = plan->strings + plan->cells[i].index;
        if (placed->source == string ||
            (ZSTR_H(placed->source) == hash && zend_string_equal_content(placed->source, string)))
            return plan_target(plan, placed->at) ? LARDER_NATIVE : LARDER_NO_MEMORY;
    }
    if (UNEXPECTED(plan->strings_used == plan->strings_room) &&
        !plan_grow32((void **)&plan->strings, &plan->strings_room, sizeof *plan->strings))
        return LARDER_NO_MEMORY;
    if (UNEXPECTED(ZSTR_LEN(string) > plan->limit))
        return LARDER_TOO_LARGE;
    plan->cells[i] = (larder_cell){.stamp = plan->stamp, .index = plan->strings_used};
    plan->cells_used++;
    plan->strings[plan->strings_used++] =
        (larder_planned_string){.source = string, .at = plan->size};
    if (UNEXPECTED(!plan_target(plan, plan->size)))
        return LARDER_NO_MEMORY;
    plan->size += LARDER_STRING_SIZE(ZSTR_LEN(string));
    return plan->size <= plan->limit ? LARDER_NATIVE : LARDER_TOO_LARGE;
}

/* Elements that will be stored. */
static uint32_t plan_count(const HashTable *array, bool added)
{
    if (array->nNumOfElements == 0)
        return 0;
    if (HT_FLAGS(array) & HASH_FLAG_PACKED)
        return array->nNumUsed; /* the position is the key: holes stay */
    if (EXPECTED(!(HT_FLAGS(array) & HASH_FLAG_HAS_EMPTY_IND)) && EXPECTED(!added))
        return array->nNumOfElements;
    uint32_t count = 0;
    for (uint32_t i = 0; i < array->nNumUsed; i++)
        count += larder_is_stored(&array->arData[i].val, added);
    return count;
}

static uint32_t plan_table_size(uint32_t count)
{
    uint32_t size = HT_MIN_SIZE;
    while (size < count)
        size *= 2;
    return size;
}

/* Give an array its place. Its elements' turn comes later. */
static larder_measured plan_place(larder_plan *plan, const HashTable *array, bool added)
{
    if (UNEXPECTED(plan->arrays_used == plan->arrays_room) &&
        !plan_grow32((void **)&plan->arrays, &plan->arrays_room, sizeof *plan->arrays))
        return LARDER_NO_MEMORY;
    uint32_t used = plan_count(array, added), size = plan_table_size(used);
    plan->arrays[plan->arrays_used++] = (larder_planned_array){.source = array,
                                                               .at = plan->size,
                                                               .used = used,
                                                               .size = size,
                                                               .uses = 1,
                                                               .parent = plan->unit,
                                                               .edges = LARDER_NOWHERE,
                                                               .node = LARDER_NOWHERE,
                                                               .added = added};
    plan->size += sizeof(zend_array);
    if (used == 0 || (HT_FLAGS(array) & HASH_FLAG_PACKED))
        plan->size += HT_HASH_SIZE(HT_MIN_MASK) + used * sizeof(zval);
    else
        plan->size += HT_HASH_SIZE(HT_SIZE_TO_MASK(size)) + used * sizeof(Bucket);
    return plan->size <= plan->limit ? LARDER_NATIVE : LARDER_TOO_LARGE;
}

/* A parent of the array that is not marked yet. What was looked at is not looked at again. */
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

/* An array has a node in it: so have those that it lies in. Each is visited once. */
static void plan_mark(larder_plan *plan, uint32_t array)
{
    uint32_t chain = LARDER_NOWHERE;
    if (EXPECTED(array == LARDER_NOWHERE) || plan->arrays[array].node != LARDER_NOWHERE)
        return;
    for (;;) {
        larder_planned_array *marked = plan->arrays + array;
        marked->node = LARDER_SOMEWHERE;
        marked->marked = chain;
        chain = array;
        /* On to a parent that is not marked, of this one or of one before. */
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

/* An array that was met before. */
static larder_measured plan_array_again(larder_plan *plan, uint32_t index)
{
    plan->arrays[index].uses++;
    plan->shared = plan->shared || plan->arrays[index].used != 0;
    if (plan->arrays[index].node != LARDER_NOWHERE) {
        plan_mark(plan, plan->unit);
    } else if (plan->unit != LARDER_NOWHERE && plan->arrays[index].used != 0) {
        if (plan->edges_used == plan->edges_room &&
            !plan_grow32((void **)&plan->edges, &plan->edges_room, sizeof *plan->edges))
            return LARDER_NO_MEMORY;
        plan->edges[plan->edges_used] =
            (larder_planned_edge){.parent = plan->unit, .next = plan->arrays[index].edges};
        plan->arrays[index].edges = plan->edges_used++;
    }
    return plan_target(plan, index | LARDER_TARGET_ARRAY) ? LARDER_NATIVE : LARDER_NO_MEMORY;
}

/* A value can only contain itself through a reference, and then some array is met twice. The two
 * together are left to the serializer; without references, or without sharing, no array recurs. */
static larder_measured plan_array(larder_plan *plan, const HashTable *array)
{
    if (plan_is_there(plan, array))
        return plan_target_shared(plan, array) ? LARDER_NATIVE : LARDER_NO_MEMORY;
    /* What is counted once does not occur again. */
    if (GC_REFCOUNT(array) > 1 || (GC_FLAGS(array) & GC_IMMUTABLE) || plan->arrays_used == 0) {
        zend_ulong hash = plan_address_hash(array);
        if (UNEXPECTED(!plan_room_in_table(plan)))
            return LARDER_NO_MEMORY;
        uint32_t mask = plan->cells_room - 1, i = (uint32_t)(hash ^ hash >> 29) & mask;
        for (; plan->cells[i].stamp == plan->stamp; i = (i + 1) & mask) {
            uint32_t index = plan->cells[i].index & ~LARDER_CELL_KIND;
            if ((plan->cells[i].index & LARDER_CELL_ARRAY) && plan->arrays[index].source == array)
                return plan_array_again(plan, index);
        }
        plan->cells[i] =
            (larder_cell){.stamp = plan->stamp, .index = plan->arrays_used | LARDER_CELL_ARRAY};
        plan->cells_used++;
    }
    if (UNEXPECTED(!plan_target(plan, plan->arrays_used | LARDER_TARGET_ARRAY)))
        return LARDER_NO_MEMORY;
    return plan_place(plan, array, false);
}

/* ---- nodes ----------------------------------------------------------------------------------------- */

/* The number of the class in this plan; LARDER_NOWHERE with *rc when there is none. */
static uint32_t plan_class(larder_plan *plan, zend_class_entry *ce, larder_measured *rc)
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
    if (plan->classes_used == plan->classes_room &&
        !plan_grow32((void **)&plan->classes, &plan->classes_room, sizeof *plan->classes))
        return LARDER_NOWHERE;
    plan->classes[plan->classes_used] = (larder_planned_class){
        .ce = ce, .fingerprint = class->fingerprint, .at = plan->size, .kind = class->kind};
    plan->size += 2 * LARDER_STRING_SIZE(ZSTR_LEN(ce->name));
    return plan->classes_used++;
}

/* Find the node by its address, or a cell for it. */
static bool plan_node_find(larder_plan *plan, const void *address, uint32_t *index,
                           larder_cell **cell)
{
    zend_ulong hash = plan_address_hash(address);
    uint32_t mask = plan->cells_room - 1, i = (uint32_t)(hash ^ hash >> 29) & mask;
    for (; plan->cells[i].stamp == plan->stamp; i = (i + 1) & mask) {
        *index = plan->cells[i].index & ~LARDER_CELL_KIND;
        if ((plan->cells[i].index & LARDER_CELL_NODE) &&
            (const void *)plan->nodes[*index].source.object == address)
            return true;
    }
    *cell = plan->cells + i;
    return false;
}

static zend_always_inline larder_measured plan_node(larder_plan *plan, const void *address,
                                                    uint32_t count, larder_planned_node node)
{
    plan_mark(plan, plan->unit);
    if (count > 1) { /* else it does not occur again */
        uint32_t index;
        larder_cell *cell;
        if (UNEXPECTED(!plan_room_in_table(plan)))
            return LARDER_NO_MEMORY;
        if (plan_node_find(plan, address, &index, &cell)) {
            plan->nodes[index].uses++;
            return plan_target(plan, index | LARDER_TARGET_NODE) ? LARDER_NATIVE : LARDER_NO_MEMORY;
        }
        *cell = (larder_cell){.stamp = plan->stamp, .index = plan->nodes_used | LARDER_CELL_NODE};
        plan->cells_used++;
    }
    if (UNEXPECTED(plan->nodes_used == plan->nodes_room) &&
        !plan_grow32((void **)&plan->nodes, &plan->nodes_room, sizeof *plan->nodes))
        return LARDER_NO_MEMORY;
    if (UNEXPECTED(!plan_target(plan, plan->nodes_used | LARDER_TARGET_NODE)))
        return LARDER_NO_MEMORY;
    node.uses = 1;
    plan->nodes[plan->nodes_used++] = node;
    return LARDER_NATIVE;
}

static larder_measured plan_object(larder_plan *plan, zend_object *object)
{
    larder_measured rc;
    larder_planned_node node = {.source.object = object};
    node.class_index = plan->class_last;
    if (UNEXPECTED(plan->classes_used == 0) || plan->classes[node.class_index].ce != object->ce) {
        node.class_index = plan_class(plan, object->ce, &rc);
        if (node.class_index == LARDER_NOWHERE)
            return rc;
        plan->class_last = node.class_index;
    }
    uint32_t kind = plan->classes[node.class_index].kind;
    if (UNEXPECTED(kind == LARDER_CLASS_SLEEP || kind == LARDER_CLASS_STATE)) {
        if (plan->states == NULL)
            return LARDER_HOOKS;
        node.state = larder_states_find(plan->states, object);
        if (node.state == NULL) /* a hook put it there after the walk */
            return LARDER_SERIALIZE;
    }
    if (kind == LARDER_CLASS_ENUM)
        node.kind = LARDER_NODE_CASE;
    else if (kind == LARDER_CLASS_STATE)
        node.kind = LARDER_NODE_STATE;
    else if (UNEXPECTED(object->handlers != zend_get_std_object_handlers()))
        return LARDER_SERIALIZE;
#if PHP_VERSION_ID >= 80400
    if (UNEXPECTED(zend_object_is_lazy(object)))
        return LARDER_SERIALIZE;
#endif
    return plan_node(plan, object, GC_REFCOUNT(object), node);
}

static larder_measured plan_reference(larder_plan *plan, zend_reference *reference)
{
    larder_planned_node node = {.source.reference = reference, .kind = LARDER_NODE_REFERENCE};
    plan->referred = plan->referred || Z_TYPE(reference->val) == IS_ARRAY;
    plan->references = true;
    return plan_node(plan, reference, GC_REFCOUNT(reference), node);
}

static zend_always_inline larder_measured plan_value(larder_plan *plan, const zval *element)
{
    const zval *value = larder_element(element);
    switch (Z_TYPE_P(value)) {
    case IS_STRING:
        return plan_string(plan, Z_STR_P(value));
    case IS_ARRAY: {
        plan->referred = plan->referred || Z_ISREF_P(element);
        larder_measured rc = plan_array(plan, Z_ARR_P(value));
        return UNEXPECTED(plan->shared && plan->referred) ? LARDER_SERIALIZE : rc;
    }
    case IS_OBJECT:
        return plan_object(plan, Z_OBJ_P(value));
    case IS_REFERENCE:
        return plan_reference(plan, Z_REF_P(value));
    default:
        return EXPECTED(Z_TYPE_P(value) <= IS_DOUBLE) ? LARDER_NATIVE : LARDER_SERIALIZE;
    }
}

/* Properties that have no slot. */
static bool plan_has_added(const zend_object *object)
{
    const HashTable *properties = object->properties;
    if (EXPECTED(properties == NULL))
        return false;
    for (uint32_t i = 0; i < properties->nNumUsed; i++)
        if (larder_is_stored(&properties->arData[i].val, true))
            return true;
    return false;
}

/* What an object's slot is stored as, where that is not what it has: the class's default then. PHP's
 * serializer leaves out what is unset and what __sleep() does not name. */
bool larder_slot_is_default(const larder_planned_node *node, uint32_t slot)
{
    const zend_object *object = node->source.object;
    if (UNEXPECTED(Z_TYPE(object->properties_table[slot]) == IS_UNDEF))
        return Z_TYPE(object->ce->default_properties_table[slot]) != IS_UNDEF;
    return UNEXPECTED(larder_state_selects(node->state)) &&
           !larder_state_names(node->state, object, slot);
}

/* The slots of an object, and an array of its further properties. */
static larder_measured plan_properties(larder_plan *plan, uint32_t index)
{
    zend_object *object = plan->nodes[index].source.object;
    const zval *slot = object->properties_table;
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    larder_measured rc;
    const larder_state *state = plan->nodes[index].state;
    bool asleep = larder_state_selects(state);
    bool added = !asleep && UNEXPECTED(plan_has_added(object));
    plan->size += (slots + added) * sizeof(zval);
    /* The serializer knows what to say of names that are no slot's. */
    if (UNEXPECTED(asleep) && state->named != zend_hash_num_elements(Z_ARR(state->value)))
        return LARDER_SERIALIZE;
    for (uint32_t i = 0; i < slots; i++, slot++) {
        if (UNEXPECTED(asleep || Z_TYPE_P(slot) == IS_UNDEF) &&
            larder_slot_is_default(plan->nodes + index, i))
            continue;
        if (UNEXPECTED((rc = plan_value(plan, slot)) != LARDER_NATIVE))
            return rc;
    }
    if (EXPECTED(!added))
        return LARDER_NATIVE;
    plan->nodes[index].added = true;
    if (!plan_target(plan, plan->arrays_used | LARDER_TARGET_ARRAY))
        return LARDER_NO_MEMORY;
    return plan_place(plan, object->properties, true);
}

static larder_measured plan_inside(larder_plan *plan, uint32_t index)
{
    larder_planned_node *node = plan->nodes + index;
    plan->unit = LARDER_NOWHERE;
    node->target = plan->targets_used;
    node->at = plan->size;
    if (EXPECTED(node->kind == LARDER_NODE_OBJECT))
        return plan_properties(plan, index);
    plan->size += sizeof(zval);
    if (node->kind == LARDER_NODE_STATE)
        return plan_value(plan, &node->state->value);
    if (node->kind == LARDER_NODE_CASE)
        return plan_string(plan, Z_STR_P(zend_enum_fetch_case_name(node->source.object)));
    return plan_value(plan, &node->source.reference->val);
}

/* Number the arrays that have nodes in them, and place the tables. */
static larder_measured plan_finish_graph(larder_plan *plan)
{
    for (uint32_t i = 0; i < plan->arrays_used; i++) {
        larder_planned_array *array = plan->arrays + i;
        if (array->node == LARDER_NOWHERE)
            continue;
        /* Copies of it would share its references, which one array with a count cannot say. */
        if (array->uses > 1 && plan->references)
            return LARDER_SERIALIZE;
        if (plan->nodes_used == plan->nodes_room &&
            !plan_grow32((void **)&plan->nodes, &plan->nodes_room, sizeof *plan->nodes))
            return LARDER_NO_MEMORY;
        array->node = plan->nodes_used;
        plan->nodes[plan->nodes_used++] = (larder_planned_node){
            .source.array = i, .at = array->at, .uses = array->uses, .kind = LARDER_NODE_ARRAY};
    }
    plan->calls = 0;
    for (uint32_t i = 0; i < plan->nodes_used; i++)
        plan->calls += plan->nodes[i].state != NULL;
    plan->classes_at = plan->size;
    plan->nodes_at = plan->classes_at + plan->classes_used * sizeof(larder_graph_class);
    plan->calls_at = plan->nodes_at + plan->nodes_used * sizeof(larder_graph_node);
    plan->size = plan->calls_at + ZEND_MM_ALIGNED_SIZE_EX(plan->calls * sizeof(uint32_t), 8) +
                 sizeof(larder_graph);
    return plan->size <= plan->limit ? LARDER_NATIVE : LARDER_TOO_LARGE;
}

/* Whether all elements are null, bool, int or float. */
static bool plan_is_plain(const HashTable *array)
{
    bool others = false;
    for (uint32_t i = 0; i < array->nNumUsed; i++)
        others |= Z_TYPE(array->arPacked[i]) > IS_DOUBLE;
    return !others;
}

static larder_measured plan_elements(larder_plan *plan, uint32_t index)
{
    const HashTable *array = plan->arrays[index].source;
    bool added = plan->arrays[index].added;
    larder_measured rc;
    plan->unit = index;
    plan->arrays[index].target = plan->targets_used;
    if (HT_FLAGS(array) & HASH_FLAG_PACKED) {
        plan->arrays[index].plain = plan_is_plain(array);
        if (plan->arrays[index].plain)
            return LARDER_NATIVE;
        for (const zval *value = array->arPacked, *end = value + array->nNumUsed; value != end;
             value++)
            if (UNEXPECTED((rc = plan_value(plan, value)) != LARDER_NATIVE))
                return rc;
        return LARDER_NATIVE;
    }
    for (const Bucket *bucket = array->arData, *end = bucket + array->nNumUsed; bucket != end;
         bucket++) {
        if (UNEXPECTED(!larder_is_stored(&bucket->val, added)))
            continue;
        if (bucket->key != NULL &&
            UNEXPECTED((rc = plan_string(plan, bucket->key)) != LARDER_NATIVE))
            return rc;
        if (UNEXPECTED((rc = plan_value(plan, &bucket->val)) != LARDER_NATIVE))
            return rc;
    }
    return LARDER_NATIVE;
}

static void plan_reuse(larder_plan *plan, const lrd_store *store)
{
    lrd_info info;
    plan->reuse_size = 0;
    if (EXPECTED(store == NULL))
        return;
    lrd_store_info(store, &info);
    plan->reuse = (uintptr_t)info.base;
    plan->reuse_size = info.size;
}

static larder_plan *plan_begin(size_t limit)
{
    larder_plan *plan = LARDER_G(plan);
    if (plan == NULL) {
        plan = LARDER_G(plan) = calloc(1, sizeof *plan);
        if (plan == NULL)
            return NULL;
    }
    plan->size = 0;
    plan->limit = limit;
    plan->arrays_used = plan->strings_used = plan->cells_used = 0;
    plan->nodes_used = plan->classes_used = plan->edges_used = 0;
    plan->targets_used = 0;
    plan->unit = LARDER_NOWHERE;
    plan->class_last = 0;
    plan->shared = plan->referred = plan->references = false;
    if (++plan->stamp == 0) {
        memset(plan->cells, 0, plan->cells_room * sizeof *plan->cells);
        plan->stamp = 1;
    }
    return plan;
}

larder_measured larder_plan_value(const zval *value, const larder_states *states, size_t limit,
                                  const lrd_store *reuse, larder_plan **out)
{
    larder_plan *plan = *out = plan_begin(limit);
    if (plan == NULL)
        return LARDER_NO_MEMORY;
    plan->states = states;
    plan_reuse(plan, reuse);
    larder_measured rc = plan_value(plan, value);
    if (rc != LARDER_NATIVE)
        return rc;
    plan->root = plan->targets[0];
    plan->targets_used = 0;
    for (uint32_t array = 0, node = 0; rc == LARDER_NATIVE;) {
        if (array < plan->arrays_used) {
            if (plan->arrays[array].used != 0)
                rc = plan_elements(plan, array);
            array++;
        } else if (node < plan->nodes_used) {
            rc = plan_inside(plan, node++);
        } else {
            break;
        }
    }
    if (rc == LARDER_NATIVE && plan->size > plan->limit)
        rc = LARDER_TOO_LARGE;
    return rc == LARDER_NATIVE && larder_plan_is_graph(plan) ? plan_finish_graph(plan) : rc;
}

static size_t plan_scratch(const larder_plan *plan)
{
    return plan->arrays_room * sizeof *plan->arrays + plan->strings_room * sizeof *plan->strings +
           plan->nodes_room * sizeof *plan->nodes + plan->classes_room * sizeof *plan->classes +
           plan->edges_room * sizeof *plan->edges + plan->targets_room * sizeof *plan->targets +
           plan->cells_room * sizeof *plan->cells;
}

void larder_plan_end(larder_plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->arrays);
    free(plan->strings);
    free(plan->nodes);
    free(plan->classes);
    free(plan->edges);
    free(plan->targets);
    free(plan->cells);
    free(plan);
}

void larder_plan_free(void)
{
    if (LARDER_G(plan) == NULL || plan_scratch(LARDER_G(plan)) <= PLAN_KEEP_MAX)
        return;
    larder_plan_end(LARDER_G(plan));
    LARDER_G(plan) = NULL;
}
