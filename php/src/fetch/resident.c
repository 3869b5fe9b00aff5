/* resident.c - resident graphs: immutable objects that a worker (in ZTS: a thread) builds once, in
 * memory that outlives requests. Begin reading at larder_resident_fetch().
 * larder_resident_constants() keeps the constant arrays of other graphs (format.h).
 *
 * - The worker owns the objects, and the arrays that contain nodes. Strings and other arrays are in
 *   the stored block.
 * - Only requests that use a graph hold the graph's block. So each request looks up the stored
 *   value, and compares the value's address and time of writing with those of the graph.
 * - A graph contains only enum cases and readonly objects (classes_resident()), with initialised
 *   slots and no PHP reference (build_suits()).
 * - The headers of objects (reference count and flags) are restored at the end of each request.
 * - ArrayObject, array_walk() and others can write to readonly slots through an object's table of
 *   properties. If an object has such a table, the next request builds the graph again.
 * - PHP does not write to an array whose reference count is above 1, so these counts start at
 *   RESIDENT_COUNT.
 * - Each request finds the classes and enum cases by name. This may run user code, so all state
 *   must be consistent before this step.
 * - The engine does not know resident objects: their handles are above its own, the cycle collector
 *   ignores them, and their reference counts, from RESIDENT_COUNT on, never reach zero.
 * - A returned graph is in use until the request ends, or until all its reference counts are the
 *   initial ones.
 * - Unused graphs are freed before the search for held values (holds/collect.c), because a graph
 *   keeps its block held.
 * - A graph is not freed while constants are lent (larder_resident_lend()), if an object may have
 *   weak references, or if a table of properties has another owner or contains an object. */
#include "fetch/resident.h"
#include "fetch/graph_work.h"
#include "fetch/resident_table.h"
#include "format/format.h"
#include "holds/holds.h"
#include "kinds/classes.h"
#include "request/memory.h"
#include "stores/settings.h"
#include "zend_enum.h"

#include <time.h>

/* At its end, each request checks this number of chains for outdated graphs. */
#define RESIDENT_SWEEP 16u

/* ---- a request's first use ---- */

/* Prepare a graph for this request. If a class has another address than before, or if the program
 * may have written to the graph, builds the graph again. Returns false if there is not enough
 * memory. */
static bool resident_update(resident *r, const resident_work *work)
{
    bool moved = false, same = !r->written;
    for (uint32_t i = 0; i < r->classes_used; i++)
        same &= r->classes[i].ce == work->ce[i];
    if (UNEXPECTED(!same))
        return larder_resident_fill(r, work);
    for (uint32_t i = 0; i < r->cases_used; i++) {
        moved |= r->cases[i].object != work->cases[i];
        r->cases[i].object = work->cases[i];
        if (!work->whole)
            r->constants[i].counted = &work->cases[i]->gc;
    }
    for (uint32_t i = 0; moved && i < r->places_used; i++)
        Z_OBJ_P(r->places[i].value) = r->places[i].which->object;
    if (moved && r->living)
        memcpy(r->pristine, r->live, (size_t)(r->key - r->live));
    return true;
}

/* ---- unused graphs ---- */

void larder_residents_unused(void)
{
    if (LARDER_G(residents) != NULL)
        larder_resident_free_unused(LARDER_G(residents));
}

void larder_resident_lend(void) { LARDER_G(residents_lent)++; }
void larder_resident_lent(void) { LARDER_G(residents_lent)--; }

static void resident_give(struct larder_residents *all, resident *r)
{
    for (uint32_t i = 0; i < r->cases_used; i++)
        GC_SET_REFCOUNT(r->cases[i].object, GC_REFCOUNT(r->cases[i].object) + r->cases[i].uses);
    larder_resident_unlink(all, r);
    larder_resident_newest(all, r);
    r->request = all->request;
    r->given = all->given;
    all->given = r;
}

/* Return true if resident objects of the class can be restored by copying their slots. Classes with
 * a destructor are refused, because the engine would never call the destructor of a resident
 * object. */
static bool resident_may_live(const zend_class_entry *ce)
{
    if (ce->ce_flags & ZEND_ACC_ENUM)
        return true;
#if PHP_VERSION_ID >= 80300
    if (ce->default_object_handlers != zend_get_std_object_handlers())
        return false;
#endif
    return ce->type == ZEND_USER_CLASS && ce->create_object == NULL && ce->destructor == NULL &&
           !(ce->ce_flags & ZEND_ACC_USE_GUARDS);
}

