/* quota.h - what quota.c offers. */
#pragma once

#include "ground/private.h"

#define LRD__QUOTA_MOST ((1u << LRD__QUOTA_BITS) - 1)

/* Return the number of ledger entries that this thread uses. */
static inline uint32_t lrd__ledger_live(const lrd__thread *self)
{
    return self->top - 1 - self->freed;
}

/* Return the quota word that consists of `units` units and of the windows in self->zone. */
static inline uint16_t lrd__quota_word(const lrd__thread *self, uint64_t units)
{
    return (uint16_t)(units | self->zone << LRD__QUOTA_BITS);
}

/* Raise the quota to `total` bytes. Returns false if `total` is too much for one thread, or if the
 * sum of all quotas would then be too large. */
bool lrd__quota_raise(lrd__thread *self, uint64_t total) __attribute__((noinline));
/* Reap the slots of dead threads, so that their quotas become free. Call this if a thread could not
 * raise its quota. Returns true if the caller should try again. [no lock is held] */
bool lrd__quota_notice(lrd_store *store) __attribute__((noinline, cold));
/* Lower the quota to LRD__QUOTA_KEEP units, which an idle thread keeps. */
void lrd__quota_lower(lrd__thread *self) __attribute__((noinline));
/* A thread's quota is lowered when the thread holds less than 1/LRD__QUOTA_SLACK of its quota. */
#define LRD__QUOTA_SLACK 8u
/* Lower the quota to twice the bytes that the thread still holds, to leave room for other
 * threads. */
void lrd__quota_shrink(lrd__thread *self) __attribute__((noinline));
