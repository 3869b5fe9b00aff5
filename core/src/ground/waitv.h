/* waitv.h - futex_waitv(2), which kernels before 5.16 and the headers of older systems lack. */
#pragma once

#include <stdint.h>

#define LRD__SYS_WAITV 449
#define LRD__WAIT_32 2u /* flag of futex_waitv(2): the word has 32 bits, and processes share it */

typedef struct lrd__wait_word {
    uint64_t value, address;
    uint32_t flags, reserved;
} lrd__wait_word;
