/* table.c - the rows of the table of stores. */
#include "stores/table.h"

#define STORE_SIZED(directive) .size_name = (directive), .size_zero = directive " is 0"
/* A layer's store has a size only if larder.compat switches the layer on. */
#define STORE_OF_LAYER(directive, layer)                                                           \
    .size_name = (directive), .of_layer = true,                                                    \
    .size_zero = "larder.compat does not switch on " layer " (phpinfo() says why)"

const larder_store_row larder_store_table[LARDER_KINDS] = {
    [LARDER_VOLATILE] = {.name = "volatile",
                         .title = "Larder\\VolatileCache",
                         STORE_SIZED("larder.volatile_size"),
                         .policy = LRD_VOLATILE,
                         .caches = true},
    [LARDER_PINNED] = {.name = "pinned",
                       .title = "Larder\\PinnedCache",
                       STORE_SIZED("larder.pinned_size"),
                       .policy = LRD_PINNED,
                       .caches = true},
    [LARDER_IMMUTABLE] = {.name = "immutable",
                          .title = "immutable_cache",
                          STORE_OF_LAYER("larder.immutable_size", "immutable_cache"),
                          .policy = LRD_IMMUTABLE},
    [LARDER_APCU] = {.name = "apcu",
                     .title = "apcu",
                     STORE_OF_LAYER("apc.shm_size", "apcu"),
                     .policy = LRD_VOLATILE,
                     .layer_sizes = true},
    /* sessions are bytes that all versions of PHP can read */
    [LARDER_SESSIONS] = {.name = "session",
                         .title = "Larder\\Sessions",
                         STORE_SIZED("larder.session_size"),
                         .policy = LRD_SESSION,
                         .value_abi = "session,2",
                         .of_sessions = true},
    [LARDER_QUEUES] = {.name = "queue",
                       .title = "Larder\\Queue",
                       STORE_SIZED("larder.queue_size"),
                       .policy = LRD_QUEUE},
};
