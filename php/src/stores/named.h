/* named.h - named stores (stores in a file): their folder and size, notices, advice after errors */
#ifndef LARDER_NAMED_H
#define LARDER_NAMED_H

#include "php_larder.h"

/* In a path "<folder>/larder-<uid>/<name>", replace the part before <name> by the user's folder,
 * which is created if missing. Returns false, and a reason, if no folder can be used. */
bool larder_named_folder(char *path, size_t size, char *reason, size_t reason_size);

/* Like larder_named_folder(), but creates nothing. Leaves the path as it is if the user has no
 * folder. */
void larder_named_find(char *path, size_t size);

/* Remember the sizes of php.ini, before an FPM pool changes its settings. */
void larder_named_startup(void) ZEND_COLD;

/* Return true if php.ini, -d or the FPM pool sets the size. Returns false if it is the default. */
bool larder_named_size_said(larder_kind kind);

/* Return true if this process may replace an unused named store of another size by one of its own
 * size. Returns false if no setting gives the size. Returns false on the command line, too, because
 * its php.ini often differs from the server's. */
bool larder_named_size_rules(larder_kind kind);

/* Write a notice for the operator if the size of an opened named store differs from the settings,
 * or if other users have a store of this scope. Otherwise writes "". */
void larder_named_notice(larder_kind kind, const char *path, const lrd_info *info, char *text,
                         size_t size);

/* Write "; " and advice about a store that could not be opened, or "" if there is no advice. */
void larder_named_remedy(larder_kind kind, const char *path, int code, char *text, size_t size);

#endif
