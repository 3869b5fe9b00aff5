/* pace.c - lets a consumer of a busy queue rest: sleep for 2 ms and then look by itself, so that
 * pushes need not wake it. A wake-up costs more than handling a short message, and a consumer that
 * is woken thousands of times a second takes the processor from the producers. So a consumer that
 * is woken more than 2,000 times a second, for short bodies, rests when the queue is empty. From
 * its earlier sleeps it knows how many messages should arrive during a rest. If fewer arrive, the
 * producers may be waiting for its results. Then the consumer sleeps as usual, and rests again only
 * after twice as many sleeps as before. lrd__pace_rests() decides, only for its own thread. */
#include "queues/pace.h"

#define PACE_PATIENCE 16u        /* sleeps before the first rest */
#define PACE_PATIENCE_MOST 1024u /* largest number of sleeps before a rest */
/* a consumer rests only if it expects at least this many messages */
#define PACE_LEAST 4u
/* a consumer rests only if the expected messages are at most 1/PACE_ROOM of the queue's capacity */
#define PACE_ROOM 4u
/* a consumer of bodies above this size (in bytes) does not rest, because the bodies that arrive
 * during one rest could fill the store */
#define PACE_SHORT 4096u
/* after this number of good rests in a row, patience is back at PACE_PATIENCE */
#define PACE_SURE 4u

static void pace_begin(lrd__pace *pace, uint64_t now)
{
    pace->since = now;
    pace->pauses = pace->taken = pace->expected = 0;
}

void lrd__pace_take(lrd__pace *pace, const lrd__queue *queue, size_t size)
{
    if (pace->queue == queue)
        pace->taken++;
    if (size > PACE_SHORT)
        pace->queue = NULL;
}

/* After a rest, decide whether another rest follows. It does if the average number of messages per
 * rest is at least 13/16 of the expected number. The last rest counts for a quarter of this
 * average. So one rest with almost no messages ends a series of full rests, and so do several rests
 * with three quarters of the messages. */
static bool pace_goes_on(lrd__pace *pace, uint64_t now)
{
    uint32_t mean = (3 * pace->mean + 16 * pace->taken) / 4;
    pace->mean = mean < 2 * pace->expected ? mean : 2 * pace->expected;
    if (pace->mean >= pace->expected / 16 * 13) {
        pace->taken = 0;
        if (pace->pauses >= PACE_SURE)
            pace->patience = PACE_PATIENCE;
        return true;
    }
    if (pace->taken != 0 && pace->patience < PACE_PATIENCE_MOST)
        pace->patience *= 2; /* some producer may be waiting for results */
    pace_begin(pace, now);
    return false;
}

bool lrd__pace_rests(lrd__pace *pace, const lrd__queue *queue, uint64_t now)
{
    if (pace->queue != queue) {
        *pace = (lrd__pace){.queue = queue, .since = now, .patience = PACE_PATIENCE};
        return false;
    }
    pace->pauses++;
    if (pace->expected != 0)
        return pace_goes_on(pace, now);
    if (pace->pauses < pace->patience)
        return false;
    uint64_t ms = now - pace->since + 1, brings = (uint64_t)pace->taken * LRD__QUEUE_REST_MS / ms;
    pace_begin(pace, now);
    if (brings < PACE_LEAST || (queue->capacity != 0 && brings > queue->capacity / PACE_ROOM))
        return false;
    brings = brings < UINT16_MAX ? brings : UINT16_MAX;
    pace->expected = pace->mean = (uint32_t)brings * 16;
    return true;
}
