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
    /* The zval of the static: its value, or a PHP reference to the value. If `barred`, this zval is
     * in a page of the write barrier (barrier.h). */
    zval *live;
    zval *place; /* the slot in the engine's table, which points to `live` */
    /* The engine initialises some static variables only when the program first reaches their
     * declaration. If Larder fills such a variable earlier, the variable becomes this PHP
     * reference. NULL for other statics. */
    zend_reference *reference;
    /* the class that declares the static, or NULL for a static variable of a function */
    zend_class_entry *ce;
    /* the property, or NULL if the static is a variable of a method or function */
    zend_property_info *info;
    zend_attribute *attribute;
    zend_string *label; /* name in errors: "Foo::$x" or "Foo::bar()::$x" */
    zend_string *key;   /* key of the static's entry in the store */
    /* The value at the last comparison. The static and this field share an array or a string. So
     * PHP never changes the array or string in place: a write to the static makes a copy. */
    zval seen;
    larder_kind kind;
    /* The value of larder_statics.linked at the latest failure to fill the static because a class
     * was missing; 0 if there was no such failure. */
    uint32_t linked;
    /* Number of times that Larder failed to fill the static because a class was missing. A failure
     * with an exception is counted as several failures. */
    uint32_t tries;
    uint64_t ttl_ms; /* time to live (ms) from the attribute; valid if `asked` */
    /* version of the entry from which the value was read; 0 if the value was not read from an
     * entry, or if the entry's version is unknown */
    uint64_t version;
    /* time (larder_clock_now()) at which the static was last published in this request, or 0 */
    uint64_t published;
    /* Digest of a value with objects or references. If the value changes, the digest changes. Valid
     * if `digested`. */
    uint64_t digest[2];
    bool asked;    /* true if the arguments of the attribute were read */
    bool tracking; /* true if the arguments select CacheStrategy::Tracking */
    bool waits; /* true if the stored value could not be built, but a later attempt may succeed */
    /* true if the last attempt to publish failed, for example because the store was full; another
     * attempt follows */
    bool failed;
    bool filled;     /* true if the static got its value from the store */
    bool told;       /* true if a failure was reported */
    bool deep;       /* true if `seen` contains objects or PHP references */
    bool references; /* true if `seen` contains PHP references */
    bool digested;
    /* true if the value was not yet in a page of the barrier when its class was linked */
    bool late;
    bool barred; /* true if `live` is in a page of the barrier */
    bool alone;  /* true if the page of `live` contains no other value */
} larder_static;

/* The statics of a thread. */
struct larder_statics {
    larder_barrier barrier;
    larder_alarm alarm;
    /* list of the statics of this request; `last` points to its end */
    larder_static *first, **last;
    HashTable classes; /* set of the addresses of the classes that were taken over */
    /* 1 plus the number of classes that were linked so far. A failed attempt to fill a static
     * copies this number to larder_static.linked. */
    uint32_t linked;
    /* The earliest time (larder_clock_now()) of the next check of all frames of a deep stack. Such
     * a check is expensive. */
    uint64_t deep;
    bool waits; /* true if a static of this request waits to be filled */
    bool busy;  /* true while statics are being published or filled */
    bool flush; /* true to publish now, even if larder.statics_interval has not passed */
    /* True after the changes were published at the end of the request. Each later change is
     * published at the next safe point. */
    bool late;
    /* A worker may handle several requests in one PHP request. This is true while one of these
     * requests is ending, and the PHP request goes on. */
    bool cuts;
};

/* A stack frame for code that Larder calls while no PHP function runs. Without a frame, an
 * exception could not be caught. `pushed` is true if the frame has become the current one. */
typedef struct larder_frame {
    zend_execute_data frame;
    bool pushed;
} larder_frame;
void larder_frame_push(larder_frame *frame);
void larder_frame_pop(larder_frame *frame);

/* ---- statics.c ---- */
/* Record that PHP compiles one of Larder's attributes in `class`. NULL stands for code outside of
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
/* Move the values of the statics back into the engine's own slots, so that the engine frees these
 * values at the end of the request. */
void larder_statics_detach(struct larder_statics *all);

/* If a property has a value now, move the value into a page of the barrier. */
void larder_static_bar(struct larder_statics *all, larder_static *s);
/* If the static is alone in its page, protect the page. Does nothing while signals are blocked,
 * because a write to a protected page would then end the process. */
void larder_static_guard(const larder_static *s);
/* If the engine has not computed the initial value of a static variable yet, make the variable a
 * PHP reference to a value in a page of the barrier. Does nothing for other statics. */
void larder_static_bind(larder_static *s);
/* Compute the default of a property if it is a constant expression, and move it into a page of the
 * barrier. Runs user code. */
void larder_static_compute(struct larder_statics *all, larder_static *s);

/* ---- fill.c ---- */
/* Give a static its stored value, if the store has one. User code may run only if `run` is true. */
void larder_static_fill(larder_static *s, bool run);
/* Return true if the store has another version of the value than the static. Also returns true if
 * one of the two versions is unknown. */
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
/* Publish the changed statics at a safe point (a call of zend_interrupt_function by the engine),
 * and protect their pages again. */
void larder_statics_safe_point(struct larder_statics *all);
/* If an unfinished write or an exception prevents publishing, the next attempt is made after this
 * time (ns). */
#define LARDER_STATICS_LATER 50000u
/* Publish the changed statics at the end of the request. */
void larder_statics_finish(struct larder_statics *all);

/* ---- signals.c ---- */
typedef void (*larder_signals_function)(void *argument);
/* Call function(argument), which may run signal handlers written in PHP. pcntl blocks all signals
 * while it runs handlers, and a write to a protected page would then end the process. So all pages
 * are writable during the call. */
void larder_signals_call(larder_signals_function function, void *argument);
/* Return true if pcntl_async_signals() is off. Signal handlers may then run only where the program
 * asks for them. */
bool larder_signals_wait(void);
void larder_signals_end_request(void) LARDER_HOT;
/* Install the hooks of signals.c. `ready` is called when all modules have started. */
void larder_signals_startup(void (*ready)(void)) ZEND_COLD;

/* ---- jit.c ---- */
/* Make opcache's JIT keep variables in memory. Call this when all modules have started. */
void larder_statics_jit(void) ZEND_COLD;

/* ---- digest.c ---- */
/* Compute a digest of all bytes that would be stored for the value. Returns false if the value is
 * no array or object, or cannot be stored. Runs hooks. */
bool larder_static_digest(zval *value, uint64_t digest[2]);

/* ---- entries.c: statics as entries of a store ---- */
/* Declared in statics.h: larder_statics_delete(), larder_static_entry(). */

#endif
