/* mix_bench.c - hit ratios of a real volatile store on traces with values of mixed sizes, compared
 * with simulations of LRU, S3-FIFO and GDSF.
 *
 * Every request is a get; a miss is followed by a put. The simulators' memory has no pages, classes
 * or shards: an entry takes its exact size.
 * - Column "worth" is S3-FIFO with the store's rule. Each power of two of bytes has its own queues,
 *   and the next victim with the largest product of bytes and age is evicted.
 * - Column "equal" repeats column "worth" with fewer bytes: the average total size of the store's
 *   live blocks.
 *
 * mix_bench                    makes its own traces; exits with 1 if LRU has more hits
 * mix_bench FILE MIB [SHARDS]  replays a file: a uint32_t count, then count times uint32_t id, size
 */
#include "bench.h"
#include "larder_admin.h"

#define REQUESTS 1500000u
/* The small queue gets a tenth of the bytes. The ghost, a list of evicted keys, remembers nine keys
 * for each ten live entries. */
#define SMALL_DIVISOR 10
#define WARM 2 /* an entry with at least this number of uses moves from the small queue to main */
#define FREQ_MAX 3
#define OVERHEAD 34u /* bytes of an entry's header and key, beside its value */
#define GROUPS 32u   /* groups of queues; group n has the entries of 2^n to 2^(n + 1) - 1 bytes */

static void must_be_ok(const char *what, int code)
{
    if (code != LRD_OK)
        bench_die("%s: %s %s", what, lrd_error_name(code), lrd_error_detail());
}

/* ---- traces ---- */

typedef struct trace {
    uint32_t *id; /* the requested objects; each number is below `objects` */
    uint32_t length, objects;
    uint32_t *size; /* for each object, the size of its value */
} trace;

enum sizes { UNIFORM, FRAMEWORK, ROWS, LARGE };
enum accesses { ZIPF, SCANS, LOOP, SHIFTS };

typedef struct recipe {
    const char *name;
    enum sizes sizes;
    enum accesses accesses;
    double skew;
    uint32_t mib;   /* size of the store */
    double objects; /* the bytes of all objects, divided by the store's size */
} recipe;

static const recipe recipes[] = {
    {"log-uniform, Zipf 0.9, 64 MiB", UNIFORM, ZIPF, 0.9, 64, 10},
    {"log-uniform, Zipf 0.9, 16 MiB", UNIFORM, ZIPF, 0.9, 16, 10},
    {"log-uniform, scans, 32 MiB", UNIFORM, SCANS, 1.0, 32, 10},
    {"log-uniform, shifting, 64 MiB", UNIFORM, SHIFTS, 1.0, 64, 10},
    {"framework, Zipf 0.9, 16 MiB", FRAMEWORK, ZIPF, 0.9, 16, 10},
    {"framework, shifting, 64 MiB", FRAMEWORK, SHIFTS, 0.9, 64, 5},
    {"framework, loop, 32 MiB", FRAMEWORK, LOOP, 0.8, 32, 4},
    {"rows, Zipf 0.8, 32 MiB", ROWS, ZIPF, 0.8, 32, 10},
    {"rows, scans, 128 MiB", ROWS, SCANS, 0.9, 128, 5},
    {"large rows, Zipf 0.8, 32 MiB", LARGE, ZIPF, 0.8, 32, 10},
};

/* Kinds of values that an application has: their sizes in bytes, and their percentages. */
typedef struct kind {
    uint32_t bytes, weight;
} kind;
static const kind framework_kinds[] = {{8, 5},     {16, 5},   {110, 6},  {1000, 15}, {20000, 5},
                                       {2200, 12}, {9500, 3}, {700, 15}, {5000, 12}, {44000, 5},
                                       {1700, 4},  {1900, 4}, {1300, 4}, {4600, 3},  {6000, 2}};
static const kind rows_kinds[] = {{700, 25},   {1500, 15},  {3000, 12}, {5000, 20},
                                  {10000, 10}, {23000, 5},  {44000, 7}, {97000, 3},
                                  {230000, 1}, {440000, 1}, {900000, 1}};
static const kind large_kinds[] = {{10000, 36}, {23000, 18}, {44000, 25}, {97000, 11},
                                   {230000, 4}, {440000, 3}, {900000, 3}};

