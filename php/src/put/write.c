/* write.c - the writing pass: fills a reserved block with Zend structures, at the offsets that
 * plan.c chose. It cannot fail or be interrupted. It sets the flags of all parts itself, because
 * the flags of the original parts are valid only in this process. */
#include "fetch/resident.h"
#include "format/format.h"
#include "kinds/builtin.h"
#include "kinds/spl_layout.h"
#include "put/hooks.h"
#include "put/plan.h"
#include "put/string.h"

typedef struct build_work {
    const larder_plan *plan;
    char *build;
    /* the address at which readers see the block */
    const char *data;
    const size_t *target; /* the next target */
    const size_t *key;    /* the target of the array's next key */
} build_work;

static zend_always_inline void *build_address(const build_work *work, size_t target)
{
    if (EXPECTED(!(target & LARDER_TARGET_KIND)))
        return (void *)(uintptr_t)(work->data + target);
    return (void *)(uintptr_t)(target & ~LARDER_TARGET_KIND);
}

static zend_always_inline void build_target(build_work *work, uint32_t type, size_t target,
                                            zval *value)
{
    size_t kind = target & LARDER_TARGET_KIND;
    uint32_t node = (uint32_t)target;
    Z_TYPE_INFO_P(value) = type;
    if (EXPECTED(kind == 0) || UNEXPECTED(kind == LARDER_TARGET_SHARED)) {
        value->value.counted = build_address(work, target);
        return;
    }
    if (kind == LARDER_TARGET_ARRAY) {
        const larder_planned_array *array = work->plan->arrays + node;
        if (EXPECTED(array->node == LARDER_NOWHERE))
            value->value.counted = (zend_refcounted *)(uintptr_t)(work->data + array->at);
        else
            larder_node_set(value, array->node, LARDER_NODE_ARRAY);
        return;
    }
    larder_node_set(value, work->plan->nodes[node].number, work->plan->nodes[node].kind);
}

/* Write one element. */
static zend_always_inline void build_value(build_work *work, const zval *source, zval *value)
{
    uint32_t type = Z_TYPE_P(source);
    if (UNEXPECTED(type > IS_OBJECT)) {
        source = larder_element(source);
        type = Z_TYPE_P(source);
    }
    if (EXPECTED(type <= IS_DOUBLE)) {
        value->value = source->value;
        if (UNEXPECTED(type < IS_LONG))
            /* null, false and true have no value: write 0 over old bytes */
            value->value.lval = 0;
        Z_TYPE_INFO_P(value) = type;
    } else {
        build_target(work, type, *work->target++, value);
    }
}

static void build_packed(build_work *work, const larder_planned_array *planned, zend_array *array,
                         zval *values)
{
    const HashTable *source = planned->source;
    /* the array has an element, so the loop ends */
    uint32_t last = source->nNumUsed;
    while (Z_TYPE(source->arPacked[last - 1]) == IS_UNDEF)
        last--;
    array->nNextFreeElement = (zend_long)last;
    if (planned->plain) {
        memcpy(values, source->arPacked, source->nNumUsed * sizeof *values);
        return;
    }
    build_work own = *work; /* a local copy can stay in registers */
    for (const zval *from = source->arPacked, *end = from + source->nNumUsed; from != end;
         from++, values++) {
        build_value(&own, from, values);
        values->u2.next = 0;
    }
}

/* Write a bucket. *next receives the key that $array[] would use after this element. */
static zend_always_inline void build_bucket(build_work *work, const Bucket *from, Bucket *to,
                                            zend_long *next)
{
    to->h = from->h;
    if (from->key == NULL) {
        to->key = NULL;
        *next = larder_next_key(*next, (zend_long)from->h);
    } else {
        to->key = build_address(work, *work->key++);
    }
    build_value(work, &from->val, &to->val);
}

/* Write an array by copying the hash chains of its source. The source must have no holes, and its
 * hash part must be as large as the stored one. */
static void build_hash_same(build_work *work, const larder_planned_array *planned,
                            zend_array *array, uint32_t *hash, Bucket *to)
{
    const HashTable *source = planned->source;
    const Bucket *from = source->arData, *end = from + source->nNumUsed;
    memcpy(hash, HT_GET_DATA_ADDR(source), HT_HASH_SIZE(source->nTableMask));
    build_work own = *work; /* a local copy can stay in registers */
    zend_long next = ZEND_LONG_MIN;
    for (; from != end; from++, to++) {
        build_bucket(&own, from, to, &next);
        Z_NEXT(to->val) = Z_NEXT(from->val);
    }
    array->nNextFreeElement = next;
}

