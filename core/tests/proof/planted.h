/* planted.h - histories that linearize.c must refuse, and others that it must explain. */
#ifndef LRD_TESTS_PROOF_PLANTED_H
#define LRD_TESTS_PROOF_PLANTED_H

#include <stdbool.h>

/* Judge all histories of planted.c, and print a line for each. Returns true if all verdicts are
 * right. */
bool planted_check(void);

#endif
