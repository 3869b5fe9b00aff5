/* fetch.c - returns a stored value to PHP. PHP reads large values in place while the request holds
 * the block; other values are copied. Begin reading at larder_fetch() in fetch.h, then read
 * larder_take_slow(). */
#include "fetch/fetch.h"
#include "fetch/common.h"
#include "fetch/copies.h"
#include "fetch/graph.h"
#include "fetch/igbinary.h"
#include "fetch/resident.h"
#include "format/format.h"
#include "larder_coordination.h"
#include "zend_exceptions.h"
#include "holds/holds.h"
#include "pack/pack.h"
#include "request/moves.h"
#include "request/serializer.h"
#include "stores/settings.h"
#include "ext/standard/php_var.h"

void larder_take_end(lrd_store *store, lrd_value *value)
{
    int unused;
    LARDER_CALL(unused, lrd_release(store, value));
    (void)unused;
}

/* ---- the other types ---- */

/* Parse a string such as :3:"abc" in a serialized text. `at` points to the first ':'. *length
 * receives the number of bytes between the quotes. Returns the position of the first of these
 * bytes, or NULL if the text ends too early. */
static const char *fetch_counted(const char *at, const char *end, size_t *length)
{
    *length = 0;
    while (++at < end && *at >= '0' && *at <= '9')
        *length = *length * 10 + (size_t)(*at - '0');
    return end - at > 2 && *length < (size_t)(end - at - 2) ? at + 2 : NULL;
}

static bool fetch_has_class(const char *name, size_t length)
{
    zend_string *class = zend_string_init(name, length, 0);
    bool good = zend_lookup_class(class) != NULL;
    zend_string_release(class);
    return good;
}

/* Autoload the classes in a serialized text. Returns false if a class is missing, because
 * unserialize() would make an incomplete object of it. A malformed text is no failure here:
 * unserialize() reports it later. */
static bool fetch_has_classes(const char *at, const char *end)
{
    /* The class that was found last. Most objects have the same class as the object before. */
    const char *last = NULL;
    size_t last_length = 0;
    while (++at < end) {
        char kind = at[-1];
        if (*at != ':' || (kind != 's' && kind != 'O' && kind != 'E' && kind != 'C'))
            continue;
        size_t length, class;
        const char *name = fetch_counted(at, end, &length), *colon;
        if (name == NULL)
            break;
        at = name + length + 1;
        if (kind == 's')
            continue;
        /* the text of an enum case is CLASS:CASE */
        colon = kind == 'E' ? memchr(name, ':', length) : NULL;
        class = colon != NULL ? (size_t)(colon - name) : length;
        if (last == NULL || class != last_length || memcmp(name, last, class) != 0) {
            if (!fetch_has_class(name, class))
                return false;
            last = name;
            last_length = class;
        }
        if (kind == 'C') { /* a Serializable object: skip its data */
            at = fetch_counted(at, end, &length);
            if (at == NULL)
                break;
            at += length;
        }
    }
    return true;
}

/* Unserialize a text. If one of its classes is missing, sets *known to false and returns false.
 * Runs user code. */
static bool fetch_text(const unsigned char *text, const unsigned char *end, zval *result,
                       bool *known)
{
    larder_serializer outer;
    larder_serializer_begin(&outer);
    const char *callback = /* this function of the program may define missing classes */
        zend_ini_string_ex(ZEND_STRL("unserialize_callback_func"), 0, NULL);
    *known = (callback != NULL && *callback != '\0') ||
             fetch_has_classes((const char *)text, (const char *)end);
    php_unserialize_data_t data;
    PHP_VAR_UNSERIALIZE_INIT(data);
    php_var_unserialize_set_max_depth(data, 2 * LARDER_SERIALIZE_DEPTH);
    zval *root = var_tmp_var(&data);
    bool good = *known && php_var_unserialize(root, &text, end, &data);
    if (good)
        ZVAL_COPY_DEREF(result, root);
    PHP_VAR_UNSERIALIZE_DESTROY(data);
    larder_serializer_end(&outer);
    return good;
}

/* Call this after fetch_text(), which has returned `good`. If `good` is false, or if user code has
 * thrown, sets *result to null and returns false. */
