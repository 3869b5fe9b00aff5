/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: af027b4538b804d709a5f0a2ae43b282a25b84ce */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Larder_VolatileStatic___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_LONG, 0, "0")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, strategy, Larder\\CacheStrategy, 0, "Larder\\CacheStrategy::Immediate")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Larder_PinnedStatic___construct, 0, 0, 0)
ZEND_END_ARG_INFO()


ZEND_METHOD(Larder_VolatileStatic, __construct);
ZEND_METHOD(Larder_PinnedStatic, __construct);


static const zend_function_entry class_Larder_CacheStrategy_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Larder_VolatileStatic_methods[] = {
	ZEND_ME(Larder_VolatileStatic, __construct, arginfo_class_Larder_VolatileStatic___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_PinnedStatic_methods[] = {
	ZEND_ME(Larder_PinnedStatic, __construct, arginfo_class_Larder_PinnedStatic___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_Larder_CacheStrategy(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Larder\\CacheStrategy", IS_LONG, class_Larder_CacheStrategy_methods);

	zval enum_case_Immediate_value;
	ZVAL_LONG(&enum_case_Immediate_value, 0);
	zend_enum_add_case_cstr(class_entry, "Immediate", &enum_case_Immediate_value);

	zval enum_case_Tracking_value;
	ZVAL_LONG(&enum_case_Tracking_value, 1);
	zend_enum_add_case_cstr(class_entry, "Tracking", &enum_case_Tracking_value);

	return class_entry;
}

static zend_class_entry *register_class_Larder_VolatileStatic(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "VolatileStatic", class_Larder_VolatileStatic_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	zval property_ttl_default_value;
	ZVAL_UNDEF(&property_ttl_default_value);
	zend_string *property_ttl_name = zend_string_init("ttl", sizeof("ttl") - 1, 1);
	zend_declare_typed_property(class_entry, property_ttl_name, &property_ttl_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_ttl_name);

	zend_string *property_strategy_class_Larder_CacheStrategy = zend_string_init("Larder\\CacheStrategy", sizeof("Larder\\CacheStrategy")-1, 1);
	zval property_strategy_default_value;
	ZVAL_UNDEF(&property_strategy_default_value);
	zend_string *property_strategy_name = zend_string_init("strategy", sizeof("strategy") - 1, 1);
	zend_declare_typed_property(class_entry, property_strategy_name, &property_strategy_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_strategy_class_Larder_CacheStrategy, 0, 0));
	zend_string_release(property_strategy_name);

	return class_entry;
}

static zend_class_entry *register_class_Larder_PinnedStatic(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "PinnedStatic", class_Larder_PinnedStatic_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	return class_entry;
}
