/* set_bench.c - the cost of writing. One process writes, or two at once. Two processes share one
 * store, or each has its own.
 * - Jobs replace values, insert into a full store that evicts, count, and read nine times for each
 *   write. The last rows are gets and puts by size of the value.
 * - Every job reads back what it wrote, or lets the other process do so.
 *
 * Exit code 1: some value was wrong. Begin reading at put_items(). */
#include "bench.h"
#include "larder_admin.h"

#define ITEMS 10000u
#define TRACE (1u << 18)
#define SKEW 0.99
#define ROUNDS 9u

/* ---- jobs ---- */

typedef struct set_bench {
    lrd_store *store;
    size_t size;           /* size of every value */
    uint32_t items;        /* number of different keys */
    const char *keys;      /* BENCH_KEY_STRIDE apart */
    const uint32_t *trace; /* the items in the order in which the mixed job uses them */
    char *value[2];        /* a buffer for each process */
    /* The next position of each process in `trace`, in shared memory, each in its own cache
     * line. */
    uint64_t *turns;
    bool shared; /* true if both processes write the same keys */
} set_bench;

#define TURN_STRIDE 8u
static uint64_t next_turn(const set_bench *bench, uint32_t who)
{
    return bench->turns[who * TURN_STRIDE]++;
}

static const char *key_of(const set_bench *bench, uint64_t item)
{
    return bench->keys + item * BENCH_KEY_STRIDE;
}

/* Return the tag for the value that an item gets in turn `turn`. From the tag, value_is_of() tells
 * whether a value belongs to the item, whichever process wrote it. */
static uint64_t stamp(uint64_t item, uint64_t turn) { return bench_tag(item) ^ (turn & 0xffff); }

static bool value_is_of(const lrd_value *value, size_t size, uint64_t item)
{
    uint64_t head;
    if (value->size != size)
        return false;
    memcpy(&head, value->data, sizeof head);
    return (head ^ bench_tag(item)) <= 0xffff && bench_right(value->data, size, head);
}

/* Set the first and the last bytes of a buffer that was filled before. */
static void set_stamp(char *value, size_t size, uint64_t tag)
{
    uint64_t tail = bench_tail(tag, size);
    memcpy(value, &tag, sizeof tag);
    memcpy(value + size - sizeof tail, &tail, sizeof tail);
}

/* Return true if the item's value is stored and right. */
static bool reads_right(const set_bench *bench, const char *key, uint64_t item)
{
    lrd_value value;
    if (lrd_get(bench->store, key, BENCH_KEY_LEN, 0, &value) != LRD_OK)
        return false;
    bool right = value_is_of(&value, bench->size, item);
    return lrd_release(bench->store, &value) == LRD_OK && right;
}

/* Put a value. Try again if another writer has the lock for too long. Returns false if it cannot be
 * stored. */
static bool put(const set_bench *bench, const char *key, const void *data)
{
    int rc;
    do {
        rc = lrd_put(bench->store, key, BENCH_KEY_LEN, data, bench->size, NULL);
    } while (rc == LRD_EBUSY);
    return rc == LRD_OK;
}

/* Replace the items, one after the other. Read every 64th item back. */
static uint64_t put_items(void *arg, uint64_t ops, uint32_t who)
{
    set_bench *bench = arg;
    char *data = bench->value[who];
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        uint64_t turn = next_turn(bench, who);
        uint64_t item = turn % bench->items + (bench->shared ? 0 : who * bench->items);
        set_stamp(data, bench->size, stamp(item, turn));
        wrong += !put(bench, key_of(bench, item), data);
        if (turn % 64 == 0)
            wrong += !reads_right(bench, key_of(bench, item), item);
    }
    return wrong;
}

/* Insert new keys into a full store that evicts. The last value must be there, unless the other
 * process has evicted it. */
