/* semaphore.c - semaphores: lrd_semaphore_acquire(), lrd_semaphore_release(). Begin reading at
 * semaphore_scan(), beside keylock.c.
 *
 * A permit is a key reservation. Its key is the semaphore's name with the number of the permit.
 *
 * Invariants
 * - A permit has one owner, like a reserved key. So a semaphore with n permits has at most n owners
 *   at a time.
 * - The gate is one more key reservation. Its owner waits for permits, and all other waiters wait
 *   for the gate. The owner of the gate marks each permit in use as having a waiter.
 * - The owner of the gate may be a stopped process, which takes no permit. So every
 *   SEMAPHORE_LOOK_MS, the other waiters also look for a free permit that is not kept.
 * - A permit that was marked is kept for the waiter when its owner releases it. A caller that does
 *   not wait may take such a permit only if no thread owns the gate.
 * - A waiter sleeps on the word `turn` of each permit's row. It has read the word under the shard's
 *   lock, while the permit was in use, so it misses no release. It notices a death or the end of a
 *   lease after SEMAPHORE_STEP_MS. */
#include "larder_coordination.h"
#include "calls/keylock.h"
#include "ground/clock.h"
#include "ground/error.h"
#include "ground/interrupt.h"
#include "ground/lease.h"
#include "ground/map.h"
#include "ground/futex.h"
#include "entries/keyrow.h"
#include "memory/slot.h"
#include "room/keylist.h"
#include "threads/thread.h"

#include <errno.h>

#define SEMAPHORE_PREFIX "\0lrd:permit:"
#define SEMAPHORE_PREFIX_LEN (sizeof SEMAPHORE_PREFIX - 1)
#define SEMAPHORE_STEP_MS 50u
/* time in ms after which a waiter for the gate also looks for a free permit */
#define SEMAPHORE_LOOK_MS 1000u
/* time in ms between two scans on kernels before 5.16, where a thread cannot sleep on several
 * words */
#define SEMAPHORE_POLL_MS 2u
#define SEMAPHORE_WORDS 64u /* one call sleeps on at most this number of rows */
#define SEMAPHORE_GATE UINT32_MAX
/* The owner of the gate waits for a permit until a time limit. The gate's lease ends this number of
 * ms after this limit. */
#define SEMAPHORE_GATE_SPARE_MS 1000u

_Static_assert(SEMAPHORE_PREFIX_LEN + sizeof(uint32_t) + LRD_SEMAPHORE_NAME_MAX <= LRD_KEY_MAX,
               "names of permits are keys");

typedef struct semaphore_names {
    char key[SEMAPHORE_PREFIX_LEN + sizeof(uint32_t) + LRD_SEMAPHORE_NAME_MAX];
    size_t key_len;
} semaphore_names;

static int semaphore_check(size_t name_len, uint32_t permits)
{
    if (name_len == 0 || name_len > LRD_SEMAPHORE_NAME_MAX)
        return lrd__fail(LRD_EINVAL, "name_len is %zu, not 1 to %u", name_len,
                         LRD_SEMAPHORE_NAME_MAX);
    if (permits == 0 || permits > LRD_SEMAPHORE_PERMITS_MAX)
        return lrd__fail(LRD_EINVAL, "permits is %u, not 1 to %u", permits,
                         LRD_SEMAPHORE_PERMITS_MAX);
    return LRD_OK;
}

static void semaphore_name(semaphore_names *names, const void *name, size_t name_len)
{
    memcpy(names->key, SEMAPHORE_PREFIX, SEMAPHORE_PREFIX_LEN);
    memcpy(names->key + SEMAPHORE_PREFIX_LEN + sizeof(uint32_t), name, name_len);
    names->key_len = SEMAPHORE_PREFIX_LEN + sizeof(uint32_t) + name_len;
}

/* Check the arguments and the file, enter the store, and write the name. After LRD_OK, the caller
 * must call lrd__leave(). */
static int semaphore_begin(lrd_store *store, const void *name, size_t name_len, uint32_t permits,
                           semaphore_names *names, lrd__thread **self)
{
    int code = semaphore_check(name_len, permits);
    if (code == LRD_OK)
        code = lrd__segment_look(store);
    if (code == LRD_OK)
        code = lrd__enter(store, self);
    if (code == LRD_OK)
        semaphore_name(names, name, name_len);
    return code;
}

static void semaphore_number(semaphore_names *names, uint32_t number)
{
    memcpy(names->key + SEMAPHORE_PREFIX_LEN, &number, sizeof number);
}

