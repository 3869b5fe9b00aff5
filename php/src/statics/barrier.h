/* barrier.h - a write barrier: values in pages that are read like all others, and in which the
 * first write is noticed. */
#ifndef LARDER_STATICS_BARRIER_H
#define LARDER_STATICS_BARRIER_H

#include "php_larder.h"

/* The thread that owns pages, and the flags that a write to one of them sets. */
typedef struct larder_barrier {
    /* the engine's flag: call zend_interrupt_function at the next safe point */
    zend_atomic_bool *interrupt;
    volatile sig_atomic_t written; /* a page was written to; the thread clears it */
    struct barrier_group *groups;  /* number of its pages, by their purpose */
} larder_barrier;

/* A group of values that share pages, so that they become writable together. */
typedef enum larder_barrier_kind {
    LARDER_BARRIER_NOW,  /* values that are published at each safe point */
    LARDER_BARRIER_SOON, /* published at intervals */
    LARDER_BARRIER_KINDS
} larder_barrier_kind;

/* Install the handler of SIGSEGV in front of the current one. Each request with values calls
 * this, because another handler may have been installed since. Returns false without memory, or
 * if no handler can be installed. */
bool larder_barrier_install(void);
/* Unblock SIGSEGV, so that faults reach the handler: in a thread that blocks it, the first write
 * would end the process. */
void larder_barrier_unblock(void);

/* Take room for a value / for a value with a page of its own / for a PHP reference whose header
 * can be written to without notice. The room is writable until larder_barrier_protect(). NULL:
 * no room. */
zval *larder_barrier_value(larder_barrier *barrier, larder_barrier_kind kind);
zval *larder_barrier_value_alone(larder_barrier *barrier);
zend_reference *larder_barrier_reference(larder_barrier *barrier);

/* True if the page of a value can be written to without notice: it was written to, or was never
 * protected. */
bool larder_barrier_open(const zval *value);
/* True if a write to the page of a value was noticed since larder_barrier_forget(), or would not
 * have been. */
bool larder_barrier_wrote(const zval *value);
void larder_barrier_forget(const zval *value);
/* Protect the page of the value again, so that the next write is noticed. */
void larder_barrier_protect(const zval *value);
/* Stop noticing writes to the page of the value until larder_barrier_protect(). */
void larder_barrier_lift_one(const zval *value);
/* Stop noticing writes to all pages of the thread. */
void larder_barrier_lift(larder_barrier *barrier);
/* Make all pages of a thread free for other values. All values in them have ended. */
void larder_barrier_empty(larder_barrier *barrier);
/* Free all pages of a thread at its end. */
void larder_barrier_end(larder_barrier *barrier);

#endif
