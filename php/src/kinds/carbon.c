/* carbon.c - stores and restores dates of the library Carbon without their slow hooks. Begin
 * reading at carbon_takes() and larder_carbon_restore().
 *
 * - A block contains only the date.
 * - The hooks of a later Carbon may differ. So each request calls them for the first object of each
 *   class, time zone and precision, and compares the results.
 * - If the test of __unserialize() has not succeeded, a fetch calls __unserialize() for each
 *   object. Its argument is the array that __serialize() would have returned. */
#include "format/format.h"
#include "format/hash.h"
#include "kinds/builtin.h"
#include "kinds/classes.h"
#include "kinds/dates.h"
#include "request/memory.h"

#define CARBON_PLACES 64u
#define CARBON_USED_MAX 192u
#define CARBON_HASH 32u /* length in bytes of the result of spl_object_hash() */
#define CARBON_ZONE sizeof((larder_date *)0)->time.zone
#define CARBON_NO_SLOT UINT32_MAX

typedef enum carbon_answer { CARBON_UNKNOWN, CARBON_SAME, CARBON_OTHER } carbon_answer;

/* Carbon marks each object: one of these functions computes the object's id, and a property keeps
 * the id. A copy made without __clone() has the mark of the original. */
typedef enum carbon_id {
    CARBON_NO_ID,
    CARBON_ID_HASH,  /* spl_object_hash() */
    CARBON_ID_HANDLE /* spl_object_id() */
} carbon_id;

/* The precision of a date. Hooks are tested for each precision, because a hook may lose
 * microseconds. */
typedef enum carbon_detail { CARBON_DAY, CARBON_SECOND, CARBON_MICROSECOND } carbon_detail;

/* The results of testing the hooks of a class in this request, for one time zone and one
 * precision. */
typedef struct carbon_known {
    struct carbon_known *next; /* next in the chain */
    const zend_class_entry *ce;
    char zone[CARBON_ZONE];
    uint32_t id_slot;
    uint8_t zone_type;
    uint8_t detail;   /* carbon_detail */
    uint8_t id;       /* carbon_id */
    uint8_t told;     /* CARBON_SAME if __serialize() returns only the date */
    uint8_t restored; /* CARBON_SAME if __unserialize() restores only the date */
} carbon_known;

/* The results of testing Carbon's hooks in this request. The number of results is limited. For a
 * date without a result, Larder calls the hooks. */
struct larder_carbons {
    uint32_t used;
    carbon_known *places[CARBON_PLACES];
};

/* ---- classes ---- */

static bool carbon_is_own(const zend_class_entry *ce)
{
    size_t length = sizeof "Carbon\\" - 1;
    return ce->type == ZEND_INTERNAL_CLASS ||
           (ZSTR_LEN(ce->name) > length &&
            zend_binary_strcasecmp(ZSTR_VAL(ce->name), length, "Carbon\\", length) == 0);
}

static bool carbon_has_interface(const zend_class_entry *ce)
{
    for (uint32_t i = 0; i < ce->num_interfaces; i++)
        if (zend_string_equals_literal_ci(ce->interfaces[i]->name, "Carbon\\CarbonInterface"))
            return true;
    return false;
}

/* Return true for a method that a subclass may override without effect on the stored date. The
 * hooks do not call these methods, and applications and Laravel often override them. */
static bool carbon_may_differ(const zend_string *method)
{
    return zend_string_equals_literal(method, "settestnow") ||
           zend_string_equals_literal(method, "jsonserialize") ||
           zend_string_equals_literal(method, "__tostring");
}

/* Return true if a subclass overrides a method of Carbon that the hooks may call. */
static bool carbon_overrides(zend_class_entry *ce)
{
    const zend_class_entry *base = ce;
    zend_function *method;
    zend_string *name;
    while (!carbon_is_own(base))
        base = base->parent;
    if (base == ce)
        return false;
    ZEND_HASH_FOREACH_STR_KEY_PTR(&ce->function_table, name, method)
        if (method->common.scope != base && !carbon_is_own(method->common.scope) &&
            zend_hash_exists(&base->function_table, name) && !carbon_may_differ(name))
            return true;
    ZEND_HASH_FOREACH_END();
    return false;
}

