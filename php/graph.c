/* graph.c - rebuilds a graph of objects from its block. Read larder_graph_fetch() first; the layout is in
 * plan.h.
 *
 * 1. Resolve: find the classes and enum cases by name. This may run user code (autoloading, constant
 *    expressions), which may use the cache and may throw; nothing is half done while it runs.
 * 2. Build: one allocation and one copy per node, by number: what lies in a node mostly comes before it (order.c).
 *    No user code. memory_limit may longjmp out of any allocation; what was allocated then goes with the request.
 * 3. Enter the objects into the engine's store, when all are complete, for it destroys what it knows of should
 *    memory_limit strike. They have got the handles that are next already, so that they are not touched again. */
#include "fetch.h"
#include "graph.h"
#include "resident.h"
#include "zend_enum.h"

#define GRAPH_TRIES 4       /* to copy a value that others keep replacing */
#define GRAPH_MEMO 64u      /* places of the table of classes */
#define GRAPH_MEMO_PAGE 32u /* classes */
#define GRAPH_FEW 32u       /* nodes and classes that have room on the stack anyway */

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

/* What emalloc() does for each small size, without finding out which one it is. */
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

static void graph_describe(zend_class_entry *ce, larder_class *class, larder_graph_found *out)
{
    *out = (larder_graph_found){.ce = ce,
                                .size = sizeof(zend_object) + zend_object_properties_size(ce),
                                .slots = (uint32_t)ce->default_properties_count,
                                .builtin = class->builtin,
                                .carbon = class->carbon,
                                .guards = (ce->ce_flags & ZEND_ACC_USE_GUARDS) != 0};
    out->allocate = graph_allocator(out->size);
    GC_TYPE_INFO(&out->head) = GC_OBJECT;
    out->head.ce = ce;
#if PHP_VERSION_ID >= 80300
    out->head.handlers = ce->default_object_handlers;
#else
    out->head.handlers = zend_get_std_object_handlers();
#endif
    if (UNEXPECTED(larder_builtin_is_spl(class->builtin)))
        out->form = larder_spl_form_of(class);
    if (out->form != NULL)
        out->head.handlers = out->form->handlers;
}

/* The classes that this request found, by fingerprint. They stay as and where they are until it ends. */
typedef struct graph_memo_cell {
    struct graph_memo_cell *next; /* with the same place */
    uint64_t fingerprint;
    zend_ulong lower_hash;
    larder_graph_found found;
} graph_memo_cell;

typedef struct graph_memo_page {
    struct graph_memo_page *next;
    graph_memo_cell cells[GRAPH_MEMO_PAGE];
} graph_memo_page;

struct larder_graph_memo {
    graph_memo_page *pages; /* the one in use first */
    uint32_t used;          /* cells of that */
    graph_memo_cell *places[GRAPH_MEMO];
};

static void graph_memo_free(struct larder_graph_memo *memo)
{
    for (graph_memo_page *page = memo->pages, *next; page != NULL; page = next) {
        next = page->next;
        free(page);
    }
}

/* Room for one more. NULL: no memory. */
static graph_memo_cell *graph_memo_add(struct larder_graph_memo *memo)
{
    if (memo->pages == NULL || memo->used == GRAPH_MEMO_PAGE) {
        graph_memo_page *page = malloc(sizeof *page);
        if (page == NULL)
            return NULL;
        page->next = memo->pages;
        memo->pages = page;
        memo->used = 0;
    }
    return memo->pages->cells + memo->used++;
}

void larder_graph_forget(void)
{
    struct larder_graph_memo *memo = LARDER_G(memo);
    if (memo == NULL || memo->pages == NULL)
        return;
    graph_memo_page *kept = memo->pages;
    memo->pages = kept->next;
    graph_memo_free(memo);
    kept->next = NULL;
    *memo = (struct larder_graph_memo){.pages = kept};
}

void larder_graph_end(struct larder_graph_memo *memo)
{
    if (memo != NULL)
        graph_memo_free(memo);
    free(memo);
}

