/* litmus.h - tries all executions of a small program that the ARMv8 memory model allows. Finds out
 * if any of these executions is bad. The program, called a shape, has a few threads of a few
 * instructions (litmus_test.c). Begin reading at litmus_reaches().
 *
 * The model: the Arm Architecture Reference Manual, "Definition of the Armv8 memory model" (B2.3),
 * as W. Deacon and J. Alglave formalised it and C. Pulte and others explain it ("Simplifying ARM
 * Concurrency", POPL 2018). An execution is the events of the threads, rf (the store that each load
 * reads) and co (the order of the stores to each location). It is allowed if
 *   internal   po-loc | rf | co | fr                                          has no cycle
 *   external   obs | aob | bob, where obs = rfe | coe | fre                   has no cycle
 *   atomic     no store of another thread comes between the two halves of a read-modify-write
 *   aob        the two halves; a store-exclusive to a load-acquire that reads it
 *   bob        across dmb ish; from a load-acquire to all after it; to a store-release from all
 *              before it; from a store-release to a later ldar (not to an ldapr)
 * Dependencies (dob) are left out, because a C compiler may break them.
 *
 * C is compiled as: acquire load ldapr, seq_cst load ldar, release and seq_cst store stlr, seq_cst
 * fence dmb ish. A read-modify-write is ldaxr/stlxr (or its LSE form): its load is an acquire and
 * its store a release if its order says so.
 *
 * membarrier(2) is a full fence of its caller, and a full fence at some instruction of each other
 * thread. The model tries every instruction for this second fence. Accesses before either fence are
 * ordered before accesses after the other one.
 *
 * A thread is a C function, run once for each sequence of values that its loads could return. The
 * model combines the runs, and drops combinations in which a load returns a value that no store has
 * stored. */
#ifndef LRD_TESTS_LITMUS_H
#define LRD_TESTS_LITMUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LITMUS_THREADS 3
#define LITMUS_LOCATIONS 6
#define LITMUS_VALUES 4  /* 0 .. 3 */
#define LITMUS_EVENTS 16 /* maximum number of events of a thread */
#define LITMUS_ALL 32    /* maximum number of events of all threads, and of initial stores */
#define LITMUS_TRACES 4096
#define LITMUS_REGISTERS 6

enum litmus_order { RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };
enum litmus_kind { LITMUS_LOAD, LITMUS_STORE, LITMUS_FENCE, LITMUS_MEMBARRIER };

typedef struct litmus_event {
    uint8_t kind, location, value;
    bool acquire, sc; /* for a load: `acquire` is true for ldapr and ldar, `sc` only for ldar */
    bool release;     /* for a store: true for stlr, false for str */
    /* for the store of a read-modify-write: the index of the event of its load; otherwise -1 */
    int8_t pair;
    int8_t thread; /* -1: an initial store */
} litmus_event;

/* One way through a thread. */
typedef struct litmus_trace {
    litmus_event event[LITMUS_EVENTS];
    uint32_t count;
    int out[LITMUS_REGISTERS];
} litmus_trace;

typedef struct litmus_thread {
    litmus_trace trace;
    uint8_t choice[LITMUS_EVENTS], bound[LITMUS_EVENTS];
    uint32_t choices, next;
} litmus_thread;

typedef struct litmus_outcome {
    const int *out[LITMUS_THREADS];
    int final[LITMUS_LOCATIONS];
} litmus_outcome;

typedef struct litmus_shape {
    void (*thread[LITMUS_THREADS])(litmus_thread *t); /* NULL ends the list of threads */
    int initial[LITMUS_LOCATIONS];
    bool (*bad)(const litmus_outcome *o);
} litmus_shape;

/* number of the barrier that the shape leaves out on purpose; 0 keeps all barriers */
static int litmus_broken;

static inline void litmus_require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "litmus: more than the program can hold: %s\n", what);
    abort();
}

/* ---- the instructions of threads ---- */

/* Return a number below `bound`. The thread is run once for each of these numbers. */
static inline int choose(litmus_thread *t, int bound)
{
    litmus_require(t->next < LITMUS_EVENTS, "choices");
    if (t->next == t->choices) {
        t->choice[t->choices] = 0;
        t->bound[t->choices++] = (uint8_t)bound;
    }
    return t->choice[t->next++];
}

static inline litmus_event *litmus_add(litmus_thread *t, enum litmus_kind kind, int location,
                                       int value)
{
    litmus_require(t->trace.count < LITMUS_EVENTS && location < LITMUS_LOCATIONS && value >= 0 &&
                       value < LITMUS_VALUES,
                   "events");
    litmus_event *event = &t->trace.event[t->trace.count++];
    *event = (litmus_event){
        .kind = (uint8_t)kind, .location = (uint8_t)location, .value = (uint8_t)value, .pair = -1};
    return event;
}

