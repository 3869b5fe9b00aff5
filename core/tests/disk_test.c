/* disk_test.c - stores in a file on a disk. A write to mapped memory must not fail because the disk
 * is full. The kernel allocates disk space for whole folios (groups of pages), so the core commits
 * parts as large as the largest folio (map.c). */
#include "apart.h"
#include "forbid.h"
#include "support.h"

#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)

static const char *path;

static uint64_t bytes_of(const char *name)
{
    struct stat file;
    CHECK(stat(name, &file) == 0);
    return (uint64_t)file.st_blocks * 512;
}

/* Return true if a number of bytes of disk space consists of whole folios. Only the file's last
 * folio may be smaller. */
static bool has_whole_parts(const lrd_store *store, uint64_t bytes)
{
    return bytes % store->folio == 0 ||
           (bytes - store->geo.file_size % store->folio) % store->folio == 0;
}

static void adopt_below_the_limit_of_files(void *arg)
{
    const lrd_options *options = arg;
    struct rlimit limit = {1 * MIB, 1 * MIB};
    lrd_store *store;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK_CODE(lrd_open(options, &store), LRD_EFILESIZE);
    CHECK(strstr(lrd_error_detail(), "(ulimit -f) is 1024 KiB: raise it") != NULL);
}

/* If other data shares the folio of a bucket, an adopter clears the bucket with write(). A write
 * above RLIMIT_FSIZE would kill the adopter. */
static void an_adopter_that_may_not_write_large_files_is_refused(void **state)
{
    (void)state;
    path = temp_path("limit");
    lrd__test_disk = true;
    lrd_options options = {.size = 32 * MIB, .slots = 16, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(put_value(store, "key", 100, 1, LRD_SET, 0));
    off_t at = (off_t)store->geo.links_at - 4096; /* here lie buckets that the store does not use */
    lrd_close(store);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK(pwrite(fd, "grown", 5, at) == 5);
    close(fd);
    CHECK_CHILD(run_in_child(adopt_below_the_limit_of_files, &options));
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
    unlink(path);
    lrd__test_disk = false;
}

static void memory_is_taken_in_parts_as_large_as_a_folio(void **state)
{
    (void)state;
    path = temp_path("parts");
    lrd__test_disk = true;
    lrd_options options = {.size = 32 * MIB, .slots = 16, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK(store->folio > 4096);
    CHECK(has_whole_parts(store, bytes_of(path)));
    for (unsigned i = 0; i < 300; i++) {
        char key[16];
        snprintf(key, sizeof key, "%u", i);
        CHECK_OK(put_value(store, key, 40 + i * 200, i, LRD_SET, i % 2 * 60000));
    }
    uint64_t full = bytes_of(path), at = store->geo.data_at + 64 * 1024;
    CHECK(has_whole_parts(store, full));
    CHECK_EQ(lrd__segment_punch(store, 0, LRD__PAGE), LRD_ENOSPC);
    CHECK_EQ(bytes_of(path), full);

    lrd_close(store);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK_OK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, 4096));
    close(fd);
    CHECK_EQ(bytes_of(path), full - 4096);
    CHECK_OK(lrd_open(&options, &store));
    CHECK(!store->created);
    CHECK(has_whole_parts(store, bytes_of(path)));
    lrd_close(store);
    lrd__test_disk = false;
}

static void write_where_pages_cannot_be_touched(void *arg)
{
    (void)arg;
    lrd_options options = {.size = 16 * MIB, .slots = 16, .shards = 1, .policy = LRD_PINNED};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(put_value(store, "before", 100, 1, LRD_SET, 0));
    /* Only MADV_POPULATE_WRITE (23) must fail: the other advices of the core have even numbers. */
    if (!forbid_call(SYS_madvise, 2, 1, EFAULT))
        _exit(EXIT_CANNOT);
    CHECK_CODE(put_value(store, "new", 5000, 2, LRD_SET, 0), LRD_ENOSPC);
    CHECK_EQ(stats_of(store).refused_by[LRD_REFUSED_FILE_SYSTEM], 1);
    CHECK_OK(get_checked(store, "before", NULL, NULL));
    CHECK_FSCK(store);
    lrd_close(store);
}

static void a_page_that_cannot_be_touched_is_no_memory(void **state)
{
    (void)state;
#if !defined(MADV_POPULATE_WRITE) || defined(LRD_SINGLE_ALIAS)
    skip_test("pages are not touched by a call here");
#endif
    CHECK_CHILD_OR_SKIP(run_in_child(write_where_pages_cannot_be_touched, NULL),
                        "no seccomp filters");
}

/* ---- file systems ---- */

typedef struct disk {
    const char *type, *make;
    unsigned mib;
} disk;

/* Format an image file and mount it over the folder of `path`, for this process alone. */
static void mount_disk(const disk *disk)
{
    char folder[256], command[1500];
    if (!apart_tmpfs_of(path, "size=500m"))
        _exit(EXIT_CANNOT);
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    snprintf(command, sizeof command,
             "exec >/dev/null 2>&1; PATH=$PATH:/usr/sbin:/sbin; truncate -s %uM %s/image && "
             "mkfs.%s %s %s/image && mount -t %s -o loop %s/image %s",
             disk->mib, folder, disk->type, disk->make, folder, disk->type, folder, folder);
    if (system(command) != 0)
        _exit(EXIT_CANNOT);
}

