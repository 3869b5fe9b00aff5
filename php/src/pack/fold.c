/* fold.c - packs a graph (a value with objects or references) from a block of put/write.c; unfold.c
 * does the reverse. Needs no classes. Begin reading at larder_fold().
 *
 * - Nodes are written in the order of their indexes, usually children before parents.
 * - fold.c and unfold.c keep a stack of the nodes without a parent yet. If the next node's children
 *   are on top, in the order of its references, each takes only one byte, LARDER_PACK_NEXT. */
#include "pack/encode.h"
#include "pack/pack_graph.h"
#include "php_larder.h"

/* The graph that is being packed. */
struct encode_fold {
    const char *data;
    const larder_graph *graph;
    const larder_graph_node *nodes;
    /* `stack`: nodes without a parent so far. `fresh`: the nodes whose first parent is the current
     * node, `node`. */
    uint32_t *stack, *fresh;
    uint8_t *mark; /* for each node: 1 if fold_look() has found a parent */
    uint32_t top, node, fresh_used, fresh_next;
    /* true if the fresh nodes came from the top of the stack, in the order of `fresh` */
    bool stacked;
};
typedef struct encode_fold encode_fold;

/* `count` values of a node, at a distance of `stride` bytes. */
typedef struct fold_span {
    const char *at;
    uint32_t count, stride;
} fold_span;

static fold_span fold_values(const void *at, uint32_t count)
{
    return (fold_span){.at = at, .count = count, .stride = sizeof(zval)};
}

static void fold_spans(const encode_fold *fold, const larder_graph_node *node, fold_span spans[2])
{
    const char *at = fold->data + node->at;
    const larder_graph_class *class =
        (const larder_graph_class *)(const void *)(fold->data + fold->graph->classes_at) +
        node->class_index;
    spans[0] = spans[1] = fold_values(at, 0);
    switch (node->kind) {
    case LARDER_NODE_OBJECT:
        spans[0] = fold_values(at, class->slots + node->added);
        break;
    case LARDER_NODE_WRAP:
        spans[0] = fold_values(at, class->slots + 1);
        break;
    case LARDER_NODE_LIST: {
        const larder_list *list = (const void *)(at + class->slots * sizeof(zval));
        spans[0] = fold_values(at, class->slots);
        spans[1] = fold_values(list + 1, list->count);
        break;
    }
    case LARDER_NODE_CONTENT:
    case LARDER_NODE_PERIOD:
        spans[0] = fold_values(at + larder_content_size(node->kind),
                               larder_content_slots(node->kind, class->slots));
        break;
    case LARDER_NODE_CARBON:
        break;
    case LARDER_NODE_ARRAY: {
        const zend_array *array = (const void *)at;
        bool packed = (HT_FLAGS(array) & HASH_FLAG_PACKED) != 0;
        spans[0] = (fold_span){.at = (const char *)array->arData,
                               .count = array->nNumUsed,
                               .stride = packed ? sizeof(zval) : sizeof(Bucket)};
        break;
    }
    default:
        spans[0] = fold_values(at, 1);
    }
}

/* Mark all nodes to which a span refers. Nodes that come before fold->node and had no mark are also
 * added to fold->fresh. */
static void fold_look(encode_fold *fold, const fold_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        const zval *value = (const void *)(span->at + (size_t)i * span->stride);
        if (Z_TYPE_INFO_P(value) != LARDER_NODE)
            continue;
        uint32_t index = larder_node_index(value);
        if (index < fold->node && !fold->mark[index])
            fold->fresh[fold->fresh_used++] = index;
        fold->mark[index] = 1;
    }
}

/* Begin to write the node `index`. For the root, `index` is the number of nodes. If the node's
 * fresh children lie on top of the stack in order, removes them from the stack. */
static void fold_begin(encode_fold *fold, uint32_t index, const fold_span spans[2])
{
    while (fold->top != 0 && fold->mark[fold->stack[fold->top - 1]])
        fold->top--;
    fold->node = index;
    fold->fresh_used = fold->fresh_next = 0;
    fold_look(fold, spans);
    fold_look(fold, spans + 1);
    uint32_t count = fold->fresh_used;
    fold->stacked = count <= fold->top && memcmp(fold->stack + (fold->top - count), fold->fresh,
                                                 count * sizeof *fold->fresh) == 0;
    if (fold->stacked)
        fold->top -= count;
}

bool larder_fold_node(encode_work *work, const zval *value)
{
    encode_fold *fold = work->fold;
    if (fold == NULL || Z_TYPE_INFO_P(value) != LARDER_NODE)
        return false;
    uint32_t index = larder_node_index(value);
    if (fold->stacked && fold->fresh_next < fold->fresh_used &&
        fold->fresh[fold->fresh_next] == index) {
        fold->fresh_next++;
        *work->at++ = LARDER_PACK_NEXT;
        return true;
    }
    encode_counted(work, LARDER_PACK_NODE, index);
    if (index >= fold->node)
        *work->at++ = larder_node_kind_of(value);
    return true;
}

/* Write the values of a span. Slots of objects may also have the type LARDER_DEFAULT or
 * IS_UNDEF. */
static bool fold_span_values(encode_work *work, const fold_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        const zval *value = (const void *)(span->at + (size_t)i * span->stride);
        uint32_t type = Z_TYPE_INFO_P(value);
        if (UNEXPECTED(type == LARDER_DEFAULT || type == IS_UNDEF)) {
            if (!encode_room(work, 2 * ENCODE_NUMBER_MAX))
                return false;
            if (type == LARDER_DEFAULT)
                *work->at++ = LARDER_PACK_DEFAULT;
            else
                encode_counted(work, LARDER_PACK_UNDEF, value->u2.extra);
        } else if (!larder_encode_value(work, value)) {
            return false;
        }
    }
    return true;
}

