/* planted.h - histories that linearize.c must refuse, and others that it must accept. */
#ifndef LRD_TESTS_PROOF_PLANTED_H
#define LRD_TESTS_PROOF_PLANTED_H

#include <stdbool.h>

/* Judge all of them, and print a line for each. Returns true if each verdict is right. */
bool planted_check(void);

#endif
