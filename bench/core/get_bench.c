/* get_bench.c - the cost of a read. The read holds a value, borrows it, or misses.
 * - Jobs read one key again and again, or 100,000 keys by a Zipf distribution.
 * - One process reads, or two at once. The jobs run in interleaved rounds.
 * - A plain hash table in private memory is read for comparison. It has the same hash function and
 *   entries.
 *
 * Exit code 1: some value was wrong. Begin reading at hot_get() and plain_get(). */
#include "bench.h"
#include "larder_host.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

#define ITEMS 100000u
#define VALUE_SIZE 100u
#define TRACE (1u << 20)
#define SKEW 0.99
#define HOT 4711u
#define ROUNDS 21u
#define HOT_OPS 1000000u
#define ZIPF_OPS 400000u
#define REQUEST 64u /* gets of one request */

/* ---- the plain table ---- */

/* A hash table with open addressing and linear probing, at most half full. Each entry has a block
 * of its own, as in the store. */
typedef struct plain_entry {
    uint64_t size;
    uint32_t key_len;
    uint32_t pad;
    char key[BENCH_KEY_STRIDE];
    char value[VALUE_SIZE];
} plain_entry;

typedef struct plain_slot {
    uint64_t hash;
    const plain_entry *entry;
} plain_slot;

typedef struct plain_table {
    plain_slot *slots;
    uint64_t mask, seed;
} plain_table;

__attribute__((noinline)) static const plain_entry *plain_get(const plain_table *table,
                                                              const void *key, size_t key_len)
{
    uint64_t hash = XXH3_64bits_withSeed(key, key_len, table->seed);
    for (uint64_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        const plain_slot *slot = &table->slots[i];
        if (slot->entry == NULL)
            return NULL;
        if (slot->hash == hash && slot->entry->key_len == key_len &&
            memcmp(slot->entry->key, key, key_len) == 0)
            return slot->entry;
    }
}

static void plain_fill(plain_table *table, const char *keys)
{
    plain_entry *entries = bench_alloc(ITEMS, sizeof *entries);
    table->mask = (1u << 18) - 1;
    table->seed = 0x5eed;
    table->slots = bench_alloc(table->mask + 1, sizeof *table->slots);
    for (uint32_t item = 0; item < ITEMS; item++) {
        plain_entry *entry = &entries[item];
        const char *key = keys + (size_t)item * BENCH_KEY_STRIDE;
        uint64_t hash = XXH3_64bits_withSeed(key, BENCH_KEY_LEN, table->seed);
        uint64_t i = hash & table->mask;
        entry->size = VALUE_SIZE;
        entry->key_len = BENCH_KEY_LEN;
        memcpy(entry->key, key, BENCH_KEY_LEN);
        bench_fill(entry->value, VALUE_SIZE, bench_tag(item));
        while (table->slots[i].entry != NULL)
            i = (i + 1) & table->mask;
        table->slots[i] = (plain_slot){hash, entry};
    }
}

/* ---- jobs ---- */

typedef struct get_bench {
    lrd_store *store; /* volatile, or immutable */
    unsigned flags;
    plain_table table;
    const char *keys, *absent;
    const uint32_t *trace[2]; /* for each process, the items to ask for */
} get_bench;

/* Return the pointer. Hide its value from the compiler. */
static inline const void *opaque(const void *pointer)
{
    __asm__ volatile("" : "+r"(pointer));
    return pointer;
}
/* Return the length of a key. Hide it from the compiler, which would otherwise compile the plain
 * table for this length. */
static inline size_t key_len(void)
{
    size_t length = BENCH_KEY_LEN;
    __asm__ volatile("" : "+r"(length));
    return length;
}
static inline const char *hot_key(const get_bench *bench)
{
    return opaque(bench->keys + (size_t)HOT * BENCH_KEY_STRIDE);
}
static inline uint32_t traced(const get_bench *bench, uint64_t i, uint32_t who)
{
    return bench->trace[who][i & (TRACE - 1)];
}

static uint64_t hash_only(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t sum = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++)
        sum += XXH3_64bits_withSeed(hot_key(bench), key_len(), bench->table.seed);
    return sum == 0; /* always false, but makes the compiler compute the sum */
}

