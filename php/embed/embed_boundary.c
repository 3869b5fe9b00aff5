/* embed_boundary.c - tests a server like FrankenPHP, whose worker handles requests of clients in
 * one PHP request. After each client's request, the server calls sapi_deactivate() and
 * sapi_activate(), but no RSHUTDOWN.
 *
 * The test checks locks that a request did not release, values that a worker keeps, static
 * properties, and sites with different values of LARDER_SCOPE.
 *
 *     embed_boundary MODULE FOLDER      MODULE: the path of larder.so. FOLDER: for named stores
 *
 * Begin reading at main(). */
#include "php.h"
#include "php_embed.h"
#include "php_main.h"
#include "SAPI.h"

#include <sys/wait.h>
#include <unistd.h>

static int failures, logged;

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "WRONG  %s\n", what);
    failures++;
}

static void host_log(const char *message, int severity)
{
    (void)severity;
    logged += strstr(message, " locked, which ") != NULL;
}

static bool is_true(const char *expression)
{
    zval result;
    volatile bool good = false;
    zend_try
    {
        if (zend_eval_string((char *)(uintptr_t)expression, &result, "host") == SUCCESS) {
            good = Z_TYPE(result) == IS_TRUE;
            zval_ptr_dtor(&result);
        }
    }
    zend_end_try();
    return good;
}

/* In a forked process, evaluate an expression that tries to take a lock. Return its result. */
static bool others_get(const char *expression)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(is_true(expression) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void next_request(void)
{
    zend_try { sapi_deactivate(); }
    zend_end_try();
    sapi_activate();
    SG(headers_sent) = 1;
}

static const char *site_scope;

static char *site_getenv(const char *name, size_t length)
{
    bool known = length == strlen("LARDER_SCOPE") && memcmp(name, "LARDER_SCOPE", length) == 0;
    return known ? (char *)(uintptr_t)site_scope : NULL;
}

/* Serve one request of a site. As in FrankenPHP, the site's environment is gone when shutdown
 * functions run. */
static bool site_is_true(const char *scope, const char *expression)
{
    site_scope = scope;
    if (php_request_startup() == FAILURE)
        return false;
    SG(headers_sent) = 1;
    bool good = is_true(expression);
    site_scope = NULL;
    php_request_shutdown(NULL);
    return good;
}

/* Serve requests of several sites in one thread. */
static void check_sites(void)
{
    static const char *const scopes[] = {NULL, "shop.example", "blog.example"};
    static char long_one[70], long_other[70];
    char expression[160];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 3; i++) {
            snprintf(expression, sizeof expression,
                     pass == 0 ? "Larder\\VolatileCache::set('of the site', [%d])"
                               : "Larder\\VolatileCache::get('of the site') === [%d]",
                     i);
            check(site_is_true(scopes[i], expression), "sites do not have stores of their own");
        }
    for (int i = 0; i < 3; i++) {
        snprintf(expression, sizeof expression,
                 "register_shutdown_function(fn() => Larder\\VolatileCache::set('late', [%d])) === "
                 "null",
                 i);
        check(site_is_true(scopes[i], expression), "a shutdown function cannot be registered");
    }
    for (int i = 0; i < 3; i++) {
        snprintf(expression, sizeof expression, "Larder\\VolatileCache::get('late') === [%d]", i);
        check(site_is_true(scopes[i], expression),
              "a site whose shutdown function is the first to use Larder has another site's store");
    }
    memset(long_one, 'x', sizeof long_one - 1);
    memset(long_other, 'x', sizeof long_other - 1);
    long_other[sizeof long_other - 2] = 'y';
    check(!site_is_true(long_one, "@Larder\\VolatileCache::set('of the site', [3])"),
          "a scope that is too long has a store");
    check(!site_is_true(long_other, "Larder\\VolatileCache::get('of the site') !== null"),
          "two long scopes have one store");
    check(site_is_true(long_other, "str_contains(Larder\\VolatileCache::info()->failure_reason, "
                                   "'larder.scope')"),
          "the reason does not name the scope");
}

/* One worker handles requests of several sites, and each site has its own stores. Values that the
 * worker keeps must not change. */
