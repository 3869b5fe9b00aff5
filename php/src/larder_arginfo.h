/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: f09bb8e1f45105469e7a98b6c6dba07fa5396113 */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_Larder_scope, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, callback, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_Larder_endRequest, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_Larder_beginRequest, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_Larder_waitWith, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, wait, IS_CALLABLE, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Larder_StaticCacheInfo___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_KeyInfo___construct arginfo_class_Larder_StaticCacheInfo___construct

#define arginfo_class_Larder_Throttle___construct arginfo_class_Larder_StaticCacheInfo___construct

#define arginfo_class_Larder_VolatileCache___construct arginfo_class_Larder_StaticCacheInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_get, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_Larder_VolatileCache_getMultiple, 0, 1, MAY_BE_ARRAY|MAY_BE_FALSE)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_ARRAY, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_set, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, form, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_setMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, form, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_VolatileCache_add arginfo_class_Larder_VolatileCache_set

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_has, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_delete, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key_or_class, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_deleteMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_clear, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_touch, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_Larder_VolatileCache_increment, 0, 1, MAY_BE_LONG|MAY_BE_FALSE)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, step, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_VolatileCache_decrement arginfo_class_Larder_VolatileCache_increment

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_VolatileCache_throttle, 0, 3, Larder\\Throttle, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, limit, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, per, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, cost, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_MASK(0, wait, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, sliding, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_VolatileCache_take arginfo_class_Larder_VolatileCache_get

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_getVersioned, 0, 1, IS_ARRAY, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_replaceIf, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, version, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_deleteIf, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, version, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_compareAndSet, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, expected, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_lock, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, lease, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_VolatileCache_unlock arginfo_class_Larder_VolatileCache_has

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_VolatileCache_remember, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, compute, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_MASK(0, stale, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, form, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_VolatileCache_getCacheStoreType, 0, 1, Larder\\CacheStoreType, 0)
	ZEND_ARG_TYPE_INFO(0, key_or_property, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, class_name, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_VolatileCache_info, 0, 0, Larder\\StaticCacheInfo, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_VolatileCache_keyInfo, 0, 1, Larder\\KeyInfo, 1)
	ZEND_ARG_TYPE_INFO(0, key_or_property, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, class_name, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_TYPE_MASK_EX(arginfo_class_Larder_VolatileCache_keys, 0, 0, Traversable, MAY_BE_ARRAY)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_VolatileCache_pool, 0, 1, Larder\\Pool, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, form, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Pool___construct arginfo_class_Larder_StaticCacheInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Pool_name, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Pool_get arginfo_class_Larder_VolatileCache_get

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Pool_getMultiple, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_ARRAY, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Pool_set arginfo_class_Larder_VolatileCache_set

#define arginfo_class_Larder_Pool_setMultiple arginfo_class_Larder_VolatileCache_setMultiple

#define arginfo_class_Larder_Pool_add arginfo_class_Larder_VolatileCache_set

#define arginfo_class_Larder_Pool_has arginfo_class_Larder_VolatileCache_has

#define arginfo_class_Larder_Pool_delete arginfo_class_Larder_VolatileCache_has

#define arginfo_class_Larder_Pool_deleteMultiple arginfo_class_Larder_VolatileCache_deleteMultiple

#define arginfo_class_Larder_Pool_clear arginfo_class_Larder_VolatileCache_clear

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Pool_keyInfo, 0, 1, Larder\\KeyInfo, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Pool_touch arginfo_class_Larder_VolatileCache_touch

#define arginfo_class_Larder_Pool_increment arginfo_class_Larder_VolatileCache_increment

#define arginfo_class_Larder_Pool_decrement arginfo_class_Larder_VolatileCache_increment

#define arginfo_class_Larder_Pool_throttle arginfo_class_Larder_VolatileCache_throttle

#define arginfo_class_Larder_Pool_take arginfo_class_Larder_VolatileCache_get

#define arginfo_class_Larder_Pool_getVersioned arginfo_class_Larder_VolatileCache_getVersioned

#define arginfo_class_Larder_Pool_replaceIf arginfo_class_Larder_VolatileCache_replaceIf

#define arginfo_class_Larder_Pool_deleteIf arginfo_class_Larder_VolatileCache_deleteIf

#define arginfo_class_Larder_Pool_compareAndSet arginfo_class_Larder_VolatileCache_compareAndSet

#define arginfo_class_Larder_Pool_lock arginfo_class_Larder_VolatileCache_lock

#define arginfo_class_Larder_Pool_unlock arginfo_class_Larder_VolatileCache_has

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Pool_lease, 0, 1, IS_STRING, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE, "10")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Pool_fill, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, lease, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Pool_invalidate arginfo_class_Larder_VolatileCache_has

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Pool_begin, 0, 1, IS_STRING, 1)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Pool_prolong, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, token, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Pool_remember arginfo_class_Larder_VolatileCache_remember

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Pool_info, 0, 0, Larder\\PoolInfo, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_PoolInfo___construct arginfo_class_Larder_StaticCacheInfo___construct

