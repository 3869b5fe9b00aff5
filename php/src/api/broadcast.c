/* broadcast.c - Larder\Broadcast: a value in the pinned store. A counter, called the broadcast's
 * word, changes whenever the value changes. Begin reading at broadcast_read().
 *
 * - A publisher takes the broadcast's lock, raises the word to an odd number, stores the value, and
 *   raises the word to an even number.
 * - A reader keeps a fetched value only if the word was the same even number before and after the
 *   fetch.
 * - If a publisher is killed, the word may stay odd until the next publication; readers then fetch
 *   the value each time.
 * - The property `value` is not in the object's table of properties, so each read checks the
 *   word. */
#include "api/broadcast.h"
#include "api/arguments.h"
#include "api/interrupt.h"
#include "api/wait.h"
#include "fetch/fetch.h"
#include "put/put.h"
#include "stores/stores.h"
#include "larder_coordination.h"
#include "zend_exceptions.h"

#define BROADCAST_PREFIX "\0lrd:broadcast:"
#define BROADCAST_NAME_MAX 1024u
/* maximum number of attempts to fetch the value while other processes publish */
#define BROADCAST_TRIES 8
#define BROADCAST_LOCK_MS 5000u /* maximum time (ms) to wait for other publishers */
#define BROADCAST_STEP_MS 100u  /* time (ms) between two checks for signals while waiting */

typedef struct broadcast_object {
    /* the store that has the broadcast's word; NULL if no store was opened */
    lrd_store *store;
    lrd_watch watch;
    /* the broadcast's word at the time when `value` was fetched; -1 means unknown */
    int64_t seen;
    /* the string "value"; compiled code usually reads the property by this zend_string */
    zend_string *name;
    zval value;
    zend_string *key, *word_key;
    zend_object std;
} broadcast_object;

static zend_class_entry *broadcast_class;
static zend_object_handlers broadcast_handlers;
static zend_string *broadcast_value, *broadcast_version; /* names of properties, interned */

static zend_always_inline broadcast_object *broadcast_of(zend_object *object)
{
    return (broadcast_object *)(void *)((char *)object - offsetof(broadcast_object, std));
}

static zend_object *broadcast_create(zend_class_entry *class)
{
    broadcast_object *broadcast = zend_object_alloc(sizeof *broadcast, class);
    memset(broadcast, 0, offsetof(broadcast_object, std));
    broadcast->seen = -1;
    /* Take the string from the class, because compiled code uses the same string. Then comparing
     * its address is enough. Opcache may have moved the string since the class was registered. */
    const zend_property_info *info = zend_hash_find_ptr(&class->properties_info, broadcast_value);
    broadcast->name = info->name;
    ZVAL_NULL(&broadcast->value);
    zend_object_std_init(&broadcast->std, class);
    object_properties_init(&broadcast->std, class);
    broadcast->std.handlers = &broadcast_handlers;
    return &broadcast->std;
}

static void broadcast_free(zend_object *object)
{
    broadcast_object *broadcast = broadcast_of(object);
    zval_ptr_dtor(&broadcast->value);
    if (broadcast->key != NULL) {
        zend_string_release(broadcast->key);
        zend_string_release(broadcast->word_key);
    }
    zend_object_std_dtor(object);
}

/* ---- reading ---- */

/* Find the broadcast's word, and return its store. Returns NULL if the store is off or full. */
static lrd_store *broadcast_open(broadcast_object *broadcast)
{
    int rc;
    lrd_store *store = larder_store(LARDER_PINNED);
    broadcast->seen = -1;
    broadcast->store = NULL;
    if (store == NULL)
        return NULL;
    LARDER_CALL(rc, lrd_watch_open(store, ZSTR_VAL(broadcast->word_key),
                                   ZSTR_LEN(broadcast->word_key), &broadcast->watch));
    if (rc == LRD_OK)
        broadcast->store = store;
    return broadcast->store;
}

/* Read the broadcast's word. Returns false if this request has no store with the word. */
static zend_always_inline bool broadcast_word(broadcast_object *broadcast, int64_t *word)
{
    if (EXPECTED(broadcast->store != NULL) &&
        EXPECTED(broadcast->store == LARDER_G(active)[LARDER_PINNED]) &&
        EXPECTED(lrd_watch_read(&broadcast->watch, word)))
        return true;
    return broadcast_open(broadcast) != NULL && lrd_watch_read(&broadcast->watch, word);
}

/* Fetch the value again. */
static zend_never_inline void broadcast_fetch(broadcast_object *broadcast)
{
    zval value;
    int64_t before = 0, after = 0;
    for (int tries = 0; tries < BROADCAST_TRIES; tries++) {
        lrd_value found;
        int rc = LRD_MISS;
        bool open = broadcast_word(broadcast, &before);
        ZVAL_NULL(&value);
        if (open)
            LARDER_CALL(rc, lrd_get(broadcast->store, ZSTR_VAL(broadcast->key),
                                    ZSTR_LEN(broadcast->key), LRD_GET_NO_COPY | LRD_GET_NO_COUNT,
                                    &found));
        if (rc == LRD_OK && !larder_take_again(broadcast->store, &found, &value))
            ZVAL_NULL(&value);
        zval old = broadcast->value;
        broadcast->value = value;
        broadcast->seen = -1;
        zval_ptr_dtor(&old);
        if (!open || EG(exception))
            return;
        if (!broadcast_word(broadcast, &after) || before == after)
            break;
    }
    broadcast->seen = before == after && before % 2 == 0 ? before : -1;
}

