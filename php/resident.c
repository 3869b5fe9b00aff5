/* resident.c - graphs that nobody can change: built once per worker (in ZTS: per thread), in memory that
 * outlives requests, and handed out again and again. Read larder_resident_fetch() first.
 *
 * Private to the worker are the objects, and the arrays that have objects in them. Strings and other arrays are
 * those of the store's block, which every request that uses the graph holds by its own look-up. Between
 * requests nobody holds it: nothing of it is looked at until it has been looked up again and is still the
 * same, at the same address and built at the same time.
 *
 * Rules
 * - Only objects of readonly classes with nothing that could make them differ (classes_resident()), all
 *   slots initialised, no reference: larder_resident_suits().
 * - readonly is a promise of the language, not of memory. Counts and flags change, so when a request that used
 *   it is over every object gets its header anew, while it is still in the processor's cache. ArrayObject, array_walk() and others can write to slots; all of
 *   them do it through the object's table of properties, which nothing else makes than they and dumps: a graph
 *   in which an object has one is built anew by the next that uses it. So such a write lasts until the request ends.
 * - Classes and enum cases are found by name in each request: both may lie elsewhere in the next. User code
 *   may run meanwhile, and nothing is half done while it does.
 * - The engine does not know the objects: they are not in its store, their handles are from a range it never
 *   comes to, the collector may not free them, and their counts start so high that neither it nor any
 *   release brings them to nothing.
 * - What this request has been given may be anywhere until it is over. Only what it has not been given is
 *   freed, and only post-deactivate ends a request. */
#include "resident.h"
#include "zend_enum.h"

#include <time.h>

#define RESIDENT_ROOM 256u /* of the table, at first */
#define RESIDENT_SWEEP 16u /* places of the table that are looked at when a request is over */
#define RESIDENT_COUNT 0x20000000u /* where reference counts start */
/* Whatever makes an object lazy drops its table of properties, and clears the mark of a called destructor. */
#define RESIDENT_OBJECT                                                                            \
    (GC_OBJECT | ((GC_NOT_COLLECTABLE | IS_OBJ_DESTRUCTOR_CALLED) << GC_FLAGS_SHIFT))
/* Counted, not immutable: the engine copies an immutable array without counting what is in it. */
#define RESIDENT_ARRAY (GC_ARRAY | (GC_NOT_COLLECTABLE << GC_FLAGS_SHIFT))
#define RESIDENT_HANDLES 0x40000000u /* the first handle, and how many there are */
#define RESIDENT_GENERATIONS 16u     /* of one key in one request: where requests do not end */
#define RESIDENT_REST 8u /* requests after which an unused graph may make room for another */

/* An enum case of the graph. */
typedef struct resident_case {
    zend_object *object; /* as it is in the graph */
    uint32_t uses;
} resident_case;

/* Where a case stands. */
typedef struct resident_place {
    zval *value;
    const resident_case *which;
} resident_place;

/* The objects of a class, one after the other. */
typedef struct resident_class {
    zend_class_entry *ce; /* as they have it */
    char *objects;
    uint32_t count;
    uint32_t size; /* of an object, bytes */
} resident_class;

/* All of it is one piece of memory; its parts lie in this order. */
typedef struct resident {
    struct resident *next, *next_key; /* with the same place in the table */
    struct resident *newer, *older;   /* by the last use */
    struct resident *given;           /* the next one that this request was given */
    lrd_store *store;
    const void *data; /* the value in its block ... */
    uint64_t built;   /* ... as larder_graph says */
    uint64_t request; /* the last one that was given it */
    size_t size;      /* of this piece, bytes */
    size_t key_len;   /* bytes */
    uint64_t hash;    /* of the key */
    zval root;        /* what is handed out; undefined: only the constants are here */
    uint32_t classes_used, cases_used, places_used, constants_used;
    bool written;             /* somebody may have written to slots: to be built anew */
    uint32_t handle, objects; /* the objects' first handle, and how many they are */
    resident_class *classes;
    resident_case *cases;
    resident_place *places;
    larder_constant *
        constants; /* where only these are here: the cases, in the order of their nodes, and then the
                                   arrays that stand in what is built by each fetch */
    char *live;    /* the objects */
    char *arrays;  /* the arrays with nodes in them: nobody writes to these */
    char *key;
} resident;

