/* error.h - what error.c offers. */
#pragma once

#include "ground/private.h"

const char *lrd__segment_label(const lrd_store *store);
/* Fail with LRD_ESYS. The detail consists of `what` and the text of errno. */
int lrd__segment_fail_errno(const lrd_store *store, const char *what);

/* Return the text for an errno, with glibc's and with POSIX's strerror_r(). */
const char *lrd__errno_text(int error, char *buffer, size_t size);

/* Write a size in MiB, or in KiB below 1 MiB. lrd__size_text() rounds down, lrd__need_text() up.
 * Both return the buffer. */
const char *lrd__size_text(uint64_t bytes, char *buffer, size_t size);
const char *lrd__need_text(uint64_t bytes, char *buffer, size_t size);

/* Set the detail of the thread's last failure. Returns 0. */
int lrd__complain(const char *format, ...) __attribute__((format(printf, 1, 2), noinline, cold));
/* lrd__fail(), below, sets the detail of the thread's last failure and returns `code`. It is a
 * macro, so that static analyzers see which code is returned. */
static inline int lrd__failed(int code, int complained)
{
    (void)complained;
    return code;
}
#define lrd__fail(code, ...) lrd__failed((code), lrd__complain(__VA_ARGS__))
static inline int lrd__key_check(size_t key_len)
{
    return key_len - 1 < LRD_KEY_MAX ? LRD_OK : lrd__fail(LRD_EKEY, "key_len is %zu", key_len);
}
