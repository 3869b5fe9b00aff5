/* common.h - values that another language has stored. */
#ifndef LARDER_COMMON_H
#define LARDER_COMMON_H

#include "php_larder.h"

/* Turn a value of another language's type into a value of PHP, by copying. Returns false if PHP
 * has no such type. The caller releases the value. */
bool larder_common_take(const lrd_value *value, zval *result);

#endif
