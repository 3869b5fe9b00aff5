/* clang-format off */
/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 0b6f646c393a1a70c21ec08cb82a39d681cd4251 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Larder_Queue___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Queue_open, 0, 1, Larder\\Queue, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, capacity, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Queue_names, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Queue_name, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Queue_push, 0, 1, IS_STRING, 1)
	ZEND_ARG_TYPE_INFO(0, body, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, delay, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, priority, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_MASK(0, wait, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Queue_pushMany, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, bodies, IS_ARRAY, 0)
	ZEND_ARG_TYPE_MASK(0, delay, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, priority, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_MASK(0, ttl, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_MASK(0, wait, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Queue_pop, 0, 0, Larder\\Message, 1)
	ZEND_ARG_TYPE_MASK(0, timeout, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_MASK(0, timeToRun, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Queue_popMany, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, count, IS_LONG, 0)
	ZEND_ARG_TYPE_MASK(0, timeout, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
	ZEND_ARG_TYPE_MASK(0, timeToRun, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Queue_peek, 0, 0, Larder\\Message, 1)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, id, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Queue_list, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Queue_delete, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, id, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Queue_kick, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, count, IS_LONG, 0, "PHP_INT_MAX")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Queue_clear, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, reserved, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Larder_Queue_info, 0, 0, Larder\\QueueInfo, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Message___construct arginfo_class_Larder_Queue___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Message_ack, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Message_release, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, delay, MAY_BE_LONG|MAY_BE_DOUBLE, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Message_bury arginfo_class_Larder_Message_ack

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Larder_Message_touch, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, timeToRun, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Larder_Message_isReserved arginfo_class_Larder_Message_ack

#define arginfo_class_Larder_QueueInfo___construct arginfo_class_Larder_Queue___construct


ZEND_METHOD(Larder_Queue, __construct);
ZEND_METHOD(Larder_Queue, open);
ZEND_METHOD(Larder_Queue, names);
ZEND_METHOD(Larder_Queue, name);
ZEND_METHOD(Larder_Queue, push);
ZEND_METHOD(Larder_Queue, pushMany);
ZEND_METHOD(Larder_Queue, pop);
ZEND_METHOD(Larder_Queue, popMany);
ZEND_METHOD(Larder_Queue, peek);
ZEND_METHOD(Larder_Queue, list);
ZEND_METHOD(Larder_Queue, delete);
ZEND_METHOD(Larder_Queue, kick);
ZEND_METHOD(Larder_Queue, clear);
ZEND_METHOD(Larder_Queue, info);
ZEND_METHOD(Larder_Message, __construct);
ZEND_METHOD(Larder_Message, ack);
ZEND_METHOD(Larder_Message, release);
ZEND_METHOD(Larder_Message, bury);
ZEND_METHOD(Larder_Message, touch);
ZEND_METHOD(Larder_Message, isReserved);
ZEND_METHOD(Larder_QueueInfo, __construct);


static const zend_function_entry class_Larder_Queue_methods[] = {
	ZEND_ME(Larder_Queue, __construct, arginfo_class_Larder_Queue___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_Queue, open, arginfo_class_Larder_Queue_open, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Queue, names, arginfo_class_Larder_Queue_names, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Larder_Queue, name, arginfo_class_Larder_Queue_name, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, push, arginfo_class_Larder_Queue_push, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, pushMany, arginfo_class_Larder_Queue_pushMany, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, pop, arginfo_class_Larder_Queue_pop, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, popMany, arginfo_class_Larder_Queue_popMany, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, peek, arginfo_class_Larder_Queue_peek, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, list, arginfo_class_Larder_Queue_list, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, delete, arginfo_class_Larder_Queue_delete, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, kick, arginfo_class_Larder_Queue_kick, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, clear, arginfo_class_Larder_Queue_clear, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Queue, info, arginfo_class_Larder_Queue_info, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_Message_methods[] = {
	ZEND_ME(Larder_Message, __construct, arginfo_class_Larder_Message___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Larder_Message, ack, arginfo_class_Larder_Message_ack, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Message, release, arginfo_class_Larder_Message_release, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Message, bury, arginfo_class_Larder_Message_bury, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Message, touch, arginfo_class_Larder_Message_touch, ZEND_ACC_PUBLIC)
	ZEND_ME(Larder_Message, isReserved, arginfo_class_Larder_Message_isReserved, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Larder_QueueInfo_methods[] = {
	ZEND_ME(Larder_QueueInfo, __construct, arginfo_class_Larder_QueueInfo___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};

static zend_class_entry *register_class_Larder_Queue(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "Queue", class_Larder_Queue_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Larder_Message(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "Message", class_Larder_Message_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_body_default_value;
	ZVAL_UNDEF(&property_body_default_value);
	zend_string *property_body_name = zend_string_init("body", sizeof("body") - 1, 1);
	zend_declare_typed_property(class_entry, property_body_name, &property_body_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_body_name);

	zval property_id_default_value;
	ZVAL_UNDEF(&property_id_default_value);
	zend_string *property_id_name = zend_string_init("id", sizeof("id") - 1, 1);
	zend_declare_typed_property(class_entry, property_id_name, &property_id_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_id_name);

	zval property_attempts_default_value;
	ZVAL_UNDEF(&property_attempts_default_value);
	zend_string *property_attempts_name = zend_string_init("attempts", sizeof("attempts") - 1, 1);
	zend_declare_typed_property(class_entry, property_attempts_name, &property_attempts_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_attempts_name);

	zval property_priority_default_value;
	ZVAL_UNDEF(&property_priority_default_value);
	zend_string *property_priority_name = zend_string_init("priority", sizeof("priority") - 1, 1);
	zend_declare_typed_property(class_entry, property_priority_name, &property_priority_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_priority_name);

	zval property_state_default_value;
	ZVAL_UNDEF(&property_state_default_value);
	zend_string *property_state_name = zend_string_init("state", sizeof("state") - 1, 1);
	zend_declare_typed_property(class_entry, property_state_name, &property_state_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_state_name);

	return class_entry;
}

static zend_class_entry *register_class_Larder_QueueInfo(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Larder", "QueueInfo", class_Larder_QueueInfo_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	zval property_ready_default_value;
	ZVAL_UNDEF(&property_ready_default_value);
	zend_string *property_ready_name = zend_string_init("ready", sizeof("ready") - 1, 1);
	zend_declare_typed_property(class_entry, property_ready_name, &property_ready_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_ready_name);

	zval property_reserved_default_value;
	ZVAL_UNDEF(&property_reserved_default_value);
	zend_string *property_reserved_name = zend_string_init("reserved", sizeof("reserved") - 1, 1);
	zend_declare_typed_property(class_entry, property_reserved_name, &property_reserved_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_reserved_name);

	zval property_delayed_default_value;
	ZVAL_UNDEF(&property_delayed_default_value);
	zend_string *property_delayed_name = zend_string_init("delayed", sizeof("delayed") - 1, 1);
	zend_declare_typed_property(class_entry, property_delayed_name, &property_delayed_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_delayed_name);

	zval property_buried_default_value;
	ZVAL_UNDEF(&property_buried_default_value);
	zend_string *property_buried_name = zend_string_init("buried", sizeof("buried") - 1, 1);
	zend_declare_typed_property(class_entry, property_buried_name, &property_buried_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_buried_name);

	zval property_bytes_default_value;
	ZVAL_UNDEF(&property_bytes_default_value);
	zend_string *property_bytes_name = zend_string_init("bytes", sizeof("bytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_bytes_name, &property_bytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bytes_name);

	zval property_capacity_default_value;
	ZVAL_UNDEF(&property_capacity_default_value);
	zend_string *property_capacity_name = zend_string_init("capacity", sizeof("capacity") - 1, 1);
	zend_declare_typed_property(class_entry, property_capacity_name, &property_capacity_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_capacity_name);

	zval property_pushed_default_value;
	ZVAL_UNDEF(&property_pushed_default_value);
	zend_string *property_pushed_name = zend_string_init("pushed", sizeof("pushed") - 1, 1);
	zend_declare_typed_property(class_entry, property_pushed_name, &property_pushed_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_pushed_name);

	zval property_acked_default_value;
	ZVAL_UNDEF(&property_acked_default_value);
	zend_string *property_acked_name = zend_string_init("acked", sizeof("acked") - 1, 1);
	zend_declare_typed_property(class_entry, property_acked_name, &property_acked_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_acked_name);

	zval property_deleted_default_value;
	ZVAL_UNDEF(&property_deleted_default_value);
	zend_string *property_deleted_name = zend_string_init("deleted", sizeof("deleted") - 1, 1);
	zend_declare_typed_property(class_entry, property_deleted_name, &property_deleted_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_deleted_name);

	zval property_redelivered_default_value;
	ZVAL_UNDEF(&property_redelivered_default_value);
	zend_string *property_redelivered_name = zend_string_init("redelivered", sizeof("redelivered") - 1, 1);
	zend_declare_typed_property(class_entry, property_redelivered_name, &property_redelivered_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_redelivered_name);

	zval property_returned_default_value;
	ZVAL_UNDEF(&property_returned_default_value);
	zend_string *property_returned_name = zend_string_init("returned", sizeof("returned") - 1, 1);
	zend_declare_typed_property(class_entry, property_returned_name, &property_returned_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_returned_name);

	zval property_expired_default_value;
	ZVAL_UNDEF(&property_expired_default_value);
	zend_string *property_expired_name = zend_string_init("expired", sizeof("expired") - 1, 1);
	zend_declare_typed_property(class_entry, property_expired_name, &property_expired_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_expired_name);

	zval property_refused_default_value;
	ZVAL_UNDEF(&property_refused_default_value);
	zend_string *property_refused_name = zend_string_init("refused", sizeof("refused") - 1, 1);
	zend_declare_typed_property(class_entry, property_refused_name, &property_refused_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_refused_name);

	zval property_wakeups_default_value;
	ZVAL_UNDEF(&property_wakeups_default_value);
	zend_string *property_wakeups_name = zend_string_init("wakeups", sizeof("wakeups") - 1, 1);
	zend_declare_typed_property(class_entry, property_wakeups_name, &property_wakeups_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_wakeups_name);

	zval property_oldest_default_value;
	ZVAL_UNDEF(&property_oldest_default_value);
	zend_string *property_oldest_name = zend_string_init("oldest", sizeof("oldest") - 1, 1);
	zend_declare_typed_property(class_entry, property_oldest_name, &property_oldest_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_oldest_name);

	return class_entry;
}
