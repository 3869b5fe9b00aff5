/* common.h - reads values that another language (Ruby) has stored. */
#ifndef LARDER_COMMON_H
#define LARDER_COMMON_H

#include "php_larder.h"

/* Copy a value from another language to *result, which the caller must release. Returns false if
 * PHP has no such type. */
bool larder_common_take(const lrd_value *value, zval *result);

#endif
