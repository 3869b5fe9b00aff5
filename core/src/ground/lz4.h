/* lz4.h - includes the LZ4 library of core/vendor/lz4 in its only user, pack.c. The library's
 * functions become static, so that no call reaches another copy of the library in the process. */
#pragma once
#pragma GCC system_header

#define LZ4LIB_VISIBILITY static
#pragma push_macro("assert")
#undef assert
#include "../../vendor/lz4/lz4.c"
#undef assert
#pragma pop_macro("assert")

/* Undefine the library's common macros, because all of the core is compiled as one file. */
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
