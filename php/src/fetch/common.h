/* common.h - reads values that another language (Ruby) has stored. */
#ifndef LARDER_COMMON_H
#define LARDER_COMMON_H

#include "php_larder.h"

/* Set *result to a copy of a value from another language. The caller must release *result. Returns
 * false if PHP has no such type. */
bool larder_common_take(const lrd_value *value, zval *result);

#endif
