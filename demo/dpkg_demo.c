/* dpkg_demo.c - uses a pinned store for the package database of this machine
 * (/var/lib/dpkg/status). Readers look packages up and follow their dependencies, in place. A
 * rewriter replaces records all the time. About twenty times a second, the parent kills a reader or
 * the rewriter, and starts a new one.
 *
 * Each reader has computed a checksum of every field of the file. It compares the fields of each
 * value with these checksums. The value's revision must not be older than one that the reader has
 * seen. A missing package is as wrong as a damaged one.
 *
 * Usage: dpkg_demo [seconds]. Exit code 0: all was right; 1: something was wrong; 2: this machine
 * cannot run it. Begin reading at serve_request() and rewrite(). */
#include "larder_admin.h"
#include "larder_host.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_FILE "/var/lib/dpkg/status"
#define STORE_SIZE (64u << 20)
#define READERS 4u
#define WORKERS (READERS + 1) /* the last worker is the rewriter */
#define FIELDS_MAX 64u
#define KEY_SIZE 256u
#define PAUSE_MS 50u /* average ms between two kills */
#define REVISION "Larder-Revision"

/* ---- the expected records, read from the file ---- */

typedef struct text {
    const char *at;
    uint32_t length;
} text;

typedef struct record {
    text name; /* the name of the package */
    char key[KEY_SIZE];
    uint32_t key_len, count;
    text field[FIELDS_MAX], content[FIELDS_MAX];
    uint64_t truth[FIELDS_MAX]; /* checksum of each field; each process computes its own */
    uint64_t seen;              /* the newest revision of this record that this process has read */
} record;

typedef struct catalogue {
    record *records;
    uint32_t count;
    size_t file_size;
    uint32_t *places; /* hash table by key; a cell has the number of a record + 1, or 0 */
    uint32_t mask;
} catalogue;

/* Memory that all processes share, besides the store. At any time, only one process writes to a
 * tally. */
typedef struct tally {
    /* requests: a process raises `begun`, then the counter in the store, then `done` */
    _Alignas(64) _Atomic uint64_t begun, done;
    _Atomic uint64_t lookups, hits, bytes, rewrites, busy, wrong;
} tally;

typedef struct board {
    _Atomic uint32_t stop;
    _Atomic uint64_t revision; /* the last revision that a record got */
    _Atomic uint32_t told;     /* 1: a process has begun to write `complaint` */
    char complaint[256];
    tally tallies[WORKERS + 1]; /* the last one is the parent's */
} board;

static catalogue packages;
static board *shared;
static lrd_store *store;

static void tally_add(_Atomic uint64_t *count, uint64_t more)
{
    uint64_t old = atomic_load_explicit(count, memory_order_relaxed);
    atomic_store_explicit(count, old + more, memory_order_relaxed);
}

/* Note that something was wrong. The first complaint is printed at the end. */
__attribute__((format(printf, 2, 3))) static void complain(tally *mine, const char *format, ...)
{
    va_list arguments;
    tally_add(&mine->wrong, 1);
    if (atomic_exchange(&shared->told, 1) != 0)
        return;
    va_start(arguments, format);
    vsnprintf(shared->complaint, sizeof shared->complaint, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 1, 2), noreturn)) static void give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- parsing ---- */

static char *read_file(const char *path, size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fstat(fileno(file), &status) != 0)
        give_up("%s: %s. This demonstration needs a machine that uses dpkg.", path,
                strerror(errno));
    char *content = malloc((size_t)status.st_size + 1);
    if (content == NULL)
        give_up("no memory for %s", path);
    *size = fread(content, 1, (size_t)status.st_size, file);
    content[*size] = '\0';
    fclose(file);
    return content;
}

/* Return the cell of the hash table that contains the key, or the free cell for it. */
static uint32_t *place_of(const char *key, size_t key_len)
{
    uint32_t i = (uint32_t)XXH3_64bits(key, key_len) & packages.mask;
    for (; packages.places[i] != 0; i = (i + 1) & packages.mask) {
        const record *found = &packages.records[packages.places[i] - 1];
        if (found->key_len == key_len && memcmp(found->key, key, key_len) == 0)
            break;
    }
    return &packages.places[i];
}

