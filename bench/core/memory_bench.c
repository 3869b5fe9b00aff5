/* memory_bench.c - memory per entry. Puts entries of one size until the store refuses (pinned) or
 * has evicted for a while (volatile), and divides the memory of the segment's file by the number of
 * entries. Begin reading at fill(). Exit code 1: some value was wrong. */
#include "bench.h"
#include "larder_admin.h"

#define STORE_SIZE ((uint64_t)64 << 20)

typedef struct memory_bench {
    lrd_store *store;
    lrd_policy policy;
    size_t size;      /* size of every value */
    uint64_t entries; /* the option entries_hint; 0: default */
    uint64_t put;     /* keys 0 .. put - 1 were put */
    int refused;      /* the code of the put that was refused at the end */
    uint64_t file;    /* bytes that the file occupied when the store was full */
    char path[64];
    char *value;
} memory_bench;

static void open_store(memory_bench *bench)
{
    snprintf(bench->path, sizeof bench->path, "/dev/shm/larder-memory-bench-%d", (int)getpid());
    lrd_options options = {.policy = bench->policy,
                           .size = STORE_SIZE,
                           .entries_hint = bench->entries,
                           .path = bench->path};
    int code = lrd_open(&options, &bench->store);
    if (code != LRD_OK)
        bench_die("lrd_open: %s: %s", lrd_strerror(code), lrd_error_detail());
    bench->value = bench_alloc(1, bench->size);
}

static void close_store(memory_bench *bench)
{
    char lock[sizeof bench->path + 8];
    lrd_close(bench->store);
    unlink(bench->path);
    snprintf(lock, sizeof lock, "%s.lock", bench->path);
    unlink(lock);
    free(bench->value);
}

static int put(memory_bench *bench, uint64_t item)
{
    char key[BENCH_KEY_LEN];
    bench_key(key, 'm', item);
    bench_fill(bench->value, bench->size, bench_tag(item));
    return lrd_put(bench->store, key, sizeof key, bench->value, bench->size, NULL);
}

/* Fill the store until it refuses a hundred keys in a row. One refusal is not enough, because some
 * shards are full before others. If the store evicts, put three times as many entries as fit. */
static void fill(memory_bench *bench)
{
    struct stat status;
    uint64_t most = 3 * STORE_SIZE / (bench->size + 64);
    for (uint32_t row = 0; row < 100 && bench->put < most; bench->put++) {
        int code = put(bench, bench->put);
        row = code == LRD_OK ? 0 : row + 1;
        if (code != LRD_OK)
            bench->refused = code;
        if (code != LRD_OK && code != LRD_ENOROOM && code != LRD_ENOINDEX)
            bench_die("lrd_put: %s", lrd_error_name(code));
    }
    if (stat(bench->path, &status) != 0)
        bench_die("%s is gone", bench->path);
    bench->file = (uint64_t)status.st_blocks * 512;
}

/* Check every entry, and the number of entries in the statistics. */
static void check(memory_bench *bench, uint64_t entries)
{
    uint64_t found = 0;
    for (uint64_t item = 0; item < bench->put; item++) {
        char key[BENCH_KEY_LEN];
        lrd_value value;
        bench_key(key, 'm', item);
        if (lrd_get(bench->store, key, sizeof key, 0, &value) != LRD_OK)
            continue;
        found++;
        bench_wrong(value.size != bench->size ||
                    !bench_right(value.data, value.size, bench_tag(item)));
        bench_wrong(lrd_release(bench->store, &value) != LRD_OK);
    }
    bench_wrong(found != entries);
}

static void run_case(bench_report *report, lrd_policy policy, size_t size, uint64_t entries)
{
    memory_bench bench = {.policy = policy, .size = size, .entries = entries};
    lrd_stats stats;
    char name[64];
    open_store(&bench);
    fill(&bench);
    lrd_stats_get(bench.store, &stats);
    check(&bench, stats.entries);
    double count = (double)stats.entries, payload = (double)(size + BENCH_KEY_LEN) * count;
    snprintf(name, sizeof name, "%s, %zu B%s, %s", policy == LRD_PINNED ? "pinned" : "volatile",
             size, entries == 0 ? "" : ", own hint",
             bench.refused != 0 ? lrd_error_name(bench.refused) : "evicts");
    bench_row(report, name,
              (double[]){count, payload / (double)STORE_SIZE,
                         (double)(bench.file - stats.page_bytes) / count,
                         (double)stats.live_bytes / count,
                         ((double)stats.live_bytes - payload) / count,
                         (double)(stats.page_bytes - stats.live_bytes) / count,
                         ((double)bench.file - payload) / count, (double)bench.file / payload});
    close_store(&bench);
}

int main(void)
{
    static const char *const columns[] = {"entries",    "fill",       "control B",
                                          "block B",    "header B",   "unused B",
                                          "overhead B", "total/paid", NULL};
    static const size_t sizes[] = {16, 100, 1000, 10000};
    bench_report report;
    bench_open(&report, "memory");
    printf("store of %llu MiB, keys of %u bytes; bytes per entry\n"
           "fill: keys and values / size of the store; control: index, bitmaps, queues, slots;\n"
           "block: as allocated; header: of it neither key nor value; unused: in pages but in no "
           "live block;\noverhead: all that is neither key nor value; total/paid: bytes of "
           "memory per byte of key and value\n",
           (unsigned long long)(STORE_SIZE >> 20), BENCH_KEY_LEN);
    bench_section(&report, "store", columns);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t fitting = STORE_SIZE / ((sizes[i] + BENCH_KEY_LEN + 32 + 15) / 16 * 16);
        run_case(&report, LRD_PINNED, sizes[i], 0);
        run_case(&report, LRD_PINNED, sizes[i], fitting);
        run_case(&report, LRD_VOLATILE, sizes[i], 0);
        run_case(&report, LRD_VOLATILE, sizes[i], fitting);
    }
    return bench_close(&report);
}
