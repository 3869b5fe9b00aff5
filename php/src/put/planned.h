/* planned.h - the data of a plan. A node is an object, a reference, or an array that contains a
 * node. A value with nodes is a graph. An element of an array may refer to another part of the
 * value; the element's target says where this part is. */
#ifndef LARDER_PLANNED_H
#define LARDER_PLANNED_H

#include "format/format.h"
#include "put/hooks.h"
#include "put/parts.h"

typedef enum larder_measured {
    LARDER_NATIVE, /* the plan is complete */
    LARDER_HOOKS,  /* objects have hooks that must be called first */
    /* PHP's serializer must store the value, or refuse it */
    LARDER_SERIALIZE,
    LARDER_TOO_LARGE,
    LARDER_NO_MEMORY
} larder_measured;

typedef struct larder_planned_array {
    const HashTable *source;
    size_t at; /* offset of the zend_array in the block; its data follows */
    /* stored elements, including the holes of a packed array */
    uint32_t used;
    uint32_t uses; /* number of times that the value contains the array */
    /* the outer array in which plan.c first found this array, or LARDER_NOWHERE */
    uint32_t parent;
    /* index of the array's first larder_planned_edge, or LARDER_NOWHERE */
    uint32_t edges;
    /* the next array on the list of marked arrays in plan_mark_all() */
    uint32_t marked;
    /* Number of the array in the block's table of nodes. LARDER_NOWHERE if the array is no node,
     * LARDER_SOMEWHERE until a node gets its number. */
    uint32_t node;
    /* index of the target of the first key; LARDER_NOWHERE if it is unknown, or the array is
     * packed */
    uint32_t keys;
    /* index of the target of the first element, and of the last one + 1 */
    uint32_t target, end;
    /* the array is packed and refers to no other memory, so its elements can be copied unchanged */
    bool plain;
    /* the array is the property table of an object, and the object's slots store the declared
     * properties */
    bool added;
    bool varies;    /* not constant (see order_constants()) */
    bool deep;      /* true if the array contains arrays */
    uint32_t after; /* number of nodes that the walk visits before this array */
    /* index of the target that larder_plan_calls() looks at next */
    uint32_t next;
} larder_planned_array;
#define LARDER_NOWHERE UINT32_MAX
#define LARDER_SOMEWHERE (UINT32_MAX - 1) /* the array is a node without a number yet */

typedef struct larder_planned_node {
    union {
        zend_object *object;
        zend_reference *reference;
    } source;
    const larder_state *state; /* the result of the object's hook, or NULL */
    size_t at;
    /* index of the node's first element in the plan's list of targets, and of the last one + 1 */
    uint32_t target, end;
    uint32_t number; /* index in the block's table of nodes */
    uint32_t size;   /* bytes of the node's part, which begins at `at` */
    uint32_t uses, class_index;
    uint8_t kind;
    uint8_t builtin; /* a larder_builtin: the kind of the class */
    bool added;      /* true if the object has undeclared properties */
    /* index of the target that larder_plan_calls() looks at next; LARDER_NOWHERE until
     * larder_plan_calls() enters the node */
    uint32_t next;
} larder_planned_node;

typedef struct larder_planned_class {
    const zend_class_entry *ce; /* NULL for an alias of a class */
    const zend_string *name;
    const larder_parts *parts; /* NULL for an alias */
    uint64_t fingerprint;
    /* Offset in the block of parts->strings. For an alias, the offset of two strings: its name, and
     * its name in lower case. */
    size_t at;
    uint32_t kind;
    /* index of the target of the first property name, or LARDER_NOWHERE */
    uint32_t keys;
    bool sleep; /* true if the class has __sleep() */
    bool resident;
    bool bare; /* as in larder_class */
    larder_builtin builtin;
} larder_planned_class;

/* The result of __serialize() of an object of one of PHP's own classes, until the value is
 * stored. */
typedef struct larder_planned_list {
    struct larder_planned_list *next;
    zval told; /* an array, or undefined */
} larder_planned_list;

