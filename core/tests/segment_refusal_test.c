/* segment_refusal_test.c - files, descriptors and processes that are refused a segment, the texts
 * of refusals, and file systems without room. segment_test.c has calls that succeed. */
#include "apart.h"
#include "forbid.h"
#include "support.h"

#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include "xxhash.h"

#define MIB (1u << 20)
#define OTHER_USER 12345

static char path[256], lock_path[300], other_path[300];

static int fresh_path(void **state)
{
    static unsigned number;
    (void)state;
    char name[32];
    snprintf(name, sizeof name, "refusal-%u", number++);
    snprintf(path, sizeof path, "%s", temp_path(name));
    snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    snprintf(other_path, sizeof other_path, "%s-other", path);
    return 0;
}

static lrd_options small_options(const char *name)
{
    return (lrd_options){.policy = LRD_VOLATILE, .size = MIB, .slots = 16, .path = name};
}

static lrd_store *open_small(bool created)
{
    lrd_options options = small_options(path);
    return store_open_named(&options, created);
}

static void leave_segment(void)
{
    unlink(path);
    lrd_store *store = open_small(true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd_close(store);
}

static void refused(const lrd_options *options, int code, const char *text)
{
    lrd_store *store = NULL;
    CHECK_CODE(lrd_open(options, &store), code);
    CHECK(store == NULL);
    if (strstr(lrd_error_detail(), text) == NULL)
        check_failed(__FILE__, __LINE__, "\"%s\" does not say \"%s\"", lrd_error_detail(), text);
}

static void path_refused(int code, const char *text)
{
    lrd_options options = small_options(path);
    refused(&options, code, text);
}

/* Take the lock that an attached process has, so that the segment looks used. Returns the
 * descriptor with the lock. */
static int hold_in_use(void)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    int fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK_OK(fcntl(fd, F_OFD_SETLK, &lock));
    return fd;
}

static void write_file(const char *name, const char *content)
{
    int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK_EQ(write(fd, content, strlen(content)), strlen(content));
    close(fd);
}

static void check_file(const char *name, const char *content)
{
    char buffer[256];
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    ssize_t length = read(fd, buffer, sizeof buffer - 1);
    close(fd);
    CHECK(length >= 0);
    buffer[length] = '\0';
    assert_string_equal(buffer, content);
}

static bool cannot(int status, const char *what)
{
    bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CANNOT;
    if (skipped)
        skip_test(what);
    return skipped;
}

/* ---- types, owners, modes ---- */

static void symbolic_links_are_refused(void **state)
{
    (void)state;
    char target[300];
    snprintf(target, sizeof target, "%s-target", path);
    CHECK_OK(symlink(target, path));
    path_refused(LRD_EPERM, "is a symbolic link");
    write_file(target, "");
    path_refused(LRD_EPERM, "is a symbolic link");
    check_file(target, "");
    CHECK_OK(unlink(path));
    CHECK_OK(unlink(lock_path));
    CHECK_OK(symlink(target, lock_path));
    path_refused(LRD_EPERM, ".lock: is a symbolic link");
}

static void directories_fifos_and_sockets_are_refused(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    CHECK_OK(mkdir(path, 0600));
    path_refused(LRD_EPERM, "is a directory");
    CHECK_OK(rmdir(path));
    CHECK_OK(mkfifo(path, 0600));
    path_refused(LRD_EPERM, "is a fifo");
    CHECK_OK(unlink(path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
    CHECK_OK(bind(fd, (struct sockaddr *)&address, sizeof address));
    path_refused(LRD_EPERM, "is a socket");
    close(fd);
    CHECK_OK(unlink(path));
    if (mknod(path, S_IFCHR | 0600, makedev(1, 3)) == 0) /* only root may do this */
        path_refused(LRD_EPERM, "is a device");
}

static void modes_other_than_0600_are_refused(void **state)
{
    (void)state;
    static const mode_t modes[] = {0644, 0640, 0660, 0666, 0700, 0400, 04600};
    leave_segment();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char text[64];
        snprintf(text, sizeof text, "has mode %04o; 0600 is required", modes[i]);
        CHECK_OK(chmod(path, modes[i]));
        path_refused(LRD_EPERM, text);
        CHECK_OK(chmod(path, 0600));
        CHECK_OK(chmod(lock_path, modes[i]));
        path_refused(LRD_EPERM, text);
        CHECK_OK(chmod(lock_path, 0600));
    }
    lrd_close(open_small(false));
}

static void files_of_other_users_are_refused(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip_test("only root can give a file away");
    leave_segment();
    CHECK_OK(chown(path, OTHER_USER, OTHER_USER));
    path_refused(LRD_EPERM, "belongs to user 12345; user 0");
    CHECK_OK(chown(path, 0, 0));
    CHECK_OK(chown(lock_path, OTHER_USER, OTHER_USER));
    path_refused(LRD_EPERM, ".lock: belongs to user 12345");
    CHECK_OK(chown(lock_path, 0, 0));
    lrd_close(open_small(false));
}

static void files_with_a_second_name_are_refused(void **state)
{
    (void)state;
    char second[300];
    snprintf(second, sizeof second, "%s-second", path);
    leave_segment();
    CHECK_OK(link(path, second));
    path_refused(LRD_EPERM, "has 2 names");
    CHECK_OK(unlink(second));
    lrd_close(open_small(false));
}

static void unusable_paths_are_refused(void **state)
{
    (void)state;
    char name[5000];
    lrd_options options = small_options("");
    refused(&options, LRD_EINVAL, "path");
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    options = small_options(name);
    refused(&options, LRD_EINVAL, "path");
    snprintf(name, sizeof name, "%s/none/file", path);
    options = small_options(name);
    refused(&options, LRD_ESYS, "none/file");
    /* A name of 4,095 bytes is too long because of the suffix ".lock", which the core appends. A
     * name of 4,100 bytes is too long without it. */
    for (size_t length = 4095; length <= 4100; length += 5) {
        memset(name, '/', length);
        name[length] = '\0';
        options = small_options(name);
        refused(&options, LRD_EINVAL, "longer than a file's name can be (4095 bytes)");
        options.open_only = true;
        refused(&options, LRD_EINVAL, "longer than a file's name can be (4095 bytes)");
    }
}

static void open_in_a_folder_that_has_gone(void *arg)
{
    (void)arg;
    CHECK_OK(mkdir(path, 0700));
    CHECK_OK(chdir(path));
    CHECK_OK(rmdir(path));
    lrd_options options = small_options("relative");
    refused(&options, LRD_ESYS, "relative: getcwd:");
}

static void a_relative_path_needs_a_folder(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(open_in_a_folder_that_has_gone, NULL));
}

