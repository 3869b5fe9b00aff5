#include "../core/core.c"
