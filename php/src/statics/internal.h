/* internal.h - shared by the files of this folder. Read statics.c first (when what happens), then
 * attach.c (a class comes), fill.c (from the store), publish.c (into the store). */
#ifndef LARDER_STATICS_INTERNAL_H
#define LARDER_STATICS_INTERNAL_H

#include "format/format.h"
#include "statics/clock.h"
#include "zend_attributes.h"

/* One of them, for this request. */
typedef struct larder_static {
    struct larder_static *next;
    zval *live;  /* in a page of the barrier; the value, or a PHP reference to it */
    zval *place; /* in the engine's table: refers to live */
    /* of a variable that the engine has not computed yet; NULL: others */
    zend_reference *reference;
    zend_class_entry *ce;     /* that declares it; NULL: of a function */
    zend_property_info *info; /* NULL: of a method or function */
    zend_attribute *attribute;
    zend_string *label; /* for errors: "Foo::$x", "Foo::bar()::$x" */
    zend_string *key;   /* of its entry */
    zval seen; /* the value that was looked at last, held, so that no change happens in place */
    larder_kind kind;
    uint32_t linked;    /* of larder_statics, when its graph was not to be had; 0: not yet */
    uint32_t tries;     /* how often that was */
    uint64_t ttl_ms;    /* of the attribute, where asked */
    uint64_t published; /* when, by larder_clock_now(); 0: not in this request */
    uint64_t digest[2]; /* of a value whose objects or references are compared, where digested */
    bool asked;         /* the attribute's arguments were read */
    bool tracking;      /* as they say */
    bool waits;         /* a stored value needs user code to be had */
    bool failed; /* the last attempt to publish it, for want of room or time: to be tried again */
    bool filled; /* the store had a value */
    bool told;   /* it was reported */
    bool deep;   /* seen has objects or references in it */
    bool references; /* seen has references in it */
    bool digested;
    bool late;   /* it was not moved when its class was linked */
    bool barred; /* live is in a page of the barrier ... */
    bool alone;  /* ... that has nothing else */
} larder_static;

/* Of a thread. */
struct larder_statics {
    larder_barrier barrier;
    larder_alarm alarm;
    larder_static *first, **last; /* those of this request */
    HashTable classes;            /* those that were taken over, by address */
    uint32_t linked;              /* how many classes were, and one more */
    uint64_t deep;                /* until then no deep stack of calls is looked through */
    bool waits;                   /* some of them do */
    bool busy;                    /* publishing, or filling */
    bool flush;                   /* publish without regard to the interval */
    bool late;                    /* the end of the request was published: publish all at once */
};

/* Errors are thrown only where a frame is there to catch them: pretend. */
typedef struct larder_frame {
    zend_execute_data frame;
    bool pushed;
} larder_frame;
void larder_frame_push(larder_frame *frame);
void larder_frame_pop(larder_frame *frame);

/* ---- statics.c ---- */
/* PHP compiles an attribute of ours in this class; NULL: at a function. */
void larder_statics_saw(zend_string *class);

/* ---- attach.c ---- */
#define LARDER_STATICS_KEY LARDER_RESERVED "s"
/* Take the statics of a class or a function over, and fill them. */
void larder_statics_class(zend_class_entry *ce, zend_string *name);
void larder_statics_function(zend_op_array *function, zend_string *name);
/* Those of classes and functions that opcache has preloaded. */
extern bool larder_statics_none_preloaded;
void larder_statics_preloaded(void) ZEND_COLD;
void larder_statics_attributes(void) ZEND_COLD; /* registers the attributes */
/* Give the values back to the engine, which is going to free them. */
void larder_statics_detach(struct larder_statics *all);

/* Move the value of a property into a page of the barrier, if it is one by now. */
void larder_static_bar(struct larder_statics *all, larder_static *s);
/* Have the next write noticed of a value that has a page to itself. */
void larder_static_guard(const larder_static *s);
/* A stored value comes before the engine has computed a variable: have it in a page of the barrier.
 * From then on the engine takes it for a PHP reference. */
void larder_static_bind(larder_static *s);
/* Compute a default that is a constant expression, so that it can be moved. Runs user code. */
void larder_static_compute(struct larder_statics *all, larder_static *s);

/* ---- fill.c ---- */
/* Have the stored value, if there is one. run: user code may run. */
void larder_static_fill(larder_static *s, bool run);
/* True if the property may have the value, without coercion. Does not throw, because no code may
 * be there to catch it. */
bool larder_static_fits(const larder_static *s, const zval *value);
/* All that wait. */
void larder_statics_fill(struct larder_statics *all);
/* The value, behind references. */
static zend_always_inline zval *larder_static_value(const larder_static *s)
{
    zval *value = s->live;
    ZVAL_DEREF(value);
    return value;
}
/* Remember the value as it is. */
void larder_static_see(larder_static *s);

/* ---- publish.c ---- */
/* Publish what has changed, at a safe point; protect the pages again. */
void larder_statics_safe_point(struct larder_statics *all);
/* Nanoseconds until an instruction that writes, or an exception on its way, is over. */
#define LARDER_STATICS_LATER 50000u
/* At the end of the request. */
void larder_statics_finish(struct larder_statics *all);

/* ---- signals.c ---- */
typedef void (*larder_signals_function)(void *argument);
/* Calls what may call handlers of signals that are PHP code. */
void larder_signals_call(larder_signals_function function, void *argument);
/* True if handlers may only be called where the program says so. */
bool larder_signals_wait(void);
void larder_signals_end_request(void);
/* ready: called when all modules have started. */
void larder_signals_startup(void (*ready)(void)) ZEND_COLD;

/* ---- jit.c ---- */
/* Where opcache's JIT loses variables at an interrupt, have it keep them in memory. When all
 * modules have started. */
void larder_statics_jit(void) ZEND_COLD;

/* ---- digest.c ---- */
/* Of all that would be stored. False: it cannot be told. Runs hooks of objects. */
bool larder_static_digest(zval *value, uint64_t digest[2]);

/* ---- entries.c: statics as entries of a store ---- */
/* larder_statics_delete(), larder_static_entry() are in statics.h */

#endif
