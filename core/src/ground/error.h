/* error.h - what error.c offers. */
#pragma once

#include "ground/private.h"

/* Return the segment's name for messages. */
const char *lrd__segment_label(const lrd_store *store);
/* Fail with LRD_ESYS. The detail consists of `what` and the text of errno. */
int lrd__segment_fail_errno(const lrd_store *store, const char *what);

/* Return the text of an errno, like strerror_r(), for every C library. */
const char *lrd__errno_text(int error, char *buffer, size_t size);

/* Set the detail text. Returns 0. */
int lrd__complain(const char *format, ...) __attribute__((format(printf, 1, 2), noinline, cold));
/* lrd__fail() sets the detail text and returns the code. It is a macro, so that static analyzers
 * see the value of the code. */
static inline int lrd__failed(int code, int complained)
{
    (void)complained;
    return code;
}
#define lrd__fail(code, ...) lrd__failed((code), lrd__complain(__VA_ARGS__))