static record *package_of(const char *key, size_t key_len)
{
    uint32_t place = *place_of(key, key_len);
    return place == 0 ? NULL : &packages.records[place - 1];
}

static text content_of(const record *package, const char *field)
{
    for (uint32_t i = 0; i < package->count; i++) {
        if (package->field[i].length == strlen(field) &&
            memcmp(package->field[i].at, field, strlen(field)) == 0)
            return package->content[i];
    }
    return (text){"", 0};
}

/* Parse one paragraph, and move *at behind it. A line that begins with a blank continues the field
 * before it. */
static bool parse_record(const char **at, record *out)
{
    memset(out, 0, sizeof *out);
    while (**at != '\0' && **at != '\n') {
        const char *end = strchrnul(*at, '\n'), *colon = memchr(*at, ':', (size_t)(end - *at));
        while (end[0] != '\0' && (end[1] == ' ' || end[1] == '\t'))
            end = strchrnul(end + 1, '\n');
        if (colon != NULL && out->count < FIELDS_MAX) {
            const char *content = colon[1] == ' ' ? colon + 2 : colon + 1;
            out->field[out->count] = (text){*at, (uint32_t)(colon - *at)};
            out->content[out->count++] = (text){content, (uint32_t)(end - content)};
        }
        *at = *end == '\0' ? end : end + 1;
    }
    while (**at == '\n')
        ++*at;
    out->name = content_of(out, "Package");
    return out->name.length > 0 && out->name.length < KEY_SIZE / 2;
}

/* Name a record pkg:NAME, or pkg:NAME:ARCHITECTURE if the name is used already. */
static void name_record(record *package)
{
    text architecture = content_of(package, "Architecture");
    package->key_len = (uint32_t)snprintf(package->key, KEY_SIZE, "pkg:%.*s",
                                          (int)package->name.length, package->name.at);
    if (package_of(package->key, package->key_len) != NULL)
        package->key_len = (uint32_t)snprintf(package->key, KEY_SIZE, "pkg:%.*s:%.32s",
                                              (int)package->name.length, package->name.at,
                                              architecture.length > 0 ? architecture.at : "other");
    package->key_len = (uint32_t)strcspn(package->key, "\n");
}

