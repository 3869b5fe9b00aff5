/* publish.c - writes changed statics to their store at safe points (calls of
 * zend_interrupt_function) and at the end of a request. Begin reading at
 * larder_statics_safe_point().
 *
 * - A comparison with `seen` finds a change. `seen` has a reference to the array or string, so the
 *   engine copies the array or string before it changes it.
 * - Objects, and values behind PHP references, change in place. A digest finds such changes at the
 *   end of the request.
 * - If a program assigns the same object again, the write to the page counts as a change.
 * - A volatile static is published at most once per larder.statics_interval. Until then, its page
 *   stays writable, so that a loop does not fault each time.
 * - A pinned static is published at each safe point. If that fails, an exception says so.
 * - Hooks of objects run during publishing. Their changes to other statics wait for the next safe
 *   point. */
#include "fetch/resident.h"
#include "put/put.h"
#include "statics/internal.h"
#include "statics/statics.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "zend_attributes.h"
#include "zend_enum.h"
#include "zend_exceptions.h"
#include "zend_vm.h"

/* ---- the attribute's arguments ---- */

static bool publish_is_argument(const zend_attribute *attribute, uint32_t i, uint32_t position,
                                const char *name, size_t length)
{
    const zend_string *given = attribute->args[i].name;
    return given != NULL ? zend_string_equals_cstr(given, name, length) : i == position;
}

static void publish_argument(larder_static *s, uint32_t i, const zval *value)
{
    bool ttl = publish_is_argument(s->attribute, i, 0, ZEND_STRL("ttl"));
    if (ttl && Z_TYPE_P(value) == IS_LONG && Z_LVAL_P(value) >= 0) {
        s->ttl_ms = (uint64_t)MIN(Z_LVAL_P(value), ZEND_LONG_MAX / 1000) * 1000;
    } else if (publish_is_argument(s->attribute, i, 1, ZEND_STRL("strategy")) &&
               Z_TYPE_P(value) == IS_OBJECT && (Z_OBJCE_P(value)->ce_flags & ZEND_ACC_ENUM)) {
        s->tracking = Z_LVAL_P(zend_enum_fetch_case_value(Z_OBJ_P(value))) == 1;
    } else {
        zend_throw_error(zend_ce_type_error, "%s: #[%s] takes %s", ZSTR_VAL(s->label),
                         ZSTR_VAL(s->attribute->name),
                         ttl ? "an int that is not negative as $ttl"
                             : "$ttl and $strategy, which is a case of CacheStrategy");
    }
}

/* Read the arguments of the attribute once, but not while the class is being linked: an argument
 * may be a constant of a later class. Returns false if an exception is set. */
static bool publish_ask(larder_static *s)
{
    if (EXPECTED(s->asked))
        return true;
    if (s->kind == LARDER_VOLATILE)
        for (uint32_t i = 0; i < s->attribute->argc && !EG(exception); i++) {
            zval value;
            if (zend_get_attribute_value(&value, s->attribute, i, s->ce) != SUCCESS)
                return false;
            publish_argument(s, i, &value);
            zval_ptr_dtor(&value);
        }
    s->asked = !EG(exception);
    return s->asked;
}

/* ---- finding changes ---- */

static bool publish_is_same(const zval *a, const zval *b)
{
    if (Z_TYPE_P(a) != Z_TYPE_P(b))
        return false;
    return Z_TYPE_P(a) < IS_LONG || Z_LVAL_P(a) == Z_LVAL_P(b);
}

/* Return true if the constant expression would call a constructor. */
static bool publish_creates(const zend_ast *ast)
{
    if (ast == NULL || (zend_ast_is_special((zend_ast *)(uintptr_t)ast)))
        return false;
    if (ast->kind == ZEND_AST_NEW)
        return true;
    bool is_list = zend_ast_is_list((zend_ast *)(uintptr_t)ast);
    const zend_ast_list *list = (const zend_ast_list *)(const void *)ast;
    uint32_t count =
        is_list ? list->children : zend_ast_get_num_children((zend_ast *)(uintptr_t)ast);
    for (uint32_t i = 0; i < count; i++)
        if (publish_creates(is_list ? list->child[i] : ast->child[i]))
            return true;
    return false;
}

/* Return true if the default is a constant expression and the static still has the default. The
 * engine may have replaced the expression by its value, so compare with that value. */
