/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 43c33f99594c3d649aee3ae33683f87d25d48b82 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_UserCache_CacheStatus___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_UserCache_CacheStatus_getAvailability, 0, 0, UserCache\\CacheAvailability, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_CacheStatus_getConfiguredMemory, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_UserCache_CacheStatus_getSharedMemorySize arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getUsedMemory arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getFreeMemory arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getWastedMemory arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getEntryCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getEntryCapacity arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getTombstoneCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getExpungeCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getEvictionCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getStoreFailureCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getGraphPinSlotsInUse arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getGraphPinnedReferences arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getDeadPinOwnersReclaimed arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getDeadPinsStripped arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getHitCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getMissCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CacheStatus_getInternedKeyCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CachePoolStatus___construct arginfo_class_UserCache_CacheStatus___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_CachePoolStatus_getPoolName, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_UserCache_CachePoolStatus_getEntryCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_CachePoolStatus_getEntryKeys, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_UserCache_CachePoolStatus_getUsedMemory arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CachePoolStatus_getHitCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

#define arginfo_class_UserCache_CachePoolStatus_getMissCount arginfo_class_UserCache_CacheStatus_getConfiguredMemory

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_hasPool, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, pool, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_UserCache_Cache_getPool, 0, 1, UserCache\\Cache, 0)
	ZEND_ARG_TYPE_INFO(0, pool, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_UserCache_Cache_deletePool arginfo_class_UserCache_Cache_hasPool

#define arginfo_class_UserCache_Cache_getPools arginfo_class_UserCache_CachePoolStatus_getEntryKeys

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_UserCache_Cache_getStatus, 0, 0, UserCache\\CacheStatus, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_UserCache_Cache___construct arginfo_class_UserCache_CacheStatus___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_store, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_UserCache_Cache_add arginfo_class_UserCache_Cache_store

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_storeMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_increment, 0, 1, IS_LONG, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, step, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_UserCache_Cache_decrement arginfo_class_UserCache_Cache_increment

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_fetch, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_fetchMultiple, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_delete, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_deleteMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_clear, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_UserCache_Cache_has arginfo_class_UserCache_Cache_delete

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_lock, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, lease, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_UserCache_Cache_unlock arginfo_class_UserCache_Cache_delete

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_UserCache_Cache_remember, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, callback, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_UserCache_Cache_getPoolStatus, 0, 0, UserCache\\CachePoolStatus, 0)
ZEND_END_ARG_INFO()


