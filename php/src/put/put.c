/* put.c - stores a value, ready (usable in place) or packed (compressed). It measures the value,
 * and writes it into a block that the core reserves. Begin reading at larder_put(). */
#include "put/put.h"
#include "fetch/fetch.h"
#include "fetch/resident.h"
#include "format/format.h"
#include "kinds/classes.h"
#include "pack/pack.h"
#include "put/alike.h"
#include "put/content.h"
#include "put/fall.h"
#include "put/few.h"
#include "put/hooks.h"
#include "put/plan.h"
#include "put/small.h"
#include "put/string.h"
#include "request/serializer.h"
#include "stores/log.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "stores/table.h"
#include "ext/standard/php_var.h"
#include "zend_smart_str.h"

/* `fill` writes the block. */
static zend_always_inline int put_built(const larder_target *to, size_t size, uint8_t type,
                                        lrd_fill fill, const void *from)
{
    larder_push *message = to->message;
    int rc;
    if (UNEXPECTED(message != NULL))
        LARDER_CALL(rc, lrd_queue_push_fill(to->store, message->queue, size, type, &message->how,
                                            fill, from, &message->id));
    else
        LARDER_CALL(rc,
                    lrd_put_fill(to->store, ZSTR_VAL(to->key), ZSTR_LEN(to->key), size, fill, from,
                                 &(lrd_write){.ttl_ms = to->ttl_ms,
                                              .version = to->version,
                                              .mode = to->mode,
                                              .type = type}));
    return rc;
}

static LARDER_HOT int put_bytes(const larder_target *to, const void *data, size_t size,
                                uint8_t type)
{
    larder_push *message = to->message;
    int rc;
    if (UNEXPECTED(message != NULL))
        LARDER_CALL(rc, lrd_queue_push(to->store, message->queue, data, size, type, &message->how,
                                       &message->id));
    else
        LARDER_CALL(rc, lrd_put(to->store, ZSTR_VAL(to->key), ZSTR_LEN(to->key), data, size,
                                &(lrd_write){.ttl_ms = to->ttl_ms,
                                             .version = to->version,
                                             .mode = to->mode,
                                             .type = type}));
    return rc;
}

/* Return `store` if it is the immutable store, whose values may refer to one another. Otherwise,
 * return NULL. */
static zend_always_inline lrd_store *put_reuse(lrd_store *store)
{
    return UNEXPECTED(store == LARDER_G(active)[LARDER_IMMUTABLE]) ? store : NULL;
}

static zend_always_inline bool put_is_there(lrd_store *store, const void *address)
{
    return UNEXPECTED(put_reuse(store) != NULL) && lrd_contains(store, address);
}

/* If the entry already has the value at `pointer`, set only its time to live, and return true. */
static zend_never_inline bool put_back(const larder_target *to, const void *pointer)
{
    lrd_value value;
    int rc;
    LARDER_CALL(rc, lrd_get(to->store, ZSTR_VAL(to->key), ZSTR_LEN(to->key),
                            LRD_GET_NO_COPY | LRD_GET_NO_COUNT, &value));
    if (rc != LRD_OK)
        return false;
    rc = LRD_STALE;
    if (value.kind == LRD_KIND_HELD && value.data == pointer)
        LARDER_CALL(rc, lrd_put_held(to->store, &value, to->ttl_ms));
    int released;
    LARDER_CALL(released, lrd_release(to->store, &value));
    (void)released;
    return rc == LRD_OK;
}

/* If the string or array at `pointer` is already the entry's value, set only the time to live, and
 * return true. */
static zend_always_inline bool put_same(const larder_target *to, const void *pointer)
{
    return UNEXPECTED(lrd_contains(to->store, pointer)) && to->mode == LRD_SET &&
           to->message == NULL && put_back(to, pointer);
}

/* If the immutable store has an equal value, store an alias of it, set *rc, and return true. */
static zend_always_inline bool put_equal(const larder_target *to, const zval *value, size_t size,
                                         larder_content *content, int *rc)
{
    content->known = false;
    if (EXPECTED(put_reuse(to->store) == NULL) || size < LARDER_CONTENT_MIN)
        return false;
    const void *equal = larder_content_find(to->store, value, content);
    if (equal != NULL)
        *rc = put_bytes(to, &equal, sizeof equal, LARDER_ALIAS);
    return equal != NULL;
}