static inline int load(litmus_thread *t, int location, enum litmus_order order)
{
    litmus_event *event = litmus_add(t, LITMUS_LOAD, location, choose(t, LITMUS_VALUES));
    event->acquire = order == ACQUIRE || order == ACQ_REL || order == SEQ_CST;
    event->sc = order == SEQ_CST;
    return event->value;
}

static inline void store(litmus_thread *t, int location, int value, enum litmus_order order)
{
    litmus_event *event = litmus_add(t, LITMUS_STORE, location, value);
    event->release = order == RELEASE || order == ACQ_REL || order == SEQ_CST;
}

static inline void fence(litmus_thread *t) { litmus_add(t, LITMUS_FENCE, 0, 0); }
static inline void membarrier(litmus_thread *t) { litmus_add(t, LITMUS_MEMBARRIER, 0, 0); }

/* Compare-and-swap; returns the previous value. */
static inline int swap(litmus_thread *t, int location, int expected, int wanted,
                       enum litmus_order order)
{
    int half = (int)t->trace.count, old = load(t, location, order == RELEASE ? RELAXED : order);
    t->trace.event[half].sc = t->trace.event[half].acquire; /* this is an ldaxr, and not an ldapr */
    if (old != expected)
        return old;
    store(t, location, wanted, order == ACQUIRE ? RELAXED : order);
    t->trace.event[half + 1].pair = (int8_t)half;
    return old;
}

/* Fetch a location and add to it. Returns the old value. If the sum would reach LITMUS_VALUES,
 * stores nothing and returns -1. */
static inline int add(litmus_thread *t, int location, int step, enum litmus_order order)
{
    int half = (int)t->trace.count, old = load(t, location, order == RELEASE ? RELAXED : order);
    t->trace.event[half].sc = t->trace.event[half].acquire;
    if (old + step >= LITMUS_VALUES)
        return -1;
    store(t, location, old + step, order == ACQUIRE ? RELAXED : order);
    t->trace.event[half + 1].pair = (int8_t)half;
    return old;
}

static inline void out(litmus_thread *t, int number, int value) { t->trace.out[number] = value; }

/* ---- all ways through a thread ---- */

static inline uint32_t litmus_traces(void (*run)(litmus_thread *t), litmus_trace *traces)
{
    litmus_thread *t = calloc(1, sizeof *t);
    uint32_t count = 0;
    litmus_require(t != NULL, "memory");
    for (;;) {
        memset(&t->trace, 0, sizeof t->trace);
        t->next = 0;
        run(t);
        litmus_require(count < LITMUS_TRACES, "ways");
        traces[count++] = t->trace;
        t->choices = t->next;
        while (t->choices > 0 && t->choice[t->choices - 1] + 1 == t->bound[t->choices - 1])
            t->choices--;
        if (t->choices == 0)
            break;
        t->choice[t->choices - 1]++;
    }
    free(t);
    return count;
}

/* ---- executions ---- */

typedef struct litmus_run {
    const litmus_shape *shape;
    litmus_trace *traces[LITMUS_THREADS];
    uint32_t ways[LITMUS_THREADS], threads;
    const litmus_trace *chosen[LITMUS_THREADS];
    litmus_event event[LITMUS_ALL];
    uint32_t first[LITMUS_THREADS + 1]; /* events of a thread, in program order */
    uint32_t count;
    int8_t from[LITMUS_ALL]; /* for each load: the event that stored the loaded value */
    /* for each store: its position in the order of all stores to the same location */
    uint8_t place[LITMUS_ALL];
    /* split[m][t]: membarrier m acts on thread t after this number of events of thread t */
    uint32_t split[LITMUS_ALL][LITMUS_THREADS];
    uint64_t allowed;
    bool reached; /* true if some allowed execution is bad */
} litmus_run;

/* bit b of row a is set if event a comes before event b */
typedef uint32_t litmus_relation[LITMUS_ALL];

static inline bool litmus_acyclic(litmus_relation r, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t a = 0; a < count; a++)
            if (r[a] >> k & 1)
                r[a] |= r[k];
    for (uint32_t a = 0; a < count; a++)
        if (r[a] >> a & 1)
            return false;
    return true;
}

static inline bool litmus_accesses(const litmus_event *event)
{
    return event->kind == LITMUS_LOAD || event->kind == LITMUS_STORE;
}

