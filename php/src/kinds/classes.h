/* classes.h - what a request knows about the classes of stored objects: their kind, fingerprint and
 * aliases. */
#ifndef LARDER_CLASSES_H
#define LARDER_CLASSES_H

#include "format/format.h"
#include "kinds/builtin.h"

typedef struct larder_class {
    zend_class_entry *ce;
    /* data that each block with its objects contains: see put/parts.h; NULL: not made yet */
    struct larder_parts *parts;
    /* a hash of the class's layout: stored objects with another fingerprint do not fit any more */
    uint64_t fingerprint;
    zend_function *sleep; /* the method __sleep() of a LARDER_CLASS_SLEEP; else NULL */
    larder_class_kind kind;
    /* the kind (see builtin.h) of a LARDER_CLASS_BUILTIN or LARDER_CLASS_STATE */
    larder_builtin builtin;
    /* how new objects of ext/spl are made: see spl_layout.h; NULL: not known yet, or another
     * class */
    const struct larder_spl_form *form;
    /* the class has only __unserialize(), so an array of its properties is stored */
    bool bare;
    bool resident;      /* objects are immutable, so a worker may keep them: see fetch/resident.c */
    bool names_classes; /* the type of a declared property contains a class name */
    /* a class name in a declared type is an alias, as of the last search in the table of classes */
    bool has_aliases;
    uint32_t looked; /* size of the table of classes when has_aliases was found out */
    /* the number of the class in the last plan (put/plan.h) that used it; only a hint */
    uint32_t number;
} larder_class;

/* PHP's standard handlers, except that dtor_obj keeps an object for reuse when the program drops
 * it: see api/coordination.c. */
extern zend_object_handlers larder_dropped_handlers;
/* Return true if no handler of an object changes how its properties are read. */
static zend_always_inline bool larder_has_plain_handlers(const zend_object *object)
{
    return EXPECTED(object->handlers == zend_get_std_object_handlers()) ||
           object->handlers == &larder_dropped_handlers;
}

/* Return what this request knows about a class. NULL: no memory. Valid until the request ends.
 * Allocates only with malloc(), and calls no function of PHP. */
LARDER_HOT larder_class *larder_class_of(zend_class_entry *ce);

/* Find the aliases in the types of a class. Call this if names_classes is set. A property may
 * contain an object only because a name in its type is an alias (class_alias()) of the object's
 * class. A fetch must find the same alias. `tell` is called for each alias that exists, with the
 * name in the type and the class; it may be called twice for one name. Returns false if there is no
 * memory, or `tell` has returned false. */
typedef bool (*larder_tell_alias)(void *context, const zend_string *name,
                                  const zend_class_entry *ce);
LARDER_HOT bool larder_class_aliases(larder_class *class, larder_tell_alias tell, void *context);
/* Return a hash of a name and its class. It changes if the name becomes an alias of another
 * class. */
uint64_t larder_class_alias_fingerprint(const zend_string *name, const zend_class_entry *ce);

/* Return the class that has this name now; NULL: it is not loaded. */
zend_class_entry *larder_class_loaded(zend_string *lower);
/* Return the class that has this name now. May autoload, so any code may run. NULL: there is none,
 * or an exception is set. Both strings may lie in a store. */
zend_class_entry *larder_class_find(zend_string *name, zend_string *lower);

#endif
