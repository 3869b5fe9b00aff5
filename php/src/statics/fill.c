/* fill.c - gives a static its stored value. Strings and arrays are used in place; fetch/resident.c
 * keeps objects. */
#include "fetch/fetch.h"
#include "fetch/resident.h"
#include "format/format.h"
#include "pack/pack.h"
#include "statics/internal.h"
#include "stores/stores.h"
#include "zend_exceptions.h"
#include "zend_interfaces.h"

/* ---- types ---- */

static bool fill_is_instance(zend_class_entry *scope, zend_string *name, zend_class_entry *ce)
{
    zend_class_entry *wanted;
    if (zend_string_equals_literal_ci(name, "self"))
        wanted = scope;
    else if (zend_string_equals_literal_ci(name, "parent"))
        wanted = scope->parent;
    else
        wanted = zend_lookup_class_ex(name, NULL, ZEND_FETCH_CLASS_NO_AUTOLOAD);
    return wanted != NULL && instanceof_function(ce, wanted);
}

/* Return true if objects of `ce` match `type`, which is a class or an intersection type. */
static bool fill_fits_one(zend_class_entry *scope, const zend_type *type, zend_class_entry *ce)
{
    const zend_type *each;
    if (!ZEND_TYPE_HAS_LIST(*type))
        return ZEND_TYPE_HAS_NAME(*type) && fill_is_instance(scope, ZEND_TYPE_NAME(*type), ce);
    ZEND_TYPE_LIST_FOREACH(ZEND_TYPE_LIST(*type), each)
        if (!ZEND_TYPE_HAS_NAME(*each) || !fill_is_instance(scope, ZEND_TYPE_NAME(*each), ce))
            return false;
    ZEND_TYPE_LIST_FOREACH_END();
    return true;
}

bool larder_static_fits(const larder_static *s, const zval *value)
{
    if (s->info == NULL || !ZEND_TYPE_IS_SET(s->info->type))
        return true;
    const zend_type *type = &s->info->type, *each;
    uint32_t mask = ZEND_TYPE_FULL_MASK(*type);
    if (mask & (1u << Z_TYPE_P(value)))
        return true;
    if (Z_TYPE_P(value) != IS_OBJECT)
        return false;
    zend_class_entry *ce = Z_OBJCE_P(value);
#ifdef MAY_BE_ITERABLE
    if ((mask & MAY_BE_ITERABLE) && instanceof_function(ce, zend_ce_traversable))
        return true;
#endif
    if (!ZEND_TYPE_HAS_LIST(*type) || ZEND_TYPE_IS_INTERSECTION(*type))
        return fill_fits_one(s->ce, type, ce);
    ZEND_TYPE_LIST_FOREACH(ZEND_TYPE_LIST(*type), each)
        if (fill_fits_one(s->ce, each, ce))
            return true;
    ZEND_TYPE_LIST_FOREACH_END();
    return false;
}

/* ---- the value ---- */

static bool fill_has_references(const lrd_value *value)
{
    const larder_graph *graph = larder_graph_of(value);
    const larder_graph_node *node =
        (const larder_graph_node *)(const void *)((const char *)value->data + graph->nodes_at);
    for (uint32_t i = 0; i < graph->nodes; i++, node++)
        if (node->kind == LARDER_NODE_REFERENCE)
            return true;
    return false;
}

/* Return the type of a value. If the value is packed, return the type that it has after
 * unpacking. */
static uint8_t fill_type(const lrd_value *value)
{
    lrd_packed packed;
    return value->type == LRD_TYPE_PACKED &&
                   lrd_packed_look(value->data, value->size, &packed) == LRD_OK
               ? packed.type
               : value->type;
}

static bool fill_has_packed_references(const lrd_value *value)
{
    lrd_packed packed;
    larder_unfolded unfolded;
    if (lrd_packed_open(value->data, value->size, &packed) != LRD_OK ||
        !larder_unfold(&packed, false, &unfolded))
        return false;
    bool has = fill_has_references(&(lrd_value){.data = unfolded.block, .size = unfolded.size});
    larder_unfolded_free(&unfolded);
    return has;
}

void larder_static_see(larder_static *s)
{
    zval before = s->seen;
    ZVAL_COPY(&s->seen, larder_static_value(s));
    s->digested = false;
    zval_ptr_dtor(&before);
}

static bool fill_take(const larder_static *s, lrd_store *store, lrd_value *value, zval *result)
{
    if (value->type == LARDER_GRAPH && s->kind == LARDER_PINNED) {
        larder_resident_answer answer = larder_resident_live(store, value, result);
        if (answer != LARDER_RESIDENT_NOT)
            return answer == LARDER_RESIDENT_GIVEN;
    }
    return larder_take(store, value, result);
}

static void fill_release(lrd_store *store, lrd_value *value)
{
    int unused;
    LARDER_CALL(unused, lrd_release(store, value));
    (void)unused;
}

