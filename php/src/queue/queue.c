/* queue.c - Larder\Queue. The core's queue.c has the rules of queues; message.c has the class of
 * popped messages. Read queue_push() and queue_pop() first. */
#include "queue/queue.h"
#include "api/arguments.h"
#include "api/info.h"
#include "api/wait.h"
#include "put/put.h"
#include "queue/message.h"
#include "stores/partition.h"
#include "stores/stores.h"
#include "ext/standard/info.h"
#include "zend_exceptions.h"
#include "queue/queue_arginfo.h"

typedef struct queue_object {
    lrd_queue number; /* number of the queue in `store` (see queue_here()) */
    const lrd_store *store;
    zend_string *name;
    zend_object std;
} queue_object;

static zend_class_entry *queue_class, *queue_info_class;
static zend_object_handlers queue_handlers;

static queue_object *queue_of(zend_object *object)
{
    return (queue_object *)(void *)((char *)object - offsetof(queue_object, std));
}

static LARDER_HOT zend_object *queue_create(zend_class_entry *class)
{
    queue_object *queue = zend_object_alloc(sizeof *queue, class);
    memset(queue, 0, offsetof(queue_object, std));
    zend_object_std_init(&queue->std, class);
    object_properties_init(&queue->std, class);
    queue->std.handlers = &queue_handlers;
    return &queue->std;
}

static LARDER_HOT void queue_free(zend_object *object)
{
    queue_object *queue = queue_of(object);
    if (queue->name != NULL)
        zend_string_release(queue->name);
    zend_object_std_dtor(object);
}

/* ---- opening ---- */

ZEND_METHOD(Larder_Queue, __construct) {}
ZEND_METHOD(Larder_QueueInfo, __construct) {}

static void queue_throw(int rc, const char *what)
{
    zend_throw_exception_ex(larder_exception_class, rc, "%s: %s%s%s", what, lrd_strerror(rc),
                            *lrd_error_detail() != '\0' ? ": " : "", lrd_error_detail());
}

LARDER_HOT ZEND_METHOD(Larder_Queue, open)
{
    zend_string *name;
    zend_long capacity = 0;
    lrd_queue number;
    int rc;
    ZEND_PARSE_PARAMETERS_START(1, 2)
        Z_PARAM_STR(name)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(capacity)
    ZEND_PARSE_PARAMETERS_END();
    if (ZSTR_LEN(name) - 1 >= LRD_QUEUE_NAME_MAX) {
        zend_argument_value_error(1, "must be between 1 and %u bytes long, %zu given",
                                  LRD_QUEUE_NAME_MAX, ZSTR_LEN(name));
        RETURN_THROWS();
    }
    if (capacity < 0) {
        zend_argument_value_error(2, "must be greater than or equal to 0");
        RETURN_THROWS();
    }
    lrd_store *store = larder_store(LARDER_QUEUES);
    if (store == NULL) {
        const struct larder_partition *partition = larder_partition_now();
        const char *reason = partition != NULL ? partition->places[LARDER_QUEUES].reason : "";
        zend_throw_exception_ex(larder_exception_class, 0, "Queues are off: %s",
                                reason[0] != '\0' ? reason : "not usable here");
        RETURN_THROWS();
    }
    LARDER_CALL(rc,
                lrd_queue_open(store, ZSTR_VAL(name), ZSTR_LEN(name), (uint64_t)capacity, &number));
    if (rc != LRD_OK) {
        queue_throw(rc, "The queue cannot be opened");
        RETURN_THROWS();
    }
    object_init_ex(return_value, queue_class);
    queue_object *queue = queue_of(Z_OBJ_P(return_value));
    queue->number = number;
    queue->store = store;
    queue->name = zend_string_copy(name);
}

ZEND_METHOD(Larder_Queue, names)
{
    const char *name;
    size_t length;
    ZEND_PARSE_PARAMETERS_NONE();
    lrd_store *store = larder_store(LARDER_QUEUES);
    array_init(return_value);
    for (lrd_queue i = 0; store != NULL && lrd_queue_name(store, i, &name, &length) == LRD_OK; i++)
        add_next_index_stringl(return_value, name, length);
}

