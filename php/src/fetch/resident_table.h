/* resident_table.h - shared by the files of resident graphs: resident.c (gives them),
 * resident_table.c (finds and frees them), resident_build.c (builds them). */
#ifndef LARDER_RESIDENT_TABLE_H
#define LARDER_RESIDENT_TABLE_H

#include "fetch/constants.h"
#include "format/format.h"
#include "format/hash.h"

#define RESIDENT_COUNT 0x20000000u /* where reference counts start */
/* When the program makes an object lazy, the engine drops its table of properties, and clears
 * the mark that its destructor was called. */
#define RESIDENT_OBJECT                                                                            \
    (GC_OBJECT | ((GC_NOT_COLLECTABLE | IS_OBJ_DESTRUCTOR_CALLED) << GC_FLAGS_SHIFT))
/* The type flags of a counted array that is not marked immutable: the engine copies an immutable
 * array without counting its elements. */
#define RESIDENT_ARRAY (GC_ARRAY | (GC_NOT_COLLECTABLE << GC_FLAGS_SHIFT))
/* the first handle of the range for resident objects, and the number of handles */
#define RESIDENT_HANDLES 0x40000000u
/* an unused graph may make room for another after this number of requests */
#define RESIDENT_REST 8u

/* An enum case of the graph. */
typedef struct resident_case {
    zend_object *object; /* the case in the graph's memory */
    uint32_t uses;
} resident_case;

/* A place of a case. */
typedef struct resident_place {
    zval *value;
    const resident_case *which;
} resident_place;

/* The objects of a class, one after the other. */
typedef struct resident_class {
    zend_class_entry *ce; /* the class that the objects now have */
    char *objects;
    uint32_t count;
    uint32_t size; /* bytes of an object */
} resident_class;

/* A resident graph. It is one piece of memory; its parts lie in this order. */
typedef struct resident {
    struct resident *next, *next_key; /* the next graphs in the same chains of the table */
    struct resident *newer, *older;   /* by the last use */
    /* the next one of the graphs that this request was given */
    struct resident *given;
    lrd_store *store;
    const void *data; /* the address of the value in its block */
    uint64_t built;   /* the time in larder_graph.built */
    uint64_t request; /* number of the last request that was given the graph */
    size_t size;      /* bytes of this piece */
    size_t key_len;   /* bytes */
    uint64_t hash;    /* the hash of the entry's key */
    /* the value that is handed out; undefined if only the constants are resident */
    zval root;
    uint32_t classes_used, cases_used, places_used, constants_used;
    /* any code may write to it, so it is copied from `pristine` when a request ends */
    bool living;
    bool written;             /* slots may have been written to, so build it again */
    uint32_t handle, objects; /* the first handle of the objects, and their number */
    resident_class *classes;
    resident_case *cases;
    resident_place *places;
    /* If only the constants are resident: the cases, in the order of their nodes, and then the
     * arrays that the other part refers to. */
    larder_constant *constants;
    char *live;   /* the objects */
    char *arrays; /* the arrays that contain nodes; they are never written to */
    char *key;
    char *pristine; /* if `living`: the objects and arrays as they were built */
} resident;

struct larder_residents {
    /* `room` chains by the address of the data, and then `room` chains by the key */
    resident **places;
    resident *newest, *oldest; /* by the last use */
    resident *given;           /* the graphs that this request was given */
    uint64_t request;
    size_t bytes;         /* bytes of all graphs */
    uint32_t graphs;      /* number of graphs */
    uint32_t room;        /* a power of 2, usually at least `graphs` */
    uint32_t handle_next; /* this handle and all after it are free */
    uint32_t place_next;  /* index of the place that is checked when this request is over */
};

/* The graph during one fetch. */
typedef struct resident_work {
    bool whole;  /* build the whole graph; else only its constant part */
    bool living; /* the program may change its objects */
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored;
    const larder_graph_node *nodes;
    zend_class_entry **ce; /* the classes as they are in this request */
    zend_object **cases;   /* the cases, in the order of their nodes */
    /* if only the constant part is built: the number of times that each node occurs in it */
    uint32_t *inside;
} resident_work;

/* Return the size of a zend_array and its data. */
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
/* Write objects and arrays again. Returns false if there is no memory. */
bool larder_resident_fill(resident *r, const resident_work *work);

#endif