static uint64_t insert_items(void *arg, uint64_t ops, uint32_t who)
{
    set_bench *bench = arg;
    char *data = bench->value[who];
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        char key[BENCH_KEY_LEN];
        lrd_value value;
        uint64_t item = next_turn(bench, who) * 2 + who;
        bench_key(key, 'i', item % 1000000000u);
        set_stamp(data, bench->size, stamp(item, item));
        wrong += !put(bench, key, data);
        if (i % 64 == 0 && lrd_get(bench->store, key, BENCH_KEY_LEN, 0, &value) == LRD_OK) {
            wrong += !value_is_of(&value, bench->size, item);
            wrong += lrd_release(bench->store, &value) != LRD_OK;
        }
    }
    return wrong;
}

static uint64_t mixed(void *arg, uint64_t ops, uint32_t who)
{
    set_bench *bench = arg;
    char *data = bench->value[who];
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        uint64_t turn = next_turn(bench, who);
        uint64_t item = bench->trace[(turn + who * TRACE / 2) % TRACE];
        if (turn % 10 != 0) {
            wrong += !reads_right(bench, key_of(bench, item), item);
            continue;
        }
        set_stamp(data, bench->size, stamp(item, turn));
        wrong += !put(bench, key_of(bench, item), data);
    }
    return wrong;
}

static uint64_t get_items(void *arg, uint64_t ops, uint32_t who)
{
    set_bench *bench = arg;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        uint64_t item = next_turn(bench, who) % bench->items;
        wrong += !reads_right(bench, key_of(bench, item), item);
    }
    return wrong;
}

/* The stores of two processes that write different keys: bench[0] for the first process, bench[1]
 * for the second. Both elements may be the same. */
typedef struct writers {
    set_bench *bench[2];
} writers;

static uint64_t write_own(void *arg, uint64_t ops, uint32_t who)
{
    return put_items(((writers *)arg)->bench[who], ops, who);
}

static uint64_t write_half(void *arg, uint64_t ops, uint32_t who)
{
    set_bench *bench = ((writers *)arg)->bench[who];
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i += 2) {
        wrong += put_items(bench, 1, who);
        uint64_t item = next_turn(bench, who) * 7919 % bench->items + who * bench->items;
        wrong += !reads_right(bench, key_of(bench, item), item);
    }
    return wrong;
}

/* Copy values without a store, into one buffer for each item. This shows how much of a put is
 * copying. */
static uint64_t copy_items(void *arg, uint64_t ops, uint32_t who)
{
    set_bench *bench = arg;
    char *pool = bench->value[0] + bench->size;
    for (uint64_t i = 0; i < ops; i++) {
        memcpy(pool + next_turn(bench, who) % bench->items * bench->size, bench->value[0],
               bench->size);
        __asm__ volatile("" ::: "memory");
    }
    return 0;
}

static uint64_t add_counter(void *arg, uint64_t ops, uint32_t who)
{
    set_bench *bench = arg;
    const char *key = key_of(bench, bench->shared ? 0 : who);
    int64_t last = INT64_MIN;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < ops; i++) {
        int64_t now = 0;
        wrong += lrd_counter_add(bench->store, key, BENCH_KEY_LEN, 1, 0, 0, &now) != LRD_OK;
        wrong += now <= last || (!bench->shared && last != INT64_MIN && now != last + 1);
        last = now;
    }
    bench->turns[who * TURN_STRIDE] += ops;
    return wrong;
}

/* ---- set up ---- */

static uint64_t *make_turns(void) { return bench_shared(2 * TURN_STRIDE * sizeof(uint64_t)); }

static lrd_store *open_store(uint64_t size, uint64_t entries)
{
    lrd_options options = {.size = size, .entries_hint = entries};
    lrd_store *store = NULL;
    if (lrd_open(&options, &store) != LRD_OK)
        bench_die("lrd_open: %s", lrd_error_detail());
    return store;
}

