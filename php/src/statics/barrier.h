/* barrier.h - a write barrier: notices the first write to a memory page that contains values */
#ifndef LARDER_STATICS_BARRIER_H
#define LARDER_STATICS_BARRIER_H

#include "php_larder.h"

/* The pages that a thread owns, and the flags that are set when one of these pages is written
 * to. */
typedef struct larder_barrier {
    /* a flag of the engine; when it is set, the engine calls zend_interrupt_function at the next
     * safe point */
    zend_atomic_bool *interrupt;
    volatile sig_atomic_t written; /* set by a write to a page; the thread clears it */
    struct barrier_group *groups;  /* the pages of the thread, by kind */
} larder_barrier;

/* The kinds of pages. Values with different times of publication are in different pages, because a
 * page can only be protected as a whole. */
typedef enum larder_barrier_kind {
    LARDER_BARRIER_NOW,  /* values that are published at each safe point */
    LARDER_BARRIER_SOON, /* values that are published at intervals */
    LARDER_BARRIER_KINDS
} larder_barrier_kind;

/* Put Larder's handler of SIGSEGV in front of the current handler. Other code may have installed a
 * handler since the previous call, so call this in each request that has statics. Returns false if
 * the handler cannot be installed. */
bool larder_barrier_install(void);
/* Unblock SIGSEGV. While it is blocked, the first write to a protected page ends the process. */
void larder_barrier_unblock(void);

/* Reserve room for a value in a page of the thread. larder_barrier_value_alone() uses a page that
 * contains no other values. larder_barrier_reference() reserves room for a PHP reference: writes to
 * its value are noticed, but writes to its header are not. The room is writable until
 * larder_barrier_protect(). Returns NULL if there is no room. */
zval *larder_barrier_value(larder_barrier *barrier, larder_barrier_kind kind);
zval *larder_barrier_value_alone(larder_barrier *barrier);
zend_reference *larder_barrier_reference(larder_barrier *barrier);

/* Return true if the page of a value is writable; writes to the page are not noticed then. */
bool larder_barrier_open(const zval *value);
/* Return true if the page of a value was written to, or may have been, since the last call of
 * larder_barrier_forget(). */
bool larder_barrier_wrote(const zval *value);
void larder_barrier_forget(const zval *value);
/* Make the page of the value read-only, so that the next write is noticed. */
void larder_barrier_protect(const zval *value);
/* Make the page of the value writable. Writes are not noticed until larder_barrier_protect(). */
void larder_barrier_lift_one(const zval *value);
/* Make all pages of the thread writable. Writes are not noticed until larder_barrier_protect(). */
void larder_barrier_lift(larder_barrier *barrier);
/* Release all pages of a thread for other values. The old values must not be used any more. */
void larder_barrier_empty(larder_barrier *barrier);
/* Free all pages of a thread. Call this when the thread ends. */
void larder_barrier_end(larder_barrier *barrier);

#endif
