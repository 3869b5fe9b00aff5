/* fall.c - packs (compresses) stored values when memory is short. Begin reading at
 * larder_fall_back(). */
#include "put/fall.h"
#include "fetch/fetch.h"
#include "format/format.h"
#include "pack/pack.h"
#include "php_larder.h"

/* maximum length (bytes) of the key of an entry that is packed */
#define FALL_KEY_MAX 256u
/* Maximum size (bytes) of an entry that is packed. While Larder packs an entry, the store cannot
 * free it. */
#define FALL_SIZE_MAX (256u << 10)

/* Pack a ready value into *out. Returns false if the value cannot be packed. Runs no user code. */
static bool fall_pack(const lrd_value *value, larder_effort effort, larder_packed *out)
{
    zval content;
    switch (value->type) {
    case LARDER_STRING:
        ZVAL_INTERNED_STR(&content, (zend_string *)(uintptr_t)value->data);
        return larder_pack(&content, effort, out);
    case LARDER_ARRAY:
        ZVAL_ARR(&content, (zend_array *)(uintptr_t)value->data);
        return larder_pack(&content, effort, out);
    case LARDER_SERIALIZED:
    case LARDER_IGBINARY:
        return larder_pack_text(value->data, value->size, value->type, effort, out);
    default:
        return value->type == LARDER_GRAPH &&
               larder_pack_graph(value->data, value->size, effort, out);
    }
}

static bool fall_may(lrd_store *store, const lrd_value *value, lrd_entry *entry)
{
    return (value->type == LARDER_STRING || value->type == LARDER_ARRAY ||
            value->type == LARDER_GRAPH || larder_type_is_text(value->type)) &&
           value->size >= LARDER_PACK_STRING_MIN && value->size <= FALL_SIZE_MAX &&
           lrd_value_entry(store, value, entry) == LRD_OK && entry->key_len <= FALL_KEY_MAX &&
           entry->version != 0;
}

/* Replace a ready value in the store by its packed form. Also releases *value. Returns false on
 * failure. */
static bool fall_change(lrd_store *store, lrd_value *value, const lrd_entry *entry,
                        larder_effort effort)
{
    larder_packed packed;
    char key[FALL_KEY_MAX];
    size_t length = entry->key_len;
    uint64_t version = entry->version;
    int rc = LRD_MISS;
    memcpy(key, entry->key, length);
    bool pays = fall_pack(value, effort, &packed);
    larder_take_end(store, value);
    if (pays)
        LARDER_CALL(
            rc,
            lrd_put(store, key, length, packed.data, packed.size,
                    &(lrd_write){.version = version, .mode = LRD_REFORM, .type = LRD_TYPE_PACKED}));
    return rc == LRD_OK;
}

/* Find an entry that may be packed, and pack it. Returns false if no entry was packed. */
static bool fall_look(lrd_fall *fall, lrd_store *store, unsigned most)
{
    for (unsigned looks = 0; looks < most; looks++) {
        lrd_value value;
        lrd_entry entry;
        int rc;
        LARDER_CALL(rc, lrd_fall_next(fall, store, &value));
        if (rc != LRD_OK)
            return false;
        if (fall_may(store, &value, &entry))
            return fall_change(store, &value, &entry, larder_effort_under(fall->pressure));
        larder_take_end(store, &value);
    }
    return false;
}

void larder_fall_back(lrd_store *store)
{
    lrd_fall *fall = &LARDER_G(fall);
    unsigned most = lrd_fall_due(fall, store);
    if (most != 0)
        lrd_fall_tried(fall, fall_look(fall, store, most));
}