static bool publish_is_default(larder_static *s)
{
    zval computed;
    if (Z_TYPE(s->seen) != IS_CONSTANT_AST || publish_creates(Z_ASTVAL(s->seen)))
        return false;
    ZVAL_COPY(&computed, &s->seen);
    bool same = zval_update_constant_ex(&computed, s->ce) == SUCCESS &&
                zend_is_identical(&computed, larder_static_value(s));
    zval_ptr_dtor(&computed);
    if (EG(exception))
        zend_clear_exception();
    if (same)
        larder_static_see(s);
    return same;
}

/* Assume that an array nested deeper than this contains a reference and an object. */
#define PUBLISH_DEPTH 64

/* Return true if a value contains a PHP reference. If `objects` is true, also returns true if it
 * contains an object that can change. `none` collects the addresses of shared arrays in which
 * nothing was found, so that they are searched only once. */
static bool publish_look_for(const zval *value, int depth, bool objects, HashTable *none)
{
    /* a case of an enum cannot change */
    if (Z_TYPE_P(value) == IS_OBJECT)
        return objects && !(Z_OBJCE_P(value)->ce_flags & ZEND_ACC_ENUM);
    const zval *element;
    if (Z_TYPE_P(value) != IS_ARRAY || (GC_FLAGS(Z_ARR_P(value)) & GC_IMMUTABLE))
        return false;
    if (depth == 0)
        return true;
    const zend_ulong address = (zend_ulong)(uintptr_t)Z_ARR_P(value);
    bool shared = GC_REFCOUNT(Z_ARR_P(value)) > 1 && depth != PUBLISH_DEPTH;
    if (shared && zend_hash_index_exists(none, address))
        return false;
    ZEND_HASH_FOREACH_VAL(Z_ARR_P(value), element)
        if (Z_TYPE_P(element) < IS_ARRAY)
            continue;
        if ((Z_ISREF_P(element) && Z_REFCOUNT_P(element) > 1) ||
            publish_look_for(Z_ISREF_P(element) ? Z_REFVAL_P(element) : element, depth - 1, objects,
                             none))
            return true;
    ZEND_HASH_FOREACH_END();
    if (shared)
        zend_hash_index_add_empty_element(none, address);
    return false;
}

static bool publish_has(const zval *value, bool objects)
{
    HashTable none;
    zend_hash_init(&none, 0, NULL, NULL, false);
    bool any = publish_look_for(value, PUBLISH_DEPTH, objects, &none);
    zend_hash_destroy(&none);
    return any;
}

static bool publish_has_changed(larder_static *s)
{
    /* the engine has not computed the initial value of this variable yet */
    if (s->reference != NULL && !Z_ISREF_P(s->place))
        return false;
    const zval *value = larder_static_value(s);
    if (publish_is_same(value, &s->seen))
        return s->alone && larder_barrier_wrote(s->live) && Z_TYPE_P(value) >= IS_ARRAY &&
               publish_has(value, true);
    return !publish_is_default(s);
}

/* Return true if an object or another part inside the value has changed in place. Call this at the
 * end of the request. */
static bool publish_has_changed_inside(larder_static *s)
{
    uint64_t digest[2];
    if (!(s->references || (s->tracking && s->deep)))
        return false;
    return !s->digested || !larder_static_digest(larder_static_value(s), digest) ||
           digest[0] != s->digest[0] || digest[1] != s->digest[1];
}

/* ---- failures ---- */

static zend_string *publish_message(zend_object *exception)
{
    zval buffer;
    zval *message = zend_read_property_ex(exception->ce, exception, ZSTR_KNOWN(ZEND_STR_MESSAGE),
                                          true, &buffer);
    ZVAL_DEREF(message);
    return zval_get_string(message);
}

/* Return true if the exception ends the program or the running fiber. */
static bool publish_is_exit(const zend_object *exception)
{
    return zend_is_unwind_exit(exception) || zend_is_graceful_exit(exception);
}

/* Report why a static was not stored. Throws an exception or, at the end of the request, raises a
 * warning. Does not report an exit(). */
