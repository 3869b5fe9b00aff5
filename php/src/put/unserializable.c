/* unserializable.c - throws an error, with the path, for parts of a value that no serializer can
 * store. Begin reading at larder_serializable().
 *
 * - The walk checks what the serializer would read: properties, or results of hooks that hooks.c
 *   has called.
 * - The walk runs no user code. gc_protect() keeps the cycle collector, which calls destructors,
 *   from starting. */
#include "kinds/classes.h"
#include "put/hooks.h"
#include "put/put.h"
#include "zend_enum.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

/* maximum number of steps of a path in a message */
#define REFUSE_PATH_STEPS 32

/* A level of the walk. The slots of an object are visited before its other properties. */
typedef struct refuse_level {
    HashTable *array;
    zend_object *object;
    /* the result of __sleep(), which names the slots to visit; NULL if all slots are visited */
    const larder_state *asleep;
    bool answer; /* the array is the result of __serialize() */
    bool own;    /* the level must release the array */
    /* True if `array` has the elements of `object`, which is a collection. False if `array` has the
     * properties of `object`. */
    bool held;
    uint32_t next; /* number of the next element or slot */
    uint32_t at;   /* number of the element or slot that is being checked */
} refuse_level;

typedef struct refuse_walk {
    refuse_level *levels;
    uint32_t depth, room;
    /* The visited parts. The key of an object is its address. The key of an array behind a
     * reference is the complement (~) of its address. */
    HashTable seen;
    const larder_blame *blame;
    const larder_states *states; /* the results of the hooks; NULL if no hook was called */
    bool complex;                /* the walk has met an object or a reference */
    const zend_object *heap;     /* the first heap with elements, or NULL */
    zend_string *heap_path;      /* the path to `heap` */
    /* if the value has too many levels, set `deep` instead of throwing */
    bool may_be_deep;
    bool deep; /* the value has more levels than the serializer allows */
} refuse_walk;

/* ---- the path ---- */

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
        if (level->answer)
            smart_str_appends(path, "->__serialize()");
        if (level->object == NULL || level->held) {
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

static void refuse_throw_at(const refuse_walk *walk, const zend_string *path,
                            zend_class_entry *error, const char *what, const char *name)
{
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
}

static void refuse_throw(const refuse_walk *walk, zend_class_entry *error, const char *what,
                         const char *name)
{
    zend_string *path = refuse_path(walk);
    refuse_throw_at(walk, path, error, what, name);
    zend_string_release(path);
}

/* ---- the walk ---- */

static void refuse_leave(refuse_walk *walk)
{
    refuse_level *level = walk->levels + --walk->depth;
    if (level->own)
        zend_array_release(level->array);
}

/* Push an array or an object on the stack of levels. If there are too many levels, returns NULL.
 * Then, if walk->may_be_deep is true, walk->deep is set; otherwise an exception is set. */
static refuse_level *refuse_enter(refuse_walk *walk, HashTable *array, zend_object *object)
{
    if (walk->depth >= LARDER_SERIALIZE_DEPTH - 1 && walk->may_be_deep) {
        walk->deep = true;
        return NULL;
    }
    if (walk->depth >= LARDER_SERIALIZE_DEPTH - 1) {
        char limit[16];
        snprintf(limit, sizeof limit, "%u", LARDER_SERIALIZE_DEPTH);
        refuse_throw(walk, zend_ce_value_error,
                     "must not be nested deeper than %s levels where it contains objects or "
                     "references",
                     limit);
        return NULL;
    }
    if (walk->depth == walk->room) {
        walk->room = walk->room != 0 ? walk->room * 2 : 16;
        walk->levels = safe_erealloc(walk->levels, walk->room, sizeof *walk->levels, 0);
    }
    refuse_level *level = walk->levels + walk->depth++;
    *level = (refuse_level){.array = array, .object = object};
    return level;
}

/* Call the __serialize() of an object of one of PHP's own classes, and let the walk enter the
 * returned array. Runs no user code. */
static bool refuse_enter_told(refuse_walk *walk, zend_object *object)
{
    zval told;
    if (!larder_builtin_call(object, object->ce->__serialize, NULL, &told))
        return false;
    refuse_level *level = Z_TYPE(told) == IS_ARRAY ? refuse_enter(walk, Z_ARR(told), NULL) : NULL;
    if (level == NULL) {
        zval_ptr_dtor(&told);
        return !EG(exception);
    }
    level->answer = level->own = true;
    return true;
}

/* Enter those parts of an object that PHP's serializer reads. Returns false if an exception was
 * thrown. */
static bool refuse_enter_object(refuse_walk *walk, zend_object *object)
{
    const zend_class_entry *ce = object->ce;
    if (ce->ce_flags & ZEND_ACC_ENUM)
        return true;
    bool sleeps = zend_hash_str_exists(&ce->function_table, ZEND_STRL("__sleep"));
    if (ce->__serialize != NULL && ce->__serialize->type == ZEND_INTERNAL_FUNCTION)
        return refuse_enter_told(walk, object);
    if (ce->__serialize != NULL || (ce->serialize == NULL && sleeps)) {
        const larder_state *state =
            walk->states != NULL ? larder_states_find(walk->states, object) : NULL;
        if (state == NULL || Z_TYPE(state->value) != IS_ARRAY)
            /* the state is unknown, and this check must not call the hook */
            return true;
        refuse_level *level = ce->__serialize != NULL
                                  ? refuse_enter(walk, Z_ARR(state->value), NULL)
                                  : refuse_enter(walk, object->properties, object);
        if (level == NULL)
            return false;
        level->answer = ce->__serialize != NULL;
        level->asleep = level->answer ? NULL : state;
        return true;
    }
    return ce->serialize != NULL || object->handlers->get_properties != zend_std_get_properties ||
           refuse_enter(walk, object->properties, object) != NULL;
}

static const larder_object_kind *refuse_kind(zend_class_entry *ce)
{
    const larder_class *class = larder_class_of(ce);
    return larder_object_kinds[class != NULL ? class->builtin : larder_builtin_of(ce)];
}

/* Check an object whose elements the serializer would lose, such as a heap. This records the first
 * such object. The walk goes on, because errors about other parts have priority. */
static bool refuse_dropped(refuse_walk *walk, const larder_object_kind *kind, zend_object *object)
{
    const larder_state *state =
        walk->states != NULL ? larder_states_find(walk->states, object) : NULL;
    if (walk->heap == NULL) {
        walk->heap = object;
        walk->heap_path = refuse_path(walk);
    }
    zval *held = state != NULL ? kind->held(&state->value) : NULL;
    if (held == NULL)
        return refuse_enter_object(walk, object);
    refuse_level *level = refuse_enter(walk, Z_ARR_P(held), object);
    if (level == NULL)
        return false;
    level->held = true;
    return true;
}

/* Check one value. Returns false if an exception was thrown. */
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
                             &walk->seen, ~(zend_ulong)(uintptr_t)Z_ARR_P(value)) == NULL)
            return true;
        return refuse_enter(walk, Z_ARR_P(value), NULL) != NULL;
    case IS_OBJECT: {
        zend_object *object = Z_OBJ_P(value);
        if (object->ce->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) {
            if (walk->blame->lenient)
                return true;
            refuse_throw(walk, zend_ce_type_error, "must not contain an instance of %s",
                         ZSTR_VAL(object->ce->name));
            return false;
        }
        if (zend_hash_index_add_empty_element(&walk->seen, (zend_ulong)(uintptr_t)object) == NULL)
            return true;
        const larder_object_kind *kind = refuse_kind(object->ce);
        if (kind->is_dropped != NULL && kind->is_dropped(object))
            return refuse_dropped(walk, kind, object);
        if (larder_node_has_content(kind->node) && kind->node != LARDER_NODE_CARBON &&
            object->properties == NULL &&
            (uint32_t)object->ce->default_properties_count == kind->made)
            /* all slots are PHP's own, so the object contains nothing that must be checked */
            return true;
        return !EG(exception) && refuse_enter_object(walk, object);
    }
    default:
        return true;
    }
}

