/* message.c - Larder\Message. If the program frees an object of pop() without ending its message,
 * the message becomes ready again. Begin reading at larder_message_make(). */
#include "queue/message.h"
#include "api/arguments.h"
#include "api/info.h"
#include "api/wait.h"
#include "fetch/fetch.h"
#include "zend_exceptions.h"

#include <pthread.h>

/* Maximum size (bytes) of a body that is copied. The block of a larger body stays until the request
 * ends. */
#define MESSAGE_COPY_MAX 4096u
/* Maximum number of further attempts to end a message, or to look up a body, if the queue is busy.
 * Each attempt takes LRD_LOCK_WAIT_MS. */
#define MESSAGE_BUSY_TRIES 20u

typedef struct message_object {
    const lrd_store *store; /* the store from which the message comes */
    lrd_queue queue;
    uint64_t id;
    uint64_t run_ms; /* time to run (ms); 0 means no limit */
    /* true if the message is reserved for this object; valid only in the process that popped it */
    bool reserved;
    uint32_t forks; /* value of message_forks when the message was popped */
    /* True if the time to run is limited. When this time has passed, this process may pop the
     * message again. The reservation then belongs to the newer message object. */
    bool timed;
    /* True while the body is being restored. If the object is freed during this time, restoring the
     * body has ended the request. message_free() then buries the message, so that it cannot end
     * another request. */
    bool opening;
    zend_object std;
} message_object;

zend_class_entry *larder_message_class;
static zend_object_handlers message_handlers;
/* The number of forks between the first process and this one. */
static uint32_t message_forks LARDER_OF_WORKER;

static message_object *message_of(zend_object *object)
{
    return (message_object *)(void *)((char *)object - offsetof(message_object, std));
}

/* ---- from the reservation to the end of a message ---- */

static zend_object *message_create(zend_class_entry *class)
{
    message_object *message = zend_object_alloc(sizeof *message, class);
    memset(message, 0, offsetof(message_object, std));
    zend_object_std_init(&message->std, class);
    object_properties_init(&message->std, class);
    message->std.handlers = &message_handlers;
    return &message->std;
}

static LARDER_HOT void message_forked(void) { message_forks++; }

/* Return true if pop() has returned this object in this process, and the program has not ended its
 * message. This does not check the time to run. */
static bool message_reserved(message_object *message)
{
    if (UNEXPECTED(message->forks != message_forks))
        message->reserved = false;
    return message->reserved;
}

typedef enum message_end { MESSAGE_ACK, MESSAGE_RELEASE, MESSAGE_BURY, MESSAGE_TOUCH } message_end;

/* Read the current state of the message, and borrow its body. */
static int message_peek(const message_object *message, lrd_store *store, lrd_message *now)
{
    int rc;
    LARDER_CALL(rc, lrd_queue_peek(store, message->queue, message->id,
                                   LRD_GET_BORROW | LRD_GET_NO_COPY | LRD_GET_PLAIN, now));
    return rc;
}

/* Return LRD_OK if the message is still reserved for this object, otherwise LRD_MISS. Returns
 * LRD_EBUSY if this is not known now. This process may have popped the message again, so compare
 * the number of attempts: each pop increments it. */
static int message_ask(message_object *message, lrd_store *store)
{
    lrd_message now;
    if (store == NULL || !message_reserved(message))
        return LRD_MISS;
    if (!message->timed)
        return LRD_OK;
    int rc = message_peek(message, store, &now);
    bool other = rc == LRD_OK && now.attempts != Z_LVAL_P(OBJ_PROP_NUM(&message->std, 2));
    return other ? LRD_MISS : rc;
}

