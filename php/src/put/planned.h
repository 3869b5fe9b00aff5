/* planned.h - the data of a plan. A plan tells where in its block each part of a value will lie. A
 * node is an object, a reference, or an array that contains one; a value with nodes is a graph. If
 * an element refers to a part, its target tells where that part lies. The functions are in plan.h;
 * the tables grow in plan_table.h. */
#ifndef LARDER_PLANNED_H
#define LARDER_PLANNED_H

#include "format/format.h"
#include "put/hooks.h"
#include "put/parts.h"

typedef enum larder_measured {
    LARDER_NATIVE, /* the plan is complete, so the value can be written */
    LARDER_HOOKS,  /* the value contains objects whose hooks must be called first */
    /* the value contains a part that is left to PHP's serializer, which may refuse it */
    LARDER_SERIALIZE,
    LARDER_TOO_LARGE,
    LARDER_NO_MEMORY
} larder_measured;

typedef struct larder_planned_array {
    const HashTable *source;
    size_t at; /* offset of the zend_array in the block; its data follows */
    /* number of stored elements; in a packed array, holes count too; 0: the array is empty */
    uint32_t used;
    uint32_t uses; /* how often the value contains the array */
    /* number of the array in which this one was met first; LARDER_NOWHERE: none */
    uint32_t parent;
    /* index of its first larder_planned_edge; LARDER_NOWHERE: none */
    uint32_t edges;
    /* the next array on the list of marked arrays of plan_mark_all() */
    uint32_t marked;
    /* LARDER_NOWHERE: the array contains no node, and so is none itself; LARDER_SOMEWHERE: it is a
     * node without a number yet; else its number */
    uint32_t node;
    /* index of the first target of its keys; LARDER_NOWHERE: not yet known, or the array is
     * packed */
    uint32_t keys;
    /* indexes of the first target of its elements, and of the one behind the last */
    uint32_t target, end;
    /* the array is packed and refers to no other memory, so its elements are copied as they are */
    bool plain;
    /* the array is that of an object's properties; only the properties without a slot are stored */
    bool added;
    bool varies;    /* the array is not constant: see format.h */
    bool deep;      /* the array contains arrays */
    uint32_t after; /* number of nodes that the walk visits before this array */
} larder_planned_array;
#define LARDER_NOWHERE UINT32_MAX
#define LARDER_SOMEWHERE (UINT32_MAX - 1) /* the array gets a number later */

typedef struct larder_planned_node {
    union {
        zend_object *object;
        zend_reference *reference;
    } source;
    const larder_state *state; /* the answer of the object's hook; NULL: none */
    size_t at;
    uint32_t target; /* index in larder_plan.targets of its first target */
    uint32_t number; /* index in the block's table of nodes */
    uint32_t size;   /* bytes from `at` on */
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
    /* offset in the block of the class's data: the name, the name in lower case, and the rest of
     * larder_parts.strings */
    size_t at;
    uint32_t kind;
    /* index of the target of the first property name in the class's list (see larder_parts);
     * LARDER_NOWHERE: not known yet */
    uint32_t keys;
    bool sleep; /* the class has __sleep() */
    bool resident;
    bool bare; /* as in larder_class */
    larder_builtin builtin;
} larder_planned_class;

/* An array that an object of one of PHP's own classes returned from __serialize() during the
 * planning. The array is kept until the value is stored. */
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

/* One more array that contains an array, besides larder_planned_array.parent. */
typedef struct larder_planned_edge {
    uint32_t parent;
    uint32_t next; /* the next edge of the same array; LARDER_NOWHERE: none */
} larder_planned_edge;

typedef struct larder_planned_string {
    const zend_string *source; /* its hash is computed */
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

/* If this many strings with the same hash are in the table, a further one is not entered: it is
 * stored again for each occurrence, as PHP's serializer does. Without this limit, an attacker who
 * makes thousands of such strings could make the search slow. */
#define LARDER_SAME_HASH 2u

#define LARDER_CLASS_HINTS 16u
#define LARDER_KEYS_HINTS 64u

typedef struct larder_plan {
    size_t size, limit; /* bytes */
    /* plan_run() stops when `size` exceeds this. 0: plan_run() is not used, because it does not
     * check if a string lies in the store `reuse`. */
    size_t runs;
    /* the address of an immutable store; the block may refer to the store's values instead of
     * containing copies */
    uintptr_t reuse;
    size_t reuse_size; /* bytes of that store; 0: no reuse */
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
    /* all pages for arrays of properties, and the page that is being filled, of which page_used
     * bytes are used */
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
    uint32_t erased; /* value of `stamp` after larder_plan_erase() */
    uint32_t page_used;
    /* number of objects of bare classes; the array in which the first one was met */
    uint32_t bare, bare_unit;
    uint32_t shift;            /* 64 minus the number of bits of cells_room - 1 */
    uint64_t multiplier;       /* random odd factor of the hash function */
    uint32_t unit;             /* the array that is being planned; LARDER_NOWHERE: none */
    uint32_t calls, constants; /* number of nodes with hooks; of constant arrays */
    /* number of enum cases and constant arrays, which have the lowest numbers of all nodes */
    uint32_t first;
    /* by a hash of a class's address: the number that the class probably has */
    uint32_t class_hints[LARDER_CLASS_HINTS];
    /* hash table, by first and last key, of arrays that may have the same keys as another array */
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

/* Return true if the node is an object of a bare class: one without __serialize(), so that plan.c
 * made the array of its properties. */
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

/* The walk prefetches data this many steps ahead, because its values are scattered in memory. */
#define LARDER_AHEAD 4u
static zend_always_inline void larder_prefetch_array(const larder_planned_array *planned)
{
    const char *data = (const char *)planned->source->arData;
    __builtin_prefetch(data - 64);
    __builtin_prefetch(data);
    __builtin_prefetch(data + 64);
}

/* Return true if an element is stored. added: the array lists all properties of an object, but the
 * slots are stored apart from it, so only the other properties are stored in it. */
static zend_always_inline bool larder_is_stored(const zval *element, bool added)
{
    return added ? Z_TYPE_P(element) != IS_INDIRECT && Z_TYPE_P(element) != IS_UNDEF
                 : Z_TYPE_P(larder_element(element)) != IS_UNDEF;
}

#endif
