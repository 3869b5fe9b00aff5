/* statics.h - static properties and variables that outlive requests: the functions for other
 * folders. */
#ifndef LARDER_STATICS_STATICS_H
#define LARDER_STATICS_STATICS_H

#include "php_larder.h"

void larder_statics_startup(void) ZEND_COLD;  /* settings were read */
void larder_statics_request(void) LARDER_HOT; /* after larder_guard_install() */
/* Publish the changes of the request. User code may still run after it. */
void larder_statics_end_request(void) LARDER_HOT;
void larder_statics_forget(void) LARDER_HOT; /* Called when all values of a request end. */
/* A request ends or begins within a PHP request that goes on: publish all changes / take the
 * values that other processes have published. Errors become warnings. Both may run hooks of
 * objects. */
void larder_statics_end_worker_request(void);
void larder_statics_begin_worker_request(void);
/* Called at the end of a thread; NULL: do nothing. */
void larder_statics_end(struct larder_statics *all) ZEND_COLD;
/* Publish all changes now, before the end of the request. May throw. */
void larder_statics_flush(void);
/* Delete the statics of a class. Returns true if there were any. May autoload, and throw. */
bool larder_statics_delete(lrd_store *store, zend_string *class_name);
/* Return the key of a static's entry, which the caller releases. NULL: there is none, or an
 * exception is set. May autoload. */
zend_string *larder_static_entry(larder_kind kind, zend_string *property, zend_string *class_name);
/* Register the attributes under the names of the layer for opcache. */
extern bool larder_statics_opcache;
void larder_statics_opcache_startup(void);
void larder_statics_opcache_request(void);
void larder_statics_register(zend_class_entry *attribute);
void larder_static_construct(zend_class_entry *strategy_class, INTERNAL_FUNCTION_PARAMETERS);

#endif
