/* graph_build.c - builds a graph from its block: one allocation and one copy per node. Runs no user
 * code. memory_limit may end the request at any allocation; see graph.c. Begin reading at
 * larder_graph_build(). */
#include "fetch/fetch.h"
#include "fetch/graph_work.h"
#include "fetch/resident.h"
#include "format/format.h"
#include "kinds/builtin.h"

/* Allocate a node. */
static zend_always_inline void *graph_node(larder_graph_work *work, uint32_t index,
                                           const larder_graph_node *node)
{
    if (EXPECTED(node->kind == LARDER_NODE_OBJECT)) {
        const larder_graph_found *class = work->classes[node->class_index];
        return work->built[index] =
                   EXPECTED(class->allocate != NULL) ? class->allocate() : emalloc(class->size);
    }
    if (larder_graph_is_spl(node))
        return work->built[index] = larder_graph_new_spl(work, node);
    return work->built[index] = node->kind == LARDER_NODE_ARRAY ? emalloc(sizeof(zend_array))
                                                                : emalloc(sizeof(zend_reference));
}

/* Return true if a PHP reference is used once. Like unserialize(), we replace it by its value; the
 * hooks of ext/date rely on this. */
static zend_always_inline bool graph_is_single(const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_REFERENCE && node->uses == 1;
}

static zend_never_inline void graph_place_single(larder_graph_work *work, zval *value,
                                                 const larder_graph_node *node)
{
    ZVAL_COPY_VALUE(value, (const zval *)(const void *)(work->data + node->at));
    larder_graph_place(work, value, 1, sizeof *value);
}

/* Make `value` refer to the node whose number is in `stands`. If this node is a PHP reference that
 * is used once, `value` becomes a copy of what the reference contains. If `simple` is true, the
 * node must be an object or array that is built already. */
static zend_always_inline void graph_place(larder_graph_work *work, zval *value, const zval *stands,
                                           const bool simple)
{
    uint32_t index = larder_node_index(stands);
    uint8_t kind = larder_node_kind_of(stands);
    void *built = work->built[index];
    if (!simple && UNEXPECTED(built == NULL)) {
        const larder_graph_node *node = work->nodes + index;
        if (graph_is_single(node)) {
            graph_place_single(work, value, node);
            return;
        }
        built = graph_node(work, index, node);
    }
    value->value.counted = built;
    if (EXPECTED(kind <= LARDER_NODE_CASE)) /* the kinds of objects */
        Z_TYPE_INFO_P(value) = IS_OBJECT_EX;
    else if (simple || kind == LARDER_NODE_ARRAY)
        Z_TYPE_INFO_P(value) = IS_ARRAY_EX;
    else
        Z_TYPE_INFO_P(value) = IS_REFERENCE_EX;
}

/* Complete `value`, a zval of the new graph that equals the zval `stored`. If `stored` contains the
 * number of a node, replace the number in `value` by the built node. If the graph must not point
 * into the block, copy strings and arrays. */
static zend_always_inline void graph_place_any(larder_graph_work *work, zval *value,
                                               const zval *stored, const bool simple)
{
    if (Z_TYPE_INFO_P(stored) == LARDER_NODE)
        graph_place(work, value, stored, simple);
    else if (!simple && UNEXPECTED(work->copy) && Z_TYPE_P(value) >= IS_STRING)
        larder_copy_out(work->copies, value);
}

void larder_graph_place(larder_graph_work *work, zval *value, uint32_t count, size_t stride)
{
    for (; count != 0; count--, value = (zval *)((char *)value + stride))
        graph_place_any(work, value, value, false);
}

/* Register typed properties with the PHP references in them, so that assignments check the type. */
static void graph_tell_references(zend_object *object)
{
    for (int i = 0; i < object->ce->default_properties_count; i++) {
        zval *slot = object->properties_table + i;
        zend_property_info *info = object->ce->properties_info_table[i];
        if (Z_ISREF_P(slot) && info != NULL && ZEND_TYPE_IS_SET(info->type))
            ZEND_REF_ADD_TYPE_SOURCE(Z_REF_P(slot), info);
    }
}

