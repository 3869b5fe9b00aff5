/* histories.c - four processes call the core, and are killed at random and replaced. For the
 * recorded history of calls, linearize.c must find an order that explains all answers.
 *
 * histories [--long] [--calls N] [--control] [--break NAME]
 *
 * - A round has a store and some objects: keys, reserved keys or queues.
 * - Before a call, a process records the call, and after it the answer, in a log that survives the
 *   process. Each record gets the next number of a counter that all processes share.
 * - Processes are killed at a fail point of the core, or at any instruction by a timer. The last
 *   call of a dead process may or may not have happened.
 * - When all processes have ended, the parent reads and empties each object, and judges its
 *   history.
 * - Processes yield at fail points and by a timer, so calls overlap even on one processor.
 *   Processes also advance the store's clock.
 * - An eviction is no call and cannot be explained. A volatile store is therefore much larger than
 *   its contents, and must count no eviction.
 * - A call that returns LRD_EBUSY or LRD_INTR has changed nothing, and is left out.
 *
 * With --control it judges the histories of planted.c instead. With --break the core is broken on
 * purpose (in a build with LRD_CONTROLS), and the program must end with 1. Exit code: 0 all
 * histories are explained, 1 some are not, 2 usage. Start reading at round_run(). */
#include "../support.h"

#include "internal.h"
#include "linearize.h"
#include "planted.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1u << 20)
#define LANES 5         /* lane 0 for the parent, and one for each of four processes */
#define LANE_CALLS 400u /* maximum number of calls in one lane */
#define OBJECTS 12
/* maximum number of calls of one object in a round; the parent's calls are not counted */
#define OBJECT_CALLS 60
#define DEATHS 3u /* maximum number of deaths of a lane's processes in a round */
#define HANG_SECONDS 300
#define SHORT_CALLS 300000u
#define LONG_CALLS 10000000u

typedef struct lane {
    _Atomic uint32_t count, left;
    uint64_t last; /* the common counter's number when this lane's process began its last call */
    uint8_t process;
    uint32_t deaths;
    lin_call call[LANE_CALLS];
} lane;

static struct shared {
    _Atomic uint64_t stamp;
    _Atomic uint32_t ready, damaged;
    _Atomic uint32_t values; /* number of values so far */
    _Atomic uint32_t calls[OBJECTS], messages[OBJECTS];
    _Atomic uint64_t id[OBJECTS][LIN_MESSAGES]; /* the id that the core gave to each message */
    lane lanes[LANES];
} * shared;

typedef struct object {
    lin_model model;
    uint32_t calls; /* a bit for each kind of call that processes make */
    bool ends;
    char name[16];
} object;

#define BIT(kind) (1u << (kind))
#define REGISTER                                                                                   \
    (BIT(LIN_GET) | BIT(LIN_HAS) | BIT(LIN_SET) | BIT(LIN_ADD) | BIT(LIN_REPLACE) |                \
     BIT(LIN_DELETE) | BIT(LIN_TAKE))
#define COUNTS                                                                                     \
    (BIT(LIN_GET) | BIT(LIN_COUNT) | BIT(LIN_UPDATE) | BIT(LIN_SWAP) | BIT(LIN_NUMBER) |           \
     BIT(LIN_DELETE))
#define FILLS (BIT(LIN_FILL) | BIT(LIN_DELETE) | BIT(LIN_GET))
#define LOCKS (BIT(LIN_LOCK_TAKE) | BIT(LIN_LOCK_END))
#define QUEUE                                                                                      \
    (BIT(LIN_PUSH) | BIT(LIN_POP) | BIT(LIN_ACK) | BIT(LIN_RELEASE) | BIT(LIN_BURY) |              \
     BIT(LIN_REMOVE) | BIT(LIN_KICK))

