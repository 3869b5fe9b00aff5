/* operations.h - the operations that kill_everywhere.c steps through: for each a store, what comes
 * before it (not stepped), the operation itself, and what its death may leave. */
#ifndef LRD_TESTS_PROOF_OPERATIONS_H
#define LRD_TESTS_PROOF_OPERATIONS_H

#include "../support.h"

#define KEYS 64 /* numbers of keys, and of messages */

/* Properties of an operation: the states that its death may leave. */
enum {
    PARTS = 1,    /* several changes: each key is old or new by itself */
    EVICTS = 2,   /* any key may be missing */
    BY_NAME = 4,  /* opens the named store itself */
    OPENS = 8,    /* makes that store: a death may leave no file */
    FORKS = 16,   /* ends in two processes */
    SAMPLE = 32,  /* part of the short form */
    HOLDS = 64,   /* what it holds in the end is compared once more */
    EMPTIES = 128 /* damage is found, and told */
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
extern lrd_store *S;          /* the store, in whatever process */
extern test_clock *the_clock; /* its clock */
extern const char *the_path;  /* of the named store */

/* An operation that reads key k: stopped anywhere, while a writer deletes that key, so that its
 * block is free, and stores count others of its size, which take free blocks. */
typedef struct reader {
    operation op;
    int k, other, count;
    size_t size;
} reader;
extern const reader readers[];
extern const unsigned reader_count;
/* Delete key k and let its block be reclaimed; store keys from other on. */
void reuse_free(int k);
void reuse_take(int other, int count, size_t size);

/* Make the keys and the values of all operations: once, so that no operation has to. */
void values_make(void);
/* Build the store of a world. */
void world_build(world w);
lrd_options world_options(world w);
const char *key_of(int k);
/* Compare what the operation holds with what was stored; ends the process where it is damaged. */
void check_held(void);

#endif