/* May run user code. */
static larder_resident_answer resident_resolve(resident_work *work)
{
    uint32_t cases = 0;
    bool suits = true;
    for (uint32_t i = 0; i < work->graph->classes; i++) {
        const larder_graph_found *found = larder_graph_find_class(work->stored + i);
        if (found == NULL)
            return LARDER_RESIDENT_MISS;
        work->ce[i] = found->ce;
        suits &= work->living ? resident_may_live(found->ce) : found->resident;
    }
    for (uint32_t i = 0; cases < work->graph->cases; i++) {
        const larder_graph_node *node = work->nodes + i;
        if (node->kind != LARDER_NODE_CASE)
            continue;
        const zval *name = (const zval *)(const void *)(work->data + node->at);
        work->cases[cases] =
            larder_graph_find_case(work->ce[node->class_index], Z_STR_P(name), false);
        if (work->cases[cases++] == NULL)
            return LARDER_RESIDENT_MISS;
    }
    return suits || !work->whole ? LARDER_RESIDENT_GIVEN : LARDER_RESIDENT_NOT;
}

/* Return true if the graph has the form (`whole` and `living`; see resident_work) that this fetch
 * needs. */
static bool resident_serves(const resident *r, const resident_work *work)
{
    return (Z_TYPE(r->root) != IS_UNDEF) == work->whole && r->living == work->living;
}

/* Return the resident graph of a value. Builds the graph if necessary. Returns NULL if the worker
 * cannot keep the graph, or if this request uses it in another form (see resident_serves()). */
static resident *resident_have(lrd_store *store, const lrd_value *value, resident_work *work)
{
    struct larder_residents *all = LARDER_G(residents);
    /* user code in resident_resolve() may have built or freed the graph */
    resident *r = larder_resident_find(all, value->data);
    if (r != NULL && r->request == all->request)
        return resident_serves(r, work) ? r : NULL;
    if (r != NULL && (r->built != work->graph->built || !resident_serves(r, work) ||
                      !resident_update(r, work))) {
        larder_resident_free(all, r);
        r = NULL;
    }
    if (r == NULL)
        r = larder_resident_make(all, store, value, work);
    if (r != NULL)
        resident_give(all, r);
    return r;
}

static larder_resident_answer resident_first(lrd_store *store, const lrd_value *value, bool whole,
                                             bool living, resident **out)
{
    ALLOCA_FLAG(use_heap_classes)
    ALLOCA_FLAG(use_heap_cases)
    const char *data = value->data;
    const larder_graph *graph = larder_graph_of(value);
    resident_work work = {.whole = whole,
                          .living = living,
                          .graph = graph,
                          .data = data,
                          .stored = (const void *)(data + graph->classes_at),
                          .nodes = (const void *)(data + graph->nodes_at)};
    if (LARDER_G(residents) == NULL) {
        struct larder_residents *all = calloc(1, sizeof *all);
        if (all == NULL || !larder_resident_grow(all)) {
            free(all);
            return LARDER_RESIDENT_NOT;
        }
        all->request = RESIDENT_REST + 1;
        LARDER_G(residents) = all;
    }
    uint32_t cases = graph->cases;
    work.ce = do_alloca(graph->classes * sizeof *work.ce, use_heap_classes);
    work.cases = do_alloca((cases + 1) * sizeof *work.cases, use_heap_cases);
    larder_resident_answer answer = resident_resolve(&work);
    if (answer == LARDER_RESIDENT_GIVEN) {
        *out = NULL;
        if (larder_enter()) {
            *out = resident_have(store, value, &work);
            larder_leave();
        }
        if (*out == NULL)
            answer = LARDER_RESIDENT_NOT;
    }
    free_alloca(work.cases, use_heap_cases);
    free_alloca(work.ce, use_heap_classes);
    return answer;
}

static bool resident_can(const lrd_store *store, const lrd_value *value, uint32_t flag)
{
    return larder_configured.resident_size != 0 && (larder_graph_of(value)->flags & flag) &&
           (store == LARDER_G(active)[LARDER_VOLATILE] || store == LARDER_G(active)[LARDER_PINNED]);
}

larder_resident_answer larder_resident_fetch(lrd_store *store, const lrd_value *value, zval *result)
{
    struct larder_residents *all = LARDER_G(residents);
    /* the request holds the values of the graphs that it has returned, so no other value has this
     * address */
    if (EXPECTED(all != NULL)) {
        resident *r = larder_resident_find(all, value->data);
        if (EXPECTED(r != NULL) && EXPECTED(r->request == all->request) &&
            EXPECTED(Z_TYPE(r->root) != IS_UNDEF)) {
            ZVAL_COPY(result, &r->root);
            return LARDER_RESIDENT_GIVEN;
        }
    }
    if (value->kind != LRD_KIND_HELD || !larder_resident_stored(store, value))
        return LARDER_RESIDENT_NOT;
    resident *r;
    larder_resident_answer answer = resident_first(store, value, true, false, &r);
    if (answer == LARDER_RESIDENT_GIVEN)
        ZVAL_COPY(result, &r->root);
    return answer;
}

