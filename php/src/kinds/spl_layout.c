/* spl_layout.c - finds out, once per thread, how objects of ext/spl are laid out in memory. Begin
 * reading at larder_spl_layout_of().
 *
 * - The engine makes two sample objects. They must differ only in the fields that this file looks
 *   for, each at exactly one offset. All other bytes can be copied.
 * - To test the result, this file copies a sample and changes the fields. The engine must then read
 *   the new contents from the copy.
 * - No user code may run meanwhile, so gc_protect() keeps the cycle collector from starting. */
#include "kinds/spl_layout.h"
#include "kinds/builtin.h"
#include "kinds/classes.h"
#include "request/memory.h"
#include "ext/spl/spl_array.h"
#include "ext/spl/spl_dllist.h"
#include "ext/spl/spl_fixedarray.h"
#include "zend_operators.h"

/* Number of elements of a sample object. By this unusual number we find the field that counts the
 * elements. */
#define LAYOUT_MANY 61
#define LAYOUT_FLAGS 0x5ca1ab1e
#define LAYOUT_NOWHERE UINT32_MAX

struct larder_spl {
    larder_spl_layout layouts[LARDER_BUILTIN_TOLD + 1];
    /* the forms of PHP's own classes; the forms of other classes are in LARDER_G(known).forms */
    larder_spl_form *forms;
};

static char *layout_start(const zend_object *object)
{
    return (char *)object - object->handlers->offset;
}

/* ---- samples ---- */

/* Make the array that __serialize() would return for an object with the ints 1 to `count`. */
static void layout_state(larder_builtin builtin, uint32_t count, zend_long flags, zval *state)
{
    zval values, none;
    array_init_size(&values, count);
    for (uint32_t i = 1; i <= count; i++)
        add_next_index_long(&values, (zend_long)i);
    if (builtin == LARDER_BUILTIN_FIXED) {
        ZVAL_COPY_VALUE(state, &values);
        return;
    }
    array_init_size(state, 3);
    array_init(&none);
    add_next_index_long(state, flags);
    add_next_index_zval(state, &values);
    add_next_index_zval(state, &none);
}

/* Let the engine make an object from `state`. Returns NULL if this fails. */
static zend_object *layout_make(zend_class_entry *ce, zval *state)
{
    zval answer;
    zend_object *object = ce->create_object(ce);
    GC_ADD_FLAGS(object, IS_OBJ_DESTRUCTOR_CALLED);
    if (larder_builtin_call(object, ce->__unserialize, state, &answer))
        return object;
    OBJ_RELEASE(object);
    return NULL;
}

/* ---- looking ---- */

/* Find the `size` bytes at `what` in an object's head, and return their offset there. Returns
 * LAYOUT_NOWHERE if the head does not contain the bytes exactly once. */
static uint32_t layout_find(const zend_object *object, const void *what, size_t size)
{
    uint32_t found = LAYOUT_NOWHERE;
    const char *start = layout_start(object);
    for (uint32_t at = 0; at + size <= (uint32_t)object->handlers->offset; at += size) {
        if (memcmp(start + at, what, size) != 0)
            continue;
        if (found != LAYOUT_NOWHERE)
            return LAYOUT_NOWHERE;
        found = at;
    }
    return found;
}

/* `head` has the bytes of an object in front of its zend_object. Zero the fields that differ
 * between objects of one class. */
static void layout_blank(const larder_spl_layout *layout, larder_builtin builtin, char *head)
{
    memset(head + layout->value_at, 0,
           builtin == LARDER_BUILTIN_ARRAY ? sizeof(zval) : sizeof(void *));
    if (builtin != LARDER_BUILTIN_ARRAY)
        memset(head + layout->more_at, 0,
               builtin == LARDER_BUILTIN_FIXED ? sizeof(zend_long) : sizeof(int));
}

