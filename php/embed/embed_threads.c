/* embed_threads.c - tests a server whose threads run PHP requests (request.php) side by side in one
 * process. A thread ends after some requests, and another one takes its place. The test fails if a
 * value was wrong, a request did not end as it had announced, a thread hangs, or the totals are
 * wrong.
 *   embed_threads [--threads N] [--seconds S] [--control] [--sapi NAME] [-d NAME=VALUE]... FOLDER
 * FOLDER has request.php and totals.php. --control: the script stores some bad values, so the test
 * must fail. Begin reading at main(), then read serve(). */
#include "php.h"
#include "php_embed.h"
#include "php_main.h"
#include "php_variables.h"
#include "zend_exceptions.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#ifndef ZTS
#error "threads need a thread-safe PHP"
#endif

#define THREADS_MAX 64
#define REQUESTS_PER_THREAD 40
/* a request that takes more seconds counts as hanging; it may call remember() many times, and each
 * call may wait 10 seconds */
#define HANG_SECONDS 300
#define PLACES 8
#define REPORTS_MAX 10

static struct options {
    unsigned threads, seconds;
    bool control;
    char ini[8192];
    char request[PATH_MAX + 16], totals[PATH_MAX + 16];
} options = {.threads = 8, .seconds = 10};

/* What host_count() counts. */
static struct counter {
    const char *name;
    atomic_llong count;
} counters[] = {
    {.name = "hits"},
    {.name = "misses"},
    {.name = "values held"},
    {.name = "increments"},
    {.name = "guarded"},
    {.name = "computed"},
    {.name = "computed together"},
    {.name = "writes refused"},
    {.name = "session visits"},
    {.name = "sessions left open"},
    {.name = NULL},
};

enum ending { ENDS_NORMALLY, ENDS_BY_EXIT, ENDS_BY_EXCEPTION, ENDS_BY_FATAL, ENDINGS };
static const char *const ending_names[ENDINGS] = {"normal", "exit", "exception", "fatal"};
static const int ending_status[ENDINGS] = {0, 3, 255, 255};
static atomic_llong ended[ENDINGS];

static atomic_llong wrong, threads_started;
static atomic_int inside[PLACES];
static atomic_bool stop;
static _Atomic time_t busy_since[THREADS_MAX]; /* 0 while the thread runs no request */
static _Thread_local enum ending announced;

static void report(const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 1, 2);
static void report(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (atomic_fetch_add(&wrong, 1) >= REPORTS_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "WRONG  %s\n", text);
}

/* ---- functions of the script ---- */

ZEND_BEGIN_ARG_INFO_EX(arginfo_any, 0, 0, 0)
ZEND_ARG_VARIADIC_INFO(0, arguments)
ZEND_END_ARG_INFO
()

    static PHP_FUNCTION(host_wrong)
{
    char *what;
    size_t length;
    if (zend_parse_parameters(ZEND_NUM_ARGS(), "s", &what, &length) == SUCCESS)
        report("%s", what);
}

static PHP_FUNCTION(host_ending)
{
    char *name;
    size_t length;
    if (zend_parse_parameters(ZEND_NUM_ARGS(), "s", &name, &length) == FAILURE)
        return;
    for (int i = 0; i < ENDINGS; i++)
        if (strcmp(name, ending_names[i]) == 0)
            announced = (enum ending)i;
}

static struct counter *find_counter(const char *name)
{
    for (struct counter *counter = counters; counter->name != NULL; counter++)
        if (strcmp(counter->name, name) == 0)
            return counter;
    report("no counter \"%s\"", name);
    return NULL;
}

static PHP_FUNCTION(host_count)
{
    char *name;
    size_t length;
    zend_long number = 1;
    if (zend_parse_parameters(ZEND_NUM_ARGS(), "s|l", &name, &length, &number) == FAILURE)
        return;
    struct counter *counter = find_counter(name);
    if (counter != NULL)
        atomic_fetch_add(&counter->count, number);
}

static PHP_FUNCTION(host_total)
{
    char *name;
    size_t length;
    if (zend_parse_parameters(ZEND_NUM_ARGS(), "s", &name, &length) == FAILURE)
        return;
    struct counter *counter = find_counter(name);
    RETURN_LONG(counter != NULL ? atomic_load(&counter->count) : -1);
}

