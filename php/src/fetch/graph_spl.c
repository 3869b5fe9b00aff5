/* graph_spl.c - rebuilds objects of ext/spl, such as ArrayObject, from copies of a pattern object
 * (see spl_layout.h). */
#include "fetch/graph_work.h"
#include "format/format.h"
#include "kinds/builtin.h"
#include "kinds/spl_layout.h"

zend_object *larder_graph_new_spl(const larder_graph_work *work, const larder_graph_node *node)
{
    const larder_graph_found *class = work->classes[node->class_index];
    return larder_spl_new(class->form, class->size);
}

/* Copy an array that contains no nodes. The copy has the reference count 1. */
static zend_array *spl_copy_array(const zend_array *stored)
{
    if (UNEXPECTED(stored->nNumUsed == 0))
        return zend_array_dup((zend_array *)stored);
    zend_array *array = emalloc(sizeof *array);
    bool packed = HT_FLAGS(stored) & HASH_FLAG_PACKED;
    size_t hash = packed ? HT_HASH_SIZE(HT_MIN_MASK) : HT_HASH_SIZE(stored->nTableMask);
    size_t element = packed ? sizeof(zval) : sizeof(Bucket);
    char *memory = emalloc(hash + stored->nTableSize * element);
    *array = *stored;
    GC_SET_REFCOUNT(array, 1);
    GC_TYPE_INFO(array) = GC_ARRAY;
    array->pDestructor = ZVAL_PTR_DTOR;
    array->arData = (Bucket *)(void *)(memory + hash);
    memcpy(memory, (const char *)stored->arData - hash, hash + stored->nNumUsed * element);
    return array;
}

/* Fill the array of an ArrayObject. An ArrayObject writes to its array even if the array has other
 * owners. So if work->separate is set, larder_graph_separate_spl() later copies shared arrays. */
static void spl_fill_array(larder_graph_work *work, zval *array, const zval *stored)
{
    if (EXPECTED(Z_TYPE_INFO_P(stored) != LARDER_NODE) && EXPECTED(!work->copy)) {
        ZVAL_ARR(array, spl_copy_array(Z_ARR_P(stored)));
        return;
    }
    ZVAL_COPY_VALUE(array, stored);
    if (Z_TYPE_INFO_P(stored) == LARDER_NODE) {
        const larder_graph_node *node = work->nodes + larder_node_index(stored);
        work->separate |= node->uses > 1 || node->constant;
    } else {
        work->separate = true;
    }
    larder_graph_place(work, array, 1, sizeof *array);
}

void larder_graph_fill_spl(larder_graph_work *work, zend_object *object,
                           const larder_graph_node *node)
{
    const larder_graph_found *class = work->classes[node->class_index];
    const larder_spl_form *form = class->form;
    const zval *stored = (const zval *)(const void *)(work->data + node->at) + class->slots;
    if (node->kind == LARDER_NODE_WRAP) {
        spl_fill_array(work, larder_spl_value(form->layout, object), stored);
        return;
    }
    const larder_list *list = (const void *)stored++;
    larder_spl_put(form, object, stored, list->count, list->flags);
    if (EXPECTED(!list->nodes) && EXPECTED(!work->copy))
        return;
    larder_spl_cursor cursor = larder_spl_open(form->builtin, object);
    for (zval *value; (value = (zval *)larder_spl_next(&cursor)) != NULL;)
        larder_graph_place(work, value, 1, sizeof *value);
}

void larder_graph_separate_spl(const larder_graph_work *work)
{
    for (uint32_t i = 0; i < work->graph->nodes && !LARDER_OUT_OF_MEMORY(); i++)
        if (work->nodes[i].kind == LARDER_NODE_WRAP)
            SEPARATE_ARRAY(larder_spl_array(work->built[i]));
}