static ZEND_COLD void broadcast_refuse_write(const zend_object *object, const zend_string *name)
{
    zend_throw_error(NULL, "Cannot modify property %s::$%s; see publish()",
                     ZSTR_VAL(object->ce->name), ZSTR_VAL(name));
}

/* Fetch the value, then return it. The fetch runs hooks and destructors, which may release the last
 * reference to the broadcast object. So hold a reference to it meanwhile. */
static zend_never_inline zval *broadcast_read_new(zend_object *object, zval *result)
{
    broadcast_object *broadcast = broadcast_of(object);
    GC_ADDREF(object);
    broadcast_fetch(broadcast);
    ZVAL_COPY(result, &broadcast->value);
    OBJ_RELEASE(object);
    return result;
}

static zval *broadcast_read(zend_object *object, zend_string *name, int type, void **cache_slot,
                            zval *result)
{
    broadcast_object *broadcast = broadcast_of(object);
    int64_t word;
    zval *value;
    if (EXPECTED(name == broadcast->name) || zend_string_equals(name, broadcast_value)) {
        if (EXPECTED(broadcast_word(broadcast, &word)) && EXPECTED(word == broadcast->seen))
            value = &broadcast->value;
        else
            value = broadcast_read_new(object, result);
    } else if (zend_string_equals(name, broadcast_version)) {
        value = result;
        ZVAL_LONG(value, broadcast_word(broadcast, &word) ? (zend_long)(word / 2) : 0);
    } else {
        return zend_std_read_property(object, name, type, cache_slot, result);
    }
    if (EXPECTED(type == BP_VAR_R) || EXPECTED(type == BP_VAR_IS))
        return value;
    /* The engine wants to change the property in place. This is allowed only for an object: the
     * object changes, but the property keeps the same object. */
    if (value != result)
        ZVAL_COPY(result, value);
    if (Z_TYPE_P(result) == IS_OBJECT)
        return result;
    zval_ptr_dtor(result);
    if (!EG(exception))
        broadcast_refuse_write(object, name);
    return &EG(uninitialized_zval);
}

static int broadcast_has(zend_object *object, zend_string *name, int check, void **cache_slot)
{
    zval result;
    if (!zend_string_equals(name, broadcast_value) && !zend_string_equals(name, broadcast_version))
        return zend_std_has_property(object, name, check, cache_slot);
    zval *value = broadcast_read(object, name, BP_VAR_R, NULL, &result);
    int has = check == ZEND_PROPERTY_EXISTS ||
              (check == ZEND_PROPERTY_NOT_EMPTY ? zend_is_true(value) : Z_TYPE_P(value) != IS_NULL);
    if (value == &result)
        zval_ptr_dtor(value);
    return has;
}

static zval *broadcast_write(zend_object *object, zend_string *name, zval *value, void **cache_slot)
{
    (void)cache_slot;
    (void)value;
    broadcast_refuse_write(object, name);
    return &EG(error_zval);
}

static zval *broadcast_pointer(zend_object *object, zend_string *name, int type, void **cache_slot)
{
    (void)object;
    (void)name;
    (void)type;
    (void)cache_slot;
    return NULL; /* the engine then calls broadcast_read(), which returns a copy */
}

static void broadcast_unset(zend_object *object, zend_string *name, void **cache_slot)
{
    broadcast_write(object, name, NULL, cache_slot);
}

static HashTable *broadcast_gc(zend_object *object, zval **table, int *count)
{
    *table = &broadcast_of(object)->value;
    *count = 1;
    return NULL;
}

/* ---- methods ---- */

ZEND_METHOD(Larder_Broadcast, __construct) {}

ZEND_METHOD(Larder_Broadcast, open)
{
    zend_string *name;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();
    if (ZSTR_LEN(name) == 0 || ZSTR_LEN(name) > BROADCAST_NAME_MAX) {
        zend_argument_value_error(1, "must be between 1 and %u bytes long, %zu given",
                                  BROADCAST_NAME_MAX, ZSTR_LEN(name));
        RETURN_THROWS();
    }
    object_init_ex(return_value, broadcast_class);
    broadcast_object *broadcast = broadcast_of(Z_OBJ_P(return_value));
    broadcast->key =
        zend_string_concat3(ZEND_STRL(BROADCAST_PREFIX), "=", 1, ZSTR_VAL(name), ZSTR_LEN(name));
    broadcast->word_key =
        zend_string_concat3(ZEND_STRL(BROADCAST_PREFIX), "#", 1, ZSTR_VAL(name), ZSTR_LEN(name));
}

