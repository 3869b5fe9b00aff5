/* info.c - facts about stores and entries: getCacheStoreType(), info(), keyInfo() and keys(). */
#include "api/info.h"
#include "api/arguments.h"
#include "api/pool.h"
#include "fetch/resident.h"
#include "format/format.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "zend_enum.h"
#include "zend_exceptions.h"
#include "larder_arginfo.h"

zend_class_entry *larder_exception_class, *larder_throttle_class;
static zend_class_entry *info_type_class, *info_cache_class, *info_key_class;

void larder_info_register(void)
{
    zend_register_functions(NULL, ext_functions, NULL, MODULE_PERSISTENT);
    info_type_class = register_class_Larder_CacheStoreType();
    larder_exception_class = register_class_Larder_StaticCacheException(zend_ce_exception);
    info_cache_class = register_class_Larder_StaticCacheInfo();
    info_key_class = register_class_Larder_KeyInfo();
    larder_pool_register(register_class_Larder_Pool(), register_class_Larder_PoolInfo());
    larder_throttle_class = register_class_Larder_Throttle();
    register_class_Larder_VolatileCache();
    register_class_Larder_PinnedCache();
}

static bool info_packed(const lrd_value *value, lrd_packed *packed)
{
    return value->type == LRD_TYPE_PACKED &&
           lrd_packed_look(value->data, value->size, packed) == LRD_OK;
}

static void info_type(const lrd_store *store, const lrd_value *value, zend_class_entry *type,
                      zval *result)
{
    const char *name = "NotFound";
    lrd_packed packed;
    if (value != NULL) {
        switch (info_packed(value, &packed) ? packed.type : value->type) {
        case LARDER_ARRAY:
        case LARDER_EMPTY_ARRAY:
        case LARDER_ALIAS:
            name = "SharedGraph";
            break;
        case LARDER_GRAPH:
            name = type == NULL && value->type == LARDER_GRAPH &&
                           (larder_resident_stored(store, value) ||
                            larder_resident_lives(store, value))
                       ? "Resident"
                       : "SharedGraph";
            break;
        case LARDER_SERIALIZED:
            name = "PHPSerialized";
            break;
        default:
            name = "Scalar";
        }
    }
    ZVAL_OBJ_COPY(result, zend_enum_get_case_cstr(type != NULL ? type : info_type_class, name));
}

/* Look up a value without counting a use. The value is borrowed until this thread calls the core
 * again. */
static bool info_borrow(lrd_store *store, zend_string *key, lrd_value *value)
{
    int rc;
    if (store == NULL)
        return false;
    LARDER_CALL(
        rc, lrd_get(store, ZSTR_VAL(key), ZSTR_LEN(key), LRD_GET_BORROW | LRD_GET_NO_COUNT, value));
    return rc == LRD_OK;
}

static void info_release(lrd_store *store, lrd_value *value)
{
    int rc;
    LARDER_CALL(rc, lrd_release(store, value));
    (void)rc;
}

void larder_store_type(lrd_store *store, zend_string *key, zend_class_entry *type, zval *result)
{
    lrd_value value;
    bool found = info_borrow(store, key, &value);
    info_type(store, found ? &value : NULL, type, result);
    if (found)
        info_release(store, &value);
}

void larder_key_info(lrd_store *store, zend_string *key, zend_string *label, zval *result)
{
    lrd_value value;
    lrd_entry entry = {0};
    if (!info_borrow(store, key, &value)) {
        ZVAL_NULL(result);
        return;
    }
    zval type; /* before info_release() ends the borrow */
    info_type(store, &value, NULL, &type);
    lrd_packed packed;
    bool is_packed = info_packed(&value, &packed);
    lrd_value_entry(store, &value, &entry);
    info_release(store, &value);
    object_init_ex(result, info_key_class);
    zend_object *object = Z_OBJ_P(result);
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, 0), label);
    ZVAL_COPY_VALUE(OBJ_PROP_NUM(object, 1), &type);
    ZVAL_LONG(OBJ_PROP_NUM(object, 2), (zend_long)value.size);
    if (entry.ttl_ms == 0)
        ZVAL_NULL(OBJ_PROP_NUM(object, 3));
    else
        ZVAL_DOUBLE(OBJ_PROP_NUM(object, 3), (double)entry.ttl_ms / 1000);
    ZVAL_LONG(OBJ_PROP_NUM(object, 4), (zend_long)entry.version);
    ZVAL_STRING(OBJ_PROP_NUM(object, 5), is_packed ? "packed" : "ready");
    ZVAL_LONG(OBJ_PROP_NUM(object, 6), (zend_long)(is_packed ? packed.ready : value.size));
}

