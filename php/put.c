/* put.c - stores a value: measure, reserve, build, publish. Read larder_put() first. */
#include "plan.h"
#include "ext/standard/php_var.h"
#include "zend_smart_str.h"

static int put_bytes(lrd_store *store, zend_string *key, const void *data, size_t size,
                     uint8_t type, uint64_t ttl_ms, lrd_mode mode)
{
    int rc;
    LARDER_CALL(rc,
                lrd_put(store, ZSTR_VAL(key), ZSTR_LEN(key), data, size, type, mode, ttl_ms, 0));
    return rc;
}

static int put_publish(lrd_store *store, lrd_reservation *reservation, lrd_mode mode,
                       uint64_t ttl_ms)
{
    int rc = lrd_publish(store, reservation, mode, ttl_ms, 0);
    if (rc == LRD_EBUSY)
        lrd_abort(store, reservation);
    return rc;
}

static int put_string(lrd_store *store, zend_string *key, zend_string *string, uint64_t ttl_ms,
                      lrd_mode mode)
{
    lrd_reservation reservation;
    if (ZSTR_LEN(string) <= LARDER_COPY_MAX)
        return put_bytes(store, key, ZSTR_VAL(string), ZSTR_LEN(string), LARDER_SHORT, ttl_ms,
                         mode);
    zend_string_hash_val(string); /* who uses it as an array key finds it computed */
    HANDLE_BLOCK_INTERRUPTIONS();
    int rc = lrd_reserve(store, ZSTR_VAL(key), ZSTR_LEN(key), LARDER_STRING_SIZE(ZSTR_LEN(string)),
                         LARDER_STRING, &reservation);
    if (rc == LRD_OK) {
        larder_build_string(string, reservation.build);
        rc = put_publish(store, &reservation, mode, ttl_ms);
    }
    HANDLE_UNBLOCK_INTERRUPTIONS();
    return rc;
}

static int put_plan(lrd_store *store, zend_string *key, const larder_plan *plan, uint64_t ttl_ms,
                    lrd_mode mode)
{
    lrd_reservation reservation;
    HANDLE_BLOCK_INTERRUPTIONS();
    int rc =
        lrd_reserve(store, ZSTR_VAL(key), ZSTR_LEN(key), plan->size, LARDER_ARRAY, &reservation);
    if (rc == LRD_OK) {
        larder_build_array(plan, reservation.build, reservation.data);
        rc = put_publish(store, &reservation, mode, ttl_ms);
    }
    HANDLE_UNBLOCK_INTERRUPTIONS();
    return rc;
}

static size_t put_limit(const lrd_store *store)
{
    lrd_info info;
    lrd_store_info(store, &info);
    return info.value_max;
}

/* Through PHP's serializer. NULL: an exception is set. */
static zend_string *put_serialize(zval *value, const larder_blame *blame)
{
    php_serialize_data_t data;
    smart_str text = {0};
    if (!larder_serializable(value, blame))
        return NULL;
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

/* What needs no serializer. *rc says how it went; false: it needs one. */
static zend_always_inline bool put_native(lrd_store *store, zend_string *key, zval *value,
                                          uint64_t ttl_ms, lrd_mode mode, int *rc)
{
    larder_plan *plan;
    switch (Z_TYPE_P(value)) {
    case IS_LONG: {
        int64_t number = Z_LVAL_P(value);
        *rc = put_bytes(store, key, &number, sizeof number, LRD_TYPE_COUNTER, ttl_ms, mode);
        return true;
    }
    case IS_DOUBLE:
        *rc = put_bytes(store, key, &Z_DVAL_P(value), sizeof(double), LARDER_DOUBLE, ttl_ms, mode);
        return true;
    case IS_UNDEF:
    case IS_NULL:
    case IS_FALSE:
    case IS_TRUE:
        *rc = put_bytes(store, key, NULL, 0,
                        Z_TYPE_P(value) == IS_TRUE    ? LARDER_TRUE
                        : Z_TYPE_P(value) == IS_FALSE ? LARDER_FALSE
                                                      : LARDER_NULL,
                        ttl_ms, mode);
        return true;
    case IS_STRING:
        *rc = put_string(store, key, Z_STR_P(value), ttl_ms, mode);
        return true;
    case IS_ARRAY:
        if (zend_hash_num_elements(Z_ARR_P(value)) == 0 &&
            Z_ARR_P(value)->nNextFreeElement == zend_empty_array.nNextFreeElement) {
            *rc = put_bytes(store, key, NULL, 0, LARDER_EMPTY_ARRAY, ttl_ms, mode);
            return true;
        }
        switch (larder_plan_array(Z_ARR_P(value), put_limit(store), &plan)) {
        case LARDER_NATIVE:
            *rc = put_plan(store, key, plan, ttl_ms, mode);
            return true;
        case LARDER_TOO_LARGE:
            *rc = LRD_ESIZE;
            return true;
        case LARDER_NO_MEMORY:
            *rc = LRD_ENOMEM;
            return true;
        case LARDER_SERIALIZE:
            return false;
        }
    }
    return false;
}

int larder_put(lrd_store *store, zend_string *key, zval *value, uint64_t ttl_ms, lrd_mode mode,
               const larder_blame *blame)
{
    int rc;
    ZVAL_DEREF(value);
    if (EXPECTED(put_native(store, key, value, ttl_ms, mode, &rc)))
        return rc;
    zend_string *text = put_serialize(value, blame);
    if (text == NULL)
        return LRD_EINVAL;
    rc = put_bytes(store, key, ZSTR_VAL(text), ZSTR_LEN(text), LARDER_SERIALIZED, ttl_ms, mode);
    zend_string_release(text);
    return rc;
}

bool larder_encode(zval *value, const larder_blame *blame, zend_string **text)
{
    larder_plan *plan;
    *text = NULL;
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) <= IS_STRING ||
        (Z_TYPE_P(value) == IS_ARRAY &&
         larder_plan_array(Z_ARR_P(value), SIZE_MAX / 2, &plan) != LARDER_SERIALIZE))
        return true;
    *text = put_serialize(value, blame);
    return *text != NULL;
}

int larder_put_encoded(lrd_store *store, zend_string *key, zval *value, zend_string *text,
                       uint64_t ttl_ms, lrd_mode mode)
{
    int rc;
    ZVAL_DEREF(value);
    if (text != NULL)
        return put_bytes(store, key, ZSTR_VAL(text), ZSTR_LEN(text), LARDER_SERIALIZED, ttl_ms,
                         mode);
    return put_native(store, key, value, ttl_ms, mode, &rc) ? rc : LRD_EINVAL;
}
