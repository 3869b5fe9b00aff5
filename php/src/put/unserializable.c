/* unserializable.c - finds values that no serializer takes (closures, resources, ...) and throws an error with the path to
 * them. Read larder_serializable() first. Runs before php_var_serialize(), which turns a resource into 0 and names no
 * path. Walks without recursion; looks into objects only where the serializer would read their properties. */
#include "kinds/classes.h"
#include "put/put.h"
#include "zend_enum.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#define REFUSE_PATH_STEPS 32 /* the innermost steps of a long path are left out */

/* A level of the walk: an array, or an object's slots and then its further properties. */
typedef struct refuse_level {
    HashTable *array;
    zend_object *object;
    uint32_t next; /* element, or slot */
    uint32_t at;   /* the one that is being looked at */
} refuse_level;

typedef struct refuse_walk {
    refuse_level *levels;
    uint32_t depth, room;
    HashTable seen; /* objects, and arrays behind references, by address */
    const larder_blame *blame;
    bool complex; /* an object or a reference was met */
    bool heap;    /* a heap with something in it was met */
} refuse_walk;

/* ---- the path ------------------------------------------------------------------------------------ */

static void refuse_key(smart_str *path, zend_string *key, zend_ulong index)
{
    smart_str_appendc(path, '[');
    if (key == NULL) {
        smart_str_append_long(path, (zend_long)index);
    } else {
        smart_str_appendc(path, '\'');
        smart_str_append_escaped_truncated(path, key, 100);
        smart_str_appendc(path, '\'');
    }
    smart_str_appendc(path, ']');
}

static void refuse_step(smart_str *path, const refuse_level *level)
{
    if (level->object == NULL ||
        level->at >= (uint32_t)level->object->ce->default_properties_count) {
        const HashTable *array = level->array;
        uint32_t at = level->at;
        if (level->object != NULL)
            at -= (uint32_t)level->object->ce->default_properties_count;
        bool packed = HT_FLAGS(array) & HASH_FLAG_PACKED;
        zend_string *key = packed ? NULL : array->arData[at].key;
        zend_ulong index = packed ? at : array->arData[at].h;
        if (level->object == NULL) {
            refuse_key(path, key, index);
        } else {
            smart_str_appends(path, "->");
            if (key != NULL)
                smart_str_append(path, key);
            else
                smart_str_append_long(path, (zend_long)index);
        }
        return;
    }
    zend_property_info *info = level->object->ce->properties_info_table[level->at];
    const char *class_name, *name = "?";
    if (info != NULL)
        zend_unmangle_property_name(info->name, &class_name, &name);
    smart_str_appends(path, "->");
    smart_str_appends(path, name);
}

static zend_string *refuse_path(const refuse_walk *walk)
{
    smart_str path = {0};
    smart_str_appends(&path, walk->blame->root);
    if (walk->blame->key != NULL || walk->blame->has_index)
        refuse_key(&path, walk->blame->key, walk->blame->index);
    for (uint32_t i = 0; i < walk->depth; i++) {
        if (i == REFUSE_PATH_STEPS) {
            smart_str_appends(&path, "...");
            break;
        }
        refuse_step(&path, walk->levels + i);
    }
    smart_str_0(&path);
    return path.s;
}

static void refuse_throw(const refuse_walk *walk, zend_class_entry *error, const char *what,
                         const char *name)
{
    zend_string *path = refuse_path(walk);
    char text[300];
    snprintf(text, sizeof text, what, name);
    if (walk->blame->property)
        zend_throw_error(error, "%s %s, found at %s", walk->blame->root, text, ZSTR_VAL(path));
    else if (walk->blame->argument == 0)
        zend_throw_error(error, "%s::%s(): The value that $compute returned %s, found at %s",
                         get_active_class_name(NULL), get_active_function_name(), text,
                         ZSTR_VAL(path));
    else
        zend_argument_error(error, walk->blame->argument, "%s, found at %s", text, ZSTR_VAL(path));
    zend_string_release(path);
}

/* ---- the walk ------------------------------------------------------------------------------------- */

