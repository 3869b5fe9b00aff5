/* scope.c - Larder\scope(): calls a function, and then releases all held values that are no longer
 * used. holds/collect.c finds these values. The setting larder.scope is unrelated. */
#include "fetch/copies.h"
#include "fetch/fetch.h"
#include "holds/holds.h"
#include "stores/stores.h"

/* If the result of scope() lies in a stored block, replace the result by a copy, so that the block
 * can be released. */
static void scope_copy_out(zval *value)
{
    if (Z_REFCOUNTED_P(value) || (Z_TYPE_P(value) != IS_STRING && Z_TYPE_P(value) != IS_ARRAY) ||
        !larder_contains(Z_PTR_P(value)))
        return;
    larder_copies *copies = larder_copies_begin(false);
    larder_copy_out(copies, value);
    larder_copies_end(copies);
}

ZEND_FUNCTION(Larder_scope)
{
    zend_fcall_info callback;
    zend_fcall_info_cache cache;
    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_FUNC(callback, cache)
    ZEND_PARSE_PARAMETERS_END();
    size_t before = larder_holds_count();
    callback.retval = return_value;
    bool called = zend_call_function(&callback, &cache) == SUCCESS;
    if (called && Z_ISREF_P(return_value))
        zend_unwrap_reference(return_value);
    if (called && !EG(exception))
        scope_copy_out(return_value);
    if (larder_holds_count() > before)
        larder_holds_collect();
}