static void publish_threw(larder_static *s, bool end)
{
    zend_object *exception = EG(exception);
    if (publish_is_exit(exception)) {
        /* If only the fiber ends, the program goes on, and a later attempt publishes the static. */
        s->failed = zend_is_graceful_exit(exception);
        if (end && !LARDER_G(statics)->cuts)
            zend_clear_exception();
        return;
    }
    zend_string *message = publish_message(exception);
    bool named = strncmp(ZSTR_VAL(message), ZSTR_VAL(s->label), ZSTR_LEN(s->label)) == 0;
    if (end) {
        zend_clear_exception();
        zend_error(E_WARNING, "%s%s%s; the store keeps the value before",
                   named ? "" : ZSTR_VAL(s->label),
                   named ? "" : " was not stored: ", ZSTR_VAL(message));
        if (EG(exception))
            zend_clear_exception();
    } else if (!named) {
        zend_throw_exception_ex(larder_exception_class, 0, "%s cannot be stored: %s",
                                ZSTR_VAL(s->label), ZSTR_VAL(message));
    }
    zend_string_release(message);
}

static void publish_failed(larder_static *s, int rc, bool end)
{
    /* the last failure was reported */
    bool told = s->told && end;
    s->told = s->kind == LARDER_PINNED || rc == LRD_ESIZE;
    if (told)
        return;
    if (s->kind == LARDER_PINNED && !end)
        zend_throw_exception_ex(larder_exception_class, rc, "%s cannot be stored: %s",
                                ZSTR_VAL(s->label), lrd_strerror(rc));
    else if (s->kind == LARDER_PINNED || rc == LRD_ESIZE)
        zend_error(E_WARNING, "%s was not stored: %s; the store keeps the value before",
                   ZSTR_VAL(s->label), lrd_strerror(rc));
    if (end && EG(exception))
        zend_clear_exception();
}

/* ---- writes in progress ---- */

/* A write to an element takes two instructions: FETCH_DIM_W gets a pointer into the array, and the
 * next one writes. If we published in between, `seen` would share the written array, and we would
 * miss the write. Such safe points occur in the JIT, and when an instruction calls an error handler
 * or a destructor. */

/* maximum number of instructions that writing_has_place() examines, to find one that uses a pointer
 * from FETCH_DIM_W */
#define WRITING_AHEAD 12

/* Return true if the instruction fetches the next element of a foreach. Such an instruction writes
 * the element to its second operand, so the second operand is a result. */
static bool writing_is_foreach(const zend_op *op)
{
    return op->opcode == ZEND_FE_FETCH_R || op->opcode == ZEND_FE_FETCH_RW;
}

static bool writing_gives(const zend_op *op, uint32_t var)
{
    return (op->result_type == IS_VAR && op->result.var == var) ||
           (writing_is_foreach(op) && op->op2_type == IS_VAR && op->op2.var == var);
}

/* Return true if `var`, an operand of `user`, contains a pointer into a value already. Returns
 * false if one of the instructions from `op` to `user` will set `var`. */
static bool writing_is_place(const zend_execute_data *frame, const zend_op *op, const zend_op *user,
                             uint8_t type, uint32_t var)
{
    if (type != IS_VAR)
        return false;
    for (; op < user; op++)
        if (writing_gives(op, var))
            return false;
    return Z_TYPE_P(ZEND_CALL_VAR(frame, var)) == IS_INDIRECT;
}

/* Return true if one of the next instructions uses a pointer into a value that the frame has
 * fetched. */
static bool writing_has_place(const zend_execute_data *frame)
{
    const zend_op *op = frame->opline,
                  *end = frame->func->op_array.opcodes + frame->func->op_array.last;
    for (int i = 0; i < WRITING_AHEAD && op + i < end; i++) {
        if (writing_is_place(frame, op, op + i, op[i].op1_type, op[i].op1.var) ||
            (!writing_is_foreach(op + i) &&
             writing_is_place(frame, op, op + i, op[i].op2_type, op[i].op2.var)))
            return true;
        if (op[i].opcode == ZEND_DO_FCALL || op[i].opcode == ZEND_DO_UCALL ||
            op[i].opcode == ZEND_DO_ICALL || op[i].opcode == ZEND_DO_FCALL_BY_NAME ||
            op[i].opcode == ZEND_RETURN || op[i].opcode == ZEND_JMP)
            return false;
    }
    return false;
}

/* Return true if the engine is between two instructions of a frame. Return false if an instruction
 * has called an error handler or a destructor: the frame of the called function then lies between
 * the end of `last` and EG(vm_stack_top). So compare this distance with the size of a frame. A call
 * with `...` also makes a distance, but a smaller one. */