ZEND_METHOD(UserCache_CacheStatus, __construct);
ZEND_METHOD(UserCache_CacheStatus, getAvailability);
ZEND_METHOD(UserCache_CacheStatus, getConfiguredMemory);
ZEND_METHOD(UserCache_CacheStatus, getSharedMemorySize);
ZEND_METHOD(UserCache_CacheStatus, getUsedMemory);
ZEND_METHOD(UserCache_CacheStatus, getFreeMemory);
ZEND_METHOD(UserCache_CacheStatus, getWastedMemory);
ZEND_METHOD(UserCache_CacheStatus, getEntryCount);
ZEND_METHOD(UserCache_CacheStatus, getEntryCapacity);
ZEND_METHOD(UserCache_CacheStatus, getExpungeCount);
ZEND_METHOD(UserCache_CacheStatus, getEvictionCount);
ZEND_METHOD(UserCache_CacheStatus, getStoreFailureCount);
ZEND_METHOD(UserCache_CacheStatus, getGraphPinSlotsInUse);
ZEND_METHOD(UserCache_CacheStatus, getDeadPinOwnersReclaimed);
ZEND_METHOD(UserCache_CacheStatus, getHitCount);
ZEND_METHOD(UserCache_CacheStatus, getMissCount);
ZEND_METHOD(UserCache_CachePoolStatus, __construct);
ZEND_METHOD(UserCache_CachePoolStatus, getPoolName);
ZEND_METHOD(UserCache_CachePoolStatus, getEntryCount);
ZEND_METHOD(UserCache_CachePoolStatus, getEntryKeys);
ZEND_METHOD(UserCache_CachePoolStatus, getUsedMemory);
ZEND_METHOD(UserCache_CachePoolStatus, getHitCount);
ZEND_METHOD(UserCache_CachePoolStatus, getMissCount);
ZEND_METHOD(UserCache_Cache, hasPool);
ZEND_METHOD(UserCache_Cache, getPool);
ZEND_METHOD(UserCache_Cache, deletePool);
ZEND_METHOD(UserCache_Cache, getPools);
ZEND_METHOD(UserCache_Cache, getStatus);
ZEND_METHOD(UserCache_Cache, __construct);
ZEND_METHOD(Larder_Pool, set);
ZEND_METHOD(Larder_Pool, add);
ZEND_METHOD(Larder_Pool, setMultiple);
ZEND_METHOD(UserCache_Cache, increment);
ZEND_METHOD(UserCache_Cache, decrement);
ZEND_METHOD(Larder_Pool, get);
ZEND_METHOD(UserCache_Cache, fetchMultiple);
ZEND_METHOD(UserCache_Cache, delete);
ZEND_METHOD(UserCache_Cache, deleteMultiple);
ZEND_METHOD(UserCache_Cache, clear);
ZEND_METHOD(Larder_Pool, has);
ZEND_METHOD(Larder_Pool, lock);
ZEND_METHOD(Larder_Pool, unlock);
ZEND_METHOD(UserCache_Cache, remember);
ZEND_METHOD(UserCache_Cache, getPoolStatus);