static object entry_objects[] = {
    {LIN_CELL, REGISTER, false, "register 1"},
    {LIN_CELL, REGISTER, false, "register 2"},
    {LIN_CELL, REGISTER | BIT(LIN_TOUCH), true, "session 1"},
    {LIN_CELL, REGISTER | BIT(LIN_TOUCH), true, "session 2"},
    {LIN_CELL, COUNTS, false, "counter"},
    {LIN_CELL, COUNTS | BIT(LIN_TOUCH), true, "limit"},
    {LIN_CELL, REGISTER | COUNTS, false, "mixed"},
    {LIN_CELL, BIT(LIN_GET) | BIT(LIN_TAKE) | BIT(LIN_ADD), false, "taken"},
    {LIN_CELL, FILLS, false, "filled"},
    {LIN_LOCK, LOCKS, false, "lock 1"},
    {LIN_LOCK, LOCKS, false, "lock 2"},
    {LIN_LOCK, LOCKS, true, "lease"}};
static object queue_objects[] = {{LIN_QUEUE, QUEUE, false, "queue 1"},
                                 {LIN_QUEUE, QUEUE, false, "queue 2"},
                                 {LIN_QUEUE, QUEUE, true, "queue 3"},
                                 {LIN_QUEUE, QUEUE, true, "queue 4"}};

typedef struct theme {
    const char *name;
    lrd_policy policy;
    uint64_t size;
    object *objects;
    unsigned count;
    uint32_t calls;
    lrd_store *store;
} theme;

static theme themes[] = {{"volatile", LRD_VOLATILE, 16 * MIB, entry_objects, 12, 180, NULL},
                         {"session", LRD_SESSION, 8 * MIB, entry_objects, 12, 180, NULL},
                         {"pinned", LRD_PINNED, 8 * MIB, entry_objects, 12, 180, NULL},
                         {"queue", LRD_QUEUE, 8 * MIB, queue_objects, 4, 64, NULL}};
#define THEMES (sizeof themes / sizeof *themes)

static theme *T; /* the theme of this round */
static test_clock *the_clock;
static lrd_queue queues[4];
static uint64_t chance;
static struct {
    uint64_t calls;
} settings = {SHORT_CALLS};

static bool dice(unsigned one_in) { return random_below(&chance, one_in) == 0; }

/* ---- the log ---- */

static unsigned my_lane;
static uint8_t my_number;

static lin_call *call_begin(lin_kind kind, unsigned o)
{
    lane *l = &shared->lanes[my_lane];
    uint32_t at = atomic_load(&l->count);
    CHECK(at < LANE_CALLS);
    lin_call *c = &l->call[at];
    *c = (lin_call){.kind = (uint8_t)kind, .process = my_number, .object = (uint8_t)o};
    return c;
}

/* Note that a call begins. All other fields must be set before. */
static void call_go(lin_call *c)
{
    c->clock_from = clock_read(the_clock);
    c->begin = atomic_fetch_add(&shared->stamp, 1) + 1;
    atomic_fetch_add(&shared->lanes[my_lane].count, 1);
}

static void call_end(lin_call *c, int answer)
{
    c->answer = answer;
    c->clock_to = clock_read(the_clock);
    atomic_signal_fence(memory_order_seq_cst);
    c->end = atomic_fetch_add(&shared->stamp, 1) + 1;
}

static void damaged(const char *text)
{
    atomic_fetch_add(&shared->damaged, 1);
    fprintf(stderr, "histories: %s\n", text);
}

/* ---- calls of entries ---- */

/* for each object: the value that this process has seen last, with its version */
static struct {
    int64_t value;
    uint64_t version;
} seen[OBJECTS];

static const char *key_of(unsigned o, size_t *length)
{
    *length = strlen(T->objects[o].name);
    return T->objects[o].name;
}

static int put(unsigned o, int64_t value, lrd_write how)
{
    static char bytes[24000];
    size_t length, size = 16 + random_below(&chance, dice(12) ? 1500 : 200);
    const char *key = key_of(o, &length);
    if (dice(40))
        size = 20000;
    value_fill(bytes, size, key, length, (uint64_t)value);
    return lrd_put(T->store, key, length, bytes, size, &how);
}

/* Get an object, and return the code. c->out becomes the sum if the object is a counter, otherwise
 * the number of the value. *version becomes the entry's version. */