struct larder_residents {
    resident **places;         /* room chains by the address of the data, then as many by the key */
    resident *newest, *oldest; /* by the last use */
    resident *given;           /* what this request was given */
    uint64_t request;
    size_t bytes;         /* of all */
    uint32_t graphs;      /* how many */
    uint32_t room;        /* a power of 2; as a rule not less than there are graphs */
    uint32_t handle_next; /* it and all after it are free */
    uint32_t place_next;  /* to be looked at when this request is over */
};

/* What a fetch knows of the graph. */
typedef struct resident_work {
    bool whole; /* all of it; else only what is constant */
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored;
    const larder_graph_node *nodes;
    zend_class_entry **ce; /* as they are in this request */
    zend_object **cases;   /* in the order of their nodes */
    uint32_t *inside; /* where only what is constant is built: how often each node stands in it */
} resident_work;

/* ---- what may be resident -------------------------------------------------------------------------------- */

/* Nanoseconds. With its address it tells a value from all that were there before: no two of a thread have
 * the same, however coarse the clock is. */
static uint64_t resident_now(void)
{
    ZEND_TLS uint64_t last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return last = time > last ? time : last + 1;
}

void larder_resident_plan(larder_plan *plan)
{
    bool objects = false, all = true;
    for (uint32_t i = 0; all && i < plan->classes_used; i++) {
        all = plan->classes[i].resident;
        objects |= plan->classes[i].kind != LARDER_CLASS_ENUM;
    }
    plan->resident = all && objects;
    plan->built = plan->resident || plan->constants >= LARDER_CONSTANTS ? resident_now() : 0;
}

