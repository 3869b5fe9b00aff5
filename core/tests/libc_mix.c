/* libc_mix.c - programs with two different C libraries share a named store, while their processes
 * are killed.
 *
 * libc_mix --seconds 5 OTHER
 *
 * OTHER: this program, compiled for the other C library
 * Workers write values that contain their key, and add to numbers under the lock of a key. No value
 * may be damaged, no addition lost, and lrd_fsck() must find nothing in either program. */
#include "larder.h"
#include "larder_admin.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 6, KEYS = 64, COUNTED = 4, LEAST = 100, MOST = 3000, WORKER_FAILED = 3 };
#define COUNTED_TRIES 2000 /* attempts of 10 ms each to lock a key */

typedef struct mix_count {
    /* additions of all workers to each number: `begun` rises before an addition, `done` after it */
    _Atomic uint64_t begun[COUNTED], done[COUNTED];
    _Atomic uint64_t written;
} mix_count;

static uint64_t mix_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t mix_chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static lrd_store *mix_open(const char *path)
{
    lrd_options options = LRD_OPTIONS_INIT;
    options.size = 8 << 20;
    options.path = path;
    options.shards = 2;
    lrd_store *store = NULL;
    if (lrd_open(&options, &store) != LRD_OK) {
        fprintf(stderr, "libc_mix: %s\n", lrd_error_detail());
        exit(WORKER_FAILED);
    }
    return store;
}

static _Noreturn void mix_failed(const char *what, int code)
{
    fprintf(stderr, "libc_mix: %s: %s: %s\n", what, lrd_strerror(code), lrd_error_detail());
    exit(WORKER_FAILED);
}

/* Write a value that repeats its key. */
static void mix_write(lrd_store *store, uint64_t *state, mix_count *count)
{
    char key[16], value[MOST];
    int n = (int)(mix_chance(state) % KEYS);
    size_t key_len = (size_t)snprintf(key, sizeof key, "key %d", n);
    size_t size = LEAST + mix_chance(state) % (MOST - LEAST);
    memset(value, 'a' + n % 26, size);
    int code = lrd_put(store, key, key_len, value, size, NULL);
    if (code != LRD_OK && code != LRD_EBUSY)
        mix_failed("put", code);
    count->written += code == LRD_OK;
}

static void mix_read(lrd_store *store, uint64_t *state)
{
    char key[16];
    lrd_value value;
    int n = (int)(mix_chance(state) % KEYS);
    size_t key_len = (size_t)snprintf(key, sizeof key, "key %d", n);
    int code = lrd_get(store, key, key_len, 0, &value);
    if (code == LRD_MISS)
        return;
    if (code != LRD_OK)
        mix_failed("get", code);
    const char *data = value.data;
    for (size_t i = 0; i < value.size; i++)
        if (data[i] != 'a' + n % 26)
            mix_failed("a value is damaged", LRD_OK);
    lrd_release(store, &value);
}

/* Add one to a number under the lock of its key. Two owners of the lock would lose an addition. */
static void mix_step(lrd_store *store, uint64_t *state, mix_count *count)
{
    char key[16];
    uint64_t token, number = 0;
    lrd_value value;
    int n = (int)(mix_chance(state) % COUNTED), code = LRD_EBUSY;
    size_t key_len = (size_t)snprintf(key, sizeof key, "count %d", n);
    for (int i = 0; i < COUNTED_TRIES && code != LRD_OK; i++)
        code = lrd_lock(store, key, key_len, 0, 10, &token);
    if (code != LRD_OK)
        mix_failed("lock", code);
    if (lrd_get(store, key, key_len, 0, &value) == LRD_OK) {
        memcpy(&number, value.data, sizeof number);
        lrd_release(store, &value);
    }
    number++;
    count->begun[n]++;
    do
        code = lrd_put(store, key, key_len, &number, sizeof number, NULL);
    while (code == LRD_EBUSY);
    if (code != LRD_OK)
        mix_failed("put a number", code);
    count->done[n]++;
    lrd_unlock(store, key, key_len, token);
}

static _Noreturn void mix_work(const char *path, uint64_t seed, mix_count *count)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    lrd_store *store = mix_open(path);
    for (;;) {
        mix_write(store, &seed, count);
        mix_read(store, &seed);
        if (mix_chance(&seed) % 8 == 0)
            mix_step(store, &seed, count);
    }
}