/* A page for property arrays that the plan makes itself. It never moves. */
#define LARDER_PLANNED_PAGE 4064u /* bytes */
typedef struct larder_planned_page {
    struct larder_planned_page *next;
    _Alignas(8) char data[LARDER_PLANNED_PAGE];
} larder_planned_page;
_Static_assert(LARDER_PARTS_LIST_MAX <= LARDER_PLANNED_PAGE, "a list is copied to a page");

/* An array may occur in several arrays. The first of them is its larder_planned_array.parent; for
 * each further one, there is an edge. */
typedef struct larder_planned_edge {
    uint32_t parent;
    uint32_t next; /* next edge in the inner array's list, or LARDER_NOWHERE */
} larder_planned_edge;

typedef struct larder_planned_string {
    const zend_string *source; /* its hash is computed */
    size_t at;
} larder_planned_string;

/* A cell of the hash table, which finds strings by content, and arrays and nodes by address. */
typedef struct larder_cell {
    const void *source;
    /* stamp of the plan that filled the cell; the cell is vacant for all other plans */
    uint32_t stamp;
    /* for a string: its offset in words of 8 bytes; for an array or a node: its number, with the
     * bit LARDER_CELL_ADDRESS */
    uint32_t index;
} larder_cell;
#define LARDER_CELL_ADDRESS 0x80000000u
#define LARDER_INDEX_MAX (LARDER_CELL_ADDRESS - 1)

/* The upper two bits of a target tell what its other bits contain. If neither bit is set, they
 * contain the offset of a string. If one bit is set, they contain the number of an array or a node.
 * If both are set, they contain an address in an immutable store. */
#define LARDER_TARGET_ARRAY ((size_t)1 << 62)
#define LARDER_TARGET_NODE ((size_t)1 << 63)
#define LARDER_TARGET_KIND (LARDER_TARGET_ARRAY | LARDER_TARGET_NODE)
/* addresses do not use the upper two bits */
#define LARDER_TARGET_SHARED LARDER_TARGET_KIND

/* Maximum number of strings in the table that have the same hash. Further strings with this hash
 * are stored again at each occurrence, so that an attacker cannot make long chains. */
#define LARDER_SAME_HASH 2u

#define LARDER_CLASS_HINTS 16u
#define LARDER_KEYS_HINTS 64u

typedef struct larder_plan {
    size_t size, limit; /* bytes */
    /* The size in bytes at which plan_run() stops. It is 0 if the block may refer to an immutable
     * store, because plan_run() cannot handle this. */
    size_t runs;
    /* address of the immutable store to whose values the block may refer */
    uintptr_t reuse;
    /* size in bytes of the store `reuse`; 0 if there is none */
    size_t reuse_size;
    larder_planned_array *arrays;
    /* room for cells_room / 2 strings */
    larder_planned_string *strings;
    larder_planned_node *nodes;
    /* the nodes in the order of the walk; later, the result of larder_plan_calls() */
    uint32_t *visited;
    /* stack of the nodes still to visit; later, the result of larder_plan_order() */
    uint32_t *order;
    larder_planned_class *classes;
    larder_planned_edge *edges;
    larder_planned_list *lists;
    /* all pages; `page_used` bytes of `page` are used */
    larder_planned_page *pages, *page;
    /* targets, in the order in which write.c reads them */
    size_t *targets;
    larder_cell *cells;
    uint32_t arrays_used, arrays_room;
    uint32_t strings_used;
    /* room for `nodes_room` elements in `nodes` and in `visited` */
    uint32_t nodes_used, nodes_room;
    uint32_t visited_used;
    uint32_t order_used, order_room;
    uint32_t marked; /* number of arrays that contain a node */
    uint32_t classes_used, classes_room;
    uint32_t edges_used, edges_room;
    uint32_t targets_used, targets_room;
    uint32_t cells_used, cells_room, stamp;
    uint32_t erased; /* value of `stamp` after larder_plan_erase() */
    uint32_t page_used;
    uint32_t shift;      /* 64 minus the binary logarithm of cells_room */
    uint64_t multiplier; /* random odd factor of the hash function */
    /* the array that is being planned, or LARDER_NOWHERE */
    uint32_t unit;
    /* The value of `unit` when the walk found its latest node. LARDER_SOMEWHERE if the walk has
     * found no node since it last took a node from `order`. */
    uint32_t found;
    /* number of nodes with hooks; number of constant arrays */
    uint32_t calls, constants;
    /* number of enum cases and constant arrays; these nodes have the lowest numbers */
    uint32_t first;
    /* hash table of the probable numbers of classes, by the address of the class */
    uint32_t class_hints[LARDER_CLASS_HINTS];
    /* hash table of array numbers, by first key, last key, and number of keys */
    uint32_t keys_hints[LARDER_KEYS_HINTS];
    size_t root; /* the target of the whole value */
    size_t classes_at, nodes_at, calls_at;
    uint64_t built; /* time of the write, for larder_graph.built */
    /* the value of a pinned static property, which a worker may keep (see fetch/resident.h) */
    bool living;
    /* true if a worker may keep all objects of the value (see fetch/resident.h) */
    bool resident;
    const larder_states *states; /* the results of hooks; NULL if they were not collected */
    bool shared;                 /* an array occurs several times in the value */
    bool referred;               /* a reference refers to an array */
    bool references;             /* a reference has several owners */
    bool again; /* an object or a reference occurs twice; enum cases do not count */
    /* True if nodes were found in several arrays, or both in slots and in an array, while the walk
     * visited one node. Then the order of the nodes may differ from the order of serialize(). */
    bool mixed;
    bool hooks; /* plan.c found objects with hooks, so hooks.c must walk the value */
    bool cases; /* the graph contains enum cases */
} larder_plan;

