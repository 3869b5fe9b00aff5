/* remember.h - remember(): computes a value once for all processes. */
#ifndef LARDER_API_REMEMBER_H
#define LARDER_API_REMEMBER_H

#include "php_larder.h"
#include "stores/settings.h"

void larder_remember(larder_kind kind, INTERNAL_FUNCTION_PARAMETERS);

typedef struct larder_remember_call {
    lrd_store *store;   /* NULL if the store is off: the value is computed, not stored */
    zend_string *key;   /* key of the entry */
    zend_string *lock;  /* the key that is locked while the value is computed */
    zend_string *label; /* the key that the program gave, for messages */
    uint64_t ttl_ms, stale_ms;
    larder_form form;
    zend_fcall_info callback;
    zend_fcall_info_cache cache;
    bool computed; /* set if the value was computed */
} larder_remember_call;
void larder_remember_run(larder_remember_call *call, zval *result);
/* Return true if a call of remember() in this thread has locked `lock`. The program must not unlock
 * such a key, because then all calls that wait for the value would compute it, too. */
bool larder_remember_has_reserved(const lrd_store *store, const zend_string *lock);

#endif