static LARDER_HOT int put_string(const larder_target *to, zend_string *string)
{
    larder_content content;
    zval value;
    int rc;
    if (ZSTR_LEN(string) <= LARDER_COPY_MAX)
        return put_bytes(to, ZSTR_VAL(string), ZSTR_LEN(string), LARDER_SHORT);
    if (put_is_there(to->store, string))
        return put_bytes(to, &string, sizeof string, LARDER_ALIAS);
    if (put_same(to, string))
        return LRD_OK;
    /* compute the hash now, because PHP cannot write it into the block later */
    zend_string_hash_val(string);
    ZVAL_STR(&value, string);
    if (put_equal(to, &value, ZSTR_LEN(string), &content, &rc))
        return rc;
    rc = put_built(to, LARDER_STRING_SIZE(ZSTR_LEN(string)), LARDER_STRING, larder_fill_string,
                   string);
    if (UNEXPECTED(content.known) && rc == LRD_OK)
        larder_content_tell(to->store, &content, to->key);
    return rc;
}

/* Record whether workers may keep the objects of a graph (see fetch/resident.h). If workers may
 * keep any part of the graph, also record the time of this write. */
static void put_resident(larder_plan *plan, bool living)
{
    bool objects = false, all = true;
    for (uint32_t i = 0; all && i < plan->classes_used; i++) {
        all = plan->classes[i].resident;
        objects |= plan->classes[i].kind != LARDER_CLASS_ENUM;
    }
    plan->resident = all && objects;
    plan->living = living;
    plan->built = plan->resident || plan->living || plan->constants >= LARDER_CONSTANTS
                      ? larder_built_now()
                      : 0;
}

/* Return the form that the call demands. If the call demands none, return the form of the
 * configuration. */
static zend_always_inline larder_form put_form(const larder_target *to)
{
    return EXPECTED(to->form == LARDER_FORM_UNSET) ? larder_configured.form : to->form;
}

/* Return the form in which the value should be stored. LARDER_FORM_AUTO means that the value is
 * packed if memory is short. */
static zend_always_inline larder_form put_wants(const larder_target *to)
{
    if (to->message != NULL || to->living || to->mode == LRD_REFORM ||
        (to->store != LARDER_G(active)[LARDER_VOLATILE] &&
         to->store != LARDER_G(active)[LARDER_APCU]))
        return LARDER_FORM_READY;
    return put_form(to);
}

/* Return true if the value should be packed, and set *effort. If the program or the settings demand
 * the packed form, saving memory is worth more time. */
static zend_never_inline bool put_packs(const larder_target *to, larder_effort *effort)
{
    larder_form form = put_wants(to);
    *effort = LARDER_PACK_SMALL;
    if (form != LARDER_FORM_AUTO)
        return form == LARDER_FORM_PACKED;
    lrd_pressure pressure = lrd_pressed(to->store, ZSTR_VAL(to->key), ZSTR_LEN(to->key));
    *effort = larder_effort_under(pressure);
    return pressure != LRD_PRESSURE_NONE;
}

/* Store a value of few parts. Returns false, without storing, if the value is a graph and should be
 * packed. For an array (`graph` is false), the caller must have checked put_packs(). */
static zend_always_inline bool put_ready(const larder_target *to, size_t size, bool graph,
                                         lrd_fill fill, const void *from, int *rc)
{
    larder_form form = graph ? put_wants(to) : LARDER_FORM_READY;
    if (form == LARDER_FORM_AUTO) {
        LARDER_CALL(*rc,
                    lrd_put_ready(to->store, ZSTR_VAL(to->key), ZSTR_LEN(to->key), size, fill, from,
                                  &(lrd_write){.ttl_ms = to->ttl_ms,
                                               .version = to->version,
                                               .mode = to->mode,
                                               .type = LARDER_GRAPH}));
        return *rc != LRD_SHORT;
    }
    if (form == LARDER_FORM_PACKED)
        return false;
    *rc = put_built(to, size, graph ? LARDER_GRAPH : LARDER_ARRAY, fill, from);
    return true;
}

/* Store packed bytes. If the caller demanded the packed form, marks the value so that no process
 * unpacks it in the store. */
static void put_packed_bytes(const larder_target *to, const larder_packed *packed, int *rc)
{
    if (to->form == LARDER_FORM_PACKED)
        lrd_pack_stay(packed->data, packed->size);
    *rc = put_bytes(to, packed->data, packed->size, LRD_TYPE_PACKED);
}