/* Open a store, and put all items. */
static set_bench make_bench(uint64_t store_size, size_t size, uint32_t items, bool shared)
{
    set_bench bench = {.store = open_store(store_size, 0),
                       .size = size,
                       .items = items,
                       .keys = bench_keys('s', items * 2),
                       .turns = make_turns(),
                       .shared = shared};
    for (int who = 0; who < 2; who++) {
        bench.value[who] = bench_alloc(1, size);
        bench_fill(bench.value[who], size, 0);
    }
    for (uint32_t item = 0; item < items * (shared ? 1 : 2); item++) {
        set_stamp(bench.value[0], size, stamp(item, 0));
        if (lrd_put(bench.store, key_of(&bench, item), BENCH_KEY_LEN, bench.value[0], size, NULL) !=
            LRD_OK)
            bench_die("the store does not take item %u", item);
    }
    return bench;
}

static void drop_bench(set_bench *bench)
{
    lrd_close(bench->store);
    free((void *)(uintptr_t)bench->keys);
    free(bench->value[0]);
    free(bench->value[1]);
    munmap(bench->turns, 2 * TURN_STRIDE * sizeof(uint64_t));
}

static const char *const pair_columns[] = {"1 proc ns", "2 procs ns", "two/one", "best 1 ns", NULL};

/* Time one job in one process and in two, and print its row. */
static void pair_row(bench_report *report, const char *name, bench_run *run, set_bench *bench,
                     uint64_t ops)
{
    const bench_job job = {name, run, bench, ops};
    bench_times times;
    bench_compare(&job, 1, ROUNDS, &times);
    bench_row(report, name, (double[]){times.one, times.two, times.ratio, times.best});
}

/* ---- tables ---- */

static void replace_table(bench_report *report)
{
    static const struct {
        const char *name;
        size_t size;
        uint32_t items;
        bool shared;
        uint64_t ops;
    } rows[] = {
        {"put 100 B, one key", 100, 1, true, 200000},
        {"put 100 B, a key for each process", 100, 1, false, 200000},
        {"put 100 B, 10,000 keys", 100, ITEMS, true, 200000},
        {"put 1 KiB, 10,000 keys", 1024, ITEMS, true, 100000},
        {"put 16 KiB, 1,000 keys", 16384, 1000, true, 20000},
    };
    bench_section(report, "replace", pair_columns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set_bench bench = make_bench(64u << 20, rows[i].size, rows[i].items, rows[i].shared);
        pair_row(report, rows[i].name, put_items, &bench, rows[i].ops);
        drop_bench(&bench);
    }
}

/* Let two processes write different keys. Compare the time if each process has its own store with
 * the time if they share one store. */
static void writers_table(bench_report *report)
{
    static const char *const columns[] = {"a store each ns", "one store ns", "each/one", NULL};
    set_bench one = make_bench(64u << 20, 100, 3 * ITEMS, false);
    set_bench other = make_bench(64u << 20, 100, 3 * ITEMS, false);
    writers each = {{&one, &other}}, both = {{&one, &one}};
    const bench_job jobs[] = {{"put each", write_own, &each, 200000},
                              {"put one", write_own, &both, 200000},
                              {"half each", write_half, &each, 200000},
                              {"half one", write_half, &both, 200000}};
    bench_times times[4];
    bench_section(report, "two writers of 30,000 keys each, 100 B", columns);
    bench_compare(jobs, 4, 2 * ROUNDS + 1, times);
    bench_row(report, "put", (double[]){times[0].two, times[1].two, times[0].two / times[1].two});
    bench_row(report, "half put, half get",
              (double[]){times[2].two, times[3].two, times[2].two / times[3].two});
    drop_bench(&one);
    drop_bench(&other);
}

