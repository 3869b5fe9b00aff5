#include "../../../core/core.c"
