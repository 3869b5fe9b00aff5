/* moved_test.c - an open named store's file is removed, replaced, truncated or overwritten. Writes
 * and requests report this; reads do not check. A process may crash only if the data itself is
 * lost. The path can be opened again. */
#include "apart.h"
#include "support.h"

#include "internal.h"
#include "larder_coordination.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)

static char path[256], other_path[300];

static int fresh_path(void **state)
{
    static unsigned number;
    char name[32];
    (void)state;
    snprintf(name, sizeof name, "moved-%u", number++);
    snprintf(path, sizeof path, "%s", temp_path(name));
    snprintf(other_path, sizeof other_path, "%s-other", path);
    return 0;
}

static lrd_store *open_at(const char *name, lrd_policy policy, bool created)
{
    lrd_options options = {.policy = policy, .size = MIB, .slots = 16, .path = name};
    return store_open_named(&options, created);
}

/* Make the check of the file due, as if a second had passed. */
static void a_second_later(lrd_store *store)
{
    atomic_store(&store->look_at, 0);
    lrd__thread *self = lrd__threads[store->id];
    if (self != NULL) /* writers check the file at most once a tick */
        self->checked = self->looked = 0;
}

static void hold(lrd_store *store, const char *key, lrd_value *value)
{
    CHECK_OK(lrd_get(store, key, strlen(key), 0, value));
    CHECK_EQ(value->kind, LRD_KIND_HELD);
}

static void check_moved(lrd_store *store, int code)
{
    uint64_t token, freed;
    int64_t count;
    a_second_later(store);
    CHECK_CODE(lrd_request_begin(store), code);
    CHECK(strstr(lrd_error_detail(), path) != NULL);
    CHECK_CODE(put_value(store, "key", 100, 2, LRD_SET, 0), code);
    CHECK_CODE(put_value(store, "large", 300000, 2, LRD_SET, 0), code);
    CHECK_CODE(lrd_delete(store, "key", 3), code);
    CHECK_CODE(lrd_touch(store, "key", 3, 1000), code);
    CHECK_CODE(lrd_clear(store), code);
    CHECK_CODE(lrd_lock(store, "key", 3, 0, 0, &token), code);
    CHECK_CODE(lrd_counter_add(store, "new", 3, 1, 0, 0, &count), code);
    CHECK_CODE(lrd_sweep(store, &freed), code);
}

static void check_value(lrd_store *store, uint64_t wanted)
{
    uint64_t seed;
    CHECK_OK(get_checked(store, "key", NULL, &seed));
    CHECK_EQ(seed, wanted);
}

/* ---- removed, replaced ---- */

static void a_removed_file_is_noticed_and_made_anew(void **state)
{
    (void)state;
    lrd_value value;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    hold(store, "key", &value);
    CHECK_OK(lrd_request_begin(store));
    CHECK_OK(unlink(path));
    /* Less than a second has passed since the last check, so this write does not notice the
     * removal. */
    CHECK_OK(put_value(store, "soon", 100, 1, LRD_SET, 0));
    check_moved(store, LRD_EMOVED);
    check_value(store, 1);
    CHECK_OK(get_checked(store, "soon", NULL, NULL));
    CHECK(value_valid(value.data, value.size, "key", 3));
    CHECK_OK(lrd_release(store, &value));
    CHECK_FSCK(store);
    lrd_close(store);
    store = open_at(path, LRD_VOLATILE, true);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    CHECK_OK(put_value(store, "key", 100, 3, LRD_SET, 0));
    a_second_later(store);
    CHECK_OK(lrd_request_begin(store));
    check_value(store, 3);
    lrd_close(store);
}

static void it_takes_a_second(void **state)
{
    (void)state;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(unlink(path));
    uint64_t until = real_ms() + 60000;
    while (put_value(store, "key", 100, 1, LRD_SET, 0) == LRD_OK && real_ms() < until)
        sleep_ms(20);
    CHECK_CODE(put_value(store, "key", 100, 1, LRD_SET, 0), LRD_EMOVED);
    lrd_close(store);
}

/* Each call for counters must notice a moved file, because two processes could count in different
 * files. */
static void check_counts(lrd_store *store, int code)
{
    int64_t count;
    /* forget what the previous call noticed */
    for (int i = 0; i < 3; i++) {
        atomic_store(&store->look_code, LRD_OK);
        a_second_later(store);
        CHECK_CODE(i == 0   ? lrd_counter_swap(store, "count", 5, 7, 8)
                   : i == 1 ? lrd_counter_update(store, "count", 5, 1, &count)
                            : lrd_counter_set(store, "count", 5, 7, 0),
                   code);
    }
}

