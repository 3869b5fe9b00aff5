/* format.h - the layout of a PHP value in its block: the stored structures, on which every reading
 * process relies. A change needs a new LARDER_CODEC. Written by put/write.c, read by fetch/; Ruby
 * reads a part, see ruby/ext/larder/php_layout.c. */
#ifndef LARDER_FORMAT_FORMAT_H
#define LARDER_FORMAT_FORMAT_H

#include "php.h"
#include "larder_host.h"
#include "larder_common.h"

#define LARDER_CODEC 11 /* version of the layout of values */

/* The type of a stored value. An int is a counter of the core (LRD_TYPE_COUNTER). Values of
 * types from LRD_TYPE_PLAIN on are copied when they are read; values of the other types are held
 * while they are used. */
typedef enum larder_type {
    LARDER_ARRAY = 1,             /* an immutable zend_array, then the data that it points to */
    LARDER_STRING,                /* a zend_string, interned */
    LARDER_SERIALIZED,            /* text of php_var_serialize() */
    LARDER_GRAPH,                 /* objects, and the values that they refer to; see plan.h */
    LARDER_ALIAS,                 /* the address of a string or an array of another entry */
    LARDER_IGBINARY,              /* bytes of igbinary_serialize() */
    LARDER_NULL = LRD_TYPE_PLAIN, /* nothing */
    LARDER_FALSE,                 /* nothing */
    LARDER_TRUE,                  /* nothing */
    LARDER_DOUBLE,                /* a double */
    LARDER_EMPTY_ARRAY,           /* a [] that never had elements; it has no bytes */
    LARDER_SHORT,                 /* the bytes of a short string */
    /* not a value of PHP: the mark of a destroyed session, see session/handler.c */
    LARDER_ENDED = 251,
    /* not a value of PHP: a lease, which is the right to fill a key, see pool_lease.c */
    LARDER_LEASE = 252,
    LARDER_FILE = 253, /* not a value of PHP: a file's content, see files/files.c */
    LARDER_POOL = 254  /* not a value of PHP: a pool's record, see pool.c */
} larder_type;

/* Strings of up to this many bytes are copied, which costs less than a hold. */
#define LARDER_COPY_MAX 64u

/* A block of type LARDER_ARRAY:
 *
 *   0            56 (a multiple of 8)
 *   +------------+------------------+------------+----------+------------+-----
 *   | zend_array | its hash part    | strings it | further  | their data | ...
 *   | (the root) | and its elements | refers to  | arrays   |            |
 *   +------------+------------------+------------+----------+------------+-----
 *
 * Pointers are absolute, in the read-only alias. A string is stored once, however often it is
 * used; LARDER_SAME_HASH and put/parts.h name exceptions. So is an array that occurs several
 * times in the value. An empty array has two words of its own. In an immutable store, which
 * frees nothing, strings and arrays that lie in that store already are referred to in place. An
 * entry that consists of one of them is a LARDER_ALIAS.
 *
 * A block of type LARDER_GRAPH ends with a larder_graph. A node is a part that each request
 * needs for itself: an object, a PHP reference, or an array that contains a node. All else is as
 * above. In the place of a node stands a zval of type LARDER_NODE with its number and kind. An
 * array is constant if all its nodes are cases of enums, or constant arrays. A constant array is
 * built once and serves all fetches. */
_Static_assert(sizeof(zend_array) == 56, "a change here needs a new LARDER_CODEC");
_Static_assert(sizeof(zval) == 16 && sizeof(Bucket) == 32,
               "a change here needs a new LARDER_CODEC");
_Static_assert(offsetof(zend_string, val) == 24, "a change here needs a new LARDER_CODEC");

#define LARDER_NODE IS_PTR         /* no value of PHP has this type */
#define LARDER_DEFAULT IS_INDIRECT /* marks a slot that takes the default of the class */

