/* iterator.c - ImmutableCacheIterator. Stored values are never freed, so the current value stays
 * valid. Begin reading at iterator_step(). */
#include "compat/immutable_cache/immutable_cache.h"
#include "compat/search.h"
#include "fetch/fetch.h"

typedef struct iterator {
    bool ready; /* the constructor has succeeded */
    bool begun; /* the first step was made; from then on, a NULL `key` means the end */
    uint32_t format;
    lrd_cursor cursor;
    lrd_value value;  /* of the current entry */
    zend_string *key; /* of the current entry, or NULL */
    larder_search search;
    zend_object std;
} iterator;

static zend_object_handlers iterator_handlers;

static iterator *iterator_of(zend_object *object)
{
    return (iterator *)((char *)object - offsetof(iterator, std));
}

static zend_object *iterator_create(zend_class_entry *ce)
{
    iterator *it = zend_object_alloc(sizeof *it, ce); /* sets all fields except `std` to 0 */
    zend_object_std_init(&it->std, ce);
    object_properties_init(&it->std, ce);
    it->std.handlers = &iterator_handlers;
    return &it->std;
}

static void iterator_let_go(iterator *it)
{
    if (it->key != NULL)
        zend_string_release(it->key);
    it->key = NULL;
}

static void iterator_free(zend_object *object)
{
    iterator *it = iterator_of(object);
    iterator_let_go(it);
    larder_search_end(&it->search);
    zend_object_std_dtor(object);
}

static void iterator_step(iterator *it)
{
    lrd_entry entry;
    lrd_store *store = larder_immutable_store();
    iterator_let_go(it);
    it->begun = true;
    while (store != NULL && larder_immutable_next(store, &it->cursor, &it->value, &entry))
        if (larder_search_matches(&it->search, entry.key, entry.key_len)) {
            it->key = zend_string_init(entry.key, entry.key_len, 0);
            return;
        }
}

/* Parse no arguments, and return the iterator of the running method. Returns NULL if an exception
 * is set. */
static iterator *iterator_enter(INTERNAL_FUNCTION_PARAMETERS)
{
    if (zend_parse_parameters_none() != SUCCESS)
        return NULL;
    iterator *it = iterator_of(Z_OBJ_P(ZEND_THIS));
    if (it->ready)
        return it;
    zend_throw_error(NULL, "Trying to use uninitialized ImmutableCacheIterator");
    return NULL;
}

ZEND_METHOD(ImmutableCacheIterator, __construct)
{
    zval *search = NULL;
    zend_long format = LARDER_ITER_ALL, chunk = 0, list = LARDER_LIST_ACTIVE;
    ZEND_PARSE_PARAMETERS_START(0, 4)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL_EX(search, 1, 0)
        Z_PARAM_LONG(format)
        Z_PARAM_LONG(chunk)
        Z_PARAM_LONG(list)
    ZEND_PARSE_PARAMETERS_END();
    iterator *it = iterator_of(Z_OBJ_P(ZEND_THIS));
    if (it->ready) {
        zend_throw_error(NULL, "ImmutableCacheIterator is constructed already");
        RETURN_THROWS();
    }
    if (format < 0 || format > LARDER_ITER_ALL) {
        zend_argument_value_error(2, "must be a combination of IMMUTABLE_CACHE_ITER_*");
        RETURN_THROWS();
    }
    if (chunk < 0) {
        zend_argument_value_error(3, "must be greater than or equal to 0");
        RETURN_THROWS();
    }
    if (larder_immutable_store() == NULL) {
        zend_throw_error(NULL, "ImmutableCache must be enabled to use ImmutableCacheIterator");
        RETURN_THROWS();
    }
    if (list != LARDER_LIST_ACTIVE) {
        php_error_docref(NULL, E_WARNING, "ImmutableCacheIterator invalid list type");
        return;
    }
    if (!larder_search_begin(&it->search, search, true))
        RETURN_THROWS();
    it->format = (uint32_t)format;
    it->ready = true;
}

ZEND_METHOD(ImmutableCacheIterator, rewind)
{
    iterator *it = iterator_enter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    it->cursor = (lrd_cursor){0};
    iterator_step(it);
}

ZEND_METHOD(ImmutableCacheIterator, next)
{
    iterator *it = iterator_enter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    if (it->key != NULL)
        iterator_step(it);
}

ZEND_METHOD(ImmutableCacheIterator, valid)
{
    iterator *it = iterator_enter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    if (!it->begun)
        iterator_step(it);
    RETURN_BOOL(it->key != NULL);
}

/* Parse no arguments, and return the iterator if it has a current entry. Otherwise returns NULL,
 * and an exception is set. */
static iterator *iterator_at_entry(const char *method, INTERNAL_FUNCTION_PARAMETERS)
{
    iterator *it = iterator_enter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        return NULL;
    if (!it->begun)
        iterator_step(it);
    if (it->key != NULL)
        return it;
    zend_throw_error(NULL, "Cannot call %s() on invalid iterator", method);
    return NULL;
}