/* Do only the work that all loops share: make the key and check the value. */
static uint64_t loop_only(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    lrd_value value;
    (void)who;
    if (lrd_get(bench->store, hot_key(bench), key_len(), 0, &value) != LRD_OK)
        return ops;
    for (uint64_t i = 0; i < ops; i++) {
        const void *key = hot_key(bench), *data = value.data;
        __asm__ volatile("" : "+r"(key), "+r"(data));
        wrong += key == NULL || !bench_right(data, VALUE_SIZE, bench_tag(HOT));
    }
    wrong += lrd_release(bench->store, &value) != LRD_OK;
    return wrong;
}

static uint64_t hot_plain(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        const plain_entry *entry = plain_get(&bench->table, hot_key(bench), key_len());
        wrong += entry == NULL || entry->size != VALUE_SIZE ||
                 !bench_right(entry->value, VALUE_SIZE, bench_tag(HOT));
    }
    return wrong;
}

static uint64_t hot_get(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        lrd_value value;
        if (lrd_get(bench->store, hot_key(bench), key_len(), 0, &value) != LRD_OK) {
            wrong++;
            continue;
        }
        wrong += value.size != VALUE_SIZE || value.kind == LRD_KIND_COPY ||
                 !bench_right(value.data, VALUE_SIZE, bench_tag(HOT));
        wrong += lrd_release(bench->store, &value) != LRD_OK;
    }
    return wrong;
}

static uint64_t hot_get_again(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    lrd_value first;
    uint64_t wrong;
    if (lrd_get(bench->store, hot_key(bench), key_len(), 0, &first) != LRD_OK)
        return ops;
    wrong = hot_get(arg, ops, who);
    wrong += lrd_release(bench->store, &first) != LRD_OK;
    return wrong;
}

/* Get REQUEST keys one by one, like a host's request. The values stay held until one call releases
 * all. */
static uint64_t hot_requests(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        uint64_t item = HOT + i % REQUEST;
        lrd_value value;
        if (i % REQUEST == 0)
            wrong += lrd_request_begin(bench->store) != LRD_OK;
        wrong += lrd_get(bench->store, bench->keys + item * BENCH_KEY_STRIDE, key_len(), 0,
                         &value) != LRD_OK ||
                 value.size != VALUE_SIZE || value.kind != LRD_KIND_HELD ||
                 !bench_right(value.data, VALUE_SIZE, bench_tag(item));
        if (i % REQUEST == REQUEST - 1 || i == ops - 1)
            wrong += lrd_request_end(bench->store) != LRD_OK;
    }
    return wrong;
}

static uint64_t hot_plain_64(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        uint64_t item = HOT + i % REQUEST;
        const plain_entry *entry =
            plain_get(&bench->table, bench->keys + item * BENCH_KEY_STRIDE, key_len());
        wrong += entry == NULL || entry->size != VALUE_SIZE ||
                 !bench_right(entry->value, VALUE_SIZE, bench_tag(item));
    }
    return wrong;
}

static uint64_t hot_borrow(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        lrd_value value;
        wrong +=
            lrd_get(bench->store, hot_key(bench), key_len(), LRD_GET_BORROW, &value) != LRD_OK ||
            value.size != VALUE_SIZE || !bench_right(value.data, VALUE_SIZE, bench_tag(HOT));
    }
    return wrong;
}

static uint64_t hot_miss(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++) {
        lrd_value value;
        wrong += lrd_get(bench->store, opaque(bench->absent), key_len(), 0, &value) != LRD_MISS;
    }
    return wrong;
}

static uint64_t hot_plain_miss(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i++)
        wrong += plain_get(&bench->table, opaque(bench->absent), key_len()) != NULL;
    return wrong;
}

static uint64_t zipf_plain(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        uint32_t item = traced(bench, i, who);
        const char *key = bench->keys + (size_t)item * BENCH_KEY_STRIDE;
        const plain_entry *entry = plain_get(&bench->table, key, key_len());
        wrong += entry == NULL || entry->size != VALUE_SIZE ||
                 !bench_right(entry->value, VALUE_SIZE, bench_tag(item));
    }
    return wrong;
}

