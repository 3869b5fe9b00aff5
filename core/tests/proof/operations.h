/* operations.h - the operations that kill_everywhere.c steps through. Each has a store,
 * preparations (which are not stepped), the operation itself, and the states that its death may
 * leave. */
#ifndef LRD_TESTS_PROOF_OPERATIONS_H
#define LRD_TESTS_PROOF_OPERATIONS_H

#include "../support.h"

#define KEYS 64 /* number of keys, and of messages */

/* Properties of an operation: the states that its death may leave. */
enum {
    PARTS = 1,    /* it makes several changes, so each key may be old or new by itself */
    EVICTS = 2,   /* any key may be missing afterwards */
    BY_NAME = 4,  /* opens the named store itself */
    OPENS = 8,    /* it creates the named store, so a death may leave no file */
    FORKS = 16,   /* ends in two processes */
    SAMPLE = 32,  /* part of the short form */
    HOLDS = 64,   /* the values that it holds at the end are compared again */
    EMPTIES = 128 /* it finds damage and reports it */
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
extern test_clock *the_clock; /* its clock */
extern const char *the_path;  /* of the named store */

/* An operation that reads key k. It is stopped at any instruction. Then a writer deletes key k, so
 * that its block is free, and stores `count` other keys of the same size, which reuse free
 * blocks. */
typedef struct reader {
    operation op;
    int k, other, count;
    size_t size;
} reader;
extern const reader readers[];
extern const unsigned reader_count;
/* reuse_free: delete key k and let its block be reclaimed. reuse_take: store keys from `other`
 * on. */
void reuse_free(int k);
void reuse_take(int other, int count, size_t size);

/* Make the keys and values of all operations once, so that no operation has to. */
void values_make(void);
/* Build the store of a world (a kind of store). */
void world_build(world w);
lrd_options world_options(world w);
const char *key_of(int k);
/* Compare the values that the operation holds with what was stored. Ends the process if one is
 * damaged. */
void check_held(void);

#endif