static void parse_file(const char *path)
{
    const char *at = read_file(path, &packages.file_size);
    size_t most = packages.file_size / 16 + 1;
    packages.mask = 1;
    while (packages.mask < most)
        packages.mask = packages.mask * 2 + 1;
    packages.records = mmap(NULL, most * sizeof *packages.records, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    packages.places = calloc(packages.mask + 1, sizeof *packages.places);
    if (packages.records == MAP_FAILED || packages.places == NULL)
        give_up("no memory for the records");
    while (*at != '\0') {
        record *package = &packages.records[packages.count];
        if (!parse_record(&at, package))
            continue;
        name_record(package);
        uint32_t *place = place_of(package->key, package->key_len);
        if (*place == 0)
            *place = ++packages.count;
    }
    if (packages.count == 0)
        give_up("%s names no package", path);
}

static uint64_t checksum(text field, text content)
{
    return XXH3_64bits_withSeed(content.at, content.length, XXH3_64bits(field.at, field.length));
}

/* Compute the checksums of all fields, from this process's copy of the text. */
static void compute_truth(void)
{
    for (uint32_t i = 0; i < packages.count; i++) {
        record *package = &packages.records[i];
        for (uint32_t j = 0; j < package->count; j++)
            package->truth[j] = checksum(package->field[j], package->content[j]);
    }
}

/* ---- values ---- */

/* The stored form of a record. Readers read it in place. Each rewrite changes the record's
 * revision, and with it the layout: the revision decides by how many places the fields are rotated.
 * The last field is the revision, repeated 1 to 8 times.
 *
 *   stored | stored_field[fields] | texts of the fields one after the other */
typedef struct stored_field {
    uint32_t name_at, name_len, content_at, content_len; /* offsets from the start of the value */
} stored_field;

typedef struct stored {
    uint64_t revision;
    uint32_t size, fields;
    stored_field field[];
} stored;

#define STAMP_LEN 16u /* hexadecimal digits of a revision */

static uint32_t stamps_of(uint64_t revision) { return 1 + (uint32_t)(revision % 8); }

static void stamp_write(char *out, uint64_t revision)
{
    for (uint32_t i = 0; i < STAMP_LEN; i++)
        out[i] = "0123456789abcdef"[revision >> (60 - 4 * i) & 15];
}

static size_t stored_size(const record *package, uint64_t revision)
{
    size_t size = sizeof(stored) + (package->count + 1) * sizeof(stored_field);
    for (uint32_t i = 0; i < package->count; i++)
        size += package->field[i].length + package->content[i].length;
    return size + strlen(REVISION) + stamps_of(revision) * STAMP_LEN;
}

static uint32_t append(char *value, uint32_t *at, text part)
{
    uint32_t start = *at;
    memcpy(value + start, part.at, part.length);
    *at += part.length;
    return start;
}

/* Write a record with this revision to `build`, in its stored form. */
static void stored_build(void *build, const record *package, uint64_t revision)
{
    stored *out = build;
    char stamps[8 * STAMP_LEN];
    uint32_t at = (uint32_t)(sizeof *out + (package->count + 1) * sizeof(stored_field));
    for (uint32_t i = 0; i < stamps_of(revision); i++)
        stamp_write(stamps + i * STAMP_LEN, revision);
    for (uint32_t i = 0; i <= package->count; i++) {
        uint32_t from = (uint32_t)((i + revision) % package->count);
        bool last = i == package->count;
        text name = last ? (text){REVISION, strlen(REVISION)} : package->field[from];
        text content =
            last ? (text){stamps, stamps_of(revision) * STAMP_LEN} : package->content[from];
        out->field[i].name_at = append(build, &at, name);
        out->field[i].name_len = name.length;
        out->field[i].content_at = append(build, &at, content);
        out->field[i].content_len = content.length;
    }
    out->revision = revision;
    out->size = at;
    out->fields = package->count + 1;
}

static bool stored_text(const stored *value, uint32_t at, uint32_t length, text *out)
{
    *out = (text){(const char *)value + at, length};
    return at <= value->size && length <= value->size - at;
}

static bool stamps_right(const stored *value, text content)
{
    char stamp[STAMP_LEN];
    stamp_write(stamp, value->revision);
    for (uint32_t i = 0; i < stamps_of(value->revision); i++) {
        if (content.length != stamps_of(value->revision) * STAMP_LEN ||
            memcmp(content.at + i * STAMP_LEN, stamp, STAMP_LEN) != 0)
            return false;
    }
    return true;
}

/* Return NULL if the value is right for this package, else a text that says what is wrong. */
static const char *stored_check(const lrd_value *got, record *package)
{
    const stored *value = got->data;
    if (got->size < sizeof *value || value->size != got->size ||
        value->fields != package->count + 1 ||
        got->size < sizeof *value + value->fields * sizeof(stored_field))
        return "has the wrong shape";
    for (uint32_t i = 0; i < value->fields; i++) {
        const stored_field *field = &value->field[i];
        text name, content;
        if (!stored_text(value, field->name_at, field->name_len, &name) ||
            !stored_text(value, field->content_at, field->content_len, &content))
            return "has a field outside of itself";
        if (i == package->count && !stamps_right(value, content))
            return "does not bear its own revision";
        if (i < package->count &&
            checksum(name, content) != package->truth[(i + value->revision) % package->count])
            return "has a field that is not in the file";
    }
    if (value->revision < package->seen)
        return "is older than one that was read before";
    package->seen = value->revision;
    return NULL;
}

/* ---- workers ---- */

/* Look up one key and check the value. Returns true if *out is held. */
static bool look_up(tally *mine, const char *key, size_t key_len, lrd_value *out)
{
    record *package = package_of(key, key_len);
    int code = lrd_get(store, key, key_len, 0, out);
    tally_add(&mine->lookups, 1);
    if (code != LRD_OK) {
        if (code != LRD_MISS || package != NULL)
            complain(mine, "%.*s: %s", (int)key_len, key, lrd_error_name(code));
        return false;
    }
    tally_add(&mine->hits, 1);
    tally_add(&mine->bytes, out->size);
    const char *flaw = package == NULL ? "is not in the file" : stored_check(out, package);
    if (flaw != NULL)
        complain(mine, "%.*s %s", (int)key_len, key, flaw);
    return flaw == NULL;
}

/* Look up all packages on which a held record depends. Reads the names of these packages in place,
 * from the record's field "Depends". */
static void follow_depends(tally *mine, const stored *value)
{
    static const char wanted[] = "Depends";
    text list = {"", 0};
    for (uint32_t i = 0; i < value->fields; i++) {
        const stored_field *field = &value->field[i];
        if (field->name_len == sizeof wanted - 1 &&
            memcmp((const char *)value + field->name_at, wanted, sizeof wanted - 1) == 0)
            stored_text(value, field->content_at, field->content_len, &list);
    }
    for (const char *at = list.at, *end = list.at + list.length; at < end;) {
        char key[KEY_SIZE] = "pkg:";
        uint32_t length = 4;
        lrd_value other;
        while (at < end && (*at == ' ' || *at == '\n'))
            at++;
        while (at < end && strchr(" (:[,|\n", *at) == NULL && length < KEY_SIZE)
            key[length++] = *at++;
        while (at < end && *at != ',' && *at != '|')
            at++;
        at++;
        if (length > 4 && look_up(mine, key, length, &other) && other.kind == LRD_KIND_COPY)
            /* release copies; held values stay until the request ends */
            lrd_release(store, &other);
    }
}

/* Count a request for this package: first raise `begun`, then the counter in the store, then
 * `done`. */
static void count_request(tally *mine, const record *package)
{
    char key[KEY_SIZE + 16];
    int64_t total;
    int code,
        length = snprintf(key, sizeof key, "requests:%.*s", (int)package->key_len, package->key);
    tally_add(&mine->begun, 1);
    while ((code = lrd_counter_add(store, key, (size_t)length, 1, 0, 0, &total)) == LRD_EBUSY)
        tally_add(&mine->busy, 1);
    if (code != LRD_OK)
        complain(mine, "%s: %s", key, lrd_error_name(code));
    tally_add(&mine->done, 1);
}

/* Return a random package. The first packages are returned far more often than the last ones. */
static record *popular_package(uint64_t *random)
{
    double even = (double)(random_next(random) >> 11) * 0x1p-53;
    return &packages.records[(uint32_t)(even * even * even * packages.count)];
}

/* Hold a record and all records on which it depends, and release them at the end. */
static void serve_request(tally *mine, uint64_t *random)
{
    record *package = popular_package(random);
    lrd_value value = {.kind = LRD_KIND_NONE};
    lrd_request_begin(store);
    if (look_up(mine, package->key, package->key_len, &value))
        follow_depends(mine, value.data);
    if (value.kind == LRD_KIND_COPY)
        lrd_release(store, &value);
    count_request(mine, package);
    lrd_request_end(store);
}

/* Build the next revision of a record in the store, and publish it. Returns the code. */
static int store_record(const record *package, uint64_t revision, tally *mine)
{
    lrd_reservation room;
    int code = lrd_reserve(store, package->key, package->key_len, stored_size(package, revision), 0,
                           &room);
    if (code != LRD_OK)
        return code;
    stored_build(room.build, package, revision);
    while ((code = lrd_publish(store, &room, LRD_SET, 0, 0)) == LRD_EBUSY)
        tally_add(&mine->busy, 1);
    return code;
}

static void rewrite(tally *mine, uint64_t *random)
{
    const record *package = &packages.records[random_next(random) % packages.count];
    uint64_t revision = atomic_fetch_add(&shared->revision, 1) + 1;
    int code = store_record(package, revision, mine);
    if (code == LRD_EBUSY)
        tally_add(&mine->busy, 1);
    else if (code != LRD_OK)
        complain(mine, "rewriting %.*s: %s", (int)package->key_len, package->key,
                 lrd_error_name(code));
    else
        tally_add(&mine->rewrites, 1);
}

static pid_t start_worker(uint32_t number)
{
    static uint64_t started;
    uint64_t random = ++started << 32 | number;
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    compute_truth();
    while (atomic_load_explicit(&shared->stop, memory_order_acquire) == 0) {
        if (number == READERS)
            rewrite(&shared->tallies[number], &random);
        else
            serve_request(&shared->tallies[number], &random);
    }
    _exit(0);
}

/* ---- the parent ---- */

static void fill_store(tally *mine)
{
    for (uint32_t i = 0; i < packages.count; i++) {
        int code = store_record(&packages.records[i], 1, mine);
        if (code != LRD_OK)
            give_up("storing %.*s: %s: %s", (int)packages.records[i].key_len,
                    packages.records[i].key, lrd_strerror(code), lrd_error_detail());
    }
    atomic_store(&shared->revision, 1);
}

/* Wait for a worker that was told to stop. Kill it if it hangs. */
static void end_worker(pid_t worker, tally *mine)
{
    int status = 0;
    uint64_t deadline = now_ns() + 5000000000u;
    while (waitpid(worker, &status, WNOHANG) != worker) {
        if (now_ns() > deadline) {
            complain(mine, "a worker did not stop within 5 s");
            kill(worker, SIGKILL);
            waitpid(worker, &status, 0);
            return;
        }
        usleep(1000);
    }
    if (status != 0)
        complain(mine, "a worker ended with status %d", status);
}

/* Run the workers, and kill the rewriter and a random reader in turn. Returns the number of
 * kills. */
static uint64_t run_workers(double seconds, tally *mine)
{
    pid_t worker[WORKERS];
    uint64_t random = 7, kills = 0, end = now_ns() + (uint64_t)(seconds * 1e9);
    for (uint32_t i = 0; i < WORKERS; i++)
        worker[i] = start_worker(i);
    while (now_ns() < end) {
        int status = 0;
        usleep((useconds_t)(PAUSE_MS * 500 + random_next(&random) % (PAUSE_MS * 1000)));
        uint32_t victim = kills % 2 == 0 ? READERS : (uint32_t)(random_next(&random) % READERS);
        if (worker[victim] < 0)
            give_up("no process could be started");
        kill(worker[victim], SIGKILL);
        waitpid(worker[victim], &status, 0);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
            complain(mine, "a worker ended by itself with status %d", status);
        worker[victim] = start_worker(victim);
        kills++;
    }
    atomic_store(&shared->stop, 1);
    for (uint32_t i = 0; i < WORKERS; i++)
        end_worker(worker[i], mine);
    return kills;
}

/* Check all packages, and all counted increments, at the end. */
static void check_rest(tally *mine, tally *sum)
{
    uint64_t counted = 0;
    for (uint32_t i = 0; i < packages.count; i++) {
        record *package = &packages.records[i];
        char key[KEY_SIZE + 16];
        lrd_value value;
        int length =
            snprintf(key, sizeof key, "requests:%.*s", (int)package->key_len, package->key);
        if (look_up(mine, package->key, package->key_len, &value))
            lrd_release(store, &value);
        if (lrd_get(store, key, (size_t)length, 0, &value) != LRD_OK)
            continue;
        counted += (uint64_t)lrd_counter_value(&value);
        lrd_release(store, &value);
    }
    if (counted < sum->done || counted > sum->begun)
        complain(mine, "the counters say %llu requests, the workers %llu to %llu",
                 (unsigned long long)counted, (unsigned long long)sum->done,
                 (unsigned long long)sum->begun);
}

static void sum_tallies(tally *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i <= WORKERS; i++) {
        tally *one = &shared->tallies[i];
        out->begun += one->begun;
        out->done += one->done;
        out->lookups += one->lookups;
        out->hits += one->hits;
        out->bytes += one->bytes;
        out->rewrites += one->rewrites;
        out->busy += one->busy;
        out->wrong += one->wrong;
    }
}