static int get(unsigned o, lin_call *c, uint64_t *version)
{
    lrd_value value;
    lrd_entry entry;
    size_t length;
    const char *key = key_of(o, &length);
    int code = lrd_get(T->store, key, length, dice(2) ? LRD_GET_BORROW : 0, &value);
    if (code != LRD_OK)
        return code;
    *version = 0;
    if (value.type == LRD_TYPE_COUNTER) {
        c->counter = 1;
        c->out = lrd_counter_value(&value);
    } else {
        if (!value_valid(value.data, value.size, key, length))
            damaged("a value is damaged");
        c->out = (int64_t)value_seed(value.data, value.size);
        if (lrd_value_entry(T->store, &value, &entry) == LRD_OK)
            *version = entry.version;
    }
    CHECK_OK(lrd_release(T->store, &value));
    return LRD_OK;
}

/* Compute a value once, like a host: reserve the key, get the value, put it after a miss,
 * unlock. */
static int fill(unsigned o, lin_call *c)
{
    static const char *const name = "fill";
    uint64_t version;
    int end, code = lrd_lock(T->store, name, 4, 0, 50, NULL);
    if (code != LRD_OK)
        return code == LRD_HELD ? LRD_EBUSY : code;
    code = get(o, c, &version);
    if (code == LRD_MISS) {
        c->out = c->a;
        code = put(o, c->a, (lrd_write){0});
    }
    while ((end = lrd_unlock(T->store, name, 4, 0)) == LRD_EBUSY)
        continue;
    CHECK_CODE(end, LRD_OK);
    return code;
}

static int64_t new_value(void) { return (int64_t)atomic_fetch_add(&shared->values, 1) + 1; }

static void cell_call(lin_kind kind, unsigned o)
{
    lrd_store *store = T->store;
    size_t length;
    const char *key = key_of(o, &length);
    lin_call *c = call_begin(kind, o);
    uint64_t version = 0, ttl = 0;
    int code;
    if (T->objects[o].ends && T->policy != LRD_PINNED && !dice(4))
        ttl = 3 + random_below(&chance, 60);
    if (kind == LIN_SET || kind == LIN_ADD || kind == LIN_REPLACE || kind == LIN_TOUCH ||
        kind == LIN_COUNT || kind == LIN_NUMBER)
        c->ttl = ttl;
    c->a = kind == LIN_SET || kind == LIN_ADD || kind == LIN_REPLACE || kind == LIN_FILL
               ? new_value()
               : (int64_t)random_below(&chance, 5) - 1;
    c->b =
        kind == LIN_REPLACE || kind == LIN_TAKE ? seen[o].value : (int64_t)random_below(&chance, 3);
    if ((kind == LIN_REPLACE || kind == LIN_TAKE) && seen[o].version == 0)
        return;
    if (kind == LIN_SWAP)
        c->b = seen[o].version == 0 ? seen[o].value : 1;
    call_go(c);
    switch (kind) {
    case LIN_GET:
        code = get(o, c, &version);
        if (code == LRD_OK) {
            seen[o].value = c->out;
            seen[o].version = version;
            c->b = (int64_t)version;
        }
        break;
    case LIN_HAS:
        code = lrd_has(store, key, length);
        break;
    case LIN_SET:
        code = put(o, c->a, (lrd_write){.ttl_ms = ttl});
        break;
    case LIN_ADD:
        code = put(o, c->a, (lrd_write){.ttl_ms = ttl, .mode = LRD_ADD});
        break;
    case LIN_REPLACE:
        code = put(o, c->a,
                   (lrd_write){.ttl_ms = ttl, .mode = LRD_REPLACE, .version = seen[o].version});
        break;
    case LIN_DELETE:
        code = lrd_delete(store, key, length);
        break;
    case LIN_TAKE:
        code = lrd_delete_version(store, key, length, seen[o].version, 0);
        break;
    case LIN_TOUCH:
        code = lrd_touch(store, key, length, ttl);
        break;
    case LIN_COUNT:
        code = lrd_counter_add(store, key, length, c->a, c->b, ttl, &c->out);
        break;
    case LIN_UPDATE:
        code = lrd_counter_update(store, key, length, c->a, &c->out);
        break;
    case LIN_SWAP:
        code = lrd_counter_swap(store, key, length, c->b, c->a);
        break;
    case LIN_NUMBER:
        code = lrd_counter_set(store, key, length, c->a, ttl);
        break;
    default:
        code = fill(o, c);
    }
    call_end(c, code);
}