/* host_enter($place) - a thread calls this when it enters part number $place of the script. Returns
 * how many other threads are in this part. */
static PHP_FUNCTION(host_enter)
{
    zend_long place;
    if (zend_parse_parameters(ZEND_NUM_ARGS(), "l", &place) == SUCCESS)
        RETURN_LONG(atomic_fetch_add(&inside[place % PLACES], 1));
}

static PHP_FUNCTION(host_leave)
{
    zend_long place;
    if (zend_parse_parameters(ZEND_NUM_ARGS(), "l", &place) == SUCCESS)
        atomic_fetch_sub(&inside[place % PLACES], 1);
}

static PHP_FUNCTION(host_control) { RETURN_BOOL(options.control); }

static PHP_FUNCTION(host_threads) { RETURN_LONG(options.threads); }

static const zend_function_entry functions[] = {
    ZEND_FE(host_wrong, arginfo_any) ZEND_FE(host_ending, arginfo_any)
        ZEND_FE(host_count, arginfo_any) ZEND_FE(host_total, arginfo_any)
            ZEND_FE(host_enter, arginfo_any) ZEND_FE(host_leave, arginfo_any)
                ZEND_FE(host_control, arginfo_any) ZEND_FE(host_threads, arginfo_any) ZEND_FE_END};

/* ---- requests ---- */

static size_t discard(const char *text, size_t length) { return length; }

/* Run a file as a request. Report an error if it does not end as the script has announced by
 * host_ending(). */
static void serve(const char *path)
{
    zend_file_handle file;
    int status = -1;
    char message[300] = "";
    announced = ENDS_NORMALLY;
    if (php_request_startup() == FAILURE) {
        report("a request could not start");
        return;
    }
    SG(headers_sent) = 1;
    SG(request_info).no_headers = 1;
    zend_first_try
    {
        EG(exit_status) = 0;
        zend_stream_init_filename(&file, path);
        file.primary_script = 1;
        php_execute_script(&file);
        zend_destroy_file_handle(&file);
    }
    zend_end_try();
    status = EG(exit_status);
    if (PG(last_error_message) != NULL)
        snprintf(message, sizeof message, "%s in line %d", ZSTR_VAL(PG(last_error_message)),
                 PG(last_error_lineno));
    php_request_shutdown(NULL);
    if (status != ending_status[announced])
        report("a request that was to end by \"%s\" had status %d: %s", ending_names[announced],
               status, message);
    else
        atomic_fetch_add(&ended[announced], 1);
}

static void *thread(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument;
    ts_resource(0);
    atomic_fetch_add(&threads_started, 1);
    for (unsigned i = 0; i < REQUESTS_PER_THREAD && !atomic_load(&stop); i++) {
        atomic_store(&busy_since[number], time(NULL));
        serve(options.request);
    }
    atomic_store(&busy_since[number], 0);
    ts_free_thread();
    return NULL;
}

static void *replace_threads(void *argument)
{
    pthread_t id;
    while (!atomic_load(&stop)) {
        if (pthread_create(&id, NULL, thread, argument) != 0) {
            report("a thread could not be made");
            break;
        }
        pthread_join(id, NULL);
    }
    return NULL;
}

/* End the process if a request takes too long. */
static void *watch(void *argument)
{
    for (;;) {
        sleep(1);
        for (unsigned i = 0; i < options.threads; i++) {
            time_t since = atomic_load(&busy_since[i]);
            if (since != 0 && time(NULL) - since > HANG_SECONDS) {
                fprintf(stderr, "WRONG  thread %u hangs\n", i);
                abort();
            }
        }
    }
    return argument;
}

/* Return true if requests have ended in each possible way, or if the run is shorter than 5
 * seconds. */
static bool all_endings(void)
{
    for (int i = 0; i < ENDINGS; i++)
        if (options.seconds >= 5 && ended[i] == 0)
            return false;
    return true;
}