/* Write an array that has holes, or whose stored hash part has another size than the source's. The
 * stored array gets new hash chains. */
static void build_hash_dense(build_work *work, const larder_planned_array *planned,
                             zend_array *array, uint32_t *hash, Bucket *buckets)
{
    const HashTable *source = planned->source;
    uint32_t mask = array->nTableMask;
    uint32_t index = 0;
    zend_long next = ZEND_LONG_MIN;
    bool all = planned->used == source->nNumUsed;
    larder_hash_clear(hash, mask);
    build_work own = *work; /* a local copy can stay in registers */
    for (uint32_t i = 0; i < source->nNumUsed; i++) {
        const Bucket *from = source->arData + i;
        Bucket *to = buckets + index;
        if (UNEXPECTED(!all) && !larder_is_stored(&from->val, planned->added))
            continue;
        build_bucket(&own, from, to, &next);
        larder_hash_chain(buckets, mask, index++);
    }
    array->nNextFreeElement = next;
}

/* Write the header of an array, except nNextFreeElement. */
static zend_always_inline void build_header(const build_work *work,
                                            const larder_planned_array *planned, zend_array *array,
                                            uint32_t flags, uint32_t mask, uint32_t size)
{
    larder_array_header(array, flags, mask, size, planned->used,
                        (uintptr_t)(work->data + planned->at + sizeof *array + HT_HASH_SIZE(mask)));
    if (flags & HASH_FLAG_PACKED) /* there may be holes */
        array->nNumOfElements = planned->source->nNumOfElements;
}

static void build_array(build_work *work, const larder_planned_array *planned)
{
    const HashTable *source = planned->source;
    zend_array *array = (zend_array *)(void *)(work->build + planned->at);
    uint32_t *hash = (uint32_t *)(void *)(array + 1);
    uint32_t used = planned->used, size = larder_table_size(used);
    work->target = work->plan->targets + planned->target;
    if (UNEXPECTED(used == 0) || (HT_FLAGS(source) & HASH_FLAG_PACKED)) {
        uint32_t flags =
            used == 0 ? HASH_FLAG_UNINITIALIZED : HASH_FLAG_STATIC_KEYS | HASH_FLAG_PACKED;
        build_header(work, planned, array, flags, HT_MIN_MASK, size);
        hash[0] = hash[1] = HT_INVALID_IDX;
        if (used == 0)
            array->nNextFreeElement = zend_empty_array.nNextFreeElement;
        else
            build_packed(work, planned, array, (zval *)(void *)(hash + 2));
        return;
    }
    uint32_t mask = larder_table_mask(size);
    Bucket *buckets = (Bucket *)(void *)((char *)hash + HT_HASH_SIZE(mask));
    build_header(work, planned, array, HASH_FLAG_STATIC_KEYS, mask, size);
    work->key = work->plan->targets + planned->keys;
    if (source->nTableMask == mask && source->nNumUsed == used)
        build_hash_same(work, planned, array, hash, buckets);
    else
        build_hash_dense(work, planned, array, hash, buckets);
}

/* ---- graphs ---- */

static zend_always_inline void build_slots(build_work *work, const larder_planned_node *node,
                                           larder_graph_node *out, zval *value, uint32_t first)
{
    const zend_object *object = node->source.object;
    const zval *slot = object->properties_table + first;
    uint32_t slots = (uint32_t)object->ce->default_properties_count;
    uint32_t places = 0;
    bool asleep = larder_state_selects(node->state);
    for (uint32_t i = first; i < slots; i++, value++, slot++) {
        if (UNEXPECTED(asleep || Z_TYPE_P(slot) == IS_UNDEF) &&
            larder_slot_is_default(object, node->state, i)) {
            Z_LVAL_P(value) = 0;
            Z_TYPE_INFO_P(value) = LARDER_DEFAULT;
            value->u2.extra = 0;
            out->defaults = true;
            continue;
        }
        build_value(work, slot, value);
        value->u2.extra = 0;
        if (Z_TYPE_INFO_P(value) == LARDER_NODE)
            places |= (uint32_t)1 << (i < LARDER_PLACES ? i : LARDER_PLACES - 1);
        /* the zval says whether an undefined slot was never initialised or was unset */
        if (UNEXPECTED(Z_TYPE_P(value) == IS_UNDEF))
            value->u2.extra = object->ce->default_properties_table[i].u2.extra;
    }
    out->places = places;
    if (UNEXPECTED(node->added)) {
        build_target(work, IS_ARRAY, *work->target++, value);
        value->u2.extra = 0;
    }
}