static void open_while_another_does(void *arg)
{
    lrd_options options = small_options(path);
    lrd_store *store;
    gate_open(arg);
    CHECK_OK(lrd_open(&options, &store));
    CHECK(store != NULL);
    lrd_close(store);
}

static void wait_beside_an_opener(bool removes)
{
    gate *is_there = shared_memory(sizeof *is_there);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    leave_segment();
    int fd = open(lock_path, O_RDWR | O_CLOEXEC);
    CHECK_OK(fcntl(fd, F_OFD_SETLK, &lock));
    pid_t opener = start_child(open_while_another_does, is_there);
    gate_wait(is_there);
    sleep_ms(20);
    int status;
    CHECK_EQ(waitpid(opener, &status, WNOHANG), 0);
    if (removes)
        CHECK_OK(unlink(lock_path));
    /* unlock the file explicitly, because the child has inherited the descriptor */
    lock.l_type = F_UNLCK;
    CHECK_OK(fcntl(fd, F_OFD_SETLK, &lock));
    CHECK_CHILD(wait_child(opener));
    CHECK_OK(access(lock_path, F_OK));
    close(fd);
}

static void an_opener_waits_for_another_one(void **state)
{
    (void)state;
    wait_beside_an_opener(false);
    wait_beside_an_opener(true);
}

/* Two processes are stopped while they open two stores. This process waits once for each of them
 * without success, and must not wait as long again. */
static void openers_that_are_stopped_are_waited_for_once(void **state)
{
    (void)state;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    const char *paths[2] = {other_path, path};
    lrd_store *store;
    int fd[2];
    uint64_t whole = lrd__segment_wait_ms, begin = lrd__clock_monotonic_ms();
    lrd__segment_wait_ms = 1000;
    for (int i = 0; i < 2; i++) {
        char name[PATH_MAX];
        lrd_options options = small_options(paths[i]);
        unlink(paths[i]);
        lrd_close(store_open_named(&options, true));
        snprintf(name, sizeof name, "%s.lock", paths[i]);
        fd[i] = open(name, O_RDWR | O_CLOEXEC);
        CHECK_OK(fcntl(fd[i], F_OFD_SETLK, &lock));
        CHECK_CODE(lrd_open(&options, &store), LRD_EBUSY);
        CHECK(lrd__clock_monotonic_ms() - begin >= 1000 * (uint64_t)(i + 1));
    }
    /* A further wait would last 30 s, so the test would notice it. */
    lrd__segment_wait_ms = whole;
    for (int i = 0; i < 6; i++) {
        lrd_options options = small_options(paths[i % 2]);
        CHECK_CODE(lrd_open(&options, &store), LRD_EBUSY);
    }
    CHECK(lrd__clock_monotonic_ms() - begin < whole);
    for (int i = 0; i < 2; i++) {
        lrd_options options = small_options(paths[i]);
        close(fd[i]);
        CHECK_OK(lrd_open(&options, &store));
        lrd_close(store);
    }
}

/* When this process is about to remove an unfit file, replace or remove the file first, as another
 * process could. */
static void replace_the_unfit(const char *name, void *replaces)
{
    if (strcmp(name, "segment_unfit") != 0)
        return;
    if (*(bool *)replaces)
        CHECK_OK(rename(other_path, path));
    else
        CHECK_OK(unlink(path));
    failpoint_hook(NULL, NULL);
}

static void an_unfit_segment_that_others_replaced_is_not_removed(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        bool replaces = i == 0;
        leave_segment();
        CHECK_OK(rename(path, other_path));
        lrd_options options = small_options(path), larger = options;
        larger.size = 2 * MIB;
        lrd_close(store_open_named(&larger, true));
        failpoint_hook(replace_the_unfit, &replaces);
        lrd_store *store = store_open_named(&options, !replaces);
        failpoint_hook(NULL, NULL);
        CHECK_CODE(lrd_has(store, "key", 3), replaces ? LRD_OK : LRD_MISS);
        CHECK_FSCK(store);
        lrd_close(store);
    }
}

static void deny_call(unsigned call, unsigned error)
{
    if (!forbid_call(call, 0, 0, error))
        _exit(EXIT_CANNOT);
}

static void open_without_memfd(void *arg)
{
    (void)arg;
    lrd_options options = small_options(NULL);
    deny_call(SYS_memfd_create, EINVAL);
    refused(&options, LRD_ESYS, "memfd_create");
}

static void an_anonymous_store_needs_memfd_create(void **state)
{
    (void)state;
    int status = run_in_child(open_without_memfd, NULL);
    if (!cannot(status, "no seccomp"))
        CHECK_CHILD(status);
}