static void who_only_counts_notices_it_too(void **state)
{
    (void)state;
    int64_t count;
    lrd_value value;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(lrd_counter_add(store, "count", 5, 0, 7, 0, &count));
    check_counts(store, LRD_OK);
    CHECK_OK(unlink(path));
    CHECK_EQ(stats_of(store).refused, 0);
    check_counts(store, LRD_EMOVED);
    CHECK_EQ(stats_of(store).refused, 3);
    CHECK_OK(lrd_get(store, "count", 5, 0, &value));
    CHECK_EQ(lrd_counter_value(&value), 7);
    CHECK_OK(lrd_release(store, &value));
    lrd_close(store);
    store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(lrd_counter_add(store, "count", 5, 0, 7, 0, &count));
    CHECK_OK(truncate(path, 12288));
    check_counts(store, LRD_ETRUNCATED);
    lrd_close(store);
}

static void another_store_in_its_place_is_noticed_and_opened(void **state)
{
    (void)state;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    lrd_store *other = open_at(other_path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(put_value(other, "key", 100, 7, LRD_SET, 0));
    lrd_close(other);
    CHECK_OK(rename(other_path, path));
    check_moved(store, LRD_EMOVED);
    check_value(store, 1);
    lrd_close(store);
    store = open_at(path, LRD_VOLATILE, false);
    check_value(store, 7);
    lrd_close(store);
}

static void a_file_that_is_no_store_in_its_place_is_noticed(void **state)
{
    (void)state;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    int fd = open(other_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, "text", 4) == 4);
    close(fd);
    CHECK_OK(rename(other_path, path));
    check_moved(store, LRD_EMOVED);
    lrd_close(store);
}

static void a_file_that_comes_back_is_the_stores_again(void **state)
{
    (void)state;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(rename(path, other_path));
    check_moved(store, LRD_EMOVED);
    CHECK_OK(rename(other_path, path));
    a_second_later(store);
    CHECK_OK(lrd_request_begin(store));
    CHECK_OK(put_value(store, "key", 100, 2, LRD_SET, 0));
    check_value(store, 2);
    lrd_close(store);
}

static void each_policy_notices(void **state)
{
    (void)state;
    static const lrd_policy policies[] = {LRD_PINNED, LRD_IMMUTABLE, LRD_SESSION};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        lrd_store *store = open_at(path, policies[i], true);
        CHECK_OK(put_value(store, "key", 100, 1, LRD_ADD, 0));
        CHECK_OK(unlink(path));
        a_second_later(store);
        CHECK_CODE(put_value(store, "other", 100, 1, LRD_ADD, 0), LRD_EMOVED);
        CHECK_CODE(lrd_request_begin(store), LRD_EMOVED);
        check_value(store, 1);
        lrd_close(store);
    }
}

static void queues_notice_also_while_they_wait(void **state)
{
    (void)state;
    lrd_queue queue;
    lrd_message message;
    lrd_store *store = open_at(path, LRD_QUEUE, true);
    CHECK_OK(lrd_queue_open(store, "q", 1, 0, &queue));
    CHECK_OK(lrd_queue_push(store, queue, "body", 4, 1, NULL, NULL));
    CHECK_OK(unlink(path));
    CHECK_OK(lrd_queue_pop(store, queue, 0, 0, 0, &message));
    uint64_t start = real_ms();
    CHECK_CODE(lrd_queue_pop(store, queue, 0, 300000, 0, &message), LRD_EMOVED);
    CHECK(real_ms() - start < 200000);
    CHECK_CODE(lrd_queue_push(store, queue, "body", 4, 1, NULL, NULL), LRD_EMOVED);
    CHECK_CODE(lrd_queue_open(store, "q", 1, 0, &queue), LRD_EMOVED);
    lrd_close(store);
}

static void remove_the_file(const void *from, void *build, const void *data, size_t size)
{
    (void)data;
    memset(build, 0, size);
    CHECK_OK(unlink(path));
    a_second_later(*(lrd_store *const *)from);
}

/* A push reserves memory for its body before it notices that the file was removed. The push must
 * then end this reservation. */
static void a_push_that_notices_in_its_midst_leaves_nothing_open(void **state)
{
    (void)state;
    lrd_queue queue;
    lrd_reservation open;
    lrd_store *store = open_at(path, LRD_QUEUE, true);
    CHECK_OK(lrd_queue_open(store, "q", 1, 0, &queue));
    CHECK_CODE(lrd_queue_push_fill(store, queue, 5000, 1, NULL, remove_the_file, &store, NULL),
               LRD_EMOVED);
    CHECK_EQ(lrd__threads[store->id]->reservations, 0);
    lrd_close(store);

    store = open_at(path, LRD_QUEUE, true);
    CHECK_OK(lrd_queue_open(store, "q", 1, 0, &queue));
    CHECK_OK(lrd_queue_reserve(store, queue, 5000, 1, NULL, &open));
    CHECK_OK(unlink(path));
    a_second_later(store);
    CHECK_CODE(lrd_queue_publish(store, queue, &open, NULL, NULL), LRD_EMOVED);
    CHECK_EQ(lrd__threads[store->id]->reservations, 0);
    CHECK_CODE(lrd_abort(store, &open), LRD_ESTATE);
    lrd_close(store);
}

/* ---- changes that do not count as a move ---- */

