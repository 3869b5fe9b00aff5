/* semaphore.c - Larder\Semaphore and Larder\Permit, and the registration of Larder\Broadcast.
 *
 * - A permit counts as ended if the request no longer uses the store of the permit.
 * - LARDER_G(permits_elsewhere) lists the permits that fibers and coroutines have not released.
 *   While one is valid, boundary.c does not end the request's locks. */
#include "api/semaphore.h"
#include "api/broadcast.h"
#include "api/arguments.h"
#include "api/lock.h"
#include "api/wait.h"
#include "stores/stores.h"
#include "larder_coordination.h"
#include "zend_exceptions.h"
#include "api/semaphore_arginfo.h"

typedef struct larder_permit {
    lrd_store *store; /* NULL after the permit was released */
    zend_string *name;
    lrd_permit permit;
    /* links of the list LARDER_G(permits_elsewhere); `link` is NULL if the permit is not in this
     * list */
    struct larder_permit *next, **link;
    larder_term term; /* set if the permit is in the list */
    zend_object std;
} permit_object;

static zend_class_entry *permit_class;
static zend_object_handlers permit_handlers;

static permit_object *permit_of(zend_object *object)
{
    return (permit_object *)(void *)((char *)object - offsetof(permit_object, std));
}

static zend_object *permit_create(zend_class_entry *class)
{
    permit_object *permit = zend_object_alloc(sizeof *permit, class);
    memset(permit, 0, offsetof(permit_object, std));
    zend_object_std_init(&permit->std, class);
    object_properties_init(&permit->std, class);
    permit->std.handlers = &permit_handlers;
    return &permit->std;
}

static ZEND_COLD void permit_list(permit_object *permit, uint64_t lease_ms)
{
    permit->term = larder_term_of(lease_ms);
    permit->link = &LARDER_G(permits_elsewhere);
    permit->next = *permit->link;
    if (permit->next != NULL)
        permit->next->link = &permit->next;
    *permit->link = permit;
}

static ZEND_COLD void permit_unlist(permit_object *permit)
{
    *permit->link = permit->next;
    if (permit->next != NULL)
        permit->next->link = permit->link;
    permit->link = NULL;
}

bool larder_semaphore_is_elsewhere(void)
{
    const permit_object *permit = LARDER_G(permits_elsewhere);
    while (UNEXPECTED(permit != NULL) && larder_term_is_over(&permit->term))
        permit = permit->next;
    return permit != NULL;
}

static bool permit_end(permit_object *permit)
{
    int rc = LRD_MISS;
    if (permit->store != NULL && permit->store == LARDER_G(active)[LARDER_VOLATILE])
        LARDER_CALL(rc, lrd_semaphore_release(permit->store, ZSTR_VAL(permit->name),
                                              ZSTR_LEN(permit->name), &permit->permit));
    permit->store = NULL;
    if (permit->link != NULL)
        permit_unlist(permit);
    return rc == LRD_OK;
}

static void permit_free(zend_object *object)
{
    permit_object *permit = permit_of(object);
    permit_end(permit);
    if (permit->name != NULL)
        zend_string_release(permit->name);
    zend_object_std_dtor(object);
}

/* Returns false after a ValueError. */
static bool semaphore_arguments(const zend_string *name, zend_long permits)
{
    if (ZSTR_LEN(name) == 0 || ZSTR_LEN(name) > LRD_SEMAPHORE_NAME_MAX) {
        zend_argument_value_error(1, "must be between 1 and %u bytes long, %zu given",
                                  LRD_SEMAPHORE_NAME_MAX, ZSTR_LEN(name));
        return false;
    }
    if (permits < 1 || permits > (zend_long)LRD_SEMAPHORE_PERMITS_MAX) {
        zend_argument_value_error(2, "must be between 1 and %u", LRD_SEMAPHORE_PERMITS_MAX);
        return false;
    }
    return true;
}

static ZEND_COLD void semaphore_failed(const lrd_store *store, int rc)
{
    zend_throw_exception_ex(larder_exception_class, 0, "The semaphore cannot be used: %s",
                            store == NULL ? "the store is off (VolatileCache::info())"
                                          : lrd_strerror(rc));
}

ZEND_METHOD(Larder_Semaphore, __construct) {}
ZEND_METHOD(Larder_Permit, __construct) {}

