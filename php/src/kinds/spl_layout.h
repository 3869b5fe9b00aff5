/* spl_layout.h - how objects of ext/spl are laid out in memory. The private fields of such an
 * object, called its head, lie in front of the zend_object. If this PHP has another layout than
 * expected, Larder uses the hooks of the class instead. */
#ifndef LARDER_SPL_LAYOUT_H
#define LARDER_SPL_LAYOUT_H

#include "kinds/classes.h"

#define LARDER_SPL_HEAD_MAX 160u
/* A head is copied in steps of this number of bytes. The last step may overwrite the start of the
 * zend_object, so set the zend_object afterwards. */
#define LARDER_SPL_STEP 32u
_Static_assert(LARDER_SPL_STEP <= offsetof(zend_object, properties_table), "no further than that");

/* Where an object of one of PHP's SPL classes has its parts. Offsets are in bytes, from the start
 * of the allocated memory. At the offsets value_at and more_at are:
 *
 *                                      value_at                      more_at
 *   ArrayObject, ArrayIterator         a zval of the array           unused
 *   SplFixedArray                      address of the elements       their number, a zend_long
 *   SplDoublyLinkedList and the like   address of a larder_spl_list  the list's flags, an int */
typedef struct larder_spl_layout {
    const zend_object_handlers *handlers; /* the handlers of the base class */
    uint32_t head;                        /* the offset of the zend_object */
    uint32_t value_at, more_at;
    bool looked, known;
} larder_spl_layout;

typedef struct larder_spl_element {
    struct larder_spl_element *previous, *next;
    /* `data.u2` has the element's reference count; the list itself owns one reference */
    zval data;
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

/* Return the layout for a kind, valid until the thread ends. Returns NULL if this PHP's layout is
 * not one that spl_layout.c expects. May allocate; runs no user code. */
const larder_spl_layout *larder_spl_layout_of(larder_builtin builtin);
/* Return the form (the pattern for new objects) of a class, valid until the request ends. */
const larder_spl_form *larder_spl_form_of(larder_class *class);
/* Like larder_spl_form_of(), but takes a zend_class_entry. Fast if the previous call was for the
 * same class. */
const larder_spl_form *larder_spl_form_find(zend_class_entry *ce);

/* The next two functions return the address of a field of the object: larder_spl_value() of the
 * field at layout->value_at, and larder_spl_more() of the field at layout->more_at. */
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

/* Make a new empty object, which the caller must complete before the engine sees it. `size` is the
 * size in bytes of the zend_object and its properties. */
static zend_always_inline zend_object *larder_spl_new(const larder_spl_form *form, size_t size)
{
    uint32_t head = form->layout->head;
    char *memory = emalloc(head + size);
    for (uint32_t at = 0; at < head; at += LARDER_SPL_STEP)
        memcpy(memory + at, form->head + at, LARDER_SPL_STEP);
    return (zend_object *)(void *)(memory + head);
}

/* Give a new object its contents: its array, or its `count` elements. The object's class must be
 * set already. The zvals are only copied. Afterwards, the caller must replace the node numbers in
 * them, and count a reference for each value. */
void larder_spl_put(const larder_spl_form *form, zend_object *object, const zval *values,
                    uint32_t count, int flags);

/* A cursor over the elements of a SplFixedArray or a list. Do not change the object while you use
 * the cursor. */
typedef struct larder_spl_cursor {
    const zval *value;                 /* the next element of a SplFixedArray; NULL for a list */
    const larder_spl_element *element; /* the next element of a list; NULL for a SplFixedArray */
    uint32_t left;
    int flags; /* the flags of a list */
} larder_spl_cursor;

larder_spl_cursor larder_spl_open(larder_builtin builtin, const zend_object *object);
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

/* Free `spl` at the end of a thread; it may be NULL. */
void larder_spl_end(struct larder_spl *spl) ZEND_COLD;

#endif