typedef struct larder_graph {
    uint32_t classes, nodes, calls, cases; /* numbers of each */
    uint32_t flags;                        /* LARDER_GRAPH_* */
    uint32_t first; /* number of cases and constant arrays, which come first */
    /* offset of the root from the start of the value, in bytes */
    uint64_t classes_at, nodes_at, calls_at;
    uint64_t built; /* time of building, if a part can be resident; else 0 */
    zval root;
} larder_graph;
/* a node occurs twice, so the graph may have a cycle */
#define LARDER_GRAPH_CYCLIC 1u
#define LARDER_GRAPH_MADE 2u  /* the engine makes some of the objects */
#define LARDER_GRAPH_ADDED 4u /* objects have added properties */
/* all objects and arrays occur once, in the order of building */
#define LARDER_GRAPH_SIMPLE 8u
#define LARDER_GRAPH_RESIDENT 16u /* the fetched objects are immutable */
/* the graph of a pinned static: built once per worker if possible */
#define LARDER_GRAPH_LIVES 64u
#define LARDER_GRAPH_CONSTANTS 32u /* only the constant part can be resident */
_Static_assert(sizeof(larder_graph) == 72, "a change here needs a new LARDER_CODEC");
/* calls: numbers of the nodes whose __unserialize() or __wakeup() is called, in that order. */

/* A class of objects in the graph, or an alias in the type of one of their slots. An alias must
 * still name the same class. */
typedef struct larder_graph_class {
    zend_string *name, *lower; /* in the block */
    uint64_t fingerprint;
    uint32_t slots;
    uint32_t kind; /* larder_class_kind */
} larder_graph_class;
_Static_assert(sizeof(larder_graph_class) == 32, "a change here needs a new LARDER_CODEC");

typedef enum larder_node_kind {
    /* an object; at: its slots, then, if it has added properties, a zval of their array */
    LARDER_NODE_OBJECT,
    LARDER_NODE_WRAP, /* an object around an array; at: its slots, then a zval of the array */
    /* an object with elements; at: its slots, then a larder_list, then the elements */
    LARDER_NODE_LIST,
    /* an object; at: the content that its kind writes, such as a larder_date, then its slots */
    LARDER_NODE_CONTENT,
    /* an object; at: a larder_period, then its slots except LARDER_PERIOD_SLOTS */
    LARDER_NODE_PERIOD,
    LARDER_NODE_STATE,    /* an object; at: a zval of the array for its __unserialize() */
    LARDER_NODE_CARBON,   /* an object; at: a larder_date. It may be one of the calls */
    LARDER_NODE_CASE,     /* a case of an enum; at: a zval of its name */
    LARDER_NODE_ARRAY,    /* at: its zend_array */
    LARDER_NODE_REFERENCE /* at: a zval */
} larder_node_kind;

/* Return true if the node begins with the content of its kind. */
static zend_always_inline bool larder_node_has_content(uint8_t kind)
{
    return kind == LARDER_NODE_CONTENT || kind == LARDER_NODE_PERIOD || kind == LARDER_NODE_CARBON;
}

typedef struct larder_graph_node {
    uint64_t at;   /* offset of the node's content from the start of the value, in bytes */
    uint32_t uses; /* number of times that the node occurs: its reference count */
    uint32_t class_index;
    uint8_t kind;  /* larder_node_kind */
    bool added;    /* the object has added properties */
    bool defaults; /* some slots are LARDER_DEFAULT */
    bool constant; /* a constant array */
    /* one bit for each slot of an object that contains a node; the last bit stands for all further
     * slots */
    uint32_t places;
} larder_graph_node;
_Static_assert(sizeof(larder_graph_node) == 24, "a change here needs a new LARDER_CODEC");

#define LARDER_PLACES 32 /* bits of places */

/* Return the number of a LARDER_NODE, and its kind. */
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
    bool nodes; /* some elements are nodes */
    uint8_t reserved[7];
} larder_list;
_Static_assert(sizeof(larder_list) == sizeof(zval), "a change here needs a new LARDER_CODEC");

static zend_always_inline const larder_graph *larder_graph_of(const lrd_value *value)
{
    return (const larder_graph *)(const void *)((const char *)value->data + value->size -
                                                sizeof(larder_graph));
}