/* Compute rf, co and fr. If `external` is true, include only pairs of different threads. */
static inline void litmus_communicate(const litmus_run *run, litmus_relation r, bool external)
{
    for (uint32_t a = 0; a < run->count; a++)
        for (uint32_t b = 0; b < run->count; b++) {
            const litmus_event *x = run->event + a, *y = run->event + b;
            if (a == b || !litmus_accesses(x) || !litmus_accesses(y) ||
                x->location != y->location || (external && x->thread == y->thread))
                continue;
            bool rf = y->kind == LITMUS_LOAD && run->from[b] == (int)a;
            bool co =
                x->kind == LITMUS_STORE && y->kind == LITMUS_STORE && run->place[a] < run->place[b];
            bool fr = x->kind == LITMUS_LOAD && y->kind == LITMUS_STORE &&
                      run->place[run->from[a]] < run->place[b];
            if (rf || co || fr)
                r[a] |= 1u << b;
        }
}

static inline bool litmus_internal(const litmus_run *run)
{
    litmus_relation r = {0};
    litmus_communicate(run, r, false);
    for (uint32_t t = 0; t < run->threads; t++)
        for (uint32_t a = run->first[t]; a < run->first[t + 1]; a++)
            for (uint32_t b = a + 1; b < run->first[t + 1]; b++)
                if (litmus_accesses(run->event + a) && litmus_accesses(run->event + b) &&
                    run->event[a].location == run->event[b].location)
                    r[a] |= 1u << b;
    return litmus_acyclic(r, run->count);
}

/* True if a and b must stay in program order. */
static inline bool litmus_kept(const litmus_run *run, uint32_t a, uint32_t b)
{
    const litmus_event *x = run->event + a, *y = run->event + b;
    if (x->acquire || y->release || (x->release && y->sc) || y->pair == (int)a)
        return true;
    for (uint32_t f = a + 1; f < b; f++)
        if (run->event[f].kind == LITMUS_FENCE || run->event[f].kind == LITMUS_MEMBARRIER)
            return true;
    return x->pair >= 0 && y->acquire && run->from[b] == (int)a;
}

static inline void litmus_across(const litmus_run *run, litmus_relation r, uint32_t barrier)
{
    const litmus_event *event = run->event + barrier;
    for (uint32_t t = 0; t < run->threads; t++) {
        uint32_t split = run->first[t] + run->split[barrier][t];
        if ((int)t == event->thread)
            continue;
        for (uint32_t a = run->first[t]; a < run->first[t + 1]; a++) {
            for (uint32_t b = split; a < split && b < run->first[t + 1]; b++)
                r[a] |= 1u << b;
            for (uint32_t b = run->first[event->thread]; b < run->first[event->thread + 1]; b++)
                if (a < split && b > barrier)
                    r[a] |= 1u << b;
                else if (a >= split && b < barrier)
                    r[b] |= 1u << a;
        }
    }
}

static inline bool litmus_external(const litmus_run *run)
{
    litmus_relation r = {0};
    litmus_communicate(run, r, true);
    for (uint32_t t = 0; t < run->threads; t++)
        for (uint32_t a = run->first[t]; a < run->first[t + 1]; a++) {
            for (uint32_t b = a + 1; b < run->first[t + 1]; b++)
                if (litmus_accesses(run->event + a) && litmus_accesses(run->event + b) &&
                    litmus_kept(run, a, b))
                    r[a] |= 1u << b;
            if (run->event[a].kind == LITMUS_MEMBARRIER)
                litmus_across(run, r, a);
        }
    return litmus_acyclic(r, run->count);
}

static inline bool litmus_atomic(const litmus_run *run)
{
    for (uint32_t b = 0; b < run->count; b++) {
        const litmus_event *y = run->event + b;
        if (y->kind != LITMUS_STORE || y->pair < 0)
            continue;
        for (uint32_t c = 0; c < run->count; c++)
            if (run->event[c].kind == LITMUS_STORE && run->event[c].location == y->location &&
                run->event[c].thread != y->thread && run->place[c] < run->place[b] &&
                run->place[c] > run->place[run->from[y->pair]])
                return false;
    }
    return true;
}

static inline void litmus_judge(litmus_run *run)
{
    if (!litmus_internal(run) || !litmus_atomic(run) || !litmus_external(run))
        return;
    litmus_outcome outcome;
    uint8_t last[LITMUS_LOCATIONS] = {0};
    for (uint32_t t = 0; t < run->threads; t++)
        outcome.out[t] = run->chosen[t]->out;
    for (uint32_t i = 0; i < run->count; i++) {
        const litmus_event *event = run->event + i;
        if (event->kind != LITMUS_STORE || run->place[i] < last[event->location])
            continue;
        last[event->location] = run->place[i];
        outcome.final[event->location] = event->value;
    }
    run->allowed++;
    run->reached = run->reached || run->shape->bad(&outcome);
}

