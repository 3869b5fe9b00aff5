/* common.h - values that another language has stored. */
#ifndef LARDER_COMMON_H
#define LARDER_COMMON_H

#include "php_larder.h"

/* Turn a value of a type that is none of PHP's own into one of PHP, by copying. False: PHP has
 * nothing like it. The caller releases it. */
bool larder_common_take(const lrd_value *value, zval *result);

#endif
