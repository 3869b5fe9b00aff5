/* graph_resolve.c - finds the parts of a graph that belong to this request: classes, enum cases,
 * and objects that the engine creates. Begin reading at larder_graph_resolve().
 *
 * - Until all nodes are built, user code runs only here. It may use the cache and throw, so all
 *   state must be consistent.
 * - A class is looked up by name once per request, then by fingerprint (a hash of the class's
 *   layout). */
#include "fetch/graph_work.h"
#include "format/format.h"
#include "kinds/builtin.h"
#include "kinds/classes.h"
#include "kinds/spl_layout.h"
#include "request/memory.h"
#include "zend_enum.h"

#define GRAPH_MEMO 64u /* number of cells in the table of known classes */

/* Return Larder's description of a class, or NULL if the stored objects do not fit the class. */
static larder_class *graph_class_fits(const larder_graph_class *stored, zend_class_entry *ce)
{
    larder_class *class = larder_class_of(ce);
    if (UNEXPECTED(ce->ce_flags &
                   (ZEND_ACC_INTERFACE | ZEND_ACC_TRAIT | ZEND_ACC_IMPLICIT_ABSTRACT_CLASS |
                    ZEND_ACC_EXPLICIT_ABSTRACT_CLASS)))
        return NULL;
    return class != NULL && class->fingerprint == stored->fingerprint &&
                   class->kind == (larder_class_kind)stored->kind
               ? class
               : NULL;
}

/* Return true if the constant expressions in a class's defaults have been evaluated. */
static bool graph_constants_ready(const zend_class_entry *ce)
{
    if (ce->ce_flags & ZEND_ACC_CONSTANTS_UPDATED)
        return true;
    /* The class may be shared by several requests, in memory of opcache or of an extension. The
     * flags of such a class for this request are in its mutable_data. */
    if (!ZEND_MAP_PTR(ce->mutable_data))
        return false;
    const zend_class_mutable_data *own = ZEND_MAP_PTR_GET_IMM(ce->mutable_data);
    return own != NULL && (own->ce_flags & ZEND_ACC_CONSTANTS_UPDATED);
}

static larder_class *graph_find_class(const larder_graph_class *stored, bool quiet)
{
    zend_class_entry *ce =
        quiet ? larder_class_loaded(stored->lower) : larder_class_find(stored->name, stored->lower);
    larder_class *class = EXPECTED(ce != NULL) ? graph_class_fits(stored, ce) : NULL;
    if (UNEXPECTED(class == NULL) || EXPECTED(graph_constants_ready(ce)))
        return class;
    if (quiet || zend_update_class_constants(ce) != SUCCESS)
        return NULL;
    return class;
}

/* Find the class that an alias (see class_alias()) names now. If `quiet` is false, autoload it.
 * Returns NULL if there is no such class, or if the alias named another class when the value was
 * stored. */
static zend_class_entry *graph_find_alias(const larder_graph_class *stored, bool quiet)
{
    zend_class_entry *ce =
        quiet ? larder_class_loaded(stored->lower) : larder_class_find(stored->name, stored->lower);
    return ce != NULL && larder_class_alias_fingerprint(stored->name, ce) == stored->fingerprint
               ? ce
               : NULL;
}

/* emalloc()'s allocators for fixed sizes. All objects of a class have one size, so the allocator is
 * chosen once per class. */
#if !ZEND_DEBUG && defined(HAVE_BUILTIN_CONSTANT_P)
#define GRAPH_ALLOCATOR(number, bytes, elements, pages, x, y) {bytes, _emalloc_##bytes},
static const struct {
    size_t size;
    void *(*allocate)(void);
} graph_allocators[] = {ZEND_MM_BINS_INFO(GRAPH_ALLOCATOR, , )};

static void *(*graph_allocator(size_t size))(void)
{
    for (size_t i = 0; i < sizeof graph_allocators / sizeof *graph_allocators; i++)
        if (size <= graph_allocators[i].size)
            return graph_allocators[i].allocate;
    return NULL;
}
#else
static void *(*graph_allocator(size_t size))(void)
{
    (void)size;
    return NULL;
}
#endif

static void graph_describe(larder_class *class, larder_graph_found *out)
{
    zend_class_entry *ce = class->ce;
    *out = (larder_graph_found){.ce = ce,
                                .size = sizeof(zend_object) + zend_object_properties_size(ce),
                                .slots = (uint32_t)ce->default_properties_count,
                                .kind = larder_object_kinds[class->builtin],
                                .resident = class->resident,
                                .guards = (ce->ce_flags & ZEND_ACC_USE_GUARDS) != 0};
    out->allocate = graph_allocator(out->size);
    GC_TYPE_INFO(&out->head) = GC_OBJECT;
    out->head.ce = ce;
#if PHP_VERSION_ID >= 80300
    out->head.handlers = ce->default_object_handlers;
#else
    out->head.handlers = zend_get_std_object_handlers();
#endif
    if (UNEXPECTED(out->kind->node == LARDER_NODE_WRAP || out->kind->node == LARDER_NODE_LIST))
        out->form = larder_spl_form_of(class);
    if (out->form != NULL)
        out->head.handlers = out->form->handlers;
    out->usual = ce->type == ZEND_USER_CLASS && ce->create_object == NULL &&
                 out->head.handlers == zend_get_std_object_handlers();
}

