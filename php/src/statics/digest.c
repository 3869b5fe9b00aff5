/* digest.c - computes digests of values with objects or references. Two values have equal digests
 * if Larder would store equal bytes for them. */
#include "fetch/fetch.h"
#include "put/plan.h"
#include "put/put.h"
#include "statics/internal.h"
#include "zend_exceptions.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

/* A block contains pointers into itself, so its bytes depend on its address. Each digest is
 * computed as if the block lay at this address. */
#define DIGEST_AT ((const char *)0x100000)

static bool digest_plan(zval *value, const larder_encoded *encoded, XXH128_hash_t *hash)
{
    larder_plan *plan;
    char *image = NULL;
    if (larder_plan_value(value, encoded->states, SIZE_MAX / 2, NULL, &plan) == LARDER_NATIVE)
        /* zeroed, because writing the plan skips some bytes, and the digest covers them, too */
        image = calloc(1, plan->size);
    if (image != NULL) {
        plan->built = 0;
        plan->resident = false;
        for (uint32_t i = 0; i < plan->arrays_used; i++)
            /* A plain copy would include unused fields, which may contain anything. */
            plan->arrays[i].plain = false;
        larder_fill_plan(plan, image, DIGEST_AT, plan->size);
        *hash = XXH3_128bits(image, plan->size);
        free(image);
    }
    larder_plan_done();
    return image != NULL;
}

bool larder_static_digest(zval *value, uint64_t digest[2])
{
    XXH128_hash_t hash = {0, 0};
    larder_encoded encoded;
    larder_blame blame = {.root = "", .property = true};
    zval own;
    if (Z_TYPE_P(value) != IS_ARRAY && Z_TYPE_P(value) != IS_OBJECT)
        return false;
    ZVAL_COPY(&own, value); /* hooks may replace *value */
    bool good = larder_encode(&own, &blame, &encoded);
    if (good && encoded.text != NULL)
        hash = XXH3_128bits(ZSTR_VAL(encoded.text), ZSTR_LEN(encoded.text));
    else if (good)
        good = digest_plan(&own, &encoded, &hash);
    larder_encoded_free(&encoded);
    zval_ptr_dtor(&own);
    if (EG(exception)) {
        larder_hook_threw();
        good = false;
    }
    digest[0] = hash.low64;
    digest[1] = hash.high64;
    return good;
}