static const zend_function_entry class_UserCache_CacheAvailability_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_UserCache_CacheStatus_methods[] = {
	ZEND_ME(UserCache_CacheStatus, __construct, arginfo_class_UserCache_CacheStatus___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(UserCache_CacheStatus, getAvailability, arginfo_class_UserCache_CacheStatus_getAvailability, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getConfiguredMemory, arginfo_class_UserCache_CacheStatus_getConfiguredMemory, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getSharedMemorySize, arginfo_class_UserCache_CacheStatus_getSharedMemorySize, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getUsedMemory, arginfo_class_UserCache_CacheStatus_getUsedMemory, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getFreeMemory, arginfo_class_UserCache_CacheStatus_getFreeMemory, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getWastedMemory, arginfo_class_UserCache_CacheStatus_getWastedMemory, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getEntryCount, arginfo_class_UserCache_CacheStatus_getEntryCount, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getEntryCapacity, arginfo_class_UserCache_CacheStatus_getEntryCapacity, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(UserCache_CacheStatus, getTombstoneCount, getExpungeCount, arginfo_class_UserCache_CacheStatus_getTombstoneCount, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getExpungeCount, arginfo_class_UserCache_CacheStatus_getExpungeCount, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getEvictionCount, arginfo_class_UserCache_CacheStatus_getEvictionCount, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getStoreFailureCount, arginfo_class_UserCache_CacheStatus_getStoreFailureCount, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getGraphPinSlotsInUse, arginfo_class_UserCache_CacheStatus_getGraphPinSlotsInUse, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(UserCache_CacheStatus, getGraphPinnedReferences, getExpungeCount, arginfo_class_UserCache_CacheStatus_getGraphPinnedReferences, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getDeadPinOwnersReclaimed, arginfo_class_UserCache_CacheStatus_getDeadPinOwnersReclaimed, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(UserCache_CacheStatus, getDeadPinsStripped, getExpungeCount, arginfo_class_UserCache_CacheStatus_getDeadPinsStripped, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getHitCount, arginfo_class_UserCache_CacheStatus_getHitCount, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CacheStatus, getMissCount, arginfo_class_UserCache_CacheStatus_getMissCount, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(UserCache_CacheStatus, getInternedKeyCount, getExpungeCount, arginfo_class_UserCache_CacheStatus_getInternedKeyCount, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_UserCache_CachePoolStatus_methods[] = {
	ZEND_ME(UserCache_CachePoolStatus, __construct, arginfo_class_UserCache_CachePoolStatus___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(UserCache_CachePoolStatus, getPoolName, arginfo_class_UserCache_CachePoolStatus_getPoolName, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CachePoolStatus, getEntryCount, arginfo_class_UserCache_CachePoolStatus_getEntryCount, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CachePoolStatus, getEntryKeys, arginfo_class_UserCache_CachePoolStatus_getEntryKeys, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CachePoolStatus, getUsedMemory, arginfo_class_UserCache_CachePoolStatus_getUsedMemory, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CachePoolStatus, getHitCount, arginfo_class_UserCache_CachePoolStatus_getHitCount, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_CachePoolStatus, getMissCount, arginfo_class_UserCache_CachePoolStatus_getMissCount, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_UserCache_Cache_methods[] = {
	ZEND_ME(UserCache_Cache, hasPool, arginfo_class_UserCache_Cache_hasPool, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(UserCache_Cache, getPool, arginfo_class_UserCache_Cache_getPool, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(UserCache_Cache, deletePool, arginfo_class_UserCache_Cache_deletePool, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(UserCache_Cache, getPools, arginfo_class_UserCache_Cache_getPools, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(UserCache_Cache, getStatus, arginfo_class_UserCache_Cache_getStatus, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(UserCache_Cache, __construct, arginfo_class_UserCache_Cache___construct, ZEND_ACC_PRIVATE)
	ZEND_MALIAS(Larder_Pool, store, set, arginfo_class_UserCache_Cache_store, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Larder_Pool, add, add, arginfo_class_UserCache_Cache_add, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Larder_Pool, storeMultiple, setMultiple, arginfo_class_UserCache_Cache_storeMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_Cache, increment, arginfo_class_UserCache_Cache_increment, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_Cache, decrement, arginfo_class_UserCache_Cache_decrement, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Larder_Pool, fetch, get, arginfo_class_UserCache_Cache_fetch, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_Cache, fetchMultiple, arginfo_class_UserCache_Cache_fetchMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_Cache, delete, arginfo_class_UserCache_Cache_delete, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_Cache, deleteMultiple, arginfo_class_UserCache_Cache_deleteMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_Cache, clear, arginfo_class_UserCache_Cache_clear, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Larder_Pool, has, has, arginfo_class_UserCache_Cache_has, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Larder_Pool, lock, lock, arginfo_class_UserCache_Cache_lock, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Larder_Pool, unlock, unlock, arginfo_class_UserCache_Cache_unlock, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_Cache, remember, arginfo_class_UserCache_Cache_remember, ZEND_ACC_PUBLIC)
	ZEND_ME(UserCache_Cache, getPoolStatus, arginfo_class_UserCache_Cache_getPoolStatus, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_UserCache_CacheAvailability(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("UserCache\\CacheAvailability", IS_UNDEF, class_UserCache_CacheAvailability_methods);

	zend_enum_add_case_cstr(class_entry, "Available", NULL);

	zend_enum_add_case_cstr(class_entry, "DisabledByIni", NULL);

	zend_enum_add_case_cstr(class_entry, "DisabledBySapi", NULL);

	zend_enum_add_case_cstr(class_entry, "UnavailableBySharedMemoryInitializationFailed", NULL);

	zend_enum_add_case_cstr(class_entry, "UnavailableByBackendNotInitializedBeforeWorkerStartup", NULL);

	zend_enum_add_case_cstr(class_entry, "UnavailableByBackendInitializedAfterWorkerStartup", NULL);

	zend_enum_add_case_cstr(class_entry, "UnavailableByCgiFastCgiBoundary", NULL);

	zend_enum_add_case_cstr(class_entry, "UnavailableByApacheBoundary", NULL);

	zend_enum_add_case_cstr(class_entry, "UnavailableByLsapiBoundary", NULL);

	zend_enum_add_case_cstr(class_entry, "UnavailableByUnknownReason", NULL);

	return class_entry;
}

static zend_class_entry *register_class_UserCache_CacheStatus(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "UserCache", "CacheStatus", class_UserCache_CacheStatus_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zend_string *property_availability_class_UserCache_CacheAvailability = zend_string_init("UserCache\\CacheAvailability", sizeof("UserCache\\CacheAvailability")-1, 1);
	zval property_availability_default_value;
	ZVAL_UNDEF(&property_availability_default_value);
	zend_string *property_availability_name = zend_string_init("availability", sizeof("availability") - 1, 1);
	zend_declare_typed_property(class_entry, property_availability_name, &property_availability_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_availability_class_UserCache_CacheAvailability, 0, 0));
	zend_string_release(property_availability_name);

	zval property_configuredMemory_default_value;
	ZVAL_UNDEF(&property_configuredMemory_default_value);
	zend_string *property_configuredMemory_name = zend_string_init("configuredMemory", sizeof("configuredMemory") - 1, 1);
	zend_declare_typed_property(class_entry, property_configuredMemory_name, &property_configuredMemory_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_configuredMemory_name);

	zval property_sharedMemorySize_default_value;
	ZVAL_UNDEF(&property_sharedMemorySize_default_value);
	zend_string *property_sharedMemorySize_name = zend_string_init("sharedMemorySize", sizeof("sharedMemorySize") - 1, 1);
	zend_declare_typed_property(class_entry, property_sharedMemorySize_name, &property_sharedMemorySize_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_sharedMemorySize_name);

	zval property_usedMemory_default_value;
	ZVAL_UNDEF(&property_usedMemory_default_value);
	zend_string *property_usedMemory_name = zend_string_init("usedMemory", sizeof("usedMemory") - 1, 1);
	zend_declare_typed_property(class_entry, property_usedMemory_name, &property_usedMemory_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_usedMemory_name);

	zval property_freeMemory_default_value;
	ZVAL_UNDEF(&property_freeMemory_default_value);
	zend_string *property_freeMemory_name = zend_string_init("freeMemory", sizeof("freeMemory") - 1, 1);
	zend_declare_typed_property(class_entry, property_freeMemory_name, &property_freeMemory_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_freeMemory_name);

	zval property_wastedMemory_default_value;
	ZVAL_UNDEF(&property_wastedMemory_default_value);
	zend_string *property_wastedMemory_name = zend_string_init("wastedMemory", sizeof("wastedMemory") - 1, 1);
	zend_declare_typed_property(class_entry, property_wastedMemory_name, &property_wastedMemory_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_wastedMemory_name);

	zval property_entryCount_default_value;
	ZVAL_UNDEF(&property_entryCount_default_value);
	zend_string *property_entryCount_name = zend_string_init("entryCount", sizeof("entryCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_entryCount_name, &property_entryCount_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_entryCount_name);

	zval property_entryCapacity_default_value;
	ZVAL_UNDEF(&property_entryCapacity_default_value);
	zend_string *property_entryCapacity_name = zend_string_init("entryCapacity", sizeof("entryCapacity") - 1, 1);
	zend_declare_typed_property(class_entry, property_entryCapacity_name, &property_entryCapacity_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_entryCapacity_name);

	zval property_evictionCount_default_value;
	ZVAL_UNDEF(&property_evictionCount_default_value);
	zend_string *property_evictionCount_name = zend_string_init("evictionCount", sizeof("evictionCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_evictionCount_name, &property_evictionCount_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_evictionCount_name);

	zval property_storeFailureCount_default_value;
	ZVAL_UNDEF(&property_storeFailureCount_default_value);
	zend_string *property_storeFailureCount_name = zend_string_init("storeFailureCount", sizeof("storeFailureCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_storeFailureCount_name, &property_storeFailureCount_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_storeFailureCount_name);

	zval property_slotsInUse_default_value;
	ZVAL_UNDEF(&property_slotsInUse_default_value);
	zend_string *property_slotsInUse_name = zend_string_init("slotsInUse", sizeof("slotsInUse") - 1, 1);
	zend_declare_typed_property(class_entry, property_slotsInUse_name, &property_slotsInUse_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_slotsInUse_name);

	zval property_deadSlotsReclaimed_default_value;
	ZVAL_UNDEF(&property_deadSlotsReclaimed_default_value);
	zend_string *property_deadSlotsReclaimed_name = zend_string_init("deadSlotsReclaimed", sizeof("deadSlotsReclaimed") - 1, 1);
	zend_declare_typed_property(class_entry, property_deadSlotsReclaimed_name, &property_deadSlotsReclaimed_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_deadSlotsReclaimed_name);

	zval property_hitCount_default_value;
	ZVAL_UNDEF(&property_hitCount_default_value);
	zend_string *property_hitCount_name = zend_string_init("hitCount", sizeof("hitCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_hitCount_name, &property_hitCount_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_hitCount_name);

	zval property_missCount_default_value;
	ZVAL_UNDEF(&property_missCount_default_value);
	zend_string *property_missCount_name = zend_string_init("missCount", sizeof("missCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_missCount_name, &property_missCount_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_missCount_name);

	zval property_none_default_value;
	ZVAL_UNDEF(&property_none_default_value);
	zend_string *property_none_name = zend_string_init("none", sizeof("none") - 1, 1);
	zend_declare_typed_property(class_entry, property_none_name, &property_none_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_none_name);

	return class_entry;
}

static zend_class_entry *register_class_UserCache_CachePoolStatus(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "UserCache", "CachePoolStatus", class_UserCache_CachePoolStatus_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_poolName_default_value;
	ZVAL_UNDEF(&property_poolName_default_value);
	zend_string *property_poolName_name = zend_string_init("poolName", sizeof("poolName") - 1, 1);
	zend_declare_typed_property(class_entry, property_poolName_name, &property_poolName_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_poolName_name);

	zval property_entryCount_default_value;
	ZVAL_UNDEF(&property_entryCount_default_value);
	zend_string *property_entryCount_name = zend_string_init("entryCount", sizeof("entryCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_entryCount_name, &property_entryCount_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_entryCount_name);

	zval property_entryKeys_default_value;
	ZVAL_UNDEF(&property_entryKeys_default_value);
	zend_string *property_entryKeys_name = zend_string_init("entryKeys", sizeof("entryKeys") - 1, 1);
	zend_declare_typed_property(class_entry, property_entryKeys_name, &property_entryKeys_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_entryKeys_name);

	zval property_usedMemory_default_value;
	ZVAL_UNDEF(&property_usedMemory_default_value);
	zend_string *property_usedMemory_name = zend_string_init("usedMemory", sizeof("usedMemory") - 1, 1);
	zend_declare_typed_property(class_entry, property_usedMemory_name, &property_usedMemory_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_usedMemory_name);

	zval property_hitCount_default_value;
	ZVAL_UNDEF(&property_hitCount_default_value);
	zend_string *property_hitCount_name = zend_string_init("hitCount", sizeof("hitCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_hitCount_name, &property_hitCount_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_hitCount_name);

	zval property_missCount_default_value;
	ZVAL_UNDEF(&property_missCount_default_value);
	zend_string *property_missCount_name = zend_string_init("missCount", sizeof("missCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_missCount_name, &property_missCount_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_missCount_name);

	return class_entry;
}

static zend_class_entry *register_class_UserCache_Cache(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "UserCache", "Cache", class_UserCache_Cache_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_pools_default_value;
	ZVAL_EMPTY_ARRAY(&property_pools_default_value);
	zend_string *property_pools_name = zend_string_init("pools", sizeof("pools") - 1, 1);
	zend_declare_typed_property(class_entry, property_pools_name, &property_pools_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_STATIC, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_pools_name);

	return class_entry;
}
