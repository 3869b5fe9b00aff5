/* classes.h - what a request knows of the classes of stored objects. */
#ifndef LARDER_CLASSES_H
#define LARDER_CLASSES_H

#include "builtin.h"

typedef enum larder_class_kind {
    LARDER_CLASS_OTHER,   /* its objects go through PHP's serializer */
    LARDER_CLASS_PLAIN,   /* an object is its property slots, and properties added to it */
    LARDER_CLASS_SLEEP,   /* the same, with __sleep() or __wakeup() */
    LARDER_CLASS_STATE,   /* an object is what __serialize() says */
    LARDER_CLASS_BUILTIN, /* an object is its content and its slots, or what __serialize() says */
    LARDER_CLASS_ENUM     /* an object is one of the cases */
} larder_class_kind;

typedef struct larder_class {
    zend_class_entry *ce;
    zend_ulong lower_hash; /* see larder_class_lower_hash(); 0: not known yet */
    uint64_t fingerprint;  /* of its layout: differs where a stored object would not fit any more */
    zend_function *sleep;  /* its __sleep(), of LARDER_CLASS_SLEEP; NULL */
    larder_class_kind kind;
    larder_builtin builtin;             /* of a LARDER_CLASS_BUILTIN */
    const struct larder_spl_form *form; /* see spl_layout.h; NULL: not looked for, or none */
    bool carbon;                        /* a LARDER_CLASS_STATE that carbon.c may know */
    bool resident;                      /* nobody can change its objects; see resident.c */
    uint32_t number;                    /* in the plan that used it last, perhaps */
} larder_class;

/* What this request knows of a class. NULL: no memory. Valid until the request ends. Allocates with malloc
 * only, calls nothing of PHP. */
larder_class *larder_class_of(zend_class_entry *ce);

/* PHP's hash of its name in lower case; 0: no memory. */
zend_ulong larder_class_lower_hash(larder_class *class);

/* The class as it is now; NULL: it is not loaded. */
zend_class_entry *larder_class_loaded(zend_string *lower);
/* The class of this name as it is now; may autoload, so anything may happen. NULL: there is none, or an
 * exception is set. Both strings may lie in a store. */
zend_class_entry *larder_class_find(zend_string *name, zend_string *lower);

#endif
