/* segment_test.c - processes create segments, share them, leave them and adopt them.
 * segment_refusal_test.c has the refusals. Start reading at
 * named_store_survives_its_last_user(). */
#include "forbid.h"
#include "support.h"

#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)

static char path[256], lock_path[300];

static int fresh_path(void **state)
{
    static unsigned number;
    (void)state;
    char name[32];
    snprintf(name, sizeof name, "segment-%u", number++);
    snprintf(path, sizeof path, "%s", temp_path(name));
    snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    return 0;
}

static lrd_options small_options(const char *name)
{
    return (lrd_options){.policy = LRD_VOLATILE, .size = MIB, .slots = 16, .path = name};
}

static lrd_store *open_small(const char *name, bool created)
{
    lrd_options options = small_options(name);
    return store_open_named(&options, created);
}

static bool exists(const char *name)
{
    struct stat info;
    return lstat(name, &info) == 0;
}

/* Return the number of files in the folder of `path` whose names begin with the file name of
 * `path`. */
static unsigned count_names(void)
{
    unsigned count = 0;
    char directory[256];
    snprintf(directory, sizeof directory, "%s", path);
    char *base = strrchr(directory, '/');
    *base++ = '\0';
    DIR *stream = opendir(directory);
    CHECK(stream != NULL);
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        count += strncmp(entry->d_name, base, strlen(base)) == 0;
    closedir(stream);
    return count;
}

/* ---- sharing ---- */

static void read_and_write(void *arg)
{
    lrd_store *store = arg;
    uint64_t seed;
    CHECK_OK(get_checked(store, "parent", NULL, &seed));
    CHECK_EQ(seed, 1);
    CHECK_OK(put_value(store, "child", 5000, 2, LRD_SET, 0));
}

