/* queue_wait.h - lets consumers and producers of a queue sleep, and wakes them. */
#pragma once

#include "entries/message.h"
#include "queues/pace.h"

/* Wake the sleepers that `wake` names. [no lock is held] */
void lrd__wake_send(lrd__thread *self, lrd__queue *queue, const lrd__wake *wake);

typedef struct lrd__sleep {
    bool rests; /* true if the thread rests (pace.c): pushes do not wake it */
    bool watches;
    /* the futex word's value when the sleep was prepared; a changed word prevents the sleep */
    uint32_t turn;
    uint64_t most; /* maximum time (ms) of one sleep */
} lrd__sleep;
/* Prepare to sleep until a message arrives. If the queue has no working watcher, the caller becomes
 * the watcher. `looked` is queue->looked before this thread's search, or 0 (unknown). [locked] */
void lrd__sleep_begin(lrd__thread *self, lrd__queue *queue, uint64_t now, uint64_t looked,
                      lrd__sleep *sleep);
/* Sleep for up to `ms`, after lrd__sleep_begin(). Returns LRD_OK if the caller must look again, or
 * LRD_INTR after a signal. [no lock is held] */
int lrd__sleep_now(lrd__queue *queue, const lrd__sleep *sleep, uint64_t ms);
/* End this thread's work as the queue's watcher, and wake another sleeper to take over. Does
 * nothing if this thread is not the watcher. [locked] */
void lrd__sleep_end(lrd__thread *self, lrd__queue *queue, lrd__wake *wake);
/* Prepare a sleep until the queue may have room. Returns the `turn` for lrd__room_sleep().
 * [locked] */
uint32_t lrd__room_sleep_begin(lrd__queue *queue);
/* Sleep until the queue may have room, for at most `ms` milliseconds. Returns LRD_OK if the caller
 * must try again, or LRD_INTR. [no lock is held] */
int lrd__room_sleep(lrd__queue *queue, uint32_t turn, uint64_t ms);
