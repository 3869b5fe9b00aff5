/* graph.c - rebuilds a graph of objects from its block. Read larder_graph_fetch() first; the layout is in
 * plan.h.
 *
 * 1. Resolve: find the classes and enum cases by name. This may run user code (autoloading, constant
 *    expressions), which may use the cache and may throw; nothing is half done while it runs.
 * 2. Build: one allocation and one copy per node. No user code. memory_limit may longjmp out of any
 *    allocation; what was allocated then goes with the request.
 * 3. Enter the objects into the engine's store, when each is complete: should memory_limit strike here,
 *    the engine destroys what it knows of. */
#include "fetch.h"
#include "graph.h"
#include "resident.h"
#include "zend_enum.h"

#define GRAPH_TRIES 4 /* to copy a value that others keep replacing */

static void graph_open(larder_graph_work *work, const lrd_value *value)
{
    const char *data = value->data;
    const larder_graph *graph = larder_graph_of(value);
    *work = (larder_graph_work){
        .graph = graph,
        .data = data,
        .stored = (const larder_graph_class *)(const void *)(data + graph->classes_at),
        .nodes = (const larder_graph_node *)(const void *)(data + graph->nodes_at),
        .copy = value->kind != LRD_KIND_HELD};
}

/* ---- classes ----------------------------------------------------------------------------------------- */

/* The class as it is now, where its objects are what was stored; else NULL. */
static const larder_class *graph_class_fits(const larder_graph_class *stored, zend_class_entry *ce)
{
    const larder_class *class = larder_class_of(ce);
    if (UNEXPECTED(ce->ce_flags &
                   (ZEND_ACC_INTERFACE | ZEND_ACC_TRAIT | ZEND_ACC_IMPLICIT_ABSTRACT_CLASS |
                    ZEND_ACC_EXPLICIT_ABSTRACT_CLASS)))
        return NULL;
    return class != NULL && class->fingerprint == stored->fingerprint &&
                   class->kind == (larder_class_kind)stored->kind
               ? class
               : NULL;
}

/* Whether the constants that its defaults need were evaluated. */
static bool graph_constants_ready(const zend_class_entry *ce)
{
    if (ce->ce_flags & ZEND_ACC_CONSTANTS_UPDATED)
        return true;
    if (ce->type != ZEND_USER_CLASS || !ZEND_MAP_PTR(ce->mutable_data))
        return false;
    const zend_class_mutable_data *own = ZEND_MAP_PTR_GET_IMM(ce->mutable_data); /* under opcache */
    return own != NULL && (own->ce_flags & ZEND_ACC_CONSTANTS_UPDATED);
}

zend_class_entry *larder_graph_find_class(const larder_graph_class *stored, bool quiet)
{
    zend_class_entry *ce =
        quiet ? larder_class_loaded(stored->lower) : larder_class_find(stored->name, stored->lower);
    if (UNEXPECTED(ce == NULL) || UNEXPECTED(!graph_class_fits(stored, ce)))
        return NULL;
    if (UNEXPECTED(!graph_constants_ready(ce)) &&
        (quiet || zend_update_class_constants(ce) != SUCCESS))
        return NULL;
    return ce;
}

static bool graph_resolve(larder_graph_work *work, bool quiet)
{
    for (uint32_t i = 0; i < work->graph->classes; i++) {
        const larder_graph_class *stored = work->stored + i;
        zend_class_entry *ce = larder_graph_find_class(stored, quiet);
        const larder_class *class = ce != NULL ? larder_class_of(ce) : NULL;
        if (UNEXPECTED(class == NULL))
            return false;
        work->classes[i] = (larder_graph_found)
        {
            .ce = ce,
#if PHP_VERSION_ID >= 80300
            .handlers = ce->default_object_handlers,
#else
            .handlers = zend_get_std_object_handlers(),
#endif
            .size = sizeof(zend_object) + zend_object_properties_size(ce), .slots = stored->slots,
            .builtin = class->builtin, .guards = (ce->ce_flags & ZEND_ACC_USE_GUARDS) != 0
        };
    }
    return true;
}

zend_object *larder_graph_find_case(zend_class_entry *ce, zend_string *name, bool quiet)
{
    zend_class_constant *constant = zend_hash_find_ptr(CE_CONSTANTS_TABLE(ce), name);
    if (constant == NULL || !(ZEND_CLASS_CONST_FLAGS(constant) & ZEND_CLASS_CONST_IS_CASE) ||
        (quiet && Z_TYPE(constant->value) == IS_CONSTANT_AST))
        return NULL;
    return zend_enum_get_case(ce, name);
}