ZEND_METHOD(Larder_Queue, name)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_STR_COPY(queue_of(Z_OBJ_P(ZEND_THIS))->name);
}

/* Return the store of queues, or NULL if it is off. */
static LARDER_HOT lrd_store *queue_store(void) { return larder_store(LARDER_QUEUES); }

/* Return the queue of an object. Under FrankenPHP, the worker may now serve another site than at
 * the last call. Then this function changes queue->store and queue->number to the queue with the
 * same name in the new site's store. */
static LARDER_HOT queue_object *queue_here(zend_object *object)
{
    queue_object *queue = queue_of(object);
    lrd_store *store = queue_store();
    if (UNEXPECTED(store != queue->store) && store != NULL) {
        lrd_queue number;
        int rc;
        LARDER_CALL(
            rc, lrd_queue_open(store, ZSTR_VAL(queue->name), ZSTR_LEN(queue->name), 0, &number));
        queue->number = rc == LRD_OK ? number : UINT32_MAX;
        queue->store = rc == LRD_OK ? store : NULL;
    }
    return queue;
}

/* ---- pushing ---- */

/* Set *result to the id of the pushed message. After a failure, set it to null, and return
 * false. */
static LARDER_HOT bool queue_pushed(int rc, const larder_push *push, zval *result)
{
    char id[24];
    ZVAL_NULL(result);
    if (rc == LRD_ESIZE)
        php_error_docref(NULL, E_WARNING,
                         "A value is larger than half of the store; raise larder.queue_size");
    if (rc != LRD_OK)
        return false;
    char *start = zend_print_ulong_to_buf(id + sizeof id - 1, (zend_ulong)push->id);
    ZVAL_STRINGL(result, start, (size_t)(id + sizeof id - 1 - start));
    return true;
}

/* Push an encoded body. Waits for room, or while the queue is busy. Returns LRD_EINVAL if an
 * exception is set. */
static int queue_push_encoded(const larder_target *to, zval *body, const larder_blame *blame,
                              larder_encoded *encoded)
{
    larder_push *push = to->message;
    uint64_t wait_ms = push->how.wait_ms;
    int rc = LRD_ENOROOM;
    bool ran = false;
    for (larder_wait wait = larder_wait_for(wait_ms); larder_wait_goes_on(&wait);) {
        if (wait.pause_ms != 0 && !larder_encode_again(body, blame, encoded, &ran))
            break;
        push->how.wait_ms = wait.sleep_ms;
        push->how.flags = wait.is_last ? 0 : LRD_PUSH_RETRY;
        rc = larder_put_encoded(to, body, encoded);
        if (rc != LRD_ENOROOM && rc != LRD_EBUSY)
            break;
    }
    push->how.wait_ms = wait_ms;
    push->how.flags = 0;
    return EG(exception) != NULL ? LRD_EINVAL : rc;
}

/* Push a body. Hooks of its objects may push other messages. Returns false if an exception is
 * set. */
static LARDER_HOT bool queue_push(larder_push *push, zval *body, const larder_blame *blame,
                                  zval *result)
{
    larder_target to = {.store = queue_store(), .message = push};
    int rc = LRD_EINVAL;
    ZVAL_NULL(result);
    if (to.store == NULL)
        return true;
    if (EXPECTED(push->how.wait_ms == 0) || !larder_wait_is_loop()) {
        rc = larder_put(&to, body, blame);
    } else {
        larder_encoded encoded = {.text = NULL};
        if (larder_encode(body, blame, &encoded))
            rc = queue_push_encoded(&to, body, blame, &encoded);
        larder_encoded_free(&encoded);
    }
    if (UNEXPECTED(EG(exception) != NULL))
        return false;
    queue_pushed(rc, push, result);
    return true;
}

/* Check the arguments `delay` (number 2), `priority`, `ttl` and `wait` (5) of a push, and store
 * them in *push. Returns false if an exception is set. */
