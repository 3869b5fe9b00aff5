/* format.h - how a value of PHP lies in its block: what is stored, and what every process that
 * reads it relies on. A change needs a new LARDER_CODEC. Written by put/write.c, read by fetch/;
 * Ruby reads a part, see ruby/ext/larder/php_layout.c. */
#ifndef LARDER_FORMAT_FORMAT_H
#define LARDER_FORMAT_FORMAT_H

#include "php.h"
#include "larder_host.h"
#include "larder_common.h"

#define LARDER_CODEC 9 /* version of the layout of values */

/* How a value lies in its block. An int is a counter of the core (LRD_TYPE_COUNTER). Types from
 * LRD_TYPE_PLAIN on are read at once; the others are held as long as they are used. */
typedef enum larder_type {
    LARDER_ARRAY = 1,             /* a zend_array, immutable, then all it points to */
    LARDER_STRING,                /* a zend_string, interned */
    LARDER_SERIALIZED,            /* text of php_var_serialize() */
    LARDER_GRAPH,                 /* objects, and what they refer to; see plan.h */
    LARDER_ALIAS,                 /* the address of a string or an array of another entry */
    LARDER_IGBINARY,              /* bytes of igbinary_serialize() */
    LARDER_NULL = LRD_TYPE_PLAIN, /* nothing */
    LARDER_FALSE,                 /* nothing */
    LARDER_TRUE,                  /* nothing */
    LARDER_DOUBLE,                /* a double */
    LARDER_EMPTY_ARRAY,           /* nothing: [] that was never anything else */
    LARDER_SHORT,                 /* the bytes of a short string */
    LARDER_ENDED = 251, /* no value of PHP's: a session was destroyed, see session/handler.c */
    LARDER_LEASE = 252, /* no value of PHP's: the right to fill a key, see pool_lease.c */
    LARDER_FILE = 253,  /* no value of PHP's: a file's content, see files/files.c */
    LARDER_POOL = 254   /* no value of PHP's: a pool's record, see pool.c */
} larder_type;

/* Strings of up to this many bytes are copied, which is cheaper for all than a hold. */
#define LARDER_COPY_MAX 64u

/* A block of type LARDER_ARRAY:
 *
 *   0            56 (a multiple of 8)
 *   +------------+------------------+------------+----------+------------+-----
 *   | zend_array | its hash part    | strings it | further  | their data | ...
 *   | (the root) | and its elements | refers to  | arrays   |            |
 *   +------------+------------------+------------+----------+------------+-----
 *
 * Pointers are absolute, in the read-only alias. A string occurs once, however often it is used
 * (but see LARDER_SAME_HASH, and parts.h of put); so does an array that occurs several times in the
 * value. An empty array has two words of its own. In an immutable store, where nothing is freed,
 * strings and arrays that lie in that store already are referred to as they are; an entry that is
 * nothing but one of them is a LARDER_ALIAS.
 *
 * A block of type LARDER_GRAPH ends with a larder_graph. What must be an own thing in each request
 * is a node: an object, a PHP reference, and an array that has a node in it. Everything else is as
 * above. Where a node belongs stands a zval of type LARDER_NODE with its number and kind. An array
 * in which all nodes are cases of enums, or such arrays, is constant: one that is built is good for
 * all fetches. */
_Static_assert(sizeof(zend_array) == 56, "a change here needs a new LARDER_CODEC");
_Static_assert(sizeof(zval) == 16 && sizeof(Bucket) == 32,
               "a change here needs a new LARDER_CODEC");
_Static_assert(offsetof(zend_string, val) == 24, "a change here needs a new LARDER_CODEC");

#define LARDER_NODE IS_PTR         /* no value of PHP has this type */
#define LARDER_DEFAULT IS_INDIRECT /* stands in a slot that has what the class says by then */

typedef struct larder_graph {
    uint32_t classes, nodes, calls, cases;   /* how many */
    uint32_t flags;                          /* LARDER_GRAPH_* */
    uint32_t first;                          /* so many nodes are cases and constant arrays */
    uint64_t classes_at, nodes_at, calls_at; /* bytes from the start of the value */
    uint64_t built; /* when, by the clock, where something can be resident; else 0 */
    zval root;
} larder_graph;
#define LARDER_GRAPH_CYCLIC 1u    /* a node occurs twice, so there may be a cycle */
#define LARDER_GRAPH_MADE 2u      /* there are objects that the engine makes */
#define LARDER_GRAPH_ADDED 4u     /* objects have added properties */
#define LARDER_GRAPH_SIMPLE 8u    /* objects and arrays that occur once, in the order of building */
#define LARDER_GRAPH_RESIDENT 16u /* the fetched objects are immutable */
#define LARDER_GRAPH_LIVES 64u    /* of a pinned static: built once per worker where that can be */
#define LARDER_GRAPH_CONSTANTS 32u /* only what is constant can be resident */
_Static_assert(sizeof(larder_graph) == 72, "a change here needs a new LARDER_CODEC");
/* calls: numbers of the nodes whose __unserialize() or __wakeup() is called, in that order. */

/* A class of objects in it, or an alias in the type of one of their slots, which is to be what it
 * was. */