/* The cases of enums are made by the engine, once. */
static bool graph_resolve_case(larder_graph_work *work, uint32_t index, bool quiet)
{
    const larder_graph_node *node = work->nodes + index;
    zend_string *name = Z_STR_P((const zval *)(const void *)(work->data + node->at));
    work->built[index] = larder_graph_find_case(work->classes[node->class_index].ce, name, quiet);
    return work->built[index] != NULL;
}

/* Objects that take their state from a hook are made by the engine. */
static bool graph_resolve_state(larder_graph_work *work, uint32_t index)
{
    zval object;
    if (object_init_ex(&object, work->classes[work->nodes[index].class_index].ce) != SUCCESS)
        return false;
    work->built[index] = Z_OBJ(object);
    return true;
}

/* Whether the engine makes such a node's object, which then knows of it. */
static zend_always_inline bool graph_is_made(const larder_graph_node *node)
{
    return larder_graph_is_builtin(node) || node->kind == LARDER_NODE_STATE;
}

static void graph_give_up(larder_graph_work *work)
{
    for (uint32_t i = 0; i < work->graph->nodes; i++)
        if (graph_is_made(work->nodes + i) && work->built[i] != NULL) {
            GC_ADD_FLAGS((zend_object *)work->built[i], IS_OBJ_DESTRUCTOR_CALLED);
            OBJ_RELEASE((zend_object *)work->built[i]);
        }
}

static bool graph_resolve_all(larder_graph_work *work, bool quiet)
{
    if (!graph_resolve(work, quiet))
        return false;
    memset(work->built, 0, work->graph->nodes * sizeof *work->built);
    if (EXPECTED(!(work->graph->flags & LARDER_GRAPH_MADE)))
        return true;
    for (uint32_t i = 0; i < work->graph->nodes; i++) {
        uint8_t kind = work->nodes[i].kind;
        if (EXPECTED(kind == LARDER_NODE_OBJECT || kind > LARDER_NODE_CASE))
            continue;
        if (kind == LARDER_NODE_CASE    ? graph_resolve_case(work, i, quiet)
            : kind == LARDER_NODE_STATE ? graph_resolve_state(work, i)
                                        : larder_graph_make_builtin(work, i))
            continue;
        graph_give_up(work);
        return false;
    }
    return true;
}

/* ---- building ---------------------------------------------------------------------------------------- */

/* Memory for a node; its contents come when its turn comes. */
static zend_always_inline void *graph_node(larder_graph_work *work, uint32_t index,
                                           const larder_graph_node *node)
{
    zend_refcounted *counted;
    if (EXPECTED(node->kind == LARDER_NODE_OBJECT)) {
        counted = emalloc(work->classes[node->class_index].size);
        GC_TYPE_INFO(counted) = GC_OBJECT;
    } else if (node->kind == LARDER_NODE_ARRAY) {
        counted = emalloc(sizeof(zend_array));
        GC_TYPE_INFO(counted) = GC_ARRAY;
    } else {
        counted = emalloc(sizeof(zend_reference));
        GC_TYPE_INFO(counted) = GC_REFERENCE;
    }
    GC_SET_REFCOUNT(counted, node->uses);
    return work->built[index] = counted;
}

/* A reference that occurs once is none in unserialize() either: hooks of ext/date leave out what is one. */
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

/* Put what was built where the node stands. */
static zend_always_inline void graph_place(larder_graph_work *work, zval *value)
{
    uint32_t index = (uint32_t)Z_LVAL_P(value);
    const larder_graph_node *node = work->nodes + index;
    void *built = work->built[index];
    if (built == NULL) {
        if (UNEXPECTED(graph_is_single(node))) {
            graph_place_single(work, value, node);
            return;
        }
        built = graph_node(work, index, node);
    }
    value->value.counted = built;
    if (EXPECTED(node->kind <= LARDER_NODE_CASE)) /* the kinds of objects */
        Z_TYPE_INFO_P(value) = IS_OBJECT_EX;
    else if (node->kind == LARDER_NODE_ARRAY)
        Z_TYPE_INFO_P(value) = IS_ARRAY_EX;
    else
        Z_TYPE_INFO_P(value) = IS_REFERENCE_EX;
}

