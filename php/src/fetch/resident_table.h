/* resident_table.h - what the files of resident graphs share: resident.c (gives them),
 * resident_table.c (finds and frees them), resident_build.c (builds them). */
#ifndef LARDER_RESIDENT_TABLE_H
#define LARDER_RESIDENT_TABLE_H

#include "fetch/resident.h"
#include "format/format.h"
#include "format/hash.h"

#define RESIDENT_COUNT 0x20000000u /* where reference counts start */
/* Whatever makes an object lazy drops its table of properties, and clears the mark of a called
 * destructor. */
#define RESIDENT_OBJECT                                                                            \
    (GC_OBJECT | ((GC_NOT_COLLECTABLE | IS_OBJ_DESTRUCTOR_CALLED) << GC_FLAGS_SHIFT))
/* Counted, not immutable: the engine copies an immutable array without counting what is in it. */
#define RESIDENT_ARRAY (GC_ARRAY | (GC_NOT_COLLECTABLE << GC_FLAGS_SHIFT))
#define RESIDENT_HANDLES 0x40000000u /* the first handle, and how many there are */
#define RESIDENT_REST 8u /* requests after which an unused graph may make room for another */

/* An enum case of the graph. */
typedef struct resident_case {
    zend_object *object; /* as it is in the graph */
    uint32_t uses;
} resident_case;

/* Where a case stands. */
typedef struct resident_place {
    zval *value;
    const resident_case *which;
} resident_place;

/* The objects of a class, one after the other. */
typedef struct resident_class {
    zend_class_entry *ce; /* as they have it */
    char *objects;
    uint32_t count;
    uint32_t size; /* of an object, bytes */
} resident_class;

/* All of it is one piece of memory; its parts lie in this order. */
typedef struct resident {
    struct resident *next, *next_key; /* with the same place in the table */
    struct resident *newer, *older;   /* by the last use */
    struct resident *given;           /* the next one that this request was given */
    lrd_store *store;
    const void *data; /* the value in its block ... */
    uint64_t built;   /* ... as larder_graph says */
    uint64_t request; /* the last one that was given it */
    size_t size;      /* of this piece, bytes */
    size_t key_len;   /* bytes */
    uint64_t hash;    /* of the key */
    zval root;        /* what is handed out; undefined: only the constants are here */
    uint32_t classes_used, cases_used, places_used, constants_used;
    bool living;  /* anybody may write to it: copied from `pristine` when a request ends */
    bool written; /* slots may have been written to, so build it anew */
    uint32_t handle, objects; /* the objects' first handle, and how many they are */
    resident_class *classes;
    resident_case *cases;
    resident_place *places;
    /* Where only constants are here: the cases, in the order of their nodes, and then the arrays
     * that stand in what is built by each fetch. */
    larder_constant *constants;
    char *live;   /* the objects */
    char *arrays; /* the arrays with nodes in them, which are never written to */
    char *key;
    char *pristine; /* objects and arrays as they were built, where living */
} resident;

struct larder_residents {
    resident **places;         /* room chains by the address of the data, then as many by the key */
    resident *newest, *oldest; /* by the last use */
    resident *given;           /* what this request was given */
    uint64_t request;
    size_t bytes;         /* of all */
    uint32_t graphs;      /* how many */
    uint32_t room;        /* a power of 2; as a rule not less than there are graphs */
    uint32_t handle_next; /* it and all after it are free */
    uint32_t place_next;  /* to be looked at when this request is over */
};

/* The graph, as one fetch sees it. */
typedef struct resident_work {
    bool whole;  /* all of it; else only what is constant */
    bool living; /* its objects may be changed */
    const larder_graph *graph;
    const char *data;
    const larder_graph_class *stored;
    const larder_graph_node *nodes;
    zend_class_entry **ce; /* as they are in this request */
    zend_object **cases;   /* in the order of their nodes */
    uint32_t *inside; /* where only what is constant is built: how often each node stands in it */
} resident_work;

/* Of a zend_array and what it points to. */
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

/* A table, or one of twice the room. False: there is no memory for it. */
bool larder_resident_grow(struct larder_residents *all);
void larder_resident_insert(struct larder_residents *all, resident *r);
void larder_resident_free(struct larder_residents *all, resident *r);
/* It was used now. It is in the list: unlink it first. */
void larder_resident_newest(struct larder_residents *all, resident *r);
void larder_resident_unlink(struct larder_residents *all, resident *r);
/* Free earlier values of the key. False: too many of them were given to this request. */
bool larder_resident_supersede(struct larder_residents *all, lrd_store *store,
                               const lrd_entry *entry, uint64_t hash);
/* Make room for so many bytes: what has not been given for long goes. False: there is none. */
bool larder_resident_room(struct larder_residents *all, size_t size);

/* ---- resident.c ---- */
/* Free what this request was given and PHP does not refer to any more. Returns how many graphs that
 * are. */
uint32_t larder_resident_free_unused(struct larder_residents *all);

/* ---- resident_build.c ---- */
/* Build it, and enter it in the table. NULL: there is no room for it. */
resident *larder_resident_make(struct larder_residents *all, lrd_store *store,
                               const lrd_value *value, resident_work *work);
/* Write objects and arrays anew. False: there is no memory to do it. */
bool larder_resident_fill(resident *r, const resident_work *work);

#endif
