/* internal.h - shared by the files of this folder. Read statics.c first (the order of events), then
 * attach.c (a class comes), fill.c (from the store), publish.c (into the store). */
#ifndef LARDER_STATICS_INTERNAL_H
#define LARDER_STATICS_INTERNAL_H

#include "format/format.h"
#include "statics/clock.h"
#include "zend_attributes.h"

/* A static, for this request. */
typedef struct larder_static {
    struct larder_static *next;
    zval *live;  /* the value in a page of the barrier, or a PHP reference to it */
    zval *place; /* the slot in the engine's table, which refers to `live` */
    /* for a variable that the engine has not computed yet, its reference; else NULL */
    zend_reference *reference;
    zend_class_entry *ce; /* the class that declares it; NULL: a function declares it */
    /* the property's name; NULL: it is a variable of a method or function */
    zend_property_info *info;
    zend_attribute *attribute;
    zend_string *label; /* its name in errors: "Foo::$x", "Foo::bar()::$x" */
    zend_string *key;   /* the key of its entry */
    /* the value at the last look; it is held, so that no change happens in place */
    zval seen;
    larder_kind kind;
    /* value of larder_statics.linked when its graph was not available; 0: not yet */
    uint32_t linked;
    uint32_t tries;   /* number of times that its graph was not available */
    uint64_t ttl_ms;  /* the time to live of the attribute, if it was read */
    uint64_t version; /* version of the entry that gave the value; 0: none, or unknown */
    /* time by larder_clock_now() of the last publication; 0: none in this request */
    uint64_t published;
    /* digest of a value whose objects or references are compared, if digested */
    uint64_t digest[2];
    bool asked;      /* the attribute's arguments were read */
    bool tracking;   /* the arguments select tracking */
    bool waits;      /* it has a stored value that only user code can rebuild */
    bool failed;     /* the last attempt to publish it failed for lack of room or time: try again */
    bool filled;     /* the store had a value */
    bool told;       /* a failure was reported */
    bool deep;       /* `seen` contains objects or references */
    bool references; /* `seen` contains references */
    bool digested;
    bool late;   /* its slot was not moved when its class was linked */
    bool barred; /* `live` is in a page of the barrier */
    bool alone;  /* this page contains no other value */
} larder_static;

/* The statics of a thread. */
struct larder_statics {
    larder_barrier barrier;
    larder_alarm alarm;
    larder_static *first, **last; /* the statics of this request */
    HashTable classes;            /* the classes that were taken over, by address */
    uint32_t linked;              /* number of classes that were linked, plus one */
    uint64_t deep;                /* a deep stack of calls is not searched before this time */
    bool waits;                   /* a static of this request waits to be filled */
    bool busy;                    /* publishing, or filling */
    bool flush;                   /* publish now, regardless of the interval */
    /* the changes at the end of the request were published, so publish later ones at once */
    bool late;
    bool cuts; /* a request of a worker ends, and the program goes on */
};

/* A frame for work that is done while no frame is current. Without one, PHP cannot throw an
 * exception that could be caught. pushed: no frame was current, so this one was made so. */
typedef struct larder_frame {
    zend_execute_data frame;
    bool pushed;
} larder_frame;
void larder_frame_push(larder_frame *frame);
void larder_frame_pop(larder_frame *frame);

/* ---- statics.c ---- */
/* Note that PHP compiles one of Larder's attributes in this class; NULL: at a function. */
void larder_statics_saw(zend_string *class);

/* ---- attach.c ---- */
#define LARDER_STATICS_KEY LARDER_RESERVED "s"
/* Take over the statics of a class or a function, and fill them. */
void larder_statics_class(zend_class_entry *ce, zend_string *name);
void larder_statics_function(zend_op_array *function, zend_string *name);
/* Return true if the classes and functions that opcache has preloaded have no statics. */
extern bool larder_statics_none_preloaded;
void larder_statics_preloaded(void) ZEND_COLD;
void larder_statics_attributes(void) ZEND_COLD; /* registers the attributes */
/* Give the values back to the engine, which is going to free them. */
void larder_statics_detach(struct larder_statics *all);

/* Move the value of a property into a page of the barrier, if it has a value by now. */
void larder_static_bar(struct larder_statics *all, larder_static *s);
/* Protect a value that has a page of its own, so that the next write is noticed. */
void larder_static_guard(const larder_static *s);
/* Put a stored value into a page of the barrier before the engine has computed the variable.
 * From then on the engine takes it for a PHP reference. */
void larder_static_bind(larder_static *s);
/* Compute a default that is a constant expression, so that it can be moved. Runs user code. */
void larder_static_compute(struct larder_statics *all, larder_static *s);

/* ---- fill.c ---- */
/* Fill a static with the stored value, if there is one. run: user code may run. */
void larder_static_fill(larder_static *s, bool run);
/* Return true if the store has another value than the one that last filled the static. */
bool larder_static_is_stale(const larder_static *s);
/* Return true if the property may have the value, without coercion. Does not throw, because no code
 * may exist to catch it. */
bool larder_static_fits(const larder_static *s, const zval *value);
/* Fill all statics that wait. */
void larder_statics_fill(struct larder_statics *all);
/* Return the value itself, behind any references. */
static zend_always_inline zval *larder_static_value(const larder_static *s)
{
    zval *value = s->live;
    ZVAL_DEREF(value);
    return value;
}
/* Remember the value as it is now. */
void larder_static_see(larder_static *s);

/* ---- publish.c ---- */
/* Publish the changes at a safe point, and protect the pages again. */
void larder_statics_safe_point(struct larder_statics *all);
/* Return the nanoseconds to wait until an instruction that writes, or a pending exception, should
 * be over. */
#define LARDER_STATICS_LATER 50000u
/* Publish the changes at the end of the request. */
void larder_statics_finish(struct larder_statics *all);

/* ---- signals.c ---- */
typedef void (*larder_signals_function)(void *argument);
/* Call a function that may call signal handlers written in PHP. */
void larder_signals_call(larder_signals_function function, void *argument);
/* Return true if handlers may be called only where the program asks for it. */
bool larder_signals_wait(void);
void larder_signals_end_request(void);
/* Start up / called when all modules have started. */
void larder_signals_startup(void (*ready)(void)) ZEND_COLD;

/* ---- jit.c ---- */
/* Make opcache's JIT keep variables in memory if it loses them at an interrupt. Call it when all
 * modules have started. */
void larder_statics_jit(void) ZEND_COLD;

/* ---- digest.c ---- */
/* Compute the digest of all bytes that would be stored. Returns false if that is impossible. Runs
 * hooks of objects. */
bool larder_static_digest(zval *value, uint64_t digest[2]);

/* ---- entries.c: statics as entries of a store ---- */
/* larder_statics_delete(), larder_static_entry() are in statics.h */

#endif