static zend_always_inline void graph_packed(larder_graph_work *work, zend_array *array,
                                            const zend_array *stored, const bool simple)
{
    char *memory = EXPECTED(stored->nTableSize == HT_MIN_SIZE)
                       ? emalloc(HT_PACKED_SIZE_EX(HT_MIN_SIZE, HT_MIN_MASK))
                       : emalloc(HT_PACKED_SIZE_EX(stored->nTableSize, HT_MIN_MASK));
    memset(memory, 0xff, HT_HASH_SIZE(HT_MIN_MASK)); /* HT_INVALID_IDX */
    zval *value = array->arPacked = (zval *)(void *)(memory + HT_HASH_SIZE(HT_MIN_MASK));
    const zval *from = stored->arPacked, *end = from + stored->nNumUsed;
    for (; from != end; from++, value++) {
        *value = *from;
        graph_place_any(work, value, from, simple);
    }
}

static zend_always_inline void graph_hash(larder_graph_work *work, zend_array *array,
                                          const zend_array *stored, const bool simple)
{
    const uint32_t small = HT_MIN_MASK; /* see larder_table_mask() */
    const Bucket *from = stored->arData, *end = from + stored->nNumUsed;
    Bucket *bucket;
    /* most tables have the smallest size, for which memcpy() gets a constant length */
    if (EXPECTED(stored->nTableMask == small)) {
        char *memory = emalloc(HT_SIZE_EX(HT_MIN_SIZE, small));
        memcpy(memory, (const char *)from - HT_HASH_SIZE(small), HT_HASH_SIZE(small));
        bucket = (Bucket *)(void *)(memory + HT_HASH_SIZE(small));
    } else {
        size_t hash = HT_HASH_SIZE(stored->nTableMask);
        char *memory = emalloc(HT_SIZE_EX(stored->nTableSize, stored->nTableMask));
        memcpy(memory, (const char *)from - hash, hash);
        bucket = (Bucket *)(void *)(memory + hash);
    }
    array->arData = bucket;
    for (; from != end; from++, bucket++) {
        *bucket = *from;
        graph_place_any(work, &bucket->val, &from->val, simple);
        if (!simple && UNEXPECTED(work->copy) && bucket->key != NULL) {
            bucket->key = larder_copy_key(work->copies, bucket->key);
            if (!ZSTR_IS_INTERNED(bucket->key))
                HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
        }
    }
}

static zend_always_inline void graph_array(larder_graph_work *work, zend_array *array,
                                           const larder_graph_node *node, const bool simple)
{
    const zend_array *stored = (const zend_array *)(const void *)(work->data + node->at);
    *array = *stored;
    GC_SET_REFCOUNT(array, simple ? 1 : node->uses);
    GC_TYPE_INFO(array) = GC_ARRAY;
    array->pDestructor = ZVAL_PTR_DTOR;
    if (HT_FLAGS(stored) & HASH_FLAG_PACKED)
        graph_packed(work, array, stored, simple);
    else
        graph_hash(work, array, stored, simple);
}

/* Give the object a table of its undeclared properties. graph_added_merge() later adds the declared
 * properties. */
static void graph_added(larder_graph_work *work, zend_object *object, const zval *stored)
{
    zval added = *stored;
    larder_graph_place(work, &added, 1, sizeof added);
    if (Z_TYPE_INFO(added) == IS_ARRAY) /* immutable and not copied */
        Z_ARR(added) = zend_array_dup(Z_ARR(added));
    object->properties = Z_ARR(added);
}

/* Make an object's table of all properties: the declared ones, and the undeclared ones in
 * object->properties. Call this when all nodes are complete. */
static void graph_added_merge(zend_object *object)
{
    HashTable *added = object->properties;
    zend_string *key;
    zval *value;
    object->properties = NULL;
    /* in a forged block, another value may share this array */
    if (UNEXPECTED(GC_REFCOUNT(added) > 1)) {
        GC_DELREF(added);
        added = zend_array_dup(added);
    }
    HashTable *all = zend_std_get_properties(object);
    ZEND_HASH_FOREACH_STR_KEY_VAL(added, key, value)
        zend_hash_add_new(all, key, value);
    ZEND_HASH_FOREACH_END();
    /* The values were moved, so free only the array. Releasing a value could run user code. */
    added->pDestructor = NULL;
    zend_array_destroy(added);
}

