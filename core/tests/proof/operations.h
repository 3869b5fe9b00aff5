/* operations.h - the operations that kill_everywhere.c kills at each instruction. An operation has
 * a kind of store, a function that prepares it, the function that is killed, and flags for the
 * states that a death may leave. */
#ifndef LRD_TESTS_PROOF_OPERATIONS_H
#define LRD_TESTS_PROOF_OPERATIONS_H

#include "../support.h"

#define KEYS 64 /* number of keys, and of messages */

/* Flags of an operation */
enum {
    PARTS = 1,    /* the operation makes several changes, so each key alone may be old or new */
    EVICTS = 2,   /* any key may be missing after the operation */
    BY_NAME = 4,  /* the operation opens the named store itself */
    OPENS = 8,    /* the operation creates the named store, so a death may leave no file */
    FORKS = 16,   /* the operation ends in two processes */
    SAMPLE = 32,  /* the operation is a part of the short form */
    HOLDS = 64,   /* the operation holds values; its end checks that they have not changed */
    EMPTIES = 128 /* the operation finds damage, and counts it as an emptied shard */
};

typedef enum world { SESSION, FULL, GROWING, PINNED, QUEUES, NAMED, DAMAGED, ABSENT, WORLDS } world;

typedef struct operation {
    const char *name;
    world world;
    void (*before)(void);
    void (*run)(void);
    unsigned flags;
} operation;

extern const operation operations[];
extern const unsigned operation_count;
extern lrd_store *S;          /* the store, in each process */
extern test_clock *the_clock; /* the clock of the store S */
extern const char *the_path;  /* the path of the named store */

/* An operation that gets key k, and is stopped at any instruction. Then a writer deletes key k, and
 * puts `count` other keys of the same size, which reuse free blocks. `other` is the first of these
 * keys. */
typedef struct reader {
    operation op;
    int k, other, count;
    size_t size;
} reader;
extern const reader readers[];
extern const unsigned reader_count;
/* reuse_free() deletes key k and sweeps the store, so that the key's block can be reused.
 * reuse_take() puts the keys `other` to `other + count - 1`. */
void reuse_free(int k);
void reuse_take(int other, int count, size_t size);

/* Make the keys and values of all operations before an operation runs. */
void values_make(void);
void world_build(world w);
lrd_options world_options(world w);
const char *key_of(int k);
/* Check the values that the operation holds. Ends the process if one has changed. */
void check_held(void);

#endif
