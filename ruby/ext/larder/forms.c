/* forms.c - the two forms of a value. A ready value has the bytes that codec.c has written. A
 * packed value is compressed by LZ4, and each read must unpack it. Read larder_form_put() first,
 * then larder_form_open(). PHP has the same rules: see php/src/put/fall.c and
 * php/src/fetch/fetch.c.
 *
 * - A packed value has a type of larder_common.h, or one of PHP's types (see php_packed.c).
 * - Packing uses malloc(), so that no Ruby exception is raised inside a call. If malloc() fails,
 *   the value is stored ready. */
#include "larder_ruby.h"
#include "larder_host.h"

#include <stdlib.h>
#include <string.h>

#define FORM_MIN 128u /* the size in bytes of the smallest value that is packed */
/* packing a value must save at least 1/FORM_PAYS of the size of its ready form */
#define FORM_PAYS 8u
#define FORM_KEY_MAX 256u /* maximum length in bytes of the key of an entry that may be packed */
/* The maximum size in bytes of an entry that may be packed. While a thread packs an entry, the
 * memory of the entry cannot be freed. */
#define FORM_SIZE_MAX (256u << 10)

/* the state of this thread's search for entries to pack */
static _Thread_local lrd_fall form_fall;
/* the state of the random generator that chooses which reads of packed values are counted */
static _Thread_local uint32_t form_random;

/* Return true if values of this type may be packed. Counters, types whose values are always short,
 * and types of PHP may not be packed here. */
static bool form_has_type(uint8_t type)
{
    return type >= LRD_COMMON_UTF8 && type <= LRD_COMMON_FLAGGED;
}

/* Pack a value into new memory, which the caller frees. If the packed value would be too large, or
 * if there is no memory, returns NULL and leaves `*packed_size` unchanged. */
static void *form_pack(const void *data, size_t size, uint8_t type, size_t *packed_size)
{
    if (size < FORM_MIN || size > INT32_MAX || !form_has_type(type))
        return NULL;
    void *packed = malloc(lrd_pack_bound(size));
    if (packed == NULL)
        return NULL;
    size_t bytes = lrd_pack(packed, data, size, type, size, LRD_COMPRESS_SMALL);
    if (bytes > size - size / FORM_PAYS) {
        free(packed);
        return NULL;
    }
    *packed_size = bytes;
    return packed;
}

/* ---- falling back ---- */

static bool form_may_fall(lrd_store *store, const lrd_value *value, lrd_entry *entry)
{
    return form_has_type(value->type) && value->size >= FORM_MIN && value->size <= FORM_SIZE_MAX &&
           lrd_value_entry(store, value, entry) == LRD_OK && entry->key_len <= FORM_KEY_MAX &&
           entry->version != 0;
}

/* Replace a value in the store by its packed form. Releases the value in any case. Returns true if
 * the store now has the packed form. */
static bool form_change(lrd_store *store, lrd_value *value, const lrd_entry *entry)
{
    char key[FORM_KEY_MAX];
    size_t length = entry->key_len, size;
    uint64_t version = entry->version;
    memcpy(key, entry->key, length);
    void *packed = form_pack(value->data, value->size, value->type, &size);
    lrd_release(store, value);
    if (packed == NULL)
        return false;
    int rc = lrd_put(store, key, length, packed, size,
                     &(lrd_write){.version = version, .mode = LRD_REFORM, .type = LRD_TYPE_PACKED});
    free(packed);
    return rc == LRD_OK;
}

/* Examine a few entries. Stop at the first one whose value is in the ready form and rarely read,
 * and replace this value by its packed form. Returns true if a value was replaced. */
static bool form_look(lrd_store *store, unsigned most)
{
    for (unsigned looks = 0; looks < most; looks++) {
        lrd_value value;
        lrd_entry entry;
        if (lrd_fall_next(&form_fall, store, &value) != LRD_OK)
            return false;
        if (form_may_fall(store, &value, &entry))
            return form_change(store, &value, &entry);
        lrd_release(store, &value);
    }
    return false;
}