#define arginfo_class_Larder_PinnedCache___construct arginfo_class_Larder_StaticCacheInfo___construct

#define arginfo_class_Larder_PinnedCache_get arginfo_class_Larder_VolatileCache_get

#define arginfo_class_Larder_PinnedCache_getMultiple arginfo_class_Larder_VolatileCache_getMultiple

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_PinnedCache_set, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_PinnedCache_setMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_PinnedCache_add arginfo_class_Larder_PinnedCache_set

#define arginfo_class_Larder_PinnedCache_has arginfo_class_Larder_VolatileCache_has

#define arginfo_class_Larder_PinnedCache_delete arginfo_class_Larder_VolatileCache_delete

#define arginfo_class_Larder_PinnedCache_deleteMultiple arginfo_class_Larder_VolatileCache_deleteMultiple

#define arginfo_class_Larder_PinnedCache_clear arginfo_class_Larder_VolatileCache_clear

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_Larder_PinnedCache_increment, 0, 1, MAY_BE_LONG|MAY_BE_FALSE)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, step, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_PinnedCache_decrement arginfo_class_Larder_PinnedCache_increment

#define arginfo_class_Larder_PinnedCache_throttle arginfo_class_Larder_VolatileCache_throttle

#define arginfo_class_Larder_PinnedCache_take arginfo_class_Larder_VolatileCache_get

#define arginfo_class_Larder_PinnedCache_getVersioned arginfo_class_Larder_VolatileCache_getVersioned

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_PinnedCache_replaceIf, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, version, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_PinnedCache_deleteIf arginfo_class_Larder_VolatileCache_deleteIf

#define arginfo_class_Larder_PinnedCache_compareAndSet arginfo_class_Larder_VolatileCache_compareAndSet

#define arginfo_class_Larder_PinnedCache_lock arginfo_class_Larder_VolatileCache_lock

#define arginfo_class_Larder_PinnedCache_unlock arginfo_class_Larder_VolatileCache_has

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_PinnedCache_remember, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, compute, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_PinnedCache_getCacheStoreType arginfo_class_Larder_VolatileCache_getCacheStoreType

#define arginfo_class_Larder_PinnedCache_info arginfo_class_Larder_VolatileCache_info

#define arginfo_class_Larder_PinnedCache_keyInfo arginfo_class_Larder_VolatileCache_keyInfo

#define arginfo_class_Larder_PinnedCache_keys arginfo_class_Larder_VolatileCache_keys


