/* graph.c - rebuilds a graph (a value with objects or references) from its block. format.h
 * describes the layout. Begin reading at larder_graph_fetch().
 *
 * 1. Resolve: find the classes and enum cases by name. This may run user code, so all state must
 *    be consistent before this step.
 * 2. Build: allocate and copy each node, children before parents (see number.c). No user code runs.
 *    memory_limit may longjmp() out of any allocation; the request then frees the nodes.
 * 3. Register all objects with the engine. This step is the last one: if the request ended before,
 *    the engine would destroy registered objects that are incomplete. Step 2 has already written
 *    the handles. */
#include "fetch/graph.h"
#include "fetch/graph_work.h"
#include "fetch/resident.h"
#include "format/format.h"
#include "kinds/builtin.h"
#include "kinds/classes.h"
#include "request/serializer.h"

/* if fewer hooks than this are called, graph_collections() does not query the cycle collector */
#define GRAPH_ASKED 8u
/* up to this number of nodes and of classes, graph_fetch() uses arrays of constant size */
#define GRAPH_FEW 32u

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

/* ---- hooks ---- */

static void graph_restore(zend_object *object, const zval *state)
{
    const larder_class *class = larder_class_of(object->ce);
    const larder_object_kind *kind =
        larder_object_kinds[class != NULL ? class->builtin : LARDER_BUILTIN_NONE];
    if (kind->restore != NULL)
        kind->restore(object, state);
}

/* Call the hooks in the order of unserialize(). Does not read the block, because a hook may free
 * it. Returns false if a hook has thrown or memory has run out. */