/* Print a line of the table, with commas between the thousands of the number. */
static void line(const char *name, double number, const char *remark)
{
    char digits[32], out[48] = "";
    int length = snprintf(digits, sizeof digits, "%.0f", number), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    printf("  %-26s %16.*s%s%s\n", name, at, out, *remark != '\0' ? "   " : "", remark);
}

static void violation(void *arg, const char *violated)
{
    (void)arg;
    printf("  fsck: %s\n", violated);
}

static void print_table(const tally *sum, uint64_t kills, double seconds, int violations)
{
    lrd_stats stats;
    char hit_ratio[64];
    lrd_stats_get(store, &stats);
    snprintf(hit_ratio, sizeof hit_ratio, "%.1f %%; the others are not installed",
             100.0 * (double)sum->hits / (double)sum->lookups);
    line("lookups", (double)sum->lookups, "");
    line("  a second", (double)sum->lookups / seconds, "");
    line("  hits", (double)sum->hits, hit_ratio);
    line("requests", (double)sum->done, "a package and all it depends on");
    line("rewrites", (double)sum->rewrites, "");
    line("values checked", (double)sum->hits, "every field of each");
    line("MiB checked", (double)sum->bytes / 0x1p20, "");
    line("wrong answers", (double)sum->wrong, sum->wrong == 0 ? "" : shared->complaint);
    line("kills", (double)kills, "SIGKILL, every other one hits the rewriter");
    line("recoveries", (double)stats.recoveries, "of shards whose lock died with its holder");
    line("slots reaped", (double)stats.reaped_slots, "");
    line("busy", (double)sum->busy, "writes that had to be tried again");
    line("entries", (double)stats.entries, "packages and their counters");
    line("KiB of live entries", (double)stats.live_bytes / 1024, "");
    line("KiB of pages", (double)stats.page_bytes / 1024, "");
    line("fsck violations", violations, "");
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : 6;
    lrd_options options = {.policy = LRD_PINNED, .size = STORE_SIZE};
    tally sum;
    if (!(seconds > 0 && seconds < 1e6))
        give_up("usage: dpkg_demo [seconds]");
    parse_file(STATUS_FILE);
    compute_truth();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        give_up("no shared memory");
    int code = lrd_open(&options, &store);
    if (code != LRD_OK)
        give_up("lrd_open: %s: %s", lrd_strerror(code), lrd_error_detail());
    tally *mine = &shared->tallies[WORKERS];
    fill_store(mine);
    printf("%u packages of %s (%.0f KiB) in a pinned store of %u MiB\n"
           "%u readers and a rewriter for %.0f s; one of them is killed about every %u ms\n\n",
           packages.count, STATUS_FILE, (double)packages.file_size / 1024, STORE_SIZE >> 20,
           READERS, seconds, PAUSE_MS);
    fflush(stdout);
    uint64_t start = now_ns();
    uint64_t kills = run_workers(seconds, mine);
    double took = (double)(now_ns() - start) / 1e9;
    sum_tallies(&sum);
    check_rest(mine, &sum);
    int violations = lrd_fsck(store, violation, NULL);
    sum_tallies(&sum);
    print_table(&sum, kills, took, violations);
    lrd_close(store);
    bool right = sum.wrong == 0 && violations == 0 && sum.hits > 0 && sum.rewrites > 0;
    printf("\n%s\n", right ? "all right" : "SOMETHING WAS WRONG");
    return right ? 0 : 1;
}
