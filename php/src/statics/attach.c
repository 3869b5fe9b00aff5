/* attach.c - takes over statics (static properties and variables that outlive requests). Begin
 * reading at larder_statics_class().
 *
 * - The slot of a static property becomes an IS_INDIRECT to a zval of Larder. The engine follows an
 *   IS_INDIRECT here, because the slots of inherited properties are IS_INDIRECT, too.
 * - A static variable becomes a PHP reference that Larder makes. */
#include "fetch/fetch.h"
#include "statics/internal.h"
#include "format/hash.h"
#include "statics/seen.h"
#include "statics/statics.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "zend_attributes.h"
#include "zend_enum.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"
#include "statics/statics_arginfo.h"

static zend_class_entry *attach_strategy_class;

/* ---- the attributes ---- */

/* Find the attribute of a static, and return the kind of its store, or LARDER_KINDS. */
static larder_kind attach_kind(HashTable *attributes, zend_attribute **out)
{
    zend_attribute *attribute;
    ZEND_HASH_FOREACH_PTR(attributes, attribute)
        const zend_string *name = attribute->lcname;
        if (attribute->offset != 0 || (ZSTR_LEN(name) < sizeof "larder\\pinnedstatic" - 1))
            continue;
        *out = attribute;
        if (zend_string_equals_literal(name, "larder\\volatilestatic") ||
            (larder_statics_opcache && zend_string_equals_literal(name, "opcache\\volatilestatic")))
            return LARDER_VOLATILE;
        if (zend_string_equals_literal(name, "larder\\pinnedstatic") ||
            (larder_statics_opcache && zend_string_equals_literal(name, "opcache\\pinnedstatic")))
            return LARDER_PINNED;
    ZEND_HASH_FOREACH_END();
    return LARDER_KINDS;
}

/* Return true if an argument names CacheStrategy::Tracking directly. Arguments are not evaluated,
 * because user code must not run here. */
static bool attach_is_tracking(const zend_attribute *attribute)
{
    for (uint32_t i = 0; i < attribute->argc; i++) {
        const zval *value = &attribute->args[i].value;
        if (Z_TYPE_P(value) == IS_OBJECT)
            return Z_LVAL_P(zend_enum_fetch_case_value(Z_OBJ_P(value))) == 1;
        if (Z_TYPE_P(value) != IS_CONSTANT_AST || Z_ASTVAL_P(value)->kind != ZEND_AST_CLASS_CONST)
            continue;
        const zend_ast *class = Z_ASTVAL_P(value)->child[0], *name = Z_ASTVAL_P(value)->child[1];
        if (class->kind == ZEND_AST_ZVAL && name->kind == ZEND_AST_ZVAL &&
            (zend_string_equals_literal_ci(zend_ast_get_str((zend_ast *)(uintptr_t) class),
                                           "larder\\cachestrategy") ||
             zend_string_equals_literal_ci(zend_ast_get_str((zend_ast *)(uintptr_t) class),
                                           "opcache\\cachestrategy")))
            return zend_string_equals_literal(zend_ast_get_str((zend_ast *)(uintptr_t)name),
                                              "Tracking");
    }
    return false;
}

/* Warn that the store `name` is off, at most once per process. */
static void attach_warn_off(const char *name)
{
    static bool told;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        zend_error(
            E_WARNING,
            "#[%s] has no effect, because static state is off: write larder.statics = 1 into "
            "php.ini, and restart PHP",
            name);
}

/* Returns an error message, or NULL if the attribute is valid. */
static zend_string *attach_error(zend_attribute *attribute, uint32_t target,
                                 zend_class_entry *scope)
{
    const char *name = ZSTR_VAL(attribute->name);
    larder_statics_saw(scope != NULL ? scope->name : NULL);
    if (larder_configured.enabled && !larder_configured.statics)
        attach_warn_off(name);
    if (target & ZEND_ATTRIBUTE_TARGET_FUNCTION && CG(active_op_array) != NULL &&
        (CG(active_op_array)->fn_flags & ZEND_ACC_CLOSURE))
        zend_error(E_WARNING,
                   "#[%s] has no effect on a closure, each object of which has static variables of "
                   "its own: give the attribute to a named function, a method or a static property",
                   name);
    if (scope != NULL && (scope->ce_flags & ZEND_ACC_ANON_CLASS))
        return zend_strpprintf(
            0, "Cannot apply #[%s] in an anonymous class, whose name is another in each process",
            name);
    if (!(target & ZEND_ATTRIBUTE_TARGET_PROPERTY) || scope == NULL ||
        zend_hash_num_elements(&scope->properties_info) == 0)
        return NULL;
    const HashTable *infos = &scope->properties_info;
    /* the compiler has added this property last, so the attribute belongs to it */
    const zend_property_info *last = Z_PTR(infos->arData[infos->nNumUsed - 1].val);
    if (last->flags & ZEND_ACC_STATIC)
        return NULL;
    return zend_strpprintf(0, "Cannot apply #[%s] to %s::$%s, which is not static", name,
                           ZSTR_VAL(scope->name), zend_get_unmangled_property_name(last->name));
}

