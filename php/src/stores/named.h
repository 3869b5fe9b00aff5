/* named.h - named stores, for stores.c: their folder, their size, other users, and advice about one
 * that could not be opened. */
#ifndef LARDER_NAMED_H
#define LARDER_NAMED_H

#include "php_larder.h"

/* Make the user's own folder of a path "<folder>/larder-<uid>/<name>", unless it is there, and put
 * the one that is used into the path. False and a reason: none can be had. */
bool larder_named_folder(char *path, size_t size, char *reason, size_t reason_size);

/* Put the folder that is used now into the path, if there is one; makes nothing. */
void larder_named_find(char *path, size_t size);

/* Before any pool has settings of its own. */
void larder_named_startup(void) ZEND_COLD;

/* True if php.ini (or -d, or the pool) says the size, so that it is no default. */
bool larder_named_size_said(larder_kind kind);

/* True if this process may create an unused store anew with another size: a server whose php.ini
 * has a size may, the command line, which often has another ini file, may not. */
bool larder_named_size_rules(larder_kind kind);

/* After a named store was opened: what the operator should know. The store keeps its size, though
 * the settings say another; the command line has just made it, while other users have one. "":
 * nothing. */
void larder_named_notice(larder_kind kind, const char *path, const lrd_info *info, char *text,
                         size_t size);

/* "; " and what to do about a store that could not be opened with this code, or "". */
void larder_named_remedy(larder_kind kind, const char *path, int code, char *text, size_t size);

#endif
