/* lz4.h - includes the LZ4 library for pack.c. All its functions are static here, so pack.c cannot
 * call another copy of the library. */
#pragma once
#pragma GCC system_header

#define LZ4LIB_VISIBILITY static
#pragma push_macro("assert")
#undef assert
#include "../../vendor/lz4/lz4.c"
#undef assert
#pragma pop_macro("assert")

/* Undefine the library's macros with common names, because the whole core is compiled as one
 * file. */
#undef KB
#undef MB
#undef GB
#undef MIN
#undef ALLOC
#undef ALLOC_AND_ZERO
#undef FREEMEM
#undef MEM_INIT
#undef MATCH_SAFEGUARD_DISTANCE
#undef FASTLOOP_SAFE_DISTANCE
#undef MINMATCH
#undef WILDCOPYLENGTH
#undef LASTLITERALS
#undef MFLIMIT
#undef ML_BITS
#undef ML_MASK
#undef RUN_BITS
#undef RUN_MASK
#undef STEPSIZE
#undef HASH_UNIT
#undef DEBUGLOG
#undef expect
#undef likely
#undef unlikely
