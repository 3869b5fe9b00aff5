/* fuzz_pack.c - libFuzzer target: packs and unpacks any bytes. A value must be the same after
 * packing and unpacking. Bytes that are not a packed value may be unpacked or refused. The buffers
 * have exact sizes, so that the sanitizer notices each access beyond their ends.
 *
 * Input: a byte. If it is even, the bytes to pack follow. If it is odd, the unpacked size (2 bytes)
 * and a packed value without its head follow. */
#include "larder_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static uint8_t *fuzz_copy(const uint8_t *from, size_t size)
{
    uint8_t *copy = malloc(size != 0 ? size : 1);
    fuzz_require(copy != NULL, "no memory");
    if (size != 0)
        memcpy(copy, from, size);
    return copy;
}

static void fuzz_unpack(const uint8_t *data, size_t size)
{
    if (size < 2)
        return;
    uint8_t *bytes = fuzz_copy(data + 2, size - 2);
    lrd_packed packed = {.bytes = bytes,
                         .stored = size - 2,
                         .compressed = true,
                         .raw = (uint32_t)(data[0] | data[1] << 8)};
    uint8_t *to = malloc(packed.raw + 1u);
    fuzz_require(to != NULL, "no memory");
    int rc = lrd_unpack(&packed, to);
    fuzz_require(rc == LRD_OK || rc == LRD_EFORMAT, "another code");
    free(to);
    free(bytes);
}

static void fuzz_pack(const uint8_t *data, size_t size)
{
    uint8_t *from = fuzz_copy(data, size), *to = malloc(lrd_pack_bound(size));
    fuzz_require(to != NULL, "no memory");
    size_t bytes = lrd_pack(to, from, size, 9, size, LRD_COMPRESS_SMALL);
    uint8_t *packed = fuzz_copy(to, bytes);
    lrd_packed head;
    fuzz_require(lrd_packed_open(packed, bytes, &head) == LRD_OK && head.raw == size &&
                     head.type == 9,
                 "its head is wrong");
    uint8_t *back = malloc(size != 0 ? size : 1);
    fuzz_require(back != NULL && lrd_unpack(&head, back) == LRD_OK, "it cannot be unpacked");
    fuzz_require(size == 0 || memcmp(back, from, size) == 0, "other bytes came back");
    /* open the random bytes as if they were a packed value */
    (void)lrd_packed_open(from, size, &head);
    free(back);
    free(packed);
    free(to);
    free(from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] & 1)
        fuzz_unpack(data + 1, size - 1);
    else
        fuzz_pack(data + 1, size - 1);
    return 0;
}
