/* iterator.c - class APCUIterator, over all keys or a list of keys. It takes no locks, and holds no
 * value between two steps. Begin reading at iterator_find(). */
#include "compat/apcu/apcu.h"
#include "compat/search.h"
#include "fetch/fetch.h"

#define ITERATOR_ACTIVE 1 /* APC_LIST_ACTIVE */
#define ITERATOR_DELETED 2
#define ITERATOR_ALL 0xffffffffl

enum {
    FORMAT_TYPE = 1,
    FORMAT_KEY = 2,
    FORMAT_VALUE = 4,
    FORMAT_NUM_HITS = 8,
    FORMAT_MTIME = 16,
    FORMAT_CTIME = 32,
    FORMAT_DTIME = 64,
    FORMAT_ATIME = 128,
    FORMAT_REFCOUNT = 256,
    FORMAT_MEM_SIZE = 512,
    FORMAT_TTL = 1024
};

typedef struct iterator_place {
    lrd_cursor cursor;
    uint32_t listed; /* index of the next key in the list */
} iterator_place;

typedef struct iterator_item {
    zend_string *key; /* NULL if there is no entry */
    zval value;
} iterator_item;

typedef struct apcu_iterator {
    bool ready;   /* the constructor has succeeded */
    bool looked;  /* `item` is up to date; its key is NULL when the iteration is over */
    bool nothing; /* true for APC_LIST_DELETED, because Larder keeps no deleted entries */
    larder_search search;
    zend_long format;
    iterator_place place;
    iterator_item item;
    zend_object std;
} apcu_iterator;

zend_class_entry *apcu_iterator_class;
static zend_object_handlers iterator_handlers;

static apcu_iterator *iterator_from(zend_object *object)
{
    return (apcu_iterator *)((char *)object - offsetof(apcu_iterator, std));
}

static zend_object *iterator_create(zend_class_entry *class_entry)
{
    apcu_iterator *it = zend_object_alloc(sizeof *it, class_entry);
    memset(it, 0, offsetof(apcu_iterator, std));
    zend_object_std_init(&it->std, class_entry);
    object_properties_init(&it->std, class_entry);
    it->std.handlers = &iterator_handlers;
    return &it->std;
}

static void iterator_drop(iterator_item *item)
{
    iterator_item old = *item;
    item->key = NULL;
    if (old.key == NULL)
        return;
    zend_string_release(old.key);
    zval_ptr_dtor(&old.value); /* a destructor may run here, and use this iterator */
}

static void iterator_reset(apcu_iterator *it)
{
    it->ready = it->looked = it->nothing = false;
    it->place = (iterator_place){.listed = 0};
    larder_search_end(&it->search);
    iterator_drop(&it->item);
}

static void iterator_free(zend_object *object)
{
    iterator_reset(iterator_from(object));
    zend_object_std_dtor(object);
}

static HashTable *iterator_gc(zend_object *object, zval **values, int *count)
{
    apcu_iterator *it = iterator_from(object);
    *values = &it->item.value;
    *count = it->item.key != NULL;
    return zend_std_get_properties(object);
}

void apcu_iterator_setup(void)
{
    apcu_iterator_class->create_object = iterator_create;
    iterator_handlers = std_object_handlers;
    iterator_handlers.offset = offsetof(apcu_iterator, std);
    iterator_handlers.free_obj = iterator_free;
    iterator_handlers.get_gc = iterator_gc;
    iterator_handlers.clone_obj = NULL;
}

/* ---- finding keys ---- */

static zend_string *iterator_next_listed(const zend_array *keys, iterator_place *place)
{
    while (place->listed < keys->nNumUsed) {
        const Bucket *bucket = keys->arData + place->listed++;
        if (Z_TYPE(bucket->val) != IS_UNDEF)
            return zend_string_copy(bucket->key);
    }
    return NULL;
}

static zend_string *iterator_next_stored(lrd_store *store, const larder_search *search,
                                         iterator_place *place)
{
    lrd_value value;
    lrd_entry entry;
    for (;;) {
        int rc;
        LARDER_CALL(rc, lrd_next(store, &place->cursor, &value));
        if (rc != LRD_OK)
            return NULL;
        if (lrd_value_entry(store, &value, &entry) != LRD_OK)
            continue;
        bool escaped = *(const char *)entry.key == '\0';
        const char *key = (const char *)entry.key + escaped;
        size_t length = entry.key_len - escaped;
        if (larder_search_matches(search, key, length))
            return zend_string_init(key, length, 0);
    }
}