static void use_by_a_relative_path(void *arg)
{
    (void)arg;
    char directory[256];
    snprintf(directory, sizeof directory, "%s", path);
    char *name = strrchr(directory, '/');
    *name++ = 0;
    CHECK_OK(chdir(directory));
    lrd_store *store = open_at(name, LRD_VOLATILE, true);
    CHECK_OK(chdir("/"));
    a_second_later(store);
    CHECK_OK(lrd_request_begin(store));
    CHECK_OK(unlink(path));
    check_moved(store, LRD_EMOVED);
    lrd_close(store);
}

static void a_relative_path_is_that_of_the_directory_of_then(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(use_by_a_relative_path, NULL));
}

static void go_to_another_root(void *arg)
{
    (void)arg;
    char directory[256];
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    snprintf(directory, sizeof directory, "%s", path);
    *strrchr(directory, '/') = 0;
    if (chroot(directory) != 0)
        _exit(EXIT_CANNOT);
    a_second_later(store);
    CHECK_OK(lrd_request_begin(store));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd_close(store);
}

static void a_process_in_another_root_goes_on(void **state)
{
    (void)state;
    CHECK_CHILD_OR_SKIP(run_in_child(go_to_another_root, NULL), "no right to change the root");
}

/* Two file systems of type tmpfs have roots with the same inode number, so the number alone does
 * not tell one from the other. */
static void go_to_a_root_of_the_same_inode(void *arg)
{
    char inner[320], proc[320];
    struct stat first, second;
    (void)arg;
    snprintf(inner, sizeof inner, "%s/inner", other_path);
    snprintf(proc, sizeof proc, "%s/proc", other_path);
    if (mkdir(other_path, 0700) != 0 || !apart_tmpfs(other_path, "size=8m") ||
        mkdir(inner, 0700) != 0 || !apart_tmpfs(inner, "size=1m") || mkdir(proc, 0700) != 0 ||
        mount("/proc", proc, NULL, MS_BIND | MS_REC, NULL) != 0)
        _exit(EXIT_CANNOT);
    CHECK_OK(stat(other_path, &first));
    CHECK_OK(stat(inner, &second));
    CHECK(first.st_dev != second.st_dev);
    if (first.st_ino != second.st_ino || chroot(other_path) != 0)
        _exit(EXIT_CANNOT);
    lrd_store *store = open_at("/inner-store", LRD_VOLATILE, true);
    CHECK_OK(chroot("/inner"));
    a_second_later(store);
    CHECK_OK(lrd_request_begin(store));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd_close(store);
}

static void another_root_of_the_same_inode_is_another_root(void **state)
{
    (void)state;
    int status = run_in_child(go_to_a_root_of_the_same_inode, NULL);
    rmdir(other_path);
    CHECK_CHILD_OR_SKIP(status, "no right to change the root, or other inodes");
}

static void read_without_system_calls(void *arg)
{
    lrd_store *store = arg;
    char texts[64][16];
    int64_t count;
    for (int i = 0; i < 64; i++) {
        snprintf(texts[i], sizeof texts[i], "key %d", i);
        CHECK_OK(put_value(store, texts[i], 100, (uint64_t)i, LRD_SET, 0));
    }
    CHECK_OK(lrd_counter_add(store, "count", 5, 1, 0, 0, &count));
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        _exit(EXIT_CANNOT);
    for (int i = 0; i < 1000; i++) {
        lrd_value value;
        atomic_store(&store->look_at, 0); /* the next check of the file is due */
        if (lrd_get(store, texts[i % 64], strlen(texts[i % 64]), i % 3 ? 0 : LRD_GET_BORROW,
                    &value) != LRD_OK ||
            lrd_release(store, &value) != LRD_OK ||
            lrd_has(store, texts[i % 64], strlen(texts[i % 64])) != LRD_OK ||
            lrd_get(store, "none", 4, 0, &value) != LRD_MISS)
            syscall(SYS_exit, 1);
        atomic_store(&store->look_at, UINT64_MAX - 1);
        if (lrd_counter_update(store, "count", 5, 1, &count) != LRD_OK)
            syscall(SYS_exit, 1);
    }
    syscall(SYS_exit, 0);
}

static void reads_and_counts_make_no_system_call(void **state)
{
    (void)state;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_CHILD_OR_SKIP(run_in_child(read_without_system_calls, store), "no seccomp");
    lrd_close(store);
}

static bool forbid_fstat(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void write_without_a_look(void *fd)
{
    lrd_options options = {.size = 4 * MIB, .slots = 16};
    lrd_store *store;
    CHECK_OK(lrd_open_fd(dup(*(int *)fd), &options, &store));
    for (unsigned i = 0; i < 16; i++)
        CHECK_OK(put_value(store, "key", 100, i, LRD_SET, 0));
    if (!forbid_fstat())
        _exit(EXIT_CANNOT);
    /* After this pause, the next write would check the file, if the file could shrink. */
    sleep_ms(50);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    _exit(0);
}

/* The first opener seals the memfd, so it cannot shrink. */
static void writes_do_not_look_at_a_file_that_is_sealed(void **state)
{
    (void)state;
    int fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(fd >= 0);
    for (int user = 0; user < 2; user++) {
        int status = run_in_child(write_without_a_look, &fd);
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CANNOT)
            skip_test("no seccomp");
        check_context("user %d", user);
        CHECK_CHILD(status);
    }
    close(fd);
}