/* Write `size` bytes, most of which are zero. Each 8 bytes become a byte of flags and the bytes
 * that are not zero: bit i is 1 if byte i follows. */
static bool fold_words(encode_work *work, const char *from, size_t size)
{
    if (!encode_room(work, size + size / 8))
        return false;
    for (; size != 0; size -= 8, from += 8) {
        uint8_t *bits = work->at++;
        *bits = 0;
        for (unsigned i = 0; i < 8; i++)
            if (from[i] != 0) {
                *bits |= (uint8_t)(1u << i);
                *work->at++ = (uint8_t)from[i];
            }
    }
    return true;
}

static bool fold_node(encode_work *work, uint32_t index)
{
    encode_fold *fold = work->fold;
    const larder_graph_node *node = fold->nodes + index;
    const char *at = fold->data + node->at;
    fold_span spans[2];
    if (!encode_room(work, 5 * ENCODE_NUMBER_MAX))
        return false;
    fold_spans(fold, node, spans);
    fold_begin(fold, index, spans);
    *work->at++ = (uint8_t)(node->kind | (node->added ? LARDER_PACK_ADDED : 0) |
                            (node->defaults ? LARDER_PACK_DEFAULTS : 0) |
                            (node->constant ? LARDER_PACK_CONSTANT : 0) |
                            (node->uses != 1 ? LARDER_PACK_USES : 0));
    if (node->uses != 1)
        encode_number(work, node->uses);
    if (node->kind <= LARDER_NODE_CASE)
        encode_number(work, node->class_index);
    if (node->kind == LARDER_NODE_ARRAY)
        return larder_encode_array(work, (const void *)at);
    if (larder_node_has_content(node->kind)) {
        work->ready += larder_content_size(node->kind);
        if (!fold_words(work, at, larder_content_size(node->kind)))
            return false;
    }
    work->ready += (uint64_t)spans[0].count * sizeof(zval);
    if (node->kind == LARDER_NODE_LIST) {
        const larder_list *list = (const larder_list *)(const void *)spans[1].at - 1;
        work->ready += (list->count + (uint64_t)1) * sizeof(zval);
        encode_number(work, list->count);
        encode_number(work, (uint32_t)list->flags);
    }
    return fold_span_values(work, spans) && fold_span_values(work, spans + 1);
}

static bool fold_classes(encode_work *work)
{
    const encode_fold *fold = work->fold;
    const larder_graph_class *class =
        (const larder_graph_class *)(const void *)(fold->data + fold->graph->classes_at);
    for (uint32_t i = 0; i < fold->graph->classes; i++, class ++) {
        if (!encode_room(work, 3 * ENCODE_NUMBER_MAX))
            return false;
        encode_counted(work, (uint8_t) class->kind, class->slots);
        memcpy(work->at, &class->fingerprint, sizeof class->fingerprint);
        work->at += sizeof class->fingerprint;
        if (!larder_encode_string(work, class->name))
            return false;
        work->ready += LARDER_STRING_SIZE(ZSTR_LEN(class->lower));
    }
    return true;
}

static bool fold_all(encode_work *work)
{
    encode_fold *fold = work->fold;
    const larder_graph *graph = fold->graph;
    const uint32_t *calls = (const uint32_t *)(const void *)(fold->data + graph->calls_at);
    fold_span spans[2] = {fold_values(&graph->root, 1), fold_values(&graph->root, 0)};
    if (!encode_room(work, 5 * ENCODE_NUMBER_MAX))
        return false;
    encode_number(work, graph->classes);
    encode_number(work, graph->nodes);
    encode_number(work, graph->calls);
    encode_number(work, graph->first);
    encode_number(work, graph->flags);
    work->ready += sizeof *graph + graph->classes * sizeof(larder_graph_class) +
                   graph->nodes * sizeof(larder_graph_node) +
                   ZEND_MM_ALIGNED_SIZE_EX(graph->calls * sizeof(uint32_t), 8);
    if (!fold_classes(work))
        return false;
    for (uint32_t i = 0; i < graph->nodes; i++) {
        if (!fold_node(work, i))
            return false;
        fold->stack[fold->top++] = i;
    }
    fold_begin(fold, graph->nodes, spans);
    if (!fold_span_values(work, spans) ||
        !encode_room(work, (size_t)graph->calls * ENCODE_NUMBER_MAX))
        return false;
    for (uint32_t i = 0, last = 0; i < graph->calls; last = calls[i++])
        /* the numbers mostly rise, so write differences (modulo 2^32) */
        encode_number(work, calls[i] - last);
    return !work->failed;
}

bool larder_fold(encode_work *work, struct larder_scratch *own, const void *data, size_t size)
{
    const larder_graph *graph = (const void *)((const char *)data + size - sizeof *graph);
    encode_fold fold = {.data = data,
                        .graph = graph,
                        .nodes = (const void *)((const char *)data + graph->nodes_at)};
    fold.stack = scratch_room(&own->nodes, (size_t)graph->nodes * (2 * sizeof(uint32_t) + 1));
    if (fold.stack == NULL)
        return false;
    fold.fresh = fold.stack + graph->nodes;
    fold.mark = (uint8_t *)(fold.fresh + graph->nodes);
    memset(fold.mark, 0, graph->nodes);
    work->fold = &fold;
    bool good = fold_all(work);
    work->fold = NULL;
    return good;
}
