/* statics.h - static properties and variables that outlive requests: the functions for other
 * folders. */
#ifndef LARDER_STATICS_STATICS_H
#define LARDER_STATICS_STATICS_H

#include "php_larder.h"

void larder_statics_startup(void) ZEND_COLD;      /* settings were read */
void larder_statics_request(void) LARDER_HOT;     /* after larder_guard_install() */
void larder_statics_end_request(void) LARDER_HOT; /* publishes; user code may still run after it */
void larder_statics_forget(void) LARDER_HOT;      /* when all values of a request end */
/* A request ends or begins within a PHP request that goes on: publish all that has changed, and
 * give statics the values that others have published. Errors are warnings. They may run hooks of
 * objects. */
void larder_statics_end_worker_request(void);
void larder_statics_begin_worker_request(void);
/* at the end of a thread; NULL: nothing */
void larder_statics_end(struct larder_statics *all) ZEND_COLD;
/* Publish all changes so far, before they are asked for. May throw. */
void larder_statics_flush(void);
/* Delete the statics of a class. Returns true if there were any. May autoload, and throw. */
bool larder_statics_delete(lrd_store *store, zend_string *class_name);
/* The key of a static's entry, which the caller releases. NULL: there is none, or an exception is
 * set. May autoload. */
zend_string *larder_static_entry(larder_kind kind, zend_string *property, zend_string *class_name);
/* The attributes by the names of the layer for opcache. */
extern bool larder_statics_opcache;
void larder_statics_opcache_startup(void);
void larder_statics_opcache_request(void);
void larder_statics_register(zend_class_entry *attribute);
void larder_static_construct(zend_class_entry *strategy_class, INTERNAL_FUNCTION_PARAMETERS);

#endif
