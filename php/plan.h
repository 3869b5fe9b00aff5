/* plan.h - where everything of a value will lie in its block: the measuring pass. */
#ifndef LARDER_PLAN_H
#define LARDER_PLAN_H

#include "php_larder.h"

/* A block of type LARDER_ARRAY:
 *
 *   0            56                 (a multiple of 8)
 *   +------------+------------------+------------+----------+------------+-----
 *   | zend_array | its hash part    | strings it | further  | their data | ...
 *   | (the root) | and its elements | refers to  | arrays   |            |
 *   +------------+------------------+------------+----------+------------+-----
 *
 * Pointers are absolute, in the read-only alias. A string occurs once, however often it is used; so
 * does an array that occurs several times in the value. An empty array has two words of its own. */
_Static_assert(sizeof(zend_array) == 56, "a change here needs a new LARDER_CODEC");
_Static_assert(sizeof(zval) == 16 && sizeof(Bucket) == 32,
               "a change here needs a new LARDER_CODEC");
_Static_assert(offsetof(zend_string, val) == 24, "a change here needs a new LARDER_CODEC");

typedef enum larder_measured {
    LARDER_NATIVE,    /* the plan is ready to be built */
    LARDER_SERIALIZE, /* it has an object, a resource or a PHP reference inside */
    LARDER_TOO_LARGE,
    LARDER_NO_MEMORY
} larder_measured;

typedef struct larder_planned_array {
    const HashTable *source;
    size_t at;     /* offset of the zend_array in the block; its data follows */
    uint32_t used; /* elements, or zvals of a packed array with its holes; 0: empty */
    uint32_t size; /* nTableSize */
    bool plain;    /* packed, and refers to nothing: copied as it is */
} larder_planned_array;

typedef struct larder_planned_string {
    const zend_string *source; /* its hash is known */
    size_t at;
} larder_planned_string;

/* A cell of the table that finds strings by content and arrays by address. */
typedef struct larder_cell {
    uint32_t stamp; /* of the plan that filled it: others count as empty */
    uint32_t index; /* in strings, or in arrays with LARDER_CELL_ARRAY */
} larder_cell;
#define LARDER_CELL_ARRAY 0x80000000u

typedef struct larder_plan {
    size_t size, limit; /* bytes */
    larder_planned_array *arrays;
    larder_planned_string *strings;
    size_t *targets; /* offset of each string or array referred to, in the order of building */
    larder_cell *cells;
    uint32_t arrays_used, arrays_room;
    uint32_t strings_used, strings_room;
    size_t targets_used, targets_room;
    uint32_t cells_used, cells_room, stamp;
    bool shared;   /* an array occurs more than once */
    bool referred; /* an array lies behind a reference */
} larder_plan;

/* The plan for an array. It refers to the value, so nothing may happen to that before it is built.
 * Allocates with malloc only, calls nothing of PHP. */
larder_measured larder_plan_array(const HashTable *array, size_t limit, larder_plan **out);

/* Write the planned array, and nothing but memory. data: where everybody will read build. */
void larder_build_array(const larder_plan *plan, char *build, const char *data);
void larder_build_string(const zend_string *source, char *build);
#define LARDER_STRING_SIZE(len) ZEND_MM_ALIGNED_SIZE_EX(_ZSTR_STRUCT_SIZE(len), 8)

/* What stands for an element: behind an INDIRECT, and behind a reference that nobody else has. */
static zend_always_inline const zval *larder_element(const zval *element)
{
    if (UNEXPECTED(Z_TYPE_P(element) == IS_INDIRECT))
        element = Z_INDIRECT_P(element);
    if (UNEXPECTED(Z_ISREF_P(element)) && Z_REFCOUNT_P(element) == 1)
        element = Z_REFVAL_P(element);
    return element;
}

#endif