static void anonymous_store_is_shared_with_forked_children(void **state)
{
    (void)state;
    uint64_t seed;
    lrd_store *store = open_small(NULL, true);
    CHECK_OK(put_value(store, "parent", 100, 1, LRD_SET, 0));
    CHECK_CHILD(run_in_child(read_and_write, store));
    CHECK_OK(get_checked(store, "child", NULL, &seed));
    CHECK_EQ(seed, 2);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void anonymous_store_cannot_be_resized(void **state)
{
    (void)state;
    lrd_store *store = open_small(NULL, true);
    int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    CHECK_EQ(fcntl(store->fd, F_GET_SEALS) & wanted, wanted);
    CHECK_EQ(ftruncate(store->fd, 0), -1);
    CHECK_EQ(errno, EPERM);
    CHECK_OK(lrd__segment_check(store));
    lrd_close(store);
}

static void write_through_the_data(void *arg)
{
    lrd_store *store = arg;
    signal(SIGSEGV, SIG_DFL);
    *(volatile uint8_t *)store->data = 1;
}

static void values_cannot_be_written_through_their_pointers(void **state)
{
    (void)state;
#ifdef LRD_SINGLE_ALIAS
    skip_test("this build has one alias only");
#endif
    lrd_store *store = open_small(NULL, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_KILLED(run_in_child(write_through_the_data, store), SIGSEGV);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    lrd_close(store);
}

/* Read the flags of the mapping at this address from the kernel. */
static void mapping_flags(const void *address, char flags[256])
{
    char line[512];
    unsigned long start, end;
    bool here = false;
    flags[0] = '\0';
    FILE *maps = fopen("/proc/self/smaps", "re");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
            here = start <= (uintptr_t)address && (uintptr_t)address < end;
        if (here && strncmp(line, "VmFlags:", 8) == 0)
            snprintf(flags, 256, "%.250s", line);
    }
    fclose(maps);
}

static void mappings_are_left_out_of_core_dumps(void **state)
{
    (void)state;
    char flags[256];
    lrd_store *store = open_small(NULL, true);
    const void *starts[] = {store->data, store->window, store->control};
    for (size_t i = 0; i < 3; i++) {
        mapping_flags(starts[i], flags);
        CHECK(strstr(flags, " dd") != NULL);
    }
    lrd_close(store);
}

static void a_second_store_takes_the_next_free_addresses(void **state)
{
    (void)state;
    lrd_info first, second;
    lrd_store *one = open_small(NULL, true), *two = open_small(NULL, true);
    lrd_store_info(one, &first);
    lrd_store_info(two, &second);
    CHECK((uintptr_t)second.base >= (uintptr_t)first.base + first.size);
    CHECK_EQ((uintptr_t)second.base % (2 * MIB), 0);
    lrd_close(one);
    lrd_close(two);
}

static void a_store_is_looked_for_a_place_from_where_its_options_say(void **state)
{
    (void)state;
    lrd_info info;
    lrd_options options = {.size = MIB, .base_from = 0x551000000000};
    lrd_store *one, *two, *bad;
    CHECK_OK(lrd_open(&options, &one));
    lrd_store_info(one, &info);
    CHECK(info.base == (void *)0x551000000000);
    CHECK_OK(lrd_open(&options, &two));
    lrd_store_info(two, &info);
    CHECK((uintptr_t)info.base > 0x551000000000 && (uintptr_t)info.base < 0x552000000000);
    options.base_from = 4096;
    CHECK_CODE(lrd_open(&options, &bad), LRD_EINVAL);
    options.base_from = 4097;
    CHECK_CODE(lrd_open(&options, &bad), LRD_EINVAL);
    lrd_close(one);
    lrd_close(two);
}

/* ---- named stores ---- */

static void named_store_survives_its_last_user(void **state)
{
    (void)state;
    uint64_t seed;
    struct stat info;
    lrd_store *store = open_small(path, true);
    CHECK_OK(stat(path, &info));
    CHECK_EQ(info.st_mode & 07777, 0600);
    CHECK_OK(stat(lock_path, &info));
    CHECK_EQ(info.st_mode & 07777, 0600);
    CHECK_OK(put_value(store, "small", 100, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "large", 100000, 2, LRD_SET, 0));
    lrd_close(store);

    store = open_small(path, false);
    CHECK_OK(get_checked(store, "small", NULL, &seed));
    CHECK_EQ(seed, 1);
    CHECK_OK(get_checked(store, "large", NULL, &seed));
    CHECK_EQ(seed, 2);
    CHECK_OK(put_value(store, "small", 200, 3, LRD_SET, 0));
    CHECK_FSCK(store);
    lrd_close(store);
    CHECK_EQ(count_names(), 2);
}

static void named_store_is_private_whatever_the_umask(void **state)
{
    (void)state;
    struct stat info;
    mode_t old = umask(0);
    lrd_store *store = open_small(path, true);
    umask(old);
    CHECK_OK(stat(path, &info));
    CHECK_EQ(info.st_mode & 07777, 0600);
    lrd_close(store);
}

typedef struct writer {
    gate start;
    const char *key;
} writer;

/* Open the store and write to it. The child starts before its parent opens the store, and so
 * inherits no mappings. */
static void open_and_write(void *arg)
{
    writer *self = arg;
    gate_wait(&self->start);
    lrd_options options = small_options(path);
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(put_value(store, self->key, 100, 1, LRD_SET, 0));
    CHECK_OK(get_checked(store, self->key, NULL, NULL));
    lrd_close(store);
}

static pid_t start_writer(writer *self, const char *key)
{
    self->key = key;
    return start_child(open_and_write, self);
}

static void named_store_is_shared_by_unrelated_processes(void **state)
{
    (void)state;
    writer *writers = shared_memory(2 * sizeof *writers);
    pid_t first = start_writer(&writers[0], "first");
    pid_t second = start_writer(&writers[1], "second");
    gate_open(&writers[0].start);
    CHECK_CHILD(wait_child(first));
    lrd_store *store = open_small(path, false);
    gate_open(&writers[1].start);
    CHECK_CHILD(wait_child(second));
    CHECK_OK(get_checked(store, "first", NULL, NULL));
    CHECK_OK(get_checked(store, "second", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

typedef struct crowd {
    gate start, end;
    _Atomic unsigned created, done;
    int fd; /* -1: open the file at path */
} crowd;

static void open_in_a_crowd(void *arg)
{
    crowd *all = arg;
    lrd_options options = small_options(all->fd < 0 ? path : NULL);
    lrd_store *store;
    lrd_info info;
    char key[32];
    gate_wait(&all->start);
    CHECK_OK(all->fd < 0 ? lrd_open(&options, &store) : lrd_open_fd(all->fd, &options, &store));
    lrd_store_info(store, &info);
    atomic_fetch_add(&all->created, info.created);
    snprintf(key, sizeof key, "%d", (int)getpid());
    CHECK_OK(put_value(store, key, 100, 1, LRD_SET, 0));
    CHECK_OK(get_checked(store, key, NULL, NULL));
    if (atomic_fetch_add(&all->done, 1) + 1 == 8)
        gate_open(&all->end);
    gate_wait(&all->end);
    lrd_close(store);
}

/* Make openers slow, so that several are opening at the same time. */
static void dawdle(const char *name, void *arg)
{
    (void)arg;
    if (strncmp(name, "segment_", 8) == 0)
        sleep_ms(3);
}

static void open_at_once(crowd *all)
{
    pid_t children[8];
    char key[32];
    failpoint_hook(dawdle, NULL);
    for (size_t i = 0; i < 8; i++)
        children[i] = start_child(open_in_a_crowd, all);
    failpoint_hook(NULL, NULL);
    gate_open(&all->start);
    for (size_t i = 0; i < 8; i++)
        CHECK_CHILD(wait_child(children[i]));
    CHECK_EQ(all->created, 1);

    lrd_options options = small_options(all->fd < 0 ? path : NULL);
    lrd_store *store;
    CHECK_OK(all->fd < 0 ? lrd_open(&options, &store) : lrd_open_fd(all->fd, &options, &store));
    for (size_t i = 0; i < 8; i++) {
        snprintf(key, sizeof key, "%d", (int)children[i]);
        CHECK_OK(get_checked(store, key, NULL, NULL));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

static void one_of_many_simultaneous_openers_creates(void **state)
{
    (void)state;
    crowd *all = shared_memory(sizeof *all);
    all->fd = -1;
    open_at_once(all);
}

static void one_of_many_simultaneous_openers_replaces_an_unfit_segment(void **state)
{
    (void)state;
    crowd *all = shared_memory(sizeof *all);
    lrd_options options = small_options(path);
    lrd_store *store;
    options.size = 2 * MIB;
    CHECK_OK(lrd_open(&options, &store));
    lrd_close(store);
    all->fd = -1;
    open_at_once(all);
}

static void hold_open(void *arg)
{
    gate *gates = arg; /* gates[0]: the child has opened the store; gates[1]: the child may end */
    lrd_store *store = open_small(path, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    pid_t parent = getpid();
    if (fork() == 0) {
        alarm(600); /* end this process if the test fails to end it */
        CHECK_OK(get_checked(store, "key", NULL, NULL));
        while (getppid() == parent)
            sleep_ms(1);
        gate_open(gates);
        gate_wait(gates + 1);
        _exit(0);
    }
    _exit(0); /* without lrd_close() */
}

static void forked_children_keep_a_segment_in_use(void **state)
{
    (void)state;
    gate *gates = shared_memory(2 * sizeof *gates);
    lrd_options options = small_options(path);
    lrd_store *store;
    CHECK_CHILD(run_in_child(hold_open, gates));
    gate_wait(gates);
    options.size = 2 * MIB;
    CHECK_CODE(lrd_open(&options, &store), LRD_EMISMATCH);
    gate_open(gates + 1);

    int code = LRD_EMISMATCH;
    for (uint64_t until = real_ms() + 60000; code != LRD_OK && real_ms() < until; sleep_ms(5))
        code = lrd_open(&options, &store);
    CHECK_OK(code);
    lrd_close(store);
}

static void die_with_the_store_open(void *arg)
{
    (void)arg;
    lrd_store *store = open_small(path, true);
    lrd_reservation reservation;
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_reserve(store, "open", 4, 1000, 0, &reservation));
    raise(SIGKILL);
}

static void segment_of_killed_users_is_adopted(void **state)
{
    (void)state;
    CHECK_KILLED(run_in_child(die_with_the_store_open, NULL), SIGKILL);
    lrd_store *store = open_small(path, false);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_CODE(get_checked(store, "open", NULL, NULL), LRD_MISS);
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    CHECK_FSCK(store);
    lrd_close(store);
}

static void unused_segment_of_other_settings_is_made_anew(void **state)
{
    (void)state;
    lrd_info info;
    lrd_store *store = open_small(path, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd_close(store);
    lrd_options options = small_options(path);
    options.size = 2 * MIB;
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    CHECK(info.created);
    CHECK_EQ(info.size, 2 * MIB);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    lrd_close(store);
}

static void options_left_open_take_what_the_segment_has(void **state)
{
    (void)state;
    lrd_info info;
    lrd_store *store;
    lrd_options options = {.policy = LRD_PINNED,
                           .size = 3 * MIB,
                           .entries_hint = 20000,
                           .shards = 4,
                           .slots = 33,
                           .base = 0x556000000000,
                           .path = path,
                           .fence = true};
    CHECK_OK(lrd_open(&options, &store));
    lrd_close(store);
    options = (lrd_options){.policy = LRD_PINNED, .path = path};
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    CHECK(!info.created && info.fence);
    CHECK_EQ(info.size, 3 * MIB);
    CHECK_EQ(info.shards, 4);
    CHECK_EQ(info.slots, 33);
    CHECK(info.base == (void *)0x556000000000);
    CHECK(info.entries_max >= 20000);
    lrd_close(store);
}

static void an_empty_file_becomes_a_segment(void **state)
{
    (void)state;
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    close(fd);
    lrd_close(open_small(path, true));
}

static void relative_path_is_taken_from_the_working_directory(void **state)
{
    (void)state;
    char directory[256], old[4096];
    snprintf(directory, sizeof directory, "%s", path);
    *strrchr(directory, '/') = '\0';
    CHECK(getcwd(old, sizeof old) != NULL);
    CHECK_OK(chdir(directory));
    lrd_close(open_small(strrchr(path, '/') + 1, true));
    CHECK_OK(chdir(old));
    lrd_close(open_small(path, false));
}

/* ---- descriptors ---- */

static void an_inherited_descriptor_is_formatted_once(void **state)
{
    (void)state;
    crowd *all = shared_memory(sizeof *all);
    all->fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(all->fd >= 0);
    open_at_once(all);
    CHECK((fcntl(all->fd, F_GET_SEALS) & F_SEAL_SHRINK) != 0);
    close(all->fd);
}

static void open_descriptor(void *arg)
{
    int *fd = arg;
    lrd_options options = small_options(NULL);
    lrd_store *store;
    CHECK_OK(lrd_open_fd(*fd, &options, &store));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd_close(store);
}

static void killed_formatters_of_a_descriptor_are_made_up_for(void **state)
{
    (void)state;
    for (uint64_t k = 1;; k++) {
        int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        CHECK(fd >= 0);
        failpoint_arm(k);
        int status = run_in_child(open_descriptor, &fd);
        bool fired = failpoint_fired();
        failpoint_disarm();
        CHECK_CHILD(run_in_child(open_descriptor, &fd));
        close(fd);
        if (!fired) {
            CHECK_CHILD(status);
            CHECK(k > 5);
            break;
        }
        CHECK_KILLED(status, SIGKILL);
    }
}

static void a_named_file_can_be_opened_by_descriptor_and_by_path(void **state)
{
    (void)state;
    lrd_options options = small_options(NULL);
    lrd_store *store;
    writer *self = shared_memory(sizeof *self);
    pid_t second = start_writer(self, "second");
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK_OK(lrd_open_fd(fd, &options, &store));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    gate_open(&self->start);
    CHECK_CHILD(wait_child(second));
    CHECK_OK(get_checked(store, "second", NULL, NULL));
    lrd_close(store);
    close(fd);
    store = open_small(path, false);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    lrd_close(store);
}

/* ---- creators that die ---- */

static void open_with_size(void *arg)
{
    lrd_options options = small_options(path);
    lrd_store *store;
    options.size = *(uint64_t *)arg;
    CHECK_OK(lrd_open(&options, &store));
    lrd_close(store);
}

/* Let processes open the store, and kill the first one at its first fail point, the next one at its
 * second fail point, and so on. Before each, `before` prepares the file. There must be more than
 * `points` fail points. */
static void kill_at_each_point(uint64_t size, void (*before)(void), unsigned points)
{
    for (uint64_t k = 1;; k++) {
        if (before != NULL)
            before();
        failpoint_arm(k);
        int status = run_in_child(open_with_size, &size);
        bool fired = failpoint_fired();
        failpoint_disarm();
        if (!fired) {
            CHECK_CHILD(status);
            CHECK(k > points);
            return;
        }
        CHECK_KILLED(status, SIGKILL);
        bool named = strcmp(failpoint_last(), "segment_named") == 0 ||
                     strcmp(failpoint_last(), "slot_unmap") == 0;
        CHECK(count_names() <= 2);
        if (before == NULL)
            CHECK_EQ(exists(path), named);
        CHECK_CHILD(run_in_child(open_with_size, &size));
        CHECK_CHILD(run_in_child(open_with_size, &size));
        CHECK_EQ(count_names(), 2);
        CHECK_OK(unlink(path));
    }
}

static void a_killed_creator_leaves_no_name(void **state)
{
    (void)state;
    kill_at_each_point(MIB, NULL, 7);
}

static void make_a_small_one(void)
{
    unlink(path);
    lrd_store *store = open_small(path, true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd_close(store);
}

static void a_killed_replacer_leaves_the_old_segment_or_none(void **state)
{
    (void)state;
    kill_at_each_point(2 * MIB, make_a_small_one, 9);
}

static void a_killed_adopter_leaves_the_segment_to_the_next(void **state)
{
    (void)state;
    for (uint64_t k = 1;; k++) {
        uint64_t size = MIB;
        make_a_small_one();
        failpoint_arm(k);
        int status = run_in_child(open_with_size, &size);
        bool fired = failpoint_fired();
        failpoint_disarm();
        lrd_store *store = open_small(path, false);
        CHECK_OK(get_checked(store, "key", NULL, NULL));
        CHECK_FSCK(store);
        lrd_close(store);
        if (!fired) {
            CHECK_CHILD(status);
            CHECK(k > 2);
            return;
        }
    }
}

/* ---- processes with forbidden system calls ---- */

/* Called in a child: make a system call of this child fail. If the kernel permits no filters, exits
 * with EXIT_CANNOT. */
static void forbid(unsigned call, unsigned argument, unsigned mask, unsigned error)
{
    if (!forbid_call(call, argument, mask, error))
        _exit(EXIT_CANNOT);
}

static void open_without_tmpfile(void *arg)
{
    forbid(SYS_openat, 2, 020000000, EOPNOTSUPP);
    open_with_size(arg);
}

static bool cannot(int status, const char *what)
{
    bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CANNOT;
    if (skipped)
        skip_test(what);
    return skipped;
}

static void file_systems_without_nameless_files_do(void **state)
{
    (void)state;
    uint64_t size = MIB;
    int status = run_in_child(open_without_tmpfile, &size);
    if (cannot(status, "no seccomp filters here"))
        return;
    CHECK_CHILD(status);
    lrd_close(open_small(path, false));
    CHECK_EQ(count_names(), 2);
    CHECK_OK(unlink(path));

    for (uint64_t k = 1; k < 8; k++) {
        failpoint_arm(k);
        CHECK_KILLED(run_in_child(open_without_tmpfile, &size), SIGKILL);
        bool named = strcmp(failpoint_last(), "segment_named") == 0 ||
                     strcmp(failpoint_last(), "slot_unmap") == 0;
        failpoint_disarm();
        CHECK_EQ(exists(path), named);
    }
    CHECK_CHILD(run_in_child(open_without_tmpfile, &size));
    lrd_close(open_small(path, false));
    CHECK_EQ(count_names(), 2);
}

static void open_without_membarrier(void *arg)
{
    (void)arg;
    lrd_info info;
    forbid(SYS_membarrier, 0, 0, ENOSYS);
    lrd_store *store = open_small(path, true);
    lrd_store_info(store, &info);
    CHECK(info.fence);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(put_value(store, "key", 100, 2, LRD_SET, 0));
    CHECK_OK(lrd_sweep(store, NULL));
    CHECK_EQ(stats_of(store).retired_bytes, 0);
    lrd_close(store);
}

static void join_without_membarrier(void *arg)
{
    (void)arg;
    lrd_options options = small_options(path);
    lrd_store *store;
    forbid(SYS_membarrier, 0, 0, ENOSYS);
    CHECK_CODE(lrd_open(&options, &store), LRD_EBARRIER);
    CHECK(strstr(lrd_error_detail(), "membarrier") != NULL);
}

static void without_membarrier_new_segments_use_fences_and_others_in_use_are_refused(void **state)
{
    (void)state;
    lrd_info info;
    int status = run_in_child(open_without_membarrier, NULL);
    if (cannot(status, "no seccomp filters here"))
        return;
    CHECK_CHILD(status);
    lrd_store *store = open_small(path, false);
    lrd_store_info(store, &info);
    CHECK(info.fence);
    lrd_close(store);

    CHECK_OK(unlink(path));
    store = open_small(path, true);
    lrd_store_info(store, &info);
    CHECK(!info.fence);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_CHILD(run_in_child(join_without_membarrier, NULL));
    lrd_close(store);
}

static void interrupt(int signal) { (void)signal; }

static void commits_get_done_under_a_fast_timer(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = interrupt}, ignore = {.sa_handler = SIG_IGN};
    struct itimerval timer = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
    CHECK_OK(sigaction(SIGALRM, &action, NULL));
    CHECK_OK(setitimer(ITIMER_REAL, &timer, NULL));
    lrd_options options = small_options(NULL);
    options.size = 64 * MIB;
    lrd_store *store = NULL;
    int code = lrd_open(&options, &store);
    if (code == LRD_OK)
        code = lrd__segment_commit(store, 0, 32 * MIB);
    CHECK_OK(setitimer(ITIMER_REAL, &off, NULL));
    CHECK_OK(sigaction(SIGALRM, &ignore, NULL)); /* ignore the signal, because one may still come */
    CHECK_OK(code);
    lrd_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh_path)
    const struct CMUnitTest tests[] = {
        TEST(anonymous_store_is_shared_with_forked_children),
        TEST(anonymous_store_cannot_be_resized),
        TEST(values_cannot_be_written_through_their_pointers),
        TEST(mappings_are_left_out_of_core_dumps),
        TEST(a_second_store_takes_the_next_free_addresses),
        TEST(a_store_is_looked_for_a_place_from_where_its_options_say),
        TEST(named_store_survives_its_last_user),
        TEST(named_store_is_private_whatever_the_umask),
        TEST(named_store_is_shared_by_unrelated_processes),
        TEST(one_of_many_simultaneous_openers_creates),
        TEST(one_of_many_simultaneous_openers_replaces_an_unfit_segment),
        TEST(forked_children_keep_a_segment_in_use),
        TEST(segment_of_killed_users_is_adopted),
        TEST(unused_segment_of_other_settings_is_made_anew),
        TEST(options_left_open_take_what_the_segment_has),
        TEST(an_empty_file_becomes_a_segment),
        TEST(relative_path_is_taken_from_the_working_directory),
        TEST(an_inherited_descriptor_is_formatted_once),
        TEST(killed_formatters_of_a_descriptor_are_made_up_for),
        TEST(a_named_file_can_be_opened_by_descriptor_and_by_path),
        TEST(a_killed_creator_leaves_no_name),
        TEST(a_killed_replacer_leaves_the_old_segment_or_none),
        TEST(a_killed_adopter_leaves_the_segment_to_the_next),
        TEST(file_systems_without_nameless_files_do),
        TEST(without_membarrier_new_segments_use_fences_and_others_in_use_are_refused),
        TEST(commits_get_done_under_a_fast_timer),
    };
#undef TEST
    return cmocka_run_group_tests_name("segment", tests, NULL, NULL);
}
