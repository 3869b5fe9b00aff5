#include "../../core/core.c"