static uint32_t draw_kind(const kind *kinds, size_t count, uint64_t *random)
{
    uint32_t at = bench_below(random, 100), bytes = kinds[0].bytes;
    for (size_t i = 0; i < count; i++) {
        bytes = kinds[i].bytes;
        if (at < kinds[i].weight)
            break;
        at -= kinds[i].weight;
    }
    return bytes - bytes / 8 + bench_below(random, bytes / 4 + 1);
}

static uint32_t draw_size(enum sizes sizes, uint64_t *random)
{
    if (sizes == FRAMEWORK)
        return draw_kind(framework_kinds, sizeof framework_kinds / sizeof *framework_kinds, random);
    if (sizes == ROWS)
        return draw_kind(rows_kinds, sizeof rows_kinds / sizeof *rows_kinds, random);
    if (sizes == LARGE)
        return draw_kind(large_kinds, sizeof large_kinds / sizeof *large_kinds, random);
    double unit = (double)(bench_random(random) >> 11) * 0x1p-53;
    return (uint32_t)(64 * pow(1024, unit)) - OVERHEAD;
}

static uint64_t entry_bytes(const trace *t, uint32_t id) { return t->size[id] + OVERHEAD; }

/* Exchange the popularity ranks of two objects: a random object, and the object at a rank whose
 * logarithm is evenly distributed. So each order of magnitude of popularity changes at the same
 * pace. */
static void trace_shift(bench_zipf *zipf, uint64_t *random)
{
    double unit = (double)(bench_random(random) >> 11) * 0x1p-53;
    uint32_t rank = (uint32_t)pow(zipf->count, unit) - 1, other = bench_below(random, zipf->count);
    uint32_t item = zipf->item[rank];
    zipf->item[rank] = zipf->item[other];
    zipf->item[other] = item;
}

static void trace_make(const recipe *r, trace *t, uint64_t seed)
{
    uint64_t random = seed, data = (uint64_t)r->mib << 20, sum = 0;
    uint32_t most = 1u << 22, popular;
    bench_zipf zipf;
    t->size = bench_alloc(2 * (size_t)most, sizeof *t->size);
    t->length = REQUESTS;
    t->id = bench_alloc(t->length, sizeof *t->id);
    for (popular = 0; popular < most && (double)sum < r->objects * (double)data; popular++) {
        t->size[popular] = draw_size(r->sizes, &random);
        sum += entry_bytes(t, popular);
    }
    /* Besides the popular objects, make a second set of the same size. Only scans and loops read
     * this second set. */
    t->objects = 2 * popular;
    for (uint32_t i = popular; i < t->objects; i++)
        t->size[i] = draw_size(r->sizes, &random);
    uint32_t fits = (uint32_t)(popular / r->objects), scanned = 0, left = 0;
    bench_zipf_make(&zipf, popular, r->skew, seed);
    for (uint32_t i = 0; i < t->length; i++) {
        if (r->accesses == SCANS && i % (10 * fits) == 5 * fits)
            left = fits;
        if (r->accesses == SHIFTS && i % 20 == 0)
            trace_shift(&zipf, &random);
        if (r->accesses == LOOP && i % 3 == 0)
            t->id[i] = popular + scanned++ % (fits / 2);
        else if (left > 0)
            t->id[i] = popular + scanned++ % popular;
        else
            t->id[i] = bench_zipf_draw(&zipf, &random);
        left -= left > 0;
    }
    free(zipf.cumulative);
    free(zipf.item);
}

static void trace_read(const char *path, trace *t)
{
    FILE *file = fopen(path, "rb");
    uint32_t pair[2];
    if (file == NULL || fread(&t->length, sizeof t->length, 1, file) != 1)
        bench_die("%s cannot be read", path);
    t->id = bench_alloc(t->length, sizeof *t->id);
    uint32_t room = 0;
    t->size = NULL;
    t->objects = 0;
    for (uint32_t i = 0; i < t->length; i++) {
        if (fread(pair, sizeof pair, 1, file) != 1)
            bench_die("%s is cut off", path);
        if (pair[0] >= 1u << 28)
            bench_die("%s: id %u is too large; below %u", path, pair[0], 1u << 28);
        while (pair[0] >= room) {
            uint32_t more = room == 0 ? 1024 : 2 * room;
            t->size = realloc(t->size, more * sizeof *t->size);
            if (t->size == NULL)
                bench_die("no memory for %u sizes", more);
            memset(t->size + room, 0, (more - room) * sizeof *t->size);
            room = more;
        }
        t->id[i] = pair[0];
        t->size[pair[0]] = pair[1];
        t->objects = pair[0] >= t->objects ? pair[0] + 1 : t->objects;
    }
    fclose(file);
}

