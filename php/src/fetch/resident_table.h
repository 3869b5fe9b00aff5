/* resident_table.h - shared by the files about resident graphs, which a worker builds once and
 * keeps: resident.c (returns them), resident_table.c (finds and frees them), resident_build.c
 * (builds them). */
#ifndef LARDER_RESIDENT_TABLE_H
#define LARDER_RESIDENT_TABLE_H

#include "fetch/constants.h"
#include "format/format.h"
#include "format/hash.h"

#define RESIDENT_COUNT 0x20000000u /* where reference counts start */
/* Flags of an object: the cycle collector ignores it, and its destructor counts as called. If the
 * program makes an object lazy, the engine clears the second flag. */
#define RESIDENT_OBJECT                                                                            \
    (GC_OBJECT | ((GC_NOT_COLLECTABLE | IS_OBJ_DESTRUCTOR_CALLED) << GC_FLAGS_SHIFT))
/* Flags of an array. It is not marked immutable: the engine would copy an immutable array without
 * counting references to its elements. */
#define RESIDENT_ARRAY (GC_ARRAY | (GC_NOT_COLLECTABLE << GC_FLAGS_SHIFT))
/* handles of resident objects begin at this number, and there are this many of them */
#define RESIDENT_HANDLES 0x40000000u
/* number of requests without a use after which a graph may be freed to make room */
#define RESIDENT_REST 8u

/* An enum case of the graph. */
typedef struct resident_case {
    zend_object *object; /* the object of the enum case in this request */
    uint32_t uses;
} resident_case;

/* A place of a case. */
typedef struct resident_place {
    zval *value;
    const resident_case *which;
} resident_place;

/* The objects of one class, which follow one another in memory. */
typedef struct resident_class {
    zend_class_entry *ce; /* the class of the objects, as it is in this request */
    char *objects;
    uint32_t count;
    uint32_t size; /* bytes of an object */
} resident_class;

/* A resident graph. It is one piece of memory, whose parts lie in this order. */
typedef struct resident {
    struct resident *next, *next_key; /* the next graphs in the two chains of the table */
    struct resident *newer, *older;   /* by the last use */
    /* next in the list of graphs that were returned in this request */
    struct resident *given;
    lrd_store *store;
    const void *data; /* address of the stored value */
    uint64_t built;   /* larder_graph.built of the stored value */
    uint64_t request; /* number of the last request that used the graph */
    size_t size;      /* bytes of this piece */
    size_t key_len;   /* bytes */
    uint64_t hash;    /* hash of the entry's key */
    /* the value that fetches return; undefined if only constants are kept */
    zval root;
    uint32_t classes_used, cases_used, places_used, constants_used;
    /* the program may write to the graph, so its parts are copied from `pristine` when a request
     * ends */
    bool living;
    bool written;             /* slots may have been written to, so build the graph again */
    uint32_t handle, objects; /* the first handle of the objects, and their number */
    resident_class *classes;
    resident_case *cases;
    resident_place *places;
    /* if only constants are kept: the enum cases, then the arrays to which the variable part
     * refers */
    larder_constant *constants;
    char *live;   /* the objects */
    char *arrays; /* arrays that contain nodes; PHP never writes to them */
    char *key;
    char *pristine; /* if `living`: a copy of the objects and arrays as they were built */
} resident;

struct larder_residents {
    /* `room` chains by the address of the stored value, then `room` chains by the key */
    resident **places;
    resident *newest, *oldest; /* by the last use */
    resident *given;           /* list of the graphs that were returned in this request */
    uint64_t request;
    size_t bytes;         /* bytes of all graphs */
    uint32_t graphs;      /* number of graphs */
    uint32_t room;        /* chains of each kind: a power of 2, usually at least `graphs` */
    uint32_t handle_next; /* the first handle that is not used */
    /* the place of the table that is checked at the end of the next request */
    uint32_t place_next;
};

/* Facts about the graph of one fetch. */
typedef struct resident_work {
    bool whole;  /* keep the whole graph; else only its constants */
    bool living; /* the program may change its objects */
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored;
    const larder_graph_node *nodes;
    zend_class_entry **ce; /* for each class: its address in this request */
    zend_object **cases;   /* the enum cases, in the order of their nodes */
    /* if only constants are kept: how often each node occurs in them */
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
/* Put a graph at the head of the list by last use. A graph that is in the list must be unlinked
 * first. */
void larder_resident_newest(struct larder_residents *all, resident *r);
void larder_resident_unlink(struct larder_residents *all, resident *r);
/* Free graphs of earlier values of the key. Returns false if too many of them were returned in this
 * request. */
bool larder_resident_supersede(struct larder_residents *all, lrd_store *store,
                               const lrd_entry *entry, uint64_t hash);
/* Make room for `size` bytes by freeing graphs that were not used for long. Returns false if there
 * is not enough. */
bool larder_resident_room(struct larder_residents *all, size_t size);
/* Free graphs that were returned in this request and to which PHP has no reference any more.
 * Returns their number. */
uint32_t larder_resident_free_unused(struct larder_residents *all);

/* ---- resident_build.c ---- */
/* Build a graph, and add it to the table. Returns NULL if there is no room. */
resident *larder_resident_make(struct larder_residents *all, lrd_store *store,
                               const lrd_value *value, resident_work *work);
/* Write the objects and arrays of a graph again. Returns false if there is no memory. */
bool larder_resident_fill(resident *r, const resident_work *work);

#endif
