/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: d20b5b3be60e2b68ba4e390df435f6859cced56a */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_OPcache_StaticCacheInfo___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OPcache_VolatileCache___construct arginfo_class_OPcache_StaticCacheInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_VolatileCache_get, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_OPcache_VolatileCache_getMultiple, 0, 1, MAY_BE_ARRAY|MAY_BE_FALSE)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_ARRAY, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_VolatileCache_set, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_VolatileCache_setMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_VolatileCache_has, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_VolatileCache_delete, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key_or_class, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_VolatileCache_deleteMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_VolatileCache_clear, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_VolatileCache_lock, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, lease, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_OPcache_VolatileCache_unlock arginfo_class_OPcache_VolatileCache_has

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OPcache_VolatileCache_getCacheStoreType, 0, 1, OPcache\\CacheStoreType, 0)
	ZEND_ARG_TYPE_INFO(0, key_or_property, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, class_name, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OPcache_VolatileCache_info, 0, 0, OPcache\\StaticCacheInfo, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OPcache_PinnedCache___construct arginfo_class_OPcache_StaticCacheInfo___construct

#define arginfo_class_OPcache_PinnedCache_get arginfo_class_OPcache_VolatileCache_get

#define arginfo_class_OPcache_PinnedCache_getMultiple arginfo_class_OPcache_VolatileCache_getMultiple

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_PinnedCache_set, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OPcache_PinnedCache_setMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OPcache_PinnedCache_has arginfo_class_OPcache_VolatileCache_has

#define arginfo_class_OPcache_PinnedCache_delete arginfo_class_OPcache_VolatileCache_delete

#define arginfo_class_OPcache_PinnedCache_deleteMultiple arginfo_class_OPcache_VolatileCache_deleteMultiple

#define arginfo_class_OPcache_PinnedCache_clear arginfo_class_OPcache_VolatileCache_clear

#define arginfo_class_OPcache_PinnedCache_lock arginfo_class_OPcache_VolatileCache_lock

#define arginfo_class_OPcache_PinnedCache_unlock arginfo_class_OPcache_VolatileCache_has

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_OPcache_PinnedCache_increment, 0, 1, MAY_BE_LONG|MAY_BE_FALSE)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, step, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

#define arginfo_class_OPcache_PinnedCache_decrement arginfo_class_OPcache_PinnedCache_increment

#define arginfo_class_OPcache_PinnedCache_getCacheStoreType arginfo_class_OPcache_VolatileCache_getCacheStoreType

#define arginfo_class_OPcache_PinnedCache_info arginfo_class_OPcache_VolatileCache_info


ZEND_METHOD(Larder_StaticCacheInfo, __construct);
ZEND_METHOD(Larder_VolatileCache, __construct);
ZEND_METHOD(Larder_VolatileCache, get);
ZEND_METHOD(Larder_VolatileCache, getMultiple);
ZEND_METHOD(Larder_VolatileCache, set);
ZEND_METHOD(Larder_VolatileCache, setMultiple);
ZEND_METHOD(Larder_VolatileCache, has);
ZEND_METHOD(Larder_VolatileCache, delete);
ZEND_METHOD(Larder_VolatileCache, deleteMultiple);
ZEND_METHOD(Larder_VolatileCache, clear);
ZEND_METHOD(Larder_VolatileCache, lock);
ZEND_METHOD(Larder_VolatileCache, unlock);
ZEND_METHOD(OPcache_VolatileCache, getCacheStoreType);
ZEND_METHOD(OPcache_VolatileCache, info);
ZEND_METHOD(Larder_PinnedCache, __construct);
ZEND_METHOD(Larder_PinnedCache, get);
ZEND_METHOD(Larder_PinnedCache, getMultiple);
ZEND_METHOD(Larder_PinnedCache, set);
ZEND_METHOD(Larder_PinnedCache, setMultiple);
ZEND_METHOD(Larder_PinnedCache, has);
ZEND_METHOD(Larder_PinnedCache, delete);
ZEND_METHOD(Larder_PinnedCache, deleteMultiple);
ZEND_METHOD(Larder_PinnedCache, clear);
ZEND_METHOD(Larder_PinnedCache, lock);
ZEND_METHOD(Larder_PinnedCache, unlock);
ZEND_METHOD(Larder_PinnedCache, increment);
ZEND_METHOD(Larder_PinnedCache, decrement);
ZEND_METHOD(OPcache_PinnedCache, getCacheStoreType);
ZEND_METHOD(OPcache_PinnedCache, info);


