/* table.c - finds out at startup how small the hash part of a stored array may be in this
 * engine. */
#include "php_larder.h"
#include "format/format.h"

bool larder_tables_narrow;

#define TABLE_TEXT(...) #__VA_ARGS__
#define TABLE_TEXT_OF(...) TABLE_TEXT(__VA_ARGS__)

/* Older engines reset a hash part in steps of 64 bytes, and never stop if it is smaller. Newer
 * engines call memset() for a smaller hash part. The text of the macro HT_HASH_RESET in the headers
 * of our build tells which is true. A running engine of this version or a later one has the same
 * macro. */
void larder_tables_startup(void)
{
    const zval *running = zend_get_constant_str(ZEND_STRL("PHP_VERSION_ID"));
#ifndef LARDER_WIDE_TABLES /* for tests: lay out values as a PHP before 8.2.33 needs them */
    larder_tables_narrow = strstr(TABLE_TEXT_OF(HT_HASH_RESET(array)), "memset") != NULL &&
                           running != NULL && Z_LVAL_P(running) >= PHP_VERSION_ID;
#else
    (void)running;
#endif
}