static void build_list(build_work *work, const larder_planned_node *node, zval *value)
{
    larder_spl_cursor cursor = larder_spl_open(node->builtin, node->source.object);
    larder_list *list = (larder_list *)(void *)value++;
    *list = (larder_list){.count = cursor.left, .flags = cursor.flags};
    for (const zval *element; (element = larder_spl_next(&cursor)) != NULL; value++) {
        build_value(work, element, value);
        value->u2.extra = 0;
        list->nodes |= Z_TYPE_INFO_P(value) == LARDER_NODE;
    }
}

/* Write an object's content, for example that of a date, and then its slots. The first slots are
 * left out, because a fetch makes them from the content. */
static void build_content(build_work *work, const larder_planned_node *node, larder_graph_node *out)
{
    const larder_object_kind *kind = larder_object_kinds[node->builtin];
    char *build = work->build + node->at;
    kind->write(node->source.object, build);
    if (node->kind != LARDER_NODE_CARBON)
        build_slots(work, node, out, (zval *)(void *)(build + kind->content), kind->made);
}

/* Write an object: its slots, and behind them the elements of a collection, or the array that an
 * ArrayObject wraps. */
static void build_object(build_work *work, const larder_planned_node *node, larder_graph_node *out)
{
    zval *value = (zval *)(void *)(work->build + node->at);
    zval *inner = value + node->source.object->ce->default_properties_count;
    if (UNEXPECTED(node->kind == LARDER_NODE_LIST)) {
        build_list(work, node, inner);
    } else if (UNEXPECTED(node->kind == LARDER_NODE_WRAP)) {
        build_target(work, IS_ARRAY, *work->target++, inner);
        inner->u2.extra = 0;
    }
    build_slots(work, node, out, value, 0);
}

static void build_node(build_work *work, const larder_planned_node *node, larder_graph_node *out)
{
    work->target = work->plan->targets + node->target;
    *out = (larder_graph_node){.at = node->at,
                               .uses = node->uses,
                               .class_index = node->class_index,
                               .kind = node->kind,
                               .added = node->added};
    if (EXPECTED(node->kind <= LARDER_NODE_LIST)) {
        build_object(work, node, out);
    } else if (larder_node_has_content(node->kind)) {
        build_content(work, node, out);
    } else {
        zval *value = (zval *)(void *)(work->build + node->at);
        if (node->kind == LARDER_NODE_STATE)
            build_target(work, IS_ARRAY, *work->target++, value);
        else if (node->kind == LARDER_NODE_CASE)
            build_target(work, IS_STRING, *work->target++, value);
        else
            build_value(work, &node->source.reference->val, value);
        value->u2.extra = 0;
    }
}

static void build_class(const build_work *work, const larder_planned_class *planned,
                        larder_graph_class *out)
{
    size_t size = LARDER_STRING_SIZE(ZSTR_LEN(planned->name));
    if (EXPECTED(planned->parts != NULL))
        memcpy(work->build + planned->at, planned->parts->strings, planned->parts->size);
    else
        larder_parts_names(planned->name, work->build + planned->at);
    *out = (larder_graph_class){
        .name = (zend_string *)(uintptr_t)(work->data + planned->at),
        .lower = (zend_string *)(uintptr_t)(work->data + planned->at + size),
        .fingerprint = planned->fingerprint,
        .slots = planned->ce != NULL ? (uint32_t)planned->ce->default_properties_count : 0,
        .kind = planned->kind,
    };
}

static void build_calls(const larder_plan *plan, uint32_t *calls)
{
    for (uint32_t i = 0; i < plan->calls; i++)
        calls[i] = plan->nodes[plan->visited[i]].number;
    /* clear the 4 bytes of padding, which may contain old data */
    if (plan->calls % 2 != 0)
        calls[plan->calls] = 0;
}