/* Try once to end the message. On LRD_EBUSY, the caller may try again. */
static int message_try(message_object *message, message_end end, uint64_t ms)
{
    lrd_store *store = LARDER_G(active)[LARDER_QUEUES];
    /* Under FrankenPHP, this worker may have changed to another site. A request of the message's
     * own site must end the message. */
    if (UNEXPECTED(store != message->store) && store != NULL)
        return LRD_MISS;
    int rc = message_ask(message, store);
    if (rc == LRD_OK && end == MESSAGE_ACK)
        LARDER_CALL(rc, lrd_queue_ack(store, message->queue, message->id));
    else if (rc == LRD_OK && end == MESSAGE_RELEASE)
        LARDER_CALL(rc, lrd_queue_release(store, message->queue, message->id, ms));
    else if (rc == LRD_OK && end == MESSAGE_BURY)
        LARDER_CALL(rc, lrd_queue_bury(store, message->queue, message->id));
    else if (rc == LRD_OK)
        LARDER_CALL(rc, lrd_queue_touch(store, message->queue, message->id, ms));
    message->reserved = rc == LRD_EBUSY || (rc == LRD_OK && end == MESSAGE_TOUCH);
    return rc;
}

/* Try repeatedly to end the message. After a failure, the message stays reserved until its time to
 * run is over, or the process ends. */
static void message_insist(message_object *message, message_end end)
{
    /* the number of further attempts of this thread, for all its messages */
    ZEND_TLS unsigned left = MESSAGE_BUSY_TRIES;
    int rc = message_try(message, end, 0);
    for (; rc == LRD_EBUSY && left > 0; left--) {
        larder_busy_pause();
        rc = message_try(message, end, 0);
    }
    if (rc == LRD_OK)
        left = MESSAGE_BUSY_TRIES;
    message->reserved = false;
}

static void message_free(zend_object *object)
{
    message_object *message = message_of(object);
    message_insist(message, message->opening ? MESSAGE_BURY : MESSAGE_RELEASE);
    zend_object_std_dtor(object);
}

/* ---- bodies ---- */

/* Look up the body again, because user code has run since it was borrowed. Fails if the message is
 * gone. It does not matter if another process has reserved the message, because the body does not
 * change. */
static int message_again(void *context, lrd_store *store, lrd_value *value)
{
    const message_object *message = context;
    lrd_message now;
    int rc = LRD_EBUSY;
    for (unsigned tries = 0; larder_busy_again(rc, &tries, MESSAGE_BUSY_TRIES);)
        rc = message_peek(message, store, &now);
    if (rc != LRD_OK)
        return rc;
    *value = now.value;
    return rc;
}

static bool message_body(message_object *message, lrd_store *store, lrd_value *value, zval *result)
{
    lrd_value borrowed = *value;
    int rc;
    bool held = value->kind == LRD_KIND_HELD, graph = value->type == LARDER_GRAPH;
    if (!held && graph && !larder_take_hold(store, value))
        return larder_graph_copy(store, value, message_again, message, result);
    if (!held || (value->size > MESSAGE_COPY_MAX && value->type != LRD_TYPE_COUNTER))
        return larder_take(store, value, result);
    if (graph) {
        bool good = larder_graph_copy(store, value, message_again, message, result);
        LARDER_CALL(rc, lrd_release(store, value));
        return good;
    }
    /* Copy a small body. larder_take() copies a borrowed value, but uses a held value in place, so
     * tell it that the value is borrowed. */
    borrowed.kind = LRD_KIND_BORROWED;
    bool good = larder_take(store, &borrowed, result);
    LARDER_CALL(rc, lrd_release(store, value));
    (void)rc;
    return good;
}

/* the name of each lrd_message_state */
static zend_string *message_states[LRD_MESSAGE_BURIED + 1];

static void message_states_register(void)
{
    static const char *const names[] = {
        [LRD_MESSAGE_READY] = "ready",
        [LRD_MESSAGE_RESERVED] = "reserved",
        [LRD_MESSAGE_DELAYED] = "delayed",
        [LRD_MESSAGE_BURIED] = "buried",
    };
    for (int state = LRD_MESSAGE_READY; state <= LRD_MESSAGE_BURIED; state++)
        message_states[state] = zend_string_init_interned(names[state], strlen(names[state]), true);
}

