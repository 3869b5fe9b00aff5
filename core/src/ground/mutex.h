/* mutex.h - robust locks in shared memory: if a holder dies, the kernel marks its locks. Handles
 * words and links without the C library.
 *
 * When a thread ends, the kernel walks the list of its locks, which the C library has registered
 * (set_robust_list(2)). The list's head has the distance from a lock's word to its link: 32 bytes
 * with glibc, 28 with musl. A lock has room for both. Just before the link is a backward link,
 * which the kernel does not use.
 *
 * Invariants
 * - The word contains the id of the thread that holds the lock, or no id if no thread holds it.
 *   FUTEX_WAITERS is set while a thread may sleep. FUTEX_OWNER_DIED is set from a holder's death
 *   until lrd__mutex_consistent(). Only the holder stores to the links of its lock and of its
 *   list's locks.
 * - A thread that takes a lock sets the list's field list_op_pending to the lock before it stores
 *   to the word, and clears it when the lock is in the list. A thread that releases the lock sets
 *   the field before it unlists the lock, and clears it after it has stored to the word. Signal
 *   handlers must not overwrite the field by using locks.
 * - A thread that has no list, or was made by a raw clone(2), uses a list that the kernel does not
 *   know. Only lrd__lease_gone() notices the death of such a thread. lrd__process_sound() returns
 *   false in the thread, but true if get_robust_list(2) fails (emulators, seccomp). */
#pragma once

#include "ground/private.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>

/* The calling thread's list of its locks, and where a lock's link is. */
typedef struct lrd__robust {
    struct robust_list_head *head; /* NULL until it was looked up */
    /* distance in bytes from a lock's word to its link */
    ptrdiff_t link;
    uint32_t tid;
    /* False if the kernel certainly does not know this list. If get_robust_list(2) fails, this is
     * not certain, so `known` is true. */
    bool known;
} lrd__robust;
extern _Thread_local lrd__robust lrd__robust_self LRD__TLS;
/* Find this thread's list of robust locks, or register a new one with the kernel. Record the list
 * in lrd__robust_self. */
void lrd__robust_begin(void) __attribute__((cold));
/* Forget the parent's list. With musl, also empty the child's own list. Call this in a child of
 * fork(). */
void lrd__robust_child(void);
/* False if this process cannot use robust locks, because it is the child of a raw clone(2). */
bool lrd__process_sound(void);

void lrd__mutex_init(lrd__mutex *mutex);
/* Wait for a lock for up to `ms` milliseconds. Returns 0 or ETIMEDOUT; EOWNERDEAD if the caller now
 * has a dead holder's lock, and must make it consistent. */
int lrd__mutex_wait(lrd__mutex *mutex, long ms);
void lrd__mutex_wake(lrd__mutex *mutex) __attribute__((cold));

/* Return the thread id of a lock's holder; 0 if the lock is free. */
static inline uint32_t lrd__mutex_owner(const lrd__mutex *mutex)
{
    return atomic_load_explicit(&mutex->word, memory_order_relaxed) & FUTEX_TID_MASK;
}

/* Read a link, which may be unaligned. */
static inline uintptr_t lrd__mutex_link(const char *at)
{
    uintptr_t link;
    memcpy(&link, at, sizeof link);
    return link;
}
static inline void lrd__mutex_link_set(uintptr_t at, uintptr_t link)
{
    memcpy((char *)(at & ~(uintptr_t)1), &link, sizeof link); /* NOLINT: an address */
}

/* Try to take a free lock, whose word was `seen`. Returns a code of lrd__mutex_try(), or EBUSY if
 * the word has changed. */