static bool refuse_enter(refuse_walk *walk, HashTable *array, zend_object *object)
{
    if (walk->depth >= LARDER_SERIALIZE_DEPTH - 1) {
        char limit[16];
        snprintf(limit, sizeof limit, "%u", LARDER_SERIALIZE_DEPTH);
        refuse_throw(walk, zend_ce_value_error,
                     "must not be nested deeper than %s levels where it contains objects or "
                     "references",
                     limit);
        return false;
    }
    if (walk->depth == walk->room) {
        walk->room = walk->room != 0 ? walk->room * 2 : 16;
        walk->levels = safe_erealloc(walk->levels, walk->room, sizeof *walk->levels, 0);
    }
    walk->levels[walk->depth++] = (refuse_level){.array = array, .object = object};
    return true;
}

/* True if the serializer reads the properties themselves: no hook stands for them. */
static bool refuse_reads_properties(const zend_object *object)
{
    const zend_class_entry *ce = object->ce;
    return ce->__serialize == NULL && ce->serialize == NULL && !(ce->ce_flags & ZEND_ACC_ENUM) &&
           !zend_hash_str_exists(&ce->function_table, ZEND_STRL("__sleep")) &&
           object->handlers->get_properties == zend_std_get_properties;
}

/* Look at one value; containers are entered. False: thrown. */
static bool refuse_value(refuse_walk *walk, zval *value)
{
    if (Z_TYPE_P(value) == IS_INDIRECT)
        value = Z_INDIRECT_P(value);
    bool reference = Z_ISREF_P(value);
    ZVAL_DEREF(value);
    walk->complex = walk->complex || reference || Z_TYPE_P(value) == IS_OBJECT;
    switch (Z_TYPE_P(value)) {
    case IS_RESOURCE:
        if (walk->blame->resource != NULL && !walk->complex) {
            php_error_docref(NULL, E_WARNING, "%s", walk->blame->resource);
            return false;
        }
        if (walk->blame->lenient)
            return true;
        refuse_throw(walk, zend_ce_type_error, "must not contain a %s", "resource");
        return false;
    case IS_ARRAY:
        if (zend_hash_num_elements(Z_ARR_P(value)) == 0)
            return true;
        if (reference && zend_hash_index_add_empty_element(
                             &walk->seen, (zend_ulong)(uintptr_t)Z_ARR_P(value)) == NULL)
            return true;
        return refuse_enter(walk, Z_ARR_P(value), NULL);
    case IS_OBJECT: {
        zend_object *object = Z_OBJ_P(value);
        if (object->ce->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) {
            if (walk->blame->lenient)
                return true;
            refuse_throw(walk, zend_ce_type_error, "must not contain an instance of %s",
                         ZSTR_VAL(object->ce->name));
            return false;
        }
        if (!walk->heap) {
            const larder_class *class = larder_class_of(object->ce);
            const larder_object_kind *kind =
                larder_object_kinds[class != NULL ? class->builtin : larder_builtin_of(object->ce)];
            walk->heap = kind->is_dropped != NULL && kind->is_dropped(object);
        }
        if (zend_hash_index_add_empty_element(&walk->seen, (zend_ulong)(uintptr_t)object) == NULL ||
            !refuse_reads_properties(object))
            return true;
        return refuse_enter(walk, object->properties, object);
    }
    default:
        return true;
    }
}

/* The next value of the innermost level; NULL: it is done. */
static zval *refuse_next(refuse_level *level)
{
    uint32_t slots =
        level->object != NULL ? (uint32_t)level->object->ce->default_properties_count : 0;
    if (level->next < slots) {
        level->at = level->next++;
        return &level->object->properties_table[level->at];
    }
    uint32_t index = level->next - slots;
    if (level->array == NULL || index >= level->array->nNumUsed)
        return NULL;
    level->at = level->next++;
    return HT_FLAGS(level->array) & HASH_FLAG_PACKED ? level->array->arPacked + index
                                                     : &level->array->arData[index].val;
}

bool larder_serializable(zval *value, const larder_blame *blame, bool *heap)
{
    refuse_walk walk = {.blame = blame};
    zend_hash_init(&walk.seen, 8, NULL, NULL, 0);
    bool good = refuse_value(&walk, value);
    while (good && walk.depth != 0) {
        zval *next = refuse_next(walk.levels + walk.depth - 1);
        if (next == NULL)
            walk.depth--;
        else
            good = refuse_value(&walk, next);
    }
    if (walk.levels != NULL)
        efree(walk.levels);
    zend_hash_destroy(&walk.seen);
    if (heap != NULL)
        *heap = walk.heap;
    return good;
}
