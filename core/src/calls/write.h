/* write.h - what write.c offers. */
#pragma once

#include "ground/private.h"

int lrd__write_mode_check(const lrd_store *store, lrd_mode mode, uint64_t ttl_ms);
