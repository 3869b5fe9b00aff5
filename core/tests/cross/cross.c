/* cross.c - runs the tests of a program (see cmocka.h). */
#include <cmocka.h>
#include <fnmatch.h>
#include <stdbool.h>

jmp_buf cross_out;
static const char *cross_filter = "*";

void cmocka_set_test_filter(const char *pattern) { cross_filter = pattern; }

_Noreturn void _fail(const char *file, int line)
{
    fprintf(stderr, "%s:%d: failed\n", file, line);
    longjmp(cross_out, CROSS_FAILED);
}

static int cross_one(const struct CMUnitTest *test, void **state)
{
    volatile int how = setjmp(cross_out);
    if (how != CROSS_PASSED)
        return how;
    if (test->setup != NULL && test->setup(state) != 0)
        return CROSS_FAILED;
    test->test(state);
    return CROSS_PASSED;
}

/* True if the name is one of the words in `names`. */
static int cross_named(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return 1;
    return 0;
}

int cross_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown)
{
    void *state = NULL;
    const char *left_out = getenv("LEFT_OUT") != NULL ? getenv("LEFT_OUT") : "";
    int failed = 0;
    /* print the results so far even if the program is killed */
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("1..%zu\n", count);
    if (setup != NULL && setup(&state) != 0)
        return 1;
    for (size_t i = 0; i < count; i++) {
        bool wanted =
            fnmatch(cross_filter, tests[i].name, 0) == 0 && !cross_named(left_out, tests[i].name);
        int how = wanted ? cross_one(tests + i, &state) : CROSS_SKIPPED;
        if (tests[i].teardown != NULL)
            tests[i].teardown(&state);
        failed += how == CROSS_FAILED;
        printf("%sok %zu %s %s\n", how == CROSS_PASSED ? "" : "not ", i + 1,
               how == CROSS_SKIPPED ? "# SKIP" : "-", tests[i].name);
    }
    if (teardown != NULL)
        teardown(&state);
    return failed;
}
