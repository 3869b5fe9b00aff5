/* planned.h - the data of a plan: the offset of each part of a value in its block. A node is an
 * object, a reference, or an array that contains a node. A value with nodes is a graph. If an
 * element refers to a part, the target of the element says where that part is. */
#ifndef LARDER_PLANNED_H
#define LARDER_PLANNED_H

#include "format/format.h"
#include "put/hooks.h"
#include "put/parts.h"

typedef enum larder_measured {
    LARDER_NATIVE, /* the plan is complete, so the value can be written */
    LARDER_HOOKS,  /* the value contains objects whose hooks must be called first */
    /* the value has a part that Larder cannot plan, so PHP's serializer must store the value, or
     * refuse it */
    LARDER_SERIALIZE,
    LARDER_TOO_LARGE,
    LARDER_NO_MEMORY
} larder_measured;

typedef struct larder_planned_array {
    const HashTable *source;
    size_t at; /* offset of the zend_array in the block; its data follows */
    /* number of stored elements, including the holes of a packed array; 0 if the array is empty */
    uint32_t used;
    uint32_t uses; /* how often the value contains the array */
    /* number of the outer array in which the walk in plan.c first found this array; LARDER_NOWHERE
     * if there was no outer array */
    uint32_t parent;
    /* index of the array's first larder_planned_edge; LARDER_NOWHERE if there is none */
    uint32_t edges;
    /* the next array on the list of marked arrays in plan_mark_all() */
    uint32_t marked;
    /* Number of the array in the block's table of nodes. LARDER_NOWHERE: the array is not a node.
     * LARDER_SOMEWHERE: it is a node, but has no number yet. */
    uint32_t node;
    /* index of the target of the first key; LARDER_NOWHERE if not known yet, or if the array is
     * packed */
    uint32_t keys;
    /* index of the target of the first element, and 1 + index of the target of the last one */
    uint32_t target, end;
    /* true if the array is packed and refers to no other memory, so its elements can be copied
     * unchanged */
    bool plain;
    /* true if the array is an object's table of properties; its declared properties are left out,
     * because they are stored as slots */
    bool added;
    bool varies;    /* true if the array is not constant (see order_constants()) */
    bool deep;      /* true if the array contains arrays */
    uint32_t after; /* number of nodes that the walk visits before this array */
    /* index of the target that larder_plan_calls() looks at next; it has been through all targets
     * before this one */
    uint32_t next;
} larder_planned_array;
#define LARDER_NOWHERE UINT32_MAX
#define LARDER_SOMEWHERE (UINT32_MAX - 1) /* the array is a node, but has no number yet */

typedef struct larder_planned_node {
    union {
        zend_object *object;
        zend_reference *reference;
    } source;
    const larder_state *state; /* the result of the object's hook; NULL if there is none */
    size_t at;
    /* index of the node's first target in larder_plan.targets, and 1 + index of the last one */
    uint32_t target, end;
    uint32_t number; /* index of the node in the block's table of nodes */
    uint32_t size;   /* size in bytes of the node's part of the block; this part begins at `at` */
    uint32_t uses, class_index;
    uint8_t kind;
    uint8_t builtin; /* a larder_builtin: the kind of the object's class */
    bool added;      /* true if the object has properties that its class does not declare */
    /* as in larder_planned_array; LARDER_NOWHERE until larder_plan_calls() enters the node */
    uint32_t next;
} larder_planned_node;

typedef struct larder_planned_class {
    const zend_class_entry *ce; /* NULL: an alias */
    const zend_string *name;
    const larder_parts *parts; /* NULL: an alias */
    uint64_t fingerprint;
    /* offset of parts->strings in the block; for an alias, offset of its two names: the name, and
     * the name in lower case */
    size_t at;
    uint32_t kind;
    /* index in larder_plan.targets of the first property name; LARDER_NOWHERE if the names have no
     * targets yet */
    uint32_t keys;
    bool sleep; /* true if the class has __sleep() */
    bool resident;
    bool bare; /* as in larder_class */
    larder_builtin builtin;
} larder_planned_class;