static LARDER_HOT bool queue_push_how(larder_push *push, const queue_object *queue, zval *delay,
                                      zend_long priority, zval *ttl, zval *wait)
{
    push->queue = queue->number;
    if (!larder_milliseconds(delay, 2, &push->how.delay_ms) ||
        !larder_milliseconds(ttl, 4, &push->how.ttl_ms) ||
        !larder_milliseconds(wait, 5, &push->how.wait_ms))
        return false;
    if (priority < INT32_MIN || priority > INT32_MAX) {
        zend_argument_value_error(3, "must be between %d and %d", INT32_MIN, INT32_MAX);
        return false;
    }
    push->how.priority = (int32_t)priority;
    return true;
}

LARDER_HOT ZEND_METHOD(Larder_Queue, push)
{
    zval *body, *delay = NULL, *ttl = NULL, *wait = NULL;
    zend_long priority = 0;
    larder_push push = {.id = 0};
    larder_blame blame = {.argument = 1, .root = "$body"};
    ZEND_PARSE_PARAMETERS_START(1, 5)
        Z_PARAM_ZVAL(body)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(delay)
        Z_PARAM_LONG(priority)
        Z_PARAM_NUMBER(ttl)
        Z_PARAM_NUMBER(wait)
    ZEND_PARSE_PARAMETERS_END();
    if (!queue_push_how(&push, queue_here(Z_OBJ_P(ZEND_THIS)), delay, priority, ttl, wait) ||
        !queue_push(&push, body, &blame, return_value))
        RETURN_THROWS();
}

/* A body of pushMany(). */
typedef struct queue_item {
    zend_string *key;
    zend_ulong index;
    zval body;
    larder_blame blame;
    larder_encoded encoded;
} queue_item;

/* Maximum number of rounds in which the bodies are encoded. A hook may change a body that was
 * already encoded. So after a round in which a hook ran, another round encodes all bodies again. */
#define QUEUE_ROUNDS 8

/* Run the hooks of all bodies, before any is pushed. Returns false if an exception is set. */
static bool queue_items_settle(queue_item *items, uint32_t count)
{
    bool ran = true;
    for (int round = 0; ran && round < QUEUE_ROUNDS; round++) {
        ran = false;
        for (queue_item *item = items; item < items + count; item++)
            if (!larder_encode_again(&item->body, &item->blame, &item->encoded, &ran))
                return false;
    }
    return true;
}

static uint32_t queue_items_take(HashTable *bodies, queue_item *items)
{
    zval *body;
    zend_string *key;
    zend_ulong index;
    uint32_t count = 0;
    ZEND_HASH_FOREACH_KEY_VAL(bodies, index, key, body)
        queue_item *item = items + count++;
        item->key = key != NULL ? zend_string_copy(key) : NULL;
        item->index = index;
        item->encoded = (larder_encoded){.text = NULL};
        item->blame = (larder_blame){.argument = 1,
                                     .root = "$bodies",
                                     .key = item->key,
                                     .index = index,
                                     .has_index = key == NULL};
        ZVAL_COPY_DEREF(&item->body, body);
    ZEND_HASH_FOREACH_END();
    return count;
}

static void queue_items_push(larder_push *push, queue_item *items, uint32_t count, zval *result)
{
    larder_target to = {.store = queue_store(), .message = push};
    for (queue_item *item = items; to.store != NULL && item < items + count; item++) {
        int rc = queue_push_encoded(&to, &item->body, &item->blame, &item->encoded);
        zval id;
        if (EG(exception) || !queue_pushed(rc, push, &id))
            break;
        if (item->key != NULL)
            zend_hash_update(Z_ARR_P(result), item->key, &id);
        else
            zend_hash_index_update(Z_ARR_P(result), item->index, &id);
    }
}