static void run_threads(void)
{
    pthread_t ids[THREADS_MAX], watcher;
    pthread_create(&watcher, NULL, watch, NULL);
    pthread_detach(watcher);
    for (unsigned i = 0; i < options.threads; i++)
        pthread_create(&ids[i], NULL, replace_threads, (void *)(uintptr_t)i);
    sleep(options.seconds);
    for (unsigned more = 0; more < 10 * options.seconds && !all_endings(); more++)
        sleep(1); /* a busy machine needs more time */
    atomic_store(&stop, true);
    for (unsigned i = 0; i < options.threads; i++)
        pthread_join(ids[i], NULL);
}

/* ---- start and end ---- */

static void add_ini(const char *text)
{
    size_t used = strlen(options.ini);
    snprintf(options.ini + used, sizeof options.ini - used, "%s\n", text);
}

static bool read_arguments(int argc, char **argv)
{
    add_ini("display_errors=0\nlog_errors=0\nmax_execution_time=0\nmemory_limit=256M\n"
            "report_memleaks=1\nhtml_errors=0");
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--control") == 0) {
            options.control = true;
        } else if (strcmp(argv[i], "--threads") == 0 && more) {
            options.threads = (unsigned)atoi(argv[++i]);
        } else if (strcmp(argv[i], "--seconds") == 0 && more) {
            options.seconds = (unsigned)atoi(argv[++i]);
        } else if (strcmp(argv[i], "--sapi") == 0 && more) {
            php_embed_module.name = argv[++i];
        } else if (strcmp(argv[i], "-d") == 0 && more) {
            add_ini(argv[++i]);
        } else if (argv[i][0] != '-' && options.request[0] == '\0') {
            /* Each thread has a working directory of its own, so make the paths absolute. */
            char folder[PATH_MAX];
            if (realpath(argv[i], folder) == NULL)
                return false;
            snprintf(options.request, sizeof options.request, "%s/request.php", folder);
            snprintf(options.totals, sizeof options.totals, "%s/totals.php", folder);
        } else {
            return false;
        }
    }
    return options.request[0] != '\0' && options.threads >= 1 && options.threads <= THREADS_MAX;
}

static void show_counts(void)
{
    printf("threads %lld (%u at a time), requests:", atomic_load(&threads_started),
           options.threads);
    for (int i = 0; i < ENDINGS; i++)
        printf(" %s %lld", ending_names[i], atomic_load(&ended[i]));
    printf("\n");
    for (struct counter *counter = counters; counter->name != NULL; counter++)
        printf("%s%s %lld", counter == counters ? "" : ", ", counter->name,
               atomic_load(&counter->count));
    printf("\nwrong %lld\n", atomic_load(&wrong));
}

/* Check the counters. Two threads should rarely compute the same value at the same time. It happens
 * only if one of them has waited too long, or has locked a session for which others wait. */
static void judge(void)
{
    long long computed = find_counter("computed")->count;
    if (find_counter("computed together")->count > computed / 20 + 3)
        report("remember() computed the same key in several threads too often");
    for (int i = 0; i < ENDINGS; i++)
        if (options.seconds >= 5 && ended[i] == 0)
            report("no request ended by \"%s\": too little was tested", ending_names[i]);
    if (find_counter("hits")->count == 0)
        report("no hits: nothing was tested");
}

int main(int argc, char **argv)
{
    if (!read_arguments(argc, argv)) {
        fprintf(stderr,
                "usage: embed_threads [--threads N] [--seconds S] [--control] [--sapi NAME] "
                "[-d NAME=VALUE]... FOLDER\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    php_tsrm_startup();
    zend_signal_startup();
    php_embed_module.ub_write = discard;
    php_embed_module.additional_functions = functions;
    php_embed_module.php_ini_ignore = 1;
    php_embed_module.phpinfo_as_text = 1;
    sapi_startup(&php_embed_module);
    php_embed_module.ini_entries = options.ini;
    if (php_embed_module.startup(&php_embed_module) == FAILURE) {
        fprintf(stderr, "embed_threads: PHP did not start\n");
        return 2;
    }
    run_threads();
    serve(options.totals);
    judge();
    php_module_shutdown();
    sapi_shutdown();
    tsrm_shutdown();
    show_counts();
    return atomic_load(&wrong) == 0 ? 0 : 1;
}
