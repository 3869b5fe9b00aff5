/* barrier.h - a write barrier: values lie in memory pages that are read as usual, but the first
 * write to a page is noticed. */
#ifndef LARDER_STATICS_BARRIER_H
#define LARDER_STATICS_BARRIER_H

#include "php_larder.h"

/* A thread that owns pages, and the flags that a write to one of them sets. */
typedef struct larder_barrier {
    /* flag of the engine: call zend_interrupt_function at the next safe point */
    zend_atomic_bool *interrupt;
    volatile sig_atomic_t written; /* a page was written to; the thread clears it */
    struct barrier_group *groups;  /* the pages of the thread, by their purpose */
} larder_barrier;

/* When values are published. Values of one kind share pages, so that they become writable
 * together. */
typedef enum larder_barrier_kind {
    LARDER_BARRIER_NOW,  /* values that are published at each safe point */
    LARDER_BARRIER_SOON, /* published at intervals */
    LARDER_BARRIER_KINDS
} larder_barrier_kind;

/* Install the handler of SIGSEGV in front of the present one. Each request with values calls this,
 * because another handler may have been installed meanwhile. Returns false if there is no memory,
 * or no handler can be installed. */
bool larder_barrier_install(void);
/* Unblock SIGSEGV, so that faults reach the handler. In a thread that blocks it, the first write
 * would end the process. */
void larder_barrier_unblock(void);

/* Take room for a value. The second function takes a page without other values. The third one takes
 * room for a PHP reference: only writes to its value are noticed, not those to its header. The room
 * is writable until larder_barrier_protect(). NULL: no room. */
zval *larder_barrier_value(larder_barrier *barrier, larder_barrier_kind kind);
zval *larder_barrier_value_alone(larder_barrier *barrier);
zend_reference *larder_barrier_reference(larder_barrier *barrier);

/* Return true if the page of a value is writable, so that writes are not noticed: there was a
 * write, or the page was not protected yet. */
bool larder_barrier_open(const zval *value);
/* Return true if there was a write to the page of a value since larder_barrier_forget(), or if a
 * write could not have been noticed. */
bool larder_barrier_wrote(const zval *value);
void larder_barrier_forget(const zval *value);
/* Protect the page of the value again, so that the next write is noticed. */
void larder_barrier_protect(const zval *value);
/* Stop noticing writes to the page of the value until larder_barrier_protect(). */
void larder_barrier_lift_one(const zval *value);
/* Stop noticing writes to all pages of the thread. */
void larder_barrier_lift(larder_barrier *barrier);
/* Make all pages of a thread free for other values. Call this when all values in them have
 * ended. */
void larder_barrier_empty(larder_barrier *barrier);
/* Free all pages of a thread that ends. */
void larder_barrier_end(larder_barrier *barrier);

#endif