static void lock_call(lin_kind kind, unsigned o)
{
    size_t length;
    const char *key = key_of(o, &length);
    lin_call *c = call_begin(kind, o);
    uint64_t wait = my_lane != 0 && dice(3) ? 1 : 0;
    if (kind == LIN_LOCK_TAKE && T->objects[o].ends)
        c->ttl = 3 + random_below(&chance, 40);
    call_go(c);
    if (kind == LIN_LOCK_TAKE)
        call_end(c, lrd_lock(T->store, key, length, c->ttl, wait, NULL));
    else
        call_end(c, lrd_unlock(T->store, key, length, 0));
}

/* ---- calls of queues ---- */

static int queue_push(unsigned o, lin_call *c)
{
    char body[300];
    size_t length, size = 16 + random_below(&chance, 280);
    const char *key = key_of(o, &length);
    lrd_push how = {.priority = (int32_t)c->b};
    uint64_t id;
    value_fill(body, size, key, length, (uint64_t)c->a);
    int code = lrd_queue_push(T->store, queues[o], body, size, 1, &how, &id);
    if (code == LRD_OK)
        atomic_store(&shared->id[o][c->a], id + 1);
    return code;
}

static int queue_pop(unsigned o, lin_call *c)
{
    lrd_message m;
    size_t length;
    const char *key = key_of(o, &length);
    uint64_t wait = my_lane != 0 && dice(8) ? 1 : 0;
    int code = lrd_queue_pop(T->store, queues[o], dice(2) ? LRD_GET_BORROW : 0, wait, c->ttl, &m);
    if (code != LRD_OK)
        return code;
    c->out = (int64_t)value_seed(m.value.data, m.value.size);
    if (!value_valid(m.value.data, m.value.size, key, length) || c->out < 0 ||
        c->out >= LIN_MESSAGES)
        damaged("a message is damaged");
    else
        atomic_store(&shared->id[o][c->out], m.id + 1);
    CHECK_OK(lrd_release(T->store, &m.value));
    return LRD_OK;
}

/* for each queue: 1 + the number of the message that this process has popped last */
static int64_t mine[OBJECTS];

static void queue_call(lin_kind kind, unsigned o)
{
    lin_call *c = call_begin(kind, o);
    int code;
    if (kind == LIN_PUSH) {
        c->a = atomic_load(&shared->messages[o]);
        if (c->a >= LIN_MESSAGES)
            return;
        c->a = atomic_fetch_add(&shared->messages[o], 1);
        if (c->a >= LIN_MESSAGES)
            return;
        c->b = (int64_t)random_below(&chance, 3) - 1;
    } else if (kind == LIN_KICK) {
        c->a = my_lane == 0 ? 1000 : 1 + (int64_t)random_below(&chance, 3);
    } else if (kind == LIN_POP) {
        c->ttl = T->objects[o].ends && my_lane != 0 ? 3 + random_below(&chance, 40) : 0;
    } else {
        bool own = mine[o] != 0 && (kind != LIN_REMOVE || dice(2));
        c->a = own ? mine[o] - 1 : (int64_t)random_below(&chance, LIN_MESSAGES);
        if (atomic_load(&shared->id[o][c->a]) == 0)
            return;
    }
    call_go(c);
    uint64_t id = kind == LIN_PUSH || kind == LIN_KICK || kind == LIN_POP
                      ? 0
                      : atomic_load(&shared->id[o][c->a]) - 1;
    uint64_t count = 0;
    switch (kind) {
    case LIN_PUSH:
        code = queue_push(o, c);
        break;
    case LIN_POP:
        code = queue_pop(o, c);
        if (code == LRD_OK)
            mine[o] = c->out + 1;
        break;
    case LIN_ACK:
        code = lrd_queue_ack(T->store, queues[o], id);
        break;
    case LIN_RELEASE:
        code = lrd_queue_release(T->store, queues[o], id, 0);
        break;
    case LIN_BURY:
        code = lrd_queue_bury(T->store, queues[o], id);
        break;
    case LIN_REMOVE:
        code = lrd_queue_remove(T->store, queues[o], id);
        break;
    default:
        code = lrd_queue_kick(T->store, queues[o], (uint64_t)c->a, &count);
        c->out = (int64_t)count;
    }
    call_end(c, code);
}

