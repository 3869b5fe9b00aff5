/* resident_build.c - builds resident graphs (see resident.c), without PHP's allocators. */
#include "fetch/resident.h"
#include "fetch/resident_table.h"
#include "format/format.h"
#include "request/memory.h"

static uint32_t resident_object_size(uint32_t slots)
{
    return (uint32_t)(offsetof(zend_object, properties_table) + slots * sizeof(zval));
}

/* The state of building one graph. */
typedef struct resident_build {
    const larder_graph_node *nodes;
    /* for each node: its object or array, or the resident_case of an enum case */
    void **made;
    resident_place *place; /* the next element of the graph's `places` to fill */
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

static zend_always_inline bool resident_has_array(const resident_work *work,
                                                  const larder_graph_node *node)
{
    return node->kind == LARDER_NODE_ARRAY && (work->whole || node->constant);
}

/* Return the number of references that the kept part of the graph has to the node `index`. */
static zend_always_inline uint32_t resident_uses(const resident_work *work, uint32_t index)
{
    return work->whole ? work->nodes[index].uses : work->inside[index];
}

static zend_always_inline void resident_count_inside(const resident_work *work, const zval *value)
{
    if (Z_TYPE_INFO_P(value) == LARDER_NODE)
        work->inside[larder_node_index(value)]++;
}

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

/* Choose the position of each node in memory. */
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

bool larder_resident_fill(resident *r, const resident_work *work)
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
    if (r->living)
        memcpy(r->pristine, r->live, (size_t)(r->key - r->live));
    ZVAL_UNDEF(&r->root);
    if (work->whole) {
        r->root = work->graph->root;
        resident_place_node(&build, &r->root);
    }
    free(made);
    return true;
}

/* Compute the number and the sizes of a graph's parts. Sets no addresses. */
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

resident *larder_resident_make(struct larder_residents *all, lrd_store *store,
                               const lrd_value *value, resident_work *work)
{
    lrd_entry entry;
    resident_class *classes;
    uint32_t classes_used = work->whole ? work->graph->classes : 0;
    size_t live = 0, arrays = 0, classes_size = classes_used * sizeof *classes;
    resident measured = {
        .store = store, .data = value->data, .built = work->graph->built, .living = work->living};
    if (lrd_value_entry(store, value, &entry) != LRD_OK)
        return NULL;
    measured.hash = zend_hash_func(entry.key, entry.key_len);
    if (!larder_resident_supersede(all, store, &entry, measured.hash) ||
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
                    entry.key_len + (work->living ? live + arrays + LRD_ALIGN : 0);
    resident *r = NULL;
    if (measured.objects <= RESIDENT_HANDLES - all->handle_next &&
        larder_resident_room(all, measured.size))
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
        /* `pristine` need not be aligned, because its bytes are only copied */
        r->pristine = r->key + entry.key_len;
        if (!larder_resident_fill(r, work)) {
            larder_erase_free(r, measured.size);
            r = NULL;
        }
    }
    free(classes);
    if (r == NULL)
        return NULL;
    if (all->graphs++ >= all->room)
        /* ignore a failure, because it only makes look-ups slower */
        (void)larder_resident_grow(all);
    larder_resident_insert(all, r);
    larder_resident_newest(all, r);
    all->handle_next += r->objects;
    all->bytes += r->size;
    return r;
}
