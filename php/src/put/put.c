/* put.c - stores a value: measure, reserve, build, publish. Read larder_put() first. */
#include "put/put.h"
#include "fetch/resident.h"
#include "format/format.h"
#include "kinds/classes.h"
#include "put/content.h"
#include "put/hooks.h"
#include "put/plan.h"
#include "stores/stores.h"
#include "ext/standard/php_var.h"
#include "zend_smart_str.h"

static int put_message(lrd_store *store, size_t size, uint8_t type, lrd_fill fill, const void *from)
{
    larder_push *push = LARDER_G(push);
    int rc;
    LARDER_CALL(rc, lrd_queue_push_built(store, push->queue, size, type, &push->how, fill, from,
                                         &push->id));
    return rc;
}

/* Every value that is built goes through here: to its key, or to the queue that is being pushed to. */
static zend_always_inline int put_built(lrd_store *store, zend_string *key, size_t size,
                                        uint8_t type, lrd_mode mode, uint64_t ttl_ms, lrd_fill fill,
                                        const void *from)
{
    int rc;
    if (UNEXPECTED(mode == LARDER_PUSH))
        return put_message(store, size, type, fill, from);
    LARDER_CALL(rc, lrd_put_built(store, ZSTR_VAL(key), ZSTR_LEN(key), size, type, mode, ttl_ms,
                                  LARDER_G(replaced), fill, from));
    return rc;
}

static void put_copy(const void *from, void *build, const void *data, size_t size)
{
    if (size != 0)
        memcpy(build, from, size);
}

static int put_bytes(lrd_store *store, zend_string *key, const void *data, size_t size,
                     uint8_t type, uint64_t ttl_ms, lrd_mode mode)
{
    int rc;
    if (UNEXPECTED(mode == LARDER_PUSH))
        return put_message(store, size, type, put_copy, data);
    LARDER_CALL(rc, lrd_put(store, ZSTR_VAL(key), ZSTR_LEN(key), data, size, type, mode, ttl_ms,
                            LARDER_G(replaced)));
    return rc;
}

/* The store where nothing is ever freed, so that its values may refer to what lies in it; else NULL. */
static zend_always_inline lrd_store *put_reuse(lrd_store *store)
{
    return UNEXPECTED(store == LARDER_G(active)[LARDER_IMMUTABLE]) ? store : NULL;
}

static zend_always_inline bool put_is_there(lrd_store *store, const void *address)
{
    return UNEXPECTED(put_reuse(store) != NULL) && lrd_contains(store, address);
}

/* A value that was fetched from this very entry: it stays where it is. False: it has to be stored. */
static zend_never_inline bool put_back(lrd_store *store, zend_string *key, const void *pointer,
                                       uint64_t ttl_ms)
{
    lrd_value value;
    int rc;
    LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(key), ZSTR_LEN(key), LRD_GET_NO_COPY | LRD_GET_NO_COUNT,
                            &value));
    if (rc != LRD_OK)
        return false;
    rc = LRD_STALE;
    if (value.kind == LRD_KIND_HELD && value.data == pointer)
        LARDER_CALL(rc, lrd_put_held(store, &value, ttl_ms));
    int released;
    LARDER_CALL(released, lrd_release(store, &value));
    (void)released;
    return rc == LRD_OK;
}

/* Whether a string or an array is in the store already, under this key. */
static zend_always_inline bool put_same(lrd_store *store, zend_string *key, const void *pointer,
                                        uint64_t ttl_ms, lrd_mode mode)
{
    return UNEXPECTED(lrd_contains(store, pointer)) && mode == LRD_SET &&
           put_back(store, key, pointer, ttl_ms);
}

/* Whether an equal value is in the store already; then the entry refers to it, and *rc says how that went. */
static zend_always_inline bool put_equal(lrd_store *store, zend_string *key, const zval *value,
                                         size_t size, uint64_t ttl_ms, lrd_mode mode,
                                         larder_content *content, int *rc)
{
    content->known = false;
    if (EXPECTED(put_reuse(store) == NULL) || size < LARDER_CONTENT_MIN)
        return false;
    const void *equal = larder_content_find(store, value, content);
    if (equal != NULL)
        *rc = put_bytes(store, key, &equal, sizeof equal, LARDER_ALIAS, ttl_ms, mode);
    return equal != NULL;
}

