/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 2767433659810ec4dcde06a392f360286d388069 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Larder_FileCache___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_FileCache_invalidate, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, path, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_FileCache_info, 0, 0, Larder\\FileCacheInfo, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_FileCacheInfo___construct arginfo_class_Larder_FileCache___construct


ZEND_METHOD(Larder_FileCache, __construct);
ZEND_METHOD(Larder_FileCache, invalidate);
ZEND_METHOD(Larder_FileCache, info);
ZEND_METHOD(Larder_FileCacheInfo, __construct);


static const zend_function_entry class_Larder_FileCache_methods[] = {
	ZEND_ME(Larder_FileCache, __construct, arginfo_class_Larder_FileCache___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_FileCache, invalidate, arginfo_class_Larder_FileCache_invalidate, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_FileCache, info, arginfo_class_Larder_FileCache_info, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_FileCacheInfo_methods[] = {
	ZEND_ME(Larder_FileCacheInfo, __construct, arginfo_class_Larder_FileCacheInfo___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};

static zend_class_entry *register_class_Larder_FileCache(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "FileCache", class_Larder_FileCache_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	return class_entry;
}

static zend_class_entry *register_class_Larder_FileCacheInfo(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "FileCacheInfo", class_Larder_FileCacheInfo_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	zval property_enabled_default_value;
	ZVAL_UNDEF(&property_enabled_default_value);
	zend_string *property_enabled_name = zend_string_init("enabled", sizeof("enabled") - 1, 1);
	zend_declare_typed_property(class_entry, property_enabled_name, &property_enabled_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_enabled_name);

	zval property_entry_count_default_value;
	ZVAL_UNDEF(&property_entry_count_default_value);
	zend_string *property_entry_count_name = zend_string_init("entry_count", sizeof("entry_count") - 1, 1);
	zend_declare_typed_property(class_entry, property_entry_count_name, &property_entry_count_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_entry_count_name);

	zval property_bytes_default_value;
	ZVAL_UNDEF(&property_bytes_default_value);
	zend_string *property_bytes_name = zend_string_init("bytes", sizeof("bytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_bytes_name, &property_bytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bytes_name);

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

	zval property_revalidations_default_value;
	ZVAL_UNDEF(&property_revalidations_default_value);
	zend_string *property_revalidations_name = zend_string_init("revalidations", sizeof("revalidations") - 1, 1);
	zend_declare_typed_property(class_entry, property_revalidations_name, &property_revalidations_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_revalidations_name);

	return class_entry;
}
