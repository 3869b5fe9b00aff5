/* mutex.c - keeps the list of a thread's locks, and waits for locks. Read mutex.h first. */
#include "ground/mutex.h"
#include "ground/futex.h"

#include <limits.h>
#include <stdlib.h>

/* Kind of a lock, which musl reads when a thread ends: robust (4), and shared between processes
 * (128). */
#define MUTEX_KIND (4u | 128u)

_Thread_local lrd__robust lrd__robust_self LRD__TLS;
/* The list of a thread that has no list in the kernel, or whose list needs its links at a place
 * where lrd__mutex has no room. The kernel does not report the death of such a thread. */
static _Thread_local struct robust_list_head mutex_unknown LRD__TLS_STATIC;

_Static_assert(offsetof(lrd__mutex, word) + 32 + sizeof(void *) <= sizeof(lrd__mutex) &&
                   offsetof(lrd__mutex, word) + 28 - sizeof(void *) >= offsetof(lrd__mutex, links),
               "layout: room for the links of glibc and of musl");

/* Return the calling thread's list of robust locks that the kernel knows, or NULL if there is none.
 * Sets *none to true if the system call fails. */
static struct robust_list_head *mutex_list(bool *none)
{
    struct robust_list_head *head = NULL;
    size_t size = 0;
    *none = syscall(SYS_get_robust_list, 0, &head, &size) != 0;
    return head;
}

/* Register a list of robust locks for this thread. With glibc, each thread already has one. With
 * musl, locking a robust mutex registers it. Never do this in the child of a raw clone(2): the
 * child would write to the links of its parent's locks. */
static void mutex_register(void)
{
#ifndef __GLIBC__
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    if (pthread_mutexattr_init(&attributes) != 0)
        return;
    if (pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
        pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
        pthread_mutex_init(&mutex, &attributes) == 0) {
        if (pthread_mutex_trylock(&mutex) == 0)
            pthread_mutex_unlock(&mutex);
        pthread_mutex_destroy(&mutex);
    }
    pthread_mutexattr_destroy(&attributes);
#endif
}

static void mutex_forget(struct robust_list_head *head)
{
    head->list_op_pending = NULL;
    head->list.next = &head->list;
}

void lrd__robust_begin(void)
{
    lrd__robust *self = &lrd__robust_self;
    bool none;
    struct robust_list_head *head = mutex_list(&none);
    if (head == NULL && !none) {
        mutex_register();
        head = mutex_list(&none);
    }
    ptrdiff_t first = (ptrdiff_t)(offsetof(lrd__mutex, links) - offsetof(lrd__mutex, word));
    ptrdiff_t last = (ptrdiff_t)(sizeof(lrd__mutex) - offsetof(lrd__mutex, word));
    ptrdiff_t size = (ptrdiff_t)sizeof(void *);
    bool fits =
        head != NULL && -head->futex_offset >= first + size && -head->futex_offset <= last - size;
    if (!fits) {
        head = &mutex_unknown;
        mutex_forget(head);
        head->futex_offset = size - last;
    }
    self->link = -head->futex_offset;
    self->tid = (uint32_t)syscall(SYS_gettid);
    self->known = fits || none;
    self->head = head;
}

void lrd__robust_child(void)
{
#ifndef __GLIBC__
    /* musl leaves the parent's locks in the list. The child must not store to their links. */
    if (lrd__robust_self.head != NULL)
        mutex_forget(lrd__robust_self.head);
#endif
    lrd__robust_self.head = NULL;
}

LRD__HOT bool lrd__process_sound(void)
{
    /* Another thread id means that this is a child whose fork handlers did not run. Begin its list
     * of robust locks anew. A child of a raw clone(2) gets no list, and the result is false. */
    if (lrd__robust_self.head != NULL && lrd__robust_self.tid != (uint32_t)syscall(SYS_gettid))
        lrd__robust_child();
    if (lrd__robust_self.head == NULL)
        lrd__robust_begin();
    return lrd__robust_self.known;
}

LRD__HOT void lrd__mutex_init(lrd__mutex *mutex)
{
    memset(mutex, 0, sizeof *mutex);
    mutex->kind = MUTEX_KIND;
}

int lrd__mutex_wait(lrd__mutex *mutex, long ms)
{
    struct timespec until = lrd__clock_after((uint64_t)ms * 1000000);
    /* After a sleep, keep FUTEX_WAITERS set: other threads may still be sleeping. */
    uint32_t waiters = 0;
    for (;;) {
        uint32_t seen = atomic_load_explicit(&mutex->word, memory_order_relaxed);
        if ((seen & FUTEX_TID_MASK) == 0) {
            int rc = lrd__mutex_seize(mutex, seen, waiters);
            if (rc != EBUSY)
                return rc;
            continue;
        }
        uint32_t marked = seen | (uint32_t)FUTEX_WAITERS;
        if (marked != seen &&
            !atomic_compare_exchange_strong_explicit(&mutex->word, &seen, marked,
                                                     memory_order_relaxed, memory_order_relaxed))
            continue;
        waiters = (uint32_t)FUTEX_WAITERS;
        if (syscall(SYS_futex, &mutex->word, FUTEX_WAIT_BITSET, marked, &until, NULL,
                    FUTEX_BITSET_MATCH_ANY) != 0 &&
            errno == ETIMEDOUT)
            return ETIMEDOUT;
    }
}

void lrd__mutex_wake(lrd__mutex *mutex) { lrd__futex_wake(&mutex->word, 1); }