static int put_string(lrd_store *store, zend_string *key, zend_string *string, uint64_t ttl_ms,
                      lrd_mode mode)
{
    larder_content content;
    zval value;
    int rc;
    if (ZSTR_LEN(string) <= LARDER_COPY_MAX)
        return put_bytes(store, key, ZSTR_VAL(string), ZSTR_LEN(string), LARDER_SHORT, ttl_ms,
                         mode);
    if (put_is_there(store, string))
        return put_bytes(store, key, &string, sizeof string, LARDER_ALIAS, ttl_ms, mode);
    if (put_same(store, key, string, ttl_ms, mode))
        return LRD_OK;
    zend_string_hash_val(string); /* who uses it as an array key finds it computed */
    ZVAL_STR(&value, string);
    if (put_equal(store, key, &value, ZSTR_LEN(string), ttl_ms, mode, &content, &rc))
        return rc;
    rc = put_built(store, key, LARDER_STRING_SIZE(ZSTR_LEN(string)), LARDER_STRING, mode, ttl_ms,
                   larder_fill_string, string);
    if (UNEXPECTED(content.known) && rc == LRD_OK)
        larder_content_tell(store, &content, key);
    return rc;
}

/* Tell of a planned graph whether something of it can be resident, and when it was built. */
/* Nanoseconds. With its address it tells a value from all that were there before: no two of a thread have
 * the same, however coarse the clock is. */
static uint64_t put_now(void)
{
    ZEND_TLS uint64_t last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return last = time > last ? time : last + 1;
}

/* Tell of a planned graph whether something of it can be resident, and when it was built. */
static void put_resident(larder_plan *plan)
{
    bool objects = false, all = true;
    for (uint32_t i = 0; all && i < plan->classes_used; i++) {
        all = plan->classes[i].resident;
        objects |= plan->classes[i].kind != LARDER_CLASS_ENUM;
    }
    plan->resident = all && objects;
    plan->living = LARDER_G(living);
    plan->built =
        plan->resident || plan->living || plan->constants >= LARDER_CONSTANTS ? put_now() : 0;
}

static int put_plan(lrd_store *store, zend_string *key, const zval *value, larder_plan *plan,
                    uint64_t ttl_ms, lrd_mode mode)
{
    larder_content content = {.known = false};
    int rc;
    if (larder_plan_is_graph(plan) && mode != LARDER_PUSH) /* a message is read once */
        put_resident(plan);
    else if (!larder_plan_is_graph(plan) &&
             put_equal(store, key, value, plan->size, ttl_ms, mode, &content, &rc))
        return rc;
    rc = put_built(store, key, plan->size, larder_plan_is_graph(plan) ? LARDER_GRAPH : LARDER_ARRAY,
                   mode, ttl_ms, larder_fill_plan, plan);
    if (UNEXPECTED(content.known) && rc == LRD_OK)
        larder_content_tell(store, &content, key);
    return rc;
}

static size_t put_limit(const lrd_store *store)
{
    lrd_info info;
    lrd_store_info(store, &info);
    return info.value_max;
}

/* The plan ended where it grew too large. The core refuses it, and counts that; nothing is written. */
static int put_too_large(lrd_store *store, zend_string *key, const larder_plan *plan,
                         uint64_t ttl_ms, lrd_mode mode)
{
    size_t size = MAX(plan->size, plan->limit + 1);
    return put_built(store, key, size, LARDER_ARRAY, mode, ttl_ms, larder_fill_plan, plan);
}

zend_string *larder_serialize(zval *value)
{
    php_serialize_data_t data;
    smart_str text = {0};
    PHP_VAR_SERIALIZE_INIT(data);
    php_var_serialize(&text, value, &data);
    PHP_VAR_SERIALIZE_DESTROY(data);
    if (EG(exception)) {
        smart_str_free(&text);
        return NULL;
    }
    smart_str_0(&text);
    return text.s;
}

/* Through PHP's serializer. NULL: an exception is set, or a warning was said. */
static zend_string *put_serialize(zval *value, const larder_blame *blame)
{
    return larder_serializable(value, blame, NULL) ? larder_serialize(value) : NULL;
}