static void graph_defaults(zend_object *object)
{
    zend_class_entry *ce = object->ce;
    for (int i = 0; i < ce->default_properties_count; i++)
        if (Z_TYPE_INFO(object->properties_table[i]) == LARDER_DEFAULT)
            ZVAL_COPY_PROP(object->properties_table + i, CE_DEFAULT_PROPERTIES_TABLE(ce) + i);
}

/* Fill the slots from LARDER_PLACES - 1 on. They share the last bit of larder_graph_node.places, so
 * each of them must be examined. */
static zend_never_inline void graph_far_slots(larder_graph_work *work, zval *slot, uint32_t slots)
{
    for (uint32_t i = LARDER_PLACES - 1; i < slots; i++)
        if (Z_TYPE_INFO(slot[i]) == LARDER_NODE)
            graph_place(work, slot + i, slot + i, false);
}

/* Fill an object from its stored slots. A slot may contain the number of a node; graph_object()
 * later replaces the number by the node. */
static zend_always_inline void graph_object_alone(const larder_graph_found *class,
                                                  zend_object *object, const zval *stored,
                                                  uint32_t handle, uint32_t uses)
{
    uint32_t slots = class->slots;
    memcpy(object, &class->head, offsetof(zend_object, properties_table));
    object->handle = handle;
    GC_SET_REFCOUNT(object, uses);
    for (uint32_t i = 0; i < slots; i++)
        object->properties_table[i] = stored[i];
    if (UNEXPECTED(class->guards)) {
        ZVAL_UNDEF(object->properties_table + slots);
        /* some versions of PHP keep flags in this field while they dump the object */
        object->properties_table[slots].u2.extra = 0;
    }
}

static zend_always_inline void graph_object(larder_graph_work *work, zend_object *object,
                                            const larder_graph_node *node, uint32_t handle,
                                            const bool simple)
{
    const larder_graph_found *class = work->classes[node->class_index];
    const zval *stored = (const zval *)(const void *)(work->data + node->at);
    zval *slot = object->properties_table;
    uint32_t slots = class->slots, places = node->places;
    graph_object_alone(class, object, stored, handle, simple ? 1 : node->uses);
    for (; places != 0; places &= places - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(places);
        if (UNEXPECTED(i == LARDER_PLACES - 1))
            graph_far_slots(work, slot, slots);
        else
            graph_place(work, slot + i, stored + i, simple);
    }
    if (simple)
        return;
    if (UNEXPECTED(node->defaults))
        graph_defaults(object);
    if (UNEXPECTED(node->added))
        graph_added(work, object, stored + slots);
    if (UNEXPECTED(work->copy))
        for (uint32_t i = 0; i < slots; i++)
            if (!Z_REFCOUNTED(slot[i]) && Z_TYPE(slot[i]) >= IS_STRING)
                larder_copy_out(work->copies, slot + i);
}

static zend_always_inline void graph_use(void *counted, uint32_t uses)
{
    GC_SET_REFCOUNT((zend_refcounted *)counted, GC_REFCOUNT((zend_refcounted *)counted) + uses);
}

/* Use the constants that the worker keeps instead of building them. Constant arrays that occur only
 * inside other constant arrays are not in this list, because no other node refers to them. */
static void graph_constants(larder_graph_work *work)
{
    const larder_constant *constant = work->constants.first, *end = constant + work->constants.used;
    for (; constant != end; constant++) {
        work->built[constant->index] = constant->counted;
        if (constant->uses != 0)
            graph_use(constant->counted, constant->uses);
    }
}

