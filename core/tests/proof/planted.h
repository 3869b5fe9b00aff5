/* planted.h - histories that a checker has to refuse, and others that it has to accept. */
#ifndef LRD_TESTS_PROOF_PLANTED_H
#define LRD_TESTS_PROOF_PLANTED_H

#include <stdbool.h>

/* Judge all of them and print one line each. Returns true if each verdict is right. */
bool planted_check(void);

#endif
