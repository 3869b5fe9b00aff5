/* log.h - a line of PHP's error log. */
#ifndef LARDER_LOG_H
#define LARDER_LOG_H

#include "php_larder.h"

/* Write a text to PHP's error log. Control characters become \xNN. May end the request, so hold no
 * lock. */
void larder_log(const char *text) ZEND_COLD;

#endif