/* The result of __serialize() of an object of one of PHP's own classes. The plan keeps it until the
 * value is stored. */
typedef struct larder_planned_list {
    struct larder_planned_list *next;
    zval told; /* an array, or undefined */
} larder_planned_list;

/* A page of memory for the property arrays that the plan makes itself. The plan has pointers into
 * the page, so the page never moves. */
#define LARDER_PLANNED_PAGE 4064u /* bytes */
typedef struct larder_planned_page {
    struct larder_planned_page *next;
    _Alignas(8) char data[LARDER_PLANNED_PAGE];
} larder_planned_page;
_Static_assert(LARDER_PARTS_LIST_MAX <= LARDER_PLANNED_PAGE, "a list is copied to a page");

/* If an array occurs in several arrays, the first of them is larder_planned_array.parent, and each
 * of the others is the `parent` of an edge. */
typedef struct larder_planned_edge {
    uint32_t parent;
    uint32_t next; /* next edge in the inner array's list of edges, or LARDER_NOWHERE */
} larder_planned_edge;

typedef struct larder_planned_string {
    const zend_string *source; /* its hash is computed */
    size_t at;
} larder_planned_string;

/* A cell of the hash table. The table finds strings by their content, and arrays and nodes by their
 * address. */
typedef struct larder_cell {
    const void *source;
    /* stamp of the plan that filled the cell; a cell with another stamp counts as vacant */
    uint32_t stamp;
    /* for a string: its offset in the block, in words of 8 bytes; for an array or a node: its
     * number, with the bit LARDER_CELL_ADDRESS set */
    uint32_t index;
} larder_cell;
#define LARDER_CELL_ADDRESS 0x80000000u
#define LARDER_INDEX_MAX (LARDER_CELL_ADDRESS - 1)

/* The upper two bits of a target tell what the other bits contain. If neither is set: the offset of
 * a string in the block. If one is set: the number of an array or a node. If both are set: an
 * address in an immutable store. */
#define LARDER_TARGET_ARRAY ((size_t)1 << 62)
#define LARDER_TARGET_NODE ((size_t)1 << 63)
#define LARDER_TARGET_KIND (LARDER_TARGET_ARRAY | LARDER_TARGET_NODE)
/* an address does not use the upper two bits, so both can be set */
#define LARDER_TARGET_SHARED LARDER_TARGET_KIND

/* Maximum number of strings with the same hash in the table. Any other string with this hash is
 * stored as a copy each time it occurs. So the search stays fast, even if an attacker chooses
 * strings with the same hash. */
#define LARDER_SAME_HASH 2u

#define LARDER_CLASS_HINTS 16u
#define LARDER_KEYS_HINTS 64u

