/* statics.h - static properties and variables that outlive requests. */
#ifndef LARDER_STATICS_STATICS_H
#define LARDER_STATICS_STATICS_H

#include "php_larder.h"

/* call this at module startup, after the settings were read */
void larder_statics_startup(void) ZEND_COLD;
void larder_statics_request(void) LARDER_HOT; /* call this after larder_guard_install() */
/* Publish all changes of statics. User code that runs later may change statics again. */
void larder_statics_end_request(void) LARDER_HOT;
/* Call this after all values of the request are freed. */
void larder_statics_forget(void) LARDER_HOT;
/* For a worker that handles several requests in one PHP request.
 * larder_statics_end_worker_request() publishes all changes of statics.
 * larder_statics_begin_worker_request() takes over what other processes have published. Errors
 * become warnings. Hooks may run. */
void larder_statics_end_worker_request(void);
void larder_statics_begin_worker_request(void);
/* Free the statics of a thread that ends. `all` may be NULL. */
void larder_statics_end(struct larder_statics *all) ZEND_COLD;
/* Publish all changes before the end of the request. May throw. */
void larder_statics_flush(void);
/* Delete the stored statics of a class. Returns true if there were any. May autoload, and throw. */
bool larder_statics_delete(lrd_store *store, zend_string *class_name);
/* Return the key of a static property's entry in the store. The caller must release the key.
 * Returns NULL if there is no entry, or if an exception is set. May autoload. */
zend_string *larder_static_entry(larder_kind kind, zend_string *property, zend_string *class_name);
/* True if the attributes also have names in the OPcache namespace (larder.compat=opcache). */
extern bool larder_statics_opcache;
void larder_statics_opcache_startup(void);
void larder_statics_opcache_request(void);
void larder_statics_register(zend_class_entry *attribute);
void larder_static_construct(zend_class_entry *strategy_class, INTERNAL_FUNCTION_PARAMETERS);

#endif
