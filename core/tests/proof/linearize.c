/* linearize.c - see linearize.h. The search is that of J. Wing and C. Gong ("Testing and verifying
 * concurrent objects", 1993): choose a call that began before any remaining call ended, apply it to
 * the state, and continue with the remaining calls. If its answer is wrong, go back and choose
 * another one. The search remembers each pair of applied calls and state, as G. Lowe proposed
 * ("Testing for linearizability", 2017), so it tries no pair twice. A pair is stored as a
 * fingerprint of 128 bits.
 *
 * Time. The store's clock may move during a call, so the end of a time to live is a range of times.
 * A call that read the clock within this range may answer as before the end or as after it. A touch
 * that began before the end may prolong an entry that another call has already seen as expired.
 *
 * Start reading at search(), then cell_apply(). */
#include "linearize.h"

#include "../values.h"
#include "larder.h"

#include <stdlib.h>

#define STEPS_MOST 20000000u /* most steps of one search */
#define NEVER UINT64_MAX
#define NO_END UINT32_MAX

/* ---- states ---- */

enum { NOTHING, VALUE, COUNTER };
enum { READY, BURIED, RESERVED }; /* RESERVED + n: reserved by process n */

/* Fill a state with zeros before you set its fields, because its checksum covers all bytes. */
typedef struct state {
    int64_t value;     /* key: number of its value, or its count; lock: its owner, or 0 */
    uint64_t from, to; /* the entry's life or the lock's lease ends between these times */
    uint32_t messages;
    uint32_t kind;
    /* the messages of a queue, in their order */
    uint8_t message[LIN_MESSAGES], status[LIN_MESSAGES];
    uint32_t run_from[LIN_MESSAGES], run_to[LIN_MESSAGES];
} state;

static int32_t priority[LIN_MESSAGES]; /* for each message of the history, its priority */
/* for each process, the earliest time at which it may have died */
static uint64_t dying[256];

static bool returned(const lin_call *c) { return c->end != NEVER; }

/* Return true if the call returned this code, or did not return. */
static bool answers(const lin_call *c, int code) { return !returned(c) || c->answer == code; }
static bool says(const lin_call *c, int64_t out) { return !returned(c) || c->out == out; }

static void set_end(state *s, const lin_call *c)
{
    s->from = c->ttl != 0 ? c->clock_from + c->ttl : NEVER;
    s->to = c->ttl != 0 ? c->clock_to + c->ttl : NEVER;
}

static void become(state *s, uint32_t kind, int64_t value)
{
    *s = (state){.kind = kind, .value = value, .from = NEVER, .to = NEVER};
}

/* ---- an entry ---- */

static bool store(state *s, const lin_call *c, uint32_t kind, int64_t value)
{
    become(s, kind, value);
    set_end(s, c);
    return answers(c, LRD_OK);
}

static bool cell_missing(state *s, const lin_call *c)
{
    switch (c->kind) {
    case LIN_SET:
    case LIN_ADD:
        return store(s, c, VALUE, c->a);
    case LIN_FILL:
        return store(s, c, VALUE, c->a) && says(c, c->a);
    case LIN_NUMBER:
        return store(s, c, COUNTER, c->a);
    case LIN_COUNT:
        return store(s, c, COUNTER, c->a + c->b) && says(c, c->a + c->b);
    default:
        return answers(c, LRD_MISS);
    }
}

static bool cell_count(state *s, const lin_call *c)
{
    if (s->kind != COUNTER)
        return answers(c, LRD_ETYPE);
    if (c->kind == LIN_SWAP) {
        if (s->value != c->b)
            return answers(c, LRD_STALE);
        s->value = c->a;
        return answers(c, LRD_OK);
    }
    s->value += c->a;
    return answers(c, LRD_OK) && says(c, s->value);
}