static void trace_free(trace *t)
{
    free(t->id);
    free(t->size);
}

/* ---- simulators: lists of objects ---- */

#define NONE UINT32_MAX

typedef struct object {
    uint32_t next, prev;
    uint8_t list, freq; /* list: 0 if the object is not stored */
} object;

typedef struct list {
    uint32_t first, last;
    uint64_t bytes;
} list;

static void list_push(list *to, object *objects, uint32_t id, uint64_t bytes)
{
    objects[id].next = NONE;
    objects[id].prev = to->last;
    if (to->last != NONE)
        objects[to->last].next = id;
    else
        to->first = id;
    to->last = id;
    to->bytes += bytes;
}

static void list_take(list *from, object *objects, uint32_t id, uint64_t bytes)
{
    uint32_t next = objects[id].next, prev = objects[id].prev;
    *(prev != NONE ? &objects[prev].next : &from->first) = next;
    *(next != NONE ? &objects[next].prev : &from->last) = prev;
    from->bytes -= bytes;
}

static double lru_hits(const trace *t, uint64_t capacity)
{
    object *objects = bench_alloc(t->objects, sizeof *objects);
    list all = {NONE, NONE, 0};
    uint32_t hits = 0;
    for (uint32_t i = 0; i < t->length; i++) {
        uint32_t id = t->id[i];
        uint64_t bytes = entry_bytes(t, id);
        if (objects[id].list != 0) {
            hits++;
            list_take(&all, objects, id, bytes);
        } else if (bytes > capacity) {
            continue;
        }
        objects[id].list = 1;
        list_push(&all, objects, id, bytes);
        while (all.bytes > capacity) {
            uint32_t victim = all.first;
            list_take(&all, objects, victim, entry_bytes(t, victim));
            objects[victim].list = 0;
        }
    }
    free(objects);
    return (double)hits / t->length;
}

/* ---- S3-FIFO ---- */

typedef struct group {
    list small, main;
} group;

typedef struct s3 {
    const trace *t;
    object *objects;
    uint32_t *pushed;  /* the value of `clock` when the object was queued */
    uint64_t *evicted; /* the value of `evictions` when the object was evicted; 0: never */
    group groups[GROUPS];
    uint64_t count, evictions, taken;
    uint32_t clock;
    /* true: each power of two of bytes has its own group of queues; false: all entries use one
     * group */
    bool worth;
} s3;

static group *s3_group(s3 *s, uint64_t bytes)
{
    return s->groups + (s->worth ? 63 - __builtin_clzll(bytes) : 0);
}

/* Return the group whose next victim has the largest product of bytes and age. */
static group *s3_worst(s3 *s)
{
    group *worst = s->groups;
    double most = -1;
    for (uint32_t i = 0; i < (s->worth ? GROUPS : 1); i++) {
        group *g = s->groups + i;
        uint32_t id = g->main.first != NONE ? g->main.first : g->small.first;
        double had =
            id == NONE ? -1 : (double)(s->clock - s->pushed[id]) * (double)entry_bytes(s->t, id);
        if (had > most) {
            most = had;
            worst = g;
        }
    }
    return worst;
}

static void s3_queue(s3 *s, list *to, uint32_t id, uint8_t freq)
{
    s->objects[id].freq = freq;
    s->objects[id].list = 1;
    s->pushed[id] = s->clock;
    list_push(to, s->objects, id, entry_bytes(s->t, id));
}

static void s3_evict(s3 *s)
{
    for (;;) {
        group *g = s3_worst(s);
        bool small = g->small.first != NONE &&
                     (g->main.first == NONE ||
                      g->small.bytes > (g->small.bytes + g->main.bytes) / SMALL_DIVISOR);
        list *from = small ? &g->small : &g->main;
        uint32_t id = from->first;
        uint8_t freq = s->objects[id].freq;
        list_take(from, s->objects, id, entry_bytes(s->t, id));
        if (freq >= (small ? WARM : 1)) {
            s3_queue(s, &g->main, id, small ? 0 : freq - 1);
            continue;
        }
        s->objects[id].list = 0;
        s->taken -= entry_bytes(s->t, id);
        s->count--;
        if (small)
            s->evicted[id] = ++s->evictions;
        return;
    }
}