/* ---- content ---- */

static void files_that_are_not_ours_are_refused_and_left_alone(void **state)
{
    (void)state;
    static const char *const contents[] = {"x", "larder", "somebody's only copy of a thesis"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        write_file(path, contents[i]);
        path_refused(LRD_EFORMAT, "not a larder segment");
        int fd = hold_in_use();
        path_refused(LRD_EFORMAT, "not a larder segment");
        close(fd);
        check_file(path, contents[i]);
    }
    CHECK_OK(truncate(path, 0));
    CHECK_OK(truncate(path, 64 * MIB));
    path_refused(LRD_EFORMAT, "not a larder segment");
}

static void truncated_files_are_refused_in_use_and_else_made_anew(void **state)
{
    (void)state;
    struct stat info;
    leave_segment();
    CHECK_OK(stat(path, &info));
    const off_t sizes[] = {8, 100, 4096, 5000, 65536, info.st_size - MIB, info.st_size - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        leave_segment();
        CHECK_OK(truncate(path, sizes[i]));
        int fd = hold_in_use();
        path_refused(sizes[i] > 8 ? LRD_EFORMAT : LRD_EMISMATCH, path);
        close(fd);
        lrd_close(open_small(true));
    }
    leave_segment();
    CHECK_OK(truncate(path, info.st_size + 1));
    lrd_close(open_small(true));
}

typedef struct change {
    size_t at;
    uint64_t value;
    uint32_t size;
    bool sum; /* true: correct the checksum after the change */
    int code;
    const char *text; /* the text of the error while the segment is in use */
} change;

#define FIELD(name) offsetof(lrd__header, name)

static void change_header(const change *what)
{
    lrd__header header;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK_EQ(pread(fd, &header, sizeof header, 0), sizeof header);
    memcpy((uint8_t *)&header + what->at, &what->value, what->size);
    if (what->sum)
        header.sum = XXH3_64bits((uint8_t *)&header + FIELD(size), FIELD(sum) - FIELD(size));
    CHECK_EQ(pwrite(fd, &header, sizeof header, 0), sizeof header);
    close(fd);
}

static void headers_that_differ_are_refused_in_use_and_else_made_anew(void **state)
{
    (void)state;
    static const change changes[] = {
        {FIELD(layout), LRD__LAYOUT + 1, 4, false, LRD_EMISMATCH, ", this build has"},
        {FIELD(word_size), 4, 4, true, LRD_EMISMATCH, "words of 4 bytes, this build has 8"},
        {FIELD(state), 0, 4, false, LRD_EFORMAT, "state is 0x0"},
        {FIELD(state), 77, 4, false, LRD_EFORMAT, "state is 0x4d"},
        {FIELD(sum), 77, 8, false, LRD_EFORMAT, "checksum is 000000000000004d"},
        {FIELD(seed), 77, 8, false, LRD_EFORMAT, "checksum"},
        {FIELD(size), 0, 8, true, LRD_EFORMAT, "size is 0"},
        {FIELD(size), UINT64_MAX, 8, true, LRD_EFORMAT, "size is 18446744073709551615"},
        {FIELD(size), 2 * MIB, 8, true, LRD_EFORMAT, "the header says"},
        {FIELD(shards), 0, 4, true, LRD_EFORMAT, "shards is 0"},
        {FIELD(shards), 3, 4, true, LRD_EFORMAT, "shards is 3"},
        {FIELD(slots), UINT32_MAX, 4, true, LRD_EFORMAT, "slots is 4294967295"},
        {FIELD(buckets), UINT32_MAX, 4, true, LRD_EFORMAT, "buckets (of a shard) is 4294967295"},
        {FIELD(policy), 9, 4, true, LRD_EFORMAT, "policy is 9"},
        {FIELD(file_size), 1, 8, true, LRD_EFORMAT, "the header says 1 bytes"},
        {FIELD(base), 0, 8, true, LRD_EFORMAT, "base 0x0"},
        {FIELD(base), 0x550000001000, 8, true, LRD_EFORMAT, "base 0x550000001000"},
        {FIELD(base), 0xffffffffffe00000, 8, true, LRD_EFORMAT, "base 0xffffffffffe00000"},
        {FIELD(boot_id), 0x78, 2, true, LRD_EMISMATCH, "made in boot x"},
        {FIELD(inode), 1, 8, true, LRD_EMISMATCH, "a copy: made as inode 1 "},
        {FIELD(device), 77, 8, true, LRD_EMISMATCH, "of device 77"},
        {FIELD(value_abi), 0x78, 2, true, LRD_EMISMATCH, "value ABI \"x\", this process has \"\""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        leave_segment();
        change_header(&changes[i]);
        int fd = hold_in_use();
        path_refused(changes[i].code, changes[i].text);
        path_refused(changes[i].code, changes[i].text);
        close(fd);
        lrd_store *store = open_small(true);
        CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
        /* A file that was never finished had no entries, so nothing warns of its replacement. */
        const char *warning = lrd_store_warning(store);
        bool finished = strstr(changes[i].text, "state is") == NULL;
        CHECK_EQ(strstr(warning, "was replaced by an empty store") != NULL, finished);
        CHECK(!finished || strstr(warning, changes[i].text) != NULL);
        lrd_close(store);
        store = open_small(false);
        CHECK_EQ(lrd_store_warning(store)[0], 0);
        lrd_close(store);
    }
}

/* A copy of a file has the slots of the original. If the original is in use, these slots name a
 * living thread, so the copy looks as if it were in use, too. */
static void a_copy_of_what_is_in_use_is_made_anew(void **state)
{
    (void)state;
    char command[700], original[200];
    leave_segment();
    lrd_store *used = open_small(false), *store;
    CHECK_OK(get_checked(used, "key", NULL, NULL));
    snprintf(original, sizeof original, "%.190s", path);
    snprintf(path, sizeof path, "%s-copy", original);
    snprintf(command, sizeof command, "cp --preserve=mode %s %s", original, path);
    CHECK_OK(system(command));
    store = open_small(true);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    CHECK_OK(get_checked(used, "key", NULL, NULL));
    lrd_close(store);
    lrd_close(used);
}

static void copies_are_not_used(void **state)
{
    (void)state;
    char command[700], original[200];
    leave_segment();
    snprintf(original, sizeof original, "%.190s", path);
    snprintf(path, sizeof path, "%s-copy", original);
    snprintf(command, sizeof command, "cp --preserve=mode %s %s", original, path);
    CHECK_OK(system(command));
    int fd = hold_in_use();
    path_refused(LRD_EMISMATCH, "a copy");
    close(fd);
    lrd_store *store = open_small(true);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    lrd_close(store);
}

static void other_settings_are_refused_while_in_use(void **state)
{
    (void)state;
    lrd_options options = small_options(path);
    options.value_abi = "php 8.2";
    options.shards = 2;
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));

    const lrd_options same = options;
    options.policy = LRD_PINNED;
    refused(&options, LRD_EMISMATCH, "policy 0, the options ask for 1");
    options = same, options.size = 2 * MIB;
    refused(&options, LRD_EMISMATCH, "size 1048576, the options ask for 2097152");
    options = same, options.shards = 4;
    refused(&options, LRD_EMISMATCH, "shards 2, the options ask for 4");
    options = same, options.slots = 17;
    refused(&options, LRD_EMISMATCH, "slots 16, the options ask for 17");
    options = same, options.base = 0x560000000000;
    refused(&options, LRD_EMISMATCH, "base 0x5");
    options = same, options.fence = true;
    refused(&options, LRD_EMISMATCH, "fence mode off");
    options = same, options.value_abi = "php 8.4";
    refused(&options, LRD_EMISMATCH, "value ABI \"php 8.2\", this process has \"php 8.4\"");
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_FSCK(store);
    lrd_close(store);
}

