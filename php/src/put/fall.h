/* fall.h - stores ready values packed when memory is short. */
#ifndef LARDER_PUT_FALL_H
#define LARDER_PUT_FALL_H

#include "php_larder.h"

/* Look at a few entries of a store. Store at most one of them packed, which is ready and was not
 * read recently. Call it after a write that found memory short. Runs no user code; ends what
 * this thread borrows. */
void larder_fall_back(lrd_store *store);

#endif
