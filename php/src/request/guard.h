/* guard.h - keeps strings of a store out of tables of the engine that outlive the request. */
#ifndef LARDER_REQUEST_GUARD_H
#define LARDER_REQUEST_GUARD_H

#include "php_larder.h"

/* Called at the first request, after opcache has installed its hooks. */
void larder_guard_install(void) LARDER_HOT;
void larder_guard_clean(void) LARDER_HOT; /* Called before the values of a request end. */

#endif
