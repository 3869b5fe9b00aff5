/* format.h - the layout of a stored PHP value. A change needs a new LARDER_CODEC, because processes
 * of the same LARDER_CODEC read each other's blocks. put/write.c writes the blocks; fetch/ and
 * ruby/ext/larder/php_layout.c read them. */
#ifndef LARDER_FORMAT_FORMAT_H
#define LARDER_FORMAT_FORMAT_H

#include "php.h"
#include "larder_host.h"
#include "larder_common.h"

#define LARDER_CODEC 11 /* version of the layout of values */

/* A fetch copies values of type LRD_TYPE_PLAIN or higher. Values of lower types are read in place,
 * and the request holds their blocks meanwhile. Ints are counters of the core
 * (LRD_TYPE_COUNTER). */
typedef enum larder_type {
    /* an immutable zend_array with its data */
    LARDER_ARRAY = 1,
    LARDER_STRING,     /* an interned zend_string */
    LARDER_SERIALIZED, /* the text of php_var_serialize() */
    /* a value with objects or references; the layout is below */
    LARDER_GRAPH,
    /* the address of a string or array of another entry */
    LARDER_ALIAS,
    LARDER_IGBINARY,              /* bytes of igbinary_serialize() */
    LARDER_NULL = LRD_TYPE_PLAIN, /* no bytes */
    LARDER_FALSE,                 /* no bytes */
    LARDER_TRUE,                  /* no bytes */
    LARDER_DOUBLE,                /* a double */
    LARDER_EMPTY_ARRAY,           /* an empty array that never had elements */
    LARDER_SHORT,                 /* the bytes of a short string */
    /* the mark of a destroyed session; see session/handler.c */
    LARDER_ENDED = 251,
    /* a lease, which is the right to fill a key; see pool_lease.c */
    LARDER_LEASE = 252,
    LARDER_FILE = 253, /* a file's content; see files/files.c */
    LARDER_POOL = 254  /* a pool's record; see pool.c */
} larder_type;

/* strings of at most this length in bytes are copied, because a hold would cost more */
#define LARDER_COPY_MAX 64u

/* A block of type LARDER_ARRAY:
 *
 *   0            56 (a multiple of 8)
 *   +------------+------------------+------------+----------+------------+-----
 *   | zend_array | its hash part    | strings it | further  | their data | ...
 *   | (the root) | and its elements | refers to  | arrays   |            |
 *   +------------+------------------+------------+----------+------------+-----
 *
 * - Pointers are absolute addresses in the read-only mapping of the store.
 * - A string or array that occurs several times is stored once. LARDER_SAME_HASH, put/parts.h,
 *   put/small.c, put/few.c and put/alike.c describe the exceptions.
 * - Even an empty array has a hash part of two words.
 * - In an immutable store, a value may refer to strings and arrays of earlier values. If the whole
 *   value is such a part, the block has only its address (LARDER_ALIAS).
 *
 * A block of type LARDER_GRAPH ends with a larder_graph.
 * - A node is a part that each request copies: an object, a PHP reference, or an array that
 *   contains a node. Other parts are stored as in a LARDER_ARRAY.
 * - A reference to a node is a zval of type LARDER_NODE, with the node's number and kind.
 * - An array is constant if it contains no nodes other than enum cases and constant arrays. A
 *   worker may keep constant arrays. */
_Static_assert(sizeof(zend_array) == 56, "a change here needs a new LARDER_CODEC");
_Static_assert(sizeof(zval) == 16 && sizeof(Bucket) == 32,
               "a change here needs a new LARDER_CODEC");
_Static_assert(offsetof(zend_string, val) == 24, "a change here needs a new LARDER_CODEC");

#define LARDER_NODE IS_PTR /* no variable of a program can have this type */
/* type of a slot whose value is the default value that the class has in the reading request */
#define LARDER_DEFAULT IS_INDIRECT

typedef struct larder_graph {
    /* lengths of the tables of classes, nodes and calls; number of nodes that are enum cases */
    uint32_t classes, nodes, calls, cases;
    uint32_t flags; /* LARDER_GRAPH_* */
    /* number of nodes that are enum cases or constant arrays; they have the lowest numbers */
    uint32_t first;
    /* offsets in bytes of the tables of classes, nodes and calls */
    uint64_t classes_at, nodes_at, calls_at;
    /* the time of the write; 0 if workers must not keep any part of the graph (fetch/resident.h) */
    uint64_t built;
    zval root;
} larder_graph;
/* at least one node occurs several times */
#define LARDER_GRAPH_CYCLIC 1u
#define LARDER_GRAPH_MADE 2u  /* only the engine can create some of the objects */
#define LARDER_GRAPH_ADDED 4u /* some objects have undeclared properties */
/* each object and array occurs once, in the order of building */
#define LARDER_GRAPH_SIMPLE 8u
#define LARDER_GRAPH_RESIDENT 16u /* all objects are immutable, so a worker may keep the graph */
/* the value of a pinned static property, which a worker may keep */
#define LARDER_GRAPH_LIVES 64u
#define LARDER_GRAPH_CONSTANTS 32u /* a worker may keep the constants of the graph */
_Static_assert(sizeof(larder_graph) == 72, "a change here needs a new LARDER_CODEC");
/* The table of calls has the numbers of the nodes whose __unserialize() or __wakeup() a fetch
 * calls, in the order of the calls. */