static bool cell_found(state *s, const lin_call *c)
{
    bool same = s->kind == VALUE && s->value == c->b;
    switch (c->kind) {
    case LIN_GET:
        return answers(c, LRD_OK) && says(c, s->value) &&
               (!returned(c) || (c->counter != 0) == (s->kind == COUNTER));
    case LIN_FILL:
        return answers(c, LRD_OK) && s->kind == VALUE && says(c, s->value);
    case LIN_HAS:
        return answers(c, LRD_OK);
    case LIN_SET:
        return store(s, c, VALUE, c->a);
    case LIN_NUMBER:
        return store(s, c, COUNTER, c->a);
    case LIN_ADD:
        return answers(c, LRD_EXISTS);
    case LIN_REPLACE:
        if (s->kind == COUNTER)
            return answers(c, LRD_ETYPE);
        return same ? store(s, c, VALUE, c->a) : answers(c, LRD_STALE);
    case LIN_TAKE:
        if (!same)
            return answers(c, LRD_STALE);
        become(s, NOTHING, 0);
        return answers(c, LRD_OK);
    case LIN_DELETE:
        become(s, NOTHING, 0);
        return answers(c, LRD_OK);
    case LIN_TOUCH:
        set_end(s, c);
        return answers(c, LRD_OK);
    default:
        return cell_count(s, c);
    }
}

/* Apply a call that finds the entry (way 0) or does not (way 1). Returns false if this is
 * impossible. */
static bool cell_apply(state *s, const lin_call *c, unsigned way)
{
    if (way == 0) {
        if (s->kind == NOTHING || c->clock_from >= s->to)
            return false;
        if (s->from <= c->clock_from)
            s->from = c->clock_from + 1; /* the call has seen the entry alive at this time */
        return cell_found(s, c);
    }
    if (s->kind != NOTHING && c->clock_to < s->from)
        return false;
    return cell_missing(s, c);
}

/* ---- a lock ---- */

static bool lock_end(state *s, const lin_call *c, bool over)
{
    if (s->value != c->process)
        return answers(c, LRD_MISS);
    become(s, NOTHING, 0);
    return answers(c, over ? LRD_MISS : LRD_OK);
}

static bool lock_take(state *s, const lin_call *c, bool over)
{
    if (s->value != 0 && !over)
        return answers(c, s->value == c->process ? LRD_EDEADLK : LRD_HELD);
    become(s, NOTHING, c->process);
    set_end(s, c);
    return answers(c, LRD_OK);
}

/* Apply a call to a lock: in way 0 while the owner's lease runs, in way 1 after its end. Returns
 * false if this is impossible. */
static bool lock_apply(state *s, const lin_call *c, unsigned way)
{
    bool over = way == 1;
    if (c->kind == LIN_ENDED) {
        if (s->value == c->a)
            become(s, NOTHING, 0);
        return !over;
    }
    if (over && (s->value == 0 || c->clock_to < s->from))
        return false;
    if (!over && s->value != 0 && c->clock_from >= s->to)
        return false;
    return c->kind == LIN_LOCK_TAKE ? lock_take(s, c, over) : lock_end(s, c, over);
}

/* ---- a queue ---- */

static unsigned queue_find(const state *s, int64_t message)
{
    unsigned i = 0;
    while (i < s->messages && s->message[i] != message)
        i++;
    return i;
}

static void queue_drop(state *s, unsigned i)
{
    unsigned last = --s->messages;
    for (; i < last; i++) {
        s->message[i] = s->message[i + 1];
        s->status[i] = s->status[i + 1];
        s->run_from[i] = s->run_from[i + 1];
        s->run_to[i] = s->run_to[i + 1];
    }
    s->message[last] = s->status[last] = 0;
    s->run_from[last] = s->run_to[last] = 0;
}

static void queue_append(state *s, uint8_t message, uint8_t status)
{
    unsigned last = s->messages++;
    s->message[last] = message;
    s->status[last] = status;
    s->run_from[last] = s->run_to[last] = 0;
}

static void queue_status(state *s, unsigned i, uint8_t status)
{
    s->status[i] = status;
    s->run_from[i] = s->run_to[i] = 0;
}

/* Return true if the message is ready during the whole call. */
static bool is_ready(const state *s, unsigned i, const lin_call *c)
{
    return s->status[i] == READY || (s->status[i] >= RESERVED && s->run_to[i] <= c->clock_from);
}
/* Return true if the message may be ready during the call. The messages that a dead process had
 * reserved become ready one by one. A call during this time may find any of them ready. */
static bool may_be_ready(const state *s, unsigned i, const lin_call *c)
{
    return s->status[i] == READY ||
           (s->status[i] >= RESERVED &&
            (s->run_from[i] <= c->clock_to || c->end > dying[s->status[i] - RESERVED]));
}

