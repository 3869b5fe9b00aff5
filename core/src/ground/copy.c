/* copy.c - copies large values past the processor's caches, which memcpy() would fill.
 *
 * Invariant
 * - A caller that publishes the value after lrd_copy() needs no more fences than after memcpy(). */
#include "ground/copy.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define COPY_LINE 64u

_Thread_local bool lrd__copy_cold LRD__TLS;

#if defined(__x86_64__)
static void copy_around(uint8_t *to, const uint8_t *from, size_t size)
{
    size_t lead = -(uintptr_t)to % COPY_LINE;
    memcpy(to, from, lead);
    for (size -= lead, to += lead, from += lead; size >= COPY_LINE;
         size -= COPY_LINE, to += COPY_LINE, from += COPY_LINE) {
        const __m128i *source = (const __m128i *)(const void *)from;
        __m128i *target = (__m128i *)(void *)to;
        __m128i parts[4] = {_mm_loadu_si128(source), _mm_loadu_si128(source + 1),
                            _mm_loadu_si128(source + 2), _mm_loadu_si128(source + 3)};
        for (unsigned i = 0; i < 4; i++)
            _mm_stream_si128(target + i, parts[i]);
    }
    memcpy(to, from, size);
    /* Order the non-temporal stores before later stores, so that the caller needs no more fences
     * than after memcpy(). */
    _mm_sfence();
}
#endif

LRD__HOT void lrd_copy(void *to, const void *from, size_t size)
{
#if defined(__x86_64__)
    if (size > LRD__COPY_AROUND && lrd__copy_cold) {
        copy_around(to, from, size);
        return;
    }
#endif
    if (size != 0)
        memcpy(to, from, size);
}

LRD__HOT void lrd__copy_fill(const void *from, void *build, const void *data, size_t size)
{
    (void)data;
    lrd_copy(build, from, size);
}