typedef struct semaphore_request {
    semaphore_names *names;
    uint32_t permits, found; /* after LRD_OK, `found` is the number of the permit */
    uint64_t lease_ms, token;
    bool kept; /* true if a scan found a free permit that is kept for a waiter */
} semaphore_request;

/* some permits that are in use; a waiter sleeps until one of them is released */
typedef struct semaphore_rows {
    uint32_t count;
    lrd__wait_word word[SEMAPHORE_WORDS]; /* words on which the waiter sleeps */
    uint32_t holder[SEMAPHORE_WORDS];     /* indexes of the owners' slots */
} semaphore_rows;

/* Reserve a free permit. `rows` is NULL if the caller does not wait. Returns LRD_HELD if no permit
 * is free, or LRD_EDEADLK if this thread has all permits. */
static int semaphore_scan(lrd__thread *self, semaphore_request *request, lrd__keylock_kind kind,
                          semaphore_rows *rows)
{
    uint32_t own = 0, start = self->slot_index % request->permits;
    int busy = LRD_HELD;
    if (rows != NULL)
        rows->count = 0;
    request->kept = false;
    for (uint32_t i = 0; i < request->permits; i++) {
        lrd__keylock_answer answer;
        uint32_t number = (start + i) % request->permits;
        semaphore_number(request->names, number);
        int code = lrd__keylock_try(self, request->names->key, request->names->key_len,
                                    request->lease_ms, kind, &answer);
        if (code == LRD_OK) {
            request->found = number;
            request->token = answer.token;
            LRD__FAILPOINT("semaphore_found");
            return LRD_OK;
        }
        if (code == LRD_EDEADLK) {
            own++;
        } else if (code == LRD_EBUSY) {
            busy = code;
        } else if (code != LRD_HELD) {
            return code;
        } else if (answer.kept) {
            request->kept = true;
        } else if (rows != NULL && rows->count < SEMAPHORE_WORDS) {
            rows->holder[rows->count] = answer.holder;
            rows->word[rows->count++] =
                (lrd__wait_word){.value = answer.turn,
                                 .address = (uint64_t)(uintptr_t)&answer.row->turn,
                                 .flags = LRD__WAIT_32};
        }
    }
    return own == request->permits ? LRD_EDEADLK : busy;
}

/* Sleep for at most `ms` milliseconds, until a permit in `rows` is released. May return earlier.
 * Returns LRD_INTR if a signal came. */
static int semaphore_sleep(lrd__thread *self, const semaphore_rows *rows, uint64_t ms)
{
    uint64_t step = ms < SEMAPHORE_STEP_MS ? ms : SEMAPHORE_STEP_MS;
    struct timespec until = lrd__clock_after(step * 1000000);
    LRD__FAILPOINT("semaphore_sleeps");
    long rc;
    if (rows->count == 0) /* the shards of all permits are busy */
        return lrd__clock_nap(step) ? LRD_OK : lrd__interrupt_end();
    rc = syscall(LRD__SYS_WAITV, rows->word, rows->count, 0, &until, CLOCK_MONOTONIC);
    if (rc >= 0 || errno == EAGAIN)
        return LRD_OK;
    if (errno == EINTR)
        return lrd__interrupt_end();
    if (errno != ETIMEDOUT)
        return lrd__clock_nap(SEMAPHORE_POLL_MS) ? LRD_OK : lrd__interrupt_end();
    for (uint32_t i = 0; i < rows->count; i++) {
        lrd__slot *holder = lrd__slot_at(self->store, rows->holder[i]);
        lrd__lease_gone(&holder->owner, &holder->who);
    }
    return LRD_OK;
}

/* True if waiting can help after the result `code`. */
static bool semaphore_waits_on(int code) { return code == LRD_HELD || code == LRD_EBUSY; }

/* Wait for a permit until the time `until`. The caller owns the gate. */
static int semaphore_wait(lrd__thread *self, semaphore_request *request, uint64_t until)
{
    semaphore_rows rows;
    for (;;) {
        int code = semaphore_scan(self, request, LRD__KEYLOCK_WAITS, &rows);
        uint64_t now = lrd__clock_monotonic_ms();
        if (!semaphore_waits_on(code) || now >= until)
            return code;
        code = lrd__interrupted() ? LRD_INTR : semaphore_sleep(self, &rows, until - now);
        if (code != LRD_OK)
            return code;
    }
}

/* True if a waiter probably lives: a living thread owns the gate, or the gate's shard is busy. The
 * permits cannot tell, because the mark that keeps a permit for a waiter outlives the waiter. */