/* Describes the class of stored objects, or an alias (see class_alias()) in the type of a slot. If
 * the alias names another class at the fetch, the fetch fails. */
typedef struct larder_graph_class {
    zend_string *name, *lower; /* strings in the block */
    uint64_t fingerprint;
    uint32_t slots;
    uint32_t kind; /* larder_class_kind */
} larder_graph_class;
_Static_assert(sizeof(larder_graph_class) == 32, "a change here needs a new LARDER_CODEC");

/* The kind of a node, and the data at its offset `at`. */
typedef enum larder_node_kind {
    /* an object; `at`: its slots and, if it has undeclared properties, a zval of their array */
    LARDER_NODE_OBJECT,
    LARDER_NODE_WRAP, /* an object that contains an array, such as an ArrayObject; `at`: its slots,
                         then a zval of the array */
    /* an object with elements; `at`: its slots, then a larder_list, then the elements */
    LARDER_NODE_LIST,
    /* an object of one of PHP's own classes; `at`: its content, for example a larder_date, then its
     * slots */
    LARDER_NODE_CONTENT,
    /* an object; `at`: a larder_period, then its slots except the first LARDER_PERIOD_SLOTS */
    LARDER_NODE_PERIOD,
    LARDER_NODE_STATE,    /* an object; `at`: a zval of the array for __unserialize() */
    LARDER_NODE_CARBON,   /* a Carbon object; a fetch may call its hook; `at`: a larder_date */
    LARDER_NODE_CASE,     /* a case of an enum; `at`: a zval of its name */
    LARDER_NODE_ARRAY,    /* `at`: its zend_array */
    LARDER_NODE_REFERENCE /* `at`: a zval */
} larder_node_kind;

static zend_always_inline bool larder_node_has_content(uint8_t kind)
{
    return kind == LARDER_NODE_CONTENT || kind == LARDER_NODE_PERIOD || kind == LARDER_NODE_CARBON;
}

typedef struct larder_graph_node {
    uint64_t at;   /* offset in bytes of the node's content, from the start of the value */
    uint32_t uses; /* number of references to the node in the graph */
    uint32_t class_index;
    uint8_t kind;  /* larder_node_kind */
    bool added;    /* true if the object has undeclared properties */
    bool defaults; /* true if some slots are LARDER_DEFAULT */
    bool constant; /* true if the node is a constant array */
    /* one bit for each slot: 1 if it refers to a node. Slots from LARDER_PLACES - 1 on share the
     * last bit. */
    uint32_t places;
} larder_graph_node;
_Static_assert(sizeof(larder_graph_node) == 24, "a change here needs a new LARDER_CODEC");

#define LARDER_PLACES 32 /* number of bits of `places` */

static zend_always_inline uint32_t larder_node_index(const zval *value)
{
    return (uint32_t)Z_LVAL_P(value);
}

static zend_always_inline uint8_t larder_node_kind_of(const zval *value)
{
    return (uint8_t)((zend_ulong)Z_LVAL_P(value) >> 32);
}

static zend_always_inline void larder_node_set(zval *value, uint32_t index, uint8_t kind)
{
    Z_LVAL_P(value) = (zend_long)((zend_ulong)kind << 32 | index);
    Z_TYPE_INFO_P(value) = LARDER_NODE;
}

typedef struct larder_list {
    uint32_t count;
    int32_t flags;
    bool nodes; /* true if some elements are nodes */
    uint8_t reserved[7];
} larder_list;
_Static_assert(sizeof(larder_list) == sizeof(zval), "a change here needs a new LARDER_CODEC");

static zend_always_inline const larder_graph *larder_graph_of(const lrd_value *value)
{
    return (const larder_graph *)(const void *)((const char *)value->data + value->size -
                                                sizeof(larder_graph));
}

typedef enum larder_class_kind {
    LARDER_CLASS_OTHER, /* objects are stored by PHP's serializer */
    /* an object is stored as its slots and its undeclared properties */
    LARDER_CLASS_PLAIN,
    LARDER_CLASS_SLEEP, /* like LARDER_CLASS_PLAIN, but with __sleep() or __wakeup() */
    /* an object is stored as an array: the result of __serialize(), or the properties */
    LARDER_CLASS_STATE,
    /* PHP's own classes; stored as content and slots, or as the result of __serialize() */
    LARDER_CLASS_BUILTIN,
    LARDER_CLASS_ENUM, /* the objects of the class are enum cases */
    /* an alias (class_alias()) in the type of a slot */
    LARDER_CLASS_ALIAS
} larder_class_kind;

