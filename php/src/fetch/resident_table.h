/* resident_table.h - the data of a resident graph. */
#ifndef LARDER_RESIDENT_TABLE_H
#define LARDER_RESIDENT_TABLE_H

#include "fetch/constants.h"
#include "format/format.h"
#include "format/hash.h"

#define RESIDENT_COUNT 0x20000000u /* where reference counts start */
/* Type and flags of an object that the engine neither collects nor destructs. If the object becomes
 * lazy, PHP clears IS_OBJ_DESTRUCTOR_CALLED; see resident_restore(). */
#define RESIDENT_OBJECT                                                                            \
    (GC_OBJECT | ((GC_NOT_COLLECTABLE | IS_OBJ_DESTRUCTOR_CALLED) << GC_FLAGS_SHIFT))
/* The type of a resident array. GC_IMMUTABLE is not set, because a copy of an immutable array does
 * not count references to the elements. */
#define RESIDENT_ARRAY (GC_ARRAY | (GC_NOT_COLLECTABLE << GC_FLAGS_SHIFT))
/* the handles of resident objects are RESIDENT_HANDLES to 2 * RESIDENT_HANDLES - 1 */
#define RESIDENT_HANDLES 0x40000000u
/* a graph that none of the last RESIDENT_REST requests used may be freed to make room */
#define RESIDENT_REST 8u

/* An enum case of the graph. */
typedef struct resident_case {
    zend_object *object; /* in this request */
    uint32_t uses;
} resident_case;

/* a zval of the graph that refers to an enum case */
typedef struct resident_place {
    zval *value;
    const resident_case *which;
} resident_place;

/* The objects of one class are adjacent in memory. */
typedef struct resident_class {
    zend_class_entry *ce; /* in this request */
    char *objects;
    uint32_t count;
    uint32_t size; /* bytes of an object */
} resident_class;

/* The struct and its parts, from `classes` to `pristine`, are one piece of memory, in this
 * order. */
typedef struct resident {
    /* next graphs in the chains of two hash tables: by the address of the stored value, and by the
     * key */
    struct resident *next, *next_key;
    /* neighbours in the list of all graphs, by the time of last use */
    struct resident *newer, *older;
    /* next in the list of the graphs that this request has returned */
    struct resident *given;
    lrd_store *store;
    const void *data; /* address of the stored value */
    uint64_t built;   /* larder_graph.built of the stored value */
    uint64_t request; /* number of the last request that used the graph */
    size_t size;      /* bytes of the graph */
    size_t key_len;   /* length in bytes of the key */
    uint64_t hash;    /* hash of the entry's key */
    /* the value that fetches return; IS_UNDEF if only constants are kept */
    zval root;
    uint32_t classes_used, cases_used, places_used, constants_used;
    /* true if the program may write to the graph; at the end of each request, Larder restores the
     * graph */
    bool living;
    /* true if the program may have written to slots, so the graph must be built again */
    bool written;
    uint32_t handle, objects; /* first handle of the objects; number of objects */
    resident_class *classes;
    resident_case *cases;
    resident_place *places;
    /* The constants that fetches use: first the enum cases, then the constant arrays to which other
     * parts of the graph refer. Empty if the whole graph is kept. */
    larder_constant *constants;
    char *live;   /* the objects */
    char *arrays; /* arrays that contain nodes; PHP never writes to them */
    char *key;
    char *pristine; /* if `living`: a copy of the new objects and arrays */
} resident;

struct larder_residents {
    /* two hash tables of `room` chains: by the address of the stored value, and by the key */
    resident **places;
    /* ends of the list of all graphs, by the time of last use */
    resident *newest, *oldest;
    resident *given; /* list of the graphs that this request has returned */
    uint64_t request;
    size_t bytes;    /* total bytes of all graphs */
    uint32_t graphs; /* number of graphs */
    /* Number of chains in each hash table, a power of 2. It is at least `graphs`, unless there was
     * no memory for more chains. */
    uint32_t room;
    /* number of handles given out, from RESIDENT_HANDLES on */
    uint32_t handle_next;
    /* index in `places` of the next chain to check for outdated graphs */
    uint32_t place_next;
};

/* A graph that a fetch needs. */
typedef struct resident_work {
    bool whole;  /* keep the whole graph, not only its constants */
    bool living; /* the program may write to the objects */
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored;
    const larder_graph_node *nodes;
    zend_class_entry **ce; /* for each class of the graph, the class in this request */
    zend_object **cases;   /* in the order of their nodes */
    /* For each node, the number of times that constant arrays refer to it. Used only if `whole` is
     * false. */
    uint32_t *inside;
} resident_work;

/* Return the size in bytes of a zend_array and its data. */
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

/* Double the number of chains in the hash tables. Returns false if there is not enough memory. */
bool larder_resident_grow(struct larder_residents *all);
void larder_resident_insert(struct larder_residents *all, resident *r);
void larder_resident_free(struct larder_residents *all, resident *r);
/* Add a graph to the list of all graphs, as the newest one. The list must not contain it yet. */
void larder_resident_newest(struct larder_residents *all, resident *r);
void larder_resident_unlink(struct larder_residents *all, resident *r);
/* Free outdated graphs of the entry's key. Returns false if this request uses too many graphs of
 * the key to add another one. */
bool larder_resident_supersede(struct larder_residents *all, lrd_store *store,
                               const lrd_entry *entry, uint64_t hash);
/* Free graphs that were not used recently. Returns false if that is not enough for `size` bytes. */
bool larder_resident_room(struct larder_residents *all, size_t size);
/* Free all unused graphs. Returns the number of freed graphs. */
uint32_t larder_resident_free_unused(struct larder_residents *all);

/* Free the property tables of the graph's objects. The objects still point to them afterwards. */
void larder_resident_free_tables(const resident *r);

/* ---- resident_build.c ---- */
/* Build a resident graph, and add it to the tables and the list. Returns NULL if the graph cannot
 * be kept. */
resident *larder_resident_make(struct larder_residents *all, lrd_store *store,
                               const lrd_value *value, resident_work *work);
/* Build the graph in the memory of `r`. Returns false if there is not enough memory. */
bool larder_resident_fill(resident *r, const resident_work *work);

#endif