void larder_keys(lrd_store *store, zend_string *prefix, zval *result)
{
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    array_init(result);
    while (store != NULL && !LARDER_OUT_OF_MEMORY()) {
        int rc;
        LARDER_CALL(rc, lrd_next(store, &cursor, &value));
        if (rc != LRD_OK)
            return;
        if (lrd_value_entry(store, &value, &entry) != LRD_OK || entry.key_len < ZSTR_LEN(prefix) ||
            memcmp(entry.key, ZSTR_VAL(prefix), ZSTR_LEN(prefix)) != 0 ||
            larder_key_reserved(entry.key, entry.key_len))
            continue;
        add_next_index_stringl(result, entry.key, entry.key_len);
    }
}

/* ---- the state of a store ---- */

void larder_info_read(larder_kind kind, larder_info_state *state)
{
    memset(state, 0, sizeof *state);
    state->place = larder_place_of(kind);
    state->store = LARDER_G(active)[kind] != NULL ? LARDER_G(active)[kind] : larder_activate(kind);
    if (state->store == NULL)
        return;
    lrd_store_info(state->store, &state->info);
    int rc;
    LARDER_CALL(rc, lrd_stats_get(state->store, &state->stats));
    (void)rc;
}

static void info_number(zend_object *object, uint32_t *slot, uint64_t number)
{
    ZVAL_LONG(OBJ_PROP_NUM(object, *slot), (zend_long)number);
    ++*slot;
}

static void info_bool(zend_object *object, uint32_t *slot, bool value)
{
    ZVAL_BOOL(OBJ_PROP_NUM(object, *slot), value);
    ++*slot;
}

void larder_cache_info(larder_kind kind, zend_class_entry *class, zval *result)
{
    larder_info_state state;
    uint32_t slot = 0;
    larder_info_read(kind, &state);
    bool enabled = larder_configured.enabled && larder_configured.size[kind] != 0;
    object_init_ex(result, class != NULL ? class : info_cache_class);
    zend_object *object = Z_OBJ_P(result);
    info_bool(object, &slot, enabled);
    info_bool(object, &slot, state.store != NULL);
    info_bool(object, &slot, enabled && state.place->store == NULL && !state.place->lazy);
    info_bool(object, &slot, state.place->store != NULL);
    info_number(object, &slot,
                state.store != NULL ? state.info.size : larder_configured.size[kind]);
    info_number(object, &slot, state.stats.page_bytes);
    info_number(object, &slot, state.stats.entries);
    info_number(object, &slot, state.store != NULL);
    ZVAL_STRING(OBJ_PROP_NUM(object, slot), state.place->path[0] != '\0' ? state.place->path
                                            : state.place->pool          ? "pool"
                                                                         : "anonymous");
    slot++;
    if (state.store != NULL || larder_store_reason(kind)[0] == '\0')
        ZVAL_NULL(OBJ_PROP_NUM(object, slot));
    else
        ZVAL_STRING(OBJ_PROP_NUM(object, slot), larder_store_reason(kind));
    slot++;
    if (slot == (uint32_t)object->ce->default_properties_count)
        return;
    info_number(object, &slot, state.stats.live_bytes);
    info_number(object, &slot, state.info.entries_max);
    info_number(object, &slot, state.info.value_max);
    info_number(object, &slot, state.stats.hits);
    info_number(object, &slot, state.stats.misses);
    info_number(object, &slot, state.stats.evicted);
    info_number(object, &slot, state.stats.expired);
    info_number(object, &slot, state.stats.refused);
    info_number(object, &slot, state.stats.copies);
    info_number(object, &slot, state.stats.recoveries);
    info_number(object, &slot, state.stats.deaths);
    array_init(OBJ_PROP_NUM(object, slot));
    for (int cause = 0; cause < LRD_REFUSALS; cause++)
        if (state.stats.refused_by[cause] != 0)
            add_assoc_long(OBJ_PROP_NUM(object, slot), lrd_refusal_name(cause),
                           (zend_long)state.stats.refused_by[cause]);
}