static double s3_hits(const trace *t, uint64_t capacity, bool worth)
{
    s3 s = {.t = t,
            .objects = bench_alloc(t->objects, sizeof *s.objects),
            .pushed = bench_alloc(t->objects, sizeof *s.pushed),
            .evicted = bench_alloc(t->objects, sizeof *s.evicted),
            .worth = worth};
    uint32_t hits = 0;
    for (uint32_t i = 0; i < GROUPS; i++)
        s.groups[i] = (group){{NONE, NONE, 0}, {NONE, NONE, 0}};
    for (uint32_t i = 0; i < t->length; i++) {
        uint32_t id = t->id[i];
        uint64_t bytes = entry_bytes(t, id);
        object *o = s.objects + id;
        if (o->list != 0) {
            hits++;
            o->freq += o->freq < FREQ_MAX;
            continue;
        }
        if (bytes > capacity)
            continue;
        while (s.taken + bytes > capacity)
            s3_evict(&s);
        bool known =
            s.evicted[id] != 0 && s.evictions - s.evicted[id] <= s.count - s.count / SMALL_DIVISOR;
        group *g = s3_group(&s, bytes);
        s.evicted[id] = 0;
        s3_queue(&s, known ? &g->main : &g->small, id, 0);
        s.taken += bytes;
        s.count++;
        s.clock++;
    }
    free(s.objects);
    free(s.pushed);
    free(s.evicted);
    return (double)hits / t->length;
}

/* ---- GDSF ---- */

typedef struct gdsf {
    const trace *t;
    double *worth;
    uint32_t *heap, *place, count; /* place: 1 + the object's index in the heap, or 0 */
    uint32_t *uses;
} gdsf;

static void gdsf_put(gdsf *g, uint32_t at, uint32_t id)
{
    g->heap[at] = id;
    g->place[id] = at + 1;
}

static void gdsf_down(gdsf *g, uint32_t at)
{
    uint32_t id = g->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < g->count; at = child) {
        if (child + 1 < g->count && g->worth[g->heap[child + 1]] < g->worth[g->heap[child]])
            child++;
        if (g->worth[g->heap[child]] >= g->worth[id])
            break;
        gdsf_put(g, at, g->heap[child]);
    }
    gdsf_put(g, at, id);
}

static void gdsf_up(gdsf *g, uint32_t at)
{
    uint32_t id = g->heap[at];
    for (; at > 0 && g->worth[g->heap[(at - 1) / 2]] > g->worth[id]; at = (at - 1) / 2)
        gdsf_put(g, at, g->heap[(at - 1) / 2]);
    gdsf_put(g, at, id);
}

static double gdsf_hits(const trace *t, uint64_t capacity)
{
    gdsf g = {.t = t,
              .worth = bench_alloc(t->objects, sizeof *g.worth),
              .heap = bench_alloc(t->objects, sizeof *g.heap),
              .place = bench_alloc(t->objects, sizeof *g.place),
              .uses = bench_alloc(t->objects, sizeof *g.uses)};
    uint64_t taken = 0;
    uint32_t hits = 0;
    double age = 0;
    for (uint32_t i = 0; i < t->length; i++) {
        uint32_t id = t->id[i];
        uint64_t bytes = entry_bytes(t, id);
        if (g.place[id] != 0) {
            hits++;
            g.worth[id] = age + ++g.uses[id] / (double)bytes;
            gdsf_down(&g, g.place[id] - 1);
            continue;
        }
        if (bytes > capacity)
            continue;
        while (taken + bytes > capacity) {
            uint32_t victim = g.heap[0];
            age = g.worth[victim];
            taken -= entry_bytes(t, victim);
            g.place[victim] = 0;
            if (--g.count != 0) {
                g.heap[0] = g.heap[g.count];
                gdsf_down(&g, 0);
            }
        }
        g.uses[id] = 1;
        g.worth[id] = age + 1 / (double)bytes;
        taken += bytes;
        g.heap[g.count] = id;
        g.count++;
        gdsf_up(&g, g.count - 1);
    }
    free(g.worth);
    free(g.heap);
    free(g.place);
    free(g.uses);
    return (double)hits / t->length;
}

/* ---- the store ---- */

