/* many_bench.c - the cost of getting several keys by one lrd_get_many(), compared with a loop of
 * lrd_get(). Draws 16 keys at a time and checks every value. Exit code 1: some value was wrong. */
#include "bench.h"
#include "larder.h"

#define GROUP 16u
#define SIZE 100u /* bytes of a value */
#define DRAWS (1u << 20)
#define ROUNDS 9u

typedef struct many_bench {
    lrd_store *store;
    const char *keys;     /* BENCH_KEY_STRIDE apart */
    const uint32_t *draw; /* DRAWS items */
    size_t next;
} many_bench;

static bool right(const lrd_value *value, uint32_t item)
{
    return value->kind == LRD_KIND_HELD && value->size == SIZE &&
           bench_right(value->data, value->size, bench_tag(item));
}

/* Return the 16 items of the next group. */
static const uint32_t *group_of(many_bench *bench)
{
    const uint32_t *items = bench->draw + bench->next;
    bench->next = (bench->next + GROUP) % DRAWS;
    return items;
}

static uint64_t one_by_one(void *arg, uint64_t ops, uint32_t who)
{
    many_bench *bench = arg;
    lrd_value values[GROUP];
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i += GROUP) {
        const uint32_t *items = group_of(bench);
        for (uint32_t k = 0; k < GROUP; k++)
            wrong += lrd_get(bench->store, bench->keys + (size_t)items[k] * BENCH_KEY_STRIDE,
                             BENCH_KEY_LEN, 0, values + k) != LRD_OK;
        for (uint32_t k = GROUP; k-- > 0;) {
            wrong += !right(values + k, items[k]);
            wrong += lrd_release(bench->store, values + k) != LRD_OK;
        }
    }
    return wrong;
}

static uint64_t together(void *arg, uint64_t ops, uint32_t who)
{
    many_bench *bench = arg;
    lrd_value values[GROUP];
    lrd_key keys[GROUP];
    uint64_t wrong = 0;
    (void)who;
    for (uint64_t i = 0; i < ops; i += GROUP) {
        const uint32_t *items = group_of(bench);
        size_t done;
        for (uint32_t k = 0; k < GROUP; k++)
            keys[k] = (lrd_key){.key = bench->keys + (size_t)items[k] * BENCH_KEY_STRIDE,
                                .key_len = BENCH_KEY_LEN};
        wrong += lrd_get_many(bench->store, keys, GROUP, 0, values, &done) != LRD_OK;
        wrong += done != GROUP;
        for (uint32_t k = GROUP; k-- > 0;) {
            wrong += !right(values + k, items[k]);
            wrong += lrd_release(bench->store, values + k) != LRD_OK;
        }
    }
    return wrong;
}

/* Fill a store with this number of items. Print the times of lrd_get_many() and of the loop. */
static void measure(bench_report *report, uint32_t items)
{
    char name[64], value[SIZE];
    lrd_options options = {.size = (uint64_t)items * 400 + (64u << 20), .entries_hint = items};
    many_bench bench = {.keys = bench_keys('m', items)};
    uint64_t random = 1;
    if (lrd_open(&options, &bench.store) != LRD_OK)
        bench_die("lrd_open: %s", lrd_error_detail());
    for (uint32_t i = 0; i < items; i++) {
        bench_fill(value, SIZE, bench_tag(i));
        if (lrd_put(bench.store, bench.keys + (size_t)i * BENCH_KEY_STRIDE, BENCH_KEY_LEN, value,
                    SIZE, NULL) != LRD_OK)
            bench_die("lrd_put: %s", lrd_error_detail());
    }
    uint32_t *draw = bench_alloc(DRAWS, sizeof *draw);
    for (uint32_t i = 0; i < DRAWS; i++)
        draw[i] = bench_below(&random, items);
    bench.draw = draw;
    const bench_job jobs[] = {{"loop of gets", one_by_one, &bench, DRAWS / 4},
                              {"lrd_get_many", together, &bench, DRAWS / 4}};
    double each[2][ROUNDS], ratios[ROUNDS];
    for (unsigned i = 0; i < 2; i++)
        bench_warm(jobs + i);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < 2; i++)
            each[i][round] = bench_once(jobs + i);
        ratios[round] = each[0][round] / each[1][round];
    }
    double row[3] = {bench_median(each[0], ROUNDS), bench_median(each[1], ROUNDS),
                     bench_median(ratios, ROUNDS)};
    snprintf(name, sizeof name, "%u of %u keys at random", GROUP, items);
    bench_row(report, name, row);
    lrd_close(bench.store);
    free(draw);
}

int main(void)
{
    static const char *const columns[] = {"loop, ns", "many, ns", "loop/many", NULL};
    bench_report report;
    bench_open(&report, "many");
    bench_section(&report, "keys that are asked for together (CPU per key)", columns);
    measure(&report, 1000);
    measure(&report, 100000);
    measure(&report, 1000000);
    return bench_close(&report);
}
