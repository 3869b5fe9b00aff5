/* keylock.h - what keylock.c offers. */
#pragma once

#include "ground/private.h"

typedef enum lrd__keylock_kind {
    /* do not reserve a key whose row is kept for a waiter */
    LRD__KEYLOCK_POLITE,
    LRD__KEYLOCK_ANY, /* reserve the key even if its row is kept for a waiter */
    /* like LRD__KEYLOCK_ANY, but mark the row of a reserved key as having a waiter */
    LRD__KEYLOCK_WAITS
} lrd__keylock_kind;

/* After LRD_OK, only `token` is set. After LRD_HELD, only the other fields are set: `holder` is the
 * slot of the key's owner, and the caller can sleep on row->turn while row->turn equals `turn`. */
typedef struct lrd__keylock_answer {
    uint64_t token;
    lrd__keylock *row;
    uint32_t turn, holder;
    bool kept; /* true if no thread owns the key, but its row is kept for a waiter */
} lrd__keylock_answer;

/* Try to reserve a key as lrd_lock() does, but without waiting. */
int lrd__keylock_try(lrd__thread *self, const void *key, size_t key_len, uint64_t lease_ms,
                     lrd__keylock_kind kind, lrd__keylock_answer *out);
/* Reserve a key as lrd_lock() does. The first attempt takes no row that is kept for a waiter. A
 * signal ends the wait (LRD_INTR). */
int lrd__keylock_in_turn(lrd__thread *self, const void *key, size_t key_len, uint64_t lease_ms,
                         uint64_t wait_ms, uint64_t *token);
/* Let a reservation end lease_ms from now (0: never). Returns LRD_MISS if it has ended already. */
int lrd__keylock_renew(lrd__thread *self, const void *key, size_t key_len, uint64_t token,
                       uint64_t lease_ms);
/* Set *held to true if any thread has reserved the key, else to false. Returns LRD_OK or
 * LRD_EBUSY. */
int lrd__keylock_held(lrd__thread *self, const void *key, size_t key_len, bool *held);
/* End a reservation as lrd_unlock() does. */
int lrd__keylock_end(lrd__thread *self, const void *key, size_t key_len, uint64_t token);
