/* internal.h - shared by the files of this folder. A static is a static property or variable that
 * outlives requests. Read statics.c first, then attach.c, fill.c and publish.c. */
#ifndef LARDER_STATICS_INTERNAL_H
#define LARDER_STATICS_INTERNAL_H

#include "format/format.h"
#include "statics/clock.h"
#include "zend_attributes.h"

/* A static of this request. */
typedef struct larder_static {
    struct larder_static *next;
    /* The zval of the static: its value, or a PHP reference to the value. In a page of the write
     * barrier (barrier.h) if `barred`. */
    zval *live;
    zval *place; /* the slot in the engine's table, which points to `live` */
    /* A static variable that Larder fills before the engine initialises it becomes this PHP
     * reference. NULL for other statics. */
    zend_reference *reference;
    /* the class that declares the static, or NULL for a static variable of a function */
    zend_class_entry *ce;
    /* the property, or NULL for a static variable */
    zend_property_info *info;
    zend_attribute *attribute;
    zend_string *label; /* name in errors: "Foo::$x" or "Foo::bar()::$x" */
    zend_string *key;   /* key of the static's entry in the store */
    /* The value at the last comparison. It shares an array or a string with the static, so a write
     * to the static makes a copy. */
    zval seen;
    larder_kind kind;
    /* larder_statics.linked at the latest failure to fill the static because a class was missing,
     * or 0 */
    uint32_t linked;
    /* Number of failures to fill the static because a class was missing. An exception counts
     * several times. */
    uint32_t tries;
    uint64_t ttl_ms; /* time to live (ms) from the attribute; valid if `asked` */
    /* version of the entry from which the value was read; 0 if there is none, or if it is
     * unknown */
    uint64_t version;
    /* time (larder_clock_now()) at which the static was last published in this request, or 0 */
    uint64_t published;
    /* Digest of a value with objects or references. Valid if `digested`. */
    uint64_t digest[2];
    bool asked;    /* the arguments of the attribute were read */
    bool tracking; /* the arguments select CacheStrategy::Tracking */
    bool waits;    /* the stored value could not be built, but a later attempt may succeed */
    /* the last attempt to publish failed, for example because the store was full; another one
     * follows */
    bool failed;
    bool filled;     /* the static got its value from the store */
    bool told;       /* a failure was reported */
    bool deep;       /* `seen` contains objects or PHP references */
    bool references; /* `seen` contains PHP references */
    bool digested;
    /* the value was not yet in a page of the barrier when its class was linked */
    bool late;
    bool barred; /* `live` is in a page of the barrier */
    bool alone;  /* the page of `live` contains no other value */
} larder_static;

/* The statics of a thread. */
struct larder_statics {
    larder_barrier barrier;
    larder_alarm alarm;
    /* list of the statics of this request; `last` points to its end */
    larder_static *first, **last;
    HashTable classes; /* set of the addresses of the classes that were taken over */
    /* 1 plus the number of classes that were linked so far */
    uint32_t linked;
    /* Earliest time (larder_clock_now()) of the next expensive check of all frames of a deep
     * stack. */
    uint64_t deep;
    bool waits; /* a static of this request waits to be filled */
    bool busy;  /* statics are being published or filled */
    bool flush; /* publish now, even if larder.statics_interval has not passed */
    /* The changes were published at the end of the request. Each later change is published at the
     * next safe point. */
    bool late;
    /* one of several requests that a worker handles in one PHP request is ending */
    bool cuts;
};

/* A stack frame for code that Larder calls while no PHP function runs: without one, an exception
 * could not be caught. `pushed` is true if it has become the current frame. */
typedef struct larder_frame {
    zend_execute_data frame;
    bool pushed;
} larder_frame;
void larder_frame_push(larder_frame *frame);
void larder_frame_pop(larder_frame *frame);

/* ---- statics.c ---- */
/* Record that PHP compiles one of Larder's attributes in `class`, or, if NULL, outside of
 * classes. */