typedef enum larder_class_kind {
    LARDER_CLASS_OTHER, /* objects of the class go through PHP's serializer */
    LARDER_CLASS_PLAIN, /* an object consists of its property slots, and properties added to it */
    LARDER_CLASS_SLEEP, /* like LARDER_CLASS_PLAIN, with __sleep() or __wakeup() */
    /* an object is stored as what __serialize() returns, or, without it, as an array of its
     * properties */
    LARDER_CLASS_STATE,
    /* an object is its content and its slots, or what __serialize() returns */
    LARDER_CLASS_BUILTIN,
    LARDER_CLASS_ENUM, /* an object is one of the cases */
    LARDER_CLASS_ALIAS /* the class of no object in a graph: only a name in a type of a slot */
} larder_class_kind;

typedef struct larder_date {
    union {
        struct {
            char zone[40]; /* the abbreviation as __serialize() names it, padded with zeros */
            int64_t local; /* local time of the zone: seconds from 1970-01-01 00:00:00 */
            int32_t year, microsecond;
            uint8_t month, day, hour, minute, second;
            uint8_t zone_type;
            uint8_t reserved[2];
        } time; /* for a zone alone, only zone and zone_type are used */
        struct {
            int64_t y, m, d, h, i, s, us, days;
            int64_t invert;
        } interval;
    };
} larder_date;
_Static_assert(sizeof(larder_date) == 72, "a change here needs a new LARDER_CODEC");

/* The number of leading slots that the engine fills from the content; they are not stored. */
#if PHP_VERSION_ID >= 80500
#define LARDER_PERIOD_SLOTS 0u /* its properties are virtual: made when they are read */
#else
#define LARDER_PERIOD_SLOTS 7u
#endif

typedef struct larder_period {
    larder_date start, current, end; /* a date with zone_type 0 is missing */
    larder_date interval;
    int32_t recurrences;
    bool immutable; /* the dates are DateTimeImmutable */
    bool include_start, include_end;
    uint8_t reserved;
} larder_period;
_Static_assert(sizeof(larder_period) == 4 * sizeof(larder_date) + 8,
               "a change here needs a new LARDER_CODEC");

#define LARDER_STRING_SIZE(len) ZEND_MM_ALIGNED_SIZE_EX(_ZSTR_STRUCT_SIZE(len), 8)

/* Return nTableSize of a stored array with `used` elements. */
static zend_always_inline uint32_t larder_table_size(uint32_t used)
{
    return used <= HT_MIN_SIZE ? HT_MIN_SIZE : 2u << (31 - __builtin_clz(used - 1));
}

/* True if this engine correctly resets a hash part of less than 64 bytes. Set once, at startup.
 * An engine that does not would overwrite memory endlessly when it copies a stored array for
 * writing (HT_HASH_RESET). */
extern bool larder_tables_narrow;
void larder_tables_startup(void);

/* Return a time in nanoseconds for larder_graph.built. The time and the address of a value
 * distinguish it from all earlier values at that address: a thread never gives the same time
 * twice, however coarse the clock is. */
uint64_t larder_built_now(void);

/* Return nTableMask of a stored array of this nTableSize: two slots up to 8 elements, beyond that
 * half as many slots as elements. The engine itself takes twice as many slots as elements. */
static zend_always_inline uint32_t larder_table_mask(uint32_t size)
{
    if (UNEXPECTED(!larder_tables_narrow))
        return HT_SIZE_TO_MASK(size);
    return size == HT_MIN_SIZE ? HT_MIN_MASK : (uint32_t) - (int32_t)(size / 2);
}

/* The prefix of Larder's own keys (api/pool.c, files/, statics/). Writes and queries refuse such
 * keys. A get cannot return the values of such keys, so it need not check for the prefix. */
#define LARDER_RESERVED LRD_COMMON_RESERVED
static zend_always_inline bool larder_key_reserved(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= sizeof LARDER_RESERVED - 1 &&
           memcmp(key, LARDER_RESERVED, sizeof LARDER_RESERVED - 1) == 0;
}

#endif