static bool writing_is_between(const zend_execute_data *frame)
{
    const zend_execute_data *last = frame->call;
    while (last == NULL && (frame->func == NULL || (ZEND_CALL_INFO(frame) & ZEND_CALL_GENERATOR))) {
        frame = frame->prev_execute_data; /* a generator's frame lies elsewhere */
        if (frame == NULL)
            return false;
        last = frame->func != NULL && ZEND_USER_CODE(frame->func->type) ? frame->call : NULL;
    }
    if (last == NULL)
        last = frame;
    size_t used = zend_vm_calc_used_stack(ZEND_CALL_NUM_ARGS(last), last->func);
    return (uintptr_t)EG(vm_stack_top) - ((uintptr_t)last + used) <
           ZEND_CALL_FRAME_SLOT * sizeof(zval);
}

/* Return true if the current instruction writes to a value and may run user code meanwhile. */
static bool writing_is_inside(const zend_execute_data *frame)
{
    switch (frame->opline->opcode) {
    case ZEND_FETCH_DIM_W:
    case ZEND_FETCH_DIM_RW:
    case ZEND_FETCH_DIM_FUNC_ARG:
    case ZEND_FETCH_DIM_UNSET:
    case ZEND_FETCH_LIST_W:
    case ZEND_FETCH_STATIC_PROP_W:
    case ZEND_FETCH_STATIC_PROP_RW:
    case ZEND_FETCH_STATIC_PROP_FUNC_ARG:
    case ZEND_FETCH_STATIC_PROP_UNSET:
    case ZEND_ASSIGN:
    case ZEND_ASSIGN_OP:
    case ZEND_ASSIGN_REF:
    case ZEND_ASSIGN_DIM:
    case ZEND_ASSIGN_DIM_OP:
    case ZEND_ASSIGN_STATIC_PROP:
    case ZEND_ASSIGN_STATIC_PROP_OP:
    case ZEND_ASSIGN_STATIC_PROP_REF:
    case ZEND_PRE_INC:
    case ZEND_PRE_DEC:
    case ZEND_POST_INC:
    case ZEND_POST_DEC:
    case ZEND_PRE_INC_STATIC_PROP:
    case ZEND_PRE_DEC_STATIC_PROP:
    case ZEND_POST_INC_STATIC_PROP:
    case ZEND_POST_DEC_STATIC_PROP:
    case ZEND_UNSET_DIM:
        return true;
    default:
        return false;
    }
}

/* Return true for an instruction that publish_finish_write() may execute. No such instruction
 * jumps. */
static bool writing_is_simple(const zend_op *op)
{
    switch (op->opcode) {
    case ZEND_FETCH_DIM_W:
    case ZEND_FETCH_DIM_RW:
    case ZEND_FETCH_DIM_UNSET:
    case ZEND_FETCH_STATIC_PROP_W:
    case ZEND_FETCH_STATIC_PROP_RW:
    case ZEND_ASSIGN:
    case ZEND_ASSIGN_OP:
    case ZEND_ASSIGN_DIM:
    case ZEND_ASSIGN_DIM_OP:
    case ZEND_PRE_INC:
    case ZEND_PRE_DEC:
    case ZEND_POST_INC:
    case ZEND_POST_DEC:
    case ZEND_UNSET_DIM:
    case ZEND_MAKE_REF:
        return true;
    default:
        return false;
    }
}

/* If this safe point interrupts a write that takes several instructions, execute the remaining
 * instructions. */
static void publish_finish_write(void)
{
    zend_execute_data *frame = EG(current_execute_data);
    if (frame == NULL || frame->func == NULL || !ZEND_USER_CODE(frame->func->type) ||
        !writing_is_between(frame))
        return;
    for (int i = 0;
         i < WRITING_AHEAD && EG(exception) == NULL && EG(current_execute_data) == frame &&
         writing_is_simple(frame->opline) && writing_has_place(frame);
         i++)
        zend_vm_call_opcode_handler(frame);
}

/* Most checks examine only this number of innermost frames. If each check examined all frames, a
 * deep recursion would take quadratic time. */
#define WRITING_NEAR 256u
/* Number of ns for each frame of a deep stack: their sum is the minimum time between two checks of
 * the stack. It is more than a check takes, so checks cannot use up the processor. */