void larder_statics_saw(zend_string *class);

/* ---- attach.c ---- */
#define LARDER_STATICS_KEY LARDER_RESERVED "s"
/* Take over the statics of a class or a function: move their values into pages of the barrier, and
 * fill them from the store. */
void larder_statics_class(zend_class_entry *ce, zend_string *name);
void larder_statics_function(zend_op_array *function, zend_string *name);
/* True if opcache has preloaded no class and no function. */
extern bool larder_statics_none_preloaded;
void larder_statics_preloaded(void) ZEND_COLD;
void larder_statics_attributes(void) ZEND_COLD; /* registers the attributes */
/* Move the values of the statics back into the engine's slots, so that the engine frees them at the
 * end of the request. */
void larder_statics_detach(struct larder_statics *all);

/* If a property has a value now, move the value into a page of the barrier. */
void larder_static_bar(struct larder_statics *all, larder_static *s);
/* Protect the page of a static that is alone in it, unless signals are blocked: a write would then
 * end the process. */
void larder_static_guard(const larder_static *s);
/* Make a static variable whose initial value was not computed yet a PHP reference to a value in a
 * page of the barrier. */
void larder_static_bind(larder_static *s);
/* Compute the default of a property if it is a constant expression, and move it into a page of the
 * barrier. Runs user code. */
void larder_static_compute(struct larder_statics *all, larder_static *s);

/* ---- fill.c ---- */
/* Give a static its stored value, if the store has one. User code may run only if `run` is true. */
void larder_static_fill(larder_static *s, bool run);
/* Return true if the store may have another version of the value than the static. */
bool larder_static_is_stale(const larder_static *s);
/* Return true if the type of the property allows the value without coercion. Never throws. */
bool larder_static_fits(const larder_static *s, const zval *value);
/* Fill all statics that wait for their stored values. */
void larder_statics_fill(struct larder_statics *all);
/* Return the value of a static. PHP references are followed. */
static zend_always_inline zval *larder_static_value(const larder_static *s)
{
    zval *value = s->live;
    ZVAL_DEREF(value);
    return value;
}
/* Remember the current value in `seen`, for the next comparison. */
void larder_static_see(larder_static *s);

/* ---- publish.c ---- */
/* Publish the changed statics at a safe point, where the engine calls zend_interrupt_function, and
 * protect their pages again. */
void larder_statics_safe_point(struct larder_statics *all);
/* Time (ns) until the next attempt, if an unfinished write or an exception prevents publishing. */
#define LARDER_STATICS_LATER 50000u
/* Publish the changed statics at the end of the request. */
void larder_statics_finish(struct larder_statics *all);

/* ---- signals.c ---- */
typedef void (*larder_signals_function)(void *argument);
/* Call function(argument), which may run signal handlers written in PHP, with all pages writable.
 * pcntl blocks all signals meanwhile, and a write to a protected page would end the process. */
void larder_signals_call(larder_signals_function function, void *argument);
/* Return true if pcntl_async_signals() is off: signal handlers may then run only where the program
 * asks for them. */
bool larder_signals_wait(void);
void larder_signals_end_request(void) LARDER_HOT;
/* Install the hooks of signals.c. `ready` is called when all modules have started. */
void larder_signals_startup(void (*ready)(void)) ZEND_COLD;

/* ---- jit.c ---- */
/* Make opcache's JIT keep variables in memory. Call this when all modules have started. */
void larder_statics_jit(void) ZEND_COLD;

/* ---- digest.c ---- */
/* Compute a digest of all bytes that would be stored for the value. Returns false if it is no array
 * or object, or cannot be stored. Runs hooks. */
bool larder_static_digest(zval *value, uint64_t digest[2]);

/* ---- entries.c: statics as entries of a store ---- */
/* Declared in statics.h: larder_statics_delete(), larder_static_entry(). */

#endif
