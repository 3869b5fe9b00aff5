/* graph_builtin.c - rebuilds objects of PHP's own classes, such as dates, from their content. The
 * engine may destroy such an object before all nodes are complete. So the values of its slots stay
 * in work->late until then. */
#include "fetch/graph_work.h"
#include "format/format.h"
#include "kinds/builtin.h"

/* Return how many slots of an object are filled last. */
static uint32_t builtin_late(const larder_graph_work *work, const larder_graph_node *node)
{
    const larder_graph_found *class = work->classes[node->class_index];
    return class->slots - class->kind->made;
}

/* Create an object of one of PHP's own classes, and fill in its content without calling hooks.
 * Returns false if this PHP cannot use the stored content. */
bool larder_graph_make_builtin(larder_graph_work *work, uint32_t index)
{
    const larder_graph_node *node = work->nodes + index;
    const larder_graph_found *class = work->classes[node->class_index];
    const void *stored = work->data + node->at;
    if (class->kind->node != node->kind) /* another release of Larder stored the object */
        return false;
    zend_object *object = work->built[index] = class->ce->create_object(class->ce);
    work->late_count += builtin_late(work, node);
    return class->kind->fill(object, stored);
}

void larder_graph_fill_builtin(larder_graph_work *work, zend_object *object,
                               const larder_graph_node *node)
{
    uint32_t count = builtin_late(work, node);
    const char *stored = work->data + node->at;
    stored += work->classes[node->class_index]->kind->content;
    GC_SET_REFCOUNT(object, node->uses);
    if (count == 0)
        return; /* work->late may be NULL */
    memcpy(work->late, stored, count * sizeof *work->late);
    larder_graph_place(work, work->late, count, sizeof *work->late);
    work->late += count;
}

/* Move the values in `late` to the slots from `made` on. They replace default values, which the
 * class also owns. So releasing a default value here never frees it. */
static void builtin_slots(zend_object *object, const zval *late, uint32_t made)
{
    zval *slot = object->properties_table + made;
    for (int i = (int)made; i < object->ce->default_properties_count; i++, slot++, late++) {
        if (Z_TYPE_INFO_P(late) == LARDER_DEFAULT || Z_TYPE_INFO_P(late) == IS_UNDEF)
            continue;
        Z_TRY_DELREF_P(slot);
        ZVAL_COPY_VALUE(slot, late);
        Z_PROP_FLAG_P(slot) = 0;
    }
}

void larder_graph_finish_builtins(const larder_graph_work *work, const zval *late)
{
    for (uint32_t i = 0; i < work->graph->nodes; i++) {
        const larder_graph_node *node = work->nodes + i;
        if (!larder_graph_is_builtin(node))
            continue;
        builtin_slots(work->built[i], late, work->classes[node->class_index]->kind->made);
        late += builtin_late(work, node);
    }
}