/* ---- truncated, overwritten ---- */

enum {
    TO_NOTHING,
    TO_A_PAGE,
    TO_HALF_OF_CONTROL,
    TO_CONTROL,
    TO_SOME_DATA,
    TO_ZEROS,
    TO_ANOTHER,
    WAYS
};

static void copy_over(void)
{
    char part[65536];
    int from = open(other_path, O_RDONLY | O_CLOEXEC), to = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t length;
    CHECK(from >= 0 && to >= 0);
    while ((length = read(from, part, sizeof part)) > 0)
        CHECK_EQ(write(to, part, (size_t)length), length);
    close(from);
    close(to);
}

static void damage(const lrd_store *store, int way)
{
    const lrd__geometry *geo = &store->geo;
    const uint64_t sizes[] = {0, 4096, geo->control_size / 2, geo->control_size,
                              geo->data_at + 65536};
    if (way < TO_ZEROS)
        CHECK_OK(truncate(path, (off_t)sizes[way]));
    else if (way == TO_ANOTHER)
        copy_over();
    else if (truncate(path, 0) != 0 || truncate(path, (off_t)geo->file_size) != 0)
        CHECK(!"truncated");
}

/* Lose the file's data in one of several ways, and make calls. A defect could end this child by
 * SIGBUS. */
static void lose_the_file(void *arg)
{
    int way = *(int *)arg;
    lrd_value value;
    uint64_t token, freed;
    int64_t count;
    lrd_cursor cursor = {0};
    lrd_stats stats;
    lrd_store *another = store_new(LRD_VOLATILE, MIB, 1);
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(another, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_request_begin(store));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_lock(store, "locked", 6, 0, 0, &token));
    hold(store, "key", &value);
    damage(store, way);
    a_second_later(store);
    if (way % 2 == 0) { /* in the other cases, lrd_request_end() is the first call after the loss */
        check_moved(store, LRD_ETRUNCATED);
        CHECK_CODE(lrd_counter_add(store, "key", 3, 1, 0, 0, &count), LRD_ETRUNCATED);
    }
    CHECK_OK(lrd_request_end(store));
    CHECK_CODE(lrd_sweep(store, &freed), LRD_ETRUNCATED);
    CHECK_EQ(lrd__segment_lost(store),
             way == TO_CONTROL || way == TO_SOME_DATA ? LRD__LOST_INDEX : LRD__LOST_LEASES);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    CHECK_CODE(lrd_next(store, &cursor, &value), LRD_END);
    CHECK_CODE(lrd_stats_get(store, &stats), LRD_ETRUNCATED);
    CHECK_CODE(lrd_fsck(store, NULL, NULL), LRD_ETRUNCATED);
    /* This thread's list of robust locks also has locks of other stores, which must still work. */
    CHECK_OK(put_value(another, "key", 100, 2, LRD_SET, 0));
    lrd_close(store);
    CHECK_OK(put_value(another, "key", 100, 3, LRD_SET, 0));
    CHECK_FSCK(another);
    if (way == TO_ZEROS) {
        lrd_options options = {.size = MIB, .slots = 16, .path = path};
        CHECK_CODE(lrd_open(&options, &store), LRD_EFORMAT);
        CHECK_OK(unlink(path));
    }
    store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 4, LRD_SET, 0));
    check_value(store, 4);
    lrd_close(store);
    lrd_close(another);
}

static void write_soon(void *arg)
{
    int way = *(int *)arg;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    damage(store, way);
    lrd__threads[store->id]->checked = 0;
    CHECK_CODE(put_value(store, "key", 100, 2, LRD_SET, 0), LRD_ETRUNCATED);
    CHECK_CODE(put_value(store, "large", 300000, 2, LRD_SET, 0), LRD_ETRUNCATED);
    CHECK_EQ(lrd_refusal_of(store, LRD_ETRUNCATED), LRD_REFUSED_SYSTEM);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    lrd_close(store);
}

static void a_write_soon_after_a_truncation_is_an_error_and_no_signal(void **state)
{
    (void)state;
    for (int way = 0; way < TO_ZEROS; way++) {
        check_context("way %d", way);
        CHECK_CHILD(run_in_child(write_soon, &way));
        unlink(path);
    }
}

/* Damage the file of queues, and let the next push check the file. Each way to push must notice the
 * damage before it reads the queue's row. */