/* The classes that this request has found, by fingerprint. Cells stay until the request ends. */
typedef struct graph_memo_cell {
    struct graph_memo_cell *next; /* in the same chain */
    uint64_t fingerprint;
    zend_ulong lower_hash;
    larder_graph_found found;
} graph_memo_cell;

struct larder_graph_memo {
    graph_memo_cell *places[GRAPH_MEMO];
};

/* Add a cell for a stored class to the table of known classes. Returns NULL if there is not enough
 * memory. */
static graph_memo_cell *graph_memo_add(const larder_graph_class *stored)
{
    larder_known *known = &LARDER_G(known);
    graph_memo_cell *cell = larder_request_alloc(sizeof *cell);
    if (known->graphs == NULL)
        known->graphs = larder_request_alloc(sizeof *known->graphs);
    if (cell == NULL || known->graphs == NULL)
        return NULL;
    graph_memo_cell **place = known->graphs->places + stored->fingerprint % GRAPH_MEMO;
    cell->next = *place;
    cell->fingerprint = stored->fingerprint;
    cell->lower_hash = ZSTR_H(stored->lower);
    return *place = cell;
}

static zend_never_inline const larder_graph_found *
graph_resolve_new(const larder_graph_class *stored, bool quiet)
{
    bool is_alias = stored->kind == LARDER_CLASS_ALIAS;
    zend_class_entry *alias = is_alias ? graph_find_alias(stored, quiet) : NULL;
    larder_class *class = is_alias ? NULL : graph_find_class(stored, quiet);
    if (class == NULL && alias == NULL)
        return NULL;
    larder_graph_found found;
    if (UNEXPECTED(is_alias))
        found = (larder_graph_found){
            .ce = alias, .kind = larder_object_kinds[LARDER_BUILTIN_NONE], .resident = true};
    else
        graph_describe(class, &found);
    graph_memo_cell *cell = graph_memo_add(stored);
    if (cell == NULL)
        return NULL;
    cell->found = found;
    return &cell->found;
}

static zend_always_inline const larder_graph_found *
graph_resolve_class(const larder_graph_class *stored, bool quiet)
{
    if (EXPECTED(LARDER_G(known).graphs != NULL)) {
        const graph_memo_cell *cell =
            LARDER_G(known).graphs->places[stored->fingerprint % GRAPH_MEMO];
        for (; cell != NULL; cell = cell->next)
            if (EXPECTED(cell->fingerprint == stored->fingerprint) &&
                EXPECTED(cell->lower_hash == ZSTR_H(stored->lower)))
                return &cell->found;
    }
    return graph_resolve_new(stored, quiet);
}

const larder_graph_found *larder_graph_find_class(const larder_graph_class *stored)
{
    return graph_resolve_class(stored, false);
}

static zend_always_inline bool graph_resolve(larder_graph_work *work, bool quiet)
{
    for (uint32_t i = 0; i < work->graph->classes; i++) {
        work->classes[i] = graph_resolve_class(work->stored + i, quiet);
        if (UNEXPECTED(work->classes[i] == NULL))
            return false;
    }
    return EXPECTED(!work->unfolded) || larder_graph_fits(work);
}

static bool graph_kind_fits(const larder_class *class, uint8_t kind)
{
    const larder_object_kind *of = larder_object_kinds[class->builtin];
    switch (kind) {
    case LARDER_NODE_OBJECT:
        return class->kind == LARDER_CLASS_PLAIN || class->kind == LARDER_CLASS_SLEEP;
    case LARDER_NODE_STATE:
        return class->kind == LARDER_CLASS_STATE || class->kind == LARDER_CLASS_BUILTIN;
    case LARDER_NODE_CASE:
        return class->kind == LARDER_CLASS_ENUM;
    default: /* PHP's own classes */
        for (; of->node != kind; of = larder_object_kinds[of->otherwise])
            if (of->otherwise == LARDER_BUILTIN_NONE)
                return false;
        return true;
    }
}

