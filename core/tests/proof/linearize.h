/* linearize.h - finds an order of recorded calls that keeps real time, and in which each answer is
 * right.
 *
 * A history belongs to one object: a key, a reserved key or a queue. Each object is judged alone,
 * because a history is linearizable if and only if the history of each of its objects is (M.
 * Herlihy and J. Wing, "Linearizability: a correctness condition for concurrent objects", 1990). */
#ifndef LRD_TESTS_PROOF_LINEARIZE_H
#define LRD_TESTS_PROOF_LINEARIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LIN_CALLS 128   /* maximum number of calls in a history */
#define LIN_MESSAGES 24 /* maximum number of messages that a history pushes to a queue */

typedef enum lin_model {
    LIN_CELL, /* an entry: a value, a counter, or none */
    LIN_LOCK, /* the reservation of a key */
    LIN_QUEUE /* a queue: messages with priorities, in order within a priority */
} lin_model;

/* Kinds of calls, with the fields of lin_call that they use. `out` and `counter` belong to the
 * answer. `ttl` is the time to live, unless the comment says otherwise. */
typedef enum lin_kind {
    /* Calls of a key. No two writes use the same number for their values. */
    LIN_GET,     /* out: the number of the value, or the count; counter: true if it is a count */
    LIN_HAS,     /* no field */
    LIN_SET,     /* a: value; ttl */
    LIN_ADD,     /* a: value; ttl */
    LIN_REPLACE, /* a: value; b: replaces only the value with this number; ttl */
    LIN_DELETE,  /* no field */
    LIN_TAKE,    /* b: deletes only the value with this number */
    LIN_TOUCH,   /* ttl */
    LIN_COUNT,   /* a: step, b: initial; ttl; out: the sum */
    LIN_UPDATE,  /* a: step; out: the sum */
    LIN_SWAP,    /* a: wanted, b: expected */
    LIN_NUMBER,  /* a: the count that is set; ttl */
    /* reserve, get, set after a miss, unlock; a: value; out: the value that was found or put */
    LIN_FILL,
    /* calls of a lock */
    LIN_LOCK_TAKE, /* ttl: how long the lease lasts */
    LIN_LOCK_END,  /* no field */
    /* Calls of a queue. A message has a number below LIN_MESSAGES. */
    LIN_PUSH,    /* a: message, b: priority */
    LIN_POP,     /* ttl: the message's time to run; out: message */
    LIN_ACK,     /* a: message */
    LIN_RELEASE, /* a: message */
    LIN_BURY,    /* a: message */
    LIN_REMOVE,  /* a: message */
    LIN_KICK,    /* a: maximum number of messages to kick; out: number of kicked messages */
    /* an event of a lock or a queue */
    LIN_ENDED, /* a: the process that has exited or was killed */
    LIN_KINDS
} lin_kind;

/* A call. begin and end are readings of a counter that all processes share. If end is 0, the call
 * did not return and may have happened or not. clock_from and clock_to are the store's time before
 * and after the call. */
typedef struct lin_call {
    uint64_t begin, end;
    uint64_t clock_from, clock_to;
    uint64_t ttl;
    int64_t a, b, out;
    int32_t answer; /* lrd_code */
    uint8_t kind;   /* lin_kind */
    uint8_t process;
    uint8_t object;
    uint8_t counter; /* true if a get found a counter */
} lin_call;

typedef struct lin_history {
    lin_model model;
    unsigned count;
    lin_call call[LIN_CALLS];
} lin_history;

typedef enum lin_verdict { LIN_EXPLAINED, LIN_NOT_EXPLAINED, LIN_UNDECIDED } lin_verdict;

/* Judge a history of an object that is empty at first. Sorts the calls. Returns LIN_UNDECIDED after
 * a fixed number of steps. */
lin_verdict lin_check(lin_history *history);
/* Shorten a history that lin_check() cannot explain: keep its shortest beginning that cannot be
 * explained either. */
void lin_shorten(lin_history *history);
void lin_print(FILE *to, const lin_history *history);
uint64_t lin_steps(void);

#endif
