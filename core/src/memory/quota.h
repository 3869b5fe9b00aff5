/* quota.h - what quota.c offers. */
#pragma once

#include "ground/private.h"

#define LRD__QUOTA_MOST ((1u << LRD__QUOTA_BITS) - 1)

/* Return the number of ledger entries that this thread uses. */
static inline uint32_t lrd__ledger_live(const lrd__thread *self)
{
    return self->top - 1 - self->freed;
}

/* Return the quota word for `units` units and the windows in self->zone. */
static inline uint16_t lrd__quota_word(const lrd__thread *self, uint64_t units)
{
    return (uint16_t)(units | self->zone << LRD__QUOTA_BITS);
}

/* Raise the quota to `total` bytes. Returns false if this is too much for one thread, or for all
 * threads together. */
bool lrd__quota_raise(lrd__thread *self, uint64_t total) __attribute__((noinline));
/* Reap the slots of dead threads, after lrd__quota_raise() has failed. Returns true if the caller
 * should try again. [no lock is held] */
bool lrd__quota_notice(lrd_store *store) __attribute__((noinline, cold));
/* Lower the quota to the LRD__QUOTA_KEEP units that an idle thread keeps. */
void lrd__quota_lower(lrd__thread *self) __attribute__((noinline));
/* a quota is lowered when its thread holds less than 1/LRD__QUOTA_SLACK of it */
#define LRD__QUOTA_SLACK 8u
/* Lower the quota to twice the bytes that the thread still holds. */
void lrd__quota_shrink(lrd__thread *self) __attribute__((noinline));