static bool fetch_text_end(bool good, zval *result)
{
    if (good && EG(exception)) {
        zval_ptr_dtor(result);
        good = false;
    }
    if (!good)
        ZVAL_NULL(result);
    return good;
}

/* Unserialize a text. If the text is not held, copies it first, because user code may end the
 * borrow. */
static bool fetch_unserialize(lrd_store *store, lrd_value *value, zval *result)
{
    zend_string *copy = NULL;
    const unsigned char *text = value->data;
    bool known;
    if (value->kind != LRD_KIND_HELD) {
        copy = zend_string_init(value->data, value->size, 0);
        text = (const unsigned char *)ZSTR_VAL(copy);
        larder_take_end(store, value);
    }
    bool good =
        fetch_text(text, text + (copy != NULL ? ZSTR_LEN(copy) : value->size), result, &known);
    if (copy != NULL)
        zend_string_release(copy);
    else
        larder_take_end(store, value);
    good = fetch_text_end(good, result);
    if (!known && LARDER_G(uncounted) != value)
        lrd_count_miss(store);
    return good;
}

/* Fetch an alias: an entry whose value is the address of a string or array in an immutable store.
 * Immutable stores never free values, so the string or array needs no hold. */
static void fetch_alias(const lrd_value *value, zval *result)
{
    zend_refcounted *target = *(zend_refcounted *const *)value->data;
    if (GC_TYPE(target) == IS_STRING) {
        ZVAL_INTERNED_STR(result, (zend_string *)target);
    } else {
        Z_ARR_P(result) = (zend_array *)target;
        Z_TYPE_INFO_P(result) = IS_ARRAY;
    }
}

/* Return true, and set *entry, if a packed value is read so often that it should be stored
 * unpacked. */
static zend_never_inline bool fetch_is_often(lrd_store *store, const lrd_value *value,
                                             lrd_entry *entry)
{
    lrd_packed packed;
    return larder_configured.form != LARDER_FORM_PACKED &&
           lrd_value_uses(store, value) >= LRD_USES_OFTEN &&
           lrd_value_entry(store, value, entry) == LRD_OK && entry->version != 0 &&
           lrd_rises(store, entry->key, entry->key_len, LARDER_G(packed_random) >> 16) &&
           lrd_packed_look(value->data, value->size, &packed) == LRD_OK && !packed.stays &&
           /* a larger unpacked value might find no room in the store */
           packed.ready <= lrd_value_max(store) / 16;
}

/* Unpack a graph from *packed, and fetch it. If `key` is not NULL, also store the unpacked graph in
 * the entry if the entry still has this version. Releases `value` (the packed bytes) before user
 * code runs. */
static bool fetch_packed_graph(lrd_store *store, lrd_value *value, const lrd_packed *packed,
                               zend_string *key, uint64_t version, zval *result)
{
    larder_unfolded unfolded;
    bool good = larder_unfold(packed, key != NULL, &unfolded);
    larder_take_end(store, value);
    if (UNEXPECTED(!good))
        return false;
    if (UNEXPECTED(key != NULL)) {
        int unused;
        LARDER_CALL(
            unused,
            lrd_put_fill(
                store, ZSTR_VAL(key), ZSTR_LEN(key), unfolded.size, larder_fill_unfolded, &unfolded,
                &(lrd_write){.version = version, .mode = LRD_REFORM, .type = LARDER_GRAPH}));
        (void)unused;
    }
    const lrd_value block = {.data = unfolded.block,
                             .size = unfolded.size,
                             .type = LARDER_GRAPH,
                             /* this request owns the block */
                             .kind = LRD_KIND_HELD};
    good = larder_graph_unfolded(store, &block, unfolded.moves, result);
    larder_unfolded_free(&unfolded);
    return good;
}

/* Unpack a serialized text, or a value that Ruby has stored. May run user code. *lost becomes true
 * if the value is damaged or its classes are unknown; the caller then counts a miss. */
