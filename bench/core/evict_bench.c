/* evict_bench.c - miss ratios of a real volatile store on generated traces, compared with
 * simulations of LRU, CLOCK and 2-random. A simulation has room for as many objects as the store
 * held on average.
 *
 * Every request is a get; a miss is followed by a put. All values have one size. Exit code 1: a hit
 * has a wrong value, or on some trace the store has over 1 % more misses than LRU, or a higher miss
 * ratio than the trace's goal. */
#include "bench.h"
#include "larder_admin.h"

#define REQUESTS 10000000u
#define SIZE (24u << 20)
#define VALUE_BYTES 464u /* with its header and key, such a value takes a block of 512 bytes */
#define WORSE_THAN_LRU 1.01
/* In traces with `shifts`, two objects swap their popularity once in SHIFT_EVERY requests. If they
 * swap more often, objects lose their popularity before they get into S3-FIFO's main queue. With
 * SHIFT_EVERY at 10, LRU is as good as S3-FIFO. At 5, LRU is better by 4 %. */
#define SHIFT_EVERY 20u
#define NONE UINT32_MAX

static void must_be_ok(const char *what, int code)
{
    if (code != LRD_OK)
        bench_die("%s: %s %s", what, lrd_error_name(code), lrd_error_detail());
}

/* ---- traces ---- */

typedef struct trace {
    const char *name;
    double skew;
    uint32_t percent; /* this percentage of the objects fits into the store */
    bool scans;       /* true if scans read rare objects: as many as fit into the store */
    bool shifts;      /* the popularity of objects changes: see SHIFT_EVERY */
    double goal;      /* miss ratio; 0: none */
} trace;

static const trace traces[] = {
    {.name = "Zipf 0.9, 1 % cached", .skew = 0.9, .percent = 1},
    {.name = "Zipf 0.9, 10 % cached", .skew = 0.9, .percent = 10, .goal = 0.33},
    {.name = "Zipf 1.0 with scans, 10 %", .skew = 1.0, .percent = 10, .scans = true},
    {.name = "shifting popularity, 10 %", .skew = 1.0, .percent = 10, .shifts = true},
};

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

/* Make a trace of object numbers. Numbers from `objects` to 2 * objects - 1 occur only in scans. */
static void trace_fill(const trace *t, uint32_t *ids, uint32_t objects, uint32_t fits)
{
    bench_zipf zipf;
    uint64_t random = 1;
    uint32_t scanned = 0, scan_left = 0, scan_every = 10 * fits;

    bench_zipf_make(&zipf, objects, t->skew, 1);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        if (t->scans && i % scan_every == scan_every / 2)
            scan_left = fits;
        if (t->shifts && i % SHIFT_EVERY == 0)
            trace_shift(&zipf, &random);
        if (scan_left > 0) {
            scan_left--;
            ids[i] = objects + scanned++ % objects;
        } else {
            ids[i] = bench_zipf_draw(&zipf, &random);
        }
    }
    free(zipf.cumulative);
    free(zipf.item);
}

/* ---- policies to compare with ---- */

static double lru_misses(const uint32_t *ids, uint32_t objects, uint32_t capacity)
{
    uint32_t ids_end = 2 * objects, end = ids_end, used = 0, misses = 0;
    uint32_t *next = bench_alloc(ids_end + 1, sizeof *next);
    uint32_t *prev = bench_alloc(ids_end + 1, sizeof *prev);

    memset(next, 0xff, (ids_end + 1) * sizeof *next);
    next[end] = prev[end] = end;
    for (uint32_t i = 0; i < REQUESTS; i++) {
        uint32_t id = ids[i];
        if (next[id] != NONE) {
            next[prev[id]] = next[id];
            prev[next[id]] = prev[id];
        } else {
            misses++;
            if (used == capacity) {
                uint32_t victim = prev[end];
                prev[end] = prev[victim];
                next[prev[victim]] = end;
                next[victim] = NONE;
            } else {
                used++;
            }
        }
        next[id] = next[end];
        prev[id] = end;
        prev[next[end]] = id;
        next[end] = id;
    }
    free(next);
    free(prev);
    return (double)misses / REQUESTS;
}

static double clock_misses(const uint32_t *ids, uint32_t objects, uint32_t capacity)
{
    uint32_t *place = bench_alloc(2 * (size_t)objects, sizeof *place);
    uint32_t *holds = bench_alloc(capacity, sizeof *holds);
    bool *hit = bench_alloc(capacity, sizeof *hit);
    uint32_t used = 0, hand = 0, misses = 0;

    memset(place, 0xff, 2 * (size_t)objects * sizeof *place);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        uint32_t id = ids[i];
        if (place[id] != NONE) {
            hit[place[id]] = true;
            continue;
        }
        misses++;
        uint32_t free_place = used;
        if (used < capacity) {
            used++;
        } else {
            for (; hit[hand]; hand = (hand + 1) % capacity)
                hit[hand] = false;
            place[holds[hand]] = NONE;
            free_place = hand;
            hand = (hand + 1) % capacity;
        }
        holds[free_place] = id;
        place[id] = free_place;
        hit[free_place] = false;
    }
    free(place);
    free(holds);
    free(hit);
    return (double)misses / REQUESTS;
}

