/* lease.c - leases: robust locks in shared memory that show whether their holder lives, even if the
 * kernel does not report its death. A stopped holder counts as alive. Begin reading at
 * lrd__lease_try(). */
#include "ground/lease.h"
#include "ground/error.h"
#include "ground/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOCK_STEP_MS 50
#define LOCK_GONE_MS 2000u
#define LOCK_SPINS 200

static bool thread_ended(char state) { return state == 'Z' || state == 'X' || state == 'x'; }

/* Read a thread's file in /proc into `text`, as a string. */
static LRD__HOT bool thread_read(int tid, const char *file, char *text, size_t size)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/%s", tid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, size - 1);
    close(fd);
    text[length > 0 ? length : 0] = 0;
    return length > 0;
}

LRD__HOT uint64_t lrd__thread_look(int tid, char *state)
{
    char text[512];
    *state = 0;
    if (!thread_read(tid, "stat", text, sizeof text))
        return 0;
    /* The line is "id (name) state ...". The name may contain ')'. The start time is the 20th field
     * after the name. */
    char *field = strrchr(text, ')');
    if (field != NULL && field[1] == ' ')
        *state = field[2];
    if (thread_ended(*state))
        return 0;
    for (int i = 0; field != NULL && i < 20; i++)
        field = strchr(field + 1, ' ');
    return field != NULL ? strtoull(field + 1, NULL, 10) : 0;
}

uint64_t lrd__thread_started(int tid)
{
    char state;
    return lrd__thread_look(tid, &state);
}

bool lrd__thread_runs(int tid)
{
    char state;
    return lrd__thread_look(tid, &state) != 0 && (state == 'R' || state == 'D');
}

bool lrd__lease_holder_runs(const lrd__mutex *lease)
{
    uint32_t tid = lrd__mutex_owner(lease);
    return tid == 0 || lrd__thread_runs((int)tid) || lrd__mutex_owner(lease) != tid;
}

uint64_t lrd__thread_stays(int tid)
{
    char text[80], state;
    if (!thread_read(tid, "schedstat", text, sizeof text))
        return 0;
    /* the third number: how often the thread was given a processor */
    const char *field = strrchr(text, ' ');
    uint64_t slices = field != NULL ? strtoull(field + 1, NULL, 10) : 0;
    /* Read the state after `slices`. If it were read before, the thread could run between the two
     * reads, and two calls would still return equal numbers. */
    return slices != 0 && lrd__thread_look(tid, &state) != 0 && state != 'R' ? slices : 0;
}

LRD__HOT int lrd__lease_wait(lrd__mutex *lease, long ms)
{
    int rc = lrd__mutex_try(lease);
    for (int i = 0; rc == EBUSY && i < LOCK_SPINS; i++) {
        if (i % 16 == 15)
            sched_yield();
        rc = lrd__mutex_try(lease);
    }
    uint64_t until = rc == EBUSY ? lrd__clock_monotonic_ms() + (uint64_t)ms : 0;
    while (rc == EBUSY || (rc == ETIMEDOUT && lrd__clock_monotonic_ms() < until))
        rc = lrd__mutex_wait(lease, ms < LOCK_STEP_MS ? ms : LOCK_STEP_MS);
    return rc;
}

/* Clear gone_since, which must not count for the next holder. */
static inline void who_unwatch(lrd__who *who)
{
    if (atomic_load_explicit(&who->gone_since, memory_order_relaxed) != 0)
        atomic_store_explicit(&who->gone_since, 0, memory_order_relaxed);
}

LRD__HOT int lrd__lease_try(lrd__mutex *lease, lrd__who *who)
{
    int rc = lrd__mutex_try(lease);
    if (rc == EOWNERDEAD)
        rc = lrd__mutex_consistent(lease);
    if (rc == 0)
        who_unwatch(who);
    return rc == 0 ? LRD_OK : LRD_EBUSY;
}

LRD__HOT void lrd__who_set(lrd__who *who, int tid, uint64_t started)
{
    who_unwatch(who);
    atomic_store_explicit(&who->thread, started << LRD__TID_BITS | (uint32_t)tid,
                          memory_order_release);
}

/* Return true if the thread is surely gone: no thread has this id, it is a zombie, or it did not
 * start at `started` (0: unknown). If /proc cannot be read, a thread with this id counts as alive.
 * A zombie counts as gone, because the kernel has already walked its list of robust locks. */
static bool lock_thread_gone(int tid, uint64_t started)
{
    char state;
    if (syscall(SYS_tkill, tid, 0) != 0 && errno == ESRCH)
        return true;
    uint64_t now = lrd__thread_look(tid, &state);
    return thread_ended(state) || (started != 0 && now != 0 && now != started);
}

bool lrd__lease_gone(lrd__mutex *lease, lrd__who *who)
{
    /* A holder records itself in `who` after it takes the lock, so `who` may describe an earlier
     * holder. If the word changes meanwhile, the compare-and-swap below fails. */
    uint32_t word = atomic_load_explicit(&lease->word, memory_order_acquire);
    int tid = (int)(word & FUTEX_TID_MASK);
    if (tid == 0)
        return false;
    uint64_t thread = atomic_load_explicit(&who->thread, memory_order_acquire);
    bool named = (thread & ((1u << LRD__TID_BITS) - 1)) == (uint64_t)tid;
    uint64_t started = named ? thread >> LRD__TID_BITS : 0;
    if (!lock_thread_gone(tid, started)) {
        who_unwatch(who);
        return false;
    }
    uint64_t now = lrd__clock_monotonic_ms();
    uint64_t since = atomic_load_explicit(&who->gone_since, memory_order_relaxed);
    if (since == 0 || since > now) {
        atomic_store_explicit(&who->gone_since, now, memory_order_relaxed);
        return false;
    }
    if (now - since < LOCK_GONE_MS)
        return false;
    /* Mark the lock as the kernel does when the holder of a robust lock dies. */
    uint32_t dead = (word & (uint32_t)FUTEX_WAITERS) | (uint32_t)FUTEX_OWNER_DIED;
    if (!atomic_compare_exchange_strong_explicit(&lease->word, &word, dead, memory_order_release,
                                                 memory_order_relaxed))
        return false;
    who_unwatch(who);
    lrd__mutex_wake(lease);
    return true;
}