/* With accept_abi, a host can open a store whose values another host has written. Without
 * accept_abi, the host replaces the file if no process uses the file. */
static void a_host_that_knows_other_abis_keeps_what_is_there(void **state)
{
    (void)state;
    lrd_options options = small_options(path);
    options.value_abi = "php 8.2";
    lrd_store *store;
    lrd_info info;
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    assert_string_equal(info.value_abi, "php 8.2");
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd_close(store);

    options.value_abi = "ruby";
    options.accept_abi = true;
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    assert_string_equal(info.value_abi, "php 8.2");
    assert_false(info.created);
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_OK);
    lrd_close(store);

    options.accept_abi = false;
    CHECK_OK(lrd_open(&options, &store));
    lrd_store_info(store, &info);
    assert_string_equal(info.value_abi, "ruby");
    CHECK_CODE(get_checked(store, "key", NULL, NULL), LRD_MISS);
    lrd_close(store);
}

/* ---- processes ---- */

static void a_taken_address_range_is_refused_by_name(void **state)
{
    (void)state;
    lrd_options options = small_options(path);
    options.base = 0x557000000000;
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    lrd_close(store);
    void *block = mmap((void *)(uintptr_t)(options.base + 65536), 4096, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(block == (void *)(uintptr_t)(options.base + 65536));
    refused(&options, LRD_EADDR, "0x557000000000-0x557000140000");
    options.base = 0;
    refused(&options, LRD_EADDR, "0x557000000000-0x557000140000");
    CHECK_OK(munmap(block, 4096));
    lrd_close(open_small(false));

    store = open_small(false);
    path_refused(LRD_EADDR, "0x557000000000-");
    lrd_close(store);
}

static uint64_t address_space_used(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm != NULL && fscanf(statm, "%lu", &pages) == 1);
    fclose(statm);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void open_with_limits(void *arg)
{
    (void)arg;
    lrd_options options = small_options(NULL);
    lrd_store *store = NULL;
    struct rlimit limit;
    bool control = false, data = false;
    options.size = 256 * MIB;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = address_space_used();
    for (int tries = 0; tries < 256 && store == NULL; tries++) {
        limit.rlim_cur += 16 * MIB;
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
        int code = lrd_open(&options, &store);
        if (code == LRD_OK)
            break;
        CHECK_CODE(code, LRD_EADDR);
        CHECK(strstr(lrd_error_detail(), " MiB of address space, this process may have ") != NULL);
        control |= strstr(lrd_error_detail(), ": mmap: ") != NULL;
        data |= strstr(lrd_error_detail(), ": 0x") != NULL;
    }
    CHECK(store != NULL && control && data);
    lrd_close(store);
}

static void a_limited_address_space_is_named(void **state)
{
    (void)state;
    /* Skip this test under a sanitizer. A sanitizer reserves terabytes, and may itself fail under
     * these limits. */
    if (address_space_used() > (uint64_t)1 << 40)
        skip();
    CHECK_CHILD(run_in_child(open_with_limits, NULL));
}

static void lose_and_wait(void *arg)
{
    /* gates[0]: the child has closed the file. gates[1]: the child may give up the file's lock.
     * gates[2]: the child has given up the lock. gates[3]: the child may end. */
    gate *gates = arg;
    lrd_store *store = open_small(false);
    struct flock unlock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_len = 1};
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    int fd = fcntl(store->fd, F_DUPFD_CLOEXEC, 200);
    for (int i = 3; i < 100; i++)
        close(i);
    gate_open(gates);
    gate_wait(gates + 1);
    CHECK_OK(fcntl(fd, F_OFD_SETLK, &unlock));
    gate_open(gates + 2);
    gate_wait(gates + 3);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
}

