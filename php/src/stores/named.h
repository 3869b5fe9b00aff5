/* named.h - named stores (stores in a file), for stores.c: their folder, their size, notices about
 * other users' stores, and advice if a store cannot be opened. */
#ifndef LARDER_NAMED_H
#define LARDER_NAMED_H

#include "php_larder.h"

/* Choose the user's folder in a path "<folder>/larder-<uid>/<name>", create it if it is missing,
 * and write it into the path. Returns false, and a reason, if no folder can be used. */
bool larder_named_folder(char *path, size_t size, char *reason, size_t reason_size);

/* Write the user's folder into the path, if it exists. Creates nothing. */
void larder_named_find(char *path, size_t size);

/* Remember the sizes that php.ini sets. Call this before an FPM pool changes its settings. */
void larder_named_startup(void) ZEND_COLD;

/* Return true if the size was set (in php.ini, by -d or by the FPM pool), so it is not the
 * default. */
bool larder_named_size_said(larder_kind kind);

/* Return true if this process may replace an unused store by one of its own size. A server with a
 * size in its php.ini may. The command line may not, because it often has another php.ini. */
bool larder_named_size_rules(larder_kind kind);

/* Write a notice for the operator after a named store was opened. There are two: the store has
 * another size than the settings say, or the command line has just created a store that other users
 * have already. "": no notice. */
void larder_named_notice(larder_kind kind, const char *path, const lrd_info *info, char *text,
                         size_t size);

/* Write "; " and advice for a store that could not be opened because of this error code. "": there
 * is no advice. */
void larder_named_remedy(larder_kind kind, const char *path, int code, char *text, size_t size);

#endif
