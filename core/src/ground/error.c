/* error.c - texts of the result codes, and the thread's last complaint. Everybody fails through
 * lrd__fail(); nothing here allocates or locks. */
#include "ground/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define ERROR_DETAIL_MAX 512

static _Thread_local char error_detail[ERROR_DETAIL_MAX] __attribute__((tls_model("initial-exec")));

#define ERROR_TEXT(name, value, text)                                                              \
    case name:                                                                                     \
        return text;

const char *lrd_strerror(int code)
{
    switch (code) {
        LRD_CODES(ERROR_TEXT)
    default:
        return "unknown code";
    }
}

#undef ERROR_TEXT

#define ERROR_NAME(name, value, text)                                                              \
    case name:                                                                                     \
        return #name;

const char *lrd_error_name(int code)
{
    switch (code) {
        LRD_CODES(ERROR_NAME)
    default:
        return "unknown code";
    }
}

#undef ERROR_NAME

#define ERROR_REFUSAL_NAME(name, word, text)                                                       \
    case name:                                                                                     \
        return word;

const char *lrd_refusal_name(int cause)
{
    switch (cause) {
        LRD_REFUSAL_CAUSES(ERROR_REFUSAL_NAME)
    default:
        return "";
    }
}

#undef ERROR_REFUSAL_NAME

#define ERROR_REFUSAL_TEXT(name, word, text)                                                       \
    case name:                                                                                     \
        return text;

const char *lrd_refusal_text(int cause)
{
    switch (cause) {
        LRD_REFUSAL_CAUSES(ERROR_REFUSAL_TEXT)
    default:
        return "";
    }
}

#undef ERROR_REFUSAL_TEXT

const char *lrd_error_detail(void) { return error_detail; }

int lrd__complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error_detail, sizeof error_detail, format, arguments);
    va_end(arguments);
    return 0;
}

const char *lrd__segment_label(const lrd_store *store)
{
    return store->path != NULL ? store->path : "anonymous segment";
}

int lrd__segment_fail_errno(const lrd_store *store, const char *what)
{
    char reason[64];
    const char *text = strerror_r(errno, reason, sizeof reason);
    return lrd__fail(LRD_ESYS, "%.300s: %s: %s", lrd__segment_label(store), what, text);
}
