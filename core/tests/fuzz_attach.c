/* fuzz_attach.c - libFuzzer target: changes a segment file at random and opens it. lrd_open() must
 * return. If it accepts the store, lrd_fsck() must find no error and every operation must work.
 *
 * Input: a byte of flags, then changes. A change begins with a byte for area and kind, and an
 * offset (2 bytes). Then come a length byte and the new bytes, or a second offset from which to
 * copy 8 bytes. */
#include "larder_admin.h"

#include "internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include "xxhash.h"

#define FUZZ_PAGE 4096u
#define FUZZ_KEYS 48u
#define FUZZ_NOW 1000000u

enum { /* flags; bits 0 and 1 are the policy */
       FUZZ_POLICY = 3,
       FUZZ_STALE_INODE = 4,
       FUZZ_STALE_SUM = 8,
       FUZZ_IN_USE = 16 /* another process is attached, so lrd_open() checks only the header */
};
enum { FUZZ_OVERWRITE, FUZZ_XOR, FUZZ_COPY }; /* kinds of changes */
#define FUZZ_AREAS 18u

/* A valid segment for each policy. */
typedef struct fuzz_template {
    uint8_t *bytes;
    uint64_t size;
    uint64_t start[FUZZ_AREAS + 1]; /* beginnings of the areas, and the end of the last one */
} fuzz_template;

static fuzz_template templates[4];
static uint8_t *image; /* the changed file */
static char path[128];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s\n", what, lrd_error_detail());
    abort();
}

static uint64_t fuzz_clock(void *arg)
{
    (void)arg;
    return FUZZ_NOW;
}

static lrd_options fuzz_options(unsigned policy)
{
    return (lrd_options){.policy = (lrd_policy)policy,
                         .size = LRD_SIZE_MIN,
                         .slots = 16,
                         .shards = 2,
                         .entries_hint = 400,
                         .path = path,
                         .clock_ms = fuzz_clock};
}

/* ---- templates ---- */

static void fuzz_fill_store(lrd_store *store, unsigned policy)
{
    bool timed = policy == LRD_VOLATILE || policy == LRD_SESSION;
    static uint8_t value[100000];
    int64_t result;
    /* an immutable store cannot remove the counter, and may be full later */
    if (policy != LRD_IMMUTABLE)
        fuzz_require(lrd_counter_add(store, "counter", 7, 1, 41, 0, &result) == LRD_OK, "counter");
    for (unsigned i = 0; i < FUZZ_KEYS; i++) {
        char key[16];
        size_t key_len = (size_t)snprintf(key, sizeof key, "key-%u", i);
        size_t size = i % 8 == 7 ? 5000u * i % sizeof value : i * 20;
        memset(value, (int)i, size);
        int code = lrd_put(store, key, key_len, value, size,
                           &(lrd_write){.ttl_ms = timed && i % 3 == 0 ? i * 1000 : 0,
                                        .mode = LRD_ADD,
                                        .type = (uint8_t)i});
        fuzz_require(code == LRD_OK || code == LRD_ENOROOM, "put");
    }
    if (policy == LRD_IMMUTABLE)
        return;
    for (unsigned i = 0; i < FUZZ_KEYS; i += 5) {
        char key[16];
        size_t key_len = (size_t)snprintf(key, sizeof key, "key-%u", i);
        lrd_delete(store, key, key_len);
    }
}

static void fuzz_make_template(unsigned policy)
{
    fuzz_template *template = &templates[policy];
    lrd_options options = fuzz_options(policy);
    lrd_store *store;
    fuzz_require(lrd_open(&options, &store) == LRD_OK, "open");
    fuzz_fill_store(store, policy);
    const lrd__geometry *geo = &store->geo;
    const uint64_t start[] = {0,
                              geo->gates_at,
                              geo->shards_at,
                              geo->quotas_at,
                              geo->keylock_owners_at,
                              geo->slots_at,
                              geo->owners_at,
                              geo->pages_at,
                              geo->bits_at,
                              geo->run_len_at,
                              geo->buckets_at,
                              geo->links_at,
                              geo->timed_at,
                              geo->timers_at,
                              geo->ghost_at,
                              geo->keylock_heads_at,
                              geo->keylocks_at,
                              geo->data_at,
                              geo->file_size};
    memcpy(template->start, start, sizeof start);
    template->size = geo->file_size;
    lrd_close(store);

    template->bytes = malloc(template->size);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    fuzz_require(template->bytes != NULL && fd >= 0 &&
                     pread(fd, template->bytes, template->size, 0) == (ssize_t) template->size,
                 "template");
    close(fd);
    unlink(path);
}

static void fuzz_clean(void)
{
    char lock[160];
    unlink(path);
    snprintf(lock, sizeof lock, "%s.lock", path);
    unlink(lock);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    uint64_t largest = 0;
    snprintf(path, sizeof path, "/dev/shm/larder-fuzz-%d", (int)getpid());
    atexit(fuzz_clean);
    for (unsigned policy = 0; policy < 4; policy++) {
        fuzz_make_template(policy);
        if (templates[policy].size > largest)
            largest = templates[policy].size;
    }
    image = malloc(largest);
    fuzz_require(image != NULL, "image");
    return 0;
}

/* ---- changes ---- */

typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static unsigned fuzz_byte(fuzz_input *input)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->data++;
}

/* Return an offset in the area, from two bytes of input. In a large area, the offset is a multiple
 * of 16. */
