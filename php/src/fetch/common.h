/* common.h - reads values that another language (Ruby) has stored. */
#ifndef LARDER_COMMON_H
#define LARDER_COMMON_H

#include "php_larder.h"

/* Copy to *result a value from another language; the caller must release it. Returns false if PHP
 * has no type for the value. */
bool larder_common_take(const lrd_value *value, zval *result);

#endif