ZEND_METHOD(Larder_Queue, pushMany)
{
    HashTable *bodies;
    zval *delay = NULL, *ttl = NULL, *wait = NULL;
    zend_long priority = 0;
    larder_push push = {.id = 0};
    ZEND_PARSE_PARAMETERS_START(1, 5)
        Z_PARAM_ARRAY_HT(bodies)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(delay)
        Z_PARAM_LONG(priority)
        Z_PARAM_NUMBER(ttl)
        Z_PARAM_NUMBER(wait)
    ZEND_PARSE_PARAMETERS_END();
    if (!queue_push_how(&push, queue_here(Z_OBJ_P(ZEND_THIS)), delay, priority, ttl, wait))
        RETURN_THROWS();
    array_init(return_value);
    if (zend_hash_num_elements(bodies) == 0)
        return;
    queue_item *items = safe_emalloc(zend_hash_num_elements(bodies), sizeof *items, 0);
    uint32_t count = queue_items_take(bodies, items);
    if (queue_items_settle(items, count))
        queue_items_push(&push, items, count, return_value);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].key != NULL)
            zend_string_release(items[i].key);
        larder_encoded_free(&items[i].encoded);
        zval_ptr_dtor(&items[i].body);
    }
    efree(items);
}

/* ---- popping ---- */

/* A batch ends when less than 1 / QUEUE_ROOM_PART of memory_limit is free. Otherwise restoring a
 * later message could exceed memory_limit, and this message would be buried. */
#define QUEUE_ROOM_PART 4u
/* A batch ends when its largest message takes at least 1 / QUEUE_ROOM_BODY of the free memory. */
#define QUEUE_ROOM_BODY 4u

typedef struct queue_batch {
    /* PHP's memory use in bytes, before the latest message of the batch was restored */
    size_t before;
    size_t largest; /* the largest memory use of a message in this batch, in bytes */
} queue_batch;

static bool queue_has_room(size_t body)
{
    size_t used = zend_memory_usage(false), limit = (size_t)PG(memory_limit);
    if (PG(memory_limit) <= 0)
        return true;
    if (used >= limit)
        return false;
    return limit - used > limit / QUEUE_ROOM_PART && body < (limit - used) / QUEUE_ROOM_BODY;
}

/* Return true if there is room for a message as large as the largest one of this batch. */
static bool queue_batch_goes_on(queue_batch *batch)
{
    size_t used = zend_memory_usage(false);
    if (used > batch->before)
        batch->largest = MAX(batch->largest, used - batch->before);
    batch->before = used;
    return queue_has_room(batch->largest);
}

/* Pop a message. `first` is true for the first message of a batch. If a later message would need
 * too much memory, this function makes it ready again. Returns false, and sets *result to null, if
 * no message was popped or if an exception is set. */
static bool queue_pop(const queue_object *queue, bool first, uint64_t wait_ms, uint64_t run_ms,
                      zval *result)
{
    lrd_store *store = queue_store();
    lrd_message message;
    int rc = LRD_MISS;
    ZVAL_NULL(result);
    if (store == NULL)
        return false;
    /* allocate before the wait, so that the message is returned sooner after it arrives */
    zend_object *object = larder_message_new();
    for (larder_wait wait = larder_wait_for(wait_ms); larder_wait_goes_on(&wait);) {
        LARDER_CALL(rc, lrd_queue_pop(store, queue->number, LRD_GET_NO_COPY | LRD_GET_PLAIN,
                                      wait.sleep_ms, run_ms, &message));
        if (rc != LRD_MISS && rc != LRD_EBUSY)
            break;
    }
    if (rc == LRD_OK && !first && !queue_has_room(message.value.size)) {
        int unused;
        LARDER_CALL(unused, lrd_release(store, &message.value));
        LARDER_CALL(unused, lrd_queue_release(store, queue->number, message.id, 0));
        /* If the queue is busy, the message stays reserved until its time to run is over, or the
         * process ends. */
        (void)unused;
        zend_object_release(object);
        return false;
    }
    if (rc == LRD_OK)
        return larder_message_make(object, store, queue->number, &message, LARDER_MESSAGE_RESERVED,
                                   run_ms, result);
    zend_object_release(object);
    /* treat a busy queue as empty, because the program's next call may succeed */
    if (rc < 0 && rc != LRD_EBUSY && !EG(exception))
        queue_throw(rc, "Cannot read a message");
    return false;
}

ZEND_METHOD(Larder_Queue, pop)
{
    zval *timeout = NULL, *run = NULL;
    uint64_t wait_ms, run_ms;
    ZEND_PARSE_PARAMETERS_START(0, 2)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(timeout)
        Z_PARAM_NUMBER(run)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_milliseconds(timeout, 1, &wait_ms) || !larder_milliseconds(run, 2, &run_ms))
        RETURN_THROWS();
    queue_pop(queue_here(Z_OBJ_P(ZEND_THIS)), true, wait_ms, run_ms, return_value);
}

