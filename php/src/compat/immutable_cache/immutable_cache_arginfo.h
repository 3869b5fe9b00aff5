/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: f48de0d9fab37da7e85683d856e7ec0d115f25bb */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_immutable_cache_enabled, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_immutable_cache_add, 0, 1, MAY_BE_ARRAY|MAY_BE_BOOL)
	ZEND_ARG_INFO(0, key)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_immutable_cache_fetch, 0, 1, IS_MIXED, 0)
	ZEND_ARG_INFO(0, key)
	ZEND_ARG_INFO_WITH_DEFAULT_VALUE(1, success, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_immutable_cache_exists, 0, 1, MAY_BE_ARRAY|MAY_BE_BOOL)
	ZEND_ARG_INFO(0, key)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_immutable_cache_cache_info, 0, 0, MAY_BE_ARRAY|MAY_BE_FALSE)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limited, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_immutable_cache_key_info, 0, 1, IS_ARRAY, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_immutable_cache_sma_info arginfo_immutable_cache_cache_info

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_ImmutableCacheIterator___construct, 0, 0, 0)
	ZEND_ARG_INFO_WITH_DEFAULT_VALUE(0, search, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, format, IS_LONG, 0, "IMMUTABLE_CACHE_ITER_ALL")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, chunk_size, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, list, IS_LONG, 0, "IMMUTABLE_CACHE_LIST_ACTIVE")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_ImmutableCacheIterator_rewind, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_ImmutableCacheIterator_next arginfo_class_ImmutableCacheIterator_rewind

#define arginfo_class_ImmutableCacheIterator_valid arginfo_immutable_cache_enabled

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_ImmutableCacheIterator_key, 0, 0, MAY_BE_STRING|MAY_BE_LONG)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_ImmutableCacheIterator_current, 0, 0, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_ImmutableCacheIterator_getTotalHits, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_ImmutableCacheIterator_getTotalSize arginfo_class_ImmutableCacheIterator_getTotalHits

#define arginfo_class_ImmutableCacheIterator_getTotalCount arginfo_class_ImmutableCacheIterator_getTotalHits


ZEND_FUNCTION(immutable_cache_enabled);
ZEND_FUNCTION(immutable_cache_add);
ZEND_FUNCTION(immutable_cache_fetch);
ZEND_FUNCTION(immutable_cache_exists);
ZEND_FUNCTION(immutable_cache_cache_info);
ZEND_FUNCTION(immutable_cache_key_info);
ZEND_FUNCTION(immutable_cache_sma_info);
ZEND_METHOD(ImmutableCacheIterator, __construct);
ZEND_METHOD(ImmutableCacheIterator, rewind);
ZEND_METHOD(ImmutableCacheIterator, next);
ZEND_METHOD(ImmutableCacheIterator, valid);
ZEND_METHOD(ImmutableCacheIterator, key);
ZEND_METHOD(ImmutableCacheIterator, current);
ZEND_METHOD(ImmutableCacheIterator, getTotalHits);
ZEND_METHOD(ImmutableCacheIterator, getTotalSize);
ZEND_METHOD(ImmutableCacheIterator, getTotalCount);


static const zend_function_entry ext_functions[] = {
	ZEND_FE(immutable_cache_enabled, arginfo_immutable_cache_enabled)
	ZEND_FE(immutable_cache_add, arginfo_immutable_cache_add)
	ZEND_FE(immutable_cache_fetch, arginfo_immutable_cache_fetch)
	ZEND_FE(immutable_cache_exists, arginfo_immutable_cache_exists)
	ZEND_FE(immutable_cache_cache_info, arginfo_immutable_cache_cache_info)
	ZEND_FE(immutable_cache_key_info, arginfo_immutable_cache_key_info)
	ZEND_FE(immutable_cache_sma_info, arginfo_immutable_cache_sma_info)
	ZEND_FE_END
};


static const zend_function_entry class_ImmutableCacheIterator_methods[] = {
	ZEND_ME(ImmutableCacheIterator, __construct, arginfo_class_ImmutableCacheIterator___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(ImmutableCacheIterator, rewind, arginfo_class_ImmutableCacheIterator_rewind, ZEND_ACC_PUBLIC)
	ZEND_ME(ImmutableCacheIterator, next, arginfo_class_ImmutableCacheIterator_next, ZEND_ACC_PUBLIC)
	ZEND_ME(ImmutableCacheIterator, valid, arginfo_class_ImmutableCacheIterator_valid, ZEND_ACC_PUBLIC)
	ZEND_ME(ImmutableCacheIterator, key, arginfo_class_ImmutableCacheIterator_key, ZEND_ACC_PUBLIC)
	ZEND_ME(ImmutableCacheIterator, current, arginfo_class_ImmutableCacheIterator_current, ZEND_ACC_PUBLIC)
	ZEND_ME(ImmutableCacheIterator, getTotalHits, arginfo_class_ImmutableCacheIterator_getTotalHits, ZEND_ACC_PUBLIC)
	ZEND_ME(ImmutableCacheIterator, getTotalSize, arginfo_class_ImmutableCacheIterator_getTotalSize, ZEND_ACC_PUBLIC)
	ZEND_ME(ImmutableCacheIterator, getTotalCount, arginfo_class_ImmutableCacheIterator_getTotalCount, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_ImmutableCacheIterator(zend_class_entry *class_entry_Iterator)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "ImmutableCacheIterator", class_ImmutableCacheIterator_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_Iterator);

	return class_entry;
}