/* Try each instruction of `thread` as the one at which the membarrier `event` acts. */
static inline void litmus_split(litmus_run *run, uint32_t event, uint32_t thread)
{
    while (event < run->count && run->event[event].kind != LITMUS_MEMBARRIER)
        event++;
    if (event == run->count) {
        litmus_judge(run);
        return;
    }
    if (thread == run->threads) {
        litmus_split(run, event + 1, 0);
        return;
    }
    uint32_t length = run->first[thread + 1] - run->first[thread];
    if ((int)thread == run->event[event].thread)
        length = 0;
    for (uint32_t at = 0; at <= length; at++) {
        run->split[event][thread] = at;
        litmus_split(run, event, thread + 1);
    }
}

/* Try each order of the stores of each location. Initial stores have position 0. */
static inline void litmus_order_stores(litmus_run *run, uint32_t event,
                                       uint32_t taken[LITMUS_LOCATIONS],
                                       const uint32_t stores[LITMUS_LOCATIONS])
{
    while (event < run->count &&
           (run->event[event].kind != LITMUS_STORE || run->event[event].thread < 0))
        event++;
    if (event == run->count) {
        litmus_split(run, 0, 0);
        return;
    }
    uint32_t location = run->event[event].location;
    for (uint32_t place = 1; place <= stores[location]; place++) {
        if (taken[location] >> place & 1)
            continue;
        taken[location] |= 1u << place;
        run->place[event] = (uint8_t)place;
        litmus_order_stores(run, event + 1, taken, stores);
        taken[location] &= ~(1u << place);
    }
}

/* Try each store that a load could have read. */
static inline void litmus_read_from(litmus_run *run, uint32_t event)
{
    while (event < run->count && run->event[event].kind != LITMUS_LOAD)
        event++;
    if (event == run->count) {
        uint32_t stores[LITMUS_LOCATIONS] = {0}, taken[LITMUS_LOCATIONS] = {0};
        for (uint32_t i = 0; i < run->count; i++)
            stores[run->event[i].location] +=
                run->event[i].kind == LITMUS_STORE && run->event[i].thread >= 0;
        litmus_order_stores(run, 0, taken, stores);
        return;
    }
    for (uint32_t i = 0; i < run->count; i++)
        if (run->event[i].kind == LITMUS_STORE &&
            run->event[i].location == run->event[event].location &&
            run->event[i].value == run->event[event].value) {
            run->from[event] = (int8_t)i;
            litmus_read_from(run, event + 1);
        }
}

/* Combine the chosen run of each thread into one execution. */
static inline void litmus_execute(litmus_run *run)
{
    run->count = 0;
    for (uint32_t t = 0; t < run->threads; t++) {
        run->first[t] = run->count;
        for (uint32_t i = 0; i < run->chosen[t]->count; i++) {
            litmus_require(run->count < LITMUS_ALL, "events of all threads");
            litmus_event *event = &run->event[run->count++];
            *event = run->chosen[t]->event[i];
            event->thread = (int8_t)t;
            if (event->pair >= 0)
                event->pair = (int8_t)(event->pair + (int)run->first[t]);
        }
    }
    run->first[run->threads] = run->count;
    for (uint32_t location = 0; location < LITMUS_LOCATIONS; location++) {
        litmus_require(run->count < LITMUS_ALL, "initial stores");
        run->place[run->count] = 0;
        run->event[run->count++] = (litmus_event){.kind = LITMUS_STORE,
                                                  .location = (uint8_t)location,
                                                  .value = (uint8_t)run->shape->initial[location],
                                                  .pair = -1,
                                                  .thread = -1};
    }
    litmus_read_from(run, 0);
}

static inline void litmus_combine(litmus_run *run, uint32_t thread)
{
    if (thread == run->threads) {
        litmus_execute(run);
        return;
    }
    for (uint32_t i = 0; i < run->ways[thread]; i++) {
        run->chosen[thread] = run->traces[thread] + i;
        litmus_combine(run, thread + 1);
    }
}

/* Return true if some allowed execution of the shape is bad. Sets *allowed to the number of allowed
 * executions. */
static inline bool litmus_reaches(const litmus_shape *shape, uint64_t *allowed)
{
    litmus_run *run = calloc(1, sizeof *run);
    litmus_require(run != NULL, "memory");
    run->shape = shape;
    for (; run->threads < LITMUS_THREADS && shape->thread[run->threads] != NULL; run->threads++) {
        litmus_trace *traces = calloc(LITMUS_TRACES, sizeof *traces);
        litmus_require(traces != NULL, "memory");
        run->traces[run->threads] = traces;
        run->ways[run->threads] = litmus_traces(shape->thread[run->threads], traces);
    }
    litmus_combine(run, 0);
    bool reached = run->reached;
    *allowed = run->allowed;
    for (uint32_t t = 0; t < run->threads; t++)
        free(run->traces[t]);
    free(run);
    return reached;
}

#endif