static inline int lrd__mutex_seize(lrd__mutex *mutex, uint32_t seen, uint32_t waiters)
{
    lrd__robust *self = &lrd__robust_self;
    if (__builtin_expect(self->head == NULL, 0))
        lrd__robust_begin();
    struct robust_list_head *head = self->head;
    uintptr_t link = (uintptr_t)&mutex->word + (uintptr_t)self->link;
    head->list_op_pending = (struct robust_list *)link; /* NOLINT: an address */
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t mine = self->tid | (seen & (uint32_t)FUTEX_OWNER_DIED) |
                    ((seen | waiters) & (uint32_t)FUTEX_WAITERS);
    /* This acquire pairs with the release by the holder, by the kernel, or by lrd__lease_gone(). */
    bool got = atomic_compare_exchange_strong_explicit(&mutex->word, &seen, mine,
                                                       memory_order_acquire, memory_order_relaxed);
    if (__builtin_expect(got, 1)) {
        LRD__FAILPOINT("mutex_taken");
        uintptr_t first = (uintptr_t)head->list.next;
        lrd__mutex_link_set(link, first);
        lrd__mutex_link_set(link - sizeof link, (uintptr_t)&head->list);
        if (first != (uintptr_t)&head->list)
            lrd__mutex_link_set(first - sizeof link, link);
        atomic_signal_fence(memory_order_seq_cst);
        head->list.next = (struct robust_list *)link; /* NOLINT: an address */
        LRD__FAILPOINT("mutex_listed");
    }
    atomic_signal_fence(memory_order_seq_cst);
    head->list_op_pending = NULL;
    return !got ? EBUSY : (seen & (uint32_t)FUTEX_OWNER_DIED) != 0 ? EOWNERDEAD : 0;
}

/* Try to take a lock. Returns 0, EBUSY, or EOWNERDEAD like lrd__mutex_wait(). */
static inline int lrd__mutex_try(lrd__mutex *mutex)
{
    uint32_t seen = atomic_load_explicit(&mutex->word, memory_order_relaxed);
    return (seen & FUTEX_TID_MASK) != 0 ? EBUSY : lrd__mutex_seize(mutex, seen, 0);
}

/* Mark a lock as consistent, after its data was repaired. Returns 0, or EINVAL for a thread that
 * does not hold it. */
static inline int lrd__mutex_consistent(lrd__mutex *mutex)
{
    if (lrd__mutex_owner(mutex) != lrd__robust_self.tid)
        return EINVAL;
    atomic_fetch_and_explicit(&mutex->word, ~(uint32_t)FUTEX_OWNER_DIED, memory_order_relaxed);
    return 0;
}

/* Release a lock, if this thread holds it. A lock that was not made consistent gives its next
 * holder EOWNERDEAD again. */
static inline void lrd__mutex_unlock(lrd__mutex *mutex)
{
    struct robust_list_head *head = lrd__robust_self.head;
    uint32_t seen = atomic_load_explicit(&mutex->word, memory_order_relaxed);
    if (__builtin_expect((seen & FUTEX_TID_MASK) != lrd__robust_self.tid || head == NULL, 0))
        return;
    uintptr_t link = (uintptr_t)&mutex->word + (uintptr_t)lrd__robust_self.link;
    head->list_op_pending = (struct robust_list *)link; /* NOLINT: an address */
    atomic_signal_fence(memory_order_seq_cst);
    uintptr_t next = lrd__mutex_link((const char *)link);               /* NOLINT: an address */
    uintptr_t prev = lrd__mutex_link((const char *)link - sizeof link); /* NOLINT: an address */
    lrd__mutex_link_set(prev, next);
    if ((next & ~(uintptr_t)1) != (uintptr_t)&head->list)
        lrd__mutex_link_set((next & ~(uintptr_t)1) - sizeof next, prev);
    atomic_signal_fence(memory_order_seq_cst);
    LRD__FAILPOINT("mutex_unlisted");
    /* This release pairs with the acquire in lrd__mutex_seize(). */
    seen = atomic_exchange_explicit(&mutex->word, seen & (uint32_t)FUTEX_OWNER_DIED,
                                    memory_order_release);
    LRD__FAILPOINT("mutex_free");
    if (__builtin_expect((seen & (uint32_t)FUTEX_WAITERS) != 0, 0))
        lrd__mutex_wake(mutex);
    atomic_signal_fence(memory_order_seq_cst);
    head->list_op_pending = NULL;
}
