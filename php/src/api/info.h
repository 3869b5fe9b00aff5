/* info.h - what phpinfo() and info() say of stores and entries. */
#ifndef LARDER_API_INFO_H
#define LARDER_API_INFO_H

#include "php_larder.h"

void larder_info_register(void);
/* The enum and the class of the result; NULL: Larder's own. A class has Larder's properties or the first of
 * them. */
void larder_store_type(lrd_store *store, zend_string *key, zend_class_entry *type, zval *result);
void larder_cache_info(larder_kind kind, zend_class_entry *class, zval *result);
/* label: what the result calls the key. */
void larder_key_info(lrd_store *store, zend_string *key, zend_string *label, zval *result);
void larder_keys(lrd_store *store, zend_string *prefix, zval *result);
void larder_phpinfo(void);
extern zend_class_entry *larder_exception_class;

#endif