static uint32_t run_end(uint64_t clock, uint64_t run)
{
    return run == 0 ? NO_END : (uint32_t)(clock + run);
}

/* Pop message i. Returns false if another message must come before it. */
static bool queue_pop(state *s, const lin_call *c, unsigned i)
{
    if (i >= s->messages || !may_be_ready(s, i, c))
        return false;
    for (unsigned n = 0; n < s->messages; n++) {
        int32_t p = priority[s->message[n]], mine = priority[s->message[i]];
        if (n != i && is_ready(s, n, c) && (p > mine || (p == mine && n < i)))
            return false;
    }
    s->status[i] = (uint8_t)(RESERVED + c->process);
    s->run_from[i] = run_end(c->clock_from, c->ttl);
    s->run_to[i] = run_end(c->clock_to, c->ttl);
    return answers(c, LRD_OK) && says(c, s->message[i]);
}

static bool queue_empty(const state *s, const lin_call *c)
{
    for (unsigned n = 0; n < s->messages; n++)
        if (is_ready(s, n, c))
            return false;
    return answers(c, LRD_MISS);
}

/* Move the first buried message to the end of the queue, and give it the new status. Returns false
 * if no message is buried. */
static bool queue_move_buried(state *s, uint8_t status)
{
    unsigned n = 0;
    while (n < s->messages && s->status[n] != BURIED)
        n++;
    if (n == s->messages)
        return false;
    uint8_t message = s->message[n];
    queue_drop(s, n);
    queue_append(s, message, status);
    return true;
}

/* Kick `count` messages. A call that did not return may have kicked fewer messages than it should.
 * If `moved` is true, the calling process died between two steps of a kick: after it had moved the
 * next buried message to the end, and before it made this message ready. */
static bool queue_kick(state *s, const lin_call *c, int64_t count, bool moved)
{
    int64_t buried = 0;
    for (unsigned n = 0; n < s->messages; n++)
        buried += s->status[n] == BURIED;
    if (returned(c) && (moved || count != (buried < c->a ? buried : c->a)))
        return false;
    if (count + moved > c->a)
        return false;
    for (int64_t n = 0; n < count; n++)
        if (!queue_move_buried(s, READY))
            return false;
    return (!moved || queue_move_buried(s, BURIED)) && answers(c, LRD_OK) && says(c, count);
}

/* Apply a bury that was interrupted by the death of its process: the message was moved to the end
 * of the queue, but not marked as buried. The message becomes ready at the end of the queue (see
 * larder_queue.h). */
static bool queue_bury_torn(state *s, const lin_call *c)
{
    unsigned i = queue_find(s, c->a);
    if (returned(c) || i == s->messages || s->status[i] != RESERVED + c->process)
        return false;
    uint8_t status = s->status[i];
    uint32_t from = s->run_from[i], to = s->run_to[i];
    queue_drop(s, i);
    queue_append(s, (uint8_t)c->a, status);
    s->run_from[s->messages - 1] = from;
    s->run_to[s->messages - 1] = to;
    return true;
}

/* Apply a remove, or a call that only the owner of the message may make. If `missing` is true, the
 * call must have returned LRD_MISS. */
static bool queue_own(state *s, const lin_call *c, bool missing)
{
    unsigned i = queue_find(s, c->a);
    bool exists = i < s->messages, mine = exists && s->status[i] == RESERVED + c->process;
    bool in_time = mine && c->clock_from < s->run_to[i];
    bool removable =
        c->kind == LIN_REMOVE && exists && (s->status[i] < RESERVED || may_be_ready(s, i, c));
    if (missing && c->kind == LIN_REMOVE)
        return answers(c, LRD_MISS) &&
               (!exists || (!mine && s->status[i] >= RESERVED && !is_ready(s, i, c)));
    if (missing)
        return answers(c, LRD_MISS) && (!mine || may_be_ready(s, i, c));
    if (!in_time && !removable)
        return false;
    if (c->kind == LIN_RELEASE) {
        queue_status(s, i, READY);
    } else {
        uint8_t message = s->message[i];
        queue_drop(s, i);
        if (c->kind == LIN_BURY)
            queue_append(s, message, BURIED);
    }
    return answers(c, LRD_OK);
}

