/* queue_wait.h - sleeping and waking of a queue's consumers and producers. */
#pragma once

#include "entries/message.h"
#include "queues/pace.h"

/* Wake the chosen sleepers. [no lock is held] */
void lrd__wake_send(lrd__thread *self, lrd__queue *queue, const lrd__wake *wake);

/* How a thread will sleep. */
typedef struct lrd__sleep {
    bool rests; /* true if the thread rests (pace.c): pushes do not wake it */
    bool watches;
    uint32_t turn; /* value of the futex to sleep on */
    uint64_t most; /* longest sleep (ms) */
} lrd__sleep;
/* Prepare to sleep: become a sleeper, or the watcher if no living thread is the watcher.
 * [locked] */
void lrd__sleep_begin(lrd__thread *self, lrd__queue *queue, uint64_t now, lrd__sleep *sleep);
/* Sleep. Returns LRD_OK if the caller must look again, or LRD_INTR if a signal came. [no lock is
 * held] */
int lrd__sleep_now(lrd__queue *queue, const lrd__sleep *sleep, uint64_t ms);
/* End a sleep. If this thread was the watcher, let another sleeper take over. [locked] */
void lrd__sleep_end(lrd__thread *self, lrd__queue *queue, lrd__wake *wake);
/* Sleep until there is room for a message. */
uint32_t lrd__room_sleep_begin(lrd__queue *queue);
int lrd__room_sleep(lrd__queue *queue, uint32_t turn, uint64_t ms);