/* Store what needs no user code. LARDER_NATIVE: *rc says how it went. */
static zend_always_inline larder_measured put_native(lrd_store *store, zend_string *key,
                                                     zval *value, const larder_states *states,
                                                     uint64_t ttl_ms, lrd_mode mode, int *rc)
{
    larder_plan *plan;
    larder_measured measured = LARDER_NATIVE;
    switch (Z_TYPE_P(value)) {
    case IS_LONG: {
        int64_t number = Z_LVAL_P(value);
        if (mode == LRD_SET)
            LARDER_CALL(*rc, lrd_counter_set(store, ZSTR_VAL(key), ZSTR_LEN(key), number, ttl_ms));
        else
            *rc = put_bytes(store, key, &number, sizeof number, LRD_TYPE_COUNTER, ttl_ms, mode);
        break;
    }
    case IS_DOUBLE:
        *rc = put_bytes(store, key, &Z_DVAL_P(value), sizeof(double), LARDER_DOUBLE, ttl_ms, mode);
        break;
    case IS_UNDEF:
    case IS_NULL:
    case IS_FALSE:
    case IS_TRUE:
        *rc = put_bytes(store, key, NULL, 0,
                        Z_TYPE_P(value) == IS_TRUE    ? LARDER_TRUE
                        : Z_TYPE_P(value) == IS_FALSE ? LARDER_FALSE
                                                      : LARDER_NULL,
                        ttl_ms, mode);
        break;
    case IS_STRING:
        *rc = put_string(store, key, Z_STR_P(value), ttl_ms, mode);
        break;
    case IS_ARRAY:
        if (zend_hash_num_elements(Z_ARR_P(value)) == 0) {
            *rc = put_bytes(store, key, NULL, 0, LARDER_EMPTY_ARRAY, ttl_ms, mode);
            break;
        }
        if (put_is_there(store, Z_ARR_P(value))) {
            *rc = put_bytes(store, key, &Z_ARR_P(value), sizeof(zend_array *), LARDER_ALIAS, ttl_ms,
                            mode);
            break;
        }
        if (put_same(store, key, Z_ARR_P(value), ttl_ms, mode)) {
            *rc = LRD_OK;
            break;
        }
        ZEND_FALLTHROUGH;
    default:
        measured = larder_plan_value(value, states, put_limit(store), put_reuse(store), &plan);
        if (measured == LARDER_NATIVE)
            *rc = put_plan(store, key, value, plan, ttl_ms, mode);
        else if (measured == LARDER_TOO_LARGE)
            *rc = put_too_large(store, key, plan, ttl_ms, mode);
        else if (measured == LARDER_NO_MEMORY)
            *rc = LRD_ENOMEM;
        larder_plan_done();
        if (measured == LARDER_TOO_LARGE || measured == LARDER_NO_MEMORY)
            measured = LARDER_NATIVE;
    }
    return measured;
}

/* What storing the value takes, for now. */
static larder_measured put_measure(zval *value, const larder_states *states)
{
    larder_plan *plan;
    larder_measured measured = larder_plan_value(value, states, SIZE_MAX / 2, NULL, &plan);
    larder_plan_done();
    return measured;
}

/* A hook can put objects with hooks where the walk has been already: so often it is walked again. */
#define PUT_WALKS 8

/* Run the user code that storing the value needs, as far as it did not run before. False: an exception is
 * set. */
static bool put_prepare(zval *value, larder_measured measured, const larder_blame *blame,
                        larder_encoded *out)
{
    for (int walk = 0; measured == LARDER_HOOKS && walk < PUT_WALKS; walk++) {
        if (out->states == NULL)
            out->states = ecalloc(1, sizeof *out->states);
        if (!larder_states_collect(out->states, value))
            return false;
        measured = put_measure(value, out->states);
    }
    if (measured == LARDER_SERIALIZE || measured == LARDER_HOOKS) {
        out->text = put_serialize(value, blame);
        return out->text != NULL;
    }
    return true;
}

/* How many parts of a value are looked at to see that it is simple. */
#define PUT_PARTS 64

static bool put_is_simple(const zval *value, int *parts);

static bool put_are_simple(const zval *value, uint32_t count, size_t step, int *parts)
{
    for (; count != 0; count--, value = (const zval *)(const void *)((const char *)value + step))
        if (Z_TYPE_P(value) > IS_STRING && !put_is_simple(value, parts))
            return false;
    return true;
}

/* Whether nothing in a value may need user code, nor the serializer: then it need not be measured to know. A
 * cycle takes all parts. False: it has to be measured. */
static bool put_is_simple(const zval *value, int *parts)
{
    if (--*parts < 0)
        return false;
    if (Z_TYPE_P(value) == IS_ARRAY) {
        const HashTable *array = Z_ARR_P(value);
        return HT_FLAGS(array) & HASH_FLAG_PACKED
                   ? put_are_simple(array->arPacked, array->nNumUsed, sizeof(zval), parts)
                   : put_are_simple(&array->arData->val, array->nNumUsed, sizeof(Bucket), parts);
    }
    if (Z_TYPE_P(value) != IS_OBJECT)
        return Z_TYPE_P(value) <= IS_STRING;
    const zend_object *object = Z_OBJ_P(value);
    const larder_class *class = larder_class_of(object->ce);
    if (class == NULL || class->kind != LARDER_CLASS_PLAIN || object->properties != NULL ||
        object->handlers != zend_get_std_object_handlers())
        return false;
#if PHP_VERSION_ID >= 80400
    if (zend_object_is_lazy(Z_OBJ_P(value)))
        return false;
#endif
    return put_are_simple(object->properties_table, (uint32_t)object->ce->default_properties_count,
                          sizeof(zval), parts);
}