void larder_graph_place(larder_graph_work *work, zval *value, uint32_t count, size_t stride)
{
    for (; count != 0; count--, value = (zval *)((char *)value + stride)) {
        if (Z_TYPE_INFO_P(value) == LARDER_NODE)
            graph_place(work, value);
        else if (UNEXPECTED(work->copy) && Z_TYPE_P(value) >= IS_STRING)
            larder_copy_out(work->copies, value);
    }
}

/* A typed property that holds a reference is known to it. */
static void graph_tell_references(zend_object *object)
{
    for (int i = 0; i < object->ce->default_properties_count; i++) {
        zval *slot = object->properties_table + i;
        zend_property_info *info = object->ce->properties_info_table[i];
        if (Z_ISREF_P(slot) && info != NULL && ZEND_TYPE_IS_SET(info->type))
            ZEND_REF_ADD_TYPE_SOURCE(Z_REF_P(slot), info);
    }
}

static void graph_array(larder_graph_work *work, zend_array *array, const zend_array *stored)
{
    uint32_t used = stored->nNumUsed;
    bool packed = HT_FLAGS(stored) & HASH_FLAG_PACKED;
    zend_refcounted_h head = array->gc;
    *array = *stored;
    array->gc = head;
    array->pDestructor = ZVAL_PTR_DTOR;
    if (packed) {
        char *memory = emalloc(HT_PACKED_SIZE_EX(array->nTableSize, HT_MIN_MASK));
        memcpy(memory, (const char *)stored->arPacked - HT_HASH_SIZE(HT_MIN_MASK),
               HT_HASH_SIZE(HT_MIN_MASK) + used * sizeof(zval));
        array->arPacked = (zval *)(void *)(memory + HT_HASH_SIZE(HT_MIN_MASK));
        larder_graph_place(work, array->arPacked, used, sizeof(zval));
        return;
    }
    size_t hash = HT_HASH_SIZE(array->nTableMask);
    char *memory = emalloc(HT_SIZE_EX(array->nTableSize, array->nTableMask));
    memcpy(memory, (const char *)stored->arData - hash, hash + used * sizeof(Bucket));
    array->arData = (Bucket *)(void *)(memory + hash);
    if (UNEXPECTED(work->copy))
        for (uint32_t i = 0; i < used; i++)
            if (array->arData[i].key != NULL) {
                array->arData[i].key = larder_copy_string(array->arData[i].key);
                HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
            }
    larder_graph_place(work, &array->arData->val, used, sizeof(Bucket));
}

/* Properties that have no slot: their array, for now. */
static void graph_added(larder_graph_work *work, zend_object *object, const zval *stored)
{
    zval added = *stored;
    larder_graph_place(work, &added, 1, sizeof added);
    if (Z_TYPE_INFO(added) == IS_ARRAY) /* immutable; not copied out */
        Z_ARR(added) = zend_array_dup(Z_ARR(added));
    object->properties = Z_ARR(added);
}

/* When all nodes are complete: what has slots lists them beside the others. */
static void graph_added_merge(zend_object *object)
{
    HashTable *added = object->properties;
    zend_string *key;
    zval *value;
    object->properties = NULL;
    HashTable *all = zend_std_get_properties(object);
    ZEND_HASH_FOREACH_STR_KEY_VAL(added, key, value)
        zend_hash_add_new(all, key, value);
    ZEND_HASH_FOREACH_END();
    /* The values have moved. Releasing them could start the cycle collector: user code. */
    added->pDestructor = NULL;
    zend_array_destroy(added);
}

/* Slots that take what the class says now. */
static void graph_defaults(zend_object *object)
{
    zend_class_entry *ce = object->ce;
    for (int i = 0; i < ce->default_properties_count; i++)
        if (Z_TYPE_INFO(object->properties_table[i]) == LARDER_DEFAULT)
            ZVAL_COPY_PROP(object->properties_table + i, CE_DEFAULT_PROPERTIES_TABLE(ce) + i);
}