static zend_never_inline const larder_graph_found *
graph_resolve_new(const larder_graph_class *stored, bool quiet)
{
    zend_class_entry *ce = larder_graph_find_class(stored, quiet);
    larder_class *class = ce != NULL ? larder_class_of(ce) : NULL;
    if (class == NULL)
        return NULL;
    if (LARDER_G(memo) == NULL && (LARDER_G(memo) = calloc(1, sizeof *LARDER_G(memo))) == NULL)
        return NULL;
    graph_memo_cell *cell = graph_memo_add(LARDER_G(memo));
    if (cell == NULL)
        return NULL;
    graph_memo_cell **place = LARDER_G(memo)->places + stored->fingerprint % GRAPH_MEMO;
    cell->next = *place;
    cell->fingerprint = stored->fingerprint;
    cell->lower_hash = ZSTR_H(stored->lower);
    graph_describe(ce, class, &cell->found);
    *place = cell;
    return &cell->found;
}

static zend_always_inline const larder_graph_found *
graph_resolve_class(const larder_graph_class *stored, bool quiet)
{
    if (EXPECTED(LARDER_G(memo) != NULL)) {
        const graph_memo_cell *cell = LARDER_G(memo)->places[stored->fingerprint % GRAPH_MEMO];
        for (; cell != NULL; cell = cell->next)
            if (EXPECTED(cell->fingerprint == stored->fingerprint) &&
                EXPECTED(cell->lower_hash == ZSTR_H(stored->lower)))
                return &cell->found;
    }
    return graph_resolve_new(stored, quiet);
}