larder_resident_answer larder_resident_constants(lrd_store *store, const lrd_value *value,
                                                 larder_constants *out)
{
    struct larder_residents *all = LARDER_G(residents);
    larder_resident_answer answer = LARDER_RESIDENT_GIVEN;
    resident *r = all != NULL ? larder_resident_find(all, value->data) : NULL;
    if (UNEXPECTED(r == NULL) || UNEXPECTED(r->request != all->request) ||
        UNEXPECTED(Z_TYPE(r->root) != IS_UNDEF)) {
        if (!resident_can(store, value, LARDER_GRAPH_CONSTANTS))
            return LARDER_RESIDENT_NOT;
        answer = resident_first(store, value, false, false, &r);
    }
    if (answer == LARDER_RESIDENT_GIVEN)
        *out = (larder_constants){.first = r->constants, .used = r->constants_used};
    return answer;
}

bool larder_resident_lives(const lrd_store *store, const lrd_value *value)
{
    const larder_graph *graph = larder_graph_of(value);
    const larder_graph_node *node =
        (const larder_graph_node *)(const void *)((const char *)value->data + graph->nodes_at);
    if (larder_configured.resident_size == 0 || !(graph->flags & LARDER_GRAPH_LIVES) ||
        store != LARDER_G(active)[LARDER_PINNED])
        return false;
    const larder_graph_class *stored =
        (const larder_graph_class *)(const void *)((const char *)value->data + graph->classes_at);
    for (uint32_t i = 0; i < graph->classes; i++) {
        const zend_class_entry *ce = larder_class_loaded(stored[i].lower);
        if (ce != NULL && !resident_may_live(ce))
            return false;
    }
    for (uint32_t i = 0; i < graph->nodes; i++, node++)
        if (node->added || node->defaults ||
            (node->kind != LARDER_NODE_OBJECT && node->kind != LARDER_NODE_ARRAY &&
             node->kind != LARDER_NODE_CASE))
            return false;
    return graph->calls == 0;
}

larder_resident_answer larder_resident_live(lrd_store *store, const lrd_value *value, zval *result)
{
    resident *r;
    if (value->kind != LRD_KIND_HELD || !larder_resident_lives(store, value))
        return LARDER_RESIDENT_NOT;
    larder_resident_answer answer = resident_first(store, value, true, true, &r);
    if (answer == LARDER_RESIDENT_GIVEN)
        ZVAL_COPY(result, &r->root);
    return answer;
}

bool larder_resident_stored(const lrd_store *store, const lrd_value *value)
{
    /* The result is false for the values of a layer (compat/). The caches that layers imitate
     * return new objects at each fetch. */
    return resident_can(store, value, LARDER_GRAPH_RESIDENT);
}

/* ---- the end of a request ---- */

/* Restore the header of an object or array. An unchanged header is not written again. */
static zend_always_inline void resident_header_restore(zend_refcounted_h *head, uint32_t type)
{
    if (UNEXPECTED(head->refcount != RESIDENT_COUNT) || UNEXPECTED(head->u.type_info != type))
        resident_header(head, type);
}

/* Restore a graph at the end of a request. Restores all objects and arrays if the program may write
 * to the graph, otherwise only the headers. */
static void resident_restore(resident *r)
{
    bool written = false;
    if (r->living) {
        memcpy(r->live, r->pristine, (size_t)(r->key - r->live));
        return;
    }
    for (uint32_t i = 0; i < r->classes_used; i++) {
        const resident_class *class = r->classes + i;
        char *at = class->objects;
        for (uint32_t j = class->count; j != 0; j--, at += class->size) {
            zend_object *object = (zend_object *)(void *)at;
            written |=
                object->properties != NULL || !(OBJ_FLAGS(object) & IS_OBJ_DESTRUCTOR_CALLED);
            resident_header_restore(&object->gc, RESIDENT_OBJECT);
        }
    }
    for (char *at = r->arrays; at < r->key;) {
        zend_array *array = (zend_array *)(void *)at;
        resident_header_restore(&array->gc, RESIDENT_ARRAY);
        at += resident_array_size(array);
    }
    r->written = written;
}

/* At the end of a request, give back the graph's references to enum cases, and free its property
 * tables. Not needed if the engine frees all memory of the request in one step. */
