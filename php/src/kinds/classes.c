/* classes.c - finds and examines the classes of stored objects. Read larder_class_of() first.
 *
 * - A class is found by its name, and its layout is compared: after a deployment, another class may
 *   be at the old address.
 * - A class is examined once per request, because it cannot change or move before the request
 *   ends. */
#include "kinds/classes.h"
#include "format/format.h"
#include "format/hash.h"
#include "kinds/builtin.h"
#include "request/memory.h"
#include "request/moves.h"
#include "request/serializer.h"
#include "zend_enum.h"

#define CLASSES_MIN 16u
/* size of the buffer for a name in lower case; a longer name is allocated with malloc() */
#define CLASSES_NAME 128u

typedef struct classes_cell {
    const zend_class_entry *ce;
    larder_class *class; /* the result for this class; NULL if the cell is empty */
} classes_cell;

struct larder_classes {
    classes_cell *cells; /* a hash table by the address of the class */
    uint32_t room, used;
};

zend_object_handlers larder_dropped_handlers;

/* ---- the layout ---- */

#define CLASSES_SEED 0x6c6172646572ull
#define CLASSES_DYNAMIC (ZEND_ACC_NO_DYNAMIC_PROPERTIES | ZEND_ACC_ALLOW_DYNAMIC_PROPERTIES)

static zend_always_inline uint64_t classes_mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * LARDER_HASH_FACTOR;
    return sum ^ sum >> 29;
}

/* Add a string to the sum. Do not use PHP's own hash, because many names collide in it, for example
 * "ar" and "c0". */
static LARDER_HOT uint64_t classes_mix_string(uint64_t sum, const zend_string *string)
{
    if (string == NULL)
        return classes_mix(sum, 0);
    const char *bytes = ZSTR_VAL(string);
    size_t left = ZSTR_LEN(string);
    uint64_t word;
    sum = classes_mix(sum, left + 1);
    for (; left >= sizeof word; left -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        sum = classes_mix(sum, word);
    }
    for (word = 0; left != 0; left--)
        word = word << 8 | (unsigned char)*bytes++;
    return classes_mix(sum, word);
}

static LARDER_HOT uint64_t classes_mix_type(uint64_t sum, zend_type type)
{
    sum = classes_mix(sum, ZEND_TYPE_PURE_MASK(type));
    if (ZEND_TYPE_HAS_LIST(type)) {
        const zend_type *member;
        sum = classes_mix(sum, ZEND_TYPE_IS_INTERSECTION(type) ? 2 : 3);
        ZEND_TYPE_LIST_FOREACH(ZEND_TYPE_LIST(type), member)
            sum = classes_mix_type(sum, *member);
        ZEND_TYPE_LIST_FOREACH_END();
    } else if (ZEND_TYPE_HAS_NAME(type)) {
        sum = classes_mix_string(sum, ZEND_TYPE_NAME(type));
    }
    return sum;
}

/* Add the names of the ancestors and interfaces to the sum, because they decide which typed
 * properties accept the object. */
static uint64_t classes_mix_family(uint64_t sum, const zend_class_entry *ce)
{
    uint64_t interfaces = 0; /* the order of the interfaces does not change this sum */
    for (const zend_class_entry *parent = ce->parent; parent != NULL; parent = parent->parent)
        sum = classes_mix_string(sum, parent->name);
    for (uint32_t i = 0; i < ce->num_interfaces; i++)
        interfaces += classes_mix_string(CLASSES_SEED, ce->interfaces[i]->name);
    return classes_mix(sum, interfaces);
}

static uint64_t classes_fingerprint(const zend_class_entry *ce, larder_class_kind kind)
{
    uint64_t sum = classes_mix(CLASSES_SEED, (uint64_t)kind);
    sum = classes_mix_string(sum, ce->name);
    sum = classes_mix_family(sum, ce);
    /* An __unserialize() written in PHP decides alone which data it accepts, so the declared
     * properties do not matter. */
    if (kind == LARDER_CLASS_STATE && ce->__unserialize != NULL &&
        ce->__unserialize->type == ZEND_USER_FUNCTION)
        return sum;
    sum = classes_mix(sum, (uint64_t)(unsigned)ce->default_properties_count);
    sum = classes_mix(sum, ce->ce_flags & (ZEND_ACC_USE_GUARDS | ZEND_ACC_ENUM |
                                           ZEND_ACC_READONLY_CLASS | CLASSES_DYNAMIC));
    for (int slot = 0; slot < ce->default_properties_count; slot++) {
        const zend_property_info *info = ce->properties_info_table[slot];
        if (info == NULL) {
            sum = classes_mix(sum, 1);
            continue;
        }
        sum = classes_mix_string(sum, info->name);
        sum = classes_mix(sum, info->flags & (ZEND_ACC_PPP_MASK | ZEND_ACC_READONLY));
        sum = classes_mix_string(sum, info->ce != ce ? info->ce->name : NULL);
        sum = classes_mix_type(sum, info->type);
        sum = classes_mix(sum, Z_TYPE(ce->default_properties_table[slot]) == IS_UNDEF);
    }
    return sum;
}