ZEND_METHOD(ImmutableCacheIterator, key)
{
    iterator *it = iterator_at_entry("key", INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    RETURN_STR_COPY(it->key);
}

ZEND_METHOD(ImmutableCacheIterator, current)
{
    iterator *it = iterator_at_entry("current", INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    zval content;
    ZVAL_NULL(&content);
    uint32_t format = it->format;
    /* Copy the key first, because restoring objects may run code that moves the iterator. */
    zend_string *key = zend_string_copy(it->key);
    size_t size = it->value.size;
    if (format & LARDER_ITER_VALUE) {
        lrd_value value = it->value;
        lrd_store *store = larder_immutable_store();
        if (store == NULL || !larder_take(store, &value, &content))
            ZVAL_NULL(&content);
        if (EG(exception)) {
            zend_string_release(key);
            RETURN_THROWS();
        }
    }
    array_init(return_value);
    if (format & LARDER_ITER_TYPE)
        add_assoc_string(return_value, "type", "user");
    if (format & LARDER_ITER_KEY)
        add_assoc_str(return_value, "key", zend_string_copy(key));
    if (format & LARDER_ITER_VALUE)
        add_assoc_zval(return_value, "value", &content);
    if (format & LARDER_ITER_NUM_HITS)
        add_assoc_long(return_value, "num_hits", 0);
    if (format & LARDER_ITER_CTIME)
        add_assoc_long(return_value, "creation_time", 0);
    if (format & LARDER_ITER_ATIME)
        add_assoc_long(return_value, "access_time", 0);
    if (format & LARDER_ITER_MEM_SIZE)
        add_assoc_long(return_value, "mem_size", (zend_long)size);
    zend_string_release(key);
}

/* Counts all matching entries, wherever the iterator is. */
static void iterator_total(const iterator *it, zend_long *count, zend_long *size)
{
    lrd_cursor cursor = {0};
    lrd_value value;
    lrd_entry entry;
    lrd_store *store = larder_immutable_store();
    *count = *size = 0;
    while (store != NULL && larder_immutable_next(store, &cursor, &value, &entry))
        if (larder_search_matches(&it->search, entry.key, entry.key_len)) {
            ++*count;
            *size += (zend_long)value.size;
        }
}

ZEND_METHOD(ImmutableCacheIterator, getTotalHits)
{
    if (iterator_enter(INTERNAL_FUNCTION_PARAM_PASSTHRU) == NULL)
        RETURN_THROWS();
    RETURN_LONG(0);
}

ZEND_METHOD(ImmutableCacheIterator, getTotalSize)
{
    zend_long count, size;
    iterator *it = iterator_enter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    iterator_total(it, &count, &size);
    RETURN_LONG(size);
}

ZEND_METHOD(ImmutableCacheIterator, getTotalCount)
{
    zend_long count, size;
    iterator *it = iterator_enter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    iterator_total(it, &count, &size);
    RETURN_LONG(count);
}

void larder_immutable_iterator_register(zend_class_entry *ce, int module_number)
{
    static const struct {
        const char *name;
        zend_long value;
    } constants[] = {
        {"IMMUTABLE_CACHE_LIST_ACTIVE", LARDER_LIST_ACTIVE},
        {"IMMUTABLE_CACHE_LIST_DELETED", LARDER_LIST_DELETED},
        {"IMMUTABLE_CACHE_ITER_TYPE", LARDER_ITER_TYPE},
        {"IMMUTABLE_CACHE_ITER_KEY", LARDER_ITER_KEY},
        {"IMMUTABLE_CACHE_ITER_VALUE", LARDER_ITER_VALUE},
        {"IMMUTABLE_CACHE_ITER_NUM_HITS", LARDER_ITER_NUM_HITS},
        {"IMMUTABLE_CACHE_ITER_CTIME", LARDER_ITER_CTIME},
        {"IMMUTABLE_CACHE_ITER_ATIME", LARDER_ITER_ATIME},
        {"IMMUTABLE_CACHE_ITER_REFCOUNT", LARDER_ITER_REFCOUNT},
        {"IMMUTABLE_CACHE_ITER_MEM_SIZE", LARDER_ITER_MEM_SIZE},
        {"IMMUTABLE_CACHE_ITER_NONE", 0},
        {"IMMUTABLE_CACHE_ITER_ALL", LARDER_ITER_ALL},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        zend_register_long_constant(constants[i].name, strlen(constants[i].name),
                                    constants[i].value, CONST_PERSISTENT, module_number);
    ce->create_object = iterator_create;
    iterator_handlers = *zend_get_std_object_handlers();
    iterator_handlers.offset = offsetof(iterator, std);
    iterator_handlers.free_obj = iterator_free;
    iterator_handlers.clone_obj = NULL;
}