ZEND_METHOD(Larder_Queue, popMany)
{
    zend_long count;
    zval *timeout = NULL, *run = NULL, message;
    uint64_t wait_ms, run_ms;
    ZEND_PARSE_PARAMETERS_START(1, 3)
        Z_PARAM_LONG(count)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(timeout)
        Z_PARAM_NUMBER(run)
    ZEND_PARSE_PARAMETERS_END();
    if (count < 1) {
        zend_argument_value_error(1, "must be greater than or equal to 1");
        RETURN_THROWS();
    }
    if (!larder_milliseconds(timeout, 2, &wait_ms) || !larder_milliseconds(run, 3, &run_ms))
        RETURN_THROWS();
    array_init(return_value);
    queue_batch batch = {.before = zend_memory_usage(false)};
    for (bool first = true;
         count > 0 && queue_pop(queue_here(Z_OBJ_P(ZEND_THIS)), first, wait_ms, run_ms, &message);
         count--, wait_ms = 0, first = false) {
        add_next_index_zval(return_value, &message);
        if (LARDER_MUST_STOP() || !queue_batch_goes_on(&batch))
            break;
    }
}

/* ---- methods that list, count or remove messages ---- */

/* Parse an id from push(). Returns false if no message can have it. */
static bool queue_id(const zend_string *text, uint64_t *id)
{
    char *end;
    if (ZSTR_LEN(text) == 0 || ZSTR_LEN(text) > 20 || ZSTR_VAL(text)[0] < '1' ||
        ZSTR_VAL(text)[0] > '9')
        return false;
    errno = 0;
    *id = strtoull(ZSTR_VAL(text), &end, 10);
    return errno == 0 && end == ZSTR_VAL(text) + ZSTR_LEN(text);
}

ZEND_METHOD(Larder_Queue, peek)
{
    zend_string *text = NULL;
    uint64_t id = 0;
    lrd_message message;
    int rc = LRD_MISS;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_STR_OR_NULL(text)
    ZEND_PARSE_PARAMETERS_END();
    const queue_object *queue = queue_here(Z_OBJ_P(ZEND_THIS));
    lrd_store *store = queue_store();
    if (store == NULL || (text != NULL && !queue_id(text, &id)))
        return;
    LARDER_CALL(
        rc, lrd_queue_peek(store, queue->number, id, LRD_GET_NO_COPY | LRD_GET_PLAIN, &message));
    if (rc == LRD_OK)
        larder_message_make(larder_message_new(), store, queue->number, &message,
                            LARDER_MESSAGE_SEEN, 0, return_value);
}

ZEND_METHOD(Larder_Queue, list)
{
    zend_long limit = 0;
    uint64_t cursor = 0;
    zval message;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(limit)
    ZEND_PARSE_PARAMETERS_END();
    if (limit < 0) {
        zend_argument_value_error(1, "must be greater than or equal to 0");
        RETURN_THROWS();
    }
    const queue_object *queue = queue_here(Z_OBJ_P(ZEND_THIS));
    lrd_store *store = queue_store();
    array_init(return_value);
    for (zend_long count = 0; store != NULL && (limit == 0 || count < limit); count++) {
        lrd_message given;
        int rc;
        LARDER_CALL(rc, lrd_queue_next(store, queue->number, &cursor,
                                       LRD_GET_NO_COPY | LRD_GET_PLAIN, &given));
        if (rc != LRD_OK || !larder_message_make(larder_message_new(), store, queue->number, &given,
                                                 LARDER_MESSAGE_SEEN, 0, &message))
            return;
        add_next_index_zval(return_value, &message);
        if (LARDER_MUST_STOP())
            return;
    }
}

ZEND_METHOD(Larder_Queue, delete)
{
    zend_string *text;
    uint64_t id;
    int rc = LRD_MISS;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_STR(text)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = queue_store();
    if (store != NULL && queue_id(text, &id))
        LARDER_CALL(rc, lrd_queue_remove(store, queue_here(Z_OBJ_P(ZEND_THIS))->number, id));
    RETURN_BOOL(rc == LRD_OK);
}

