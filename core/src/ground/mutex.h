/* mutex.h - the locks in shared memory: robust ones, whose word and links are ours. Included by
 * internal.h; the cold half is mutex.c.
 *
 * The kernel marks what a thread that ends has locked: it walks a list of the thread's, which the C
 * library has registered (set_robust_list(2)), and in which it keeps its own robust mutexes. Ours
 * are in the same list. Where the next link lies is said by the list's head, as a distance from the
 * word: 32 bytes before it with glibc, 28 with musl. A lock has room for both, so that programs of
 * both take turns with one. The link back, which only C libraries use, lies before it in both.
 *
 * Invariants
 * - The word decides: 0, or the thread's id, with FUTEX_WAITERS while somebody may sleep, and with
 *   FUTEX_OWNER_DIED from a death until lrd__mutex_consistent(). Only who made the word its own
 *   stores to the links, and stores to the links of the neighbours in its own list.
 * - The lock is pending (list_op_pending) before the word is stored to and until it is in the list,
 *   and from before it leaves the list until the word is given up: killed anywhere, the kernel
 *   finds a word with the thread's id.
 * - A thread whose list cannot be had, or that came about by a raw clone(2), has a list that the
 *   kernel does not know. Its deaths are told by lrd__lease_gone() alone, and such a process is not
 *   lrd__process_sound(), but under an emulator that has no lists at all.
 */
#pragma once

#include "ground/private.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>

/* The calling thread, as its locks name it. */
typedef struct lrd__robust {
    struct robust_list_head *head; /* its list; NULL: not looked up yet */
    ptrdiff_t link;                /* from a lock's word to the link that is in the list */
    uint32_t tid;
    bool known; /* to the kernel, or nobody's can be */
} lrd__robust;
extern _Thread_local lrd__robust lrd__robust_self LRD__TLS;
/* Look up what it says. Then the list is there, if need be one that the kernel does not know. */
void lrd__robust_begin(void) __attribute__((cold));
/* In a child of fork(): its list is empty, whatever the C library left in it. */
void lrd__robust_child(void);
/* Whether this process can use locks: not the child of a raw clone(2). */
bool lrd__process_sound(void);

void lrd__mutex_init(lrd__mutex *mutex);
/* Wait at most ms: 0, EOWNERDEAD (not yet consistent), ETIMEDOUT. */
int lrd__mutex_wait(lrd__mutex *mutex, long ms);
/* Let one who waits go on. */
void lrd__mutex_wake(lrd__mutex *mutex) __attribute__((cold));

/* The id of the thread that has it, 0: nobody. */
static inline uint32_t lrd__mutex_owner(const lrd__mutex *mutex)
{
    return atomic_load_explicit(&mutex->word, memory_order_relaxed) & FUTEX_TID_MASK;
}

/* Links may lie anywhere, and the lowest bit marks locks of another kind. */
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

/* Make a word ours that was nobody's when it was read as seen. 0, EOWNERDEAD, EBUSY. */
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
    /* Acquire: what the last holder did, whose release is in lrd__mutex_unlock(), or whom the
     * kernel or lrd__lease_gone() marked. */
    bool got = atomic_compare_exchange_strong_explicit(&mutex->word, &seen, mine,
                                                       memory_order_acquire, memory_order_relaxed);
    if (__builtin_expect(got, 1)) {
        uintptr_t first = (uintptr_t)head->list.next;
        lrd__mutex_link_set(link, first);
        lrd__mutex_link_set(link - sizeof link, (uintptr_t)&head->list);
        if (first != (uintptr_t)&head->list)
            lrd__mutex_link_set(first - sizeof link, link);
        atomic_signal_fence(memory_order_seq_cst);
        head->list.next = (struct robust_list *)link; /* NOLINT: an address */
    }
    atomic_signal_fence(memory_order_seq_cst);
    head->list_op_pending = NULL;
    return !got ? EBUSY : (seen & (uint32_t)FUTEX_OWNER_DIED) != 0 ? EOWNERDEAD : 0;
}

/* 0; EOWNERDEAD: ours, and to be made consistent; EBUSY. */
static inline int lrd__mutex_try(lrd__mutex *mutex)
{
    uint32_t seen = atomic_load_explicit(&mutex->word, memory_order_relaxed);
    return (seen & FUTEX_TID_MASK) != 0 ? EBUSY : lrd__mutex_seize(mutex, seen, 0);
}

/* A death was made up for. 0; EINVAL: it is not ours. */
static inline int lrd__mutex_consistent(lrd__mutex *mutex)
{
    if (lrd__mutex_owner(mutex) != lrd__robust_self.tid)
        return EINVAL;
    atomic_fetch_and_explicit(&mutex->word, ~(uint32_t)FUTEX_OWNER_DIED, memory_order_relaxed);
    return 0;
}

/* Nothing where it is not ours. A death that was not made up for is the next one's to see. */
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
    /* Release: pairs with lrd__mutex_seize(). */
    seen = atomic_exchange_explicit(&mutex->word, seen & (uint32_t)FUTEX_OWNER_DIED,
                                    memory_order_release);
    if (__builtin_expect((seen & (uint32_t)FUTEX_WAITERS) != 0, 0))
        lrd__mutex_wake(mutex);
    atomic_signal_fence(memory_order_seq_cst);
    head->list_op_pending = NULL;
}
