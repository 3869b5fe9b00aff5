/* planned.h - the data of a plan. A plan tells where in its block each part of a value will lie. A
 * node is an object, a reference, or an array that contains one; a value with nodes is a graph. The
 * target of an element is the part that it refers to. The functions are in plan.h; the tables grow
 * in plan_table.h. */
#ifndef LARDER_PLANNED_H
#define LARDER_PLANNED_H

#include "format/format.h"
#include "put/hooks.h"
#include "put/parts.h"

typedef enum larder_measured {
    LARDER_NATIVE,    /* the plan is complete, so the value can be written */
    LARDER_HOOKS,     /* the value contains objects whose hooks must be called first */
    LARDER_SERIALIZE, /* the value contains a part that only PHP's serializer takes, or refuses */
    LARDER_TOO_LARGE,
    LARDER_NO_MEMORY
} larder_measured;

typedef struct larder_planned_array {
    const HashTable *source;
    size_t at; /* offset of the zend_array in the block; its data follows */
    /* number of elements, or of zvals of a packed array with its holes; 0: empty */
    uint32_t used;
    uint32_t uses; /* occurrences */
    /* number of the array in which this one was met first; LARDER_NOWHERE: none */
    uint32_t parent;
    /* its first edge to another array that contains it; LARDER_NOWHERE: none */
    uint32_t edges;
    uint32_t marked; /* the next array in the chain from which plan_mark_all() continues */
    /* the array's number among the nodes; LARDER_NOWHERE: it contains no node */
    uint32_t node;
    uint32_t keys; /* the first target of its keys; LARDER_NOWHERE: not yet known, or packed */
    uint32_t target, end; /* the first target of its elements, and the one behind the last */
    /* the array is packed and refers to no other memory, so its elements are copied as they are */
    bool plain;
    bool added;     /* an object's properties that have no slots */
    bool varies;    /* the array is not constant, in the sense of larder_graph_node */
    bool deep;      /* it contains arrays */
    uint32_t after; /* number of nodes that the walk visits before this array */
} larder_planned_array;
#define LARDER_NOWHERE UINT32_MAX
#define LARDER_SOMEWHERE (UINT32_MAX - 1) /* it gets a number later */

typedef struct larder_planned_node {
    union {
        zend_object *object;
        zend_reference *reference;
    } source;
    const larder_state *state; /* the answer of the object's hooks; NULL: it has none */
    size_t at;
    uint32_t target; /* its first target */
    uint32_t number; /* index in the block's table of nodes */
    uint32_t size;   /* bytes at its place */
    uint32_t uses, class_index;
    uint8_t kind;
    uint8_t builtin; /* larder_builtin: the class of PHP that the object's class extends, if any */
    bool added;      /* the object has properties that its class does not declare */
} larder_planned_node;

typedef struct larder_planned_class {
    const zend_class_entry *ce; /* NULL: an alias */
    const zend_string *name;
    const larder_parts *parts; /* NULL: an alias */
    uint64_t fingerprint;
    /* offsets in the block: of the class's name, of the name in lower case, and of its other
     * data */
    size_t at;
    uint32_t kind;
    /* target of the first property name of its list (see larder_parts); LARDER_NOWHERE: not known
     * yet */
    uint32_t keys;
    bool sleep; /* it has __sleep() */
    bool resident;
    bool bare; /* as in larder_class */
    larder_builtin builtin;
} larder_planned_class;

/* The array that an object of a PHP class returned from __serialize() while it was planned. */
typedef struct larder_planned_list {
    struct larder_planned_list *next;
    zval told; /* an array, or undefined */
} larder_planned_list;

/* Memory for arrays of properties that exist only in the plan. The pages do not move, because the
 * plan has pointers into them. */
