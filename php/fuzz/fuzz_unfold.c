/* fuzz_unfold.c - gives forged bytes to the decoder of packed graphs (php/src/pack/unfold.c). The
 * decoder must refuse these bytes, or write a block whose pointers all stay inside the block. The
 * block has exactly the size in the input, so the sanitizer notices any access beyond it. Runs
 * without PHP: the functions of PHP that the decoder calls are here.
 *
 * Input: four bytes with the size of the block, then the bytes of the graph (see pack_graph.h).
 * php/fuzz/seeds.php writes some inputs. */
#include "php_larder.h"
#include "pack/decode.h"
#include "request/moves.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- functions and data of PHP, and of the rest of the extension ---- */

zend_larder_globals larder_globals;
/* use small hash parts, as in newer PHP versions; see php/src/format/format.h */
bool larder_tables_narrow = true;
const HashTable zend_empty_array = {.nNextFreeElement = ZEND_LONG_MIN};

static void fuzz_require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

ZEND_API zend_ulong ZEND_FASTCALL zend_hash_func(const char *text, size_t length)
{
    zend_ulong hash = 5381;
    for (size_t i = 0; i < length; i++)
        hash = hash * 33 + (uint8_t)text[i];
    return hash | 0x8000000000000000u;
}

ZEND_API void ZEND_FASTCALL zend_str_tolower(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 'A' && text[i] <= 'Z')
            text[i] = (char)(text[i] + 'a' - 'A');
}

ZEND_API void *ZEND_FASTCALL _safe_emalloc(size_t count, size_t size, size_t more)
{
    size_t bytes;
    fuzz_require(!__builtin_mul_overflow(count, size, &bytes), "too much memory");
    return malloc(bytes + more);
}

ZEND_API void *ZEND_FASTCALL(_emalloc)(size_t size) { return malloc(size); }
#define FUZZ_ALLOCATOR(number, bytes, elements, pages, x, y)                                       \
    ZEND_API void *ZEND_FASTCALL _emalloc_##bytes(void) { return malloc(bytes); }
ZEND_MM_BINS_INFO(FUZZ_ALLOCATOR, , )
ZEND_API void ZEND_FASTCALL _efree(void *memory) { free(memory); }

/* Memory that is freed after each input. */
static struct fuzz_memory {
    struct fuzz_memory *next;
    _Alignas(16) char data[];
} * fuzz_memory;

static void *fuzz_alloc(size_t size)
{
    struct fuzz_memory *memory = calloc(1, sizeof *memory + size);
    fuzz_require(memory != NULL, "no memory");
    memory->next = fuzz_memory;
    fuzz_memory = memory;
    return memory->data;
}

void *larder_request_alloc(size_t size) { return fuzz_alloc(size); }

static zend_string *fuzz_string(zend_string *string, const char *text, size_t length, bool interned)
{
    GC_SET_REFCOUNT(string, 1);
    GC_TYPE_INFO(string) = GC_STRING | (interned ? IS_STR_INTERNED << GC_FLAGS_SHIFT : 0);
    ZSTR_LEN(string) = length;
    memcpy(ZSTR_VAL(string), text, length);
    ZSTR_VAL(string)[length] = '\0';
    ZSTR_H(string) = zend_hash_func(text, length);
    return string;
}

ZEND_API zend_ulong ZEND_FASTCALL zend_string_hash_func(zend_string *string)
{
    return ZSTR_H(string) = zend_hash_func(ZSTR_VAL(string), ZSTR_LEN(string));
}

ZEND_API zend_string *zend_empty_string;
ZEND_API zend_string *zend_one_char_string[256];

/* Return an interned string if the length is even. Such a string stands for a literal of the
 * program. If the length is odd, return a new string. */
static zend_string *ZEND_FASTCALL fuzz_literal(const char *text, size_t length, bool permanent)
{
    size_t size = _ZSTR_STRUCT_SIZE(length);
    bool interned = length % 2 == 0;
    (void)permanent;
    return fuzz_string(interned ? fuzz_alloc(size) : malloc(size), text, length, interned);
}
ZEND_API zend_string_init_existing_interned_func_t zend_string_init_existing_interned =
    fuzz_literal;

static void fuzz_begin(void)
{
    char text = 0;
    zend_empty_string = fuzz_string(fuzz_alloc(_ZSTR_STRUCT_SIZE(0)), &text, 0, true);
    for (unsigned i = 0; i < 256; i++) {
        text = (char)i;
        zend_one_char_string[i] = fuzz_string(fuzz_alloc(_ZSTR_STRUCT_SIZE(1)), &text, 1, true);
    }
}

static void fuzz_end(void)
{
    while (fuzz_memory != NULL) {
        struct fuzz_memory *next = fuzz_memory->next;
        free(fuzz_memory);
        fuzz_memory = next;
    }
    LARDER_G(known).literals = NULL;
}

uint64_t larder_built_now(void) { return 1; }

void lrd_copy(void *to, const void *from, size_t size) { memcpy(to, from, size); }

const uint8_t *larder_unpacked(const lrd_packed *packed) { return packed->bytes; }

/* ---- the target ---- */

/* Copy the block, and check its list of pointers. Each listed pointer must lie in the copy, and
 * must point into the copy. */
static void fuzz_pointers(const larder_unfolded *unfolded)
{
    char *copy = malloc(unfolded->size);
    fuzz_require(copy != NULL, "no memory");
    larder_fill_unfolded(unfolded, copy, copy, unfolded->size);
    for (size_t i = 0; i < unfolded->pointers_used; i++) {
        uint64_t at = unfolded->pointers[i];
        char *pointer;
        fuzz_require(at <= unfolded->size - sizeof pointer, "a pointer lies outside of its block");
        memcpy(&pointer, copy + at, sizeof pointer);
        fuzz_require(pointer >= copy && pointer <= copy + unfolded->size,
                     "a pointer leads out of its block");
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t ready;
    larder_unfolded unfolded;
    if (size < sizeof ready)
        return 0;
    memcpy(&ready, data, sizeof ready);
    size -= sizeof ready;
    uint8_t *bytes = malloc(size != 0 ? size : 1);
    fuzz_require(bytes != NULL, "no memory");
    memcpy(bytes, data + sizeof ready, size);
    lrd_packed packed = {.bytes = bytes,
                         .stored = size,
                         .raw = (uint32_t)size,
                         .ready = ready,
                         .type = LARDER_GRAPH};
    fuzz_begin();
    for (int moves = 0; moves < 2; moves++) {
        if (!larder_unfold(&packed, moves != 0, &unfolded))
            continue;
        if (moves)
            fuzz_pointers(&unfolded);
        larder_unfolded_free(&unfolded);
    }
    larder_pack_end(LARDER_G(scratch));
    LARDER_G(scratch) = NULL;
    fuzz_end();
    free(bytes);
    return 0;
}