/* Draw two random objects, and evict the one that was used less recently. */
static double two_random_misses(const uint32_t *ids, uint32_t objects, uint32_t capacity)
{
    uint32_t *place = bench_alloc(2 * (size_t)objects, sizeof *place);
    uint32_t *holds = bench_alloc(capacity, sizeof *holds);
    uint32_t *last = bench_alloc(capacity, sizeof *last);
    uint32_t used = 0, misses = 0;
    uint64_t random = 2;

    memset(place, 0xff, 2 * (size_t)objects * sizeof *place);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        uint32_t id = ids[i], free_place = used;
        if (place[id] != NONE) {
            last[place[id]] = i;
            continue;
        }
        misses++;
        if (used < capacity) {
            used++;
        } else {
            uint32_t a = bench_below(&random, capacity), b = bench_below(&random, capacity);
            free_place = last[a] < last[b] ? a : b;
            place[holds[free_place]] = NONE;
        }
        holds[free_place] = id;
        place[id] = free_place;
        last[free_place] = i;
    }
    free(place);
    free(holds);
    free(last);
    return (double)misses / REQUESTS;
}

/* ---- the store ---- */

static lrd_store *store_open(void)
{
    lrd_options options = {.policy = LRD_VOLATILE, .size = SIZE, .slots = 16};
    lrd_store *store;
    must_be_ok("lrd_open", lrd_open(&options, &store));
    return store;
}

static void store_put(lrd_store *store, uint64_t id)
{
    char value[VALUE_BYTES];
    bench_fill(value, sizeof value, bench_tag(id));
    must_be_ok("lrd_put", lrd_put(store, &id, sizeof id, value, sizeof value, NULL));
}

static bool store_has(lrd_store *store, uint64_t id)
{
    lrd_value value;
    int code = lrd_get(store, &id, sizeof id, LRD_GET_BORROW, &value);
    if (code == LRD_MISS)
        return false;
    must_be_ok("lrd_get", code);
    bench_wrong(value.size != VALUE_BYTES || !bench_right(value.data, value.size, bench_tag(id)));
    return true;
}

static uint64_t store_entries(lrd_store *store)
{
    lrd_stats stats;
    must_be_ok("lrd_stats_get", lrd_stats_get(store, &stats));
    return stats.entries;
}

/* Return how many objects a full store holds, on average. */
static uint32_t store_fits(void)
{
    lrd_store *store = store_open();
    uint32_t most = SIZE / VALUE_BYTES;
    uint64_t sum = 0;

    for (uint32_t id = 0; id < 2 * most; id++) {
        store_put(store, id);
        if (id >= most)
            sum += store_entries(store);
    }
    lrd_close(store);
    return (uint32_t)(sum / most);
}

static double store_misses(const uint32_t *ids, uint32_t *held)
{
    lrd_store *store = store_open();
    uint32_t misses = 0, samples = 0;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < REQUESTS; i++) {
        if (!store_has(store, ids[i])) {
            misses++;
            store_put(store, ids[i]);
        }
        if (i >= REQUESTS / 4 && i % 1000 == 0) {
            sum += store_entries(store);
            samples++;
        }
    }
    lrd_close(store);
    *held = (uint32_t)(sum / samples);
    return (double)misses / REQUESTS;
}

/* ---- the comparison ---- */

/* Compare the policies on a trace. Returns true if the store reached its goals. */
static bool compare(bench_report *report, const trace *t, uint32_t fits, uint32_t *ids)
{
    uint32_t objects = fits * (100 / t->percent), held;
    trace_fill(t, ids, objects, fits);
    double store = store_misses(ids, &held), lru = lru_misses(ids, objects, held);
    double row[] = {objects,
                    held,
                    100 * two_random_misses(ids, objects, held),
                    100 * lru,
                    100 * clock_misses(ids, objects, held),
                    100 * store};

    bench_row(report, t->name, row);
    if (store > lru * WORSE_THAN_LRU)
        printf("  FAILED: misses more than LRU by over 1 %%\n");
    if (t->goal != 0 && store > t->goal)
        printf("  FAILED: the goal is %.1f %%\n", 100 * t->goal);
    return store <= lru * WORSE_THAN_LRU && (t->goal == 0 || store <= t->goal);
}

int main(void)
{
    static const char *const columns[] = {"objects", "cached", "2-random", "LRU",
                                          "CLOCK",   "larder", NULL};
    bench_report report;
    bool good = true;

    bench_open(&report, "evict");
    bench_section(&report, "misses in % of ten million requests", columns);
    uint32_t fits = store_fits();
    uint32_t *ids = bench_alloc(REQUESTS, sizeof *ids);
    for (uint32_t i = 0; i < sizeof traces / sizeof traces[0]; i++)
        good = compare(&report, &traces[i], fits, ids) && good;
    free(ids);
    return bench_close(&report) != 0 || !good;
}