static bool queue_apply(state *s, const lin_call *c, unsigned way)
{
    switch (c->kind) {
    case LIN_PUSH:
        if (way != 0 || s->messages == LIN_MESSAGES)
            return false;
        queue_append(s, (uint8_t)c->a, READY);
        return answers(c, LRD_OK);
    case LIN_POP:
        if (way == 0)
            return queue_empty(s, c);
        return queue_pop(s, c,
                         returned(c) ? (way == 1 ? queue_find(s, c->out) : s->messages) : way - 1);
    case LIN_KICK:
        return queue_kick(s, c, way / 2, way % 2 != 0);
    case LIN_BURY:
        return way == 2 ? queue_bury_torn(s, c) : queue_own(s, c, way == 1);
    case LIN_ENDED:
        for (unsigned i = 0; i < s->messages; i++)
            if (s->status[i] == RESERVED + c->a)
                queue_status(s, i, READY);
        return way == 0;
    default:
        return way <= 1 && queue_own(s, c, way == 1);
    }
}

static bool apply(lin_model model, state *s, const lin_call *c, unsigned way)
{
    switch (model) {
    case LIN_CELL:
        return cell_apply(s, c, way);
    case LIN_LOCK:
        return lock_apply(s, c, way);
    default:
        return queue_apply(s, c, way);
    }
}

/* ---- the set of visited positions: pairs of applied calls and state ---- */

static struct {
    uint64_t (*pair)[2];
    uint64_t room, used;
} known;

static void known_clear(void)
{
    if (known.room > 1 << 16 || known.pair == NULL) {
        free(known.pair);
        known.room = 1 << 12;
        known.pair = calloc(known.room, sizeof *known.pair);
    } else if (known.used != 0) {
        memset(known.pair, 0, known.room * sizeof *known.pair);
    }
    if (known.pair == NULL)
        abort();
    known.used = 0;
}

static bool known_put(uint64_t first, uint64_t second)
{
    uint64_t at = first & (known.room - 1);
    while (known.pair[at][0] != 0) {
        if (known.pair[at][0] == first && known.pair[at][1] == second)
            return false;
        at = (at + 1) & (known.room - 1);
    }
    known.pair[at][0] = first;
    known.pair[at][1] = second;
    known.used++;
    return true;
}

static void known_grow(void)
{
    uint64_t(*old)[2] = known.pair, room = known.room;
    known.room *= 4;
    known.used = 0;
    known.pair = calloc(known.room, sizeof *known.pair);
    if (known.pair == NULL)
        abort();
    for (uint64_t i = 0; i < room; i++)
        if (old[i][0] != 0)
            known_put(old[i][0], old[i][1]);
    free(old);
}

/* ---- the search ---- */

typedef struct done {
    uint64_t bit[2];
} done;

static bool is_done(const done *d, unsigned i) { return d->bit[i / 64] >> i % 64 & 1; }

/* Add the position of the search (the applied calls and the state) to the set of visited positions.
 * Returns false if the set contains this position already. */
static bool remember(const done *d, const state *s)
{
    uint64_t sum = checksum(s, sizeof *s);
    uint64_t words[3] = {d->bit[0], d->bit[1], sum};
    uint64_t first = checksum(words, sizeof words) | 1;
    uint64_t second = mix(sum ^ mix(d->bit[0] + 0x9e3779b97f4a7c15ull) ^ d->bit[1] * 3);
    if (known.used * 2 > known.room)
        known_grow();
    return known_put(first, second);
}

static uint64_t steps, steps_all;

/* Return in how many ways the call may have had its effect. For example, a call of a key may have
 * found the entry or not. */
static unsigned ways(const lin_history *h, const lin_call *c)
{
    if (h->model != LIN_QUEUE)
        return 2;
    switch (c->kind) {
    case LIN_POP:
        return returned(c) ? 2 : LIN_MESSAGES + 1;
    case LIN_KICK:
        return 2 * (LIN_MESSAGES + 1);
    case LIN_BURY:
        return 3;
    default:
        return 2;
    }
}

static bool search(const lin_history *h, done d, const state *s);

