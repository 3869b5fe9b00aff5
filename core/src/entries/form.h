/* form.h - what form.c offers. */
#pragma once

#include "ground/word.h"

/* An entry was evicted. [locked] */
void lrd__form_evicted(lrd__shard *shard);
