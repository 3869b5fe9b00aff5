/* waitv.h - declares futex_waitv(2). Kernels before 5.16 do not have this system call, and headers
 * of older systems do not declare it. */
#pragma once

#include <stdint.h>

#define LRD__SYS_WAITV 449
#define LRD__WAIT_32 2u /* flag of futex_waitv(2): the word has 32 bits, and processes share it */

typedef struct lrd__wait_word {
    uint64_t value, address;
    uint32_t flags, reserved;
} lrd__wait_word;
