/* log.h - writes a line to PHP's error log. */
#ifndef LARDER_LOG_H
#define LARDER_LOG_H

#include "php_larder.h"

/* Write a text to PHP's error log. This may end the request by a longjmp(), so hold no lock. */
void larder_log(const char *text) ZEND_COLD;

#endif
