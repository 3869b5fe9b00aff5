/* table.c - finds out at startup how small the hash part of a stored array may be in this
 * engine. */
#include "php_larder.h"
#include "format/format.h"

bool larder_tables_narrow;

#define TABLE_TEXT(...) #__VA_ARGS__
#define TABLE_TEXT_OF(...) TABLE_TEXT(__VA_ARGS__)

/* Find out how the engine clears a hash part. Older engines write in steps of 64 bytes, and need
 * large hash parts. Newer engines call memset(), and the text of their macro HT_HASH_RESET contains
 * this name. The macro comes from the PHP of the build, so it says nothing about an older running
 * PHP. */
void larder_tables_startup(void)
{
    const zval *running = zend_get_constant_str(ZEND_STRL("PHP_VERSION_ID"));
/* tests define LARDER_WIDE_TABLES to get the larger hash parts that PHP before 8.2.33 needs */
#ifndef LARDER_WIDE_TABLES
    larder_tables_narrow = strstr(TABLE_TEXT_OF(HT_HASH_RESET(array)), "memset") != NULL &&
                           running != NULL && Z_LVAL_P(running) >= PHP_VERSION_ID;
#else
    (void)running;
#endif
}
