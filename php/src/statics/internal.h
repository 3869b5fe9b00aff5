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
    /* Address of the static's value, or of a PHP reference to the value. If `barred`, the address
     * is in a page of the write barrier (barrier.h). */
    zval *live;
    zval *place; /* the slot in the engine's table, which points to `live` */
    /* The PHP reference that Larder has made for a static variable, to fill the variable before the
     * engine initialises it. NULL for other statics. */
    zend_reference *reference;
    /* the class that declares the static; NULL for a variable of a function */
    zend_class_entry *ce;
    /* NULL for a static variable */
    zend_property_info *info;
    zend_attribute *attribute;
    zend_string *label; /* name in errors: "Foo::$x" or "Foo::bar()::$x" */
    zend_string *key;   /* key of the static's entry in the store */
    /* The static's value at the last comparison. While `seen` shares an array with the static, a
     * write to the static first makes a copy of the array. */
    zval seen;
    larder_kind kind;
    /* value of larder_statics.linked when a class was last missing for this static; 0 for never */
    uint32_t linked;
    /* failures because of a missing class; an exception counts several times */
    uint32_t tries;
    uint64_t ttl_ms; /* time to live (ms) from the attribute; valid if `asked` */
    /* version of the entry from which the value was read, or 0 */
    uint64_t version;
    /* time (larder_clock_now()) of the latest publication in this request, or 0 */
    uint64_t published;
    /* digest of the value, if it contains objects or references; valid if `digested` */
    uint64_t digest[2];
    bool asked;    /* the arguments of the attribute were read */
    bool tracking; /* the arguments select CacheStrategy::Tracking */
    bool waits;    /* the stored value could not be built yet */
    /* true if the last attempt to publish failed; another attempt follows */
    bool failed;
    bool filled;     /* the static got its value from the store */
    bool told;       /* a failure was reported */
    bool deep;       /* `seen` contains objects or PHP references */
    bool references; /* `seen` contains PHP references */
    bool digested;
    /* the value was not in a page of the barrier when its class was linked */
    bool late;
    bool barred; /* `live` is in a page of the barrier */
    bool alone;  /* the page of `live` contains no other value */
} larder_static;

/* The statics of a thread. */
struct larder_statics {
    larder_barrier barrier;
    larder_alarm alarm;
    /* list of this request's statics; `last` points to its end */
    larder_static *first, **last;
    HashTable classes; /* addresses of the classes whose statics Larder has examined */
    /* 1 plus the number of classes that were linked so far */
    uint32_t linked;
    /* earliest time (larder_clock_now()) of the next check of all frames of a deep stack */
    uint64_t deep;
    bool waits; /* a static of this request waits to be filled */
    bool busy;  /* statics are being published or filled */
    bool flush; /* publish now, even if larder.statics_interval has not passed */
    /* The changes were published at the end of the request. Later changes are published at safe
     * points. */
    bool late;
    /* true while a worker ends one of the several requests that it handles in one PHP request */
    bool cuts;
};

/* A stack frame for code that Larder calls while no PHP function runs, so that exceptions can be
 * caught. `pushed` is true if the frame is the current one. */
typedef struct larder_frame {
    zend_execute_data frame;
    bool pushed;
} larder_frame;
void larder_frame_push(larder_frame *frame);
void larder_frame_pop(larder_frame *frame);

/* ---- statics.c ---- */
/* Record that PHP compiles an attribute in `class`, or outside of classes if `class` is NULL. */
void larder_statics_saw(zend_string *class);

/* ---- attach.c ---- */
#define LARDER_STATICS_KEY LARDER_RESERVED "s"
/* Move the statics of a class or a function into pages of the barrier, and give them their stored
 * values. */
void larder_statics_class(zend_class_entry *ce, zend_string *name);
void larder_statics_function(zend_op_array *function, zend_string *name);
/* True if opcache has preloaded no class and no function. */
extern bool larder_statics_none_preloaded;
void larder_statics_preloaded(void) ZEND_COLD;
void larder_statics_attributes(void) ZEND_COLD; /* registers the attributes */
/* Move the values back into the engine's slots, so that the engine frees them. */
void larder_statics_detach(struct larder_statics *all);

/* If the property has a value, move it into a page of the barrier. */
void larder_static_bar(struct larder_statics *all, larder_static *s);
/* Protect the page of a static that is alone in its page. While signals are blocked, this does
 * nothing, because a write to a protected page would end the process. */
void larder_static_guard(const larder_static *s);
/* If the engine has not initialised a static variable yet, make the variable a PHP reference to a
 * value in a page of the barrier. */
void larder_static_bind(larder_static *s);
/* Compute the default of a property, if necessary, and move it into a page of the barrier. Runs
 * user code. */
void larder_static_compute(struct larder_statics *all, larder_static *s);

/* ---- fill.c ---- */
/* Give a static its stored value. If `run` is false, this runs no user code, and the static may
 * have to wait for its value. */
void larder_static_fill(larder_static *s, bool run);
/* Return true if the store may have another version of the value than the static. */
bool larder_static_is_stale(const larder_static *s);
/* Return true if the property's type allows the value without coercion. Never throws. */
bool larder_static_fits(const larder_static *s, const zval *value);
void larder_statics_fill(struct larder_statics *all);
/* Return the value of a static. Follows a PHP reference. */
static zend_always_inline zval *larder_static_value(const larder_static *s)
{
    zval *value = s->live;
    ZVAL_DEREF(value);
    return value;
}
/* Remember the current value in `seen`, for the next comparison. */
void larder_static_see(larder_static *s);

/* ---- publish.c ---- */
/* Publish the changed statics where the engine calls zend_interrupt_function, and protect their
 * pages again. */
void larder_statics_safe_point(struct larder_statics *all);
/* time (ns) until the next attempt to publish, after an unfinished write or an exception */
#define LARDER_STATICS_LATER 50000u
void larder_statics_finish(struct larder_statics *all);

/* ---- signals.c ---- */
typedef void (*larder_signals_function)(void *argument);
/* Call function(argument), which may run signal handlers of PHP, with all pages writable: while
 * pcntl blocks all signals, a write to a protected page would end the process. */
void larder_signals_call(larder_signals_function function, void *argument);
/* Return true if signal handlers may run only where the program asks for them. */
bool larder_signals_wait(void);
void larder_signals_end_request(void) LARDER_HOT;
/* Install the hooks of signals.c. When all modules have started, `ready` is called. */
void larder_signals_startup(void (*ready)(void)) ZEND_COLD;

/* ---- jit.c ---- */
/* Call this when all modules have started. */
void larder_statics_jit(void) ZEND_COLD;

/* ---- digest.c ---- */
/* Digest all bytes that would be stored for the value. Returns false if it is no array or object,
 * or cannot be stored. Runs hooks. */
bool larder_static_digest(zval *value, uint64_t digest[2]);

/* ---- entries.c: statics as entries of a store ---- */
/* Declared in statics.h: larder_statics_delete(), larder_static_entry(). */

#endif
