/* classes.h - the classes of stored objects, as a request knows them: kind, fingerprint,
 * aliases. */
#ifndef LARDER_CLASSES_H
#define LARDER_CLASSES_H

#include "format/format.h"
#include "kinds/builtin.h"

typedef struct larder_class {
    zend_class_entry *ce;
    struct larder_parts *parts; /* see put/parts.h; NULL: not made yet */
    /* a hash of its layout: differs if a stored object would not fit any more */
    uint64_t fingerprint;
    zend_function *sleep; /* its __sleep(), of LARDER_CLASS_SLEEP; NULL */
    larder_class_kind kind;
    larder_builtin builtin;             /* of a LARDER_CLASS_BUILTIN or LARDER_CLASS_STATE */
    const struct larder_spl_form *form; /* see spl_layout.h; NULL: not looked for, or none */
    bool bare;                          /* __unserialize() alone: its state is its properties */
    bool resident;                      /* its objects are immutable; see resident.c */
    bool names_classes;                 /* the type of a slot has the name of a class in it */
    bool has_aliases;                   /* one of these is an alias, as far as it was looked */
    uint32_t looked;                    /* number of classes at that time */
    uint32_t number;                    /* a guess: its number in the plan that used it last */
} larder_class;

/* PHP's standard handlers with another dtor_obj, which api/coordination.c sets: for objects that it
 * keeps once the program has dropped them. */
extern zend_object_handlers larder_dropped_handlers;
/* Return true if an object has no handlers that change what it contains. */
static zend_always_inline bool larder_has_plain_handlers(const zend_object *object)
{
    return EXPECTED(object->handlers == zend_get_std_object_handlers()) ||
           object->handlers == &larder_dropped_handlers;
}

/* The class as this request knows it. NULL: no memory. Valid until the request ends. Allocates with
 * malloc only, calls nothing of PHP. */
LARDER_HOT larder_class *larder_class_of(zend_class_entry *ce);

/* Call this if names_classes is set. A slot may hold an object because the name in its type is an
 * alias (class_alias()) of the object's class. A fetch must find the same alias. Call `tell` for
 * each present alias with its name in the type and its class, perhaps twice for one name. False:
 * there is no memory, or `tell` returned false. */
typedef bool (*larder_tell_alias)(void *context, const zend_string *name,
                                  const zend_class_entry *ce);
LARDER_HOT bool larder_class_aliases(larder_class *class, larder_tell_alias tell, void *context);
/* Return a sum that differs if the alias belongs to another class. */
uint64_t larder_class_alias_fingerprint(const zend_string *name, const zend_class_entry *ce);

/* Return the present class; NULL: it is not loaded. */
zend_class_entry *larder_class_loaded(zend_string *lower);
/* Return the present class of this name. May autoload, so any code may run. NULL: there is none, or
 * an exception is set. Both strings may lie in a store. */
zend_class_entry *larder_class_find(zend_string *name, zend_string *lower);

#endif
