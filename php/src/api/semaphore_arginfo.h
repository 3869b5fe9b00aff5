/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: cbef06187765735dbfb94205e59b7cc0eff4ada2 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Larder_Semaphore___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Semaphore_acquire, 0, 2, Larder\\Permit, 1)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, permits, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, lease, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_MASK(0, wait, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Semaphore_count, 0, 2, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, permits, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Permit___construct arginfo_class_Larder_Semaphore___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Permit_renew, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, lease, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Permit_release, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Broadcast___construct arginfo_class_Larder_Semaphore___construct

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Broadcast_open, 0, 1, Larder\\Broadcast, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Broadcast_publish, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Broadcast_wait, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, version, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, timeout, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()


ZEND_METHOD(Larder_Semaphore, __construct);
ZEND_METHOD(Larder_Semaphore, acquire);
ZEND_METHOD(Larder_Semaphore, count);
ZEND_METHOD(Larder_Permit, __construct);
ZEND_METHOD(Larder_Permit, renew);
ZEND_METHOD(Larder_Permit, release);
ZEND_METHOD(Larder_Broadcast, __construct);
ZEND_METHOD(Larder_Broadcast, open);
ZEND_METHOD(Larder_Broadcast, publish);
ZEND_METHOD(Larder_Broadcast, wait);


static const zend_function_entry class_Larder_Semaphore_methods[] = {
	ZEND_ME(Larder_Semaphore, __construct, arginfo_class_Larder_Semaphore___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_Semaphore, acquire, arginfo_class_Larder_Semaphore_acquire, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Semaphore, count, arginfo_class_Larder_Semaphore_count, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_Permit_methods[] = {
	ZEND_ME(Larder_Permit, __construct, arginfo_class_Larder_Permit___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_Permit, renew, arginfo_class_Larder_Permit_renew, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Permit, release, arginfo_class_Larder_Permit_release, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_Broadcast_methods[] = {
	ZEND_ME(Larder_Broadcast, __construct, arginfo_class_Larder_Broadcast___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_Broadcast, open, arginfo_class_Larder_Broadcast_open, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Broadcast, publish, arginfo_class_Larder_Broadcast_publish, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Broadcast, wait, arginfo_class_Larder_Broadcast_wait, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_Larder_Semaphore(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "Semaphore", class_Larder_Semaphore_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_Larder_Permit(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "Permit", class_Larder_Permit_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Larder_Broadcast(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "Broadcast", class_Larder_Broadcast_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_value_default_value;
	ZVAL_UNDEF(&property_value_default_value);
	zend_string *property_value_name = zend_string_init("value", sizeof("value") - 1, 1);
	zend_declare_typed_property(class_entry, property_value_name, &property_value_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_value_name);

	zval property_version_default_value;
	ZVAL_UNDEF(&property_version_default_value);
	zend_string *property_version_name = zend_string_init("version", sizeof("version") - 1, 1);
	zend_declare_typed_property(class_entry, property_version_name, &property_version_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_version_name);

	return class_entry;
}