bool larder_resident_suits(const larder_plan *plan, const char *build)
{
    const larder_graph_node *node =
        (const larder_graph_node *)(const void *)(build + plan->nodes_at);
    for (uint32_t i = 0; i < plan->nodes_used; i++, node++) {
        if (node->added || node->defaults || node->kind == LARDER_NODE_REFERENCE)
            return false;
        if (node->kind != LARDER_NODE_OBJECT)
            continue;
        const zval *slot = (const zval *)(const void *)(build + node->at);
        for (int j = plan->classes[node->class_index].ce->default_properties_count; j > 0; j--)
            if (Z_TYPE_P(slot++) == IS_UNDEF)
                return false;
    }
    return true;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

static zend_always_inline resident **resident_by_data(struct larder_residents *all,
                                                      const void *data)
{
    return all->places + ((uintptr_t)data * 0x9e3779b97f4a7c15ull >> 32 & (all->room - 1));
}

static resident **resident_by_key(struct larder_residents *all, uint64_t hash)
{
    return all->places + all->room + (hash & (all->room - 1));
}

static zend_always_inline resident *resident_find(struct larder_residents *all, const void *data)
{
    resident *r = *resident_by_data(all, data);
    while (r != NULL && r->data != data)
        r = r->next;
    return r;
}

static void resident_newest(struct larder_residents *all, resident *r)
{
    r->newer = NULL;
    r->older = all->newest;
    *(r->older != NULL ? &r->older->newer : &all->oldest) = r;
    all->newest = r;
}

static void resident_unlink(struct larder_residents *all, resident *r)
{
    *(r->newer != NULL ? &r->newer->older : &all->newest) = r->older;
    *(r->older != NULL ? &r->older->newer : &all->oldest) = r->newer;
}

static void resident_insert(struct larder_residents *all, resident *r)
{
    resident **data = resident_by_data(all, r->data), **key = resident_by_key(all, r->hash);
    r->next = *data;
    r->next_key = *key;
    *data = *key = r;
}

/* The first table, or one of twice the room. False: there is no memory for it. */
static bool resident_grow(struct larder_residents *all)
{
    uint32_t room = all->room != 0 ? all->room * 2 : RESIDENT_ROOM;
    resident **places = calloc(room, 2 * sizeof *places);
    if (places == NULL)
        return false;
    free(all->places);
    all->places = places;
    all->room = room;
    for (resident *r = all->newest; r != NULL; r = r->older)
        resident_insert(all, r);
    return true;
}

static void resident_free(struct larder_residents *all, resident *r)
{
    resident **link = resident_by_data(all, r->data);
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    link = resident_by_key(all, r->hash);
    while (*link != r)
        link = &(*link)->next_key;
    *link = r->next_key;
    resident_unlink(all, r);
    all->bytes -= r->size;
    all->graphs--;
#ifdef LRD_POISON
    memset(r, 0xa5, r->size);
#endif
    free(r);
}

/* Free earlier values of the key. False: too many of them were given to this request. */
static bool resident_supersede(struct larder_residents *all, lrd_store *store,
                               const lrd_entry *entry, uint64_t hash)
{
    uint32_t generations = 0;
    for (resident *r = *resident_by_key(all, hash), *next; r != NULL; r = next) {
        next = r->next_key;
        if (r->hash != hash || r->store != store || r->key_len != entry->key_len ||
            memcmp(r->key, entry->key, r->key_len) != 0)
            continue;
        if (r->request == all->request)
            generations++;
        else
            resident_free(all, r);
    }
    return generations < RESIDENT_GENERATIONS;
}

/* What has not been given for long makes room. */
static bool resident_room(struct larder_residents *all, size_t size)
{
    uint64_t limit = larder_configured.resident_size;
    while (size <= limit && all->bytes > limit - size) {
        if (all->oldest == NULL || all->oldest->request + RESIDENT_REST >= all->request)
            return false;
        resident_free(all, all->oldest);
    }
    return size <= limit;
}

/* ---- building -------------------------------------------------------------------------------------------- */

static uint32_t resident_object_size(uint32_t slots)
{
    return (uint32_t)(offsetof(zend_object, properties_table) + slots * sizeof(zval));
}

/* Of a zend_array and what it points to. */
static size_t resident_array_size(const zend_array *array)
{
    return sizeof *array +
           (HT_FLAGS(array) & HASH_FLAG_PACKED ? HT_PACKED_USED_SIZE(array) : HT_USED_SIZE(array));
}

/* What building needs besides. */
typedef struct resident_build {
    const larder_graph_node *nodes;
    void **made;           /* each node: its object or array, or the resident_case */
    resident_place *place; /* the next one */
} resident_build;

static zend_always_inline void resident_place_node(resident_build *build, zval *value)
{
    uint32_t index = larder_node_index(value);
    value->value.ptr = build->made[index];
    if (EXPECTED(build->nodes[index].kind == LARDER_NODE_OBJECT)) {
        Z_TYPE_INFO_P(value) = IS_OBJECT_EX;
    } else if (build->nodes[index].kind == LARDER_NODE_ARRAY) {
        Z_TYPE_INFO_P(value) = IS_ARRAY_EX;
    } else {
        const resident_case *which = build->made[index];
        *build->place++ = (resident_place){.value = value, .which = which};
        ZVAL_OBJ(value, which->object);
    }
}

static zend_always_inline void resident_header(zend_refcounted_h *head, uint32_t type)
{
    *head = (zend_refcounted_h){.refcount = RESIDENT_COUNT, .u.type_info = type};
}

static void resident_object(resident_build *build, zend_object *object, zend_class_entry *ce,
                            const zval *stored)
{
    resident_header(&object->gc, RESIDENT_OBJECT);
    object->ce = ce;
    object->handlers = zend_get_std_object_handlers();
    object->properties = NULL;
#if PHP_VERSION_ID >= 80400
    object->extra_flags = 0;
#endif
    zval *slot = object->properties_table;
    for (int i = 0; i < ce->default_properties_count; i++, slot++) {
        *slot = stored[i];
        if (Z_TYPE_INFO_P(slot) == LARDER_NODE)
            resident_place_node(build, slot);
    }
}

static void resident_array(resident_build *build, zend_array *array, const zend_array *stored)
{
    bool packed = HT_FLAGS(stored) & HASH_FLAG_PACKED;
    size_t hash = packed ? HT_HASH_SIZE(HT_MIN_MASK) : HT_HASH_SIZE(stored->nTableMask);
    char *body = (char *)(array + 1);
    *array = *stored;
    memcpy(body, (const char *)stored->arData - hash, resident_array_size(stored) - sizeof *array);
    array->arData = (Bucket *)(void *)(body + hash);
    array->pDestructor = ZVAL_PTR_DTOR;
    resident_header(&array->gc, RESIDENT_ARRAY);
    zval *value = packed ? array->arPacked : &array->arData->val;
    for (uint32_t i = 0; i < array->nNumUsed; i++) {
        if (Z_TYPE_INFO_P(value) == LARDER_NODE)
            resident_place_node(build, value);
        value = packed ? value + 1 : (zval *)(void *)((Bucket *)(void *)value + 1);
    }
}

/* Whether the array of a node is to be resident. */
static zend_always_inline bool resident_has_array(const resident_work *work,
                                                  const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_ARRAY && (work->whole || node->constant);
}

/* How often a node stands in what is resident. */
static zend_always_inline uint32_t resident_uses(const resident_work *work, uint32_t index)
{
    return work->whole ? work->nodes[index].uses : work->inside[index];
}

static zend_always_inline void resident_count_inside(const resident_work *work, const zval *value)
{
    if (Z_TYPE_INFO_P(value) == LARDER_NODE)
        work->inside[larder_node_index(value)]++;
}

/* Count how often each node stands in a constant array. */
static void resident_count(const resident_work *work)
{
    memset(work->inside, 0, work->graph->nodes * sizeof *work->inside);
    for (uint32_t i = 0; i < work->graph->nodes; i++) {
        if (!work->nodes[i].constant)
            continue;
        const zend_array *array =
            (const zend_array *)(const void *)(work->data + work->nodes[i].at);
        for (uint32_t j = 0; j < array->nNumUsed; j++)
            resident_count_inside(work, HT_FLAGS(array) & HASH_FLAG_PACKED ? array->arPacked + j
                                                                           : &array->arData[j].val);
    }
}

static larder_constant resident_constant(const resident_work *work, void *counted, uint32_t index)
{
    return (larder_constant){
        .counted = counted, .index = index, .uses = work->nodes[index].uses - work->inside[index]};
}

/* Where each node will be. */
static void resident_lay_out(resident *r, const resident_work *work, void **made)
{
    char *array = r->arrays, *object = r->live;
    uint32_t cases = 0, constants = r->cases_used;
    for (uint32_t i = 0; i < r->classes_used; i++) {
        resident_class *class = r->classes + i;
        class->ce = work->ce[i];
        class->objects = object;
        object += (size_t) class->count * class->size;
        class->count = 0;
    }
    for (uint32_t i = 0; i < work->graph->nodes; i++) {
        const larder_graph_node *node = work->nodes + i;
        if (work->whole && node->kind == LARDER_NODE_OBJECT) {
            resident_class *class = r->classes + node->class_index;
            made[i] = class->objects + (size_t) class->count++ * class->size;
        } else if (resident_has_array(work, node)) {
            made[i] = array;
            if (!work->whole && node->uses != work->inside[i])
                r->constants[constants++] = resident_constant(work, made[i], i);
            array += resident_array_size((const zend_array *)(const void *)(work->data + node->at));
        } else if (node->kind == LARDER_NODE_CASE) {
            if (!work->whole)
                r->constants[cases] = resident_constant(work, work->cases[cases], i);
            r->cases[cases] =
                (resident_case){.object = work->cases[cases], .uses = resident_uses(work, i)};
            made[i] = r->cases + cases++;
        }
    }
}

/* Write objects and arrays. False: there is no memory to do it. */
static bool resident_fill(resident *r, const resident_work *work)
{
    void **made = malloc(work->graph->nodes * sizeof *made);
    resident_build build = {.nodes = work->nodes, .made = made, .place = r->places};
    uint32_t handle = r->handle;
    if (made == NULL)
        return false;
    resident_lay_out(r, work, made);
    for (uint32_t i = 0; i < work->graph->nodes; i++) {
        const larder_graph_node *node = work->nodes + i;
        const void *stored = work->data + node->at;
        if (work->whole && node->kind == LARDER_NODE_OBJECT) {
            zend_object *object = made[i];
            resident_object(&build, object, work->ce[node->class_index], stored);
            object->handle = handle++;
        } else if (resident_has_array(work, node)) {
            resident_array(&build, made[i], stored);
        }
    }
    r->written = false;
    ZVAL_UNDEF(&r->root);
    if (work->whole) {
        r->root = work->graph->root;
        resident_place_node(&build, &r->root);
    }
    free(made);
    return true;
}

/* How much there is of everything. classes: filled in but for the addresses. */
static void resident_measure(const resident_work *work, resident *r, resident_class *classes,
                             size_t *live, size_t *arrays)
{
    for (uint32_t i = 0; i < r->classes_used; i++)
        classes[i] = (resident_class){.size = resident_object_size(work->stored[i].slots)};
    for (uint32_t i = 0; i < work->graph->nodes; i++) {
        const larder_graph_node *node = work->nodes + i;
        if (work->whole && node->kind == LARDER_NODE_OBJECT) {
            *live += classes[node->class_index].size;
            classes[node->class_index].count++;
            r->objects++;
        } else if (resident_has_array(work, node)) {
            *arrays +=
                resident_array_size((const zend_array *)(const void *)(work->data + node->at));
            r->constants_used += !work->whole && node->uses != work->inside[i];
        } else if (node->kind == LARDER_NODE_CASE) {
            r->cases_used++;
            r->constants_used += !work->whole;
            r->places_used += resident_uses(work, i);
        }
    }
}

/* NULL: there is no room for it. */
static resident *resident_make(struct larder_residents *all, lrd_store *store,
                               const lrd_value *value, resident_work *work)
{
    lrd_entry entry;
    resident_class *classes;
    uint32_t classes_used = work->whole ? work->graph->classes : 0;
    size_t live = 0, arrays = 0, classes_size = classes_used * sizeof *classes;
    resident measured = {.store = store, .data = value->data, .built = work->graph->built};
    if (lrd_value_entry(store, value, &entry) != LRD_OK)
        return NULL;
    measured.hash = zend_hash_func(entry.key, entry.key_len);
    if (!resident_supersede(all, store, &entry, measured.hash) ||
        (classes = malloc(classes_size + work->graph->nodes * sizeof *work->inside)) == NULL)
        return NULL;
    if (!work->whole) {
        work->inside = (uint32_t *)(void *)classes;
        resident_count(work);
    }
    measured.handle = all->handle_next + RESIDENT_HANDLES;
    measured.classes_used = classes_used;
    resident_measure(work, &measured, classes, &live, &arrays);
    measured.key_len = entry.key_len;
    measured.size = sizeof measured + classes_size + measured.cases_used * sizeof *measured.cases +
                    measured.places_used * sizeof *measured.places +
                    measured.constants_used * sizeof *measured.constants + live + arrays +
                    entry.key_len;
    resident *r = NULL;
    if (measured.objects <= RESIDENT_HANDLES - all->handle_next &&
        resident_room(all, measured.size))
        r = malloc(measured.size);
    if (r != NULL) {
        *r = measured;
        r->classes = (resident_class *)(void *)(r + 1);
        memcpy(r->classes, classes, classes_size);
        r->cases = (resident_case *)(void *)(r->classes + r->classes_used);
        r->places = (resident_place *)(void *)(r->cases + r->cases_used);
        r->constants = (larder_constant *)(void *)(r->places + r->places_used);
        r->live = (char *)(r->constants + r->constants_used);
        r->arrays = r->live + live;
        r->key = r->arrays + arrays;
        memcpy(r->key, entry.key, entry.key_len);
        if (!resident_fill(r, work)) {
            free(r);
            r = NULL;
        }
    }
    free(classes);
    if (r == NULL)
        return NULL;
    if (all->graphs++ >= all->room)
        (void)resident_grow(all); /* else it is slower */
    resident_insert(all, r);
    resident_newest(all, r);
    all->handle_next += r->objects;
    all->bytes += r->size;
    return r;
}

/* ---- a request's first use ------------------------------------------------------------------------------- */

/* Make it as it was built, with the classes and cases of this request. False: there is no memory for it. */
static bool resident_update(resident *r, const resident_work *work)
{
    bool moved = false, same = !r->written;
    for (uint32_t i = 0; i < r->classes_used; i++)
        same &= r->classes[i].ce == work->ce[i];
    if (UNEXPECTED(!same))
        return resident_fill(r, work);
    for (uint32_t i = 0; i < r->cases_used; i++) {
        moved |= r->cases[i].object != work->cases[i];
        r->cases[i].object = work->cases[i];
        if (!work->whole)
            r->constants[i].counted = &work->cases[i]->gc;
    }
    for (uint32_t i = 0; moved && i < r->places_used; i++)
        Z_OBJ_P(r->places[i].value) = r->places[i].which->object;
    return true;
}

static void resident_give(struct larder_residents *all, resident *r)
{
    for (uint32_t i = 0; i < r->cases_used; i++)
        GC_SET_REFCOUNT(r->cases[i].object, GC_REFCOUNT(r->cases[i].object) + r->cases[i].uses);
    resident_unlink(all, r);
    resident_newest(all, r);
    r->request = all->request;
    r->given = all->given;
    all->given = r;
}

/* Find the classes, and the cases of enums, as they are in this request. May run user code. */
static larder_resident_answer resident_resolve(resident_work *work)
{
    uint32_t cases = 0;
    for (uint32_t i = 0; i < work->graph->classes; i++) {
        work->ce[i] = larder_graph_find_class(work->stored + i, false);
        if (work->ce[i] == NULL)
            return LARDER_RESIDENT_MISS;
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
    for (uint32_t i = 0; work->whole && i < work->graph->classes; i++) {
        const larder_class *class = larder_class_of(work->ce[i]);
        if (class == NULL || !class->resident)
            return LARDER_RESIDENT_NOT;
    }
    return LARDER_RESIDENT_GIVEN;
}

/* The graph, restored for this request. NULL: there is no room for it. */
static resident *resident_have(lrd_store *store, const lrd_value *value, resident_work *work)
{
    struct larder_residents *all = LARDER_G(residents);
    /* User code may have run: the graph may have come, been given, and gone meanwhile. */
    resident *r = resident_find(all, value->data);
    if (r != NULL && r->request == all->request)
        return r;
    if (r != NULL && (r->built != work->graph->built || !resident_update(r, work))) {
        resident_free(all, r);
        r = NULL;
    }
    if (r == NULL)
        r = resident_make(all, store, value, work);
    if (r != NULL)
        resident_give(all, r);
    return r;
}

static larder_resident_answer resident_first(lrd_store *store, const lrd_value *value, bool whole,
                                             resident **out)
{
    ALLOCA_FLAG(use_heap_classes)
    ALLOCA_FLAG(use_heap_cases)
    const char *data = value->data;
    const larder_graph *graph = larder_graph_of(value);
    resident_work work = {.whole = whole,
                          .graph = graph,
                          .data = data,
                          .stored = (const void *)(data + graph->classes_at),
                          .nodes = (const void *)(data + graph->nodes_at)};
    if (LARDER_G(residents) == NULL) {
        struct larder_residents *all = calloc(1, sizeof *all);
        if (all == NULL || !resident_grow(all)) {
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
        HANDLE_BLOCK_INTERRUPTIONS();
        *out = resident_have(store, value, &work);
        if (*out == NULL)
            answer = LARDER_RESIDENT_NOT;
        HANDLE_UNBLOCK_INTERRUPTIONS();
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
    /* What was given to this request is held by it, so an address says which value it is. */
    if (EXPECTED(all != NULL)) {
        resident *r = resident_find(all, value->data);
        if (EXPECTED(r != NULL) && EXPECTED(r->request == all->request) &&
            EXPECTED(Z_TYPE(r->root) != IS_UNDEF)) {
            ZVAL_COPY(result, &r->root);
            return LARDER_RESIDENT_GIVEN;
        }
    }
    if (value->kind != LRD_KIND_HELD || !larder_resident_stored(store, value))
        return LARDER_RESIDENT_NOT;
    resident *r;
    larder_resident_answer answer = resident_first(store, value, true, &r);
    if (answer == LARDER_RESIDENT_GIVEN)
        ZVAL_COPY(result, &r->root);
    return answer;
}

larder_resident_answer larder_resident_constants(lrd_store *store, const lrd_value *value,
                                                 larder_constants *out)
{
    struct larder_residents *all = LARDER_G(residents);
    larder_resident_answer answer = LARDER_RESIDENT_GIVEN;
    resident *r = all != NULL ? resident_find(all, value->data) : NULL;
    if (UNEXPECTED(r == NULL) || UNEXPECTED(r->request != all->request)) {
        if (!resident_can(store, value, LARDER_GRAPH_CONSTANTS))
            return LARDER_RESIDENT_NOT;
        answer = resident_first(store, value, false, &r);
    }
    if (answer == LARDER_RESIDENT_GIVEN)
        *out = (larder_constants){.first = r->constants, .used = r->constants_used};
    return answer;
}

bool larder_resident_stored(const lrd_store *store, const lrd_value *value)
{
    /* The layers for other caches promise a new object each time. */
    return resident_can(store, value, LARDER_GRAPH_RESIDENT);
}

/* ---- the end of a request -------------------------------------------------------------------------------- */

/* Most headers are as they were, and a line that is not written to need not be written back. */
static zend_always_inline void resident_header_restore(zend_refcounted_h *head, uint32_t type)
{
    if (UNEXPECTED(head->refcount != RESIDENT_COUNT) || UNEXPECTED(head->u.type_info != type))
        resident_header(head, type);
}

/* The headers as they were. */
static void resident_restore(resident *r)
{
    bool written = false;
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

/* Where memory does not simply end with the request: the engine would leak what the objects, which it does not know, have left: tables of properties, and
 * cases. It has let go of these by then and added a reference, so that nobody else frees them. */
static void resident_tidy(const resident *r)
{
    for (uint32_t i = 0; i < r->cases_used; i++) {
        zend_object *object = r->cases[i].object;
        GC_SET_REFCOUNT(object, GC_REFCOUNT(object) - r->cases[i].uses);
        if (GC_REFCOUNT(object) == 1 && (OBJ_FLAGS(object) & IS_OBJ_FREE_CALLED))
            efree(object);
    }
    for (uint32_t i = 0; i < r->classes_used; i++)
        for (uint32_t j = 0; j < r->classes[i].count; j++) {
            char *at = r->classes[i].objects + (size_t)j * r->classes[i].size;
            zend_object *object = (zend_object *)(void *)at;
            if (object->properties != NULL)
                zend_array_release(object->properties);
        }
}

/* Whether the entry still has this value. */
static bool resident_current(const resident *r)
{
    lrd_value value;
    int rc;
    if (r->store != LARDER_G(active)[LARDER_VOLATILE] &&
        r->store != LARDER_G(active)[LARDER_PINNED])
        return true; /* not used by this request: a later one will tell */
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
        resident_free(all, all->oldest);
    all->handle_next = 0;
}

void larder_residents_rest(void)
{
    struct larder_residents *all = LARDER_G(residents);
    bool tidy = (ZEND_DEBUG || !is_zend_mm()) && !CG(unclean_shutdown);
    if (all == NULL)
        return;
    while (all->given != NULL) {
        resident *r = all->given;
        all->given = r->given;
        if (tidy)
            resident_tidy(r);
        if (resident_current(r))
            resident_restore(r);
        else
            resident_free(all, r);
    }
    for (uint32_t i = 0; i < RESIDENT_SWEEP; i++) {
        resident *next = all->places[all->place_next++ & (all->room - 1)];
        while (next != NULL) {
            resident *r = next;
            next = r->next;
            if (r->request != all->request && !resident_current(r))
                resident_free(all, r);
        }
    }
    /* No handle is used twice, so that none has to be looked for: start over before they are used up. */
    if (all->handle_next > RESIDENT_HANDLES / 2)
        resident_free_all(all);
    all->request++;
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
