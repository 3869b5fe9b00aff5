/* builtin.h - the table of kinds: objects of PHP's own classes, and of the library Carbon, that
 * can be restored without storing the answers of their hooks. Code that walks values knows how
 * the objects lie in a block (larder_node_kind), and asks the table for the rest. */
#ifndef LARDER_BUILTIN_H
#define LARDER_BUILTIN_H

#include "php_larder.h"
#include "format/format.h"
#include "kinds/table.h"

/* The number of a kind; NONE: the object belongs to no kind. */
#define LARDER_BUILTIN_NUMBER(NAME, name) LARDER_BUILTIN_##NAME,
typedef enum larder_builtin {
    LARDER_BUILTIN_NONE,
    LARDER_OBJECT_KINDS(LARDER_BUILTIN_NUMBER) LARDER_BUILTINS
} larder_builtin;

/* A kind of objects. Its functions run no user code, except where a comment says so. A field
 * that is NULL or 0 does not apply to the kind. */
typedef struct larder_object_kind {
    larder_node_kind node; /* how objects of the kind lie in a block */
    /* the kind to try for an object that this one does not accept; NONE: store what its
     * __serialize() returns */
    larder_builtin otherwise;

    /* Return true if subclasses of this class of PHP belong to the kind, as long as their hooks are
     * those of the engine. */
    bool (*is_base)(const zend_class_entry *base);
    bool (*fits)(const zend_class_entry *ce); /* a further condition for the class, or NULL */
    /* Return true if another class on top of one of PHP belongs to the kind, with or without hooks
     * of its own. */
    bool (*is)(zend_class_entry *ce);

    /* the condition for an object with usual properties. NULL: the kind accepts all */
    bool (*takes)(zend_object *object);
    /* Names of properties that exist only in the engine's list of properties: __serialize() returns
     * them, and __unserialize() ignores them. NULL ends the list. */
    const char *const *internal;

    /* For LARDER_NODE_CONTENT, LARDER_NODE_PERIOD and LARDER_NODE_CARBON. content: the bytes of the
     * content, a multiple of 8. made: the number of leading slots that follow from the content and
     * are not stored. */
    uint32_t content, made;
    /* Write the content of an object. Writes to memory only. */
    void (*write)(zend_object *object, void *content);
    /* Fill a new object from the content, as its __unserialize() would. Returns false if this
     * process cannot. */
    bool (*fill)(zend_object *object, const void *content);

    /* For LARDER_NODE_STATE without __serialize(): return the state that it would return.
     * Returns false if an exception is set. */
    bool (*state)(zend_object *object, zval *state);
    /* Restore an object from this state, as __unserialize() would. May run user code, and set an
     * exception. */
    void (*restore)(zend_object *object, const zval *state);
    /* Return true if PHP's serializer would leave out the values that an object holds. */
    bool (*is_dropped)(zend_object *object);
    /* Return the array of these values in the answer of state(); NULL if there is none. */
    zval *(*held)(const zval *state);
    /* Learn from the answer of the __serialize() of an object that this kind did not accept. */
    void (*told)(zend_object *object, const zval *state);
} larder_object_kind;

#define LARDER_BUILTIN_DECLARE(NAME, name)                                                         \
    extern const larder_object_kind larder_object_kind_##name;
LARDER_OBJECT_KINDS(LARDER_BUILTIN_DECLARE)

/* The kinds by number; the one for NONE is all zeros. */
extern const larder_object_kind *const larder_object_kinds[LARDER_BUILTINS];

/* Return the kind of the objects of a class, if its own hooks and properties allow it. */
larder_builtin larder_builtin_of(zend_class_entry *ce);
/* Return the kind by which an object is stored, if its class has this kind; LARDER_BUILTIN_NONE:
 * it is stored as what its __serialize() returns. Runs no user code; may allocate. */
larder_builtin larder_builtin_way(larder_builtin builtin, zend_object *object);
/* True if an object has properties without a slot, except internal ones. */
bool larder_properties_added(larder_builtin builtin, const HashTable *properties);
static zend_always_inline bool larder_has_added(larder_builtin builtin, const zend_object *object)
{
    return UNEXPECTED(object->properties != NULL) &&
           larder_properties_added(builtin, object->properties);
}
/* Call an internal method without the engine's general call. Returns false if an exception is
 * set. */
bool larder_builtin_call(zend_object *object, zend_function *method, zval *argument, zval *result);

/* ---- carbon.c: the restoring that may need Carbon's hooks, called last ---- */
/* Return true if larder_object_kind_carbon has filled an object. */
bool larder_carbon_is_filled(zend_object *object);
/* Restore an object like fill() of the kind, but always: calls __unserialize() if necessary. May
 * set an exception. */
void larder_carbon_restore(zend_object *object, const larder_date *date);

/* ---- spl.c ---- */
/* Return the inner array of an object of LARDER_NODE_WRAP. */
zval *larder_spl_array(const zend_object *object);

#endif
