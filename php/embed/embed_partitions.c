/* embed_partitions.c - tests a program that serves several tenants in one process. Its workers are
 * threads and forked processes, and each worker uses one partition at a time. The test fails if a
 * tenant sees values of another tenant.
 *   embed_partitions MODULE      MODULE: the path of larder.so
 * Begin reading at main(). */
#include "php.h"
#include "php_embed.h"
#include "php_main.h"
#include "ext/larder/larder_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef ZTS
#error "threads need a thread-safe PHP"
#endif

static struct api {
    void (*opt_in)(void);
    larder_partition *(*create)(const char *name);
    bool (*activate)(larder_partition *partition);
} api;

static int failures;

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "WRONG  %s\n", what);
    failures++;
}

static int said_off; /* how often the log has contained the message that Larder is off */

static void host_log(const char *message, int severity)
{
    (void)severity;
    said_off += strstr(message, "Larder is off: the SAPI \"embed\"") != NULL;
}

static bool api_find(void)
{
    *(void **)&api.opt_in = dlsym(RTLD_DEFAULT, "larder_opt_in");
    *(void **)&api.create = dlsym(RTLD_DEFAULT, "larder_partition_create");
    *(void **)&api.activate = dlsym(RTLD_DEFAULT, "larder_partition_activate");
    return api.opt_in != NULL && api.create != NULL && api.activate != NULL;
}

/* Evaluate an expression in a new request. Return true if the result is true. */
static bool holds(const char *expression)
{
    zval result;
    volatile bool good = false;
    if (php_request_startup() == FAILURE)
        return false;
    SG(headers_sent) = 1;
    SG(request_info).no_headers = 1;
    zend_first_try
    {
        ZVAL_FALSE(&result);
        good = zend_eval_string((char *)(uintptr_t)expression, &result, "host") == SUCCESS &&
               zend_is_true(&result);
        zval_ptr_dtor(&result);
    }
    zend_end_try();
    php_request_shutdown(NULL);
    return good;
}

typedef struct tenant {
    const char *name;
    larder_partition *partition; /* NULL: none */
} tenant;

#define KINDS "[Larder\\VolatileCache::class, Larder\\PinnedCache::class]"

static bool tenant_stores(const char *name)
{
    char code[600];
    snprintf(code, sizeof code,
             "(function () { foreach (" KINDS " as $c) if (!$c::set('who', ['%s']) || "
             "!$c::set('%s', 1)) return false; return apcu_store('who', ['%s']); })()",
             name, name, name);
    return holds(code);
}

/* Return true if this partition has its own values, and no others. */
static bool tenant_sees_its_own(const char *name)
{
    char code[800];
    snprintf(code, sizeof code,
             "(function () { foreach (" KINDS " as $c) { if ($c::get('who') !== ['%s'] || "
             "!$c::has('%s')) return false; foreach (['red', 'blue', 'none'] as $other) "
             "if ($other !== '%s' && $c::has($other)) return false; } "
             "return apcu_fetch('who') === ['%s']; })()",
             name, name, name, name);
    return holds(code);
}

static void *tenant_thread(void *argument)
{
    const tenant *own = argument;
    ts_resource(0);
    check(api.activate(own->partition), "a thread's partition cannot be activated");
    check(tenant_stores(own->name), "a tenant cannot store");
    check(tenant_sees_its_own(own->name), "a thread does not see its own, or sees another's");
    ts_free_thread();
    return NULL;
}

/* Run a forked worker. If `killed` is true, the worker kills itself after its work. */
static void tenant_process(const tenant *own, bool killed)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        bool good = api.activate(own->partition) && tenant_sees_its_own(own->name);
        if (killed && good &&
            holds("Larder\\VolatileCache::set('killed', str_repeat('k', 100000))"))
            raise(SIGKILL);
        _exit(good ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    check(killed ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "a forked worker does not see its own, or sees another's");
}

/* Check the names of partitions, and their maximum number. Many partitions need more file
 * descriptors than the usual 1,024. */
static void check_names(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    check(api.create("") == NULL && api.create("../etc") == NULL && api.create(NULL) == NULL,
          "a bad name makes a partition");
    unsigned made = 0;
    while (made < 1000 && api.create("many") != NULL)
        made++;
    check(made > 200 && made < 256, "the number of partitions is not limited to 256");
}

/* Start a request in this partition. Check that no other one can be activated before the request
 * ends. */
static void check_within_a_request(larder_partition *partition)
{
    check(php_request_startup() == SUCCESS, "a request cannot start");
    SG(headers_sent) = 1;
    zend_eval_string("Larder\\VolatileCache::get('who');", NULL, "host");
    check(!api.activate(partition), "a partition was activated within a request that uses another");
    php_request_shutdown(NULL);
}

static void check_tenants(void)
{
    tenant tenants[] = {{.name = "red", .partition = api.create("red")},
                        {.name = "blue", .partition = api.create("blue")},
                        {.name = "none"}};
    pthread_t threads[3];
    check(tenants[0].partition != NULL && tenants[1].partition != NULL, "no partitions");
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, tenant_thread, &tenants[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int round = 0; round < 20; round++)
        tenant_process(&tenants[round % 3], round % 2 == 1);
    for (int i = 2; i >= 0; i--) { /* one worker serves all partitions, one after the other */
        check(api.activate(tenants[i].partition), "a partition cannot be activated");
        check(tenant_sees_its_own(tenants[i].name),
              "a worker does not see its own, or sees another's");
    }
    check_within_a_request(tenants[1].partition);
    api.activate(NULL);
}

int main(int argc, char **argv)
{
    char ini[1024];
    if (argc != 2)
        return 2;
    snprintf(ini, sizeof ini, "extension=%s\nlarder.compat=apcu\ndisplay_errors=0\n", argv[1]);
    php_tsrm_startup();
    zend_signal_startup();
    php_embed_module.php_ini_ignore = 1;
    sapi_startup(&php_embed_module);
    php_embed_module.ini_entries = ini;
    php_embed_module.log_message = host_log;
    if (php_embed_module.startup(&php_embed_module) == FAILURE || !api_find()) {
        fprintf(stderr,
                "embed_partitions: PHP did not start, or its Larder has no API for hosts\n");
        return 2;
    }
    check(holds("Larder\\VolatileCache::set('k', 1) === false && "
                "str_contains(Larder\\VolatileCache::info()->failure_reason, 'larder.sapi_optin')"),
          "it is on before the host opted in");
    check(holds("!Larder\\VolatileCache::info()->available"), "it is on in a second request");
    check(said_off == 1, "the log does not say once that it is off");
    api.opt_in();
    check(holds("Larder\\VolatileCache::set('k', 1) && Larder\\VolatileCache::get('k') === 1"),
          "it is off after the host opted in");
    api.opt_in(); /* as a server does when it reads its settings again */
    check(
        holds(
            "Larder\\VolatileCache::get('k') === 1 && Larder\\VolatileCache::info()->available && "
            "Larder\\VolatileCache::info()->failure_reason === null"),
        "a store that is open is said to be off after a second start");
    check_tenants();
    check_names();
    check(said_off == 1, "the log says that it is off, while it is on");
    php_module_shutdown();
    sapi_shutdown();
    tsrm_shutdown();
    printf("wrong %d\n", failures);
    return failures == 0 ? 0 : 1;
}