static void check_worker_of_sites(void)
{
    static const char *const scopes[] = {"shop.example", "blog.example", NULL};
    char expression[256], former[16];
    site_scope = scopes[0];
    if (php_request_startup() == FAILURE)
        return check(false, "a worker did not start");
    SG(headers_sent) = 1;
    check(is_true("($GLOBALS['kept'] = []) === []"), "a global cannot be set");
    for (int pass = 0; pass < 40; pass++)
        for (int i = 0; i < 3; i++) {
            site_scope = scopes[i];
            next_request();
            if (pass == 0)
                snprintf(former, sizeof former, "null");
            else
                snprintf(former, sizeof former, "[%d]", 100 * i + pass - 1);
            snprintf(expression, sizeof expression,
                     "Larder\\VolatileCache::get('of a request') === %s", former);
            check(is_true(expression), "a worker's request reads another site's store");
            snprintf(
                expression, sizeof expression,
                "Larder\\VolatileCache::set('of a request', [%d]) && "
                "($GLOBALS['kept'][] = Larder\\VolatileCache::get('of a request')) === [%d] && "
                "Larder\\VolatileCache::lock('of the worker')",
                100 * i + pass, 100 * i + pass);
            check(is_true(expression), "a worker's request cannot use its site's store");
        }
    check(is_true("array_reduce(range(0, 119), fn($good, $n) => $good && $GLOBALS['kept'][$n] === "
                  "[100 * ($n % 3) + intdiv($n, 3)], true)"),
          "a value that a worker of several sites keeps has changed");
    /* the second site opens another queue first, so the number of 'mail' differs in the two
     * stores */
    site_scope = scopes[0];
    next_request();
    check(is_true("($GLOBALS['queue'] = Larder\\Queue::open('mail'))->push('of shop') !== null && "
                  "($GLOBALS['message'] = $GLOBALS['queue']->pop())->body === 'of shop'"),
          "a worker's request cannot use its site's queue");
    site_scope = scopes[1];
    next_request();
    check(is_true("Larder\\Queue::open('first')->push('of first') !== null && "
                  "$GLOBALS['queue']->push('of blog') !== null && "
                  "($GLOBALS['other'] = $GLOBALS['queue']->pop())->body === 'of blog' && "
                  "!$GLOBALS['message']->ack() && $GLOBALS['other']->ack()"),
          "a queue, or a message, of another site changes this site's queue");
    site_scope = scopes[0];
    next_request();
    check(is_true("$GLOBALS['message']->ack() && $GLOBALS['queue']->pop() === null"),
          "a message that a worker keeps is not its own any more in its site's next request");
    php_request_shutdown(NULL);
    check(site_is_true(scopes[1], "Larder\\VolatileCache::get('of a request') === [139]"),
          "a request after a worker's reads another site's store");
}

int main(int argc, char **argv)
{
    char ini[1024];
    if (argc != 3)
        return 2;
    snprintf(ini, sizeof ini,
             "extension=%s\nlarder.path=%s\nlarder.sapi_optin=frankenphp\nlarder.statics=1\n"
             "log_errors=1\ndisplay_errors=0\n",
             argv[1], argv[2]);
    php_tsrm_startup();
    zend_signal_startup();
    php_embed_module.name = "frankenphp";
    php_embed_module.getenv = site_getenv;
    php_embed_module.php_ini_ignore = 1;
    sapi_startup(&php_embed_module);
    php_embed_module.ini_entries = ini;
    php_embed_module.log_message = host_log;
    if (php_embed_module.startup(&php_embed_module) == FAILURE ||
        php_request_startup() == FAILURE) {
        fprintf(stderr, "embed_boundary: PHP did not start\n");
        return 2;
    }
    SG(headers_sent) = 1;
    check(is_true("Larder\\VolatileCache::set('kept', range(1, 100)) && "
                  "($GLOBALS['kept'] = Larder\\VolatileCache::get('kept')) === range(1, 100)"),
          "a value is not stored");
    for (int request = 0; request < 3; request++) {
        check(is_true("Larder\\VolatileCache::lock('forgotten')"), "the lock is taken already");
        check(!others_get("Larder\\VolatileCache::lock('forgotten')"), "two have the lock");
        next_request();
        check(others_get("Larder\\VolatileCache::lock('forgotten')"),
              "a forgotten lock outlives its request");
    }
    check(logged == 1, "the log does not say once that a lock was forgotten");
    check(
        is_true("eval('class W { #[Larder\\VolatileStatic] public static $n = [0]; }') === null && "
                "W::$n === [0]"),
        "a class with a static is not compiled");
    for (int request = 1; request <= 3; request++) {
        char others[128], mine[64];
        snprintf(others, sizeof others,
                 "(W::$n = [%d, 'other']) !== [] && Larder\\endRequest() === 0", request);
        snprintf(mine, sizeof mine, "W::$n === [%d, 'other']", request);
        check(others_get(others), "another process cannot change a static");
        check(!is_true(mine), "a static changes within a request");
        next_request();
        check(is_true(mine), "a worker's next request has an old static");
        snprintf(mine, sizeof mine, "(W::$n = [%d]) !== []", request);
        check(is_true(mine), "a static cannot be changed");
        next_request();
        snprintf(others, sizeof others, "Larder\\beginRequest() === null && W::$n === [%d]",
                 request);
        check(others_get(others) && is_true(others), "a worker's change of a static is lost");
    }
    check(is_true("Larder\\VolatileCache::lock('by hand') && Larder\\endRequest() === 1 && "
                  "Larder\\endRequest() === 0"),
          "endRequest() does not count the locks that it ends");
    check(is_true("(function () { for ($i = 0; $i < 3000; $i++) "
                  "Larder\\VolatileCache::set('kept', [$i]); return true; })() && "
                  "$GLOBALS['kept'] === range(1, 100)"),
          "a value that a global has was let go");
    php_request_shutdown(NULL);
    check(logged == 1, "an ordinary end of a request counts as a worker's");
    check_sites();
    check_worker_of_sites();
    printf("%s\n", failures == 0 ? "right" : "wrong");
    return failures != 0;
}
