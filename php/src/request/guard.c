/* guard.c - keeps strings of a store out of those tables of the engine that outlive the request.
 *
 * - When opcache compiles a file, it writes a reference count to the string with the path. If this
 *   string is in a store, the write kills the worker. So zend_compile_file, zend_resolve_path and
 *   opcache_compile_file() get a copy.
 * - The request's tables of stream wrappers and filters are emptied before its values are released.
 *   Otherwise, the engine would read the tables' keys later. */
#include "request/guard.h"
#include "stores/stores.h"
#include "ext/standard/file.h"

#include <pthread.h>

static LARDER_OF_WORKER zend_op_array *(*guard_next_compile)(zend_file_handle *, int);
static LARDER_OF_WORKER zend_string *(*guard_next_resolve)(zend_string *);
static LARDER_OF_WORKER zif_handler guard_next_compile_file;

static zend_string *guard_copy(const zend_string *string)
{
    return zend_string_init(ZSTR_VAL(string), ZSTR_LEN(string), 0);
}

static LARDER_HOT zend_op_array *guard_compile(zend_file_handle *handle, int type)
{
    if (larder_contains_none())
        return guard_next_compile(handle, type);
    /* a store's strings are interned, so the old string need not be released */
    if (handle->filename != NULL && larder_contains(handle->filename))
        handle->filename = guard_copy(handle->filename);
    if (handle->opened_path != NULL && larder_contains(handle->opened_path))
        handle->opened_path = guard_copy(handle->opened_path);
    return guard_next_compile(handle, type);
}

static LARDER_HOT zend_string *guard_resolve(zend_string *path)
{
    if (!larder_contains(path))
        return guard_next_resolve(path);
    zend_string *copy = guard_copy(path);
    zend_string *resolved = guard_next_resolve(copy);
    zend_string_release(copy);
    return resolved;
}

static ZEND_NAMED_FUNCTION(guard_compile_file)
{
    if (ZEND_NUM_ARGS() >= 1) {
        zval *path = ZEND_CALL_ARG(execute_data, 1);
        if (Z_TYPE_P(path) == IS_STRING && larder_contains(Z_STR_P(path)))
            ZVAL_STR(path, guard_copy(Z_STR_P(path))); /* the frame releases it */
    }
    guard_next_compile_file(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static zend_function *guard_find_compile_file(void)
{
    zend_function *function =
        zend_hash_str_find_ptr(CG(function_table), ZEND_STRL("opcache_compile_file"));
    return function != NULL && function->type == ZEND_INTERNAL_FUNCTION ? function : NULL;
}

static ZEND_COLD void guard_install_hooks(void)
{
    const zend_function *function = guard_find_compile_file();
    guard_next_compile = zend_compile_file;
    zend_compile_file = guard_compile;
    if (zend_resolve_path != NULL) {
        guard_next_resolve = zend_resolve_path;
        zend_resolve_path = guard_resolve;
    }
    if (function != NULL)
        guard_next_compile_file = function->internal_function.handler;
}

void larder_guard_install(void)
{
    static pthread_once_t once LARDER_OF_WORKER = PTHREAD_ONCE_INIT;
    zend_function *function;
    if (LARDER_G(guarded))
        return;
    pthread_once(&once, guard_install_hooks);
    function = guard_find_compile_file();
    if (function != NULL)
        function->internal_function.handler = guard_compile_file;
    LARDER_G(guarded) = true;
}

#ifdef LRD_POISON
/* For debugging: release and overwrite all values before the engine destroys its tables, so that a
 * test finds old pointers in them. */
static void guard_poison(void)
{
    lrd_store *used[LARDER_KINDS];
    memcpy(used, LARDER_G(active), sizeof used);
    larder_deactivate();
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        int rc = LRD_OK;
        if (used[kind] != NULL)
            LARDER_CALL(rc, lrd_sweep(used[kind], NULL));
        (void)rc;
    }
}
#endif

void larder_guard_clean(void)
{
    if (FG(stream_wrappers) != NULL)
        zend_hash_clean(FG(stream_wrappers));
    if (FG(stream_filters) != NULL)
        zend_hash_clean(FG(stream_filters));
#ifdef LRD_POISON
    guard_poison();
#endif
}