static void graph_fill(larder_graph_work *work, uint32_t index, const larder_graph_node *node)
{
    void *built = work->built[index];
    if (UNEXPECTED(built == NULL)) {
        if (graph_is_single(node))
            return;
        built = graph_node(work, index, node);
    }
    switch (node->kind) {
    case LARDER_NODE_ARRAY:
        graph_array(work, built, node, false);
        break;
    case LARDER_NODE_CASE:
        graph_use(built, node->uses);
        break;
    case LARDER_NODE_CONTENT:
    case LARDER_NODE_PERIOD:
        larder_graph_fill_builtin(work, built, node);
        break;
    case LARDER_NODE_STATE:
    case LARDER_NODE_CARBON:
        GC_SET_REFCOUNT((zend_object *)built, node->uses);
        break;
    case LARDER_NODE_REFERENCE: {
        zend_reference *reference = built;
        GC_SET_REFCOUNT(reference, node->uses);
        GC_TYPE_INFO(reference) = GC_REFERENCE;
        reference->sources.ptr = NULL;
        reference->val = *(const zval *)(const void *)(work->data + node->at);
        larder_graph_place(work, &reference->val, 1, sizeof(zval));
        work->references = true;
        break;
    }
    }
}

/* Copy the objects and arguments of all hook calls out of the block, because a hook may free the
 * block. Returns false if there is not enough memory. */
static bool graph_states(larder_graph_work *work)
{
    const uint32_t *calls = (const uint32_t *)(const void *)(work->data + work->graph->calls_at);
    for (uint32_t i = 0; i < work->graph->calls; i++) {
        const larder_graph_node *node = work->nodes + calls[i];
        zend_object *object = work->built[calls[i]];
        zval *state = work->states + work->calls;
        if (UNEXPECTED(LARDER_OUT_OF_MEMORY()))
            return false;
        if (node->kind == LARDER_NODE_CARBON) {
            if (work->classes[node->class_index]->kind->node == LARDER_NODE_CARBON &&
                larder_carbon_is_filled(object))
                continue;
            ZVAL_STRINGL(state, work->data + node->at, sizeof(larder_date));
        } else if (node->kind == LARDER_NODE_STATE) {
            *state = *(const zval *)(const void *)(work->data + node->at);
            graph_place_any(work, state, state, false);
        } else {
            ZVAL_UNDEF(state);
        }
        work->called[work->calls++] = object;
    }
    return true;
}

/* Make room for `count` objects, so that registering them allocates nothing. */
static void graph_reserve_handles(uint32_t count)
{
    zend_objects_store *store = &EG(objects_store);
    if (EXPECTED(store->size - store->top >= count))
        return;
    uint32_t size = store->size;
    while (size - store->top < count)
        size *= 2;
    store->object_buckets = safe_erealloc(store->object_buckets, size, sizeof(zend_object *), 0);
    store->size = size;
}

/* A copy of the engine's fields from which zend_objects_store_put() chooses the next handle. */
typedef struct graph_handles {
    zend_object **buckets;
    int free; /* the first free handle below `top`, or -1 */
    uint32_t top;
} graph_handles;

static graph_handles graph_handles_begin(void)
{
    const zend_objects_store *store = &EG(objects_store);
    bool reuse = !(EG(flags) & EG_FLAGS_OBJECT_STORE_NO_REUSE);
    return (graph_handles){.buckets = store->object_buckets,
                           .free = EXPECTED(reuse) ? store->free_list_head : -1,
                           .top = store->top};
}

static zend_always_inline uint32_t graph_handle(graph_handles *handles)
{
    if (UNEXPECTED(handles->free == -1))
        return handles->top++;
    uint32_t handle = (uint32_t)handles->free;
    handles->free = (int)GET_OBJ_BUCKET_NUMBER(handles->buckets[handle]);
    return handle;
}

static zend_always_inline void graph_handles_end(const graph_handles *handles)
{
    EG(objects_store).top = handles->top;
    if (EXPECTED(!(EG(flags) & EG_FLAGS_OBJECT_STORE_NO_REUSE)))
        EG(objects_store).free_list_head = handles->free;
}