#define WRITING_CALL 100u

/* Return 0 if no function on the stack is writing to a value. Statics may then be published.
 * Otherwise, return the time (larder_clock_now()) for another attempt. A deep stack is not checked
 * again soon. If it was checked recently, return the time for the next check. */
static uint64_t publish_is_writing(struct larder_statics *all)
{
    const zend_execute_data *frame = EG(current_execute_data);
    uint32_t depth = 0;
    bool writing = false;
    for (; frame != NULL && !writing; frame = frame->prev_execute_data, depth++) {
        if (depth == WRITING_NEAR && larder_clock_now() < all->deep && !all->flush)
            return all->deep;
        if (frame->func == NULL || !ZEND_USER_CODE(frame->func->type) || frame->opline == NULL)
            continue;
        bool top = depth == 0;
        writing = (top && writing_has_place(frame)) ||
                  (!(top && writing_is_between(frame)) && writing_is_inside(frame));
    }
    if (EXPECTED(depth <= WRITING_NEAR))
        return writing ? larder_clock_now() + LARDER_STATICS_LATER : 0;
    all->deep = larder_clock_now() + MAX((uint64_t)depth * WRITING_CALL, LARDER_STATICS_LATER);
    return writing ? all->deep : 0;
}

/* ---- publishing ---- */

/* Publish a static if its value has changed. Returns false if an exception is set. If `end` is
 * true, errors become warnings instead. */
static bool publish_one(larder_static *s, bool end)
{
    zval own;
    larder_blame blame = {.root = ZSTR_VAL(s->label), .property = true};
    lrd_store *store = larder_store(s->kind);
    int rc = LRD_EINVAL;
    bool asked = publish_ask(s), ends = end && !LARDER_G(statics)->cuts;
    if (asked && s->tracking && !end)
        return true;
    ZVAL_COPY(&own, larder_static_value(s));
    if (s->alone)
        larder_barrier_forget(s->live);
    s->failed = false;
    s->digested = false;
    s->references = Z_TYPE(own) == IS_ARRAY && publish_has(&own, false);
    s->deep = s->references || (!ends && s->tracking && publish_has(&own, true));
    if (asked && store != NULL && Z_TYPE(own) != IS_UNDEF) {
        larder_target to = {.store = store,
                            .key = s->key,
                            .ttl_ms = s->ttl_ms,
                            .mode = LRD_SET,
                            .living = s->kind == LARDER_PINNED};
        s->version = 0;
        rc = larder_put(&to, &own, &blame);
        s->published = larder_clock_now();
        s->failed = rc != LRD_OK && !EG(exception);
        if (rc == LRD_OK && s->deep && !ends)
            s->digested = larder_static_digest(&own, s->digest);
    }
    if (!publish_is_same(&s->seen, &own))
        s->told = false;
    zval before = s->seen;
    ZVAL_COPY_VALUE(&s->seen, &own);
    if (EG(exception))
        publish_threw(s, end);
    else if (s->failed)
        publish_failed(s, rc, end);
    /* Releasing the old value may call a destructor. Release it after publish_threw(), so that the
     * destructor's exception goes to the program. */
    zval_ptr_dtor(&before);
    if (ends && EG(exception))
        /* report the exception, as PHP does at shutdown */
        zend_exception_error(EG(exception), E_ERROR);
    return EG(exception) == NULL;
}

/* Return the time at which a changed static may be published, or 0 for now. */
static uint64_t publish_due(const struct larder_statics *all, const larder_static *s, uint64_t *now)
{
    uint64_t interval = larder_configured.statics_interval;
    if (s->kind != LARDER_VOLATILE || s->published == 0 || interval == 0 || all->late || all->flush)
        return 0;
    if (*now == 0)
        *now = larder_clock_now();
    return *now - s->published >= interval ? 0 : s->published + interval;
}

/* Interval (ns) of comparisons while a static's slot is a PHP reference. Other owners of the
 * reference can write to the value without a write to the page, so only a comparison finds such
 * changes. */
#define PUBLISH_REFERENCED 1000000u

/* Return true if other owners of a PHP reference can change the value without a write to the page.
 * A reference without other owners is replaced by its value. */
