/* guard.h - keeps strings of a store out of those tables of the engine that outlive the request. */
#ifndef LARDER_REQUEST_GUARD_H
#define LARDER_REQUEST_GUARD_H

#include "php_larder.h"

/* Install the hooks of this thread. Call this at its first request, after opcache has installed its
 * own hooks. */
void larder_guard_install(void) LARDER_HOT;
/* Empty the request's own tables of stream wrappers and filters. Call this at the end of a request,
 * before its values are released, because the keys of these tables may be strings in a store. */
void larder_guard_clean(void) LARDER_HOT;

#endif