static __attribute__((noinline)) void form_fall_back(lrd_store *store)
{
    unsigned most = lrd_fall_due(&form_fall, store);
    if (most != 0)
        lrd_fall_tried(&form_fall, form_look(store, most));
}

/* ---- writing ---- */

int larder_form_put(const larder_cache *cache, lrd_store *store, const lrd_key *key,
                    const larder_block *value, larder_form form, const lrd_write *how)
{
    lrd_write own = *how;
    const void *data = value->data;
    size_t size = value->size;
    void *packed = NULL;
    own.type = value->type;
    if (form == LARDER_FORM_PACKED ||
        (form == LARDER_FORM_AUTO && lrd_pressed(store, key->key, key->key_len)))
        packed = form_pack(value->data, value->size, value->type, &size);
    if (packed != NULL) {
        own.type = LRD_TYPE_PACKED;
        data = packed;
        if (form == LARDER_FORM_PACKED)
            lrd_pack_stay(packed, size);
    }
    int rc = lrd_put(store, key->key, key->key_len, data, size, &own);
    free(packed);
    if (rc == LRD_OK && RB_UNLIKELY(lrd_write_pressed(store)) && form == LARDER_FORM_AUTO)
        form_fall_back(store);
    return rc;
}

larder_form larder_form_of(VALUE form)
{
    static const char *const names[] = {"auto", "ready", "packed"};
    if (RB_SYMBOL_P(form))
        for (int i = 0; i < 3; i++)
            if (form == ID2SYM(rb_intern(names[i])))
                return (larder_form)i;
    rb_raise(rb_eArgError, "form must be :auto, :ready or :packed, not %" PRIsVALUE,
             rb_str_substr(rb_inspect(form), 0, 80));
}

/* ---- reading ---- */

bool larder_form_open(const lrd_value *value, larder_block *block, VALUE *copy, bool *stays)
{
    lrd_packed packed;
    *copy = Qnil;
    if (lrd_packed_open(value->data, value->size, &packed) != LRD_OK) {
        block->type = 0; /* unreadable */
        return false;
    }
    *stays = packed.stays;
    /* A value of one of PHP's own types stays packed here. larder_decode() unpacks it. */
    if (packed.type < LRD_TYPE_PLAIN)
        return true;
    VALUE raw = rb_obj_hide(rb_str_buf_new((long)packed.raw));
    if (!form_has_type(packed.type) || lrd_unpack(&packed, RSTRING_PTR(raw)) != LRD_OK) {
        block->type = 0;
        return false;
    }
    rb_str_set_len(raw, (long)packed.raw);
    *copy = raw;
    block->type = packed.type;
    block->data = RSTRING_PTR(raw);
    block->size = packed.raw;
    return true;
}

void larder_form_read(const larder_cache *cache, lrd_store *store, lrd_value *value,
                      const larder_block *block, bool stays)
{
    lrd_entry entry;
    char key[FORM_KEY_MAX];
    lrd_count_unpack(store);
    form_random = form_random * 1664525u + 1013904223u;
    uint32_t chance = form_random >> 16;
    if (chance % LRD_SAMPLE_NONE != 0 || stays || block->type == LRD_TYPE_PACKED ||
        cache->form == LARDER_FORM_PACKED || value->kind != LRD_KIND_BORROWED ||
        lrd_value_uses(store, value) < LRD_USES_OFTEN ||
        lrd_value_entry(store, value, &entry) != LRD_OK || entry.version == 0 ||
        entry.key_len > sizeof key || !lrd_rises(store, entry.key, entry.key_len, chance))
        return;
    size_t length = entry.key_len;
    memcpy(key, entry.key, length);
    lrd_release(store, value);
    /* Ignore a failure: the entry then has its packed value, or one that another process has
     * stored. */
    (void)lrd_put(store, key, length, block->data, block->size,
                  &(lrd_write){.version = entry.version, .mode = LRD_REFORM, .type = block->type});
}