static bool publish_is_referenced(larder_static *s)
{
    if (EXPECTED(!Z_ISREF_P(s->live)))
        return false;
    zend_reference *reference = Z_REF_P(s->live);
    if (GC_REFCOUNT(reference) != 1 || ZEND_PROPERTY_INFO_SOURCE_IS_LIST(reference->sources.list))
        return true;
    ZVAL_COPY_VALUE(s->live, &reference->val);
    efree_size(reference, sizeof *reference);
    return false;
}

/* Return true if a foreach by reference or array_walk() is going through the array. Such an array
 * must not be published now: the published value would share the array, so the loop's next write
 * would copy the array, and the loop would start again. */
static bool publish_is_walked(const larder_static *s)
{
    const zval *value = larder_static_value(s);
    /* A foreach by reference turns a property into a PHP reference. So no foreach is going through
     * a property that is not a reference. A static variable is always a reference. */
    if (s->info != NULL && !Z_ISREF_P(s->live))
        return false;
    return Z_TYPE_P(value) == IS_ARRAY && HT_HAS_ITERATORS(Z_ARR_P(value));
}

static void publish_protect(struct larder_statics *all, uint64_t due)
{
    bool soon = due == UINT64_MAX || !larder_alarm_set(&all->alarm, due);
    /* while signals are blocked, a write to a protected page would end the process */
    if (LARDER_G(signals_blocked) != 0)
        return;
    for (const larder_static *s = all->first; s != NULL; s = s->next)
        if (s->barred && larder_barrier_open(s->live) &&
            (s->alone ? !larder_barrier_wrote(s->live) : soon || s->kind == LARDER_PINNED) &&
            (s->info != NULL || !publish_is_walked(s)))
            larder_barrier_protect(s->live);
}

/* Move the pending exception to `*thrown`, so that other statics can be published. An exception
 * that is already in `*thrown` becomes the previous exception of the pending one. Returns false if
 * the program or the fiber ends, so that nothing more can be published. */
static bool publish_go_on(zend_object **thrown)
{
    if (publish_is_exit(EG(exception)))
        return false;
    zend_exception_set_previous(EG(exception), *thrown);
    *thrown = EG(exception);
    EG(exception) = NULL;
    return true;
}

/* Set EG(prev_exception), and return its old value. While an autoloader runs, PHP before 8.6 keeps
 * a pending exception in this field, and throws it when any autoloader returns. Safe points may run
 * autoloaders, so the field must be NULL during a safe point. */
static zend_object *publish_put_aside(zend_object *exception)
{
#if PHP_VERSION_ID < 80600
    zend_object *before = EG(prev_exception);
    EG(prev_exception) = exception;
    return before;
#else
    return NULL;
#endif
}

void larder_statics_safe_point(struct larder_statics *all)
{
    uint64_t now = 0, due = UINT64_MAX;
    bool good = true, referenced = false;
    if (all->busy)
        return; /* `written` stays set, so a later safe point publishes the change */
    publish_finish_write();
    uint64_t later =
        EG(exception) != NULL ? larder_clock_now() + LARDER_STATICS_LATER : publish_is_writing(all);
    /* Use an alarm for the next attempt. If we set EG(vm_interrupt), the engine would call this
     * function again immediately. */
    if (later != 0) {
        larder_alarm_set(&all->alarm, later);
        return;
    }
    all->barrier.written = 0;
    if (all->waits)
        larder_statics_fill(all);
    if (EG(exception)) {
        larder_alarm_set(&all->alarm, larder_clock_now() + LARDER_STATICS_LATER);
        return;
    }
    all->busy = true;
    zend_object *thrown = NULL, *others = publish_put_aside(NULL);
    for (larder_static *s = all->first; good && s != NULL; s = s->next) {
        if (!s->barred)
            continue;
        bool shared = publish_is_referenced(s), walked = publish_is_walked(s);
        referenced |= shared || walked;
        if (walked || (!shared && !larder_barrier_open(s->live)))
            continue;
        if (!publish_has_changed(s)) {
            if (s->alone)
                larder_barrier_forget(s->live);
            continue;
        }
        if (s->asked && s->tracking && !all->late)
            continue;
        uint64_t when = publish_due(all, s, &now);
        if (when != 0)
            due = MIN(due, when);
        else if (!publish_one(s, all->late))
            good = publish_go_on(&thrown);
    }
    if (good)
        EG(exception) = thrown;
    else if (thrown != NULL)
        OBJ_RELEASE(thrown); /* no code can catch the exception */
    publish_put_aside(others);
    if (good)
        publish_protect(all, due);
    /* check again soon: through a PHP reference, the value can change without a write to the
     * page */
    if (referenced)
        larder_alarm_set(&all->alarm, MIN(due, larder_clock_now() + PUBLISH_REFERENCED));
    all->busy = false;
    if (!good || all->barrier.written) { /* publish the rest at the next safe point */
        all->barrier.written = 1;
        zend_atomic_bool_store_ex(all->barrier.interrupt, true);
    }
}

