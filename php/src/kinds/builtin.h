/* builtin.h - the table of kinds. A kind is a group of PHP's own classes, such as dates, whose
 * objects are stored without the answers of __serialize(). The library Carbon has a kind, too.
 * larder_node_kind tells how their objects lie in a block; the functions in the table know the
 * rest. */
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

/* A kind. Its functions run no user code, unless a comment says so. A field that a kind does not
 * need is NULL or 0. */
typedef struct larder_object_kind {
    larder_node_kind node; /* how objects of the kind lie in a block */
    /* the kind to try if this one does not accept an object; NONE: store the result of its
     * __serialize() */
    larder_builtin otherwise;

    /* Return true if this class of PHP belongs to the kind. Subclasses with the engine's own hooks
     * then belong to the kind, too. */
    bool (*is_base)(const zend_class_entry *base);
    bool (*fits)(const zend_class_entry *ce); /* a further condition for a class; NULL: none */
    /* Return true if a class that is not PHP's own belongs to the kind, even if it has hooks. */
    bool (*is)(zend_class_entry *ce);

    /* a further condition for an object; NULL: all objects are accepted */
    bool (*takes)(zend_object *object);
    /* Names of properties that only the engine's list of properties has, up to a NULL.
     * __serialize() returns them, and __unserialize() ignores them. */
    const char *const *internal;

    /* For LARDER_NODE_CONTENT, LARDER_NODE_PERIOD and LARDER_NODE_CARBON. content: size of the
     * content in bytes, a multiple of 8. made: how many of the first slots the engine makes from
     * the content; these are not stored. */
    uint32_t content, made;
    /* Write the content of an object. Writes to memory only. */
    void (*write)(zend_object *object, void *content);
    /* Fill a new object from its content, as its __unserialize() would. Returns false if this
     * process cannot restore the object. */
    bool (*fill)(zend_object *object, const void *content);

    /* For LARDER_NODE_STATE without __serialize(): make the array that such a hook would return.
     * Returns false if an exception is set. */
    bool (*state)(zend_object *object, zval *state);
    /* Restore an object from the array of state(), as an __unserialize() would. May run user code,
     * and throw. */
    void (*restore)(zend_object *object, const zval *state);
    /* Return true if the object contains values that PHP's serializer would lose. */
    bool (*is_dropped)(zend_object *object);
    /* Find the values that PHP's serializer would lose, in the array that state() has made; NULL:
     * there are none. */
    zval *(*held)(const zval *state);
    /* Inspect the result of __serialize() of an object that this kind did not accept. Later objects
     * may then be accepted. */
    void (*told)(zend_object *object, const zval *state);
} larder_object_kind;

#define LARDER_BUILTIN_DECLARE(NAME, name)                                                         \
    extern const larder_object_kind larder_object_kind_##name;
LARDER_OBJECT_KINDS(LARDER_BUILTIN_DECLARE)

/* The table, by the number of the kind. The entry of LARDER_BUILTIN_NONE is all zeros. */
extern const larder_object_kind *const larder_object_kinds[LARDER_BUILTINS];

/* Return the kind of a class, if its hooks and properties allow it. */
larder_builtin larder_builtin_of(zend_class_entry *ce);
/* Return the kind by which an object is stored; builtin: the kind of its class.
 * LARDER_BUILTIN_NONE: store the result of its __serialize(). Runs no user code; may allocate. */
larder_builtin larder_builtin_way(larder_builtin builtin, zend_object *object);
/* Return true if an object has properties that its class does not declare, not counting internal
 * ones. */
bool larder_properties_added(larder_builtin builtin, const HashTable *properties);
static zend_always_inline bool larder_has_added(larder_builtin builtin, const zend_object *object)
{
    return UNEXPECTED(object->properties != NULL) &&
           larder_properties_added(builtin, object->properties);
}
/* Call an internal method faster than the engine's general call. Returns false if an exception is
 * set. */
bool larder_builtin_call(zend_object *object, zend_function *method, zval *argument, zval *result);
/* Call a method that is written in PHP: like zend_call_function(), but without the checks that only
 * other functions need. argument, result: may be NULL. After an exception *result is undefined. */
void larder_user_call(zend_object *object, zend_function *method, zval *argument, zval *result);

/* ---- carbon.c: restores objects that may need Carbon's hooks, when all other objects are complete
 * ---- */
/* Return true if the fill() of this kind has filled the object. */
bool larder_carbon_is_filled(zend_object *object);
/* Restore an object from its date. Calls __unserialize() if fill() fails. May throw. */
void larder_carbon_restore(zend_object *object, const larder_date *date);

/* ---- spl.c ---- */
/* Return the inner array of an object of LARDER_NODE_WRAP. */
zval *larder_spl_array(const zend_object *object);

#endif
