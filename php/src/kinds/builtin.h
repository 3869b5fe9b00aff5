/* builtin.h - the table of kinds. A kind is a group of classes, for example PHP's date classes, or
 * the classes of the library Carbon. If possible, Larder stores their objects without calling
 * __serialize(). larder_node_kind says how the objects are laid out in a block. */
#ifndef LARDER_BUILTIN_H
#define LARDER_BUILTIN_H

#include "php_larder.h"
#include "format/format.h"
#include "kinds/table.h"

/* The number of a kind. LARDER_BUILTIN_NONE means that a class or object belongs to no kind. */
#define LARDER_BUILTIN_NUMBER(NAME, name) LARDER_BUILTIN_##NAME,
typedef enum larder_builtin {
    LARDER_BUILTIN_NONE,
    LARDER_OBJECT_KINDS(LARDER_BUILTIN_NUMBER) LARDER_BUILTINS
} larder_builtin;

/* A kind. Its functions run no user code, except where a comment says so. Unused fields are NULL or
 * 0. */
typedef struct larder_object_kind {
    larder_node_kind node; /* the layout of the kind's objects in a block */
    /* the kind that is used instead if a class or an object does not meet this kind's conditions;
     * LARDER_BUILTIN_NONE means that the array from the object's __serialize() is stored */
    larder_builtin otherwise;

    /* Return true if `base`, a class of PHP itself, belongs to the kind. A subclass of `base` with
     * the same hooks may then belong to the kind, too. */
    bool (*is_base)(const zend_class_entry *base);
    /* a further condition that a class must meet; may be NULL */
    bool (*fits)(const zend_class_entry *ce);
    /* Return true if a class of the program or of another extension belongs to the kind. */
    bool (*is)(zend_class_entry *ce);

    /* a further condition that an object must meet; NULL means that all objects are accepted */
    bool (*takes)(zend_object *object);
    /* Names of properties that the engine adds to an object although no class declares them, such
     * as "timezone". The last element is NULL. __unserialize() ignores these properties. */
    const char *const *internal;

    /* `content` is the size in bytes of an object's content, a multiple of 8. The engine makes the
     * first `made` properties of an object from the content. Only LARDER_NODE_CONTENT,
     * LARDER_NODE_PERIOD and LARDER_NODE_CARBON use these two fields. */
    uint32_t content, made;
    /* Write the content of an object to `content`. Has no other effect. */
    void (*write)(zend_object *object, void *content);
    /* Fill a new object from `content`, as the object's __unserialize() would. Returns false if
     * this process cannot restore the object. */
    bool (*fill)(zend_object *object, const void *content);

    /* For a kind without __serialize() whose objects are stored as a LARDER_NODE_STATE: make the
     * array that __serialize() would return. Returns false if an exception is set. */
    bool (*state)(zend_object *object, zval *state);
    /* Restore an object from the array that state() made, as __unserialize() would. May run user
     * code, and throw. */
    void (*restore)(zend_object *object, const zval *state);
    /* Return true if the object contains values that PHP's serializer would lose. */
    bool (*is_dropped)(zend_object *object);
    /* `state` is the array from state(). Return its element with the values that PHP's serializer
     * would lose, or NULL if there are none. */
    zval *(*held)(const zval *state);
    /* Called after takes() has refused an object; `state` is the result of its __serialize(). Learn
     * from `state` whether takes() may accept other objects of the class. */
    void (*told)(zend_object *object, const zval *state);
} larder_object_kind;

#define LARDER_BUILTIN_DECLARE(NAME, name)                                                         \
    extern const larder_object_kind larder_object_kind_##name;
LARDER_OBJECT_KINDS(LARDER_BUILTIN_DECLARE)

/* The kinds, by number. The kind LARDER_BUILTIN_NONE is all zeros. */
extern const larder_object_kind *const larder_object_kinds[LARDER_BUILTINS];

/* Return the kind of a class, or LARDER_BUILTIN_NONE if the class belongs to no kind. For example,
 * a subclass of ArrayObject may belong to no kind because it overrides a hook. */
larder_builtin larder_builtin_of(zend_class_entry *ce);
/* Choose the kind by which an object is stored. It may differ from `builtin`, the kind of the
 * object's class. If the result is LARDER_BUILTIN_NONE, store the array from the object's
 * __serialize(). Runs no user code; may allocate. */
larder_builtin larder_builtin_way(larder_builtin builtin, zend_object *object);
/* Return true if an object has undeclared properties that are not in the list `internal` of its
 * kind. */
bool larder_properties_added(larder_builtin builtin, const HashTable *properties);
static zend_always_inline bool larder_has_added(larder_builtin builtin, const zend_object *object)
{
    return UNEXPECTED(object->properties != NULL) &&
           larder_properties_added(builtin, object->properties);
}
/* Call an internal method, faster than the engine's general call does. Returns false if an
 * exception is set. */
bool larder_builtin_call(zend_object *object, zend_function *method, zval *argument, zval *result);
/* Call a method that is written in PHP, faster than zend_call_function(). `argument` and `result`
 * may be NULL. If the method throws, *result becomes IS_UNDEF. */
void larder_user_call(zend_object *object, zend_function *method, zval *argument, zval *result);

/* ---- carbon.c: restores Carbon's dates. This may run their hooks, so it happens after all other
 * objects are restored. ---- */
/* Return true if a Carbon object already has its date. */
bool larder_carbon_is_filled(zend_object *object);
/* Give a Carbon object the date that was stored. Tries the `fill` function of the kind first; if it
 * fails, calls the object's __unserialize(). May throw. */
void larder_carbon_restore(zend_object *object, const larder_date *date);

/* ---- spl.c ---- */
/* Return the array inside an object whose node has the kind LARDER_NODE_WRAP. */
zval *larder_spl_array(const zend_object *object);

#endif
