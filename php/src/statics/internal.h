/* internal.h - shared by the files of this folder. A static is a static property or variable that
 * outlives requests. Read statics.c first (the order of events), then attach.c (a class is linked),
 * fill.c (from the store), publish.c (into the store). */
#ifndef LARDER_STATICS_INTERNAL_H
#define LARDER_STATICS_INTERNAL_H

#include "format/format.h"
#include "statics/clock.h"
#include "zend_attributes.h"

/* A static, for this request. */
typedef struct larder_static {
    struct larder_static *next;
    /* the value in a page of the write barrier (barrier.h), or a PHP reference to it */
    zval *live;
    zval *place; /* the slot in the engine's table; it refers to `live` */
    /* the PHP reference for a variable whose initial value the engine has not computed yet; else\n
     * * NULL */
    zend_reference *reference;
    zend_class_entry *ce; /* the class that declares the static; NULL: a function does */
    /* the property; NULL: the static is a variable of a method or function */
    zend_property_info *info;
    zend_attribute *attribute;
    zend_string *label; /* name in errors: "Foo::$x" or "Foo::bar()::$x" */
    zend_string *key;   /* key of the static's entry in the store */
    /* the value when it was last compared. Its reference count is raised, so that a change makes a
     * new array or string. */
    zval seen;
    larder_kind kind;
    /* larder_statics.linked when the stored value last lacked a class; 0: this did not happen */
    uint32_t linked;
    uint32_t tries;   /* how often the stored value lacked a class */
    uint64_t ttl_ms;  /* time to live in the attribute; valid if `asked` */
    uint64_t version; /* version of the entry whose value the static has; 0: none, or unknown */
    /* larder_clock_now() when the static was last published; 0: not in this request */
    uint64_t published;
    /* digest of a value with objects or references, by which changes are found; valid if
     * `digested` */
    uint64_t digest[2];
    bool asked;      /* the arguments of the attribute were read */
    bool tracking;   /* the arguments select tracking */
    bool waits;      /* the stored value is still missing: user code must run to rebuild it */
    bool failed;     /* the last attempt to publish failed for lack of room or time, so try again */
    bool filled;     /* the store had a value */
    bool told;       /* a failure was reported */
    bool deep;       /* `seen` contains objects or references */
    bool references; /* `seen` contains references */
    bool digested;
    bool late;   /* its value was not moved into a page when its class was linked */
    bool barred; /* `live` is in a page of the barrier */
    bool alone;  /* the page of `live` contains no other value */
} larder_static;

/* The statics of a thread. */
struct larder_statics {
    larder_barrier barrier;
    larder_alarm alarm;
    larder_static *first, **last; /* the statics of this request; `last` is the end of the list */
    HashTable classes;            /* set of the classes that were taken over, by address */
    uint32_t linked;              /* number of classes that were linked, plus one */
    /* larder_clock_now() before which a deep stack of calls is not searched again */
    uint64_t deep;
    bool waits; /* a static of this request waits to be filled */
    bool busy;  /* publishing, or filling */
    bool flush; /* publish now, even if larder.statics_interval has not passed */
    /* changes at the end of the request were published; publish later ones at once */
    bool late;
    bool cuts; /* a request of a worker ends, but the PHP program goes on */
};

/* A stack frame for work that is done while no PHP function runs. Without a frame, PHP cannot throw
 * an exception that could be caught. pushed: this frame was made the current one, because there was
 * none. */
typedef struct larder_frame {
    zend_execute_data frame;
    bool pushed;
} larder_frame;
void larder_frame_push(larder_frame *frame);
void larder_frame_pop(larder_frame *frame);

/* ---- statics.c ---- */
/* Record that PHP compiles one of Larder's attributes in this class. NULL: in a function. */
void larder_statics_saw(zend_string *class);

/* ---- attach.c ---- */
#define LARDER_STATICS_KEY LARDER_RESERVED "s"
/* Take over the statics of a class or a function: move them into pages of the barrier, and give
 * them their stored values. */
void larder_statics_class(zend_class_entry *ce, zend_string *name);
void larder_statics_function(zend_op_array *function, zend_string *name);
/* True if no class or function that opcache has preloaded has statics. */
extern bool larder_statics_none_preloaded;
void larder_statics_preloaded(void) ZEND_COLD;
void larder_statics_attributes(void) ZEND_COLD; /* registers the attributes */
/* Give the values back to the engine, which then frees them. */
void larder_statics_detach(struct larder_statics *all);

/* Move a property's value into a page of the barrier, if it has a value now. */
void larder_static_bar(struct larder_statics *all, larder_static *s);
/* Protect the page of the value if no other value lies in it, so that the next write is noticed. */
void larder_static_guard(const larder_static *s);
/* Put a stored value into a page of the barrier, for a variable that the engine has not computed
 * yet. The engine then uses it as a PHP reference. */
void larder_static_bind(larder_static *s);
/* Compute a default that is a constant expression, so that it can be moved. Runs user code. */
void larder_static_compute(struct larder_statics *all, larder_static *s);

/* ---- fill.c ---- */
/* Give a static its stored value, if there is one. run: user code may run. */
void larder_static_fill(larder_static *s, bool run);
/* Return true if the store has another value now than the one that the static got. */
bool larder_static_is_stale(const larder_static *s);
/* Return true if the type of the property allows the value, without coercion. Throws nothing,
 * because there may be no code that can catch it. */
bool larder_static_fits(const larder_static *s, const zval *value);
/* Fill all statics whose stored value is still missing. */
void larder_statics_fill(struct larder_statics *all);
/* Return the value of a static, behind any PHP references. */
static zend_always_inline zval *larder_static_value(const larder_static *s)
{
    zval *value = s->live;
    ZVAL_DEREF(value);
    return value;
}
/* Remember the present value, for the next comparison. */
void larder_static_see(larder_static *s);

/* ---- publish.c ---- */
/* Publish the changes at a safe point, and protect the pages again. A safe point is where the
 * engine calls zend_interrupt_function. */
void larder_statics_safe_point(struct larder_statics *all);
/* Time in nanoseconds until the next attempt, if an unfinished write or an exception prevents
 * publishing. */
#define LARDER_STATICS_LATER 50000u
/* Publish the changes at the end of the request. */
void larder_statics_finish(struct larder_statics *all);

/* ---- signals.c ---- */
typedef void (*larder_signals_function)(void *argument);
/* Call a function that may run signal handlers written in PHP. */
void larder_signals_call(larder_signals_function function, void *argument);
/* Return true if signal handlers may run only where the program asks for that. */
bool larder_signals_wait(void);
void larder_signals_end_request(void) LARDER_HOT;
/* Install what signals.c needs. ready: called when all modules have started. */
void larder_signals_startup(void (*ready)(void)) ZEND_COLD;

/* ---- jit.c ---- */
/* Work around a fault of opcache's JIT: it may lose variables in registers at an interrupt, so keep
 * them in memory. Call this when all modules have started. */
void larder_statics_jit(void) ZEND_COLD;

/* ---- digest.c ---- */
/* Compute a digest of all bytes that would be stored for the value. Returns false if that is
 * impossible. Runs hooks of objects. */
bool larder_static_digest(zval *value, uint64_t digest[2]);

/* ---- entries.c: statics as entries of a store ---- */
/* larder_statics_delete(), larder_static_entry() are in statics.h */

#endif