/* Raise the word to the next odd or even number. */
static int broadcast_raise(const broadcast_object *broadcast, lrd_store *store, bool odd)
{
    int rc;
    int64_t word = odd ? 0 : 1;
    do {
        LARDER_CALL(rc, lrd_watch_raise(store, ZSTR_VAL(broadcast->word_key),
                                        ZSTR_LEN(broadcast->word_key), true, &word));
    } while (rc == LRD_OK && (word % 2 != 0) != odd);
    return rc;
}

/* Lock the broadcast's word. Signal handlers may run while this function waits, and may change the
 * value. If handlers ran, this function encodes the value again. */
static int broadcast_lock(const broadcast_object *broadcast, lrd_store *store, zval *value,
                          const larder_blame *blame, larder_encoded *encoded, uint64_t *token)
{
    uint64_t step = 0, until = 0;
    for (;;) {
        int rc;
        LARDER_CALL(rc, lrd_lock(store, ZSTR_VAL(broadcast->word_key),
                                 ZSTR_LEN(broadcast->word_key), 0, step, token));
        if (rc != LRD_HELD && rc != LRD_EBUSY)
            return rc;
        uint64_t now = larder_wait_clock();
        if (until == 0)
            until = now + BROADCAST_LOCK_MS;
        if (now >= until)
            return rc;
        bool ran = larder_interrupt_run();
        if (EG(exception) || (ran && !larder_encode_again(value, blame, encoded, &ran)))
            return rc;
        step = MIN(until - now, BROADCAST_STEP_MS);
    }
}

ZEND_METHOD(Larder_Broadcast, publish)
{
    zval *value;
    uint64_t token;
    int rc, end;
    static const larder_blame blame = {.argument = 1, .root = "$value"};
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_ZVAL(value)
    ZEND_PARSE_PARAMETERS_END();
    broadcast_object *broadcast = broadcast_of(Z_OBJ_P(ZEND_THIS));
    lrd_store *store = larder_store(LARDER_PINNED);
    /* Encode the value before taking the lock, because encoding runs user code. */
    larder_encoded encoded;
    if (!larder_encode(value, &blame, &encoded) || store == NULL) {
        larder_encoded_free(&encoded);
        RETURN_FALSE;
    }
    rc = broadcast_lock(broadcast, store, value, &blame, &encoded, &token);
    if (rc == LRD_OK) {
        larder_target to = {.store = store, .key = broadcast->key, .mode = LRD_SET};
        rc = broadcast_raise(broadcast, store, true);
        if (rc == LRD_OK)
            rc = larder_put_encoded(&to, value, &encoded);
        end = broadcast_raise(broadcast, store, false);
        rc = rc != LRD_OK ? rc : end;
        LARDER_CALL(end, lrd_unlock(store, ZSTR_VAL(broadcast->word_key),
                                    ZSTR_LEN(broadcast->word_key), token));
    }
    larder_encoded_free(&encoded);
    if (UNEXPECTED(EG(exception)))
        RETURN_THROWS();
    RETURN_BOOL(rc == LRD_OK);
}

ZEND_METHOD(Larder_Broadcast, wait)
{
    zend_long version;
    zval *timeout;
    uint64_t ms;
    int64_t word;
    int rc = LRD_OK;
    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_LONG(version)
        Z_PARAM_NUMBER(timeout)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_milliseconds(timeout, 2, &ms))
        RETURN_THROWS();
    broadcast_object *broadcast = broadcast_of(Z_OBJ_P(ZEND_THIS));
    for (larder_wait wait = larder_wait_for(ms); larder_wait_goes_on(&wait);) {
        uint64_t start = larder_wait_clock(), waited = 0;
        do {
            if (!broadcast_word(broadcast, &word))
                RETURN_FALSE;
            if (word / 2 != version)
                RETURN_TRUE;
            LARDER_CALL(rc, lrd_watch_wait(&broadcast->watch, word, wait.sleep_ms - waited, &word));
            waited = larder_wait_clock() - start;
            waited = waited < wait.sleep_ms ? waited : wait.sleep_ms;
        } while (rc == LRD_OK || rc == LRD_STALE);
    }
    RETURN_FALSE;
}

void larder_broadcast_register(zend_class_entry *broadcast)
{
    broadcast_class = broadcast;
    broadcast_value = zend_string_init_interned(ZEND_STRL("value"), true);
    broadcast_version = zend_string_init_interned(ZEND_STRL("version"), true);
    broadcast->create_object = broadcast_create;
    broadcast_handlers = *zend_get_std_object_handlers();
    broadcast_handlers.offset = offsetof(broadcast_object, std);
    broadcast_handlers.free_obj = broadcast_free;
    broadcast_handlers.clone_obj = NULL;
    broadcast_handlers.compare = zend_objects_not_comparable;
    broadcast_handlers.read_property = broadcast_read;
    broadcast_handlers.has_property = broadcast_has;
    broadcast_handlers.write_property = broadcast_write;
    broadcast_handlers.get_property_ptr_ptr = broadcast_pointer;
    broadcast_handlers.unset_property = broadcast_unset;
    broadcast_handlers.get_gc = broadcast_gc;
}
