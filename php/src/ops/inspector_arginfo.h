/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: cfb72b219cd55ad1d11aa67c3d36f70715e059a8 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Larder_Inspector___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Inspector_own, 0, 1, Larder\\Inspector, 0)
	ZEND_ARG_TYPE_INFO(0, store, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Inspector_open, 0, 1, Larder\\Inspector, 0)
	ZEND_ARG_TYPE_INFO(0, path, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Inspector_path, 0, 2, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, store, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, scope, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, folder, IS_STRING, 0, "\"/dev/shm\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Inspector_stats, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Inspector_entries, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, order, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, pool, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Inspector_keys, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, pool, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, named, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Inspector_totals, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Inspector_value, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_INFO_WITH_DEFAULT_VALUE(1, found, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Inspector_delete, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Inspector_clear, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Inspector_fsck arginfo_class_Larder_Inspector_stats

#define arginfo_class_Larder_Inspector_threads arginfo_class_Larder_Inspector_stats


ZEND_METHOD(Larder_Inspector, __construct);
ZEND_METHOD(Larder_Inspector, own);
ZEND_METHOD(Larder_Inspector, open);
ZEND_METHOD(Larder_Inspector, path);
ZEND_METHOD(Larder_Inspector, stats);
ZEND_METHOD(Larder_Inspector, entries);
ZEND_METHOD(Larder_Inspector, keys);
ZEND_METHOD(Larder_Inspector, totals);
ZEND_METHOD(Larder_Inspector, value);
ZEND_METHOD(Larder_Inspector, delete);
ZEND_METHOD(Larder_Inspector, clear);
ZEND_METHOD(Larder_Inspector, fsck);
ZEND_METHOD(Larder_Inspector, threads);


static const zend_function_entry class_Larder_Inspector_methods[] = {
	ZEND_ME(Larder_Inspector, __construct, arginfo_class_Larder_Inspector___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_Inspector, own, arginfo_class_Larder_Inspector_own, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Inspector, open, arginfo_class_Larder_Inspector_open, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Inspector, path, arginfo_class_Larder_Inspector_path, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Inspector, stats, arginfo_class_Larder_Inspector_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Inspector, entries, arginfo_class_Larder_Inspector_entries, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Inspector, keys, arginfo_class_Larder_Inspector_keys, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Inspector, totals, arginfo_class_Larder_Inspector_totals, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Inspector, value, arginfo_class_Larder_Inspector_value, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Inspector, delete, arginfo_class_Larder_Inspector_delete, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Inspector, clear, arginfo_class_Larder_Inspector_clear, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Inspector, fsck, arginfo_class_Larder_Inspector_fsck, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Inspector, threads, arginfo_class_Larder_Inspector_threads, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_Larder_Inspector(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "Inspector", class_Larder_Inspector_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}