static void push_soon(void *arg)
{
    int way = *(int *)arg;
    lrd_queue queue;
    lrd_reservation open, more;
    /* With its own handler, cmocka would turn a SIGBUS into a failed test, and this child would run
     * the tests after it. */
    signal(SIGBUS, SIG_DFL);
    lrd_store *store = open_at(path, LRD_QUEUE, true);
    CHECK_OK(lrd_queue_open(store, "q", 1, 0, &queue));
    CHECK_OK(lrd_queue_reserve(store, queue, 5000, 1, NULL, &open));
    memset(open.build, 1, open.size);
    lrd__thread *self = lrd__threads[store->id];
    damage(store, way % TO_ZEROS);
    self->checked = 0;
    if (way / TO_ZEROS == 0)
        CHECK_CODE(lrd_queue_push(store, queue, "body", 4, 1, NULL, NULL), LRD_ETRUNCATED);
    else if (way / TO_ZEROS == 1)
        CHECK_CODE(lrd_queue_reserve(store, queue, 5000, 1, NULL, &more), LRD_ETRUNCATED);
    else if (way / TO_ZEROS == 2)
        CHECK_CODE(lrd_queue_publish(store, queue, &open, NULL, NULL), LRD_ETRUNCATED);
    lrd_thread_leave(store);
    CHECK_CODE(lrd_queue_push(store, queue, "body", 4, 1, NULL, NULL), LRD_ETRUNCATED);
    lrd_close(store);
}

static void a_push_soon_after_a_truncation_is_an_error_and_no_signal(void **state)
{
    (void)state;
    for (int way = 0; way < 4 * TO_ZEROS; way++) {
        check_context("way %d, call %d", way % TO_ZEROS, way / TO_ZEROS);
        CHECK_CHILD(run_in_child(push_soon, &way));
        unlink(path);
    }
    check_context("%s", "");
}

static int change(lrd_store *store, int call)
{
    int64_t count;
    uint64_t token;
    lrd_permit permit;
    lrd_reservation reservation;
    switch (call) {
    case 0:
        return put_value(store, "key", 100, 2, LRD_SET, 0);
    case 1:
        return put_value(store, "large", 300000, 2, LRD_SET, 0);
    case 2:
        return lrd_reserve(store, "key", 3, 10, 100, &reservation);
    case 3:
        return lrd_delete(store, "key", 3);
    case 4:
        return lrd_touch(store, "key", 3, 1000);
    case 5:
        return lrd_lock(store, "key", 3, 0, 0, &token);
    case 6:
        return lrd_counter_add(store, "new", 3, 1, 0, 0, &count);
    default:
        return lrd_semaphore_acquire(store, "s", 1, 1, 0, 0, &permit);
    }
}

typedef struct first_call {
    int way, call;
    bool known; /* true if an earlier call has noticed the damage */
} first_call;

static void change_without_a_slot(void *arg)
{
    const first_call *first = arg;
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    if (!first->known)
        lrd_thread_leave(store);
    damage(store, first->way);
    if (first->known) {
        lrd__threads[store->id]->checked = 0;
        CHECK_CODE(put_value(store, "key", 100, 2, LRD_SET, 0), LRD_ETRUNCATED);
        lrd_thread_leave(store);
    }
    CHECK_CODE(change(store, first->call), LRD_ETRUNCATED);
    CHECK_CODE(lrd_next(store, &cursor, &value), LRD_END);
    CHECK(!lrd_entries_few(store, UINT64_MAX));
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    lrd_thread_leave(store);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    lrd_close(store);
}

/* A thread's first call claims a slot. The memory of this slot may be among the truncated
 * memory. */
static void a_threads_first_change_after_a_truncation_is_an_error_and_no_signal(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * 8 * TO_ZEROS; i++) {
        first_call one = {i / 2 % TO_ZEROS, i / 2 / TO_ZEROS, i % 2};
        check_context("way %d, call %d, known: %d", one.way, one.call, one.known);
        CHECK_CHILD(run_in_child(change_without_a_slot, &one));
        unlink(path);
    }
    check_context("%s", "");
}

static void truncate_what_was_committed(const char *name, void *store)
{
    if (strcmp(name, "page_committed") == 0)
        CHECK_OK(truncate(path, (off_t)((lrd_store *)store)->geo.data_at));
}

static void write_as_it_gets_shorter(void *unused)
{
    (void)unused;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    failpoint_hook(truncate_what_was_committed, store);
    CHECK_CODE(put_value(store, "new", 23000, 2, LRD_SET, 0), LRD_ETRUNCATED);
    failpoint_hook(NULL, NULL);
    lrd_close(store);
}

/* The truncation comes between the size check and the first access. */
static void a_truncation_under_a_builder_is_an_error_and_no_signal(void **state)
{
    (void)state;
    if (!kernel_populates())
        skip_test("this kernel does not populate");
    CHECK_CHILD(run_in_child(write_as_it_gets_shorter, NULL));
    unlink(path);
}

/* Call lrd_pressed() before a write notices the loss. A defect could end this child by SIGBUS. */
static void ask_before_a_write(void *arg)
{
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    (void)arg;
    CHECK(!lrd_pressed(store, "key", 3)); /* the thread has no slot yet */
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(truncate(path, 0));
    a_second_later(store);
    CHECK(!lrd_pressed(store, "key", 3));
    CHECK_CODE(put_value(store, "key", 100, 1, LRD_SET, 0), LRD_ETRUNCATED);
    CHECK(!lrd_pressed(store, "key", 3));
    lrd_close(store);
}