/* If memory was short for this write, pack at most one other entry. */
static zend_always_inline void put_done(const larder_target *to)
{
    if (UNEXPECTED(lrd_write_pressed(to->store)) && to->message == NULL &&
        larder_configured.form == LARDER_FORM_AUTO)
        larder_fall_back(to->store);
}

/* Store a value in packed form, and set *rc. Returns false, without storing, if the value must be
 * stored in its ready (unpacked) form. */
static bool put_packed(const larder_target *to, const zval *value, int *rc)
{
    larder_packed packed;
    larder_effort effort;
    if (!put_packs(to, &effort) || !larder_pack(value, effort, &packed))
        return false;
    put_packed_bytes(to, &packed, rc);
    return true;
}

/* Store the text of a serializer. The text is packed if its target wants the packed form, and
 * packing saves enough memory. */
static int put_text(const larder_target *to, const zend_string *text, uint8_t type)
{
    larder_packed packed;
    larder_effort effort;
    int rc;
    if (!put_packs(to, &effort) ||
        !larder_pack_text(ZSTR_VAL(text), ZSTR_LEN(text), type, effort, &packed))
        return put_bytes(to, ZSTR_VAL(text), ZSTR_LEN(text), type);
    put_packed_bytes(to, &packed, &rc);
    return rc;
}

int larder_put_text(const larder_target *to, const zend_string *text, uint8_t type)
{
    int rc = put_text(to, text, type);
    put_done(to);
    return rc;
}

/* Store a graph in packed form, and set *rc. Returns false, without storing, if the graph must be
 * stored in its ready (unpacked) form. */
static bool put_packed_graph(const larder_target *to, const larder_plan *plan, int *rc)
{
    larder_packed packed;
    larder_effort effort;
    if (!put_packs(to, &effort))
        return false;
    void *block = larder_pack_block(plan->size);
    if (block == NULL)
        return false;
    larder_fill_plan(plan, block, block, plan->size);
    if (!larder_pack_graph(block, plan->size, effort, &packed))
        return false;
    put_packed_bytes(to, &packed, rc);
    return true;
}

static LARDER_HOT int put_plan(const larder_target *to, const zval *value, larder_plan *plan)
{
    larder_content content = {.known = false};
    bool graph = larder_plan_is_graph(plan);
    int rc;
    /* no worker keeps the objects of a message, because a message is fetched only once */
    if (graph && to->message == NULL)
        put_resident(plan, to->living);
    if (graph && put_packed_graph(to, plan, &rc))
        return rc;
    if (!graph && put_equal(to, value, plan->size, &content, &rc))
        return rc;
    rc = put_built(to, plan->size, graph ? LARDER_GRAPH : LARDER_ARRAY, larder_fill_plan, plan);
    if (UNEXPECTED(content.known) && rc == LRD_OK)
        larder_content_tell(to->store, &content, to->key);
    return rc;
}

/* Refuse a value that is too large. The call of put_built() makes the core refuse the block and
 * count the refusal. */
static int put_too_large(const larder_target *to, const larder_plan *plan)
{
    return put_built(to, MAX(plan->size, plan->limit + 1), LARDER_ARRAY, larder_fill_plan, plan);
}

zend_string *larder_serialize(zval *value)
{
    larder_serializer outer;
    php_serialize_data_t data;
    smart_str text = {0};
    larder_serializer_begin(&outer);
    PHP_VAR_SERIALIZE_INIT(data);
    php_var_serialize(&text, value, &data);
    PHP_VAR_SERIALIZE_DESTROY(data);
    larder_serializer_end(&outer);
    if (EG(exception)) {
        smart_str_free(&text);
        return NULL;
    }
    smart_str_0(&text);
    return text.s;
}

/* Store a value of few parts, and set *rc. Returns false if the value needs a plan. */
static zend_never_inline bool put_few(const larder_target *to, const zval *value,
                                      const larder_states *states, int *rc)
{
    larder_few few;
    if (!larder_few_measure(&few, value, states) || UNEXPECTED(few.size > lrd_value_max(to->store)))
        return false;
    few.built = few.resident && to->message == NULL ? larder_built_now() : 0;
    return put_ready(to, few.size, larder_few_is_graph(&few), larder_fill_few, &few, rc);
}

static zend_always_inline larder_class *put_class(const zval *value)
{
    return Z_TYPE_P(value) == IS_OBJECT ? larder_class_of(Z_OBJCE_P(value)) : NULL;
}