static zend_always_inline void graph_object(larder_graph_work *work, zend_object *object,
                                            const larder_graph_node *node)
{
    const larder_graph_found *class = work->classes + node->class_index;
    const zval *stored = (const zval *)(const void *)(work->data + node->at);
    uint32_t slots = class->slots;
    object->ce = class->ce;
    object->handlers = class->handlers;
    object->properties = NULL;
#if PHP_VERSION_ID >= 80400
    object->extra_flags = 0;
#endif
    zval *slot = object->properties_table;
    if (node->clean) {
        for (uint32_t i = 0; i < slots; i++)
            slot[i] = stored[i];
    } else {
        for (uint32_t i = 0; i < slots; i++) {
            slot[i] = stored[i];
            if (Z_TYPE_INFO(stored[i]) == LARDER_NODE)
                graph_place(work, slot + i);
        }
        if (UNEXPECTED(node->defaults))
            graph_defaults(object);
        if (UNEXPECTED(node->added))
            graph_added(work, object, stored + slots);
    }
    if (UNEXPECTED(class->guards))
        ZVAL_UNDEF(slot + slots);
    if (UNEXPECTED(work->copy))
        for (uint32_t i = 0; i < slots; i++)
            if (!Z_REFCOUNTED(slot[i]) && Z_TYPE(slot[i]) >= IS_STRING)
                larder_copy_out(work->copies, slot + i);
}

static void graph_fill(larder_graph_work *work, uint32_t index, const larder_graph_node *node)
{
    void *built = work->built[index];
    const void *stored = work->data + node->at;
    if (UNEXPECTED(built == NULL)) {
        if (graph_is_single(node))
            return;
        built = graph_node(work, index, node);
    }
    switch ((larder_node_kind)node->kind) {
    case LARDER_NODE_OBJECT:
        graph_object(work, built, node);
        break;
    case LARDER_NODE_ARRAY:
        graph_array(work, built, stored);
        break;
    case LARDER_NODE_CASE:
        GC_SET_REFCOUNT((zend_object *)built, GC_REFCOUNT((zend_object *)built) + node->uses);
        break;
    case LARDER_NODE_DATE:
    case LARDER_NODE_WRAP:
        larder_graph_fill_builtin(work, built, node);
        break;
    case LARDER_NODE_STATE:
        GC_SET_REFCOUNT((zend_object *)built, node->uses);
        break;
    case LARDER_NODE_REFERENCE: {
        zend_reference *reference = built;
        reference->sources.ptr = NULL;
        reference->val = *(const zval *)stored;
        larder_graph_place(work, &reference->val, 1, sizeof(zval));
        work->references = true;
        break;
    }
    }
}

/* Arguments of the hooks, while the block is sure to be there. */
static void graph_states(larder_graph_work *work)
{
    const uint32_t *calls = (const uint32_t *)(const void *)(work->data + work->graph->calls_at);
    for (uint32_t i = 0; i < work->graph->calls; i++) {
        const larder_graph_node *node = work->nodes + calls[i];
        ZVAL_UNDEF(work->states + i);
        if (node->kind != LARDER_NODE_STATE)
            continue;
        work->states[i] = *(const zval *)(const void *)(work->data + node->at);
        larder_graph_place(work, work->states + i, 1, sizeof(zval));
    }
}

/* Make sure that so many objects can be entered without an allocation. */
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

/* zend_objects_store_put() where there is room. */
static zend_always_inline void graph_enter(zend_object *object)
{
    zend_objects_store *store = &EG(objects_store);
    uint32_t handle;
    if (store->free_list_head != -1 && EXPECTED(!(EG(flags) & EG_FLAGS_OBJECT_STORE_NO_REUSE))) {
        handle = (uint32_t)store->free_list_head;
        store->free_list_head = (int)GET_OBJ_BUCKET_NUMBER(store->object_buckets[handle]);
    } else {
        handle = store->top++;
    }
    object->handle = handle;
    store->object_buckets[handle] = object;
}

