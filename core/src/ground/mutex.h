/* mutex.h - robust locks in shared memory: if the holder of such a lock dies, the kernel marks the
 * lock. The core handles the words and links of these locks itself, without the C library.
 *
 * When a thread ends, the kernel walks the list of the thread's locks. The C library registers this
 * list (set_robust_list(2)), and the core adds its locks to it. The head of the list contains the
 * distance from a lock's word to its link: 32 bytes with glibc, 28 with musl. A lock has room for
 * both, so programs with glibc and with musl can share it. Just before the link is a backward link,
 * which the kernel does not use. A signal handler must not use a lock, because the handler could
 * overwrite list_op_pending.
 *
 * Invariants
 * - The word contains the id of the thread that holds the lock, or no id if no thread holds it.
 *   FUTEX_WAITERS is set while a thread may sleep. FUTEX_OWNER_DIED is set from the death of a
 *   holder until lrd__mutex_consistent(). Only the holder stores to the lock's links, and to the
 *   links of its neighbours in the list.
 * - A thread that takes a lock sets the list's field list_op_pending to the lock before it stores
 *   to the word. It clears the field when the lock is in the list. A thread that releases the lock
 *   sets the field before it takes the lock out of the list. It clears the field after it has
 *   stored to the word. So the kernel finds the word, wherever the thread dies.
 * - A thread that has no list, or was made by a raw clone(2), uses a list that the kernel does not
 *   know. Only lrd__lease_gone() notices the death of such a thread, and lrd__process_sound()
 *   returns false in it. But if get_robust_list(2) fails for all threads (in an emulator, or
 *   because of a seccomp filter), lrd__process_sound() returns true. */
#pragma once

#include "ground/private.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>

/* The list of the locks that the calling thread holds, and the data needed to add a lock to it. */
typedef struct lrd__robust {
    struct robust_list_head *head; /* the list; NULL until it was looked up */
    /* distance in bytes from a lock's word to its link in the list */
    ptrdiff_t link;
    uint32_t tid;
    /* true if the kernel knows this list; also true if get_robust_list(2) fails */
    bool known;
} lrd__robust;
extern _Thread_local lrd__robust lrd__robust_self LRD__TLS;
/* Find or register this thread's list, and record it in lrd__robust_self. */
void lrd__robust_begin(void) __attribute__((cold));
/* In a child of fork(): forget the parent's list. With musl, also empties the child's own list. */
void lrd__robust_child(void);
/* Return true if this process can use robust locks. Returns false in the child of a raw
 * clone(2). */
bool lrd__process_sound(void);

void lrd__mutex_init(lrd__mutex *mutex);
/* Wait for a lock for up to `ms` milliseconds. Returns 0 or ETIMEDOUT. Returns EOWNERDEAD if the
 * previous holder died: the caller now has the lock, and must make it consistent. */
int lrd__mutex_wait(lrd__mutex *mutex, long ms);
/* Wake one waiter. */
void lrd__mutex_wake(lrd__mutex *mutex) __attribute__((cold));

/* Return the id of the thread that holds a lock. Returns 0 if the lock is free. */
static inline uint32_t lrd__mutex_owner(const lrd__mutex *mutex)
{
    return atomic_load_explicit(&mutex->word, memory_order_relaxed) & FUTEX_TID_MASK;
}

/* Read a link, which may be unaligned. The lowest bit of a link would mark a lock with priority
 * inheritance, but the core has no such locks. */
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

/* Try to take a free lock, whose word was just loaded into `seen`. Returns 0 or EOWNERDEAD, like
 * lrd__mutex_try(), or EBUSY if the word has changed. */
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

/* Try to take a lock. Returns 0 or EBUSY. Returns EOWNERDEAD if the previous holder died: the
 * caller now has the lock, and must make it consistent. */
static inline int lrd__mutex_try(lrd__mutex *mutex)
{
    uint32_t seen = atomic_load_explicit(&mutex->word, memory_order_relaxed);
    return (seen & FUTEX_TID_MASK) != 0 ? EBUSY : lrd__mutex_seize(mutex, seen, 0);
}

/* Mark a lock as consistent, after its data was repaired. Returns 0, or EINVAL if this thread does
 * not hold it. */
static inline int lrd__mutex_consistent(lrd__mutex *mutex)
{
    if (lrd__mutex_owner(mutex) != lrd__robust_self.tid)
        return EINVAL;
    atomic_fetch_and_explicit(&mutex->word, ~(uint32_t)FUTEX_OWNER_DIED, memory_order_relaxed);
    return 0;
}

/* Release a lock, if this thread holds it. If this thread got EOWNERDEAD and did not call
 * lrd__mutex_consistent(), the next holder gets EOWNERDEAD, too. */
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