/* Return true if __sleep() has not named the current property. */
static bool refuse_is_left_out(const refuse_level *level, uint32_t slots)
{
    const zval *name;
    if (level->asleep == NULL)
        return false;
    if (level->at < slots)
        return !larder_state_names(level->asleep, level->object, level->at);
    const zend_string *key = level->array->arData[level->at - slots].key;
    ZEND_HASH_FOREACH_VAL(Z_ARR(level->asleep->value), name)
        if (key != NULL && Z_TYPE_P(name) == IS_STRING && zend_string_equals(Z_STR_P(name), key))
            return false;
    ZEND_HASH_FOREACH_END();
    return true;
}

/* Return the next value that needs a check, or NULL at the end of the level. Skips scalars and
 * strings. */
static zval *refuse_next(refuse_level *level)
{
    const HashTable *array = level->array;
    uint32_t slots =
        level->object != NULL ? (uint32_t)level->object->ce->default_properties_count : 0;
    uint32_t end = slots + (array != NULL ? array->nNumUsed : 0);
    bool packed = array != NULL && (HT_FLAGS(array) & HASH_FLAG_PACKED) != 0;
    for (uint32_t at = level->next; at < end; at++) {
        zval *value = at < slots ? level->object->properties_table + at
                      : packed   ? array->arPacked + (at - slots)
                                 : &array->arData[at - slots].val;
        if (Z_TYPE_P(value) < IS_ARRAY)
            continue;
        level->at = at;
        if (UNEXPECTED(refuse_is_left_out(level, slots)))
            continue;
        level->next = at + 1;
        return value;
    }
    return NULL;
}

static bool refuse_look(refuse_walk *walk, zval *value)
{
    bool collector = gc_protect(true);
    zend_hash_init(&walk->seen, 8, NULL, NULL, 0);
    bool good = refuse_value(walk, value);
    while (good && walk->depth != 0) {
        zval *next = refuse_next(walk->levels + walk->depth - 1);
        if (next == NULL)
            refuse_leave(walk);
        else
            good = refuse_value(walk, next);
    }
    while (walk->depth != 0)
        refuse_leave(walk);
    if (walk->levels != NULL)
        efree(walk->levels);
    zend_hash_destroy(&walk->seen);
    gc_protect(collector);
    return good;
}

static bool refuse_heap(const refuse_walk *walk)
{
    refuse_throw_at(walk, walk->heap_path, zend_ce_type_error,
                    "must not contain a non-empty %s together with what only PHP's serializer "
                    "takes, which would empty it",
                    ZSTR_VAL(walk->heap->ce->name));
    return false;
}

bool larder_serializable(zval *value, const larder_states *states, const larder_blame *blame)
{
    refuse_walk walk = {.blame = blame, .states = states};
    bool good = refuse_look(&walk, value) && (walk.heap == NULL || refuse_heap(&walk));
    if (walk.heap_path != NULL)
        zend_string_release(walk.heap_path);
    return good;
}

bool larder_serializable_as_text(zval *value, const larder_blame *blame, bool *heap)
{
    refuse_walk walk = {.blame = blame, .may_be_deep = true};
    bool good = refuse_look(&walk, value) || (walk.deep && !EG(exception));
    *heap = walk.heap != NULL || walk.deep;
    if (walk.heap_path != NULL)
        zend_string_release(walk.heap_path);
    return good;
}