static void object_call(lin_kind kind, unsigned o)
{
    switch (T->objects[o].model) {
    case LIN_CELL:
        cell_call(kind, o);
        break;
    case LIN_LOCK:
        lock_call(kind, o);
        break;
    default:
        queue_call(kind, o);
    }
}

/* ---- a process ---- */

/* The process dies after this number of fail points; 0: at none. */
static uint64_t passes_left;

static void at_failpoint(const char *name, void *arg)
{
    (void)name;
    (void)arg;
    if (passes_left != 0 && --passes_left == 0)
        kill(getpid(), SIGKILL);
    if (dice(24))
        sched_yield();
    else if (dice(400))
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

static void stall(int signal)
{
    int saved = errno;
    (void)signal;
    sched_yield();
    errno = saved;
}

static void timer_start(int signal_number, uint64_t ns)
{
    static timer_t timers[2];
    static bool made[2];
    unsigned which = signal_number == SIGKILL;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal_number};
    struct itimerspec at = {.it_value.tv_nsec = (long)ns + 1};
    if (!made[which])
        CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timers[which]), 0);
    made[which] = true;
    CHECK_EQ(timer_settime(timers[which], 0, &at, NULL), 0);
}

static void call_one(void)
{
    unsigned o = (unsigned)random_below(&chance, T->count);
    const object *it = &T->objects[o];
    unsigned kind;
    do
        kind = (unsigned)random_below(&chance, LIN_KINDS);
    while ((it->calls & BIT(kind)) == 0);
    if (T->policy == LRD_PINNED && kind == LIN_TOUCH)
        return;
    if (atomic_fetch_add(&shared->calls[o], 1) >= OBJECT_CALLS)
        return;
    object_call((lin_kind)kind, o);
}

static void work(void)
{
    lane *l = &shared->lanes[my_lane];
    uint32_t left = atomic_load(&l->left);
    unsigned death = l->deaths < DEATHS ? (unsigned)random_below(&chance, 3) : 0;
    uint32_t dies_at = left > 1 ? (uint32_t)random_below(&chance, left) : 0;
    alarm(HANG_SECONDS);
    signal(SIGUSR1, stall);
    failpoint_hook(at_failpoint, NULL);
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < LANES - 1)
        sched_yield();
    for (; left > 0; left--) {
        atomic_store(&l->left, left - 1);
        if (left - 1 == dies_at && death == 1)
            passes_left = 1 + random_below(&chance, 60);
        else if (left - 1 == dies_at && death == 2)
            timer_start(SIGKILL, random_below(&chance, 40000));
        else if (dice(8))
            timer_start(SIGUSR1, random_below(&chance, 8000));
        if (dice(30))
            atomic_fetch_add(the_clock, 1 + random_below(&chance, 12));
        if (dice(10))
            sched_yield();
        call_one();
    }
    if (dice(2))
        lrd_thread_leave(T->store);
}

static pid_t process[LANES];
static unsigned numbers;