typedef struct larder_plan {
    size_t size, limit; /* bytes */
    /* plan_run() stops when `size` exceeds this number. plan_run() does not look for strings in the
     * store `reuse`. So if the block may refer to such a store, this number is 0, and plan_run() is
     * not used. */
    size_t runs;
    /* if the block may refer to values in an immutable store, the address of this store */
    uintptr_t reuse;
    /* size in bytes of the store `reuse`; 0 if the block refers to no store */
    size_t reuse_size;
    larder_planned_array *arrays;
    /* room for cells_room / 2 strings, because at most half of the cells are used */
    larder_planned_string *strings;
    larder_planned_node *nodes;
    /* the nodes in the order of the walk; later, the result of larder_plan_calls() */
    uint32_t *visited;
    /* stack of the nodes that the walk must still visit; later, the result of
     * larder_plan_order() */
    uint32_t *order;
    larder_planned_class *classes;
    larder_planned_edge *edges;
    larder_planned_list *lists;
    /* all pages for arrays of properties; `page` is being filled, and its first `page_used` bytes
     * are used */
    larder_planned_page *pages, *page;
    /* the targets of all elements that refer to a part, in the order in which write.c reads them */
    size_t *targets;
    larder_cell *cells;
    uint32_t arrays_used, arrays_room;
    uint32_t strings_used;
    /* `nodes` and `visited` each have room for `nodes_room` elements */
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
    /* the array that is being planned; LARDER_NOWHERE if there is none */
    uint32_t unit;
    /* the value of `unit` when the walk found the latest node; LARDER_SOMEWHERE if the walk has
     * found no node since it last took a node from `order` */
    uint32_t found;
    /* `calls`: number of nodes with hooks; `constants`: number of constant arrays */
    uint32_t calls, constants;
    /* number of nodes that are enum cases or constant arrays; these nodes have the lowest
     * numbers */
    uint32_t first;
    /* hash table that maps the address of a class to the probable number of the class */
    uint32_t class_hints[LARDER_CLASS_HINTS];
    /* hash table of the numbers of planned arrays; the hash of an array depends on its first key,
     * its last key, and the number of its keys */
    uint32_t keys_hints[LARDER_KEYS_HINTS];
    size_t root; /* the target of the whole value */
    size_t classes_at, nodes_at, calls_at;
    uint64_t built; /* time of the write, for larder_graph.built */
    /* true for the value of a pinned static property; a worker may keep the built value (see
     * fetch/resident.h) */
    bool living;
    /* true if a worker may keep objects of all classes of the value (see fetch/resident.h) */
    bool resident;
    const larder_states *states; /* the results of hooks; NULL if they were not collected */
    bool shared;                 /* true if an array occurs several times in the value */
    bool referred;               /* true if a reference refers to an array */
    bool references;             /* true if a reference has several owners */
    bool again; /* true if an object or a reference occurs twice; enum cases do not count */
    /* true if, after the visit of one node and before that of the next, the walk found nodes in
     * several arrays, or in slots and in an array. Then the numbers of the nodes may not be in the
     * order of serialize(), which larder_plan_calls() needs. */
    bool mixed;
    bool hooks; /* true if plan.c found objects with hooks, so hooks.c must walk the value */
    bool cases; /* true if the graph contains enum cases */
} larder_plan;

/* Return true if the value is a graph, that is, if it contains objects or references. */
static zend_always_inline bool larder_plan_is_graph(const larder_plan *plan)
{
    return plan->nodes_used != 0;
}

/* Return the value of an element. Follows an INDIRECT, and also a reference with one owner, because
 * such a reference is stored as a plain value. */
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

/* Return true if the node is a bare object for which plan.c made the array of properties. */
static zend_always_inline bool larder_node_is_bare(const larder_planned_node *node)
{
    return node->kind == LARDER_NODE_STATE && node->state == NULL &&
           node->builtin == LARDER_BUILTIN_NONE;
}

/* Return true if a slot is stored as LARDER_DEFAULT, because it is unset or __sleep() did not name
 * it. A fetched object then has the default of the class. */
static zend_always_inline bool larder_slot_is_default(const zend_object *object,
                                                      const larder_state *state, uint32_t slot)
{
    if (UNEXPECTED(Z_TYPE(object->properties_table[slot]) == IS_UNDEF))
        return Z_TYPE(object->ce->default_properties_table[slot]) != IS_UNDEF;
    return larder_state_selects(state) && !larder_state_names(state, object, slot);
}

/* the walk prefetches data this many steps ahead, because values are scattered in memory */
#define LARDER_AHEAD 4u
static zend_always_inline void larder_prefetch_array(const larder_planned_array *planned)
{
    const char *data = (const char *)planned->source->arData;
    __builtin_prefetch(data - 64);
    __builtin_prefetch(data);
    __builtin_prefetch(data + 64);
}

/* Return true if an element is stored. `added` is true if the element is in an object's table of
 * properties. An IS_INDIRECT in that table is a declared property, which is stored as a slot
 * instead. */
static zend_always_inline bool larder_is_stored(const zval *element, bool added)
{
    return added ? Z_TYPE_P(element) != IS_INDIRECT && Z_TYPE_P(element) != IS_UNDEF
                 : Z_TYPE_P(larder_element(element)) != IS_UNDEF;
}

#endif