static const zend_function_entry class_OPcache_CacheStoreType_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OPcache_StaticCacheException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OPcache_StaticCacheInfo_methods[] = {
	ZEND_MALIAS(Larder_StaticCacheInfo, __construct, __construct, arginfo_class_OPcache_StaticCacheInfo___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_OPcache_VolatileCache_methods[] = {
	ZEND_MALIAS(Larder_VolatileCache, __construct, __construct, arginfo_class_OPcache_VolatileCache___construct, ZEND_ACC_PRIVATE)
	ZEND_MALIAS(Larder_VolatileCache, get, get, arginfo_class_OPcache_VolatileCache_get, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_VolatileCache, getMultiple, getMultiple, arginfo_class_OPcache_VolatileCache_getMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_VolatileCache, set, set, arginfo_class_OPcache_VolatileCache_set, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_VolatileCache, setMultiple, setMultiple, arginfo_class_OPcache_VolatileCache_setMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_VolatileCache, has, has, arginfo_class_OPcache_VolatileCache_has, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_VolatileCache, delete, delete, arginfo_class_OPcache_VolatileCache_delete, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_VolatileCache, deleteMultiple, deleteMultiple, arginfo_class_OPcache_VolatileCache_deleteMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_VolatileCache, clear, clear, arginfo_class_OPcache_VolatileCache_clear, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_VolatileCache, lock, lock, arginfo_class_OPcache_VolatileCache_lock, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_VolatileCache, unlock, unlock, arginfo_class_OPcache_VolatileCache_unlock, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OPcache_VolatileCache, getCacheStoreType, arginfo_class_OPcache_VolatileCache_getCacheStoreType, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OPcache_VolatileCache, info, arginfo_class_OPcache_VolatileCache_info, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_OPcache_PinnedCache_methods[] = {
	ZEND_MALIAS(Larder_PinnedCache, __construct, __construct, arginfo_class_OPcache_PinnedCache___construct, ZEND_ACC_PRIVATE)
	ZEND_MALIAS(Larder_PinnedCache, get, get, arginfo_class_OPcache_PinnedCache_get, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, getMultiple, getMultiple, arginfo_class_OPcache_PinnedCache_getMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, set, set, arginfo_class_OPcache_PinnedCache_set, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, setMultiple, setMultiple, arginfo_class_OPcache_PinnedCache_setMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, has, has, arginfo_class_OPcache_PinnedCache_has, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, delete, delete, arginfo_class_OPcache_PinnedCache_delete, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, deleteMultiple, deleteMultiple, arginfo_class_OPcache_PinnedCache_deleteMultiple, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, clear, clear, arginfo_class_OPcache_PinnedCache_clear, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, lock, lock, arginfo_class_OPcache_PinnedCache_lock, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, unlock, unlock, arginfo_class_OPcache_PinnedCache_unlock, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, increment, increment, arginfo_class_OPcache_PinnedCache_increment, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_MALIAS(Larder_PinnedCache, decrement, decrement, arginfo_class_OPcache_PinnedCache_decrement, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OPcache_PinnedCache, getCacheStoreType, arginfo_class_OPcache_PinnedCache_getCacheStoreType, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OPcache_PinnedCache, info, arginfo_class_OPcache_PinnedCache_info, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_OPcache_CacheStoreType(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("OPcache\\CacheStoreType", IS_UNDEF, class_OPcache_CacheStoreType_methods);

	zend_enum_add_case_cstr(class_entry, "NotFound", NULL);

	zend_enum_add_case_cstr(class_entry, "Scalar", NULL);

	zend_enum_add_case_cstr(class_entry, "SharedGraph", NULL);

	zend_enum_add_case_cstr(class_entry, "OPcacheSerialized", NULL);

	zend_enum_add_case_cstr(class_entry, "PHPSerialized", NULL);

	return class_entry;
}

static zend_class_entry *register_class_OPcache_StaticCacheException(zend_class_entry *class_entry_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OPcache", "StaticCacheException", class_OPcache_StaticCacheException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OPcache_StaticCacheInfo(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OPcache", "StaticCacheInfo", class_OPcache_StaticCacheInfo_methods);
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

	return class_entry;
}

static zend_class_entry *register_class_OPcache_VolatileCache(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OPcache", "VolatileCache", class_OPcache_VolatileCache_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	return class_entry;
}

static zend_class_entry *register_class_OPcache_PinnedCache(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OPcache", "PinnedCache", class_OPcache_PinnedCache_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	return class_entry;
}
