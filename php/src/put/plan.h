/* plan.h - the plan of a value: the place of each of its parts in the block. Made by plan.c,
 * carried out by write.c. */
#ifndef LARDER_PLAN_H
#define LARDER_PLAN_H

#include "format/format.h"
#include "put/hooks.h"
#include "put/parts.h"

typedef enum larder_measured {
    LARDER_NATIVE,    /* the plan is ready to be built */
    LARDER_HOOKS,     /* it has objects inside whose hooks have to be called first */
    LARDER_SERIALIZE, /* it has something inside that only PHP's serializer takes, or refuses */
    LARDER_TOO_LARGE,
    LARDER_NO_MEMORY
} larder_measured;

typedef struct larder_planned_array {
    const HashTable *source;
    size_t at;       /* offset of the zend_array in the block; its data follows */
    uint32_t used;   /* elements, or zvals of a packed array with its holes; 0: empty */
    uint32_t uses;   /* how often it occurs */
    uint32_t parent; /* the array in which it was met first; LARDER_NOWHERE */
    uint32_t edges;  /* the others; LARDER_NOWHERE */
    uint32_t marked; /* chain of those that plan_mark() has to go on from */
    uint32_t node;   /* its number, where it has a node in it; LARDER_NOWHERE */
    uint32_t keys;   /* the first target of its keys; LARDER_NOWHERE: not yet known, or packed */
    uint32_t target, end; /* the first target of its elements, and the one behind the last */
    bool plain;           /* packed, and refers to nothing: copied as it is */
    bool added;           /* the properties of an object but those that have a slot */
    bool varies;          /* not constant, as larder_graph_node has it */
    bool deep;            /* it has arrays in it */
    uint32_t after;       /* how many nodes were visited before it */
} larder_planned_array;
#define LARDER_NOWHERE UINT32_MAX
#define LARDER_SOMEWHERE (UINT32_MAX - 1) /* it will get a number */

typedef struct larder_planned_node {
    union {
        zend_object *object;
        zend_reference *reference;
    } source;
    const larder_state *state; /* of an object with hooks */
    size_t at;
    uint32_t target; /* the first of its targets */
    uint32_t number; /* its place in the block's table of nodes */
    uint32_t size;   /* at its place, bytes */
    uint32_t uses, class_index;
    uint8_t kind;
    uint8_t builtin; /* larder_builtin of an object of these classes */
    bool added;      /* the object has properties without a slot */
} larder_planned_node;

typedef struct larder_planned_class {
    const zend_class_entry *ce; /* NULL: an alias */
    const zend_string *name;
    const larder_parts *parts; /* NULL: an alias */
    uint64_t fingerprint;
    size_t at; /* of its name, then of the same in lower case, then of the rest of its parts */
    uint32_t kind;
    uint32_t keys; /* the first target of the keys of its list; LARDER_NOWHERE: not yet known */
    bool sleep;    /* it has __sleep() */
    bool resident;
    bool bare; /* as in larder_class */
    larder_builtin builtin;
} larder_planned_class;

/* The answer of an object's own __serialize(), called while it was planned. */
typedef struct larder_planned_list {
    struct larder_planned_list *next;
    zval told; /* an array, or undefined */
} larder_planned_list;

/* Memory for arrays of properties that exist in the plan alone: it does not move, for what is
 * planned points to it. */
#define LARDER_PLANNED_PAGE 4064u /* bytes */
typedef struct larder_planned_page {
    struct larder_planned_page *next;
    _Alignas(8) char data[LARDER_PLANNED_PAGE];
} larder_planned_page;

/* A further array in which an array was met. */
typedef struct larder_planned_edge {
    uint32_t parent;
    uint32_t next; /* edge of the same child; LARDER_NOWHERE */
} larder_planned_edge;

typedef struct larder_planned_string {
    const zend_string *source; /* its hash is known */
    size_t at;
} larder_planned_string;