/* ---- aliases in types ---- */

static bool classes_names_classes(const zend_class_entry *ce)
{
    for (int slot = 0; slot < ce->default_properties_count; slot++)
        if (ce->properties_info_table[slot] != NULL &&
            ZEND_TYPE_IS_COMPLEX(ce->properties_info_table[slot]->type))
            return true;
    return false;
}

/* Return a name in lower case, or NULL. The caller frees the result if it is not `buffer`. */
static char *classes_lower(const zend_string *name, char buffer[CLASSES_NAME])
{
    char *lower = EXPECTED(ZSTR_LEN(name) < CLASSES_NAME) ? buffer : malloc(ZSTR_LEN(name) + 1);
    return lower != NULL ? zend_str_tolower_copy(lower, ZSTR_VAL(name), ZSTR_LEN(name)) : NULL;
}

/* If `name` is not the class's own name but an alias, call `tell`. Returns false if there is no
 * memory, or if `tell` has returned false. */
static bool classes_tell_name(const zend_class_entry *own, const zend_string *name,
                              larder_tell_alias tell, void *context)
{
    if (zend_string_equals(name, own->name))
        return true;
    char buffer[CLASSES_NAME], *lower = classes_lower(name, buffer);
    if (lower == NULL)
        return false;
    const zend_class_entry *ce = zend_hash_str_find_ptr(EG(class_table), lower, ZSTR_LEN(name));
    bool good = true;
    if (ce != NULL && !zend_string_equals_ci(ce->name, name))
        good = tell(context, name, ce);
    if (lower != buffer)
        free(lower);
    return good;
}

static LARDER_HOT bool classes_tell_type(const zend_class_entry *own, zend_type type,
                                         larder_tell_alias tell, void *context)
{
    bool good = true;
    if (ZEND_TYPE_HAS_LIST(type)) {
        const zend_type *member;
        ZEND_TYPE_LIST_FOREACH(ZEND_TYPE_LIST(type), member)
            good = good && classes_tell_type(own, *member, tell, context);
        ZEND_TYPE_LIST_FOREACH_END();
    } else if (ZEND_TYPE_HAS_NAME(type)) {
        good = classes_tell_name(own, ZEND_TYPE_NAME(type), tell, context);
    }
    return good;
}

static bool classes_tell(const zend_class_entry *ce, larder_tell_alias tell, void *context)
{
    bool good = true;
    for (int slot = 0; good && slot < ce->default_properties_count; slot++)
        if (ce->properties_info_table[slot] != NULL)
            good = classes_tell_type(ce, ce->properties_info_table[slot]->type, tell, context);
    return good;
}

static bool classes_stop(void *context, const zend_string *name, const zend_class_entry *ce)
{
    (void)context, (void)name, (void)ce;
    return false;
}

bool larder_class_aliases(larder_class *class, larder_tell_alias tell, void *context)
{
    /* PHP adds new aliases to the class table, and never removes them. So search again only if the
     * table has grown. */
    uint32_t classes = EG(class_table)->nNumUsed;
    if (UNEXPECTED(class->looked != classes)) {
        class->has_aliases = !classes_tell(class->ce, classes_stop, NULL);
        class->looked = classes;
    }
    return EXPECTED(!class->has_aliases) || classes_tell(class->ce, tell, context);
}

uint64_t larder_class_alias_fingerprint(const zend_string *name, const zend_class_entry *ce)
{
    return classes_mix_string(
        classes_mix_string(classes_mix(CLASSES_SEED, LARDER_CLASS_ALIAS), name), ce->name);
}

/* ---- the kind ---- */

static bool classes_has_method(const zend_class_entry *ce, const char *name, size_t length)
{
    return zend_hash_str_exists(&ce->function_table, name, length);
}

static larder_class_kind classes_kind(const zend_class_entry *ce, larder_builtin builtin)
{
    if (ce->ce_flags & ZEND_ACC_ENUM)
        return LARDER_CLASS_ENUM;
    if (ce == zend_standard_class_def)
        return LARDER_CLASS_PLAIN;
    if (ce->ce_flags & (ZEND_ACC_NOT_SERIALIZABLE | ZEND_ACC_ANON_CLASS))
        return LARDER_CLASS_OTHER;
    if (builtin != LARDER_BUILTIN_NONE && larder_object_kinds[builtin]->is == NULL)
        return LARDER_CLASS_BUILTIN;
    if ((ce->__serialize != NULL && ce->__unserialize != NULL) ||
        larder_object_kinds[builtin]->state != NULL)
        return LARDER_CLASS_STATE;
    if (ce->type != ZEND_USER_CLASS || ce->create_object != NULL || ce->__serialize != NULL ||
        ce->serialize != NULL || ce->unserialize != NULL)
        return LARDER_CLASS_OTHER;
    bool sleep = classes_has_method(ce, ZEND_STRL("__sleep"));
    /* if there is an __unserialize(), PHP does not call __wakeup() */
    if (ce->__unserialize != NULL)
        return sleep ? LARDER_CLASS_OTHER : LARDER_CLASS_STATE;
    return sleep || classes_has_method(ce, ZEND_STRL("__wakeup")) ? LARDER_CLASS_SLEEP
                                                                  : LARDER_CLASS_PLAIN;
}

