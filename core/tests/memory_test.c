/* memory_test.c - a size that the machine can never have is refused before anything is taken; one that fits only in part
 * is made, says so, and works. */
#include "support.h"

#include "internal.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1u << 20)
#define EXIT_CANNOT 77

static const char *path;

static void check_refused(uint64_t size, const char *named)
{
    lrd_options options = {.size = size, .path = named};
    lrd_store *store = (lrd_store *)1;
    char wanted[40];
    snprintf(wanted, sizeof wanted, "store of %llu MiB", (unsigned long long)(size / MIB));
    CHECK_CODE(lrd_open(&options, &store), LRD_ENOSPC);
    CHECK(store == NULL);
    if (strstr(lrd_error_detail(), wanted) == NULL)
        check_failed(__FILE__, __LINE__, "\"%s\" does not name %s", lrd_error_detail(), wanted);
    CHECK(strstr(lrd_error_detail(), "this machine has") != NULL ||
          strstr(lrd_error_detail(), "of this cgroup") != NULL);
    CHECK(named == NULL || access(named, F_OK) != 0);
}

static void a_size_that_the_machine_can_never_have_is_refused(void **state)
{
    (void)state;
    path = temp_path("memory");
    lrd__test_memory = 1000ull * MIB;
    for (int named = 0; named < 2; named++) {
        check_refused(200ull << 30, named ? path : NULL);
        CHECK(strstr(lrd_error_detail(), "1000 MiB") != NULL);
        check_refused(1ull << 40, named ? path : NULL);
        check_refused(1001ull * MIB, named ? path : NULL);
    }
    lrd_options options = {.size = 900ull * MIB, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK(stats_of(store).page_bytes == 0);
    lrd_close(store);
    unlink(path);
    lrd__test_memory = 0;
}

static void open_on_a_small_file_system(void *unused)
{
    (void)unused;
    char directory[256], key[32];
    snprintf(directory, sizeof directory, "%s", path);
    *strrchr(directory, '/') = 0;
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, "") != 0 ||
        mount("tmpfs", directory, "tmpfs", 0, "size=10m") != 0)
        _exit(EXIT_CANNOT);
    lrd_options options = {.size = 16 * MIB, .path = path};
    lrd_store *store;
    CHECK_OK(lrd_open(&options, &store));
    CHECK(strstr(lrd_store_warning(store), "a store of 16 MiB on a file system of 10 MiB") != NULL);
    for (unsigned i = 0; i < 40000; i++) {
        snprintf(key, sizeof key, "key %u", i);
        CHECK_OK(put_value(store, key, 100 + i % 3000, i, LRD_SET, i % 2 * 60000));
        CHECK_OK(get_checked(store, key, NULL, NULL));
    }
    CHECK(stats_of(store).evicted > 0);
    CHECK(stats_of(store).memory_short > 0);
    CHECK_EQ(stats_of(store).refused, 0);
    CHECK(stats_of(store).live_bytes > 4 * MIB);
    CHECK_FSCK(store);
    lrd_close(store);
    CHECK_OK(lrd_open(&options, &store)); /* who only attaches has nothing to warn of */
    CHECK_EQ(lrd_store_warning(store)[0], 0);
    lrd_close(store);
}

static void a_file_system_that_is_too_small_is_warned_of_and_used(void **state)
{
    (void)state;
    path = temp_path("memory");
    int status = run_in_child(open_on_a_small_file_system, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CANNOT)
        skip_test("no right to mount");
    CHECK_CHILD(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_that_the_machine_can_never_have_is_refused),
        cmocka_unit_test(a_file_system_that_is_too_small_is_warned_of_and_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
