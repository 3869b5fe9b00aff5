/* floor_bench.c - the least time in which a large PHP array can be stored. Copies an array of 1,000
 * strings with string keys, in PHP's memory layout, into shared memory. bench/lib measures how long
 * Larder takes to save such an array; this file uses nothing of Larder. For comparison, one
 * memcpy() copies the same number of bytes. Exit code 1: a copy differs from its source. */
#include "bench.h"

#define ELEMENTS 1000u
#define ROUNDS 2001u
#define AREAS 16u /* consecutive copies go to different areas of shared memory */
#define AREA ((size_t)256 << 10)

/* The layouts of PHP's zend_string and Bucket. */
typedef struct text {
    uint32_t refcount, info;
    uint64_t hash;
    size_t length;
    char bytes[];
} text;

typedef struct element {
    const text *value;
    uint32_t type, next;
    uint64_t hash;
    const text *key;
} element;

static size_t text_size(size_t length) { return sizeof(text) + (length + 8) / 8 * 8; }

static text *text_new(const char *format, unsigned number)
{
    char bytes[32];
    int length = snprintf(bytes, sizeof bytes, format, number);
    text *made = bench_alloc(1, text_size((size_t)length));
    made->length = (size_t)length;
    memcpy(made->bytes, bytes, (size_t)length);
    return made;
}

static const text *text_copy(const text *from, char **to)
{
    size_t size = text_size(from->length);
    const text *copy = (const text *)(void *)*to;
    memcpy(*to, from, size);
    *to += size;
    return copy;
}

/* Copy the array to `to`. Return the number of bytes that were written. */
static size_t copy(const element *from, char *to)
{
    element *elements = (element *)(void *)to;
    char *at = to + ELEMENTS * sizeof *from;
    for (unsigned i = 0; i < ELEMENTS; i++) {
        elements[i] = from[i];
        elements[i].key = text_copy(from[i].key, &at);
        elements[i].value = text_copy(from[i].value, &at);
    }
    return (size_t)(at - to);
}

static bool same(const text *a, const text *b)
{
    return a != b && a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

int main(void)
{
    static double each[ROUNDS], whole[ROUNDS];
    static element elements[ELEMENTS];
    char *shared = bench_shared(AREAS * AREA), *flat = bench_alloc(1, AREA);
    size_t bytes = 0, wrong = 0;
    for (unsigned i = 0; i < ELEMENTS; i++)
        elements[i] = (element){.key = text_new("key %u", i), .value = text_new("value %u", i)};
    memset(shared, 1, AREAS * AREA);
    for (unsigned round = 0; round < ROUNDS; round++) {
        char *to = shared + round % AREAS * AREA;
        uint64_t start = bench_wall_ns();
        bytes = copy(elements, to);
        each[round] = (double)(bench_wall_ns() - start);
        for (unsigned i = 0; i < ELEMENTS; i++) {
            const element *copied = (const element *)(const void *)to + i;
            wrong += !same(copied->key, elements[i].key) || !same(copied->value, elements[i].value);
        }
        memcpy(flat, to, bytes);
        start = bench_wall_ns();
        memcpy(to, flat, bytes);
        whole[round] = (double)(bench_wall_ns() - start);
    }
    printf("%u strings by %u strings, %zu bytes: each copied %.0f ns, one memcpy() %.0f ns\n",
           ELEMENTS, ELEMENTS, bytes, bench_median(each, ROUNDS), bench_median(whole, ROUNDS));
    if (wrong != 0)
        printf("WRONG: %zu strings differ\n", wrong);
    return wrong != 0;
}
