/* error.c - the texts of the result codes, and the detail of the thread's last failure. Nothing
 * here allocates or locks. */
#include "ground/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ERROR_DETAIL_MAX 512

static _Thread_local char error_detail[ERROR_DETAIL_MAX] LRD__TLS_STATIC;

const char *lrd__errno_text(int error, char *buffer, size_t size)
{
#ifdef __GLIBC__
    return strerror_r(error, buffer, size);
#else
    return strerror_r(error, buffer, size) == 0 ? buffer : "unknown error";
#endif
}

static const char *size_write(uint64_t bytes, bool up, char *buffer, size_t size)
{
    bool large = bytes >= 1u << 20;
    uint64_t unit = large ? 1u << 20 : 1u << 10;
    unsigned long long units = bytes / unit + (up && bytes % unit != 0);
    snprintf(buffer, size, "%llu %s", units, large ? "MiB" : "KiB");
    return buffer;
}

const char *lrd__size_text(uint64_t bytes, char *buffer, size_t size)
{
    return size_write(bytes, false, buffer, size);
}

const char *lrd__need_text(uint64_t bytes, char *buffer, size_t size)
{
    return size_write(bytes, true, buffer, size);
}

#define ERROR_TEXT(name, second, text)                                                             \
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

const char *lrd_copy_name(int cause)
{
    static const char *const names[LRD_COPY_CAUSES] = {"memory", "time", "number"};
    return cause >= 0 && cause < (int)LRD_COPY_CAUSES ? names[cause] : "";
}

const char *lrd_refusal_text(int cause)
{
    switch (cause) {
        LRD_REFUSAL_CAUSES(ERROR_TEXT)
    default:
        return "";
    }
}

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
    const char *text = lrd__errno_text(errno, reason, sizeof reason);
    return lrd__fail(LRD_ESYS, "%.300s: %s: %s", lrd__segment_label(store), what, text);
}

/* ---- controls and assertions ---- */

#ifdef LRD_CONTROLS
bool lrd__control_ignore_ledger, lrd__control_hand_out_first, lrd__control_no_barrier,
    lrd__control_clear_first, lrd__control_mark_first, lrd__control_no_zone, lrd__control_no_evict,
    lrd__control_publish_first, lrd__control_forget_owner, lrd__control_claim_free_only,
    lrd__control_stamp_late, lrd__control_fill_late, lrd__control_any_form, lrd__control_count_torn,
    lrd__control_no_flux, lrd__control_no_recovery, lrd__control_scan_first, lrd__control_no_gap;
#endif

#ifdef LRD_ASSERTIONS
/* maximum number of locks that a thread holds at a time, over all stores */
#define ASSERT_LOCKS 4u

static _Thread_local struct {
    const lrd_store *store[ASSERT_LOCKS];
    uint32_t shard[ASSERT_LOCKS];
    const lrd_store *alone;
} assert_has;

void lrd__assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
    abort();
}

/* Return the index of this lock in assert_has. If `store` is NULL, returns the index of a free
 * element. Returns ASSERT_LOCKS if there is none. */
static uint32_t assert_find(const lrd_store *store, uint32_t shard)
{
    uint32_t i = 0;
    while (i < ASSERT_LOCKS &&
           (assert_has.store[i] != store || (store != NULL && assert_has.shard[i] != shard)))
        i++;
    return i;
}

void lrd__assert_take(const lrd_store *store, uint32_t shard)
{
    uint32_t i = assert_find(NULL, 0);
    lrd__assert(shard < store->geo.shards);
    lrd__assert(i < ASSERT_LOCKS);
    for (uint32_t k = 0; k < ASSERT_LOCKS; k++)
        lrd__assert(assert_has.store[k] != store);
    assert_has.store[i] = store;
    assert_has.shard[i] = shard;
}

void lrd__assert_drop(const lrd_store *store, uint32_t shard)
{
    uint32_t i = assert_find(store, shard);
    lrd__assert(i < ASSERT_LOCKS);
    assert_has.store[i] = NULL;
}

void lrd__assert_alone(const lrd_store *store) { assert_has.alone = store; }

bool lrd__assert_holds(const lrd_store *store, uint32_t shard)
{
    return shard < store->geo.shards &&
           (assert_has.alone == store || assert_find(store, shard) < ASSERT_LOCKS);
}
#endif
