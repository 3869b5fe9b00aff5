/* classes.h - the classes of stored objects, as a request knows them: kind, fingerprint,
 * aliases. */
#ifndef LARDER_CLASSES_H
#define LARDER_CLASSES_H

#include "format/format.h"
#include "kinds/builtin.h"

typedef struct larder_class {
    zend_class_entry *ce;
    /* parts that are equal in each block: see put/parts.h; NULL: not made yet */
    struct larder_parts *parts;
    /* a hash of the class's layout; it differs if stored objects would not fit any more */
    uint64_t fingerprint;
    zend_function *sleep; /* the method __sleep() of a LARDER_CLASS_SLEEP; else NULL */
    larder_class_kind kind;
    /* __serialize() and the like of a LARDER_CLASS_BUILTIN or LARDER_CLASS_STATE */
    larder_builtin builtin;
    /* the form of objects of ext/spl: see spl_layout.h; NULL: not looked for yet, or none */
    const struct larder_spl_form *form;
    /* the class has only __unserialize(), so the state is its properties */
    bool bare;
    bool resident;      /* objects of the class are immutable; see resident.c */
    bool names_classes; /* the type of a slot contains the name of a class */
    /* one of these names is an alias, as far as the table was searched */
    bool has_aliases;
    uint32_t looked; /* number of classes when the table was searched */
    /* a hint: the class's number in the plan that used it last */
    uint32_t number;
} larder_class;

/* PHP's standard handlers, but with the dtor_obj of api/coordination.c, which keeps dropped
 * objects for reuse. */
extern zend_object_handlers larder_dropped_handlers;
/* Return true if an object has no handlers that change what it contains. */
static zend_always_inline bool larder_has_plain_handlers(const zend_object *object)
{
    return EXPECTED(object->handlers == zend_get_std_object_handlers()) ||
           object->handlers == &larder_dropped_handlers;
}

/* Return the knowledge of this request about a class. NULL: no memory. Valid until the request
 * ends. Allocates only by malloc(), and calls no function of PHP. */
LARDER_HOT larder_class *larder_class_of(zend_class_entry *ce);

/* Find the aliases in the types of a class. Call this if names_classes is set. A slot may hold
 * an object because the name in its type is an alias (class_alias()) of the object's class. A
 * fetch must find the same alias. Call `tell` for each present alias with its name in the type
 * and its class, perhaps twice for one name. Returns false if there is no memory, or `tell`
 * returned false. */
typedef bool (*larder_tell_alias)(void *context, const zend_string *name,
                                  const zend_class_entry *ce);
LARDER_HOT bool larder_class_aliases(larder_class *class, larder_tell_alias tell, void *context);
/* Return a hash that changes if the alias belongs to another class. */
uint64_t larder_class_alias_fingerprint(const zend_string *name, const zend_class_entry *ce);

/* Return the class that the name now stands for; NULL: it is not loaded. */
zend_class_entry *larder_class_loaded(zend_string *lower);
/* Return the class that this name now stands for. May autoload, so any code may run. NULL: there
 * is none, or an exception is set. Both strings may lie in a store. */
zend_class_entry *larder_class_find(zend_string *name, zend_string *lower);

#endif