/* Return true if two objects differ only in the fields that layout_blank() sets to zero. */
static bool layout_explains(const larder_spl_layout *layout, larder_builtin builtin,
                            const zend_object *one, const zend_object *other)
{
    char heads[2][LARDER_SPL_HEAD_MAX];
    memcpy(heads[0], layout_start(one), layout->head);
    memcpy(heads[1], layout_start(other), layout->head);
    layout_blank(layout, builtin, heads[0]);
    layout_blank(layout, builtin, heads[1]);
    return memcmp(heads[0], heads[1], layout->head) == 0;
}

/* Find the offsets of the fields by a call of the handler get_gc(). For an array object, get_gc()
 * returns the address of the array. For a SplFixedArray, it returns the address and the number of
 * the elements. */
static bool layout_find_told(larder_spl_layout *layout, larder_builtin builtin, zend_object *object)
{
    zval *values = NULL;
    int count = 0;
    object->handlers->get_gc(object, &values, &count);
    if (builtin == LARDER_BUILTIN_ARRAY) {
        layout->value_at = (uint32_t)((char *)values - layout_start(object));
        return count == 1 && (char *)values >= layout_start(object) &&
               layout->value_at + sizeof(zval) <= layout->head && Z_TYPE_P(values) == IS_ARRAY;
    }
    zend_long size = count;
    layout->value_at = layout_find(object, &values, sizeof values);
    layout->more_at = layout_find(object, &size, sizeof size);
    return layout->value_at != LAYOUT_NOWHERE && layout->more_at != LAYOUT_NOWHERE;
}

/* Find out where the engine will put the next list: its allocator will return next[i] for element
 * i. */
static void layout_foresee(larder_spl_element **next, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        next[i] = emalloc(sizeof **next);
    for (uint32_t i = count; i-- > 0;)
        efree(next[i]);
}

/* Let the engine make a list, and find its elements at the addresses that layout_foresee() has
 * predicted. Returns NULL if they are not there, for example with USE_ZEND_ALLOC=0. */
static zend_object *layout_make_list(larder_spl_layout *layout, zval *state)
{
    zval answer;
    larder_spl_element *next[3];
    larder_spl_list *list = emalloc(sizeof *list);
    efree(list);
    zend_object *object = spl_ce_SplDoublyLinkedList->create_object(spl_ce_SplDoublyLinkedList);
    layout->value_at = layout_find(object, &list, sizeof list);
    layout_foresee(next, 3);
    bool good = layout->value_at != LAYOUT_NOWHERE && list->first == NULL && list->last == NULL &&
                list->count == 0 &&
                larder_builtin_call(object, object->ce->__unserialize, state, &answer) &&
                list->first == next[0] && list->last == next[2] && list->count == 3;
    for (int i = 0; good && i < 3; i++)
        good = next[i]->previous == (i > 0 ? next[i - 1] : NULL) &&
               next[i]->next == (i < 2 ? next[i + 1] : NULL) &&
               Z_TYPE_INFO(next[i]->data) == IS_LONG && Z_LVAL(next[i]->data) == i + 1 &&
               next[i]->data.u2.extra == 1;
    int flags = LAYOUT_FLAGS;
    layout->more_at = layout_find(object, &flags, sizeof flags);
    if (good && layout->more_at != LAYOUT_NOWHERE)
        return object;
    OBJ_RELEASE(object);
    return NULL;
}

/* ---- making ---- */

/* Make the elements of a list. If memory runs out, the last elements are missing, and the fetch
 * fails. */
static void layout_chain(larder_spl_list *list, const zval *values, uint32_t count)
{
    larder_spl_element *previous = NULL;
    for (const zval *end = values + count; values != end && !LARDER_OUT_OF_MEMORY(); values++) {
        larder_spl_element *element = emalloc(sizeof *element);
        element->previous = previous;
        element->data = *values;
        element->data.u2.extra = 1;
        if (previous != NULL)
            previous->next = element;
        else
            list->first = element;
        previous = element;
        list->count++;
    }
    if (previous != NULL)
        previous->next = NULL;
    list->last = previous;
}