static bool graph_call_hooks(zend_object **objects, zval *states, uint32_t count)
{
    bool good = true;
    larder_serializer_lock();
    for (uint32_t i = 0; i < count; i++) {
        zend_object *object = objects[i];
        good = good && !LARDER_OUT_OF_MEMORY();
        if (!good) {
            GC_ADD_FLAGS(object, IS_OBJ_DESTRUCTOR_CALLED);
            continue;
        }
        if (Z_TYPE(states[i]) == IS_STRING) {
            larder_carbon_restore(object, (const void *)Z_STRVAL(states[i]));
        } else if (Z_TYPE(states[i]) != IS_UNDEF) {
            zval answer;
            if (object->ce->__unserialize == NULL)
                graph_restore(object, states + i);
            else if (object->ce->__unserialize->type == ZEND_INTERNAL_FUNCTION)
                larder_builtin_call(object, object->ce->__unserialize, states + i, &answer);
            else
                larder_user_call(object, object->ce->__unserialize, states + i, NULL);
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
    larder_serializer_unlock();
    return good;
}

/* Return the number of runs of the cycle collector. For fewer than GRAPH_ASKED hook calls, return
 * 0. */
static uint32_t graph_collections(uint32_t calls)
{
    zend_gc_status status = {.runs = 0};
    if (calls >= GRAPH_ASKED)
        zend_gc_get_status(&status);
    return status.runs;
}

static bool graph_finish(larder_graph_work *work, zval *result)
{
    zend_object **objects = work->called;
    uint32_t count = work->calls, collections = graph_collections(count);
    for (uint32_t i = 0; i < count; i++)
        GC_ADDREF(objects[i]); /* a hook may drop all other references */
    bool good = graph_call_hooks(objects, work->states, count);
    /* Drop the references. The cycle collector has a list of objects that may be garbage.
     * OBJ_RELEASE() puts an object on this list. GC_DELREF() is faster and does not, so it is used
     * only in two cases. If the collector has not run meanwhile, it has taken no object off its
     * list. And a Carbon date must stay off the list, because the collector would create its table
     * of properties. */
    bool known = count >= GRAPH_ASKED && graph_collections(count) == collections;
    for (uint32_t i = 0; i < count; i++) {
        bool carbon = Z_TYPE(work->states[i]) == IS_STRING;
        if (UNEXPECTED(Z_REFCOUNTED(work->states[i]))) /* most states own nothing */
            zval_ptr_dtor(work->states + i);
        if ((known || carbon) && GC_REFCOUNT(objects[i]) > 1)
            GC_DELREF(objects[i]);
        else
            OBJ_RELEASE(objects[i]);
    }
    if (!good) {
        zval_ptr_dtor(result);
        ZVAL_NULL(result);
    }
    return good;
}

/* Report the result to the cycle collector, because PHP does not always report it if no variable
 * receives it. May run the collector. */
static void graph_suspect(zval *result)
{
    if (Z_REFCOUNTED_P(result) && GC_MAY_LEAK(Z_COUNTED_P(result)))
        gc_possible_root(Z_COUNTED_P(result));
}

static zend_always_inline bool graph_fetch_into(larder_graph_work *work, lrd_store *store,
                                                const lrd_value *value, bool quiet, zval *result)
{
    uint32_t calls = work->graph->calls;
    bool cyclic = (work->graph->flags & LARDER_GRAPH_CYCLIC) != 0;
    bool constants = (work->graph->flags & LARDER_GRAPH_CONSTANTS) && !quiet;
    if (UNEXPECTED(constants))
        larder_resident_lend();
    bool good = (!constants || larder_resident_constants(store, value, &work->constants) !=
                                   LARDER_RESIDENT_MISS) &&
                larder_graph_resolve(work, quiet);
    if (EXPECTED(good)) {
        if (UNEXPECTED(calls != 0)) {
            work->states = safe_emalloc(calls, sizeof *work->states + sizeof *work->called, 0);
            work->called = (zend_object **)(void *)(work->states + calls);
        }
        if (UNEXPECTED(work->copy))
            work->copies = larder_copies_begin(work->unfolded && !work->moves);
        good = larder_graph_build(work);
        /* end the loan of the constants, because the built nodes keep them alive */
        if (UNEXPECTED(constants))
            larder_resident_lent();
        if (EXPECTED(good)) {
            *result = work->graph->root; /* the root is a node */
            larder_graph_place(work, result, 1, sizeof *result);
        } else {
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
    } else if (UNEXPECTED(constants)) {
        larder_resident_lent();
    }
    return good;
}

static zend_never_inline bool graph_fetch_many(larder_graph_work *work, lrd_store *store,
                                               const lrd_value *value, bool quiet, zval *result)
{
    ALLOCA_FLAG(heap_classes)
    ALLOCA_FLAG(heap)
    work->classes = do_alloca(work->graph->classes * sizeof *work->classes, heap_classes);
    work->built = do_alloca(work->graph->nodes * sizeof *work->built, heap);
    bool good = graph_fetch_into(work, store, value, quiet, result);
    free_alloca(work->built, heap);
    free_alloca(work->classes, heap_classes);
    return good;
}

static bool graph_fetch(larder_graph_work *work, lrd_store *store, const lrd_value *value,
                        bool quiet, zval *result)
{
    const larder_graph_found *classes[GRAPH_FEW];
    void *built[GRAPH_FEW];
    if (work->graph->nodes > GRAPH_FEW || UNEXPECTED(work->graph->classes > GRAPH_FEW))
        return graph_fetch_many(work, store, value, quiet, result);
    work->classes = classes;
    work->built = built;
    return graph_fetch_into(work, store, value, quiet, result);
}

/* ---- a block that cannot be held ---- */

bool larder_graph_load(const lrd_value *value)
{
    larder_graph_work opened, *work = &opened;
    zval names, *name;
    graph_open(work, value);
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
    larder_serializer_lock();
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
    larder_serializer_unlock();
    zval_ptr_dtor(&names);
    return good && !EG(exception);
}

bool larder_graph_unfolded(lrd_store *store, const lrd_value *value, bool moves, zval *result)
{
    larder_graph_work work;
    larder_graph whole = *larder_graph_of(value);
    /* the block may be freed after this fetch, so a worker must not keep objects with pointers into
     * it */
    whole.flags &= ~(LARDER_GRAPH_RESIDENT | LARDER_GRAPH_CONSTANTS | LARDER_GRAPH_LIVES);
    graph_open(&work, value);
    work.graph = &whole;
    work.copy = true;
    work.unfolded = true;
    work.moves = moves;
    return graph_fetch(&work, store, value, false, result);
}

bool larder_graph_fetch_one(const lrd_value *value, zval *result)
{
    const larder_graph *graph = larder_graph_of(value);
    const char *data = value->data;
    const larder_graph_class *stored = (const void *)(data + graph->classes_at);
    const larder_graph_node *node = (const void *)(data + graph->nodes_at);
    const larder_graph_found *class = larder_graph_find_class(stored);
    if (UNEXPECTED(class == NULL))
        return false;
    return larder_graph_build_one(class, (const void *)(data + node->at), result);
}

bool larder_graph_fetch(lrd_store *store, const lrd_value *value, bool copy, zval *result)
{
    larder_graph_work work;
    graph_open(&work, value);
    work.copy = copy;
    return graph_fetch(&work, store, value, false, result);
}

bool larder_graph_fetch_unheld(lrd_store *store, const lrd_value *value, zval *result)
{
    larder_graph_work work;
    graph_open(&work, value);
    return graph_fetch(&work, store, value, true, result);
}