static void resident_tidy(const resident *r)
{
    /* Free the tables first, because a table may contain an enum case. */
    larder_resident_free_tables(r);
    for (uint32_t i = 0; i < r->cases_used; i++) {
        zend_object *object = r->cases[i].object;
        /* if the graph has no reference to the enum case, the object may be freed already */
        if (r->cases[i].uses == 0)
            continue;
        GC_SET_REFCOUNT(object, GC_REFCOUNT(object) - r->cases[i].uses);
        if (GC_REFCOUNT(object) == 1 && (OBJ_FLAGS(object) & IS_OBJ_FREE_CALLED))
            efree(object);
    }
}

static void resident_let_go(resident *r)
{
    char *at = r->live, *pristine = r->pristine;
    for (uint32_t i = 0; i < r->classes_used; i++)
        for (uint32_t j = 0; j < r->classes[i].count; j++) {
            zend_object *object = (zend_object *)(void *)at;
            zval *slot = object->properties_table, before;
            if (object->properties != NULL)
                zend_array_release(object->properties);
            object->properties = NULL;
            uint32_t slots =
                (r->classes[i].size - offsetof(zend_object, properties_table)) / sizeof *slot;
            for (uint32_t k = 0; k < slots; k++, slot++) {
                memcpy(&before, pristine + ((char *)slot - at), sizeof before);
                if (memcmp(&before.value, &slot->value, sizeof before.value) == 0 &&
                    Z_TYPE(before) == Z_TYPE_P(slot))
                    continue;
                zend_property_info *info = object->ce->properties_info_table[k];
                if (Z_ISREF_P(slot) && info != NULL && ZEND_TYPE_IS_SET(info->type))
                    ZEND_REF_DEL_TYPE_SOURCE(Z_REF_P(slot), info);
                zval written = *slot;
                *slot = before;
                zval_ptr_dtor(&written);
            }
            at += r->classes[i].size;
            pristine += r->classes[i].size;
        }
}

void larder_residents_let_go(void)
{
    struct larder_residents *all = LARDER_G(residents);
    for (resident *r = all != NULL ? all->given : NULL; r != NULL; r = r->given)
        if (r->living)
            resident_let_go(r);
}

/* Return true if the entry still has the value of the graph, or cannot be looked up in this
 * request. */
static bool resident_current(const resident *r)
{
    lrd_value value;
    int rc;
    if (r->store != LARDER_G(active)[LARDER_VOLATILE] &&
        r->store != LARDER_G(active)[LARDER_PINNED])
        /* This request does not use the store, so the entry cannot be looked up. The next request
         * that uses the graph looks it up. */
        return true;
    LARDER_CALL(rc, lrd_get(r->store, r->key, r->key_len,
                            LRD_GET_BORROW | LRD_GET_NO_COPY | LRD_GET_NO_COUNT, &value));
    if (rc != LRD_OK)
        return false;
    return value.data == r->data && value.type == LARDER_GRAPH &&
           larder_graph_of(&value)->built == r->built;
}

static void resident_free_all(struct larder_residents *all)
{
    while (all->oldest != NULL)
        larder_resident_free(all, all->oldest);
    all->handle_next = 0;
}

void larder_residents_rest(void)
{
    struct larder_residents *all = LARDER_G(residents);
    bool tidy = (ZEND_DEBUG || !is_zend_mm()) && !CG(unclean_shutdown);
    if (all == NULL)
        return;
    /* reset the count, because a fatal error may have prevented calls of larder_resident_lent() */
    LARDER_G(residents_lent) = 0;
    while (all->given != NULL) {
        resident *r = all->given;
        all->given = r->given;
        if (tidy)
            resident_tidy(r);
        if (resident_current(r))
            resident_restore(r);
        else
            larder_resident_free(all, r);
    }
    for (uint32_t i = 0; i < RESIDENT_SWEEP; i++) {
        resident *next = all->places[all->place_next++ & (all->room - 1)];
        while (next != NULL) {
            resident *r = next;
            next = r->next;
            if (r->request != all->request && !resident_current(r))
                larder_resident_free(all, r);
        }
    }
    /* Handles are not reused. When half of them are used up, free all graphs and begin again. */
    if (all->handle_next > RESIDENT_HANDLES / 2)
        resident_free_all(all);
    all->request++;
}

void larder_residents_drop(const lrd_store *store)
{
    struct larder_residents *all = LARDER_G(residents);
    resident *next = all != NULL ? all->oldest : NULL;
    while (next != NULL) {
        resident *r = next;
        next = r->newer;
        if (r->store == store)
            larder_resident_free(all, r);
    }
}

void larder_residents_end(struct larder_residents *all)
{
    if (all == NULL)
        return;
    resident_free_all(all);
    free(all->places);
    free(all);
}

void larder_residents_usage(uint32_t *graphs, size_t *bytes)
{
    const struct larder_residents *all = LARDER_G(residents);
    *graphs = all != NULL ? all->graphs : 0;
    *bytes = all != NULL ? all->bytes : 0;
}