static bool fetch_packed_text(lrd_store *store, lrd_value *value, const lrd_packed *packed,
                              const zend_string *key, uint64_t version, zval *result, bool *lost)
{
    const uint8_t type = packed->type;
    zend_string *text = larder_unpack_text(packed);
    bool known = true, good;
    larder_take_end(store, value);
    *lost = text == NULL;
    if (UNEXPECTED(text == NULL))
        return false;
    if (UNEXPECTED(key != NULL)) {
        int unused;
        LARDER_CALL(unused,
                    lrd_put(store, ZSTR_VAL(key), ZSTR_LEN(key), ZSTR_VAL(text), ZSTR_LEN(text),
                            &(lrd_write){.version = version, .mode = LRD_REFORM, .type = type}));
        (void)unused;
    }
    if (type == LARDER_IGBINARY)
        return larder_igbinary_restore(text, result);
    if (type >= LRD_TYPE_PLAIN) {
        const lrd_value plain = {.data = ZSTR_VAL(text), .size = ZSTR_LEN(text), .type = type};
        good = larder_common_take(&plain, result);
        zend_string_release(text);
        *lost = !good;
        return good;
    }
    const unsigned char *start = (const unsigned char *)ZSTR_VAL(text);
    good = fetch_text_end(fetch_text(start, start + ZSTR_LEN(text), result, &known), result);
    zend_string_release(text);
    *lost = !known;
    return good;
}

/* Unpack and fetch a packed value. A damaged value counts as a miss. */
static bool fetch_packed(lrd_store *store, lrd_value *value, zval *result)
{
    lrd_entry entry;
    lrd_packed packed;
    zend_string *key = NULL;
    uint64_t version = 0;
    bool counted = LARDER_G(uncounted) != value, lost = true, good;
    LARDER_G(packed_random) = LARDER_G(packed_random) * 1664525u + 1013904223u;
    if (UNEXPECTED((LARDER_G(packed_random) >> 16) % LRD_SAMPLE_NONE == 0) &&
        fetch_is_often(store, value, &entry)) {
        key = zend_string_init(entry.key, entry.key_len, 0);
        version = entry.version;
    }
    if (lrd_packed_open(value->data, value->size, &packed) != LRD_OK) {
        larder_take_end(store, value);
        good = false;
    } else if (packed.type == LARDER_GRAPH) {
        good = fetch_packed_graph(store, value, &packed, key, version, result);
    } else if (larder_type_is_text(packed.type) || packed.type >= LRD_TYPE_PLAIN) {
        good = fetch_packed_text(store, value, &packed, key, version, result, &lost);
    } else {
        good = larder_unpack(&packed, result);
        larder_take_end(store, value);
        if (good && key != NULL)
            larder_built_above.ready(store, key, version, result);
    }
    if (key != NULL)
        zend_string_release(key);
    if (UNEXPECTED(!good)) {
        ZVAL_NULL(result);
        if (counted && lost)
            lrd_count_miss(store);
    } else if (counted) {
        lrd_count_unpack(store);
    }
    return good;
}

/* ---- graphs ---- */

/* maximum number of attempts to copy a value that other processes keep replacing */
#define FETCH_TRIES 4

/* Fetch a graph whose block is not held. Loading a class runs user code, which could free the
 * block. So if a class is missing, stop the attempt, load the class, look up the value again, and
 * make another attempt. */
static bool fetch_unheld(lrd_store *store, lrd_value *value, larder_graph_again *again,
                         void *context, zval *result)
{
    for (int tries = 0; tries < FETCH_TRIES; tries++) {
        if (larder_graph_fetch_unheld(store, value, result))
            return true;
        /* larder_graph_load() runs user code, which may free the block */
        if (EG(exception) || LARDER_OUT_OF_MEMORY() || !larder_graph_load(value) ||
            again(context, store, value) != LRD_OK)
            return false;
        if (value->type != LARDER_GRAPH || value->kind == LRD_KIND_HELD)
            return larder_take_again(store, value, result); /* the caller counts a miss */
    }
    return false;
}

static int fetch_again_by_key(void *key, lrd_store *store, lrd_value *value)
{
    return larder_lookup_again(store, key, value);
}

