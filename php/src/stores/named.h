/* named.h - named stores, for stores.c: their folder, their size, other users, and advice about
 * a store that could not be opened. */
#ifndef LARDER_NAMED_H
#define LARDER_NAMED_H

#include "php_larder.h"

/* Make the user's own folder of a path "<folder>/larder-<uid>/<name>", unless it exists, and put
 * the chosen folder into the path. Returns false, and a reason, if no folder is usable. */
bool larder_named_folder(char *path, size_t size, char *reason, size_t reason_size);

/* Put the existing folder, if there is one, into the path. Creates nothing. */
void larder_named_find(char *path, size_t size);

/* Record the sizes. Call it before any pool has settings of its own. */
void larder_named_startup(void) ZEND_COLD;

/* Return true if php.ini (or -d, or the pool) sets the size, so that it is no default. */
bool larder_named_size_said(larder_kind kind);

/* Return true if this process may replace an unused store by one of another size. A server whose
 * php.ini has a size may. The command line may not, because it often has another ini file. */
bool larder_named_size_rules(larder_kind kind);

/* Write a notice for the operator after a named store was opened. Either the store keeps its
 * size although the settings name another, or the command line has just created it although
 * other users have one. "": no notice. */
void larder_named_notice(larder_kind kind, const char *path, const lrd_info *info, char *text,
                         size_t size);

/* Write "; " and the remedy for a store that could not be opened with this code; "" if there is
 * none. */
void larder_named_remedy(larder_kind kind, const char *path, int code, char *text, size_t size);

#endif