/* Return true if this is a class of Carbon, or a subclass with Carbon's own hooks. */
static LARDER_HOT bool carbon_is(zend_class_entry *ce)
{
    if (ce->destructor != NULL || !carbon_has_interface(ce))
        return false;
#if PHP_VERSION_ID >= 80400
    if (ce->num_hooked_props != 0)
        return false;
#endif
    const zend_class_entry *base = ce;
    while (base->type == ZEND_USER_CLASS && base->parent != NULL)
        base = base->parent;
    return (base == php_date_get_date_ce() || base == php_date_get_immutable_ce()) &&
           ce->create_object == base->create_object && !carbon_overrides(ce);
}

/* ---- knowledge of classes ---- */

static carbon_detail carbon_detail_of(const larder_date *date)
{
    if (date->time.microsecond != 0)
        return CARBON_MICROSECOND;
    return date->time.hour != 0 || date->time.minute != 0 || date->time.second != 0 ? CARBON_SECOND
                                                                                    : CARBON_DAY;
}

/* Return the hash chain of the results for `ce`, the time zone of `date`, and `detail`. */
static carbon_known **carbon_place(struct larder_carbons *carbons, const zend_class_entry *ce,
                                   carbon_detail detail, const larder_date *date)
{
    uint64_t words[2], sum = (uint64_t)(uintptr_t)ce ^ date->time.zone_type ^ (uint64_t)detail << 2;
    /* hash only the first bytes of a zone's name: they contain the continent and a part of the
     * city */
    memcpy(words, date->time.zone, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sum = (sum ^ words[i]) * LARDER_HASH_FACTOR;
    return carbons->places + (sum >> 56) % CARBON_PLACES;
}

/* Return the results of testing the hooks of class `ce` for the time zone and precision of `date`,
 * or NULL if they were not tested. */
static carbon_known *carbon_find(const zend_class_entry *ce, const larder_date *date)
{
    struct larder_carbons *carbons = LARDER_G(known).carbons;
    if (UNEXPECTED(carbons == NULL))
        return NULL;
    carbon_detail detail = carbon_detail_of(date);
    carbon_known *known = *carbon_place(carbons, ce, detail, date);
    while (known != NULL && (known->ce != ce || known->detail != detail ||
                             known->zone_type != date->time.zone_type ||
                             memcmp(known->zone, date->time.zone, sizeof known->zone) != 0))
        known = known->next;
    return known;
}

/* Return the slot of Carbon's mark (see carbon_id). Returns CARBON_NO_SLOT if there is none, or if
 * its default value is not null. */
static uint32_t carbon_id_slot(zend_class_entry *ce)
{
    const zend_property_info *info =
        zend_hash_str_find_ptr(&ce->properties_info, ZEND_STRL("constructedObjectId"));
    if (info == NULL || (info->flags & ZEND_ACC_STATIC))
        return CARBON_NO_SLOT;
    uint32_t slot = OBJ_PROP_TO_NUM(info->offset);
    return Z_TYPE(CE_DEFAULT_PROPERTIES_TABLE(ce)[slot]) == IS_NULL ? slot : CARBON_NO_SLOT;
}

/* Return the known results for a class and a date. Creates them if carbon_find() finds none.
 * Returns NULL if there is no room. */
static carbon_known *carbon_know(zend_class_entry *ce, const larder_date *date)
{
    carbon_known *known = carbon_find(ce, date);
    if (known != NULL)
        return known;
    struct larder_carbons *carbons = LARDER_G(known).carbons;
    if (carbons == NULL)
        carbons = LARDER_G(known).carbons = larder_request_alloc(sizeof *carbons);
    if (carbons == NULL || carbons->used == CARBON_USED_MAX ||
        (known = larder_request_alloc(sizeof *known)) == NULL)
        return NULL;
    carbon_detail detail = carbon_detail_of(date);
    carbon_known **place = carbon_place(carbons, ce, detail, date);
    *known = (carbon_known){.next = *place,
                            .ce = ce,
                            .id_slot = carbon_id_slot(ce),
                            .zone_type = date->time.zone_type,
                            .detail = (uint8_t)detail};
    memcpy(known->zone, date->time.zone, sizeof known->zone);
    *place = known;
    carbons->used++;
    return known;
}

/* ---- an object ---- */

static zend_always_inline bool carbon_is_default(zval *slot, zval *initial)
{
    if (Z_TYPE_P(slot) != Z_TYPE_P(initial))
        return false;
    return Z_TYPE_P(slot) <= IS_TRUE ||
           (Z_TYPE_P(slot) >= IS_STRING && Z_COUNTED_P(slot) == Z_COUNTED_P(initial)) ||
           zend_is_identical(slot, initial);
}

/* Return true if all declared properties have the values of a new object. The property with
 * Carbon's mark, slot `id_slot`, may also contain a string or an int (see carbon_id). */
static bool carbon_slots_are_new(zend_object *object, uint32_t id_slot)
{
    zval *slot = object->properties_table;
    zval *initial = CE_DEFAULT_PROPERTIES_TABLE(object->ce);
    uint32_t count = (uint32_t)object->ce->default_properties_count;
    for (uint32_t i = 0; i < count; i++, slot++, initial++)
        if (!carbon_is_default(slot, initial) &&
            (i != id_slot || (Z_TYPE_P(slot) != IS_STRING && Z_TYPE_P(slot) != IS_LONG)))
            return false;
    return true;
}

/* Write the object's date to *date. Returns false if the date cannot be stored, or the object has
 * undeclared properties. */
static bool carbon_date(zend_object *object, larder_date *date)
{
    if (!larder_date_takes(object) || larder_has_added(LARDER_BUILTIN_NONE, object))
        return false;
    larder_date_write(object, date);
    return true;
}

static void carbon_hash(uint32_t handle, char *hash)
{
    memset(hash, '0', CARBON_HASH);
    for (char *digit = hash + CARBON_HASH / 2; handle != 0; handle >>= 4)
        *--digit = "0123456789abcdef"[handle & 15];
}

/* ---- storing ---- */

/* Return true if an object can be stored as its date. Otherwise the caller must call __serialize()
 * and carbon_told(). */
static bool carbon_takes(zend_object *object)
{
    larder_date date;
    if (!carbon_date(object, &date))
        return false;
    const carbon_known *known = carbon_find(object->ce, &date);
    return known != NULL && known->told == CARBON_SAME &&
           carbon_slots_are_new(object, known->id_slot);
}

/* Return true if both arrays have identical elements with the key `name`. */
static bool carbon_says_same(const zval *said, const zval *wanted, const char *name)
{
    zval *one = zend_hash_str_find(Z_ARR_P(said), name, strlen(name));
    zval *other = zend_hash_str_find(Z_ARR_P(wanted), name, strlen(name));
    return one != NULL && zend_is_identical(one, other);
}

/* Return true if Carbon's __serialize() has returned the same array as the engine's __serialize()
 * would for `date`. `state` is the array from Carbon. If the extension msgpack is loaded, Carbon
 * adds the element dumpDateProperties, which must contain the same date. */
static bool carbon_says(const zval *state, const larder_date *date)
{
    zval wanted;
    larder_date_state(date, &wanted);
    const zval *again = zend_hash_str_find(Z_ARR_P(state), ZEND_STRL("dumpDateProperties"));
    uint32_t count = zend_hash_num_elements(Z_ARR(wanted)) + (again != NULL);
    bool same = zend_hash_num_elements(Z_ARR_P(state)) == count &&
                carbon_says_same(state, &wanted, "date") &&
                carbon_says_same(state, &wanted, "timezone_type") &&
                carbon_says_same(state, &wanted, "timezone") &&
                (again == NULL ||
                 (Z_TYPE_P(again) == IS_ARRAY && carbon_says_same(again, &wanted, "date")));
    zval_ptr_dtor(&wanted);
    return same;
}

static void carbon_told(zend_object *object, const zval *state)
{
    larder_date date;
    carbon_known *known = NULL;
    if (carbon_date(object, &date))
        known = carbon_know(object->ce, &date);
    if (known != NULL && known->told == CARBON_UNKNOWN &&
        carbon_slots_are_new(object, known->id_slot))
        known->told = carbon_says(state, &date) ? CARBON_SAME : CARBON_OTHER;
}

/* ---- restoring ---- */

/* Restore an object without __unserialize(). Returns false, and changes nothing, if __unserialize()
 * might give another result. */
static bool carbon_fill(zend_object *object, const void *content)
{
    const larder_date *date = content;
    const carbon_known *known = carbon_find(object->ce, date);
    if (known == NULL || known->restored != CARBON_SAME)
        return false;
    carbon_id id = known->id;
    uint32_t id_slot = known->id_slot;
    if (!larder_date_fill(object, date))
        return false;
    if (id == CARBON_NO_ID)
        return true;
    zval *slot = object->properties_table + id_slot;
    if (id == CARBON_ID_HASH) {
        ZVAL_STR(slot, zend_string_alloc(CARBON_HASH, false));
        carbon_hash(object->handle, Z_STRVAL_P(slot));
        Z_STRVAL_P(slot)[CARBON_HASH] = '\0';
    } else {
        ZVAL_LONG(slot, object->handle);
    }
    return true;
}

bool larder_carbon_is_filled(zend_object *object)
{
    return php_date_obj_from_obj(object)->time != NULL;
}

/* Return true if an object has the date that the engine would restore. One local time occurs twice
 * when clocks are set back, so compare UTC times, too. */
static bool carbon_same_date(zend_object *object, const larder_date *date)
{
    larder_date own;
    zend_class_entry *plain = larder_date_plain();
    if (!carbon_date(object, &own) || memcmp(&own, date, sizeof own) != 0)
        return false;
    zend_object *other = plain->create_object(plain);
    bool same = larder_date_fill(other, date) &&
                php_date_obj_from_obj(object)->time->sse == php_date_obj_from_obj(other)->time->sse;
    OBJ_RELEASE(other);
    return same;
}

/* Carbon marks an object by an id in one of its properties. Find out which function has made this
 * id. Returns false if it is the id of another object. */
static bool carbon_read_id(const zend_object *object, uint32_t id_slot, carbon_id *id)
{
    char hash[CARBON_HASH];
    *id = CARBON_NO_ID;
    if (id_slot == CARBON_NO_SLOT || Z_TYPE(object->properties_table[id_slot]) == IS_NULL)
        return true;
    const zval *slot = object->properties_table + id_slot;
    if (Z_TYPE_P(slot) == IS_LONG) {
        *id = CARBON_ID_HANDLE;
        return Z_LVAL_P(slot) == (zend_long)object->handle;
    }
    *id = CARBON_ID_HASH;
    carbon_hash(object->handle, hash);
    return zend_string_equals_cstr(Z_STR_P(slot), hash, sizeof hash);
}

/* Find out whether carbon_fill() would have restored `object` like __unserialize(), and keep the
 * answer for later objects. Call this after __unserialize() has restored `object`. */
static void carbon_learn(zend_object *object, const larder_date *date)
{
    const larder_class *class = larder_class_of(object->ce);
    if (class == NULL || class->builtin != LARDER_BUILTIN_CARBON)
        return;
    carbon_known *known = carbon_know(object->ce, date);
    if (known == NULL || known->restored != CARBON_UNKNOWN)
        return;
    carbon_id id;
    bool same = carbon_same_date(object, date) && carbon_slots_are_new(object, known->id_slot) &&
                carbon_read_id(object, known->id_slot, &id);
    known->id = same ? id : CARBON_NO_ID;
    known->restored = same ? CARBON_SAME : CARBON_OTHER;
}

void larder_carbon_restore(zend_object *object, const larder_date *date)
{
    if (carbon_fill(object, date))
        return;
    zval state;
    larder_date_state(date, &state);
    zend_call_known_function(object->ce->__unserialize, object, object->ce, NULL, 1, &state, NULL);
    zval_ptr_dtor(&state);
    if (!EG(exception))
        carbon_learn(object, date);
}

const larder_object_kind larder_object_kind_carbon = {
    .node = LARDER_NODE_CARBON,
    .is = carbon_is,
    .takes = carbon_takes,
    .content = sizeof(larder_date),
    .write = larder_date_write,
    .fill = carbon_fill,
    .told = carbon_told,
};