typedef struct outcome {
    double hits;
    uint64_t live; /* bytes of live blocks, on average */
    double us;     /* processor time per request */
    lrd_stats stats;
} outcome;

static bool store_has(lrd_store *store, const trace *t, uint64_t id)
{
    lrd_value value;
    int code = lrd_get(store, &id, sizeof id, LRD_GET_BORROW, &value);
    if (code == LRD_MISS)
        return false;
    must_be_ok("lrd_get", code);
    const uint8_t *bytes = value.data;
    bench_wrong(value.size != t->size[id] || (value.size >= 8 && memcmp(bytes, &id, 8) != 0) ||
                (value.size >= 16 && memcmp(bytes + value.size - 8, &id, 8) != 0));
    return true;
}

static outcome store_run(const trace *t, uint64_t size, uint32_t shards)
{
    lrd_options options = {.policy = LRD_VOLATILE, .size = size, .shards = shards, .slots = 16};
    lrd_store *store;
    outcome out = {0};
    uint32_t hits = 0, samples = 0, largest = 0;
    uint64_t sum = 0, begin;
    for (uint32_t id = 0; id < t->objects; id++)
        largest = t->size[id] > largest ? t->size[id] : largest;
    uint8_t *value = bench_alloc(largest + 1, 1);
    must_be_ok("lrd_open", lrd_open(&options, &store));
    begin = bench_cpu_ns();
    for (uint32_t i = 0; i < t->length; i++) {
        uint64_t id = t->id[i];
        uint32_t bytes = t->size[id];
        if (store_has(store, t, id)) {
            hits++;
        } else {
            if (bytes >= 8)
                memcpy(value, &id, 8);
            if (bytes >= 16)
                memcpy(value + bytes - 8, &id, 8);
            must_be_ok("lrd_put", lrd_put(store, &id, sizeof id, value, bytes, NULL));
            if (bytes >= 16)
                memset(value + bytes - 8, 0, 8);
        }
        if (i >= t->length / 4 && i % 1000 == 0) {
            must_be_ok("lrd_stats_get", lrd_stats_get(store, &out.stats));
            sum += out.stats.live_bytes;
            samples++;
        }
    }
    out.us = (double)(bench_cpu_ns() - begin) / t->length / 1000;
    must_be_ok("lrd_stats_get", lrd_stats_get(store, &out.stats));
    lrd_close(store);
    free(value);
    out.hits = (double)hits / t->length;
    out.live = sum / samples;
    return out;
}

/* ---- the comparison ---- */

/* Print a row for a trace. Returns true if the store has at least as many hits as LRU. */
static bool compare(bench_report *report, const char *name, const trace *t, uint64_t size,
                    uint32_t shards)
{
    outcome o = store_run(t, size, shards);
    double lru = lru_hits(t, size);
    double row[] = {100 * lru,
                    100 * s3_hits(t, size, false),
                    100 * gdsf_hits(t, size),
                    100 * s3_hits(t, size, true),
                    100 * s3_hits(t, o.live, true),
                    100 * o.hits,
                    100 * (double)o.live / (double)size,
                    o.us};

    bench_row(report, name, row);
    if (o.hits < lru)
        printf("  FAILED: fewer hits than LRU\n");
    return o.hits >= lru;
}

int main(int argc, char **argv)
{
    static const char *const columns[] = {"LRU",    "S3-FIFO", "GDSF",   "worth", "equal",
                                          "larder", "fill %",  "us CPU", NULL};
    bench_report report;
    bool good = true;
    trace t;

    if (argc == 2 || argc > 4)
        bench_die("usage: mix_bench [FILE MIB [SHARDS]]");
    bench_open(&report, "mix");
    bench_section(&report, "hits in %, values of mixed sizes", columns);
    if (argc > 2) {
        trace_read(argv[1], &t);
        good = compare(&report, argv[1], &t, (uint64_t)atoi(argv[2]) << 20,
                       argc > 3 ? (uint32_t)atoi(argv[3]) : 0);
        trace_free(&t);
    }
    for (size_t i = 0; argc == 1 && i < sizeof recipes / sizeof *recipes; i++) {
        trace_make(recipes + i, &t, 1);
        good = compare(&report, recipes[i].name, &t, (uint64_t)recipes[i].mib << 20, 0) && good;
        trace_free(&t);
    }
    return bench_close(&report) != 0 || !good;
}
