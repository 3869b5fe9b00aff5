/* cmocka.h - the part of cmocka that the core's tests use, for targets without its library. Prints
 * TAP. The environment variable LEFT_OUT names tests to skip. */
#ifndef LRD_TESTS_CROSS_CMOCKA_H
#define LRD_TESTS_CROSS_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    CMFixtureFunction setup, teardown;
};
#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL                                                                          \
    }
#define cmocka_unit_test_setup(f, setup)                                                           \
    {                                                                                              \
#f, f, setup, NULL                                                                         \
    }
#define cmocka_unit_test_teardown(f, teardown)                                                     \
    {                                                                                              \
#f, f, NULL, teardown                                                                      \
    }
#define cmocka_unit_test_setup_teardown(f, setup, teardown)                                        \
    {                                                                                              \
#f, f, setup, teardown                                                                     \
    }

enum { CROSS_PASSED, CROSS_FAILED, CROSS_SKIPPED };
extern jmp_buf cross_out; /* cross.c */

#define print_message(...) ((void)fprintf(stderr, __VA_ARGS__))
#define print_error(...) ((void)fprintf(stderr, __VA_ARGS__))
#define skip() longjmp(cross_out, CROSS_SKIPPED)
_Noreturn void _fail(const char *file, int line);
#define fail() _fail(__FILE__, __LINE__)
#define fail_msg(...) (print_error(__VA_ARGS__), fail())
#define assert_true(c) ((c) ? (void)0 : fail_msg("not true: %s\n", #c))
#define assert_false(c) assert_true(!(c))
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)
#define assert_memory_equal(a, b, n) assert_true(memcmp((a), (b), (n)) == 0)

void cmocka_set_test_filter(const char *pattern); /* skips the tests that do not match */
int cross_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown);
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    cross_run(tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                  \
    cmocka_run_group_tests(tests, setup, teardown)

#endif