/* Store a small value or one of few parts, and set *rc. Returns false if the value needs a plan. */
static zend_always_inline bool put_small(const larder_target *to, const zval *value,
                                         const larder_states *states, int *rc)
{
    larder_small small;
    if (UNEXPECTED(put_reuse(to->store) != NULL) || UNEXPECTED(to->living))
        return false;
    if (!larder_small_measure(&small, value, states)) {
        const larder_class *class = put_class(value);
        return (class == NULL || !class->large) && put_few(to, value, states, rc);
    }
    if (UNEXPECTED(small.size > lrd_value_max(to->store)))
        return false;
    return put_ready(to, small.size, small.class != NULL, larder_fill_small, &small, rc);
}

/* Store a value without user code, set *rc, and return LARDER_NATIVE. Otherwise stores nothing, and
 * returns LARDER_HOOKS or LARDER_SERIALIZE. */
static zend_always_inline larder_measured put_native(const larder_target *to, zval *value,
                                                     const larder_states *states, int *rc)
{
    larder_plan *plan;
    larder_measured measured = LARDER_NATIVE;
    switch (Z_TYPE_P(value)) {
    case IS_LONG: {
        int64_t number = Z_LVAL_P(value);
        if (to->mode == LRD_SET && EXPECTED(to->message == NULL))
            LARDER_CALL(*rc, lrd_counter_set(to->store, ZSTR_VAL(to->key), ZSTR_LEN(to->key),
                                             number, to->ttl_ms));
        else
            *rc = put_bytes(to, &number, sizeof number, LRD_TYPE_COUNTER);
        break;
    }
    case IS_DOUBLE:
        *rc = put_bytes(to, &Z_DVAL_P(value), sizeof(double), LARDER_DOUBLE);
        break;
    case IS_UNDEF:
    case IS_NULL:
    case IS_FALSE:
    case IS_TRUE:
        *rc = put_bytes(to, NULL, 0,
                        Z_TYPE_P(value) == IS_TRUE    ? LARDER_TRUE
                        : Z_TYPE_P(value) == IS_FALSE ? LARDER_FALSE
                                                      : LARDER_NULL);
        break;
    case IS_STRING:
        if (Z_STRLEN_P(value) < LARDER_PACK_STRING_MIN || !put_packed(to, value, rc))
            *rc = put_string(to, Z_STR_P(value));
        break;
    case IS_ARRAY:
        if (zend_hash_num_elements(Z_ARR_P(value)) == 0) {
            *rc = put_bytes(to, NULL, 0, LARDER_EMPTY_ARRAY);
            break;
        }
        if (put_is_there(to->store, Z_ARR_P(value))) {
            *rc = put_bytes(to, &Z_ARR_P(value), sizeof(zend_array *), LARDER_ALIAS);
            break;
        }
        if (put_same(to, Z_ARR_P(value))) {
            *rc = LRD_OK;
            break;
        }
        if (put_packed(to, value, rc))
            break;
        ZEND_FALLTHROUGH;
    default:
        if (put_small(to, value, states, rc))
            break;
        measured =
            larder_plan_value(value, states, lrd_value_max(to->store), put_reuse(to->store), &plan);
        if (measured == LARDER_NATIVE) {
            larder_class *class = put_class(value);
            if (class != NULL)
                class->large = plan->size > LARDER_FEW_BYTES;
            *rc = put_plan(to, value, plan);
        } else if (measured == LARDER_TOO_LARGE)
            *rc = put_too_large(to, plan);
        else if (measured == LARDER_NO_MEMORY)
            *rc = LRD_ENOMEM;
        larder_plan_done();
        if (measured == LARDER_TOO_LARGE || measured == LARDER_NO_MEMORY)
            measured = LARDER_NATIVE;
    }
    return measured;
}

void larder_put_ready(lrd_store *store, zend_string *key, uint64_t version, zval *value)
{
    larder_target to = {.store = store, .key = key, .version = version, .mode = LRD_REFORM};
    int rc;
    (void)put_native(&to, value, NULL, &rc);
}

/* Find out whether storing the value needs hooks, the serializer, or neither. */
static larder_measured put_measure(zval *value, const larder_states *states)
{
    larder_plan *plan;
    larder_measured measured = larder_plan_value(value, states, SIZE_MAX / 2, NULL, &plan);
    larder_plan_done();
    return measured;
}

/* Maximum number of walks to call hooks. If a hook adds an object to a part that the walk has
 * already passed, another walk must call the hooks of this object. */
#define PUT_WALKS 8

