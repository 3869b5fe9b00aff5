/* seen.h - which classes may have an attribute of ours, known to all processes that share opcache's memory. */
#ifndef LARDER_STATICS_SEEN_H
#define LARDER_STATICS_SEEN_H

#include "php_larder.h"

void larder_seen_startup(void); /* before anything is compiled */
/* PHP compiles an attribute in this class; NULL: at a function. */
void larder_seen_mark(zend_string *class);
/* Code comes from where nobody says what it has: any class may have an attribute. */
void larder_seen_everything(void);
/* Whether there is an attribute anywhere. */
bool larder_seen_any(void);
/* Whether the class may declare one itself. */
bool larder_seen_class(zend_class_entry *ce);

#endif