typedef struct larder_date {
    union {
        struct {
            /* abbreviation of the time zone, as in the result of __serialize(), padded with
             * zeros */
            char zone[40];
            int64_t local; /* local time in this zone: seconds since 1970-01-01 00:00:00 */
            int32_t year, microsecond;
            uint8_t month, day, hour, minute, second;
            uint8_t zone_type;
            uint8_t reserved[2];
        } time; /* a stored time zone has only `zone` and `zone_type` */
        struct {
            int64_t y, m, d, h, i, s, us, days;
            int64_t invert;
        } interval;
    };
} larder_date;
_Static_assert(sizeof(larder_date) == 72, "a change here needs a new LARDER_CODEC");

/* Number of slots of DatePeriod. These slots come first in each object. They are not stored,
 * because period_fill() sets them. */
#if PHP_VERSION_ID >= 80500
#define LARDER_PERIOD_SLOTS 0u /* PHP computes the properties */
#else
#define LARDER_PERIOD_SLOTS 7u
#endif

typedef struct larder_period {
    larder_date start, current, end; /* a date is absent if its zone_type is 0 */
    larder_date interval;
    int32_t recurrences;
    /* Any number but 0 means true. The type is not bool, because damaged bytes may contain any
     * number. */
    uint8_t immutable; /* the dates are of the class DateTimeImmutable */
    uint8_t include_start, include_end;
    uint8_t reserved;
} larder_period;
_Static_assert(sizeof(larder_period) == 4 * sizeof(larder_date) + 8,
               "a change here needs a new LARDER_CODEC");

#define LARDER_STRING_SIZE(len) ZEND_MM_ALIGNED_SIZE_EX(_ZSTR_STRUCT_SIZE(len), 8)

static zend_always_inline uint32_t larder_table_size(uint32_t used)
{
    return used <= HT_MIN_SIZE ? HT_MIN_SIZE : 2u << (31 - __builtin_clz(used - 1));
}

/* Write the header of a stored array, except nNextFreeElement. `data` is the address at which
 * readers see the elements. */
static zend_always_inline void larder_array_header(zend_array *array, uint32_t flags, uint32_t mask,
                                                   uint32_t size, uint32_t used, uintptr_t data)
{
    GC_SET_REFCOUNT(array, 2);
    GC_TYPE_INFO(array) = GC_ARRAY | (IS_ARRAY_IMMUTABLE << GC_FLAGS_SHIFT);
    HT_FLAGS(array) = flags;
    array->nTableMask = mask;
    array->arData = (Bucket *)data;
    array->nNumUsed = array->nNumOfElements = used;
    array->nTableSize = size;
    array->nInternalPointer = 0;
    array->pDestructor = NULL;
}

static zend_always_inline void larder_hash_clear(uint32_t *hash, uint32_t mask)
{
    /* faster than memset() for most hash parts, which have two slots */
    if (EXPECTED(mask == HT_MIN_MASK))
        hash[0] = hash[1] = HT_INVALID_IDX;
    else
        memset(hash, 0xff, HT_HASH_SIZE(mask));
}

/* Add bucket `i` to its chain in the hash part. The hash part lies directly before the buckets. The
 * bucket's `h` must be set already. */
static zend_always_inline void larder_hash_chain(Bucket *buckets, uint32_t mask, uint32_t i)
{
    uint32_t *chain = (uint32_t *)buckets + (int32_t)((uint32_t)buckets[i].h | mask);
    Z_NEXT(buckets[i].val) = *chain;
    *chain = HT_IDX_TO_HASH(i);
}

/* True if this engine can reset hash parts (HT_HASH_RESET) of less than 64 bytes. An older engine
 * would write beyond their end. */
extern bool larder_tables_narrow;
void larder_tables_startup(void);

/* Return a time in nanoseconds for larder_graph.built. A thread gets another time from each call.
 * So two graphs that a thread has stored at the same address have different times. */
uint64_t larder_built_now(void);

/* Return the nTableMask of a stored array. A stored array has size / 2 hash slots (2 if `size` is
 * 8); the engine's own arrays have 2 * size slots. */
static zend_always_inline uint32_t larder_table_mask(uint32_t size)
{
    if (UNEXPECTED(!larder_tables_narrow))
        return HT_SIZE_TO_MASK(size);
    return size == HT_MIN_SIZE ? HT_MIN_MASK : (uint32_t) - (int32_t)(size / 2);
}

/* Return the nNextFreeElement of an array after the insertion of `key`. `next` is the value before
 * the insertion. */
static zend_always_inline zend_long larder_next_key(zend_long next, zend_long key)
{
    if (key < next)
        return next;
    return EXPECTED(key != ZEND_LONG_MAX) ? key + 1 : key;
}

/* First bytes of the keys that Larder itself uses (api/pool.c, files/, statics/).
 * - Writes and queries refuse such keys.
 * - A get checks for such a key only if it finds no entry. So a get with such a key can return a
 *   static or a counter of files/.
 * - Entries that a program must not read have types that no get returns. */
#define LARDER_RESERVED LRD_COMMON_RESERVED
static zend_always_inline bool larder_key_reserved(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= sizeof LARDER_RESERVED - 1 &&
           memcmp(key, LARDER_RESERVED, sizeof LARDER_RESERVED - 1) == 0;
}

#endif