/* Return true if all fetches of this written graph can return the same objects. */
static bool build_suits(const larder_plan *plan, const char *build)
{
    const larder_graph_node *node =
        (const larder_graph_node *)(const void *)(build + plan->nodes_at);
    for (uint32_t i = 0; i < plan->order_used; i++, node++) {
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

static void build_graph(build_work *work)
{
    const larder_plan *plan = work->plan;
    larder_graph_class *class = (larder_graph_class *)(void *)(work->build + plan->classes_at);
    larder_graph_node *node = (larder_graph_node *)(void *)(work->build + plan->nodes_at);
    larder_graph *graph = (larder_graph *)(void *)(work->build + plan->size - sizeof(larder_graph));
    for (uint32_t i = 0; i < plan->classes_used; i++)
        build_class(work, plan->classes + i, class + i);
    bool simple = plan->calls == 0;
    graph->flags = graph->cases = 0;
    graph->built = 0;
    for (uint32_t i = 0; i < plan->order_used; i++) {
        uint32_t ahead = i + LARDER_AHEAD < plan->order_used ? plan->order[i + LARDER_AHEAD] : 0;
        if (!(ahead & LARDER_ORDER_ARRAY))
            __builtin_prefetch(plan->nodes[ahead].source.object);
        if (plan->order[i] & LARDER_ORDER_ARRAY) {
            const larder_planned_array *array =
                plan->arrays + (plan->order[i] & ~LARDER_ORDER_ARRAY);
            node[i] = (larder_graph_node){.at = array->at,
                                          .uses = array->uses,
                                          .kind = LARDER_NODE_ARRAY,
                                          .constant = i < plan->first};
            if (array->uses > 1) {
                graph->flags |= LARDER_GRAPH_CYCLIC;
                simple = false;
            }
            continue;
        }
        const larder_planned_node *planned = plan->nodes + plan->order[i];
        build_node(work, planned, node + i);
        graph->cases += planned->kind == LARDER_NODE_CASE;
        if (planned->uses > 1 && planned->kind != LARDER_NODE_CASE)
            graph->flags |= LARDER_GRAPH_CYCLIC;
        if (planned->kind > LARDER_NODE_OBJECT && planned->kind < LARDER_NODE_CASE)
            graph->flags |= LARDER_GRAPH_MADE;
        if (planned->added)
            graph->flags |= LARDER_GRAPH_ADDED;
        simple &= planned->kind == LARDER_NODE_OBJECT && planned->uses == 1 && !planned->added &&
                  !node[i].defaults;
    }
    if (simple)
        graph->flags |= LARDER_GRAPH_SIMPLE;
    if (UNEXPECTED(plan->calls != 0))
        build_calls(plan, (uint32_t *)(void *)(work->build + plan->calls_at));
    graph->classes = plan->classes_used;
    graph->nodes = plan->order_used;
    graph->calls = plan->calls;
    graph->first = plan->first;
    graph->calls_at = plan->calls_at;
    graph->classes_at = plan->classes_at;
    graph->nodes_at = plan->nodes_at;
    build_target(work, IS_ARRAY, plan->root, &graph->root);
    graph->root.u2.extra = 0;
    if (UNEXPECTED(plan->built != 0)) {
        bool resident = plan->resident && build_suits(plan, work->build);
        if (resident || plan->living || plan->constants >= LARDER_CONSTANTS)
            graph->built = plan->built;
        if (plan->living)
            graph->flags |= LARDER_GRAPH_LIVES;
        if (resident || plan->constants >= LARDER_CONSTANTS)
            graph->flags |= resident ? LARDER_GRAPH_RESIDENT : LARDER_GRAPH_CONSTANTS;
    }
}

void larder_fill_plan(const void *from, void *build, const void *data, size_t size)
{
    const larder_plan *plan = from;
    build_work work = {.plan = plan, .build = build, .data = data};
    (void)size;
    for (uint32_t i = 0; i < plan->arrays_used; i++) {
        if (i + LARDER_AHEAD < plan->arrays_used)
            larder_prefetch_array(plan->arrays + i + LARDER_AHEAD);
        build_array(&work, plan->arrays + i);
    }
    for (const larder_planned_string *string = plan->strings, *end = string + plan->strings_used;
         string != end; string++)
        larder_build_string(string->source, (char *)build + string->at);
    if (larder_plan_is_graph(plan))
        build_graph(&work);
}
