/* common.h - reads values that another language (Ruby) has stored. */
#ifndef LARDER_COMMON_H
#define LARDER_COMMON_H

#include "php_larder.h"

/* Copy a value that another language has stored into a new PHP value. Returns false if PHP has no
 * type for it. The caller must release the PHP value. */
bool larder_common_take(const lrd_value *value, zval *result);

#endif