static void a_host_that_asks_before_a_write_gets_no_signal(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(ask_before_a_write, NULL));
    unlink(path);
}

enum { PUBLISH, ABORT, UNLOCK, RELEASE_PERMIT, END_LOCKS, ENDS };

/* Lose the file and then end an open reservation or a lock. *at is way * ENDS + call: the way to
 * lose the file, and the call that ends it. A defect could end this child by SIGBUS. */
static void end_after_a_loss(void *at)
{
    int way = *(int *)at / ENDS, call = *(int *)at % ENDS;
    uint64_t token;
    lrd_permit permit;
    lrd_reservation open;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(lrd_reserve(store, "key", 3, 5000, 1, &open));
    memset(open.build, 1, open.size);
    CHECK_OK(lrd_lock(store, "locked", 6, 0, 0, &token));
    CHECK_OK(lrd_semaphore_acquire(store, "s", 1, 2, 0, 0, &permit));
    damage(store, way);
    a_second_later(store);
    if (call == PUBLISH)
        CHECK_CODE(lrd_publish(store, &open, LRD_SET, 0, 0), LRD_ETRUNCATED);
    else if (call == ABORT)
        CHECK_OK(lrd_abort(store, &open));
    else if (call == UNLOCK)
        CHECK_CODE(lrd_unlock(store, "locked", 6, token), LRD_ETRUNCATED);
    else if (call == RELEASE_PERMIT)
        CHECK_CODE(lrd_semaphore_release(store, "s", 1, &permit), LRD_ETRUNCATED);
    else
        CHECK_EQ(lrd_locks_end(store), 0);
    if (call <= ABORT) {
        CHECK_EQ(lrd__threads[store->id]->reservations, 0);
        CHECK_CODE(lrd_abort(store, &open), LRD_ESTATE);
    }
    lrd_close(store);
}

static void what_was_begun_before_a_loss_ends_with_an_error_and_no_signal(void **state)
{
    (void)state;
    for (int at = 0; at < WAYS * ENDS; at++) {
        check_context("way %d, call %d", at / ENDS, at % ENDS);
        lrd_close(open_at(other_path, LRD_VOLATILE, true));
        CHECK_CHILD(run_in_child(end_after_a_loss, &at));
        unlink(path);
        unlink(other_path);
    }
}

/* No other process will open a removed file, so nothing is published there. The reservation of the
 * key still ends, because users of the file may wait for it. */
