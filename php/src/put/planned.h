/* planned.h - the data of a plan: the place of each part of a value in its block. The functions are
 * in plan.h; the tables grow in plan_table.h. */
#ifndef LARDER_PLANNED_H
#define LARDER_PLANNED_H

#include "format/format.h"
#include "put/hooks.h"
#include "put/parts.h"

typedef enum larder_measured {
    LARDER_NATIVE,    /* the plan is ready to be built */
    LARDER_HOOKS,     /* it contains objects whose hooks must be called first */
    LARDER_SERIALIZE, /* it contains a part that only PHP's serializer takes, or refuses */
    LARDER_TOO_LARGE,
    LARDER_NO_MEMORY
} larder_measured;

typedef struct larder_planned_array {
    const HashTable *source;
    size_t at; /* offset of the zend_array in the block; its data follows */
    /* number of elements, or of zvals of a packed array with its holes; 0: empty */
    uint32_t used;
    uint32_t uses;   /* occurrences */
    uint32_t parent; /* number of the array in which it was met first; LARDER_NOWHERE */
    uint32_t edges;  /* first edge to the other arrays in which it was met; LARDER_NOWHERE */
    uint32_t marked; /* next in the chain of the arrays from which plan_mark_all() continues */
    /* number of the array among the nodes, if it contains a node; LARDER_NOWHERE */
    uint32_t node;
    uint32_t keys; /* the first target of its keys; LARDER_NOWHERE: not yet known, or packed */
    uint32_t target, end; /* the first target of its elements, and the one behind the last */
    /* the array is packed and refers to no other memory, so its elements are copied as they are */
    bool plain;
    bool added;     /* the properties of an object without a slot */
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
    const larder_state *state; /* the state of an object with hooks */
    size_t at;
    uint32_t target; /* its first target */
    uint32_t number; /* index in the block's table of nodes */
    uint32_t size;   /* bytes at its place */
    uint32_t uses, class_index;
    uint8_t kind;
    uint8_t builtin; /* the larder_builtin of objects of these classes */
    bool added;      /* the object has properties without a slot */
} larder_planned_node;

typedef struct larder_planned_class {
    const zend_class_entry *ce; /* NULL: an alias */
    const zend_string *name;
    const larder_parts *parts; /* NULL: an alias */
    uint64_t fingerprint;
    /* the places of its name, of the name in lower case, and of the rest of its parts */
    size_t at;
    uint32_t kind;
    uint32_t keys; /* the first target of the keys of its list; LARDER_NOWHERE: not known yet */
    bool sleep;    /* it has __sleep() */
    bool resident;
    bool bare; /* as in larder_class */
    larder_builtin builtin;
} larder_planned_class;

/* The answer of an object's own __serialize(), which was called while the object was planned. */
typedef struct larder_planned_list {
    struct larder_planned_list *next;
    zval told; /* an array, or undefined */
} larder_planned_list;

/* Memory for arrays of properties that exist only in the plan. It does not move, because the plan
 * points to it. */
#define LARDER_PLANNED_PAGE 4064u /* bytes */
typedef struct larder_planned_page {
    struct larder_planned_page *next;
    _Alignas(8) char data[LARDER_PLANNED_PAGE];
} larder_planned_page;
_Static_assert(LARDER_PARTS_LIST_MAX <= LARDER_PLANNED_PAGE, "a list is copied to a page");

/* An edge: another array in which an array was met. */
typedef struct larder_planned_edge {
    uint32_t parent;
    uint32_t next; /* the next edge of the same array; LARDER_NOWHERE */
} larder_planned_edge;

typedef struct larder_planned_string {
    const zend_string *source; /* has its hash */
    size_t at;
} larder_planned_string;

/* A cell of the table that finds strings by content, and arrays and nodes by address. */
typedef struct larder_cell {
    const void *source;
    /* stamp of the plan that filled the cell; a cell with another stamp counts as empty */
    uint32_t stamp;
    /* place of a string, in words; for an array or a node, its number with LARDER_CELL_ADDRESS */
    uint32_t index;
} larder_cell;
#define LARDER_CELL_ADDRESS 0x80000000u
#define LARDER_INDEX_MAX (LARDER_CELL_ADDRESS - 1)

/* The target to which an element refers: the offset of a string, the number of an array or a
 * node, or the address of a string or an array that already is in the store. */
#define LARDER_TARGET_ARRAY ((size_t)1 << 62)
#define LARDER_TARGET_NODE ((size_t)1 << 63)
#define LARDER_TARGET_KIND (LARDER_TARGET_ARRAY | LARDER_TARGET_NODE)
#define LARDER_TARGET_SHARED LARDER_TARGET_KIND /* no address has these bits */

/* At most this number of strings with one hash are found again. An attacker can make thousands
 * of strings with one hash, so each further one is stored wherever it occurs, as by the
 * serializer. */
#define LARDER_SAME_HASH 2u

#define LARDER_CLASS_HINTS 16u
#define LARDER_KEYS_HINTS 64u