/* Try to apply call i next. */
static bool search_with(const lin_history *h, done d, const state *s, unsigned i)
{
    d.bit[i / 64] |= (uint64_t)1 << i % 64;
    for (unsigned way = 0; way < ways(h, &h->call[i]); way++) {
        state after = *s;
        if (++steps > STEPS_MOST)
            return false;
        if (apply(h->model, &after, &h->call[i], way) && remember(&d, &after) &&
            search(h, d, &after))
            return true;
    }
    return false;
}

static bool search(const lin_history *h, done d, const state *s)
{
    uint64_t first_end = NEVER;
    for (unsigned i = 0; i < h->count; i++)
        if (!is_done(&d, i) && h->call[i].end < first_end)
            first_end = h->call[i].end;
    if (first_end == NEVER)
        return true; /* the remaining calls did not return, so possibly none of them happened */
    /* First try the calls that returned. Few histories need a call that did not return. */
    for (int pending = 0; pending < 2; pending++)
        for (unsigned i = 0; i < h->count && h->call[i].begin < first_end; i++)
            if (!is_done(&d, i) && returned(&h->call[i]) == (pending == 0) &&
                search_with(h, d, s, i))
                return true;
    return false;
}

static int by_begin(const void *a, const void *b)
{
    uint64_t x = ((const lin_call *)a)->begin, y = ((const lin_call *)b)->begin;
    return x < y ? -1 : x > y;
}

lin_verdict lin_check(lin_history *h)
{
    state s;
    memset(&s, 0, sizeof s);
    s.from = s.to = NEVER;
    qsort(h->call, h->count, sizeof *h->call, by_begin);
    memset(dying, 0xff, sizeof dying);
    for (unsigned i = 0; i < h->count; i++) {
        if (h->call[i].end == 0)
            h->call[i].end = NEVER;
        if (h->call[i].kind == LIN_ENDED)
            dying[h->call[i].a] = h->call[i].begin;
        if (h->call[i].kind == LIN_PUSH)
            priority[h->call[i].a] = (int32_t)h->call[i].b;
    }
    known_clear();
    steps = 0;
    bool explained = search(h, (done){{0, 0}}, &s);
    steps_all += steps;
    if (explained)
        return LIN_EXPLAINED;
    return steps > STEPS_MOST ? LIN_UNDECIDED : LIN_NOT_EXPLAINED;
}

uint64_t lin_steps(void) { return steps_all; }

/* Copy the calls that began before a moment. A copied call that had not ended at this moment
 * becomes a call that did not return. */
static void cut(const lin_history *from, uint64_t moment, lin_history *to)
{
    to->model = from->model;
    to->count = 0;
    for (unsigned i = 0; i < from->count; i++) {
        if (from->call[i].begin > moment)
            continue;
        to->call[to->count] = from->call[i];
        if (from->call[i].end > moment)
            to->call[to->count].end = NEVER;
        to->count++;
    }
}

void lin_shorten(lin_history *h)
{
    static lin_history prefix;
    uint64_t best = NEVER;
    for (unsigned i = 0; i < h->count; i++) {
        uint64_t moment = h->call[i].end;
        if (moment >= best)
            continue;
        cut(h, moment, &prefix);
        if (lin_check(&prefix) == LIN_NOT_EXPLAINED)
            best = moment;
    }
    if (best == NEVER)
        return;
    cut(h, best, &prefix);
    *h = prefix;
}

void lin_print(FILE *to, const lin_history *h)
{
    static const char *const names[LIN_KINDS] = {
        "get",   "has",    "set",     "add",    "replace", "delete", "take",   "touch",
        "count", "update", "swap",    "number", "fill",    "lock",   "unlock", "push",
        "pop",   "ack",    "release", "bury",   "remove",  "kick",   "ended"};
    for (unsigned i = 0; i < h->count; i++) {
        const lin_call *c = &h->call[i];
        fprintf(to, "  process %u %s(a %lld, b %lld, ttl %llu) from %llu", c->process,
                names[c->kind], (long long)c->a, (long long)c->b, (unsigned long long)c->ttl,
                (unsigned long long)c->begin);
        if (returned(c))
            fprintf(to, " to %llu: %s, out %lld%s", (unsigned long long)c->end,
                    lrd_error_name(c->answer), (long long)c->out, c->counter ? " (a counter)" : "");
        else
            fprintf(to, ": not returned");
        fprintf(to, ", clock %llu to %llu\n", (unsigned long long)c->clock_from,
                (unsigned long long)c->clock_to);
    }
}