LARDER_HOT void larder_statics_flush(void)
{
    struct larder_statics *all = LARDER_G(statics);
    if (all == NULL || all->first == NULL)
        return;
    all->flush = true;
    larder_statics_safe_point(all);
    all->flush = false;
}

/* ---- the end ---- */

static void publish_last(larder_static *s)
{
    bool changed =
        publish_has_changed(s) || s->failed || (!s->waits && publish_has_changed_inside(s));
    if (EG(exception) && !LARDER_G(statics)->cuts)
        zend_clear_exception();
    if (changed && !EG(exception))
        publish_one(s, true);
}

/* number of passes over all statics at the end of a request; the second pass finds changes by hooks
 * of the first pass */
#define PUBLISH_PASSES 2

void larder_statics_finish(struct larder_statics *all)
{
    bool whole = ZEND_DEBUG || !is_zend_mm() || EG(full_tables_cleanup);
    larder_frame frame;
    larder_alarm_stop(&all->alarm);
    all->busy = true;
    all->cuts = false; /* a fatal error may have left `cuts` set */
    larder_barrier_lift(&all->barrier);
    larder_frame_push(&frame);
    zend_execute_data *here = EG(current_execute_data);
    for (int pass = 0; pass < PUBLISH_PASSES; pass++)
        for (larder_static *s = all->first; s != NULL; s = s->next) {
            zend_try { publish_last(s); }
            zend_catch
            { /* after a fatal error in a hook, go on with the other statics */
                EG(current_execute_data) = here;
            }
            zend_end_try();
            s->failed = false;
        }
    larder_frame_pop(&frame);
    all->busy = false;
    all->barrier.written = 0;
    if (whole) {
        larder_residents_let_go();
        larder_statics_detach(all);
        return;
    }
    /* code that runs later, such as session handlers, may still change statics */
    all->late = true;
    publish_protect(all, UINT64_MAX);
}

/* ---- requests of a worker ---- */

/* Return true if the statics may be published or filled now. */
static bool publish_may_cut(struct larder_statics *all)
{
    bool may;
    if (all == NULL || all->first == NULL || all->busy || all->late || EG(exception) != NULL)
        return false;
    all->flush = true; /* search deep stacks, too */
    may = publish_is_writing(all) == 0;
    all->flush = false;
    return may;
}

void larder_statics_end_worker_request(void)
{
    struct larder_statics *all = LARDER_G(statics);
    larder_frame frame;
    if (!publish_may_cut(all))
        return;
    all->busy = all->cuts = true;
    larder_frame_push(&frame);
    for (int pass = 0; pass < PUBLISH_PASSES; pass++)
        for (larder_static *s = all->first; s != NULL && EG(exception) == NULL; s = s->next)
            if (!publish_is_walked(s))
                publish_last(s);
    larder_frame_pop(&frame);
    publish_protect(all, UINT64_MAX);
    all->busy = all->cuts = false;
    /* no code can catch the exception */
    if (frame.pushed && EG(exception))
        zend_exception_error(EG(exception), E_ERROR);
}

void larder_statics_begin_worker_request(void)
{
    struct larder_statics *all = LARDER_G(statics);
    larder_frame frame;
    if (!publish_may_cut(all))
        return;
    all->busy = true;
    larder_frame_push(&frame);
    for (larder_static *s = all->first; s != NULL && EG(exception) == NULL; s = s->next)
        if (!s->failed && !publish_is_walked(s) && !publish_is_referenced(s) &&
            !publish_has_changed(s) && larder_static_is_stale(s) &&
            !publish_has_changed_inside(s)) {
            larder_static_fill(s, true);
            /* a static waits for a missing class only if it still has its default value */
            s->waits = s->waits && !s->filled && s->published == 0;
            all->waits |= s->waits;
        }
    larder_frame_pop(&frame);
    all->busy = false;
}
