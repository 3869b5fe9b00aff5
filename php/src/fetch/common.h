/* common.h - reads values that another language (Ruby) has stored. */
#ifndef LARDER_COMMON_H
#define LARDER_COMMON_H

#include "php_larder.h"

/* Copy a value of another language. Returns false if PHP has no type for it. The caller must
 * release *result. */
bool larder_common_take(const lrd_value *value, zval *result);

#endif
