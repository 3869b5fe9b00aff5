/* spl_layout.h - the memory layout of objects of ext/spl. Their structures are private and lie in
 * front of the zend_object, so offsets are learned from objects that the engine makes. A class with
 * unexpected objects uses its hooks. */
#ifndef LARDER_SPL_LAYOUT_H
#define LARDER_SPL_LAYOUT_H

#include "kinds/classes.h"

#define LARDER_SPL_HEAD_MAX 160u
/* Bytes that are copied at a time; the last ones may lie in the zend_object, which is written
 * afterwards. */
#define LARDER_SPL_STEP 32u
_Static_assert(LARDER_SPL_STEP <= offsetof(zend_object, properties_table), "no further than that");

/* The layout of one of three: ArrayObject and ArrayIterator; SplFixedArray; SplDoublyLinkedList
 * and the classes that the engine derives from it. Places are offsets in bytes from the start of
 * the memory:
 *
 *                                      value_at                      more_at
 *   ArrayObject, ArrayIterator         a zval of the array           unused
 *   SplFixedArray                      address of the elements       their number, a zend_long
 *   SplDoublyLinkedList and the like   address of a larder_spl_list  the list's flags, an int
 */
typedef struct larder_spl_layout {
    const zend_object_handlers *handlers; /* the handlers of the base class */
    uint32_t head;                        /* the offset of the zend_object */
    uint32_t value_at, more_at;
    bool looked, known;
} larder_spl_layout;

typedef struct larder_spl_element {
    struct larder_spl_element *previous, *next;
    zval data; /* its u2 counts the pointers to this element, including the list's */
} larder_spl_element;

typedef struct larder_spl_list {
    larder_spl_element *first, *last;
    int count;
} larder_spl_list;

/* The pattern from which new objects of a class are copied. */
typedef struct larder_spl_form {
    struct larder_spl_form *next;
    zend_class_entry *ce;
    const zend_object_handlers *handlers;
    const larder_spl_layout *layout;
    larder_builtin builtin;
    char head[LARDER_SPL_HEAD_MAX + LARDER_SPL_STEP]; /* a head without contents */
} larder_spl_form;

/* Return the layout of a kind; NULL if its objects are not as expected. May allocate; runs no user
 * code. Valid as long as the thread. */
const larder_spl_layout *larder_spl_layout_of(larder_builtin builtin);
/* Return the form of a class; valid until the request ends. */
const larder_spl_form *larder_spl_form_of(larder_class *class);
/* Find a form by its class, fast if it is the form that was found last. */
const larder_spl_form *larder_spl_form_find(zend_class_entry *ce);

/* Return the parts of an object at the places that a layout names. */
static zend_always_inline void *larder_spl_value(const larder_spl_layout *layout,
                                                 const zend_object *object)
{
    return (char *)object - layout->head + layout->value_at;
}
static zend_always_inline void *larder_spl_more(const larder_spl_layout *layout,
                                                const zend_object *object)
{
    return (char *)object - layout->head + layout->more_at;
}

/* Make a new object, empty and without its slots. Complete it before the engine sees it. size:
 * the bytes of the zend_object and its slots. */
static zend_always_inline zend_object *larder_spl_new(const larder_spl_form *form, size_t size)
{
    uint32_t head = form->layout->head;
    char *memory = emalloc(head + size);
    for (uint32_t at = 0; at < head; at += LARDER_SPL_STEP)
        memcpy(memory + at, form->head + at, LARDER_SPL_STEP);
    return (zend_object *)(void *)(memory + head);
}

/* Give an object its array, or `count` elements, which are copied unchanged and completed later.
 * The class of the object is set already. */
void larder_spl_put(const larder_spl_form *form, zend_object *object, const zval *values,
                    uint32_t count, int flags);

/* A cursor over the elements of a SplFixedArray or a list whose layout is known, while it does not
 * change. */
typedef struct larder_spl_cursor {
    const zval *value;                 /* the next element of an array */
    const larder_spl_element *element; /* the next element of a list */
    uint32_t left;
    int flags; /* the flags of a list */
} larder_spl_cursor;

larder_spl_cursor larder_spl_open(larder_builtin builtin, const zend_object *object);
/* Return the next element; NULL at the end. */
static zend_always_inline const zval *larder_spl_next(larder_spl_cursor *cursor)
{
    const larder_spl_element *element = cursor->element;
    if (cursor->left == 0)
        return NULL;
    cursor->left--;
    if (element == NULL)
        return cursor->value++;
    cursor->element = element->next;
    return &element->data;
}

/* Called at the end of a thread; NULL: do nothing. */
void larder_spl_end(struct larder_spl *spl) ZEND_COLD;

#endif