/* False: there is no memory for it. The engine has recorded that; what was built goes with the request. */
static bool graph_build(larder_graph_work *work)
{
    const larder_graph_node *nodes = work->nodes;
    uint32_t count = work->graph->nodes;
    bool added = false;
    zval *late = NULL;
    graph_reserve_handles(count);
    if (UNEXPECTED(work->late_count != 0))
        late = work->late = safe_emalloc(work->late_count, sizeof *late, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (UNEXPECTED(LARDER_OUT_OF_MEMORY()))
            return false;
        added |= nodes[i].added;
        if (EXPECTED(nodes[i].kind == LARDER_NODE_OBJECT) && EXPECTED(work->built[i] != NULL))
            graph_object(work, work->built[i], nodes + i);
        else
            graph_fill(work, i, nodes + i);
    }
    if (UNEXPECTED(work->graph->calls != 0))
        graph_states(work);
    if (UNEXPECTED(work->copies != NULL)) {
        bool copied = larder_copies_end(work->copies);
        work->copies = NULL;
        if (!copied)
            return false;
    }
    if (UNEXPECTED(added))
        for (uint32_t i = 0; i < count; i++)
            if (nodes[i].added && work->classes[nodes[i].class_index].slots != 0)
                graph_added_merge(work->built[i]);
    if (UNEXPECTED(late != NULL))
        larder_graph_separate_builtins(work, late);
    /* From here on the engine may destroy them, and nothing allocates until it knows all. */
    for (uint32_t i = 0; i < count; i++)
        if (EXPECTED(nodes[i].kind == LARDER_NODE_OBJECT))
            graph_enter(work->built[i]);
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

/* ---- hooks ---------------------------------------------------------------------------------------------- */

/* Call __unserialize() and __wakeup() in the order that PHP's unserialize() would. Nothing of the block is
 * looked at after the first call, for it may not be held. */
static bool graph_call_hooks(zend_object **objects, zval *states, uint32_t count)
{
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        zend_object *object = objects[i];
        if (!good) {
            GC_ADD_FLAGS(object, IS_OBJ_DESTRUCTOR_CALLED);
            continue;
        }
        if (Z_TYPE(states[i]) != IS_UNDEF) {
            zval answer;
            if (object->ce->__unserialize->type == ZEND_INTERNAL_FUNCTION)
                larder_builtin_call(object, object->ce->__unserialize, states + i, &answer);
            else
                zend_call_known_function(object->ce->__unserialize, object, object->ce, NULL, 1,
                                         states + i, NULL);
        } else {
            zend_function *wakeup =
                zend_hash_str_find_ptr(&object->ce->function_table, ZEND_STRL("__wakeup"));
            if (wakeup == NULL)
                continue;
            zend_call_known_function(wakeup, object, object->ce, NULL, 0, NULL, NULL);
        }
        if (UNEXPECTED(EG(exception))) {
            GC_ADD_FLAGS(object, IS_OBJ_DESTRUCTOR_CALLED);
            good = false;
        }
    }
    return good;
}

static bool graph_finish(larder_graph_work *work, zval *result)
{
    const uint32_t *calls = (const uint32_t *)(const void *)(work->data + work->graph->calls_at);
    uint32_t count = work->graph->calls;
    zend_object **objects = safe_emalloc(count, sizeof *objects, 0);
    for (uint32_t i = 0; i < count; i++) {
        objects[i] = work->built[calls[i]];
        GC_ADDREF(objects[i]); /* a hook may drop it */
    }
    bool good = graph_call_hooks(objects, work->states, count);
    for (uint32_t i = 0; i < count; i++) {
        zval_ptr_dtor(work->states + i);
        OBJ_RELEASE(objects[i]);
    }
    efree(objects);
    if (!good) {
        zval_ptr_dtor(result);
        ZVAL_NULL(result);
    }
    return good;
}

/* The cycle collector looks where a count has gone down, and here none has: a cycle that is dropped at
 * once would stay for good. May run the collector, so nothing may be half done. */
static void graph_suspect(zval *result)
{
    if (Z_REFCOUNTED_P(result) && GC_MAY_LEAK(Z_COUNTED_P(result)))
        gc_possible_root(Z_COUNTED_P(result));
}

static bool graph_fetch(larder_graph_work *work, bool quiet, zval *result)
{
    ALLOCA_FLAG(use_heap_classes)
    ALLOCA_FLAG(use_heap_built)
    uint32_t calls = work->graph->calls;
    bool cyclic = (work->graph->flags & LARDER_GRAPH_CYCLIC) != 0;
    work->classes = do_alloca(work->graph->classes * sizeof *work->classes, use_heap_classes);
    work->built = do_alloca(work->graph->nodes * sizeof *work->built, use_heap_built);
    bool good = graph_resolve_all(work, quiet);
    if (EXPECTED(good)) {
        if (UNEXPECTED(calls != 0))
            work->states = safe_emalloc(calls, sizeof *work->states, 0);
        if (UNEXPECTED(work->copy))
            work->copies = larder_copies_begin();
        *result = work->graph->root;
        larder_graph_place(work, result, 1, sizeof *result);
        good = graph_build(work);
        if (UNEXPECTED(!good)) {
            if (work->copies != NULL)
                larder_copies_end(work->copies);
            ZVAL_NULL(result);
        }
        if (UNEXPECTED(calls != 0)) {
            good = good && graph_finish(work, result);
            efree(work->states);
        }
        if (good && cyclic)
            graph_suspect(result);
    }
    free_alloca(work->built, use_heap_built);
    free_alloca(work->classes, use_heap_classes);
    return good;
}