static void spawn(unsigned at)
{
    pid_t parent = getpid();
    uint64_t seed = mix(random_next(&chance)) | 1;
    shared->lanes[at].process = (uint8_t)++numbers;
    shared->lanes[at].last = atomic_fetch_add(&shared->stamp, 1) + 1;
    process[at] = fork();
    CHECK(process[at] >= 0);
    if (process[at] != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    memset(seen, 0, sizeof seen);
    chance = seed;
    my_lane = at;
    my_number = shared->lanes[at].process;
    work();
    _exit(0);
}

/* ---- a round ---- */

static uint64_t kills, histories, unfinished, bad, calls_all, left_out, busiest;

/* Add LIN_ENDED to the history of each lock or queue that this lane's ended process has used. */
static void note_end(unsigned at)
{
    lane *l = &shared->lanes[at];
    uint64_t last = l->last, clock = clock_read(the_clock);
    for (uint32_t i = 0; i < atomic_load(&l->count); i++) {
        lin_call *c = &l->call[i];
        if (c->process != l->process)
            continue;
        if (c->end == 0)
            c->clock_to = clock;
        last = c->end > last ? c->end : c->begin > last ? c->begin : last;
    }
    for (unsigned o = 0; o < T->count; o++) {
        if (T->objects[o].model == LIN_CELL)
            continue;
        bool uses = false;
        for (uint32_t i = 0; i < atomic_load(&l->count) && !uses; i++)
            uses = l->call[i].process == l->process && l->call[i].object == o;
        if (!uses)
            continue;
        lin_call *c = call_begin(LIN_ENDED, o);
        c->a = l->process;
        call_go(c);
        call_end(c, LRD_OK);
        c->begin = last;
    }
}

static void round_wait(void)
{
    for (unsigned running = LANES - 1; running > 0;) {
        int status;
        pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0 && errno == EINTR)
            continue;
        CHECK(pid > 0);
        unsigned at = 1;
        while (process[at] != pid)
            at++;
        note_end(at);
        bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        if (!killed)
            check_child(__FILE__, __LINE__, status);
        kills += killed;
        shared->lanes[at].deaths += killed;
        if (killed && atomic_load(&shared->lanes[at].left) > 0)
            spawn(at);
        else
            running--;
    }
}

static void round_empty(void)
{
    my_lane = 0;
    my_number = (uint8_t)++numbers;
    for (unsigned o = 0; o < T->count; o++) {
        lane *l = &shared->lanes[0];
        lin_model model = T->objects[o].model;
        mine[o] = 0;
        if (model == LIN_CELL) {
            object_call(LIN_GET, o);
            object_call(LIN_DELETE, o);
            object_call(LIN_GET, o);
        } else if (model == LIN_LOCK) {
            object_call(LIN_LOCK_TAKE, o);
            object_call(LIN_LOCK_END, o);
        } else {
            object_call(LIN_KICK, o);
            do {
                object_call(LIN_POP, o);
                int code = l->call[atomic_load(&l->count) - 1].answer;
                if (code != LRD_OK && code != LRD_EBUSY)
                    break;
                if (code == LRD_OK)
                    object_call(LIN_ACK, o);
            } while (true);
        }
    }
}

static bool is_known_answer(int code)
{
    return code >= 0 || code == LRD_EBUSY || code == LRD_ETYPE || code == LRD_EDEADLK;
}

static void gather(unsigned o, lin_history *h)
{
    h->model = T->objects[o].model;
    h->count = 0;
    for (unsigned at = 0; at < LANES; at++) {
        const lane *l = &shared->lanes[at];
        for (uint32_t i = 0; i < atomic_load(&l->count); i++) {
            const lin_call *c = &l->call[i];
            if (c->object != o)
                continue;
            bool ended = c->end != 0;
            calls_all += c->kind != LIN_ENDED;
            unfinished += !ended;
            if (ended && !is_known_answer(c->answer)) {
                damaged("an answer was not expected");
                fprintf(stderr, "call %d of %s answered %s\n", c->kind, T->objects[o].name,
                        lrd_error_name(c->answer));
            }
            if (ended && (c->answer == LRD_EBUSY || c->answer == LRD_INTR)) {
                left_out++;
                continue;
            }
            CHECK(h->count < LIN_CALLS);
            h->call[h->count++] = *c;
        }
    }
    busiest = h->count > busiest ? h->count : busiest;
}

/* Check that values and versions correspond one to one. */
static void check_versions(const lin_history *h)
{
    for (unsigned i = 0; i < h->count; i++)
        for (unsigned n = 0; n < i; n++) {
            const lin_call *c = &h->call[i], *d = &h->call[n];
            if (c->kind == LIN_GET && d->kind == LIN_GET && c->b != 0 && d->b != 0 &&
                c->answer == LRD_OK && d->answer == LRD_OK && c->end != 0 && d->end != 0 &&
                !c->counter && !d->counter && (c->out == d->out) != (c->b == d->b))
                damaged("a version is that of another value");
        }
}

