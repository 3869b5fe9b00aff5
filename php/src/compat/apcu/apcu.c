/* apcu.c - APCu's functions. As in APCu, most failures return false; apcu.stub.php lists the
 * differences. Read apcu.h first. */
#include "compat/apcu/apcu.h"
#include "api/lock.h"
#include "api/interrupt.h"
#include "api/wait.h"
#include "fetch/fetch.h"
#include "put/put.h"
#include "zend_interfaces.h"
#include "compat/apcu/apcu_arginfo.h"

/* maximum time (ms) that apcu_entry() waits for another process */
#define APCU_ENTRY_WAIT_MS 10000u
/* time (ms) after which a waiting apcu_entry() checks the clock, signals and the entry */
#define APCU_ENTRY_STEP_MS 100u

static uint64_t apcu_milliseconds(zend_long seconds)
{
    return seconds >= 9000000000000000 ? (uint64_t)9e18 : (uint64_t)seconds * 1000;
}

#define APCU_DELETES "apc_delete() expects a string, array of strings, or APCIterator instance"
#define APCU_FETCHES "apc_fetch() expects a string or array of strings."
#define APCU_LOOKS "apc_exists() expects a string or array of strings."

/* Return a new reference to the key in `element`, because hooks may change `element`. If `element`
 * is not a string, raise the warning and return NULL. */
static zend_string *apcu_listed_key(zval *element, const char *warning)
{
    ZVAL_DEREF(element);
    if (EXPECTED(Z_TYPE_P(element) == IS_STRING))
        return zend_string_copy(Z_STR_P(element));
    php_error_docref(NULL, E_WARNING, "%s", warning);
    return NULL;
}

/* ---- storing ---- */

/* Store an entry whose time to live has already passed. With LRD_SET, this only removes the old
 * entry. */
static bool apcu_put_expired(lrd_store *store, zend_string *name, zval *value, lrd_mode mode,
                             const larder_blame *blame)
{
    /* Encode the value only to find out whether it could be stored. */
    larder_encoded encoded;
    bool good = larder_encode(value, blame, &encoded);
    int rc = LRD_OK;
    larder_encoded_free(&encoded);
    if (good && mode == LRD_ADD)
        return !larder_has(store, name) && !EG(exception);
    if (good)
        LARDER_CALL(rc, lrd_delete(store, ZSTR_VAL(name), ZSTR_LEN(name)));
    return good && (rc == LRD_MISS || rc == LRD_OK);
}

static bool apcu_put(lrd_store *store, zend_string *key, zval *value, zend_long ttl, lrd_mode mode,
                     const larder_blame *blame)
{
    ZVAL_DEREF(value);
    if (UNEXPECTED(Z_TYPE_P(value) == IS_RESOURCE)) {
        php_error_docref(NULL, E_WARNING, "Cannot store resources in apcu cache");
        return false;
    }
    zend_string *name = larder_layer_key(key);
    larder_target to = {
        .store = store, .key = name, .ttl_ms = apcu_milliseconds(MAX(ttl, 0)), .mode = mode};
    if (UNEXPECTED(ttl < 0)) {
        bool good = apcu_put_expired(store, name, value, mode, blame);
        zend_string_release(name);
        return good;
    }
    int rc = larder_put_as(apcu_format, &to, value, blame);
    while (mode == LRD_ADD && UNEXPECTED(larder_put_over(&to, rc)))
        rc = larder_put_as(apcu_format, &to, value, blame);
    zend_string_release(name);
    return rc == LRD_OK;
}

/* Store all elements, even if some of them cause exceptions. At the end, the last exception is
 * thrown, with the earlier ones as its previous exceptions. */
static void apcu_put_all(HashTable *values, zend_long ttl, lrd_mode mode, zval *failures)
{
    static const larder_blame blame = {.argument = 1, .root = "$key", .lenient = true};
    lrd_store *store = apcu_use();
    zend_string *name;
    zend_ulong index;
    zval *value, failed;
    zend_object *kept = NULL;
    ZVAL_LONG(&failed, -1);
    array_init(failures);
    GC_TRY_ADDREF(values); /* serializing runs user code */
    ZEND_HASH_FOREACH_KEY_VAL(values, index, name, value)
        zend_string *key =
            name != NULL ? zend_string_copy(name) : zend_long_to_str((zend_long)index);
        bool good = store != NULL && apcu_put(store, key, value, ttl, mode, &blame);
        zend_string_release(key);
        if (!larder_layer_goes_on(&kept))
            break;
        if (good)
            continue;
        if (name != NULL)
            zend_hash_update(Z_ARR_P(failures), name, &failed);
        else
            zend_hash_index_update(Z_ARR_P(failures), index, &failed);
    ZEND_HASH_FOREACH_END();
    if (!(GC_FLAGS(values) & GC_IMMUTABLE) && GC_DELREF(values) == 0)
        zend_array_destroy(values);
    larder_layer_throw_kept(kept);
}