#if PHP_VERSION_ID >= 80500
#define attach_validate attach_error
#else
static void attach_validate(zend_attribute *attribute, uint32_t target, zend_class_entry *scope)
{
    zend_string *error = attach_error(attribute, target, scope);
    if (error != NULL)
        zend_error_noreturn(E_COMPILE_ERROR, "%s", ZSTR_VAL(error));
}
#endif

void larder_statics_register(zend_class_entry *attribute)
{
    zend_internal_attribute *internal = zend_internal_attribute_register(
        attribute, ZEND_ATTRIBUTE_TARGET_PROPERTY | ZEND_ATTRIBUTE_TARGET_METHOD |
                       ZEND_ATTRIBUTE_TARGET_FUNCTION);
    internal->validator = attach_validate;
}

void larder_statics_attributes(void)
{
    attach_strategy_class = register_class_Larder_CacheStrategy();
    larder_statics_register(register_class_Larder_VolatileStatic());
    larder_statics_register(register_class_Larder_PinnedStatic());
}

void larder_static_construct(zend_class_entry *strategy_class, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_long ttl = 0;
    zval *strategy = NULL;
    ZEND_PARSE_PARAMETERS_START(0, 2)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(ttl)
        Z_PARAM_OBJECT_OF_CLASS(strategy, strategy_class)
    ZEND_PARSE_PARAMETERS_END();
    zend_object *object = Z_OBJ_P(ZEND_THIS);
    if (ttl < 0) {
        zend_argument_value_error(1, "must be greater than or equal to 0");
        RETURN_THROWS();
    }
    if (Z_TYPE_P(OBJ_PROP_NUM(object, 0)) != IS_UNDEF) {
        zend_throw_error(NULL, "Cannot modify readonly property %s::$ttl",
                         ZSTR_VAL(object->ce->name));
        RETURN_THROWS();
    }
    ZVAL_LONG(OBJ_PROP_NUM(object, 0), ttl);
    if (strategy != NULL)
        ZVAL_COPY(OBJ_PROP_NUM(object, 1), strategy);
    else
        ZVAL_OBJ_COPY(OBJ_PROP_NUM(object, 1),
                      zend_enum_get_case_cstr(strategy_class, "Immediate"));
}