typedef struct larder_graph_class {
    zend_string *name, *lower; /* in the block */
    uint64_t fingerprint;
    uint32_t slots;
    uint32_t kind; /* larder_class_kind */
} larder_graph_class;
_Static_assert(sizeof(larder_graph_class) == 32, "a change here needs a new LARDER_CODEC");

typedef enum larder_node_kind {
    LARDER_NODE_OBJECT, /* at: its slots, then, if it has added properties, a zval of their array */
    LARDER_NODE_WRAP,   /* an object around an array; at: its slots, then a zval of that */
    LARDER_NODE_LIST,   /* an object with elements; at: its slots, then a larder_list, then they */
    /* an object; at: what its kind writes, such as a larder_date, then its slots */
    LARDER_NODE_CONTENT,
    LARDER_NODE_PERIOD, /* the same; at: a larder_period, then its slots but LARDER_PERIOD_SLOTS */
    LARDER_NODE_STATE,  /* an object; at: a zval of the array for its __unserialize() */
    LARDER_NODE_CARBON, /* an object; at: a larder_date. It may be one of the calls */
    LARDER_NODE_CASE,   /* of an enum; at: a zval of its name */
    LARDER_NODE_ARRAY,  /* at: its zend_array */
    LARDER_NODE_REFERENCE /* at: a zval */
} larder_node_kind;

/* True if the node begins with the bytes that its kind calls for. */
static zend_always_inline bool larder_node_has_content(uint8_t kind)
{
    return kind == LARDER_NODE_CONTENT || kind == LARDER_NODE_PERIOD || kind == LARDER_NODE_CARBON;
}

typedef struct larder_graph_node {
    uint64_t at;   /* bytes from the start of the value */
    uint32_t uses; /* how often it occurs: its reference count */
    uint32_t class_index;
    uint8_t kind;  /* larder_node_kind */
    bool added;    /* an object with added properties */
    bool defaults; /* some slots are LARDER_DEFAULT */
    bool constant; /* a constant array */
    /* a bit for each slot of an object in which a node stands; the last: there, or behind */
    uint32_t places;
} larder_graph_node;
_Static_assert(sizeof(larder_graph_node) == 24, "a change here needs a new LARDER_CODEC");

#define LARDER_PLACES 32 /* bits of places */

/* The number of a LARDER_NODE, and its kind. */
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
    LARDER_CLASS_OTHER, /* its objects go through PHP's serializer */
    LARDER_CLASS_PLAIN, /* an object is its property slots, and properties added to it */
    LARDER_CLASS_SLEEP, /* the same, with __sleep() or __wakeup() */
    /* an object is what __serialize() says, or, without one, an array of its properties */
    LARDER_CLASS_STATE,
    LARDER_CLASS_BUILTIN, /* an object is its content and its slots, or what __serialize() says */
    LARDER_CLASS_ENUM,    /* an object is one of the cases */
    LARDER_CLASS_ALIAS    /* in a graph: no class of an object, but a name in a type of a slot */
} larder_class_kind;

typedef struct larder_date {
    union {
        struct {
            char zone[40]; /* as __serialize() names it, padded with zeros */
            int64_t local; /* seconds from 1970-01-01 00:00:00 of the zone */
            int32_t year, microsecond;
            uint8_t month, day, hour, minute, second;
            uint8_t zone_type;
            uint8_t reserved[2];
        } time; /* of a zone by itself: zone and zone_type only */
        struct {
            int64_t y, m, d, h, i, s, us, days;
            int64_t invert;
        } interval;
    };
} larder_date;
_Static_assert(sizeof(larder_date) == 72, "a change here needs a new LARDER_CODEC");

/* How many slots, the first ones, the engine fills from the content: they are not stored. */
#if PHP_VERSION_ID >= 80500
#define LARDER_PERIOD_SLOTS 0u /* its properties are virtual: made when they are read */
#else
#define LARDER_PERIOD_SLOTS 7u
#endif

typedef struct larder_period {
    larder_date start, current, end; /* zone_type 0: there is none */
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

/* True if this engine resets a hash part of less than 64 bytes rightly. Written once, at startup.
 * Without it, a copy that PHP makes of a stored array for writing would overwrite memory without an
 * end (HT_HASH_RESET). */
extern bool larder_tables_narrow;
void larder_tables_startup(void);

/* nTableMask of a stored array of this nTableSize: two slots up to 8 elements, beyond that half as
 * many slots as elements. The engine itself takes twice as many slots as elements. */
static zend_always_inline uint32_t larder_table_mask(uint32_t size)
{
    if (UNEXPECTED(!larder_tables_narrow))
        return HT_SIZE_TO_MASK(size);
    return size == HT_MIN_SIZE ? HT_MIN_MASK : (uint32_t) - (int32_t)(size / 2);
}

/* Keys that begin with it are ours (api/pool.c, files/, statics/): refused wherever something is
 * written or asked for, and a get finds nothing there that it may return, so that a hit need not
 * look. */
#define LARDER_RESERVED LRD_COMMON_RESERVED
static zend_always_inline bool larder_key_reserved(const char *key, size_t length)
{
    return UNEXPECTED(key[0] == '\0') && length >= sizeof LARDER_RESERVED - 1 &&
           memcmp(key, LARDER_RESERVED, sizeof LARDER_RESERVED - 1) == 0;
}

#endif