/* Return true if objects of the class never change, and need not be in the engine's table of
 * objects (fetch/resident.h). */
static bool classes_resident(const zend_class_entry *ce, larder_class_kind kind)
{
    if (kind == LARDER_CLASS_ENUM)
        return true;
#if PHP_VERSION_ID >= 80400
    /* Reflection can turn an object of a class that is not final into a lazy object, which has no
     * values. */
    if (!(ce->ce_flags & ZEND_ACC_FINAL))
        return false;
#endif
#if PHP_VERSION_ID >= 80300
    if (ce->default_object_handlers != zend_get_std_object_handlers())
        return false;
#endif
    return kind == LARDER_CLASS_PLAIN && (ce->ce_flags & ZEND_ACC_READONLY_CLASS) &&
           !(ce->ce_flags & ZEND_ACC_USE_GUARDS) && ce->create_object == NULL &&
           ce->destructor == NULL && ce->__get == NULL && ce->__set == NULL &&
           ce->__isset == NULL && ce->__unset == NULL;
}

/* ---- the table ---- */

static classes_cell *classes_find(const struct larder_classes *classes, const zend_class_entry *ce)
{
    uint32_t i = larder_hash_address(ce) & (classes->room - 1);
    while (classes->cells[i].class != NULL && classes->cells[i].ce != ce)
        i = (i + 1) & (classes->room - 1);
    return classes->cells + i;
}

static bool classes_grow(struct larder_classes *classes)
{
    struct larder_classes grown = *classes;
    grown.room = classes->room != 0 ? classes->room * 2 : CLASSES_MIN;
    grown.cells = larder_request_alloc(grown.room * sizeof *grown.cells);
    if (grown.cells == NULL)
        return false;
    for (uint32_t i = 0; i < classes->room; i++)
        if (classes->cells[i].class != NULL)
            *classes_find(&grown, classes->cells[i].ce) = classes->cells[i];
    *classes = grown;
    return true;
}

/* Return this request's table of classes, with room for one more class. Returns NULL if there is no
 * memory. */
static struct larder_classes *classes_table(void)
{
    struct larder_classes *classes = LARDER_G(known).classes;
    if (UNEXPECTED(classes == NULL))
        classes = LARDER_G(known).classes = larder_request_alloc(sizeof *classes);
    if (UNEXPECTED(classes == NULL))
        return NULL;
    LARDER_MOVE_KNOWN(classes->cells, classes->room * sizeof *classes->cells);
    return classes->used < classes->room / 2 || classes_grow(classes) ? classes : NULL;
}

larder_class *larder_class_look(zend_class_entry *ce)
{
    struct larder_classes *classes = classes_table();
    if (UNEXPECTED(classes == NULL))
        return NULL;
    classes_cell *cell = classes_find(classes, ce);
    if (EXPECTED(cell->class != NULL))
        return LARDER_G(known).class_latest = cell->class;
    larder_class *class = larder_request_alloc(sizeof *class);
    if (class == NULL)
        return NULL;
    larder_builtin builtin = larder_builtin_of(ce);
    larder_class_kind kind = classes_kind(ce, builtin);
    bool asked = kind == LARDER_CLASS_BUILTIN || kind == LARDER_CLASS_STATE;
    *cell = (classes_cell){.ce = ce, .class = class};
    *class = (larder_class){
        .ce = ce,
        .fingerprint = classes_fingerprint(ce, kind),
        .sleep = kind == LARDER_CLASS_SLEEP
                     ? zend_hash_str_find_ptr(&ce->function_table, ZEND_STRL("__sleep"))
                     : NULL,
        .kind = kind,
        .builtin = asked ? builtin : LARDER_BUILTIN_NONE,
        .bare =
            kind == LARDER_CLASS_STATE && ce->__serialize == NULL && builtin == LARDER_BUILTIN_NONE,
        .resident = classes_resident(ce, kind),
        .names_classes = classes_names_classes(ce)};
    classes->used++;
    return class;
}

zend_class_entry *larder_class_loaded(zend_string *lower)
{
    zend_class_entry *ce = zend_hash_find_ptr(EG(class_table), lower);
    return EXPECTED(ce != NULL) && EXPECTED(ce->ce_flags & ZEND_ACC_LINKED) ? ce : NULL;
}

LARDER_HOT zend_class_entry *larder_class_find(zend_string *name, zend_string *lower)
{
    zend_class_entry *ce = larder_class_loaded(lower);
    if (EXPECTED(ce != NULL))
        return ce;
    /* An autoloader may keep the name longer than its block exists, so give it a copy. */
    zend_string *own = zend_string_init(ZSTR_VAL(name), ZSTR_LEN(name), 0);
    larder_serializer_lock();
    ce = zend_lookup_class_ex(own, NULL, 0);
    larder_serializer_unlock();
    zend_string_release(own);
    return EG(exception) ? NULL : ce;
}