static zend_always_inline void apcu_write(lrd_mode mode, INTERNAL_FUNCTION_PARAMETERS)
{
    static const larder_blame blame = {.argument = 2, .root = "$value", .lenient = true};
    zval *key, *value = NULL;
    zend_long ttl = 0;
    ZEND_PARSE_PARAMETERS_START(1, 3)
        Z_PARAM_ZVAL(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(value)
        Z_PARAM_LONG(ttl)
    ZEND_PARSE_PARAMETERS_END();
    if (Z_TYPE_P(key) == IS_STRING) {
        lrd_store *store = value != NULL ? apcu_use() : NULL;
        RETVAL_BOOL(store != NULL && apcu_put(store, Z_STR_P(key), value, ttl, mode, &blame));
    } else if (Z_TYPE_P(key) == IS_ARRAY) {
        apcu_put_all(Z_ARR_P(key), ttl, mode, return_value);
    } else {
        php_error_docref(
            NULL, E_WARNING,
            "apc_store expects key parameter to be a string or an array of key/value pairs.");
        RETVAL_FALSE;
    }
}

PHP_FUNCTION(apcu_store) { apcu_write(LRD_SET, INTERNAL_FUNCTION_PARAM_PASSTHRU); }

PHP_FUNCTION(apcu_add) { apcu_write(LRD_ADD, INTERNAL_FUNCTION_PARAM_PASSTHRU); }

/* ---- looking up ---- */

/* Fetch a group of keys. Adds each value that exists to the array `result`. */
static void apcu_find_group(lrd_store *store, zend_string *const *keys, uint32_t count,
                            zval *result)
{
    zend_string *names[LARDER_GROUP];
    zval values[LARDER_GROUP];
    for (uint32_t i = 0; i < count; i++)
        names[i] = larder_layer_key(keys[i]);
    larder_fetch_group(store, names, count, values);
    for (uint32_t i = 0; i < count; i++) {
        zend_string_release(names[i]);
        if (Z_TYPE(values[i]) != IS_UNDEF)
            zend_symtable_update(Z_ARR_P(result), keys[i], values + i);
    }
}

/* Fetch several keys. `result` becomes an array of the values that exist. */
static void apcu_fetch_all(lrd_store *store, HashTable *keys, zval *result)
{
    zend_string *group[LARDER_GROUP];
    zval *element;
    uint32_t count = 0, left = zend_hash_num_elements(keys);
    array_init(result);
    GC_TRY_ADDREF(keys); /* hooks that run when a value is restored may release the array */
    ZEND_HASH_FOREACH_VAL(keys, element)
        zend_string *key = apcu_listed_key(element, APCU_FETCHES);
        left--;
        if (key != NULL)
            group[count++] = key;
        if (count == LARDER_GROUP || left == 0) {
            apcu_find_group(store, group, count, result);
            while (count > 0)
                zend_string_release(group[--count]);
        }
        if (LARDER_MUST_STOP())
            break;
    ZEND_HASH_FOREACH_END();
    while (count > 0)
        zend_string_release(group[--count]);
    if (!(GC_FLAGS(keys) & GC_IMMUTABLE) && GC_DELREF(keys) == 0)
        zend_array_destroy(keys);
}

/* `result` becomes an array with the value true for each key that exists. */
static void apcu_exist_all(lrd_store *store, HashTable *keys, zval *result)
{
    zval *element, value;
    array_init(result);
    ZEND_HASH_FOREACH_VAL(keys, element)
        zend_string *key = apcu_listed_key(element, APCU_LOOKS);
        ZVAL_TRUE(&value);
        if (key != NULL) {
            if (larder_layer_has(store, key))
                zend_symtable_update(Z_ARR_P(result), key, &value);
            zend_string_release(key);
        }
        if (LARDER_MUST_STOP())
            break;
    ZEND_HASH_FOREACH_END();
}

PHP_FUNCTION(apcu_fetch)
{
    zval *key, *success = NULL;
    bool found;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_ZVAL(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(success)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = apcu_use();
    if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
        found = larder_layer_get(store, Z_STR_P(key), return_value);
    } else if (Z_TYPE_P(key) == IS_ARRAY) {
        apcu_fetch_all(store, Z_ARR_P(key), return_value);
        found = true;
    } else {
        zend_string *text = zval_try_get_string(key);
        if (text == NULL)
            RETURN_THROWS();
        found = larder_layer_get(store, text, return_value);
        zend_string_release(text);
    }
    if (UNEXPECTED(EG(exception)))
        RETURN_THROWS();
    if (!found && Z_TYPE_P(key) != IS_ARRAY)
        RETVAL_FALSE;
    if (success != NULL)
        ZEND_TRY_ASSIGN_REF_BOOL(success, found);
}

PHP_FUNCTION(apcu_exists)
{
    zval *key;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_ZVAL(key)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = apcu_use();
    if (Z_TYPE_P(key) == IS_ARRAY) {
        apcu_exist_all(store, Z_ARR_P(key), return_value);
        return;
    }
    zend_string *text = zval_try_get_string(key);
    if (text == NULL)
        RETURN_THROWS();
    RETVAL_BOOL(larder_layer_has(store, text));
    zend_string_release(text);
}

/* ---- removing ---- */

bool apcu_remove(lrd_store *store, zend_string *key)
{
    int rc;
    if (store == NULL)
        return false;
    zend_string *name = larder_layer_key(key);
    LARDER_CALL(rc, lrd_delete(store, ZSTR_VAL(name), ZSTR_LEN(name)));
    zend_string_release(name);
    return rc == LRD_OK;
}

static void apcu_remove_all(HashTable *keys, zval *failures)
{
    lrd_store *store = apcu_use();
    zval *element;
    array_init(failures);
    ZEND_HASH_FOREACH_VAL(keys, element)
        zend_string *key = apcu_listed_key(element, APCU_DELETES);
        if (LARDER_MUST_STOP())
            break;
        bool removed = key != NULL && apcu_remove(store, key);
        if (key != NULL)
            zend_string_release(key);
        if (removed)
            continue;
        ZVAL_DEREF(element);
        Z_TRY_ADDREF_P(element);
        zend_hash_next_index_insert(Z_ARR_P(failures), element);
    ZEND_HASH_FOREACH_END();
}

PHP_FUNCTION(apcu_delete)
{
    zval *key;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_ZVAL(key)
    ZEND_PARSE_PARAMETERS_END();
    switch (Z_TYPE_P(key)) {
    case IS_STRING:
        RETURN_BOOL(apcu_remove(apcu_use(), Z_STR_P(key)));
    case IS_ARRAY:
        apcu_remove_all(Z_ARR_P(key), return_value);
        return;
    case IS_OBJECT:
        if (!instanceof_function(Z_OBJCE_P(key), apcu_iterator_class)) {
            zend_throw_error(NULL, "apc_delete object argument must be instance of APCUIterator.");
            RETURN_THROWS();
        }
        if (!apcu_iterator_delete(Z_OBJ_P(key)))
            RETURN_THROWS();
        RETURN_TRUE;
    default:
        php_error_docref(NULL, E_WARNING, "%s", APCU_DELETES);
        RETURN_FALSE;
    }
}

PHP_FUNCTION(apcu_clear_cache)
{
    int rc;
    ZEND_PARSE_PARAMETERS_NONE();
    lrd_store *store = apcu_use();
    if (store != NULL)
        LARDER_CALL(rc, lrd_clear(store));
    (void)rc;
    RETURN_TRUE;
}

/* ---- counting ---- */

/* Add `step` to an int. As in APCu, a sum that is too large wraps around; lrd_counter_add() would
 * fail. */
static int apcu_add_wrapping(lrd_store *store, zend_string *name, int64_t step, uint64_t ttl_ms,
                             int64_t *sum)
{
    const char *text = ZSTR_VAL(name);
    const size_t length = ZSTR_LEN(name);
    lrd_value value;
    int rc, unused;
    for (;;) {
        LARDER_CALL(rc, lrd_counter_add(store, text, length, step, 0, ttl_ms, sum));
        if (EXPECTED(rc != LRD_ERANGE))
            return rc;
        LARDER_CALL(rc, lrd_get(store, text, length, LRD_GET_BORROW | LRD_GET_NO_COUNT, &value));
        if (rc == LRD_MISS)
            continue;
        if (rc != LRD_OK)
            return rc;
        int64_t old = lrd_counter_value(&value);
        LARDER_CALL(unused, lrd_release(store, &value));
        (void)unused;
        *sum = (int64_t)((uint64_t)old + (uint64_t)step);
        LARDER_CALL(rc, lrd_counter_swap(store, text, length, old, *sum));
        if (rc != LRD_STALE && rc != LRD_MISS)
            return rc;
    }
}

static void apcu_count(bool down, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key;
    zend_long step = 1, ttl = 0;
    zval *success = NULL;
    int64_t sum = 0;
    int rc = LRD_MISS;
    ZEND_PARSE_PARAMETERS_START(1, 4)
        Z_PARAM_STR(key)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(step)
        Z_PARAM_ZVAL(success)
        Z_PARAM_LONG(ttl)
    ZEND_PARSE_PARAMETERS_END();
    if (down)
        step = (zend_long)(0 - (zend_ulong)step);
    lrd_store *store = apcu_use();
    if (EXPECTED(store != NULL)) {
        zend_string *name = larder_layer_key(key);
        /* With a negative time to live, only change an existing entry. If another process removes
         * this entry after the check, the new one expires after 1 ms. */
        if (UNEXPECTED(ttl < 0) && !larder_layer_has(store, key))
            rc = LRD_MISS;
        else
            rc = apcu_add_wrapping(store, name, step, ttl < 0 ? 1 : apcu_milliseconds(ttl), &sum);
        zend_string_release(name);
    }
    if (rc == LRD_OK)
        RETVAL_LONG(sum);
    else
        RETVAL_FALSE;
    if (success != NULL)
        ZEND_TRY_ASSIGN_REF_BOOL(success, rc == LRD_OK);
}

PHP_FUNCTION(apcu_inc) { apcu_count(false, INTERNAL_FUNCTION_PARAM_PASSTHRU); }

PHP_FUNCTION(apcu_dec) { apcu_count(true, INTERNAL_FUNCTION_PARAM_PASSTHRU); }

PHP_FUNCTION(apcu_cas)
{
    zend_string *key;
    zend_long old, wanted;
    int rc;
    ZEND_PARSE_PARAMETERS_START(3, 3)
        Z_PARAM_STR(key)
        Z_PARAM_LONG(old)
        Z_PARAM_LONG(wanted)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = apcu_use();
    if (store == NULL)
        RETURN_FALSE;
    zend_string *name = larder_layer_key(key);
    LARDER_CALL(rc, lrd_counter_swap(store, ZSTR_VAL(name), ZSTR_LEN(name), old, wanted));
    zend_string_release(name);
    RETURN_BOOL(rc == LRD_OK);
}

/* ---- apcu_entry() ---- */

/* Look up the entry, without counting a use. If this process cannot restore the entry, *unreadable
 * becomes its version, otherwise 0. */
static bool apcu_entry_find(lrd_store *store, zend_string *key, zval *result, uint64_t *unreadable)
{
    lrd_value value;
    lrd_entry entry;
    zend_long left;
    *unreadable = 0;
    if (!apcu_look(store, key, &value, &left))
        return false;
    uint64_t version = lrd_value_entry(store, &value, &entry) == LRD_OK ? entry.version : 0;
    bool found = larder_take_again(store, &value, result);
    *unreadable = found ? 0 : version;
    return found;
}

/* Lock the key. Returns LRD_OK, or LRD_EXISTS if *result has the entry's value or an exception is
 * set. After any other result, the caller computes the value without a lock. */
static int apcu_entry_reserve(lrd_store *store, zend_string *key, zend_string *name, zval *result,
                              uint64_t *token, uint64_t *unreadable)
{
    uint64_t step = 0, until = 0;
    for (;;) {
        int rc, unlocked;
        LARDER_CALL(rc, lrd_lock(store, ZSTR_VAL(name), ZSTR_LEN(name), 0, step, token));
        if (rc != LRD_OK && rc != LRD_HELD)
            return rc;
        /* the previous owner of the lock may have stored the entry */
        bool found = apcu_entry_find(store, key, result, unreadable) || EG(exception);
        if (rc == LRD_OK && found)
            LARDER_CALL(unlocked, lrd_unlock(store, ZSTR_VAL(name), ZSTR_LEN(name), *token));
        (void)unlocked;
        if (found)
            return LRD_EXISTS;
        if (rc == LRD_OK || larder_lock_wanted()) /* see api/remember.c */
            return rc;
        uint64_t now = larder_wait_clock();
        if (until == 0)
            until = now + APCU_ENTRY_WAIT_MS;
        if (now >= until)
            return rc;
        larder_interrupt_run();
        if (EG(exception))
            return LRD_EXISTS;
        step = MIN(until - now, APCU_ENTRY_STEP_MS);
    }
}

/* Store the value that the callback has returned. If another process has stored an entry meanwhile,
 * that entry stays. But an entry that cannot be restored is replaced; `unreadable` is its version,
 * or 0 if there is none. */
static void apcu_entry_store(lrd_store *store, zend_string *key, zend_string *name, zval *value,
                             zend_long ttl, uint64_t unreadable)
{
    static const larder_blame blame = {.argument = 2, .root = "$callback()", .lenient = true};
    int rc = LRD_MISS;
    if (UNEXPECTED(unreadable != 0) && ttl >= 0 && Z_TYPE_P(value) != IS_RESOURCE) {
        larder_target to = {.store = store,
                            .key = name,
                            .ttl_ms = apcu_milliseconds(ttl),
                            .version = unreadable,
                            .mode = LRD_REPLACE};
        rc = larder_put_as(apcu_format, &to, value, &blame);
    }
    if (rc == LRD_MISS && !EG(exception))
        apcu_put(store, key, value, ttl, LRD_ADD, &blame);
}

/* Call the callback with the key. Returns false if the callback throws or returns no value. */
static bool apcu_entry_compute(zend_string *key, zend_fcall_info *callback,
                               zend_fcall_info_cache *cache, zval *result)
{
    zval argument;
    ZVAL_STR_COPY(&argument, key);
    ZVAL_UNDEF(result);
    callback->retval = result;
    callback->params = &argument;
    callback->param_count = 1;
    bool called = zend_call_function(callback, cache) == SUCCESS;
    zval_ptr_dtor(&argument);
    if (!called || EG(exception) || Z_TYPE_P(result) == IS_UNDEF)
        return false;
    if (Z_ISREF_P(result))
        zend_unwrap_reference(result);
    return true;
}

PHP_FUNCTION(apcu_entry)
{
    zend_string *key;
    zend_fcall_info callback;
    zend_fcall_info_cache cache;
    zend_long ttl = 0;
    uint64_t token = 0, unreadable = 0;
    int rc = LRD_MISS;
    ZEND_PARSE_PARAMETERS_START(2, 3)
        Z_PARAM_STR(key)
        Z_PARAM_FUNC(callback, cache)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(ttl)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = apcu_use();
    if (larder_layer_get(store, key, return_value) || EG(exception))
        return;
    zend_string *name = larder_layer_key(key);
    if (store != NULL)
        rc = apcu_entry_reserve(store, key, name, return_value, &token, &unreadable);
    if (rc != LRD_EXISTS && apcu_entry_compute(key, &callback, &cache, return_value) &&
        store != NULL)
        apcu_entry_store(store, key, name, return_value, ttl, unreadable);
    if (rc == LRD_OK)
        LARDER_CALL(rc, lrd_unlock(store, ZSTR_VAL(name), ZSTR_LEN(name), token));
    zend_string_release(name);
    if (EG(exception)) {
        zval_ptr_dtor(return_value);
        RETVAL_NULL();
    }
}

/* ---- the layer ---- */

static void apcu_register(int module_number)
{
    apcu_startup(module_number);
    register_apcu_symbols(module_number);
    apcu_iterator_class = register_class_APCUIterator(zend_ce_iterator);
    apcu_iterator_setup();
}

const larder_layer larder_layer_apcu = {
    .name = "apcu",
    .module = "apcu",
    .version = APCU_API_VERSION,
    .functions = ext_functions,
    .startup = apcu_register,
    .info = apcu_module_info,
    .configure = apcu_configure,
};
