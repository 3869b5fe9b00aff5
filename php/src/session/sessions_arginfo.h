/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 44d7fac00c805c09a81698640ab79c651d7ab471 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Larder_Sessions___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Sessions_info, 0, 0, Larder\\StaticCacheInfo, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Sessions_count, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Sessions_destroy, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, id, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, path, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Sessions_read, 0, 1, IS_STRING, 1)
	ZEND_ARG_TYPE_INFO(0, id, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, path, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Sessions_write, 0, 3, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, id, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, path, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Sessions_ids, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()


ZEND_METHOD(Larder_Sessions, __construct);
ZEND_METHOD(Larder_Sessions, info);
ZEND_METHOD(Larder_Sessions, count);
ZEND_METHOD(Larder_Sessions, destroy);
ZEND_METHOD(Larder_Sessions, read);
ZEND_METHOD(Larder_Sessions, write);
ZEND_METHOD(Larder_Sessions, ids);


static const zend_function_entry class_Larder_Sessions_methods[] = {
	ZEND_ME(Larder_Sessions, __construct, arginfo_class_Larder_Sessions___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_Sessions, info, arginfo_class_Larder_Sessions_info, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Sessions, count, arginfo_class_Larder_Sessions_count, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Sessions, destroy, arginfo_class_Larder_Sessions_destroy, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Sessions, read, arginfo_class_Larder_Sessions_read, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Sessions, write, arginfo_class_Larder_Sessions_write, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Sessions, ids, arginfo_class_Larder_Sessions_ids, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_Larder_Sessions(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "Sessions", class_Larder_Sessions_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	return class_entry;
}
