/* embed_workers.c - a server in one process whose threads run workers, like FrankenPHP's worker
 * mode (see embed_boundary.c). Meanwhile, other threads start and end, and map and unmap memory.
 * The test fails if a value was wrong, if more than 2 % of the hits were copies, or if workers see
 * different values of a static property. It also fails if a worker cannot store large values
 * because idle workers hold values.
 *   embed_workers [--threads N] [--requests N] [--collect 0] MODULE FOLDER
 * MODULE is the path of larder.so, and FOLDER contains mixed_load.php. All threads together handle
 * N requests. `--collect 0` turns off larder.collect, so idle workers keep values that they no
 * longer use, and the test must fail. Begin reading at main(), then read work(). */
#include "php.h"
#include "php_embed.h"
#include "php_main.h"
#include "SAPI.h"
#include "zend_exceptions.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef ZTS
#error "threads need a thread-safe PHP"
#endif

#define THREADS_MAX 64
#define FRESH 40 /* the number of large values that fresh() of mixed_load.php stores */
#define RESTLESS_BYTES ((size_t)1 << 20)

static struct options {
    unsigned threads;
    long requests;
    const char *collect;
    char ini[PATH_MAX + 512], script[PATH_MAX + 16];
} options = {.threads = 8, .requests = 20000, .collect = "1"};

static atomic_long taken, wrong;
static atomic_bool stop;
static pthread_barrier_t all;

static void check(bool good, const char *what)
{
    if (!good && atomic_fetch_add(&wrong, 1) < 10)
        fprintf(stderr, "WRONG  %s\n", what);
}

/* Call a function of mixed_load.php that returns an integer. */
static zend_long call(const char *name, zend_long argument)
{
    zval function, arguments[1], result;
    volatile zend_long number = -1;
    ZVAL_STRING(&function, name);
    ZVAL_LONG(arguments, argument);
    ZVAL_UNDEF(&result);
    zend_try
    {
        if (call_user_function(NULL, NULL, &function, &result, 1, arguments) == SUCCESS &&
            Z_TYPE(result) == IS_LONG)
            number = Z_LVAL(result);
        else if (EG(exception) != NULL)
            zend_exception_error(EG(exception), E_WARNING);
    }
    zend_catch { check(false, "a request has ended with a fatal error"); }
    zend_end_try();
    zval_ptr_dtor(&result);
    zval_ptr_dtor(&function);
    return number;
}

static void next_request(void)
{
    zend_try { sapi_deactivate(); }
    zend_end_try();
    sapi_activate();
    SG(headers_sent) = 1;
    SG(request_info).no_headers = 1;
}

/* Handle the requests of one thread. Then each thread in turn stores and reads large values while
 * the others are idle. Finally, thread 0 changes a static property, and all threads check its
 * value. */
static void handle_all(unsigned number)
{
    while (atomic_fetch_add(&taken, 1) < options.requests) {
        check(call("handle", number) == 0, "a request has found wrong values: see above");
        next_request();
    }
    pthread_barrier_wait(&all);
    if (number == 0) {
        zend_long copies = call("copied", 0);
        printf("copies in 1000 hits: %ld\n", (long)copies);
        check(copies >= 0 && copies <= 20, "more than one hit in 50 was copied");
    }
    for (unsigned turn = 0; turn < options.threads; turn++) {
        if (turn == number) {
            zend_long found = call("fresh", FRESH);
            if (found != FRESH)
                fprintf(stderr, "worker %u found %ld of %d large values\n", number, (long)found,
                        FRESH);
            check(found == FRESH, "what idle workers hold keeps large values out");
            next_request();
        }
        pthread_barrier_wait(&all);
    }
    if (number == 0)
        check(call("change", 17) == 17, "a static cannot be changed");
    next_request();
    pthread_barrier_wait(&all);
    next_request();
    check(call("unchanged", 0) == 17, "workers have different values of a static");
    check(call("verify", 0) == 0, "a value that a worker has kept is wrong");
}