zend_object *larder_message_new(void) { return message_create(larder_message_class); }

bool larder_message_make(zend_object *object, lrd_store *store, lrd_queue queue, lrd_message *given,
                         larder_message_use use, uint64_t run_ms, zval *result)
{
    bool reserved = use != LARDER_MESSAGE_SEEN;
    char digits[24], *end = digits + sizeof digits - 1;
    zval body;
    const char *id = zend_print_ulong_to_buf(end, (zend_ulong)given->id);
    message_object *message = message_of(object);
    ZVAL_OBJ(result, object);
    message->store = store;
    message->queue = queue;
    message->id = given->id;
    message->reserved = reserved;
    message->forks = message_forks;
    message->run_ms = run_ms;
    message->timed = run_ms != 0;
    ZVAL_STRINGL(OBJ_PROP_NUM(&message->std, 1), id, (size_t)(end - id));
    ZVAL_LONG(OBJ_PROP_NUM(&message->std, 2), given->attempts);
    ZVAL_LONG(OBJ_PROP_NUM(&message->std, 3), given->priority);
    ZVAL_INTERNED_STR(OBJ_PROP_NUM(&message->std, 4), message_states[given->state]);
    ZVAL_UNDEF(&body);
    message->opening = true;
    bool good = message_body(message, store, &given->value, &body) && !EG(exception);
    if (good) {
        ZVAL_COPY_VALUE(OBJ_PROP_NUM(&message->std, 0), &body);
        message->opening = false;
        return true;
    }
    if (!EG(exception) && !LARDER_OUT_OF_MEMORY())
        zend_throw_exception_ex(
            larder_exception_class, 0,
            "Message %s cannot be restored: a class of its body is gone or has changed%s", id,
            reserved ? "; it was buried" : "");
    zval_ptr_dtor(result);
    ZVAL_NULL(result);
    return false;
}

/* ---- methods ---- */

ZEND_METHOD(Larder_Message, __construct) {}

ZEND_METHOD(Larder_Message, ack)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_BOOL(message_try(message_of(Z_OBJ_P(ZEND_THIS)), MESSAGE_ACK, 0) == LRD_OK);
}

ZEND_METHOD(Larder_Message, release)
{
    zval *delay = NULL;
    uint64_t delay_ms;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(delay)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_milliseconds(delay, 1, &delay_ms))
        RETURN_THROWS();
    RETURN_BOOL(message_try(message_of(Z_OBJ_P(ZEND_THIS)), MESSAGE_RELEASE, delay_ms) == LRD_OK);
}

ZEND_METHOD(Larder_Message, bury)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_BOOL(message_try(message_of(Z_OBJ_P(ZEND_THIS)), MESSAGE_BURY, 0) == LRD_OK);
}

ZEND_METHOD(Larder_Message, touch)
{
    message_object *message = message_of(Z_OBJ_P(ZEND_THIS));
    zval *seconds = NULL;
    uint64_t run_ms = message->run_ms;
    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER_OR_NULL(seconds)
    ZEND_PARSE_PARAMETERS_END();
    if (seconds != NULL && !larder_milliseconds(seconds, 1, &run_ms))
        RETURN_THROWS();
    int rc = message_try(message, MESSAGE_TOUCH, run_ms);
    message->timed |= run_ms != 0;
    RETURN_BOOL(rc == LRD_OK);
}

ZEND_METHOD(Larder_Message, isReserved)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_BOOL(message_reserved(message_of(Z_OBJ_P(ZEND_THIS))));
}

void larder_message_register(zend_class_entry *class)
{
    larder_message_class = class;
    message_states_register();
    pthread_atfork(NULL, NULL, message_forked);
    class->create_object = message_create;
    message_handlers = *zend_get_std_object_handlers();
    message_handlers.offset = offsetof(message_object, std);
    message_handlers.free_obj = message_free;
    message_handlers.clone_obj = NULL;
    message_handlers.compare = zend_objects_not_comparable;
}
