/* barrier.h - a write barrier: notices the first write to a memory page */
#ifndef LARDER_STATICS_BARRIER_H
#define LARDER_STATICS_BARRIER_H

#include "php_larder.h"

/* The pages of a thread, and the flags that a write to one of them sets. */
typedef struct larder_barrier {
    /* a flag of the engine, which then calls zend_interrupt_function at the next safe point */
    zend_atomic_bool *interrupt;
    volatile sig_atomic_t written; /* set by a write to a page; the thread clears it */
    struct barrier_group *groups;  /* the pages of the thread, by kind */
} larder_barrier;

/* When the values of a page are published. A page is protected as a whole, so each page has only
 * values of one kind. */
typedef enum larder_barrier_kind {
    LARDER_BARRIER_NOW,  /* published at each safe point */
    LARDER_BARRIER_SOON, /* published at intervals */
    LARDER_BARRIER_KINDS
} larder_barrier_kind;

/* Install Larder's handler of SIGSEGV in front of all others. Call this in each request that has
 * statics, because other code may have installed a handler meanwhile. Returns false on failure. */
bool larder_barrier_install(void);
/* Unblock SIGSEGV in this thread. While SIGSEGV is blocked, the first write to a protected page
 * ends the process. */
void larder_barrier_unblock(void);

/* Reserve room for a value in a page. The page stays writable until larder_barrier_protect().
 * larder_barrier_value_alone() uses a page without other values. larder_barrier_reference()
 * reserves room for a PHP reference; writes to the reference's header are not noticed. Return NULL
 * if there is no room. */
zval *larder_barrier_value(larder_barrier *barrier, larder_barrier_kind kind);
zval *larder_barrier_value_alone(larder_barrier *barrier);
zend_reference *larder_barrier_reference(larder_barrier *barrier);

/* Return true if writes to the page of a value are not noticed. */
bool larder_barrier_open(const zval *value);
/* Return true if the page of a value may have been written to since larder_barrier_forget(). */
bool larder_barrier_wrote(const zval *value);
void larder_barrier_forget(const zval *value);
/* Protect the page of a value, so that the next write to it is noticed. */
void larder_barrier_protect(const zval *value);
/* Make the page of a value writable. Writes to it are not noticed until
 * larder_barrier_protect(). */
void larder_barrier_lift_one(const zval *value);
/* Make all pages of a thread writable. Writes to them are not noticed until
 * larder_barrier_protect(). */
void larder_barrier_lift(larder_barrier *barrier);
/* Release all pages of a thread, so that they can be used for other values. */
void larder_barrier_empty(larder_barrier *barrier);
/* Free all pages of a thread that ends. */
void larder_barrier_end(larder_barrier *barrier);

#endif