ZEND_FUNCTION(Larder_scope);
ZEND_FUNCTION(Larder_endRequest);
ZEND_FUNCTION(Larder_beginRequest);
ZEND_FUNCTION(Larder_waitWith);
ZEND_METHOD(Larder_StaticCacheInfo, __construct);
ZEND_METHOD(Larder_KeyInfo, __construct);
ZEND_METHOD(Larder_Throttle, __construct);
ZEND_METHOD(Larder_VolatileCache, __construct);
ZEND_METHOD(Larder_VolatileCache, get);
ZEND_METHOD(Larder_VolatileCache, getMultiple);
ZEND_METHOD(Larder_VolatileCache, set);
ZEND_METHOD(Larder_VolatileCache, setMultiple);
ZEND_METHOD(Larder_VolatileCache, add);
ZEND_METHOD(Larder_VolatileCache, has);
ZEND_METHOD(Larder_VolatileCache, delete);
ZEND_METHOD(Larder_VolatileCache, deleteMultiple);
ZEND_METHOD(Larder_VolatileCache, clear);
ZEND_METHOD(Larder_VolatileCache, touch);
ZEND_METHOD(Larder_VolatileCache, increment);
ZEND_METHOD(Larder_VolatileCache, decrement);
ZEND_METHOD(Larder_VolatileCache, throttle);
ZEND_METHOD(Larder_VolatileCache, take);
ZEND_METHOD(Larder_VolatileCache, getVersioned);
ZEND_METHOD(Larder_VolatileCache, replaceIf);
ZEND_METHOD(Larder_VolatileCache, deleteIf);
ZEND_METHOD(Larder_VolatileCache, compareAndSet);
ZEND_METHOD(Larder_VolatileCache, lock);
ZEND_METHOD(Larder_VolatileCache, unlock);
ZEND_METHOD(Larder_VolatileCache, remember);
ZEND_METHOD(Larder_VolatileCache, getCacheStoreType);
ZEND_METHOD(Larder_VolatileCache, info);
ZEND_METHOD(Larder_VolatileCache, keyInfo);
ZEND_METHOD(Larder_VolatileCache, keys);
ZEND_METHOD(Larder_VolatileCache, pool);
ZEND_METHOD(Larder_Pool, __construct);
ZEND_METHOD(Larder_Pool, name);
ZEND_METHOD(Larder_Pool, get);
ZEND_METHOD(Larder_Pool, getMultiple);
ZEND_METHOD(Larder_Pool, set);
ZEND_METHOD(Larder_Pool, setMultiple);
ZEND_METHOD(Larder_Pool, add);
ZEND_METHOD(Larder_Pool, has);
ZEND_METHOD(Larder_Pool, delete);
ZEND_METHOD(Larder_Pool, deleteMultiple);
ZEND_METHOD(Larder_Pool, clear);
ZEND_METHOD(Larder_Pool, keyInfo);
ZEND_METHOD(Larder_Pool, touch);
ZEND_METHOD(Larder_Pool, increment);
ZEND_METHOD(Larder_Pool, decrement);
ZEND_METHOD(Larder_Pool, throttle);
ZEND_METHOD(Larder_Pool, take);
ZEND_METHOD(Larder_Pool, getVersioned);
ZEND_METHOD(Larder_Pool, replaceIf);
ZEND_METHOD(Larder_Pool, deleteIf);
ZEND_METHOD(Larder_Pool, compareAndSet);
ZEND_METHOD(Larder_Pool, lock);
ZEND_METHOD(Larder_Pool, unlock);
ZEND_METHOD(Larder_Pool, lease);
ZEND_METHOD(Larder_Pool, fill);
ZEND_METHOD(Larder_Pool, invalidate);
ZEND_METHOD(Larder_Pool, begin);
ZEND_METHOD(Larder_Pool, prolong);
ZEND_METHOD(Larder_Pool, remember);
ZEND_METHOD(Larder_Pool, info);
ZEND_METHOD(Larder_PoolInfo, __construct);
ZEND_METHOD(Larder_PinnedCache, __construct);
ZEND_METHOD(Larder_PinnedCache, get);
ZEND_METHOD(Larder_PinnedCache, getMultiple);
ZEND_METHOD(Larder_PinnedCache, set);
ZEND_METHOD(Larder_PinnedCache, setMultiple);
ZEND_METHOD(Larder_PinnedCache, add);
ZEND_METHOD(Larder_PinnedCache, has);
ZEND_METHOD(Larder_PinnedCache, delete);
ZEND_METHOD(Larder_PinnedCache, deleteMultiple);
ZEND_METHOD(Larder_PinnedCache, clear);
ZEND_METHOD(Larder_PinnedCache, increment);
ZEND_METHOD(Larder_PinnedCache, decrement);
ZEND_METHOD(Larder_PinnedCache, throttle);
ZEND_METHOD(Larder_PinnedCache, take);
ZEND_METHOD(Larder_PinnedCache, getVersioned);
ZEND_METHOD(Larder_PinnedCache, replaceIf);
ZEND_METHOD(Larder_PinnedCache, deleteIf);
ZEND_METHOD(Larder_PinnedCache, compareAndSet);
ZEND_METHOD(Larder_PinnedCache, lock);
ZEND_METHOD(Larder_PinnedCache, unlock);
ZEND_METHOD(Larder_PinnedCache, remember);
ZEND_METHOD(Larder_PinnedCache, getCacheStoreType);
ZEND_METHOD(Larder_PinnedCache, info);
ZEND_METHOD(Larder_PinnedCache, keyInfo);
ZEND_METHOD(Larder_PinnedCache, keys);