bool larder_graph_fits(const larder_graph_work *work)
{
    for (uint32_t i = 0; i < work->graph->nodes; i++) {
        const larder_graph_node *node = work->nodes + i;
        if (node->kind > LARDER_NODE_CASE)
            continue;
        const larder_graph_found *found = work->classes[node->class_index];
        const larder_class *class = larder_class_of(found->ce);
        if (class == NULL || !graph_kind_fits(class, node->kind))
            return false;
        /* nodes of these two kinds store no slots */
        if (node->kind != LARDER_NODE_STATE && node->kind != LARDER_NODE_CARBON &&
            work->stored[node->class_index].slots != found->slots)
            return false;
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

static bool graph_resolve_case(larder_graph_work *work, uint32_t index, bool quiet)
{
    const larder_graph_node *node = work->nodes + index;
    zend_string *name = Z_STR_P((const zval *)(const void *)(work->data + node->at));
    work->built[index] = larder_graph_find_case(work->classes[node->class_index]->ce, name, quiet);
    return work->built[index] != NULL;
}

/* Create an object, as object_init_ex() does. The constant expressions in the class's defaults must
 * be evaluated already. */
static zend_object *graph_make_usual(const larder_graph_found *class)
{
    zend_object *object =
        EXPECTED(class->allocate != NULL) ? class->allocate() : emalloc(class->size);
    memcpy(object, &class->head, offsetof(zend_object, properties_table));
    GC_SET_REFCOUNT(object, 1);
    if (UNEXPECTED(class->guards)) {
        ZVAL_UNDEF(object->properties_table + class->slots);
        object->properties_table[class->slots].u2.extra = 0;
    }
    zend_objects_store_put(object);
    const zval *usual = CE_DEFAULT_PROPERTIES_TABLE(class->ce), *end = usual + class->slots;
    for (zval *property = object->properties_table; usual != end; usual++, property++) {
        /* also copy u2, which tells whether the slot was ever set */
        *property = *usual;
        if (UNEXPECTED(Z_REFCOUNTED_P(property)))
            Z_ADDREF_P(property);
    }
    return object;
}

/* Create the object of a node of kind LARDER_NODE_STATE or LARDER_NODE_CARBON. A hook sets the
 * object's state later. But a Carbon date that needs no hook gets its state here. Returns false if
 * the engine cannot create the object. */
static bool graph_resolve_state(larder_graph_work *work, uint32_t index)
{
    zval object;
    const larder_graph_node *node = work->nodes + index;
    const larder_graph_found *class = work->classes[node->class_index];
    if (EXPECTED(class->usual))
        ZVAL_OBJ(&object, graph_make_usual(class));
    else if (object_init_ex(&object, class->ce) != SUCCESS)
        return false;
    work->built[index] = Z_OBJ(object);
    if (node->kind == LARDER_NODE_CARBON && class->kind->node == LARDER_NODE_CARBON)
        class->kind->fill(Z_OBJ(object), work->data + node->at);
    return true;
}

/* Return true if the engine creates and registers the object of this node. */
static zend_always_inline bool graph_is_made(const larder_graph_node *node)
{
    return larder_graph_is_builtin(node) || node->kind == LARDER_NODE_STATE ||
           node->kind == LARDER_NODE_CARBON;
}

static void graph_give_up(larder_graph_work *work)
{
    for (uint32_t i = 0; i < work->graph->nodes; i++)
        if (graph_is_made(work->nodes + i) && work->built[i] != NULL) {
            GC_ADD_FLAGS((zend_object *)work->built[i], IS_OBJ_DESTRUCTOR_CALLED);
            OBJ_RELEASE((zend_object *)work->built[i]);
        }
}

bool larder_graph_resolve(larder_graph_work *work, bool quiet)
{
    if (!graph_resolve(work, quiet))
        return false;
    if (EXPECTED(work->graph->flags & LARDER_GRAPH_SIMPLE) && EXPECTED(!work->copy))
        return true;
    memset(work->built, 0, work->graph->nodes * sizeof *work->built);
    uint32_t first = larder_graph_first(work), end = work->graph->nodes;
    if (EXPECTED(!(work->graph->flags & LARDER_GRAPH_MADE)))
        end = work->graph->first;
    for (uint32_t i = first; i < end; i++) {
        uint8_t kind = work->nodes[i].kind;
        if (EXPECTED(kind == LARDER_NODE_OBJECT || kind > LARDER_NODE_CASE))
            continue;
        if ((larder_graph_is_spl(work->nodes + i)
                 ? work->classes[work->nodes[i].class_index]->form != NULL
             : kind == LARDER_NODE_CASE                 ? graph_resolve_case(work, i, quiet)
             : larder_graph_is_builtin(work->nodes + i) ? larder_graph_make_builtin(work, i)
                                                        : graph_resolve_state(work, i)) &&
            EXPECTED(!LARDER_OUT_OF_MEMORY()))
            continue;
        graph_give_up(work);
        return false;
    }
    return true;
}