static void nothing_is_published_in_a_removed_file(void **state)
{
    (void)state;
    uint64_t token;
    lrd_reservation open;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_lock(store, "key", 3, 0, 0, &token));
    CHECK_OK(lrd_reserve(store, "key", 3, 5000, 1, &open));
    memset(open.build, 1, open.size);
    CHECK_OK(unlink(path));
    a_second_later(store);
    CHECK_CODE(lrd_publish(store, &open, LRD_SET, 0, 0), LRD_EMOVED);
    CHECK_CODE(lrd_abort(store, &open), LRD_ESTATE);
    CHECK_EQ(lrd__threads[store->id]->reservations, 0);
    CHECK_EQ(stats_of(store).refused, 1);
    check_value(store, 1);
    a_second_later(store);
    CHECK_OK(lrd_unlock(store, "key", 3, token));
    CHECK_EQ(keylocks_used(store), 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Other users of the removed file may wait for the permit, so a release must still work in the
 * removed file. */
static void a_permit_ends_in_a_removed_file(void **state)
{
    (void)state;
    lrd_permit permit;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(lrd_semaphore_acquire(store, "s", 1, 2, 0, 0, &permit));
    CHECK_OK(unlink(path));
    a_second_later(store);
    CHECK_OK(lrd_semaphore_release(store, "s", 1, &permit));
    CHECK_EQ(keylocks_used(store), 0);
    CHECK_CODE(lrd_semaphore_release(store, "s", 1, &permit), LRD_MISS);
    CHECK_CODE(lrd_semaphore_renew(store, "s", 1, &permit, 1000), LRD_EMOVED);
    lrd_close(store);
}

/* Each of these calls checks the file. X(call, policy of the store, result if the file is
 * truncated, result if it is removed) */
#define USES(X)                                                                                    \
    X(STATS, LRD_VOLATILE, LRD_ETRUNCATED, LRD_OK)                                                 \
    X(USERS, LRD_VOLATILE, LRD_ETRUNCATED, 1)                                                      \
    X(FSCK, LRD_VOLATILE, LRD_ETRUNCATED, 0)                                                       \
    X(NEXT, LRD_VOLATILE, LRD_END, LRD_OK)                                                         \
    X(FALL_NEXT, LRD_VOLATILE, LRD_END, LRD_END)                                                   \
    X(PUT_HELD, LRD_VOLATILE, LRD_ETRUNCATED, LRD_EMOVED)                                          \
    X(HOLDS, LRD_VOLATILE, 0, 1)                                                                   \
    X(HOLDS_END, LRD_VOLATILE, 0, 1)                                                               \
    X(REFUSAL_IS_NEWS, LRD_VOLATILE, true, true)                                                   \
    X(ENTRIES_FEW, LRD_VOLATILE, false, true)                                                      \
    X(VALUE_ABI, LRD_VOLATILE, 0, 0)                                                               \
    X(SLIDING, LRD_VOLATILE, LRD_ETRUNCATED, LRD_EMOVED)                                           \
    X(WATCH_OPEN, LRD_PINNED, LRD_ETRUNCATED, LRD_EMOVED)                                          \
    X(QUEUE_STATS, LRD_QUEUE, LRD_ETRUNCATED, LRD_OK)                                              \
    X(QUEUE_FSCK, LRD_QUEUE, LRD_ETRUNCATED, 0)                                                    \
    X(QUEUE_NAME, LRD_QUEUE, LRD_ETRUNCATED, LRD_OK)
#define USE_ENUM(name, policy, lost, moved) name,
#define USE_CODES(name, policy, lost, moved) {policy, lost, moved},
enum { USES(USE_ENUM) USED };
static const struct {
    lrd_policy policy;
    int lost, moved;
} uses[] = {USES(USE_CODES)};

static void ignore_user(void *arg, const lrd_user *user)
{
    (void)arg;
    (void)user;
}

static int use(lrd_store *store, int call, const lrd_value *value, const lrd_held *held)
{
    const lrd_rate rate = {.limit = 3, .per_ns = LRD_RATE_SLIDING_NS_MIN, .sliding = true};
    lrd_cursor cursor = {0};
    lrd_fall fall = {0};
    lrd_stats stats;
    lrd_held holds;
    lrd_info info;
    lrd_value next;
    lrd_throttled throttled;
    lrd_watch watch;
    const char *name;
    size_t name_len;
    switch (call) {
    case STATS:
    case QUEUE_STATS:
        return lrd_stats_get(store, &stats);
    case USERS:
        return lrd_users(store, ignore_user, NULL);
    case FSCK:
    case QUEUE_FSCK:
        return lrd_fsck(store, NULL, NULL);
    case NEXT:
        return lrd_next(store, &cursor, &next);
    case FALL_NEXT:
        CHECK(lrd_fall_due(&fall, store));
        return lrd_fall_next(&fall, store, &next);
    case PUT_HELD:
        return lrd_put_held(store, value, 0);
    case HOLDS:
        return (int)lrd_holds(store, &holds, 1);
    case HOLDS_END:
        return (int)lrd_holds_end(store, held, 1);
    case REFUSAL_IS_NEWS:
        return lrd_refusal_is_news(store, LRD_REFUSED_SIZE);
    case ENTRIES_FEW:
        return lrd_entries_few(store, 1);
    case VALUE_ABI:
        lrd_store_info(store, &info);
        return (int)strlen(info.value_abi);
    case SLIDING:
        return lrd_throttle(store, "limit", 5, &rate, &throttled);
    case WATCH_OPEN:
        return lrd_watch_open(store, "watched", 7, &watch);
    default:
        return lrd_queue_name(store, 0, &name, &name_len);
    }
}

/* Lose the file in one of several ways, or remove it (WAYS), and make one of the calls. A defect
 * could end this child by SIGBUS. */
static void use_after_a_loss(void *arg)
{
    const first_call *first = arg;
    int way = first->way, call = first->call;
    lrd_queue queue;
    /* With its own handler, cmocka would turn a SIGBUS into a failed test, and this child would run
     * the tests after it. */
    signal(SIGBUS, SIG_DFL);
    lrd_value value;
    lrd_held held = {0};
    lrd_store *store = open_at(path, uses[call].policy, true);
    if (uses[call].policy == LRD_QUEUE) {
        CHECK_OK(lrd_queue_open(store, "q", 1, 0, &queue));
        CHECK_OK(lrd_queue_push(store, queue, "body", 4, 1, NULL, NULL));
    } else {
        CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
        hold(store, "key", &value);
        CHECK_EQ(lrd_holds(store, &held, 1), 1);
    }
    if (way == WAYS)
        CHECK_OK(unlink(path));
    else
        damage(store, way);
    /* Make a write notice the damage now, before the next check is due. */
    if (first->known) {
        lrd__threads[store->id]->checked = 0;
        if (uses[call].policy == LRD_QUEUE)
            CHECK_CODE(lrd_queue_push(store, queue, "body", 4, 1, NULL, NULL), LRD_ETRUNCATED);
        else
            CHECK_CODE(put_value(store, "key", 100, 2, LRD_SET, 0), LRD_ETRUNCATED);
    } else {
        a_second_later(store);
    }
    CHECK_EQ(use(store, call, &value, &held), way == WAYS ? uses[call].moved : uses[call].lost);
    lrd_close(store);
}

static void each_call_that_reads_the_store_notices_a_loss(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * (WAYS + 1) * USED; i++) {
        first_call one = {i / 2 / USED, i / 2 % USED, i % 2};
        /* Skip losses that keep the file's size. Before the next check of the file is due, a write
         * compares only the size, and cannot notice such a loss. */
        if (one.known && one.way >= TO_ZEROS)
            continue;
        check_context("way %d, call %d, known: %d", one.way, one.call, one.known);
        if (one.way == TO_ANOTHER)
            lrd_close(open_at(other_path, uses[one.call].policy, true));
        CHECK_CHILD(run_in_child(use_after_a_loss, &one));
        unlink(path);
        unlink(other_path);
    }
    check_context("%s", "");
}