/* Fill the file system until only `mib` MiB are free. */
static void fill_disk(unsigned mib)
{
    static char block[256 << 10];
    char name[300];
    snprintf(name, sizeof name, "%s-filler-%u", path, mib);
    int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    for (size_t bytes = sizeof block; bytes >= 512; bytes /= 2)
        while (write(fd, block, bytes) > 0)
            continue;
    CHECK_OK(fsync(fd));
    struct stat file;
    CHECK_OK(fstat(fd, &file));
    CHECK_OK(ftruncate(fd, file.st_size - (off_t)mib * MIB));
    CHECK_OK(fsync(fd));
    close(fd);
}

/* Write all pages to the disk, drop them, and read the file in order, so that the kernel reads it
 * in large folios. */
static void read_and_write_back(int fd)
{
    static uint8_t block[256 << 10];
    CHECK_OK(fsync(fd));
    CHECK_OK(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
    for (off_t at = 0; pread(fd, block, sizeof block, at) > 0;)
        at += (off_t)sizeof block;
}

static void store_on_a_full_disk(void *arg)
{
    enum { PUTS = 6000, KEYS = 400 };
    mount_disk(arg);
    fill_disk(20);
    lrd_options options = {.path = path};
    lrd_store *store;
    unsigned stored = 0;
    char key[16];
    CHECK_OK(lrd_open(&options, &store));
    for (unsigned i = 0; i < PUTS; i++) {
        snprintf(key, sizeof key, "%u", i * 7919 % KEYS);
        int code = put_value(store, key, 1000 + i * 104729 % 59000, i, LRD_SET, i % 2 * 60000);
        CHECK(code == LRD_OK || code == LRD_ENOSPC);
        stored += code == LRD_OK;
        if (i == KEYS / 4)
            fill_disk(0);
        if (i % 500 == 0)
            read_and_write_back(store->fd);
    }
    print_message("%s: %u of %u values stored\n", ((const disk *)arg)->type, stored, PUTS);
    /* Most puts succeed, because evictions free memory that the store has already. */
    CHECK(stored > PUTS * 9 / 10);
    CHECK_EQ(stats_of(store).refused_by[LRD_REFUSED_FILE_SYSTEM], PUTS - stored);
    CHECK_FSCK(store);
    lrd_close(store);
    CHECK_OK(lrd_open(&options, &store));
    CHECK(!store->created);
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "%u", i);
        int code = get_checked(store, key, NULL, NULL);
        CHECK(code == LRD_OK || code == LRD_MISS);
    }
    CHECK_FSCK(store);
    lrd_close(store);
}

static void write_to_committed_pages(void *arg)
{
    mount_disk(arg);
    fill_disk(24);
    lrd_options options = {.path = path, .policy = LRD_PINNED};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(lrd__segment_commit(store, 0, LRD__PAGE));
    uint64_t end = LRD__PAGE;
    for (uint64_t at = 3 * LRD__PAGE; at < 8 * MIB; at += 3 * LRD__PAGE)
        if (lrd__segment_commit(store, at, LRD__PAGE) == LRD_OK)
            end = at + LRD__PAGE;
    fill_disk(0);
    for (int round = 0; round < 3; round++) {
        read_and_write_back(store->fd);
        for (uint64_t at = 0; at < end; at += 3 * LRD__PAGE)
            memset(store->window + at, round + 1, LRD__PAGE);
    }
    lrd_close(store);
}

static void refuse_a_disk_that_copies(void *arg)
{
    mount_disk(arg);
    lrd_options options = {.path = path};
    lrd_store *store;
    CHECK_CODE(lrd_open(&options, &store), LRD_ESYS);
    CHECK(strstr(lrd_error_detail(), "is on Btrfs, which cannot promise room") != NULL);
    CHECK(access(path, F_OK) != 0);
}

static void check_disk(void (*function)(void *), disk *disk)
{
    path = temp_path("store");
    CHECK_CHILD_OR_SKIP(run_in_child(function, disk),
                        "no right to mount, no loop device, or no such mkfs");
}

static void a_full_ext4_is_an_error_of_a_write(void **state)
{
    (void)state;
    check_disk(store_on_a_full_disk, &(disk){"ext4", "-q -b 4096", 64});
}

static void a_full_ext4_with_small_blocks_is_an_error_of_a_write(void **state)
{
    (void)state;
    check_disk(store_on_a_full_disk, &(disk){"ext4", "-q -b 1024", 64});
}

static void what_is_committed_can_be_written_on_a_full_ext4(void **state)
{
    (void)state;
    check_disk(write_to_committed_pages, &(disk){"ext4", "-q -b 4096", 64});
}

static void what_is_committed_can_be_written_on_a_full_xfs(void **state)
{
    (void)state;
    check_disk(write_to_committed_pages, &(disk){"xfs", "-q", 320});
}

static void a_full_xfs_is_an_error_of_a_write(void **state)
{
    (void)state;
    check_disk(store_on_a_full_disk, &(disk){"xfs", "-q", 320});
}

static void btrfs_is_refused(void **state)
{
    (void)state;
    check_disk(refuse_a_disk_that_copies, &(disk){"btrfs", "-q", 120});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_adopter_that_may_not_write_large_files_is_refused),
        cmocka_unit_test(memory_is_taken_in_parts_as_large_as_a_folio),
        cmocka_unit_test(a_page_that_cannot_be_touched_is_no_memory),
        cmocka_unit_test(a_full_ext4_is_an_error_of_a_write),
        cmocka_unit_test(a_full_ext4_with_small_blocks_is_an_error_of_a_write),
        cmocka_unit_test(a_full_xfs_is_an_error_of_a_write),
        cmocka_unit_test(what_is_committed_can_be_written_on_a_full_ext4),
        cmocka_unit_test(what_is_committed_can_be_written_on_a_full_xfs),
        cmocka_unit_test(btrfs_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