static zend_always_inline bool graph_resolve(larder_graph_work *work, bool quiet)
{
    for (uint32_t i = 0; i < work->graph->classes; i++) {
        work->classes[i] = graph_resolve_class(work->stored + i, quiet);
        if (UNEXPECTED(work->classes[i] == NULL))
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

/* The cases of enums are made by the engine, once. */
static bool graph_resolve_case(larder_graph_work *work, uint32_t index, bool quiet)
{
    const larder_graph_node *node = work->nodes + index;
    zend_string *name = Z_STR_P((const zval *)(const void *)(work->data + node->at));
    work->built[index] = larder_graph_find_case(work->classes[node->class_index]->ce, name, quiet);
    return work->built[index] != NULL;
}

/* Objects that take their state from a hook are made by the engine. Carbon's may need none. */
static bool graph_resolve_state(larder_graph_work *work, uint32_t index)
{
    zval object;
    const larder_graph_node *node = work->nodes + index;
    const larder_graph_found *class = work->classes[node->class_index];
    if (object_init_ex(&object, class->ce) != SUCCESS)
        return false;
    work->built[index] = Z_OBJ(object);
    if (node->kind == LARDER_NODE_CARBON && class->carbon)
        larder_carbon_fill(Z_OBJ(object), (const void *)(work->data + node->at));
    return true;
}

/* Whether the engine makes such a node's object, which then knows of it. */
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

/* The first node that is to be built. */
static zend_always_inline uint32_t graph_first(const larder_graph_work *work)
{
    return work->constants.first != NULL ? work->graph->first : 0;
}

static bool graph_resolve_all(larder_graph_work *work, bool quiet)
{
    if (!graph_resolve(work, quiet))
        return false;
    if (EXPECTED(work->graph->flags & LARDER_GRAPH_SIMPLE) && EXPECTED(!work->copy))
        return true;
    memset(work->built, 0, work->graph->nodes * sizeof *work->built);
    uint32_t first = graph_first(work), end = work->graph->nodes;
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

/* ---- building ---------------------------------------------------------------------------------------- */

/* Memory for a node. */
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

/* Put what was built where the node stands. simple: it is built, an object or an array. */
static zend_always_inline void graph_place(larder_graph_work *work, zval *value, const bool simple)
{
    uint32_t index = larder_node_index(value);
    uint8_t kind = larder_node_kind_of(value);
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

static zend_always_inline void graph_place_any(larder_graph_work *work, zval *value,
                                               const bool simple)
{
    if (Z_TYPE_INFO_P(value) == LARDER_NODE)
        graph_place(work, value, simple);
    else if (!simple && UNEXPECTED(work->copy) && Z_TYPE_P(value) >= IS_STRING)
        larder_copy_out(work->copies, value);
}

void larder_graph_place(larder_graph_work *work, zval *value, uint32_t count, size_t stride)
{
    for (; count != 0; count--, value = (zval *)((char *)value + stride))
        graph_place_any(work, value, false);
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
        graph_place_any(work, value, simple);
    }
}

static zend_always_inline void graph_hash(larder_graph_work *work, zend_array *array,
                                          const zend_array *stored, const bool simple)
{
    const uint32_t small = HT_SIZE_TO_MASK(HT_MIN_SIZE);
    const Bucket *from = stored->arData, *end = from + stored->nNumUsed;
    Bucket *bucket;
    if (EXPECTED(stored->nTableMask == small)) { /* most are: a size that the compiler knows */
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
        graph_place_any(work, &bucket->val, simple);
        if (!simple && UNEXPECTED(work->copy) && bucket->key != NULL) {
            bucket->key = larder_copy_string(bucket->key);
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

/* The slots that follow the last one which has a bit of its own. */
static zend_never_inline void graph_far_slots(larder_graph_work *work, zval *slot, uint32_t slots)
{
    for (uint32_t i = LARDER_PLACES - 1; i < slots; i++)
        if (Z_TYPE_INFO(slot[i]) == LARDER_NODE)
            graph_place(work, slot + i, false);
}

static zend_always_inline void graph_object(larder_graph_work *work, zend_object *object,
                                            const larder_graph_node *node, uint32_t handle,
                                            const bool simple)
{
    const larder_graph_found *class = work->classes[node->class_index];
    const zval *stored = (const zval *)(const void *)(work->data + node->at);
    zval *slot = object->properties_table;
    uint32_t slots = class->slots, places = node->places;
    memcpy(object, &class->head, offsetof(zend_object, properties_table));
    object->handle = handle;
    GC_SET_REFCOUNT(object, simple ? 1 : node->uses);
    for (uint32_t i = 0; i < slots; i++)
        slot[i] = stored[i];
    for (; places != 0; places &= places - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(places);
        if (UNEXPECTED(i == LARDER_PLACES - 1))
            graph_far_slots(work, slot, slots);
        else
            graph_place(work, slot + i, simple);
    }
    if (UNEXPECTED(class->guards)) {
        ZVAL_UNDEF(slot + slots);
        slot[slots].u2.extra = 0; /* newer releases: what is being dumped right now */
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

/* What is resident, where it stands in what is built. What only stands in such arrays is not needed. */
static void graph_constants(larder_graph_work *work)
{
    const larder_constant *constant = work->constants.first, *end = constant + work->constants.used;
    for (; constant != end; constant++) {
        work->built[constant->index] = constant->counted;
        if (constant->uses != 0)
            graph_use(constant->counted, constant->uses);
    }
}

/* What lies in a node that is no plain object. */
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
    case LARDER_NODE_DATE:
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

/* The hooks that are to be called and their arguments, while the block is sure to be there. False: as
 * graph_build(). */
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
            if (work->classes[node->class_index]->carbon && larder_carbon_is_filled(object))
                continue;
            ZVAL_STRINGL(state, work->data + node->at, sizeof(larder_date));
        } else if (node->kind == LARDER_NODE_STATE) {
            *state = *(const zval *)(const void *)(work->data + node->at);
            larder_graph_place(work, state, 1, sizeof(zval));
        } else {
            ZVAL_UNDEF(state);
        }
        work->called[work->calls++] = object;
    }
    return true;
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

/* The handles that zend_objects_store_put() would give, one after the other. */
typedef struct graph_handles {
    zend_object **buckets;
    int free; /* the first that is to be used again; -1: none */
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

/* Tell the engine of all objects. Does not allocate. */
static void graph_enter(const larder_graph_work *work)
{
    zend_objects_store *store = &EG(objects_store);
    graph_handles handles = graph_handles_begin();
    for (uint32_t i = work->graph->first; i < work->graph->nodes; i++)
        if (EXPECTED(work->nodes[i].kind <= LARDER_NODE_LIST)) { /* not made by the engine */
            uint32_t handle = graph_handle(&handles);
            handles.buckets[handle] = work->built[i];
        }
    store->top = handles.top;
    if (EXPECTED(!(EG(flags) & EG_FLAGS_OBJECT_STORE_NO_REUSE)))
        store->free_list_head = handles.free;
}

/* False: there is no memory for it. */
static zend_always_inline bool graph_build_nodes(larder_graph_work *work, const bool simple)
{
    const larder_graph_node *node = work->nodes, *end = node + work->graph->nodes;
    uint32_t i = simple ? 0 : graph_first(work);
    graph_handles handles = graph_handles_begin();
    for (node += i; node != end; i++, node++) {
        if (UNEXPECTED(LARDER_OUT_OF_MEMORY()))
            return false;
        if (EXPECTED(node->kind == LARDER_NODE_OBJECT) || (!simple && larder_graph_is_spl(node))) {
            zend_object *object = simple ? NULL : work->built[i];
            if (EXPECTED(object == NULL)) /* else one before it refers to it */
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

/* False: there is no memory for it. The engine has recorded that; what was built goes with the request. */
static bool graph_build(larder_graph_work *work)
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
    /* From here on the engine may destroy them, and nothing allocates until it knows all. */
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

/* ---- hooks ---------------------------------------------------------------------------------------------- */

/* Call __unserialize() and __wakeup() in the order that PHP's unserialize() would. Nothing of the block is
 * looked at after the first call, for it may not be held. */
static bool graph_call_hooks(zend_object **objects, zval *states, uint32_t count)
{
    bool good = true;
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
    zend_object **objects = work->called;
    uint32_t count = work->calls;
    for (uint32_t i = 0; i < count; i++)
        GC_ADDREF(objects[i]); /* a hook may drop it */
    bool good = graph_call_hooks(objects, work->states, count);
    for (uint32_t i = 0; i < count; i++) {
        bool carbon = Z_TYPE(work->states[i]) == IS_STRING;
        zval_ptr_dtor(work->states + i);
        /* The cycle collector need not hear of each date: it would list its properties. */
        if (carbon && GC_REFCOUNT(objects[i]) > 1)
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

/* The cycle collector looks where a count has gone down, and here none has: a cycle that is dropped at
 * once would stay for good. May run the collector, so nothing may be half done. */
static void graph_suspect(zval *result)
{
    if (Z_REFCOUNTED_P(result) && GC_MAY_LEAK(Z_COUNTED_P(result)))
        gc_possible_root(Z_COUNTED_P(result));
}

/* With room for the classes and for what is built. */
static zend_always_inline bool graph_fetch_into(larder_graph_work *work, lrd_store *store,
                                                const lrd_value *value, bool quiet, zval *result)
{
    uint32_t calls = work->graph->calls;
    bool cyclic = (work->graph->flags & LARDER_GRAPH_CYCLIC) != 0;
    bool good =
        (!(work->graph->flags & LARDER_GRAPH_CONSTANTS) || quiet ||
         larder_resident_constants(store, value, &work->constants) != LARDER_RESIDENT_MISS) &&
        graph_resolve_all(work, quiet);
    if (EXPECTED(good)) {
        if (UNEXPECTED(calls != 0)) {
            work->states = safe_emalloc(calls, sizeof *work->states + sizeof *work->called, 0);
            work->called = (zend_object **)(void *)(work->states + calls);
        }
        if (UNEXPECTED(work->copy))
            work->copies = larder_copies_begin();
        good = graph_build(work);
        if (EXPECTED(good)) {
            *result = work->graph->root; /* a node */
            graph_place(work, result, false);
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
        good = graph_fetch(&work, store, value, true, result);
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
        good = graph_fetch(&work, store, value, false, result);
    }
    if (UNEXPECTED(!good))
        lrd_count_miss(store);
    return good;
}
