/* error.c - texts of the result codes, and the thread's last complaint. Everybody fails through
 * lrd__fail(); nothing here allocates or locks. */
#include "internal.h"

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