static bool fetch_unheld_entry(lrd_store *store, lrd_value *value, zval *result)
{
    lrd_entry entry;
    int rc;
    LARDER_CALL(rc, lrd_value_entry(store, value, &entry));
    if (rc != LRD_OK)
        return false;
    zend_string *key = zend_string_init(entry.key, entry.key_len, 0);
    bool good = fetch_unheld(store, value, fetch_again_by_key, key, result);
    zend_string_release(key);
    return good;
}

bool larder_graph_copy(lrd_store *store, lrd_value *value, larder_graph_again *again, void *context,
                       zval *result)
{
    return value->kind == LRD_KIND_HELD ? larder_graph_fetch(store, value, true, result)
                                        : fetch_unheld(store, value, again, context, result);
}

static zend_never_inline bool fetch_graph_any(lrd_store *store, lrd_value *value, zval *result)
{
    larder_resident_answer answer = larder_resident_fetch(store, value, result);
    if (answer != LARDER_RESIDENT_NOT)
        return answer == LARDER_RESIDENT_GIVEN;
    return EXPECTED(value->kind == LRD_KIND_HELD) ? larder_graph_fetch(store, value, false, result)
                                                  : fetch_unheld_entry(store, value, result);
}

static bool fetch_graph(lrd_store *store, lrd_value *value, zval *result)
{
    bool good = larder_graph_is_one(value) ? larder_graph_fetch_one(value, result)
                                           : fetch_graph_any(store, value, result);
    if (UNEXPECTED(!good) && LARDER_G(uncounted) != value)
        lrd_count_miss(store);
    return good;
}

zend_never_inline bool larder_take_hold(lrd_store *store, lrd_value *value)
{
    lrd_value held;
    int rc;
    if (!larder_holds_make_room(store, value))
        return false;
    LARDER_CALL(rc, lrd_hold(store, value, &held));
    if (rc != LRD_OK)
        return false;
    if (held.kind != LRD_KIND_HELD) {
        larder_take_end(store, &held);
        return false;
    }
    *value = held;
    return true;
}

bool larder_take_plain(const lrd_value *value, zval *result)
{
    switch (value->type) {
    case LARDER_NULL:
        ZVAL_NULL(result);
        return true;
    case LARDER_FALSE:
    case LARDER_TRUE:
        ZVAL_BOOL(result, value->type == LARDER_TRUE);
        return true;
    case LARDER_DOUBLE:
        if (UNEXPECTED(value->size != sizeof(double)))
            return false;
        ZVAL_DOUBLE(result, *(const double *)value->data);
        return true;
    case LARDER_EMPTY_ARRAY:
        ZVAL_EMPTY_ARRAY(result);
        return true;
    case LARDER_SHORT:
        ZVAL_STR(result, zend_string_init_fast(value->data, value->size));
        return true;
    case LARDER_STRING: /* its block cannot be held */
        /* A damaged length would make the copying read beyond the value. */
        if (UNEXPECTED(value->size <= _ZSTR_HEADER_SIZE) ||
            UNEXPECTED(ZSTR_LEN((const zend_string *)value->data) >=
                       value->size - _ZSTR_HEADER_SIZE))
            return false;
        ZVAL_STR(result, larder_copy_string(value->data));
        return true;
    default:
        return false;
    }
}

bool larder_take_slow(lrd_store *store, lrd_value *value, zval *result)
{
    if (value->kind == LRD_KIND_BORROWED && value->type <= LARDER_GRAPH &&
        UNEXPECTED(larder_take_hold(store, value)))
        return larder_take_fast(store, value, result);
    switch (value->type) {
    case LARDER_ALIAS:
        fetch_alias(value, result);
        break;
    case LARDER_ARRAY: {
        /* a copied block still points into the original block, which may be freed, so do not use
         * the copy */
        if (value->kind == LRD_KIND_COPY) {
            larder_take_end(store, value);
            return false;
        }
        zend_array *copy = larder_copy_deep((zend_array *)(uintptr_t)value->data);
        if (copy == NULL)
            return false;
        ZVAL_ARR(result, copy);
        break;
    }
    case LRD_TYPE_PACKED:
        return fetch_packed(store, value, result);
    case LARDER_SERIALIZED:
        return fetch_unserialize(store, value, result);
    case LARDER_IGBINARY:
        return larder_igbinary_take(store, value, result);
    case LARDER_GRAPH:
        return fetch_graph(store, value, result);
    /* plain values, and values that Ruby has stored */
    default: {
        bool good = larder_take_plain(value, result) || larder_common_take(value, result);
        larder_take_end(store, value);
        return good;
    }
    }
    larder_take_end(store, value);
    return true;
}

