/* stores.c - which stores there are, and what a request may use. Read larder_stores_startup() and
 * larder_activate() first.
 *
 * - Without larder.path and larder.scope a store is anonymous and made at start-up, before workers
 *   fork, so that they share it. Its memory is touched only as it is used.
 * - With one of them it is a file, opened by the process that first uses it, as the user it then
 *   runs as: <path>/larder-<uid>-<scope>-volatile.
 * - FPM has one store per pool or none: anonymous stores of the master would be shared by pools.
 * - While opcache preloads there is no request to end a value's life: the stores are off. */
#include "php_larder.h"
#include "SAPI.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include <syslog.h>

larder_place larder_places[LARDER_KINDS] = {
    [LARDER_VOLATILE] = {.name = "volatile"},
    [LARDER_PINNED] = {.name = "pinned"},
};

static const lrd_policy stores_policy[LARDER_KINDS] = {
    [LARDER_VOLATILE] = LRD_VOLATILE,
    [LARDER_PINNED] = LRD_PINNED,
};

/* What the layout of values depends on. */
#define STORES_ABI                                                                                 \
    "php" ZEND_TOSTR(ZEND_MODULE_API_NO) ZEND_BUILD_TS ZEND_BUILD_DEBUG                            \
        "," ZEND_TOSTR(SIZEOF_SIZE_T) ",codec" ZEND_TOSTR(LARDER_CODEC)

static int stores_open(larder_kind kind)
{
    larder_place *place = larder_places + kind;
    lrd_options options = {
        .policy = stores_policy[kind],
        .size = larder_configured.size[kind],
        .entries_hint = larder_configured.entries_hint,
        .path = place->path[0] != '\0' ? place->path : NULL,
        .value_abi = STORES_ABI,
    };
    int rc;
    LARDER_CALL(rc, lrd_open(&options, &place->store));
    if (rc != LRD_OK) {
        place->store = NULL;
        snprintf(place->reason, sizeof place->reason, "%s: %s%s%s", lrd_error_name(rc),
                 lrd_strerror(rc), *lrd_error_detail() != '\0' ? ": " : "", lrd_error_detail());
    }
    return rc;
}

static void stores_start(larder_kind kind)
{
    larder_place *place = larder_places + kind;
    char path[sizeof place->path], reason[256] = "";
    bool good = larder_settings_path(kind, path, sizeof path, reason, sizeof reason);
    place->reason[0] = '\0';
    place->lazy = false;
    if (!larder_configured.enabled) {
        snprintf(place->reason, sizeof place->reason, "larder.enable%s is 0",
                 strcmp(sapi_module.name, "cli") == 0 ? " or larder.enable_cli" : "");
    } else if (larder_configured.reason[0] != '\0' || !good) {
        snprintf(place->reason, sizeof place->reason, "%s",
                 good ? larder_configured.reason : reason);
    } else if (larder_configured.size[kind] == 0) {
        snprintf(place->reason, sizeof place->reason, "larder.%s_size is 0", place->name);
    } else if (path[0] != '\0' || strcmp(sapi_module.name, "fpm-fcgi") == 0) {
        place->lazy = true; /* the directives may differ by pool */
    } else if (place->store == NULL && stores_open(kind) != LRD_OK) {
        zend_error(E_CORE_WARNING, "Larder: the %s store is off: %s", place->name, place->reason);
    }
}

void larder_stores_startup(void)
{
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        stores_start((larder_kind)kind);
}

static void stores_open_lazily(larder_kind kind)
{
    larder_place *place = larder_places + kind;
    char reason[256] = "";
    place->lazy = false;
    if (!larder_settings_path(kind, place->path, sizeof place->path, reason, sizeof reason)) {
        snprintf(place->reason, sizeof place->reason, "%s", reason);
    } else if (place->path[0] == '\0') {
        snprintf(place->reason, sizeof place->reason,
                 "set larder.path or larder.scope to use Larder under FPM");
        return;
    } else if (stores_open(kind) == LRD_OK) {
        return;
    }
    char text[sizeof place->reason + 64];
    snprintf(text, sizeof text, "Larder: the %s store is off: %s", place->name, place->reason);
    php_log_err_with_severity(text, LOG_WARNING);
}

lrd_store *larder_activate(larder_kind kind)
{
    larder_place *place = larder_places + kind;
    int rc;
    if (CG(compiler_options) & ZEND_COMPILE_PRELOAD)
        return NULL;
    if (place->lazy)
        stores_open_lazily(kind);
    if (place->store == NULL)
        return NULL;
    LARDER_CALL(rc, lrd_request_begin(place->store));
    /* Without a slot a read would give copies of blocks that nobody holds. */
    if (rc == LRD_OK)
        LARDER_G(active)[kind] = place->store;
    return LARDER_G(active)[kind];
}

void larder_deactivate(void)
{
    for (int kind = 0; kind < LARDER_KINDS; kind++) {
        int rc;
        lrd_store *store = LARDER_G(active)[kind];
        if (store == NULL)
            continue;
        LARDER_CALL(rc, lrd_request_end(store));
        (void)rc;
        LARDER_G(active)[kind] = NULL;
    }
}

bool larder_contains(const void *pointer)
{
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (larder_places[kind].store != NULL && lrd_contains(larder_places[kind].store, pointer))
            return true;
    return false;
}