/* A cell of the table that finds strings by content, and arrays and nodes by address. */
typedef struct larder_cell {
    const void *source;
    uint32_t stamp; /* of the plan that filled it: others count as empty */
    uint32_t index; /* the place of a string, in words; in arrays or nodes (LARDER_CELL_ADDRESS) */
} larder_cell;
#define LARDER_CELL_ADDRESS 0x80000000u
#define LARDER_INDEX_MAX (LARDER_CELL_ADDRESS - 1)

/* A target, what an element refers to: the offset of a string, the number of an array or a node, or
 * the address of a string or an array that is in the store already. */
#define LARDER_TARGET_ARRAY ((size_t)1 << 62)
#define LARDER_TARGET_NODE ((size_t)1 << 63)
#define LARDER_TARGET_KIND (LARDER_TARGET_ARRAY | LARDER_TARGET_NODE)
#define LARDER_TARGET_SHARED LARDER_TARGET_KIND /* no address has these bits */

/* So many strings with one hash are found again. Strings can be made to have the same by the
 * thousand: each further one is stored wherever it occurs, as the serializer does it. */
#define LARDER_SAME_HASH 2u

#define LARDER_CLASS_HINTS 16u
#define LARDER_KEYS_HINTS 64u

typedef struct larder_plan {
    size_t size, limit; /* bytes */
    /* plan_run() plans strings up to this size; 0: none, each is looked for in reuse */
    size_t runs;
    uintptr_t reuse;   /* what lies there is referred to as it is ... */
    size_t reuse_size; /* ... bytes; 0: nothing is */
    larder_planned_array *arrays;
    larder_planned_string *strings; /* room for half as many as there are cells */
    larder_planned_node *nodes;
    uint32_t *visited; /* nodes, in the order of the walk */
    uint32_t *order;   /* nodes to be visited, the next one last; then see larder_plan_order() */
    larder_planned_class *classes;
    larder_planned_edge *edges;
    larder_planned_list *lists;
    larder_planned_page *pages, *page; /* all; the one being filled, up to page_used */
    size_t *targets;                   /* of each element that has one, in the order of building */
    larder_cell *cells;
    uint32_t arrays_used, arrays_room;
    uint32_t strings_used;
    uint32_t nodes_used, nodes_room; /* the room is also that of visited */
    uint32_t visited_used;
    uint32_t order_used, order_room;
    uint32_t marked; /* so many arrays have a node in them */
    uint32_t classes_used, classes_room;
    uint32_t edges_used, edges_room;
    uint32_t targets_used, targets_room;
    uint32_t cells_used, cells_room, stamp;
    uint32_t erased; /* the stamp up to which larder_plan_erase() has forgotten all */
    uint32_t page_used;
    uint32_t bare, bare_unit;  /* how many nodes are bare; the array of the first */
    uint32_t shift;            /* 64 less the bits of cells_room - 1 */
    uint64_t multiplier;       /* random, odd */
    uint32_t unit;             /* the array whose elements are being looked at; LARDER_NOWHERE */
    uint32_t calls, constants; /* how many nodes have hooks, and how many arrays are constant */
    uint32_t first;            /* so many nodes are cases and constant arrays */
    uint32_t class_hints[LARDER_CLASS_HINTS]; /* numbers, perhaps, by address */
    uint32_t keys_hints[LARDER_KEYS_HINTS]; /* arrays with these keys, perhaps, by the first one */
    size_t root;                            /* target of the whole value */
    size_t classes_at, nodes_at, calls_at;
    uint64_t built;              /* as larder_graph will say, if it can */
    bool living;                 /* of a pinned static */
    bool resident;               /* all classes are of resident objects */
    const larder_states *states; /* NULL: not collected */
    bool shared;                 /* an array occurs more than once */
    bool referred;               /* an array lies behind a reference */
    bool references;             /* there is a reference that others have, too */
    bool hooks;                  /* objects have hooks that were not called */
    bool cases;                  /* there are cases of enums */
} larder_plan;