bool larder_encode_again(zval *value, const larder_blame *blame, larder_encoded *out, bool *ran)
{
    int parts = PUT_PARTS;
    ZVAL_DEREF(value);
    if (out->text != NULL || (out->states == NULL && put_is_simple(value, &parts)))
        return true;
    larder_measured measured = put_measure(value, out->states);
    if (EXPECTED(measured != LARDER_HOOKS && measured != LARDER_SERIALIZE))
        return true;
    *ran = true;
    return put_prepare(value, measured, blame, out);
}

bool larder_encode(zval *value, const larder_blame *blame, larder_encoded *out)
{
    bool ran;
    LARDER_G(used) = true;
    *out = (larder_encoded){.text = NULL};
    return larder_encode_again(value, blame, out, &ran);
}

void larder_encoded_free(larder_encoded *encoded)
{
    if (encoded->text != NULL)
        zend_string_release(encoded->text);
    if (encoded->states != NULL) {
        larder_states_free(encoded->states);
        efree(encoded->states);
    }
}

/* A write failed: if the store refused it for a cause that nobody has logged yet, log it. A value that is too large is
 * warned of each time. */
static ZEND_COLD void put_refused(lrd_store *store, int code)
{
    char text[400];
    int cause = lrd_refusal_of(store, code);
    if (!PG(log_errors) || cause < 0 || cause == LRD_REFUSED_SIZE ||
        !lrd_refusal_is_news(store, cause))
        return;
    bool moved = code == LRD_EMOVED || code == LRD_ETRUNCATED;
    const char *name = "an unknown";
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (larder_place_of(kind)->store == store)
            name = larder_place_of(kind)->name;
    snprintf(text, sizeof text,
             "Larder: the %s store refuses values: %s (%.160s). Said once; info() counts", name,
             moved ? "its file has gone, and the next request opens it again"
                   : lrd_refusal_text(cause),
             lrd_error_detail());
    php_log_err_with_severity(text, LOG_WARNING);
}

int larder_put_encoded(lrd_store *store, zend_string *key, zval *value,
                       const larder_encoded *encoded, uint64_t ttl_ms, lrd_mode mode)
{
    int rc;
    ZVAL_DEREF(value);
    if (encoded->text != NULL)
        rc = put_bytes(store, key, ZSTR_VAL(encoded->text), ZSTR_LEN(encoded->text),
                       LARDER_SERIALIZED, ttl_ms, mode);
    else if (put_native(store, key, value, encoded->states, ttl_ms, mode, &rc) != LARDER_NATIVE)
        rc = LRD_EINVAL;
    if (UNEXPECTED(rc < 0))
        put_refused(store, rc);
    return rc;
}

/* Where user code is needed first. */
static zend_never_inline int put_prepared(lrd_store *store, zend_string *key, zval *value,
                                          larder_measured measured, uint64_t ttl_ms, lrd_mode mode,
                                          const larder_blame *blame)
{
    larder_states states = {.used = 0};
    int rc = LRD_EINVAL;
    bool good = true;
    for (int walk = 0; measured == LARDER_HOOKS && good && walk < PUT_WALKS; walk++) {
        good = larder_states_collect(&states, value);
        if (good)
            measured = put_native(store, key, value, &states, ttl_ms, mode, &rc);
    }
    if (good && measured != LARDER_NATIVE) {
        zend_string *text = put_serialize(value, blame);
        if (text != NULL) {
            rc = put_bytes(store, key, ZSTR_VAL(text), ZSTR_LEN(text), LARDER_SERIALIZED, ttl_ms,
                           mode);
            zend_string_release(text);
        }
    }
    larder_states_free(&states);
    return rc;
}

int larder_put(lrd_store *store, zend_string *key, zval *value, uint64_t ttl_ms, lrd_mode mode,
               const larder_blame *blame)
{
    int rc = LRD_EINVAL;
    ZVAL_DEREF(value);
    larder_measured measured = put_native(store, key, value, NULL, ttl_ms, mode, &rc);
    if (EXPECTED(measured == LARDER_NATIVE)) {
        if (UNEXPECTED(rc < 0))
            put_refused(store, rc);
        return rc;
    }
    zval own; /* a hook may give up the last other reference */
    ZVAL_COPY(&own, value);
    rc = put_prepared(store, key, &own, measured, ttl_ms, mode, blame);
    zval_ptr_dtor(&own);
    if (UNEXPECTED(rc < 0) && !EG(exception))
        put_refused(store, rc);
    return rc;
}
