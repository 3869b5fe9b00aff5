/* builtin.h - the table of kinds: objects of PHP's own classes, and of a library's, that are not
 * stored as what their hooks say, and come back the same. Who walks values knows how things lie in
 * a block (larder_node_kind), and asks the table for the rest. */
#ifndef LARDER_BUILTIN_H
#define LARDER_BUILTIN_H

#include "php_larder.h"
#include "format/format.h"
#include "kinds/table.h"

/* The number of a kind; NONE: an object of no such kind. */
#define LARDER_BUILTIN_NUMBER(NAME, name) LARDER_BUILTIN_##NAME,
typedef enum larder_builtin {
    LARDER_BUILTIN_NONE,
    LARDER_OBJECT_KINDS(LARDER_BUILTIN_NUMBER) LARDER_BUILTINS
} larder_builtin;

/* A kind of objects. Its functions run no user code, unless that is said; NULL and 0: there is
 * nothing of the sort. */
typedef struct larder_object_kind {
    larder_node_kind node; /* how its objects lie in a block */
    /* the kind of objects that it does not take; NONE: what __serialize() says */
    larder_builtin otherwise;

    /* Which classes. Subclasses of a class of PHP, as long as their hooks are those of the engine
     * ... */
    bool (*is_base)(const zend_class_entry *base);
    bool (*fits)(const zend_class_entry *ce); /* what else is asked of the class */
    /* ... or any other classes on top of one of PHP, with hooks or instead of them. */
    bool (*is)(zend_class_entry *ce);

    /* Which objects: what the kind asks of one with usual properties. NULL: all. */
    bool (*takes)(zend_object *object);
    /* Names of properties that only the engine's way of listing makes: __serialize() has them,
     * __unserialize() leaves them out. NULL ends them. */
    const char *const *internal;

    /* LARDER_NODE_CONTENT, LARDER_NODE_PERIOD and LARDER_NODE_CARBON: so many bytes, a multiple of
     * 8, and how many slots, the first ones, follow from them and are not stored. */
    uint32_t content, made;
    /* Describe an object that was taken. Writes to memory only. */
    void (*write)(zend_object *object, void *content);
    /* Make a new object be what its __unserialize() would make of it. False: this process
     * cannot. */
    bool (*fill)(zend_object *object, const void *content);

    /* LARDER_NODE_STATE, where there is no __serialize(): what it would say. False: an exception is
     * set. */
    bool (*state)(zend_object *object, zval *state);
    /* The same of __unserialize(). May run user code, and set an exception. */
    void (*restore)(zend_object *object, const zval *state);
    /* True if PHP's serializer would leave out what an object holds. */
    bool (*is_dropped)(zend_object *object);
    /* That, an array, in what state() said; NULL: there is none. */
    zval *(*held)(const zval *state);
    /* Learn what the __serialize() of an object that was not taken has said. */
    void (*told)(zend_object *object, const zval *state);
} larder_object_kind;

#define LARDER_BUILTIN_DECLARE(NAME, name)                                                         \
    extern const larder_object_kind larder_object_kind_##name;
LARDER_OBJECT_KINDS(LARDER_BUILTIN_DECLARE)

/* By number; of NONE, too: all zeros. */
extern const larder_object_kind *const larder_object_kinds[LARDER_BUILTINS];

/* Return the kind of the objects of a class, if its own hooks and properties allow it. */
larder_builtin larder_builtin_of(zend_class_entry *ce);
/* As which kind an object of such a class is stored; LARDER_BUILTIN_NONE: as what its __serialize()
 * says. Runs no user code; may allocate. */
larder_builtin larder_builtin_way(larder_builtin builtin, zend_object *object);
/* True if an object has properties without a slot, except internal ones. */
bool larder_properties_added(larder_builtin builtin, const HashTable *properties);
static zend_always_inline bool larder_has_added(larder_builtin builtin, const zend_object *object)
{
    return UNEXPECTED(object->properties != NULL) &&
           larder_properties_added(builtin, object->properties);
}
/* Call an internal method, fast. False: an exception is set. */
bool larder_builtin_call(zend_object *object, zend_function *method, zval *argument, zval *result);

/* ---- carbon.c: what its __unserialize() is for, called last ---- */
/* True if larder_object_kind_carbon has filled an object. */
bool larder_carbon_is_filled(zend_object *object);
/* As its fill(), in any case, with a call of __unserialize() where need be. May set an
 * exception. */
void larder_carbon_restore(zend_object *object, const larder_date *date);

/* ---- spl.c ---- */
/* The array of a LARDER_NODE_WRAP that was taken. */
zval *larder_spl_array(const zend_object *object);

#endif
