/* fall.h - packs (compresses) stored values when memory is short. */
#ifndef LARDER_PUT_FALL_H
#define LARDER_PUT_FALL_H

#include "php_larder.h"

/* Pack at most one value that was not read recently. Runs no user code. Releases the values that
 * this thread has borrowed from the store. */
void larder_fall_back(lrd_store *store);

#endif