static void *work(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument;
    zend_file_handle file;
    ts_resource(0);
    if (php_request_startup() == FAILURE) {
        check(false, "a worker could not start");
        exit(1);
    }
    SG(headers_sent) = 1;
    SG(request_info).no_headers = 1;
    zend_first_try
    {
        zend_stream_init_filename(&file, options.script);
        file.primary_script = 1;
        php_execute_script(&file);
        zend_destroy_file_handle(&file);
    }
    zend_end_try();
    handle_all(number);
    php_request_shutdown(NULL);
    ts_free_thread();
    return NULL;
}

static void *touch(void *argument)
{
    volatile char *memory = argument;
    for (size_t i = 0; i < RESTLESS_BYTES; i += 4096)
        memory[i] = (char)i;
    return NULL;
}

/* Until `stop` is set, map, move and unmap memory, and start threads. */
static void *rest_never(void *argument)
{
    while (!atomic_load(&stop)) {
        pthread_t id;
        char *memory =
            mmap(NULL, RESTLESS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            continue;
        if (pthread_create(&id, NULL, touch, memory) == 0)
            pthread_join(id, NULL);
        char *moved = mremap(memory, RESTLESS_BYTES, 4 * RESTLESS_BYTES, MREMAP_MAYMOVE);
        if (moved != MAP_FAILED) {
            touch(moved + RESTLESS_BYTES);
            munmap(moved, 4 * RESTLESS_BYTES);
        } else {
            munmap(memory, RESTLESS_BYTES);
        }
        usleep(100);
    }
    return argument;
}

static bool read_arguments(int argc, char **argv)
{
    const char *module = NULL;
    char folder[PATH_MAX];
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--threads") == 0 && more)
            options.threads = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--requests") == 0 && more)
            options.requests = atol(argv[++i]);
        else if (strcmp(argv[i], "--collect") == 0 && more)
            options.collect = argv[++i];
        else if (module == NULL)
            module = argv[i];
        else if (realpath(argv[i], folder) != NULL)
            snprintf(options.script, sizeof options.script, "%s/mixed_load.php", folder);
    }
    if (module == NULL || options.script[0] == '\0')
        return false;
    snprintf(options.ini, sizeof options.ini,
             "extension=%s\nlarder.sapi_optin=embed\nlarder.statics=1\nlarder.collect=%s\n"
             "larder.volatile_size=32M\n"
             "display_errors=0\nlog_errors=1\nmax_execution_time=0\nmemory_limit=256M\n",
             module, options.collect);
    return options.threads >= 1 && options.threads <= THREADS_MAX;
}

static size_t write_error(const char *text, size_t length)
{
    return fwrite(text, 1, length, stderr);
}

int main(int argc, char **argv)
{
    pthread_t ids[THREADS_MAX], restless;
    if (!read_arguments(argc, argv)) {
        fprintf(stderr, "usage: embed_workers [--threads N] [--requests N] [--collect 0] MODULE "
                        "FOLDER\n");
        return 2;
    }
    php_tsrm_startup();
    zend_signal_startup();
    php_embed_module.ub_write = write_error;
    php_embed_module.php_ini_ignore = 1;
    sapi_startup(&php_embed_module);
    php_embed_module.ini_entries = options.ini;
    if (php_embed_module.startup(&php_embed_module) == FAILURE) {
        fprintf(stderr, "embed_workers: PHP did not start\n");
        return 2;
    }
    pthread_barrier_init(&all, NULL, options.threads);
    pthread_create(&restless, NULL, rest_never, NULL);
    for (unsigned i = 0; i < options.threads; i++)
        pthread_create(&ids[i], NULL, work, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < options.threads; i++)
        pthread_join(ids[i], NULL);
    atomic_store(&stop, true);
    pthread_join(restless, NULL);
    php_module_shutdown();
    sapi_shutdown();
    tsrm_shutdown();
    printf("%s\n", atomic_load(&wrong) == 0 ? "right" : "wrong");
    return atomic_load(&wrong) != 0;
}