/* ---- a block that may not be held --------------------------------------------------------------------- */

/* Load the classes and make the cases that the graph needs. The names are copied first: what runs here may
 * use the cache, and then the block is gone. False: an exception is set. */
static bool graph_load(const larder_graph_work *work)
{
    zval names, *name;
    array_init(&names);
    for (uint32_t i = 0; i < work->graph->classes; i++)
        add_next_index_str(&names, larder_copy_string(work->stored[i].name));
    uint32_t classes = work->graph->classes;
    for (uint32_t i = 0; i < work->graph->nodes; i++) {
        const larder_graph_node *node = work->nodes + i;
        if (node->kind != LARDER_NODE_CASE)
            continue;
        add_next_index_long(&names, node->class_index);
        add_next_index_str(&names, larder_copy_string(Z_STR_P(
                                       (const zval *)(const void *)(work->data + node->at))));
    }
    HashTable *list = Z_ARR(names);
    bool good = true;
    for (uint32_t i = 0; good && i < classes; i++) {
        zend_class_entry *ce = zend_lookup_class(Z_STR_P(zend_hash_index_find(list, i)));
        good = ce != NULL && zend_update_class_constants(ce) == SUCCESS;
    }
    for (uint32_t i = classes; good && i < zend_hash_num_elements(list); i += 2) {
        zend_ulong index = (zend_ulong)Z_LVAL_P(zend_hash_index_find(list, i));
        zend_class_entry *ce = zend_lookup_class(Z_STR_P(zend_hash_index_find(list, index)));
        name = zend_hash_index_find(list, i + 1);
        good = ce != NULL && (ce->ce_flags & ZEND_ACC_ENUM) &&
               zend_hash_exists(CE_CONSTANTS_TABLE(ce), Z_STR_P(name)) &&
               zend_get_class_constant_ex(ce->name, Z_STR_P(name), ce, 0) != NULL;
    }
    zval_ptr_dtor(&names);
    return good && !EG(exception);
}

/* Nothing may run between the look-up and the copy, so what has to be loaded is loaded first, and then the
 * value is looked up again. */
static bool graph_fetch_unheld(lrd_store *store, lrd_value *value, zval *result)
{
    lrd_entry entry;
    larder_graph_work work;
    zend_string *key = NULL;
    int rc;
    LARDER_CALL(rc, lrd_value_entry(store, value, &entry));
    if (rc != LRD_OK)
        return false;
    key = zend_string_init(entry.key, entry.key_len, 0);
    bool good = false;
    for (int tries = 0; tries < GRAPH_TRIES; tries++) {
        graph_open(&work, value);
        good = graph_fetch(&work, true, result);
        /* After a hook nothing may be looked at: it may have let go of the block. */
        if (good || EG(exception) || LARDER_OUT_OF_MEMORY() || !graph_load(&work) ||
            larder_lookup(store, key, value) != LRD_OK)
            break;
        if (value->type != LARDER_GRAPH || value->kind == LRD_KIND_HELD) {
            good = larder_take(store, value, result);
            break;
        }
    }
    zend_string_release(key);
    return good;
}

bool larder_graph_fetch(lrd_store *store, lrd_value *value, zval *result)
{
    larder_graph_work work;
    larder_resident_answer answer = larder_resident_fetch(store, value, result);
    bool good = answer == LARDER_RESIDENT_GIVEN;
    if (answer != LARDER_RESIDENT_NOT) {
        /* done */
    } else if (UNEXPECTED(value->kind != LRD_KIND_HELD)) {
        good = graph_fetch_unheld(store, value, result);
    } else {
        graph_open(&work, value);
        good = graph_fetch(&work, false, result);
    }
    if (UNEXPECTED(!good))
        lrd_count_miss(store);
    return good;
}