static void judge(unsigned o)
{
    static lin_history h;
    gather(o, &h);
    if (h.model == LIN_CELL)
        check_versions(&h);
    histories++;
    lin_verdict verdict = lin_check(&h);
    if (verdict == LIN_EXPLAINED)
        return;
    if (bad++ >= 5)
        return;
    fprintf(stderr, "%s, in a %s store: %s\n", T->objects[o].name, T->name,
            verdict == LIN_UNDECIDED ? "no verdict" : "no order explains it");
    if (verdict == LIN_NOT_EXPLAINED)
        lin_shorten(&h);
    lin_print(stderr, &h);
}

static void round_run(theme *t)
{
    /* Keep the count of values, so that each round uses new numbers. */
    uint32_t values = atomic_load(&shared->values);
    T = t;
    memset(shared, 0, sizeof *shared);
    atomic_store(&shared->values, values);
    numbers = 0;
    my_lane = 0;
    for (unsigned at = 1; at < LANES; at++)
        atomic_store(&shared->lanes[at].left, t->calls);
    for (unsigned at = 1; at < LANES; at++)
        spawn(at);
    round_wait();
    round_empty();
    for (unsigned o = 0; o < t->count; o++)
        judge(o);
    bad += atomic_load(&shared->damaged);
}

/* ---- main ---- */

static void stores_make(void)
{
    the_clock = clock_new();
    shared = shared_memory(sizeof *shared);
    for (unsigned i = 0; i < THEMES; i++)
        themes[i].store = store_with_clock(themes[i].policy, themes[i].size, 2, the_clock);
    for (unsigned q = 0; q < 4; q++)
        CHECK_OK(lrd_queue_open(themes[3].store, queue_objects[q].name,
                                strlen(queue_objects[q].name), 0, &queues[q]));
}

static void stores_check(void)
{
    for (unsigned i = 0; i < THEMES; i++) {
        CHECK_FSCK(themes[i].store);
        CHECK_EQ(stats_of(themes[i].store).evicted, 0);
        CHECK_EQ(stats_of(themes[i].store).emptied_shards, 0);
    }
}

static void run(void *unused)
{
    (void)unused;
    chance = test_seed(20240911);
    stores_make();
    for (uint64_t round = 0; calls_all < settings.calls && bad == 0; round++) {
        round_run(&themes[round % THEMES]);
        if (round % 200 == 199)
            stores_check();
    }
    if (bad == 0)
        stores_check();
    printf("calls=%llu histories=%llu kills=%llu unfinished=%llu left_out=%llu longest=%llu "
           "steps=%llu not_explained=%llu\n",
           (unsigned long long)calls_all, (unsigned long long)histories, (unsigned long long)kills,
           (unsigned long long)unfinished, (unsigned long long)left_out,
           (unsigned long long)busiest, (unsigned long long)lin_steps(), (unsigned long long)bad);
    fflush(stdout);
    _exit(bad == 0 ? 0 : 1);
}

static bool break_core(const char *name)
{
#ifdef LRD_CONTROLS
    static const struct {
        const char *name;
        bool *flag;
    } controls[] = {{"forget-owner", &lrd__control_forget_owner},
                    {"fill-late", &lrd__control_fill_late},
                    {"stamp-late", &lrd__control_stamp_late},
                    {"publish-first", &lrd__control_publish_first}};
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (strcmp(controls[i].name, name) == 0)
            return *controls[i].flag = true;
#endif
    (void)name;
    return false;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *rest = "";
        if (strcmp(argv[i], "--control") == 0)
            return planted_check() ? 0 : 1;
        if (strcmp(argv[i], "--long") == 0)
            settings.calls = LONG_CALLS;
        else if (strcmp(argv[i], "--calls") == 0 && i + 1 < argc)
            settings.calls = strtoull(argv[++i], &rest, 10);
        else if (strcmp(argv[i], "--break") != 0 || i + 1 == argc || !break_core(argv[++i]))
            rest = "?";
        if (*rest != '\0' || settings.calls == 0) {
            fprintf(stderr, "usage: histories [--long] [--calls N] [--control] [--break NAME]\n");
            return 2;
        }
    }
    /* A failed check ends the process, so run in a child. */
    return run_in_child(run, NULL) == 0 ? 0 : 1;
}