ZEND_METHOD(Larder_Queue, kick)
{
    zend_long most = ZEND_LONG_MAX;
    uint64_t count = 0;
    int rc;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(most)
    ZEND_PARSE_PARAMETERS_END();
    if (most < 0) {
        zend_argument_value_error(1, "must be greater than or equal to 0");
        RETURN_THROWS();
    }
    lrd_store *store = queue_store();
    if (store != NULL)
        LARDER_CALL(rc, lrd_queue_kick(store, queue_here(Z_OBJ_P(ZEND_THIS))->number,
                                       (uint64_t)most, &count));
    (void)rc;
    RETURN_LONG((zend_long)count);
}

ZEND_METHOD(Larder_Queue, clear)
{
    uint64_t count = 0;
    bool reserved = false;
    int rc;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_BOOL(reserved)
    ZEND_PARSE_PARAMETERS_END();
    lrd_store *store = queue_store();
    if (store != NULL)
        LARDER_CALL(
            rc, lrd_queue_clear(store, queue_here(Z_OBJ_P(ZEND_THIS))->number, reserved, &count));
    (void)rc;
    RETURN_LONG((zend_long)count);
}

ZEND_METHOD(Larder_Queue, info)
{
    lrd_queue_stats stats = {.ready = 0};
    uint32_t slot = 0;
    int rc = LRD_OK;
    ZEND_PARSE_PARAMETERS_NONE();
    lrd_store *store = queue_store();
    if (store != NULL)
        LARDER_CALL(rc, lrd_queue_stats_get(store, queue_here(Z_OBJ_P(ZEND_THIS))->number, &stats));
    if (rc != LRD_OK) {
        queue_throw(rc, "The queue's state cannot be read");
        RETURN_THROWS();
    }
    const uint64_t numbers[] = {stats.ready,   stats.reserved,    stats.delayed,  stats.buried,
                                stats.bytes,   stats.capacity,    stats.pushed,   stats.acked,
                                stats.removed, stats.redelivered, stats.returned, stats.expired,
                                stats.refused, stats.wakeups};
    object_init_ex(return_value, queue_info_class);
    for (; slot < sizeof numbers / sizeof *numbers; slot++)
        ZVAL_LONG(OBJ_PROP_NUM(Z_OBJ_P(return_value), slot), (zend_long)numbers[slot]);
    ZVAL_DOUBLE(OBJ_PROP_NUM(Z_OBJ_P(return_value), slot), (double)stats.oldest_ms / 1000);
}

/* ---- the module ---- */

void larder_queue_phpinfo(lrd_store *store)
{
    const char *name;
    size_t length;
    char title[LRD_QUEUE_NAME_MAX + 16], text[200];
    for (lrd_queue i = 0; lrd_queue_name(store, i, &name, &length) == LRD_OK; i++) {
        lrd_queue_stats stats;
        int rc;
        LARDER_CALL(rc, lrd_queue_stats_get(store, i, &stats));
        if (rc != LRD_OK)
            continue;
        snprintf(title, sizeof title, "Queue %.*s", (int)length, name);
        snprintf(
            text, sizeof text,
            "%llu ready, %llu reserved, %llu delayed, %llu buried; %llu pushed, %llu acknowledged",
            (unsigned long long)stats.ready, (unsigned long long)stats.reserved,
            (unsigned long long)stats.delayed, (unsigned long long)stats.buried,
            (unsigned long long)stats.pushed, (unsigned long long)stats.acked);
        php_info_print_table_row(2, title, text);
    }
}

void larder_queue_register(void)
{
    queue_class = register_class_Larder_Queue();
    queue_info_class = register_class_Larder_QueueInfo();
    larder_message_register(register_class_Larder_Message());
    queue_class->create_object = queue_create;
    queue_handlers = *zend_get_std_object_handlers();
    queue_handlers.offset = offsetof(queue_object, std);
    queue_handlers.free_obj = queue_free;
    queue_handlers.clone_obj = NULL;
    queue_handlers.compare = zend_objects_not_comparable;
}