static void a_damaged_file_is_an_error_and_no_signal(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        check_context("way %d", way);
        lrd_close(open_at(other_path, LRD_VOLATILE, true));
        CHECK_CHILD(run_in_child(lose_the_file, &way));
        unlink(path);
        unlink(other_path);
    }
}

static void open_in_use(void *arg)
{
    lrd_store *store;
    lrd_options options = {.size = MIB, .slots = 16, .path = path};
    (void)arg;
    CHECK_CODE(lrd_open(&options, &store), LRD_EFORMAT);
}

static void a_truncated_file_is_made_anew_by_the_last(void **state)
{
    (void)state;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(truncate(path, (off_t)store->geo.data_at));
    CHECK_CHILD(run_in_child(open_in_use, NULL));
    a_second_later(store);
    CHECK_CODE(lrd_request_begin(store), LRD_ETRUNCATED);
    CHECK_CHILD(run_in_child(open_in_use, NULL));
    lrd_close(store);
    store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 2, LRD_SET, 0));
    check_value(store, 2);
    lrd_close(store);
}

/* Truncate a file that the caller has opened. The core can seal a memfd against this, but not a
 * file with a name. */
static void lose_a_given_file(void *arg)
{
    (void)arg;
    lrd_options options = {.size = MIB, .slots = 16};
    lrd_store *store;
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK_OK(lrd_open_fd(fd, &options, &store));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(unlink(path));
    a_second_later(store);
    CHECK_OK(lrd_request_begin(store));
    CHECK_OK(ftruncate(fd, 0));
    a_second_later(store);
    CHECK_CODE(lrd_request_begin(store), LRD_ETRUNCATED);
    lrd_close(store);
    close(fd);
}

static void a_file_that_was_given_can_be_truncated_too(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(lose_a_given_file, NULL));
}

static void leave_in_a_child(void *arg)
{
    lrd_store *store = arg;
    CHECK_CODE(lrd_request_begin(store), LRD_EMOVED);
    lrd_close(store);
}

static void a_forked_child_notices_as_well(void **state)
{
    (void)state;
    lrd_value value;
    lrd_store *store = open_at(path, LRD_VOLATILE, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    hold(store, "key", &value);
    CHECK_OK(unlink(path));
    a_second_later(store);
    CHECK_CHILD(run_in_child(leave_in_a_child, store));
    CHECK(value_valid(value.data, value.size, "key", 3));
    lrd_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh_path)
    const struct CMUnitTest tests[] = {
        TEST(a_removed_file_is_noticed_and_made_anew),
        TEST(it_takes_a_second),
        TEST(who_only_counts_notices_it_too),
        TEST(another_store_in_its_place_is_noticed_and_opened),
        TEST(a_file_that_is_no_store_in_its_place_is_noticed),
        TEST(a_file_that_comes_back_is_the_stores_again),
        TEST(each_policy_notices),
        TEST(queues_notice_also_while_they_wait),
        TEST(a_push_that_notices_in_its_midst_leaves_nothing_open),
        TEST(a_relative_path_is_that_of_the_directory_of_then),
        TEST(a_process_in_another_root_goes_on),
        TEST(another_root_of_the_same_inode_is_another_root),
        TEST(reads_and_counts_make_no_system_call),
        TEST(writes_do_not_look_at_a_file_that_is_sealed),
        TEST(a_damaged_file_is_an_error_and_no_signal),
        TEST(what_was_begun_before_a_loss_ends_with_an_error_and_no_signal),
        TEST(nothing_is_published_in_a_removed_file),
        TEST(a_permit_ends_in_a_removed_file),
        TEST(each_call_that_reads_the_store_notices_a_loss),
        TEST(a_truncation_under_a_builder_is_an_error_and_no_signal),
        TEST(a_write_soon_after_a_truncation_is_an_error_and_no_signal),
        TEST(a_push_soon_after_a_truncation_is_an_error_and_no_signal),
        TEST(a_threads_first_change_after_a_truncation_is_an_error_and_no_signal),
        TEST(a_host_that_asks_before_a_write_gets_no_signal),
        TEST(a_truncated_file_is_made_anew_by_the_last),
        TEST(a_file_that_was_given_can_be_truncated_too),
        TEST(a_forked_child_notices_as_well),
    };
#undef TEST
    return cmocka_run_group_tests_name("moved", tests, NULL, NULL);
}