/* Check a value with larder_serializable(), and serialize it. `states` has the results of hooks for
 * the check. PHP's serializer calls all hooks again. Returns NULL after an exception or a
 * warning. */
static zend_string *put_serialize(zval *value, const larder_blame *blame,
                                  const larder_states *states)
{
    return larder_serializable(value, states, blame) ? larder_serialize(value) : NULL;
}

/* Run hooks or the serializer, according to `measured`. Returns false if an exception is set. */
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
        out->text = put_serialize(value, blame, out->states);
        return out->text != NULL;
    }
    return true;
}

/* parts that put_is_simple() examines */
#define PUT_PARTS 64

static bool put_is_simple(const zval *value, int *parts);

static bool put_are_simple(const zval *value, uint32_t count, size_t step, int *parts)
{
    for (; count != 0; count--, value = (const zval *)(const void *)((const char *)value + step))
        if (Z_TYPE_P(value) > IS_STRING && !put_is_simple(value, parts))
            return false;
    return true;
}

/* Return true if a value certainly needs neither user code nor the serializer. *parts limits the
 * number of parts to examine; each examined part decrements it. */
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
        !larder_has_plain_handlers(object))
        return false;
    return !larder_is_lazy(Z_OBJ_P(value)) &&
           put_are_simple(object->properties_table, (uint32_t)object->ce->default_properties_count,
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

/* Return true if a queue has refused a message because the queue has reached its maximum number of
 * messages. The caller does not log this case, because a larger store would not help. */
static bool put_at_capacity(const larder_target *to, int code)
{
    lrd_queue_stats now;
    int rc = LRD_MISS;
    if (code == LRD_ENOROOM && to->message != NULL)
        LARDER_CALL(rc, lrd_queue_stats_get(to->store, to->message->queue, &now));
    return rc == LRD_OK && now.capacity != 0 &&
           now.ready + now.reserved + now.delayed + now.buried >= now.capacity;
}

/* Log that a store refuses values, once for each cause. A value that is too large is not logged,
 * because it raises a warning instead. */
static ZEND_COLD void put_refused(const larder_target *to, int code)
{
    lrd_store *store = to->store;
    char text[400];
    /* The core does not count a refused push with LRD_PUSH_RETRY, because queue_push_encoded()
     * tries the push again. So do not log it. */
    if (to->message != NULL && to->message->how.flags == LRD_PUSH_RETRY &&
        (code == LRD_ENOROOM || code == LRD_EBUSY))
        return;
    int cause = lrd_refusal_of(store, code);
    if (!PG(log_errors) || cause < 0 || cause == LRD_REFUSED_SIZE || put_at_capacity(to, code) ||
        !lrd_refusal_is_news(store, cause))
        return;
    bool moved = code == LRD_EMOVED || code == LRD_ETRUNCATED;
    const char *name = "an unknown";
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (larder_place_of(kind)->store == store)
            name = larder_store_table[kind].name;
    snprintf(text, sizeof text,
             "Larder: the %s store refuses values: %s (%.160s). Said once; info() counts", name,
             moved ? "its file has gone, and the next request opens it again"
                   : lrd_refusal_text(cause),
             lrd_error_detail());
    larder_log(text);
}

int larder_put_encoded(const larder_target *to, zval *value, const larder_encoded *encoded)
{
    int rc;
    ZVAL_DEREF(value);
    if (encoded->text != NULL)
        rc = put_text(to, encoded->text, LARDER_SERIALIZED);
    else if (put_native(to, value, encoded->states, &rc) != LARDER_NATIVE)
        rc = LRD_EINVAL;
    if (UNEXPECTED(rc < 0))
        put_refused(to, rc);
    put_done(to);
    return rc;
}

/* Call the hooks of objects of one class, and store the value. Returns false if the value must be
 * stored in another way, or if an exception is set. */
static zend_always_inline bool put_alike(const larder_target *to, larder_alike *alike, int *rc)
{
    if (!larder_alike_call(alike) || UNEXPECTED(put_reuse(to->store) != NULL) ||
        UNEXPECTED(to->living) || UNEXPECTED(alike->size > lrd_value_max(to->store)) ||
        !put_ready(to, alike->size, true, larder_fill_alike, alike, rc))
        return false;
    larder_alike_free(alike);
    return true;
}

/* Put a value whose hooks were called already. `alike` has their results. */
static zend_never_inline int put_prepared(const larder_target *to, zval *value,
                                          larder_measured measured, const larder_blame *blame,
                                          larder_alike *alike)
{
    larder_states states = {.used = 0};
    int rc = LRD_EINVAL;
    larder_alike_hand(alike, &states);
    bool good = !EG(exception);
    for (int walk = 0; measured == LARDER_HOOKS && good && walk < PUT_WALKS; walk++) {
        good = larder_states_collect(&states, value);
        if (good)
            measured = put_native(to, value, &states, &rc);
    }
    if (good && measured != LARDER_NATIVE) {
        zend_string *text = put_serialize(value, blame, &states);
        if (text != NULL) {
            rc = put_text(to, text, LARDER_SERIALIZED);
            zend_string_release(text);
        }
    }
    larder_states_free(&states);
    return rc;
}

/* not inline, because `alike` takes much of the stack */
static zend_never_inline int put_hooked(const larder_target *to, zval *value,
                                        larder_measured measured, const larder_blame *blame)
{
    larder_alike alike;
    int rc;
    alike.called = 0;
    if (measured == LARDER_HOOKS && larder_alike_find(&alike, value) && put_alike(to, &alike, &rc))
        return rc;
    return put_prepared(to, value, measured, blame, &alike);
}

/* Return true if Larder must call a hook of the value. If a lazy object has only a __sleep(),
 * Larder does not call it: PHP's serializer must store the object, and calls __sleep() itself. */
static zend_always_inline bool put_has_hook(const zval *value)
{
    if (Z_TYPE_P(value) != IS_OBJECT)
        return false;
    const larder_class *class = larder_class_of(Z_OBJCE_P(value));
    return class != NULL && class->builtin == LARDER_BUILTIN_NONE &&
           ((class->kind == LARDER_CLASS_STATE && !class->bare) ||
            (class->sleep != NULL && !larder_is_lazy(Z_OBJ_P(value))));
}

/* Return true if each element is a scalar, a string, or an object with a hook. The first element is
 * such an object. */
static zend_never_inline bool put_all_ask(const zval *value, uint32_t count, size_t step)
{
    const zend_class_entry *asking = Z_OBJCE_P(value);
    for (; count != 0; count--, value = (const zval *)(const void *)((const char *)value + step))
        if (Z_TYPE_P(value) > IS_STRING &&
            (Z_TYPE_P(value) != IS_OBJECT ||
             ((Z_OBJCE_P(value) != asking || larder_is_lazy(Z_OBJ_P(value))) &&
              !put_has_hook(value))))
            return false;
    return true;
}

/* Return true if a plan would certainly end with LARDER_HOOKS. */
static zend_always_inline bool put_asks(const zval *value)
{
    if (Z_TYPE_P(value) != IS_ARRAY || Z_ARRVAL_P(value)->nNumUsed == 0)
        return put_has_hook(value);
    const HashTable *array = Z_ARRVAL_P(value);
    bool packed = HT_FLAGS(array) & HASH_FLAG_PACKED;
    const zval *first = packed ? array->arPacked : &array->arData->val;
    return put_has_hook(first) &&
           put_all_ask(first, array->nNumUsed, packed ? sizeof(zval) : sizeof(Bucket));
}

int larder_put(const larder_target *to, zval *value, const larder_blame *blame)
{
    int rc = LRD_EINVAL;
    ZVAL_DEREF(value);
    larder_measured measured = put_asks(value) ? LARDER_HOOKS : put_native(to, value, NULL, &rc);
    if (EXPECTED(measured == LARDER_NATIVE)) {
        if (UNEXPECTED(rc < 0))
            put_refused(to, rc);
        put_done(to);
        return rc;
    }
    zval own; /* keeps the value alive if a hook releases all other references */
    ZVAL_COPY(&own, value);
    rc = put_hooked(to, &own, measured, blame);
    zval_ptr_dtor(&own);
    if (UNEXPECTED(rc < 0) && !EG(exception))
        put_refused(to, rc);
    put_done(to);
    return rc;
}

bool larder_put_over(larder_target *to, int rc)
{
    if (to->mode == LRD_ADD && rc == LRD_EXISTS) {
        if (larder_is_unreadable(to->store, to->key, &to->version)) {
            to->mode = LRD_REPLACE;
            return true;
        }
        (void)larder_hook_threw();
        return false;
    }
    if (to->mode == LRD_REPLACE && rc == LRD_MISS) {
        to->mode = LRD_ADD;
        to->version = 0;
        return true;
    }
    return false;
}