void larder_spl_put(const larder_spl_form *form, zend_object *object, const zval *values,
                    uint32_t count, int flags)
{
    void *value = larder_spl_value(form->layout, object);
    if (form->builtin == LARDER_BUILTIN_ARRAY) {
        ZVAL_COPY_VALUE((zval *)value, values);
    } else if (form->builtin == LARDER_BUILTIN_LIST) {
        larder_spl_list *list = *(larder_spl_list **)value = emalloc(sizeof *list);
        *list = (larder_spl_list){.count = 0};
        layout_chain(list, values, count);
        *(int *)larder_spl_more(form->layout, object) = flags;
    } else if (count != 0) {
        zval *elements = safe_emalloc(count, sizeof *elements, 0);
        memcpy(elements, values, count * sizeof *elements);
        *(zval **)value = elements;
        *(zend_long *)larder_spl_more(form->layout, object) = count;
    }
}

/* ---- learning ---- */

static zend_class_entry *layout_base(larder_builtin builtin)
{
    return builtin == LARDER_BUILTIN_ARRAY   ? spl_ce_ArrayObject
           : builtin == LARDER_BUILTIN_FIXED ? spl_ce_SplFixedArray
                                             : spl_ce_SplDoublyLinkedList;
}

static bool layout_find_all(larder_spl_layout *layout, larder_builtin builtin)
{
    zend_class_entry *ce = layout_base(builtin);
    bool list = builtin == LARDER_BUILTIN_LIST;
    zval states[2];
    if (ce->__unserialize == NULL) /* the setting disable_classes disables the class */
        return false;
    uint32_t count = builtin == LARDER_BUILTIN_FIXED ? LAYOUT_MANY : 3;
    layout_state(builtin, count, list ? LAYOUT_FLAGS : 0, states);
    layout_state(builtin, 1, 0, states + 1);
    zend_object *many = list ? layout_make_list(layout, states) : layout_make(ce, states);
    zend_object *one = layout_make(ce, states + 1);
    bool good = many != NULL && one != NULL && many->handlers == one->handlers &&
                many->handlers->offset > 0 && many->handlers->offset % 8 == 0 &&
                many->handlers->offset <= (int)LARDER_SPL_HEAD_MAX;
    if (good) {
        layout->handlers = many->handlers;
        layout->head = (uint32_t)many->handlers->offset;
        good = (list || layout_find_told(layout, builtin, many)) &&
               layout_explains(layout, builtin, many, one);
    }
    if (many != NULL)
        OBJ_RELEASE(many);
    if (one != NULL)
        OBJ_RELEASE(one);
    zval_ptr_dtor(states);
    zval_ptr_dtor(states + 1);
    return good;
}

/* Make the form of a class. Returns NULL if its layout is unusual, or there is no memory. */
static larder_spl_form *layout_form(const larder_spl_layout *layout, larder_builtin builtin,
                                    zend_class_entry *ce)
{
    zval state;
    larder_spl_form *form = NULL;
    layout_state(builtin, 1, 0, &state);
    zend_object *object = layout_make(ce, &state);
    if (object != NULL && object->handlers->offset == layout->handlers->offset)
        form =
            ce->type == ZEND_USER_CLASS ? larder_request_alloc(sizeof *form) : malloc(sizeof *form);
    if (form != NULL) {
        *form = (larder_spl_form){
            .ce = ce, .handlers = object->handlers, .layout = layout, .builtin = builtin};
        memcpy(form->head, layout_start(object), layout->head);
        layout_blank(layout, builtin, form->head);
    }
    if (object != NULL)
        OBJ_RELEASE(object);
    zval_ptr_dtor(&state);
    return form;
}

/* Return true if `said`, the array from __serialize(), has the contents of `state`. */
static bool layout_says(larder_builtin builtin, zval *said, zval *state)
{
    if (builtin == LARDER_BUILTIN_FIXED)
        return zend_is_identical(said, state);
    for (zend_ulong i = 0; i < 2; i++) {
        zval *part = zend_hash_index_find(Z_ARRVAL_P(said), i);
        if (part == NULL || !zend_is_identical(part, zend_hash_index_find(Z_ARRVAL_P(state), i)))
            return false;
    }
    return true;
}