/* The plan for an array or an object. states: what larder_states_collect() found; NULL at first,
 * which tells what there is to do, as far as that can be seen without calling hooks. LARDER_HOOKS
 * with states: a hook has put a further object with hooks there. reuse: the immutable store that
 * the value is for; NULL for other stores. It refers to the value, so nothing may happen to that
 * before it is built. Runs no user code; what it keeps comes from malloc. */
LARDER_HOT larder_measured larder_plan_value(const zval *value, const larder_states *states,
                                             size_t limit, const lrd_store *reuse,
                                             larder_plan **out);
/* Let go of what planning has asked for: when the value is stored, or is not going to be. */
LARDER_HOT void larder_plan_done(void);
/* Give each node of a graph its number, and its place. By number, plan->order has all of them:
 * objects and references by their number in the plan, arrays with LARDER_ORDER_ARRAY. There is room
 * for it. */
LARDER_HOT void larder_plan_order(larder_plan *plan);
#define LARDER_ORDER_ARRAY 0x80000000u
/* True if the plan is a graph; else it is an array. */
static zend_always_inline bool larder_plan_is_graph(const larder_plan *plan)
{
    return plan->nodes_used != 0;
}

/* For lrd_put_fill(): write what was planned, or a string whose hash is known, and nothing but
 * memory. */
LARDER_HOT void larder_fill_plan(const void *plan, void *build, const void *data, size_t size);
LARDER_HOT void larder_fill_string(const void *source, void *build, const void *data, size_t size);

/* The value of an element: behind an INDIRECT, and behind a reference that nobody else has. */
static zend_always_inline const zval *larder_element(const zval *element)
{
    if (UNEXPECTED(Z_TYPE_P(element) == IS_INDIRECT))
        element = Z_INDIRECT_P(element);
    if (UNEXPECTED(Z_ISREF_P(element)) && Z_REFCOUNT_P(element) == 1)
        element = Z_REFVAL_P(element);
    return element;
}

/* True if a hook is called for it when it is fetched, or may be. */
static zend_always_inline bool larder_node_is_called(const larder_planned_node *node)
{
    return node->state != NULL || node->kind == LARDER_NODE_STATE ||
           node->kind == LARDER_NODE_CARBON;
}

/* True if its state is an array of its properties that was made by the plan, not by hooks.c. */
static zend_always_inline bool larder_node_is_bare(const larder_planned_node *node)
{
    return node->kind == LARDER_NODE_STATE && node->state == NULL &&
           node->builtin == LARDER_BUILTIN_NONE;
}

/* True if a slot of a node's object is stored as LARDER_DEFAULT: the class's default then. PHP's
 * serializer leaves out what is unset and what __sleep() does not name. */
static zend_always_inline bool larder_slot_is_default(const zend_object *object,
                                                      const larder_state *state, uint32_t slot)
{
    if (UNEXPECTED(Z_TYPE(object->properties_table[slot]) == IS_UNDEF))
        return Z_TYPE(object->ce->default_properties_table[slot]) != IS_UNDEF;
    return larder_state_selects(state) && !larder_state_names(state, object, slot);
}

/* Prefetch distance, in steps: the things walked lie about in memory. */
#define LARDER_AHEAD 4u
static zend_always_inline void larder_prefetch_array(const larder_planned_array *planned)
{
    const char *data = (const char *)planned->source->arData;
    __builtin_prefetch(data - 64);
    __builtin_prefetch(data);
    __builtin_prefetch(data + 64);
}

/* True if an element is stored. added: only what has no slot in the object. */
static zend_always_inline bool larder_is_stored(const zval *element, bool added)
{
    return added ? Z_TYPE_P(element) != IS_INDIRECT && Z_TYPE_P(element) != IS_UNDEF
                 : Z_TYPE_P(larder_element(element)) != IS_UNDEF;
}

#endif