static void users_that_lost_the_file_or_its_lock_still_count(void **state)
{
    (void)state;
    gate *gates = shared_memory(4 * sizeof *gates);
    char text[64];
    lrd_options options = small_options(path);
    options.size = 2 * MIB;
    leave_segment();
    pid_t child = start_child(lose_and_wait, gates);
    gate_wait(gates);
    refused(&options, LRD_EMISMATCH, "size 1048576");
    gate_open(gates + 1);
    gate_wait(gates + 2);
    snprintf(text, sizeof text, "thread %d still uses it (slot %u)", (int)child, LRD__SLOTS_SPARE);
    path_refused(LRD_EMISMATCH, text);
    refused(&options, LRD_EMISMATCH, text);
    gate_open(gates + 3);
    CHECK_CHILD(wait_child(child));
    lrd_store *store = open_small(false);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    lrd_close(store);
}

static void use_without_membarrier(void *used)
{
    lrd_info info;
    deny_call(SYS_membarrier, EPERM);
    if (used != NULL) {
        path_refused(LRD_EBARRIER, "membarrier(2) is not available");
        return;
    }
    lrd_store *store = open_small(false);
    lrd_store_info(store, &info);
    CHECK(info.fence);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_OK(put_value(store, "other", 100, 1, LRD_SET, 0));
    lrd_close(store);
}