/* Compare the numbers in the store with the additions, and check the store. Returns 1 if something
 * is wrong. */
static int mix_check(const char *path, const mix_count *count)
{
    lrd_store *store = mix_open(path);
    int failed = 0;
    for (int n = 0; n < COUNTED; n++) {
        char key[16];
        uint64_t number = 0;
        lrd_value value;
        size_t key_len = (size_t)snprintf(key, sizeof key, "count %d", n);
        if (lrd_get(store, key, key_len, 0, &value) == LRD_OK) {
            memcpy(&number, value.data, sizeof number);
            lrd_release(store, &value);
        }
        if (number < count->done[n] || number > count->begun[n]) {
            fprintf(stderr, "libc_mix: %s is %llu, of %llu to %llu\n", key,
                    (unsigned long long)number, (unsigned long long)count->done[n],
                    (unsigned long long)count->begun[n]);
            failed = 1;
        }
    }
    (void)lrd_sweep(store, NULL);
    if (lrd_fsck(store, NULL, NULL) != 0)
        failed = (fprintf(stderr, "libc_mix: fsck: %s\n", lrd_error_detail()), 1);
    lrd_close(store);
    return failed;
}

static pid_t mix_start(const char *program, const char *what, const char *path, uint64_t seed,
                       int fd)
{
    char number[24], descriptor[16];
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    snprintf(descriptor, sizeof descriptor, "%d", fd);
    pid_t pid = fork();
    if (pid == 0) {
        execl(program, program, what, path, number, descriptor, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static int mix_run(const char *self, const char *other, uint64_t seconds)
{
    const char *programs[] = {self, other};
    char path[64];
    int fd = memfd_create("counts", 0), failed = 0, status;
    uint64_t chance = (uint64_t)getpid(), kills = 0;
    pid_t workers[WORKERS] = {0};
    snprintf(path, sizeof path, "/dev/shm/larder-libc-mix-%d", (int)getpid());
    if (fd < 0 || ftruncate(fd, sizeof(mix_count)) != 0)
        return perror("libc_mix: memfd"), 1;
    mix_count *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (count == MAP_FAILED)
        return perror("libc_mix: mmap"), 1;
    for (uint64_t until = mix_ms() + seconds * 1000; mix_ms() < until && !failed;) {
        for (int i = 0; i < WORKERS; i++)
            if (workers[i] == 0)
                workers[i] = mix_start(programs[i % 2], "--work", path, mix_chance(&chance), fd);
        struct timespec pause = {0, (long)(mix_chance(&chance) % 20) * 1000000};
        nanosleep(&pause, NULL);
        int i = (int)(mix_chance(&chance) % WORKERS);
        kill(workers[i], SIGKILL);
        kills++;
        waitpid(workers[i], &status, 0);
        failed = !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
        workers[i] = 0;
    }
    for (int i = 0; i < WORKERS; i++)
        if (workers[i] != 0) {
            kill(workers[i], SIGKILL);
            waitpid(workers[i], &status, 0);
            failed |= !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
        }
    for (int i = 0; i < 2; i++) {
        waitpid(mix_start(programs[i], "--check", path, 0, fd), &status, 0);
        failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    uint64_t steps = 0;
    for (int n = 0; n < COUNTED; n++)
        steps += count->done[n];
    failed |= steps == 0 || count->written == 0;
    printf("kills=%llu written=%llu steps=%llu failed=%d\n", (unsigned long long)kills,
           (unsigned long long)count->written, (unsigned long long)steps, failed);
    unlink(path);
    snprintf(path, sizeof path, "/dev/shm/larder-libc-mix-%d.lock", (int)getpid());
    unlink(path);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 5 && argv[1][0] == '-') {
        mix_count *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED,
                                (int)strtol(argv[4], NULL, 10), 0);
        if (count == MAP_FAILED)
            return perror("libc_mix: mmap"), WORKER_FAILED;
        if (strcmp(argv[1], "--work") == 0)
            mix_work(argv[2], strtoull(argv[3], NULL, 10), count);
        return mix_check(argv[2], count);
    }
    if (argc != 4 || strcmp(argv[1], "--seconds") != 0)
        return fprintf(stderr, "usage: libc_mix --seconds SECONDS OTHER\n"), 2;
    return mix_run(argv[0], argv[3], strtoull(argv[2], NULL, 10));
}
