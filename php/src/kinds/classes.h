/* classes.h - facts that a request knows about the classes of stored objects: kind, fingerprint and
 * aliases. */
#ifndef LARDER_CLASSES_H
#define LARDER_CLASSES_H

#include "format/format.h"
#include "kinds/builtin.h"

typedef struct larder_class {
    zend_class_entry *ce;
    /* data that each block with objects of the class contains (see put/parts.h); NULL before its
     * first use */
    struct larder_parts *parts;
    /* hash of the class's layout; objects with another fingerprint cannot be restored */
    uint64_t fingerprint;
    zend_function *sleep; /* the method __sleep() of a LARDER_CLASS_SLEEP, or NULL */
    larder_class_kind kind;
    /* the kind (see builtin.h) of a LARDER_CLASS_BUILTIN or LARDER_CLASS_STATE */
    larder_builtin builtin;
    /* The pattern for new objects, if this is a class of ext/spl (see spl_layout.h). NULL before
     * its first use. */
    const struct larder_spl_form *form;
    /* true if the class has __unserialize() but no __serialize(); then an array of the object's
     * properties is stored */
    bool bare;
    /* true if objects are immutable, so a worker may keep them (see fetch/resident.c) */
    bool resident;
    bool names_classes; /* true if the type of a property contains a class name */
    bool has_aliases;   /* true if the latest search found an alias in a declared type */
    /* hint: the latest object of the class, with its parts, was too large for put/few.c */
    bool large;
    uint32_t looked; /* size of EG(class_table) at the latest search for aliases */
    /* hint: the number of the class in the latest plan that contains it (see put/plan.h) */
    uint32_t number;
} larder_class;

/* The handlers of Throttle objects. They differ from the standard handlers only in dtor_obj, which
 * keeps a freed Throttle object for reuse (see api/coordination.c). */
extern zend_object_handlers larder_dropped_handlers;
/* Return true if no handler interferes when the properties of an object are read directly. */
static zend_always_inline bool larder_has_plain_handlers(const zend_object *object)
{
    return EXPECTED(object->handlers == zend_get_std_object_handlers()) ||
           object->handlers == &larder_dropped_handlers;
}

LARDER_HOT larder_class *larder_class_look(zend_class_entry *ce);
/* Return what this request knows about a class, or NULL. Valid until the request ends. Allocates
 * only with malloc(), and calls no PHP function. */
static zend_always_inline larder_class *larder_class_of(zend_class_entry *ce)
{
    larder_class *latest = LARDER_G(known).class_latest;
    return EXPECTED(latest != NULL) && EXPECTED(latest->ce == ce) ? latest : larder_class_look(ce);
}

/* Call `tell` for each alias (see class_alias()) in the types of a class's properties. An alias
 * that several properties name is reported several times. Returns false if there is no memory, or
 * if `tell` has returned false. If class->names_classes is true, the caller must store the aliases
 * with the objects: a fetch must fail if an alias names another class. */
typedef bool (*larder_tell_alias)(void *context, const zend_string *name,
                                  const zend_class_entry *ce);
LARDER_HOT bool larder_class_aliases(larder_class *class, larder_tell_alias tell, void *context);
/* Return a hash of an alias and the class that it stands for. */
uint64_t larder_class_alias_fingerprint(const zend_string *name, const zend_class_entry *ce);

/* Return the loaded class with the name `lower` (in lower case), or NULL. */
zend_class_entry *larder_class_loaded(zend_string *lower);
/* Return the class that has this name now. Returns NULL if there is none, or if an exception is
 * set. May autoload, so any code may run. `lower` is the name in lower case. `name` and `lower` may
 * be read-only. */
zend_class_entry *larder_class_find(zend_string *name, zend_string *lower);

#endif
