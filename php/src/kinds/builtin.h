/* builtin.h - the table of kinds. A kind is a group of classes, such as PHP's date classes, whose
 * objects Larder can store without calling __serialize(). */
#ifndef LARDER_BUILTIN_H
#define LARDER_BUILTIN_H

#include "php_larder.h"
#include "format/format.h"
#include "kinds/table.h"

#define LARDER_BUILTIN_NUMBER(NAME, name) LARDER_BUILTIN_##NAME,
typedef enum larder_builtin {
    LARDER_BUILTIN_NONE,
    LARDER_OBJECT_KINDS(LARDER_BUILTIN_NUMBER) LARDER_BUILTINS
} larder_builtin;

/* A kind of objects: all objects of one kind are stored in the same way. Its functions run no user
 * code, except where a comment says so. Unused fields are NULL or 0. */
typedef struct larder_object_kind {
    larder_node_kind node; /* the layout of the kind's objects in a block */
    /* The kind that is used instead of this one, for a class or an object that does not meet this
     * kind's conditions. LARDER_BUILTIN_NONE means that the array from the object's __serialize()
     * is stored. */
    larder_builtin otherwise;

    /* Return true if `base`, a class of PHP itself, belongs to the kind. Subclasses with the same
     * hooks may belong to it, too. */
    bool (*is_base)(const zend_class_entry *base);
    /* a further condition that a class must meet; may be NULL */
    bool (*fits)(const zend_class_entry *ce);
    /* Return true if a class of the program or of another extension belongs to the kind. */
    bool (*is)(zend_class_entry *ce);

    /* a further condition that an object must meet; NULL means that all objects are accepted */
    bool (*takes)(zend_object *object);
    /* Names of properties that the engine adds to an object, such as "timezone". __unserialize()
     * ignores these properties. The last element is NULL. */
    const char *const *internal;

    /* For LARDER_NODE_CONTENT, LARDER_NODE_PERIOD and LARDER_NODE_CARBON. `content` is the size in
     * bytes of an object's content (a multiple of 8). The engine makes the first `made` properties
     * of the object from the content. */
    uint32_t content, made;
    /* Write the content of an object to `content`. Has no other effect. */
    void (*write)(zend_object *object, void *content);
    /* Fill a new object from `content`, as __unserialize() would. Returns false if this process
     * cannot restore the object. */
    bool (*fill)(zend_object *object, const void *content);

    /* For a LARDER_NODE_STATE without __serialize(): make the array that __serialize() would
     * return. Returns false if an exception is set. */
    bool (*state)(zend_object *object, zval *state);
    /* Restore an object from the array of state(). May run user code, and throw. */
    void (*restore)(zend_object *object, const zval *state);
    /* Return true if the object contains values that PHP's serializer would lose. */
    bool (*is_dropped)(zend_object *object);
    /* state() has returned the array `state`. Return the element of `state` whose values PHP's
     * serializer would lose, or NULL if there is no such element. */
    zval *(*held)(const zval *state);
    /* Learn whether takes() may accept other objects of the class. Called after takes() has refused
     * an object, with the result of the object's __serialize(). */
    void (*told)(zend_object *object, const zval *state);
} larder_object_kind;

#define LARDER_BUILTIN_DECLARE(NAME, name)                                                         \
    extern const larder_object_kind larder_object_kind_##name;
LARDER_OBJECT_KINDS(LARDER_BUILTIN_DECLARE)

/* The kinds, by number. The kind LARDER_BUILTIN_NONE is all zeros. */
extern const larder_object_kind *const larder_object_kinds[LARDER_BUILTINS];

/* Return the kind of a class. Returns LARDER_BUILTIN_NONE if the class has no kind, for example
 * because it overrides a hook. */
larder_builtin larder_builtin_of(zend_class_entry *ce);
/* Return the kind as which an object is stored. `builtin` is the kind of the object's class.
 * Returns LARDER_BUILTIN_NONE if the array from the object's __serialize() must be stored instead.
 * Runs no user code; may allocate. */
larder_builtin larder_builtin_way(larder_builtin builtin, zend_object *object);
/* Each kind lists the properties that PHP itself adds to its objects, in its field `internal`.
 * Return true if an object has undeclared properties that are not in this list. */
bool larder_properties_added(larder_builtin builtin, const HashTable *properties);
static zend_always_inline bool larder_has_added(larder_builtin builtin, const zend_object *object)
{
    return UNEXPECTED(object->properties != NULL) &&
           larder_properties_added(builtin, object->properties);
}
/* Call an internal method, faster than the engine does. Returns false if an exception is set. */
bool larder_builtin_call(zend_object *object, zend_function *method, zval *argument, zval *result);
/* Call a PHP method faster than zend_call_function(). `argument` and `result` may be NULL. *result
 * is IS_UNDEF after an exception. */
void larder_user_call(zend_object *object, zend_function *method, zval *argument, zval *result);

/* ---- carbon.c: restores Carbon's dates after all other objects, because it may run hooks ---- */
/* Return true if a Carbon object already has its date. */
bool larder_carbon_is_filled(zend_object *object);
/* Give a Carbon object its stored date, by the kind's `fill` function or else by __unserialize().
 * May throw. */
void larder_carbon_restore(zend_object *object, const larder_date *date);

/* ---- spl.c ---- */
/* Return the array inside an object whose node has the kind LARDER_NODE_WRAP. */
zval *larder_spl_array(const zend_object *object);

#endif