static uint64_t zipf_get(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        uint32_t item = traced(bench, i, who);
        const char *key = bench->keys + (size_t)item * BENCH_KEY_STRIDE;
        lrd_value value;
        if (lrd_get(bench->store, key, key_len(), bench->flags, &value) != LRD_OK) {
            wrong++;
            continue;
        }
        wrong += value.size != VALUE_SIZE || !bench_right(value.data, VALUE_SIZE, bench_tag(item));
        if (value.kind == LRD_KIND_HELD)
            wrong += lrd_release(bench->store, &value) != LRD_OK;
    }
    return wrong;
}

/* Like hot_requests(), with keys by a Zipf distribution. */
static uint64_t zipf_requests(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        uint32_t item = traced(bench, i, who);
        const char *key = bench->keys + (size_t)item * BENCH_KEY_STRIDE;
        lrd_value value;
        if (i % REQUEST == 0)
            wrong += lrd_request_begin(bench->store) != LRD_OK;
        wrong += lrd_get(bench->store, key, key_len(), 0, &value) != LRD_OK ||
                 value.size != VALUE_SIZE || value.kind == LRD_KIND_COPY ||
                 !bench_right(value.data, VALUE_SIZE, bench_tag(item));
        if (i % REQUEST == REQUEST - 1 || i == ops - 1)
            wrong += lrd_request_end(bench->store) != LRD_OK;
    }
    return wrong;
}

static uint64_t spread_miss(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        const char *key = bench->absent + (size_t)traced(bench, i, who) * BENCH_KEY_STRIDE;
        lrd_value value;
        wrong += lrd_get(bench->store, key, key_len(), 0, &value) != LRD_MISS;
    }
    return wrong;
}

static uint64_t spread_plain_miss(void *arg, uint64_t ops, uint32_t who)
{
    get_bench *bench = arg;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        const char *key = bench->absent + (size_t)traced(bench, i, who) * BENCH_KEY_STRIDE;
        wrong += plain_get(&bench->table, key, key_len()) != NULL;
    }
    return wrong;
}

/* ---- run ---- */

static lrd_store *filled_store(lrd_policy policy, const char *keys)
{
    lrd_options options = {.policy = policy, .size = 64u << 20};
    lrd_store *store = NULL;
    char value[VALUE_SIZE];
    if (lrd_open(&options, &store) != LRD_OK)
        bench_die("lrd_open: %s", lrd_error_detail());
    for (uint32_t item = 0; item < ITEMS; item++) {
        bench_fill(value, sizeof value, bench_tag(item));
        int code = lrd_put(store, keys + (size_t)item * BENCH_KEY_STRIDE, BENCH_KEY_LEN, value,
                           sizeof value,
                           &(lrd_write){.mode = policy == LRD_IMMUTABLE ? LRD_ADD : LRD_SET});
        if (code != LRD_OK)
            bench_die("lrd_put of item %u: %s", item, lrd_error_name(code));
    }
    return store;
}

enum {
    LOOP_ONLY,
    HASH_ONLY,
    HOT_PLAIN,
    HOT_GET,
    HOT_AGAIN,
    HOT_BORROW,
    HOT_IMMUTABLE,
    HOT_PLAIN_64,
    HOT_REQUESTS,
    HOT_PLAIN_MISS,
    HOT_MISS,
    ZIPF_PLAIN,
    ZIPF_GET,
    ZIPF_REQUESTS,
    ZIPF_BORROW,
    ZIPF_IMMUTABLE,
    SPREAD_PLAIN_MISS,
    SPREAD_MISS,
    JOBS
};

static void print_rows(bench_report *report, const char *title, const bench_job *jobs,
                       const bench_times *times, int first, int plain, int last)
{
    static const char *const columns[] = {"1 proc ns", "2 procs ns", "two/one",
                                          "best 1 ns", "to plain",   NULL};
    bench_section(report, title, columns);
    for (int i = first; i <= last; i++) {
        bench_row(report, jobs[i].name,
                  (double[]){times[i].one, times[i].two, times[i].ratio, times[i].best,
                             times[i].one / times[plain].one});
    }
}

static void print_goal(const char *text, double reached, double goal)
{
    printf("  %-44s %12.2f   goal %.2f: %s\n", text, reached, goal,
           reached <= goal ? "met" : "NOT MET");
}

/* These three benchmarks use the same keys and entries. `held` and `borrowed` differ only in the
 * flags of a get. `immutable` has its own store. */
static get_bench held, borrowed, immutable;

