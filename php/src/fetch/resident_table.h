/* resident_table.h - shared by the files of resident graphs: resident.c (gives them),
 * resident_table.c (finds and frees them), resident_build.c (builds them). */
#ifndef LARDER_RESIDENT_TABLE_H
#define LARDER_RESIDENT_TABLE_H

#include "fetch/constants.h"
#include "format/format.h"
#include "format/hash.h"

#define RESIDENT_COUNT 0x20000000u /* where reference counts start */
/* Making an object lazy drops its table of properties, and clears the mark of a called
 * destructor. */
#define RESIDENT_OBJECT                                                                            \
    (GC_OBJECT | ((GC_NOT_COLLECTABLE | IS_OBJ_DESTRUCTOR_CALLED) << GC_FLAGS_SHIFT))
/* Counted and not immutable: the engine copies an immutable array without counting its elements. */
#define RESIDENT_ARRAY (GC_ARRAY | (GC_NOT_COLLECTABLE << GC_FLAGS_SHIFT))
#define RESIDENT_HANDLES 0x40000000u /* the first handle, and their number */
#define RESIDENT_REST 8u /* requests after which an unused graph may make room for another */

/* An enum case of the graph. */
typedef struct resident_case {
    zend_object *object; /* as it is in the graph */
    uint32_t uses;
} resident_case;

/* A place of a case. */
typedef struct resident_place {
    zval *value;
    const resident_case *which;
} resident_place;

/* The objects of a class, one after the other. */
typedef struct resident_class {
    zend_class_entry *ce; /* as the objects have it */
    char *objects;
    uint32_t count;
    uint32_t size; /* bytes of an object */
} resident_class;

/* A resident graph. It is one piece of memory; its parts lie in this order. */
typedef struct resident {
    struct resident *next, *next_key; /* the next ones with the same place in the table */
    struct resident *newer, *older;   /* by the last use */
    struct resident *given;           /* the next graph that this request was given */
    lrd_store *store;
    const void *data; /* the value in its block */
    uint64_t built;   /* the time of larder_graph */
    uint64_t request; /* the last request that was given the graph */
    size_t size;      /* bytes of this piece */
    size_t key_len;   /* bytes */
    uint64_t hash;    /* the hash of the key */
    zval root;        /* the value that is handed out; undefined: only the constants are here */
    uint32_t classes_used, cases_used, places_used, constants_used;
    bool living;  /* any code may write to it: copied from `pristine` when a request ends */
    bool written; /* slots may have been written to, so build it anew */
    uint32_t handle, objects; /* the first handle of the objects, and their number */
    resident_class *classes;
    resident_case *cases;
    resident_place *places;
    /* If only constants are here: the cases, in the order of their nodes, and then the arrays that
     * stand in the part that each fetch builds. */
    larder_constant *constants;
    char *live;   /* the objects */
    char *arrays; /* the arrays with nodes in them, which are never written to */
    char *key;
    char *pristine; /* objects and arrays as they were built, if `living` */
} resident;

struct larder_residents {
    resident **places; /* `room` chains by the address of the data, then as many by the key */
    resident *newest, *oldest; /* by the last use */
    resident *given;           /* the graphs that this request was given */
    uint64_t request;
    size_t bytes;         /* bytes of all graphs */
    uint32_t graphs;      /* number of graphs */
    uint32_t room;        /* a power of 2, usually at least `graphs` */
    uint32_t handle_next; /* this handle and all after it are free */
    uint32_t place_next;  /* the place to check when this request is over */
};

/* The graph, as one fetch sees it. */
typedef struct resident_work {
    bool whole;  /* the whole graph; else only its constant part */
    bool living; /* its objects may be changed */
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored;
    const larder_graph_node *nodes;
    zend_class_entry **ce; /* the classes as they are in this request */
    zend_object **cases;   /* the cases, in the order of their nodes */
    uint32_t *inside; /* if only the constant part is built: how often each node occurs in it */
} resident_work;

/* Return the bytes of a zend_array and its data. */
static zend_always_inline size_t resident_array_size(const zend_array *array)
{
    return sizeof *array +
           (HT_FLAGS(array) & HASH_FLAG_PACKED ? HT_PACKED_USED_SIZE(array) : HT_USED_SIZE(array));
}

static zend_always_inline void resident_header(zend_refcounted_h *head, uint32_t type)
{
    *head = (zend_refcounted_h){.refcount = RESIDENT_COUNT, .u.type_info = type};
}

/* ---- resident_table.c ---- */
static zend_always_inline resident **resident_by_data(struct larder_residents *all,
                                                      const void *data)
{
    return all->places + (larder_hash_address(data) & (all->room - 1));
}

static zend_always_inline resident *larder_resident_find(struct larder_residents *all,
                                                         const void *data)
{
    resident *r = *resident_by_data(all, data);
    while (r != NULL && r->data != data)
        r = r->next;
    return r;
}

/* Allocate the table, or double its room. Returns false if there is no memory. */
bool larder_resident_grow(struct larder_residents *all);
void larder_resident_insert(struct larder_residents *all, resident *r);
void larder_resident_free(struct larder_residents *all, resident *r);
/* Make a graph the newest after a use. A graph that is in the list must be unlinked first. */
void larder_resident_newest(struct larder_residents *all, resident *r);
void larder_resident_unlink(struct larder_residents *all, resident *r);
/* Free earlier values of the key. Returns false if too many of them were given to this request. */
bool larder_resident_supersede(struct larder_residents *all, lrd_store *store,
                               const lrd_entry *entry, uint64_t hash);
/* Make room for `size` bytes by freeing graphs that were not used for long. Returns false if there
 * is no room. */
bool larder_resident_room(struct larder_residents *all, size_t size);
/* Free the graphs that this request was given and PHP does not refer to any more. Returns their
 * number. */
uint32_t larder_resident_free_unused(struct larder_residents *all);

/* ---- resident_build.c ---- */
/* Build a graph, and enter it in the table. Returns NULL if there is no room. */
resident *larder_resident_make(struct larder_residents *all, lrd_store *store,
                               const lrd_value *value, resident_work *work);
/* Write objects and arrays anew. Returns false if there is no memory. */
bool larder_resident_fill(resident *r, const resident_work *work);

#endif