typedef struct larder_plan {
    size_t size, limit; /* bytes */
    /* plan_run() plans the strings up to this size; 0: none, because each must be searched in
     * `reuse` */
    size_t runs;
    /* an immutable store, to whose values the plan refers instead of copying them */
    uintptr_t reuse;
    size_t reuse_size; /* its bytes; 0: no reuse */
    larder_planned_array *arrays;
    /* the list of strings has room for half as many as there are cells */
    larder_planned_string *strings;
    larder_planned_node *nodes;
    uint32_t *visited; /* the nodes in the order of the walk */
    /* the nodes that are still to be visited, the next one last; later see larder_plan_order() */
    uint32_t *order;
    larder_planned_class *classes;
    larder_planned_edge *edges;
    larder_planned_list *lists;
    /* list of all pages, and the page that is being filled, up to page_used */
    larder_planned_page *pages, *page;
    size_t *targets; /* the targets of the elements that have one, in the order of building */
    larder_cell *cells;
    uint32_t arrays_used, arrays_room;
    uint32_t strings_used;
    uint32_t nodes_used, nodes_room; /* nodes_room is the room of both `nodes` and `visited` */
    uint32_t visited_used;
    uint32_t order_used, order_room;
    uint32_t marked; /* number of arrays that contain a node */
    uint32_t classes_used, classes_room;
    uint32_t edges_used, edges_room;
    uint32_t targets_used, targets_room;
    uint32_t cells_used, cells_room, stamp;
    uint32_t erased; /* larder_plan_erase() has erased the cells up to this stamp */
    uint32_t page_used;
    uint32_t bare, bare_unit;  /* number of bare nodes, and the array of the first one */
    uint32_t shift;            /* 64 less the bits of cells_room - 1 */
    uint64_t multiplier;       /* random, odd */
    uint32_t unit;             /* the array whose elements are being planned; LARDER_NOWHERE */
    uint32_t calls, constants; /* numbers of nodes with hooks, and of constant arrays */
    uint32_t first;            /* number of cases and constant arrays */
    uint32_t class_hints[LARDER_CLASS_HINTS]; /* possible numbers, by address */
    /* by the first key: arrays that may have the same keys */
    uint32_t keys_hints[LARDER_KEYS_HINTS];
    size_t root; /* the target of the whole value */
    size_t classes_at, nodes_at, calls_at;
    uint64_t built;              /* time for larder_graph.built */
    bool living;                 /* the value is that of a pinned static */
    bool resident;               /* all classes are of resident objects */
    const larder_states *states; /* NULL: not collected */
    bool shared;                 /* an array occurs several times in the value */
    bool referred;               /* an array lies behind a reference */
    bool references;             /* the graph has references with several owners */
    bool hooks;                  /* hooks.c must walk the value first; see plan.c */
    bool cases;                  /* the graph has cases of enums */
} larder_plan;

/* True if the plan is a graph; else it is an array. */
static zend_always_inline bool larder_plan_is_graph(const larder_plan *plan)
{
    return plan->nodes_used != 0;
}

/* Return the value of an element: behind an INDIRECT, and behind a reference that is not shared. */
static zend_always_inline const zval *larder_element(const zval *element)
{
    if (UNEXPECTED(Z_TYPE_P(element) == IS_INDIRECT))
        element = Z_INDIRECT_P(element);
    if (UNEXPECTED(Z_ISREF_P(element)) && Z_REFCOUNT_P(element) == 1)
        element = Z_REFVAL_P(element);
    return element;
}

/* Return true if a hook is called for the node when it is fetched, or may be. */
static zend_always_inline bool larder_node_is_called(const larder_planned_node *node)
{
    return node->state != NULL || node->kind == LARDER_NODE_STATE ||
           node->kind == LARDER_NODE_CARBON;
}

/* Return true if the node's state is an array of its properties that the plan made, not hooks.c. */
static zend_always_inline bool larder_node_is_bare(const larder_planned_node *node)
{
    return node->kind == LARDER_NODE_STATE && node->state == NULL &&
           node->builtin == LARDER_BUILTIN_NONE;
}

/* Return true if a slot of a node's object is stored as LARDER_DEFAULT, and so gets the class's
 * default. PHP's serializer leaves out unset slots and slots that __sleep() does not name. */
static zend_always_inline bool larder_slot_is_default(const zend_object *object,
                                                      const larder_state *state, uint32_t slot)
{
    if (UNEXPECTED(Z_TYPE(object->properties_table[slot]) == IS_UNDEF))
        return Z_TYPE(object->ce->default_properties_table[slot]) != IS_UNDEF;
    return larder_state_selects(state) && !larder_state_names(state, object, slot);
}

/* Prefetch distance, in steps: the walked values are scattered in memory. */
#define LARDER_AHEAD 4u
static zend_always_inline void larder_prefetch_array(const larder_planned_array *planned)
{
    const char *data = (const char *)planned->source->arData;
    __builtin_prefetch(data - 64);
    __builtin_prefetch(data);
    __builtin_prefetch(data + 64);
}

/* Return true if an element is stored. added: only elements without a slot in the object are. */
static zend_always_inline bool larder_is_stored(const zval *element, bool added)
{
    return added ? Z_TYPE_P(element) != IS_INDIRECT && Z_TYPE_P(element) != IS_UNDEF
                 : Z_TYPE_P(larder_element(element)) != IS_UNDEF;
}

#endif