static void insert_table(bench_report *report)
{
    static const struct {
        const char *name;
        size_t size;
        uint64_t ops;
    } rows[] = {
        {"insert 100 B", 100, 200000},
        {"insert 1 KiB", 1024, 100000},
        {"insert 16 KiB", 16384, 20000},
    };
    bench_section(report, "insert into a full store (64 MiB, evicting)", pair_columns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set_bench bench = make_bench(64u << 20, rows[i].size, 1, true);
        lrd_stats before, after;
        bench_wrong(insert_items(&bench, (96u << 20) / rows[i].size, 0));
        lrd_stats_get(bench.store, &before);
        pair_row(report, rows[i].name, insert_items, &bench, rows[i].ops);
        lrd_stats_get(bench.store, &after);
        if (before.evicted == 0 || after.evicted == before.evicted)
            bench_die("%s: the store was not full", rows[i].name);
        drop_bench(&bench);
    }
}

/* Check that the counter is exactly the number of additions by both processes. */
static void counter_row(bench_report *report, const char *name, bool shared)
{
    lrd_value value;
    set_bench bench = {.store = open_store(64u << 20, 0),
                       .items = 2,
                       .keys = bench_keys('n', 2),
                       .turns = make_turns(),
                       .shared = shared};
    pair_row(report, name, add_counter, &bench, 500000);
    uint64_t expected = bench.turns[0] + (shared ? bench.turns[TURN_STRIDE] : 0);
    bench_wrong(lrd_get(bench.store, bench.keys, BENCH_KEY_LEN, 0, &value) != LRD_OK ||
                lrd_counter_value(&value) != (int64_t)expected);
    drop_bench(&bench);
}

static void mixed_table(bench_report *report)
{
    set_bench bench = make_bench(64u << 20, 100, ITEMS, true);
    bench.trace = bench_zipf_trace(ITEMS, SKEW, TRACE, 19);
    bench_section(report, "counters and mixed work", pair_columns);
    counter_row(report, "counter add, the same counter", true);
    counter_row(report, "counter add, a counter for each process", false);
    pair_row(report, "90 % get, 10 % put, Zipf 0.99, 100 B", mixed, &bench, 400000);
    free((void *)(uintptr_t)bench.trace);
    drop_bench(&bench);
}

static void size_table(bench_report *report)
{
    static const char *const columns[] = {"get ns", "put ns", "memcpy ns", "put/memcpy", NULL};
    static const char *const names[] = {"64 B",   "256 B",  "1 KiB",   "4 KiB",
                                        "16 KiB", "64 KiB", "256 KiB", "1 MiB"};
    bench_section(report, "by value size (one process)", columns);
    for (unsigned step = 0; step < sizeof names / sizeof *names; step++) {
        size_t size = (size_t)64 << 2 * step;
        uint32_t items = (uint32_t)((16u << 20) / size < ITEMS ? (16u << 20) / size : ITEMS);
        uint64_t ops = (64u << 20) / size < 200000 ? (64u << 20) / size : 200000;
        set_bench bench = make_bench(64u << 20, size, items, true);
        set_bench copy = {.size = size,
                          .items = items,
                          .turns = make_turns(),
                          .value = {bench_alloc(items + 1, size)}};
        const bench_job get = {"get", get_items, &bench, 200000};
        const bench_job put = {"put", put_items, &bench, ops};
        const bench_job plain = {"memcpy", copy_items, &copy, ops};
        memset(copy.value[0], 1, size * (items + 1));
        double puts = bench_time(&put, ROUNDS), gets = bench_time(&get, ROUNDS);
        double copies = bench_time(&plain, ROUNDS);
        bench_row(report, names[step], (double[]){gets, puts, copies, puts / copies});
        free(copy.value[0]);
        drop_bench(&bench);
    }
}

int main(void)
{
    bench_report report;
    bench_open(&report, "set");
    printf("key %u bytes; CPU ns per operation, medians of %u rounds\n", BENCH_KEY_LEN, ROUNDS);
    replace_table(&report);
    writers_table(&report);
    insert_table(&report);
    mixed_table(&report);
    size_table(&report);
    return bench_close(&report);
}
