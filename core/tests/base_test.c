/* base_test.c - the addresses of new segments on machines with a smaller address space than
 * x86-64. */
#include "support.h"

#define MIB ((uint64_t)1 << 20)

/* AddressSanitizer has its shadow memory in the middle of an address space of 42 bits. */
#if defined(__SANITIZE_ADDRESS__)
#define MIDDLE_TAKEN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MIDDLE_TAKEN 1
#endif
#endif

extern uint64_t lrd__address_end; /* format.c defines this, but only in builds for tests */

typedef struct visit {
    lrd_store *inherited; /* the parent's store; the child must unmap it to attach the file */
    const char *path;
} visit;

static void attach_and_look(void *arg)
{
    visit *v = arg;
    lrd_options options = {.size = 0, .path = v->path};
    lrd_store *store;
    lrd_close(v->inherited);
    CHECK_OK(lrd_open(&options, &store));
    CHECK_OK(get_checked(store, "key", NULL, NULL));
    lrd_close(store);
}

static void a_base_is_found_where_addresses_have_fewer_bits(void **state)
{
    (void)state;
#ifdef MIDDLE_TAKEN
    skip();
#endif
    static const uint32_t bits[] = {42, 39};
    /* addresses that hosts choose */
    static const uint64_t from[] = {0, 0x550000000000 + ((uint64_t)80 << 30),
                                    0x550000000000 + ((uint64_t)160 << 30)};
    for (int i = 0; i < 2; i++) {
        lrd_store *stores[4];
        lrd_info info[4];
        char file[256];
        snprintf(file, sizeof file, "%s", temp_path(i == 0 ? "42 bits" : "39 bits"));
        lrd__address_end = (uint64_t)1 << bits[i];
        for (int k = 0; k < 4; k++) {
            lrd_options options = {.size = 64 * MIB, .slots = 16, .base_from = from[k % 3]};
            options.path = k == 0 ? file : NULL;
            CHECK_OK(lrd_open(&options, &stores[k]));
            lrd_store_info(stores[k], &info[k]);
            uint64_t base = (uintptr_t)info[k].base;
            CHECK_EQ(base % (2 * MIB), 0);
            CHECK(base >= lrd__address_end / 2 && base + info[k].size <= lrd__address_end);
            CHECK_OK(put_value(stores[k], "key", 1000, 1, LRD_SET, 0));
        }
        for (int k = 1; k < 3; k++)
            CHECK((uintptr_t)info[k].base - (uintptr_t)info[k - 1].base >= (uint64_t)16 << 30);
        visit v = {.inherited = stores[0], .path = file};
        CHECK_CHILD(run_in_child(attach_and_look, &v));
        for (int k = 0; k < 4; k++)
            lrd_close(stores[k]);
    }
    lrd__address_end = (uint64_t)1 << 30; /* leave no addresses for a segment */
    lrd_store *store;
    lrd_options options = {.size = MIB};
    CHECK_CODE(lrd_open(&options, &store), LRD_EADDR);
    lrd__address_end = UINT64_MAX;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_base_is_found_where_addresses_have_fewer_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