/* Does not allocate. */
static void graph_enter(const larder_graph_work *work)
{
    graph_handles handles = graph_handles_begin();
    for (uint32_t i = work->graph->first; i < work->graph->nodes; i++)
        /* the engine has created, and registered, the objects of other kinds */
        if (EXPECTED(work->nodes[i].kind <= LARDER_NODE_LIST)) {
            uint32_t handle = graph_handle(&handles);
            handles.buckets[handle] = work->built[i];
        }
    graph_handles_end(&handles);
}

/* Build all nodes, except constants that the worker keeps. Returns false if there is not enough
 * memory. */
static zend_always_inline bool graph_build_nodes(larder_graph_work *work, const bool simple)
{
    const larder_graph_node *node = work->nodes, *end = node + work->graph->nodes;
    uint32_t i = simple ? 0 : larder_graph_first(work);
    graph_handles handles = graph_handles_begin();
    for (node += i; node != end; i++, node++) {
        if (UNEXPECTED(LARDER_OUT_OF_MEMORY()))
            return false;
        if (EXPECTED(node->kind == LARDER_NODE_OBJECT) || (!simple && larder_graph_is_spl(node))) {
            zend_object *object = simple ? NULL : work->built[i];
            /* if an earlier node refers to this object, the object exists already */
            if (EXPECTED(object == NULL))
                object = graph_node(work, i, node);
            graph_object(work, object, node, graph_handle(&handles), simple);
            if (!simple && UNEXPECTED(node->kind != LARDER_NODE_OBJECT))
                larder_graph_fill_spl(work, object, node);
        } else if (simple) {
            graph_array(work, graph_node(work, i, node), node, true);
        } else {
            graph_fill(work, i, node);
        }
    }
    return true;
}

bool larder_graph_build_one(const larder_graph_found *class, const zval *stored, zval *result)
{
    graph_reserve_handles(1);
    zend_object *object =
        EXPECTED(class->allocate != NULL) ? class->allocate() : emalloc(class->size);
    if (UNEXPECTED(LARDER_OUT_OF_MEMORY())) {
        ZVAL_NULL(result);
        return false;
    }
    graph_handles handles = graph_handles_begin();
    uint32_t handle = graph_handle(&handles);
    graph_object_alone(class, object, stored, handle, 1);
    handles.buckets[handle] = object;
    graph_handles_end(&handles);
    ZVAL_OBJ(result, object);
    return true;
}

bool larder_graph_build(larder_graph_work *work)
{
    const larder_graph_node *nodes = work->nodes;
    uint32_t count = work->graph->nodes;
    zval *late = NULL;
    graph_reserve_handles(count);
    if (EXPECTED(work->graph->flags & LARDER_GRAPH_SIMPLE) && EXPECTED(!work->copy)) {
        if (UNEXPECTED(!graph_build_nodes(work, true)))
            return false;
        graph_enter(work);
        return true;
    }
    if (UNEXPECTED(work->late_count != 0))
        late = work->late = safe_emalloc(work->late_count, sizeof *late, 0);
    if (work->constants.first != NULL)
        graph_constants(work);
    if (UNEXPECTED(!graph_build_nodes(work, false)))
        return false;
    if (UNEXPECTED(work->graph->calls != 0) && !graph_states(work))
        return false;
    if (UNEXPECTED(work->copies != NULL)) {
        bool copied = larder_copies_end(work->copies);
        work->copies = NULL;
        if (!copied)
            return false;
    }
    if (UNEXPECTED(work->graph->flags & LARDER_GRAPH_ADDED))
        for (uint32_t i = 0; i < count; i++)
            if (nodes[i].added && work->classes[nodes[i].class_index]->slots != 0)
                graph_added_merge(work->built[i]);
    if (UNEXPECTED(work->separate))
        larder_graph_separate_spl(work);
    /* graph_enter() does not allocate. So memory_limit cannot end the request while only some of
     * the objects are registered. */
    graph_enter(work);
    if (UNEXPECTED(late != NULL)) {
        larder_graph_finish_builtins(work, late);
        efree(late);
    }
    if (UNEXPECTED(work->references))
        for (uint32_t i = 0; i < count; i++)
            if (nodes[i].kind == LARDER_NODE_OBJECT)
                graph_tell_references(work->built[i]);
    return true;
}