#define LARDER_PLANNED_PAGE 4064u /* bytes */
typedef struct larder_planned_page {
    struct larder_planned_page *next;
    _Alignas(8) char data[LARDER_PLANNED_PAGE];
} larder_planned_page;
_Static_assert(LARDER_PARTS_LIST_MAX <= LARDER_PLANNED_PAGE, "a list is copied to a page");

/* An edge from an array to another array that contains it, besides `parent`. */
typedef struct larder_planned_edge {
    uint32_t parent;
    uint32_t next; /* the next edge of the same array; LARDER_NOWHERE: none */
} larder_planned_edge;

typedef struct larder_planned_string {
    const zend_string *source; /* has its hash */
    size_t at;
} larder_planned_string;

/* A cell of the hash table. The table finds strings by their content, and arrays and nodes by their
 * address. */
typedef struct larder_cell {
    const void *source;
    /* stamp of the plan that filled the cell; a cell with another stamp counts as empty */
    uint32_t stamp;
    /* a string: its place in the block, in words of 8 bytes; an array or a node: its number |
     * LARDER_CELL_ADDRESS */
    uint32_t index;
} larder_cell;
#define LARDER_CELL_ADDRESS 0x80000000u
#define LARDER_INDEX_MAX (LARDER_CELL_ADDRESS - 1)

/* The target of an element: a string's offset in the block, the number of an array or a node, or
 * the address of a string or array that the store has already. The upper two bits tell which. */
#define LARDER_TARGET_ARRAY ((size_t)1 << 62)
#define LARDER_TARGET_NODE ((size_t)1 << 63)
#define LARDER_TARGET_KIND (LARDER_TARGET_ARRAY | LARDER_TARGET_NODE)
#define LARDER_TARGET_SHARED LARDER_TARGET_KIND /* no address has these bits */

/* The most strings with the same hash that are stored once. An attacker can make thousands of them.
 * Each further one is stored again wherever it occurs, as PHP's serializer does. */
#define LARDER_SAME_HASH 2u

#define LARDER_CLASS_HINTS 16u
#define LARDER_KEYS_HINTS 64u

typedef struct larder_plan {
    size_t size, limit; /* bytes */
    /* plan_run() plans strings of at most this size; 0: none, because each string must first be
     * searched in the store `reuse` */
    size_t runs;
    /* the address of an immutable store; the block may refer to the store's values instead of
     * containing copies */
    uintptr_t reuse;
    size_t reuse_size; /* its bytes; 0: no reuse */
    larder_planned_array *arrays;
    /* has room for half as many strings as there are cells */
    larder_planned_string *strings;
    larder_planned_node *nodes;
    uint32_t *visited; /* the nodes in the order of the walk */
    /* stack of the nodes that the walk will visit; afterwards the result of larder_plan_order() */
    uint32_t *order;
    larder_planned_class *classes;
    larder_planned_edge *edges;
    larder_planned_list *lists;
    /* all pages for properties, and the page that is being filled; page_used bytes of it are
     * used */
    larder_planned_page *pages, *page;
    /* the targets of all elements that refer to something, in the order in which write.c needs
     * them */
    size_t *targets;
    larder_cell *cells;
    uint32_t arrays_used, arrays_room;
    uint32_t strings_used;
    uint32_t nodes_used, nodes_room; /* nodes_room: the room of `nodes` and of `visited` */
    uint32_t visited_used;
    uint32_t order_used, order_room;
    uint32_t marked; /* number of arrays that contain a node */
    uint32_t classes_used, classes_room;
    uint32_t edges_used, edges_room;
    uint32_t targets_used, targets_room;
    uint32_t cells_used, cells_room, stamp;
    uint32_t erased; /* all cells with stamps up to this one were erased by larder_plan_erase() */
    uint32_t page_used;
    uint32_t bare, bare_unit;  /* number of bare nodes; the array in which the first one was met */
    uint32_t shift;            /* 64 minus the number of bits of cells_room - 1 */
    uint64_t multiplier;       /* random, odd */
    uint32_t unit;             /* the array that is being planned; LARDER_NOWHERE: none */
    uint32_t calls, constants; /* how many nodes have hooks; how many arrays are constant */
    /* count of enum cases and constant arrays; nodes are numbered, and these come first */
    uint32_t first;
    uint32_t class_hints[LARDER_CLASS_HINTS]; /* possible numbers of classes, by address */
    /* arrays that may have the same keys as another one: a hash table by the first and last key */
    uint32_t keys_hints[LARDER_KEYS_HINTS];
    size_t root; /* the target of the whole value */
    size_t classes_at, nodes_at, calls_at;
    uint64_t built; /* time of the write, for larder_graph.built */
    /* the value of a pinned static property, of which workers may keep a built copy */
    bool living;
    /* all objects are of classes whose objects may be kept in the worker: see fetch/resident.h */
    bool resident;
    const larder_states *states; /* NULL: not collected */
    bool shared;                 /* an array occurs several times in the value */
    bool referred;               /* an array lies behind a reference */
    bool references;             /* a reference has several owners */
    bool hooks;                  /* hooks.c must walk the value first; see plan.c */
    bool cases;                  /* the graph has cases of enums */
} larder_plan;