ZEND_METHOD(Larder_VolatileStatic, __construct)
{
    larder_static_construct(attach_strategy_class, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

ZEND_METHOD(Larder_PinnedStatic, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

/* ---- the shape of a class: a hash of its declaration ---- */

static uint64_t attach_mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * LARDER_HASH_FACTOR;
    return hash ^ hash >> 29;
}

static uint64_t attach_mix_string(uint64_t hash, zend_string *string)
{
    return attach_mix(hash, string != NULL ? zend_string_hash_val(string) : 1);
}

static uint64_t attach_mix_type(uint64_t hash, const zend_type *type)
{
    const zend_type *each;
    hash = attach_mix(hash, ZEND_TYPE_PURE_MASK(*type));
    if (ZEND_TYPE_HAS_LIST(*type)) {
        ZEND_TYPE_LIST_FOREACH(ZEND_TYPE_LIST(*type), each)
            hash = attach_mix_type(hash, each);
        ZEND_TYPE_LIST_FOREACH_END();
    } else if (ZEND_TYPE_HAS_NAME(*type)) {
        hash = attach_mix_string(hash, ZEND_TYPE_NAME(*type));
    }
    return hash;
}

/* Add a value to the hash. If PHP computes the value at run time, only its type is added. */
static uint64_t attach_mix_value(uint64_t hash, const zval *value)
{
    hash = attach_mix(hash, Z_TYPE_P(value));
    switch (Z_TYPE_P(value)) {
    case IS_LONG:
    case IS_DOUBLE:
        return attach_mix(hash, (uint64_t)Z_LVAL_P(value));
    case IS_STRING:
        return attach_mix_string(hash, Z_STR_P(value));
    case IS_ARRAY: {
        zend_ulong index;
        zend_string *key;
        zval *element;
        ZEND_HASH_FOREACH_KEY_VAL(Z_ARR_P(value), index, key, element)
            hash = key != NULL ? attach_mix_string(hash, key) : attach_mix(hash, index);
            hash = attach_mix_value(hash, element);
        ZEND_HASH_FOREACH_END();
        return hash;
    }
    default:
        return hash;
    }
}

static uint64_t attach_mix_code(uint64_t hash, zend_op_array *code)
{
    hash = attach_mix_string(hash, code->function_name);
    return attach_mix(hash, (uint64_t)(code->line_end - code->line_start) << 32 | code->num_args);
}

/* Add a class's properties, constants and methods to `hash`. The hash must not depend on opcache: a
 * process with opcache and a process without opcache may share a store. */
static uint64_t attach_mix_class(uint64_t hash, zend_class_entry *ce)
{
    zend_property_info *info;
    zend_class_constant *constant;
    zend_string *name;
    zend_function *function;
    if (ce->parent != NULL)
        hash = attach_mix_string(hash, ce->parent->name);
    ZEND_HASH_FOREACH_PTR(&ce->properties_info, info)
        if (info->ce != ce)
            continue;
        hash = attach_mix_string(hash, info->name);
        hash = attach_mix(hash, info->flags & (ZEND_ACC_PPP_MASK | ZEND_ACC_STATIC));
        hash = attach_mix_type(hash, &info->type);
        if (info->flags & ZEND_ACC_STATIC)
            hash = attach_mix_value(hash, ce->default_static_members_table + info->offset);
    ZEND_HASH_FOREACH_END();
    ZEND_HASH_FOREACH_STR_KEY_PTR(&ce->constants_table, name, constant)
        if (constant->ce == ce) {
            hash = attach_mix_string(hash, name);
            hash = attach_mix_value(hash, &constant->value);
        }
    ZEND_HASH_FOREACH_END();
    ZEND_HASH_FOREACH_PTR(&ce->function_table, function)
        if (function->type == ZEND_USER_FUNCTION && function->common.scope == ce)
            hash = attach_mix_code(hash, &function->op_array);
    ZEND_HASH_FOREACH_END();
    return hash;
}

/* ---- one static ---- */

/* A key consists of LARDER_STATICS_KEY, the lower-case class, a 0 byte, the member, a 0 byte, and
 * hashes of the file and of the class's declaration (`shape`). */
static zend_string *attach_key(zend_string *class, zend_string *file, const char *function,
                               zend_string *member, uint64_t shape)
{
    smart_str key = {0};
    uint64_t from = file != NULL ? zend_hash_func(ZSTR_VAL(file), ZSTR_LEN(file)) : 0;
    smart_str_appendl(&key, LARDER_STATICS_KEY, sizeof LARDER_STATICS_KEY - 1);
    if (class != NULL) {
        zend_string *lower = zend_string_tolower(class);
        smart_str_append(&key, lower);
        zend_string_release(lower);
    }
    smart_str_appendc(&key, '\0');
    if (function != NULL) {
        smart_str_appends(&key, function);
        smart_str_appends(&key, "()::$");
    }
    smart_str_append(&key, member);
    smart_str_appendc(&key, '\0');
    smart_str_appendl(&key, (const char *)&from, sizeof from);
    smart_str_appendl(&key, (const char *)&shape, sizeof shape);
    smart_str_0(&key);
    return key.s;
}

static struct larder_statics *attach_begin(void)
{
    struct larder_statics *all = LARDER_G(statics);
    if (all == NULL) {
        all = calloc(1, sizeof *all);
        if (all == NULL)
            return NULL;
        all->last = &all->first;
        all->linked = 1;
        all->barrier.interrupt = &EG(vm_interrupt);
        all->alarm.barrier = &all->barrier;
        zend_hash_init(&all->classes, 0, NULL, NULL, true);
        LARDER_G(statics) = all;
    }
    if (all->first == NULL && !larder_barrier_install())
        return NULL;
    return all;
}

static bool attach_key_fits(const zend_string *key) { return ZSTR_LEN(key) <= LRD_KEY_MAX; }

static larder_static *attach_new(larder_kind kind, zend_attribute *attribute, zend_string *key,
                                 zend_string *label)
{
    larder_static *s = ecalloc(1, sizeof *s);
    s->kind = kind;
    s->attribute = attribute;
    s->tracking = kind == LARDER_VOLATILE && attach_is_tracking(attribute);
    s->key = key;
    s->label = label;
    ZVAL_UNDEF(&s->seen);
    return s;
}

/* Add a static to this request, and give it the stored value. `s->live` must be set. */
static void attach_enter(struct larder_statics *all, larder_static *s, bool run)
{
    *all->last = s;
    all->last = &s->next;
    larder_static_see(s);
    larder_static_fill(s, run);
    all->waits |= s->waits;
}

static bool attach_may_run(const struct larder_statics *all)
{
    return LARDER_G(statics_compiling) == 0 && EG(current_execute_data) != NULL && !all->busy &&
           EG(exception) == NULL;
}

static larder_barrier_kind attach_group(const larder_static *s)
{
    return s->kind == LARDER_PINNED || larder_configured.statics_interval == 0
               ? LARDER_BARRIER_NOW
               : LARDER_BARRIER_SOON;
}

static void attach_drop(larder_static *s)
{
    zend_string_release(s->key);
    zend_string_release(s->label);
    efree(s);
}

/* Ask for a safe point, which protects the pages of the new statics. */
static void attach_end(void)
{
    struct larder_statics *all = LARDER_G(statics);
    if (all == NULL || all->first == NULL)
        return;
    all->barrier.written = 1;
    zend_atomic_bool_store_ex(all->barrier.interrupt, true);
}

static void attach_property(struct larder_statics *all, zend_class_entry *ce,
                            zend_property_info *info, larder_kind kind, zend_attribute *attribute,
                            uint64_t shape)
{
    zval *place = CE_STATIC_MEMBERS(ce) + info->offset;
    zend_string *name = zend_string_init(zend_get_unmangled_property_name(info->name),
                                         strlen(zend_get_unmangled_property_name(info->name)), 0);
    zend_string *key = attach_key(ce->name, ce->info.user.filename, NULL, name, shape);
    zend_string *label = strpprintf(0, "%s::$%s", ZSTR_VAL(ce->name), ZSTR_VAL(name));
    zend_string_release(name);
    larder_static *s = attach_new(kind, attribute, key, label);
    s->ce = ce;
    s->info = info;
    s->place = s->live = place;
    if (!attach_key_fits(key)) {
        attach_drop(s);
        return;
    }
    attach_enter(all, s, attach_may_run(all));
    larder_static_bar(all, s);
    s->late = !s->barred;
    if (!s->barred && !s->tracking && attach_may_run(all))
        larder_static_compute(all, s);
    all->waits |= !s->barred && !s->tracking;
}

/* The slots of child classes refer to the parent's slot (`place`). Make the children's slots refer
 * to `live`. */
static void attach_children(const larder_static *s)
{
    zend_class_entry *ce;
    ZEND_HASH_REVERSE_FOREACH_PTR(EG(class_table), ce)
        if (ce->type != ZEND_USER_CLASS)
            break;
        if (ce == s->ce || (uint32_t)ce->default_static_members_count <= s->info->offset ||
            !(ce->ce_flags & ZEND_ACC_LINKED) || CE_STATIC_MEMBERS(ce) == NULL)
            continue;
        zval *slot = CE_STATIC_MEMBERS(ce) + s->info->offset;
        if (Z_TYPE_P(slot) == IS_INDIRECT && Z_INDIRECT_P(slot) == s->place)
            ZVAL_INDIRECT(slot, s->live);
    ZEND_HASH_FOREACH_END();
}

/* Return true if the property needs a page of its own, because it may contain an object or an
 * array. If a program assigns the same object again, only the write to the page tells us. */
static bool attach_has_insides(const zend_property_info *info)
{
    const uint32_t flat = MAY_BE_NULL | MAY_BE_BOOL | MAY_BE_LONG | MAY_BE_DOUBLE | MAY_BE_STRING;
    return !ZEND_TYPE_IS_SET(info->type) || ZEND_TYPE_IS_COMPLEX(info->type) ||
           (ZEND_TYPE_PURE_MASK(info->type) & ~flat) != 0;
}

void larder_static_guard(const larder_static *s)
{
    if (s->barred && s->alone && LARDER_G(signals_blocked) == 0)
        larder_barrier_protect(s->live);
}

void larder_static_bar(struct larder_statics *all, larder_static *s)
{
    if (s->barred || s->tracking || s->info == NULL || Z_TYPE_P(s->place) == IS_CONSTANT_AST)
        return;
    s->alone = attach_has_insides(s->info);
    zval *live = s->alone ? larder_barrier_value_alone(&all->barrier)
                          : larder_barrier_value(&all->barrier, attach_group(s));
    if (live == NULL)
        /* no page has room, so only a comparison at the end of the request finds changes */
        return;
    ZVAL_COPY_VALUE(live, s->place);
    ZVAL_INDIRECT(s->place, live);
    s->live = live;
    s->barred = true;
    if (s->late)
        attach_children(s);
    larder_static_guard(s);
    attach_end();
}

void larder_static_compute(struct larder_statics *all, larder_static *s)
{
    zval value;
    if (s->barred || s->info == NULL || Z_TYPE_P(s->place) != IS_CONSTANT_AST)
        return;
    ZVAL_COPY(&value, s->place);
    bool good = zval_update_constant_ex(&value, s->ce) == SUCCESS &&
                Z_TYPE_P(s->place) == IS_CONSTANT_AST && larder_static_fits(s, &value);
    if (!good) {
        /* forget the exception: if the program uses the property, the engine throws it again */
        larder_hook_threw();
        zval_ptr_dtor(&value);
        return;
    }
    zval before = *s->place;
    ZVAL_COPY_VALUE(s->place, &value);
    larder_static_see(s);
    zval_ptr_dtor(&before);
    larder_static_bar(all, s);
}

/* Return true if the engine computes the initial value when the program first reaches the
 * declaration. */
static bool attach_is_computed(const zend_op_array *function, const HashTable *variables,
                               const zval *place)
{
#ifdef ZEND_BIND_INIT_STATIC_OR_JMP
    uint32_t at = (uint32_t)((const char *)place - (const char *)variables->arData);
    for (const zend_op *op = function->opcodes; op < function->opcodes + function->last; op++)
        if (op->opcode == ZEND_BIND_INIT_STATIC_OR_JMP && op->extended_value == at)
            return true;
#else
    (void)function;
    (void)variables;
#endif
    return Z_TYPE_P(place) == IS_CONSTANT_AST;
}

void larder_static_bind(larder_static *s)
{
    if (EXPECTED(s->reference == NULL) || Z_ISREF_P(s->place))
        return;
    s->live = &s->reference->val;
    ZVAL_COPY_VALUE(s->live, s->place);
    ZVAL_REF(s->place, s->reference);
    s->reference = NULL;
    s->barred = s->alone = true;
    attach_end();
}

/* Take over a static variable whose value is in the function's own table. */
static void attach_variable(struct larder_statics *all, zend_class_entry *ce,
                            zend_op_array *function, zend_string *name, zval *place,
                            larder_kind kind, zend_attribute *attribute, uint64_t shape)
{
    zend_string *lower = zend_string_tolower(function->function_name);
    zend_string *key =
        attach_key(ce != NULL ? ce->name : NULL, function->filename, ZSTR_VAL(lower), name, shape);
    zend_string *label =
        strpprintf(0, "%s%s%s()::$%s", ce != NULL ? ZSTR_VAL(ce->name) : "", ce != NULL ? "::" : "",
                   ZSTR_VAL(function->function_name), ZSTR_VAL(name));
    zend_string_release(lower);
    larder_static *s = attach_new(kind, attribute, key, label);
    s->ce = ce;
    s->place = s->live = place;
    bool computed =
        attach_is_computed(function, ZEND_MAP_PTR_GET(function->static_variables_ptr), place);
    zend_reference *reference =
        attach_key_fits(key) ? larder_barrier_reference(&all->barrier) : NULL;
    if (reference == NULL) {
        attach_drop(s);
        return;
    }
    /* Larder is one of the two owners, so the engine never frees the reference. */
    GC_SET_REFCOUNT(reference, 2);
    GC_TYPE_INFO(reference) = GC_REFERENCE;
    reference->sources.ptr = NULL;
    s->reference = reference;
    larder_static_bind(s);
    attach_enter(all, s, attach_may_run(all));
    if (!computed || s->filled) {
        larder_static_guard(s);
        return;
    }
    /* The engine will write the initial value to the slot in the function's table. So the variable
     * stays in this slot, where no page protection notices writes. A comparison at the end of the
     * request finds changes. */
    ZVAL_COPY_VALUE(place, s->live);
    ZVAL_UNDEF(s->live);
    s->live = place;
    s->reference = reference;
    s->barred = s->alone = false;
    if (Z_TYPE(s->seen) != IS_CONSTANT_AST)
        /* make `seen` differ from each initial value, even from null */
        ZVAL_UNDEF(&s->seen);
}

static void attach_function(zend_class_entry *ce, zend_op_array *function, uint64_t shape)
{
    zend_attribute *attribute;
    if (function->attributes == NULL || function->static_variables == NULL)
        return;
    larder_kind kind = attach_kind(function->attributes, &attribute);
    if (kind == LARDER_KINDS || larder_store(kind) == NULL)
        return;
    struct larder_statics *all = attach_begin();
    if (all == NULL)
        return;
    HashTable *variables = ZEND_MAP_PTR_GET(function->static_variables_ptr);
    if (variables == NULL) {
        variables = zend_array_dup(function->static_variables);
        ZEND_MAP_PTR_SET(function->static_variables_ptr, variables);
    }
    zend_string *name;
    zval *place;
    ZEND_HASH_FOREACH_STR_KEY_VAL(variables, name, place)
        if (name != NULL && !Z_ISREF_P(place))
            attach_variable(all, ce, function, name, place, kind, attribute, shape);
    ZEND_HASH_FOREACH_END();
}

/* ---- new classes and functions ---- */

/* Record a class. Returns false if the class was recorded earlier, as the parent of another
 * class. */
static bool attach_is_new(const zend_class_entry *ce)
{
    struct larder_statics *all = attach_begin();
    return all != NULL &&
           zend_hash_index_add_empty_element(&all->classes, (zend_ulong)(uintptr_t)ce) != NULL;
}

static ZEND_COLD void attach_class(zend_class_entry *ce)
{
    zend_property_info *info;
    zend_function *function;
    zend_attribute *attribute;
    uint64_t shape = 0;
    bool found = false;
    ZEND_HASH_FOREACH_PTR(&ce->properties_info, info)
        if (!(info->flags & ZEND_ACC_STATIC) || info->ce != ce || info->attributes == NULL)
            continue;
        larder_kind kind = attach_kind(info->attributes, &attribute);
        if (kind == LARDER_KINDS || larder_store(kind) == NULL)
            continue;
        if (!found && !attach_is_new(ce))
            return;
        if (CE_STATIC_MEMBERS(ce) == NULL)
            zend_class_init_statics(ce);
        shape = found ? shape : attach_mix_class(0, ce);
        found = true;
        attach_property(LARDER_G(statics), ce, info, kind, attribute, shape);
    ZEND_HASH_FOREACH_END();
    if (ce->ce_flags & ZEND_HAS_STATIC_IN_METHODS) {
        ZEND_HASH_FOREACH_PTR(&ce->function_table, function)
            if (function->type != ZEND_USER_FUNCTION || function->common.scope != ce ||
                function->common.attributes == NULL || function->op_array.static_variables == NULL)
                continue;
            if (!found && !attach_is_new(ce))
                return;
            shape = found ? shape : attach_mix_class(0, ce);
            found = true;
            attach_function(ce, &function->op_array, shape);
        ZEND_HASH_FOREACH_END();
    }
    if (found)
        attach_end();
}

/* Take over the statics of a class and of its ancestors. Ancestors come first, because slots of
 * a class refer to slots of its parent. An ancestor may have attributes even if the class has
 * none. */
static ZEND_COLD void attach_family(zend_class_entry *ce)
{
    if (ce->type != ZEND_USER_CLASS ||
        (ce->default_static_members_count == 0 && !(ce->ce_flags & ZEND_HAS_STATIC_IN_METHODS)))
        return;
    if (ce->parent != NULL)
        attach_family(ce->parent);
    if (larder_seen_class(ce) && !(ce->ce_flags & (ZEND_ACC_TRAIT | ZEND_ACC_ANON_CLASS)))
        attach_class(ce);
}

/* Take over the statics of a class if the class may have an attribute. Then fill statics that wait
 * for a class. Keep this order: filling may compute constants of the class, which would change the
 * hash that the first step computes for the class. */
static ZEND_COLD zend_never_inline void attach_linked(zend_class_entry *ce)
{
    if (larder_seen_class(ce) && LARDER_G(statics_on) &&
        !(CG(compiler_options) & ZEND_COMPILE_PRELOAD))
        attach_family(ce);
    struct larder_statics *all = LARDER_G(statics);
    if (all != NULL && all->waits && attach_may_run(all))
        larder_statics_fill(all);
}

void larder_statics_class(zend_class_entry *ce, zend_string *name)
{
    (void)name;
    struct larder_statics *all = LARDER_G(statics);
    if (all != NULL) {
        all->linked++;
        if (UNEXPECTED(all->waits)) {
            attach_linked(ce);
            return;
        }
    }
    /* If the class's name has no hash yet, call attach_linked(), which computes the hash. Computing
     * it here would force this function to save registers for each class. */
    if (UNEXPECTED(ZSTR_H(ce->name) == 0) || UNEXPECTED(larder_seen_class(ce)))
        attach_linked(ce);
}

void larder_statics_function(zend_op_array *function, zend_string *name)
{
    (void)name;
    if (EXPECTED(function->attributes == NULL) || function->static_variables == NULL ||
        function->scope != NULL || !LARDER_G(statics_on) ||
        (CG(compiler_options) & ZEND_COMPILE_PRELOAD))
        return;
    attach_function(NULL, function, attach_mix_code(0, function));
    attach_end();
}

/* True if the first request has found no preloaded class or function. In the engine's tables,
 * preloaded classes and functions come after PHP's own, so the search starts at the end. */
bool larder_statics_none_preloaded;

void larder_statics_preloaded(void)
{
    HashTable *classes = EG(class_table), *functions = EG(function_table);
    HashPosition at;
    zend_class_entry *ce;
    zend_function *function;
    bool none = !php_during_module_startup();
    /* no user code may run yet: attach_may_run() returns false during compilation */
    LARDER_G(statics_compiling)++;
    for (zend_hash_internal_pointer_end_ex(classes, &at);
         (ce = zend_hash_get_current_data_ptr_ex(classes, &at)) != NULL &&
         ce->type == ZEND_USER_CLASS;
         zend_hash_move_backwards_ex(classes, &at)) {
        none = false;
        larder_statics_class(ce, ce->name);
    }
    for (zend_hash_internal_pointer_end_ex(functions, &at);
         (function = zend_hash_get_current_data_ptr_ex(functions, &at)) != NULL &&
         function->type == ZEND_USER_FUNCTION;
         zend_hash_move_backwards_ex(functions, &at)) {
        none = false;
        larder_statics_function(&function->op_array, function->common.function_name);
    }
    LARDER_G(statics_compiling)--;
    if (none)
        __atomic_store_n(&larder_statics_none_preloaded, true, __ATOMIC_RELAXED);
}

/* ---- moving values back to the engine's slots ---- */

void larder_statics_detach(struct larder_statics *all)
{
    for (larder_static *s = all->first; s != NULL; s = s->next) {
        zval *value = larder_static_value(s);
        zval_ptr_dtor(&s->seen);
        ZVAL_UNDEF(&s->seen);
        if (!s->barred)
            continue;
        /* Running code may still use the address of `live`. So `place` and `live` both get the same
         * PHP reference, but only `place` counts as its owner. */
        if (Z_TYPE_P(s->live) == IS_REFERENCE) {
            ZVAL_COPY_VALUE(s->place, s->live);
            continue;
        }
        ZVAL_NEW_REF(s->place, value);
        ZVAL_REF(s->live, Z_REF_P(s->place));
    }
}