static void who_is_alone_without_membarrier_has_a_segment_in_fence_mode(void **state)
{
    (void)state;
    leave_segment();
    lrd_store *store = open_small(false);
    int status = run_in_child(use_without_membarrier, path);
    lrd_close(store);
    if (cannot(status, "no seccomp"))
        return;
    CHECK_CHILD(status);
    CHECK_CHILD(run_in_child(use_without_membarrier, NULL));
    CHECK_CHILD(run_in_child(use_without_membarrier, NULL));
    store = open_small(false);
    CHECK_OK(get_checked(store, "other", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void call_after_membarrier_was_denied(void *store)
{
    deny_call(SYS_membarrier, EPERM);
    CHECK_CODE(put_value(store, "new", 100, 1, LRD_SET, 0), LRD_ENOSLOT);
    CHECK(strstr(lrd_error_detail(), "membarrier(2)") != NULL);
}

static void read_what_a_barred_child_has(void *store)
{
    CHECK_CODE(lrd_has(store, "key", 3), LRD_ENOSLOT);
    CHECK_CODE(put_value(store, "new", 100, 1, LRD_SET, 0), LRD_ENOSLOT);
}

/* The child inherits a hold, so the fork gives the child a slot. The child cannot call
 * membarrier(2), so its calls must be refused. */
static void fork_after_membarrier_was_denied(void *store)
{
    lrd_value value;
    CHECK_OK(lrd_get(store, "key", 3, 0, &value));
    deny_call(SYS_membarrier, EPERM);
    CHECK_CHILD(run_in_child(read_what_a_barred_child_has, store));
    CHECK(value_valid(value.data, value.size, "key", 3));
}

static void a_process_that_lost_membarrier_gets_no_slot(void **state)
{
    (void)state;
    leave_segment();
    lrd_store *store = open_small(false);
    static const child_fn cases[] = {call_after_membarrier_was_denied,
                                     fork_after_membarrier_was_denied};
    for (int i = 0; i < 2; i++) {
        int status = run_in_child(cases[i], store);
        if (cannot(status, "no seccomp"))
            break;
        CHECK_CHILD(status);
    }
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void in_other_namespace(void (*fn)(void))
{
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0 ||
        mount("none", "/", "none", MS_REC | MS_PRIVATE, "") != 0)
        _exit(EXIT_CANNOT);
    pid_t child = fork();
    if (child == 0) {
        if (mount("proc", "/proc", "proc", 0, "") != 0)
            _exit(EXIT_CANNOT);
        fn();
        _exit(0);
    }
    int status = wait_child(child);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void expect_namespace_refusal(void) { path_refused(LRD_ENAMESPACE, "PID namespace"); }

static void adopt_and_write(void)
{
    lrd_store *store = open_small(false);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_OK(put_value(store, "inner", 100, 1, LRD_SET, 0));
    CHECK_OK(get_checked(store, "inner", NULL, NULL));
    lrd_close(store);
}

static void refuse_elsewhere(void *arg)
{
    (void)arg;
    in_other_namespace(expect_namespace_refusal);
}

static void adopt_elsewhere(void *arg)
{
    (void)arg;
    in_other_namespace(adopt_and_write);
}

static void processes_of_another_pid_namespace_are_refused_while_in_use(void **state)
{
    (void)state;
    lrd_store *store = open_small(true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    int status = run_in_child(refuse_elsewhere, NULL);
    lrd_close(store);
    if (cannot(status, "no right to make PID namespaces"))
        return;
    CHECK_CHILD(status);
    CHECK_CHILD(run_in_child(adopt_elsewhere, NULL));
    store = open_small(false);
    CHECK_OK(get_checked(store, "inner", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

static void refuse_at_another_time(void *arg)
{
    (void)arg;
    if (unshare(CLONE_NEWTIME) != 0)
        _exit(EXIT_CANNOT);
    pid_t child = fork();
    if (child == 0) {
        path_refused(LRD_ENAMESPACE, "time namespace");
        _exit(0);
    }
    int status = wait_child(child);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void processes_of_another_time_namespace_are_refused_while_in_use(void **state)
{
    (void)state;
    lrd_store *store = open_small(true);
    int status = run_in_child(refuse_at_another_time, NULL);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd_close(store);
    if (!cannot(status, "no right to make time namespaces"))
        CHECK_CHILD(status);
}

static void leave_segment_a_day_ahead(void *arg)
{
    (void)arg;
    if (unshare(CLONE_NEWTIME) != 0 ||
        !apart_write("/proc/self/timens_offsets", "monotonic 86400 0\nboottime 86400 0\n"))
        _exit(EXIT_CANNOT);
    pid_t child = fork();
    if (child == 0) {
        lrd_store *store = open_small(true);
        CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 1000));
        lrd_close(store);
        _exit(0);
    }
    int status = wait_child(child);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* In a time namespace with other clocks, an entry with a second to live could live for a day. So
 * another time namespace's segment is replaced. */
static void a_segment_of_another_time_namespace_is_created_again(void **state)
{
    (void)state;
    int status = run_in_child(leave_segment_a_day_ahead, NULL);
    if (cannot(status, "no right to make time namespaces"))
        return;
    CHECK_CHILD(status);
    lrd_options options = {.path = path, .open_only = true};
    refused(&options, LRD_EMISMATCH, "time namespace");
    lrd_store *store = open_small(true);
    CHECK_CODE(lrd_has(store, "key", 3), LRD_MISS);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    lrd_close(store);
    store = open_small(false);
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    lrd_close(store);
}

/* ---- descriptors ---- */

static void descriptor_refused(int fd, const lrd_options *options, int code, const char *text)
{
    lrd_store *store = NULL;
    CHECK_CODE(lrd_open_fd(fd, options, &store), code);
    CHECK(store == NULL);
    if (strstr(lrd_error_detail(), text) == NULL)
        check_failed(__FILE__, __LINE__, "\"%s\" does not say \"%s\"", lrd_error_detail(), text);
}

static void unusable_descriptors_are_refused(void **state)
{
    (void)state;
    int pipes[2];
    lrd_options options = small_options(NULL);
    descriptor_refused(-1, &options, LRD_EINVAL, "fd");
    descriptor_refused(9999, &options, LRD_EINVAL, "fd is 9999");
    CHECK_OK(pipe2(pipes, O_CLOEXEC));
    descriptor_refused(pipes[0], &options, LRD_EINVAL, "fd is");
    close(pipes[0]);
    close(pipes[1]);
    int device = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK(device >= 0);
    descriptor_refused(device, &options, LRD_EINVAL, "a device; it must be a memfd");
    close(device);

    write_file(path, "");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    descriptor_refused(fd, &options, LRD_EINVAL, "reading and writing");
    close(fd);
    fd = open(path, O_RDWR | O_PATH | O_CLOEXEC);
    descriptor_refused(fd, &options, LRD_EINVAL, "reading and writing");
    close(fd);
    options.path = path;
    fd = open(path, O_RDWR | O_CLOEXEC);
    descriptor_refused(fd, &options, LRD_EINVAL, "path");
    close(fd);
}

static void descriptors_of_other_content_or_settings_are_refused(void **state)
{
    (void)state;
    lrd_options options = small_options(NULL);
    lrd_store *store;
    write_file(path, "somebody's only copy of a thesis");
    int fd = open(path, O_RDWR | O_CLOEXEC);
    descriptor_refused(fd, &options, LRD_EFORMAT, "not a larder segment");
    check_file(path, "somebody's only copy of a thesis");
    close(fd);

    fd = memfd_create("test", MFD_CLOEXEC);
    CHECK_OK(lrd_open_fd(fd, &options, &store));
    options.size = 2 * MIB;
    descriptor_refused(fd, &options, LRD_EMISMATCH, "size 1048576, the options ask for 2097152");
    lrd_close(store);
    close(fd);
}

/* ---- room ---- */

static void mount_small(unsigned kib)
{
    char limit[32];
    snprintf(limit, sizeof limit, "size=%uk", kib);
    if (!apart_tmpfs_of(path, limit))
        _exit(EXIT_CANNOT);
}

static void create_where_control_does_not_fit(void *arg)
{
    (void)arg;
    mount_small(1024);
    lrd_options options = small_options(path);
    /* this store has the largest number of shards, so its control area is large */
    options.size = 1ull << 31;
    refused(&options, LRD_ENOSPC, "the file system has 1 MiB");
    CHECK(access(path, F_OK) != 0);
    options.size = MIB;
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    lrd_close(store);
}

/* On a tmpfs of 8 MiB, only `left` more files can be created, but a store needs two. Check that the
 * store is refused. Then remove a file and try again. */
static void create_without_inodes(unsigned left, const char *detail)
{
    char limit[48], other[300];
    lrd_options options = small_options(path);
    snprintf(limit, sizeof limit, "size=8m,nr_inodes=%u", left + 2);
    if (!apart_tmpfs_of(path, limit))
        _exit(EXIT_CANNOT);
    snprintf(other, sizeof other, "%s.other", path);
    write_file(other, "a file that takes an inode");
    refused(&options, LRD_ESYS, detail);
    CHECK(access(path, F_OK) != 0);
    CHECK_OK(unlink(other));
    lrd_store *store;
    int code = lrd_open(&options, &store);
    if (left == 0) { /* only one more file can be created */
        CHECK_CODE(code, LRD_ESYS);
        return;
    }
    CHECK_OK(code);
    lrd_close(store);
}

static void create_without_an_inode(void *arg)
{
    (void)arg;
    create_without_inodes(0, "cannot make its .lock file: all 2 inodes of the file system are in "
                             "use (df -i): remove files there, or choose another");
}

static void create_with_one_inode(void *arg)
{
    (void)arg;
    create_without_inodes(1, "cannot be made: all 3 inodes of the file system are in use (df -i)");
}

static void used_up_inodes_are_named(void **state)
{
    (void)state;
    static const child_fn cases[] = {create_without_an_inode, create_with_one_inode};
    for (int i = 0; i < 2; i++) {
        int status = run_in_child(cases[i], NULL);
        if (cannot(status, "no right to mount"))
            return;
        CHECK_CHILD(status);
    }
}

static void fill_where_data_does_not_fit(void *arg)
{
    (void)arg;
    mount_small(8192);
    lrd_options options = small_options(path);
    lrd_store *store;
    char key[32];
    int code = LRD_OK;
    options.size = 16 * MIB;
    options.policy = LRD_PINNED;
    CHECK_OK(lrd_open(&options, &store));
    unsigned stored = 0;
    while (code == LRD_OK && stored < 1000) {
        snprintf(key, sizeof key, "%u", stored);
        code = put_value(store, key, 100000, stored, LRD_SET, 0);
        stored += code == LRD_OK;
    }
    CHECK_CODE(code, LRD_ENOSPC);
    CHECK(strstr(lrd_error_detail(), "the file system has 8 MiB") != NULL);
    CHECK(stored > 20);
    for (unsigned i = 0; i < stored; i++) {
        snprintf(key, sizeof key, "%u", i);
        CHECK_OK(get_checked(store, key, NULL, NULL));
    }
    CHECK_FSCK(store);
    for (unsigned i = 0; i < stored; i++) {
        snprintf(key, sizeof key, "%u", i);
        CHECK_OK(lrd_delete(store, key, strlen(key)));
    }
    CHECK_OK(lrd_sweep(store, NULL));
    for (unsigned i = 0; i < stored / 2; i++) {
        snprintf(key, sizeof key, "%u", i);
        CHECK_OK(put_value(store, key, 100000, i, LRD_SET, 0));
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

/* Fill a pinned store of 9 MiB, on a tmpfs of `kib` KiB, until a put is refused. Returns the code,
 * and sets *needed to the MiB that the error asks for. */
static int fill_until_refused(unsigned kib, unsigned *needed)
{
    mount_small(kib);
    lrd_options options = small_options(path);
    lrd_store *store;
    char key[32];
    int code = LRD_OK;
    options.size = 9 * MIB;
    options.policy = LRD_PINNED;
    CHECK_OK(lrd_open(&options, &store));
    CHECK(store->geo.file_size % MIB != 0);
    for (unsigned i = 0; code == LRD_OK; i++) {
        snprintf(key, sizeof key, "%u", i);
        code = put_value(store, key, 10000, i, LRD_SET, 0);
    }
    const char *needs = strstr(lrd_error_detail(), "the segment takes ");
    if (code == LRD_ENOSPC) {
        CHECK(needs != NULL && sscanf(needs, "the segment takes %u MiB", needed) == 1);
        CHECK_EQ(*needed, store->geo.file_size / MIB + 1);
    }
    lrd_close(store);
    return code;
}

static void fill_where_the_needed_size_is_there(void *arg)
{
    (void)arg;
    unsigned needed = 0;
    CHECK_CODE(fill_until_refused(8192, &needed), LRD_ENOSPC);
    CHECK_CODE(fill_until_refused(needed << 10, &needed), LRD_ENOROOM);
}

static void adopt_a_sparse_copy_where_nothing_fits(void *arg)
{
    (void)arg;
    mount_small(3072);
    lrd_options options = small_options(path);
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    uint64_t control = store->geo.control_size;
    lrd_close(store);
    /* Make a hole in the control area that the full file system cannot fill. */
    int fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK_OK(
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, (off_t)control - 4096));
    close(fd);
    char filler[300];
    snprintf(filler, sizeof filler, "%s-filler", path);
    fd = open(filler, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    for (off_t at = 0; fallocate(fd, 0, at, 4096) == 0; at += 4096)
        continue;
    refused(&options, LRD_ENOSPC, "the file system has 3 MiB");
    close(fd);
}

static void full_file_systems_are_errors_that_say_so(void **state)
{
    (void)state;
    static const child_fn cases[] = {
        create_where_control_does_not_fit, fill_where_data_does_not_fit,
        fill_where_the_needed_size_is_there, adopt_a_sparse_copy_where_nothing_fits};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = run_in_child(cases[i], NULL);
        if (cannot(status, "no right to mount"))
            return;
        CHECK_CHILD(status);
    }
}

static void open_under_a_file_size_limit(void *arg)
{
    (void)arg;
    struct rlimit limit = {.rlim_cur = 1000 << 10, .rlim_max = 1000 << 10};
    CHECK_OK(setrlimit(RLIMIT_FSIZE, &limit));
    lrd_options options = small_options(path);
    refused(&options, LRD_EFILESIZE, "(ulimit -f) is 1000 KiB: raise it");
    options.path = NULL;
    refused(&options, LRD_EFILESIZE, "(ulimit -f) is 1000 KiB: raise it");
}

static void open_without_fallocate(void *error)
{
    char text[200]; /* the text of an error depends on the C library */
    bool unsupported = *(const unsigned *)error == EOPNOTSUPP;
    snprintf(text, sizeof text, "fallocate: %s; %s", strerror((int)*(const unsigned *)error),
             unsupported ? "this file system has no such call: choose"
                         : "where a seccomp profile denies the call, allow it");
    lrd_options options = small_options(NULL);
    deny_call(SYS_fallocate, *(const unsigned *)error);
    refused(&options, LRD_ESYS, text);
}

static void a_call_that_is_missing_is_named_with_the_remedy(void **state)
{
    (void)state;
    static unsigned errors[] = {ENOSYS, EOPNOTSUPP};
    for (int i = 0; i < 2; i++) {
        int status = run_in_child(open_without_fallocate, errors + i);
        if (cannot(status, "no seccomp"))
            return;
        CHECK_CHILD(status);
    }
}

static void a_file_size_limit_is_an_error_not_a_signal(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(open_under_a_file_size_limit, NULL));
}

static void write_after_truncation(void *arg)
{
    (void)arg;
    lrd_store *store = open_small(true);
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    CHECK_OK(truncate(path, (off_t)store->geo.data_at + 65536));
    CHECK_CODE(lrd__segment_check(store), LRD_ETRUNCATED);
    CHECK_CODE(lrd__segment_commit(store, 0, 65536), LRD_ETRUNCATED);
    CHECK_CODE(lrd__segment_commit_slots(store, 1, 1), LRD_ETRUNCATED);
    CHECK_CODE(put_value(store, "large", 300000, 1, LRD_SET, 0), LRD_ETRUNCATED);
    CHECK(strstr(lrd_error_detail(), path) != NULL);
    lrd_close(store);
}

static void truncation_while_attached_is_an_error_of_the_next_write(void **state)
{
    (void)state;
    CHECK_CHILD(run_in_child(write_after_truncation, NULL));
}

static void a_descriptor_closed_by_the_host_is_noticed(void **state)
{
    (void)state;
    lrd_store *store = open_small(true);
    int old = store->fd, other;
    char text[300];
    snprintf(text, sizeof text, "%s-other", path);
    write_file(text, "");
    other = open(text, O_RDWR | O_CLOEXEC);
    int kept = fcntl(old, F_DUPFD_CLOEXEC, 100);
    CHECK(dup2(other, old) == old);
    CHECK_CODE(lrd__segment_commit(store, 0, 65536), LRD_ESYS);
    CHECK(strstr(lrd_error_detail(), "was closed") != NULL);
    check_file(text, "");
    close(old);
    CHECK_CODE(lrd__segment_commit(store, 0, 65536), LRD_ESYS);
    CHECK(dup2(kept, old) == old);
    CHECK_OK(lrd__segment_commit(store, 0, 65536));
    close(kept);
    close(other);
    lrd_close(store);
}

static void a_descriptor_of_the_host_at_that_number_is_left_alone(void **state)
{
    (void)state;
    struct stat file;
    char text[300];
    static char bytes[65536];
    lrd_store *store = open_small(true);
    off_t at = (off_t)store->geo.data_at;
    int number = store->fd;
    snprintf(text, sizeof text, "%s-other", path);
    write_file(text, "");
    int other = open(text, O_RDWR | O_CLOEXEC);
    memset(bytes, 'b', sizeof bytes);
    CHECK(pwrite(other, bytes, sizeof bytes, at) == (ssize_t)sizeof bytes);
    CHECK(dup2(other, number) == number);
    CHECK_CODE(lrd__segment_punch(store, 0, sizeof bytes), LRD_ESYS);
    CHECK(pread(other, bytes, sizeof bytes, at) == (ssize_t)sizeof bytes);
    CHECK(bytes[0] == 'b');
    lrd_close(store);
    CHECK(fstat(number, &file) == 0);
    close(number);
    close(other);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh_path)
    const struct CMUnitTest tests[] = {
        TEST(symbolic_links_are_refused),
        TEST(directories_fifos_and_sockets_are_refused),
        TEST(modes_other_than_0600_are_refused),
        TEST(files_of_other_users_are_refused),
        TEST(files_with_a_second_name_are_refused),
        TEST(unusable_paths_are_refused),
        TEST(a_relative_path_needs_a_folder),
        TEST(an_opener_waits_for_another_one),
        TEST(openers_that_are_stopped_are_waited_for_once),
        TEST(an_unfit_segment_that_others_replaced_is_not_removed),
        TEST(an_anonymous_store_needs_memfd_create),
        TEST(files_that_are_not_ours_are_refused_and_left_alone),
        TEST(truncated_files_are_refused_in_use_and_else_made_anew),
        TEST(headers_that_differ_are_refused_in_use_and_else_made_anew),
        TEST(copies_are_not_used),
        TEST(a_copy_of_what_is_in_use_is_made_anew),
        TEST(other_settings_are_refused_while_in_use),
        TEST(a_host_that_knows_other_abis_keeps_what_is_there),
        TEST(a_taken_address_range_is_refused_by_name),
        TEST(a_limited_address_space_is_named),
        TEST(users_that_lost_the_file_or_its_lock_still_count),
        TEST(who_is_alone_without_membarrier_has_a_segment_in_fence_mode),
        TEST(a_process_that_lost_membarrier_gets_no_slot),
        TEST(processes_of_another_pid_namespace_are_refused_while_in_use),
        TEST(processes_of_another_time_namespace_are_refused_while_in_use),
        TEST(a_segment_of_another_time_namespace_is_created_again),
        TEST(unusable_descriptors_are_refused),
        TEST(descriptors_of_other_content_or_settings_are_refused),
        TEST(full_file_systems_are_errors_that_say_so),
        TEST(used_up_inodes_are_named),
        TEST(a_call_that_is_missing_is_named_with_the_remedy),
        TEST(a_file_size_limit_is_an_error_not_a_signal),
        TEST(truncation_while_attached_is_an_error_of_the_next_write),
        TEST(a_descriptor_closed_by_the_host_is_noticed),
        TEST(a_descriptor_of_the_host_at_that_number_is_left_alone),
    };
#undef TEST
    return cmocka_run_group_tests_name("segment refusals", tests, NULL, NULL);
}