/* Return true if the value is a graph: it contains objects or references. */
static zend_always_inline bool larder_plan_is_graph(const larder_plan *plan)
{
    return plan->nodes_used != 0;
}

/* Return the value of an element. Follows an INDIRECT, and a reference with one owner, which is
 * stored as a plain value. */
static zend_always_inline const zval *larder_element(const zval *element)
{
    if (UNEXPECTED(Z_TYPE_P(element) == IS_INDIRECT))
        element = Z_INDIRECT_P(element);
    if (UNEXPECTED(Z_ISREF_P(element)) && Z_REFCOUNT_P(element) == 1)
        element = Z_REFVAL_P(element);
    return element;
}

/* Return true if a fetch calls a hook for the node, or may do so. */
static zend_always_inline bool larder_node_is_called(const larder_planned_node *node)
{
    return node->state != NULL || node->kind == LARDER_NODE_STATE ||
           node->kind == LARDER_NODE_CARBON;
}

/* Return true if the node is an object of a bare class: plan.c made the array of its properties,
 * because the class has no __serialize(). */
static zend_always_inline bool larder_node_is_bare(const larder_planned_node *node)
{
    return node->kind == LARDER_NODE_STATE && node->state == NULL &&
           node->builtin == LARDER_BUILTIN_NONE;
}

/* Return true if a slot of an object is stored as LARDER_DEFAULT: it gets the default of its class
 * when it is fetched. This is so for slots that PHP's serializer leaves out: unset ones, and those
 * not named by __sleep(). */
static zend_always_inline bool larder_slot_is_default(const zend_object *object,
                                                      const larder_state *state, uint32_t slot)
{
    if (UNEXPECTED(Z_TYPE(object->properties_table[slot]) == IS_UNDEF))
        return Z_TYPE(object->ce->default_properties_table[slot]) != IS_UNDEF;
    return larder_state_selects(state) && !larder_state_names(state, object, slot);
}

/* How many steps ahead data is prefetched: the values of the walk are scattered in memory. */
#define LARDER_AHEAD 4u
static zend_always_inline void larder_prefetch_array(const larder_planned_array *planned)
{
    const char *data = (const char *)planned->source->arData;
    __builtin_prefetch(data - 64);
    __builtin_prefetch(data);
    __builtin_prefetch(data + 64);
}

/* Return true if an element is stored. added: the array belongs to an object whose slots are stored
 * apart, so only the other properties count. */
static zend_always_inline bool larder_is_stored(const zval *element, bool added)
{
    return added ? Z_TYPE_P(element) != IS_INDIRECT && Z_TYPE_P(element) != IS_UNDEF
                 : Z_TYPE_P(larder_element(element)) != IS_UNDEF;
}

#endif