bool larder_take(lrd_store *store, lrd_value *value, zval *result)
{
    return larder_take_fast(store, value, result);
}

bool larder_take_again(lrd_store *store, lrd_value *value, zval *result)
{
    const void *outer = LARDER_G(uncounted);
    LARDER_G(uncounted) = value;
    bool good = larder_take(store, value, result);
    LARDER_G(uncounted) = outer;
    return good;
}

bool larder_hook_threw(void)
{
    zend_object *thrown = EG(exception);
    if (thrown == NULL || LARDER_OUT_OF_MEMORY() || zend_is_unwind_exit(thrown) ||
        zend_is_graceful_exit(thrown))
        return false;
    zend_clear_exception();
    return true;
}

/* Return true if values of this type need no class. */
static bool fetch_is_plain(uint8_t type)
{
    switch (type) {
    case LRD_TYPE_COUNTER:
    case LARDER_ARRAY:
    case LARDER_STRING:
    case LARDER_ALIAS:
    case LARDER_NULL:
    case LARDER_FALSE:
    case LARDER_TRUE:
    case LARDER_DOUBLE:
    case LARDER_EMPTY_ARRAY:
    case LARDER_SHORT:
        return true;
    default:
        return false;
    }
}

/* Look up the value of a key, and check the value's type. Returns LRD_OK if any value of this type
 * can be restored. If this depends on the value, returns LRD_STALE and sets *value. If there is no
 * value, returns LRD_MISS or an error of lrd_get(). */
static zend_always_inline int fetch_look(lrd_store *store, const zend_string *key, unsigned flags,
                                         lrd_value *value)
{
    int rc;
    LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(key), ZSTR_LEN(key), flags | LRD_GET_NO_COUNT, value));
    if (rc != LRD_OK)
        return rc;
    /* the entry of a rate limit exists, although it has no PHP value */
    if (EXPECTED(fetch_is_plain(value->type)) || value->type == LRD_TYPE_WINDOW)
        rc = LRD_OK;
    else
        rc = value->type == LARDER_LEASE ? LRD_MISS : LRD_STALE;
    if (rc != LRD_STALE)
        larder_take_end(store, value);
    return rc;
}

/* Find out if the value of an entry can be restored. If only restoring the value could show this,
 * sets *version to the entry's version, otherwise to 0. Returns:
 * - LRD_OK: the value can be restored
 * - LRD_STALE: it cannot be restored, or a hook has thrown
 * - LRD_MISS, or an error of lrd_get(): there is no value */
static int fetch_try(lrd_store *store, const zend_string *key, uint64_t *version)
{
    lrd_value value;
    lrd_entry entry;
    zval restored;
    *version = 0;
    int rc = fetch_look(store, key, LRD_GET_BORROW, &value);
    if (EXPECTED(rc != LRD_STALE))
        return rc;
    larder_take_end(store, &value);
    rc = fetch_look(store, key, LRD_GET_NO_COPY | LRD_GET_PLAIN, &value);
    if (rc != LRD_STALE)
        return rc;
    if (lrd_value_entry(store, &value, &entry) == LRD_OK)
        *version = entry.version;
    if (!larder_take_again(store, &value, &restored))
        return LRD_STALE;
    zval_ptr_dtor(&restored);
    return LRD_OK;
}

bool larder_has(lrd_store *store, const zend_string *key)
{
    uint64_t version;
    int rc = fetch_try(store, key, &version);
    return rc == LRD_OK || (rc == LRD_STALE && larder_hook_threw());
}

bool larder_is_unreadable(lrd_store *store, const zend_string *key, uint64_t *version)
{
    return fetch_try(store, key, version) == LRD_STALE && *version != 0 && !LARDER_MUST_STOP() &&
           !EG(exception);
}