static const bench_job all_jobs[JOBS] = {
    [LOOP_ONLY] = {"the loop: key and check of the value", loop_only, &held, HOT_OPS},
    [HASH_ONLY] = {"XXH3 of the key alone", hash_only, &held, HOT_OPS},
    [HOT_PLAIN] = {"plain table", hot_plain, &held, HOT_OPS},
    [HOT_GET] = {"get, release", hot_get, &held, HOT_OPS},
    [HOT_AGAIN] = {"get, release of a value held already", hot_get_again, &held, HOT_OPS},
    [HOT_BORROW] = {"borrow", hot_borrow, &held, HOT_OPS},
    [HOT_IMMUTABLE] = {"get, release, immutable store", hot_get, &immutable, HOT_OPS},
    [HOT_PLAIN_64] = {"plain table, 64 keys", hot_plain_64, &held, HOT_OPS},
    [HOT_REQUESTS] = {"64 gets, then end of request", hot_requests, &held, HOT_OPS},
    [HOT_PLAIN_MISS] = {"plain table, miss", hot_plain_miss, &held, HOT_OPS},
    [HOT_MISS] = {"get, miss", hot_miss, &held, HOT_OPS},
    [ZIPF_PLAIN] = {"plain table", zipf_plain, &held, ZIPF_OPS},
    [ZIPF_GET] = {"get, release", zipf_get, &held, ZIPF_OPS},
    [ZIPF_REQUESTS] = {"64 gets, then end of request", zipf_requests, &held, ZIPF_OPS},
    [ZIPF_BORROW] = {"borrow", zipf_get, &borrowed, ZIPF_OPS},
    [ZIPF_IMMUTABLE] = {"get, release, immutable store", zipf_get, &immutable, ZIPF_OPS},
    [SPREAD_PLAIN_MISS] = {"plain table, miss", spread_plain_miss, &held, ZIPF_OPS},
    [SPREAD_MISS] = {"get, miss", spread_miss, &held, ZIPF_OPS},
};

static void set_up(void)
{
    held.keys = bench_keys('a', ITEMS);
    held.absent = bench_keys('z', ITEMS);
    held.trace[0] = bench_zipf_trace(ITEMS, SKEW, TRACE, 17);
    held.trace[1] = bench_zipf_trace(ITEMS, SKEW, TRACE, 18);
    plain_fill(&held.table, held.keys);
    held.store = filled_store(LRD_VOLATILE, held.keys);
    borrowed = immutable = held;
    borrowed.flags = LRD_GET_BORROW;
    immutable.store = filled_store(LRD_IMMUTABLE, held.keys);
}

int main(void)
{
    bench_report report;
    bench_times times[JOBS];
    bench_open(&report, "get");
    set_up();
    printf("key %u bytes, value %u bytes, %u entries; CPU ns per operation, medians of %u "
           "interleaved rounds\n",
           BENCH_KEY_LEN, VALUE_SIZE, ITEMS, ROUNDS);
    bench_compare(all_jobs, JOBS, ROUNDS, times);
    print_rows(&report, "one hot key", all_jobs, times, LOOP_ONLY, HOT_PLAIN, HOT_IMMUTABLE);
    print_rows(&report, "64 hot keys", all_jobs, times, HOT_PLAIN_64, HOT_PLAIN_64, HOT_REQUESTS);
    print_rows(&report, "one absent key", all_jobs, times, HOT_PLAIN_MISS, HOT_PLAIN_MISS,
               HOT_MISS);
    print_rows(&report, "Zipf 0.99, 100,000 keys", all_jobs, times, ZIPF_PLAIN, ZIPF_PLAIN,
               ZIPF_IMMUTABLE);
    print_rows(&report, "Zipf 0.99, 100,000 absent keys", all_jobs, times, SPREAD_PLAIN_MISS,
               SPREAD_PLAIN_MISS, SPREAD_MISS);
    printf("\ngoals\n");
    double loop = times[LOOP_ONLY].one;
    print_goal("hot get and release, net of the loop, ns", times[HOT_GET].one - loop, 10);
    print_goal("the same of a value held already, ns", times[HOT_AGAIN].one - loop, 10);
    print_goal("hot get, two processes / one", times[HOT_GET].ratio, 1.10);
    lrd_close(immutable.store);
    lrd_close(held.store);
    return bench_close(&report);
}