/* Return the next key of the iteration, or NULL at its end. If the program has given a list of
 * keys, the store may have no entry for the returned key. */
static zend_string *iterator_find(const apcu_iterator *it, lrd_store *store, iterator_place *place)
{
    if (it->nothing || store == NULL)
        return NULL;
    if (it->search.keys != NULL)
        return iterator_next_listed(it->search.keys, place);
    return iterator_next_stored(store, &it->search, place);
}

/* ---- looking entries up ---- */

static void iterator_release(lrd_store *store, lrd_value *value)
{
    int rc;
    LARDER_CALL(rc, lrd_release(store, value));
    (void)rc;
}

/* Make the array that the iterator returns for an entry. Returns false if the key has no entry, or
 * if an exception is set. */
static bool iterator_describe(lrd_store *store, zend_long format, zend_string *key, zval *result)
{
    static const struct {
        zend_long format;
        const char *name;
    } zeros[] = {{FORMAT_NUM_HITS, "num_hits"},   {FORMAT_MTIME, "mtime"},
                 {FORMAT_CTIME, "creation_time"}, {FORMAT_DTIME, "deletion_time"},
                 {FORMAT_ATIME, "access_time"},   {FORMAT_REFCOUNT, "ref_count"}};
    lrd_value value;
    zval content;
    zend_long left;
    if (!apcu_look(store, key, &value, &left))
        return false;
    zend_long size = (zend_long)(ZSTR_LEN(key) + value.size);
    if ((format & FORMAT_VALUE) == 0)
        iterator_release(store, &value);
    else if (!larder_take(store, &value, &content))
        return false;
    array_init(result);
    if (format & FORMAT_TYPE)
        add_assoc_string(result, "type", "user");
    if (format & FORMAT_KEY)
        add_assoc_str(result, "key", zend_string_copy(key));
    if (format & FORMAT_VALUE)
        add_assoc_zval(result, "value", &content);
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        if (format & zeros[i].format)
            add_assoc_long(result, zeros[i].name, 0);
    if (format & FORMAT_MEM_SIZE)
        add_assoc_long(result, "mem_size", size);
    if (format & FORMAT_TTL)
        add_assoc_long(result, "ttl", left);
    return true;
}

/* Look up the next entries until one can be returned, and set it->item. Restoring objects runs user
 * code, which may use the iterator, so set it->item last. */
static void iterator_look(apcu_iterator *it)
{
    iterator_item item;
    if (it->looked)
        return;
    it->looked = true;
    lrd_store *store = apcu_use();
    while ((item.key = iterator_find(it, store, &it->place)) != NULL) {
        if (iterator_describe(store, it->format, item.key, &item.value)) {
            iterator_drop(&it->item);
            it->item = item;
            return;
        }
        zend_string_release(item.key);
        if (LARDER_MUST_STOP())
            return;
    }
}

/* ---- the methods ---- */

static bool iterator_is_ready(const apcu_iterator *it)
{
    if (it->ready)
        return true;
    zend_throw_error(NULL, "Trying to use uninitialized APCUIterator");
    return false;
}

/* Parse no arguments, and return the iterator of the running method. Returns NULL if an exception
 * is set. */
static apcu_iterator *iterator_this(INTERNAL_FUNCTION_PARAMETERS)
{
    if (zend_parse_parameters_none() == FAILURE)
        return NULL;
    apcu_iterator *it = iterator_from(Z_OBJ_P(ZEND_THIS));
    return iterator_is_ready(it) ? it : NULL;
}