static void fill_put(larder_static *s, zval *got)
{
    larder_static_bind(s);
    if (s->barred)
        larder_barrier_lift_one(s->live);
    zval before, *value = larder_static_value(s);
    ZVAL_COPY_VALUE(&before, value);
    ZVAL_COPY_VALUE(value, got);
    larder_static_see(s);
    larder_static_guard(s);
    zval_ptr_dtor(&before);
}

/* Maximum number of attempts to fill a static whose classes are missing. The number is limited,
 * because each attempt may call autoloaders. */
#define FILL_TRIES 100u

/* Return true if another attempt may succeed: a class was linked since the last one, and FILL_TRIES
 * is not reached. */
static bool fill_may_come(const larder_static *s)
{
    return s->linked != LARDER_G(statics)->linked && s->tries < FILL_TRIES;
}

bool larder_static_is_stale(const larder_static *s)
{
    lrd_store *store = larder_store(s->kind);
    lrd_value value;
    lrd_entry entry;
    int rc = LRD_MISS;
    if (store != NULL)
        LARDER_CALL(rc, lrd_get(store, ZSTR_VAL(s->key), ZSTR_LEN(s->key),
                                LRD_GET_BORROW | LRD_GET_NO_COUNT, &value));
    return rc == LRD_OK && (s->version == 0 || lrd_value_entry(store, &value, &entry) != LRD_OK ||
                            entry.version != s->version);
}

static void fill_now(larder_static *s, bool run)
{
    lrd_store *store = larder_store(s->kind);
    lrd_value value;
    lrd_entry entry;
    zval got;
    s->waits = false;
    if (store == NULL || larder_lookup(store, s->key, &value) != LRD_OK)
        return;
    uint8_t type = fill_type(&value);
    bool objects = type == LARDER_GRAPH || type == LARDER_SERIALIZED;
    if (objects && !run) {
        fill_release(store, &value);
        s->waits = true;
        return;
    }
    uint64_t version = lrd_value_entry(store, &value, &entry) == LRD_OK ? entry.version : 0;
    bool references =
        type == LARDER_SERIALIZED ||
        (type == LARDER_GRAPH && (value.type == LARDER_GRAPH ? fill_has_references(&value)
                                                             : fill_has_packed_references(&value)));
    ZVAL_UNDEF(&got);
    bool good = fill_take(s, store, &value, &got);
    /* Clear an exception of a hook or of a constant, because the program does not expect one
     * here. */
    if (UNEXPECTED(EG(exception) != NULL)) {
        larder_hook_threw();
        s->tries += FILL_TRIES / 8;
        good = false;
    }
    /* The class of an object may be loaded later, so try again then. */
    if (!good && objects && fill_may_come(s)) {
        s->linked = LARDER_G(statics)->linked;
        s->tries++;
        s->waits = true;
    }
    if (good && !larder_static_fits(s, &got)) {
        zval_ptr_dtor(&got);
        lrd_count_miss(store);
        good = false;
    }
    if (!good)
        return;
    s->filled = true;
    s->version = version;
    s->deep = objects;
    s->references = references;
    fill_put(s, &got);
    if (s->deep && (s->tracking || s->references))
        s->digested = larder_static_digest(larder_static_value(s), s->digest);
}

void larder_static_fill(larder_static *s, bool run)
{
    if (run) {
        fill_now(s, run);
        return;
    }
    /* no user code may run here, but the cycle collector would call destructors */
    bool collector = gc_protect(true);
    fill_now(s, run);
    gc_protect(collector);
}

/* Return true if the static still has the value `seen`, or was not initialised. */
static bool fill_is_untouched(const larder_static *s)
{
    const zval *value = larder_static_value(s);
    if (s->reference != NULL)
        return !Z_ISREF_P(s->place);
    return Z_TYPE_P(value) == Z_TYPE(s->seen) &&
           (Z_TYPE_P(value) < IS_LONG || Z_COUNTED_P(value) == Z_COUNTED(s->seen));
}

void larder_statics_fill(struct larder_statics *all)
{
    larder_frame frame;
    if (all->busy || EG(exception) != NULL)
        return;
    all->busy = true;
    all->waits = false;
    larder_frame_push(&frame);
    for (larder_static *s = all->first; s != NULL && EG(exception) == NULL; s = s->next) {
        /* Before the default is computed, no code has the address of the value. So the value can
         * still move into a page. */
        bool unused = !s->barred && s->info != NULL && Z_TYPE_P(s->place) == IS_CONSTANT_AST;
        if (s->waits && !fill_is_untouched(s))
            s->waits = false;
        else if (s->waits && fill_may_come(s))
            larder_static_fill(s, true);
        if (unused && EG(exception) == NULL) {
            larder_static_bar(all, s);
            larder_static_compute(all, s);
        }
        all->waits |= s->waits;
    }
    /* An exception may have stopped this loop. It may be an exit() that ends only a fiber, and then
     * the program goes on. So another call must fill the remaining statics. */
    all->waits |= EG(exception) != NULL;
    larder_frame_pop(&frame);
    all->busy = false;
    /* A hook may have written to a static while `busy` was set, and safe points did nothing
     * meanwhile. So ask for another safe point. */
    if (all->barrier.written)
        zend_atomic_bool_store_ex(all->barrier.interrupt, true);
}