/* Return true if the engine finds the expected contents in an object whose head was copied from a
 * sample. */
static bool layout_works(const larder_spl_layout *layout, larder_builtin builtin)
{
    zend_class_entry *ce = layout_base(builtin);
    larder_spl_form *form = layout_form(layout, builtin, ce);
    if (form == NULL)
        return false;
    zval state, said;
    int flags = builtin == LARDER_BUILTIN_LIST ? LAYOUT_FLAGS & 0xff : 0;
    layout_state(builtin, 3, flags, &state);
    zval *values =
        builtin == LARDER_BUILTIN_FIXED ? &state : zend_hash_index_find(Z_ARRVAL(state), 1);
    zend_object *object = larder_spl_new(form, sizeof *object + zend_object_properties_size(ce));
    object->ce = ce;
    if (builtin == LARDER_BUILTIN_ARRAY)
        Z_ADDREF_P(values);
    larder_spl_put(form, object,
                   builtin == LARDER_BUILTIN_ARRAY ? values : Z_ARRVAL_P(values)->arPacked, 3,
                   flags);
    /* Initialize the header last, because this puts the object into the engine's table. */
    zend_object_std_init(object, ce);
    object->handlers = form->handlers;
    bool good = larder_builtin_call(object, ce->__serialize, NULL, &said);
    if (good) {
        good = layout_says(builtin, &said, &state);
        zval_ptr_dtor(&said);
    }
    OBJ_RELEASE(object);
    zval_ptr_dtor(&state);
    free(form);
    return good;
}

const larder_spl_layout *larder_spl_layout_of(larder_builtin builtin)
{
    if (UNEXPECTED(LARDER_G(spl) == NULL))
        LARDER_G(spl) = calloc(1, sizeof *LARDER_G(spl));
    if (UNEXPECTED(LARDER_G(spl) == NULL))
        return NULL;
    larder_spl_layout *layout = LARDER_G(spl)->layouts + builtin;
    if (UNEXPECTED(!layout->looked) && !EG(exception)) {
        larder_spl_layout found = {.looked = false};
        bool collector = gc_protect(true);
        if (layout_find_all(&found, builtin)) {
            *layout = found;
            layout->known = layout_works(layout, builtin);
        }
        gc_protect(collector);
        layout->looked = true;
    }
    return layout->known ? layout : NULL;
}

const larder_spl_form *larder_spl_form_of(larder_class *class)
{
    if (EXPECTED(class->form != NULL))
        return class->form;
    const larder_spl_layout *layout = larder_spl_layout_of(class->builtin);
    if (layout == NULL)
        return NULL;
    larder_spl_form **forms =
        class->ce->type == ZEND_USER_CLASS ? &LARDER_G(known).forms : &LARDER_G(spl)->forms;
    larder_spl_form *form = *forms;
    while (form != NULL && form->ce != class->ce)
        form = form->next;
    if (form == NULL) {
        bool collector = gc_protect(true);
        form = layout_form(layout, class->builtin, class->ce);
        gc_protect(collector);
        if (form == NULL)
            return NULL;
        form->next = *forms;
        *forms = form;
    }
    return class->form = form;
}

const larder_spl_form *larder_spl_form_find(zend_class_entry *ce)
{
    const larder_spl_form *latest = LARDER_G(known).form_latest;
    if (EXPECTED(latest != NULL) && EXPECTED(latest->ce == ce))
        return latest;
    larder_class *class = larder_class_of(ce);
    const larder_spl_form *form = class != NULL ? larder_spl_form_of(class) : NULL;
    if (form != NULL)
        LARDER_G(known).form_latest = form;
    return form;
}

void larder_spl_end(struct larder_spl *spl)
{
    for (larder_spl_form *form = spl != NULL ? spl->forms : NULL, *next; form != NULL;
         form = next) {
        next = form->next;
        free(form);
    }
    free(spl);
}