PHP_METHOD(APCUIterator, __construct)
{
    zval *search = NULL;
    zend_long format = ITERATOR_ALL, chunk = 0, list = ITERATOR_ACTIVE;
    ZEND_PARSE_PARAMETERS_START(0, 4)
        Z_PARAM_OPTIONAL
        Z_PARAM_ZVAL(search)
        Z_PARAM_LONG(format)
        Z_PARAM_LONG(chunk)
        Z_PARAM_LONG(list)
    ZEND_PARSE_PARAMETERS_END();
    apcu_iterator *it = iterator_from(Z_OBJ_P(ZEND_THIS));
    iterator_reset(it);
    if (apcu_use() == NULL) {
        zend_throw_error(NULL, "APC must be enabled to use APCUIterator");
        RETURN_THROWS();
    }
    if (format > ITERATOR_ALL) {
        zend_throw_error(NULL, "APCUIterator format is invalid");
        RETURN_THROWS();
    }
    if (chunk < 0) {
        zend_throw_error(NULL, "APCUIterator chunk size must be 0 or greater");
        RETURN_THROWS();
    }
    if (list != ITERATOR_ACTIVE && list != ITERATOR_DELETED) {
        php_error_docref(NULL, E_WARNING, "APCUIterator invalid list type");
        return;
    }
    if (!larder_search_begin(&it->search, search, false))
        RETURN_THROWS();
    it->nothing = list == ITERATOR_DELETED;
    it->format = format;
    it->ready = true;
}

PHP_METHOD(APCUIterator, rewind)
{
    apcu_iterator *it = iterator_this(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    it->looked = false;
    it->place = (iterator_place){.listed = 0};
    iterator_drop(&it->item);
    iterator_look(it);
}

PHP_METHOD(APCUIterator, next)
{
    apcu_iterator *it = iterator_this(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    if (!it->looked || it->item.key == NULL)
        return; /* no entry was looked up since the last next(), or the iteration is over */
    it->looked = false;
    iterator_drop(&it->item);
}

PHP_METHOD(APCUIterator, valid)
{
    apcu_iterator *it = iterator_this(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    iterator_look(it);
    RETURN_BOOL(it->item.key != NULL);
}

static iterator_item *iterator_current(const char *method, INTERNAL_FUNCTION_PARAMETERS)
{
    apcu_iterator *it = iterator_this(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        return NULL;
    iterator_look(it);
    if (it->item.key != NULL)
        return &it->item;
    if (!EG(exception))
        zend_throw_error(NULL, "Cannot call %s() on invalid iterator", method);
    return NULL;
}

PHP_METHOD(APCUIterator, key)
{
    const iterator_item *item = iterator_current("key", INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (item == NULL)
        RETURN_THROWS();
    RETURN_STR_COPY(item->key);
}

PHP_METHOD(APCUIterator, current)
{
    const iterator_item *item = iterator_current("current", INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (item == NULL)
        RETURN_THROWS();
    RETURN_COPY(&item->value);
}

PHP_METHOD(APCUIterator, getTotalHits)
{
    if (iterator_this(INTERNAL_FUNCTION_PARAM_PASSTHRU) == NULL)
        RETURN_THROWS();
    RETURN_LONG(0);
}

static void iterator_totals(const apcu_iterator *it, zend_long *count, zend_long *size)
{
    iterator_place place = {.listed = 0};
    lrd_store *store = apcu_use();
    zend_string *key;
    *count = *size = 0;
    while ((key = iterator_find(it, store, &place)) != NULL) {
        lrd_value value;
        zend_long left;
        if (apcu_look(store, key, &value, &left)) {
            ++*count;
            *size += (zend_long)(ZSTR_LEN(key) + value.size);
            iterator_release(store, &value);
        }
        zend_string_release(key);
    }
}

PHP_METHOD(APCUIterator, getTotalSize)
{
    zend_long count, size;
    const apcu_iterator *it = iterator_this(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    iterator_totals(it, &count, &size);
    RETURN_LONG(size);
}

PHP_METHOD(APCUIterator, getTotalCount)
{
    zend_long count, size;
    const apcu_iterator *it = iterator_this(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (it == NULL)
        RETURN_THROWS();
    iterator_totals(it, &count, &size);
    RETURN_LONG(count);
}

bool apcu_iterator_delete(zend_object *object)
{
    const apcu_iterator *it = iterator_from(object);
    iterator_place place = {.listed = 0};
    lrd_store *store = apcu_use();
    zend_string *key;
    if (!iterator_is_ready(it))
        return false;
    while ((key = iterator_find(it, store, &place)) != NULL) {
        apcu_remove(store, key);
        zend_string_release(key);
    }
    return true;
}
