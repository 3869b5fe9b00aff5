#include <larder.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int code)
{
    if (code < 0) {
        fprintf(stderr, "%s %s\n", lrd_strerror(code), lrd_error_detail());
        exit(1);
    }
}

int main(int argc, char **argv)
{
    /* Every process that opens this path shares the store. Without a path, the store is shared with
     * processes that are forked later. */
    lrd_options options = {.size = 16u << 20};
    options.path = argc > 1 ? argv[1] : "/dev/shm/larder-example";
    lrd_store *store;
    lrd_value value;

    check(lrd_open(&options, &store));
    lrd_write minute = {.ttl_ms = 60000};
    check(lrd_put(store, "greeting", 8, "hello", 5, &minute));

    int code = lrd_get(store, "greeting", 8, 0, &value);
    check(code);
    if (code == LRD_OK) {
        /* read where it is stored */
        printf("%.*s\n", (int)value.size, (const char *)value.data);
        lrd_release(store, &value);
    }
    lrd_close(store);
    return 0;
}