static bool semaphore_is_awaited(lrd__thread *self, semaphore_request *request)
{
    bool held = true;
    semaphore_number(request->names, SEMAPHORE_GATE);
    return lrd__keylock_held(self, request->names->key, request->names->key_len, &held) != LRD_OK ||
           held;
}

/* Wait for the gate until the time `until`. Every SEMAPHORE_LOOK_MS, also look for a free permit.
 * After LRD_OK, this thread has the gate (token *gate) or a permit (*gate is 0). */
static int semaphore_enter(lrd__thread *self, semaphore_request *request, uint64_t until,
                           uint64_t *gate)
{
    for (;;) {
        uint64_t now = lrd__clock_monotonic_ms(), left = now < until ? until - now : 0, lease_ms;
        uint64_t step = left < SEMAPHORE_LOOK_MS ? left : SEMAPHORE_LOOK_MS;
        if (__builtin_add_overflow(left, SEMAPHORE_GATE_SPARE_MS, &lease_ms))
            lease_ms = 0;
        semaphore_number(request->names, SEMAPHORE_GATE);
        int code = lrd__keylock_in_turn(self, request->names->key, request->names->key_len,
                                        lease_ms, step, gate);
        if (!semaphore_waits_on(code) || step == left)
            return code;
        *gate = 0;
        code = semaphore_scan(self, request, LRD__KEYLOCK_POLITE, NULL);
        if (!semaphore_waits_on(code))
            return code;
    }
}

static int semaphore_queue(lrd__thread *self, semaphore_request *request, uint64_t wait_ms)
{
    uint64_t until = lrd__clock_sum(lrd__clock_monotonic_ms(), wait_ms), gate;
    int code = semaphore_enter(self, request, until, &gate);
    if (code != LRD_OK || gate == 0)
        return code;
    LRD__FAILPOINT("semaphore_gate");
    code = semaphore_wait(self, request, until);
    semaphore_number(request->names, SEMAPHORE_GATE);
    lrd__keylock_end(self, request->names->key, request->names->key_len, gate);
    return code;
}

int lrd_semaphore_acquire(lrd_store *store, const void *name, size_t name_len, uint32_t permits,
                          uint64_t lease_ms, uint64_t wait_ms, lrd_permit *out)
{
    semaphore_names names;
    semaphore_request request = {.names = &names, .permits = permits, .lease_ms = lease_ms};
    lrd__thread *self;
    int code = semaphore_begin(store, name, name_len, permits, &names, &self);
    if (code != LRD_OK)
        return code;
    if (self->keylocks.left != 0)
        lrd__keylock_end_left(self);
    code = semaphore_scan(self, &request, LRD__KEYLOCK_POLITE, NULL);
    if (code == LRD_HELD && request.kept && !semaphore_is_awaited(self, &request))
        code = semaphore_scan(self, &request, LRD__KEYLOCK_ANY, NULL);
    if (wait_ms != 0 && semaphore_waits_on(code))
        code = semaphore_queue(self, &request, wait_ms);
    lrd__leave(self);
    out->number = request.found;
    out->token = request.token;
    return code;
}

int lrd_semaphore_release(lrd_store *store, const void *name, size_t name_len,
                          const lrd_permit *permit)
{
    semaphore_names names;
    int code = semaphore_check(name_len, permit->number + 1);
    if (code != LRD_OK)
        return code;
    if (permit->token == 0)
        return LRD_MISS;
    semaphore_name(&names, name, name_len);
    semaphore_number(&names, permit->number);
    return lrd_unlock(store, names.key, names.key_len, permit->token);
}

int lrd_semaphore_renew(lrd_store *store, const void *name, size_t name_len,
                        const lrd_permit *permit, uint64_t lease_ms)
{
    semaphore_names names;
    lrd__thread *self;
    int code = semaphore_begin(store, name, name_len, permit->number + 1, &names, &self);
    if (code != LRD_OK)
        return code;
    semaphore_number(&names, permit->number);
    code = lrd__keylock_renew(self, names.key, names.key_len, permit->token, lease_ms);
    lrd__leave(self);
    return code;
}

int lrd_semaphore_count(lrd_store *store, const void *name, size_t name_len, uint32_t permits,
                        uint32_t *count)
{
    semaphore_names names;
    lrd__thread *self;
    int code = semaphore_begin(store, name, name_len, permits, &names, &self);
    if (code != LRD_OK)
        return code;
    *count = 0;
    for (uint32_t number = 0; number < permits && code == LRD_OK; number++) {
        bool held = false;
        semaphore_number(&names, number);
        code = lrd__keylock_held(self, names.key, names.key_len, &held);
        *count += held;
    }
    lrd__leave(self);
    return code;
}