static uint64_t fuzz_offset(fuzz_input *input, const fuzz_template *template, unsigned area)
{
    uint64_t offset = fuzz_byte(input);
    offset |= (uint64_t)fuzz_byte(input) << 8;
    uint64_t size = template->start[area + 1] - template->start[area];
    if (size > 65536)
        offset *= 16;
    return template->start[area] + (size != 0 ? offset % size : 0);
}

static void fuzz_change(fuzz_input *input, const fuzz_template *template)
{
    unsigned what = fuzz_byte(input), area = what % FUZZ_AREAS, kind = what / FUZZ_AREAS % 3;
    uint64_t at = fuzz_offset(input, template, area);
    if (kind == FUZZ_COPY) {
        uint64_t from = fuzz_offset(input, template, area) & ~7ull;
        at &= ~7ull;
        if (from + 8 <= template->size && at + 8 <= template->size)
            memcpy(image + at, image + from, 8);
        return;
    }
    unsigned length = fuzz_byte(input) % 16 + 1;
    for (unsigned i = 0; i < length && at + i < template->size; i++) {
        unsigned byte = fuzz_byte(input);
        image[at + i] = (uint8_t)(kind == FUZZ_XOR ? image[at + i] ^ byte : byte);
    }
}

/* Write the image to a new file at `path`, with holes for pages of zeros. Returns the file
 * descriptor. */
static int fuzz_write_image(const fuzz_template *template, unsigned flags)
{
    static const uint8_t zeros[FUZZ_PAGE];
    struct stat info;
    lrd__header *header = (lrd__header *)image;
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    fuzz_require(fd >= 0 && fstat(fd, &info) == 0 && ftruncate(fd, (off_t) template->size) == 0,
                 "image file");
    if ((flags & FUZZ_STALE_INODE) == 0) {
        header->device = info.st_dev;
        header->inode = info.st_ino;
    }
    if ((flags & FUZZ_STALE_SUM) == 0)
        header->sum =
            XXH3_64bits(&header->size, offsetof(lrd__header, sum) - offsetof(lrd__header, size));
    for (uint64_t at = 0; at < template->size; at += FUZZ_PAGE)
        if (memcmp(image + at, zeros, FUZZ_PAGE) != 0)
            fuzz_require(pwrite(fd, image + at, FUZZ_PAGE, (off_t)at) == FUZZ_PAGE, "pwrite");
    return fd;
}

/* ---- use of an opened store ---- */

static void fuzz_report(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "fsck: %s\n", text);
}

static void fuzz_read_all(lrd_store *store, const char *when)
{
    static uint8_t key[LRD_KEY_MAX];
    lrd_cursor cursor = {0};
    lrd_value value, again;
    lrd_entry entry;
    uint64_t seen = 0, checksum = 0;
    fuzz_require(lrd_fsck(store, fuzz_report, NULL) == 0, when);
    int code;
    while ((code = lrd_next(store, &cursor, &value)) == LRD_OK) {
        fuzz_require(++seen < 100000, "endless iteration");
        fuzz_require(lrd_value_entry(store, &value, &entry) == LRD_OK, "entry");
        checksum ^= XXH3_64bits(value.data, value.size); /* reads every byte of the value */
        size_t key_len = entry.key_len;
        memcpy(key, entry.key, key_len);
        fuzz_require(lrd_get(store, key, key_len, 0, &again) == LRD_OK, "get");
        fuzz_require(again.size == value.size, "size");
        fuzz_require(lrd_release(store, &again) == LRD_OK, "release");
    }
    fuzz_require(code == LRD_END && (seen > 0 || checksum == 0), "next");
}

static void fuzz_write_some(lrd_store *store, unsigned policy)
{
    static const uint8_t value[70000];
    int64_t result;
    for (unsigned i = 0; i < FUZZ_KEYS; i += 4) {
        char key[16];
        size_t key_len = (size_t)snprintf(key, sizeof key, "key-%u", i);
        lrd_put(store, key, key_len, value, i * 1400,
                &(lrd_write){.mode = policy == LRD_IMMUTABLE ? LRD_ADD : LRD_SET, .type = 1});
        if (i % 8 == 0)
            lrd_delete(store, key, key_len);
    }
    lrd_counter_add(store, "counter", 7, 1, 0, 0, &result);
    fuzz_require(lrd_sweep(store, NULL) == LRD_OK, "sweep");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    unsigned flags = fuzz_byte(&input), policy = flags & FUZZ_POLICY;
    const fuzz_template *template = &templates[policy];
    memcpy(image, template->bytes, template->size);
    while (input.size > 0)
        fuzz_change(&input, template);
    int fd = fuzz_write_image(template, flags);
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    if ((flags & FUZZ_IN_USE) != 0)
        fuzz_require(fcntl(fd, F_OFD_SETLK, &lock) == 0, "lock");

    lrd_options options = fuzz_options(policy);
    lrd_store *store = NULL;
    if (lrd_open(&options, &store) == LRD_OK) {
        lrd_info info;
        lrd_store_info(store, &info);
        if (!info.created && (flags & FUZZ_IN_USE) == 0) {
            fuzz_read_all(store, "after opening");
            fuzz_write_some(store, policy);
            fuzz_read_all(store, "after writing");
        }
        lrd_close(store);
    }
    close(fd);
    unlink(path);
    return 0;
}