static const zend_function_entry ext_functions[] = {
	ZEND_NS_FALIAS("Larder", scope, Larder_scope, arginfo_Larder_scope)
	ZEND_NS_FALIAS("Larder", endRequest, Larder_endRequest, arginfo_Larder_endRequest)
	ZEND_NS_FALIAS("Larder", beginRequest, Larder_beginRequest, arginfo_Larder_beginRequest)
	ZEND_NS_FALIAS("Larder", waitWith, Larder_waitWith, arginfo_Larder_waitWith)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_CacheStoreType_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Larder_StaticCacheException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Larder_StaticCacheInfo_methods[] = {
	ZEND_ME(Larder_StaticCacheInfo, __construct, arginfo_class_Larder_StaticCacheInfo___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_KeyInfo_methods[] = {
	ZEND_ME(Larder_KeyInfo, __construct, arginfo_class_Larder_KeyInfo___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_Throttle_methods[] = {
	ZEND_ME(Larder_Throttle, __construct, arginfo_class_Larder_Throttle___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_VolatileCache_methods[] = {
	ZEND_ME(Larder_VolatileCache, __construct, arginfo_class_Larder_VolatileCache___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_VolatileCache, get, arginfo_class_Larder_VolatileCache_get, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, getMultiple, arginfo_class_Larder_VolatileCache_getMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, set, arginfo_class_Larder_VolatileCache_set, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, setMultiple, arginfo_class_Larder_VolatileCache_setMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, add, arginfo_class_Larder_VolatileCache_add, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, has, arginfo_class_Larder_VolatileCache_has, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, delete, arginfo_class_Larder_VolatileCache_delete, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, deleteMultiple, arginfo_class_Larder_VolatileCache_deleteMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, clear, arginfo_class_Larder_VolatileCache_clear, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, touch, arginfo_class_Larder_VolatileCache_touch, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, increment, arginfo_class_Larder_VolatileCache_increment, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, decrement, arginfo_class_Larder_VolatileCache_decrement, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, throttle, arginfo_class_Larder_VolatileCache_throttle, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, take, arginfo_class_Larder_VolatileCache_take, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, getVersioned, arginfo_class_Larder_VolatileCache_getVersioned, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, replaceIf, arginfo_class_Larder_VolatileCache_replaceIf, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, deleteIf, arginfo_class_Larder_VolatileCache_deleteIf, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, compareAndSet, arginfo_class_Larder_VolatileCache_compareAndSet, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, lock, arginfo_class_Larder_VolatileCache_lock, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, unlock, arginfo_class_Larder_VolatileCache_unlock, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, remember, arginfo_class_Larder_VolatileCache_remember, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, getCacheStoreType, arginfo_class_Larder_VolatileCache_getCacheStoreType, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, info, arginfo_class_Larder_VolatileCache_info, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, keyInfo, arginfo_class_Larder_VolatileCache_keyInfo, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, keys, arginfo_class_Larder_VolatileCache_keys, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_VolatileCache, pool, arginfo_class_Larder_VolatileCache_pool, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_Pool_methods[] = {
	ZEND_ME(Larder_Pool, __construct, arginfo_class_Larder_Pool___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_Pool, name, arginfo_class_Larder_Pool_name, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, get, arginfo_class_Larder_Pool_get, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, getMultiple, arginfo_class_Larder_Pool_getMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, set, arginfo_class_Larder_Pool_set, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, setMultiple, arginfo_class_Larder_Pool_setMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, add, arginfo_class_Larder_Pool_add, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, has, arginfo_class_Larder_Pool_has, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, delete, arginfo_class_Larder_Pool_delete, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, deleteMultiple, arginfo_class_Larder_Pool_deleteMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, clear, arginfo_class_Larder_Pool_clear, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, keyInfo, arginfo_class_Larder_Pool_keyInfo, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, touch, arginfo_class_Larder_Pool_touch, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, increment, arginfo_class_Larder_Pool_increment, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, decrement, arginfo_class_Larder_Pool_decrement, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, throttle, arginfo_class_Larder_Pool_throttle, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, take, arginfo_class_Larder_Pool_take, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, getVersioned, arginfo_class_Larder_Pool_getVersioned, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, replaceIf, arginfo_class_Larder_Pool_replaceIf, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, deleteIf, arginfo_class_Larder_Pool_deleteIf, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, compareAndSet, arginfo_class_Larder_Pool_compareAndSet, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, lock, arginfo_class_Larder_Pool_lock, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, unlock, arginfo_class_Larder_Pool_unlock, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, lease, arginfo_class_Larder_Pool_lease, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, fill, arginfo_class_Larder_Pool_fill, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, invalidate, arginfo_class_Larder_Pool_invalidate, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, begin, arginfo_class_Larder_Pool_begin, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, prolong, arginfo_class_Larder_Pool_prolong, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, remember, arginfo_class_Larder_Pool_remember, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Pool, info, arginfo_class_Larder_Pool_info, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_PoolInfo_methods[] = {
	ZEND_ME(Larder_PoolInfo, __construct, arginfo_class_Larder_PoolInfo___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_PinnedCache_methods[] = {
	ZEND_ME(Larder_PinnedCache, __construct, arginfo_class_Larder_PinnedCache___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_PinnedCache, get, arginfo_class_Larder_PinnedCache_get, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, getMultiple, arginfo_class_Larder_PinnedCache_getMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, set, arginfo_class_Larder_PinnedCache_set, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, setMultiple, arginfo_class_Larder_PinnedCache_setMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, add, arginfo_class_Larder_PinnedCache_add, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, has, arginfo_class_Larder_PinnedCache_has, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, delete, arginfo_class_Larder_PinnedCache_delete, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, deleteMultiple, arginfo_class_Larder_PinnedCache_deleteMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, clear, arginfo_class_Larder_PinnedCache_clear, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, increment, arginfo_class_Larder_PinnedCache_increment, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, decrement, arginfo_class_Larder_PinnedCache_decrement, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, throttle, arginfo_class_Larder_PinnedCache_throttle, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, take, arginfo_class_Larder_PinnedCache_take, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, getVersioned, arginfo_class_Larder_PinnedCache_getVersioned, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, replaceIf, arginfo_class_Larder_PinnedCache_replaceIf, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, deleteIf, arginfo_class_Larder_PinnedCache_deleteIf, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, compareAndSet, arginfo_class_Larder_PinnedCache_compareAndSet, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, lock, arginfo_class_Larder_PinnedCache_lock, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, unlock, arginfo_class_Larder_PinnedCache_unlock, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, remember, arginfo_class_Larder_PinnedCache_remember, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, getCacheStoreType, arginfo_class_Larder_PinnedCache_getCacheStoreType, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, info, arginfo_class_Larder_PinnedCache_info, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, keyInfo, arginfo_class_Larder_PinnedCache_keyInfo, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_PinnedCache, keys, arginfo_class_Larder_PinnedCache_keys, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_Larder_CacheStoreType(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Larder\\CacheStoreType", IS_UNDEF, class_Larder_CacheStoreType_methods);

	zend_enum_add_case_cstr(class_entry, "NotFound", NULL);

	zend_enum_add_case_cstr(class_entry, "Scalar", NULL);

	zend_enum_add_case_cstr(class_entry, "SharedGraph", NULL);

	zend_enum_add_case_cstr(class_entry, "Resident", NULL);

	zend_enum_add_case_cstr(class_entry, "OPcacheSerialized", NULL);

	zend_enum_add_case_cstr(class_entry, "PHPSerialized", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Larder_StaticCacheException(zend_class_entry *class_entry_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "StaticCacheException", class_Larder_StaticCacheException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Larder_StaticCacheInfo(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "StaticCacheInfo", class_Larder_StaticCacheInfo_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	zval property_enabled_default_value;
	ZVAL_UNDEF(&property_enabled_default_value);
	zend_string *property_enabled_name = zend_string_init("enabled", sizeof("enabled") - 1, 1);
	zend_declare_typed_property(class_entry, property_enabled_name, &property_enabled_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_enabled_name);

	zval property_available_default_value;
	ZVAL_UNDEF(&property_available_default_value);
	zend_string *property_available_name = zend_string_init("available", sizeof("available") - 1, 1);
	zend_declare_typed_property(class_entry, property_available_name, &property_available_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_available_name);

	zval property_startup_failed_default_value;
	ZVAL_UNDEF(&property_startup_failed_default_value);
	zend_string *property_startup_failed_name = zend_string_init("startup_failed", sizeof("startup_failed") - 1, 1);
	zend_declare_typed_property(class_entry, property_startup_failed_name, &property_startup_failed_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_startup_failed_name);

	zval property_backend_initialized_default_value;
	ZVAL_UNDEF(&property_backend_initialized_default_value);
	zend_string *property_backend_initialized_name = zend_string_init("backend_initialized", sizeof("backend_initialized") - 1, 1);
	zend_declare_typed_property(class_entry, property_backend_initialized_name, &property_backend_initialized_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_backend_initialized_name);

	zval property_configured_memory_default_value;
	ZVAL_UNDEF(&property_configured_memory_default_value);
	zend_string *property_configured_memory_name = zend_string_init("configured_memory", sizeof("configured_memory") - 1, 1);
	zend_declare_typed_property(class_entry, property_configured_memory_name, &property_configured_memory_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_configured_memory_name);

	zval property_shared_memory_default_value;
	ZVAL_UNDEF(&property_shared_memory_default_value);
	zend_string *property_shared_memory_name = zend_string_init("shared_memory", sizeof("shared_memory") - 1, 1);
	zend_declare_typed_property(class_entry, property_shared_memory_name, &property_shared_memory_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_shared_memory_name);

	zval property_entry_count_default_value;
	ZVAL_UNDEF(&property_entry_count_default_value);
	zend_string *property_entry_count_name = zend_string_init("entry_count", sizeof("entry_count") - 1, 1);
	zend_declare_typed_property(class_entry, property_entry_count_name, &property_entry_count_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_entry_count_name);

	zval property_segment_count_default_value;
	ZVAL_UNDEF(&property_segment_count_default_value);
	zend_string *property_segment_count_name = zend_string_init("segment_count", sizeof("segment_count") - 1, 1);
	zend_declare_typed_property(class_entry, property_segment_count_name, &property_segment_count_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_segment_count_name);

	zval property_shared_model_default_value;
	ZVAL_UNDEF(&property_shared_model_default_value);
	zend_string *property_shared_model_name = zend_string_init("shared_model", sizeof("shared_model") - 1, 1);
	zend_declare_typed_property(class_entry, property_shared_model_name, &property_shared_model_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_shared_model_name);

	zval property_failure_reason_default_value;
	ZVAL_UNDEF(&property_failure_reason_default_value);
	zend_string *property_failure_reason_name = zend_string_init("failure_reason", sizeof("failure_reason") - 1, 1);
	zend_declare_typed_property(class_entry, property_failure_reason_name, &property_failure_reason_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_failure_reason_name);

	zval property_used_memory_default_value;
	ZVAL_UNDEF(&property_used_memory_default_value);
	zend_string *property_used_memory_name = zend_string_init("used_memory", sizeof("used_memory") - 1, 1);
	zend_declare_typed_property(class_entry, property_used_memory_name, &property_used_memory_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_used_memory_name);

	zval property_entry_limit_default_value;
	ZVAL_UNDEF(&property_entry_limit_default_value);
	zend_string *property_entry_limit_name = zend_string_init("entry_limit", sizeof("entry_limit") - 1, 1);
	zend_declare_typed_property(class_entry, property_entry_limit_name, &property_entry_limit_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_entry_limit_name);

	zval property_value_limit_default_value;
	ZVAL_UNDEF(&property_value_limit_default_value);
	zend_string *property_value_limit_name = zend_string_init("value_limit", sizeof("value_limit") - 1, 1);
	zend_declare_typed_property(class_entry, property_value_limit_name, &property_value_limit_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_value_limit_name);

	zval property_hits_default_value;
	ZVAL_UNDEF(&property_hits_default_value);
	zend_string *property_hits_name = zend_string_init("hits", sizeof("hits") - 1, 1);
	zend_declare_typed_property(class_entry, property_hits_name, &property_hits_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_hits_name);

	zval property_misses_default_value;
	ZVAL_UNDEF(&property_misses_default_value);
	zend_string *property_misses_name = zend_string_init("misses", sizeof("misses") - 1, 1);
	zend_declare_typed_property(class_entry, property_misses_name, &property_misses_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_misses_name);

	zval property_evictions_default_value;
	ZVAL_UNDEF(&property_evictions_default_value);
	zend_string *property_evictions_name = zend_string_init("evictions", sizeof("evictions") - 1, 1);
	zend_declare_typed_property(class_entry, property_evictions_name, &property_evictions_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_evictions_name);

	zval property_expirations_default_value;
	ZVAL_UNDEF(&property_expirations_default_value);
	zend_string *property_expirations_name = zend_string_init("expirations", sizeof("expirations") - 1, 1);
	zend_declare_typed_property(class_entry, property_expirations_name, &property_expirations_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_expirations_name);

	zval property_refusals_default_value;
	ZVAL_UNDEF(&property_refusals_default_value);
	zend_string *property_refusals_name = zend_string_init("refusals", sizeof("refusals") - 1, 1);
	zend_declare_typed_property(class_entry, property_refusals_name, &property_refusals_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_refusals_name);

	zval property_copies_default_value;
	ZVAL_UNDEF(&property_copies_default_value);
	zend_string *property_copies_name = zend_string_init("copies", sizeof("copies") - 1, 1);
	zend_declare_typed_property(class_entry, property_copies_name, &property_copies_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_copies_name);

	zval property_recoveries_default_value;
	ZVAL_UNDEF(&property_recoveries_default_value);
	zend_string *property_recoveries_name = zend_string_init("recoveries", sizeof("recoveries") - 1, 1);
	zend_declare_typed_property(class_entry, property_recoveries_name, &property_recoveries_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_recoveries_name);

	zval property_deaths_default_value;
	ZVAL_UNDEF(&property_deaths_default_value);
	zend_string *property_deaths_name = zend_string_init("deaths", sizeof("deaths") - 1, 1);
	zend_declare_typed_property(class_entry, property_deaths_name, &property_deaths_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_deaths_name);

	zval property_refusal_causes_default_value;
	ZVAL_UNDEF(&property_refusal_causes_default_value);
	zend_string *property_refusal_causes_name = zend_string_init("refusal_causes", sizeof("refusal_causes") - 1, 1);
	zend_declare_typed_property(class_entry, property_refusal_causes_name, &property_refusal_causes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_refusal_causes_name);

	return class_entry;
}

static zend_class_entry *register_class_Larder_KeyInfo(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "KeyInfo", class_Larder_KeyInfo_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	zval property_key_default_value;
	ZVAL_UNDEF(&property_key_default_value);
	zend_string *property_key_name = zend_string_init("key", sizeof("key") - 1, 1);
	zend_declare_typed_property(class_entry, property_key_name, &property_key_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_key_name);

	zend_string *property_store_type_class_Larder_CacheStoreType = zend_string_init("Larder\\CacheStoreType", sizeof("Larder\\CacheStoreType")-1, 1);
	zval property_store_type_default_value;
	ZVAL_UNDEF(&property_store_type_default_value);
	zend_string *property_store_type_name = zend_string_init("store_type", sizeof("store_type") - 1, 1);
	zend_declare_typed_property(class_entry, property_store_type_name, &property_store_type_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_store_type_class_Larder_CacheStoreType, 0, 0));
	zend_string_release(property_store_type_name);

	zval property_size_default_value;
	ZVAL_UNDEF(&property_size_default_value);
	zend_string *property_size_name = zend_string_init("size", sizeof("size") - 1, 1);
	zend_declare_typed_property(class_entry, property_size_name, &property_size_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_size_name);

	zval property_ttl_default_value;
	ZVAL_UNDEF(&property_ttl_default_value);
	zend_string *property_ttl_name = zend_string_init("ttl", sizeof("ttl") - 1, 1);
	zend_declare_typed_property(class_entry, property_ttl_name, &property_ttl_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_ttl_name);

	zval property_version_default_value;
	ZVAL_UNDEF(&property_version_default_value);
	zend_string *property_version_name = zend_string_init("version", sizeof("version") - 1, 1);
	zend_declare_typed_property(class_entry, property_version_name, &property_version_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_version_name);

	zval property_form_default_value;
	ZVAL_UNDEF(&property_form_default_value);
	zend_string *property_form_name = zend_string_init("form", sizeof("form") - 1, 1);
	zend_declare_typed_property(class_entry, property_form_name, &property_form_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_form_name);

	zval property_ready_size_default_value;
	ZVAL_UNDEF(&property_ready_size_default_value);
	zend_string *property_ready_size_name = zend_string_init("ready_size", sizeof("ready_size") - 1, 1);
	zend_declare_typed_property(class_entry, property_ready_size_name, &property_ready_size_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_ready_size_name);

	return class_entry;
}

static zend_class_entry *register_class_Larder_Throttle(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "Throttle", class_Larder_Throttle_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	zval property_allowed_default_value;
	ZVAL_UNDEF(&property_allowed_default_value);
	zend_string *property_allowed_name = zend_string_init("allowed", sizeof("allowed") - 1, 1);
	zend_declare_typed_property(class_entry, property_allowed_name, &property_allowed_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_allowed_name);

	zval property_remaining_default_value;
	ZVAL_UNDEF(&property_remaining_default_value);
	zend_string *property_remaining_name = zend_string_init("remaining", sizeof("remaining") - 1, 1);
	zend_declare_typed_property(class_entry, property_remaining_name, &property_remaining_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_remaining_name);

	zval property_retryAfter_default_value;
	ZVAL_UNDEF(&property_retryAfter_default_value);
	zend_string *property_retryAfter_name = zend_string_init("retryAfter", sizeof("retryAfter") - 1, 1);
	zend_declare_typed_property(class_entry, property_retryAfter_name, &property_retryAfter_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_retryAfter_name);

	zval property_resetAfter_default_value;
	ZVAL_UNDEF(&property_resetAfter_default_value);
	zend_string *property_resetAfter_name = zend_string_init("resetAfter", sizeof("resetAfter") - 1, 1);
	zend_declare_typed_property(class_entry, property_resetAfter_name, &property_resetAfter_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_resetAfter_name);

	return class_entry;
}

static zend_class_entry *register_class_Larder_VolatileCache(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "VolatileCache", class_Larder_VolatileCache_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	return class_entry;
}

static zend_class_entry *register_class_Larder_Pool(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "Pool", class_Larder_Pool_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Larder_PoolInfo(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "PoolInfo", class_Larder_PoolInfo_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_name_name);

	zval property_entry_count_default_value;
	ZVAL_UNDEF(&property_entry_count_default_value);
	zend_string *property_entry_count_name = zend_string_init("entry_count", sizeof("entry_count") - 1, 1);
	zend_declare_typed_property(class_entry, property_entry_count_name, &property_entry_count_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_entry_count_name);

	zval property_used_memory_default_value;
	ZVAL_UNDEF(&property_used_memory_default_value);
	zend_string *property_used_memory_name = zend_string_init("used_memory", sizeof("used_memory") - 1, 1);
	zend_declare_typed_property(class_entry, property_used_memory_name, &property_used_memory_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_used_memory_name);

	zval property_hits_default_value;
	ZVAL_UNDEF(&property_hits_default_value);
	zend_string *property_hits_name = zend_string_init("hits", sizeof("hits") - 1, 1);
	zend_declare_typed_property(class_entry, property_hits_name, &property_hits_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_hits_name);

	zval property_misses_default_value;
	ZVAL_UNDEF(&property_misses_default_value);
	zend_string *property_misses_name = zend_string_init("misses", sizeof("misses") - 1, 1);
	zend_declare_typed_property(class_entry, property_misses_name, &property_misses_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_misses_name);

	zval property_stores_default_value;
	ZVAL_UNDEF(&property_stores_default_value);
	zend_string *property_stores_name = zend_string_init("stores", sizeof("stores") - 1, 1);
	zend_declare_typed_property(class_entry, property_stores_name, &property_stores_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_stores_name);

	return class_entry;
}

static zend_class_entry *register_class_Larder_PinnedCache(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "PinnedCache", class_Larder_PinnedCache_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	return class_entry;
}