static zend_always_inline bool larder_plan_is_graph(const larder_plan *plan)
{
    return plan->nodes_used != 0;
}

/* Return the value of an element. Follows an INDIRECT, and a reference with one owner. */
static zend_always_inline const zval *larder_element(const zval *element)
{
    if (UNEXPECTED(Z_TYPE_P(element) == IS_INDIRECT))
        element = Z_INDIRECT_P(element);
    if (UNEXPECTED(Z_ISREF_P(element)) && Z_REFCOUNT_P(element) == 1)
        element = Z_REFVAL_P(element);
    return element;
}

/* Return true if a fetch calls, or may call, a hook for the node. */
static zend_always_inline bool larder_node_is_called(const larder_planned_node *node)
{
    return node->state != NULL || node->kind == LARDER_NODE_STATE ||
           node->kind == LARDER_NODE_CARBON;
}

/* Return true if plan.c made the array of properties of a bare object. */
static zend_always_inline bool larder_node_is_bare(const larder_planned_node *node)
{
    return node->kind == LARDER_NODE_STATE && node->state == NULL &&
           node->builtin == LARDER_BUILTIN_NONE;
}

/* Return true if a slot is stored as LARDER_DEFAULT. A fetch then gives the slot the default of its
 * class. This is for slots that are unset, and for slots that __sleep() did not name. */
static zend_always_inline bool larder_slot_is_default(const zend_object *object,
                                                      const larder_state *state, uint32_t slot)
{
    if (UNEXPECTED(Z_TYPE(object->properties_table[slot]) == IS_UNDEF))
        return Z_TYPE(object->ce->default_properties_table[slot]) != IS_UNDEF;
    return larder_state_selects(state) && !larder_state_names(state, object, slot);
}

/* the walk prefetches data this many steps ahead */
#define LARDER_AHEAD 4u
static zend_always_inline void larder_prefetch_array(const larder_planned_array *planned)
{
    const char *data = (const char *)planned->source->arData;
    __builtin_prefetch(data - 64);
    __builtin_prefetch(data);
    __builtin_prefetch(data + 64);
}

/* Return true if an element of an array is stored. `added` is true for an object's table of
 * properties. There, an IS_INDIRECT stands for a slot, which is stored elsewhere. */
static zend_always_inline bool larder_is_stored(const zval *element, bool added)
{
    return added ? Z_TYPE_P(element) != IS_INDIRECT && Z_TYPE_P(element) != IS_UNDEF
                 : Z_TYPE_P(larder_element(element)) != IS_UNDEF;
}

#endif