ZEND_METHOD(Larder_Semaphore, acquire)
{
    zend_string *name;
    zend_long permits;
    zval *lease = NULL, *wait = NULL;
    uint64_t lease_ms, wait_ms;
    int rc = LRD_ENOSLOT;
    ZEND_PARSE_PARAMETERS_START(2, 4)
        Z_PARAM_STR(name)
        Z_PARAM_LONG(permits)
        Z_PARAM_OPTIONAL
        Z_PARAM_NUMBER(lease)
        Z_PARAM_NUMBER(wait)
    ZEND_PARSE_PARAMETERS_END();
    if (!semaphore_arguments(name, permits) || !larder_milliseconds(lease, 3, &lease_ms) ||
        !larder_milliseconds(wait, 4, &wait_ms))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    if (store == NULL) {
        semaphore_failed(store, rc);
        RETURN_THROWS();
    }
    /* Create the object before the permit is acquired. Afterwards, a failed allocation would lose
     * the permit. */
    object_init_ex(return_value, permit_class);
    permit_object *permit = permit_of(Z_OBJ_P(return_value));
    for (larder_wait wait_for = larder_wait_for(wait_ms); larder_wait_goes_on(&wait_for);) {
        LARDER_CALL(rc,
                    lrd_semaphore_acquire(store, ZSTR_VAL(name), ZSTR_LEN(name), (uint32_t)permits,
                                          lease_ms, wait_for.sleep_ms, &permit->permit));
        /* LRD_EDEADLK: this thread has all permits, but another of its fibers may release one. */
        if (rc != LRD_HELD && rc != LRD_EDEADLK && rc != LRD_EBUSY)
            break;
    }
    if (EXPECTED(rc == LRD_OK)) {
        permit->store = store;
        permit->name = zend_string_copy(name);
        if (larder_stack() != LARDER_G(main_stack))
            permit_list(permit, lease_ms);
        return;
    }
    zval_ptr_dtor(return_value);
    ZVAL_NULL(return_value);
    if (!EG(exception) && rc != LRD_HELD && rc != LRD_INTR && rc != LRD_EDEADLK &&
        rc != LRD_EBUSY) {
        semaphore_failed(store, rc);
        RETURN_THROWS();
    }
}

ZEND_METHOD(Larder_Semaphore, count)
{
    zend_string *name;
    zend_long permits;
    uint32_t count = 0;
    int rc = LRD_OK;
    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_STR(name)
        Z_PARAM_LONG(permits)
    ZEND_PARSE_PARAMETERS_END();
    if (!semaphore_arguments(name, permits))
        RETURN_THROWS();
    lrd_store *store = larder_store(LARDER_VOLATILE);
    if (store != NULL)
        LARDER_CALL(rc, lrd_semaphore_count(store, ZSTR_VAL(name), ZSTR_LEN(name),
                                            (uint32_t)permits, &count));
    if (store == NULL || rc != LRD_OK) {
        semaphore_failed(store, rc);
        RETURN_THROWS();
    }
    RETURN_LONG(count);
}

ZEND_METHOD(Larder_Permit, renew)
{
    zval *lease;
    uint64_t lease_ms;
    int rc = LRD_MISS;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_NUMBER(lease)
    ZEND_PARSE_PARAMETERS_END();
    if (!larder_milliseconds(lease, 1, &lease_ms))
        RETURN_THROWS();
    permit_object *permit = permit_of(Z_OBJ_P(ZEND_THIS));
    if (permit->store != NULL && permit->store == LARDER_G(active)[LARDER_VOLATILE])
        LARDER_CALL(rc, lrd_semaphore_renew(permit->store, ZSTR_VAL(permit->name),
                                            ZSTR_LEN(permit->name), &permit->permit, lease_ms));
    if (rc == LRD_OK && permit->link != NULL)
        permit->term = larder_term_of(lease_ms);
    RETURN_BOOL(rc == LRD_OK);
}

ZEND_METHOD(Larder_Permit, release)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_BOOL(permit_end(permit_of(Z_OBJ_P(ZEND_THIS))));
}

void larder_semaphore_register(void)
{
    register_class_Larder_Semaphore();
    permit_class = register_class_Larder_Permit();
    permit_class->create_object = permit_create;
    permit_handlers = *zend_get_std_object_handlers();
    permit_handlers.offset = offsetof(permit_object, std);
    permit_handlers.free_obj = permit_free;
    permit_handlers.clone_obj = NULL;
    permit_handlers.compare = zend_objects_not_comparable;
    larder_broadcast_register(register_class_Larder_Broadcast());
}
